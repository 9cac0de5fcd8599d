data {
  int N, J;
  array[N] int<lower=1, upper=J> prep;
  vector<lower=0>[N] s, rate;
}
parameters {
  vector<lower=0>[J] vmax, km;
  real mu_v, mu_k;
  real<lower=0> tau_v, tau_k, sigma;
}
model {
  mu_v ~ normal(2, 1);
  mu_k ~ normal(0, 1);
  tau_v ~ normal(0, 0.5);
  tau_k ~ normal(0, 0.5);
  sigma ~ normal(0, 0.5);
  vmax ~ lognormal(mu_v, tau_v);
  km ~ lognormal(mu_k, tau_k);
  rate ~ lognormal(log(vmax[prep] .* s ./ (km[prep] + s)), sigma);
}
