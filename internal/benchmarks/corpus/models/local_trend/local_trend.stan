data {
  int T;
  vector[T] y;
}
parameters {
  real<lower=0, upper=1> alpha;
  real<lower=0, upper=alpha> beta;
  real first, slope1;
  real<lower=0> sigma;
}
model {
  vector[T] e;
  real level = first, slope = slope1;
  e[1] = y[1] - first;
  for (t in 2 : T) {
    level += slope + alpha * e[t - 1];
    slope += beta * e[t - 1];
    e[t] = y[t] - level;
  }
  first ~ normal(y[1], 5);
  slope1 ~ normal(0, 1);
  sigma ~ normal(0, 5);
  e ~ normal(0, sigma);
}
