package elementary

import "math"

// Atan returns the arc tangent of x, in radians. With c next to |x| among the eighths up to 4,
//
//	atan x = atan c + atan t, t = (|x| − c)/(1 + c |x|);
//
// beyond, c is infinite and t = −1/x.
func Atan(x float64) float64 {
	a := math.Abs(x)
	var t, c, low float64
	switch {
	case a < 4:
		k := int(float64(a*8) + 0.5)
		e := &atanTable[k]
		eighths := float64(float64(k) * 0.125)
		t = (a - eighths) / (1 + float64(eighths*a))
		c, low = e[0], e[1]
	case a <= math.MaxFloat64:
		t = -1 / a
		c, low = halfPiRounded, halfPiRoundedLow
	case x != x:
		return x
	default:
		return math.Copysign(math.Pi/2, x)
	}
	z := float64(t * t)
	s, rest := fastSum(c, t)
	return math.Copysign(s+(rest+(low+float64(float64(t*z)*atanRest(z)))), x)
}

// atanRest returns (atan x − x)/x³ for z = x².
func atanRest(z float64) float64 {
	c := &atanSeries
	w := float64(z * z)
	v := float64(w * w)
	lower := (c[0] + float64(z*c[1])) + float64(w*(c[2]+float64(z*c[3])))
	upper := (c[4] + float64(z*c[5])) + float64(w*(c[6]+float64(z*c[7])))
	return lower + float64(v*(upper+float64(v*c[8])))
}
