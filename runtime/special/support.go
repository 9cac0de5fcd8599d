package special

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/elementary"
	"github.com/hamc-dev/hamc/runtime/kernel"
)

// Atan2 returns the angle of the point (x, y), in radians from −π to π: that of math.Atan2, but for rounding.
func Atan2(y, x float64) float64 {
	switch {
	case x != x || y != y:
		return math.NaN()
	case y == 0 || math.IsInf(x, 0) && !math.IsInf(y, 0):
		if x < 0 || x == 0 && math.Signbit(x) {
			return math.Copysign(math.Pi, y)
		}
		return math.Copysign(0, y)
	case math.IsInf(x, 0): // and y
		return math.Copysign(math.Pi/2-math.Copysign(math.Pi/4, x), y)
	case math.Abs(y) > math.Abs(x):
		return math.Copysign(math.Pi/2, y) - elementary.Atan(x/y)
	case x < 0:
		return math.Copysign(math.Pi, y) + elementary.Atan(y/x)
	}
	return elementary.Atan(y / x)
}

// Bounded returns x where bound is 0, and bound elsewhere: a density on its support,
// and −∞ outside, where x may be anything.
func Bounded(x, bound float64) float64 {
	if bound == 0 {
		return x
	}
	return bound
}

// LogNonNegative returns the logarithm of the indicator of x ≥ 0: 0 where x is 0
// or positive, −∞ where it is negative, NaN for NaN.
func LogNonNegative(x float64) float64 {
	if x == 0 {
		return 0
	}
	return LogPositive(x)
}

// LMultiply returns x log y, and 0 where x is 0 and y ≥ 0: the limit, however y
// gets to 0 or infinity.
func LMultiply(x, y float64) float64 {
	if x == 0 && y >= 0 {
		return 0
	}
	return float64(x * elementary.Log(y))
}

// LMultiply1p returns x log(1 + y), accurate for small y, and 0 where x is 0 and y ≥ −1.
func LMultiply1p(x, y float64) float64 {
	if x == 0 && y >= -1 {
		return 0
	}
	return float64(x * elementary.Log1p(y))
}

// Share returns x/y, and 0 where both are 0: the derivative of LMultiply by y.
func Share(x, y float64) float64 {
	if x == 0 && y == 0 {
		return 0
	}
	return x / y
}

// Chance returns the probability of x, which is 0 or 1, where that of 1 is y: y, or 1 − y. For x between it is what lies between.
func Chance(x, y float64) float64 { return (1 - x) + float64((float64(2*x)-1)*y) }

// LogChance returns log Chance(x, y).
func LogChance(x, y float64) float64 { return elementary.Log(Chance(x, y)) }

// ChanceSlope returns the derivative of LogChance by y: 1/y, or −1/(1 − y).
func ChanceSlope(x, y float64) float64 { return (float64(2*x) - 1) / Chance(x, y) }

// Log1pSquare returns log(1 + x²), also where x² overflows.
func Log1pSquare(x float64) float64 { return kernel.Log1pSquareOf(x) }

// Log1pSquareSlope returns 2x/(1 + x²), the derivative of Log1pSquare.
func Log1pSquareSlope(x float64) float64 {
	if math.Abs(x) > 1e10 {
		return 2 / x
	}
	return 2 * x / (1 + float64(x*x))
}

// LogPositive returns the logarithm of the indicator of x > 0: 0 where x is
// positive, −∞ where it is not, NaN for NaN. It bounds a density to its
// support.
func LogPositive(x float64) float64 {
	switch {
	case x > 0:
		return 0
	case math.IsNaN(x):
		return x
	}
	return math.Inf(-1)
}

// LogOr0 returns log x, and 0 of 0: what a power of 0 is multiplied by in its derivative by the exponent, which is 0.
func LogOr0(x float64) float64 {
	if x == 0 {
		return 0
	}
	return elementary.Log(x)
}

// PowOr0 returns xʸ, and 0 where x is 0 and y below 0: in the place of the infinite slope of a power less than 1 at 0. There x is a number of
// the data, such as a dose of nothing, whatever else it is multiplied by, and what it depends on does not move it.
func PowOr0(x, y float64) float64 {
	if x == 0 && y < 0 {
		return 0
	}
	return elementary.Pow(x, y)
}
