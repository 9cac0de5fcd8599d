package diagnostics

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

var nan = math.NaN()

// autoregression returns m chains of n draws of a first-order autoregression with
// standard normal innovations.
func autoregression(seed uint64, m, n int, phi float64) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	chains := make([][]float64, m)
	for c := range chains {
		x := rng.NormFloat64() / math.Sqrt(1-phi*phi)
		chains[c] = make([]float64, n)
		for i := range chains[c] {
			chains[c][i] = x
			x = phi*x + rng.NormFloat64()
		}
	}
	return chains
}

// TestAutocovariance compares all lags, the directly computed ones and those
// from the Fourier transform, with gonum's covariance of the lagged series.
func TestAutocovariance(t *testing.T) {
	for _, size := range []struct{ m, n int }{{1, 3}, {1, 64}, {3, 65}, {2, 128}, {3, 700}} {
		chains := autoregression(1, size.m, size.n, 0.95)
		var w workspace
		w.acov.reset(w.load(chains))
		for lag := range size.n {
			want := 0.0
			for _, x := range chains {
				mu := stat.Mean(x, nil)
				for i := range x[lag:] {
					want += (x[i] - mu) * (x[i+lag] - mu)
				}
			}
			want /= float64(size.m * size.n)
			if got := w.acov.at(lag); math.Abs(got-want) > 1e-12*w.acov.at(0) {
				t.Fatalf("%d chains of %d: lag %d: %v, want %v", size.m, size.n, lag, got, want)
			}
		}
	}
}

// TestESSAutoregression holds the estimates against theory: τ = (1 + φ)/(1 − φ)
// for the mean of an autoregression, whose draws are normal, so that
// rank normalisation changes little. φ = 0.98 needs the Fourier transform.
func TestESSAutoregression(t *testing.T) {
	for _, phi := range []float64{-0.3, 0, 0.5, 0.9, 0.98} {
		chains := autoregression(7, 4, 50000, phi)
		want := 4 * 50000 * (1 - phi) / (1 + phi)
		for name, got := range map[string]float64{"ESSMean": ESSMean(chains), "ESSBulk": ESSBulk(chains)} {
			if math.Abs(got/want-1) > 0.1 {
				t.Errorf("φ = %v: %s = %.0f, want about %.0f", phi, name, got, want)
			}
		}
	}
}

func TestOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	x := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1),
		math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64}
	for range 2000 {
		x = append(x, math.Trunc(rng.NormFloat64()*50)*math.Pow(10, float64(rng.IntN(40)-20)))
	}
	for range 2000 { // crowded beside one number, as the highest bytes see it
		x = append(x, 1+float64(rng.IntN(1000))*0x1p-52)
	}
	for n := range len(x) + 1 {
		if n > 20 && n != 2008 && n < len(x)-1 {
			continue
		}
		var w workspace
		var got []int
		for _, k := range w.order(x[:n]) {
			got = append(got, int(k.index))
		}
		want := make([]int, n)
		for i := range want {
			want[i] = i
		}
		slices.SortStableFunc(want, func(i, j int) int {
			switch {
			case x[i] < x[j]:
				return -1
			case x[i] > x[j]:
				return 1
			}
			return 0
		})
		if !slices.Equal(got, want) {
			t.Fatalf("%d draws: wrong order", n)
		}
		for _, k := range []int{0, 1, n / 50, n / 2, n} {
			if k > n {
				continue
			}
			smallest, largest := Ends(x[:n], k)
			for i := range k {
				if int(smallest[i]) != want[i] || int(largest[i]) != want[n-k+i] {
					t.Fatalf("the ends of %d draws: %d and %d at %d of %d, want %d and %d", n, smallest[i], largest[i], i, k, want[i], want[n-k+i])
				}
			}
		}
	}
}

// What is made of the order of the draws is what sorting would make: the order of the halves of chains, and that of distances.
func TestDerivedOrders(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	for _, n := range []int{2, 3, 10, 11, 501} {
		for name, draw := range map[string]func() float64{
			"normal": rng.NormFloat64, "ties": func() float64 { return float64(rng.IntN(5)) - 2 }, "zeros": func() float64 { return math.Copysign(0, rng.Float64()-0.5) },
			"wide": func() float64 { return math.Copysign(math.Exp(700*rng.Float64()), rng.Float64()-0.7) },
		} {
			chains := make([][]float64, 3)
			for c := range chains {
				for range n {
					chains[c] = append(chains[c], draw())
				}
			}
			var w, other workspace
			a := w.load(chains)
			half, order := w.halves(a, w.order(a.x))
			want := other.order(other.split(other.load(chains)).x)
			if !slices.Equal(order, want) {
				t.Fatalf("%s, %d draws: the order of the halves is wrong", name, n)
			}
			for _, centre := range []float64{0, half.x[0], -1e9, 1e9, 0.3} {
				d := make([]float64, len(half.x))
				for i, v := range half.x {
					d[i] = math.Abs(v - centre)
				}
				want := other.order(d)
				seen := make([]bool, len(d))
				for i, k := range w.fold(half.x, order, centre) {
					if math.Float64frombits(k.bits) != d[k.index] || d[k.index] != d[want[i].index] || seen[k.index] {
						t.Fatalf("%s, %d draws about %v: the order of the distances is wrong at %d", name, n, centre, i)
					}
					seen[k.index] = true
				}
			}
		}
	}
}

// Chains that are summed side by side have the sums that each has alone.
func TestSideBySide(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	for m := range 10 {
		for _, odd := range []float64{0, math.Inf(1), math.NaN(), math.MaxFloat64} {
			a := array{n: 7, m: m}
			for range a.n * m {
				a.x = append(a.x, rng.NormFloat64())
			}
			if m > 1 {
				a.x[a.n+3] = odd
			}
			means := a.means(nil)
			for c, s := range a.squares(means, nil) {
				if x := a.chain(c); math.Float64bits(means[c]) != math.Float64bits(mean(x)) || math.Float64bits(s) != math.Float64bits(squares(x, mean(x))) {
					t.Errorf("chain %d of %d with %v: %v, %v", c, m, odd, means[c], s)
				}
			}
		}
	}
}

func TestNormalScores(t *testing.T) {
	var w workspace
	for _, s := range []int{1, 2, 7, 1000} {
		for k, got := range w.normalScores(s) {
			r := 1 + float64(k)/2
			want := distuv.UnitNormal.Quantile((r - 0.375) / (float64(s) + 0.25))
			if math.Abs(got-want) > 1e-12 {
				t.Errorf("rank %v of %d: %v, want %v", r, s, got, want)
			}
		}
	}
}

func TestBetaQuantile(t *testing.T) {
	for _, b := range []distuv.Beta{{Alpha: 1, Beta: 1}, {Alpha: 1.5, Beta: 20}, {Alpha: 51, Beta: 951},
		{Alpha: 500, Beta: 501}, {Alpha: 39000, Beta: 2100}, {Alpha: 2.1, Beta: 1}} {
		for _, p := range []float64{1e-6, 0.1586553, 0.5, 0.8413447, 0.999} {
			x := betaQuantile(p, b.Alpha, b.Beta)
			if got := b.CDF(x); math.Abs(got-p) > 1e-10*p {
				t.Errorf("Beta(%v, %v): the CDF at the quantile %v of %v is %v", b.Alpha, b.Beta, x, p, got)
			}
		}
	}
}

func TestMoments(t *testing.T) {
	x := autoregression(5, 1, 1001, 0)[0]
	for i := range x {
		x[i] += 1e6 // loses six digits to a careless variance
	}
	mu, sd := stat.MeanStdDev(x, nil)
	if got := Mean([][]float64{x}); !agrees(got, mu) {
		t.Errorf("mean %v, want %v", got, mu)
	}
	if got := SD([][]float64{x}); !agrees(got, sd) {
		t.Errorf("sd %v, want %v", got, sd)
	}
	if got := Mean([][]float64{slices.Repeat([]float64{0.1}, 100000)}); got != 0.1 {
		t.Errorf("the mean of many 0.1 is %v", got)
	}
}

func TestQuantileEnds(t *testing.T) {
	chains := [][]float64{{3, 1}, {2, 5}}
	for p, want := range map[float64]float64{0: 1, 1: 5, 1.0 / 3: 2, 0.5: 2.5} {
		if got := Quantile(chains, p); !agrees(got, want) {
			t.Errorf("quantile at %v: %v, want %v", p, got, want)
		}
	}
}

func TestEBFMI(t *testing.T) {
	for _, c := range []struct {
		energy []float64
		want   float64
	}{
		{[]float64{1, 3, 2, 6}, (4.0 + 1 + 16) / (4 + 0 + 1 + 9)},
		{[]float64{5}, nan},
		{nil, nan},
		{[]float64{2, 2, 2}, nan},
		{[]float64{2, math.Inf(1), 2}, nan},
	} {
		if got := EBFMI(c.energy); !agrees(got, c.want) {
			t.Errorf("EBFMI(%v) = %v, want %v", c.energy, got, c.want)
		}
	}
	// For an autoregression the expected ratio is 2(1 − φ).
	if got := EBFMI(autoregression(2, 1, 100000, 0.9)[0]); math.Abs(got-0.2) > 0.01 {
		t.Errorf("EBFMI of an autoregression with φ = 0.9 is %v, want about 0.2", got)
	}
}

// TestUndefined feeds every statistic inputs for which it is not defined.
func TestUndefined(t *testing.T) {
	for name, chains := range map[string][][]float64{
		"none":     nil,
		"empty":    {{}, {}},
		"ragged":   {{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 3}},
		"NaN":      {{1, 2, 3, nan, 5, 6, 7, 8}, {1, 2, 3, 4, 5, 6, 7, 9}},
		"one draw": {{1}},
	} {
		for statistic, f := range statistics {
			switch {
			case statistic == "n_iter" || statistic == "n_chains":
				continue
			case name == "one draw" && (statistic == "mean" || statistic[0] == 'q'):
				continue // defined
			}
			if got := f(chains); !math.IsNaN(got) {
				t.Errorf("%s: %s = %v, want NaN", name, statistic, got)
			}
		}
	}
	infinite := [][]float64{{1, 2, 3, math.Inf(1), 5, 6, 7, 8}}
	for _, statistic := range []string{"ess_bulk", "ess_tail", "ess_mean", "rhat", "rhat_basic", "mcse_mean", "mcse_q05"} {
		if got := statistics[statistic](infinite); !math.IsNaN(got) {
			t.Errorf("an infinite draw: %s = %v, want NaN", statistic, got)
		}
	}
	if got := Quantile([][]float64{{1, 2}}, 1.5); !math.IsNaN(got) {
		t.Errorf("Quantile at 1.5 = %v", got)
	}
}

// TestStuckApart takes chains that are constant, each at a value of its own.
func TestStuckApart(t *testing.T) {
	chains := make([][]float64, 2)
	for c := range chains {
		chains[c] = slices.Repeat([]float64{float64(c)}, 1000)
	}
	if got := RHatBasic(chains, false); !math.IsInf(got, 1) {
		t.Errorf("R-hat = %v, want +Inf", got)
	}
	if got := ESSMean(chains); !(got < 4) {
		t.Errorf("ESSMean = %v, want less than 4: the chains hold no more than their values", got)
	}
}

// A quantity of structs is the same chains of numbers.
func TestQuantity(t *testing.T) {
	type draw struct{ a, b float64 }
	chains := Quantity([][]draw{{{1, 2}, {3, 4}}, {{5, 6}}, {}}, func(d draw) float64 { return d.a * d.b })
	if !slices.EqualFunc(chains, [][]float64{{2, 12}, {30}, {}}, slices.Equal) {
		t.Errorf("%v", chains)
	}
	if chains := Quantity(nil, func(draw) float64 { return 1 }); !math.IsNaN(Mean(chains)) {
		t.Errorf("the mean of no draws is %v", Mean(chains))
	}
}

func TestSummarize(t *testing.T) {
	arrays := referenceArrays(t)
	arrays["NaN"] = [][]float64{{1, nan, 3, 4, 5, 6, 7, 8, 9}}
	var names []string
	var chains [][][]float64
	for name, c := range arrays {
		names = append(names, name)
		chains = append(chains, c)
	}
	got, err := Summarize(names, chains, 0.25, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	for k, s := range got {
		if s.Name != names[k] {
			t.Fatalf("quantity %d is %q, want %q", k, s.Name, names[k])
		}
		c := chains[k]
		for statistic, v := range map[string][2]float64{
			"mean": {s.Mean, Mean(c)}, "mcse": {s.MCSE, MCSEMean(c)}, "sd": {s.SD, SD(c)},
			"q25": {s.Quantiles[0], Quantile(c, 0.25)}, "q95": {s.Quantiles[1], Quantile(c, 0.95)},
			"ess_bulk": {s.ESSBulk, ESSBulk(c)}, "ess_tail": {s.ESSTail, ESSTail(c)},
			"rhat": {s.RHat, RHat(c)},
		} {
			if v[0] != v[1] && !(math.IsNaN(v[0]) && math.IsNaN(v[1])) {
				t.Errorf("%s: %s = %v, on its own %v", s.Name, statistic, v[0], v[1])
			}
		}
	}
	if s, err := Summarize([]string{"a"}, [][][]float64{{{1, 2}}}); err != nil ||
		!slices.Equal(s[0].Quantiles, []float64{1.05, 1.5, 1.95}) {
		t.Errorf("default quantiles: %v, %v", s, err)
	}
}

func TestSummarizeErrors(t *testing.T) {
	ok := [][]float64{{1, 2}, {3, 4}}
	for _, c := range []struct {
		names  []string
		chains [][][]float64
		p      float64
		want   string
	}{
		{[]string{"a"}, [][][]float64{ok, ok}, 0.5, "1 names for 2 quantities"},
		{[]string{"a", "b"}, [][][]float64{ok, {{1, 2}, {3}}}, 0.5, "b: chain 1 has 2 draws, chain 2 has 1"},
		{[]string{"a"}, [][][]float64{{}}, 0.5, "a: no draws"},
		{[]string{"a"}, [][][]float64{{{}}}, 0.5, "a: no draws"},
		{[]string{"a"}, [][][]float64{ok}, 5, "the probability 5 of a quantile is not between 0 and 1"},
		{[]string{"a"}, [][][]float64{ok}, nan, "the probability NaN of a quantile is not between 0 and 1"},
	} {
		if _, err := Summarize(c.names, c.chains, c.p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// BenchmarkSummarize takes 4 chains of 10,000 draws of 300 quantities, with
// autocorrelation times from 1 to 199.
func BenchmarkSummarize(b *testing.B) {
	var names []string
	var chains [][][]float64
	for k := range 300 {
		names = append(names, "x")
		chains = append(chains, autoregression(uint64(k), 4, 10000, 0.99*float64(k%10)/9))
	}
	for b.Loop() {
		if _, err := Summarize(names, chains); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkESSMean(b *testing.B) {
	for _, c := range []struct {
		name string
		phi  float64
	}{{"mixing", 0.3}, {"sticky", 0.999}} {
		chains := autoregression(1, 4, 10000, c.phi)
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				ESSMean(chains)
			}
		})
	}
}

// TestRoundedConstant: draws that differ by rounding are those of a constant, and draws that differ by more are not.
func TestRoundedConstant(t *testing.T) {
	for _, c := range []struct {
		other    float64
		constant bool
	}{{1, true}, {math.Nextafter(1, 2), true}, {math.Nextafter(1, 0), true}, {1 + 1e-14, false}} {
		rows, err := Summarize([]string{"a"}, [][][]float64{{{1, c.other, 1, c.other}, {c.other, 1, 1, c.other}}})
		if err != nil {
			t.Fatal(err)
		}
		if s := rows[0]; s.Constant != c.constant || c.constant && (s.Mean != 1 || s.SD != 0 || !math.IsNaN(s.RHat) || !math.IsNaN(s.MCSE)) || !c.constant && math.IsNaN(s.RHat) {
			t.Errorf("1 and %v: %+v", c.other, s)
		}
	}
}
