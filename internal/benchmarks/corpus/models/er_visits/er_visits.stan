data {
  int N, H;
  array[N] int<lower=1, upper=H> hospital;
  vector[N] cold;
  array[N] int<lower=0> y;
}
parameters {
  vector[H] alpha;
  real mu, beta;
  real<lower=0> tau, phi;
}
model {
  mu ~ normal(3, 1);
  tau ~ exponential(1);
  alpha ~ normal(mu, tau);
  beta ~ normal(0, 0.5);
  phi ~ exponential(0.1);
  y ~ neg_binomial_2_log(alpha[hospital] + beta * cold, phi);
}
