functions {
  vector react(real t, vector z, real slow, real quick) {
    real one = slow * z[1] - 100 * z[2] * z[3];
    real two = 3000 * quick * square(z[2]);
    return [-one, one - two, two]';
  }
}
data {
  int<lower=1> n;
  array[n] real<lower=0> t;
  vector<lower=0>[n] y;
}
parameters {
  real<lower=0> slow, quick, s;
}
model {
  array[n] vector[3] z = ode_bdf_tol(react, [1, 0, 0]', 0, t, 1e-13, 1e-15, 1000000, slow, quick);
  slow ~ lognormal(-3, 0.5);
  quick ~ lognormal(0, 0.5);
  s ~ exponential(10);
  y ~ lognormal(log(to_vector(z[ : , 1])), s);
}
