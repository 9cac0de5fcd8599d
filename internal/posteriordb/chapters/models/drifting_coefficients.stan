data {
  int<lower=1> T, K;
  matrix[T, K] X;
  vector[T] y;
}
parameters {
  array[T] vector[K] b;
  vector<lower=0>[K] tau;
  real<lower=0> s;
}
model {
  b[1] ~ normal(0, 2);
  for (t in 2:T) {
    b[t] ~ normal(b[t - 1], tau);
  }
  tau ~ exponential(2);
  s ~ exponential(1);
  for (t in 1:T) {
    y[t] ~ normal(X[t] * b[t], s);
  }
}
