package random

import (
	"math"
	"math/rand/v2"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// The generators of this package draw from the distributions of the modelling
// language, with its names, orders of arguments and parametrisations, which
// are Stan's. They hold to these rules:
//
//   - The algorithms are exact: what they draw differs from the distribution
//     by the rounding of floating-point numbers only, and by the resolution of
//     the uniform and normal variates, which is 2⁻⁵² and 2⁻³¹.
//   - A continuous draw is a finite number in the open support: where it would
//     round to an end of the support or overflow, it is the nearest number
//     inside.
//   - For arguments outside their range, NaN and infinities among them, a
//     continuous draw is NaN and a count is −1, and no random number is used.
//   - They allocate nothing, unless they say so.
//   - Products are rounded before they are added, written float64(a*b) + c, so
//     that no architecture fuses them.
const (
	smallest = math.SmallestNonzeroFloat64
	largest  = math.MaxFloat64
	belowOne = 1 - 0x1p-53
)

// finite reports whether x is neither infinite nor NaN.
func finite(x float64) bool { return math.Abs(x) <= largest }

// positive reports whether x is finite and positive.
func positive(x float64) bool { return x > 0 && x <= largest }

// inside returns the number of [lo, hi] that is nearest to x.
func inside(x, lo, hi float64) float64 { return min(max(x, lo), hi) }

// open returns a draw from the uniform distribution on (0, 1), without the
// ends: an odd multiple of 2⁻⁵³.
func open(rng *rand.Rand) float64 {
	return float64((float64(rng.Uint64()>>12) + 0.5) * 0x1p-52)
}

// exponential returns a draw from the exponential distribution of rate 1, by
// inversion: the ziggurat of math/rand/v2 has a resolution of 2⁻³², and gives
// zero at times.
func exponential(rng *rand.Rand) float64 { return -elementary.Log(open(rng)) }

// Normal returns a draw from the normal distribution of density
// exp(−((y−mu)/sigma)²/2) / (sigma √(2π)), for finite mu and sigma > 0: sigma
// is the standard deviation. Outside this range it returns NaN.
func Normal(rng *rand.Rand, mu, sigma float64) float64 {
	if !(finite(mu) && positive(sigma)) {
		return math.NaN()
	}
	return inside(mu+float64(sigma*StandardNormal(rng)), -largest, largest)
}

// StudentT returns a draw from Student's t distribution of nu degrees of
// freedom, location mu and scale sigma, of density proportional to
// (1 + ((y−mu)/sigma)²/nu)^(−(nu+1)/2), for finite mu, nu > 0 and sigma > 0.
// Outside this range it returns NaN.
//
// It is mu + sigma z √((nu/2)/g) with a standard normal z and g from
// Gamma(nu/2, 1).
func StudentT(rng *rand.Rand, nu, mu, sigma float64) float64 {
	if !(positive(nu) && finite(mu) && positive(sigma)) {
		return math.NaN()
	}
	z := StandardNormal(rng)
	half := max(float64(nu/2), smallest)
	g, e := standardGamma(rng, half)
	// With few degrees of freedom g⁻¹ᐟ² overflows where its product with
	// sigma need not.
	var scale float64
	if e == 0 {
		scale = float64(sigma * math.Sqrt(half/g))
	} else {
		scale = elementary.Exp(elementary.Log(sigma) + float64(0.5*(elementary.Log(half)-elementary.Log(g)+e)))
	}
	scale = min(scale, largest) // lest it be ∞·0
	return inside(mu+float64(scale*z), -largest, largest)
}

// Cauchy returns a draw from the Cauchy distribution of location mu and scale
// sigma, of density 1 / (π sigma (1 + ((y−mu)/sigma)²)), for finite mu and
// sigma > 0. Outside this range it returns NaN.
func Cauchy(rng *rand.Rand, mu, sigma float64) float64 {
	if !(finite(mu) && positive(sigma)) {
		return math.NaN()
	}
	// The quantile, tan(π(u − ½)), as the cotangent of an angle in
	// (0, π/2]: u − ½ would round away the tails.
	u := open(rng)
	x := sigma / elementary.Tan(float64(math.Pi*min(u, 1-u)))
	if u < 0.5 {
		x = -x
	}
	return inside(mu+x, -largest, largest)
}

// LogNormal returns a draw from the log-normal distribution: log y is normal
// with mean mu and standard deviation sigma, for finite mu and sigma > 0.
// Outside this range it returns NaN.
func LogNormal(rng *rand.Rand, mu, sigma float64) float64 {
	return inside(elementary.Exp(Normal(rng, mu, sigma)), smallest, largest)
}

// Exponential returns a draw from the exponential distribution of rate beta,
// of density beta exp(−beta y), for beta > 0. Outside this range it returns
// NaN.
func Exponential(rng *rand.Rand, beta float64) float64 {
	if !positive(beta) {
		return math.NaN()
	}
	return inside(exponential(rng)/beta, smallest, largest)
}

// Uniform returns a draw from the uniform distribution on (alpha, beta), for
// finite alpha < beta. Outside this range it returns NaN. If alpha and beta are
// neighbours, with no number between them, it returns alpha.
func Uniform(rng *rand.Rand, alpha, beta float64) float64 {
	if !(finite(alpha) && finite(beta) && alpha < beta) {
		return math.NaN()
	}
	u := open(rng)
	y := float64((1-u)*alpha) + float64(u*beta) // beta − alpha may overflow
	return inside(y, math.Nextafter(alpha, beta), math.Nextafter(beta, alpha))
}

// Logistic returns a draw from the logistic distribution of location mu and
// scale sigma, of density exp(−z) / (sigma (1 + exp(−z))²) with z =
// (y−mu)/sigma, for finite mu and sigma > 0. Outside this range it returns NaN.
func Logistic(rng *rand.Rand, mu, sigma float64) float64 {
	if !(finite(mu) && positive(sigma)) {
		return math.NaN()
	}
	u := open(rng)
	return inside(mu+float64(sigma*(elementary.Log(u)-elementary.Log1p(-u))), -largest, largest)
}

// Gumbel returns a draw from the Gumbel distribution of location mu and scale
// beta, of density exp(−z − exp(−z)) / beta with z = (y−mu)/beta, for finite mu
// and beta > 0. Outside this range it returns NaN.
func Gumbel(rng *rand.Rand, mu, beta float64) float64 {
	if !(finite(mu) && positive(beta)) {
		return math.NaN()
	}
	return inside(mu-float64(beta*elementary.Log(exponential(rng))), -largest, largest)
}

// Weibull returns a draw from the Weibull distribution of shape alpha and scale
// sigma, of density proportional to y^(alpha−1) exp(−(y/sigma)^alpha), for
// alpha > 0 and sigma > 0. Outside this range it returns NaN.
func Weibull(rng *rand.Rand, alpha, sigma float64) float64 {
	if !(positive(alpha) && positive(sigma)) {
		return math.NaN()
	}
	return inside(elementary.Exp(elementary.Log(sigma)+elementary.Log(exponential(rng))/alpha), smallest, largest)
}

// Frechet returns a draw from the Fréchet distribution of shape alpha and scale
// sigma, of density proportional to y^(−alpha−1) exp(−(y/sigma)^(−alpha)), for
// alpha > 0 and sigma > 0. Outside this range it returns NaN.
func Frechet(rng *rand.Rand, alpha, sigma float64) float64 {
	if !(positive(alpha) && positive(sigma)) {
		return math.NaN()
	}
	return inside(elementary.Exp(elementary.Log(sigma)-elementary.Log(exponential(rng))/alpha), smallest, largest)
}

// Rayleigh returns a draw from the Rayleigh distribution of scale sigma, of
// density y exp(−(y/sigma)²/2) / sigma², for sigma > 0. Outside this range it
// returns NaN.
func Rayleigh(rng *rand.Rand, sigma float64) float64 {
	if !positive(sigma) {
		return math.NaN()
	}
	return inside(float64(sigma*math.Sqrt(float64(2*exponential(rng)))), smallest, largest)
}
