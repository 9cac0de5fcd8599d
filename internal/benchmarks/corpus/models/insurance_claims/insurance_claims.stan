data {
  int N;
  vector[N] age;
  vector<lower=0>[N] years;
  array[N] int<lower=0> y;
  array[N] int<lower=0, upper=1> zero;
}
parameters {
  real<lower=0, upper=1> never;
  real a, b;
}
model {
  vector[N] eta = a + b * age + log(years);
  never ~ beta(1, 1);
  a ~ normal(0, 1);
  b ~ normal(0, 1);
  for (i in 1:N) {
    if (zero[i]) target += log_sum_exp(log(never), log1m(never) + poisson_log_lpmf(0 | eta[i]));
    else target += log1m(never) + poisson_log_lpmf(y[i] | eta[i]);
  }
}
