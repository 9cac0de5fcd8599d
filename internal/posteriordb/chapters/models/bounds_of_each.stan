data {
  int<lower=1> n;
  vector[n] lo, hi, y;
}
parameters {
  vector<lower=lo, upper=hi>[n] x;
  real<lower=0> u, v, s;
}
model {
  u + v ~ gamma(4, 1);
  u / v ~ lognormal(0, 1);
  target += log(u + v) - 2 * log(v);
  x ~ normal(u / v, 1);
  y ~ normal(x, s);
  s ~ exponential(2);
}
