package diagnostics

import "math"

// RHat returns the potential scale reduction factor of Vehtari et al. (2021),
// sections 4.1 and 4.2: the larger of the split R-hats of the rank-normalised draws
// (which sees chains of different location) and of the rank-normalised
// distances |x − median| (which sees chains of different scale). Chains that
// agree have a value near 1; above 1.01 the chains should not be used.
func RHat(chains [][]float64) float64 {
	var w workspace
	a := w.load(chains)
	if a.undefined() {
		return math.NaN()
	}
	keys := w.order(a.x)
	median := quantile(w.values(a, keys), 0.5)
	half, order := w.halves(a, keys)
	if constant(order) {
		return math.NaN()
	}
	return max(rhatOf(w.rankNormal(half, order)), w.rhatFolded(half, order, median))
}

// RHatBasic returns R-hat without rank normalisation, of the split chains or
// of the chains as they are: √(((N − 1)/N·W + B/N)/W) with the mean W of the
// variances of the chains and N times the variance of their means, B; Vehtari
// et al. (2021), equations 1–4. A single chain that is not split has none.
func RHatBasic(chains [][]float64, split bool) float64 {
	var w workspace
	a := w.load(chains)
	if split {
		a = w.split(a)
	}
	return rhat(a)
}

// rhatFolded returns the R-hat of the rank-normalised distances from the median, for the halves of chains and their order.
func (w *workspace) rhatFolded(half array, order []key, median float64) float64 {
	folded := w.fold(half.x, order, median)
	if constant(folded) || math.IsInf(math.Float64frombits(folded[len(folded)-1].bits), 0) {
		return math.NaN()
	}
	return rhatOf(w.rankNormal(half, folded))
}

// constant reports whether the draws of an order, if there are any, are all equal.
func constant(order []key) bool {
	return len(order) == 0 || order[0].bits == order[len(order)-1].bits
}

// rhat returns the R-hat of an array as it is.
func rhat(a array) float64 {
	if a.undefined() {
		return math.NaN()
	}
	return rhatOf(a)
}

// rhatOf is rhat of draws that are finite, and not all equal.
func rhatOf(a array) float64 {
	if a.n < 2 || a.m < 2 {
		return math.NaN()
	}
	means := a.means(nil)
	within := 0.0
	for _, s := range a.squares(means, nil) {
		within += s / float64(a.n-1) / float64(a.m)
	}
	n := float64(a.n)
	return math.Sqrt((n*variance(means)/within + n - 1) / n)
}
