package elementary

import (
	"math"
	"math/bits"
)

// Sin returns the sine of x radians, for any finite x; it is NaN for ±Inf.
func Sin(x float64) float64 {
	if math.Abs(x) < quarter {
		if math.Abs(x) < 0x1p-27 {
			return x
		}
		return sine(x, 0)
	}
	n, r, l := reduce(x)
	return quadrant(n, r, l)
}

// Cos returns the cosine of x radians, for any finite x; it is NaN for ±Inf.
func Cos(x float64) float64 {
	if math.Abs(x) < quarter {
		return cosine(x, 0)
	}
	n, r, l := reduce(x)
	return quadrant(n+1, r, l)
}

// Sincos returns Sin(x), Cos(x).
func Sincos(x float64) (sin, cos float64) { return Sin(x), Cos(x) }

// Tan returns the tangent of x radians, for any finite x; it is NaN for ±Inf.
func Tan(x float64) float64 {
	if math.Abs(x) < 0x1p-27 {
		return x
	}
	var n uint64
	r, l := x, 0.0
	if !(math.Abs(x) < quarter) {
		n, r, l = reduce(x)
	}
	s, sl := sineParts(r, l)
	c, cl := cosineParts(r, l)
	if n&1 == 1 {
		s, sl, c, cl = c, cl, -s, -sl
	}
	q := s / c
	return q + ((math.FMA(-q, c, s)+sl)-float64(q*cl))/c
}

// quarter is π/4.
const quarter = 0.7853981633974483

// quadrant returns the sine of n π/2 + r + l.
func quadrant(n uint64, r, l float64) float64 {
	var v float64
	if n&1 == 0 {
		v = sine(r, l)
	} else {
		v = cosine(r, l)
	}
	if n&2 != 0 {
		return -v
	}
	return v
}

// sine returns sin(r + l) for |r| ≤ π/4 and |l| below an ulp of r.
func sine(r, l float64) float64 {
	z := float64(r * r)
	return r + (float64(float64(z*r)*sineRest(z)) + (l - float64(0.5*z*l)))
}

// sineParts is sine in two parts.
func sineParts(r, l float64) (s, low float64) {
	z := float64(r * r)
	t := float64(float64(z*r)*sineRest(z)) + (l - float64(0.5*z*l))
	s = r + t
	return s, (r - s) + t
}

// cosine returns cos(r + l) for |r| ≤ π/4 and |l| below an ulp of r.
func cosine(r, l float64) float64 {
	z := float64(r * r)
	h := float64(0.5 * z)
	w := 1 - h
	return w + (((1 - w) - h) + (float64(float64(z*z)*cosineRest(z)) - float64(r*l)))
}

// cosineParts is cosine in two parts.
func cosineParts(r, l float64) (c, low float64) {
	z := float64(r * r)
	h := float64(0.5 * z)
	w := 1 - h
	t := ((1 - w) - h) + (float64(float64(z*z)*cosineRest(z)) - float64(r*l))
	// The error of z, which a sine of the same size would not forgive.
	t -= float64(0.5 * math.FMA(r, r, -z))
	c = w + t
	return c, (w - c) + t
}

// sineRest returns (sin r − r)/r³ for z = r² ≤ (π/4)², by its series.
func sineRest(z float64) float64 {
	w := float64(z * z)
	even := -1.0/6 + float64(w*(-1.0/5040+float64(w*(-1.0/39916800+float64(w*(-1.0/1307674368000))))))
	odd := 1.0/120 + float64(w*(1.0/362880+float64(w*(1.0/6227020800+float64(w*(1.0/355687428096000))))))
	return even + float64(z*odd)
}

// cosineRest returns (cos r − 1 + r²/2)/r⁴ for z = r² ≤ (π/4)², by its series.
func cosineRest(z float64) float64 {
	w := float64(z * z)
	even := 1.0/24 + float64(w*(1.0/40320+float64(w*(1.0/479001600+float64(w*(1.0/20922789888000))))))
	odd := -1.0/720 + float64(w*(-1.0/3628800+float64(w*(-1.0/87178291200+float64(w*(-1.0/6402373705728000))))))
	return even + float64(z*odd)
}

// π/2 in parts; all but the last have 33 bits, so that their products with an
// integer below 2²⁰ are exact.
const (
	half1 = 0x1.921fb544p+0
	half2 = 0x1.0b4611a6p-34
	half3 = 0x1.3198a2ep-69
	half4 = 0x1.b839a252049c1p-104
)

// reduce returns n, r and l with x = n π/2 + r + l modulo 2π, |r| ≤ π/4 but for a
// rounding and |l| below an ulp of r. The result is NaN for ±Inf and NaN.
//
// Below 2¹⁹ it is the reduction of Cody and Waite (Software Manual for the Elementary
// Functions, 1980) with four parts of π/2; above, that of Payne and Hanek (ACM
// SIGNUM Newsletter 18, 1983) in integers.
func reduce(x float64) (n uint64, r, l float64) {
	if !(math.Abs(x) < 0x1p19) {
		if x-x != 0 {
			return 0, math.NaN(), 0
		}
		n, r, l = reduceLarge(math.Abs(x))
		if x < 0 {
			return -n, -r, -l
		}
		return n, r, l
	}
	const shift = 0x1.8p52
	t := float64(x*(2/math.Pi)) + shift
	k := t - shift
	n = math.Float64bits(t)
	a := x - float64(k*half1) // exact
	b := float64(k * half2)
	r, l = twoDifference(a, b)
	c := float64(k * half3)
	r2, l2 := twoDifference(r, c)
	l2 += l - float64(k*half4)
	r = r2 + l2
	return n, r, (r2 - r) + l2
}

// twoDifference returns a − b in two parts (Knuth).
func twoDifference(a, b float64) (d, e float64) {
	d = a - b
	t := d - a
	return d, (a - (d - t)) - (b + t)
}

// reduceLarge is reduce for finite x ≥ 2¹⁹: with x = m 2ᵉ, the bits of m · 2ᵉ · 2/π from 2¹
// downwards, 192 of them.
func reduceLarge(x float64) (n uint64, r, l float64) {
	b := math.Float64bits(x)
	e := int(b>>52) - 1075
	m := b&(1<<52-1) | 1<<52
	// The words of 2/π that matter: all bits above 2^(1−e) give multiples of 4.
	at := max(0, e-2) // number of leading bits of 2/π to leave out: their product is a multiple of 4
	word, bit := at/64, uint(at%64)
	var w [4]uint64
	for i := range w {
		w[i] = twoOverPi[word+i] << bit
		if bit > 0 {
			w[i] |= twoOverPi[word+i+1] >> (64 - bit)
		}
	}
	// w/2²⁵⁶ is 2/π·2^at modulo 1, hence m·w·2^(e−at−256) the product modulo 4.
	var p [4]uint64 // m·w modulo 2²⁵⁶, highest word first
	var carry uint64
	for i := 3; i >= 0; i-- {
		hi, lo := bits.Mul64(m, w[i])
		lo, c := bits.Add64(lo, carry, 0)
		p[i], carry = lo, hi+c
	}
	// carry·2²⁵⁶ + p, times 2^(e−at−256): the point stands after bit 256 − (e−at).
	s := e - at // 2 or less
	v := shiftLeft([5]uint64{carry, p[0], p[1], p[2], p[3]}, s)
	n = v[0]
	f := [3]uint64{v[1], v[2], v[3]}
	negative := f[0]>>63 == 1
	if negative {
		n++
		var c uint64
		f[2], c = bits.Add64(^f[2], 1, 0)
		f[1], c = bits.Add64(^f[1], 0, c)
		f[0], _ = bits.Add64(^f[0], 0, c)
	}
	r, l = fraction(f)
	if negative {
		return n, -r, -l
	}
	return n, r, l
}

// shiftLeft returns v times 2ˢ for −33 ≤ s ≤ 2, less what overflows.
func shiftLeft(v [5]uint64, s int) [5]uint64 {
	var out [5]uint64
	for i := range v {
		if s >= 0 {
			out[i] = v[i] << s
			if i+1 < len(v) && s > 0 {
				out[i] |= v[i+1] >> (64 - s)
			}
			continue
		}
		out[i] = v[i] >> -s
		if i > 0 {
			out[i] |= v[i-1] << (64 + s)
		}
	}
	return out
}

// fraction returns f/2¹⁹² π/2 in two parts.
func fraction(f [3]uint64) (r, l float64) {
	zeros := 0
	for f[0] == 0 && zeros < 128 {
		f, zeros = [3]uint64{f[1], f[2], 0}, zeros+64
	}
	if k := bits.LeadingZeros64(f[0]); k > 0 && k < 64 {
		f[0] = f[0]<<k | f[1]>>(64-k)
		f[1] = f[1]<<k | f[2]>>(64-k)
		zeros += k
	}
	hi := math.Ldexp(float64(f[0]>>11), -53-zeros)
	lo := math.Ldexp(float64((f[0]&(1<<11-1))<<42|f[1]>>22), -106-zeros)
	// (hi + lo) π/2
	const p, q = 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54
	a := float64(hi * p)
	b := math.FMA(hi, p, -a) + (float64(hi*q) + float64(lo*p))
	r = a + b
	return r, (a - r) + b
}

// Atan returns the arctangent of x in radians: atan(i/16) from a table and the
// series of atan((x − i/16)/(1 + x i/16)). Above 1 it is π/2 − atan(1/x).
func Atan(x float64) float64 {
	a := math.Abs(x)
	switch {
	case !(a > 0x1p-27):
		return x
	case a > 0x1p60:
		if a != a {
			return x
		}
		return math.Copysign(math.Pi/2, x)
	case a <= 1:
		h, l := atanParts(a, 1)
		return math.Copysign(h+l, x)
	}
	h, l := atanParts(1, a)
	const low = 0x1.1a62633145c07p-54 // π/2 − math.Pi/2
	return math.Copysign(math.Pi/2-h+(low-l+((math.Pi/2-(math.Pi/2-h))-h)), x)
}

// atanParts returns atan(y/x) in two parts, for 0 < y ≤ x.
func atanParts(y, x float64) (h, l float64) {
	i := int(float64(16*(y/x)) + 0.5)
	c := float64(float64(i) / 16)
	n, d := y-float64(c*x), x+float64(c*y)
	ne, de := math.FMA(-c, x, y-n), 0.0 // n + ne = y − c x
	de = (x - d) + float64(c*y)
	t := n / d
	e := (math.FMA(-t, d, n) + ne - float64(t*de)) / d
	z := float64(t * t)
	p := -1.0/3 + float64(z*(1.0/5+float64(z*(-1.0/7+float64(z*(1.0/9+float64(z*(-1.0/11+float64(z*(1.0/13))))))))))
	rest := atanTable[i][1] + (e + float64(float64(t*z)*p))
	base := atanTable[i][0]
	s := base + t
	return s, ((base - s) + t) + rest
}
