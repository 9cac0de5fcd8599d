package diagnostics

import "math"

// Mean returns the mean of the draws of all chains, NaN if there are none.
func Mean(chains [][]float64) float64 {
	var w workspace
	return mean(w.load(chains).x)
}

// SD returns the standard deviation of the S draws of all chains together,
// √(Σ(x − x̄)²/(S − 1)), NaN if S < 2.
func SD(chains [][]float64) float64 {
	var w workspace
	return math.Sqrt(variance(w.load(chains).x))
}

// mean returns the mean of x. The second pass takes out the rounding error of
// the first.
func mean(x []float64) float64 {
	n := float64(len(x))
	s := 0.0
	for _, v := range x {
		s += v
	}
	m := s / n
	if math.IsNaN(m) || math.IsInf(m, 0) {
		return m
	}
	d := 0.0
	for _, v := range x {
		d += v - m
	}
	return m + d/n
}

// variance returns Σ(x − x̄)²/(n − 1), NaN for n < 2.
func variance(x []float64) float64 {
	if len(x) < 2 {
		return math.NaN()
	}
	m := mean(x)
	s := 0.0
	for _, v := range x {
		s += float64((v - m) * (v - m))
	}
	return s / float64(len(x)-1)
}
