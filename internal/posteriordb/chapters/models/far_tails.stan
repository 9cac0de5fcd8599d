data {
  int<lower=1> n;
  vector[n] x;
  array[n] int<lower=0, upper=1> hit;
  array[n] int<lower=0> m, k;
}
parameters {
  real a, b, c;
}
model {
  vector[n] eta = 20 * (a + b * x);
  [a, b, c] ~ normal(0, 1);
  hit ~ bernoulli_logit(eta);
  k ~ binomial_logit(m, -eta);
  target += sum(log1m_exp(-exp(-eta / 30))) + sum(log_inv_logit(3 * eta));
  target += sum(log1m_inv_logit(abs(x) * exp(c)));
  target += log1p_exp(30 * c) + log_sum_exp(800 * a, 700 - 800 * b);
}
