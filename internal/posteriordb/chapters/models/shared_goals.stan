data {
  int<lower=1> n;
  array[n] int<lower=0> x, y;
}
parameters {
  real<lower=0> a, b, c;
}
model {
  a ~ gamma(2, 2);
  b ~ gamma(2, 2);
  c ~ gamma(2, 2);
  for (i in 1:n) {
    int low = min(x[i], y[i]);
    vector[low + 1] lp;
    for (k in 0:low) {
      lp[k + 1] = poisson_lpmf(k | c) + poisson_lpmf(x[i] - k | a) + poisson_lpmf(y[i] - k | b);
    }
    target += log_sum_exp(lp);
  }
}
