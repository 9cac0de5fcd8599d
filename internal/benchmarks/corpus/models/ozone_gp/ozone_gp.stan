data {
  int N;
  array[N] real x;
  vector[N] y;
}
parameters {
  real a, b;
  real<lower=0> alpha, rho, sigma;
}
model {
  matrix[N, N] K = gp_matern32_cov(x, alpha, rho);
  for (i in 1:N) K[i, i] += square(sigma);
  a ~ normal(0, 5);
  b ~ normal(0, 1);
  alpha ~ normal(0, 1);
  sigma ~ normal(0, 1);
  rho ~ inv_gamma(3, 3);
  y ~ multi_normal(a + b * to_vector(x), K);
}
