package kernel

import "math"

// Log sets dst_i = log(a_i) for i < len(dst). The error is below 1 ulp;
// log(0) = −Inf, log(+Inf) = +Inf, and the log of a negative number or NaN is
// NaN. dst and a may be the same slice.
func Log(dst, a []float64) {
	a = a[:len(dst)]
	for i, v := range a {
		dst[i] = log(v)
	}
}

// log returns the natural logarithm of a. Its method is that of FreeBSD's
// e_log.c (Sun Microsystems 1993): a = 2ᵏ(1+f) with √½ ≤ 1+f < √2, then
// logOnePlus.
func log(a float64) float64 {
	bias := int64(1023)
	if !(a >= 0x1p-1022 && a <= math.MaxFloat64) {
		switch {
		case a < 0:
			return math.NaN()
		case a == 0:
			return math.Inf(-1)
		case !(a < 0x1p-1022):
			return a // NaN, +Inf
		}
		a *= 0x1p54
		bias += 54
	}
	const sqrtHalf = 0x3fe6a09e_667f3bcd // bits of √½
	b := math.Float64bits(a) + (0x3ff00000_00000000 - sqrtHalf)
	k := float64(int64(b>>52) - bias)
	f := math.Float64frombits(b&(1<<52-1)+sqrtHalf) - 1
	return logOnePlus(f, k)
}

// log1p returns log(1 + a) for a ≥ 0, with an error below 1 ulp for a ≤ 1 and
// 2 ulp beyond.
func log1p(a float64) float64 {
	if a <= math.Sqrt2-1 {
		return logOnePlus(a, 0)
	}
	if a <= 1 {
		return logOnePlus(0.5*(a-1), 1)
	}
	return log(1 + a)
}

// logOnePlus returns log(1+f) + k ln 2 for √½ ≤ 1+f ≤ √2 and an integer k.
// With s = f/(2+f), log(1+f) = f − f²/2 + s (f²/2 + R(s²)).
func logOnePlus(f, k float64) float64 {
	s := f / (2 + f)
	z := float64(s * s)
	w := float64(z * z)
	t1 := float64(w * (0.3999999999940941908 + float64(w*(0.2222219843214978396+float64(w*0.1531383769920937332)))))
	t2 := float64(z * (0.6666666666666735130 + float64(w*(0.2857142874366239149+float64(w*(0.1818357216161805012+float64(w*0.1479819860511658591)))))))
	h := float64(0.5 * f * f)
	return float64(k*ln2Hi) - ((h - (float64(s*(h+(t1+t2))) + float64(k*ln2Lo))) - f)
}
