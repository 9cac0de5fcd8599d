package elementary

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/kernel"
)

// overflow is the largest number whose exponential is finite.
const overflow = 709.782712893384

// series is the bound on |x| up to which expm1, sinh and tanh are polynomials or fractions: for larger
// ones what their sums of exponentials cancel does not count.
const series = 0.35

// plain reports whether |x| ≤ 700, where exponentials are far from both ends of the numbers.
func plain(x float64) bool { return math.Abs(x) <= 700 }

// Expm1 returns eˣ − 1, also for small x.
func Expm1(x float64) float64 {
	switch a := math.Abs(x); {
	case a < series:
		z := float64(x * x)
		c := &expm1Series
		w := float64(z * z)
		even := (c[0] + float64(z*c[2])) + float64(w*((c[4]+float64(z*c[6]))+float64(w*c[8])))
		odd := (c[1] + float64(z*c[3])) + float64(w*((c[5]+float64(z*c[7]))+float64(w*c[9])))
		if a < 0x1p-54 {
			return x // −0, and what z would lose
		}
		return x + (float64(0.5*z) + float64(float64(x*z)*(even+float64(x*odd))))
	case x < -40:
		return -1
	case x > 40, x != x:
		return Exp(x) // 1 is nothing beside it
	}
	// h − 1 + h (tail + eʳ − 1): what the difference is rounded by counts.
	r, n := kernel.ExpParts(x)
	h, tail := kernel.ExpStep(n)
	d, rest := twoSum(h, -1)
	return d + (float64(h*(tail+kernel.ExpRest(r))) + rest)
}

// expPair returns e^(x+low), where |low| is at most an ulp of x.
func expPair(x, low float64) float64 {
	switch {
	case x > 710:
		return math.Inf(1)
	case x < -746:
		return 0
	}
	r, n := kernel.ExpParts(x)
	if plain(x) {
		h, tail := kernel.ExpStep(n)
		return h + float64(h*(tail+kernel.ExpRest(r+low)))
	}
	// The power of two is no normal number, but its two factors are.
	half := n >> 9
	h, tail := kernel.ExpStep(n - half<<8)
	return float64((h + float64(h*(tail+kernel.ExpRest(r+low)))) * math.Float64frombits(uint64(half+1023)<<52))
}

// bothExps returns eᵃ/2 and e^−a/2, for 0 ≤ a ≤ 700, as sums of a number and a small one.
func bothExps(a float64) (up, upRest, down, downRest float64) {
	r, n := kernel.ExpParts(a)
	up, tail := kernel.ExpStep(n - 256)
	upRest = float64(up * (tail + kernel.ExpRest(r)))
	down, tail = kernel.ExpStep(-n - 256)
	downRest = float64(down * (tail + kernel.ExpRest(-r)))
	return up, upRest, down, downRest
}

// halfExp returns eᵃ/2 for a > 700, also where eᵃ overflows.
func halfExp(a float64) float64 {
	if !(a < overflow+1) {
		return a // infinite or NaN; what is finite is too large below
	}
	r, n := kernel.ExpParts(a)
	h, tail := kernel.ExpStep(n - 512)
	return float64((h + float64(h*(tail+kernel.ExpRest(r)))) * 2)
}

// Sinh returns the hyperbolic sine of x.
func Sinh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case a < series:
		z := float64(x * x)
		c := &sinhSeries
		w := float64(z * z)
		s := (c[0] + float64(z*c[1])) + float64(w*((c[2]+float64(z*c[3]))+float64(w*c[4])))
		return x + float64(float64(x*z)*s)
	case !plain(a):
		if a > overflow+1 {
			a = math.Inf(1)
		}
		return math.Copysign(halfExp(a), x)
	}
	up, upRest, down, downRest := bothExps(a)
	s, rest := fastSum(up, -down)
	return math.Copysign(s+(rest+(upRest-downRest)), x)
}

// Cosh returns the hyperbolic cosine of x.
func Cosh(x float64) float64 {
	a := math.Abs(x)
	if !plain(a) {
		if a > overflow+1 {
			return math.Inf(1)
		}
		return halfExp(a)
	}
	up, upRest, down, downRest := bothExps(a)
	s, rest := fastSum(up, down)
	return s + (rest + (upRest + downRest))
}

// Tanh returns the hyperbolic tangent of x.
func Tanh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case a < 0x1p-27:
		return x // −0, and what x² would lose
	case a < 0.55:
		z := float64(x * x)
		n, d := &tanhAbove, &tanhBelow
		w := float64(z * z)
		above := (n[0] + float64(z*n[1])) + float64(w*(n[2]+float64(z*n[3])))
		below := (d[0] + float64(z*d[1])) + float64(w*((d[2]+float64(z*d[3]))+float64(w*d[4])))
		return x + float64(float64(x*z)*(above/below))
	case a > 20:
		return math.Copysign(1, x)
	case x != x:
		return x
	}
	// 1 − 2/(1 + e²ᵃ) = 1 − 1/(½ + u + c), where u + c = ½e²ᵃ, to which the quotient owes a term.
	r, n := kernel.ExpParts(a + a)
	h, tail := kernel.ExpStep(n - 256)
	h, low := fastSum(h, float64(h*(tail+kernel.ExpRest(r))))
	u, rest := fastSum(h, 0.5)
	q := 1 / u
	return math.Copysign(1-(q-float64(float64((rest+low)*q)*q)), x)
}
