functions {
  vector swing(real time, vector z, real rate, real damp) {
    return [z[2], -square(rate) * z[1] - damp * z[2] + 0.1 * sin(time)]';
  }
}
data {
  int<lower=1> n;
  array[n] real t;
  vector[n] y;
}
parameters {
  real<lower=0> rate, damp;
  vector[2] at0;
  real<lower=0> s;
}
model {
  array[n] vector[2] z = ode_rk45_tol(swing, at0, 0, t, 1e-13, 1e-13, 1000000, rate, damp);
  rate ~ lognormal(0.5, 0.5);
  damp ~ exponential(3);
  at0 ~ normal(0, 2);
  s ~ exponential(5);
  y ~ normal(to_vector(z[ : , 1]), s);
}
