data {
  int<lower=1> n, d, k;
  array[n] vector[d] Y;
}
parameters {
  vector[d] mu;
  vector<lower=0>[d] psi;
  cholesky_factor_cov[d, k] W;
}
model {
  mu ~ normal(0, 2);
  psi ~ lognormal(-0.5, 0.5);
  diagonal(W[1:k]) ~ normal(0, 1);
  Y ~ multi_normal(mu, add_diag(multiply_lower_tri_self_transpose(W), square(psi)));
}
