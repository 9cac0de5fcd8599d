package linalg

import "math"

// The functions of this file are what generated code computes with banded matrices of parameters. A lower triangular
// band of order n and half width w is an array of (w+1)·n numbers, diagonal by diagonal: the entry in row i, o places
// before the diagonal, is l[o·n+i], and 0 where i < o. What has no value is NaN. Of interleaved vectors the positions are
// the elements of the matrix whose columns they are, row by row.

// BandCholesky writes the factor L, A = L Lᵀ, of a symmetric band to dst[(w+1)·n]. The o-th of the diagonals holds
// A_i,i−o at i; what stands at i < o is not read. All of L is NaN where A is not positive definite.
func BandCholesky(dst []float64, diagonals ...[]float64) {
	n, w := len(diagonals[0]), len(diagonals)-1
	if w == 1 && n > 0 {
		if !tridiagonalCholesky(dst, diagonals[0], diagonals[1]) {
			fillNaN(dst[:2*n])
		}
		return
	}
	if w >= leastWideBand {
		wideCholesky(dst, diagonals)
		return
	}
	narrowCholesky(dst, diagonals)
}

// narrowCholesky is BandCholesky as loops over elements.
func narrowCholesky(dst []float64, diagonals [][]float64) {
	n, w := len(diagonals[0]), len(diagonals)-1
	for i := range n {
		for o := min(w, i); o >= 0; o-- {
			j := i - o
			v := diagonals[o][i]
			for k := max(0, i-w); k < j; k++ {
				v -= float64(dst[(i-k)*n+i] * dst[(j-k)*n+j])
			}
			if o > 0 {
				dst[o*n+i] = v / dst[j]
				continue
			}
			if !positive(v) {
				fillNaN(dst[:(w+1)*n])
				return
			}
			dst[i] = math.Sqrt(v)
		}
		for o := i + 1; o <= w; o++ {
			dst[o*n+i] = 0
		}
	}
}

// BandCholeskyAdjoint writes to dst[(w+1)·n] the derivatives of a function of the factor L by the entries of A, each of
// which stands for both of its places, for those by the entries of L, diagonal by diagonal: Murray (2016),
// "Differentiation of the Cholesky decomposition", arXiv:1602.07527, the algorithm of section 3.1 within the band.
func BandCholeskyAdjoint(dst, l []float64, diagonals ...[]float64) {
	n, w := len(diagonals[0]), len(diagonals)-1
	if w == 1 && n > 0 {
		bidiagonalAdjoint(dst, l, diagonals[0], diagonals[1])
		return
	}
	if w >= leastWideAdjoint {
		wideAdjoint(dst, l, diagonals)
		return
	}
	narrowAdjoint(dst, l, diagonals)
}

// narrowAdjoint is BandCholeskyAdjoint as loops over elements.
func narrowAdjoint(dst, l []float64, diagonals [][]float64) {
	n, w := len(diagonals[0]), len(diagonals)-1
	for o, d := range diagonals {
		row := dst[o*n:][:n]
		copy(row, d)
		clear(row[:min(o, n)])
	}
	for j := n - 1; j >= 0; j-- {
		for i := min(j+w, n-1); i > j; i-- {
			g := dst[(i-j)*n+i] / l[j]
			dst[(i-j)*n+i] = g
			dst[j] -= float64(g * l[(i-j)*n+i])
			for k := max(0, i-w); k < j; k++ {
				dst[(i-k)*n+i] -= float64(g * l[(j-k)*n+j])
				dst[(j-k)*n+j] -= float64(g * l[(i-k)*n+i])
			}
		}
		g := dst[j] / (2 * l[j])
		dst[j] = g
		for k := max(0, j-w); k < j; k++ {
			dst[(j-k)*n+j] -= float64(2 * g * l[(j-k)*n+j])
		}
	}
}

// BandSolveLower writes L⁻¹b to dst[n], for a lower triangular band L.
func BandSolveLower(dst, l, b []float64) {
	n := len(b)
	if n == 0 {
		return
	}
	w := len(l)/n - 1
	if w == 1 {
		bidiagonalLower(dst, l, b)
		return
	}
	for i, v := range b {
		for o := min(w, i); o > 0; o-- {
			v -= float64(l[o*n+i] * dst[i-o])
		}
		dst[i] = v / l[i]
	}
}

// BandSolveUpper writes L⁻ᵀb to dst[n], for a lower triangular band L.
func BandSolveUpper(dst, l, b []float64) {
	n := len(b)
	if n == 0 {
		return
	}
	w := len(l)/n - 1
	if w == 1 {
		bidiagonalUpper(dst, l, b)
		return
	}
	for i := n - 1; i >= 0; i-- {
		v := b[i]
		for o := min(w, n-1-i); o > 0; o-- {
			v -= float64(l[o*n+i+o] * dst[i+o])
		}
		dst[i] = v / l[i]
	}
}

// Stack writes vectors to dst, one after the other.
func Stack(dst []float64, rows ...[]float64) {
	for _, r := range rows {
		dst = dst[copy(dst, r):]
	}
}

// Columns writes vectors to dst as the columns of a matrix, row by row.
func Columns(dst []float64, columns ...[]float64) {
	for k, v := range columns {
		for i, x := range v {
			dst[i*len(columns)+k] = x
		}
	}
}

func fillNaN(x []float64) {
	for i := range x {
		x[i] = math.NaN()
	}
}
