package diagnostics

import "math"

// MCSEMean returns the Monte Carlo standard error of the mean, SD/√ESSMean: the
// error of the mean of as many independent draws.
func MCSEMean(chains [][]float64) float64 {
	return SD(chains) / math.Sqrt(ESSMean(chains))
}

// MCSESD returns the Monte Carlo standard error of the standard deviation. By
// the delta method it is √(V/(4·E)) with E the mean of d² = (x − x̄)² and
// V = (mean of d⁴ − E²)/ESS the squared error of E, at the ESS of the mean of
// d² in the split chains; no normality is assumed.
func MCSESD(chains [][]float64) float64 {
	var w workspace
	a := w.load(chains)
	mu := mean(a.x)
	squares := w.transform(a, func(v float64) float64 { return float64((v - mu) * (v - mu)) })
	ess := w.ess(w.split(squares))
	e := mean(squares.x)
	fourth := 0.0
	for _, v := range squares.x {
		fourth += float64(v * v)
	}
	fourth /= float64(len(squares.x))
	return math.Sqrt((fourth - float64(e*e)) / ess / e / 4)
}

// MCSEQuantile returns the Monte Carlo standard error of the quantile at
// probability p. Given the draws, the probability of the true quantile has a
// Beta(p·ESS + 1, (1 − p)·ESS + 1) distribution; half the distance between the
// draws at its probabilities Φ(−1) and Φ(1) is the error; Vehtari et al.
// (2021), section 4.4.
func MCSEQuantile(chains [][]float64, p float64) float64 {
	var w workspace
	a := w.load(chains)
	if a.undefined() {
		return math.NaN()
	}
	sorted := w.sort(a)
	ess := w.essQuantile(a, sorted, p)
	if math.IsNaN(ess) {
		return ess
	}
	s := len(sorted)
	alpha, beta := float64(ess*p)+1, float64(ess*(1-p))+1
	// Φ(−1) and Φ(1) with the digits that posterior gives them.
	lo := int(math.Floor(betaQuantile(0.1586553, alpha, beta) * float64(s)))
	hi := int(math.Ceil(betaQuantile(0.8413447, alpha, beta) * float64(s)))
	return float64((sorted[min(hi, s)-1] - sorted[max(lo, 1)-1]) / 2)
}

// MCSEMedian returns the Monte Carlo standard error of the median,
// MCSEQuantile at 1/2.
func MCSEMedian(chains [][]float64) float64 { return MCSEQuantile(chains, 0.5) }
