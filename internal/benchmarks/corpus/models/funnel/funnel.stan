parameters {
  vector[10] x_raw; // of x itself Stan's draws are biased
  real v;
}
transformed parameters {
  vector[10] x = exp(-v / 2) * x_raw;
}
model {
  v ~ normal(0, 3);
  x_raw ~ std_normal();
}
