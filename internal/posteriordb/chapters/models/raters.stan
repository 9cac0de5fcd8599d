data {
  int<lower=1> n, I, J, K;
  array[n] int<lower=1, upper=I> item;
  array[n] int<lower=1, upper=J> coder;
  array[n] int<lower=1, upper=K> rating;
  array[K] vector<lower=0>[K] conc;
}
parameters {
  simplex[K] prev;
  array[J, K] simplex[K] err;
}
model {
  array[I] vector[K] lp = rep_array(log(prev), I);
  prev ~ dirichlet(rep_vector(1, K));
  for (j in 1:J) {
    for (k in 1:K) {
      err[j, k] ~ dirichlet(conc[k]);
    }
  }
  for (a in 1:n) {
    for (k in 1:K) {
      lp[item[a], k] += log(err[coder[a], k, rating[a]]);
    }
  }
  for (i in 1:I) {
    target += log_sum_exp(lp[i]);
  }
}
