data {
  int<lower=1> n;
  array[n] vector[2] Y;
  array[n] int<lower=1, upper=3> has;
}
parameters {
  vector[2] mu;
  cov_matrix[2] Sigma;
}
model {
  mu ~ normal(0, 3);
  Sigma ~ inv_wishart(4, identity_matrix(2));
  for (i in 1:n) {
    if (has[i] == 3) {
      Y[i] ~ multi_normal(mu, Sigma);
    } else {
      Y[i, has[i]] ~ normal(mu[has[i]], sqrt(Sigma[has[i], has[i]]));
    }
  }
}
