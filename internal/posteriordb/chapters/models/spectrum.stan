data {
  int<lower=1> T, F;
  vector[T] y;
}
transformed data {
  complex_vector[T] z = fft(y);
  vector[F] power;
  for (f in 1:F) {
    power[f] = norm(z[f + 1]) / T;
  }
}
parameters {
  vector[2] phi;
  real<lower=0> s;
}
model {
  phi ~ normal(0, 0.7);
  s ~ exponential(1);
  for (f in 1:F) {
    complex e = exp(to_complex(0, -2 * pi() * f / T));
    power[f] ~ exponential(norm(1 - phi[1] * e - phi[2] * e * e) / square(s));
  }
}
