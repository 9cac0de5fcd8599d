data {
  int T;
  array[T] int<lower=0> cases;
}
parameters {
  vector[T] x;
  real<lower=0> sigma;
}
model {
  x[1] ~ normal(2, 2);
  x[2:T] ~ normal(x[1:T - 1], sigma);
  sigma ~ normal(0, 0.5);
  cases ~ poisson_log(x);
}
