data {
  int<lower=1> n, K;
  array[n, K] int<lower=1, upper=K> order;
}
parameters {
  vector[K] worth;
}
model {
  worth ~ normal(0, 1);
  sum(worth) ~ normal(0, 0.01);
  for (i in 1:n) {
    for (r in 1:(K - 1)) {
      target += categorical_logit_lpmf(1 | worth[order[i, r:K]]);
    }
  }
}
