data {
  int N, P, I;
  array[N] int<lower=1, upper=P> person;
  array[N] int<lower=1, upper=I> item;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  vector[P] theta;
  vector<lower=0>[I] a;
  vector[I] b;
  real mu_b;
  real<lower=0> sigma_a, sigma_b;
}
model {
  theta ~ normal(0, 1);
  a ~ lognormal(0, sigma_a);
  b ~ normal(mu_b, sigma_b);
  mu_b ~ normal(0, 2);
  sigma_a ~ normal(0, 1);
  sigma_b ~ normal(0, 1);
  y ~ bernoulli_logit(a[item] .* (theta[person] - b[item]));
}
