package elementary

import "math"

// Atan returns the arc tangent of x, in radians. With c next to |x| among the eighths up to 4,
//
//	atan x = atan c + atan t, t = (|x| − c)/(1 + c |x|);
//
// beyond, c is infinite and t = −1/x.
func Atan(x float64) float64 {
	a := math.Abs(x)
	switch {
	case a < 4:
		k := int(float64(a*8) + 0.5)
		e := &atanTable[k]
		eighths := float64(float64(k) * 0.125)
		t := (a - eighths) / (1 + float64(eighths*a))
		z := float64(t * t)
		c, w := &atanShort, float64(z*z)
		p := (c[0] + float64(z*c[1])) + float64(w*((c[2]+float64(z*c[3]))+float64(w*(c[4]+float64(z*c[5])))))
		s, rest := fastSum(e[0], t)
		return math.Copysign(s+(rest+(e[1]+float64(float64(t*z)*p))), x)
	case a <= math.MaxFloat64:
		t := -1 / a
		z := float64(t * t)
		s, rest := fastSum(halfPiRounded, t)
		return math.Copysign(s+(rest+(halfPiRoundedLow+float64(float64(t*z)*horner(atanSeries[:], z)))), x)
	case x != x:
		return x
	}
	return math.Copysign(math.Pi/2, x)
}
