data {
  int<lower=1> n;
  vector[n] x, w, wage;
  array[n] int<lower=0, upper=1> chosen;
}
parameters {
  vector[2] a, b;
  real<lower=0> s;
  real<lower=-1, upper=1> rho;
}
model {
  a ~ normal(0, 2);
  b ~ normal(0, 2);
  s ~ exponential(1);
  rho ~ uniform(-1, 1);
  for (i in 1:n) {
    real eta = a[2] + b[2] * w[i];
    if (chosen[i]) {
      real z = (wage[i] - a[1] - b[1] * x[i]) / s;
      wage[i] ~ normal(a[1] + b[1] * x[i], s);
      target += std_normal_lcdf((eta + rho * z) / sqrt(1 - square(rho)) | );
    } else {
      target += std_normal_lccdf(eta | );
    }
  }
}
