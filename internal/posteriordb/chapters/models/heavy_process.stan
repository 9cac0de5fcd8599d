data {
  int<lower=1> n;
  vector[n] x, y;
}
parameters {
  real<lower=2> nu;
  real<lower=0> rho, alpha, s, shape;
}
model {
  matrix[n, n] C;
  for (i in 1:n) {
    for (j in 1:n) {
      C[i, j] = square(alpha) * pow(1 + square(x[i] - x[j]) / (2 * shape * square(rho)), -shape);
    }
    C[i, i] += square(s);
  }
  nu ~ gamma(2, 0.1);
  rho ~ lognormal(0, 1);
  alpha ~ lognormal(0, 1);
  s ~ lognormal(0, 1);
  shape ~ gamma(2, 1);
  y ~ multi_student_t(nu, zeros_vector(n), (nu - 2) / nu * C);
}
