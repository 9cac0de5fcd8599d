package special

import "math"

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
