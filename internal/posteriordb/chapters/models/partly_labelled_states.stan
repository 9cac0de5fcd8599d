data {
  int<lower=1> T, K;
  array[T] int<lower=0> count;
  array[T] int<lower=0, upper=K> label;
}
parameters {
  simplex[K] start;
  array[K] simplex[K] move;
  positive_ordered[K] rate;
}
model {
  matrix[K, T] seen;
  matrix[K, K] P;
  start ~ dirichlet(rep_vector(1, K));
  rate ~ gamma(1, 0.1);
  for (j in 1:K) {
    move[j] ~ dirichlet(rep_vector(1, K));
    P[j] = move[j]';
  }
  for (t in 1:T) {
    for (j in 1:K) {
      seen[j, t] = label[t] == 0 || label[t] == j ? poisson_lpmf(count[t] | rate[j]) : -1e300;
    }
  }
  target += hmm_marginal(seen, P, start);
}
