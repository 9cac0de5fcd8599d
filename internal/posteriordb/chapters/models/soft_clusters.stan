data {
  int<lower=1> n, d, K;
  array[n] vector[d] Y;
}
parameters {
  array[K] vector[d] centre;
  real<lower=0> s;
}
model {
  s ~ exponential(1);
  for (k in 1:K) {
    centre[k] ~ normal(0, 3);
  }
  for (i in 1:n) {
    vector[K] lp;
    for (k in 1:K) {
      lp[k] = -log(K) + normal_lpdf(Y[i] | centre[k], s);
    }
    target += log_sum_exp(lp);
  }
}
