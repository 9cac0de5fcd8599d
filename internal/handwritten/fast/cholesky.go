package fast

import "math"

// triangle is a lower triangular matrix, or the lower half of a symmetric one.
// What lies above the diagonal is never read.
type triangle [LogisticK][LogisticK]float64

// factor makes t the Cholesky factor of I + A, with A given by its lower
// triangle row by row, and writes the reciprocals of the diagonal of t, which
// itself is left out, to pivot. It reports false at a pivot that is not
// positive and finite.
func (t *triangle) factor(pivot *[LogisticK]float64, a *[pairs]float64) bool {
	c := 0
	for i := range t {
		ti := &t[i]
		for j := 0; j < i; j++ {
			tj := &t[j]
			s := a[c]
			c++
			for k := 0; k < j; k++ {
				s -= ti[k] * tj[k]
			}
			ti[j] = s * pivot[j]
		}
		s := a[c] + 1
		c++
		for k := 0; k < i; k++ {
			s -= ti[k] * ti[k]
		}
		if !(s > 0 && s <= math.MaxFloat64) {
			return false
		}
		pivot[i] = 1 / math.Sqrt(s)
	}
	return true
}

// inverse makes w the lower half of (L Lᵀ)⁻¹ = L⁻ᵀL⁻¹, with L and pivot from
// factor.
func (w *triangle) inverse(l *triangle, pivot *[LogisticK]float64) {
	var m triangle // L⁻¹
	for i := range l {
		li, mi := &l[i], &m[i]
		for k := 0; k < i; k++ {
			v, mk := li[k], &m[k]
			for j := 0; j <= k; j++ {
				mi[j] -= v * mk[j]
			}
		}
		for j := 0; j < i; j++ {
			mi[j] *= pivot[i]
		}
		mi[i] = pivot[i]
	}
	*w = triangle{}
	for k := range m {
		mk := &m[k]
		for i := 0; i <= k; i++ {
			v, wi := mk[i], &w[i]
			for j := 0; j <= i; j++ {
				wi[j] += v * mk[j]
			}
		}
	}
}

// mulVec writes W p to v, for the symmetric W whose lower half w is.
func (w *triangle) mulVec(v, p *[LogisticK]float64) {
	for i := range w {
		wi := &w[i]
		s := 0.0
		for j := 0; j < i; j++ {
			s += wi[j] * p[j]
			v[j] += wi[j] * p[i]
		}
		v[i] = s + wi[i]*p[i]
	}
}

// solve writes (L Lᵀ)⁻¹p to v, with L = l and pivot from factor.
func (l *triangle) solve(v, pivot, p *[LogisticK]float64) {
	for i := range l {
		li := &l[i]
		s := p[i]
		for j := 0; j < i; j++ {
			s -= li[j] * v[j]
		}
		v[i] = s * pivot[i]
	}
	for i := LogisticK - 1; i >= 0; i-- {
		li := &l[i]
		x := v[i] * pivot[i]
		v[i] = x
		for j := 0; j < i; j++ {
			v[j] -= li[j] * x
		}
	}
}
