data {
  int<lower=1> n;
  vector[n] x;
  vector<lower=0>[n] t;
  array[n] int<lower=0, upper=1> gone;
}
parameters {
  real a, b;
  real<lower=0> shape;
}
model {
  a ~ normal(1, 1);
  b ~ normal(1, 1);
  shape ~ lognormal(0.5, 0.5);
  for (i in 1:n) {
    real rate = shape * exp(-a - b * x[i]);
    target += gone[i] ? gamma_lpdf(t[i] | shape, rate) : gamma_lccdf(t[i] | shape, rate);
  }
}
