data {
  int<lower=1> n, k, gaps;
  matrix[n, k] x;
  array[n, k] int<lower=0, upper=gaps> which;
  vector[n] y;
}
parameters {
  vector[gaps] lost;
  vector[k] b;
  cholesky_factor_cov[k] L;
  real<lower=0> s;
}
model {
  matrix[n, k] full = x;
  for (i in 1:n) {
    for (j in 1:k) {
      if (which[i, j] > 0) {
        full[i, j] = lost[which[i, j]];
      }
    }
    full[i]' ~ multi_normal_cholesky(zeros_vector(k), L);
  }
  b ~ normal(0, 1);
  s ~ exponential(1);
  L ~ wishart_cholesky(k + 3, identity_matrix(k));
  y ~ normal(full * b, s);
}
