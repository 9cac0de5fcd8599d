package linalg

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/elementary"
	"github.com/hamc-dev/hamc/runtime/kernel"
)

// What generated code computes of square matrices without symmetry, by their LU factors, as an array of numbers. What has no value is NaN.

// FactoriseLU writes to dst[(n+1)·n] the factors of the matrix a[n·n] with rows exchanged, P A = L U, with partial pivoting: U on and above the diagonal, L, which
// has ones there, below it, and in the last row, for each row of P A, the one of A that it is, counted from 0. All of it is NaN where A is singular or not finite, and so is all that
// is computed of it.
func FactoriseLU(dst, a []float64) {
	n := order(a)
	copy(dst, a)
	rows := dst[n*n:]
	for i := range rows {
		rows[i] = float64(i)
	}
	if !eliminate(dst[:n*n], n, func(k, p int) { rows[k], rows[p] = rows[p], rows[k] }) {
		fillNaN(dst)
	}
}

// orderLU is n, for LU factors of (n+1)·n numbers.
func orderLU(lu []float64) int { return int(math.Sqrt(float64(len(lu)) + 0.25)) }

// LogAbsDet returns log |det A|, for the LU factors of A.
func LogAbsDet(lu []float64) float64 {
	n := orderLU(lu)
	sum := 0.0
	for i := range n {
		sum += elementary.Log(math.Abs(lu[i*n+i]))
	}
	return sum
}

// LUInverse writes A⁻¹ to dst[n·n], for the LU factors of A.
func LUInverse(dst, lu []float64) {
	n := orderLU(lu)
	if n == 0 || math.IsNaN(lu[0]) {
		fillNaN(dst)
		return
	}
	clear(dst)
	for i, row := range lu[n*n:] {
		dst[i*n+int(row)] = 1
	}
	solveLU(dst, lu, n)
}

// LUSolve writes A⁻¹B to dst[n·m], for the LU factors of A and B in b[n·m].
func LUSolve(dst, lu, b []float64) {
	n := orderLU(lu)
	if n == 0 || math.IsNaN(lu[0]) {
		fillNaN(dst)
		return
	}
	m := len(b) / n
	for i, row := range lu[n*n:] {
		copy(dst[i*m:][:m], b[int(row)*m:])
	}
	solveLU(dst, lu, n)
}

// solveLU makes x[n·m], which is P B, U⁻¹L⁻¹PB.
func solveLU(x, lu []float64, n int) {
	m := len(x) / n
	for i := range n {
		kernel.SubtractRows(x[i*m:][:m], lu, i*n, 1, x, 0, m, i)
	}
	for i := n - 1; i >= 0; i-- {
		row := x[i*m:][:m]
		kernel.SubtractRows(row, lu, i*n+i+1, 1, x, (i+1)*m, m, n-1-i)
		scale(row, 1/lu[i*n+i])
	}
}
