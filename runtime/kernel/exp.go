package kernel

import "math"

// Exp sets dst_i = exp(a_i) for i < len(dst). The error is below 0.55 ulp where
// the result is a normal number, and below 1 ulp elsewhere; exp(−Inf) = 0,
// exp(NaN) = NaN. dst and a may be the same slice.
func Exp(dst, a []float64) { elementwise(exponential, dst, a) }

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
const expSteps = 256

// ln 2 / expSteps in two parts. The high one has 34 bits, so that its product
// with any integer below 2¹⁹ is exact.
const (
	stepHi = 0x1.62e42fef8p-9
	stepLo = 0x1.1cf79abc9e3b4p-44
)

// expCubic makes expRest as good as an odd cubic polynomial can be.
const expCubic = 0x1.5555571d82c6bp-3

// exp returns eᵃ. The method is Tang's (ACM Transactions on Mathematical
// Software 15, 1989), the layout of the table that of Arm Optimized Routines:
//
//	eᵃ = 2^(n/256) eʳ = h (1 + tail) (1 + r + P(r)) ≈ h + h (tail + (r + P(r)))
//
// What h multiplies is below 2⁻⁹, so that the last sum is almost correctly
// rounded. The loops repeat these lines, as the compiler inlines the functions
// below but would not inline this one.
func exp(a float64) float64 {
	if !expPlain(a) {
		return expWide(a)
	}
	r, t := expReduce(a)
	h, tail := expStep(t)
	return h + float64(h*(tail+expRest(r)))
}

// expBlock is exp of a block; it handles special values one by one.
func expBlock(dst, a []float64) {
	dst = dst[:len(a)]
	for i, v := range a {
		if !expPlain(v) {
			dst[i] = expWide(v)
			continue
		}
		r, t := expReduce(v)
		h, tail := expStep(t)
		dst[i] = h + float64(h*(tail+expRest(r)))
	}
}

// expLimit is the largest |a| that exp needs no special steps for.
const expLimit = 700

// expPlain reports whether |a| ≤ expLimit: what exp computes are normal numbers
// then, or far below an ulp of eᵃ.
func expPlain(a float64) bool {
	return math.Float64bits(a)&^(1<<63) <= math.Float64bits(expLimit)
}

// expReduce returns r = a − n ln 2 / 256, |r| ≤ ln 2 / 512, up to 2⁻⁶², and
// the integer n in the low bits of t.
func expReduce(a float64) (r, t float64) {
	t = float64(a*(expSteps*log2E)) + shift
	n := t - shift
	return (a - float64(n*stepHi)) - float64(n*stepLo), t
}

// expStep returns 2^(n/256) = h (1 + tail) for the integer n of expReduce.
func expStep(t float64) (h, tail float64) {
	n := math.Float64bits(t)
	e := &expTable[n%expSteps]
	return math.Float64frombits(e.bits + n<<44), e.tail
}

// expRest returns eʳ − 1 up to 2⁻⁵⁷.
func expRest(r float64) float64 {
	z := float64(r * r)
	return r + float64(z*((0.5+float64(r*expCubic))+float64(z*(1.0/24))))
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
	half := int32(math.Float64bits(t)) >> 9
	h, tail := expStep(t - float64(half*expSteps))
	return float64((h + float64(h*(tail+expRest(r)))) * pow2(int64(half)))
}

// pow2 returns 2ᵏ for −1022 ≤ k ≤ 1023.
func pow2(k int64) float64 { return math.Float64frombits(uint64(k+1023) << 52) }

// ExpOf returns eᵃ, with the bits of Exp.
func ExpOf(a float64) float64 { return exp(a) }

// ExpParts takes a, |a| ≤ 746, apart: eᵃ = 2^(n/256) eʳ. It returns r, |r| ≤ ln 2 / 512, up to 2⁻⁶², and
// n for [ExpStep]. Functions that take something from eᵃ, or multiply it, are built of these three.
func ExpParts(a float64) (r float64, n int64) {
	r, t := expReduce(a)
	return r, int64(math.Float64bits(t)<<12) >> 12
}

// ExpStep returns 2^(n/256) = h (1 + tail) for −1022·256 ≤ n < 1024·256.
func ExpStep(n int64) (h, tail float64) {
	e := &expTable[uint64(n)%expSteps]
	return math.Float64frombits(e.bits + uint64(n)<<44), e.tail
}

// ExpRest returns eʳ − 1 up to 2⁻⁵⁷, for the r of [ExpParts].
func ExpRest(r float64) float64 { return expRest(r) }
