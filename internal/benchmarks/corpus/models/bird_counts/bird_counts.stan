data {
  int N, S;
  array[N] int<lower=1, upper=S> site;
  vector[N] forest, wind;
  array[N] int<lower=0> y;
}
parameters {
  vector[S] alpha;
  real mu, b_forest, b_wind;
  real<lower=0> tau;
}
model {
  mu ~ normal(0, 2);
  tau ~ normal(0, 1);
  alpha ~ normal(mu, tau);
  b_forest ~ normal(0, 1);
  b_wind ~ normal(0, 1);
  y ~ poisson_log(alpha[site] + b_forest * forest + b_wind * wind);
}
