data {
  int M, P;
  array[M] int<lower=1, upper=P> home, away;
  array[M] int<lower=0, upper=1> home_won;
}
parameters {
  vector[P] skill;
  real advantage;
  real<lower=0> sigma;
}
model {
  skill ~ normal(0, sigma);
  sigma ~ normal(0, 1);
  advantage ~ normal(0, 1);
  home_won ~ bernoulli_logit(advantage + skill[home] - skill[away]);
}
