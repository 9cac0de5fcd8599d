data {
  int<lower=1> n, K, D;
  matrix[n, D] x;
  array[n] int<lower=1, upper=K> kind;
}
parameters {
  matrix[K - 1, D] free;
}
model {
  matrix[D, K] B = append_row(free, zeros_row_vector(D))';
  to_vector(free) ~ normal(0, 2.5);
  kind ~ categorical_logit_glm(x, rep_vector(0, K), B);
}
