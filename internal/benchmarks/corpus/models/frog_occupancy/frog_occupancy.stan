data {
  int S, V;
  vector[S] wet;
  matrix[S, V] warm;
  array[S, V] int<lower=0, upper=1> y;
  array[S] int<lower=0, upper=1> seen;
}
parameters {
  real a_psi, b_psi, a_p, b_p;
}
model {
  a_psi ~ normal(0, 1.5);
  b_psi ~ normal(0, 1.5);
  a_p ~ normal(0, 1.5);
  b_p ~ normal(0, 1.5);
  for (s in 1:S) {
    real psi = a_psi + b_psi * wet[s];
    real found = bernoulli_logit_lpmf(y[s] | a_p + b_p * warm[s]');
    if (seen[s]) target += log_inv_logit(psi) + found;
    else target += log_sum_exp(log_inv_logit(psi) + found, log1m_inv_logit(psi));
  }
}
