package linalg

import (
	"math"
	"sync"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// The functions of this file are of the matrix B ⊗ A + s, for symmetric matrices A of order n and B of order m, which is positive definite as A and B are semidefinite. It has the order n m, and is never made:
// with A = Q diag(α) Qᵀ and B = R diag(β) Rᵀ it is (R ⊗ Q)(diag(β ⊗ α) + s)(R ⊗ Q)ᵀ, and it takes a matrix X of n rows and m columns, the columns one under the other, to A X B + s X.

// Decompose writes the decomposition of the symmetric matrix a of order n to dst[(n+1)·n]: the eigenvectors as rows, then the eigenvalues, ascending. Of a matrix
// that is not finite it is NaN.
func Decompose(dst, a []float64) {
	n := order(a)
	e, ok := decomposed(n, a)
	copy(dst, e.Vectors)
	copy(dst[n*n:], e.Values)
	if !ok {
		for i := range dst {
			dst[i] = math.NaN()
		}
	}
	decompositions.Put(e)
}

// decomposition is what Decompose wrote.
func decomposition(e []float64) (n int, vectors, values []float64) {
	n = int(math.Sqrt(float64(len(e)) + 0.25)) // n(n+1) is below (n + ½)²
	return n, e[:n*n], e[n*n:]
}

// work are spaces for what is multiplied twice.
var work = sync.Pool{New: func() any { return new([]float64) }}

// space is one for n numbers, which goes back to work.
func space(n int) *[]float64 {
	p := work.Get().(*[]float64)
	if cap(*p) < n {
		*p = make([]float64, n)
	}
	*p = (*p)[:n]
	return p
}

// KroneckerSolve writes the X with A X B + s X = Y to dst[n·m], for the decompositions of A and B, s in shift[1], and Y in y[n·m].
// Where A, B and s leave no positive definite matrix it is NaN.
func KroneckerSolve(dst, a, b, shift, y []float64) {
	n, q, alpha := decomposition(a)
	m, r, beta := decomposition(b)
	p := space(n * m)
	w := *p
	ProductTB(w, y, r, n, m, m)
	Product(dst, q, w, n, n, m)
	for i, v := range alpha {
		row := dst[i*m:][:m]
		for j, u := range beta {
			row[j] /= above(float64(v*u) + shift[0])
		}
	}
	ProductTA(w, q, dst, n, n, m)
	Product(dst, w, r, n, m, m)
	work.Put(p)
}

// KroneckerLogDet returns log det(B ⊗ A + s), for the decompositions of A and B and s in shift[1].
func KroneckerLogDet(a, b, shift []float64) float64 {
	_, _, alpha := decomposition(a)
	_, _, beta := decomposition(b)
	total := 0.0
	for _, v := range alpha {
		// A logarithm of a product takes the place of eight.
		product, held := 1.0, 0
		for _, u := range beta {
			f := above(float64(v*u) + shift[0])
			if held++; held == 8 || !(f > 1e-30 && f < 1e30) {
				total += elementary.Log(product) + elementary.Log(f)
				product, held = 1, 0
				continue
			}
			product = float64(product * f)
		}
		total += elementary.Log(product)
	}
	return total
}

// KroneckerTrace writes the derivative of log det(B ⊗ A + s) by A to dst[n·n], Q diag(Σ_j β_j/(α_i β_j + s)) Qᵀ, for the decompositions of A and B and s in shift[1].
// By B it is that of A ⊗ B + s.
func KroneckerTrace(dst, a, b, shift []float64) {
	n, q, alpha := decomposition(a)
	_, _, beta := decomposition(b)
	p := space(n * n)
	w := *p
	for i, v := range alpha {
		weight := 0.0
		for _, u := range beta {
			weight += u / above(float64(v*u)+shift[0])
		}
		row, from := w[i*n:][:n], q[i*n:][:n]
		for k, x := range from {
			row[k] = float64(weight * x)
		}
	}
	ProductTA(dst, q, w, n, n, n)
	work.Put(p)
}

// KroneckerInverseTrace returns tr (B ⊗ A + s)⁻¹, the derivative of log det(B ⊗ A + s) by s, for the decompositions of A and B and s in shift[1].
func KroneckerInverseTrace(a, b, shift []float64) float64 {
	_, _, alpha := decomposition(a)
	_, _, beta := decomposition(b)
	total := 0.0
	for _, v := range alpha {
		for _, u := range beta {
			total += 1 / above(float64(v*u)+shift[0])
		}
	}
	return total
}

// above is x where that is above 0, and else NaN.
func above(x float64) float64 {
	if x > 0 {
		return x
	}
	return math.NaN()
}
