data {
  int<lower=1> n, k, nz;
  vector[nz] w;
  array[nz] int<lower=1, upper=k> col;
  array[n + 1] int<lower=1> start;
  array[n] int<lower=0> y;
}
parameters {
  real a;
  vector[k] beta;
  real<lower=0> tau;
}
model {
  a ~ normal(0, 2);
  tau ~ exponential(1);
  beta ~ double_exponential(0, tau);
  y ~ poisson_log(a + csr_matrix_times_vector(n, k, w, col, start, beta));
}
