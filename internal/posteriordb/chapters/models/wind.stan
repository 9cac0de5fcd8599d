data {
  int<lower=1> n;
  vector[n] x;
  vector<lower=-pi(), upper=pi()>[n] angle;
}
parameters {
  unit_vector[2] dir;
  real b;
  real<lower=0> kappa;
}
model {
  b ~ normal(0, 1);
  kappa ~ gamma(2, 0.5);
  angle ~ von_mises(atan2(dir[2], dir[1]) + 2 * atan(b * x), kappa);
}
