data {
  int<lower=1> n;
  int<lower=2> T;
  array[n, T] int<lower=0, upper=1> X;
  array[n] int<lower=1, upper=T> first, last;
}
parameters {
  vector<lower=0, upper=1>[T - 1] surv;
  vector<lower=0, upper=1>[T] seen;
}
model {
  vector[T] unseen;
  unseen[T] = 1;
  for (b in 1:(T - 1)) {
    int t = T - b;
    unseen[t] = 1 - surv[t] + surv[t] * (1 - seen[t + 1]) * unseen[t + 1];
  }
  surv ~ beta(2, 1);
  seen ~ beta(1, 1);
  for (i in 1:n) {
    for (t in (first[i] + 1):last[i]) {
      target += log(surv[t - 1]);
      X[i, t] ~ bernoulli(seen[t]);
    }
    target += log(unseen[last[i]]);
  }
}
