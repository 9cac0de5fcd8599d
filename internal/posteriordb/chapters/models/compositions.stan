data {
  int<lower=1> n, K;
  vector[n] x;
  array[n] simplex[K] Y;
}
parameters {
  vector[K - 1] a, b;
  real<lower=0> phi;
}
model {
  a ~ normal(0, 1);
  b ~ normal(0, 1);
  phi ~ gamma(2, 0.2);
  for (i in 1:n) {
    Y[i] ~ dirichlet(phi * softmax(append_row(a + b * x[i], 0)));
  }
}
