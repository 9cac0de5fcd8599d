data {
  int n;
  vector[n] y;
  real<lower=0> sigma_y, sigma_t;
}
parameters {
  real t1, t2;
}
model {
  y ~ normal(t1 + t2^2, sigma_y);
  t1 ~ normal(0, sigma_t);
  t2 ~ normal(0, sigma_t);
}
