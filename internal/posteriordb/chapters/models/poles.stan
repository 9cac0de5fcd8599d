functions {
  real fisher_lpdf(vector v, vector pole, real kappa) {
    return log(kappa) - log(4 * pi() * sinh(kappa)) + kappa * dot_product(v, pole);
  }
}
data {
  int<lower=1> n;
  array[n] vector[3] v;
}
parameters {
  unit_vector[3] pole;
  positive_ordered[2] kappa;
  real<lower=0, upper=1> p;
}
model {
  kappa ~ gamma(2, 0.2);
  p ~ beta(2, 2);
  for (i in 1:n) {
    target += log_mix(p, fisher_lpdf(v[i] | pole, kappa[1]), fisher_lpdf(v[i] | -pole, kappa[2]));
  }
}
