package elementary

import (
	"math"
	"math/bits"
)

// Sin returns the sine of x, in radians.
func Sin(x float64) float64 {
	if a := math.Abs(x); a <= math.Pi/4 {
		if a < 0x1p-27 {
			return x // −0, and what x² would lose
		}
		z := float64(x * x)
		return x + float64(float64(x*z)*sinRest(z))
	}
	r, rest, quadrant := reduce(x)
	if quadrant&1 == 1 {
		return turned(cosKernel(r, rest), quadrant)
	}
	return turned(sinKernel(r, rest), quadrant)
}

// Cos returns the cosine of x, in radians.
func Cos(x float64) float64 {
	r, rest, quadrant := reduce(x)
	if quadrant&1 == 0 {
		return turned(cosKernel(r, rest), quadrant)
	}
	return turned(sinKernel(r, rest), quadrant+1)
}

// Sincos returns the sine and the cosine of x, in radians.
func Sincos(x float64) (sin, cos float64) {
	if math.Abs(x) <= math.Pi/4 {
		return Sin(x), cosKernel(x, 0)
	}
	r, rest, quadrant := reduce(x)
	sin, cos = sinKernel(r, rest), cosKernel(r, rest)
	if quadrant&1 == 1 {
		return turned(cos, quadrant), turned(sin, quadrant+1)
	}
	return turned(sin, quadrant), turned(cos, quadrant)
}

// turned returns v, or −v in the third and fourth quadrant.
func turned(v float64, quadrant uint64) float64 {
	return math.Float64frombits(math.Float64bits(v) ^ quadrant>>1<<63)
}

// sinKernel returns sin(r + rest), |r| ≤ π/4, where rest is at most an ulp of r.
func sinKernel(r, rest float64) float64 {
	z := float64(r * r)
	return r + (float64(float64(r*z)*sinRest(z)) + float64(rest*(1-float64(0.5*z))))
}

// sinRest returns (sin r − r)/r³ for z = r².
func sinRest(z float64) float64 {
	c := &sinSeries
	w := float64(z * z)
	return (c[0] + float64(z*c[1])) + float64(w*((c[2]+float64(z*c[3]))+float64(w*(c[4]+float64(z*c[5])))))
}

// cosKernel returns cos(r + rest), |r| ≤ π/4.
func cosKernel(r, rest float64) float64 {
	z := float64(r * r)
	h := float64(0.5 * z)
	u := 1 - h
	return u + (((1 - u) - h) + (float64(float64(z*z)*cosRest(z)) - float64(r*rest)))
}

// cosRest returns (cos r − 1 + r²/2)/r⁴ for z = r².
func cosRest(z float64) float64 {
	c := &cosSeries
	w := float64(z * z)
	return (c[0] + float64(z*c[1])) + float64(w*((c[2]+float64(z*c[3]))+float64(w*(c[4]+float64(z*c[5])))))
}

// Tan returns the tangent of x, in radians: the quotient of sine and cosine, which is corrected for their
// rounding.
func Tan(x float64) float64 {
	r, rest, quadrant := reduce(x)
	if math.Abs(x) < 0x1p-27 {
		return x // −0, and what x² would lose
	}
	z := float64(r * r)
	s, sLow := fastSum(r, float64(float64(r*z)*sinRest(z))+float64(rest*(1-float64(0.5*z))))
	h := float64(0.5 * z)
	c, cLow := fastSum(1, -h)
	c, cLow = fastSum(c, cLow+(float64(float64(z*z)*cosRest(z))-float64(r*rest)))
	if quadrant&1 == 1 {
		s, sLow, c, cLow = -c, -cLow, s, sLow
	}
	q := s / c
	return q + float64((sLow-float64(q*cLow))*(1/c))
}

// reduce returns r + rest = x − n π/2, |r| ≤ π/4, and n mod 4; r is NaN for an infinite x.
func reduce(x float64) (r, rest float64, quadrant uint64) {
	a := math.Abs(x)
	switch {
	case a <= math.Pi/4:
		return x, 0, 0
	case a < 0x1p20:
		return reduceMedium(x)
	case a <= math.MaxFloat64:
		r, rest, quadrant = reduceLarge(a)
		if x < 0 {
			return -r, -rest, -quadrant & 3
		}
		return r, rest, quadrant
	}
	return math.NaN(), 0, 0
}

// reduceMedium is reduce for |x| < 2²⁰, by parts of π/2 (Cody & Waite).
func reduceMedium(x float64) (r, rest float64, quadrant uint64) {
	const shift = 0x1.8p52 // rounds to integers
	t := float64(x*twoOverPi) + shift
	n := t - shift
	quadrant = math.Float64bits(t) & 3
	a := x - float64(n*halfPi) // exact
	b := float64(n * halfPiSecond)
	if r = a - b; math.Abs(r) > 0x1p-10 {
		// What the second part lacks is below 2⁻⁶⁵.
		return r, (a - r) - b, quadrant
	}
	r, e1 := twoSum(a, -float64(n*halfPiLow))
	r, e2 := twoSum(r, -float64(n*halfPiLeast))
	r, rest = fastSum(r, (e1+e2)-float64(n*halfPiLast))
	return r, rest, quadrant
}

// halfPiSecond is π/2 − halfPi, rounded.
const halfPiSecond = halfPiLow + halfPiLeast

// reduceLarge is reduce for x ≥ 1 (Payne & Hanek, ACM SIGNUM Newsletter 18, 1983): of the product of x
// and 2/π, only the bits around the point are formed, as integers.
func reduceLarge(x float64) (r, rest float64, quadrant uint64) {
	b := math.Float64bits(x)
	m := b&(1<<52-1) | 1<<52
	e := int(b>>52) - 1075 // x = m 2ᵉ

	// Of 2/π, bits of weight above 2²⁻ᵉ make multiples of 4 and are left out; 192 are taken.
	start := e + 62 // the words begin with 64 zeros
	word, bit := start/64, uint(start%64)
	var f [3]uint64
	for i := range f {
		f[i] = twoOverPiWords[word+i]<<bit | twoOverPiWords[word+i+1]>>(64-bit)
	}
	// The product modulo 2¹⁹² is x·2/π modulo 4, in units of 2⁻¹⁹⁰, up to 2⁵³ of them.
	h2, p2 := bits.Mul64(m, f[2])
	h1, p1 := bits.Mul64(m, f[1])
	p0 := m * f[0]
	p1, carry := bits.Add64(p1, h2, 0)
	p0, _ = bits.Add64(p0, h1, carry)

	quadrant = p0 >> 62
	p0, p1, p2 = p0<<2|p1>>62, p1<<2|p2>>62, p2<<2
	sign := 1.0
	if p0>>63 == 1 { // more than half: it lacks something to the next quadrant
		quadrant = (quadrant + 1) & 3
		sign = -1
		var borrow uint64
		p2, borrow = bits.Sub64(0, p2, 0)
		p1, borrow = bits.Sub64(0, p1, borrow)
		p0, _ = bits.Sub64(0, p0, borrow)
	}
	// No float64 is so near a multiple of π/2 that the first word is zero and the second too.
	zeros := uint(bits.LeadingZeros64(p0))
	if zeros == 64 {
		p0, p1, p2 = p1, p2, 0
		zeros += uint(bits.LeadingZeros64(p0))
	}
	s := zeros % 64
	p0, p1 = p0<<s|p1>>(64-s), p1<<s|p2>>(64-s)
	unit := float64(sign * math.Float64frombits(uint64(1023-53-int(zeros))<<52))
	hi := float64(float64(p0>>11) * unit)
	lo := float64(float64((p0<<53|p1>>11)>>11) * float64(unit*0x1p-53))
	r, rest = twoProduct(hi, halfPiRounded)
	r, rest = fastSum(r, rest+(float64(hi*halfPiRoundedLow)+float64(lo*halfPiRounded)))
	return r, rest, quadrant
}
