data {
  int N, P;
  vector<lower=0>[N] dose;
  vector[N] response;
  vector[P] placebo;
}
parameters {
  real e0, emax;
  real<lower=0> ed50, h, sigma;
}
model {
  vector[N] mu;
  for (i in 1:N) mu[i] = e0 + emax * dose[i]^h / (ed50^h + dose[i]^h);
  e0 ~ normal(0, 10);
  emax ~ normal(0, 20);
  ed50 ~ lognormal(log(30), 1);
  h ~ lognormal(0, 0.5);
  sigma ~ exponential(0.2);
  placebo ~ normal(e0, sigma);
  response ~ normal(mu, sigma);
}
