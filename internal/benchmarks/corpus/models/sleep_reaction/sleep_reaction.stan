data {
  int N, J;
  array[N] int<lower=1, upper=J> subject;
  vector[N] day, reaction;
}
parameters {
  vector[J] a, b;
  real mu_a, mu_b;
  real<lower=0> sigma_a, sigma_b, sigma;
  real<lower=-1, upper=1> rho;
}
model {
  mu_a ~ normal(250, 50);
  mu_b ~ normal(0, 20);
  sigma_a ~ normal(0, 50);
  sigma_b ~ normal(0, 20);
  sigma ~ normal(0, 50);
  rho ~ uniform(-1, 1);
  a ~ normal(mu_a, sigma_a);
  b ~ normal(mu_b + rho * sigma_b / sigma_a * (a - mu_a), sigma_b * sqrt(1 - rho^2));
  reaction ~ normal(a[subject] + b[subject] .* day, sigma);
}
