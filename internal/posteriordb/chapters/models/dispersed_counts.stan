functions {
  real com_poisson_lpmf(int k, real eta, real nu, int m) {
    vector[m] terms;
    for (j in 1:m) {
      terms[j] = eta * (j - 1) - nu * lgamma(j);
    }
    return eta * k - nu * lgamma(k + 1) - log_sum_exp(terms);
  }
}
data {
  int<lower=1> n, top;
  vector[n] x;
  array[n] int<lower=0> y;
}
parameters {
  real a, b;
  real<lower=0> nu;
}
model {
  a ~ normal(0, 0.5);
  b ~ normal(0, 0.5);
  nu ~ lognormal(0, 0.25);
  for (i in 1:n) {
    y[i] ~ com_poisson(a + b * x[i], nu, top);
  }
}
