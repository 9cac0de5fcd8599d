data {
  int<lower=1> n, k;
  matrix[n, k] x;
  vector[n] y;
}
parameters {
  simplex[k] share;
  real<lower=0, upper=1> R2;
  vector[k] z;
  real<lower=0> s;
}
model {
  real tau2 = square(s) * R2 / (1 - R2);
  share ~ dirichlet(rep_vector(0.5, k));
  R2 ~ beta_proportion(0.4, 5);
  z ~ std_normal();
  s ~ student_t(3, 0, 2);
  y ~ normal(x * (sqrt(tau2 * share) .* z), s);
}
