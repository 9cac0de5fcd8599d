package special

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// The modified Bessel functions of the orders 0 and 1 are I₀(x) = Σ qᵏ/(k!)² and I₁(x) = x/2 Σ qᵏ/(k! (k+1)!), q = x²/4. Up to besselFrom
// these series of positive terms are summed. Of the slope of their ratio the numerator is one too,
//
//	I₀² + I₀I₂ − 2I₁² = Σ (2m)!/(m!)⁴ qᵐ/(m+1)²
//
// by the series of products (DLMF 10.31.3), where 1 − r² − r/x would cancel. Beyond, the series in 1/x are asymptotic, with a least term of e^(−2x).
const besselFrom = 30

// ratioTerms are the coefficients cₖ of I₁(x)/I₀(x) = Σ cₖ x⁻ᵏ, which follow from r' = 1 − r² − r/x.
var ratioTerms = func() (c [30]float64) {
	c[0] = 1
	for k := 1; k < len(c); k++ {
		s := float64(float64(k-2) * c[k-1])
		for i := 1; i < k; i++ {
			s -= float64(c[i] * c[k-i])
		}
		c[k] = float64(s / 2)
	}
	return c
}()

// besselSeries returns Σ qᵏ/(k!)² − 1, and Σ qᵏ/(k! (k+1)!).
func besselSeries(q float64) (rest, one float64) {
	term := 1.0
	one = 1
	for k := 1.0; ; k++ {
		term = float64(term * q / float64(k*k))
		rest += term
		one += term / (k + 1)
		if term <= 0x1p-60*rest {
			return rest, one
		}
	}
}

// LogBesselI0 returns log I₀(x), of the modified Bessel function of the first kind: the constant of the von Mises distribution is 2π times I₀.
func LogBesselI0(x float64) float64 {
	x = math.Abs(x)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x
	case x < besselFrom:
		rest, _ := besselSeries(float64(float64(x*x) / 4))
		return elementary.Log1p(rest)
	}
	rest, term := 0.0, 1.0
	for k := 1.0; k < 2*besselFrom; k++ {
		odd := float64(2*k) - 1
		term = float64(term * float64(odd*odd) / float64(8*k*x))
		rest += term
		if term <= 0x1p-60*rest {
			break
		}
	}
	return x - float64(0.5*(elementary.Log(x)+logTwoPi)) + elementary.Log1p(rest)
}

// logTwoPi is log 2π.
const logTwoPi = 1.83787706640934548356

// BesselRatio returns I₁(x)/I₀(x), the derivative of LogBesselI0 and the mean resultant length of the von Mises distribution of
// concentration x: between −1 and 1.
func BesselRatio(x float64) float64 {
	size := math.Abs(x)
	switch {
	case math.IsNaN(x):
		return x
	case math.IsInf(size, 1):
		return math.Copysign(1, x)
	case size < besselFrom:
		rest, one := besselSeries(float64(float64(x*x) / 4))
		return float64(x*one) / (2 + float64(2*rest))
	}
	s := 0.0
	for k := len(ratioTerms) - 1; k >= 0; k-- {
		s = s/size + ratioTerms[k]
	}
	return math.Copysign(s, x)
}

// BesselRatioSlope returns the derivative of BesselRatio, which is positive: ½ at 0, and about 1/(2x²) for large x.
func BesselRatioSlope(x float64) float64 {
	size := math.Abs(x)
	if size < besselFrom {
		q := float64(float64(x*x) / 4)
		rest, _ := besselSeries(q)
		sum, term := 1.0, 1.0
		for m := 1.0; ; m++ {
			term = float64(term * float64(q*(4-2/m)) / float64(m*m))
			t := term / float64((m+1)*(m+1))
			sum += t
			if t <= 0x1p-60*sum {
				break
			}
		}
		return sum / float64(2*float64((1+rest)*(1+rest)))
	}
	s := 0.0
	for k := len(ratioTerms) - 1; k > 0; k-- {
		s = s/size - float64(float64(k)*ratioTerms[k])
	}
	return s / size / size
}
