data {
  int<lower=1> n;
  vector[n] w, x;
}
parameters {
  vector<lower=-0.5, upper=0.5>[n] off;
  real a, b;
  real<lower=0> s;
}
model {
  a ~ normal(0, 5);
  b ~ normal(0, 5);
  s ~ exponential(1);
  w + off ~ normal(a + b * x, s);
}
