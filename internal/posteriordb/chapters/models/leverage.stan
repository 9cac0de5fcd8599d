data {
  int<lower=1> T;
  vector[T] y;
}
parameters {
  real mu;
  real<lower=-1, upper=1> phi;
  real<lower=0> sigma;
  real<lower=-1, upper=1> rho;
  vector[T] h;
}
model {
  vector[T] shock = y ./ exp(h / 2);
  mu ~ normal(0, 2);
  (phi + 1) / 2 ~ beta(20, 1.5);
  sigma ~ exponential(2);
  rho ~ uniform(-1, 1);
  h[1] ~ normal(mu, sigma / sqrt((1 - phi) * (1 + phi)));
  h[2:T] ~ normal(mu + phi * (h[1:(T - 1)] - mu) + rho * sigma * shock[1:(T - 1)], sigma * sqrt(1 - square(rho)));
  y ~ normal(0, exp(h / 2));
}
