data {
  int<lower=1> M, V, K, N;
  array[N] int<lower=1, upper=M> doc;
  array[N] int<lower=1, upper=V> word;
}
parameters {
  vector[K] mu;
  cholesky_factor_corr[K] L;
  vector<lower=0>[K] sigma;
  array[M] vector[K] eta;
  array[K] simplex[V] phi;
}
model {
  array[M] vector[K] theta;
  mu ~ normal(0, 5);
  L ~ lkj_corr_cholesky(2);
  target += cauchy_lpdf(sigma | 0, 5) + K * log(2);
  eta ~ multi_normal_cholesky(mu, diag_pre_multiply(sigma, L));
  for (m in 1:M) {
    theta[m] = softmax(eta[m]);
  }
  for (k in 1:K) {
    phi[k] ~ dirichlet(rep_vector(0.5, V));
  }
  for (i in 1:N) {
    vector[K] share;
    for (k in 1:K) {
      share[k] = theta[doc[i], k] * phi[k, word[i]];
    }
    target += log(sum(share));
  }
}
