data {
  int T;
  vector[T] y;
}
parameters {
  vector[T] z; // the innovations of x: of these Stan samples a series by far the faster
  real<lower=0> beta, sigma2;
  real<lower=-1, upper=1> phi;
}
transformed parameters {
  vector[T] x = sqrt(sigma2) * z;
  x[1] /= sqrt(1 - square(phi));
  for (t in 2 : T) x[t] += phi * x[t - 1];
}
model {
  z ~ std_normal();
  y ~ normal(0, beta * exp(x / 2));
  sigma2 ~ scaled_inv_chi_square(10, sqrt(0.05));
  (phi + 1) / 2 ~ beta(20, 1.5);
  target += -log(beta);
}
