package grid

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSpread: the quantiles are those of type 7 of Hyndman & Fan, as numpy.quantile and R have them,
// of the finite numbers only.
func TestSpread(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, x := range []struct {
		values                []float64
		lost                  int
		n, allLost            int
		tenth, middle, ninety float64
	}{
		{nil, 0, 0, 0, nan, nan, nan},
		{nil, 3, 0, 3, nan, nan, nan},
		{[]float64{7}, 0, 1, 0, 7, 7, 7},
		{[]float64{5, 1, 4, 2, 3}, 0, 5, 0, 1.4, 3, 4.6},
		{[]float64{4, 2}, 1, 2, 1, 2.2, 3, 3.8},
		{[]float64{nan, 4, inf, 2, -inf}, 1, 2, 4, 2.2, 3, 3.8},
		{[]float64{nan, inf}, 0, 0, 2, nan, nan, nan},
	} {
		s := spread(slices.Clone(x.values), x.lost)
		same := func(a Number, b float64) bool { return near(float64(a), b, 1e-14) || a != a && b != b }
		if s.N != x.n || s.Lost != x.allLost || !same(s.P10, x.tenth) || !same(s.Median, x.middle) || !same(s.P90, x.ninety) {
			t.Errorf("spread(%v, %d) = %+v", x.values, x.lost, s)
		}
	}
}

// TestEnergyBin: a bin holds what is from 10^(k/4) to below 10^((k+1)/4); what is outside the range is
// in the first or the last.
func TestEnergyBin(t *testing.T) {
	for bin := lowestEnergyBin; bin < highEnergyBin; bin++ {
		lower := math.Pow(10, EnergyBinEdge(bin))
		if got := EnergyBin(lower * (1 + 1e-12)); got != bin {
			t.Errorf("just above its lower end %g, bin %d is %d", lower, bin, got)
		}
		if got, want := EnergyBin(lower*(1-1e-12)), max(bin-1, lowestEnergyBin); got != want {
			t.Errorf("just below the lower end %g of bin %d: bin %d", lower, bin, got)
		}
	}
	// Powers of ten, as they are written, are in the bin that they are the lower end of.
	for exponent, x := range []float64{1, 10, 100, 1000} {
		if got := EnergyBin(x); got != energyDecades*exponent {
			t.Errorf("%g is in bin %d, which begins at 10^%g", x, got, EnergyBinEdge(got))
		}
		if got := EnergyBin(1 / x); got != -energyDecades*exponent {
			t.Errorf("%g is in bin %d, which begins at 10^%g", 1/x, got, EnergyBinEdge(got))
		}
	}
	for _, x := range []struct {
		error float64
		bin   int
	}{
		{0, -72}, {math.SmallestNonzeroFloat64, -72}, {1e-18, -72}, {9.99e-18, -69},
		{0.5, -2}, {2, 1}, {9999, 15}, {1e4, 16}, {1e300, 16}, {math.Inf(1), 16}, {math.NaN(), 16},
	} {
		if got := EnergyBin(x.error); got != x.bin {
			t.Errorf("EnergyBin(%g) = %d, not %d", x.error, got, x.bin)
		}
	}
	if EnergyBinEdge(-72) != -18 || EnergyBinEdge(1) != 0.25 {
		t.Error("the ends of bins are not quarters of decades")
	}
}

// TestBins: counts come in the order of what they count.
func TestBins(t *testing.T) {
	c := counter{}
	for _, v := range []int{5, -2, 5, 0, 5, -2} {
		c[v]++
	}
	if got, want := c.bins(), []Bin{{-2, 2}, {0, 1}, {5, 3}}; !slices.Equal(got, want) {
		t.Errorf("bins are %v, not %v", got, want)
	}
}

// TestNumber: what is not finite is null, and everything else comes back with all its bits.
func TestNumber(t *testing.T) {
	for _, x := range []struct {
		value float64
		text  string
	}{
		{0.1, "0.1"}, {-3, "-3"}, {1e300, "1e+300"}, {math.SmallestNonzeroFloat64, "5e-324"},
		{math.NaN(), "null"}, {math.Inf(1), "null"}, {math.Inf(-1), "null"},
	} {
		text, err := json.Marshal(struct{ X Number }{Number(x.value)})
		if err != nil || string(text) != `{"X":`+x.text+`}` {
			t.Errorf("%v is written as %s, %v", x.value, text, err)
		}
		var back struct{ X Number }
		if err := json.Unmarshal(text, &back); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if b := float64(back.X); b != x.value && !(x.text == "null" && b != b) {
			t.Errorf("%s is read as %v", text, b)
		}
	}
	var back struct{ X Number }
	if err := json.Unmarshal([]byte(`{"X": "1"}`), &back); err == nil {
		t.Error("a text is read as a number")
	}
}

// TestEvenly: exactly min(k, n) of n are chosen, the gaps between them differ by at most one, and the
// last is among them.
func TestEvenly(t *testing.T) {
	for n := 1; n <= 40; n++ {
		for k := range n + 5 {
			var at []int
			for i := range n {
				if evenly(i, k, n) {
					at = append(at, i)
				}
			}
			if len(at) != min(k, n) {
				t.Fatalf("%d of %d: %v", k, n, at)
			}
			if k > 0 && at[len(at)-1] != n-1 {
				t.Errorf("%d of %d: %v, without the last", k, n, at)
			}
			last := -1
			for _, i := range at {
				if gap := i - last; gap < n/min(k, n) || gap > (n+min(k, n)-1)/min(k, n) {
					t.Errorf("%d of %d: %v, with a gap of %d", k, n, at, gap)
				}
				last = i
			}
		}
	}
}

// TestChoose: min(k, n) distinct numbers below n come in order, and every one as often as the others.
func TestChoose(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range 12 {
		for k := range n + 3 {
			at := choose(rng, k, n)
			if len(at) != min(k, n) || !slices.IsSorted(at) || len(slices.Compact(slices.Clone(at))) != len(at) ||
				len(at) > 0 && (at[0] < 0 || at[len(at)-1] >= n) {
				t.Errorf("%d of %d: %v", k, n, at)
			}
		}
	}
	// Of 4 there are 6 pairs, each of which comes N/6 times with a variance of N·5/36.
	const times = 60_000
	pairs := map[[2]int]int{}
	for range times {
		at := choose(rng, 2, 4)
		pairs[[2]int(at)]++
	}
	sd := math.Sqrt(times * 5.0 / 36)
	for pair, n := range pairs {
		if math.Abs(float64(n)-times/6) > 4*sd {
			t.Errorf("%v comes %d times of %d", pair, n, times)
		}
	}
	if len(pairs) != 6 {
		t.Errorf("%d of the 6 pairs occur", len(pairs))
	}
}

// TestMeanSD compares with numbers whose mean and standard deviation, with n − 1, are known.
func TestMeanSD(t *testing.T) {
	mean, sd := meanSD([]float64{2, 4, 4, 4, 5, 5, 7, 9})
	if !near(mean, 5, 1e-14) || !near(sd, math.Sqrt(32.0/7), 1e-14) {
		t.Errorf("mean %v, standard deviation %v", mean, sd)
	}
	if mean, sd = meanSD([]float64{3}); mean != 3 || sd != 0 {
		t.Errorf("of one number: mean %v, standard deviation %v", mean, sd)
	}
}
