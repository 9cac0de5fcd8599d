data {
  int<lower=1> S;
  array[S] int<lower=0> diseased, well, tp, tn;
}
parameters {
  vector[2] mu;
  vector<lower=0>[2] tau;
  corr_matrix[2] R;
  array[S] vector[2] eta;
}
model {
  mu ~ normal(1.5, 1);
  target += cauchy_lpdf(tau | 0, 1) + 2 * log(2);
  R ~ lkj_corr(2);
  eta ~ multi_normal(mu, quad_form_diag(R, tau));
  tp ~ binomial_logit(diseased, to_vector(eta[, 1]));
  tn ~ binomial_logit(well, to_vector(eta[, 2]));
}
