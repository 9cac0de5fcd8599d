data {
  int<lower=1> R, V, K;
  array[R, V] int<lower=0> y;
}
parameters {
  real<lower=0> lambda;
  real<lower=0, upper=1> p;
}
model {
  lambda ~ gamma(2, 0.3);
  p ~ beta(2, 2);
  for (i in 1:R) {
    int most = max(y[i]);
    vector[K - most + 1] lp;
    for (N in most:K) {
      lp[N - most + 1] = poisson_lpmf(N | lambda) + binomial_lpmf(y[i] | N, p);
    }
    target += log_sum_exp(lp);
  }
}
