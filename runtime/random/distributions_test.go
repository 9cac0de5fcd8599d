package random

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hamc-dev/hamc/internal/campaign"
)

// continuous are draws with their distribution functions, from gonum but for
// what is said.
var continuous = []struct {
	name string
	draw func(rng *rand.Rand) float64
	cdf  func(y float64) float64
}{
	normal(0, 1), normal(-3, 0.01), normal(1e6, 1e3), normal(0, 1e300),
	lognormal(0, 1), lognormal(-2, 0.1), lognormal(5, 30),
	studentT(1, 0, 1), studentT(0.01, 0, 1), studentT(0.5, 3, 2), studentT(1.999, 0, 1), studentT(2, 0, 1),
	studentT(4, -1, 0.5), studentT(30, 0, 10), studentT(1e7, 0, 1),
	cauchy(0, 1), cauchy(-5, 0.1), cauchy(2, 1e200),
	exponentialOf(1), exponentialOf(1e-3), exponentialOf(1e300),
	gamma(0.05, 1), gamma(0.3, 2), gamma(0.999, 1), gamma(1, 5), gamma(1.001, 1), gamma(2.5, 0.1), gamma(100, 3), gamma(1e6, 1),
	invGamma(0.05, 1), invGamma(0.7, 2), invGamma(3, 0.5), invGamma(200, 10),
	invChiSquare(0.1), invChiSquare(1), invChiSquare(1.999), invChiSquare(30),
	scaledInvChiSquare(0.1, 2), scaledInvChiSquare(1.5, 1e-80), scaledInvChiSquare(2, 1), scaledInvChiSquare(10, 0.22), scaledInvChiSquare(1e5, 1e100),
	logOfGamma(1e-3, 1), logOfGamma(0.02, 7), logOfGamma(0.5, 1e-300), logOfGamma(4, 2),
	beta(0.5, 0.5), beta(1, 1), beta(0.9, 1.1), beta(2, 5), beta(0.3, 4), beta(100, 1), beta(1e5, 2e5),
	logitOfBeta(0.01, 0.02), logitOfBeta(1e-3, 5), logitOfBeta(30, 1e-3), logitOfBeta(2, 3),
	uniform(0, 1), uniform(-3, 1e-3), uniform(-1.5e308, 1.6e308),
	logistic(0, 1), logistic(-5, 0.1), logistic(2, 1e300),
	gumbel(0, 1), gumbel(3, 0.2), gumbel(0, 1e300),
	weibull(1, 1), weibull(0.02, 3), weibull(7, 1e-300), weibull(200, 5),
	frechet(1, 1), frechet(0.02, 3), frechet(7, 1e300), frechet(200, 5),
	rayleigh(1), rayleigh(1e-300), rayleigh(1e150),
	chiSquare(0.1), chiSquare(1), chiSquare(2), chiSquare(1e6),
	betaProportion(0.5, 1), betaProportion(0.2, 3), betaProportion(0.9, 200), betaProportion(0.3, 0.5),
	doubleExponential(-2, 0.3), doubleExponential(0, 1e300), skewDoubleExponential(1, 2, 0.2), skewDoubleExponential(-1, 0.5, 0.95),
	vonMises(0.5, 2), vonMises(-3, 0.1), vonMises(1, 1e-9), vonMises(2, 60), vonMises(-1, 3e8),
	skewNormal(1, 2, -3), skewNormal(0, 1, 0.4), expModNormal(1, 2, 0.7), expModNormal(-1, 0.3, 4),
	halfNormal(2), halfCauchy(0.3), halfStudentT(3, 2), halfStudentT(0.5, 1),
	pareto(2, 3), pareto(1e-3, 0.05), paretoType2(1, 2, 3), paretoType2(-5, 1e-2, 0.1),
	logLogistic(2, 3), logLogistic(1e3, 0.05), invGaussian(2, 3), invGaussian(3, 0.01), invGaussian(0.5, 400),
	logitNormal(0.5, 1), logitNormal(-2, 5), kumaraswamy(2, 3), kumaraswamy(0.2, 0.6), kumaraswamy(30, 1e3),
}

// A distribution is a row of the table above.
type distribution = struct {
	name string
	draw func(rng *rand.Rand) float64
	cdf  func(y float64) float64
}

func normal(mu, sigma float64) distribution {
	return distribution{fmt.Sprintf("Normal(%v,%v)", mu, sigma),
		func(rng *rand.Rand) float64 { return Normal(rng, mu, sigma) },
		distuv.Normal{Mu: mu, Sigma: sigma}.CDF}
}

func lognormal(mu, sigma float64) distribution {
	return distribution{fmt.Sprintf("LogNormal(%v,%v)", mu, sigma),
		func(rng *rand.Rand) float64 { return LogNormal(rng, mu, sigma) },
		distuv.LogNormal{Mu: mu, Sigma: sigma}.CDF}
}

func studentT(nu, mu, sigma float64) distribution {
	cdf := distuv.StudentsT{Nu: nu, Mu: mu, Sigma: sigma}.CDF
	if nu < 0.1 {
		// gonum squares y, which overflows. For large |z| the density
		// is c |z|^(−nu−1), c = nu^((nu+1)/2) / (√nu B(nu/2, ½)), and so
		// the tail beyond it is c |z|^(−nu)/nu.
		near := cdf
		cdf = func(y float64) float64 {
			z := (y - mu) / sigma
			if math.Abs(z) < 1e10 {
				return near(y)
			}
			tail := math.Exp((nu+1)/2*math.Log(nu) - 0.5*math.Log(nu) - mathext.Lbeta(nu/2, 0.5) - nu*math.Log(math.Abs(z)) - math.Log(nu))
			if z > 0 {
				return 1 - tail
			}
			return tail
		}
	}
	return distribution{fmt.Sprintf("StudentT(%v,%v,%v)", nu, mu, sigma),
		func(rng *rand.Rand) float64 { return StudentT(rng, nu, mu, sigma) }, cdf}
}

// cauchy has its distribution function by the elementary formula.
func cauchy(mu, sigma float64) distribution {
	return distribution{fmt.Sprintf("Cauchy(%v,%v)", mu, sigma),
		func(rng *rand.Rand) float64 { return Cauchy(rng, mu, sigma) },
		func(y float64) float64 { return 0.5 + math.Atan((y-mu)/sigma)/math.Pi }}
}

func exponentialOf(rate float64) distribution {
	return distribution{fmt.Sprintf("Exponential(%v)", rate),
		func(rng *rand.Rand) float64 { return Exponential(rng, rate) },
		distuv.Exponential{Rate: rate}.CDF}
}

func gamma(shape, rate float64) distribution {
	return distribution{fmt.Sprintf("Gamma(%v,%v)", shape, rate),
		func(rng *rand.Rand) float64 { return Gamma(rng, shape, rate) },
		distuv.Gamma{Alpha: shape, Beta: rate}.CDF}
}

func invGamma(shape, scale float64) distribution {
	return distribution{fmt.Sprintf("InvGamma(%v,%v)", shape, scale),
		func(rng *rand.Rand) float64 { return InvGamma(rng, shape, scale) },
		distuv.InverseGamma{Alpha: shape, Beta: scale}.CDF}
}

func invChiSquare(nu float64) distribution {
	return distribution{fmt.Sprintf("InvChiSquare(%v)", nu),
		func(rng *rand.Rand) float64 { return InvChiSquare(rng, nu) },
		func(y float64) float64 { return distuv.ChiSquared{K: nu}.Survival(1 / y) }}
}

func scaledInvChiSquare(nu, s float64) distribution {
	return distribution{fmt.Sprintf("ScaledInvChiSquare(%v,%v)", nu, s),
		func(rng *rand.Rand) float64 { return ScaledInvChiSquare(rng, nu, s) },
		func(y float64) float64 { return distuv.ChiSquared{K: nu}.Survival(nu * s / y * s) }}
}

// logOfGamma has the distribution function of the exponential of its value,
// and where that is small the first term of its series, x^a/Γ(a+1).
func logOfGamma(shape, rate float64) distribution {
	return distribution{fmt.Sprintf("LogOfGamma(%v,%v)", shape, rate),
		func(rng *rand.Rand) float64 { return LogOfGamma(rng, shape, rate) },
		func(t float64) float64 {
			t += math.Log(rate)
			if t < -40 {
				l, _ := math.Lgamma(shape + 1)
				return math.Exp(shape*t - l)
			}
			return mathext.GammaIncReg(shape, math.Exp(t))
		}}
}

func beta(a, b float64) distribution {
	return distribution{fmt.Sprintf("Beta(%v,%v)", a, b),
		func(rng *rand.Rand) float64 { return Beta(rng, a, b) },
		distuv.Beta{Alpha: a, Beta: b}.CDF}
}

// logitOfBeta has the distribution function of y, or of 1 − y if that is the
// smaller, and far out the first term of its series, x^a/(a B(a, b)).
func logitOfBeta(a, b float64) distribution {
	lower := func(t, a, b float64) float64 { // t ≤ 0
		if t < -40 {
			return math.Exp(a*t-mathext.Lbeta(a, b)) / a
		}
		return mathext.RegIncBeta(a, b, math.Exp(t)/(1+math.Exp(t)))
	}
	return distribution{fmt.Sprintf("LogitOfBeta(%v,%v)", a, b),
		func(rng *rand.Rand) float64 { return LogitOfBeta(rng, a, b) },
		func(t float64) float64 {
			if t < 0 {
				return lower(t, a, b)
			}
			return 1 - lower(-t, b, a)
		}}
}

// uniform has its distribution function by the elementary formula, in a form
// that does not overflow.
func uniform(lo, hi float64) distribution {
	return distribution{fmt.Sprintf("Uniform(%v,%v)", lo, hi),
		func(rng *rand.Rand) float64 { return Uniform(rng, lo, hi) },
		func(y float64) float64 { return (y/2 - lo/2) / (hi/2 - lo/2) }}
}

// logistic has its distribution function by the elementary formula, as the next have.
func logistic(mu, sigma float64) distribution {
	return distribution{fmt.Sprintf("Logistic(%v,%v)", mu, sigma),
		func(rng *rand.Rand) float64 { return Logistic(rng, mu, sigma) },
		func(y float64) float64 { return 0.5 + 0.5*math.Tanh((y-mu)/(2*sigma)) }}
}

func gumbel(mu, beta float64) distribution {
	return distribution{fmt.Sprintf("Gumbel(%v,%v)", mu, beta),
		func(rng *rand.Rand) float64 { return Gumbel(rng, mu, beta) },
		func(y float64) float64 { return math.Exp(-math.Exp(-(y - mu) / beta)) }}
}

func weibull(alpha, sigma float64) distribution {
	return distribution{fmt.Sprintf("Weibull(%v,%v)", alpha, sigma),
		func(rng *rand.Rand) float64 { return Weibull(rng, alpha, sigma) },
		func(y float64) float64 { return -math.Expm1(-math.Pow(y/sigma, alpha)) }}
}

func frechet(alpha, sigma float64) distribution {
	return distribution{fmt.Sprintf("Frechet(%v,%v)", alpha, sigma),
		func(rng *rand.Rand) float64 { return Frechet(rng, alpha, sigma) },
		func(y float64) float64 { return math.Exp(-math.Pow(y/sigma, -alpha)) }}
}

func rayleigh(sigma float64) distribution {
	return distribution{fmt.Sprintf("Rayleigh(%v)", sigma),
		func(rng *rand.Rand) float64 { return Rayleigh(rng, sigma) },
		func(y float64) float64 { return -math.Expm1(-0.5 * (y / sigma) * (y / sigma)) }}
}

func chiSquare(nu float64) distribution {
	return distribution{fmt.Sprintf("ChiSquare(%v)", nu),
		func(rng *rand.Rand) float64 { return ChiSquare(rng, nu) },
		distuv.ChiSquared{K: nu}.CDF}
}

func betaProportion(mu, kappa float64) distribution {
	return distribution{fmt.Sprintf("BetaProportion(%v,%v)", mu, kappa),
		func(rng *rand.Rand) float64 { return BetaProportion(rng, mu, kappa) },
		distuv.Beta{Alpha: mu * kappa, Beta: (1 - mu) * kappa}.CDF}
}

func doubleExponential(mu, sigma float64) distribution {
	return distribution{fmt.Sprintf("DoubleExponential(%v,%v)", mu, sigma),
		func(rng *rand.Rand) float64 { return DoubleExponential(rng, mu, sigma) },
		distuv.Laplace{Mu: mu, Scale: sigma}.CDF}
}

// skewDoubleExponential has two exponential distributions, one on either side of mu.
func skewDoubleExponential(mu, sigma, tau float64) distribution {
	return distribution{fmt.Sprintf("SkewDoubleExponential(%v,%v,%v)", mu, sigma, tau),
		func(rng *rand.Rand) float64 { return SkewDoubleExponential(rng, mu, sigma, tau) },
		func(y float64) float64 {
			if y < mu {
				return tau * distuv.Exponential{Rate: 2 * (1 - tau) / sigma}.Survival(mu-y)
			}
			return tau + (1-tau)*distuv.Exponential{Rate: 2 * tau / sigma}.CDF(y-mu)
		}}
}

// skewNormal has Φ(z) − 2 T(z, alpha) with Owen's function T, an integral.
func skewNormal(xi, omega, alpha float64) distribution {
	return distribution{fmt.Sprintf("SkewNormal(%v,%v,%v)", xi, omega, alpha),
		func(rng *rand.Rand) float64 { return SkewNormal(rng, xi, omega, alpha) },
		func(y float64) float64 {
			z := (y - xi) / omega
			owen := quad.Fixed(func(x float64) float64 { return math.Exp(-z*z*(1+x*x)/2) / (1 + x*x) / (2 * math.Pi) }, 0, math.Abs(alpha), 30, quad.Legendre{}, 0)
			return max(distuv.UnitNormal.CDF(z)-math.Copysign(2*owen, alpha), 0)
		}}
}

func expModNormal(mu, sigma, lambda float64) distribution {
	return distribution{fmt.Sprintf("ExpModNormal(%v,%v,%v)", mu, sigma, lambda),
		func(rng *rand.Rand) float64 { return ExpModNormal(rng, mu, sigma, lambda) },
		func(y float64) float64 {
			z, r := (y-mu)/sigma, lambda*sigma
			return max(distuv.UnitNormal.CDF(z)-math.Exp(r*(r/2-z))*distuv.UnitNormal.CDF(z-r), 0)
		}}
}

// vonMises has an integral of its density, from the angle opposite to mu that is nearest below; its values are the distances from there.
func vonMises(mu, kappa float64) distribution {
	const steps = 40_000
	width := min(math.Pi, 12/math.Sqrt(kappa)) // of half of what has mass
	sums := make([]float64, 2*steps+1)
	for i := range 2 * steps {
		x := (float64(i)+0.5)/steps*width - width
		s := math.Sin(x / 2)
		sums[i+1] = sums[i] + math.Exp(-2*kappa*s*s)
	}
	return distribution{fmt.Sprintf("VonMises(%v,%v)", mu, kappa),
		func(rng *rand.Rand) float64 {
			y := VonMises(rng, mu, kappa)
			if !(y > -math.Pi && y <= math.Pi) {
				return math.NaN()
			}
			return math.Remainder(y-mu, 2*math.Pi)
		},
		func(y float64) float64 {
			at := min(max((y+width)/width*steps, 0), 2*steps-1e-9)
			i := int(at)
			return (sums[i] + (at-float64(i))*(sums[i+1]-sums[i])) / sums[2*steps]
		}}
}

func halfNormal(sigma float64) distribution {
	return distribution{fmt.Sprintf("HalfNormal(%v)", sigma),
		func(rng *rand.Rand) float64 { return HalfNormal(rng, sigma) },
		func(y float64) float64 { return math.Erf(y / sigma / math.Sqrt2) }}
}

func halfCauchy(sigma float64) distribution {
	return distribution{fmt.Sprintf("HalfCauchy(%v)", sigma),
		func(rng *rand.Rand) float64 { return HalfCauchy(rng, sigma) },
		func(y float64) float64 { return 2 / math.Pi * math.Atan(y/sigma) }}
}

// halfStudentT has that of its square over sigma², which is nu times a ratio of gamma variates.
func halfStudentT(nu, sigma float64) distribution {
	return distribution{fmt.Sprintf("HalfStudentT(%v,%v)", nu, sigma),
		func(rng *rand.Rand) float64 { return HalfStudentT(rng, nu, sigma) },
		func(y float64) float64 {
			z := y / sigma
			if z*z > nu {
				return 1 - mathext.RegIncBeta(nu/2, 0.5, 1/(1+z*z/nu))
			}
			return mathext.RegIncBeta(0.5, nu/2, z*z/(nu+z*z))
		}}
}

func pareto(least, alpha float64) distribution {
	return distribution{fmt.Sprintf("Pareto(%v,%v)", least, alpha),
		func(rng *rand.Rand) float64 { return Pareto(rng, least, alpha) },
		distuv.Pareto{Xm: least, Alpha: alpha}.CDF}
}

func paretoType2(mu, lambda, alpha float64) distribution {
	return distribution{fmt.Sprintf("ParetoType2(%v,%v,%v)", mu, lambda, alpha),
		func(rng *rand.Rand) float64 { return ParetoType2(rng, mu, lambda, alpha) },
		func(y float64) float64 { return -math.Expm1(-alpha * math.Log1p((y-mu)/lambda)) }}
}

func logLogistic(alpha, beta float64) distribution {
	return distribution{fmt.Sprintf("LogLogistic(%v,%v)", alpha, beta),
		func(rng *rand.Rand) float64 { return LogLogistic(rng, alpha, beta) },
		func(y float64) float64 { return 1 / (1 + math.Pow(y/alpha, -beta)) }}
}

// invGaussian has the first passage time of a Brownian motion, with exp(2 lambda/mu) in the exponent of the tail that it multiplies.
func invGaussian(mu, lambda float64) distribution {
	return distribution{fmt.Sprintf("InvGaussian(%v,%v)", mu, lambda),
		func(rng *rand.Rand) float64 { return InvGaussian(rng, mu, lambda) },
		func(y float64) float64 {
			a, b := math.Sqrt(lambda/y)*(y/mu-1), math.Sqrt(lambda/y)*(y/mu+1)
			if b > 20 { // by the expansion of the tail, as a² = b² − 4 lambda/mu
				z := 1 / (b * b)
				return distuv.UnitNormal.CDF(a) + math.Exp(-a*a/2)/(b*math.Sqrt(2*math.Pi))*(1-z+3*z*z-15*z*z*z)
			}
			return distuv.UnitNormal.CDF(a) + math.Exp(2*lambda/mu)*distuv.UnitNormal.CDF(-b)
		}}
}

func logitNormal(mu, sigma float64) distribution {
	return distribution{fmt.Sprintf("LogitNormal(%v,%v)", mu, sigma),
		func(rng *rand.Rand) float64 { return LogitNormal(rng, mu, sigma) },
		func(y float64) float64 { return distuv.Normal{Mu: mu, Sigma: sigma}.CDF(math.Log(y / (1 - y))) }}
}

func kumaraswamy(a, b float64) distribution {
	return distribution{fmt.Sprintf("Kumaraswamy(%v,%v)", a, b),
		func(rng *rand.Rand) float64 { return Kumaraswamy(rng, a, b) },
		func(y float64) float64 { return -math.Expm1(b * math.Log1p(-math.Pow(y, a))) }}
}

func TestContinuousDistributions(t *testing.T) {
	sample := make([]float64, campaign.Cases(t, 20_000, 60_000))
	for i, d := range continuous {
		t.Run(d.name, func(t *testing.T) {
			rng := source(i)
			for j := range sample {
				sample[j] = d.draw(rng)
			}
			follows(t, sample, d.cdf)
		})
	}
}

// reals are the generators of continuous distributions with the ranges of their
// arguments and the ends of their supports. Each is given three arguments.
var reals = []struct {
	name   string
	arity  int
	ranges string // of each argument: r, finite; +, positive; u, between 0 and 1
	lo, hi float64
	draw   func(rng *rand.Rand, x [3]float64) float64
}{
	{"Normal", 2, "r+", -largest, largest, func(rng *rand.Rand, x [3]float64) float64 { return Normal(rng, x[0], x[1]) }},
	{"StudentT", 3, "+r+", -largest, largest, func(rng *rand.Rand, x [3]float64) float64 { return StudentT(rng, x[0], x[1], x[2]) }},
	{"Cauchy", 2, "r+", -largest, largest, func(rng *rand.Rand, x [3]float64) float64 { return Cauchy(rng, x[0], x[1]) }},
	{"Exponential", 1, "+", smallest, largest, func(rng *rand.Rand, x [3]float64) float64 { return Exponential(rng, x[0]) }},
	{"Gamma", 2, "++", smallest, largest, func(rng *rand.Rand, x [3]float64) float64 { return Gamma(rng, x[0], x[1]) }},
	{"LogOfGamma", 2, "++", -largest, largest, func(rng *rand.Rand, x [3]float64) float64 { return LogOfGamma(rng, x[0], x[1]) }},
	{"InvGamma", 2, "++", smallest, largest, func(rng *rand.Rand, x [3]float64) float64 { return InvGamma(rng, x[0], x[1]) }},
	{"InvChiSquare", 1, "+", smallest, largest, func(rng *rand.Rand, x [3]float64) float64 { return InvChiSquare(rng, x[0]) }},
	{"ScaledInvChiSquare", 2, "++", smallest, largest, func(rng *rand.Rand, x [3]float64) float64 { return ScaledInvChiSquare(rng, x[0], x[1]) }},
	{"Beta", 2, "++", smallest, belowOne, func(rng *rand.Rand, x [3]float64) float64 { return Beta(rng, x[0], x[1]) }},
	{"LogitOfBeta", 2, "++", -largest, largest, func(rng *rand.Rand, x [3]float64) float64 { return LogitOfBeta(rng, x[0], x[1]) }},
	{"LogNormal", 2, "r+", smallest, largest, func(rng *rand.Rand, x [3]float64) float64 { return LogNormal(rng, x[0], x[1]) }},
	{"Uniform", 2, "rr", -largest, largest, func(rng *rand.Rand, x [3]float64) float64 { return Uniform(rng, x[0], x[1]) }},
	{"Logistic", 2, "r+", -largest, largest, func(rng *rand.Rand, x [3]float64) float64 { return Logistic(rng, x[0], x[1]) }},
	{"Gumbel", 2, "r+", -largest, largest, func(rng *rand.Rand, x [3]float64) float64 { return Gumbel(rng, x[0], x[1]) }},
	{"Weibull", 2, "++", smallest, largest, func(rng *rand.Rand, x [3]float64) float64 { return Weibull(rng, x[0], x[1]) }},
	{"Frechet", 2, "++", smallest, largest, func(rng *rand.Rand, x [3]float64) float64 { return Frechet(rng, x[0], x[1]) }},
	{"Rayleigh", 1, "+", smallest, largest, func(rng *rand.Rand, x [3]float64) float64 { return Rayleigh(rng, x[0]) }},
	{"ChiSquare", 1, "+", smallest, largest, func(rng *rand.Rand, x [3]float64) float64 { return ChiSquare(rng, x[0]) }},
	{"BetaProportion", 2, "u+", smallest, belowOne, func(rng *rand.Rand, x [3]float64) float64 { return BetaProportion(rng, x[0], x[1]) }},
	{"DoubleExponential", 2, "r+", -largest, largest, func(rng *rand.Rand, x [3]float64) float64 { return DoubleExponential(rng, x[0], x[1]) }},
	{"SkewDoubleExponential", 3, "ur+", -largest, largest, func(rng *rand.Rand, x [3]float64) float64 { return SkewDoubleExponential(rng, x[1], x[2], x[0]) }},
	{"SkewNormal", 3, "r+r", -largest, largest, func(rng *rand.Rand, x [3]float64) float64 { return SkewNormal(rng, x[0], x[1], x[2]) }},
	{"ExpModNormal", 3, "r++", -largest, largest, func(rng *rand.Rand, x [3]float64) float64 { return ExpModNormal(rng, x[0], x[1], x[2]) }},
	{"VonMises", 2, "r+", -math.Pi, math.Pi, func(rng *rand.Rand, x [3]float64) float64 { return VonMises(rng, x[0], x[1]) }},
	{"HalfNormal", 1, "+", smallest, largest, func(rng *rand.Rand, x [3]float64) float64 { return HalfNormal(rng, x[0]) }},
	{"HalfCauchy", 1, "+", smallest, largest, func(rng *rand.Rand, x [3]float64) float64 { return HalfCauchy(rng, x[0]) }},
	{"HalfStudentT", 2, "++", smallest, largest, func(rng *rand.Rand, x [3]float64) float64 { return HalfStudentT(rng, x[0], x[1]) }},
	{"Pareto", 2, "++", smallest, largest, func(rng *rand.Rand, x [3]float64) float64 { return Pareto(rng, x[0], x[1]) }},
	{"ParetoType2", 3, "r++", -largest, largest, func(rng *rand.Rand, x [3]float64) float64 { return ParetoType2(rng, x[0], x[1], x[2]) }},
	{"LogLogistic", 2, "++", smallest, largest, func(rng *rand.Rand, x [3]float64) float64 { return LogLogistic(rng, x[0], x[1]) }},
	{"InvGaussian", 2, "++", smallest, largest, func(rng *rand.Rand, x [3]float64) float64 { return InvGaussian(rng, x[0], x[1]) }},
	{"LogitNormal", 2, "r+", smallest, belowOne, func(rng *rand.Rand, x [3]float64) float64 { return LogitNormal(rng, x[0], x[1]) }},
	{"Kumaraswamy", 2, "++", smallest, belowOne, func(rng *rand.Rand, x [3]float64) float64 { return Kumaraswamy(rng, x[0], x[1]) }},
}

// inRanges reports whether arguments are in their ranges.
func inRanges(ranges string, x [3]float64) bool {
	valid := true
	for j, c := range ranges {
		valid = valid && math.Abs(x[j]) <= largest && (c == 'r' || x[j] > 0) && (c != 'u' || x[j] < 1)
	}
	return valid
}

// Whatever the arguments, a draw is in the open support if they are in their
// range, and otherwise NaN without a random number used.
func TestRealsAtExtremeArguments(t *testing.T) {
	values := []float64{
		math.NaN(), math.Inf(-1), -largest, -1, -smallest, 0, smallest, 1e-310, 1e-300, 1e-9, 0.5, 1, 1e9, 1e18, 1e300, largest, math.Inf(1),
	}
	for _, g := range reals {
		rng, untouched := source(1), source(1)
		in, out := 0, 0
		var x [3]float64
		var each func(i int)
		each = func(i int) {
			if i < g.arity {
				for _, v := range values {
					x[i] = v
					each(i + 1)
				}
				return
			}
			valid := inRanges(g.ranges, x) && (g.name != "Uniform" || x[0] < x[1])
			if !valid {
				out++
				if y := g.draw(rng, x); !math.IsNaN(y) {
					t.Errorf("%s%v is %v outside its range", g.name, x[:g.arity], y)
				}
				if rng.Uint64() != untouched.Uint64() {
					t.Fatalf("%s%v uses random numbers outside its range", g.name, x[:g.arity])
				}
				return
			}
			in++
			r := source(in)
			for range 20 {
				y := g.draw(r, x)
				ok := g.lo <= y && y <= g.hi
				if (g.name == "Pareto" || g.name == "ParetoType2") && x[0] < largest {
					ok = ok && y > x[0]
				}
				if g.name == "Uniform" && math.Nextafter(x[0], x[1]) < x[1] {
					ok = x[0] < y && y < x[1]
				}
				if !ok {
					t.Errorf("%s%v draws %v", g.name, x[:g.arity], y)
				}
			}
		}
		each(0)
		if in == 0 || out == 0 {
			t.Errorf("%s: %d arguments in range, %d outside", g.name, in, out)
		}
	}
}

// The variants on a logarithmic scale are the same draws.
func TestLogarithmicVariants(t *testing.T) {
	for _, a := range []float64{1e-3, 0.2, 1, 30} {
		for _, b := range []float64{1e-3, 0.7, 1, 400} {
			x, y := source(5), source(5)
			for range 200 {
				if g, l := Gamma(x, a, b), LogOfGamma(y, a, b); math.Abs(g-math.Exp(l)) > 1e-12*g+1e-300 {
					t.Fatalf("Gamma(%v, %v) draws %v, its logarithm %v", a, b, g, l)
				}
				if p, l := Beta(x, a, b), LogitOfBeta(y, a, b); math.Abs(p-1/(1+math.Exp(-l))) > 1e-13*p+1e-300 {
					t.Fatalf("Beta(%v, %v) draws %v, its logit %v", a, b, p, l)
				}
			}
		}
	}
}

// With arguments that tend to zero the beta distribution tends to that of
// Bernoulli with probability alpha/(alpha+beta), where 1/alpha overflows too.
func TestTinyBeta(t *testing.T) {
	const n = 20000
	for i, a := range []float64{1e-200, 1e-306, 1e-307, 3e-308, 4 * smallest} {
		rng, upper := source(100+i), 0
		for range n {
			if Beta(rng, a, 3*a) > 0.5 {
				upper++
			}
		}
		if z := (float64(upper) - 0.25*n) / math.Sqrt(0.25*0.75*n); math.Abs(z) > distuv.UnitNormal.Quantile(1-level/2) {
			t.Errorf("Beta(%v, %v) is near one in %d of %d draws", a, 3*a, upper, n)
		}
	}
}

// The subnormal numbers are arguments as others are: on the logarithmic scale a
// rate only shifts the draws.
func TestSubnormalRate(t *testing.T) {
	x, y := source(5), source(5)
	shift := 10 * math.Ln10
	for range 100 {
		for _, shape := range []float64{1e-2, 0.6, 3} {
			if a, b := LogOfGamma(x, shape, 1e-310), LogOfGamma(y, shape, 1e-300)+shift; !(math.Abs(a-b) < 1e-10*math.Abs(b)) {
				t.Fatalf("shape %v: %v, want %v", shape, a, b)
			}
		}
	}
}

// starting is a source with a first word of our choice.
type starting struct {
	word uint64
	rest *Philox
	used bool
}

func (s *starting) Uint64() uint64 {
	if !s.used {
		s.used = true
		return s.word
	}
	return s.rest.Uint64()
}

// The variates of the first word are at an end of their range, or are zero.
func TestExtremeWords(t *testing.T) {
	for _, word := range []uint64{0, math.MaxUint64, 1 << 63, 1<<63 - 1} {
		fresh := func() *rand.Rand { return rand.New(&starting{word: word, rest: New(1, 1)}) }
		for _, g := range reals {
			for _, a := range []float64{1e-310, 0.5, 3, 1e300} {
				x := [3]float64{a, 2 * a, a}
				if y := g.draw(fresh(), x); inRanges(g.ranges, x) && !(g.lo <= y && y <= g.hi) {
					t.Errorf("%s%v draws %v after the word %x", g.name, x[:g.arity], y, word)
				}
			}
		}
		for _, g := range counts {
			for _, x := range []float64{0, 0.5, 1, 11} {
				if k := g.draw(fresh(), x); x >= g.lo && x <= g.hi && !(k >= 0 && float64(k) <= g.most) {
					t.Errorf("%s(%v) draws %v after the word %x", g.name, x, k, word)
				}
			}
		}
	}
	zero := rand.New(&starting{word: 0, rest: New(1, 1)})
	if y := StudentT(zero, 1e-310, 3, 1); y != 3 {
		t.Errorf("StudentT draws %v where its normal variate is zero", y)
	}
}

func TestUniformBetweenNeighbours(t *testing.T) {
	rng := source(1)
	if y := Uniform(rng, 1, math.Nextafter(1, 2)); y != 1 {
		t.Errorf("%v", y)
	}
	middle := math.Nextafter(1, 2)
	for range 100 {
		if y := Uniform(rng, 1, math.Nextafter(middle, 2)); y != middle {
			t.Fatalf("%v is not the one number between", y)
		}
	}
}

// The draws of a stream are part of what a seed stands for: these are the sums
// of the first draws of each generator. Tolerances are for the exponentials and
// logarithms of other architectures.
func TestDrawsOfAStream(t *testing.T) {
	want := map[string]float64{
		"Normal": 9.8708651064850894, "StudentT": -129.73531604810677, "Cauchy": -39.97943289832795, "Exponential": 29.383762552650907,
		"Gamma": 5.4154849435680354, "LogOfGamma": -33.992123886614678, "InvGamma": 1556.0779435488562,
		"InvChiSquare": 115284.69187097499, "ScaledInvChiSquare": 194542.91753227054, "Beta": 4.1871038890460737,
		"LogitOfBeta": -31.36026721384108, "LogNormal": 162.67952331372157, "Uniform": 16.578560093992458,
		"Logistic": -5.4845894143981653, "Gumbel": 14.050632490404825, "Weibull": 42.02594008831705, "Frechet": 142.24332065945472,
		"Rayleigh": 18.257082231759295, "ChiSquare": 7.0087772720579613, "BetaProportion": 11.879374323351318,
		"DoubleExponential": -1.0303765388424768, "SkewDoubleExponential": -51.116742375276786, "SkewNormal": 30.977011667848799,
		"ExpModNormal": 24.366629546620359, "VonMises": 8.3767795363501598, "HalfNormal": 12.037222088035305, "HalfCauchy": 20.52290577233067,
		"HalfStudentT": 242.58354390436861, "Pareto": 44.434241628960713, "ParetoType2": 35.443071284393483, "LogLogistic": 14.571548977648764,
		"InvGaussian": 10.610529870653773, "LogitNormal": 9.2397745925281498, "Kumaraswamy": 6.7927847118637645,
	}
	wantCounts := map[string]int{
		"Bernoulli": 11, "BernoulliLogit": 10, "BinomialLogit": 1031, "BinomialLogit of many": 97879965437657305,
		"Poisson": 15, "PoissonLog": 37, "large": 132814,
		"Binomial": 1142, "Binomial of many": 108086390564206906, "BetaBinomial": 394, "BetaBinomial of beta": 74859661862663818,
		"NegBinomial": 14, "NegBinomial of beta": 6, "NegBinomial2": 11, "NegBinomial2 of phi": 26, "NegBinomial2Log": 31,
		"NegBinomial2Log of phi": 35127120690058729,
		"Geometric":              6, "BetaNegBinomial": 54, "BetaNegBinomial of alpha": 12549, "BetaNegBinomial of beta": 2869, "ZeroInflatedPoisson": 16,
		"ZeroInflatedPoisson of lambda": 11, "ZeroInflatedNegBinomial2": 19, "ZeroInflatedNegBinomial2 of mu": 9,
		"ZeroInflatedNegBinomial2 of phi": 25, "HurdlePoisson": 18, "HurdlePoisson of lambda": 19,
	}
	for _, g := range reals {
		rng := rand.New(New(1, 2))
		x := [3]float64{0.75, 1.5, 2.5}
		sum := 0.0
		for range 16 {
			sum += g.draw(rng, x)
		}
		if w := want[g.name]; !(math.Abs(sum-w) <= 1e-12*math.Abs(w)) {
			t.Errorf("%s: %.17g, want %.17g", g.name, sum, w)
		}
	}
	for _, g := range counts {
		rng, sum := rand.New(New(1, 2)), 0
		for range 16 {
			sum += g.draw(rng, 0.75)
		}
		if w := wantCounts[g.name]; sum != w {
			t.Errorf("%s: %d, want %d", g.name, sum, w)
		}
	}
	rng, sum := rand.New(New(1, 2)), 0 // by rejection
	for range 16 {
		sum += Poisson(rng, 1e3) + BinomialLogit(rng, 1e4, 1)
	}
	if sum != wantCounts["large"] {
		t.Errorf("large counts: %d, want %d", sum, wantCounts["large"])
	}
}

func TestNoAllocation(t *testing.T) {
	rng := source(1)
	for _, g := range reals {
		if n := testing.AllocsPerRun(100, func() { g.draw(rng, [3]float64{0.75, 1.5, 2.5}) }); n != 0 {
			t.Errorf("%s allocates %v times", g.name, n)
		}
	}
	for _, g := range counts {
		if n := testing.AllocsPerRun(100, func() { g.draw(rng, 0.7) }); n != 0 {
			t.Errorf("%s allocates %v times", g.name, n)
		}
	}
}
