data {
  int<lower=1> n;
  array[n] real t;
  array[n] int<lower=0> cases;
  real<lower=0> period;
}
parameters {
  real a;
  real<lower=0> alpha, smooth, decay, rise, length;
  vector[n] z, u;
}
model {
  matrix[n, n] P = add_diag(gp_periodic_cov(t, alpha, smooth, period) .* gp_exp_quad_cov(t, 1.0, decay), 1e-8);
  matrix[n, n] Q = add_diag(gp_matern52_cov(t, rise, length), 1e-8);
  a ~ normal(1, 1);
  alpha ~ exponential(1);
  rise ~ exponential(1);
  smooth ~ inv_gamma(3, 2);
  decay ~ inv_gamma(3, 60);
  length ~ inv_gamma(3, 60);
  z ~ std_normal();
  u ~ std_normal();
  cases ~ poisson_log(a + cholesky_decompose(P) * z + cholesky_decompose(Q) * u);
}
