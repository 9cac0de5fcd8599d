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
	return w.rhat(a, quantile(w.sort(a), 0.5))
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

// rhat is RHat for draws whose median is known.
func (w *workspace) rhat(a array, median float64) float64 {
	return max(w.rhatBulk(a), w.rhatFolded(a, median))
}

func (w *workspace) rhatBulk(a array) float64 {
	s := w.split(a)
	if s.undefined() {
		return math.NaN()
	}
	return rhat(w.rankNormal(s))
}

func (w *workspace) rhatFolded(a array, median float64) float64 {
	s := w.split(w.transform(a, func(v float64) float64 { return math.Abs(v - median) }))
	if s.undefined() {
		return math.NaN()
	}
	return rhat(w.rankNormal(s))
}

// rhat returns the R-hat of an array as it is.
func rhat(a array) float64 {
	if a.n < 2 || a.m < 2 || a.undefined() {
		return math.NaN()
	}
	means := make([]float64, a.m)
	within := 0.0
	for c := range means {
		means[c] = mean(a.chain(c))
		within += variance(a.chain(c)) / float64(a.m)
	}
	n := float64(a.n)
	return math.Sqrt((n*variance(means)/within + n - 1) / n)
}
