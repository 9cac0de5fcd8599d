data {
  int<lower=1> T, K;
  vector[T] r;
}
parameters {
  real mu;
  real<lower=0> base;
  real<lower=0, upper=1> total;
  simplex[K] w;
}
model {
  mu ~ normal(0, 1);
  base ~ exponential(1);
  total ~ beta(2, 2);
  w ~ dirichlet(rep_vector(1, K));
  for (t in (K + 1):T) {
    real v = base;
    for (l in 1:K) {
      v += total * w[l] * square(r[t - l] - mu);
    }
    r[t] ~ normal(mu, sqrt(v));
  }
}
