package handwritten

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hamc-dev/hamc/runtime"
)

// Gaussian is the distribution N(μ, Σ) with mean vector μ and covariance
// matrix Σ, and the constant metric G = Σ⁻¹ (Brofos & Lederman 2021,
// appendix): the one case in which Hamilton's equations are linear.
type Gaussian struct {
	mu        []float64
	precision []float64 // Σ⁻¹, row-major
	logDet    float64   // log det Σ
	info      runtime.Info
}

var _ runtime.Model = (*Gaussian)(nil)

// NewGaussian returns the distribution with mean mu[m] and covariance
// sigma[m·m], row-major. It returns an error if the shapes disagree, if a
// value is not finite, or if sigma is not symmetric positive definite.
func NewGaussian(mu, sigma []float64) (*Gaussian, error) {
	m := len(mu)
	if m == 0 || len(sigma) != m*m {
		return nil, fmt.Errorf("gaussian: mean of length %d, covariance of length %d", m, len(sigma))
	}
	if err := errors.Join(finite("mu", mu), finite("sigma", sigma)); err != nil {
		return nil, err
	}
	for i := range m {
		for j := range i {
			if sigma[i*m+j] != sigma[j*m+i] {
				return nil, fmt.Errorf("gaussian: covariance not symmetric at (%d, %d)", i, j)
			}
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(mat.NewSymDense(m, slices.Clone(sigma))) {
		return nil, errors.New("gaussian: covariance not positive definite")
	}
	var inv mat.SymDense
	if err := chol.InverseTo(&inv); err != nil {
		return nil, fmt.Errorf("gaussian: covariance: %w", err)
	}
	g := &Gaussian{
		mu: slices.Clone(mu), precision: make([]float64, m*m), logDet: chol.LogDet(),
		info: runtime.Info{
			Name:   "gaussian",
			Params: []runtime.Param{{Name: "q", Shape: []int{m}}},
			Metric: runtime.MetricInfo{Constant: true},
		},
	}
	for i := range m {
		for j := range m {
			g.precision[i*m+j] = inv.At(i, j)
		}
	}
	return g, nil
}

// Info describes the model. Its metric is constant.
func (g *Gaussian) Info() *runtime.Info { return &g.info }

// LogDensity returns L = −½ (q−μ)ᵀΣ⁻¹(q−μ) − ½ log det Σ − ½ m log 2π.
func (g *Gaussian) LogDensity(q []float64) float64 {
	return g.Gradient(make([]float64, len(g.mu)), q)
}

// Gradient writes ∂L/∂q = −Σ⁻¹(q−μ) to grad[m] and returns L.
func (g *Gaussian) Gradient(grad, q []float64) float64 {
	m := len(g.mu)
	l := float64(-g.logDet/2) - float64(float64(m)*logSqrt2Pi)
	for i := range m {
		s := 0.0
		for j := range m {
			s += float64(g.precision[i*m+j] * (q[j] - g.mu[j]))
		}
		grad[i] = -s
		l -= float64(s * (q[i] - g.mu[i]) / 2)
	}
	return l
}

// Metric writes G = Σ⁻¹ to out[m·m].
func (g *Gaussian) Metric(out, _ []float64) { copy(out, g.precision) }

// Contract writes zeros to out[m]: the metric is constant.
func (g *Gaussian) Contract(out, _, _ []float64) { clear(out[:len(g.mu)]) }

// MetricJacobian writes zeros to out[m·m·m]: the metric is constant.
func (g *Gaussian) MetricJacobian(out, _ []float64) {
	m := len(g.mu)
	clear(out[:m*m*m])
}

// Constrain copies q[m] to x[m].
func (g *Gaussian) Constrain(x, q []float64) { copy(x, q) }

// Unconstrain copies x[m] to q[m]. It returns an error if a coordinate is not
// finite.
func (g *Gaussian) Unconstrain(q, x []float64) error { return unconstrain(&g.info, q, x) }

// Clone returns a copy of g that shares its constants.
func (g *Gaussian) Clone() runtime.Model { c := *g; return &c }
