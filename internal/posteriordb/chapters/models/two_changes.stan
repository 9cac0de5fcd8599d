data {
  int<lower=3> T;
  array[T] int<lower=0> y;
}
parameters {
  vector<lower=0>[3] rate;
}
model {
  array[(T * (T - 1)) %/% 2] real lp;
  int at = 1;
  rate ~ exponential(0.2);
  for (s in 1:(T - 1)) {
    for (u in (s + 1):T) {
      lp[at] = poisson_lpmf(y[1:s] | rate[1]) + poisson_lpmf(y[(s + 1):u] | rate[2]);
      if (u < T) {
        lp[at] += poisson_lpmf(y[(u + 1):T] | rate[3]);
      }
      at += 1;
    }
  }
  target += log_sum_exp(lp) - log(T * (T - 1) / 2.0);
}
