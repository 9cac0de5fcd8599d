data {
  int<lower=1> n;
  vector<lower=0>[n] x;
  vector[n] y;
}
parameters {
  real<lower=0> shape, scale;
  real m;
  real<lower=0> s;
  real<lower=-1, upper=1> rho;
}
model {
  x ~ weibull(shape, scale);
  y ~ logistic(m, s);
  rho ~ uniform(-1, 1);
  shape ~ lognormal(0, 0.5);
  scale ~ lognormal(0, 0.5);
  s ~ lognormal(0, 0.5);
  m ~ normal(0, 2);
  for (i in 1:n) {
    vector[2] z = [inv_Phi(-expm1(-pow(x[i] / scale, shape))), inv_Phi(inv_logit((y[i] - m) / s))]';
    target += multi_normal_lpdf(z | zeros_vector(2), [[1, rho], [rho, 1]]) - std_normal_lpdf(z | );
  }
}
