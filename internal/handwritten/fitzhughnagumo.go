package handwritten

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hamc-dev/hamc/runtime"
)

// FitzHughNagumo is the posterior of a differential equation (Brofos &
// Lederman 2021, section 5, after Ramsay et al. 2007):
//
//	v' = c (v − v³/3 + r)        r' = −(v − a + b r)/c
//	y_n ~ N((v, r)(t_n), σ) in each component, n = 1 … N
//	a, b, c ~ N(0, 1)
//
// with the state (v, r) known at time 0, q = θ = (a, b, c) and, as metric, the
// Fisher information of the likelihood plus the precision of the prior: with
// S_k = ∂(v, r)/∂θ_k,
//
//	G_kl = 1/σ² Σ_n S_k(t_n)·S_l(t_n) + δ_kl
//
// The derivatives of G take R_kl = ∂²(v, r)/∂θ_k∂θ_l. With z = (v, r) and
// z' = f(z, θ), these sensitivities solve
//
//	S_k'  = f_z S_k + f_k
//	R_kl' = f_z R_kl + f_zz[S_k, S_l] + f_zl S_k + f_zk S_l + f_kl
//
// from zero, where the subscripts k and l of f are derivatives by θ.
type FitzHughNagumo struct {
	t      []float64
	y      []float64 // N × 2, row-major
	state0 []float64
	sigma  float64
	info   runtime.Info

	last     []float64 // the q of solution
	solution [][]float64
}

var _ runtime.Model = (*FitzHughNagumo)(nil)

// fhnStep is the longest step of the solution. Near the parameters of the
// paper it leaves errors below 1e-12 of the largest value.
const fhnStep = 0.06

// Where the solution holds what: v and r in 0 and 1, and
//
//	S_k in first + 2k, first + 2k + 1
//	R_kl in second + 2 pair[k][l], second + 2 pair[k][l] + 1
const (
	fhnFirst  = 2
	fhnSecond = 8
	fhnSize   = 20
)

var fhnPair = [3][3]int{{0, 1, 2}, {1, 3, 4}, {2, 4, 5}}

// NewFitzHughNagumo returns the posterior for the observations y[n] = (v, r) at
// times t[n] ≥ 0 in ascending order, the state at time 0 and the standard
// deviation σ. It returns an error if shapes or times are not so, if a value
// is not finite, or if σ is not positive.
func NewFitzHughNagumo(t []float64, y [][]float64, state0 []float64, sigma float64) (*FitzHughNagumo, error) {
	err := errors.Join(odeData(t, y), finite("state0", state0), positive("sigma", sigma))
	if err == nil && len(state0) != 2 {
		err = fmt.Errorf("a state of %d elements", len(state0))
	}
	if err != nil {
		return nil, fmt.Errorf("fitzhugh-nagumo: %w", err)
	}
	return &FitzHughNagumo{
		t: slices.Clone(t), y: slices.Concat(y...), state0: slices.Clone(state0), sigma: sigma,
		info: runtime.Info{Name: "fitzhugh_nagumo", Params: []runtime.Param{{Name: "a"}, {Name: "b"}, {Name: "c"}}},
	}, nil
}

// odeData returns an error unless there is an observation y[n] of two states
// for each of the times t, and these ascend from 0 or later.
func odeData(t []float64, y [][]float64) error {
	if len(t) == 0 || len(y) != len(t) {
		return fmt.Errorf("%d observations at %d times", len(y), len(t))
	}
	now := 0.0
	for n := range t {
		if !(t[n] >= now) {
			return fmt.Errorf("t[%d] = %v comes before %v", n, t[n], now)
		}
		now = t[n]
		if len(y[n]) != 2 {
			return fmt.Errorf("y[%d] has %d elements", n, len(y[n]))
		}
		if err := finite("y", y[n]); err != nil {
			return err
		}
	}
	return finite("t", t)
}

// Info describes the model.
func (m *FitzHughNagumo) Info() *runtime.Info { return &m.info }

// rightHandSide writes the derivative by time of (v, r), S and R to dz.
func (m *FitzHughNagumo) rightHandSide(dz, z, q []float64) {
	a, b, c := q[0], q[1], q[2]
	v, r := z[0], z[1]
	x := v - a + float64(b*r)

	dz[0] = float64(c * (v - v*v*v/3 + r))
	dz[1] = -x / c

	fz := [2][2]float64{
		{float64(c * (1 - float64(v*v))), c},
		{-1 / c, -b / c},
	}
	fk := [3][2]float64{
		{0, 1 / c},
		{0, -r / c},
		{v - v*v*v/3 + r, x / (c * c)},
	}
	fzk := [3][2][2]float64{
		{},
		{{0, 0}, {0, -1 / c}},
		{{1 - float64(v*v), 1}, {1 / (c * c), b / (c * c)}},
	}
	fkl := [3][3][2]float64{
		{{}, {}, {0, -1 / (c * c)}},
		{{}, {}, {0, r / (c * c)}},
		{{0, -1 / (c * c)}, {0, r / (c * c)}, {0, -2 * x / (c * c * c)}},
	}

	for k := range 3 {
		sk := z[fhnFirst+2*k:]
		for i := range 2 {
			dz[fhnFirst+2*k+i] = float64(fz[i][0]*sk[0]) + float64(fz[i][1]*sk[1]) + fk[k][i]
		}
		for l := k; l < 3; l++ {
			sl, at := z[fhnFirst+2*l:], fhnSecond+2*fhnPair[k][l]
			for i := range 2 {
				dz[at+i] = float64(fz[i][0]*z[at]) + float64(fz[i][1]*z[at+1]) +
					float64(fzk[l][i][0]*sk[0]) + float64(fzk[l][i][1]*sk[1]) +
					float64(fzk[k][i][0]*sl[0]) + float64(fzk[k][i][1]*sl[1]) +
					fkl[k][l][i]
			}
			// Of f_zz one entry is not zero: ∂²f_v/∂v² = −2cv.
			dz[at] += float64(-2 * c * v * sk[0] * sl[0])
		}
	}
}

// solve returns v, r, S and R at each of the times t. It remembers the last
// solution: dynamics ask for L, G and their derivatives at the same q.
func (m *FitzHughNagumo) solve(q []float64) [][]float64 {
	if !slices.Equal(q, m.last) {
		z0 := make([]float64, fhnSize)
		copy(z0, m.state0)
		m.solution = solveODE(func(dz, z []float64) { m.rightHandSide(dz, z, q) }, z0, m.t, fhnStep)
		m.last = slices.Clone(q)
	}
	return m.solution
}

// LogDensity returns
//
//	L = Σ_n Σ_i [−½ ((y_ni − z_i(t_n))/σ)²] − 2N (log σ + ½ log 2π) − Σ_k [½ θ_k² + ½ log 2π]
func (m *FitzHughNagumo) LogDensity(q []float64) float64 { return m.Gradient(make([]float64, 3), q) }

// Gradient writes ∂L/∂θ_k = Σ_n Σ_i (y_ni − z_i(t_n)) S_ki(t_n)/σ² − θ_k to
// grad[3] and returns L.
func (m *FitzHughNagumo) Gradient(grad, q []float64) float64 {
	l := 0.0
	for k := range 3 {
		l += logNormalDensity(q[k], 0, 1)
		grad[k] = -q[k]
	}
	for n, z := range m.solve(q) {
		for i := range 2 {
			l += logNormalDensity(m.y[2*n+i], z[i], m.sigma)
			for k := range 3 {
				grad[k] += (m.y[2*n+i] - z[i]) * z[fhnFirst+2*k+i] / (m.sigma * m.sigma)
			}
		}
	}
	return l
}

// Metric writes G to g[9].
func (m *FitzHughNagumo) Metric(g, q []float64) {
	copy(g, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1})
	for _, z := range m.solve(q) {
		for k := range 3 {
			for l := range 3 {
				for i := range 2 {
					g[3*k+l] += z[fhnFirst+2*k+i] * z[fhnFirst+2*l+i] / (m.sigma * m.sigma)
				}
			}
		}
	}
}

// Contract writes Σ_kl W_kl ∂G_kl/∂θ_j to out[3].
func (m *FitzHughNagumo) Contract(out, q, w []float64) {
	d := make([]float64, 27)
	m.MetricJacobian(d, q)
	contract(out[:3], d, w)
}

// MetricJacobian writes
//
//	∂G_kl/∂θ_j = 1/σ² Σ_n [R_kj(t_n)·S_l(t_n) + S_k(t_n)·R_lj(t_n)]
//
// to out[(3k+l)·3+j].
func (m *FitzHughNagumo) MetricJacobian(out, q []float64) {
	clear(out[:27])
	for _, z := range m.solve(q) {
		first := func(k, i int) float64 { return z[fhnFirst+2*k+i] }
		second := func(k, j, i int) float64 { return z[fhnSecond+2*fhnPair[k][j]+i] }
		for k := range 3 {
			for l := range 3 {
				for j := range 3 {
					for i := range 2 {
						out[(3*k+l)*3+j] += (float64(second(k, j, i)*first(l, i)) + float64(first(k, i)*second(l, j, i))) / (m.sigma * m.sigma)
					}
				}
			}
		}
	}
}

// Constrain copies q[3] to x[3].
func (m *FitzHughNagumo) Constrain(x, q []float64) { copy(x, q) }

// Unconstrain copies x[3] to q[3]. It returns an error if a parameter is not
// finite.
func (m *FitzHughNagumo) Unconstrain(q, x []float64) error { return unconstrain(&m.info, q, x) }

// Clone returns a copy of m that shares the data.
func (m *FitzHughNagumo) Clone() runtime.Model { c := *m; return &c }
