functions {
  vector sir(real t, vector y, real beta, real gamma, real pupils) {
    return [-beta * y[1] * y[2] / pupils, beta * y[1] * y[2] / pupils - gamma * y[2]]';
  }
}
data {
  int T;
  array[T] real t;
  real<lower=0> pupils;
  array[T] int<lower=0> in_bed;
}
parameters {
  real<lower=0> beta, gamma, start;
}
model {
  array[T] vector[2] x = ode_rk45_tol(sir, [pupils - start, start]', 0, t, 1e-8, 1e-8, 100000, beta, gamma, pupils);
  beta ~ lognormal(0, 1);
  gamma ~ lognormal(-1, 1);
  start ~ lognormal(0, 1);
  in_bed ~ poisson(x[, 2]);
}
