data {
  int<lower=1> n;
  vector[n] x;
  vector<lower=0, upper=1>[n] share;
  array[n] int<lower=1, upper=3> kind;
}
parameters {
  ordered[2] cut;
  real a, b;
  real<lower=0> kappa;
}
model {
  cut ~ normal(0, 3);
  a ~ normal(0, 1);
  b ~ normal(0, 1);
  kappa ~ gamma(2, 0.2);
  for (i in 1:n) {
    real eta = a + b * x[i];
    kind[i] ~ ordered_logistic(eta, cut);
    if (kind[i] == 2) {
      share[i] ~ beta_proportion(inv_logit(eta), kappa);
    }
  }
}
