package handwritten

import (
	"errors"
	"slices"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/elementary"
)

// Banana is the banana-shaped posterior (Brofos & Lederman 2021, section 5):
//
//	y_i ~ N(μ, σ_y), μ = θ₁ + θ₂², i = 1 … n
//	θ_j ~ N(0, σ_θ), j = 1, 2
//
// with q = (θ₁, θ₂) and, as metric, the Fisher information of the likelihood
// plus the precision of the prior: with J = ∂μ/∂θ = (1, 2θ₂),
//
//	G = n/σ_y² JJᵀ + I/σ_θ²
type Banana struct {
	y              []float64
	sigmaY, sigmaT float64
	info           runtime.Info
}

var _ runtime.Model = (*Banana)(nil)

// NewBanana returns the banana for observations y[n], n ≥ 1, with the standard
// deviations σ_y and σ_θ. It returns an error if there are no observations, if
// one is not finite, or if a standard deviation is not positive and finite.
func NewBanana(y []float64, sigmaY, sigmaT float64) (*Banana, error) {
	if len(y) == 0 {
		return nil, errors.New("banana: no observations")
	}
	if err := errors.Join(finite("y", y), positive("sigmaY", sigmaY), positive("sigmaT", sigmaT)); err != nil {
		return nil, err
	}
	return &Banana{
		y: slices.Clone(y), sigmaY: sigmaY, sigmaT: sigmaT,
		info: runtime.Info{Name: "banana", Params: []runtime.Param{{Name: "theta", Shape: []int{2}}}},
	}, nil
}

// Info describes the model.
func (b *Banana) Info() *runtime.Info { return &b.info }

// LogDensity returns
//
//	L = Σ_i [−½ ((y_i − μ)/σ_y)² − log σ_y − ½ log 2π] + Σ_j [−½ (θ_j/σ_θ)² − log σ_θ − ½ log 2π]
func (b *Banana) LogDensity(q []float64) float64 {
	mu := q[0] + float64(q[1]*q[1])
	l := 0.0
	for _, yi := range b.y {
		z := (yi - mu) / b.sigmaY
		l += float64(-z*z/2) - elementary.Log(b.sigmaY) - logSqrt2Pi
	}
	for _, t := range q[:2] {
		z := t / b.sigmaT
		l += float64(-z*z/2) - elementary.Log(b.sigmaT) - logSqrt2Pi
	}
	return l
}

// Gradient writes, with d = Σ_i (y_i − μ)/σ_y²,
//
//	∂L/∂θ₁ = d − θ₁/σ_θ²
//	∂L/∂θ₂ = 2θ₂ d − θ₂/σ_θ²
//
// to grad[2] and returns L.
func (b *Banana) Gradient(grad, q []float64) float64 {
	mu := q[0] + float64(q[1]*q[1])
	d := 0.0
	for _, yi := range b.y {
		d += (yi - mu) / (b.sigmaY * b.sigmaY)
	}
	grad[0] = d - q[0]/(b.sigmaT*b.sigmaT)
	grad[1] = float64(2*q[1]*d) - q[1]/(b.sigmaT*b.sigmaT)
	return b.LogDensity(q)
}

// Metric writes, with a = n/σ_y² and c = 1/σ_θ²,
//
//	G = [[a + c, 2aθ₂], [2aθ₂, 4aθ₂² + c]]
//
// to g[4].
func (b *Banana) Metric(g, q []float64) {
	a := float64(len(b.y)) / (b.sigmaY * b.sigmaY)
	c := 1 / (b.sigmaT * b.sigmaT)
	g[0], g[1] = a+c, float64(2*a*q[1])
	g[2], g[3] = float64(2*a*q[1]), float64(4*a*q[1]*q[1])+c
}

// Contract writes Σ_ij W_ij ∂G_ij/∂θ_k to out[2].
func (b *Banana) Contract(out, q, w []float64) {
	d := make([]float64, 8)
	b.MetricJacobian(d, q)
	contract(out[:2], d, w)
}

// MetricJacobian writes ∂G_ij/∂θ_k to out[(2i+j)·2+k]: ∂G/∂θ₁ = 0 and
//
//	∂G/∂θ₂ = [[0, 2a], [2a, 8aθ₂]], a = n/σ_y²
func (b *Banana) MetricJacobian(out, q []float64) {
	a := float64(len(b.y)) / (b.sigmaY * b.sigmaY)
	out[0], out[1] = 0, 0
	out[2], out[3] = 0, float64(2*a)
	out[4], out[5] = 0, float64(2*a)
	out[6], out[7] = 0, float64(8*a*q[1])
}

// Constrain copies q[2] to x[2].
func (b *Banana) Constrain(x, q []float64) { copy(x, q) }

// Unconstrain copies x[2] to q[2]. It returns an error if a parameter is not
// finite.
func (b *Banana) Unconstrain(q, x []float64) error { return unconstrain(&b.info, q, x) }

// Clone returns a copy of b that shares the observations.
func (b *Banana) Clone() runtime.Model { c := *b; return &c }
