// Regression on a thin QR decomposition of the predictors.
data {
  int<lower=1> n, k;
  matrix[n, k] x;
  vector[n] y;
}
transformed data {
  matrix[n, k] Q = qr_thin_Q(x) * sqrt(n - 1.0);
}
parameters {
  real a;
  vector[k] theta;
  real<lower=0> s;
}
model {
  target += normal_lpdf(a | 0, 5);
  target += normal_lpdf(theta | 0, 1);
  target += exponential_lpdf(s | 1);
  target += normal_lpdf(y | a + Q * theta, s);
}
