data {
  int<lower=1> n, d;
  array[n] vector[d] x;
  vector[n] y;
}
transformed data {
  matrix[n, d] X;
  for (i in 1:n) {
    X[i] = x[i]';
  }
}
parameters {
  array[d] real<lower=0> rho;
  real<lower=0> alpha, s;
  vector[d] slope;
}
model {
  matrix[n, n] S = add_diag(gp_exp_quad_cov(x, alpha, rho) + gp_dot_prod_cov(x, 0.0) * 0.25, square(s));
  rho ~ inv_gamma(3, 3);
  alpha ~ exponential(1);
  s ~ exponential(1);
  slope ~ normal(0, 1);
  y ~ multi_normal_cholesky(X * slope, cholesky_decompose(S));
}
