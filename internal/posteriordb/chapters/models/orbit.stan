functions {
  vector kepler(vector E, real e, real M) {
    return [E[1] - e * sin(E[1]) - M]';
  }
}
data {
  int<lower=1> n;
  vector[n] t, v;
}
parameters {
  real<lower=0> period;
  real<lower=0, upper=0.9> e;
  real phase;
  real<lower=0> K, s;
  unit_vector[2] omega;
}
model {
  vector[n] m;
  for (i in 1:n) {
    real M = 2 * pi() * t[i] / period + phase;
    real E = solve_newton_tol(kepler, [M]', 1e-14, 1e-14, 200, e, M)[1];
    real c = (cos(E) - e) / (1 - e * cos(E));
    real d = sqrt(1 - square(e)) * sin(E) / (1 - e * cos(E));
    m[i] = K * (omega[1] * (c + e) - omega[2] * d);
  }
  period ~ lognormal(1.4, 0.3);
  e ~ beta(1, 2);
  phase ~ normal(0, 1);
  K ~ exponential(0.5);
  s ~ exponential(0.5);
  v ~ normal(m, s);
}
