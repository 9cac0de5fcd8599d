data {
  int T;
  vector[T] y;
}
parameters {
  vector[T] z; // the innovations of h: of these Stan samples a series by far the faster
  real mu;
  real<lower=-1, upper=1> phi;
  real<lower=0> sigma;
}
transformed parameters {
  vector[T] h = sigma * z;
  h[1] /= sqrt(1 - square(phi));
  for (t in 2 : T) h[t] += phi * h[t - 1];
  h += mu;
}
model {
  mu ~ normal(-1, 1);
  (phi + 1) / 2 ~ beta(20, 1.5);
  sigma ~ exponential(5);
  z ~ std_normal();
  y ~ normal(0, exp(h / 2));
}
