data {
  int<lower=1> n, J, K;
  array[n] int<lower=1, upper=J> g;
  array[n] vector[K] Y;
}
parameters {
  array[J] corr_matrix[K] R;
  array[J] vector<lower=0>[K] tau;
  array[J] vector[K] m;
}
model {
  for (j in 1 : J) {
    R[j] ~ lkj_corr(2);
    tau[j] ~ exponential(1);
    m[j] ~ normal(0, 2);
  }
  for (i in 1 : n) {
    Y[i] ~ multi_normal(m[g[i]], quad_form_diag(R[g[i]], tau[g[i]]));
  }
}
