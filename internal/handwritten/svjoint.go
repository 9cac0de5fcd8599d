package handwritten

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/elementary"
)

// SVJoint is the joint posterior of the stochastic volatility model that Brofos
// & Lederman (2021, section 5) state, in all its coordinates:
//
//	q = (x_1, …, x_T, log β, log σ², logit((φ + 1)/2))
//
// Its log density is that of SVLatent, seen as a function of the path, too. The
// metric is the identity.
type SVJoint struct {
	identity
	y    []float64
	info runtime.Info
}

var _ runtime.Model = (*SVJoint)(nil)

// NewSVJoint returns the posterior for the observations y[T], T ≥ 1. It returns
// an error if there are no observations, or if one is not finite.
func NewSVJoint(y []float64) (*SVJoint, error) {
	if len(y) == 0 {
		return nil, errors.New("stochastic volatility: no observations")
	}
	if err := finite("y", y); err != nil {
		return nil, fmt.Errorf("stochastic volatility: %w", err)
	}
	return &SVJoint{
		identity: identity{len(y) + 3},
		y:        slices.Clone(y),
		info: runtime.Info{
			Name:   "stochastic_volatility",
			Params: []runtime.Param{{Name: "x", Shape: []int{len(y)}}, {Name: "beta"}, {Name: "sigma2"}, {Name: "phi"}},
			Metric: runtime.MetricInfo{Constant: true, Structure: runtime.Diagonal},
		},
	}, nil
}

// Info describes the model. Its metric is constant.
func (m *SVJoint) Info() *runtime.Info { return &m.info }

// latent returns the block of the parameters given the path in q, and the
// block's coordinates.
func (m *SVJoint) latent(q []float64) (*SVLatent, []float64) {
	T := len(m.y)
	return &SVLatent{x: q[:T], y: m.y}, []float64{q[T+1], q[T+2], q[T]}
}

// LogDensity returns the log density of SVLatent.
func (m *SVJoint) LogDensity(q []float64) float64 {
	latent, params := m.latent(q)
	return latent.LogDensity(params)
}

// Gradient writes the gradients of SVVolatility and SVLatent to grad[T+3] and
// returns L.
func (m *SVJoint) Gradient(grad, q []float64) float64 {
	T := len(m.y)
	latent, params := m.latent(q)
	s, phi, _, beta := latent.params(params)
	volatility := &SVVolatility{y: m.y, s: s, phi: phi, beta: beta}
	volatility.Gradient(grad[:T], q[:T])

	g := make([]float64, 3)
	l := latent.Gradient(g, params)
	grad[T], grad[T+1], grad[T+2] = g[2], g[0], g[1]
	return l
}

// Constrain writes (x_1, …, x_T, β, σ², φ) to x[T+3].
func (m *SVJoint) Constrain(x, q []float64) {
	T := len(m.y)
	copy(x[:T], q[:T])
	x[T], x[T+1], x[T+2] = elementary.Exp(q[T]), elementary.Exp(q[T+1]), elementary.Tanh(float64(q[T+2]/2))
}

// Unconstrain is the inverse of Constrain. It returns an error that names the
// first parameter outside its support.
func (m *SVJoint) Unconstrain(q, x []float64) error {
	T := len(m.y)
	path := runtime.Info{Params: m.info.Params[:1]}
	switch err := unconstrain(&path, q[:T], x[:T]); {
	case err != nil:
		return err
	case !(x[T] > 0) || math.IsInf(x[T], 1):
		return outside(&m.info, 1, x[T], "a positive number")
	case !(x[T+1] > 0) || math.IsInf(x[T+1], 1):
		return outside(&m.info, 2, x[T+1], "a positive number")
	case !(math.Abs(x[T+2]) < 1):
		return outside(&m.info, 3, x[T+2], "between -1 and 1")
	}
	q[T], q[T+1], q[T+2] = elementary.Log(x[T]), elementary.Log(x[T+1]), atanhTwice(x[T+2])
	return nil
}

// Clone returns a copy of m that shares the observations.
func (m *SVJoint) Clone() runtime.Model { c := *m; return &c }
