functions {
  vector neuron(real t, vector s, real a, real b, real c) {
    return [c * (s[1] - s[1]^3 / 3 + s[2]), -(s[1] - a + b * s[2]) / c]';
  }
}
data {
  int n;
  array[n] real t;
  vector[n] v_obs, r_obs;
  real<lower=0> sigma;
}
parameters {
  real a, b, c;
}
model {
  // The first observation is at time 0, where the state is known. Tolerances as hamc has them by default.
  array[n - 1] vector[2] s = ode_rk45_tol(neuron, [-1, 1]', 0, t[2 : ], 1e-8, 1e-8, 100000, a, b, c);
  v_obs[2 : ] ~ normal(s[ : , 1], sigma);
  r_obs[2 : ] ~ normal(s[ : , 2], sigma);
  v_obs[1] ~ normal(-1, sigma);
  r_obs[1] ~ normal(1, sigma);
  a ~ std_normal();
  b ~ std_normal();
  c ~ std_normal();
}
