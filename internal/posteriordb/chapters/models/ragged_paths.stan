data {
  int<lower=1> n, J;
  array[J] int<lower=1> length;
  array[n] real t;
  vector[n] y;
  array[n] int<lower=0> counts;
}
parameters {
  real<lower=0> rho, alpha, s;
  vector<lower=0>[J] rate;
}
model {
  int at = 1;
  rho ~ inv_gamma(3, 2);
  alpha ~ exponential(1);
  s ~ exponential(1);
  rate ~ gamma(2, 0.5);
  for (j in 1:J) {
    int m = length[j];
    segment(y, at, m) ~ multi_normal(rep_vector(0, m), add_diag(gp_exp_quad_cov(segment(t, at, m), alpha, rho), square(s)));
    target += sum(segment(counts, at, m)) * log(rate[j]) - m * rate[j];
    at += m;
  }
}
