package diagnostics

import "math"

// Mean returns the mean of the draws of all chains, NaN if there are none.
func Mean(chains [][]float64) float64 {
	var w workspace
	return mean(w.load(chains).x)
}

// SD returns the standard deviation of the S draws of all chains together,
// √(Σ(x − x̄)²/(S − 1)), NaN if S < 2.
func SD(chains [][]float64) float64 {
	var w workspace
	return math.Sqrt(variance(w.load(chains).x))
}

// mean returns the mean of x. The second pass takes out the rounding error of
// the first.
func mean(x []float64) float64 {
	n := float64(len(x))
	s := 0.0
	for _, v := range x {
		s += v
	}
	m := s / n
	if math.IsNaN(m) || math.IsInf(m, 0) {
		return m
	}
	d := 0.0
	for _, v := range x {
		d += v - m
	}
	return m + d/n
}

// variance returns Σ(x − x̄)²/(n − 1), NaN for n < 2.
func variance(x []float64) float64 { return varianceAbout(x, mean(x)) }

// varianceAbout is variance of draws whose mean is known.
func varianceAbout(x []float64, m float64) float64 {
	if len(x) < 2 {
		return math.NaN()
	}
	return squares(x, m) / float64(len(x)-1)
}

// squares returns Σ(x − m)².
func squares(x []float64, m float64) float64 {
	s := 0.0
	for _, v := range x {
		s += float64((v - m) * (v - m))
	}
	return s
}

// A sum waits for each of its additions. Those of several chains go on side by side, each with the bits that it has alone.

// means returns the mean of each chain, in the storage of dst.
func (a array) means(dst []float64) []float64 {
	dst = dst[:0]
	c := 0
	for ; c+4 <= a.m; c += 4 {
		x0, x1, x2, x3 := a.four(c)
		var s0, s1, s2, s3 float64
		for i := range x0 {
			s0 += x0[i]
			s1 += x1[i]
			s2 += x2[i]
			s3 += x3[i]
		}
		n := float64(a.n)
		m0, m1, m2, m3 := s0/n, s1/n, s2/n, s3/n
		if sum := m0 + m1 + m2 + m3; sum-sum != 0 { // NaN or an infinity among them, or beyond them
			for k := range 4 {
				dst = append(dst, mean(a.chain(c+k)))
			}
			continue
		}
		var d0, d1, d2, d3 float64
		for i := range x0 {
			d0 += x0[i] - m0
			d1 += x1[i] - m1
			d2 += x2[i] - m2
			d3 += x3[i] - m3
		}
		dst = append(dst, m0+d0/n, m1+d1/n, m2+d2/n, m3+d3/n)
	}
	for ; c < a.m; c++ {
		dst = append(dst, mean(a.chain(c)))
	}
	return dst
}

// squares returns Σ(x − m)² of each chain, of which m is the mean, in the storage of dst.
func (a array) squares(means, dst []float64) []float64 {
	dst = dst[:0]
	c := 0
	for ; c+4 <= a.m; c += 4 {
		x0, x1, x2, x3 := a.four(c)
		m0, m1, m2, m3 := means[c], means[c+1], means[c+2], means[c+3]
		var s0, s1, s2, s3 float64
		for i := range x0 {
			s0 += float64((x0[i] - m0) * (x0[i] - m0))
			s1 += float64((x1[i] - m1) * (x1[i] - m1))
			s2 += float64((x2[i] - m2) * (x2[i] - m2))
			s3 += float64((x3[i] - m3) * (x3[i] - m3))
		}
		dst = append(dst, s0, s1, s2, s3)
	}
	for ; c < a.m; c++ {
		dst = append(dst, squares(a.chain(c), means[c]))
	}
	return dst
}

// four returns four chains from one on.
func (a array) four(c int) (x0, x1, x2, x3 []float64) {
	x0, x1, x2, x3 = a.chain(c), a.chain(c+1), a.chain(c+2), a.chain(c+3)
	return x0, x1[:len(x0)], x2[:len(x0)], x3[:len(x0)]
}
