data {
  int<lower=1> n, K;
  array[n] int<lower=0, upper=K> x;
  vector[n] y;
  array[n] int<lower=0, upper=1> hit;
}
parameters {
  real a, b;
  simplex[K] step_;
  real<lower=0> s;
  vector[K + 1] u;
}
model {
  vector[K + 1] climb = append_row(0, cumulative_sum(step_));
  a ~ normal(0, 2);
  b ~ normal(0, 2);
  step_ ~ dirichlet(rep_vector(2, K));
  s ~ exponential(1);
  u ~ normal(0, 0.5);
  for (i in 1:n) {
    y[i] ~ normal(a + b * climb[x[i] + 1], s);
    hit[i] ~ bernoulli_logit(b * climb[x[i] + 1] - a + u[x[i] + 1]);
  }
}
