package random

import "math"

// maxTries is how often Within draws.
const maxTries = 1000

// Within returns a draw from the distribution that draw draws from, truncated to the open
// interval (lo, hi): the first of its draws that lies there. It is NaN if none of a thousand does,
// and where draw returns NaN.
func Within(lo, hi float64, draw func() float64) float64 {
	for range maxTries {
		if x := draw(); x > lo && x < hi || x != x {
			return x
		}
	}
	return math.NaN()
}
