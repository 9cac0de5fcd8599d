data {
  int N, K;
  matrix[N, K] cost, time;
  vector[N] income;
  array[N] int<lower=1, upper=K> y;
}
parameters {
  vector[K] a, g;
  real b_cost, b_time;
}
model {
  a ~ normal(0, 1);
  g ~ normal(0, 1);
  b_cost ~ normal(0, 1);
  b_time ~ normal(0, 1);
  for (i in 1:N)
    y[i] ~ categorical_logit(a + g * income[i] + b_cost * cost[i]' + b_time * time[i]');
}
