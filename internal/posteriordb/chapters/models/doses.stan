functions {
  vector body(real t, vector z, real ka, real vm, real km) {
    return [-ka * z[1], ka * z[1] - vm * z[2] / (km + z[2])]';
  }
}
data {
  int<lower=1> n;
  array[n] real<lower=0> t1, t2;
  vector<lower=0>[n] c1, c2;
  array[2] real<lower=0> D;
}
parameters {
  real<lower=0> ka, vm, km, vol, s;
}
model {
  array[n] vector[2] p = ode_rk45_tol(body, [D[1], 0]', 0, t1, 1e-13, 1e-13, 1000000, ka, vm, km);
  array[n] vector[2] q = ode_rk45_tol(body, p[n] + [D[2], 0]', 6, t2, 1e-13, 1e-13, 1000000, ka, vm, km);
  ka ~ lognormal(0, 0.5);
  vm ~ lognormal(0, 0.5);
  km ~ lognormal(0, 0.5);
  vol ~ lognormal(0, 0.5);
  s ~ exponential(5);
  c1 ~ lognormal(log(to_vector(p[ : , 2]) / vol), s);
  c2 ~ lognormal(log(to_vector(q[ : , 2]) / vol), s);
}
