data {
  int<lower=1> n, people, items;
  int<lower=2> grades;
  array[n] int<lower=1, upper=people> who;
  array[n] int<lower=1, upper=items> what;
  array[n] int<lower=1, upper=grades> grade;
}
parameters {
  vector[people] skill;
  vector<lower=0>[items] load;
  array[items] ordered[grades - 1] cut;
  real<lower=0> tau;
}
model {
  skill ~ normal(0, 1);
  tau ~ exponential(1);
  load ~ lognormal(0, tau);
  for (i in 1:items) {
    cut[i] ~ normal(0, 2);
  }
  for (i in 1:n) {
    grade[i] ~ ordered_logistic(load[what[i]] * skill[who[i]], cut[what[i]]);
  }
}
