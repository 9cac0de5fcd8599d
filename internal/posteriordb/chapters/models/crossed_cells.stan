data {
  int<lower=1> n, A, B, P;
  array[n] int<lower=1, upper=A> a;
  array[n] int<lower=1, upper=B> b;
  vector[n] y;
  array[P] int<lower=1, upper=A> pa;
  array[P] int<lower=1, upper=B> pb;
  vector[P] total;
}
parameters {
  vector[A] row_;
  vector[B] col_;
  matrix[A, B] cell;
  vector<lower=0>[3] s;
}
model {
  vector[A] of_row = cell * ones_vector(B);
  vector[B] of_col = cell' * ones_vector(A);
  row_ ~ normal(0, 1);
  col_ ~ normal(0, 1);
  s ~ exponential(1);
  to_vector(cell) ~ normal(to_vector(rep_matrix(row_, B) + rep_matrix(col_', A)), s[1]);
  for (i in 1:n) {
    y[i] ~ normal(cell[a[i], b[i]], s[2]);
  }
  total ~ normal(of_row[pa] - of_col[pb], s[3]);
  total[2:P] - total[1:(P - 1)] ~ student_t(4, row_[pa[2]] * col_[pb[1]], s[3]);
}
