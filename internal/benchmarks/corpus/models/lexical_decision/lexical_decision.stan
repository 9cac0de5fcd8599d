data {
  int N, S, W;
  array[N] int<lower=1, upper=S> subject;
  array[N] int<lower=1, upper=W> word;
  vector[W] freq;
  vector[N] log_rt;
}
parameters {
  vector[S] u;
  vector[W] w;
  real alpha, beta;
  real<lower=0> tau_u, tau_w, sigma;
}
model {
  alpha ~ normal(6, 1);
  beta ~ normal(0, 0.5);
  tau_u ~ exponential(2);
  tau_w ~ exponential(2);
  sigma ~ exponential(2);
  u ~ normal(0, tau_u);
  w ~ normal(0, tau_w);
  log_rt ~ normal(alpha + u[subject] + w[word] + beta * freq[word], sigma);
}
