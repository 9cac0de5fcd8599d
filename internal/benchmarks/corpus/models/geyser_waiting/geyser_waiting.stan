data {
  int N;
  vector[N] wait;
}
parameters {
  real<lower=0, upper=1> p;
  real brief;
  real<lower=0> more;
  vector<lower=0>[2] sigma;
}
model {
  p ~ beta(2, 2);
  brief ~ normal(60, 20);
  more ~ normal(0, 30);
  sigma ~ normal(0, 10);
  for (i in 1:N)
    target += log_mix(p, normal_lpdf(wait[i] | brief, sigma[1]), normal_lpdf(wait[i] | brief + more, sigma[2]));
}
