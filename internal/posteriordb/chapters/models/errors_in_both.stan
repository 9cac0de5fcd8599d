data {
  int<lower=1> n, k;
  matrix[n, k] X;
  vector[n] y;
  real<lower=0> ratio;
}
parameters {
  vector[n] z;
  real mz;
  real<lower=0> tau, s;
  real a, b;
}
model {
  z ~ normal(mz, tau);
  mz ~ normal(5, 5);
  tau ~ exponential(0.5);
  s ~ exponential(1);
  a ~ normal(0, 2);
  b ~ normal(0, 2);
  for (j in 1:k) {
    X[, j] ~ normal(z, s * ratio);
  }
  y ~ normal(a + b * z, s);
}
