package special

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// What follows has a logit u for the argument x of the incomplete beta function, from which both x and 1 − x have all their digits.

// lgammaRise returns log Γ(z+d) − log Γ(z) for z > 0 and 0 ≤ d ≤ 1, relative to d: from z = 10 on by Stirling's series, of which each term's
// difference is taken.
func lgammaRise(z, d float64) float64 {
	sum := 0.0
	for ; z < stirlingFrom; z++ {
		sum -= elementary.Log1p(d / z)
	}
	l := elementary.Log1p(d / z)
	first := -d / (z + d) // z/(z+d) − 1
	second := float64(first * (2 + first))
	q := 1 / z
	square := float64(q * q)
	s := 0.0
	for _, c := range [...]float64{b2 / 2, b4 / 12, b6 / 30, b8 / 56, b10 / 90, b12 / 132, b14 / 182} {
		s += float64(c * q * first)
		q = float64(q * square)
		first += second + float64(first*second)
	}
	return sum + (float64((z-0.5)*l) - d + float64(d*elementary.Log(z+d))) + s
}

// digammaRise returns ψ(z+d) − ψ(z), likewise.
func digammaRise(z, d float64) float64 {
	sum := 0.0
	for ; z < stirlingFrom; z++ {
		sum += d / float64(z*(z+d))
	}
	first := -d / (z + d)
	second := float64(first * (2 + first))
	rise := second
	q := 1 / z
	square := float64(q * q)
	q = square
	s := 0.0
	for _, c := range [...]float64{b2 / 2, b4 / 4, b6 / 6, b8 / 8, b10 / 10, b12 / 12, b14 / 14, b16 / 16} {
		s -= float64(c * q * rise)
		q = float64(q * square)
		rise += second + float64(rise*second)
	}
	return sum + elementary.Log1p(d/z) + 0.5*d/float64(z*(z+d)) + s
}

// odds is an argument of the incomplete beta function: x, y = 1 − x and their logarithms.
type odds struct{ x, y, logX, logY float64 }

func logitOdds(u float64) odds {
	return odds{InvLogit(u), InvLogit(-u), -Log1pExp(-u), -Log1pExp(u)}
}

func (o odds) swapped() odds { return odds{o.y, o.x, o.logY, o.logX} }

// betaScale is what densities and slopes of given shapes and odds have in common: n = a + b, d = bx − ay, and log(x/x₀), log(y/y₀) of the mean x₀ = a/n
// without what cancels.
type betaScale struct {
	a, b, n, d float64
	odds
}

func newBetaScale(a, b float64, o odds) betaScale {
	p, q := float64(b*o.x), float64(a*o.y)
	pRest := math.FMA(b, o.x, -p)
	qRest := math.FMA(a, o.y, -q)
	d := (p - q) + (pRest - qRest)
	return betaScale{a, b, a + b, d, o}
}

// logDensity returns log(x^a y^b/B(a, b)).
func (s *betaScale) logDensity() float64 {
	a, b, n := s.a, s.b, s.n
	left := func() float64 { return float64(a * excessLog(s.d/a, float64(s.x/a*n))) }
	right := func() float64 { return float64(b * excessLog(-s.d/b, float64(s.y/b*n))) }
	switch {
	case a < stirlingFrom && b < stirlingFrom:
		return float64(a*s.logX) + float64(b*s.logY) - (Lgamma(a) + Lgamma(b) - Lgamma(n))
	case b < stirlingFrom:
		return -left() - float64(n*s.y) + float64(b*(elementary.Log(n)+s.logY)) - Lgamma(b) - float64(0.5*elementary.Log1p(b/a)) - stirling(a) + stirling(n)
	case a < stirlingFrom:
		return -right() - float64(n*s.x) + float64(a*(elementary.Log(n)+s.logX)) - Lgamma(a) - float64(0.5*elementary.Log1p(a/b)) - stirling(b) + stirling(n)
	}
	return float64(0.5*elementary.Log(float64(float64(a/n*b)*(0.5/math.Pi)))) - left() - right() - (stirling(a) + stirling(b) - stirling(n))
}

// slopes returns log x − ψ(a) + ψ(n) and log y − ψ(b) + ψ(n).
func (s *betaScale) slopes() (byA, byB float64) {
	return s.slope(s.a, s.d, s.x, s.logX), s.slope(s.b, -s.d, s.y, s.logY)
}

func (s *betaScale) slope(a, d, x, logX float64) float64 {
	switch {
	case a >= stirlingFrom:
		return logRatio(d/a, float64(x/a*s.n)) + (digammaGap(a) - digammaGap(s.n))
	case s.n >= stirlingFrom:
		return elementary.Log(s.n) + logX - Digamma(a) - digammaGap(s.n)
	}
	return logX - Digamma(a) + Digamma(s.n)
}

// exponent returns κ(v) and log(1 − x + x e⁻ᵛ), which is negative, with v plus it.
func (s *betaScale) exponent(v float64) (kappa, byB, byA float64) {
	if s.x <= 0.5 {
		z := float64(s.x * elementary.Expm1(-v))
		l := elementary.Log1p(z)
		if v > 0.1 {
			return float64(s.x*v) + l, l, v + l
		}
		return float64(s.x*excessExp(-v)) - excessLog(z, 1+z), l, v + l
	}
	if v > 600 {
		l := v + s.logY
		return float64(s.x*v) + s.logY, l - v, l
	}
	z := float64(s.y * elementary.Expm1(v))
	l := elementary.Log1p(z)
	if v > 0.1 {
		return l - float64(s.y*v), l - v, l
	}
	return float64(s.y*excessExp(v)) - excessLog(z, 1+z), l - v, l
}

// end returns where the exponent reaches decay, or a little behind.
func (s *betaScale) end() float64 {
	delta := -s.d
	v := 2 * decay / (delta + math.Sqrt(float64(delta*delta)+float64(2*decay*float64(s.n*s.x)*s.y)))
	if s.x > 0.5 {
		v = min(v, elementary.Log1p((decay+2)/float64(s.n*s.y))+(decay+2)/s.a+1)
	}
	for range 8 {
		kappa, _, rest := s.exponent(v)
		e := float64(delta*v) + float64(s.n*kappa)
		if e >= decay && e < decay+8 {
			break
		}
		// The derivative of κ is x − x e⁻ᵛ/(1 − x + x e⁻ᵛ).
		v -= (e - decay - 1) / (delta - float64(float64(s.n*s.x)*elementary.Expm1(-rest)))
	}
	return v
}

// betaTail returns I_x(a, b) for x ≤ a/n by quadrature, with its slopes.
func betaTail(a, b float64, o odds) (log, byA, byB float64) {
	s := newBetaScale(a, b, o)
	last := s.end()
	sum, sumA, sumB := 0.0, 0.0, 0.0
	for n := range nodes {
		v, w := float64(last*nodes[n][0]), nodes[n][1]
		kappa, l, rest := s.exponent(v)
		w = float64(w * elementary.Exp(float64(s.d*v)-float64(s.n*kappa)))
		sum += w
		sumA += float64(w * rest)
		sumB += float64(w * l)
	}
	byA, byB = s.slopes()
	return s.logDensity() + elementary.Log(float64(last*sum)), byA - sumA/sum, byB - sumB/sum
}

// betaSeries returns I_x(a, b) for a < 1, x ≤ ½ and bx < 1: x^a/(a B(a, b)) (1 + a Σ (1−b)ₖ xᵏ/(k! (a+k))).
func betaSeries(a, b float64, o odds) tail {
	term, termBy, sum, by, other := 1.0, 0.0, 0.0, 0.0, 0.0
	for k := 1.0; k < 80; k++ {
		r := o.x / k
		termBy = float64((float64(termBy*(k-b)) - term) * r)
		term = float64(term * (k - b) * r)
		d := 1 / (a + k)
		sum += float64(term * d)
		by -= float64(term * d * d)
		other += float64(termBy * d)
		if math.Abs(term)+math.Abs(termBy) < 1e-18 && k > b {
			break
		}
	}
	g := float64(a*o.logX) - (lgammaRise(1, a) - lgammaRise(b, a))
	return nearOne(a, g, o.logX-Digamma(1+a)+Digamma(a+b), sum, by, digammaRise(b, a), other)
}

// incompleteBeta returns I_x(a, b) with its slopes in a and in b.
func incompleteBeta(a, b float64, o odds) tail {
	switch {
	case a < 1 && o.x <= 0.5 && float64(b*o.x) < 1:
		return betaSeries(a, b, o)
	case b < 1 && o.y <= 0.5 && float64(a*o.y) < 1:
		t := betaSeries(b, a, o.swapped())
		return tail{t.rest, t.log, t.restOther, t.logOther, t.restBy, t.logBy}
	case float64(b*o.x) <= float64(a*o.y):
		log, byA, byB := betaTail(a, b, o)
		return fromLog(log, byA, byB)
	}
	log, byB, byA := betaTail(b, a, o.swapped())
	return fromLog(log, byA, byB).swapped()
}

// incompleteLogit is incompleteBeta with its limits.
func incompleteLogit(a, b, u float64) tail {
	nan := math.NaN()
	switch {
	case !(a >= 0 && b >= 0) || u != u || a == 0 && b == 0 || math.IsInf(a, 1) || math.IsInf(b, 1):
		return tail{nan, nan, nan, nan, nan, nan}
	case a == 0 && math.IsInf(u, -1) || b == 0 && math.IsInf(u, 1):
		return tail{nan, nan, nan, nan, nan, nan}
	case a == 0 || math.IsInf(u, 1):
		return end(0)
	case b == 0 || math.IsInf(u, -1):
		return end(math.Inf(-1))
	}
	return incompleteBeta(a, b, logitOdds(u))
}

// LogIncBetaLogit returns log I_x(a, b), the logarithm of the regularised incomplete beta function of x = 1/(1 + e⁻ᵘ), for a ≥ 0 and b ≥ 0: −Inf at
// u = −Inf and b = 0, 0 at u = +Inf and a = 0. That of 1 − I is LogIncBetaLogit(b, a, −u).
func LogIncBetaLogit(a, b, u float64) float64 {
	// 1 − (1−x)^b and x^a: what a distribution of counts without zeros is divided by.
	if a == 1 && b > 0 && u > -700 {
		return Log1mExp(-float64(b * Log1pExp(u)))
	}
	if b == 1 && a > 0 {
		return -float64(a * Log1pExp(-u))
	}
	return incompleteLogit(a, b, u).log
}

// LogIncBetaLogitSlope1 returns ∂/∂a log I_x(a, b).
func LogIncBetaLogitSlope1(a, b, u float64) float64 { return incompleteLogit(a, b, u).logBy }

// LogIncBetaLogitSlope2 returns ∂/∂b log I_x(a, b).
func LogIncBetaLogitSlope2(a, b, u float64) float64 {
	if l := Log1pExp(u); a == 1 && b > 0 && u > -700 && l < math.Inf(1) {
		return l / elementary.Expm1(float64(b*l))
	}
	return incompleteLogit(a, b, u).logOther
}

// LogIncBeta returns log I_x(a, b), for 0 ≤ x ≤ 1.
func LogIncBeta(a, b, x float64) float64 { return LogIncBetaLogit(a, b, Logit(x)) }

// LogBetaDensityLogit returns log(x^a (1−x)^b/B(a, b)) at x = 1/(1 + e⁻ᵘ): what logit x has of a beta distribution. Near its zeros the
// error is relative to 1.
func LogBetaDensityLogit(a, b, u float64) float64 {
	if !(a >= 0 && b >= 0) || a == 0 && b == 0 || math.IsInf(a, 1) || math.IsInf(b, 1) || u != u {
		return math.NaN()
	}
	if a == 0 || b == 0 || math.IsInf(u, 0) {
		return math.Inf(-1)
	}
	s := newBetaScale(a, b, logitOdds(u))
	return s.logDensity()
}

// LogStudentCdf returns the logarithm of the distribution function of Student's t with nu degrees of freedom.
func LogStudentCdf(nu, t float64) float64 {
	switch {
	case !(nu > 0) || math.IsInf(nu, 1) || t != t:
		return math.NaN()
	case math.IsInf(t, 0):
		return min(t, 0)
	case t == 0:
		return -math.Ln2
	}
	p, o := studentOdds(nu, t)
	log := p
	if p == 0 {
		log = incompleteBeta(float64(0.5*nu), 0.5, o).log
	}
	if t < 0 {
		return log - math.Ln2
	}
	return elementary.Log1p(float64(-0.5 * elementary.Exp(log)))
}

// studentOdds returns x = ν/(ν + t²), and where that is nothing beside 1 log I_x(ν/2, ½), which its first term is, instead.
func studentOdds(nu, t float64) (log float64, o odds) {
	w := math.Abs(t) / math.Sqrt(nu)
	if w > 1e10 {
		a := float64(0.5 * nu)
		return -float64(nu*elementary.Log(w)) - (lgammaRise(1, 0.5) - lgammaRise(a, 0.5) + elementary.Log(float64(2*a))), o
	}
	z := float64(w * w)
	if q := float64(t * t); q < nu {
		z = q / nu
	}
	o.x, o.y = 1/(1+z), z/(1+z)
	o.logX, o.logY = -elementary.Log1p(z), float64(2*elementary.Log(w))-elementary.Log1p(z)
	return 0, o
}

// studentFrom is the number of degrees of freedom from which the slope is that at a fixed t in the integrand: the two terms of the chain rule cancel all but 1/ν of it.
const studentFrom = 30

// LogStudentCdfSlope returns ∂/∂ν log F(t), of the distribution function F of Student's t.
func LogStudentCdfSlope(nu, t float64) float64 {
	switch {
	case !(nu > 0) || math.IsInf(nu, 1) || t != t:
		return math.NaN()
	case math.IsInf(t, 0) || t == 0:
		return 0
	}
	a := float64(0.5 * nu)
	log, o := studentOdds(nu, t)
	var slope float64 // of log I
	switch {
	case log != 0:
		slope = 0.5 - (elementary.Log(math.Abs(t)) - float64(0.5*elementary.Log(nu))) - float64(0.5*(1/a-(Digamma(a+0.5)-Digamma(a))))
	case nu < studentFrom:
		i := incompleteBeta(a, 0.5, o)
		s := newBetaScale(a, 0.5, o)
		density := s.logDensity()
		log = i.log
		// dx/dν = xy/ν.
		slope = float64(0.5*i.logBy) + elementary.Exp(density-i.log)/nu
		if math.Abs(t) < 1 {
			slope = fromRest(i, float64(0.5*i.restBy)-elementary.Exp(density-i.rest)/nu)
		}
	case math.Abs(t) >= 1:
		log, slope = studentTail(nu, o)
	default:
		i := incompleteBeta(a, 0.5, o)
		log = i.log
		slope = fromRest(i, studentCentre(nu, t))
	}
	if t < 0 {
		return slope
	}
	p := float64(0.5 * elementary.Exp(log))
	if p == 0 {
		return 0
	}
	return float64(-p*slope) / (1 - p)
}

// fromRest returns the slope of log p by that of log(1 − p).
func fromRest(t tail, rest float64) float64 { return float64(-rest * elementary.Exp(t.rest-t.log)) }

// studentBy returns the slope in ν of the log density of Student's t at s, less what does not depend on s, of q = s²/(ν + s²) and its complement.
func studentBy(nu, q, rest float64) float64 {
	return float64(-0.5*excessLog(-q, rest)) + 0.5*q/nu
}

// studentConstant returns what studentBy leaves out, ½(ψ((ν+1)/2) − ψ(ν/2) − 1/ν), for ν ≥ studentFrom: the series of ψ(x+½) − ψ(x).
func studentConstant(nu float64) float64 {
	z := 4 / float64(nu*nu)
	return float64(0.5 * z * (1./8 + float64(z*(-1./64+float64(z*(1./128+float64(z*(-17./2048+float64(z*(31./2048-float64(z*(691./16384))))))))))))
}

// studentTail returns log I and its slope in ν for |t| ≥ 1.
func studentTail(nu float64, o odds) (log, slope float64) {
	s := newBetaScale(float64(0.5*nu), 0.5, o)
	last := s.end()
	sum, by := 0.0, 0.0
	for n := range nodes {
		v, w := float64(last*nodes[n][0]), nodes[n][1]
		kappa, l, _ := s.exponent(v)
		w = float64(w * elementary.Exp(float64(s.d*v)-float64(s.n*kappa)))
		sum += w
		e := elementary.Exp(-l)
		by += float64(w * studentBy(nu, float64(o.y*e), float64(o.x*e*elementary.Exp(-v))))
	}
	return s.logDensity() + elementary.Log(float64(last*sum)), studentConstant(nu) + by/sum
}

// studentCentre returns the slope in ν of the log probability of (−|t|, |t|), for |t| < 1.
func studentCentre(nu, t float64) float64 {
	sum, by := 0.0, 0.0
	for n := range nodes {
		v, w := float64(math.Abs(t)*nodes[n][0]), nodes[n][1]
		z := float64(v*v) / nu
		w = float64(w * elementary.Exp(float64(float64(-0.5*(nu+1))*elementary.Log1p(z))))
		sum += w
		by += float64(w * studentBy(nu, z/(1+z), 1/(1+z)))
	}
	return studentConstant(nu) + by/sum
}
