package special

import "math"

// What has kinks and jumps: comparisons and conditions, which are 1 where they hold and 0 elsewhere, and rounding. Of a NaN no
// comparison holds.

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Less returns 1 where x < y.
func Less(x, y float64) float64 { return truth(x < y) }

// LessEqual returns 1 where x ≤ y.
func LessEqual(x, y float64) float64 { return truth(x <= y) }

// Equal returns 1 where x = y.
func Equal(x, y float64) float64 { return truth(x == y) }

// Both returns 1 where neither x nor y is 0.
func Both(x, y float64) float64 { return truth(x != 0 && y != 0) }

// Zero returns 1 where x is 0.
func Zero(x float64) float64 { return truth(x == 0) }

// Select returns y where c is not 0, and z elsewhere.
func Select(c, y, z float64) float64 {
	if c != 0 {
		return y
	}
	return z
}

// Step returns 1 where x ≥ 0, and 0 elsewhere, as Stan's step does; NaN of NaN.
func Step(x float64) float64 {
	if x != x {
		return x
	}
	return truth(x >= 0)
}

// Sign returns −1, 0 or 1; NaN of NaN.
func Sign(x float64) float64 {
	if x != x {
		return x
	}
	return truth(x > 0) - truth(x < 0)
}

// Round returns the nearest whole number, of two the one farther from 0, as Stan's round does.
func Round(x float64) float64 { return math.Round(x) }

// InvTotal returns 1/x, and 0 of 0: the weight of what adds up to nothing in the logarithm of a sum.
func InvTotal(x float64) float64 {
	if x == 0 {
		return 0
	}
	return 1 / x
}
