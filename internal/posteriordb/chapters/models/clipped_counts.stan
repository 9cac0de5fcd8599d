data {
  int<lower=1> n, lo, hi;
  array[n] int<lower=lo, upper=hi> y;
}
parameters {
  real<lower=0> lambda;
}
model {
  lambda ~ gamma(2, 0.5);
  for (i in 1:n) {
    y[i] ~ poisson(lambda) T[lo, hi];
  }
}
