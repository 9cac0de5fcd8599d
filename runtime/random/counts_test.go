package random

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// counts are the generators of counts as functions of their last argument.
var counts = []struct {
	name   string
	lo, hi float64 // the range of the argument
	most   float64 // the largest count
	draw   func(rng *rand.Rand, x float64) int
}{
	{"Bernoulli", 0, 1, 1, Bernoulli},
	{"BernoulliLogit", -largest, largest, 1, BernoulliLogit},
	{"BinomialLogit", -largest, largest, 100, func(rng *rand.Rand, x float64) int { return BinomialLogit(rng, 100, x) }},
	{"BinomialLogit of many", -largest, largest, maxCount, func(rng *rand.Rand, x float64) int { return BinomialLogit(rng, maxCount, x) }},
	{"Poisson", 0, maxCount / 2, maxCount, Poisson},
	{"PoissonLog", -largest, math.Log(maxCount / 2), maxCount, PoissonLog},
	{"Binomial", 0, 1, 100, func(rng *rand.Rand, x float64) int { return Binomial(rng, 100, x) }},
	{"Binomial of many", 0, 1, maxCount, func(rng *rand.Rand, x float64) int { return Binomial(rng, maxCount, x) }},
	{"BetaBinomial", smallest, largest, 100, func(rng *rand.Rand, x float64) int { return BetaBinomial(rng, 100, x, 2) }},
	{"BetaBinomial of beta", smallest, largest, maxCount, func(rng *rand.Rand, x float64) int { return BetaBinomial(rng, maxCount, 0.5, x) }},
	{"NegBinomial", smallest, largest, maxCount, func(rng *rand.Rand, x float64) int { return NegBinomial(rng, x, 0.5) }},
	{"NegBinomial of beta", smallest, largest, maxCount, func(rng *rand.Rand, x float64) int { return NegBinomial(rng, 0.5, x) }},
	{"NegBinomial2", smallest, maxCount / 2, maxCount, func(rng *rand.Rand, x float64) int { return NegBinomial2(rng, x, 2) }},
	{"NegBinomial2 of phi", smallest, largest, maxCount, func(rng *rand.Rand, x float64) int { return NegBinomial2(rng, 3, x) }},
	{"NegBinomial2Log", -largest, math.Log(maxCount / 2), maxCount, func(rng *rand.Rand, x float64) int { return NegBinomial2Log(rng, x, 2) }},
	{"NegBinomial2Log of phi", smallest, largest, maxCount, func(rng *rand.Rand, x float64) int { return NegBinomial2Log(rng, 36, x) }},
	{"Geometric", smallest, 1, maxCount, Geometric},
	{"BetaNegBinomial", smallest, largest, maxCount, func(rng *rand.Rand, x float64) int { return BetaNegBinomial(rng, x, 2, 3) }},
	{"BetaNegBinomial of alpha", smallest, largest, maxCount, func(rng *rand.Rand, x float64) int { return BetaNegBinomial(rng, 2, x, 3) }},
	{"BetaNegBinomial of beta", smallest, largest, maxCount, func(rng *rand.Rand, x float64) int { return BetaNegBinomial(rng, 2, 0.5, x) }},
	{"ZeroInflatedPoisson", 0, 1, maxCount, func(rng *rand.Rand, x float64) int { return ZeroInflatedPoisson(rng, x, 3) }},
	{"ZeroInflatedPoisson of lambda", smallest, maxCount / 2, maxCount, func(rng *rand.Rand, x float64) int { return ZeroInflatedPoisson(rng, 0.3, x) }},
	{"ZeroInflatedNegBinomial2", 0, 1, maxCount, func(rng *rand.Rand, x float64) int { return ZeroInflatedNegBinomial2(rng, x, 3, 2) }},
	{"ZeroInflatedNegBinomial2 of mu", smallest, maxCount / 2, maxCount, func(rng *rand.Rand, x float64) int { return ZeroInflatedNegBinomial2(rng, 0.3, x, 2) }},
	{"ZeroInflatedNegBinomial2 of phi", smallest, largest, maxCount, func(rng *rand.Rand, x float64) int { return ZeroInflatedNegBinomial2(rng, 0.3, 3, x) }},
	{"HurdlePoisson", 0, 1, maxCount, func(rng *rand.Rand, x float64) int { return HurdlePoisson(rng, x, 3) }},
	{"HurdlePoisson of lambda", smallest, maxCount / 2, maxCount, func(rng *rand.Rand, x float64) int { return HurdlePoisson(rng, 0.3, x) }},
}

// Whatever the argument, a count is in the support if it is in the range, and
// otherwise −1 without a random number used.
func TestCountsAtExtremeArguments(t *testing.T) {
	values := []float64{math.NaN(), math.Inf(-1), -largest, -800, -40, -1, -smallest, 0, smallest, 1e-300, 1e-9, 0.5, 1,
		math.Nextafter(1, 2), 9.999, 10, 20, 36, 37, 800, 1e9, maxCount / 2, maxCount, 1e300, largest, math.Inf(1)}
	for _, g := range counts {
		rng, untouched := source(1), source(1)
		for i, x := range values {
			if !(x >= g.lo && x <= g.hi) {
				if k := g.draw(rng, x); k != -1 {
					t.Errorf("%s(%v) is %d outside its range", g.name, x, k)
				}
				if rng.Uint64() != untouched.Uint64() {
					t.Fatalf("%s(%v) uses random numbers outside its range", g.name, x)
				}
				continue
			}
			r := source(i)
			for range 50 {
				if k := g.draw(r, x); !(k >= 0 && float64(k) <= g.most) {
					t.Errorf("%s(%v) draws %d", g.name, x, k)
				}
			}
		}
	}
	rng := source(1)
	for _, n := range []int{-1, math.MinInt, maxCount + 1, math.MaxInt} {
		for _, k := range []int{BinomialLogit(rng, n, 0), Binomial(rng, n, 0.5), BetaBinomial(rng, n, 1, 1)} {
			if k != -1 {
				t.Errorf("a binomial count of %d trials is %d outside its range", n, k)
			}
		}
	}
	// Values that are certain.
	for _, c := range []struct{ got, want int }{
		{Bernoulli(rng, 0), 0}, {Bernoulli(rng, 1), 1}, {BernoulliLogit(rng, 800), 1}, {BernoulliLogit(rng, -800), 0},
		{BinomialLogit(rng, 0, 1), 0}, {BinomialLogit(rng, maxCount, 800), maxCount}, {BinomialLogit(rng, maxCount, -800), 0},
		{Poisson(rng, 0), 0}, {PoissonLog(rng, -800), 0},
		{Binomial(rng, 0, 0.3), 0}, {Binomial(rng, maxCount, 1), maxCount}, {Binomial(rng, maxCount, 0), 0}, {Binomial(rng, 7, 1), 7}, {Binomial(rng, 7, 0), 0},
		{BetaBinomial(rng, 0, 1, 1), 0}, {NegBinomial2Log(rng, -800, 1), 0}, {NegBinomial2(rng, 1e-300, 1), 0}, {NegBinomial(rng, 1, 1e300), 0},
	} {
		if c.got != c.want {
			t.Errorf("a draw is %d that is certainly %d", c.got, c.want)
		}
	}
}

func TestBernoulli(t *testing.T) {
	const n = 50000
	for i, theta := range []float64{0.001, 0.2, 0.5, 0.93} {
		check := func(name string, draw func(rng *rand.Rand, x float64) int, x float64) {
			t.Run(fmt.Sprintf("%s(%v)", name, x), func(t *testing.T) {
				rng, sample := source(i), make([]int, n)
				for j := range sample {
					sample[j] = draw(rng, x)
				}
				followsCounts(t, sample, func(k int) float64 { return distuv.Bernoulli{P: theta}.Prob(float64(k)) })
			})
		}
		check("Bernoulli", Bernoulli, theta)
		check("BernoulliLogit", BernoulliLogit, math.Log(theta/(1-theta)))
	}
}

func TestBinomial(t *testing.T) {
	const n = 40000
	for i, c := range []struct {
		trials int
		eta    float64
	}{
		{1, 0.3}, {7, -2}, {7, 2}, {19, 0}, {20, 0}, {21, 0}, {60, -1.5}, {60, 1.5}, {100, 0.3}, {100, 3}, {1000, -6}, {1000, -4.5},
		{1000, 4.5}, {4000, -6}, {1_000_000, -11}, {1_000_000, -9}, {1_000_000, 0.2}, {1 << 40, -25}, {1 << 40, -23},
	} {
		t.Run(fmt.Sprintf("%d,%v", c.trials, c.eta), func(t *testing.T) {
			rng, sample := source(i), make([]int, n)
			for j := range sample {
				sample[j] = BinomialLogit(rng, c.trials, c.eta)
			}
			d := distuv.Binomial{N: float64(c.trials), P: 1 / (1 + math.Exp(-c.eta))}
			if c.trials == 1<<40 {
				// gonum's terms cancel; the distribution is Poisson's up
				// to its probability of success, 10⁻¹⁰.
				p := distuv.Poisson{Lambda: d.N * d.P}
				followsCounts(t, sample, func(k int) float64 { return p.Prob(float64(k)) })
				return
			}
			followsCounts(t, sample, func(k int) float64 { return d.Prob(float64(k)) })
		})
	}
}

func TestBinomialOfProbability(t *testing.T) {
	const n = 40000
	for i, c := range []struct {
		trials int
		theta  float64
	}{{1, 0.3}, {7, 0.1}, {7, 0.9}, {20, 0.5}, {60, 0.2}, {60, 0.8}, {1000, 1e-3}, {1000, 0.999}, {1_000_000, 0.45}} {
		t.Run(fmt.Sprintf("%d,%v", c.trials, c.theta), func(t *testing.T) {
			rng, sample := source(i), make([]int, n)
			for j := range sample {
				sample[j] = Binomial(rng, c.trials, c.theta)
			}
			d := distuv.Binomial{N: float64(c.trials), P: c.theta}
			followsCounts(t, sample, func(k int) float64 { return d.Prob(float64(k)) })
		})
	}
}

// Mixtures have probabilities by products of ratios, which do not know the gamma function.
func TestMixedCounts(t *testing.T) {
	const n = 40000
	// of is the distribution of counts with the probability first of none, and ratio(k) that of k + 1 to k.
	of := func(first float64, ratio func(k float64) float64) func(k int) float64 {
		probs := []float64{first}
		return func(k int) float64 {
			for k >= len(probs) {
				last := float64(len(probs) - 1)
				probs = append(probs, probs[len(probs)-1]*ratio(last))
			}
			return probs[k]
		}
	}
	negative := func(mu, phi float64) func(k int) float64 {
		return of(math.Exp(-phi*math.Log1p(mu/phi)), func(k float64) float64 { return (k + phi) / (k + 1) * mu / (mu + phi) })
	}
	for i, c := range []struct{ mu, phi float64 }{{3, 2}, {0.2, 0.1}, {40, 5}, {40, 0.3}, {7, 1e-2}, {12, 1e9}, {200, 800}} {
		for _, g := range []struct {
			name string
			draw func(rng *rand.Rand) int
		}{
			{"NegBinomial", func(rng *rand.Rand) int { return NegBinomial(rng, c.phi, c.phi/c.mu) }},
			{"NegBinomial2", func(rng *rand.Rand) int { return NegBinomial2(rng, c.mu, c.phi) }},
			{"NegBinomial2Log", func(rng *rand.Rand) int { return NegBinomial2Log(rng, math.Log(c.mu), c.phi) }},
		} {
			t.Run(fmt.Sprintf("%s(%v,%v)", g.name, c.mu, c.phi), func(t *testing.T) {
				rng, sample := source(i), make([]int, n)
				for j := range sample {
					sample[j] = g.draw(rng)
				}
				followsCounts(t, sample, negative(c.mu, c.phi))
			})
		}
	}
	for i, c := range []struct {
		trials      int
		alpha, beta float64
	}{{1, 2, 3}, {12, 0.4, 0.7}, {12, 3, 1}, {50, 40, 90}, {30, 1e-2, 2}, {20, 1e9, 3e9}} {
		t.Run(fmt.Sprintf("BetaBinomial(%d,%v,%v)", c.trials, c.alpha, c.beta), func(t *testing.T) {
			rng, sample := source(i), make([]int, n)
			for j := range sample {
				sample[j] = BetaBinomial(rng, c.trials, c.alpha, c.beta)
			}
			first, all := 1.0, float64(c.trials)
			for k := range c.trials {
				first *= (c.beta + float64(k)) / (c.alpha + c.beta + float64(k))
			}
			prob := of(first, func(k float64) float64 { return (all - k) / (k + 1) * (c.alpha + k) / (c.beta + all - k - 1) })
			followsCounts(t, sample, func(k int) float64 {
				if k > c.trials {
					return 0
				}
				return prob(k)
			})
		})
	}
}

// Counts of waiting times and those with more or fewer zeros, with probabilities by products of ratios too.
func TestCompoundCounts(t *testing.T) {
	const n = 40000
	of := func(first float64, ratio func(k float64) float64) func(k int) float64 {
		probs := []float64{first}
		return func(k int) float64 {
			for k >= len(probs) {
				last := float64(len(probs) - 1)
				probs = append(probs, probs[len(probs)-1]*ratio(last))
			}
			return probs[k]
		}
	}
	// zeros makes theta of the probability that of 0 alone, or all of that of 0 where it is a hurdle.
	zeros := func(theta float64, hurdle bool, prob func(k int) float64) func(k int) float64 {
		return func(k int) float64 {
			switch p := prob(k); {
			case hurdle && k == 0:
				return theta
			case hurdle:
				return (1 - theta) * p / (1 - prob(0))
			case k == 0:
				return theta + (1-theta)*p
			default:
				return (1 - theta) * p
			}
		}
	}
	poisson := func(mu float64) func(k int) float64 {
		return of(math.Exp(-mu), func(k float64) float64 { return mu / (k + 1) })
	}
	negative := func(mu, phi float64) func(k int) float64 {
		return of(math.Exp(-phi*math.Log1p(mu/phi)), func(k float64) float64 { return (k + phi) / (k + 1) * mu / (mu + phi) })
	}
	// Of no failures it is B(alpha + r, beta)/B(alpha, beta).
	mixed := func(r, alpha, beta float64) func(k int) float64 {
		first := math.Exp(mathext.Lbeta(alpha+r, beta) - mathext.Lbeta(alpha, beta))
		return of(first, func(k float64) float64 { return (k + r) / (k + 1) * (beta + k) / (alpha + r + beta + k) })
	}
	for i, c := range []struct {
		name string
		draw func(rng *rand.Rand) int
		prob func(k int) float64
	}{
		{"Geometric(0.3)", func(rng *rand.Rand) int { return Geometric(rng, 0.3) }, of(0.3, func(float64) float64 { return 0.7 })},
		{"Geometric(1e-3)", func(rng *rand.Rand) int { return Geometric(rng, 1e-3) }, of(1e-3, func(float64) float64 { return 1 - 1e-3 })},
		{"BetaNegBinomial(2,5,3)", func(rng *rand.Rand) int { return BetaNegBinomial(rng, 2, 5, 3) }, mixed(2, 5, 3)},
		{"BetaNegBinomial(0.4,6,0.1)", func(rng *rand.Rand) int { return BetaNegBinomial(rng, 0.4, 6, 0.1) }, mixed(0.4, 6, 0.1)},
		{"ZeroInflatedPoisson(0.3,4)", func(rng *rand.Rand) int { return ZeroInflatedPoisson(rng, 0.3, 4) }, zeros(0.3, false, poisson(4))},
		{"ZeroInflatedNegBinomial2(0.6,3,0.7)", func(rng *rand.Rand) int { return ZeroInflatedNegBinomial2(rng, 0.6, 3, 0.7) }, zeros(0.6, false, negative(3, 0.7))},
		{"HurdlePoisson(0.2,3)", func(rng *rand.Rand) int { return HurdlePoisson(rng, 0.2, 3) }, zeros(0.2, true, poisson(3))},
		{"HurdlePoisson(0.5,0.02)", func(rng *rand.Rand) int { return HurdlePoisson(rng, 0.5, 0.02) }, zeros(0.5, true, poisson(0.02))},
		{"HurdlePoisson(0.1,30)", func(rng *rand.Rand) int { return HurdlePoisson(rng, 0.1, 30) }, zeros(0.1, true, poisson(30))},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng, sample := source(i), make([]int, n)
			for j := range sample {
				sample[j] = c.draw(rng)
			}
			followsCounts(t, sample, c.prob)
		})
	}
}

func TestPoisson(t *testing.T) {
	const n = 40000
	for i, mu := range []float64{1e-3, 0.3, 2, 9.999, 10, 10.5, 13, 40, 300, 1e4, 1e6} {
		t.Run(fmt.Sprint(mu), func(t *testing.T) {
			rng, sample := source(i), make([]int, n)
			for j := range sample {
				sample[j] = Poisson(rng, mu)
				if j%2 == 0 {
					sample[j] = PoissonLog(rng, math.Log(mu))
				}
			}
			d := distuv.Poisson{Lambda: mu}
			followsCounts(t, sample, func(k int) float64 { return d.Prob(float64(k)) })
		})
	}
}

// Counts with large variances are normal, up to a skewness of 1/σ.
func TestLargeCountsAreNormal(t *testing.T) {
	const n = 20000
	for i, c := range []struct {
		name     string
		mean, sd float64
		draw     func(rng *rand.Rand) int
	}{
		{"Poisson(1e12)", 1e12, 1e6, func(rng *rand.Rand) int { return Poisson(rng, 1e12) }},
		{"Poisson(2^52)", 1 << 52, 1 << 26, func(rng *rand.Rand) int { return Poisson(rng, 1<<52) }},
		{"Binomial(2^53,1/2)", 1 << 52, math.Sqrt(1 << 51), func(rng *rand.Rand) int { return BinomialLogit(rng, 1<<53, 0) }},
		{"Binomial(2^50,3/4)", 3 << 48, math.Sqrt(3 << 46), func(rng *rand.Rand) int { return BinomialLogit(rng, 1<<50, math.Log(3)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng, sample := source(i), make([]float64, n)
			for j := range sample {
				sample[j] = (float64(c.draw(rng)) - c.mean) / c.sd
			}
			follows(t, sample, distuv.UnitNormal.CDF)
		})
	}
}

// TestRejection certifies what the transformed rejection rests on, for means
// from its least to the largest: under the transformation G the density is
// bounded by the height everywhere, and exceeds the squeeze in the centre.
func TestRejection(t *testing.T) {
	check := func(name string, r rejection, most float64, logf func(k float64) float64) {
		t.Helper()
		if !(r.a > 0 && r.squeeze > 0 && r.squeeze < 1) {
			t.Errorf("%s: %+v", name, r)
		}
		const points = 1500
		const h = 1e-3
		area := 0.0
		for i := range 2 * points {
			// Half of the points in the centre, half from there to the
			// tails on a logarithmic scale.
			s := 0.5 * float64(i+1) / points
			if i >= points {
				s = 0.1 * math.Pow(1e-8, float64(i-points)/points)
			}
			for _, u := range []float64{s - 0.5, 0.5 - s} {
				g, slope := r.transform(u, s)
				// The divided difference of a/s is 1 + h² times its
				// derivative, and both u and G are rounded; near u = 0
				// it would reach across a kink.
				up, _ := r.transform(u+h*s, 0.5-math.Abs(u+h*s))
				down, _ := r.transform(u-h*s, 0.5-math.Abs(u-h*s))
				if d := (up - down) / (2 * h * s); s < 0.4 && !(math.Abs(d-slope) <= (1e-5+2e-16/(h*s))*slope+1e-15*math.Abs(g)/(h*s)) {
					t.Fatalf("%s: the slope at u = %v is %v, want %v", name, u, slope, d)
				}
				k := math.Floor(g)
				if !(k >= 0 && k <= most) {
					continue
				}
				y := math.Exp(logf(k)-r.logHeight) * slope
				if !(y <= 1) {
					t.Fatalf("%s: the density is %.6f of the height at u = %v", name, y, u)
				}
				if s >= squeezeFrom && !(y >= r.squeeze) {
					t.Fatalf("%s: the density is %.6f of the height at u = %v, the squeeze %.6f", name, y, u, r.squeeze)
				}
				if i < points {
					area += y * 0.5 / points
				}
			}
		}
		// The density under G integrates to one: the acceptance probability
		// is the inverse of the height.
		if want := math.Exp(-r.logHeight); !(math.Abs(area-want) < 0.02*want) {
			t.Errorf("%s: the acceptance probability is %.4f, want %.4f", name, area, want)
		}
	}
	// Roughness is at small means: above, the constants have their limits.
	step := func(mean float64) float64 {
		if mean < 100 {
			return 1.03
		}
		return 1.5
	}
	for mu := 10.0; mu <= maxCount/2; mu *= step(mu) {
		check(fmt.Sprintf("Poisson(%v)", mu), poissonRejection(mu), maxCount, func(k float64) float64 { return logPoisson(k, mu) })
	}
	for _, p := range []float64{0.5, 0.47, 0.4, 0.3, 0.2, 0.1, 0.03, 1e-3, 1e-9} {
		for n := math.Ceil(inversionBelow / p); n <= maxCount; n = math.Ceil(n * step(n*p)) {
			check(fmt.Sprintf("binomial(%v,%v)", n, p), binomialRejection(n, p), n, func(k float64) float64 { return logBinomial(k, n, p) })
		}
	}
}

// The probabilities agree with gonum's where their terms do not cancel, and
// satisfy their recurrences where they do.
func TestLogProbabilities(t *testing.T) {
	near := func(got, want float64, what string, args ...any) {
		t.Helper()
		if !(math.Abs(got-want) <= 3e-13*(1+math.Abs(want))) {
			t.Errorf("%s: %.16g, want %.16g", fmt.Sprintf(what, args...), got, want)
		}
	}
	for _, mu := range []float64{0.1, 3, 10, 57.3, 200} {
		for k := range 300 {
			near(logPoisson(float64(k), mu), distuv.Poisson{Lambda: mu}.LogProb(float64(k)), "Poisson %v at %d", mu, k)
		}
	}
	for _, n := range []float64{1, 2, 17, 40, 150} {
		for _, p := range []float64{0.01, 0.2, 0.5} {
			for k := range int(n) + 1 {
				near(logBinomial(float64(k), n, p), distuv.Binomial{N: n, P: p}.LogProb(float64(k)), "binomial %v, %v at %d", n, p, k)
			}
		}
	}
	for _, mu := range []float64{10, 1e3, 1e6, 1e10, 1e15} {
		for z := -6.0; z <= 6; z += 0.37 {
			k := math.Floor(mu + z*math.Sqrt(mu))
			if k < 0 {
				continue
			}
			near(logPoisson(k+1, mu)-logPoisson(k, mu), math.Log1p((mu-k-1)/(k+1)), "the recurrence of Poisson %v at %v", mu, k)
			n, p := 4*mu, 0.25
			k = min(k, n-1)
			near(logBinomial(k+1, n, p)-logBinomial(k, n, p), math.Log1p((n*p-k-(1-p))/((k+1)*(1-p))), "the recurrence of binomial %v at %v", n, k)
		}
		if mu > 1e6 {
			continue
		}
		sum, both := 0.0, 0.0
		for k := max(math.Floor(mu-9*math.Sqrt(mu)), 0); k <= mu+40+9*math.Sqrt(mu); k++ {
			sum += math.Exp(logPoisson(k, mu))
			if k <= 4*mu {
				both += math.Exp(logBinomial(k, 4*mu, 0.25))
			}
		}
		near(sum, 1, "the sum of Poisson %v", mu)
		near(both, 1, "the sum of binomial %v", 4*mu)
	}
}

func TestCountAndTrials(t *testing.T) {
	for _, k := range []int{0, 1, maxCount} {
		if x := Count(k); x != float64(k) || Trials(x) != k {
			t.Errorf("the count %d is %v, and back %d", k, x, Trials(x))
		}
	}
	if x := Count(-1); !math.IsNaN(x) {
		t.Errorf("the count −1 is %v", x)
	}
	for _, x := range []float64{-1, 0.5, 2*maxCount + 2, largest, math.Inf(1), math.Inf(-1), math.NaN()} {
		if n := Trials(x); n != -1 {
			t.Errorf("%v trials are %d", x, n)
		}
	}
}
