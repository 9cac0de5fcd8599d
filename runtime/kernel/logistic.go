package kernel

import "math"

// logitBlock is how many reduced arguments InvLogit computes ahead.
const logitBlock = 64

// InvLogit sets dst_i = 1 / (1 + exp(−a_i)) for i < len(dst), with a relative
// error below 2⁻⁵¹ (to the smallest normal number). dst and a may be the same
// slice.
func InvLogit(dst, a []float64) {
	a = a[:len(dst)]
	// Each element is a long chain of dependent operations, a division at its
	// end. Two loops with half a chain each let the processor work on more
	// elements at a time.
	var reduced, shifted [logitBlock]float64
	for len(a) > 0 {
		n := min(logitBlock, len(a))
		b, d := a[:n], dst[:n]
		a, dst = a[n:], dst[n:]
		rs, ts := reduced[:n], shifted[:n]
		plain := true
		for i, v := range b {
			plain = expPlain(v)
			if !plain {
				break
			}
			rs[i], ts[i] = expReduce(-v)
		}
		if !plain {
			for i, v := range b {
				d[i] = invLogit(v)
			}
			continue
		}
		d, ts = d[:len(rs)], ts[:len(rs)]
		for i, r := range rs {
			h, tail := expStep(ts[i])
			d[i] = 1 / (1 + (h + float64(h*((r+tail)+expPoly(r)))))
		}
	}
}

// invLogit returns 1 / (1 + exp(−a)).
func invLogit(a float64) float64 {
	if a < -708 {
		return exp(a) // here exp(−a) may overflow, and 1 + eᵃ = 1
	}
	return 1 / (1 + exp(-a))
}

// Log1pExp sets dst_i = log(1 + exp(a_i)) for i < len(dst), with a relative
// error below 2⁻⁵¹ (to the smallest normal number). dst and a may be the same
// slice.
func Log1pExp(dst, a []float64) {
	a = a[:len(dst)]
	for i, v := range a {
		l := log1p(exp(-math.Abs(v)))
		dst[i] = max(v, 0) + l
	}
}

// chunk is the number of factors that SumLog1pExp multiplies before it takes
// a logarithm: it bounds the rounding error and keeps the products, at most
// 2^chunk, from overflowing.
const chunk = 128

// SumLog1pExp returns Σ_i log(1 + exp(a_i)), up to a relative error of 1e-14;
// no term is negative. A NaN among the a_i gives NaN.
//
// As log(1 + eᵃ) = max(a, 0) + log(1 + e^−|a|), one logarithm of a product
// serves many terms. The products are kept as 1 + p, with p ← p + e + p e: no
// small e is lost beside 1, and p has a small relative error since nothing
// cancels.
func SumLog1pExp(a []float64) float64 {
	var sum, rest float64 // Neumaier's sum over chunks: sum + rest
	for len(a) > 0 {
		b := a[:min(chunk, len(a))]
		a = a[len(b):]
		var p0, p1, p2, p3, s0, s1, s2, s3 float64
		for ; len(b) >= 4; b = b[4:] {
			e0 := exp(-math.Abs(b[0]))
			e1 := exp(-math.Abs(b[1]))
			e2 := exp(-math.Abs(b[2]))
			e3 := exp(-math.Abs(b[3]))
			p0 += e0 + float64(p0*e0)
			p1 += e1 + float64(p1*e1)
			p2 += e2 + float64(p2*e2)
			p3 += e3 + float64(p3*e3)
			s0 += max(b[0], 0)
			s1 += max(b[1], 0)
			s2 += max(b[2], 0)
			s3 += max(b[3], 0)
		}
		for _, v := range b {
			e := exp(-math.Abs(v))
			p0 += e + float64(p0*e)
			s0 += max(v, 0)
		}
		p0 += p1 + float64(p0*p1)
		p2 += p3 + float64(p2*p3)
		p0 += p2 + float64(p0*p2)
		term := ((s0 + s1) + (s2 + s3)) + log1p(p0)
		t := sum + term
		if sum >= term {
			rest += (sum - t) + term
		} else {
			rest += (term - t) + sum
		}
		sum = t
	}
	if math.IsInf(sum, 0) {
		return sum // rest is NaN then
	}
	return sum + rest
}
