functions {
  real by_chances_lpdf(vector c, vector alpha) {
    int m = num_elements(c);
    vector[m] below = inv_logit(c);
    vector[m + 1] p = append_row(below, 1) - append_row(0, below);
    return dirichlet_lpdf(p | alpha) + sum(log(below)) + sum(log1m(below));
  }
}
data {
  int<lower=1> n;
  int<lower=3> K;
  vector[n] x;
  array[n] int<lower=1, upper=K> answer;
  vector<lower=0>[K] alpha;
}
parameters {
  real b;
  ordered[K - 1] cut;
}
model {
  b ~ normal(0, 1);
  cut ~ by_chances(alpha);
  answer ~ ordered_logistic(b * x, cut);
}
