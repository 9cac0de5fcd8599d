package fast

import "math"

// Exponentials by a table of 2^{i/256} (Tang 1989): with
// −x = (256e + i)·log(2)/256 + z, |z| ≤ log(2)/512,
// e^{−x} = 2^e · 2^{i/256} · e^z, and a polynomial of degree four gives e^z to
// the last bit. math.Exp is a call per element with more branches, and takes
// three times as long.
const (
	expTableSize = 256

	// log(2)/256 in two parts. The first has so few bits that its product
	// with any integer below is exact.
	ln2High = 6.93147180369123816490e-01 / expTableSize
	ln2Low  = 1.90821492927058770002e-10 / expTableSize

	// Adding roundShift rounds to an integer, which the low bits of the sum
	// hold in two's complement.
	roundShift = 3 << 51

	// expLimit keeps 2^e a normal number and the square of 1 + e^{−x}
	// finite. Beyond it the link is 0 or 1 in double precision anyway.
	expLimit = 350
)

var expTable = func() (t [expTableSize]float64) {
	for i := range t {
		t[i] = math.Exp2(float64(i) / expTableSize)
	}
	return t
}()

// expNeg replaces each x_i by e^{−x_i}, with |x_i| cut at expLimit, to within
// two units in the last place. NaN stays NaN.
func expNeg(x *[rows]float64) {
	for i, v := range x {
		if v > expLimit {
			v = expLimit
		}
		if v < -expLimit {
			v = -expLimit
		}
		shifted := roundShift - v*(expTableSize/math.Ln2)
		n := int64(math.Float64bits(shifted))
		k := shifted - roundShift
		z := (-v - k*ln2High) - k*ln2Low
		scale := math.Float64frombits(math.Float64bits(expTable[n&(expTableSize-1)]) + uint64(n>>8)<<52)
		zz := z * z
		x[i] = scale + scale*(z+zz*((0.5+z*(1.0/6))+zz*(1.0/24)))
	}
}
