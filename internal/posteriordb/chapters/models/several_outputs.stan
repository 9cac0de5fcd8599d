data {
  int<lower=1> n, d;
  array[n] real x;
  matrix[n, d] Y;
}
parameters {
  real<lower=0> rho;
  vector<lower=0>[d] alpha;
  real<lower=0> s;
  cholesky_factor_corr[d] L;
  matrix[n, d] eta;
}
model {
  matrix[n, n] C = add_diag(gp_exponential_cov(x, 1.0, rho), 1e-9);
  matrix[n, d] f = cholesky_decompose(C) * eta * diag_pre_multiply(alpha, L)';
  rho ~ inv_gamma(5, 5);
  alpha ~ normal(0, 1);
  s ~ normal(0, 1);
  L ~ lkj_corr_cholesky(3);
  to_vector(eta) ~ std_normal();
  to_vector(Y) ~ normal(to_vector(f), s);
}
