data {
  int<lower=1> n;
  array[n] vector[3] a, b;
}
parameters {
  unit_vector[4] q;
  vector[3] shift;
  real<lower=0> s;
}
model {
  real w = q[1];
  vector[3] v = q[2:4];
  shift ~ normal(0, 1);
  s ~ exponential(2);
  for (i in 1:n) {
    // v' = a + 2 w (v x a) + 2 v x (v x a)
    vector[3] c = [v[2] * a[i, 3] - v[3] * a[i, 2], v[3] * a[i, 1] - v[1] * a[i, 3], v[1] * a[i, 2] - v[2] * a[i, 1]]';
    vector[3] e = [v[2] * c[3] - v[3] * c[2], v[3] * c[1] - v[1] * c[3], v[1] * c[2] - v[2] * c[1]]';
    b[i] ~ normal(a[i] + 2 * w * c + 2 * e + shift, s);
  }
}
