package handwritten

import (
	"fmt"
	"math"
	"slices"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/elementary"
)

// Logistic is Bayesian logistic regression (Brofos & Lederman 2021, section
// 5):
//
//	y_i ~ Bernoulli(s(η_i)), η = Xβ, s(η) = 1/(1 + e^{−η}), i = 1 … n
//	β_j ~ N(0, 1), j = 1 … k
//
// with q = β and, as metric, the Fisher information of the likelihood plus the
// precision of the prior:
//
//	G = Xᵀ diag(s(1 − s)) X + I
type Logistic struct {
	x    []float64 // n × k, row-major
	y    []float64
	k    int
	info runtime.Info
}

var _ runtime.Model = (*Logistic)(nil)

// NewLogistic returns the regression of y[n], each 0 or 1, on the design
// matrix x[n·k], row-major. It returns an error if the shapes disagree, if an
// entry of x is not finite, or if one of y is neither 0 nor 1.
func NewLogistic(x, y []float64, n, k int) (*Logistic, error) {
	if n < 1 || k < 1 || len(x) != n*k || len(y) != n {
		return nil, fmt.Errorf("logistic: n = %d, k = %d, x of length %d, y of length %d", n, k, len(x), len(y))
	}
	if err := finite("x", x); err != nil {
		return nil, err
	}
	for i, v := range y {
		if v != 0 && v != 1 {
			return nil, fmt.Errorf("y[%d] = %v is neither 0 nor 1", i, v)
		}
	}
	return &Logistic{
		x: slices.Clone(x), y: slices.Clone(y), k: k,
		info: runtime.Info{Name: "logistic", Params: []runtime.Param{{Name: "beta", Shape: []int{k}}}},
	}, nil
}

// Info describes the model.
func (l *Logistic) Info() *runtime.Info { return &l.info }

// row returns row i of X.
func (l *Logistic) row(i int) []float64 { return l.x[i*l.k : (i+1)*l.k] }

// eta returns η_i.
func (l *Logistic) eta(i int, q []float64) float64 {
	s := 0.0
	for j, x := range l.row(i) {
		s += float64(x * q[j])
	}
	return s
}

// sigmoid returns s(η).
func sigmoid(eta float64) float64 { return 1 / (1 + elementary.Exp(-eta)) }

// LogDensity returns
//
//	L = Σ_i [y_i η_i − log(1 + e^{η_i})] − Σ_j [½ β_j² + ½ log 2π]
func (l *Logistic) LogDensity(q []float64) float64 {
	sum := 0.0
	for i, y := range l.y {
		eta := l.eta(i, q)
		// log(1 + e^η) without overflow.
		sum += float64(y*eta) - math.Max(eta, 0) - elementary.Log1p(elementary.Exp(-math.Abs(eta)))
	}
	for _, b := range q[:l.k] {
		sum += float64(-b*b/2) - logSqrt2Pi
	}
	return sum
}

// Gradient writes ∂L/∂β_k = Σ_i (y_i − s(η_i)) x_ik − β_k to grad[k] and
// returns L.
func (l *Logistic) Gradient(grad, q []float64) float64 {
	for k := range l.k {
		grad[k] = -q[k]
	}
	for i, y := range l.y {
		r := y - sigmoid(l.eta(i, q))
		for k, x := range l.row(i) {
			grad[k] += float64(r * x)
		}
	}
	return l.LogDensity(q)
}

// Metric writes G_jl = Σ_i s'(η_i) x_ij x_il + δ_jl, with s' = s(1 − s), to
// g[k·k].
func (l *Logistic) Metric(g, q []float64) {
	g = g[:l.k*l.k]
	clear(g)
	for i := range l.y {
		eta := l.eta(i, q)
		// s(−η) is 1 − s(η) without cancellation.
		d1 := float64(sigmoid(eta) * sigmoid(-eta))
		row := l.row(i)
		for a, xa := range row {
			for b, xb := range row {
				g[a*l.k+b] += float64(d1 * xa * xb)
			}
		}
	}
	for a := range l.k {
		g[a*l.k+a]++
	}
}

// Contract writes Σ_jl W_jl ∂G_jl/∂β_k to out[k].
func (l *Logistic) Contract(out, q, w []float64) {
	d := make([]float64, l.k*l.k*l.k)
	l.MetricJacobian(d, q)
	contract(out[:l.k], d, w)
}

// MetricJacobian writes ∂G_jl/∂β_k = Σ_i s”(η_i) x_ij x_il x_ik, with
// s” = s(1 − s)(1 − 2s), to out[(j·k+l)·k+k].
func (l *Logistic) MetricJacobian(out, q []float64) {
	out = out[:l.k*l.k*l.k]
	clear(out)
	for i := range l.y {
		eta := l.eta(i, q)
		// 1 − 2s = −tanh(η/2)
		d2 := float64(sigmoid(eta) * sigmoid(-eta) * -elementary.Tanh(float64(eta/2)))
		row := l.row(i)
		for a, xa := range row {
			for b, xb := range row {
				for c, xc := range row {
					out[(a*l.k+b)*l.k+c] += float64(d2 * xa * xb * xc)
				}
			}
		}
	}
}

// Constrain copies q[k] to x[k].
func (l *Logistic) Constrain(x, q []float64) { copy(x, q) }

// Unconstrain copies x[k] to q[k]. It returns an error if a coefficient is not
// finite.
func (l *Logistic) Unconstrain(q, x []float64) error { return unconstrain(&l.info, q, x) }

// Clone returns a copy of l that shares the data.
func (l *Logistic) Clone() runtime.Model { c := *l; return &c }
