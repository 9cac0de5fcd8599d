functions {
  vector residual(real t, vector z, vector dz, real k, real rate) {
    return [dz[1] + rate * z[2], z[2] + k * square(z[2]) - z[1]]';
  }
}
data {
  int<lower=1> n;
  array[n] real<lower=0> t;
  vector<lower=0>[n] y;
}
parameters {
  real<lower=0> k, rate, x0, s;
}
model {
  real u0 = (sqrt(1 + 4 * k * x0) - 1) / (2 * k);
  vector[2] z0 = [x0, u0]';
  // How fast u moves follows from (1 + 2 k u) u' = x'.
  vector[2] dz0 = [-rate * u0, -rate * u0 / (1 + 2 * k * u0)]';
  array[n] vector[2] z = dae_tol(residual, z0, dz0, 0, t, 1e-13, 1e-14, 1000000, k, rate);
  k ~ lognormal(0, 0.5);
  rate ~ lognormal(0, 0.5);
  x0 ~ lognormal(0, 0.5);
  s ~ exponential(5);
  y ~ lognormal(log(to_vector(z[ : , 2])), s);
}
