package interpret

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// softAbs is the map H ↦ Q ψ(Λ) Qᵀ + shift·I, ψ(λ) = λ coth(αλ) (Betancourt 2013), and
// its derivative, straight from the definitions.
type softAbs struct {
	n           int
	alpha       float64
	lambda, psi []float64
	q           mat.Dense
}

func init() {
	images["SoftAbs"], images["SoftAbs in closed form"] = softAbsAt, softAbsAt
}

// softAbsImage is the image of the Hessian at q.
type softAbsImage struct {
	*softAbs
	m *Model
	q []float64
}

func softAbsAt(m *Model, q []float64) image {
	h := make([]float64, m.dim*m.dim)
	m.base(h, q)
	return softAbsImage{newSoftAbs(h, m.dim, m.set[0], m.set[1]), m, q}
}

func (s softAbsImage) mapJacobian(out []float64) {
	slice := make([]float64, s.n*s.n)
	for k := range s.n {
		for i := range slice {
			slice[i] = out[i*s.n+k]
		}
		for i, v := range s.weights(slice) {
			out[i*s.n+k] = v
		}
	}
}

func (s softAbsImage) addCurvature(out, w []float64) {
	jac := make([]float64, s.n*s.n*s.n)
	s.m.jacobian(jac, s.q)
	s.softAbs.addCurvature(out, jac, w)
}

func newSoftAbs(h []float64, n int, alpha, shift float64) *softAbs {
	s := &softAbs{n: n, alpha: alpha, lambda: make([]float64, n), psi: make([]float64, n)}
	var eig mat.EigenSym
	finite := true
	for _, v := range h {
		finite = finite && v-v == 0
	}
	if !finite || !eig.Factorize(mat.NewSymDense(n, append([]float64(nil), h...)), true) {
		for i := range s.psi {
			s.lambda[i], s.psi[i] = math.NaN(), math.NaN()
		}
		s.q = *mat.NewDense(n, n, nil)
		return s
	}
	eig.Values(s.lambda)
	eig.VectorsTo(&s.q)
	for i, l := range s.lambda {
		s.psi[i] = psi(l, alpha) + shift
	}
	return s
}

func psi(l, alpha float64) float64 {
	x := alpha * l
	if math.Abs(x) < 1e-4 {
		return (1 + x*x/3) / alpha
	}
	return l / elementary.Tanh(x)
}

// slope is ψ'(λ) = coth(x) − x/sinh²(x), x = αλ.
func slope(l, alpha float64) float64 {
	x := alpha * l
	switch {
	case math.Abs(x) < 1e-3:
		return 2 * x / 3 * (1 - x*x/15*2)
	case math.Abs(x) > 300:
		return math.Copysign(1, x)
	}
	sh := elementary.Sinh(x)
	return 1/elementary.Tanh(x) - x/(sh*sh)
}

// metric writes G.
func (s *softAbs) metric(g []float64) {
	for i := range s.n {
		for j := range s.n {
			v := 0.0
			for k := range s.n {
				v += s.q.At(i, k) * s.psi[k] * s.q.At(j, k)
			}
			g[i*s.n+j] = v
		}
	}
}

// weights returns M = Q (J ∘ QᵀWQ) Qᵀ with J_ij = (ψ_i − ψ_j)/(λ_i − λ_j).
func (s *softAbs) weights(w []float64) []float64 {
	n := s.n
	var a, b mat.Dense
	a.Mul(mat.NewDense(n, n, append([]float64(nil), w...)), &s.q)
	b.Mul(s.q.T(), &a)
	for i := range n {
		for j := range n {
			li, lj := s.lambda[i], s.lambda[j]
			var k float64
			if d := li - lj; math.Abs(d) > 1e-6*(math.Abs(li)+math.Abs(lj)) {
				k = (s.psi[i] - s.psi[j]) / d
			} else {
				k = slope(0.5*(li+lj), s.alpha)
			}
			b.Set(i, j, b.At(i, j)*k)
		}
	}
	a.Mul(&s.q, &b)
	b.Mul(&a, s.q.T())
	out := make([]float64, n*n)
	for i := range n {
		for j := range n {
			out[i*n+j] = b.At(i, j)
		}
	}
	return out
}

// addCurvature adds ½⟨W, D²ψ(H)[∂_kH, ∂_lH]⟩ to out, with ∂H_ij/∂q_k in jac[(i·n+j)·n+k]:
// by the theorem of Daleckii and Krein, in the eigenvectors' frame,
//
//	D²ψ[X, Y]_ij = Σ_m ψ[λ_i, λ_m, λ_j] (X_im Y_mj + Y_im X_mj).
func (s *softAbs) addCurvature(out, jac, w []float64) {
	n := s.n
	rotate := func(a []float64) *mat.Dense {
		var t, r mat.Dense
		t.Mul(mat.NewDense(n, n, append([]float64(nil), a...)), &s.q)
		r.Mul(s.q.T(), &t)
		return &r
	}
	slices := make([]*mat.Dense, n)
	one := make([]float64, n*n)
	for k := range n {
		for i := range one {
			one[i] = jac[i*n+k]
		}
		slices[k] = rotate(one)
	}
	v := rotate(w)
	// ½ (QᵀWQ)_ij ψ[λ_i, λ_m, λ_j], once: each is an integral, and there are n² pairs of directions.
	weights := make([]float64, 0, n*n*n)
	for i := range n {
		for j := range n {
			for m := range n {
				weights = append(weights, 0.5*v.At(i, j)*s.second(s.lambda[i], s.lambda[m], s.lambda[j]))
			}
		}
	}
	for k := range n {
		for l := range n {
			x, y, sum := slices[k], slices[l], 0.0
			for i := range n {
				for j := range n {
					for m, d := range weights[(i*n+j)*n:][:n] {
						sum += d * (x.At(i, m)*y.At(m, j) + y.At(i, m)*x.At(m, j))
					}
				}
			}
			out[k*n+l] += sum
		}
	}
}

// second is the divided difference ψ[a, b, c]: where the arguments are close, by the integral of
// Genocchi and Hermite,
//
//	ψ[a, b, c] = ∫₀¹ ∫₀¹ u ψ″(a + u (b − a) + u v (c − b)) dv du.
func (s *softAbs) second(a, b, c float64) float64 {
	lo, hi := min(a, b, c), max(a, b, c)
	mid := max(min(a, b), min(max(a, b), c))
	if d := hi - lo; s.alpha*d > 1 {
		return (s.first(hi, mid) - s.first(mid, lo)) / d
	}
	return unitIntegral(func(u float64) float64 {
		return u * unitIntegral(func(v float64) float64 {
			x := s.alpha * (lo + u*(mid-lo) + u*v*(hi-mid))
			switch {
			case math.Abs(x) < 1e-2:
				return 2 * s.alpha * (1./3 - 2./15*x*x + 2./63*x*x*x*x)
			case math.Abs(x) > 300:
				return 0
			}
			sh := elementary.Sinh(x)
			return 2 * s.alpha * (x/elementary.Tanh(x) - 1) / (sh * sh)
		})
	})
}

// first is the divided difference ψ[a, b] = ∫₀¹ ψ′(b + u (a − b)) du.
func (s *softAbs) first(a, b float64) float64 {
	if d := a - b; s.alpha*math.Abs(d) > 1 {
		return (psi(a, s.alpha) - psi(b, s.alpha)) / d
	}
	return unitIntegral(func(u float64) float64 { return slope(b+u*(a-b), s.alpha) })
}

// unitIntegral integrates over the unit interval, by the rule of Gauss and Legendre.
func unitIntegral(f func(float64) float64) float64 {
	return quad.Fixed(f, 0, 1, 12, quad.Legendre{}, 0)
}
