package random

import (
	"math"
	"math/rand/v2"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// standardGamma returns a draw from Gamma(shape, 1) in the form g·exp(−e), for
// shape > 0. The factor g comes from the method of Marsaglia & Tsang (2000), "A
// simple method for generating gamma variables", which needs shape ≥ 1, and
// e = 0 then. For a smaller shape it is a draw for shape + 1, and the other
// factor is u^(1/shape) with a uniform u (their section 6): it underflows for
// small shapes, and so it is left as an exponent. g is positive and finite, e
// may be +Inf.
func standardGamma(rng *rand.Rand, shape float64) (g, e float64) {
	if shape < 1 {
		e = exponential(rng) / shape
		shape++
	}
	d := shape - 1.0/3
	c := 1 / (3 * math.Sqrt(d))
	for {
		x := StandardNormal(rng)
		v := 1 + float64(c*x)
		if v <= 0 {
			continue
		}
		v = float64(v * (float64(v * v)))
		u := open(rng)
		x = float64(x * (x))
		if u < 1-float64(0.0331*x*x) || elementary.Log(u) < float64(0.5*x)+float64(d*(1-v+elementary.Log(v))) {
			return min(float64(d*v), largest), e
		}
	}
}

// Gamma returns a draw from the gamma distribution of shape alpha and rate
// beta, of density proportional to y^(alpha−1) exp(−beta y), for alpha > 0 and
// beta > 0. Outside this range it returns NaN.
//
// For small shapes much of the distribution lies below the smallest positive
// number, which is what Gamma returns then; LogOfGamma keeps it apart.
func Gamma(rng *rand.Rand, alpha, beta float64) float64 {
	if !(positive(alpha) && positive(beta)) {
		return math.NaN()
	}
	g, e := standardGamma(rng, alpha)
	y := g / beta
	if e != 0 {
		y = elementary.Exp(elementary.Log(g) - e - elementary.Log(beta))
	}
	return inside(y, smallest, largest)
}

// LogOfGamma returns log y for the y that Gamma draws with the same arguments
// from the same random numbers, without its underflow: a finite number.
// Outside the range of Gamma it returns NaN.
func LogOfGamma(rng *rand.Rand, alpha, beta float64) float64 {
	if !(positive(alpha) && positive(beta)) {
		return math.NaN()
	}
	g, e := standardGamma(rng, alpha)
	return max(elementary.Log(g)-e-elementary.Log(beta), -largest)
}

// InvGamma returns a draw from the inverse gamma distribution of shape alpha
// and scale beta, of density proportional to y^(−alpha−1) exp(−beta/y), for
// alpha > 0 and beta > 0: 1/y is from Gamma(alpha, beta). Outside this range it
// returns NaN.
func InvGamma(rng *rand.Rand, alpha, beta float64) float64 {
	if !(positive(alpha) && positive(beta)) {
		return math.NaN()
	}
	g, e := standardGamma(rng, alpha)
	y := beta / g
	if e != 0 {
		y = elementary.Exp(elementary.Log(beta) - elementary.Log(g) + e)
	}
	return inside(y, smallest, largest)
}

// ChiSquare returns a draw from the chi-squared distribution of nu degrees of
// freedom, of density proportional to y^(nu/2−1) exp(−y/2), for nu > 0. Outside
// this range it returns NaN.
func ChiSquare(rng *rand.Rand, nu float64) float64 {
	if !positive(nu) {
		return math.NaN()
	}
	return Gamma(rng, max(float64(nu/2), smallest), 0.5)
}

// InvChiSquare returns a draw from the inverse chi-squared distribution of nu
// degrees of freedom, of density proportional to y^(−nu/2−1) exp(−1/(2y)), for
// nu > 0: 1/y is from the chi-squared distribution. Outside this range it
// returns NaN.
func InvChiSquare(rng *rand.Rand, nu float64) float64 {
	if !positive(nu) {
		return math.NaN()
	}
	return InvGamma(rng, max(float64(nu/2), smallest), 0.5)
}

// ScaledInvChiSquare returns a draw from the scaled inverse chi-squared
// distribution of nu degrees of freedom and scale s, of density proportional to
// y^(−nu/2−1) exp(−nu s²/(2y)), for nu > 0 and s > 0: nu s²/y is from the
// chi-squared distribution. Outside this range it returns NaN.
func ScaledInvChiSquare(rng *rand.Rand, nu, s float64) float64 {
	if !(positive(nu) && positive(s)) {
		return math.NaN()
	}
	half := max(float64(nu/2), smallest)
	g, e := standardGamma(rng, half)
	// In this order a product overflows or underflows only if y does.
	y := float64(half / g * s * s)
	if e != 0 {
		y = elementary.Exp(elementary.Log(half) + float64(2*elementary.Log(s)) - elementary.Log(g) + e)
	}
	return inside(y, smallest, largest)
}

// Beta returns a draw from the beta distribution of density proportional to
// y^(alpha−1) (1−y)^(beta−1), for alpha > 0 and beta > 0. Outside this range it
// returns NaN.
//
// For small arguments much of the distribution lies nearer to 0 and 1 than
// any number but these; LogitOfBeta keeps it apart.
func Beta(rng *rand.Rand, alpha, beta float64) float64 {
	x := LogitOfBeta(rng, alpha, beta)
	// In these forms neither end loses precision to the other.
	var y float64
	if x < 0 {
		y = elementary.Exp(x)
		y /= 1 + y
	} else {
		y = 1 / (1 + elementary.Exp(-x))
	}
	return inside(y, smallest, belowOne)
}

// LogitOfBeta returns log(y/(1−y)) for the y that Beta draws with the same
// arguments from the same random numbers: a finite number, without the
// rounding of y to the ends. Outside the range of Beta it returns NaN.
//
// y/(1−y) is the ratio of draws from Gamma(alpha, 1) and Gamma(beta, 1), whose
// logarithms do not underflow.
func LogitOfBeta(rng *rand.Rand, alpha, beta float64) float64 {
	if !(positive(alpha) && positive(beta)) {
		return math.NaN()
	}
	g1, e1 := standardGamma(rng, alpha)
	g2, e2 := standardGamma(rng, beta)
	if e1 > largest && e2 > largest {
		// Both arguments are below 10⁻³⁰⁵, and the difference is almost
		// surely infinite. What two exponential variates exceed a bound
		// by is exponential again, and a common factor of the arguments
		// does not matter to which of the two is larger.
		const up = 0x1p600
		e1, e2 = exponential(rng)/(up*alpha), exponential(rng)/(up*beta)
		return math.Copysign(largest, e2-e1)
	}
	return inside(elementary.Log(g1)-elementary.Log(g2)-e1+e2, -largest, largest)
}

// BetaProportion returns a draw from the beta distribution of mean mu and
// precision kappa, which Beta has with the arguments mu·kappa and
// (1−mu)·kappa, for 0 < mu < 1 and kappa > 0. Outside this range it returns NaN.
func BetaProportion(rng *rand.Rand, mu, kappa float64) float64 {
	if !(mu > 0 && mu < 1 && positive(kappa)) {
		return math.NaN()
	}
	return Beta(rng, max(float64(mu*kappa), smallest), max(float64((1-mu)*kappa), smallest))
}
