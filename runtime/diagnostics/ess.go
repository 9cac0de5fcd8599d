package diagnostics

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// ESSBulk returns the bulk effective sample size: the ESS of the mean of the
// rank-normalised draws of the split chains, Vehtari et al. (2021), section 4.1.
// It measures how well the centre of the distribution is explored and exists
// for distributions without moments too.
func ESSBulk(chains [][]float64) float64 {
	var w workspace
	return w.essBulk(w.load(chains))
}

// ESSTail returns the tail effective sample size: the smaller of the ESS of
// the 5 % and the 95 % quantile, Vehtari et al. (2021), section 4.3.
func ESSTail(chains [][]float64) float64 {
	var w workspace
	a := w.load(chains)
	if a.undefined() {
		return math.NaN()
	}
	return w.essTail(a, w.sort(a))
}

// ESSBasic returns the effective sample size of the mean, of the split chains
// or of the chains as they are, without rank normalisation: Vehtari et al.
// (2021), section 3.2.
func ESSBasic(chains [][]float64, split bool) float64 {
	var w workspace
	a := w.load(chains)
	if split {
		a = w.split(a)
	}
	return w.ess(a)
}

// ESSMean returns the effective sample size of the estimate of the mean:
// ESSBasic of the split chains.
func ESSMean(chains [][]float64) float64 { return ESSBasic(chains, true) }

// ESSSD returns the effective sample size of the estimate of the standard
// deviation: the ESS of the mean of |x − x̄|, of the split chains.
func ESSSD(chains [][]float64) float64 {
	var w workspace
	a := w.load(chains)
	mu := mean(a.x)
	return w.ess(w.split(w.transform(a, func(v float64) float64 { return math.Abs(v - mu) })))
}

// ESSQuantile returns the effective sample size of the estimate of the
// quantile q at probability p: the ESS of the mean of the indicator x ≤ q, of
// the split chains; Vehtari et al. (2021), section 4.3.
func ESSQuantile(chains [][]float64, p float64) float64 {
	var w workspace
	a := w.load(chains)
	if a.undefined() {
		return math.NaN()
	}
	return w.essQuantile(a, w.sort(a), p)
}

// ESSMedian returns the effective sample size of the estimate of the median,
// ESSQuantile at 1/2.
func ESSMedian(chains [][]float64) float64 { return ESSQuantile(chains, 0.5) }

// ESSPaper returns the effective sample size of one chain as the experiments
// of Brofos and Lederman (2021) compute it: the chain is cut into two halves
// and these are given to ESSBulk as two chains (which cuts them again). The
// middle draw of a chain of odd length is left out.
func ESSPaper(chain []float64) float64 {
	h := len(chain) / 2
	return ESSBulk([][]float64{chain[:h], chain[len(chain)-h:]})
}

func (w *workspace) essBulk(a array) float64 {
	s := w.split(a)
	if s.undefined() {
		return math.NaN()
	}
	return w.ess(w.rankNormal(s, w.order(s.x)))
}

func (w *workspace) essTail(a array, sorted []float64) float64 {
	return min(w.essQuantile(a, sorted, 0.05), w.essQuantile(a, sorted, 0.95))
}

// essQuantile is ESSQuantile for draws whose order is known.
func (w *workspace) essQuantile(a array, sorted []float64, p float64) float64 {
	q := quantile(sorted, p)
	if math.IsNaN(q) {
		return q
	}
	h, ones := a.n/2, 0
	w.derived = w.derived[:0]
	for c := range a.m {
		x := a.chain(c)
		for _, part := range [2][]float64{x[:h], x[a.n-h:]} { // as split does
			for _, v := range part {
				below := 0.0
				if v <= q {
					below = 1
					ones++
				}
				w.derived = append(w.derived, below)
			}
		}
	}
	if ones == 0 || ones == len(w.derived) {
		return math.NaN() // constant
	}
	return w.essOf(array{w.derived, h, 2 * a.m})
}

// ess returns the effective sample size of the mean of the draws a, S/τ with
//
//	τ = 1 + 2 Σ_t ρ_t,   ρ_t = 1 − (W − γ_t)/v⁺,
//
// the autocorrelations ρ_t combining the autocovariances γ_t within the chains
// with the variance W within and v⁺ of all chains; Vehtari et al. (2021),
// section 3.2. The sum is truncated by Geyer's (1992) initial monotone
// sequence: the sums P_k = ρ_2k + ρ_2k+1 are followed as long as they are
// positive and are not allowed to grow. The first even autocorrelation past
// the truncation enters once, if positive, which steadies the estimate for
// antithetic chains. S/τ is capped at S·log₁₀ S. NaN for chains of fewer than
// three draws.
func (w *workspace) ess(a array) float64 {
	if a.undefined() {
		return math.NaN()
	}
	return w.essOf(a)
}

// essOf is ess of draws that are finite, and not all equal.
func (w *workspace) essOf(a array) float64 {
	if a.n < 3 {
		return math.NaN()
	}
	ac := &w.acov
	ac.reset(a)
	n, s := float64(a.n), float64(a.n*a.m)
	within := ac.at(0) * n / (n - 1)
	total := ac.at(0)
	if a.m > 1 {
		total += variance(ac.means)
	}
	rho := func(t int) float64 { return 1 - (within-ac.at(t))/total }

	even, pair := 1.0, 1+rho(1)
	sum := 0.0 // Σ P_k over the pairs followed
	previous := math.Inf(1)
	t := 0
	for ; t < a.n-5 && pair > 0; t += 2 {
		previous = min(pair, previous)
		sum += previous
		even = rho(t + 2)
		pair = even + rho(t+3)
	}
	tau := float64(2*sum) - 1
	switch {
	case t == 0:
		// No pair was followed: the chains are too short, or ρ_1 ≤ −1.
		// posterior says S/2.
		tau = 2
	case even > 0 || pair >= 0:
		tau += even
	}
	return s / max(tau, 1/elementary.Log10(s))
}
