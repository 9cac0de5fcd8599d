package diagnostics

import "math"

// Quantile returns the sample quantile of all draws at probability p, of
// type 7 of Hyndman and Fan (1996): with the draws sorted as x₁ ≤ … ≤ x_S and
// t = 1 + (S − 1)p, the linear interpolation of x at t. It is NaN if there are
// no draws, if one is NaN, or if p is not in [0, 1].
func Quantile(chains [][]float64, p float64) float64 {
	var w workspace
	a := w.load(chains)
	if hasNaN(a.x) {
		return math.NaN()
	}
	return quantile(w.sort(a), p)
}

// Median returns the median of all draws, Quantile at 1/2.
func Median(chains [][]float64) float64 { return Quantile(chains, 0.5) }

// quantile returns the type-7 quantile of sorted draws.
func quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 || !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	// A quantile that falls on a draw must be that draw, on every machine and
	// as in R, because the ESS of a quantile compares draws with it. Adding 1
	// as R does absorbs the rounding of the product; the conversion forbids
	// fusing the two.
	t := 1 + float64(float64(len(sorted)-1)*p)
	k := int(t)
	h := t - float64(k)
	if h == 0 || sorted[k-1] == sorted[k] {
		return sorted[k-1]
	}
	return float64((1-h)*sorted[k-1]) + float64(h*sorted[k])
}

func hasNaN(x []float64) bool {
	for _, v := range x {
		if math.IsNaN(v) {
			return true
		}
	}
	return false
}
