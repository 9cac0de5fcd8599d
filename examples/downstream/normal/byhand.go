package normal

import (
	"fmt"
	"math"

	"github.com/hamc-dev/hamc/runtime"
)

// ByHand is the model of normal.ham written by hand. Its coordinates are q = (mu, s)
// with s = log sigma, its log density, up to a constant, is
//
//	L = −mu²/200 − s²/2 − n·s − ½ Σ (y − mu)²·exp(−2s)
//
// and its metric the Fisher information and that of the priors:
//
//	G = diag(n·exp(−2s) + 1/100, 2n + 1)
type ByHand struct {
	n, mean, squares float64 // of the data: number, mean, Σ (y − mean)²
}

var _ runtime.Model = (*ByHand)(nil)

// NewByHand returns the model given its data.
func NewByHand(y []float64) *ByHand {
	m := &ByHand{n: float64(len(y))}
	for _, x := range y {
		m.mean += x / m.n
	}
	for _, x := range y {
		m.squares += (x - m.mean) * (x - m.mean)
	}
	return m
}

// Info describes the model.
func (m *ByHand) Info() *runtime.Info {
	return &runtime.Info{Name: "normal by hand", Params: []runtime.Param{{Name: "mu"}, {Name: "sigma"}}}
}

// Clone returns m: there is no work space that two goroutines could not share.
func (m *ByHand) Clone() runtime.Model { return m }

// LogDensity returns L(q).
func (m *ByHand) LogDensity(q []float64) float64 {
	mu, s := q[0], q[1]
	return -mu*mu/200 - s*s/2 - m.n*s - m.residuals(mu)*math.Exp(-2*s)/2
}

// residuals returns Σ (y − mu)².
func (m *ByHand) residuals(mu float64) float64 {
	return m.squares + m.n*(m.mean-mu)*(m.mean-mu)
}

// Gradient writes ∂L/∂q to grad and returns L(q).
func (m *ByHand) Gradient(grad, q []float64) float64 {
	mu, s := q[0], q[1]
	grad[0] = -mu/100 + m.n*(m.mean-mu)*math.Exp(-2*s)
	grad[1] = -s - m.n + m.residuals(mu)*math.Exp(-2*s)
	return m.LogDensity(q)
}

// Metric writes G(q) to g, row by row.
func (m *ByHand) Metric(g, q []float64) {
	g[0], g[1] = m.n*math.Exp(-2*q[1])+0.01, 0
	g[2], g[3] = 0, 2*m.n+1
}

// Contract writes Σ w_ij ∂G_ij/∂q_k to out[k]: only G_00 depends on q, and on s.
func (m *ByHand) Contract(out, q, w []float64) {
	out[0], out[1] = 0, w[0]*-2*m.n*math.Exp(-2*q[1])
}

// MetricJacobian writes ∂G_ij/∂q_k to out[4i + 2j + k].
func (m *ByHand) MetricJacobian(out, q []float64) {
	clear(out[:8])
	out[1] = -2 * m.n * math.Exp(-2*q[1])
}

// Constrain writes mu and sigma to x.
func (m *ByHand) Constrain(x, q []float64) { x[0], x[1] = q[0], math.Exp(q[1]) }

// Unconstrain is the inverse of Constrain.
func (m *ByHand) Unconstrain(q, x []float64) error {
	if !(x[1] > 0) {
		return fmt.Errorf("sigma is %v, but must be above 0", x[1])
	}
	q[0], q[1] = x[0], math.Log(x[1])
	return nil
}
