package handwritten

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/elementary"
)

// LotkaVolterra is the posterior hudson_lynx_hare-lotka_volterra of posteriordb:
//
//	u' = (α − βv) u        v' = (−γ + δu) v        (u, v)(0) = z_init
//	y_nk ~ LogNormal(log z_k(t_n), σ_k)            z = (u, v)
//	y_init,k ~ LogNormal(log z_init,k, σ_k)
//	α, γ ~ N(1, ½)      β, δ ~ N(0.05, 0.05)
//	σ_k ~ LogNormal(−1, 1)      z_init,k ~ LogNormal(log 10, 1)
//
// with all parameters positive, in the order θ = (α, β, γ, δ), z_init, σ, and q
// their logarithms. The densities of α to δ are not renormalised for their
// bound. L has the log-Jacobian Σ_j q_j. The metric is the identity.
type LotkaVolterra struct {
	identity
	t     []float64
	y     []float64 // N × 2, row-major
	yInit []float64
	info  runtime.Info
}

var _ runtime.Model = (*LotkaVolterra)(nil)

// lvStep is the longest step of the solution, in years.
const lvStep = 0.1

// Indices into the parameters. The solution holds u, v and after them their
// derivatives by the six parameters up to z_init.
const (
	lvAlpha, lvBeta, lvGamma, lvDelta = 0, 1, 2, 3
	lvInit                            = 4
	lvSigma                           = 6
	lvDim                             = 8
)

// NewLotkaVolterra returns the posterior for the observations y[n] = (u, v) at
// times t[n] ≥ 0 in ascending order and yInit at time 0. It returns an error
// if shapes or times are not so, or if an observation is not positive.
func NewLotkaVolterra(t []float64, y [][]float64, yInit []float64) (*LotkaVolterra, error) {
	if err := errors.Join(odeData(t, y), odeData([]float64{0}, [][]float64{yInit})); err != nil {
		return nil, fmt.Errorf("lotka-volterra: %w", err)
	}
	for _, row := range append([][]float64{yInit}, y...) {
		if err := errors.Join(positive("hares", row[0]), positive("lynxes", row[1])); err != nil {
			return nil, fmt.Errorf("lotka-volterra: %w", err)
		}
	}
	return &LotkaVolterra{
		identity: identity{lvDim},
		t:        slices.Clone(t), y: slices.Concat(y...), yInit: slices.Clone(yInit),
		info: runtime.Info{
			Name: "lotka_volterra",
			Params: []runtime.Param{
				{Name: "theta", Shape: []int{4}}, {Name: "z_init", Shape: []int{2}}, {Name: "sigma", Shape: []int{2}},
			},
			Metric: runtime.MetricInfo{Constant: true, Structure: runtime.Diagonal},
		},
	}, nil
}

// Info describes the model. Its metric is constant.
func (m *LotkaVolterra) Info() *runtime.Info { return &m.info }

// rightHandSide writes the derivative by time of (u, v), and of their
// derivatives S_j by parameter j, to dz. With z' = f(z, θ) the latter is
//
//	S_j' = f_z S_j + f_j,    f_z = ⎡ α − βv   −βu     ⎤
//	                               ⎣ δv       −γ + δu ⎦
//
// where f_α = (u, 0), f_β = (−uv, 0), f_γ = (0, −v), f_δ = (0, uv), and those
// by the initial values are zero.
func (m *LotkaVolterra) rightHandSide(dz, z, x []float64) {
	alpha, beta, gamma, delta := x[lvAlpha], x[lvBeta], x[lvGamma], x[lvDelta]
	u, v := z[0], z[1]
	dz[0] = float64((alpha - float64(beta*v)) * u)
	dz[1] = float64((-gamma + float64(delta*u)) * v)
	fj := [lvSigma][2]float64{{u, 0}, {float64(-u * v), 0}, {0, -v}, {0, float64(u * v)}}
	for j := range lvSigma {
		s := z[2+2*j : 4+2*j]
		dz[2+2*j] = float64((alpha-float64(beta*v))*s[0]) - float64(beta*u*s[1]) + fj[j][0]
		dz[3+2*j] = float64(delta*v*s[0]) + float64((-gamma+float64(delta*u))*s[1]) + fj[j][1]
	}
}

// solve returns (u, v) and their derivatives by θ and z_init at each of the
// times t. At time 0 the derivative of z_k by z_init,k is one.
func (m *LotkaVolterra) solve(x []float64) [][]float64 {
	z0 := make([]float64, 2+2*lvSigma)
	copy(z0, x[lvInit:lvSigma])
	for k := range 2 {
		z0[2+2*(lvInit+k)+k] = 1
	}
	return solveODE(func(dz, z []float64) { m.rightHandSide(dz, z, x) }, z0, m.t, lvStep)
}

// LogDensity returns L. With z_0 = z_init and y_0 = y_init it is
//
//	L = Σ_{n ≥ 0} Σ_k [log N(log y_nk; log z_nk, σ_k) − log y_nk] + prior + Σ_j q_j
//	prior = log N(α; 1, ½) + log N(β; 0.05, 0.05) + log N(γ; 1, ½) + log N(δ; 0.05, 0.05)
//	        + Σ_k [log N(log z_init,k; log 10, 1) − log z_init,k + log N(log σ_k; −1, 1) − log σ_k]
func (m *LotkaVolterra) LogDensity(q []float64) float64 {
	return m.Gradient(make([]float64, lvDim), q)
}

// Gradient writes ∂L/∂q_j = x_j ∂L/∂x_j, where x = e^q, to grad[8] and returns
// L. With the residuals e_nk = (log y_nk − log z_nk)/σ_k² the likelihood has
//
//	∂/∂x_j = Σ_n Σ_k e_nk/z_nk ∂z_nk/∂x_j for j in θ and z_init
//	∂/∂σ_k = Σ_n [σ_k e_nk² − 1/σ_k]
func (m *LotkaVolterra) Gradient(grad, q []float64) float64 {
	x := make([]float64, lvDim)
	m.Constrain(x, q)
	byX := make([]float64, lvDim) // ∂L/∂x without the log-Jacobian
	l := 0.0

	for j, prior := range [4]struct{ mu, sigma float64 }{{1, 0.5}, {0.05, 0.05}, {1, 0.5}, {0.05, 0.05}} {
		l += logNormalDensity(x[j], prior.mu, prior.sigma)
		byX[j] += -(x[j] - prior.mu) / (prior.sigma * prior.sigma)
	}
	for k := range 2 {
		i, s := lvInit+k, lvSigma+k
		l += logNormalDensity(q[i], elementary.Log(10), 1) - q[i]
		byX[i] += (-(q[i] - elementary.Log(10)) - 1) / x[i]
		l += logNormalDensity(q[s], -1, 1) - q[s]
		byX[s] += (-(q[s] + 1) - 1) / x[s]
	}

	observed := func(y, z, sensitivities []float64) {
		for k := range 2 {
			sigma := x[lvSigma+k]
			e := (elementary.Log(y[k]) - elementary.Log(z[k])) / (sigma * sigma)
			l += logNormalDensity(elementary.Log(y[k]), elementary.Log(z[k]), sigma) - elementary.Log(y[k])
			for j := range lvSigma {
				byX[j] += float64(e / z[k] * sensitivities[2*j+k])
			}
			byX[lvSigma+k] += float64(sigma*e*e) - 1/sigma
		}
	}
	initial := make([]float64, 2*lvSigma)
	initial[2*lvInit], initial[2*(lvInit+1)+1] = 1, 1
	observed(m.yInit, x[lvInit:lvSigma], initial)
	for n, z := range m.solve(x) {
		observed(m.y[2*n:], z[:2], z[2:])
	}

	for j := range lvDim {
		l += q[j]
		grad[j] = float64(x[j]*byX[j]) + 1
	}
	return l
}

// Constrain writes e^q to x[8].
func (m *LotkaVolterra) Constrain(x, q []float64) {
	for j := range lvDim {
		x[j] = elementary.Exp(q[j])
	}
}

// Unconstrain writes log x to q[8]. It returns an error that names the first
// parameter that is not positive.
func (m *LotkaVolterra) Unconstrain(q, x []float64) error {
	j := 0
	for p := range m.info.Params {
		for range m.info.Params[p].Size() {
			if !(x[j] > 0) || math.IsInf(x[j], 1) {
				return outside(&m.info, p, x[j], "a positive number")
			}
			q[j] = elementary.Log(x[j])
			j++
		}
	}
	return nil
}

// Clone returns a copy of m that shares the data.
func (m *LotkaVolterra) Clone() runtime.Model { c := *m; return &c }
