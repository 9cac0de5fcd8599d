package interpret

import (
	"math"
	"math/rand"
	"strings"
	"testing"
)

// pairCovariances are formulas of the covariance of the elements at [i, k] and [j, l] of a matrix, in which structure is found.
var pairCovariances = []struct{ name, formula string }{
	{"product and variance", "K[{i}, {j}]*exp(-(t[{k}] - t[{l}])^2/a) + s*({i} == {j})*({k} == {l})"},
	{"exponential of a sum", "b^2*exp(-(x[{i}] - x[{j}])^2/a - abs(t[{k}] - t[{l}])/b) + s^2*({i} == {j})*({k} == {l})"},
	{"a condition", "K[{i}, {j}]*M[{k}, {l}] + (if {i} == {j} and {k} == {l} then s else 0)"},
	{"two variances, and a quotient", "K[{i}, {j}]*M[{k}, {l}]/(a/b) - ({i} == {j})*({k} == {l})*(-s - 0.1)"},
	{"variances of rows", "K[{i}, {j}]*M[{k}, {l}] + (a + x[{i}]*x[{j}])*({i} == {j})*({k} == {l})"},
	{"variances of columns", "K[{i}, {j}]*M[{k}, {l}] + sqrt(v[{k}]*v[{l}])*({i} == {j})*({k} == {l})"},
	{"a product", "(a*K[{i}, {j}])*(M[{k}, {l}] + s*({k} == {l}))"},
	{"a power of a product", "(K[{i}, {j}]*M[{k}, {l}])^2*a"},
	{"a sum times a product", "a*(K[{i}, {j}]*M[{k}, {l}] + s*({i} == {j})*({k} == {l}))"},
	{"independent rows", "({i} == {j})*M[{k}, {l}]*a"},
	{"independent rows, each its own", "({i} == {j})*(K[{i}, {j}]*M[{k}, {l}] + s*({l} == {k}))"},
	{"independent columns", "({k} == {l})*(a*K[{i}, {j}] + sqrt(v[{k}]*v[{l}])*({i} == {j}))"},
	{"independent columns, in two terms", "({k} == {l})*a*K[{i}, {j}]*sqrt(v[{k}]*v[{l}]) + sqrt(v[{k}]*v[{l}])*({i} == {j})*({k} == {l})"},
	{"independent elements", "({k} == {l})*({i} == {j})*a*(sqrt(v[{k}]*v[{l}]) + x[{i}]*x[{j}])"},
}

const pairModel = `
model m
data n, m int
data x real[n]
data t real[m]
data K cov[n]
data M cov[m]
data y real[n, m]
param a, b, s real > 0
param v real[m] > 0
param c real
let mean[i in n, k in m] = c*x[i] + t[k]
a, b, s, v ~ lognormal(0, 1)
c ~ normal(0, 1)
`

const pairData = `{"n": 3, "m": 2, "x": [0.5, 1.25, -1], "t": [0.25, 1], "K": [[2, 0.5, 0.25], [0.5, 1.5, 0.75], [0.25, 0.75, 1]],
 "M": [[1.5, 0.5], [0.5, 0.75]], "y": [[0.5, 1], [-1, 2], [0.25, -0.75]]}`

// TestCovariancesOfPairs: the density of a matrix with a covariance of pairs is that of one vector of all elements.
func TestCovariancesOfPairs(t *testing.T) {
	load := func(text string) *Model {
		t.Helper()
		d, _ := derivedOf(t, pairModel+text)
		return posteriorOf(t, d, pairData).(*Model)
	}
	formula := func(f string, i, k, j, l string) string {
		return strings.NewReplacer("{i}", i, "{k}", k, "{j}", j, "{l}", l).Replace(f)
	}
	deltas := strings.NewReplacer("({i} == {j})", "delta({i}, {j})", "({k} == {l})", "delta({l}, {k})")
	rng := rand.New(rand.NewSource(3))
	for _, c := range pairCovariances {
		for _, mean := range []string{"0", "mean"} {
			flat := mean
			if mean == "mean" {
				flat = "flat"
			}
			want := load("let N = n*m\nlet row[p in N] = floor((p - 1)/m) + 1\nlet col[p in N] = p - m*floor((p - 1)/m)\n" +
				"let z[p in N] = y[row[p], col[p]]\nlet flat[p in N] = mean[row[p], col[p]]\n" +
				"let C[p in N, q in N] = " + formula(c.formula, "row[p]", "col[p]", "row[q]", "col[q]") + "\nz ~ multi_normal(" + flat + ", C)\n")
			for _, spelt := range []string{c.formula, deltas.Replace(c.formula)} {
				got := load("let C[i in n, k in m, j in n, l in m] = " + formula(spelt, "i", "k", "j", "l") + "\ny ~ multi_normal(" + mean + ", C)\n")
				q, g, h := make([]float64, 6), make([]float64, 6), make([]float64, 6)
				for range 5 {
					for i := range q {
						q[i] = rng.NormFloat64()
					}
					lg, lw := got.Gradient(g, q), want.Gradient(h, q)
					if !(math.Abs(lg-lw) <= 1e-10*(1+math.Abs(lw))) {
						t.Errorf("%s, %s: log density %v, of the vector %v", c.name, spelt, lg, lw)
					}
					for i := range g {
						if !(math.Abs(g[i]-h[i]) <= 1e-9*(1+math.Abs(h[i]))) {
							t.Errorf("%s, %s: derivative %d is %v, of the vector %v", c.name, spelt, i, g[i], h[i])
						}
					}
				}
			}
		}
	}
}
