data {
  int<lower=1> n;
  vector[n] t;
  real end;
}
parameters {
  real<lower=0> base, decay;
  real<lower=0, upper=1> branch;
}
model {
  base ~ lognormal(0, 1);
  decay ~ lognormal(0, 1);
  branch ~ beta(2, 2);
  for (i in 1:n) {
    real rate = base;
    for (j in 1:(i - 1)) {
      rate += branch * decay * exp(-decay * (t[i] - t[j]));
    }
    target += log(rate);
  }
  target += -base * end + branch * sum(expm1(-decay * (end - t)));
}
