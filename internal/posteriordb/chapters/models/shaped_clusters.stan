data {
  int<lower=1> n, d;
  array[n] vector[d] Y;
}
parameters {
  real<lower=0, upper=1> p;
  vector[d] m1, m2;
  vector<lower=0>[d] s1, s2;
  cholesky_factor_corr[d] L1, L2;
}
model {
  matrix[d, d] A = diag_pre_multiply(s1, L1);
  matrix[d, d] B = diag_pre_multiply(s2, L2);
  p ~ beta(2, 2);
  m1 ~ normal(0, 2);
  m2 ~ normal(3, 2);
  s1 ~ lognormal(0, 0.5);
  s2 ~ lognormal(0, 0.5);
  L1 ~ lkj_corr_cholesky(2);
  L2 ~ lkj_corr_cholesky(2);
  for (i in 1:n) {
    target += log_mix(p, multi_normal_cholesky_lpdf(Y[i] | m1, A), multi_normal_cholesky_lpdf(Y[i] | m2, B));
  }
}
