data {
  int<lower=1> K, n;
  array[n] int<lower=1, upper=K> home, away;
  array[n] int<lower=1, upper=3> result;
}
parameters {
  vector[K - 1] free;
  real field;
  real<lower=0> width, tau;
}
model {
  vector[K] skill = append_row(free, -sum(free));
  free ~ normal(0, tau);
  tau ~ exponential(1);
  field ~ normal(0, 1);
  width ~ lognormal(-1, 0.5);
  result ~ ordered_logistic(field + skill[home] - skill[away], [-width, width]');
}
