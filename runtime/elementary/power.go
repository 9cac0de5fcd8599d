package elementary

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/kernel"
)

// Pow returns xʸ as exp(y log x), with the logarithm and the product in two parts:
// Muller, Elementary Functions (3rd edition, 2016), section 11.2. Where the power is a
// floating-point number, that is the result.
func Pow(x, y float64) float64 {
	if v, ok := powSpecial(x, y); ok {
		return v
	}
	negative := x < 0 && odd(y)
	h, l, _ := logParts(math.Abs(x))
	p := float64(y * h)
	var v float64
	switch {
	case p > 710:
		v = math.Inf(1)
	case p < -746:
		v = 0
	default:
		e := math.FMA(y, h, -p) + float64(y*l)
		a, b, k := kernel.ExpParts(p)
		v = kernel.Scale(a+(b+float64(a*e)), k)
	}
	if negative {
		return -v
	}
	return v
}

// powSpecial returns xʸ where it is not exp(y log |x|) with a sign.
func powSpecial(x, y float64) (v float64, ok bool) {
	switch {
	case y == 0 || x == 1:
		return 1, true
	case y == 1 || x != x:
		return x, true
	case y != y:
		return y, true
	case math.IsInf(y, 0):
		switch a := math.Abs(x); {
		case a == 1:
			return 1, true
		case a < 1 == (y < 0):
			return math.Inf(1), true
		}
		return 0, true
	case x == 0 || math.IsInf(x, 0):
		v = 0
		if (x == 0) == (y < 0) {
			v = math.Inf(1)
		}
		if odd(y) {
			v = math.Copysign(v, x)
		}
		return v, true
	case x < 0 && y != math.Trunc(y):
		return math.NaN(), true
	}
	return 0, false
}

// odd reports whether y is an odd integer.
func odd(y float64) bool {
	return math.Abs(y) < 0x1p53 && y == math.Trunc(y) && int64(y)&1 == 1
}

// logParts returns log x = h + l up to about 2⁻⁶⁶ |h|. If x is not positive and finite,
// h is the logarithm and special is true.
//
// With x = 2ᵏ z and a table's c near 1/z (Tang, ACM Transactions on Mathematical Software
// 16, 1990), log x = k ln 2 − log c + log(1 + r) for r = z c − 1. Near 1, r is x − 1.
func logParts(x float64) (h, l float64, special bool) {
	switch {
	case x < 0:
		return math.NaN(), 0, true
	case x == 0:
		return math.Inf(-1), 0, true
	case !(x <= math.MaxFloat64):
		return x, 0, true
	}
	var base, low, r, rl float64
	if d := x - 1; math.Abs(d) < 1.0/64 {
		r = d
	} else {
		k := -1023
		if x < 0x1p-1022 {
			x, k = float64(x*0x1p54), k-54
		}
		b := math.Float64bits(x)
		k += int(b >> 52)
		z := math.Float64frombits(b&(1<<52-1) | 1023<<52)
		t := &powTable[b>>46&63]
		p := float64(z * t[0])
		r, rl = twoSum(p-1, math.FMA(z, t[0], -p))
		const ln2Hi, ln2Lo = 0x1.62e42fefa38p-1, 5.497923018708371e-14
		base = float64(float64(k)*ln2Hi) + t[1] // exact: both are multiples of 2⁻⁴²
		low = float64(float64(k)*ln2Lo) + t[2]
	}
	s := float64(r * r)
	se := math.FMA(r, r, -s) + float64(2*r*rl)
	h, e1 := twoSum(base, r)
	h, e2 := twoSum(h, -float64(0.5*s))
	cube := float64(float64(s*r) * horner(logSeries[:], r))
	l = low + ((e1 + e2) + (rl - float64(0.5*se) + cube))
	v := h + l
	return v, (h - v) + l, false
}

// logSeries holds 1/11, −1/10, …, 1/3.
var logSeries = [...]float64{1.0 / 11, -1.0 / 10, 1.0 / 9, -1.0 / 8, 1.0 / 7, -1.0 / 6, 1.0 / 5, -1.0 / 4, 1.0 / 3}

// twoSum returns a + b in two parts (Knuth).
func twoSum(a, b float64) (s, e float64) {
	s = a + b
	t := s - a
	return s, (a - (s - t)) + (b - t)
}
