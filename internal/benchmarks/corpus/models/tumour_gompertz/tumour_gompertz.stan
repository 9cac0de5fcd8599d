data {
  int N, J;
  array[N] int<lower=1, upper=J> mouse;
  vector<lower=0>[N] day, volume;
}
parameters {
  vector[J] log_top, log_rate;
  real mu_top, mu_rate;
  real<lower=0> tau_top, tau_rate, b, sigma;
}
model {
  mu_top ~ normal(7, 2);
  mu_rate ~ normal(-2, 1);
  tau_top ~ normal(0, 0.5);
  tau_rate ~ normal(0, 0.5);
  b ~ normal(4, 2);
  sigma ~ normal(0, 0.5);
  log_top ~ normal(mu_top, tau_top);
  log_rate ~ normal(mu_rate, tau_rate);
  volume ~ lognormal(log_top[mouse] - b * exp(-exp(log_rate[mouse]) .* day), sigma);
}
