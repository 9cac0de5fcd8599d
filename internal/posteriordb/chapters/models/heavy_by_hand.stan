data {
  int<lower=1> n;
  vector[n] y;
}
parameters {
  real<lower=-pi() / 2, upper=pi() / 2> tilt;
  vector<lower=0>[n] w;
  real<lower=1> nu;
  real<lower=0> s;
  vector<lower=0>[2] p;
}
model {
  target += uniform_lpdf(tilt | -pi() / 2, pi() / 2);
  nu ~ gamma(2, 0.1);
  w ~ gamma(nu / 2, nu / 2);
  s ~ exponential(1);
  p ~ gamma(1.5, 1);
  y ~ normal(1 + 2 * tan(tilt), s * inv_sqrt(w));
  target += n * log(p[1] / sum(p)) + log(p[2] / sum(p));
}
