package linalg

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// point is an eigenvalue λ with what the function ψ(λ) = λ coth(αλ) needs
// there. With t = α|λ|,
//
//	α ψ = t coth t = t + D(t),  D(t) = 2t / (e²ᵗ − 1),
//
// a sum of positive terms, of which D falls from 1 to 0.
type point struct {
	size     float64 // |λ|
	negative bool    // λ < 0
	t        float64 // α|λ|
	decay    float64 // D(t)
	fall     float64 // e⁻²ᵗ
}

// hard is the t from which on t coth t is t to double precision, with a wide
// margin also for divided differences: 4t e⁻²ᵗ < 2e-20.
const hard = 25

// newPoint returns the point of λ.
func newPoint(lambda, alpha float64) point {
	p := point{size: math.Abs(lambda), negative: lambda < 0}
	p.t = float64(alpha * p.size)
	switch {
	case p.t == 0:
		p.decay, p.fall = 1, 1
	case !(p.t > hard):
		p.decay, p.fall = 2*p.t/elementary.Expm1(float64(2*p.t)), elementary.Exp(float64(-2*p.t))
	}
	return p
}

// dividedDifference returns J = (ψ(λ) − ψ(μ)) / (λ − μ), or ψ′(λ) if λ = μ,
// with a relative error below 2e-15 for any two λ and μ, however close.
// The quotient as it stands would lose all digits when eigenvalues meet, which
// for some models happens at every position.
//
// ψ is even and grows with |λ|. So |J| is the slope for |λ|, |μ|, if λ and μ
// have the same sign; else it is smaller by (|λ| − |μ|) / (|λ| + |μ|).
func dividedDifference(p, q *point, alpha float64) float64 {
	if p.size < q.size {
		p, q = q, p
	}
	d := p.size - q.size
	j := slope(p, q, float64(alpha*d))
	if p.negative != q.negative && q.size > 0 {
		j = float64(j * (d / (p.size + q.size)))
	}
	if p.negative {
		return -j
	}
	return j
}

// slope returns the divided difference of f(t) = t coth t at x = p.t and
// y = q.t, where x ≥ y ≥ 0 and d is x − y free of cancellation.
func slope(p, q *point, d float64) float64 {
	x, y := p.t, q.t
	switch {
	case y > hard:
		return 1
	case x <= 0.75:
		// f(t) = Σ c_k t²ᵏ, so the slope is (x + y) Σ c_k h_k−1 with the
		// sums h_k of all products of k factors x² or y².
		xx, yy := float64(x*x), float64(y*y)
		h, power, sum := 1.0, 1.0, 0.0
		for _, c := range cothSeries {
			sum += float64(c * h)
			power = float64(power * (yy))
			h = float64(h*xx) + float64(power)
		}
		return float64((x + y) * sum)
	case d >= 0.5*x:
		// Far apart: as it stands, but without the linear part of f.
		return 1 - (q.decay-p.decay)/d
	}
	// With cosh and sinh of x ± y the difference of the cotangents becomes
	//
	//	(sinh s − s sinh(d)/d) / (2 sinh x sinh y),  s = x + y,
	//
	// where d → 0 cancels nothing; times 2e⁻ˢ above and below.
	s := x + y
	ratio := 2.0 // (1 − e⁻²ᵈ) / d
	if d > 0 {
		ratio = -elementary.Expm1(float64(-2*d)) / d
	}
	return (1 - float64(p.fall*q.fall) - float64(s*q.fall*ratio)) / ((1 - p.fall) * (1 - q.fall))
}

// cothSeries holds c_k = 2²ᵏ B₂ₖ / (2k)!, k = 1, 2, …: t coth t = Σ c_k t²ᵏ.
var cothSeries = [...]float64{
	0.3333333333333333,
	-0.022222222222222223,
	0.0021164021164021165,
	-0.00021164021164021165,
	2.1377799155576935e-05,
	-2.1644042808063972e-06,
	2.1925947851873778e-07,
	-2.2214608789979678e-08,
	2.2507846516808994e-09,
	-2.2805151204592183e-10,
	2.3106432599002624e-11,
	-2.3411706819824882e-12,
	2.3721017400233653e-13,
	-2.4034415333307705e-14,
	2.4351954029183367e-15,
	-2.4673688045172075e-16,
}
