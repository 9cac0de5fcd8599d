data {
  int<lower=1> n, ages, states, regions;
  array[states] int<lower=1, upper=regions> region;
  array[n] int<lower=1, upper=ages> age;
  array[n] int<lower=1, upper=states> state;
  array[n] int<lower=0, upper=1> yes;
}
parameters {
  real a;
  vector[ages] of_age;
  vector[states] of_state;
  vector[regions] of_region;
  matrix[ages, states] both;
  vector<lower=0>[4] s;
}
model {
  a ~ normal(0, 2);
  target += normal_lpdf(s | 0, 1) + 4 * log(2);
  of_age ~ normal(0, s[1]);
  of_region ~ normal(0, s[3]);
  of_state ~ normal(of_region[region], s[2]);
  to_vector(both) ~ normal(0, s[4]);
  for (i in 1:n) {
    yes[i] ~ bernoulli_logit(a + of_age[age[i]] + of_state[state[i]] + both[age[i], state[i]]);
  }
}
