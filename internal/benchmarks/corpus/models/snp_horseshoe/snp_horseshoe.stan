data {
  int N, K;
  matrix[N, K] x;
  vector[N] y;
}
parameters {
  real alpha;
  vector[K] b;
  vector<lower=0>[K] lambda;
  real<lower=0> tau, sigma;
}
model {
  alpha ~ normal(0, 5);
  lambda ~ cauchy(0, 1);
  tau ~ cauchy(0, 0.1);
  b ~ normal(0, tau * lambda);
  sigma ~ normal(0, 2);
  y ~ normal(alpha + x * b, sigma);
}
