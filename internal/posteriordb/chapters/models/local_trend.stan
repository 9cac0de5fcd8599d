data {
  int<lower=1> T;
  matrix[1, T] obs;
}
transformed data {
  matrix[2, 1] F = [[1], [0]];
  matrix[2, 2] G = [[1, 1], [0, 1]];
  // gaussian_dlm_obs moves the state once before the first observation: what it starts from is moved back.
  vector[2] m0 = [0, 0]';
}
parameters {
  real<lower=0> noise, drift, bend;
}
model {
  matrix[2, 2] W = [[square(drift), 0], [0, square(bend)]];
  matrix[2, 2] C1 = [[10, 0], [0, 4]];
  matrix[2, 2] Gi = [[1, -1], [0, 1]];
  matrix[2, 2] C0 = Gi * (C1 - W) * Gi';
  noise ~ exponential(2);
  drift ~ exponential(2);
  bend ~ exponential(2);
  obs ~ gaussian_dlm_obs(F, G, [[square(noise)]], W, m0, 0.5 * (C0 + C0'));
}
