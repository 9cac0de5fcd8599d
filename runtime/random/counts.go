package random

import (
	"math"
	"math/rand/v2"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// maxCount bounds the counts that generators return: all whole numbers up to
// it are floating-point numbers, and none overflows an int.
const maxCount = min(1<<53, math.MaxInt>>1+1)

// Count returns a count as a floating-point number, and −1, which generators
// return for arguments outside their range, as NaN.
func Count(k int) float64 {
	if k < 0 {
		return math.NaN()
	}
	return float64(k)
}

// Trials returns a number of trials that is held by a floating-point number, and −1,
// which generators refuse, for all that is no whole number they take.
func Trials(x float64) int {
	if !(x >= 0 && x <= maxCount && x == math.Trunc(x)) {
		return -1
	}
	return int(x)
}

// Bernoulli returns 1 with probability theta and else 0, for 0 ≤ theta ≤ 1.
// Outside this range it returns −1. The ends are in the range because a
// probability may round to them.
func Bernoulli(rng *rand.Rand, theta float64) int {
	switch {
	case !(theta >= 0 && theta <= 1):
		return -1
	case rng.Float64() < theta:
		return 1
	}
	return 0
}

// BernoulliLogit returns 1 with probability 1/(1 + exp(−eta)) and else 0, for
// finite eta. Outside this range it returns −1.
func BernoulliLogit(rng *rand.Rand, eta float64) int {
	if !finite(eta) {
		return -1
	}
	return Bernoulli(rng, 1/(1+elementary.Exp(-eta)))
}

// BinomialLogit returns the number of successes among n independent trials of
// probability 1/(1 + exp(−eta)), for 0 ≤ n ≤ 2⁵³ (2³⁰ where int has 32 bits)
// and finite eta. Outside this range it returns −1.
func BinomialLogit(rng *rand.Rand, n int, eta float64) int {
	if n < 0 || n > maxCount || !finite(eta) {
		return -1
	}
	// The rarer outcome is counted: its probability keeps its precision
	// however large eta is.
	t := elementary.Exp(-math.Abs(eta))
	k := binomial(rng, n, t/(1+t))
	if eta > 0 {
		return n - k
	}
	return k
}

// Binomial returns the number of successes among n independent trials of
// probability theta, for 0 ≤ n ≤ 2⁵³ (2³⁰ where int has 32 bits) and
// 0 ≤ theta ≤ 1. Outside this range it returns −1. The ends are in the range
// because a probability may round to them.
func Binomial(rng *rand.Rand, n int, theta float64) int {
	switch {
	case n < 0 || n > maxCount || !(theta >= 0 && theta <= 1):
		return -1
	case theta > 0.5:
		return n - binomial(rng, n, 1-theta)
	}
	return binomial(rng, n, theta)
}

// BetaBinomial returns the number of successes among n independent trials of
// one probability, which is from Beta(alpha, beta), for n in the range of
// Binomial, alpha > 0 and beta > 0. Outside this range it returns −1.
func BetaBinomial(rng *rand.Rand, n int, alpha, beta float64) int {
	if n < 0 || n > maxCount || !(positive(alpha) && positive(beta)) {
		return -1
	}
	return BinomialLogit(rng, n, LogitOfBeta(rng, alpha, beta))
}

// NegBinomial returns a draw from the negative binomial distribution of shape
// alpha and inverse scale beta, of probability
// Γ(y+alpha)/(Γ(alpha) y!) (beta/(beta+1))^alpha (1/(beta+1))^y, for alpha > 0
// and beta > 0. Outside this range it returns −1.
//
// It is from Poisson with a mean from Gamma(alpha, beta). As for all negative
// binomial distributions here, a mean above 2⁵² (2²⁹ where int has 32 bits) is
// taken for that.
func NegBinomial(rng *rand.Rand, alpha, beta float64) int {
	if !(positive(alpha) && positive(beta)) {
		return -1
	}
	return Poisson(rng, min(Gamma(rng, alpha, beta), maxCount/2))
}

// NegBinomial2 returns a draw from the negative binomial distribution of mean
// mu and variance mu + mu²/phi, for 0 < mu ≤ 2⁵² (2²⁹ where int has 32 bits) and
// phi > 0. Outside this range it returns −1.
func NegBinomial2(rng *rand.Rand, mu, phi float64) int {
	if !(mu > 0 && mu <= maxCount/2 && positive(phi)) {
		return -1
	}
	return overdispersed(rng, elementary.Log(mu), phi)
}

// NegBinomial2Log returns a draw from the negative binomial distribution of mean
// exp(eta) and precision phi, for finite eta with a mean in the range of
// NegBinomial2, which is eta ≤ 36 (20 where int has 32 bits), and phi > 0. Outside
// this range it returns −1.
func NegBinomial2Log(rng *rand.Rand, eta, phi float64) int {
	if !(finite(eta) && elementary.Exp(eta) <= maxCount/2 && positive(phi)) {
		return -1
	}
	return overdispersed(rng, eta, phi)
}

// overdispersed returns a draw from the Poisson distribution of mean
// exp(eta)·g/phi, with g from Gamma(phi, 1).
func overdispersed(rng *rand.Rand, eta, phi float64) int {
	return Poisson(rng, min(elementary.Exp(eta+(LogOfGamma(rng, phi, 1)-elementary.Log(phi))), maxCount/2))
}

// Poisson returns a draw from the Poisson distribution of mean lambda, of
// probability lambda^y exp(−lambda)/y!, for 0 ≤ lambda ≤ 2⁵² (2²⁹ where int has
// 32 bits). Outside this range it returns −1. Zero, where y is 0, is in the
// range because a mean may round to it.
func Poisson(rng *rand.Rand, lambda float64) int {
	switch {
	case !(lambda >= 0 && lambda <= maxCount/2):
		return -1
	case lambda < inversionBelow:
		return smallPoisson(rng, lambda)
	}
	t := poissonRejection(lambda)
	for {
		k, logHeight, ok := t.propose(rng, maxCount)
		if ok || k >= 0 && logHeight <= logPoisson(k, lambda) {
			return int(k)
		}
	}
}

// PoissonLog returns a draw from the Poisson distribution of mean exp(eta), for
// finite eta and a mean in the range of Poisson, which is eta ≤ 36 (20 where
// int has 32 bits). Outside this range it returns −1.
func PoissonLog(rng *rand.Rand, eta float64) int {
	if !finite(eta) {
		return -1
	}
	return Poisson(rng, elementary.Exp(eta))
}

// inversionBelow is the mean below which counts are drawn by inversion. The
// transformed rejection is valid from 10 upwards.
const inversionBelow = 10

// inversionSteps ends the search for the quantile. With a mean below 10 the
// probability of such a count is less than 10⁻¹⁵⁰; a search gets there when the
// probabilities add up to less than one by rounding.
const inversionSteps = 200

// smallPoisson draws from the Poisson distribution by inversion, for
// 0 ≤ mu < 10.
func smallPoisson(rng *rand.Rand, mu float64) int {
	first := elementary.Exp(-mu)
	for {
		u, p := rng.Float64(), first
		for k := range inversionSteps {
			if u < p {
				return k
			}
			u -= p
			p = float64(p * (mu / float64(k+1)))
		}
	}
}

// binomial draws from the binomial distribution of n trials of probability p,
// for 0 ≤ n ≤ maxCount and 0 ≤ p ≤ ½.
func binomial(rng *rand.Rand, n int, p float64) int {
	size := float64(n)
	if size*p < inversionBelow {
		return smallBinomial(rng, n, p)
	}
	t := binomialRejection(size, p)
	for {
		k, logHeight, ok := t.propose(rng, size)
		if ok || k >= 0 && logHeight <= logBinomial(k, size, p) {
			return int(k)
		}
	}
}

// smallBinomial draws from the binomial distribution by inversion, for
// p ≤ ½ and n·p < 10.
func smallBinomial(rng *rand.Rand, n int, p float64) int {
	size, odds := float64(n), p/(1-p)
	first := elementary.Exp(float64(size * elementary.Log1p(-p)))
	for {
		u, f := rng.Float64(), first
		for k := range min(n, inversionSteps) + 1 {
			if u < f {
				return k
			}
			u -= f
			f = float64(f * (odds * (size - float64(k)) / float64(k+1)))
		}
	}
}

// rejection is a transformed rejection with squeeze for a unimodal discrete
// distribution of probabilities f(k), Hörmann (1993). With u uniform on
// (−½, ½), s = ½ − |u| and v uniform on (0, 1), the proposal is k = ⌊G(u)⌋ with
// G(u) = (2a/s + b) u + center, and it is accepted if
//
//	v · height ≤ f(k) G′(u),  G′(u) = a/s² + b.
//
// For s ≥ 0.07 that follows from v ≤ squeeze. The test of this type certifies
// both: that the right-hand side is below height everywhere, and above
// squeeze·height for s ≥ 0.07.
type rejection struct {
	a, b, center, squeeze, logHeight float64
}

// squeezeFrom is the least s at which the squeeze holds.
const squeezeFrom = 0.07

// poissonRejection is the algorithm PTRS of Hörmann (1993), "The transformed
// rejection method for generating Poisson random variables", for mu ≥ 10. For
// means up to 600 his height is exceeded, by up to half a percent, and for some
// between 20 and 40 his squeeze fails by as much: both have a margin here.
func poissonRejection(mu float64) rejection {
	b := 0.931 + float64(2.53*math.Sqrt(mu))
	return rejection{
		a:         -0.059 + float64(0.02483*b),
		b:         b,
		center:    mu + 0.43,
		squeeze:   float64(0.97 * (0.9277 - 3.6224/(b-2))),
		logHeight: elementary.Log(float64(1.01 * (1.1239 + 1.1328/(b-3.4)))),
	}
}

// binomialRejection is the algorithm BTRS of Hörmann (1993), "The generation of
// binomial random variates", for p ≤ ½ and n·p ≥ 10.
func binomialRejection(n, p float64) rejection {
	sd := math.Sqrt(n * p * (1 - p))
	b := 1.15 + float64(2.53*sd)
	mode := math.Floor((n + 1) * p)
	return rejection{
		a:         -0.0873 + float64(0.0248*b) + float64(0.01*p),
		b:         b,
		center:    float64(n*p) + 0.5,
		squeeze:   0.92 - 4.2/b,
		logHeight: elementary.Log(float64((2.83+5.1/b)*sd)) + logBinomial(mode, n, p),
	}
}

// propose returns a proposal k, or −1 if that is outside of 0 … most; ok if the
// squeeze accepts it; and else the logarithm of the height that f(k) must reach.
func (t *rejection) propose(rng *rand.Rand, most float64) (k, logHeight float64, ok bool) {
	u, v := float64(rng.Float64())-0.5, open(rng)
	s := 0.5 - math.Abs(u)
	g, slope := t.transform(u, s)
	k = math.Floor(g) // −∞ at s = 0
	if !(k >= 0 && k <= most) {
		return -1, 0, false
	}
	if s >= squeezeFrom && v <= t.squeeze {
		return k, 0, true
	}
	return k, elementary.Log(v/slope) + t.logHeight, false
}

// transform returns G(u) and its derivative, for s = ½ − |u|.
func (t *rejection) transform(u, s float64) (g, slope float64) {
	return float64((2*t.a/s+t.b)*u) + t.center, t.a/(s*s) + t.b
}

// The probabilities are evaluated in the saddle-point form of Loader (2000),
// "Fast and accurate computation of binomial probabilities", in which large
// terms do not cancel.

// logPoisson returns log(mu^k exp(−mu)/k!), for whole k ≥ 0 and mu > 0.
func logPoisson(k, mu float64) float64 {
	if k == 0 {
		return -mu
	}
	return -stirlingError(k) - deviance(k, mu) - float64(0.5*elementary.Log(float64(2*math.Pi*k)))
}

// logBinomial returns the logarithm of the probability of k successes in n
// trials, for whole 0 ≤ k ≤ n and 0 < p < 1.
func logBinomial(k, n, p float64) float64 {
	switch k {
	case 0:
		return float64(n * elementary.Log1p(-p))
	case n:
		return float64(n * elementary.Log(p))
	}
	return stirlingError(n) - stirlingError(k) - stirlingError(n-k) -
		deviance(k, float64(n*p)) - deviance(n-k, float64(n*(1-p))) +
		float64(0.5*elementary.Log(n/(2*math.Pi*k*(n-k))))
}

// stirlingError returns log k! − log(√(2πk) (k/e)^k) for whole k > 0: from 16 on
// by its asymptotic series, Abramowitz & Stegun 6.1.40.
func stirlingError(k float64) float64 {
	if k < 16 {
		l := elementary.Lgamma(k + 1)
		return l - float64((k+0.5)*elementary.Log(k)) + k - float64(0.5*elementary.Log(2*math.Pi))
	}
	z := 1 / (k * k)
	series := 1.0/1680 - float64(z*(1.0/1188))
	series = 1.0/1260 - float64(z*series)
	series = 1.0/360 - float64(z*series)
	return (1.0/12 - float64(z*series)) / k
}

// deviance returns x log(x/m) + m − x for x, m > 0. Where x is near m it is
// (x−m)v + 2x Σ_j v^(2j+1)/(2j+1), j ≥ 1, with v = (x−m)/(x+m).
func deviance(x, m float64) float64 {
	d := x - m
	if math.Abs(d) >= 0.1*(x+m) {
		return float64(x*elementary.Log(x/m)) - d
	}
	v := d / (x + m)
	sum, power := float64(d*v), float64(2*x*v)
	// v² < 0.01: twenty terms are more than a float64 holds.
	for j := 3.0; j < 41; j += 2 {
		power = float64(power * (float64(v * v)))
		next := sum + power/j
		if next == sum {
			break
		}
		sum = next
	}
	return sum
}
