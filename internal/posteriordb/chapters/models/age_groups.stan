functions {
  vector meet(real t, vector z, matrix contact, real gamma) {
    vector[2] force = contact * z[3:4];
    return append_row(-z[1:2] .* force, z[1:2] .* force - gamma * z[3:4]);
  }
}
data {
  int<lower=1> n;
  array[n] real<lower=0> t;
  array[n] int<lower=0> y1, y2;
  vector<lower=0>[2] N;
  real<lower=0> scale;
}
parameters {
  vector<lower=0>[3] beta;
  real<lower=0> gamma, start;
}
model {
  matrix[2, 2] contact = [[beta[1] / N[1], beta[2] / N[2]], [beta[2] / N[1], beta[3] / N[2]]];
  array[n] vector[4] z = ode_rk45_tol(meet, [N[1], N[2], 0.01 * start, 0.01 * start]', 0, t, 1e-13, 1e-13, 1000000, contact, gamma);
  beta ~ lognormal(-1, 0.5);
  gamma ~ lognormal(-1, 0.5);
  start ~ lognormal(-1, 0.5);
  y1 ~ poisson(scale * to_vector(z[ : , 3]));
  y2 ~ poisson(scale * to_vector(z[ : , 4]));
}
