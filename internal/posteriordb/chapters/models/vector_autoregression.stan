data {
  int<lower=1> T, d;
  array[T] vector[d] y;
}
parameters {
  vector[d] a;
  matrix[d, d] A;
  cholesky_factor_cov[d] L;
  real own;
}
model {
  a ~ normal(0, 1);
  own ~ normal(0.5, 0.5);
  to_vector(A) ~ normal(to_vector(own * identity_matrix(d)), 0.3);
  L ~ inv_wishart_cholesky(d + 2, identity_matrix(d));
  for (t in 2:T) {
    y[t] ~ multi_normal_cholesky(a + A * y[t - 1], L);
  }
}
