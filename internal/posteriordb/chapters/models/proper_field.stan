data {
  int<lower=1> n;
  matrix<lower=0, upper=1>[n, n] W;
  vector<lower=0>[n] expected;
  array[n] int<lower=0> cases;
}
transformed data {
  vector[n] degree = W * ones_vector(n);
  vector[n] root = inv_sqrt(degree);
  vector[n] lambda = eigenvalues_sym(quad_form_diag(W, root));
}
parameters {
  real<lower=0, upper=1> alpha;
  real<lower=0> tau;
  real a;
  vector[n] phi;
}
model {
  alpha ~ beta(4, 2);
  tau ~ gamma(2, 2);
  a ~ normal(0, 1);
  target += 0.5 * (n * log(tau) + sum(log(degree)) + sum(log1m(alpha * lambda)) - n * log(2 * pi()))
            - 0.5 * tau * (dot_product(phi, degree .* phi) - alpha * phi' * W * phi);
  cases ~ poisson_log(a + phi + log(expected));
}
