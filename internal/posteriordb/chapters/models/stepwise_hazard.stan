data {
  int<lower=1> n, K;
  vector[K + 1] cut;
  vector[n] x, t;
  array[n] int<lower=0, upper=1> gone;
}
parameters {
  vector[K] level;
  real<lower=0> tau;
  real b;
}
model {
  level[1] ~ normal(-1, 1);
  level[2:K] ~ normal(level[1:(K - 1)], tau);
  tau ~ exponential(2);
  b ~ normal(0, 1);
  for (i in 1:n) {
    for (k in 1:K) {
      if (t[i] > cut[k]) {
        real rate = exp(level[k] + b * x[i]);
        target += -rate * (fmin(t[i], cut[k + 1]) - cut[k]);
        if (gone[i] && t[i] <= cut[k + 1]) {
          target += log(rate);
        }
      }
    }
  }
}
