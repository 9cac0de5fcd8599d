data {
  int<lower=1> n;
  vector[n] t;
  array[n] int<lower=0> y;
}
parameters {
  real mu;
  real<lower=0> tau, length;
  vector[n] x;
}
model {
  mu ~ normal(0, 2);
  tau ~ exponential(1);
  length ~ inv_gamma(3, 3);
  // The same process by its covariance.
  x ~ multi_normal(rep_vector(mu, n), gp_exponential_cov(to_array_1d(t), tau, length));
  y ~ poisson_log(x);
}
