data {
  int<lower=1> M, T;
  array[M, T] int<lower=0, upper=1> X;
}
parameters {
  vector<lower=0, upper=1>[T] come;
  real<lower=0, upper=1> stay;
  real logit_p;
  real<lower=0> sd_p;
  vector[T] eps;
}
model {
  vector[T] p = inv_logit(logit_p + sd_p * eps);
  come ~ beta(1, 3);
  stay ~ beta(3, 1);
  logit_p ~ normal(0, 1.5);
  sd_p ~ exponential(2);
  eps ~ std_normal();
  for (i in 1:M) {
    row_vector[3] f = [1, 0, 0];
    for (t in 1:T) {
      matrix[3, 3] P = [[1 - come[t], come[t], 0], [0, stay, 1 - stay], [0, 0, 1]];
      row_vector[3] e = X[i, t] ? [0, p[t], 0] : [1, 1 - p[t], 1];
      f = (f * P) .* e;
    }
    target += log(sum(f));
  }
}
