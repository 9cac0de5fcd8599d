data {
  int<lower=1> n, S, treatments;
  array[n] int<lower=1, upper=S> study;
  array[n] int<lower=1, upper=treatments> treat, base;
  array[n] int<lower=0> size_, hits;
}
parameters {
  vector[S] m;
  vector[treatments - 1] gain;
  real<lower=0> tau;
  vector[S] delta_;
}
model {
  vector[treatments] d = append_row(0, gain);
  m ~ normal(0, 2);
  gain ~ normal(0, 1);
  tau ~ normal(0, 0.5) T[0, ];
  delta_ ~ normal(0, tau);
  for (i in 1:n) {
    real eta = m[study[i]];
    if (treat[i] != base[i]) {
      eta += d[treat[i]] - d[base[i]] + delta_[study[i]];
    }
    hits[i] ~ binomial_logit(size_[i], eta);
  }
}
