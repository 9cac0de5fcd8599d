data {
  array[4] int n;
  vector[3] alpha;
}
parameters {
  simplex[3] f;
}
model {
  f ~ dirichlet(alpha);
  n[1] ~ poisson(sum(n) * (f[1]^2 + 2 * f[1] * f[3]));
  n[2] ~ poisson(sum(n) * (f[2]^2 + 2 * f[2] * f[3]));
  n[3] ~ poisson(sum(n) * (2 * f[1] * f[2]));
  n[4] ~ poisson(sum(n) * f[3]^2);
}
