data {
  int<lower=1> n, m;
  array[m] real<lower=0> gap;
  array[n] int<lower=1, upper=m> which;
  array[n] int<lower=1, upper=2> before;
  array[n] int<lower=1, upper=3> after;
}
parameters {
  real<lower=0> fall, heal, die_early, die_late;
}
model {
  matrix[3, 3] Q = [[-fall - die_early, fall, die_early], [heal, -heal - die_late, die_late], [0, 0, 0]];
  array[m] matrix[3, 3] P;
  fall ~ exponential(2);
  heal ~ exponential(2);
  die_early ~ exponential(2);
  die_late ~ exponential(2);
  for (k in 1:m) {
    P[k] = matrix_exp(gap[k] * Q);
  }
  for (i in 1:n) {
    target += log(P[which[i], before[i], after[i]]);
  }
}
