data {
  int<lower=1> n, groups, k, l;
  matrix[n, k] x;
  matrix[groups, l] u;
  array[n] int<lower=1, upper=groups> g;
  array[n] int<lower=0, upper=1> hit;
}
parameters {
  matrix[l, k] gam;
  matrix[k, groups] z;
  cholesky_factor_corr[k] L;
  vector<lower=0, upper=pi() / 2>[k] tilt;
}
model {
  matrix[groups, k] beta = u * gam + diag_pre_multiply(2.5 * tan(tilt), L * z)';
  to_vector(gam) ~ std_normal();
  to_vector(z) ~ std_normal();
  L ~ lkj_corr_cholesky(2);
  target += uniform_lpdf(tilt | 0, pi() / 2);
  hit ~ bernoulli_logit(rows_dot_product(x, beta[g]));
}
