data {
  int<lower=1> n, J;
  array[n] int<lower=1, upper=J> g;
  vector[n] x;
  vector<lower=0>[n] entry, t;
  array[n] int<lower=0, upper=1> gone;
}
parameters {
  real a, b;
  real<lower=0> shape, v;
  vector<lower=0>[J] z;
}
model {
  a ~ normal(0, 1);
  b ~ normal(0, 1);
  shape ~ lognormal(0, 0.5);
  v ~ exponential(1);
  z ~ gamma(1 / v, 1 / v);
  for (i in 1:n) {
    real rate = exp(a + b * x[i]) * z[g[i]];
    if (gone[i]) {
      target += log(rate) + log(shape) + (shape - 1) * log(t[i]);
    }
    target += -rate * (pow(t[i], shape) - pow(entry[i], shape));
  }
}
