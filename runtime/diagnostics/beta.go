package diagnostics

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// betaQuantile returns the x in [0, 1] with I_x(a, b) = p, I the regularised
// incomplete beta function, for a, b ≥ 1. It bisects, with Newton steps where
// they stay inside the bracket.
func betaQuantile(p, a, b float64) float64 {
	lo, hi := 0.0, 1.0
	x := a / (a + b)
	for range 200 {
		f := betaCDF(x, a, b) - p
		if f == 0 {
			return x
		}
		if f < 0 {
			lo = x
		} else {
			hi = x
		}
		next := x - f/elementary.Exp(logBetaDensity(x, a, b))
		if !(next > lo && next < hi) {
			next = lo + float64((hi-lo)/2)
		}
		if math.Abs(next-x) <= 1e-15*next || next == lo || next == hi {
			return next
		}
		x = next
	}
	return x
}

// betaCDF returns I_x(a, b) by its continued fraction (DLMF 8.17.22), which
// converges fast on the side of the mean where it is used.
func betaCDF(x, a, b float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2):
		return 1 - betaCDF(1-x, b, a)
	}
	// Lentz's algorithm; its two ratios are kept away from zero.
	const tiny = 1e-300
	c, d, f := 1.0, 0.0, 1.0
	for i := range 10000 {
		m := float64(i / 2)
		var e float64
		switch {
		case i == 0:
			e = 1
		case i%2 == 0:
			e = m * (b - m) * x / ((a + float64(2*m) - 1) * (a + float64(2*m)))
		default:
			e = -(a + m) * (a + b + m) * x / ((a + float64(2*m)) * (a + float64(2*m) + 1))
		}
		d = 1 + float64(e*d)
		if math.Abs(d) < tiny {
			d = tiny
		}
		d = 1 / d
		c = 1 + e/c
		if math.Abs(c) < tiny {
			c = tiny
		}
		f = float64(f * (float64(c * d)))
		if math.Abs(float64(c*d)-1) < 1e-16 {
			break
		}
	}
	// f is 1 + 1/(1 + …): the fraction itself is f − 1, and the density gives
	// the factor x^a·(1−x)^b/(a·B(a, b)).
	return float64(elementary.Exp(logBetaDensity(x, a, b)) * x * (1 - x) / a * (f - 1))
}

// logBetaDensity returns log x^(a−1)·(1−x)^(b−1)/B(a, b).
func logBetaDensity(x, a, b float64) float64 {
	la := elementary.Lgamma(a)
	lb := elementary.Lgamma(b)
	lab := elementary.Lgamma(a + b)
	return float64((a-1)*elementary.Log(x)) + float64((b-1)*elementary.Log1p(-x)) + lab - la - lb
}
