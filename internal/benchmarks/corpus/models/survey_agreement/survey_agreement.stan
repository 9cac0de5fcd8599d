data {
  int N;
  vector[N] age;
  array[N] int<lower=0, upper=1> treated;
  array[N] int<lower=1, upper=5> y;
}
parameters {
  real b_age, b_treated, c1;
  vector<lower=0>[3] step;
}
model {
  vector[4] c = cumulative_sum(append_row(c1, step));
  b_age ~ normal(0, 1);
  b_treated ~ normal(0, 1);
  c1 ~ normal(0, 3);
  step ~ exponential(0.5);
  y ~ ordered_logistic(b_age * age + b_treated * to_vector(treated), c);
}
