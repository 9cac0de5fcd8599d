package elementary

import "math"

// gammaTerms is the number of coefficients of a row of gammaPieces.
const gammaTerms = 15

// Lgamma returns log |Γ(x)|: +Inf at the poles 0, −1, −2, … and at ±Inf. For x > 0 the
// relative error is a few ulp, also near the zeros 1 and 2; for x < 0 it is small
// beside |x log |x|| and 1.
func Lgamma(x float64) float64 {
	switch {
	case x != x:
		return x
	case math.IsInf(x, 0):
		return math.Inf(1)
	case math.Abs(x) < 0x1p-70:
		return -Log(math.Abs(x))
	case x < 0:
		r := x - math.RoundToEven(x) // exact
		if r == 0 {
			return math.Inf(1)
		}
		// Γ(x) Γ(1−x) = π / sin πx
		return Log(math.Pi/math.Abs(float64(x*Sin(float64(math.Pi*r))))) - Lgamma(-x)
	case x < 1:
		return float64(float64(x*(x-1))*gammaPiece(x+1)) - Log(x)
	case x >= 10:
		// Stirling's series, Abramowitz & Stegun 6.1.41.
		z := 1 / float64(x*x)
		s := horner(stirling[:], z) / x
		return float64((x-0.5)*(Log(x)-1)) + (0.41893853320467274178 + s)
	}
	p := 1.0
	for x >= 3 {
		x-- // exact
		p = float64(p * x)
	}
	l := float64(float64((x-1)*(x-2)) * gammaPiece(x))
	if p == 1 {
		return l
	}
	return Log(p) + l
}

// stirling holds B₂ₖ/(2k(2k−1)), highest k first.
var stirling = [...]float64{7.0 / 6 / 182, -691.0 / 2730 / 132, 5.0 / 66 / 90, -1.0 / 30 / 56, 1.0 / 42 / 30, -1.0 / 30 / 12, 1.0 / 12}

// gammaPiece returns log Γ(x) / ((x−1)(x−2)) for 1 ≤ x < 3, its limit at 1 and 2.
func gammaPiece(x float64) float64 {
	i := min(7, int(float64(4*(x-1))))
	return horner(gammaPieces[i][:], x-(1.125+float64(0.25*float64(i))))
}

// erfcxEnds are the ends of the pieces of erfcxPieces.
var erfcxEnds = [...]float64{0.5, 1, 1.75, 2.75, 4, 6, 9}

// erfcxTerms is the number of coefficients of a row of erfcxPieces.
const erfcxTerms = 17

// Erfc returns the complementary error function of x, with a small relative error also
// where the result is small.
func Erfc(x float64) float64 {
	switch {
	case x != x:
		return x
	case x < -0.5:
		return 2 - Erfc(-x)
	case x < 0.5:
		z := float64(x * x)
		return 1 - float64(float64(x*(2/math.SqrtPi))*horner(erfSeries[:], z))
	case x > 28:
		return 0
	}
	q := float64(x * x)
	e := Exp(-q)
	e -= float64(e * math.FMA(x, x, -q)) // of the rounding error of q
	if x >= 9 {
		// Abramowitz & Stegun 7.1.23
		z := 0.5 / q
		s := horner(erfcTail[:], z)
		return e * s / float64(x*1.7724538509055160273)
	}
	i := 0
	for x >= erfcxEnds[i+1] {
		i++
	}
	return float64(e * horner(erfcxPieces[i][:], x-float64(0.5*(erfcxEnds[i]+erfcxEnds[i+1]))))
}

// erfSeries holds (−1)ⁿ/(n! (2n+1)), highest n first.
var erfSeries = [...]float64{1.0 / 11975040000, -1.0 / 918086400, 1.0 / 76204800, -1.0 / 6894720, 1.0 / 685440, -1.0 / 75600,
	1.0 / 9360, -1.0 / 1320, 1.0 / 216, -1.0 / 42, 1.0 / 10, -1.0 / 3, 1}

// erfcTail holds (−1)ⁿ (2n−1)!!, highest n first.
var erfcTail = [...]float64{-6190283353629375, 213458046676875, -7905853580625, 316234143225, -13749310575, 654729075, -34459425, 2027025, -135135, 10395, -945, 105, -15, 3, -1, 1}
