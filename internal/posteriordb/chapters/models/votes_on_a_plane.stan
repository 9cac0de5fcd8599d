data {
  int<lower=1> n;
  array[n] vector[2] x;
  array[n] int<lower=0, upper=1> yes;
}
parameters {
  real<lower=0> rho, alpha;
  real m;
  vector[n] f;
}
model {
  rho ~ inv_gamma(3, 3);
  alpha ~ normal(0, 2) T[0, ];
  m ~ normal(0, 1);
  f ~ multi_normal(rep_vector(m, n), add_diag(gp_matern32_cov(x, alpha, rho), 1e-6));
  yes ~ bernoulli_logit(f);
}
