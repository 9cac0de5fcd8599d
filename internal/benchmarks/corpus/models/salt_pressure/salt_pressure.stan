data {
  int N, R;
  matrix[N, R] measured;
  vector[N] pressure;
}
parameters {
  vector[N] salt;
  real mu, a, b;
  real<lower=0> tau, noise, sigma;
}
model {
  mu ~ normal(10, 5);
  tau ~ normal(0, 3);
  noise ~ normal(0, 3);
  a ~ normal(120, 20);
  b ~ normal(0, 5);
  sigma ~ normal(0, 10);
  salt ~ normal(mu, tau);
  measured[, 1] ~ normal(salt, noise);
  measured[, 2] ~ normal(salt, noise);
  pressure ~ normal(a + b * salt, sigma);
}
