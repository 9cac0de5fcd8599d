package random

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// The seeds of these tests are fixed, so that each passes always or fails
// always. A false alarm can happen only when a seed or a generator changes:
// familyAlarm is the probability that any of the tests of the package, at most
// familySize of them, sounds one, by Bonferroni.
const (
	familyAlarm = 1e-3
	familySize  = 600
	level       = familyAlarm / familySize
)

// source returns a generator for the test case of that number.
func source(i int) *rand.Rand { return rand.New(New(20, uint64(i))) }

// kolmogorov returns the probability that the Kolmogorov–Smirnov statistic of n
// draws exceeds d, by Kolmogorov's series with the correction of Stephens
// (1970).
func kolmogorov(n int, d float64) float64 {
	r := math.Sqrt(float64(n))
	x := (r + 0.12 + 0.11/r) * d
	if x < 0.3 {
		return 1
	}
	sum := 0.0
	for k := 1.0; k < 60; k++ {
		sum += math.Pow(-1, k-1) * math.Exp(-2*k*k*x*x)
	}
	return 2 * sum
}

// follows holds a sample, which it sorts, against a continuous distribution
// function: the Kolmogorov–Smirnov test; the numbers of draws in the outer
// thousandths, to which that test is blind; and the first two moments of the
// normal scores Φ⁻¹(cdf), which see small errors of location and scale.
func follows(t *testing.T, sample []float64, cdf func(float64) float64) {
	t.Helper()
	slices.Sort(sample)
	n := float64(len(sample))
	d, low, high := 0.0, 0, 0
	sum, squares := 0.0, 0.0
	for i, x := range sample {
		f := cdf(x)
		if !(f >= 0 && f <= 1+1e-12) {
			t.Fatalf("the distribution function at %v is %v", x, f)
		}
		d = max(d, f-float64(i)/n, float64(i+1)/n-f)
		// Draws at which f rounds to one have a finite score all the same.
		z := distuv.UnitNormal.Quantile(min(max(f, 1e-300), belowOne))
		sum += z
		squares += z * z
		if f < 1e-3 {
			low++
		}
		if f > 1-1e-3 {
			high++
		}
	}
	if p := kolmogorov(len(sample), d); !(p > level) {
		t.Errorf("the distance from the distribution function is %.4g: p = %.2g", d, p)
	}
	if z := sum / math.Sqrt(n); !(2*distuv.UnitNormal.CDF(-math.Abs(z)) > level) {
		t.Errorf("the normal scores have the mean %.4g, which is %.1f standard errors", sum/n, z)
	}
	of := distuv.ChiSquared{K: n}
	if p := 2 * min(of.CDF(squares), of.Survival(squares)); !(p > level) {
		t.Errorf("the normal scores have the mean square %.4g: p = %.2g", squares/n, p)
	}
	tail := distuv.Binomial{N: n, P: 1e-3}
	for _, k := range []int{low, high} {
		p := min(tail.CDF(float64(k)), 1-tail.CDF(float64(k-1)))
		if !(p > level/4) { // two tails, two sides
			t.Errorf("%d draws in a tail of %v: p = %.2g", k, n*1e-3, p)
		}
	}
}

// followsCounts holds a sample of counts against a probability function by a χ²
// test. Counts are pooled, from below, until 15 are expected.
func followsCounts(t *testing.T, sample []int, probability func(k int) float64) {
	t.Helper()
	slices.Sort(sample)
	n := float64(len(sample))
	first, last := sample[0], sample[len(sample)-1]
	chi2, cells := 0.0, 0
	expected, observed, left := 0.0, 0.0, n
	i := 0
	cell := func() {
		chi2 += (observed - expected) * (observed - expected) / expected
		cells++
		expected, observed = 0, 0
	}
	for k := max(first-5000, 0); k <= last && left > 15; k++ {
		p := n * probability(k)
		expected += p
		left -= p
		for ; i < len(sample) && sample[i] == k; i++ {
			observed++
		}
		if expected > 15 && left > 15 {
			cell()
		}
	}
	expected += left
	observed += float64(len(sample) - i)
	cell()
	if cells < 2 {
		t.Fatal("the sample has one cell only")
	}
	if p := (distuv.ChiSquared{K: float64(cells - 1)}).Survival(chi2); !(p > level) {
		t.Errorf("χ² is %.4g in %d cells: p = %.2g", chi2, cells, p)
	}
}
