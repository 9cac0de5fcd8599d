functions {
  vector depot(real time, vector z, real ka, real k) {
    return [-ka * z[1], ka * z[1] - k * z[2]]';
  }
}
data {
  int<lower=1> n, T;
  array[n, T] real<lower=0> t;
  vector<lower=0>[n] dose;
  int<lower=1> N;
  array[N] int<lower=1, upper=n> subject;
  array[N] int<lower=1, upper=T> place;
  vector<lower=0>[N] c;
}
parameters {
  vector[3] m;
  vector<lower=0>[2] omega;
  matrix[n, 2] eta;
  real<lower=0> sigma;
}
model {
  matrix[n, T] blood;
  for (i in 1:n) {
    array[T] vector[2] z = ode_rk45_tol(depot, [dose[i], 0]', 0, t[i], 1e-13, 1e-13, 1000000, exp(m[1]), exp(m[2] + omega[1] * eta[i, 1]));
    for (k in 1:T) blood[i, k] = z[k, 2];
  }
  m ~ normal([0, -2, 2]', 1);
  omega ~ normal(0, 0.5);
  to_vector(eta) ~ normal(0, 1);
  sigma ~ normal(0, 0.5);
  for (o in 1:N)
    c[o] ~ lognormal(log(blood[subject[o], place[o]] / exp(m[3] + omega[2] * eta[subject[o], 2])), sigma);
}
