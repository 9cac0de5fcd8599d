data {
  int<lower=1> n, g;
  array[n] int<lower=1, upper=g> group;
  vector[n] x;
  array[n] int<lower=0> visits;
}
parameters {
  vector[2] a, b;
  real<lower=0> tau;
  vector[g] u;
  real<lower=0> phi;
}
model {
  a ~ normal(0, 1);
  b ~ normal(0, 1);
  tau ~ exponential(2);
  u ~ normal(0, tau);
  phi ~ gamma(2, 0.5);
  for (i in 1:n) {
    real none = inv_logit(a[1] + b[1] * x[i]);
    real eta = a[2] + b[2] * x[i] + u[group[i]];
    if (visits[i] == 0) {
      target += log(none);
    } else {
      target += log1m(none) + neg_binomial_2_log_lpmf(visits[i] | eta, phi) - log1m_exp(neg_binomial_2_log_lpmf(0 | eta, phi));
    }
  }
}
