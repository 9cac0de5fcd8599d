package symbolic

import (
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// TestSumsOfChosen: a point of change that is summed out takes time in proportion to the data, however it is written: sums over what a condition on data chooses from two values
// are sums of data.
func TestSumsOfChosen(t *testing.T) {
	d, _ := load(t, `model change
data T int
data y int[T] >= 0
param a, b real
a, b ~ normal(0, 1)
let lp[k in T] = sum(t in T) poisson_log_lpmf(y[t] | if t < k then a else b)
density log_sum_exp(k in T) lp[k]
`)
	if got := d.Work().String(); strings.Contains(got, "T²") {
		t.Errorf("a gradient takes %s operations", got)
	}
}

// TestFunctionsOnce: a function that costs much is computed once for each value that it has. Of the two branches of a condition one is, of the arguments that the condition chooses;
// and what depends on categories that data select, and on groups, is computed for each of these, and not for each observation.
func TestFunctionsOnce(t *testing.T) {
	for _, x := range []struct {
		function, text string
		most           int    // definitions that are made of it
		not            string // what these do not go over
	}{
		{"log_first_passage(", "param a, s real > 0\nparam d real\na, s ~ exponential(1)\nd ~ normal(0, 1)\ndensity sum(i in n) (if y[i] == 1 then wiener_lpdf(t[i] | a, 0, 0.4, d) else wiener_lpdf(t[i] | a, 0, 0.6, -d))", 1, ""},
		{"log1m_exp(", "param c ordered[K-1]\nparam b real\nb, c ~ normal(0, 1)\ny ~ ordered_logistic(b*t, c)", 1, "n"},
		{"log1m_exp(", "param c ordered[J, K-1]\nparam b real\nb ~ normal(0, 1)\nc ~ normal(0, 1)\ny[i] ~ ordered_logistic(b*t[i], c[g[i]]) for i in n", 1, "n"},
		{"log1m_exp(", "param c ordered[J, K-1]\nparam b real\nb ~ normal(0, 1)\nc ~ normal(0, 1)\nY[i, j] ~ ordered_logistic(b*t[i], c[j]) for i in n, j in J", 1, "n"},
		{"log_gamma_q(", "data low real\nparam a, b real > 0\na, b ~ exponential(1)\nt ~ gamma(a, b) > low", 1, "n"},
		{"log_gamma_q(", "data low real > 0\nparam a, b real > 0\na, b ~ exponential(1)\nt ~ gamma(a, b) > low", 1, "n"},
		{"log_gamma_q(", "data low real[n]\nparam a, b real > 0\na, b ~ exponential(1)\nt ~ gamma(a, b) > low", 1, ""},
	} {
		d, _ := load(t, "model m\ndata n, J, K int\ndata g int[n] in 1..J\ndata y int[n] in 1..K\ndata Y int[n, J] in 1..K\ndata t real[n] > 0\n"+x.text+"\n")
		found := 0
		for _, def := range d.Prog.Defs {
			if def.Body == nil || !strings.Contains(expr.Format(def.Body), x.function) {
				continue
			}
			found++
			for _, i := range def.Indices {
				if i.Range.Hi.Name == x.not {
					t.Errorf("%s is computed for each of %s:\n%s", x.function, x.not, x.text)
				}
			}
		}
		if found == 0 || found > x.most {
			t.Errorf("%d definitions of %s:\n%s", found, x.function, x.text)
		}
	}
}

// TestWrittenOut: a recursion reads a matrix that is written out as it reads one of parameters: an element of an array at each position, not a choice among all. What is at a
// fixed place, and what is made of elements of the recursion, is no array.
func TestWrittenOut(t *testing.T) {
	const states = `let a[i in n, 1, s in 3] = 1
let a[i in n, t, s in 3] = E[s, y[i, t]]*sum(r in 3) a[i, t-1, r]*G[r, s] for t in 2..T
density sum(i in n) log(sum(s in 3) a[i, T, s])
`
	leading := func(text string) float64 {
		d, _ := load(t, "model m\ndata n, T int\ndata y int[n, T] in 1..3\n"+text)
		return float64(d.Work()["T n"])
	}
	array := leading("param E, G real[3, 3]\nE, G ~ normal(0, 1)\n" + states)
	for _, x := range []struct{ name, text string }{
		{"of parameters", "let G = [p, 0, 1 - p; p*q, 1 - p, q; 0, q, 1]\nlet E = [q, 1 - q, p; p, 0, q; 0, 1, p]\n" + states},
		{"of numbers", "let G = [p, 0, 1 - p; p*q, 1 - p, q; 0, q, 1]\nlet E = [0.5, 0.25, 0.25; 0.1, 0.8, 0.1; 0, 0.5, 0.5]\n" + states},
		{"of each time", "param w real[T] in (0, 1)\nlet G[t in T] = [w[t], 0, 1 - w[t]; p*w[t], 1 - p, q; 0, q, 1]\nlet E = [q, 1 - q, p; p, 0, q; 0, 1, p]\n" + strings.Replace(states, "G[r, s]", "G[t][r, s]", 1)},
	} {
		if got := leading("param p, q real in (0, 1)\n" + x.text); !(got > 0 && got <= 1.1*array) {
			t.Errorf("%s: %v operations for each element, and %v with arrays", x.name, got, array)
		}
	}
	d, _ := load(t, "model m\ndata n int\ndata y int[n] in 1..2\nparam p, q real\np, q ~ normal(0, 1)\nlet x[1] = p\nlet x[t] = z[t-1] + [p, q][2] for t in 2..n\nlet z[t] = [x[t], q][y[t]] for t in 1..n\ndensity -sum(t in n) z[t]^2\n")
	for _, def := range d.Prog.Defs {
		if slices.ContainsFunc(def.Indices, func(i *expr.Index) bool { return i.Range.Hi.IsConst() }) {
			t.Errorf("an array of %s", expr.Format(def.Body))
		}
	}
}

// TestTermsOnce: the utilities of persons, occasions and alternatives, and their exponentials, are computed once for all derivatives.
func TestTermsOnce(t *testing.T) {
	d, _ := load(t, `model choice
data R, T, J, K int
data X real[R, T, J, K]
data y int[R, T] in 1..J
param b real[R, K]
b[r, k] ~ normal(0, 1) for r in R, k in K
let u[r in R, t in T, j in J] = sum(k in K) X[r, t, j, k]*b[r, k]
y[r, t] ~ categorical_logit(u[r, t, :]) for r in R, t in T
metric identity
`)
	if ops := d.Work()["J K R T"]; ops == 0 || ops > 4 {
		t.Errorf("%d operations for each number, want two for the utilities and two for the derivatives", ops)
	}
}

// TestRecursionsAtReference: the information of a map that is made of a recursion is computed once for each reference, and no gradient goes through it.
func TestRecursionsAtReference(t *testing.T) {
	const text = `model credit
data I, J, N, K int
data ii int[N] in 1..I
data jj int[N] in 1..J
data y int[N] in 1..K
param beta real[I, K-1]
param theta real[J]
param lambda real
let c[i in I, 1] = 0
let c[i in I, k] = c[i, k-1] - beta[i, k-1] for k in 2..K
let eta[n in N, k in K] = (k - 1)*theta[jj[n]] + c[ii[n], k]
beta ~ normal(0, 2)
lambda ~ normal(0, 1)
theta ~ normal(lambda, 1)
y ~ categorical_logit(eta)
`
	mapped, _ := load(t, text)
	plain, _ := load(t, text+"metric identity\n")
	if len(mapped.Transports) != 1 {
		t.Fatalf("%d maps, want that of theta", len(mapped.Transports))
	}
	if got, want := mapped.Work()["K N"], plain.Work()["K N"]; got != want {
		t.Errorf("%d operations for each category of an observation, and %d without a map", got, want)
	}
}

// TestSteeringSizes: which of two vectors is the longer is not known without sizes, and then none goes without a map for the sake of the other.
func TestSteeringSizes(t *testing.T) {
	d, ds := load(t, `model scores
const D = 4
data n int
data Y real[n, D]
param l1 real[D]
param l2 real[D-1]
param psi real[D] > 0
param f real[n, 2]
let Lambda = [l1[1], 0; l1[2], l2[1]; l1[3], l2[2]; l1[4], l2[3]]
l1, l2 ~ normal(0, 1)
psi ~ exponential(1)
f ~ normal(0, 1)
Y[i, :] ~ normal(Lambda*f[i, :], psi) for i in n
`)
	if d == nil {
		t.Fatal(ds)
	}
	var names []string
	for _, tr := range d.Transports {
		names = append(names, tr.Param.Decl.ObjectName())
	}
	if !slices.Contains(names, "f") {
		t.Errorf("maps of %v, and none of f", names)
	}
}
