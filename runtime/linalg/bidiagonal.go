package linalg

import "math"

// Bands of half width one, which chains of order one have. What depends on the element before waits for it: a product and a difference of eight
// cycles, a division of thirteen. So the recurrences go several elements at once, x_i+3 = a − p x_i−1 with an a and a p that wait for nothing, and pivots are
// ratios of minors, whose recurrence has no division.

// ahead is the number of elements that a recurrence goes at once.
const ahead = 4

// tridiagonalCholesky is BandCholesky of two diagonals. The leading minors are p_i = A_ii p_i−1 − A_i,i−1² p_i−2, in units that change, since their
// ratios alone count: the pivots are d_i = A_ii − A_i,i−1² p_i−2/p_i−1.
func tridiagonalCholesky(dst, a, below []float64) bool {
	n := len(a)
	l, m, below := dst[:n], dst[n:][:n], below[:n]
	if !positive(a[0]) {
		return false
	}
	before, minor := 1.0, a[0] // p_i−2 and p_i−1
	l[0], m[0] = math.Sqrt(a[0]), 0
	for i := 1; i < n; i++ {
		if i%ahead == 0 {
			before, minor = before/minor, 1
		}
		b := below[i]
		square := float64(b * b)
		r := before / minor // 1/d_i−1
		d := a[i] - float64(square*r)
		m[i] = float64(b * float64(l[i-1]*r))
		before, minor = minor, float64(a[i]*minor)-float64(square*before)
		if !positive(d) || !positive(minor) {
			return false
		}
		l[i] = math.Sqrt(d)
	}
	return true
}

// bidiagonalAdjoint is BandCholeskyAdjoint of two diagonals: with s the derivative by A_jj and m = L_j,j−1/L_j−1,j−1,
//
//	Ā_j,j−1 = L̄_j,j−1/L_j−1,j−1 − 2 s_j m,   s_j−1 = ½ L̄_j−1,j−1/L_j−1,j−1 − ½ m L̄_j,j−1/L_j−1,j−1 + m² s_j.
func bidiagonalAdjoint(dst, l, bar, barBelow []float64) {
	n := len(bar)
	diag, below := dst[:n], dst[n:][:n]
	lower, l, barBelow := l[n:][:n], l[:n], barBelow[:n]
	s := bar[n-1] / (2 * l[n-1])
	diag[n-1] = s
	// of returns m, the first term of Ā_j,j−1, and s_j−1 for s_j = 0.
	of := func(j int) (m, b, c float64) {
		inv := 1 / l[j-1]
		m = float64(lower[j] * inv)
		b = float64(barBelow[j] * inv)
		return m, b, float64(0.5 * (float64(bar[j-1]*inv) - float64(m*b)))
	}
	j := n - 1
	for ; j >= ahead; j -= ahead {
		m0, b0, c0 := of(j)
		m1, b1, c1 := of(j - 1)
		m2, b2, c2 := of(j - 2)
		m3, b3, c3 := of(j - 3)
		q0, q1, q2, q3 := float64(m0*m0), float64(m1*m1), float64(m2*m2), float64(m3*m3)
		c1 += float64(q1 * c0)
		c2 += float64(q2 * c1)
		c3 += float64(q3 * c2)
		q1 = float64(q1 * q0)
		q2 = float64(q2 * q1)
		q3 = float64(q3 * q2)
		s1, s2, s3 := c0+float64(q0*s), c1+float64(q1*s), c2+float64(q2*s)
		below[j] = b0 - float64(float64(2*m0)*s)
		below[j-1] = b1 - float64(float64(2*m1)*s1)
		below[j-2] = b2 - float64(float64(2*m2)*s2)
		below[j-3] = b3 - float64(float64(2*m3)*s3)
		s = c3 + float64(q3*s)
		diag[j-1], diag[j-2], diag[j-3], diag[j-4] = s1, s2, s3, s
	}
	for ; j > 0; j-- {
		m, b, c := of(j)
		below[j] = b - float64(float64(2*m)*s)
		s = c + float64(float64(m*m)*s)
		diag[j-1] = s
	}
	below[0] = 0
}

// bidiagonalLower is BandSolveLower of two diagonals: x_i = b_i/L_ii − m_i x_i−1 with m_i = L_i,i−1/L_ii.
func bidiagonalLower(dst, l, b []float64) {
	n := len(b)
	below, l, dst := l[n:][:n], l[:n], dst[:n]
	x := 0.0
	i := 0
	for ; i+ahead <= n; i += ahead {
		l, below, b, dst := l[i:][:ahead], below[i:][:ahead], b[i:][:ahead], dst[i:][:ahead]
		inv0, inv1, inv2, inv3 := 1/l[0], 1/l[1], 1/l[2], 1/l[3]
		x, dst[0], dst[1], dst[2] = advance(x,
			float64(b[0]*inv0), float64(b[1]*inv1), float64(b[2]*inv2), float64(b[3]*inv3),
			float64(below[0]*inv0), float64(below[1]*inv1), float64(below[2]*inv2), float64(below[3]*inv3))
		dst[3] = x
	}
	for ; i < n; i++ {
		inv := 1 / l[i]
		x = float64(b[i]*inv) - float64(float64(below[i]*inv)*x)
		dst[i] = x
	}
}

// advance makes four steps of x ← c_i − m_i x. It returns the last x, and the three before.
func advance(x, c0, c1, c2, c3, m0, m1, m2, m3 float64) (last, x0, x1, x2 float64) {
	c1 -= float64(m1 * c0)
	c2 -= float64(m2 * c1)
	c3 -= float64(m3 * c2)
	m1 = float64(m1 * m0) // and the signs alternate
	m2 = float64(m2 * m1)
	m3 = float64(m3 * m2)
	return c3 + float64(m3*x), c0 - float64(m0*x), c1 + float64(m1*x), c2 - float64(m2*x)
}

// bidiagonalUpper is BandSolveUpper of two diagonals: x_i = b_i/L_ii − L_i+1,i/L_ii x_i+1.
func bidiagonalUpper(dst, l, b []float64) {
	n := len(b)
	below, l, dst := l[n:][:n], l[:n], dst[:n]
	x := b[n-1] / l[n-1]
	dst[n-1] = x
	i := n - 2
	for ; i >= ahead-1; i -= ahead {
		inv0, inv1, inv2, inv3 := 1/l[i], 1/l[i-1], 1/l[i-2], 1/l[i-3]
		x, dst[i], dst[i-1], dst[i-2] = advance(x,
			float64(b[i]*inv0), float64(b[i-1]*inv1), float64(b[i-2]*inv2), float64(b[i-3]*inv3),
			float64(below[i+1]*inv0), float64(below[i]*inv1), float64(below[i-1]*inv2), float64(below[i-2]*inv3))
		dst[i-3] = x
	}
	for ; i >= 0; i-- {
		inv := 1 / l[i]
		x = float64(b[i]*inv) - float64(float64(below[i+1]*inv)*x)
		dst[i] = x
	}
}
