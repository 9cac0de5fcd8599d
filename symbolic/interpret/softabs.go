package interpret

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// softAbs is the map H ↦ Q ψ(Λ) Qᵀ + shift·I, ψ(λ) = λ coth(αλ) (Betancourt 2013), and
// its derivative, straight from the definitions.
type softAbs struct {
	n           int
	alpha       float64
	lambda, psi []float64
	q           mat.Dense
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
	return l / math.Tanh(x)
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
	sh := math.Sinh(x)
	return 1/math.Tanh(x) - x/(sh*sh)
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
