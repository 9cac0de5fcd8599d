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

// expSteps is the number of steps that expTable divides [1, 2) into.
const expSteps = 128

// ln 2 / expSteps in two parts. The high one has 36 bits, so that its product
// with any integer below 2¹⁷ is exact.
const (
	stepHi = 0x1.62e42fefap-8
	stepLo = 0x1.cf79abc9e3b3ap-47
)

// Exp sets dst_i = exp(a_i) for i < len(dst). The error is below 0.52 ulp where
// the result is a normal number, and below 1 ulp elsewhere; exp(−Inf) = 0,
// exp(NaN) = NaN. dst and a may be the same slice.
func Exp(dst, a []float64) {
	a = a[:len(dst)]
	for i, v := range a {
		if !expPlain(v) {
			dst[i] = expWide(v)
			continue
		}
		r, t := expReduce(v)
		h, tail := expStep(t)
		dst[i] = h + float64(h*((r+tail)+expPoly(r)))
	}
}

// exp returns eᵃ. The method is Tang's (ACM Transactions on Mathematical
// Software 15, 1989), the layout of the table that of Arm Optimized Routines:
//
//	eᵃ = 2^(n/128) eʳ = h (1 + tail) (1 + r + P(r)) ≈ h + h ((r + tail) + P(r))
//
// What h multiplies is below 2⁻⁸, so that the last sum is almost correctly
// rounded. Exp and InvLogit repeat these lines, as the compiler inlines the
// three functions but would not inline this one.
func exp(a float64) float64 {
	if !expPlain(a) {
		return expWide(a)
	}
	r, t := expReduce(a)
	h, tail := expStep(t)
	return h + float64(h*((r+tail)+expPoly(r)))
}

// expPlain reports whether |a| ≤ 708: eᵃ is a normal number then, and so is
// what exp computes on the way.
func expPlain(a float64) bool {
	const limit = 0x40862000_00000000 // bits of 708
	return math.Float64bits(a)&^(1<<63) <= limit
}

// expReduce returns r = a − n ln 2 / 128, |r| ≤ ln 2 / 256, up to 2⁻⁶², and
// the integer n in the low bits of t.
func expReduce(a float64) (r, t float64) {
	t = float64(a*(expSteps*log2E)) + shift
	n := t - shift
	return (a - float64(n*stepHi)) - float64(n*stepLo), t
}

// expStep returns 2^(n/128) = h (1 + tail) for the integer n of expReduce.
func expStep(t float64) (h, tail float64) {
	n := math.Float64bits(t)
	e := &expTable[n%expSteps]
	return math.Float64frombits(e[0] + n<<45), math.Float64frombits(e[1])
}

// expPoly returns eʳ − 1 − r: its Taylor series, whose terms beyond the fifth
// power are below 2⁻⁶⁰.
func expPoly(r float64) float64 {
	z := float64(r * r)
	return float64(z*(0.5+float64(r*(1.0/6)))) + float64(float64(z*z)*(1.0/24+float64(r*(1.0/120))))
}

// expWide is exp where expPlain is false.
func expWide(a float64) float64 {
	switch {
	case a > 709.782712893384: // log(math.MaxFloat64)
		return math.Inf(1)
	case a < -745.1332191019412: // below half the smallest number
		return 0
	case a != a:
		return a
	}
	// The power of two is no normal number, but its two factors are.
	r, t := expReduce(a)
	half := int32(math.Float64bits(t)) >> 8
	h, tail := expStep(t - float64(half*expSteps))
	return (h + float64(h*((r+tail)+expPoly(r)))) * pow2(int64(half))
}

// pow2 returns 2ᵏ for −1022 ≤ k ≤ 1023.
func pow2(k int64) float64 { return math.Float64frombits(uint64(k+1023) << 52) }
