data {
  int N, C;
  array[N] int<lower=1, upper=C> origin, destination;
  vector[C] log_gdp;
  vector[N] log_dist, log_trade;
  array[N] int<lower=0, upper=1> border;
}
parameters {
  vector[C] u, v;
  real a, b_origin, b_destination, b_dist, b_border;
  real<lower=0> tau_u, tau_v, sigma;
}
model {
  a ~ normal(0, 10);
  b_origin ~ normal(0, 2);
  b_destination ~ normal(0, 2);
  b_dist ~ normal(0, 2);
  b_border ~ normal(0, 2);
  tau_u ~ exponential(1);
  tau_v ~ exponential(1);
  sigma ~ exponential(1);
  u ~ normal(0, tau_u);
  v ~ normal(0, tau_v);
  log_trade ~ normal(a + b_origin * log_gdp[origin] + b_destination * log_gdp[destination] + b_dist * log_dist
                     + b_border * to_vector(border) + u[origin] + v[destination], sigma);
}
