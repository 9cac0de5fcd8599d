data {
  int<lower=1> n, d, k;
  array[n] vector[k] x;
  array[n, d] int<lower=0, upper=1> yes;
  int<lower=0> up, down;
  array[n, d] int<lower=1> rank;
}
parameters {
  matrix[d, k] B;
  cholesky_factor_corr[d] L;
  vector<lower=0>[up] high;
  vector<upper=0>[down] low;
}
model {
  to_vector(B) ~ normal(0, 2);
  L ~ lkj_corr_cholesky(3);
  for (i in 1:n) {
    vector[d] z;
    for (j in 1:d) {
      z[j] = yes[i, j] ? high[rank[i, j]] : low[rank[i, j]];
    }
    z ~ multi_normal_cholesky(B * x[i], L);
  }
}
