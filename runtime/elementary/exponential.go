package elementary

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/kernel"
)

// seriesTo is the largest |x| at which Expm1 sums the series of eˣ.
const seriesTo = 0.25

// Expm1 returns eˣ − 1, accurately also for small x. Its steps are those of Tang
// (ACM Transactions on Mathematical Software 18, 1992): near 0 the series, elsewhere
// eˣ in two parts, of which 1 is taken.
func Expm1(x float64) float64 {
	switch a := math.Abs(x); {
	case a < seriesTo:
		if a < 0x1p-54 {
			return x // also −0
		}
		z := float64(x * x)
		// Σ_k xᵏ/(k+3)!, even and odd powers apart
		even := 1.0/6 + float64(z*(1.0/120+float64(z*(1.0/5040+float64(z*(1.0/362880+float64(z*(1.0/39916800+float64(z*(1.0/6227020800))))))))))
		odd := 1.0/24 + float64(z*(1.0/720+float64(z*(1.0/40320+float64(z*(1.0/3628800+float64(z*(1.0/479001600))))))))
		return x + (float64(0.5*z) + float64(float64(z*x)*(even+float64(x*odd))))
	case !(x < 700):
		return kernel.ExpOf(x) // NaN and +Inf too
	case x < -40:
		return -1
	}
	h, y, k := kernel.ExpParts(x)
	h, y = kernel.Scale(h, k), kernel.Scale(y, k)
	s := h - 1
	b := s + 1
	e := (h - b) - (1 - (b - s)) // s + e = h − 1
	return s + (y + e)
}

// Sinh returns the hyperbolic sine of x: the series for |x| < 1, else (eˣ − e⁻ˣ)/2
// with eˣ in two parts.
func Sinh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case a < 1:
		if a < 0x1p-28 {
			return x
		}
		z := float64(x * x)
		return x + float64(float64(x*z)*horner(sinhSeries[:], z))
	case !(a < 40):
		return math.Copysign(halfExp(a), x)
	}
	h, l, q := expBoth(a)
	s := h - q
	return math.Copysign(float64(0.5*(s+(((h-s)-q)+l))), x)
}

// Cosh returns the hyperbolic cosine of x, (eˣ + e⁻ˣ)/2 with eˣ in two parts.
func Cosh(x float64) float64 {
	a := math.Abs(x)
	if !(a < 40) {
		return halfExp(a)
	}
	h, l, q := expBoth(a)
	s := h + q
	return float64(0.5 * (s + (((h - s) + q) + l)))
}

// Tanh returns the hyperbolic tangent of x: (e²ˣ − 1)/(e²ˣ + 1) from the series of
// e²ˣ for small |x|, else 1 − 2/(e²ˣ + 1), with e²ˣ in two parts.
func Tanh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case a < 0x1p-28 || a != a:
		return x
	case a < 0.5:
		z := float64(x * x)
		s := horner(sinhSeries[:], z) // sinh = x + x z s, cosh = 1 + z c
		c := horner(coshSeries[:], z)
		// tanh − x = x z (s − c)/(1 + z c)
		return x + float64(float64(x*z)*(s-c))/(1+float64(z*c))
	case a > 22:
		return math.Copysign(1, x)
	}
	h, y, _ := kernel.ExpParts(float64(2 * a))
	h, y = h+y, (h-(h+y))+y
	d := h + 1
	e := ((h - (d - 1)) - (1 - (d - (d - 1)))) + y // d + e = e²ˣ + 1
	q := 2 / d
	q -= float64(float64(e/d) * q)
	return math.Copysign(1-q, x)
}

// sinhSeries holds 1/21!, …, 1/5!, 1/3!, and coshSeries 1/20!, …, 1/4!, 1/2!.
var (
	sinhSeries = [...]float64{1.0 / 51090942171709440000, 1.0 / 121645100408832000, 1.0 / 355687428096000, 1.0 / 1307674368000,
		1.0 / 6227020800, 1.0 / 39916800, 1.0 / 362880, 1.0 / 5040, 1.0 / 120, 1.0 / 6}
	coshSeries = [...]float64{1.0 / 2432902008176640000, 1.0 / 6402373705728000, 1.0 / 20922789888000, 1.0 / 87178291200,
		1.0 / 479001600, 1.0 / 3628800, 1.0 / 40320, 1.0 / 720, 1.0 / 24, 1.0 / 2}
)

// expBoth returns eᵃ = h + l and e⁻ᵃ = q, for 0 ≤ a < 40. A part of q's rounding
// error is lost where q is near h.
func expBoth(a float64) (h, l, q float64) {
	h, y, _ := kernel.ExpParts(a)
	s := h + y
	l = (h - s) + y
	q = 1 / s
	return s, l, q - float64(float64(l*q)*q)
}

// halfExp returns eᵃ/2 for a ≥ 40, +Inf and NaN, without overflow of eᵃ.
func halfExp(a float64) float64 {
	if a < 700 {
		return float64(0.5 * kernel.ExpOf(a))
	}
	if !(a < 711) {
		return float64(a * 0x1p1023) // overflow; NaN
	}
	h, y, k := kernel.ExpParts(a)
	return kernel.Scale(h+y, k-1)
}
