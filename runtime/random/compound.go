package random

import (
	"math"
	"math/rand/v2"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// These distributions are made of others: of absolute values, sums, powers and mixtures.

// DoubleExponential returns a draw from the double exponential (Laplace)
// distribution of location mu and scale sigma, of density
// exp(−|y−mu|/sigma) / (2 sigma), for finite mu and sigma > 0. Outside this
// range it returns NaN.
func DoubleExponential(rng *rand.Rand, mu, sigma float64) float64 {
	if !(finite(mu) && positive(sigma)) {
		return math.NaN()
	}
	u := open(rng)
	x := float64(sigma * elementary.Log(float64(2*min(u, 1-u))))
	if u > 0.5 {
		x = -x
	}
	return inside(mu+x, -largest, largest)
}

// SkewDoubleExponential returns a draw from the skewed double exponential
// distribution of density 2 tau (1−tau)/sigma exp(−2 (1−tau) (mu−y)/sigma) below
// mu and 2 tau (1−tau)/sigma exp(−2 tau (y−mu)/sigma) above, for finite mu,
// sigma > 0 and 0 < tau < 1, which is the probability of a draw below mu.
// Outside this range it returns NaN.
func SkewDoubleExponential(rng *rand.Rand, mu, sigma, tau float64) float64 {
	if !(finite(mu) && positive(sigma) && tau > 0 && tau < 1) {
		return math.NaN()
	}
	x := float64(0.5 * sigma * exponential(rng))
	if open(rng) < tau {
		x = -x / (1 - tau)
	} else {
		x /= tau
	}
	return inside(mu+x, -largest, largest)
}

// SkewNormal returns a draw from the skew normal distribution of location xi,
// scale omega and shape alpha, of density 2/omega φ(z) Φ(alpha z) with
// z = (y−xi)/omega, for finite xi, omega > 0 and finite alpha. Outside this
// range it returns NaN.
//
// It is xi + omega (alpha |z₁| + z₂)/√(1 + alpha²) with standard normal z₁ and
// z₂.
func SkewNormal(rng *rand.Rand, xi, omega, alpha float64) float64 {
	if !(finite(xi) && positive(omega) && finite(alpha)) {
		return math.NaN()
	}
	a, b := alpha, 1.0
	if math.Abs(alpha) > 1 { // its square may overflow
		a, b = math.Copysign(1, alpha), 1/math.Abs(alpha)
	}
	z := (float64(a*math.Abs(StandardNormal(rng))) + float64(b*StandardNormal(rng))) / math.Sqrt(float64(a*a)+float64(b*b))
	return inside(xi+float64(omega*z), -largest, largest)
}

// ExpModNormal returns a draw from the sum of a normal variate of mean mu and
// standard deviation sigma and an exponential one of rate lambda, for finite mu,
// sigma > 0 and lambda > 0. Outside this range it returns NaN.
func ExpModNormal(rng *rand.Rand, mu, sigma, lambda float64) float64 {
	if !(finite(mu) && positive(sigma) && positive(lambda)) {
		return math.NaN()
	}
	y := Normal(rng, mu, sigma) // finite: infinities do not meet
	return inside(y+exponential(rng)/lambda, -largest, largest)
}

// VonMises returns a draw from the von Mises distribution of the direction mu and concentration kappa, of density
// exp(kappa cos(y−mu))/(2π I₀(kappa)), as an angle y in (−π, π], for finite mu and kappa > 0. Outside this range it returns NaN.
//
// The angle to mu is that of Best and Fisher (1979), by rejection from a wrapped Cauchy distribution; it is a normal one where kappa is
// so large that the two cannot be told apart.
func VonMises(rng *rand.Rand, mu, kappa float64) float64 {
	if !(finite(mu) && positive(kappa)) {
		return math.NaN()
	}
	if kappa > 1e8 {
		return wrapped(mu + StandardNormal(rng)/math.Sqrt(kappa))
	}
	kappa = max(kappa, 1e-100)
	root := 2 * kappa / (math.Sqrt(1+float64(4*kappa*kappa)) + 1) // (√(1 + 4κ²) − 1)/(2κ)
	rho := root / (1 + math.Sqrt(root/kappa))
	square := float64(rho * rho)
	for {
		// The angle's cosine is f = (1 + rz)/(r + z) with r = (1 + ρ²)/(2ρ), and c is κ(r − f).
		turn := float64(math.Pi * open(rng))
		c := float64(kappa*float64((1-square)*(1-square))) / float64(2*rho*(1+square+float64(2*rho*elementary.Cos(turn))))
		if u := open(rng); float64(c*(2-c)) > u || elementary.Log(c/u)+1 >= c {
			angle := float64(2 * elementary.Atan(float64((1-rho)/(1+rho)*elementary.Tan(float64(turn/2)))))
			if open(rng) < 0.5 {
				angle = -angle
			}
			return wrapped(mu + angle)
		}
	}
}

// wrapped returns the angle in (−π, π] that is x but for a multiple of 2π.
func wrapped(x float64) float64 {
	x -= float64(2 * math.Pi * math.Round(x/(2*math.Pi)))
	if x <= -math.Pi {
		return math.Pi
	}
	return min(x, math.Pi)
}

// HalfNormal returns the absolute value of a normal variate of mean 0 and
// standard deviation sigma, for sigma > 0. Outside this range it returns NaN.
func HalfNormal(rng *rand.Rand, sigma float64) float64 {
	if !positive(sigma) {
		return math.NaN()
	}
	return inside(float64(sigma*math.Abs(StandardNormal(rng))), smallest, largest)
}

// HalfCauchy returns the absolute value of a Cauchy variate of location 0 and
// scale sigma, for sigma > 0. Outside this range it returns NaN.
func HalfCauchy(rng *rand.Rand, sigma float64) float64 {
	if !positive(sigma) {
		return math.NaN()
	}
	// The quantile, tan(πu/2), from the nearer end.
	u := open(rng)
	t := elementary.Tan(float64(math.Pi / 2 * min(u, 1-u)))
	if u < 0.5 {
		return inside(float64(sigma*t), smallest, largest)
	}
	return inside(sigma/t, smallest, largest)
}

// HalfStudentT returns the absolute value of a draw of StudentT with nu degrees
// of freedom, location 0 and scale sigma, for nu > 0 and sigma > 0. Outside this
// range it returns NaN.
func HalfStudentT(rng *rand.Rand, nu, sigma float64) float64 {
	if !(positive(nu) && positive(sigma)) {
		return math.NaN()
	}
	return inside(math.Abs(StudentT(rng, nu, 0, sigma)), smallest, largest)
}

// above returns the finite number above lo that is nearest to x, and the largest
// number where there is none.
func above(x, lo float64) float64 { return inside(x, math.Nextafter(lo, math.Inf(1)), largest) }

// Pareto returns a draw from the Pareto distribution of the least value least
// and shape alpha, of density alpha least^alpha / y^(alpha+1) for y > least, for
// least > 0 and alpha > 0. Outside this range it returns NaN.
func Pareto(rng *rand.Rand, least, alpha float64) float64 {
	if !(positive(least) && positive(alpha)) {
		return math.NaN()
	}
	return above(elementary.Exp(elementary.Log(least)+exponential(rng)/alpha), least)
}

// ParetoType2 returns a draw from the Pareto distribution of the second kind, of
// density alpha/lambda (1 + (y−mu)/lambda)^(−alpha−1) for y > mu, for finite mu,
// lambda > 0 and alpha > 0. Outside this range it returns NaN.
func ParetoType2(rng *rand.Rand, mu, lambda, alpha float64) float64 {
	if !(finite(mu) && positive(lambda) && positive(alpha)) {
		return math.NaN()
	}
	return above(mu+float64(lambda*elementary.Expm1(exponential(rng)/alpha)), mu)
}

// LogLogistic returns a draw from the log-logistic distribution of scale alpha
// and shape beta: log y is logistic of location log alpha and scale 1/beta, for
// alpha > 0 and beta > 0. Outside this range it returns NaN.
func LogLogistic(rng *rand.Rand, alpha, beta float64) float64 {
	if !(positive(alpha) && positive(beta)) {
		return math.NaN()
	}
	u := open(rng)
	return inside(elementary.Exp(elementary.Log(alpha)+(elementary.Log(u)-elementary.Log1p(-u))/beta), smallest, largest)
}

// InvGaussian returns a draw from the inverse Gaussian (Wald) distribution of
// mean mu and shape lambda, of density
// √(lambda/(2π y³)) exp(−lambda (y−mu)²/(2 mu² y)), for mu > 0 and lambda > 0.
// Outside this range it returns NaN.
//
// The algorithm is that of Michael, Schucany and Haas (1976): (y−mu)²/y is a
// multiple of a χ² variate, and one of the two roots y, whose product is mu², is
// chosen. The smaller one is mu/t, with t a sum without cancellation.
func InvGaussian(rng *rand.Rand, mu, lambda float64) float64 {
	if !(positive(mu) && positive(lambda)) {
		return math.NaN()
	}
	z := StandardNormal(rng)
	w := float64(0.5 * min(mu/lambda, largest) * z * z)
	t := min(1+w+float64(math.Sqrt(w)*math.Sqrt(w+2)), largest)
	if float64(open(rng)*(1+1/t)) < 1 {
		return inside(mu/t, smallest, largest)
	}
	return inside(float64(mu*t), smallest, largest)
}

// LogitNormal returns a draw from the logit-normal distribution: logit y is
// normal with mean mu and standard deviation sigma, for finite mu and sigma > 0.
// Outside this range it returns NaN.
func LogitNormal(rng *rand.Rand, mu, sigma float64) float64 {
	x := Normal(rng, mu, sigma)
	t := elementary.Exp(-math.Abs(x))
	if x < 0 {
		return inside(t/(1+t), smallest, belowOne)
	}
	return inside(1/(1+t), smallest, belowOne)
}

// Kumaraswamy returns a draw from Kumaraswamy's distribution of shapes a and b,
// of density a b y^(a−1) (1 − y^a)^(b−1), for a > 0 and b > 0. Outside this
// range it returns NaN.
func Kumaraswamy(rng *rand.Rand, a, b float64) float64 {
	if !(positive(a) && positive(b)) {
		return math.NaN()
	}
	// log y^a = log(1 − exp(−x)), where x is exponential of rate b.
	x := exponential(rng) / b
	var l float64
	if x < math.Ln2 {
		l = elementary.Log(-elementary.Expm1(-x))
	} else {
		l = elementary.Log1p(-elementary.Exp(-x))
	}
	return inside(elementary.Exp(l/a), smallest, belowOne)
}

// Geometric returns the number of failures before the first success of
// independent trials of probability theta, for 0 < theta ≤ 1. Outside this range
// it returns −1. A number above 2⁵³ (2³⁰ where int has 32 bits) is taken for
// that.
func Geometric(rng *rand.Rand, theta float64) int {
	if !(theta > 0 && theta <= 1) {
		return -1
	}
	return int(min(exponential(rng)/-elementary.Log1p(-theta), maxCount))
}

// BetaNegBinomial returns the number of failures before the r-th success of
// independent trials of one probability, which is from Beta(alpha, beta), of
// probability Γ(y+r)/(Γ(r) y!) B(alpha+r, beta+y)/B(alpha, beta), for r > 0,
// alpha > 0 and beta > 0. Outside this range it returns −1.
func BetaNegBinomial(rng *rand.Rand, r, alpha, beta float64) int {
	if !(positive(r) && positive(alpha) && positive(beta)) {
		return -1
	}
	logOdds := LogitOfBeta(rng, alpha, beta)
	return Poisson(rng, min(elementary.Exp(LogOfGamma(rng, r, 1)-logOdds), maxCount/2))
}

// ZeroInflatedPoisson returns 0 with probability theta and else a draw from the
// Poisson distribution of mean lambda, for 0 ≤ theta ≤ 1 and lambda > 0 in the
// range of Poisson. Outside this range it returns −1.
func ZeroInflatedPoisson(rng *rand.Rand, theta, lambda float64) int {
	if !(theta >= 0 && theta <= 1 && lambda > 0 && lambda <= maxCount/2) {
		return -1
	}
	if rng.Float64() < theta {
		return 0
	}
	return Poisson(rng, lambda)
}

// ZeroInflatedNegBinomial2 returns 0 with probability theta and else a draw of
// NegBinomial2 with mean mu and precision phi, for 0 ≤ theta ≤ 1 and mu and phi
// in the range of that. Outside this range it returns −1.
func ZeroInflatedNegBinomial2(rng *rand.Rand, theta, mu, phi float64) int {
	if !(theta >= 0 && theta <= 1 && mu > 0 && mu <= maxCount/2 && positive(phi)) {
		return -1
	}
	if rng.Float64() < theta {
		return 0
	}
	return NegBinomial2(rng, mu, phi)
}

// HurdlePoisson returns 0 with probability theta and else a draw from the
// Poisson distribution of rate lambda given that it is not 0, for 0 ≤ theta ≤ 1
// and lambda > 0 in the range of Poisson. Outside this range it returns −1.
//
// The first event of a Poisson process, given that there is one until the time
// lambda, is at the time x; those that follow are Poisson(lambda − x).
func HurdlePoisson(rng *rand.Rand, theta, lambda float64) int {
	if !(theta >= 0 && theta <= 1 && lambda > 0 && lambda <= maxCount/2) {
		return -1
	}
	if rng.Float64() < theta {
		return 0
	}
	x := -elementary.Log1p(float64(open(rng) * elementary.Expm1(-lambda)))
	return 1 + Poisson(rng, max(lambda-x, 0))
}
