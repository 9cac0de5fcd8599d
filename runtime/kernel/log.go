package kernel

import "math"

// Log sets dst_i = log(a_i) for i < len(dst). The error is below 1 ulp;
// log(0) = −Inf, log(+Inf) = +Inf, and the log of a negative number or NaN is
// NaN. dst and a may be the same slice.
func Log(dst, a []float64) { elementwise(logarithm, dst, a) }

// Log1p sets dst_i = log(1 + a_i) for i < len(dst). The error is below 1 ulp,
// however small a_i is; log1p(±0) = ±0, log1p(−1) = −Inf, log1p(+Inf) = +Inf,
// and the result is NaN for a_i < −1 and NaN. dst and a may be the same slice.
func Log1p(dst, a []float64) { elementwise(logOnePlus, dst, a) }

// log returns the natural logarithm of a. Its method is that of FreeBSD's
// e_log.c (Sun Microsystems 1993): a = 2ᵏ(1+f) with √½ ≤ 1+f < √2, and with
// s = f/(2+f),
//
//	log(1+f) = f − h + s (h + R(s²)), h = f²/2.
func log(a float64) float64 {
	var scaled uint64
	if !logPlain(a) {
		switch {
		case a < 0:
			return math.NaN()
		case a == 0:
			return math.Inf(-1)
		case !(a < 0x1p-1022):
			return a // NaN, +Inf
		}
		a = float64(a * (0x1p54))
		scaled = 54
	}
	f, e := logReduce(a)
	k := unbias(e - scaled)
	s := f / (2 + f)
	h := float64(0.5 * f * f)
	p := float64(s * (h + logRest(float64(s*s))))
	return float64(k*ln2Hi) - ((h - (p + float64(k*ln2Lo))) - f)
}

// logPlain reports whether a is positive, normal and finite.
func logPlain(a float64) bool { return math.Float64bits(a)-1<<52 < 0x7fe<<52 }

const (
	sqrtHalf = 0x3fe6a09e_667f3bcd // bits of √½
	mantissa = 1<<52 - 1           // the fraction's bits
)

// logReduce returns f and e with a = 2ᵏ(1+f), √½ ≤ 1+f < √2 and e = k + 1023,
// for a positive normal number a.
func logReduce(a float64) (f float64, e uint64) {
	b := math.Float64bits(a) + (1023<<52 - sqrtHalf)
	return math.Float64frombits(b&mantissa+sqrtHalf) - 1, b >> 52
}

// unbias returns k = e − 1023.
func unbias(e uint64) (k float64) { return float64(int64(e) - 1023) }

// Coefficients of R.
const (
	logR1 = 0.6666666666666735130
	logR2 = 0.3999999999940941908
	logR3 = 0.2857142874366239149
	logR4 = 0.2222219843214978396
	logR5 = 0.1818357216161805012
	logR6 = 0.1531383769920937332
	logR7 = 0.1479819860511658591
)

// logRest returns R(z) = (log(1+s) − log(1−s))/s − 2, for z = s² ≤ 0.0295.
func logRest(z float64) float64 {
	w := float64(z * z)
	t1 := float64(w * (logR2 + float64(w*(logR4+float64(w*logR6)))))
	t2 := float64(z * (logR1 + float64(w*(logR3+float64(w*(logR5+float64(w*logR7)))))))
	return t1 + t2
}

// logBlock is log of a plain block.
func logBlock(dst, a []float64, s *scratch) bool {
	fs, ss, es := s.x[:len(a)], s.y[:len(a)], s.bits[:len(a)]
	for i, v := range a {
		if !logPlain(v) {
			return false
		}
		f, e := logReduce(v)
		fs[i], ss[i], es[i] = f, f/(2+f), e
	}
	dst, ss, es = dst[:len(fs)], ss[:len(fs)], es[:len(fs)]
	for i, f := range fs {
		s, k := ss[i], unbias(es[i])
		h := float64(0.5 * f * f)
		p := float64(s * (h + logRest(float64(s*s))))
		dst[i] = float64(k*ln2Hi) - ((h - (p + float64(k*ln2Lo))) - f)
	}
	return true
}

// log1p returns log(1 + a).
func log1p(a float64) float64 {
	if !log1pPlain(a) {
		switch {
		case a < -1:
			return math.NaN()
		case a == -1:
			return math.Inf(-1)
		}
		return log(a) // 1 is nothing beside it; NaN
	}
	u, c := onePlus(a)
	return math.Copysign(logSum(u, c), a) // for −0
}

// log1pPlain reports whether −1 < a ≤ 2¹⁰²³.
func log1pPlain(a float64) bool { return a > -1 && a <= 0x1p1023 }

// onePlus returns u + c = 1 + a without error, u being 1 + a rounded (Knuth).
func onePlus(a float64) (u, c float64) {
	u = 1 + a
	b := u - 1
	return u, (1 - (u - b)) + (a - b)
}

// logSum returns log(u + c) for 2⁻⁵³ ≤ u ≤ 2¹⁰²³ and |c| below an ulp of u, as
// log(u) + c/u. A small result may be all c; then u is almost 1. For others
// c/u is needed to a hundredth only, see reciprocal.
func logSum(u, c float64) float64 {
	f, e := logReduce(u)
	k := unbias(e)
	s := f / (2 + f)
	h := float64(0.5 * f * f)
	c = float64(float64(c*unscale(e)) * reciprocal(s))
	p := float64(s * (h + logRest(float64(s*s))))
	return float64(k*ln2Hi) - ((h - (p + (float64(k*ln2Lo) + c))) - f)
}

// unscale returns 2⁻ᵏ, but 0 for 2⁻¹⁰²³, where e = k + 1023.
func unscale(e uint64) float64 { return math.Float64frombits((2046 - e) << 52) }

// reciprocal returns 1/(1+f) = (1−s)²/(1−s²) ≈ (1−s)²(1+s²), for s = f/(2+f).
// It is exact for s = 0, and within 0.0009 of 1/(1+f) for √½ ≤ 1+f ≤ √2.
func reciprocal(s float64) float64 {
	return float64(float64((1-s)*(1-s)) * (1 + float64(s*s)))
}

// log1pBlock is log1p of a plain block.
func log1pBlock(dst, a []float64, s *scratch) bool {
	us, cs := s.x[:len(a)], s.y[:len(a)]
	for i, v := range a {
		if !log1pPlain(v) {
			return false
		}
		us[i], cs[i] = onePlus(v)
	}
	logSums(us, cs, s)
	dst = dst[:len(a)]
	for i, v := range a {
		dst[i] = math.Copysign(us[i], v)
	}
	return true
}

// logSums replaces u_i by log(u_i + c_i). It uses s.z and s.bits.
func logSums(u, c []float64, s *scratch) {
	c, ss, es := c[:len(u)], s.z[:len(u)], s.bits[:len(u)]
	for i, v := range u {
		f, e := logReduce(v)
		u[i], ss[i], es[i] = f, f/(2+f), e
		c[i] = float64(c[i] * (unscale(e)))
	}
	for i, f := range u {
		s, k := ss[i], unbias(es[i])
		h := float64(0.5 * f * f)
		c := float64(c[i] * reciprocal(s))
		p := float64(s * (h + logRest(float64(s*s))))
		u[i] = float64(k*ln2Hi) - ((h - (p + (float64(k*ln2Lo) + c))) - f)
	}
}
