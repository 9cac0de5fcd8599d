data {
  int T, K;
  vector[T] y;
}
parameters {
  ordered[K] mu;
  real<lower=0> sigma;
  array[K] simplex[K] P;
}
model {
  matrix[K, T] density; // of each observation in each state
  matrix[K, K] chances;
  for (i in 1 : K) {
    chances[i] = P[i]';
    for (t in 1 : T) density[i, t] = normal_lpdf(y[t] | mu[i], sigma);
  }
  mu ~ normal(0, 5);
  sigma ~ normal(0, 2);
  target += hmm_marginal(density, chances, rep_vector(1.0 / K, K));
}
