data {
  int n, k;
  matrix[n, k] x;
  array[n] int<lower=0, upper=1> y;
}
parameters {
  vector[k] beta;
}
model {
  y ~ bernoulli_logit_glm(x, 0, beta);
  beta ~ std_normal();
}
