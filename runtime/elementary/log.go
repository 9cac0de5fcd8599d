package elementary

import "math"

// The logarithms follow Tang (ACM Transactions on Mathematical Software 16, 1990): x = 2ᵏ m with
// √½ ≤ m < √2, and with 1/c short and near 1/m, from a table,
//
//	log x = k log 2 + log c + log(1 + r), r = m/c − 1.
//
// The product m/c is exact in two halves of m, and k log 2 + log c in the first parts of both. Near 1 c is
// 1, so that nothing cancels.

// logEntry is an entry of logTable.
type logEntry struct{ inverse, log, low float64 }

// sqrtHalf are the bits of √½.
const sqrtHalf = 0x3fe6a09e_667f3bcd

// logParts takes a positive normal number of these bits apart: k, the entry of c, and r + rest.
func logParts(b uint64) (k float64, e *logEntry, r, rest float64) {
	b -= sqrtHalf
	k = float64(int64(b) >> 52)
	e = &logTable[b>>45&127]
	b = b&(1<<52-1) + sqrtHalf
	m := math.Float64frombits(b)
	mh := math.Float64frombits(b &^ (1<<24 - 1))
	d, dRest := float64(mh*e.inverse)-1, float64((m-mh)*e.inverse)
	r = d + dRest
	return k, e, r, dRest - (r - d)
}

// logJoin returns k log 2 + log c + log(1 + r + rest) as its first digits and others.
func logJoin(k float64, e *logEntry, r, rest float64) (s, low float64) {
	w := float64(r * r)
	p := (-1./2 + float64(r*(1./3))) + float64(w*((-1./4+float64(r*(1./5)))+float64(w*((-1./6+float64(r*(1./7)))+float64(w*(-1./8+float64(r*(1./9))))))))
	t := float64(k*ln2) + e.log
	s = t + r
	return s, ((r - (s - t)) + (rest + (float64(k*ln2Low) + e.low))) + float64(w*p)
}

// Log returns the natural logarithm of x.
func Log(x float64) float64 {
	b := math.Float64bits(x)
	if b-1<<52 >= 0x7fe<<52 {
		return logSpecial(x)
	}
	s, low := logJoin(logParts(b))
	return s + low
}

// logSpecial is Log of what is not a positive normal number.
func logSpecial(x float64) float64 {
	switch {
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case !(x < 0x1p-1022):
		return x // NaN, +Inf
	}
	k, e, r, rest := logParts(math.Float64bits(float64(x * 0x1p54)))
	s, low := logJoin(k-54, e, r, rest)
	return s + low
}

// Log1p returns log(1 + x), also for small x.
func Log1p(x float64) float64 {
	a := math.Abs(x)
	switch {
	case !(x > -1 && x < 0x1p60):
		if x < -1 || x != x {
			return math.NaN()
		}
		return Log(1 + x) // 1 is nothing beside x; −1, +Inf
	case a < 0x1p-54:
		return x // −0
	}
	// u + c = 1 + x (Knuth), and log(u + c) = log u + c/u, to second order in r.
	u := 1 + x
	v := u - 1
	c := (1 - (u - v)) + (x - v)
	b := math.Float64bits(u)
	k, e, r, rest := logParts(b)
	scale := math.Float64frombits(uint64(1023-int64(k)) << 52)
	s, low := logJoin(k, e, r, rest+float64(float64(float64(c*scale)*e.inverse)*(1-r)))
	return s + low
}

// logPair returns log x for a positive, finite x as a sum of two numbers, to some 2⁻⁶⁸ of the
// result.
func logPair(x float64) (hi, lo float64) {
	b, shift := math.Float64bits(x), 0.0
	if b < 1<<52 {
		b, shift = math.Float64bits(float64(x*0x1p54)), 54
	}
	k, e, r, rest := logParts(b)
	k -= shift
	// log(1+r) = r − r²/2 + r³(⅓ − …); of the square, the part of head(r) is exact.
	rh := head(r)
	w := float64(r * r)
	square := float64(-0.5 * float64(rh*rh))
	squareRest := float64(float64(-0.5*(r-rh))*(r+rh)) - float64(r*rest)
	p := (1./3 - float64(r*(1./4))) + float64(w*((1./5-float64(r*(1./6)))+float64(w*((1./7-float64(r*(1./8)))+float64(w*(1./9-float64(r*(1./10))))))))

	s, s1 := twoSum(float64(k*ln2)+e.log, r)
	s, s2 := fastSum(s, square)
	low := (s1 + s2) + (rest + squareRest + (float64(k*ln2Low) + e.low)) + float64(float64(w*r)*p)
	return fastSum(s, low)
}

// Log10 returns the decimal logarithm of x.
func Log10(x float64) float64 {
	b, shift := math.Float64bits(x), 0.0
	if b-1<<52 >= 0x7fe<<52 {
		if !(x > 0 && x < 0x1p-1022) {
			return logSpecial(x)
		}
		b, shift = math.Float64bits(float64(x*0x1p54)), 54
	}
	k, e, r, rest := logParts(b)
	s, low := logJoin(k-shift, e, r, rest)
	h := head(s)
	return float64(h*log10E) + (float64((s-h)*log10E) + (float64(s*log10ELow) + float64(low*(log10E+log10ELow))))
}
