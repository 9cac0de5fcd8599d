data {
  int J;
  array[J] int<lower=0> at_bats, hits;
}
parameters {
  vector<lower=0, upper=1>[J] theta;
  real<lower=0, upper=1> mu;
  real<lower=0> kappa;
}
model {
  mu ~ beta(2, 5);
  kappa ~ gamma(2, 0.02);
  theta ~ beta(mu * kappa, (1 - mu) * kappa);
  hits ~ binomial(at_bats, theta);
}
