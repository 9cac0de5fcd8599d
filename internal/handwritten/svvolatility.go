package handwritten

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/elementary"
)

// SVVolatility is the volatility block of the stochastic volatility model
// (Brofos & Lederman 2021, section 5): the path q = x given σ, φ, β and the
// observations y. The metric is constant,
//
//	G = ½I + C⁻¹
//
// where ½I is the expected information of y about x and C the covariance of
// the path. With s = σ², C⁻¹ is tridiagonal: its diagonal is (1, 1 + φ², …,
// 1 + φ², 1)/s, for T = 1 it is (1 − φ²)/s, and beside the diagonal is −φ/s.
type SVVolatility struct {
	y         []float64
	phi, beta float64
	s         float64 // σ²
	info      runtime.Info
}

var _ runtime.Model = (*SVVolatility)(nil)

// NewSVVolatility returns the block for the observations y[T], T ≥ 1, and
// parameters σ > 0, −1 < φ < 1, β > 0. It returns an error if a parameter is
// outside its range, if there are no observations, or if one is not finite.
func NewSVVolatility(y []float64, sigma, phi, beta float64) (*SVVolatility, error) {
	if len(y) == 0 {
		return nil, errors.New("stochastic volatility: no observations")
	}
	if !(math.Abs(phi) < 1) {
		return nil, fmt.Errorf("stochastic volatility: phi = %v is not between -1 and 1", phi)
	}
	if err := errors.Join(finite("y", y), positive("sigma", sigma), positive("beta", beta)); err != nil {
		return nil, fmt.Errorf("stochastic volatility: %w", err)
	}
	return &SVVolatility{
		y: slices.Clone(y), s: float64(sigma * sigma), phi: phi, beta: beta,
		info: runtime.Info{
			Name:   "sv_volatility",
			Params: []runtime.Param{{Name: "x", Shape: []int{len(y)}}},
			Metric: runtime.MetricInfo{Constant: true},
		},
	}, nil
}

// Info describes the model. Its metric is constant.
func (m *SVVolatility) Info() *runtime.Info { return &m.info }

// LogDensity returns L = log p(y | x, β) + log p(x | σ, φ).
func (m *SVVolatility) LogDensity(q []float64) float64 {
	return logObservations(m.y, q, m.beta) + logPath(q, m.s, m.phi, 1-float64(m.phi*m.phi))
}

// precision returns the diagonal of C⁻¹ and the value beside it. The first
// value x_1 contributes (1 − φ²)/s to the diagonal, and each transition from
// x_{t−1} to x_t contributes φ²/s at t − 1 and 1/s at t.
func (m *SVVolatility) precision() (diag []float64, off float64) {
	diag = make([]float64, len(m.y))
	diag[0] = (1 - float64(m.phi*m.phi)) / m.s
	for t := 1; t < len(diag); t++ {
		diag[t-1] += m.phi * m.phi / m.s
		diag[t] += 1 / m.s
	}
	return diag, -m.phi / m.s
}

// Gradient writes ∂L/∂x_t = ½(y_t² e^{−x_t}/β² − 1) − (C⁻¹x)_t to grad[T] and
// returns L.
func (m *SVVolatility) Gradient(grad, q []float64) float64 {
	diag, off := m.precision()
	for t, y := range m.y {
		grad[t] = float64((y*y*elementary.Exp(-q[t])/(m.beta*m.beta)-1)/2) - float64(diag[t]*q[t])
		if t > 0 {
			grad[t] -= float64(off * q[t-1])
		}
		if t < len(m.y)-1 {
			grad[t] -= float64(off * q[t+1])
		}
	}
	return m.LogDensity(q)
}

// Metric writes G = ½I + C⁻¹ to g[T·T].
func (m *SVVolatility) Metric(g, _ []float64) {
	T := len(m.y)
	clear(g[:T*T])
	diag, off := m.precision()
	for t := range T {
		g[t*T+t] = diag[t] + 0.5
		if t > 0 {
			g[t*T+t-1] = off
			g[(t-1)*T+t] = off
		}
	}
}

// Contract writes zeros to out[T]: the metric is constant.
func (m *SVVolatility) Contract(out, _, _ []float64) { clear(out[:len(m.y)]) }

// MetricJacobian writes zeros to out[T·T·T]: the metric is constant.
func (m *SVVolatility) MetricJacobian(out, _ []float64) {
	T := len(m.y)
	clear(out[:T*T*T])
}

// Constrain copies q[T] to x[T].
func (m *SVVolatility) Constrain(x, q []float64) { copy(x, q) }

// Unconstrain copies x[T] to q[T]. It returns an error if a coordinate is not
// finite.
func (m *SVVolatility) Unconstrain(q, x []float64) error { return unconstrain(&m.info, q, x) }

// Clone returns a copy of m that shares the observations.
func (m *SVVolatility) Clone() runtime.Model { c := *m; return &c }
