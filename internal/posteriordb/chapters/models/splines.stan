functions {
  // The j-th spline of a degree, at one place.
  real spline(real x, vector t, int j, int degree) {
    if (degree == 0) {
      return t[j] <= x && x < t[j + 1];
    }
    real up = t[j + degree] - t[j];
    real down = t[j + degree + 1] - t[j + 1];
    real value = 0;
    if (up != 0) {
      value += (x - t[j]) / up * spline(x, t, j, degree - 1);
    }
    if (down != 0) {
      value += (t[j + degree + 1] - x) / down * spline(x, t, j + 1, degree - 1);
    }
    return value;
  }
}
data {
  int<lower=1> n, k;
  vector[n] x, y;
  vector[k + 4] t;
}
transformed data {
  matrix[n, k] B;
  for (i in 1:n) {
    for (j in 1:k) {
      B[i, j] = spline(x[i], t, j, 3);
    }
  }
}
parameters {
  vector[k] w;
  real<lower=0> tau, s;
}
model {
  w[1] ~ normal(0, 2);
  w[2:k] ~ normal(w[1:(k - 1)], tau);
  tau ~ exponential(1);
  s ~ exponential(1);
  y ~ normal(B * w, s);
}
