functions {
  vector spread(real time, vector z, real beta, real sigma, real gamma, real after, real when, real N) {
    real flow = beta * (1 - (1 - after) * inv_logit(time - when)) * z[3] * z[1] / N;
    return [-flow, flow - sigma * z[2], sigma * z[2] - gamma * z[3], sigma * z[2]]';
  }
}
data {
  int<lower=1> n;
  array[n] real<lower=0> t;
  array[n] int<lower=0> cases;
  real<lower=0> N;
}
parameters {
  real<lower=0> beta, sigma, gamma;
  real<lower=0, upper=1> after;
  real<lower=0> when, start, phi;
}
model {
  vector[4] z0 = [N - 2 * start, start, start, 0]';
  array[n] vector[4] z = ode_rk45_tol(spread, z0, 0, t, 1e-13, 1e-13, 1000000, beta, sigma, gamma, after, when, N);
  vector[n] C = to_vector(z[ : , 4]);
  beta ~ lognormal(-1, 0.5);
  sigma ~ lognormal(-1, 0.5);
  gamma ~ lognormal(-1, 0.5);
  after ~ beta(2, 2);
  when ~ lognormal(3, 0.5);
  start ~ lognormal(1, 1);
  phi ~ gamma(2, 0.2);
  cases ~ neg_binomial_2(C - append_row(0, C[1:(n - 1)]) + 1e-6, phi);
}
