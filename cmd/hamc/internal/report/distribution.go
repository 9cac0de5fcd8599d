package report

import (
	"math"
	"slices"
	"sort"
)

// interval is a range of values to be shown.
type interval struct {
	low, high       float64
	cutLow, cutHigh bool // values beyond that end are left out
	outside         int  // finite values left out
}

// centralInterval returns the range in which a distribution is shown: from the
// 0.5 % to the 99.5 % quantile and a quarter of their distance more on both
// sides, but not beyond the values. Few heavy-tailed draws would otherwise take
// all the room. Values are in ascending order and finite, and there is one.
func centralInterval(sorted []float64) interval {
	least, most := sorted[0], sorted[len(sorted)-1]
	a, b := quantile(sorted, 0.005), quantile(sorted, 0.995)
	v := interval{low: least, high: most}
	if w := (b - a) / 4; w > 0 {
		if a-w > least {
			v.low, v.cutLow = a-w, true
		}
		if b+w < most {
			v.high, v.cutHigh = b+w, true
		}
	}
	v.outside = sort.SearchFloat64s(sorted, v.low) + len(sorted) - sort.Search(len(sorted), func(i int) bool { return sorted[i] > v.high })
	if v.low == v.high {
		pad := max(math.Abs(v.low)/100, 1e-9)
		v.low, v.high = v.low-pad, v.high+pad
	}
	return v
}

// densityPoints is the number of points of a density.
const densityPoints = 256

// fineness is the number of cells in which draws are counted between two points.
const fineness = 2

// density returns a kernel estimate of the density of x at densityPoints equally
// spaced points from one end of v to the other, or nil if fewer than two finite
// values differ. The kernel is Gaussian with Silverman's bandwidth
// 0.9 min(sd, IQR/1.34) n^(-1/5). At an end that is a bound of the draws, what
// the kernel puts beyond is reflected, so that a density with a bound does not
// sink towards it.
func density(x []float64, v interval) []float64 {
	sorted := sortedFinite([][]float64{x})
	h := bandwidth(sorted)
	if h == 0 {
		return nil
	}
	step := (v.high - v.low) / (fineness * (densityPoints - 1))
	h = max(h, step) // a narrower kernel would fall between the cells
	reach := int(math.Ceil(min(4*h/step, fineness*densityPoints)))
	// cells[reach+j] counts the draws near v.low + j·step, those beyond the
	// ends within the kernel's reach included.
	inner := fineness*(densityPoints-1) + 1
	cells := make([]float64, inner+2*reach)
	put := func(u float64) { // u in steps from v.low
		at := u + float64(reach)
		i := math.Floor(at)
		if i < 0 || int(i)+1 >= len(cells) {
			return
		}
		cells[int(i)] += 1 - (at - i)
		cells[int(i)+1] += at - i
	}
	for _, x := range sorted {
		u := (x - v.low) / step
		put(u)
		if !v.cutLow {
			put(-u)
		}
		if !v.cutHigh {
			put(2*float64(inner-1) - u)
		}
	}
	kernel := make([]float64, reach+1)
	for j := range kernel {
		z := float64(j) * step / h
		kernel[j] = math.Exp(-z*z/2) / (h * math.Sqrt(2*math.Pi) * float64(len(sorted)))
	}
	out := make([]float64, densityPoints)
	for i := range out {
		at := reach + fineness*i
		sum := kernel[0] * cells[at]
		for j := 1; j <= reach; j++ {
			sum += kernel[j] * (cells[at-j] + cells[at+j])
		}
		out[i] = sum
	}
	return out
}

// bandwidth returns Silverman's bandwidth for values in ascending order, or 0 if
// they do not vary.
func bandwidth(sorted []float64) float64 {
	n := float64(len(sorted))
	if n < 2 || sorted[0] == sorted[len(sorted)-1] {
		return 0
	}
	mean := 0.0
	for _, x := range sorted {
		mean += x / n
	}
	ss := 0.0
	for _, x := range sorted {
		ss += (x - mean) * (x - mean) / (n - 1)
	}
	spread := math.Sqrt(ss)
	if iqr := (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 1.34; iqr > 0 {
		spread = min(spread, iqr)
	}
	if !finite(spread) { // squares overflow
		return 0
	}
	return 0.9 * spread * math.Pow(n, -0.2)
}

// rankBins returns the number of bins of rank plots of chains with n draws: 20,
// or fewer if they would hold less than ten draws on average.
func rankBins(n int) int { return max(2, min(20, n/10)) }

// rankCounts returns, by chain, the histogram of the draws' ranks among the draws
// of all chains (Vehtari et al. 2021); equal draws share the mean of their ranks.
// It returns nil if a value is NaN.
func rankCounts(chains [][]float64, bins int) [][]int {
	type place struct {
		x     float64
		chain int
	}
	var all []place
	for c := range chains {
		for _, x := range chains[c] {
			if math.IsNaN(x) {
				return nil
			}
			all = append(all, place{x, c})
		}
	}
	slices.SortFunc(all, func(a, b place) int {
		switch {
		case a.x < b.x:
			return -1
		case a.x > b.x:
			return 1
		}
		return 0
	})
	out := make([][]int, len(chains))
	for c := range out {
		out[c] = make([]int, bins)
	}
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].x == all[i].x {
			j++
		}
		// Ranks i+1 … j have the mean (i+1+j)/2; bin b holds the ranks r with
		// b ≤ (r−½)·bins/S < b+1.
		b := (i + j) * bins / (2 * len(all))
		for ; i < j; i++ {
			out[all[i].chain][b]++
		}
	}
	return out
}

// maxLag is the largest lag at which autocorrelations are shown.
const maxLag = 50

// lags returns the number of lags, 0 included, that chains of n draws have.
func lags(n int) int { return min(maxLag, n-1) + 1 }

// autocorrelation returns the autocorrelations of x at lags 0, 1, … with
// denominators n, or nil if x is constant or not finite.
func autocorrelation(x []float64) []float64 {
	n := len(x)
	mean := 0.0
	for _, v := range x {
		if !finite(v) {
			return nil
		}
		mean += v / float64(n)
	}
	centred := make([]float64, n)
	scale := 0.0
	for i, v := range x {
		centred[i] = v - mean
		scale = max(scale, math.Abs(centred[i]))
	}
	if slices.Max(x) == slices.Min(x) || scale == 0 {
		return nil
	}
	for i := range centred {
		centred[i] /= scale // so that squares neither overflow nor vanish
	}
	out := make([]float64, lags(n))
	for lag := range out {
		sum := 0.0
		for i, v := range centred[lag:] {
			sum += v * centred[i]
		}
		out[lag] = sum
	}
	for lag := len(out) - 1; lag >= 0; lag-- {
		out[lag] /= out[0]
	}
	return out
}

// histogram counts values in bins of equal width.
type histogram struct {
	Low    float64 `json:"low"`
	Width  float64 `json:"width"`
	Counts []int   `json:"counts"`
}

// histogramBins is how many bins a histogram has at most.
const histogramBins = 40

// newHistogram returns the histogram of the values within v.
func newHistogram(values []float64, v interval, bins int) histogram {
	h := histogram{Low: v.low, Width: (v.high - v.low) / float64(bins), Counts: make([]int, bins)}
	for _, x := range values {
		if x >= v.low && x <= v.high {
			h.Counts[min(bins-1, int((x-v.low)/h.Width))]++
		}
	}
	return h
}

// integerHistogram returns the histogram of whole numbers, with bins of whole
// widths centred on them.
func integerHistogram(values []float64) histogram {
	least, most := slices.Min(values), slices.Max(values)
	width := max(1, math.Ceil((most-least+1)/histogramBins))
	bins := int((most-least)/width) + 1
	h := histogram{Low: least - 0.5, Width: width, Counts: make([]int, bins)}
	for _, x := range values {
		h.Counts[min(bins-1, int((x-least)/width))]++
	}
	return h
}
