data {
  int<lower=1> n, K, d;
  matrix[n, d] x;
  vector[n] y;
}
parameters {
  matrix[K, d] gate, B;
  vector<lower=0>[K] s;
}
model {
  to_vector(gate) ~ normal(0, 2);
  to_vector(B) ~ normal(0, 2);
  s ~ lognormal(-1, 0.5);
  for (i in 1:n) {
    vector[K] lp = log_softmax(gate * x[i]');
    for (k in 1:K) {
      lp[k] += normal_lpdf(y[i] | x[i] * B[k]', s[k]);
    }
    target += log_sum_exp(lp);
  }
}
