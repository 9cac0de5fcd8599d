data {
  int N;
  vector[N] load;
  vector<lower=0>[N] t;
  array[N] int<lower=0, upper=1> failed;
}
parameters {
  real<lower=0> shape;
  real a, b;
}
model {
  vector[N] scale = exp(a + b * load);
  shape ~ gamma(2, 1);
  a ~ normal(2, 2);
  b ~ normal(0, 1);
  for (i in 1:N) {
    if (failed[i]) t[i] ~ weibull(shape, scale[i]);
    else target += weibull_lccdf(t[i] | shape, scale[i]);
  }
}
