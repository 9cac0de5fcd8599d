functions {
  real tail_lpdf(vector y, real shape, real scale) {
    return -(1 + inv(shape)) * sum(log1p(y * (shape / scale))) - num_elements(y) * log(scale);
  }
}
data {
  int<lower=1> n;
  vector<lower=0>[n] x;
}
parameters {
  real<lower=0> scale;
  real<lower=-scale / max(x)> shape;
}
model {
  scale ~ lognormal(0, 1);
  shape ~ normal(0, 0.5);
  x ~ tail(shape, scale);
}
