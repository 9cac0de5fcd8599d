package special

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// The density of the time u at which a Brownian motion that begins at w, between two boundaries at 0 and 1, first leaves, and does so at 0, has
// two series (Feller 1968; Navarro and Fuss 2009, J. Math. Psychol. 53, eq. 5 and 6),
//
//	f(u, w) = (2πu³)^{-½} Σₖ (w + 2k) exp(−(w + 2k)²/(2u)),   k = …, −1, 0, 1, …
//	        = π Σₖ k exp(−k²π²u/2) sin(kπw),                   k = 1, 2, …
//
// of which the first has few terms for small u, the second for large u. Derivatives of log f are expectations and covariances over the terms, with their
// shares of the sum as weights. They are taken of differences from those of the leading term, so that nothing large cancels. As w nears 0 or 1
// the terms themselves do: the error is then some 1e-16/(w(1 − w)), beside 1/w of a derivative by w.
const passageFrom = 0.15

// passage holds log f and its derivatives.
type passage struct{ log, u, w, uu, uw, ww float64 }

// firstPassage returns log f(u, w) with its derivatives up to the second order: −Inf for u ≤ 0, NaN for w outside (0, 1).
func firstPassage(u, w float64) passage {
	switch nan := math.NaN(); {
	case !(w > 0 && w < 1) || math.IsNaN(u):
		return passage{nan, nan, nan, nan, nan, nan}
	case u <= 0 || math.IsInf(u, 1):
		return passage{log: math.Inf(-1)}
	case u < passageFrom:
		return passageEarly(u, w)
	}
	return passageLate(u, w)
}

func passageEarly(u, w float64) passage {
	// Shares are of w, and divided by their sum at last; all but the leading one.
	var sum, place, inverse, square, byU, byW, byUU, byUW, byWW float64
	for n := 1.0; 2*n*(n-w) <= decay*u; n++ {
		for _, k := range [...]float64{-n, n} { // both: for small w they cancel but for a little
			gap := 2 * float64(k*(k+w)) / u // of the exponents
			z := w + float64(2*k)
			p := float64(z / w * elementary.Exp(-gap))
			du := gap / u
			dw := -float64(2*k)/float64(z*w) - float64(2*k)/u
			sum += p
			place += float64(p * 2 * k)
			inverse += float64(p * (1/float64(z*z) - 1/float64(w*w)))
			square += float64(p * 4 * float64(k*(k+w)))
			byU += float64(p * du)
			byW += float64(p * dw)
			byUU += float64(p * float64(du*du))
			byUW += float64(p * float64(du*dw))
			byWW += float64(p * float64(dw*dw))
		}
	}
	all := 1 + sum
	mu, mw := byU/all, byW/all
	ww := float64(w * w)
	return passage{
		log: elementary.Log(w) + elementary.Log1p(sum) - float64(0.5*logTwoPi) - float64(1.5*elementary.Log(u)) - ww/float64(2*u),
		u:   (ww/float64(2*u)-1.5)/u + mu,
		w:   1/w - w/u + mw,
		uu:  (1.5-(ww+square/all)/u)/float64(u*u) + byUU/all - float64(mu*mu),
		uw:  (w+place/all)/float64(u*u) + byUW/all - float64(mu*mw),
		ww:  -1/ww - inverse/all - 1/u + byWW/all - float64(mw*mw),
	}
}

func passageLate(u, w float64) passage {
	const half = math.Pi * math.Pi / 2
	first, cosine := elementary.Sin(float64(math.Pi*w)), elementary.Cos(float64(math.Pi*w))
	sum, slope, bend := first, float64(math.Pi*cosine), -float64(first*math.Pi*math.Pi)
	var byU, byUU, byUW float64
	// From one k to the next: sin kπw and cos kπw, and exp(−(k²−1)π²u/2) with the ratio to the next.
	s, c, before, beforeC := first, cosine, 0.0, 1.0
	e, ratio, fall := 1.0, elementary.Exp(-float64(3*half*u)), elementary.Exp(-float64(2*half*u))
	for k := 2.0; float64(half*(float64(k*k)-1)*u) <= decay; k++ {
		s, before = float64(2*cosine*s)-before, s
		c, beforeC = float64(2*cosine*c)-beforeC, c
		e = float64(e * ratio)
		ratio = float64(ratio * fall)
		gap, turn := float64(half*(float64(k*k)-1)), float64(k*math.Pi)
		term, by := float64(k*e*s), float64(k*e*turn*c)
		sum += term
		slope += by
		bend -= float64(term * turn * turn)
		byU -= float64(term * gap)
		byUU += float64(term * float64(gap*gap))
		byUW -= float64(by * gap)
	}
	mu, mw := byU/sum, slope/sum
	return passage{
		log: elementary.Log(sum) + logPi - float64(half*u),
		u:   -half + mu,
		w:   mw,
		uu:  byUU/sum - float64(mu*mu),
		uw:  byUW/sum - float64(mu*mw),
		ww:  bend/sum - float64(mw*mw),
	}
}

// logPi is log π.
const logPi = 1.14472988584940017414

// LogFirstPassage returns log f(u, w), of the time u > 0 at which a Brownian motion from w, between 0 and 1, leaves the unit interval at 0. That is
// a density over u with the mass 1 − w. It is −Inf for u ≤ 0.
func LogFirstPassage(u, w float64) float64 { return firstPassage(u, w).log }

// LogFirstPassageSlope1 returns ∂/∂u log f(u, w).
func LogFirstPassageSlope1(u, w float64) float64 { return firstPassage(u, w).u }

// LogFirstPassageSlope2 returns ∂/∂w log f(u, w).
func LogFirstPassageSlope2(u, w float64) float64 { return firstPassage(u, w).w }

// LogFirstPassageCurvature11 returns ∂²/∂u² log f(u, w).
func LogFirstPassageCurvature11(u, w float64) float64 { return firstPassage(u, w).uu }

// LogFirstPassageCurvature12 returns ∂²/∂u∂w log f(u, w).
func LogFirstPassageCurvature12(u, w float64) float64 { return firstPassage(u, w).uw }

// LogFirstPassageCurvature22 returns ∂²/∂w² log f(u, w).
func LogFirstPassageCurvature22(u, w float64) float64 { return firstPassage(u, w).ww }
