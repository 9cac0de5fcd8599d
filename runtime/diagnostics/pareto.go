package diagnostics

import (
	"math"
	"slices"

	"github.com/hamc-dev/hamc/runtime/elementary"
	"github.com/hamc-dev/hamc/runtime/kernel"
)

// leastTail is the number of draws in a tail below which nothing is said of its shape.
const leastTail = 5

// ParetoKHat returns k̂, the shape of the generalised Pareto distribution that fits the heavier tail of a quantity
// (Vehtari, Simpson, Gelman, Yao & Gabry 2024, Pareto smoothed importance sampling, JMLR 25(72), section 3, for draws in place of weights). The
// quantity has moments of order less than 1/k: with k > ½ no variance, with k > 1 no mean. Beyond 0.7 a
// mean of any practical number of draws says little of the expectation.
//
// A tail is made of the 3√(S/r) draws farthest out of S, a fifth of them if S is at most 225, where r is the tail ESS
// relative to S. It is NaN where a tail has fewer than five draws.
func ParetoKHat(chains [][]float64) float64 {
	var w workspace
	a := w.load(chains)
	if a.undefined() {
		return math.NaN()
	}
	sorted := w.sort(a)
	return w.paretoKHat(sorted, w.essTail(a, sorted))
}

// paretoKHat returns k̂ of draws in ascending order with a tail ESS.
func (w *workspace) paretoKHat(sorted []float64, essTail float64) float64 {
	s := float64(len(sorted))
	size := s / 5
	if s > 225 {
		size = math.Ceil(3 * math.Sqrt(s*s/essTail))
	}
	size = math.Min(size, math.Floor(s/2)-1)
	if !(size >= leastTail) {
		return math.NaN()
	}
	n := int(size)
	w.tail = slices.Grow(w.tail[:0], 3*n)[:3*n]
	upper, lower, spare := w.tail[:n], w.tail[n:2*n], w.tail[2*n:]
	cutUpper, cutLower := sorted[len(sorted)-n-1], sorted[n]
	for i := range n {
		upper[i] = sorted[len(sorted)-n+i] - cutUpper
		lower[n-1-i] = cutLower - sorted[i]
	}
	return fmax(paretoShape(upper, spare), paretoShape(lower, spare))
}

// fmax is the larger of two numbers, or the one that is not NaN.
func fmax(a, b float64) float64 {
	if b > a || a != a {
		return b
	}
	return a
}

// paretoShape returns the shape k of a generalised Pareto distribution with density
//
//	1/σ (1 + kx/σ)^−(1/k + 1)
//
// that fits x, in ascending order, by the empirical Bayes estimate of Zhang & Stephens (2009, Technometrics 51, 316–325), drawn
// towards ½ as by ten observations of it. It is NaN if all of x are equal. The spare slice has the length of x, and is overwritten.
func paretoShape(x, spare []float64) float64 {
	n := len(x)
	most, quartile := x[n-1], x[int(float64(float64(n)/4)+0.5)-1]
	if !(most > x[0]) || !(quartile > 0) {
		return math.NaN()
	}
	m := 30 + int(math.Sqrt(float64(n)))
	theta, l := make([]float64, m), make([]float64, m)
	top := math.Inf(-1)
	for j := range theta {
		b := 1/most + (1-math.Sqrt(float64(m)/(float64(j)+0.5)))/(3*quartile)
		k := shapeGiven(b, x, spare)
		theta[j], l[j] = b, float64(float64(n)*(elementary.Log(-b/k)-k-1))
		top = fmax(top, l[j])
	}
	sum, total := 0.0, 0.0
	for j, v := range l {
		if w := elementary.Exp(v - top); w == w {
			sum += float64(w * theta[j])
			total += w
		}
	}
	return (float64(float64(n)*shapeGiven(sum/total, x, spare)) + 10*0.5) / (float64(n) + 10)
}

// shapeGiven returns the k of greatest likelihood given b = −k/σ: the mean of log(1 − bx). It overwrites the spare slice.
func shapeGiven(b float64, x, spare []float64) float64 {
	spare = spare[:len(x)]
	for i, v := range x {
		spare[i] = float64(-b * v)
	}
	kernel.Log1p(spare, spare)
	s := 0.0
	for _, v := range spare {
		s += v
	}
	return s / float64(len(x))
}
