data {
  int<lower=1> n;
  array[n] vector[2] Y;
  real<lower=0> s1;
}
parameters {
  real<lower=0> s2;
  real<lower=-s1 * s2, upper=s1 * s2> c12;
  vector[2] mu;
}
model {
  s2 ~ lognormal(0, 1);
  mu ~ normal(0, 5);
  Y ~ multi_normal(mu, [[square(s1), c12], [c12, square(s2)]]);
}
