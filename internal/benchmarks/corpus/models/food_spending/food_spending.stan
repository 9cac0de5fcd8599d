data {
  int N;
  vector<lower=0>[N] income, food;
}
parameters {
  real a, b, c, d;
}
model {
  a ~ normal(0, 5);
  b ~ normal(0, 5);
  c ~ normal(0, 1);
  d ~ normal(0, 1);
  food ~ normal(a + b * income, exp(c + d * log(income)));
}
