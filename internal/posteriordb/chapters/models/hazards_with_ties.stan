data {
  int<lower=1> n, k;
  matrix[n, k] x;
  array[n] int<lower=0, upper=1> event;
  array[n] int<lower=1, upper=n> first, last;
  vector[n] part;
}
parameters {
  vector[k] beta;
}
model {
  vector[n] eta = x * beta;
  beta ~ normal(0, 2);
  for (i in 1:n) {
    if (event[i]) {
      real tied = 0;
      for (j in first[i]:last[i]) {
        tied += event[j] ? exp(eta[j]) : 0;
      }
      target += eta[i] - log(exp(log_sum_exp(eta[first[i]:n])) - part[i] * tied);
    }
  }
}
