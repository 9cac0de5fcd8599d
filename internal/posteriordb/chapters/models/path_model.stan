data {
  int<lower=1> n, d, free;
  array[n] vector[d] Y;
}
parameters {
  vector[free] b;
  vector<lower=0>[d] psi;
}
model {
  matrix[d, d] B = rep_matrix(0, d, d);
  matrix[d, d] A;
  int at = 1;
  for (i in 2:d) {
    for (j in 1:(i - 1)) {
      B[i, j] = b[at];
      at += 1;
    }
  }
  A = inverse(identity_matrix(d) - B);
  b ~ normal(0, 1);
  psi ~ exponential(1);
  Y ~ multi_normal(zeros_vector(d), A * diag_matrix(square(psi)) * A');
}
