package linalg

import "math"

// LU is the factorisation P A = L U of a general square matrix, with partial pivoting.
type LU struct {
	N     int
	a     []float64 // n·n: L below the diagonal, without its ones, and U
	pivot []int     // row k was exchanged with row pivot[k]
}

// NewLU returns work space for matrices of order n.
func NewLU(n int) *LU {
	return &LU{N: n, a: make([]float64, n*n), pivot: make([]int, n)}
}

// Factor takes the row-major matrix a, and leaves it as it is. The outcome is Factored,
// or NonFinite if a is singular or has a NaN or an infinity; the other methods compute
// without meaning then, but for Det.
func (f *LU) Factor(a []float64) Outcome {
	n := f.N
	copy(f.a, a[:n*n])
	for i := range f.pivot {
		f.pivot[i] = i // where elimination ends early, Det is defined: 0, or not a number
	}
	if !eliminate(f.a, n, func(k, p int) { f.pivot[k] = p }) {
		return NonFinite
	}
	return Factored
}

// eliminate replaces a matrix of order n by its factors, and reports whether it is regular and finite. It tells which rows it exchanges.
func eliminate(a []float64, n int, exchanged func(k, p int)) bool {
	for k := range n {
		top := a[k*n:][:n]
		p := k
		for i := k + 1; i < n; i++ {
			if math.Abs(a[i*n+k]) > math.Abs(a[p*n+k]) {
				p = i
			}
		}
		if p != k {
			exchanged(k, p)
			other := a[p*n:][:n]
			for j := range top {
				top[j], other[j] = other[j], top[j]
			}
		}
		if r := 1 / top[k]; !finite(r) || !finite(top[k]) {
			return false
		}
		for i := k + 1; i < n; i++ {
			row := a[i*n:][:n]
			row[k] /= top[k]
			subtractScaled(row[k+1:], row[k], top[k+1:])
		}
	}
	return true
}

// Solve computes x = A⁻¹ b. x and b may be the same slice.
func (f *LU) Solve(x, b []float64) {
	n := f.N
	x = x[:n]
	copy(x, b)
	for k, p := range f.pivot {
		x[k], x[p] = x[p], x[k]
	}
	for i := range n {
		x[i] -= dot(f.a[i*n:][:i], x)
	}
	for i := n - 1; i >= 0; i-- {
		row := f.a[i*n:][:n]
		x[i] = (x[i] - dot(row[i+1:], x[i+1:])) / row[i]
	}
}

// Det returns the determinant of A.
func (f *LU) Det() float64 {
	det := 1.0
	for k, p := range f.pivot {
		if p != k {
			det = -det
		}
		det = float64(det * (f.a[k*f.N+k]))
	}
	return det
}
