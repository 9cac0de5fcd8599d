package special

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// √½ in two parts, and ½ log 2π.
const (
	sqrtHalf    = 0.7071067811865476
	sqrtHalfLow = -4.833646656726457e-17
	halfLog2Pi  = 0.9189385332046727418
)

// Phi returns the standard normal distribution function
// Φ(x) = ½ erfc(−x/√2): Phi(−Inf) = 0, Phi(+Inf) = 1.
func Phi(x float64) float64 {
	// In the lower tail Φ multiplies a relative error of its argument by x²:
	// the rounding error d of z = −x/√2 has to be made good.
	z := float64(-x * sqrtHalf)
	p := elementary.Erfc(z)
	if z > 1 && p > 0 {
		d := math.FMA(-x, sqrtHalf, -z) - float64(x*sqrtHalfLow)
		p -= float64(2 / math.SqrtPi * elementary.Exp(float64(-z*z)) * d)
	}
	return float64(0.5 * p)
}

// LogPhi returns log Φ(x), the logarithm of Phi, also where Φ(x) underflows:
// LogPhi(−Inf) = −Inf, LogPhi(+Inf) = 0.
func LogPhi(x float64) float64 {
	switch {
	case x > 0:
		return elementary.Log1p(-Phi(-x))
	case x > -20:
		return elementary.Log(Phi(x))
	}
	// Abramowitz & Stegun 26.2.12
	z := 1 / (x * x)
	s := float64(z * (-1 + float64(z*(3+float64(z*(-15+float64(z*(105+float64(z*(-945+float64(z*(10395+float64(z*-135135)))))))))))))
	return float64(-0.5*x*x) - elementary.Log(-x) - halfLog2Pi + elementary.Log1p(s)
}

// LogPhiInterval returns log(Φ(x) − Φ(x − w)), the logarithm of the mass of the interval of width w > 0 that ends at x, also where both underflow: LogPhiInterval(x, 0) = −Inf,
// LogPhiInterval(x, +Inf) = log Φ(x). What is narrow beside the scale of the density there is φ at the middle m times the series of ∫ exp(−mt − t²/2) dt; of the rest the values of Φ in the lower tail differ.
func LogPhiInterval(x, w float64) float64 {
	y := x - w
	if x+y > 0 {
		x, y = -y, -x
	}
	m := float64(0.5 * (x + y))
	switch {
	case math.IsInf(x, -1):
		return x
	case float64(w*(1-m)) < narrow:
		q, s := float64(m*m), float64(0.25*w*w) // of half the width, squared
		return elementary.Log(w) - float64(0.5*q) - halfLog2Pi + elementary.Log1p(float64(s*((q-1)/6+float64(s*(float64((q-6)*q)+3)/120))))
	case x > -30:
		return elementary.Log(Phi(x) - Phi(y))
	}
	l := LogPhi(x)
	return l + Log1mExp(LogPhi(y)-l)
}

// narrow is the width of an interval, in units of 1/(1 + |m|), below which the series has all digits.
const narrow = 0.01

// LogPhiTilted returns log Φ(z − r) + ½r² − rz for r ≥ 0: the logarithm of the mass that the normal density at z, times exp(−rx) over x ≥ 0, leaves. The terms
// cancel where r is large.
func LogPhiTilted(z, r float64) float64 {
	if u := z - r; u > farTail {
		return LogPhi(u) - float64(r*(z-float64(0.5*r)))
	}
	w := r - z
	return float64(-0.5*z*z) - elementary.Log(w+millsExcess(w)) - halfLog2Pi
}

// LogPhiTiltedSlope returns φ(z − r)/Φ(z − r) − r, the derivative of LogPhiTilted by z, of which either term may be large.
func LogPhiTiltedSlope(z, r float64) float64 {
	if u := z - r; u > 0 {
		return mills(u) - r
	}
	return MillsExcess(z-r) - z
}

// mills returns φ(x)/Φ(x) for x > farTail.
func mills(x float64) float64 { return elementary.Exp(float64(-0.5*x*x) - LogPhi(x) - halfLog2Pi) }

// farTail is where the continued fraction of Mills' ratio takes over.
const farTail = -5

// MillsExcess returns φ(x)/Φ(x) + x, the derivative of log Φ(x) + ½x².
func MillsExcess(x float64) float64 {
	if x > farTail {
		return mills(x) + x
	}
	return millsExcess(-x)
}

// millsExcess returns φ(w)/Φ(−w) − w for w ≥ 5 by Laplace's continued fraction (Abramowitz & Stegun 26.2.14), 1/(w + 2/(w + 3/(w + …))).
func millsExcess(w float64) float64 {
	if math.IsInf(w, 1) {
		return 0
	}
	terms := 12 + int(900/(w*w))
	t := w
	for k := terms; k > 1; k-- {
		t = w + float64(k)/t
	}
	return 1 / t
}

// InvPhi returns the quantile x of the standard normal distribution with
// Φ(x) = p, for 0 ≤ p ≤ 1: InvPhi(0) = −Inf, InvPhi(½) = 0,
// InvPhi(1) = +Inf. The method is Wichura (1988), "Algorithm AS 241",
// PPND16.
func InvPhi(p float64) float64 {
	switch {
	case !(0 <= p && p <= 1):
		return math.NaN()
	case p == 0:
		return math.Inf(-1)
	case p == 1:
		return math.Inf(1)
	}
	q := p - 0.5
	if math.Abs(q) <= 0.425 {
		r := 0.180625 - float64(q*q)
		return float64(q * ratio(&quantileCentre, r))
	}
	r := math.Sqrt(-elementary.Log(min(p, 1-p)))
	if r <= 5 {
		r = ratio(&quantileTail, r-1.6)
	} else {
		r = ratio(&quantileFarTail, r-5)
	}
	return math.Copysign(r, q)
}

// rational holds the coefficients of numerator and denominator of a rational
// function, highest power first.
type rational [2][8]float64

// ratio returns the value of the rational function c at r.
func ratio(c *rational, r float64) float64 {
	var n, d float64
	for i := range c[0] {
		n = float64(n*r) + c[0][i]
		d = float64(d*r) + c[1][i]
	}
	return n / d
}

// The coefficients of algorithm AS 241, for |p − ½| ≤ 0.425 and, in
// r = √(−log min(p, 1−p)), for r ≤ 5 and r > 5.
var (
	quantileCentre = rational{
		{2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4, 4.5921953931549871457e4,
			1.3731693765509461125e4, 1.9715909503065514427e3, 1.3314166789178437745e2, 3.3871328727963666080},
		{5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4, 2.1213794301586595867e4,
			5.3941960214247511077e3, 6.8718700749205790830e2, 4.2313330701600911252e1, 1},
	}
	quantileTail = rational{
		{7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258,
			3.64784832476320460504, 5.76949722146069140550, 4.63033784615654529590, 1.42343711074968357734},
		{1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
			6.89767334985100004550e-1, 1.67638483018380384940, 2.05319162663775882187, 1},
	}
	quantileFarTail = rational{
		{2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2,
			2.96560571828504891230e-1, 1.78482653991729133580, 5.46378491116411436990, 6.65790464350110377720},
		{2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
			1.48753612908506148525e-2, 1.36929880922735805310e-1, 5.99832206555887937690e-1, 1},
	}
)
