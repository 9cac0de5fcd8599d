data {
  int<lower=1> n;
  matrix[n, n] W;
  vector[n] x, y;
}
parameters {
  real<lower=-1, upper=1> rho;
  real a, b;
  real<lower=0> s;
}
model {
  matrix[n, n] M = identity_matrix(n) - rho * W;
  rho ~ normal(0, 0.5);
  a ~ normal(0, 2);
  b ~ normal(0, 2);
  s ~ exponential(1);
  M * y ~ normal(a + b * x, s);
  target += log_determinant(M);
}
