package elementary

import "math"

// Lgamma returns log |Γ(x)|: +Inf at the poles 0, −1, −2, … and at ±Inf. For x > 0 it has polynomials
// between ½ and 2½, among them its zeros 1 and 2, and is shifted there by Γ(x+1) = x Γ(x), or follows
// Stirling's series, Abramowitz & Stegun 6.1.41. For x < 0, where it has a zero next to each integer, the error is a
// few 1e-16 beside the larger of |x log |x|| and 1.
func Lgamma(x float64) float64 {
	switch {
	case x != x:
		return x
	case math.IsInf(x, 0):
		return math.Inf(1)
	case math.Abs(x) < 0x1p-60:
		return -Log(math.Abs(x))
	case x < 0:
		r := x - math.RoundToEven(x) // exact
		if r == 0 {
			return math.Inf(1)
		}
		// Γ(x) Γ(−x) = −π / (x sin πx)
		return Log(math.Pi/math.Abs(float64(x*Sin(float64(math.Pi*r))))) - Lgamma(-x)
	case x < 0.5:
		return lgammaPiece(x+1) - Log(x)
	case x == 1 || x == 2:
		return 0 // rather than −0
	case x < 2.5:
		return lgammaPiece(x)
	case x < 10:
		p := 1.0
		for x >= 2.5 {
			x-- // exact
			p = float64(p * x)
		}
		return Log(p) + lgammaPiece(x)
	case x >= 0x1p1015:
		return float64(x * (Log(x) - 1)) // may overflow, as Γ's logarithm does
	}
	z := 1 / float64(x*x)
	return float64((x-0.5)*(Log(x)-1)) + (lgammaConstant + horner(stirling[:], z)/x)
}

// lgammaConstant is ½ log 2π − ½.
const lgammaConstant = 0.41893853320467274178

// stirling holds the coefficients B₂ₖ/(2k(2k−1)) of x¹⁻²ᵏ.
var stirling = [...]float64{1. / 12, -1. / 360, 1. / 1260, -1. / 1680, 1. / 1188, -691. / 360360, 1. / 156, -3617. / 122400}

// lgammaPiece returns log Γ(x) for ½ ≤ x < 2½.
func lgammaPiece(x float64) float64 {
	k := int(float64(8*x)) - 4
	return float64(float64((x-1)*(x-2)) * horner(lgammaPieces[k][:], x-(float64(float64(k)*0.125)+0.5625)))
}
