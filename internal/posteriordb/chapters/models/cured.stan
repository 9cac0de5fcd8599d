data {
  int<lower=1> n;
  vector[n] x;
  vector<lower=0>[n] t;
  array[n] int<lower=0, upper=1> gone;
}
parameters {
  real a, b;
  real<lower=0> scale, shape;
}
model {
  a ~ normal(0, 1.5);
  b ~ normal(0, 1.5);
  scale ~ lognormal(0.5, 0.5);
  shape ~ lognormal(0.5, 0.5);
  for (i in 1:n) {
    real p = inv_logit(a + b * x[i]);
    if (gone[i]) {
      target += log1m(p) + loglogistic_lpdf(t[i] | scale, shape);
    } else {
      target += log_mix(p, 0, log1m(loglogistic_cdf(t[i] | scale, shape)));
    }
  }
}
