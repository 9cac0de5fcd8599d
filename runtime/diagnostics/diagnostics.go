// Package diagnostics judges Markov chains: rank-normalised split R-hat,
// effective sample sizes, Monte Carlo standard errors and E-BFMI.
//
// The definitions are those of Vehtari, Gelman, Simpson, Carpenter and Bürkner
// (2021), Rank-normalization, folding, and localization: an improved R-hat for
// assessing convergence of MCMC, Bayesian Analysis 16(2), 667–718; where the
// paper leaves a choice, the choice is that of the R package posterior 1.4.0,
// whose numbers the tests reproduce.
//
// # Input
//
// A quantity is given as its chains, chains[c][i] being draw i of chain c.
// Chains have equal lengths: N draws each, M chains, S = N·M draws. A split
// array has each chain cut into halves; the middle draw of a chain of odd
// length is left out.
//
// # Undefined values
//
// A statistic that is not defined for its input is NaN: no draws, chains of
// different lengths, a draw that is not finite, all draws equal (a constant
// says nothing about mixing, so neither R-hat nor ESS vouches for it), or
// halves too short. The test for a constant is exact, where posterior calls
// constant whatever varies by less than 2⁻⁵².
//
// No function modifies its input, and all may be called concurrently.
package diagnostics

import (
	"math"
	"slices"
)

// array is a rectangle of draws, chain after chain: draw i of chain c is
// x[c·n+i].
type array struct {
	x    []float64
	n, m int
}

// chain returns the draws of chain c.
func (a array) chain(c int) []float64 { return a.x[c*a.n : (c+1)*a.n] }

// undefined reports whether no diagnostic is defined for a: it is empty, holds
// a value that is not finite, or is constant.
func (a array) undefined() bool {
	if len(a.x) == 0 {
		return true
	}
	constant := true
	for _, v := range a.x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return true
		}
		constant = constant && v == a.x[0]
	}
	return constant
}

// workspace is the storage of the computations on one quantity, to be used
// again for the next. An array made by one of its methods is overwritten by
// the next call of the same method.
type workspace struct {
	all       []float64 // load
	half      []float64 // split
	derived   []float64 // transform
	normal    []float64 // rankNormal
	keys, aux []key     // order
	folded    []key     // fold
	sorted    []float64 // values
	tail      []float64 // paretoShape
	scores    []float64 // normalScores
	acov      autocovariance
}

// load copies chains into one array, which is empty unless the chains have
// equal lengths.
func (w *workspace) load(chains [][]float64) array {
	if len(chains) == 0 {
		return array{}
	}
	n := len(chains[0])
	w.all = w.all[:0]
	for _, c := range chains {
		if len(c) != n {
			return array{}
		}
		w.all = append(w.all, c...)
	}
	return array{w.all, n, len(chains)}
}

// split cuts every chain of a into halves, without the middle draw if the
// length is odd. For an even length that is another view of the same draws.
func (w *workspace) split(a array) array {
	h := a.n / 2
	if a.n%2 == 0 || h == 0 {
		return array{a.x[:2*h*a.m], h, 2 * a.m}
	}
	w.half = w.half[:0]
	for c := range a.m {
		x := a.chain(c)
		w.half = append(w.half, x[:h]...)
		w.half = append(w.half, x[h+1:]...)
	}
	return array{w.half, h, 2 * a.m}
}

// transform returns the array of f(x) for the draws x of a.
func (w *workspace) transform(a array, f func(float64) float64) array {
	w.derived = slices.Grow(w.derived[:0], len(a.x))[:len(a.x)]
	for i, v := range a.x {
		w.derived[i] = f(v)
	}
	return array{w.derived, a.n, a.m}
}

// sort returns the draws of a in ascending order.
func (w *workspace) sort(a array) []float64 { return w.values(a, w.order(a.x)) }

// values returns the draws of a in an order.
func (w *workspace) values(a array, order []key) []float64 {
	w.sorted = slices.Grow(w.sorted[:0], len(order))[:len(order)]
	for i := range order {
		w.sorted[i] = a.x[order[i].index]
	}
	return w.sorted
}
