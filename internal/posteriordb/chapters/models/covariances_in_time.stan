data {
  int<lower=1> T;
  array[T] vector[2] Y;
}
parameters {
  cholesky_factor_cov[2] C;
  real<lower=0, upper=1> al;
  real<lower=0, upper=1 - al> be;
}
model {
  matrix[2, 2] S = tcrossprod(C);
  matrix[2, 2] H = S;
  C ~ inv_wishart_cholesky(4, identity_matrix(2));
  al ~ beta(2, 8);
  for (t in 1:T) {
    Y[t] ~ multi_normal(zeros_vector(2), H);
    H = (1 - al - be) * S + al * Y[t] * Y[t]' + be * H;
  }
}
