data {
  int<lower=1> n, d, k, free;
  array[n] vector[d] Y;
}
parameters {
  vector[d] mu;
  vector<lower=0>[k] top;
  vector[free] w;
  vector<lower=0>[d] psi;
}
model {
  matrix[d, k] W = rep_matrix(0, d, k);
  int next_ = 1;
  for (i in 1:d) {
    for (j in 1:min(i, k)) {
      if (i == j) {
        W[i, j] = top[j];
      } else {
        W[i, j] = w[next_];
        next_ += 1;
      }
    }
  }
  mu ~ normal(0, 2);
  top ~ normal(0, 1);
  w ~ normal(0, 1);
  psi ~ lognormal(-0.5, 0.5);
  Y ~ multi_normal(mu, add_diag(tcrossprod(W), square(psi)));
}
