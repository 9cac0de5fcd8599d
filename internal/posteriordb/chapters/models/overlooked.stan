data {
  int<lower=1> R, V;
  vector[R] x;
  matrix[R, V] w;
  array[R, V] int<lower=0, upper=1> seen;
}
parameters {
  vector[2] a, b;
}
model {
  a ~ normal(0, 1.5);
  b ~ normal(0, 1.5);
  for (i in 1:R) {
    real eta = a[1] + b[1] * x[i];
    real here = log_inv_logit(eta) + bernoulli_logit_lpmf(seen[i] | a[2] + b[2] * w[i]);
    target += max(seen[i]) ? here : log_sum_exp(here, log1m_inv_logit(eta));
  }
}
