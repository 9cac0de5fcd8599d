data {
  int S, N, M;
  array[N] int<lower=1, upper=S> site;
  vector[N] flow, log_conc;
  array[M] int<lower=1, upper=S> site_below;
  vector[M] flow_below;
  real limit;
}
parameters {
  vector[S] alpha;
  real mu, beta;
  real<lower=0> tau, sigma;
}
model {
  mu ~ normal(0, 1);
  beta ~ normal(0, 1);
  tau ~ normal(0, 1);
  sigma ~ normal(0, 1);
  alpha ~ normal(mu, tau);
  log_conc ~ normal(alpha[site] + beta * flow, sigma);
  target += normal_lcdf(limit | alpha[site_below] + beta * flow_below, sigma);
}
