package kernel

import "math"

// InvLogit sets dst_i = 1 / (1 + exp(−a_i)) for i < len(dst). The error is
// below 1.1 ulp where the result is a normal number, and below 1 ulp elsewhere.
// dst and a may be the same slice.
func InvLogit(dst, a []float64) { elementwise(inverseLogit, dst, a) }

// Log1pExp sets dst_i = log(1 + exp(a_i)) for i < len(dst). The error is below
// 1.5 ulp where the result is a normal number, and below 1 ulp elsewhere. dst
// and a may be the same slice.
func Log1pExp(dst, a []float64) { elementwise(logOnePlusExp, dst, a) }

// invLogit returns 1 / (1 + exp(−a)). With exp(−a) = h + y, u = 1 + h + y
// rounded and c its error,
//
//	1 / (u + c) = 1/u − c/u²
//
// up to a rounding of 1/u, one of the result, and far smaller ones.
func invLogit(a float64) float64 {
	if !expPlain(a) {
		if a > 0 {
			return 1
		}
		return exp(a)
	}
	r, t := expReduce(-a)
	h, tail := expStep(t)
	y := float64(h * (tail + expRest(r)))
	u := 1 + (h + y)
	b := u - 1
	c := ((1 - (u - b)) + (h - b)) + y
	q := 1 / u
	return q - float64(float64(c*q)*q)
}

// invLogitBlock is invLogit of a block where all |a_i| ≤ 36, so that u − 1 is
// exact.
func invLogitBlock(dst, a []float64, s *scratch) bool {
	es, ts := s.x[:len(a)], s.bits[:len(a)]
	for i, v := range a {
		const limit = 0x40420000_00000000 // bits of 36
		if math.Float64bits(v)&^(1<<63) > limit {
			return false
		}
		e, t := expNegated(v)
		es[i], ts[i] = e, math.Float64bits(t)
	}
	dst, ts = dst[:len(es)], ts[:len(es)]
	for i, e := range es {
		h, tail := expStep(math.Float64frombits(ts[i]))
		y := float64(h * (tail + e))
		u := 1 + (h + y)
		q := 1 / u
		dst[i] = q - float64(float64(((h-(u-1))+y)*q)*q)
	}
	return true
}

// expNegated returns expRest(r) and t for r, t = expReduce(−a). It saves the
// negation by computing −r.
func expNegated(a float64) (rest, t float64) {
	t = shift - float64(a*(expSteps*log2E))
	n := t - shift
	r := (a + float64(n*stepHi)) + float64(n*stepLo)
	z := float64(r * r)
	return float64(z*((0.5-float64(r*expCubic))+float64(z*(1.0/24)))) - r, t
}

// log1pExp returns log(1 + exp(a)) = max(a, 0) + log(1 + exp(−|a|)).
func log1pExp(a float64) float64 {
	if !expPlain(a) {
		if a > 0 {
			return a
		}
		return exp(a)
	}
	r, t := expReduce(-math.Abs(a))
	h, tail := expStep(t)
	y := float64(h * (tail + expRest(r)))
	u := 1 + (h + y)
	return max(a, 0) + logSum(u, (h-(u-1))+y)
}

// log1pExpBlock is log1pExp of a plain block.
func log1pExpBlock(dst, a []float64, s *scratch) bool {
	us, cs, ts := s.x[:len(a)], s.y[:len(a)], s.bits[:len(a)]
	for i, v := range a {
		if !expPlain(v) {
			return false
		}
		r, t := expReduce(-math.Abs(v))
		us[i], ts[i] = expRest(r), math.Float64bits(t)
	}
	cs, ts = cs[:len(us)], ts[:len(us)]
	for i, e := range us {
		h, tail := expStep(math.Float64frombits(ts[i]))
		y := float64(h * (tail + e))
		u := 1 + (h + y)
		us[i], cs[i] = u, (h-(u-1))+y
	}
	logSums(us, cs, s)
	dst = dst[:len(a)]
	for i, v := range a {
		dst[i] = max(v, 0) + us[i]
	}
	return true
}

// chunk is the number of factors that SumLog1pExp multiplies before it takes
// a logarithm: it bounds the rounding error and keeps the products, at most
// 2^chunk, from overflowing.
const chunk = 256

// SumLog1pExp returns Σ_i log(1 + exp(a_i)), up to a relative error of 1e-14;
// no term is negative. A NaN among the a_i gives NaN.
//
// As log(1 + eᵃ) = max(a, 0) + log(1 + e^−|a|), one logarithm of a product
// serves many terms.
func SumLog1pExp(a []float64) float64 {
	var sum, rest float64 // Neumaier's sum over chunks: sum + rest
	for len(a) > 0 {
		var p, s [8]float64
		n := min(chunk, len(a))
		products(&p, &s, a[:n])
		a = a[n:]
		for w := 4; w > 0; w /= 2 {
			for j := range w {
				p[j] += p[j+w] + float64(p[j]*p[j+w])
				s[j] += s[j+w]
			}
		}
		term := s[0] + log1p(p[0])
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

// products multiplies 1 + p_j by all 1 + e^−|a_i| and adds all max(a_i, 0) to
// s_j, where j is i mod 8, for at most chunk a_i. The products are kept as
// 1 + p, with p ← p + (e + p e): no small e is lost beside 1, and p has a small
// relative error since nothing cancels.
func products(p, s *[8]float64, a []float64) {
	for len(a) > 0 {
		var done int
		if path == portable {
			done = blockProducts(p, s, a)
		} else {
			done = vectorProducts(p, s, a)
		}
		n := min(done+8, len(a)) // one of these is not plain, or they are the last
		for j, v := range a[done:n] {
			e := exp(-math.Abs(v))
			p[j] += e + float64(p[j]*e)
			s[j] += max(v, 0)
		}
		a = a[n:]
	}
}

// blockProducts does what products does with as many of the a_i as eight
// divides.
func blockProducts(p, s *[8]float64, a []float64) (done int) {
	var powers [chunk]float64
	done = len(a) &^ 7
	a = a[:done]
	e := powers[:done]
	for i, v := range a {
		e[i] = -math.Abs(v)
	}
	expBlock(e, e)
	for len(a) >= 8 && len(e) >= 8 {
		for j := range p {
			p[j] += e[j] + float64(p[j]*e[j])
			s[j] += max(a[j], 0)
		}
		a, e = a[8:], e[8:]
	}
	return done
}

// InvLogitOf returns 1 / (1 + exp(−a)), with the bits of InvLogit.
func InvLogitOf(a float64) float64 { return invLogit(a) }

// Log1pExpOf returns log(1 + exp(a)), with the bits of Log1pExp.
func Log1pExpOf(a float64) float64 { return log1pExp(a) }
