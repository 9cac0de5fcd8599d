package handwritten

import (
	"fmt"
	"math"
	"slices"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/elementary"
)

// SVAuthors is the latent block of the stochastic volatility model as the code
// of Brofos & Lederman (2021) has it: σ, φ and β given the path x and the
// observations y, with
//
//	q = (γ, α, β), γ = log σ, α = atanh φ, β itself
//
// It is not the posterior that the paper states: the scaled inverse χ² density
// of σ² stands for a density of σ, and L is the log density of (σ, φ, β)
// without the Jacobian of their transform. (Their sampler adds that to the
// acceptance ratio.) SVLatent is the block of the paper's posterior.
//
// The metric is the expected information of the path and the data, plus the
// negative Hessian of the log prior. With s = σ², d = 1 − φ²,
//
//	    ⎡ 2T + 1/s   2φ                         0           ⎤
//	G = ⎢ 2φ         2φ² + (T − 1 + a + b − 2)d 0           ⎥
//	    ⎣ 0          0                          (2T − 1)/β² ⎦
//
// where ντ² = ½ makes the 1/s, and a + b − 2 = 19.5.
//
// Where β ≤ 0 every method writes NaN.
type SVAuthors struct {
	x, y []float64
	info runtime.Info
}

var _ runtime.Model = (*SVAuthors)(nil)

// NewSVAuthors returns the block for the path x[T] and the observations y[T],
// T ≥ 1. It returns an error if the lengths differ, or if a value is not finite.
func NewSVAuthors(y, x []float64) (*SVAuthors, error) {
	if err := svData(y, x); err != nil {
		return nil, fmt.Errorf("stochastic volatility: %w", err)
	}
	return &SVAuthors{
		x: slices.Clone(x), y: slices.Clone(y),
		info: runtime.Info{Name: "sv_authors", Params: []runtime.Param{{Name: "sigma"}, {Name: "phi"}, {Name: "beta"}}},
	}, nil
}

// Info describes the model.
func (m *SVAuthors) Info() *runtime.Info { return &m.info }

// params returns s = σ², φ, d = 1 − φ² and β, which is NaN where it is not
// positive.
func (m *SVAuthors) params(q []float64) (s, phi, d, beta float64) {
	cosh := elementary.Cosh(q[1])
	s, phi, d, beta = elementary.Exp(float64(2*q[0])), elementary.Tanh(q[1]), 1/(cosh*cosh), q[2]
	if !(beta > 0) {
		beta = math.NaN()
	}
	return s, phi, d, beta
}

// LogDensity returns
//
//	L = log p(y | x, β) + log p(x | σ, φ) + log p_{σ²}(σ²) + log p_z((φ + 1)/2) − log β
//
// with the prior densities of σ² and of z = (φ + 1)/2 as they stand.
func (m *SVAuthors) LogDensity(q []float64) float64 {
	s, phi, d, beta := m.params(q)
	// z = s(2α), since α = ½ log((1 + φ)/(1 − φ)).
	return logObservations(m.y, m.x, beta) + logPath(m.x, s, phi, d) +
		logInvChi2(s) + logBeta(logSigmoid(float64(2*q[1])), logSigmoid(float64(-2*q[1]))) - elementary.Log(beta)
}

// Gradient writes the derivatives of the likelihood's two factors, which
// logPathByGammaAlpha and logObservationsByBeta state, and of the prior,
//
//	∂/∂γ = −(ν + 2) + ντ²/s
//	∂/∂α = (a − 1)(1 − φ) − (b − 1)(1 + φ)
//	∂/∂β = −1/β
//
// to grad[3] and returns L.
func (m *SVAuthors) Gradient(grad, q []float64) float64 {
	s, phi, d, beta := m.params(q)
	grad[0], grad[1] = logPathByGammaAlpha(m.x, s, phi, d)
	grad[0] += -(svNu + 2) + svNu*svTau2/s
	grad[1] += float64((svA-1)*(1-phi)) - float64((svB-1)*(1+phi))
	grad[2] = logObservationsByBeta(m.y, m.x, beta) - 1/beta
	l := m.LogDensity(q)
	if math.IsNaN(beta) {
		fill(grad[:3], beta)
	}
	return l
}

// Metric writes G to g[9].
func (m *SVAuthors) Metric(g, q []float64) {
	T := float64(len(m.x))
	s, phi, d, beta := m.params(q)
	copy(g, []float64{
		float64(2*T) + 2*svNu*svTau2/s, float64(2 * phi), 0,
		float64(2 * phi), float64(2*phi*phi) + float64((T-1+svA+svB-2)*d), 0,
		0, 0, (float64(2*T) - 1) / (beta * beta),
	})
	if math.IsNaN(beta) {
		fill(g[:9], beta)
	}
}

// Contract writes Σ_ij W_ij ∂G_ij/∂q_k to out[3].
func (m *SVAuthors) Contract(out, q, w []float64) {
	d := make([]float64, 27)
	m.MetricJacobian(d, q)
	contract(out[:3], d, w)
}

// MetricJacobian writes ∂G_ij/∂q_k to out[(3i+j)·3+k]. The entries that are not
// zero are
//
//	∂G_γγ/∂γ = −2/s
//	∂G_γα/∂α = 2d
//	∂G_αα/∂α = 4φd − 2φd (T − 1 + a + b − 2)
//	∂G_ββ/∂β = −2(2T − 1)/β³
func (m *SVAuthors) MetricJacobian(out, q []float64) {
	T := float64(len(m.x))
	s, phi, d, beta := m.params(q)
	clear(out[:27])
	out[(3*0+0)*3+0] = -4 * svNu * svTau2 / s
	out[(3*0+1)*3+1] = float64(2 * d)
	out[(3*1+0)*3+1] = float64(2 * d)
	out[(3*1+1)*3+1] = float64(4*phi*d) - float64(2*phi*d*(T-1+svA+svB-2))
	out[(3*2+2)*3+2] = -2 * (float64(2*T) - 1) / (beta * beta * beta)
	if math.IsNaN(beta) {
		fill(out[:27], beta)
	}
}

// Constrain writes (σ, φ, β) to x[3].
func (m *SVAuthors) Constrain(x, q []float64) {
	x[0], x[1], x[2] = elementary.Exp(q[0]), elementary.Tanh(q[1]), q[2]
}

// Unconstrain writes (log σ, atanh φ, β) to q[3]. It returns an error that
// names the first parameter outside σ > 0, −1 < φ < 1, β > 0.
func (m *SVAuthors) Unconstrain(q, x []float64) error {
	switch {
	case !(x[0] > 0) || math.IsInf(x[0], 1):
		return outside(&m.info, 0, x[0], "a positive number")
	case !(math.Abs(x[1]) < 1):
		return outside(&m.info, 1, x[1], "between -1 and 1")
	case !(x[2] > 0) || math.IsInf(x[2], 1):
		return outside(&m.info, 2, x[2], "a positive number")
	}
	q[0], q[1], q[2] = elementary.Log(x[0]), float64(0.5*atanhTwice(x[1])), x[2]
	return nil
}

// Clone returns a copy of m that shares the data.
func (m *SVAuthors) Clone() runtime.Model { c := *m; return &c }
