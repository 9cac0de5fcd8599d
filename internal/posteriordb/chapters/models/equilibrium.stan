functions {
  vector left(vector x, real K1, real K2, real A, real B) {
    return [x[1] + K1 * x[1] * x[2] + K2 * square(x[1]) - A, x[2] + K1 * x[1] * x[2] - B]';
  }
}
data {
  int<lower=1> n;
  array[n] real<lower=0> A, B, a0, b0, signal;
}
parameters {
  real<lower=0> K1, K2, s;
}
model {
  K1 ~ lognormal(0, 1);
  K2 ~ lognormal(0, 1);
  s ~ exponential(3);
  for (i in 1:n) {
    vector[2] x = solve_newton_tol(left, [a0[i], b0[i]]', 1e-14, 1e-14, 200, K1, K2, A[i], B[i]);
    signal[i] ~ lognormal(log(K1 * x[1] * x[2]), s);
  }
}
