data {
  int J;
  vector[J] effect;
  vector<lower=0>[J] se;
}
parameters {
  vector[J] theta;
  real mu;
  real<lower=0> tau;
}
model {
  mu ~ normal(0, 1);
  tau ~ cauchy(0, 0.5);
  theta ~ student_t(4, mu, tau);
  effect ~ normal(theta, se);
}
