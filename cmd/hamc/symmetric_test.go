package main

import (
	"strings"
	"testing"
)

// TestSymmetricDataAreChecked: data that are declared symmetric, or covariances in an array, are held to it when they are read, by the evaluator and by compiled
// code; a symmetric matrix that is a covariance as it stands is to be positive definite as well.
func TestSymmetricDataAreChecked(t *testing.T) {
	const text = `model field
data n, S int
data D symmetric[n] >= 0
data C symmetric[n]
data V cov[S, 2]
data y real[n]
data Y real[S, 2]
param mu real
param s, ell real > 0
mu ~ normal(0, 1)
s, ell ~ lognormal(0, 0.5)
let K[i in n, j in n] = s^2*exp(-D[i, j]/ell) + 0.1*delta(i, j)
y ~ multi_normal(mu, K)
y ~ multi_normal(mu, C)
Y[k, :] ~ multi_normal(mu, V[k, :, :]) for k in S
`
	const good = `{"n": 2, "S": 2, "D": [[0, 1], [1, 0]], "C": [[2, 0.5], [0.5, 1]], "V": [[[1, 0.2], [0.2, 1]], [[2, 0], [0, 1]]], "y": [0.3, -0.4], "Y": [[1, 0], [0.2, 0.6]]}`
	inDir(t, map[string]string{"field.ham": text, "data.json": good})
	for _, x := range []struct{ from, to, want string }{
		{"", "", ""},
		{"[[0, 1], [1, 0]]", "[[0, 1], [2, 0]]", "D is not symmetric: entry (2, 1) is 2 and entry (1, 2) is 1"},
		{"[[0, 1], [1, 0]]", "[[0, -1], [-1, 0]]", "D[1,2] is -1, but must be at least 0"},
		{"[[2, 0.5], [0.5, 1]]", "[[2, 3], [3, 1]]", "C is not positive definite"},
		{"[[2, 0], [0, 1]]", "[[2, 0], [1, 1]]", "V, matrix 2, is not symmetric"},
		{"[[2, 0], [0, 1]]", "[[2, 3], [3, 1]]", "V, matrix 2, is not positive definite"},
	} {
		for _, how := range []string{"--evaluate", "--evaluate=false"} {
			inDir(t, map[string]string{"field.ham": text, "data.json": strings.Replace(good, x.from, x.to, 1)})
			args := []string{"run", "field.ham", "--data", "data.json", how, "--quiet", "--chains", "1", "--warmup", "20", "--draws", "2"}
			if x.want == "" {
				fine(t, args...)
			} else if got := hamc(args...); got.code != exitProblem || !strings.Contains(got.stderr, x.want) {
				t.Errorf("%s, %s: exit code %d, %s, want %q", x.to, how, got.code, got.stderr, x.want)
			}
		}
	}
}
