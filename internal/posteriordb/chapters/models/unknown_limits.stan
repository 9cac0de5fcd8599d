data {
  int<lower=1> n;
  vector[n] y;
}
parameters {
  real<upper=min(y)> lo;
  real<lower=max(y)> hi;
  real mu;
  real<lower=0> s;
}
model {
  lo ~ normal(0, 2);
  hi ~ normal(5, 2);
  mu ~ normal(2, 2);
  s ~ exponential(1);
  for (i in 1:n) {
    y[i] ~ logistic(mu, s) T[lo, hi];
  }
}
