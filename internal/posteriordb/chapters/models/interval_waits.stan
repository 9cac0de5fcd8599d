data {
  int<lower=1> n;
  vector[n] x;
  array[n] int<lower=1, upper=3> kind;
  vector<lower=0>[n] from_, to;
}
parameters {
  real<lower=0> shape;
  real a, b;
}
model {
  shape ~ gamma(3, 2);
  a ~ normal(0, 1);
  b ~ normal(0, 1);
  for (i in 1:n) {
    real scale = exp(a + b * x[i]);
    if (kind[i] == 1) {
      from_[i] ~ weibull(shape, scale);
    } else if (kind[i] == 2) {
      target += weibull_lccdf(from_[i] | shape, scale);
    } else {
      target += log_diff_exp(weibull_lcdf(to[i] | shape, scale), weibull_lcdf(from_[i] | shape, scale));
    }
  }
}
