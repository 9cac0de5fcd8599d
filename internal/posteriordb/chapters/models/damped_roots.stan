data {
  int<lower=3> T;
  vector[T] y;
}
parameters {
  real<lower=0, upper=1> r;
  real<lower=0, upper=pi()> angle;
  real c;
  real<lower=0> s;
}
model {
  complex z = polar(r, angle);
  complex product = z * conj(z);
  r ~ beta(4, 1);
  angle ~ uniform(0, pi());
  c ~ normal(0, 1);
  s ~ exponential(1);
  for (t in 3:T) {
    y[t] ~ normal(c + get_real(z + conj(z)) * y[t - 1] - get_real(product) * y[t - 2], s);
  }
}
