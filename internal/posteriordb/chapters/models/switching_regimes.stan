data {
  int<lower=2> T;
  vector[T] y;
}
parameters {
  vector<lower=0, upper=1>[2] stay;
  ordered[2] level;
  vector<lower=-1, upper=1>[2] phi;
  vector<lower=0>[2] s;
}
model {
  vector[2] f = rep_vector(-log(2), 2);
  stay ~ beta(8, 2);
  level ~ normal(0, 1);
  phi ~ normal(0, 0.5);
  s ~ lognormal(0, 1);
  for (t in 2:T) {
    vector[2] next_ = [log_sum_exp(f[1] + log(stay[1]), f[2] + log1m(stay[2])), log_sum_exp(f[2] + log(stay[2]), f[1] + log1m(stay[1]))]';
    for (j in 1:2) {
      f[j] = next_[j] + normal_lpdf(y[t] | level[j] + phi[j] * y[t - 1], s[j]);
    }
  }
  target += log_sum_exp(f);
}
