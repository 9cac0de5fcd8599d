package symbolic

import (
	"math"
	"os"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// curves is a regression of which the mean and the scale have smooth terms, as of splines: the second vector is determined first, and knows
// nothing of the first.
const curves = `model curves
data n, K int
data y, x real[n]
data Z real[n, K]
param a, b   real
param c      real
param u, v   real[K]
param tu, tv real > 0
a, b ~ normal(0, 10)
c ~ normal(0, 1)
u ~ normal(0, tu)
v ~ normal(0, 1)
tu, tv ~ exponential(1)
y ~ normal(a + b*x + Z*u, exp(c + Z*(tv*v)))
`

// curvesFor derives a model, and then for data of which a factor of precisions that are not those of the reference would take too long in each gradient.
func curvesFor(t *testing.T, text string) (plain, fitted *Derived) {
	t.Helper()
	m, ds := dsl.Load("curves.ham", text, dsl.Options{})
	if m == nil {
		t.Fatal(ds.List)
	}
	d, list := Derive(m)
	if d == nil {
		t.Fatal(list)
	}
	return d, d.Fit(map[string]int{
		"n": 130, "K": 40, "L": 10, // of models in this file
		"Ntot": 36, "N_obs": 30, "n_id": 6, "K_trt": 3, "K_cov_intercept": 2, "K_cov_slope": 1, // of viral
	}, nil)
}

// TestUnknownVectors: what is made of a vector that another does not know of is at the reference for that, scalars included: with a new slope b and the old u the
// fit would be as bad as no fit is that the posterior has.
func TestUnknownVectors(t *testing.T) {
	_, d := curvesFor(t, curves)
	if len(d.Transports) != 2 {
		t.Fatalf("%d maps, want two", len(d.Transports))
	}
	for _, def := range d.Prog.Defs {
		if def.Body.Op == expr.Apply && def.Body.Apply.Operator.Name == "cholesky" {
			t.Errorf("%s is a factor, of a precision that is one of the reference", def.Tensor.Name)
		}
	}
	plain := map[string]*expr.Expr{}
	for _, x := range d.Transports {
		plain[x.Param.Decl.Name] = x.Plain
	}
	for _, x := range []struct {
		vector, by string
		want       bool
	}{{"u", "a", true}, {"u", "b", true}, {"u", "tu", true}, {"u", "c", false}, {"v", "a", false}, {"v", "b", false}, {"v", "tu", false}, {"v", "c", true}, {"v", "tv", true}} {
		for _, p := range d.Params {
			if p.Decl.Name == x.by && expr.Mentions(plain[x.vector], p.Coord) != x.want {
				t.Errorf("that %s depends on %s is not %v", x.vector, x.by, x.want)
			}
		}
	}
}

// TestFrozenPrecisions: where what precisions are made of is as at the reference, a map for which they are frozen is exact, ∂L/∂z = −z, and elsewhere it is not.
func TestFrozenPrecisions(t *testing.T) {
	_, d := curvesFor(t, `model spread
data n, K int
data y, x real[n]
data Z real[n, K]
param a, c, w real
param u  real[K]
param tu real > 0
a ~ normal(0, 10)
c, w ~ normal(0, 1)
u ~ normal(0, tu)
tu ~ exponential(1)
y ~ normal(a + Z*u, exp(c + w*x))
`)
	const n, k = 6, 5
	data := map[string][]float64{"n": {n}, "K": {k}, "y": {0.3, -1.1, 2.4, 0.6, 1, -0.4}, "x": {-1, -0.5, 0, 0.4, 0.9, 1.3}}
	for i := range n * k {
		data["Z"] = append(data["Z"], math.Sin(float64(7*i*i+3*i+1)))
	}
	b := newBench(t, d, data)
	q := []float64{0.4, -0.3, 0.7, 0.5, -1.2, 0.3, 0.8, -0.2, 0.6} // a, c, w, u, tu
	for i, p := range d.Reference {
		copy(b.m.Values(p.Coord), q[b.start[i]:b.start[i+1]])
	}
	far := func() (most float64) {
		for i, g := range b.vector(d.Gradient, q)[3 : 3+k] {
			most = max(most, math.Abs(g+q[3+i]))
		}
		return most
	}
	if e := far(); e > 1e-12 {
		t.Errorf("∂L/∂z is off −z by %v", e)
	}
	q[0], q[8] = -1, 2 // the level and the scale of u are followed
	if e := far(); e > 1e-12 {
		t.Errorf("elsewhere ∂L/∂z is off −z by %v", e)
	}
	if q[2] = 0; far() < 1e-3 {
		t.Error("precisions are not those of the reference")
	}
}

// TestBasisFunctions: coefficients of basis functions, each times a number of its own that depends on parameters, have dense maps for a few gradients' work: what counts say of them is one
// matrix for each reference, and where each observation has a scale of its own, precisions are those of the reference. So they have whether they are written by standard variates or not.
func TestBasisFunctions(t *testing.T) {
	const head = `model basis
data n, K int
data x real[n]
data Z, W real[n, K]
param a, c real
param r, s real > 0
param u, v real[K]
a, c ~ normal(0, 1)
r, s ~ exponential(1)
let p[k in K] = r*exp(-0.25*r^2*k^2)
let q[k in K] = exp(-0.25*s^2*k^2)
`
	for _, x := range []struct {
		name, text string
		dense      int
	}{
		{"counts, which say nothing of v", "data y int[n] >= 0\nu, v ~ normal(0, 1)\ny ~ poisson_log(a + Z*(p.*u) + c*x)", 1},
		{"scales", "data y real[n]\nu, v ~ normal(0, 1)\ny ~ normal(a + Z*(p.*u), exp(c + W*(q.*v)))", 2},
		{"scales, by coefficients", "data y real[n]\nu ~ normal(0, p)\nv ~ normal(0, q)\ny ~ normal(a + Z*u, exp(c + W*v))", 2},
		{"seasons that are a multiple of a trend", "data y real[n]\ndata L int\ndata S real[n, L]\ndata T real[n, 4]\nparam w real[L]\nparam b real[4]\nu, v, w, b ~ normal(0, 1)\ny ~ normal((a + T*b) .* (1 + S*w), s)", 0},
	} {
		plain, d := curvesFor(t, head+x.text)
		dense := 0
		for _, m := range d.Transports {
			if m.Diagonals == 0 {
				dense++
			}
		}
		if dense != x.dense {
			t.Errorf("%s: %d dense maps, want %d", x.name, dense, x.dense)
		}
		if times := operations(d.Work(), d.Model) / operations(plain.Work(), d.Model); times > 12 {
			t.Errorf("%s: %.1f times the operations of a gradient without maps", x.name, times)
		}
	}
}

// TestUnfilled: coefficients with a prior that is the same everywhere have no map beside effects of patients, with which their precision would be dense, whichever of them is
// looked at first.
func TestUnfilled(t *testing.T) {
	text, err := os.ReadFile("../internal/posteriordb/people/viral.ham")
	if err != nil {
		t.Fatal(err)
	}
	_, d := curvesFor(t, string(text))
	for _, m := range d.Transports {
		if m.Diagonals == 0 {
			t.Errorf("a dense map of %s", m.Name())
		}
	}
	if len(d.Transports) == 0 {
		t.Error("no map")
	}
}

// TestUnknownWalks: of walks that cross, the one that is determined first takes what is beside it in a predictor as it was at the reference, the common level too: the other walk is
// not known, and makes up for the level.
func TestUnknownWalks(t *testing.T) {
	d, _ := load(t, `model ages
data A, P int
data y int[A, P] >= 0
param mu real
param a real[A]
param p real[P]
param sa, sp real > 0
mu ~ normal(0, 2)
a[1] ~ normal(0, 1)
p[1] ~ normal(0, 0.1)
a[i] ~ normal(a[i-1], sa) for i in 2..A
p[i] ~ normal(p[i-1], sp) for i in 2..P
sa, sp ~ normal(0, 0.5)
y[i, j] ~ poisson_log(mu + a[i] + p[j]) for i in A, j in P
`)
	if len(d.Transports) != 2 {
		t.Fatalf("%d maps, want two", len(d.Transports))
	}
	for n, x := range d.Transports {
		if got := expr.Mentions(x.Plain, d.Params[0].Coord); got != (n == 1) {
			t.Errorf("that %s depends on mu is %v", x.Param.Decl.ObjectName(), got)
		}
	}
}
