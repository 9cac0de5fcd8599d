package handwritten

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/elementary"
)

// funnelScale is the standard deviation of v.
const funnelScale = 3

// Funnel is Neal's funnel with the orientation of Brofos & Lederman (2021,
// section 5):
//
//	v ~ N(0, 3)
//	x_i ~ N(0, e^{−v/2}), i = 1 … k
//
// with q = (x₁, …, x_k, v). The metric is the SoftAbs (Betancourt 2013) of the
// Hessian H of L: with H = U diag(λ) Uᵀ,
//
//	G = U diag(ψ(λ)) Uᵀ, ψ(λ) = λ coth(αλ)
//
// With S = Σ_i x_i² and e = e^v, the entries of H that are not zero are
//
//	H_{x_i x_i} = −e    H_{x_i v} = −e x_i    H_vv = −1/9 − ½ e S
type Funnel struct {
	k     int
	alpha float64
	info  runtime.Info
}

var _ runtime.Model = (*Funnel)(nil)

// NewFunnel returns the funnel with k ≥ 1 coordinates x and the sharpness
// alpha > 0 of the SoftAbs function, which tends to |λ| as alpha grows.
func NewFunnel(k int, alpha float64) (*Funnel, error) {
	if k < 1 {
		return nil, fmt.Errorf("funnel: k = %d", k)
	}
	if err := positive("alpha", alpha); err != nil {
		return nil, fmt.Errorf("funnel: %w", err)
	}
	return &Funnel{
		k: k, alpha: alpha,
		info: runtime.Info{Name: "funnel", Params: []runtime.Param{
			{Name: "x", Shape: []int{k}}, {Name: "v"},
		}},
	}, nil
}

// Info describes the model.
func (f *Funnel) Info() *runtime.Info { return &f.info }

// sumSquares returns S = Σ_i x_i².
func (f *Funnel) sumSquares(q []float64) float64 {
	s := 0.0
	for _, x := range q[:f.k] {
		s += float64(x * x)
	}
	return s
}

// LogDensity returns
//
//	L = −½ e^v S + ½ k v − ½ k log 2π − v²/18 − log 3 − ½ log 2π
func (f *Funnel) LogDensity(q []float64) float64 {
	k, v := float64(f.k), q[f.k]
	return float64(-elementary.Exp(v)*f.sumSquares(q)/2) + float64(k*v/2) - float64(k*logSqrt2Pi) -
		v*v/(2*funnelScale*funnelScale) - elementary.Log(funnelScale) - logSqrt2Pi
}

// Gradient writes
//
//	∂L/∂x_i = −e^v x_i    ∂L/∂v = −½ e^v S + ½ k − v/9
//
// to grad[k+1] and returns L.
func (f *Funnel) Gradient(grad, q []float64) float64 {
	v := q[f.k]
	e := elementary.Exp(v)
	for i, x := range q[:f.k] {
		grad[i] = float64(-e * x)
	}
	grad[f.k] = float64(-e*f.sumSquares(q)/2) + float64(float64(f.k)/2) - v/(funnelScale*funnelScale)
	return f.LogDensity(q)
}

// hessian returns H.
func (f *Funnel) hessian(q []float64) *mat.SymDense {
	k, e := f.k, elementary.Exp(q[f.k])
	h := mat.NewSymDense(k+1, nil)
	for i, x := range q[:k] {
		h.SetSym(i, i, -e)
		h.SetSym(i, k, float64(-e*x))
	}
	h.SetSym(k, k, -1.0/(funnelScale*funnelScale)-float64(e*f.sumSquares(q)/2))
	return h
}

// hessianDerivative returns ∂H/∂q_d. The entries that are not zero are
//
//	∂H_{x_d v}/∂x_d = −e      ∂H_vv/∂x_d = −e x_d
//	∂H_{x_i x_i}/∂v = −e      ∂H_{x_i v}/∂v = −e x_i      ∂H_vv/∂v = −½ e S
func (f *Funnel) hessianDerivative(q []float64, d int) *mat.SymDense {
	k, e := f.k, elementary.Exp(q[f.k])
	h := mat.NewSymDense(k+1, nil)
	if d < k {
		h.SetSym(d, k, -e)
		h.SetSym(k, k, float64(-e*q[d]))
		return h
	}
	for i, x := range q[:k] {
		h.SetSym(i, i, -e)
		h.SetSym(i, k, float64(-e*x))
	}
	h.SetSym(k, k, float64(-e*f.sumSquares(q)/2))
	return h
}

// eigen returns the eigenvalues and eigenvectors (in columns) of H, or false
// where H is not finite.
func (f *Funnel) eigen(q []float64) (lambda []float64, u *mat.Dense, ok bool) {
	h := f.hessian(q)
	if finite("H", h.RawSymmetric().Data) != nil {
		return nil, nil, false
	}
	var es mat.EigenSym
	if !es.Factorize(h, true) {
		return nil, nil, false
	}
	u = new(mat.Dense)
	es.VectorsTo(u)
	return es.Values(nil), u, true
}

// Metric writes G = U diag(ψ(λ)) Uᵀ to g[(k+1)²], or NaN where H is not
// finite.
func (f *Funnel) Metric(g, q []float64) {
	m := f.k + 1
	lambda, u, ok := f.eigen(q)
	if !ok {
		fill(g[:m*m], math.NaN())
		return
	}
	for i := range m {
		for j := range m {
			s := 0.0
			for a := range m {
				s += float64(u.At(i, a) * softAbs(lambda[a], f.alpha) * u.At(j, a))
			}
			g[i*m+j] = s
		}
	}
}

// Contract writes Σ_ij W_ij ∂G_ij/∂q_d to out[k+1].
func (f *Funnel) Contract(out, q, w []float64) {
	m := f.k + 1
	d := make([]float64, m*m*m)
	f.MetricJacobian(d, q)
	contract(out[:m], d, w)
}

// MetricJacobian writes
//
//	∂G/∂q_d = U (J ∘ (Uᵀ ∂H/∂q_d U)) Uᵀ, J_ab = (ψ(λ_a) − ψ(λ_b))/(λ_a − λ_b)
//
// (Betancourt 2013, after Daleckiĭ & Kreĭn) to out[(i·m+j)·m+d], m = k+1, or
// NaN where H is not finite. Where eigenvalues meet, as k − 1 of them do
// everywhere, J is the limit ψ'(λ).
func (f *Funnel) MetricJacobian(out, q []float64) {
	m := f.k + 1
	lambda, u, ok := f.eigen(q)
	if !ok {
		fill(out[:m*m*m], math.NaN())
		return
	}
	var t, dg mat.Dense
	for d := range m {
		t.Product(u.T(), f.hessianDerivative(q, d), u)
		for a := range m {
			for b := range m {
				t.Set(a, b, float64(softAbsQuotient(lambda[a], lambda[b], f.alpha)*t.At(a, b)))
			}
		}
		dg.Product(u, &t, u.T())
		for i := range m {
			for j := range m {
				// The halves of a symmetric matrix differ by rounding.
				out[(i*m+j)*m+d] = float64((dg.At(i, j) + dg.At(j, i)) / 2)
			}
		}
	}
}

// Constrain copies q[k+1] to x[k+1].
func (f *Funnel) Constrain(x, q []float64) { copy(x, q) }

// Unconstrain copies x[k+1] to q[k+1]. It returns an error that names the
// first parameter that is not finite.
func (f *Funnel) Unconstrain(q, x []float64) error { return unconstrain(&f.info, q, x) }

// Clone returns a copy of f.
func (f *Funnel) Clone() runtime.Model { c := *f; return &c }
