data {
  int<lower=1> J;
  array[J] int<lower=0> trials, hits;
}
parameters {
  real<lower=0, upper=1> mean_;
  real<lower=0.1> prior;
  vector<lower=0, upper=1>[J] rate;
}
model {
  mean_ ~ beta(2, 2);
  prior ~ pareto(0.1, 1.5);
  rate ~ beta(mean_ * prior, (1 - mean_) * prior);
  hits ~ binomial(trials, rate);
}
