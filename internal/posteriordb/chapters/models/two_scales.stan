data {
  int<lower=1> n, J;
  vector[n] x1, x2;
  array[n] int<lower=0, upper=1> hit;
  array[n] int<lower=1, upper=J> g;
}
parameters {
  real a;
  vector[J] level;
  vector[2] b;
  real v;
  vector[J] z;
}
model {
  a ~ normal(0, 10);
  level ~ normal(0, 10);
  b ~ normal(0, 5);
  v ~ normal(0, 3);
  z ~ normal(0, exp(v / 2));
  hit ~ bernoulli_logit(a + level[g] + b[1] * x1 + b[2] * x2 + z[g]);
}
