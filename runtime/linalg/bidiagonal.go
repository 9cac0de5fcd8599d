package linalg

import "math"

// Bands of half width one, which chains of order one have. What depends on the element before is kept to one product and one
// difference, or one division: these wait for each other, and all else does not.

// tridiagonalCholesky is BandCholesky of two diagonals. The pivots d_i = A_ii − A_i,i−1²/d_i−1 need no root of each other.
func tridiagonalCholesky(dst, a, below []float64) bool {
	n := len(a)
	l, m, below := dst[:n], dst[n:][:n], below[:n]
	d := a[0]
	if !positive(d) {
		return false
	}
	l[0], m[0] = math.Sqrt(d), 0
	for i := 1; i < n; i++ {
		b := below[i]
		m[i] = b / l[i-1]
		d = a[i] - float64(b*b)/d
		if !positive(d) {
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
	for j := n - 1; j > 0; j-- {
		inv := 1 / l[j-1]
		m := float64(lower[j] * inv)
		b := float64(barBelow[j] * inv)
		below[j] = b - float64(2*m*s)
		s = float64(0.5*(float64(bar[j-1]*inv)-float64(m*b))) + float64(float64(m*m)*s)
		diag[j-1] = s
	}
	below[0] = 0
}

// bidiagonalLower is BandSolveLower of two diagonals.
func bidiagonalLower(dst, l, b []float64) {
	n := len(b)
	below, l, dst := l[n:][:n], l[:n], dst[:n]
	x := 0.0
	for i, v := range b {
		inv := 1 / l[i]
		x = float64(v*inv) - float64(float64(below[i]*inv)*x)
		dst[i] = x
	}
}

// bidiagonalUpper is BandSolveUpper of two diagonals.
func bidiagonalUpper(dst, l, b []float64) {
	n := len(b)
	below, l, dst := l[n:][:n], l[:n], dst[:n]
	x := b[n-1] / l[n-1]
	dst[n-1] = x
	for i := n - 2; i >= 0; i-- {
		inv := 1 / l[i]
		x = float64(b[i]*inv) - float64(float64(below[i+1]*inv)*x)
		dst[i] = x
	}
}
