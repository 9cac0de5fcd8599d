data {
  int<lower=1> M, V, K, N;
  array[N] int<lower=1, upper=M> doc;
  array[N] int<lower=1, upper=V> word;
  array[M] int<lower=0, upper=K> topic;
  vector<lower=0>[K] alpha;
  vector<lower=0>[V] beta;
}
parameters {
  simplex[K] theta;
  array[K] simplex[V] phi;
}
model {
  matrix[M, K] lp = rep_matrix(log(theta)', M);
  theta ~ dirichlet(alpha);
  for (k in 1:K) {
    phi[k] ~ dirichlet(beta);
  }
  for (i in 1:N) {
    for (k in 1:K) {
      lp[doc[i], k] += log(phi[k, word[i]]);
    }
  }
  for (m in 1:M) {
    target += topic[m] == 0 ? log_sum_exp(lp[m]) : lp[m, topic[m]];
  }
}
