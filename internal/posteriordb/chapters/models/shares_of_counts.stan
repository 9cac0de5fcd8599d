data {
  int<lower=1> n, K;
  vector[n] x;
  array[n, K] int<lower=0> counts;
}
parameters {
  vector[K] a, b;
}
model {
  a ~ normal(0, 1);
  b ~ normal(0, 1);
  for (i in 1:n) {
    vector[K] alpha = exp(a + b * x[i]);
    real A = sum(alpha);
    int m = sum(counts[i]);
    target += lgamma(A) + lgamma(m + 1) - lgamma(m + A);
    for (k in 1:K) {
      target += lgamma(counts[i, k] + alpha[k]) - lgamma(alpha[k]) - lgamma(counts[i, k] + 1);
    }
  }
}
