functions {
  real joint(real z, real zc, array[] real theta, array[] real x_r, array[] int x_i) {
    return exp(poisson_log_lpmf(x_i[1] | theta[1] + theta[2] * z) + std_normal_lpdf(z | ));
  }
}
data {
  int<lower=1> n;
  array[n] int<lower=0> y;
}
transformed data {
  array[0] real none;
}
parameters {
  real mu;
  real<lower=0> tau;
}
model {
  mu ~ normal(0, 2);
  tau ~ normal(0, 1) T[0, ];
  for (i in 1:n) {
    target += log(integrate_1d(joint, -10, 10, {mu, tau}, none, {y[i]}, 1e-11));
  }
}
