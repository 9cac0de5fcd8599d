data {
  int<lower=1> T, Q;
  vector[T] y;
}
parameters {
  real mu;
  vector[Q] theta;
  real<lower=0> s;
}
model {
  vector[T] e;
  mu ~ normal(0, 2);
  theta ~ normal(0, 1);
  s ~ exponential(1);
  for (t in 1:T) {
    e[t] = y[t] - mu;
    for (l in 1:min(t - 1, Q)) {
      e[t] -= theta[l] * e[t - l];
    }
  }
  e ~ normal(0, s);
}
