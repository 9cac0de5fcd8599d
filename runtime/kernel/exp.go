package kernel

import "math"

// ln 2 in two parts. The high one has 42 bits, so that k·ln2Hi is exact for
// every exponent k of a float64.
const (
	log2E = 1.4426950408889634
	ln2Hi = 0x1.62e42fefa38p-1
	ln2Lo = 5.497923018708371e-14
)

// shift rounds to integers: a + shift − shift is a rounded, for |a| < 2⁵¹,
// and the integer stands in the low bits of a + shift.
const shift = 0x1.8p52

// Exp sets dst_i = exp(a_i) for i < len(dst). The error is below 1 ulp where
// the result is a normal number; exp(−Inf) = 0, exp(NaN) = NaN. dst and a may
// be the same slice.
func Exp(dst, a []float64) {
	a = a[:len(dst)]
	for i, v := range a {
		dst[i] = exp(v)
	}
}

// exp returns eᵃ.
//
// With k the integer next to a / ln 2 and r + c = a − k ln 2, where c is the
// rounding error of r, e^(r+c) = 1 + (r + (c + r² P(r))) up to 2⁻⁵⁷·⁹, P a
// polynomial of degree 9, best in the weighted maximum norm on |r| ≤ ½ ln 2.
// P is summed in pairs, which halves the chain of dependent operations.
func exp(a float64) float64 {
	t := float64(a*log2E) + shift
	k := t - shift
	hi := a - float64(k*ln2Hi)
	lo := float64(k * ln2Lo)
	r := hi - lo
	c := (hi - r) - lo
	z := float64(r * r)
	z2 := float64(z * z)
	p01 := float64(r*0.16666666666666413) + 0.5000000000000011
	p23 := float64(r*0.008333333333494335) + 0.041666666666530267
	p45 := float64(r*0.00019841269506777693) + 0.0013888888943598024
	p67 := float64(r*2.7557586267443145e-06) + 2.4801493135816163e-05
	p89 := float64(r*2.5000072198889893e-08) + 2.763023406214791e-07
	p03 := p01 + float64(z*p23)
	p49 := p45 + float64(z*p67) + float64(z2*p89)
	m := 1 + (r + (c + float64(z*(p03+float64(z2*p49)))))
	if -708 <= a && a <= 709 {
		return m * math.Float64frombits((math.Float64bits(t)+1023)<<52)
	}
	switch {
	case a > 709.782712893384: // log(math.MaxFloat64)
		return math.Inf(1)
	case a < -745.1332191019412: // below half the smallest number
		return 0
	case a > 709 || a < -708:
		// The scale 2ᵏ is no normal number, but its two factors are.
		h := int64(k) / 2
		return m * pow2(h) * pow2(int64(k)-h)
	}
	return a // NaN
}

// pow2 returns 2ᵏ for −1022 ≤ k ≤ 1023.
func pow2(k int64) float64 { return math.Float64frombits(uint64(k+1023) << 52) }
