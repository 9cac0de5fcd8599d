data {
  int C;
  array[C] int<lower=0> n_control, n_treated, control, treated;
}
parameters {
  vector[C] alpha, delta;
  real mu_alpha, mu_delta;
  real<lower=0> sigma_alpha, sigma_delta;
}
model {
  mu_alpha ~ normal(0, 2);
  mu_delta ~ normal(0, 1);
  sigma_alpha ~ normal(0, 1);
  sigma_delta ~ normal(0, 1);
  alpha ~ normal(mu_alpha, sigma_alpha);
  delta ~ normal(mu_delta, sigma_delta);
  control ~ binomial_logit(n_control, alpha);
  treated ~ binomial_logit(n_treated, alpha + delta);
}
