data {
  int T;
  vector[T] y;
}
parameters {
  real mu, phi1, phi2;
  real<lower=0> sigma;
}
model {
  mu ~ normal(6, 2);
  phi1 ~ normal(0, 1);
  phi2 ~ normal(0, 1);
  sigma ~ exponential(1);
  y[3:T] ~ normal(mu + phi1 * (y[2:T - 1] - mu) + phi2 * (y[1:T - 2] - mu), sigma);
}
