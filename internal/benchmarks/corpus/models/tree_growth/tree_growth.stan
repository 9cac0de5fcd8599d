data {
  int N, J;
  array[N] int<lower=1, upper=J> tree;
  vector[N] age, girth;
}
parameters {
  vector[J] top, mid;
  real mu_top, mu_mid;
  real<lower=0> tau_top, tau_mid, scale, sigma;
}
model {
  mu_top ~ normal(50, 25);
  mu_mid ~ normal(15, 10);
  tau_top ~ normal(0, 20);
  tau_mid ~ normal(0, 5);
  scale ~ normal(5, 3);
  sigma ~ normal(0, 5);
  top ~ normal(mu_top, tau_top);
  mid ~ normal(mu_mid, tau_mid);
  girth ~ normal(top[tree] .* inv_logit((age - mid[tree]) / scale), sigma);
}
