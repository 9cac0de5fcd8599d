data {
  int N;
  vector[N] distance, velocity;
}
parameters {
  real a, b;
  real<lower=0> sigma, nu;
}
model {
  a ~ normal(0, 50);
  b ~ normal(70, 20);
  sigma ~ normal(0, 30);
  nu ~ gamma(2, 0.1);
  velocity ~ student_t(nu, a + b * distance, sigma);
}
