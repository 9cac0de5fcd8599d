data {
  int n_mz, n_dz;
  vector[n_mz] mz1, mz2;
  vector[n_dz] dz1, dz2;
}
parameters {
  real mu;
  real<lower=0> a, c, e;
}
model {
  mu ~ normal(0, 5);
  a ~ normal(0, 1);
  c ~ normal(0, 1);
  e ~ normal(0, 1);
  mz1 + mz2 ~ normal(2 * mu, sqrt(4 * a^2 + 4 * c^2 + 2 * e^2));
  mz1 - mz2 ~ normal(0, sqrt(2 * e^2));
  dz1 + dz2 ~ normal(2 * mu, sqrt(3 * a^2 + 4 * c^2 + 2 * e^2));
  dz1 - dz2 ~ normal(0, sqrt(a^2 + 2 * e^2));
}
