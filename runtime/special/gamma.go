package special

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// Lgamma returns log |Γ(x)|: +Inf at the poles 0, −1, −2, … and at ±Inf.
// Between the poles its zeros lie near the integers, where the error is a few
// 1e-16 beside the larger of |x log |x|| and 1.
func Lgamma(x float64) float64 { return elementary.Lgamma(x) }

// The polygamma functions of x > 0 are shifted by the recurrence
// ψ(x+1) = ψ(x) + 1/x (and its derivatives) to x ≥ polygammaShift, where the
// asymptotic series in 1/x², Abramowitz & Stegun 6.3.18, 6.4.12, 6.4.13, are
// accurate. Where x < 0 they follow from the reflection formula 6.4.7.
const polygammaShift = 10

// The Bernoulli numbers B₂, B₄, … that the asymptotic series consist of.
const (
	b2  = 1.0 / 6
	b4  = -1.0 / 30
	b6  = 1.0 / 42
	b8  = -1.0 / 30
	b10 = 5.0 / 66
	b12 = -691.0 / 2730
	b14 = 7.0 / 6
	b16 = -3617.0 / 510
	b18 = 43867.0 / 798
)

// digammaZero + digammaZeroLow is the zero of the digamma function on x > 0.
const (
	digammaZero    = 1.4616321449683622
	digammaZeroLow = 9.549995429965697e-17
)

// digammaSlope holds the polynomial in t = x − 3/2, highest power first, that
// interpolates ψ(x) / (x − zero) at the Chebyshev points of 1 ≤ x ≤ 2; its
// error is 6e-19.
var digammaSlope = [...]float64{
	-8.153978973309418e-05, 0.00012230983055406747, -6.11554261750751e-05,
	9.173383289174792e-05, -0.0002178682145501451, 0.0003268068044141764,
	-0.0004599625144612576, 0.0006899717801166841, -0.001042261556504223,
	0.0015635679757533885, -0.002344650082351321, 0.0035180800751066694,
	-0.00528001782089874, 0.007927024067961237, -0.011908215172584002,
	0.017907248195969127, -0.02697579684427536, 0.04076083394462657,
	-0.06192213327165706, 0.09498872445283, -0.14840492305391761,
	0.24054248424078736, -0.42362742128146047, 0.9510558760318328,
}

// Digamma returns ψ(x) = d/dx log Γ(x). It is NaN at the poles 0, −1, −2, …
// and at −Inf, +Inf at +Inf. The relative error is small also at the zero
// x = 1.4616…; at the zeros with x < 0 the absolute error is.
func Digamma(x float64) float64 {
	if x <= 0 {
		r, pole := distance(x)
		if pole {
			return math.NaN()
		}
		return Digamma(1-x) - math.Pi/elementary.Tan(float64(math.Pi*r))
	}
	if x >= polygammaShift {
		if math.IsInf(x, 1) {
			return x
		}
		z := 1 / (x * x)
		s := float64(z * (b2/2 + float64(z*(b4/4+float64(z*(b6/6+float64(z*(b8/8+float64(z*(b10/10+float64(z*(b12/12+float64(z*(b14/14+float64(z*b16/16)))))))))))))))
		return elementary.Log(x) - 0.5/x - s
	}
	sum := 0.0
	if x < 1 {
		sum = -1 / x
		x++
	}
	for x > 2 {
		x-- // exact
		sum += 1 / x
	}
	p, t := 0.0, x-1.5
	for _, c := range digammaSlope {
		p = float64(p*t) + c
	}
	return sum + float64(((x-digammaZero)-digammaZeroLow)*p)
}

// Trigamma returns ψ′(x), the derivative of Digamma. It is +Inf at the poles
// 0, −1, −2, …, 0 at +Inf and NaN at −Inf.
func Trigamma(x float64) float64 {
	if x <= 0 {
		r, pole := distance(x)
		switch {
		case math.IsInf(x, -1):
			return math.NaN()
		case pole:
			return math.Inf(1)
		}
		return Square(math.Pi/elementary.Sin(float64(math.Pi*r))) - Trigamma(1-x)
	}
	sum := 0.0
	for ; x < polygammaShift; x++ {
		sum += 1 / (x * x)
	}
	z := 1 / (x * x)
	s := b2 + float64(z*(b4+float64(z*(b6+float64(z*(b8+float64(z*(b10+float64(z*(b12+float64(z*(b14+float64(z*b16)))))))))))))
	return sum + (1/x + float64(z/2) + s*z/x)
}

// Tetragamma returns ψ″(x), the second derivative of Digamma. It is NaN at the
// poles 0, −1, −2, … and at −Inf, 0 at +Inf. At its zeros, all with x < 0, the
// absolute error is small.
func Tetragamma(x float64) float64 {
	if x <= 0 {
		r, pole := distance(x)
		if pole {
			return math.NaN()
		}
		sin, cos := elementary.Sincos(float64(math.Pi * r))
		c := math.Pi / sin
		return Tetragamma(1-x) - float64(2*c*c*c*cos)
	}
	sum := 0.0
	for ; x < polygammaShift; x++ {
		sum += 2 / (x * x * x)
	}
	z := 1 / (x * x)
	s := 3*b2 + float64(z*(5*b4+float64(z*(7*b6+float64(z*(9*b8+float64(z*(11*b10+float64(z*(13*b12+float64(z*(15*b14+float64(z*(17*b16+float64(z*19*b18)))))))))))))))
	return -(sum + float64(z*(1+1/x+float64(z*s))))
}

// StirlingRest returns s(x) = log Γ(x) − (x − ½) log x + x − ½ log 2π, what Stirling's formula lacks, for x > 0: it is +Inf at 0, and NaN for x < 0. Differences
// of log Γ at large arguments are small beside their terms, and differences of s are not:
//
//	log Γ(x + y) − log Γ(x) = s(x + y) − s(x) + (x + y − ½) log(1 + y/x) − y + y log x.
//
// The series is Abramowitz & Stegun 6.1.41.
func StirlingRest(x float64) float64 {
	switch {
	case x >= polygammaShift:
		z := 1 / (x * x)
		return (b2/2 + float64(z*(b4/12+float64(z*(b6/30+float64(z*(b8/56+float64(z*(b10/90+float64(z*(b12/132+float64(z*(b14/182+float64(z*b16/240)))))))))))))) / x
	case x == 0:
		return math.Inf(1)
	case x < 0:
		return math.NaN()
	}
	return Lgamma(x) - float64((x-0.5)*elementary.Log(x)) + x - halfLog2Pi
}

// StirlingSlope returns s′(x) = ψ(x) − log x + 1/(2x), the derivative of StirlingRest.
func StirlingSlope(x float64) float64 {
	switch {
	case x >= polygammaShift:
		z := 1 / (x * x)
		return -float64(z * (b2/2 + float64(z*(b4/4+float64(z*(b6/6+float64(z*(b8/8+float64(z*(b10/10+float64(z*(b12/12+float64(z*(b14/14+float64(z*b16/16)))))))))))))))
	case x == 0:
		return math.Inf(-1)
	case x < 0:
		return math.NaN()
	}
	return Digamma(x) - elementary.Log(x) + 0.5/x
}

// StirlingCurvature returns s″(x) = ψ′(x) − 1/x − 1/(2x²), the derivative of StirlingSlope.
func StirlingCurvature(x float64) float64 {
	switch {
	case x >= polygammaShift:
		z := 1 / (x * x)
		return float64(z*(b2+float64(z*(b4+float64(z*(b6+float64(z*(b8+float64(z*(b10+float64(z*(b12+float64(z*(b14+float64(z*b16))))))))))))))) / x
	case x == 0:
		return math.Inf(1)
	case x < 0:
		return math.NaN()
	}
	return Trigamma(x) - (1+0.5/x)/x
}

// distance returns x − n for the integer n next to x, which is exact, and
// whether x is an integer or infinite.
func distance(x float64) (r float64, integer bool) {
	r = x - math.RoundToEven(x)
	return r, r == 0 || math.IsInf(x, 0)
}
