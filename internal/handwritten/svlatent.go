package handwritten

import (
	"fmt"
	"math"
	"slices"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/elementary"
)

// SVLatent is the latent block of the stochastic volatility model that Brofos &
// Lederman (2021, section 5) state: σ², φ and β given the path x and the
// observations y, with
//
//	q = (u, w, b), u = log σ², w = logit((φ + 1)/2), b = log β
//
// and the log-Jacobians of these transforms in L.
//
// The metric is the expected information of the path and the data, plus the
// negative Hessian in these coordinates of the log prior with the
// log-Jacobians. Since u = 2γ and w = 2α, with γ = log σ and α = atanh φ, the
// information about (γ, α, β) of SVAuthors,
//
//	⎡ 2T   2φ                0     ⎤
//	⎢ 2φ   2φ² + (T − 1)d    0     ⎥    d = 1 − φ²
//	⎣ 0    0                 2T/β² ⎦
//
// arrives here divided by 4 in its first block and multiplied by β² in its
// last. The prior's part is diagonal. With s = σ² and z = (φ + 1)/2,
//
//	u: −½ν u − ½ντ²/s + const             −∂²/∂u² = ½ντ²/s = 1/(4s)
//	w: a log z + b log(1 − z) + const     −∂²/∂w² = (a + b) z (1 − z) = ¼(a + b)d
//	b: −b + b = 0                         −∂²/∂b² = 0
//
// Together
//
//	    ⎡ T/2 + 1/(4s)   φ/2                            0  ⎤
//	G = ⎢ φ/2            φ²/2 + (T + 20.5)(1 − φ²)/4    0  ⎥
//	    ⎣ 0              0                              2T ⎦
//
// where 20.5 = a + b − 1. It is positive definite everywhere.
type SVLatent struct {
	x, y []float64
	info runtime.Info
}

var _ runtime.Model = (*SVLatent)(nil)

// NewSVLatent returns the block for the path x[T] and the observations y[T],
// T ≥ 1. It returns an error if the lengths differ, or if a value is not finite.
func NewSVLatent(y, x []float64) (*SVLatent, error) {
	if err := svData(y, x); err != nil {
		return nil, fmt.Errorf("stochastic volatility: %w", err)
	}
	return &SVLatent{
		x: slices.Clone(x), y: slices.Clone(y),
		info: runtime.Info{Name: "sv_latent", Params: []runtime.Param{{Name: "sigma2"}, {Name: "phi"}, {Name: "beta"}}},
	}, nil
}

// Info describes the model.
func (m *SVLatent) Info() *runtime.Info { return &m.info }

// params returns s = σ², φ, d = 1 − φ² and β. With z = s(w), φ = 2z − 1 is
// tanh(w/2) and d is 4z(1 − z).
func (m *SVLatent) params(q []float64) (s, phi, d, beta float64) {
	return elementary.Exp(q[0]), elementary.Tanh(float64(q[1] / 2)), float64(4 * sigmoid(q[1]) * sigmoid(-q[1])), elementary.Exp(q[2])
}

// LogDensity returns
//
//	L = log p(y | x, β) + log p(x | σ, φ) + prior
func (m *SVLatent) LogDensity(q []float64) float64 {
	s, phi, d, beta := m.params(q)
	return logObservations(m.y, m.x, beta) + logPath(m.x, s, phi, d) + m.prior(q)
}

// prior returns the log prior with the log-Jacobians,
//
//	log p_{σ²}(s) + log p_z(z) − log β + log |∂σ²/∂u| + log |∂φ/∂w| + log |∂β/∂b|
//
// where ∂σ²/∂u = s, ∂φ/∂w = 2z(1 − z) and ∂β/∂b = β. The density of z gets no
// Jacobian for z = (φ + 1)/2.
func (m *SVLatent) prior(q []float64) float64 {
	logZ, log1Z := logSigmoid(q[1]), logSigmoid(-q[1])
	return logInvChi2(elementary.Exp(q[0])) + q[0] +
		logBeta(logZ, log1Z) + math.Ln2 + logZ + log1Z -
		q[2] + q[2]
}

// Gradient writes half of what logPathByGammaAlpha states, β times what
// logObservationsByBeta states, and of the prior
//
//	∂/∂u = −½ν + ½ντ²/s
//	∂/∂w = a (1 − z) − b z
//	∂/∂b = 0
//
// to grad[3] and returns L.
func (m *SVLatent) Gradient(grad, q []float64) float64 {
	s, phi, d, beta := m.params(q)
	gamma, alpha := logPathByGammaAlpha(m.x, s, phi, d)
	grad[0] = float64(gamma/2) - svNu/2.0 + svNu*svTau2/2/s
	grad[1] = float64(alpha/2) + float64(svA*sigmoid(-q[1])) - float64(svB*sigmoid(q[1]))
	grad[2] = float64(beta * logObservationsByBeta(m.y, m.x, beta))
	return m.LogDensity(q)
}

// Metric writes G to g[9].
func (m *SVLatent) Metric(g, q []float64) {
	T := float64(len(m.x))
	s, phi, d, _ := m.params(q)
	copy(g, []float64{
		float64(T/2) + svNu*svTau2/2/s, float64(phi / 2), 0,
		float64(phi / 2), float64(phi*phi/2) + float64((T-1+svA+svB)*d/4), 0,
		0, 0, float64(2 * T),
	})
}

// Contract writes Σ_ij W_ij ∂G_ij/∂q_k to out[3].
func (m *SVLatent) Contract(out, q, w []float64) {
	d := make([]float64, 27)
	m.MetricJacobian(d, q)
	contract(out[:3], d, w)
}

// MetricJacobian writes ∂G_ij/∂q_k to out[(3i+j)·3+k]. The entries that are not
// zero are, since ∂φ/∂w = ½d and ∂d/∂w = −φd,
//
//	∂G_uu/∂u = −½ντ²/s = −1/(4s)
//	∂G_uw/∂w = ¼d
//	∂G_ww/∂w = ½φd − ¼φd (T − 1 + a + b) = −¼φd (T + 18.5)
func (m *SVLatent) MetricJacobian(out, q []float64) {
	T := float64(len(m.x))
	s, phi, d, _ := m.params(q)
	clear(out[:27])
	out[(3*0+0)*3+0] = -svNu * svTau2 / 2 / s
	out[(3*0+1)*3+1] = float64(d / 4)
	out[(3*1+0)*3+1] = float64(d / 4)
	out[(3*1+1)*3+1] = float64(phi*d/2) - float64(phi*d*(T-1+svA+svB)/4)
}

// Constrain writes (σ², φ, β) to x[3].
func (m *SVLatent) Constrain(x, q []float64) {
	x[0], x[1], x[2] = elementary.Exp(q[0]), elementary.Tanh(float64(q[1]/2)), elementary.Exp(q[2])
}

// Unconstrain writes (u, w, b) to q[3]. It returns an error that names the
// first parameter outside σ² > 0, −1 < φ < 1, β > 0.
func (m *SVLatent) Unconstrain(q, x []float64) error {
	switch {
	case !(x[0] > 0) || math.IsInf(x[0], 1):
		return outside(&m.info, 0, x[0], "a positive number")
	case !(math.Abs(x[1]) < 1):
		return outside(&m.info, 1, x[1], "between -1 and 1")
	case !(x[2] > 0) || math.IsInf(x[2], 1):
		return outside(&m.info, 2, x[2], "a positive number")
	}
	q[0], q[1], q[2] = elementary.Log(x[0]), atanhTwice(x[1]), elementary.Log(x[2])
	return nil
}

// Clone returns a copy of m that shares the data.
func (m *SVLatent) Clone() runtime.Model { c := *m; return &c }
