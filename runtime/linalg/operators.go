package linalg

import (
	"math"
	"sync"

	"github.com/hamc-dev/hamc/runtime/kernel"
)

// The functions of this file are what generated code computes whole arrays with: of a symmetric positive definite matrix
// by its Cholesky factor, of a lower triangular one as it stands. Matrices are row-major. What has no value is NaN, as
// in all that a density is made of: the point is then outside of it.

// Factorise makes c the factor of the symmetric matrix a, of which it reads the lower triangle. Where a is not positive
// definite or not finite, all that is computed from c is NaN.
func Factorise(c *Cholesky, a []float64) {
	if c.Factor(a) == Factored {
		return
	}
	for i := range c.N {
		for j := range i + 1 {
			c.L[i*c.N+j] = math.NaN()
		}
		c.diagonal[i], c.reciprocal[i] = math.NaN(), math.NaN()
	}
}

// NewCholeskys returns a number of factors of matrices of order n.
func NewCholeskys(count, n int) []*Cholesky {
	list := make([]*Cholesky, count)
	for i := range list {
		list[i] = NewCholesky(n)
	}
	return list
}

// Definite reports whether the matrix that Factorise was given last was positive definite.
func (c *Cholesky) Definite() bool { return c.N == 0 || !math.IsNaN(c.diagonal[0]) }

// Inverse writes A⁻¹ to dst[n·n], for the factor of A.
func Inverse(dst []float64, c *Cholesky) { c.Inverse(dst) }

// LogDet returns log det A, for the factor of A.
func LogDet(c *Cholesky) float64 { return c.LogDet() }

// Lower writes the factor L with A = L Lᵀ to dst[n·n], zero above the diagonal.
func Lower(dst []float64, c *Cholesky) { copy(dst, c.L[:c.N*c.N]) }

// Solve writes A⁻¹B to dst[n·m], for the factor of A and B in b[n·m].
func Solve(dst []float64, c *Cholesky, b []float64) {
	n := c.N
	if len(b) == n {
		c.Solve(dst, b)
		return
	}
	SolveLower(dst, c.L, b)
	if n == 0 {
		return
	}
	m := len(b) / n
	// Lᵀ x = y from the last row up.
	for i := n - 1; i >= 0; i-- {
		x := dst[i*m:][:m]
		kernel.SubtractRows(x, c.L, (i+1)*n+i, n, dst, (i+1)*m, m, n-1-i)
		scale(x, c.reciprocal[i])
	}
}

// SolveLower writes L⁻¹B to dst[n·m], for a lower triangular L in l[n·n], of which it reads the lower triangle, and B
// in b[n·m].
func SolveLower(dst, l, b []float64) {
	n := order(l)
	if n == 0 {
		return
	}
	m := len(b) / n
	copy(dst, b)
	for i := range n {
		row, r := l[i*n:][:i], 1/l[i*n+i]
		if m == 1 {
			v := dst[i]
			for k, w := range row {
				v -= float64(w * dst[k])
			}
			dst[i] = float64(v * r)
			continue
		}
		x := dst[i*m:][:m]
		kernel.SubtractRows(x, row, 0, 1, dst, 0, m, i)
		scale(x, r)
	}
}

// SolveUpper writes L⁻ᵀB to dst[n·m], for a lower triangular L in l[n·n], of which it reads the lower triangle, and B
// in b[n·m].
func SolveUpper(dst, l, b []float64) {
	n := order(l)
	if n == 0 {
		return
	}
	m := len(b) / n
	copy(dst, b)
	for i := n - 1; i >= 0; i-- {
		if m == 1 {
			v := float64(dst[i] * (1 / l[i*n+i]))
			dst[i] = v
			for k, w := range l[i*n:][:i] {
				dst[k] -= float64(w * v)
			}
			continue
		}
		x := dst[i*m:][:m]
		kernel.SubtractRows(x, l, (n-1)*n+i, -n, dst, (n-1)*m, -m, n-1-i)
		scale(x, 1/l[i*n+i])
	}
}

// CholeskyAdjoint writes to dst[n·n] the derivatives of a function of the factor L, A = L Lᵀ, by the entries of the lower triangle of A,
// each of which stands for both of its places, and 0 above the diagonal, for those by the entries of L: Murray (2016),
// "Differentiation of the Cholesky decomposition", arXiv:1602.07527, the algorithm of section 3.1. It reads lower triangles.
func CholeskyAdjoint(dst, l, bar []float64) {
	if n := order(l); n >= leastByRows {
		choleskyAdjointByRows(dst, l, bar, n)
	} else {
		choleskyAdjointByElements(dst, l, bar, n)
	}
}

// choleskyAdjointByElements is CholeskyAdjoint as loops over elements.
func choleskyAdjointByElements(dst, l, bar []float64, n int) {
	for i := range n {
		copy(dst[i*n:][:i+1], bar[i*n:])
		clear(dst[i*n+i+1 : (i+1)*n])
	}
	for j := n - 1; j >= 0; j-- {
		own, top := dst[j*n:][:j+1], l[j*n:][:j+1]
		r := 1 / top[j]
		last := own[j]
		own = own[:j]
		for i := n - 1; i > j; i-- {
			row, of := dst[i*n:][:len(top)], l[i*n:][:len(top)]
			g := float64(row[j] * r)
			row[j] = g
			last -= float64(g * of[j])
			for k := range own {
				row[k] -= float64(g * top[k])
				own[k] -= float64(g * of[k])
			}
		}
		last = float64(0.5 * last * r)
		dst[j*n+j] = last
		subtract(own, top[:j], float64(2*last))
	}
}

// choleskyAdjointByRows is CholeskyAdjoint as sums of rows, with the same bits. The derivatives by column j of A stand in row j above
// the diagonal of dst on the way, with zeros below it.
func choleskyAdjointByRows(dst, l, bar []float64, n int) {
	space := rowSpace.Get().(*[]float64)
	defer rowSpace.Put(space)
	if len(*space) < 2*n {
		*space = make([]float64, 2*n)
	}
	diagonal, row := (*space)[:n], (*space)[n:2*n]
	clear(dst[:n*n])
	for j := n - 1; j >= 0; j-- {
		column, r := dst[j*n:][:n], 1/l[j*n+j]
		for from := j + 1; from < n; from += columns {
			to := min(from+columns, n)
			// The rows from the last on which there is more than zeros.
			kernel.SubtractRows(column[from:to], l, (to-1)*n+j, -n, dst, (to-1)*n+from, -n, to-1-j)
		}
		scale(column[j+1:], r)
		own, top := row[:j+1], l[j*n:][:j+1]
		copy(own, bar[j*n:])
		kernel.SubtractRows(own, column, n-1, -1, l, (n-1)*n, -n, n-1-j)
		last := float64(0.5 * own[j] * r)
		diagonal[j] = last
		subtract(own[:j], top[:j], float64(2*last))
		for k, v := range own[:j] {
			dst[k*n+j] = v
		}
	}
	for i, v := range diagonal {
		for j := range i {
			dst[i*n+j], dst[j*n+i] = dst[j*n+i], 0
		}
		dst[i*n+i] = v
	}
}

// leastByRows is the least order of matrices for which sums of rows take less time than loops over elements.
const leastByRows = 28

// columns is the number of columns that a sum of rows with zeros in a triangle takes at a time.
const columns = 32

// rowSpace holds what sums of rows have beside their operands.
var rowSpace = sync.Pool{New: func() any { return new([]float64) }}

// InverseLower writes L⁻¹ to dst[n·n], zero above the diagonal, for a lower triangular L in l[n·n], of which it reads the
// lower triangle.
func InverseLower(dst, l []float64) {
	n := order(l)
	clear(dst[:n*n])
	for i := range n {
		row := dst[i*n:][:i+1]
		for from := 0; from < i; from += columns {
			// Rows above this one end with zeros here.
			kernel.SubtractRows(row[from:min(from+columns, i)], l, i*n+from, 1, dst, from*n+from, n, i-from)
		}
		r := 1 / l[i*n+i]
		scale(row[:i], r)
		row[i] = r
	}
}

// order is that of a square matrix.
func order(a []float64) int { return int(math.Sqrt(float64(len(a))) + 0.5) }

// subtract writes x − f y to x.
func subtract(x, y []float64, f float64) {
	y = y[:len(x)]
	for j := range x {
		x[j] -= float64(f * y[j])
	}
}

// scale writes f x to x.
func scale(x []float64, f float64) {
	for j := range x {
		x[j] = float64(x[j] * f)
	}
}

// The products below have elements that are sums in the order of k. Those with Product in their names are of matrices of n × k and k × m
// numbers, the others of one order n.

// Mul writes AB to dst[n·n].
func Mul(dst, a, b []float64) {
	n := order(dst)
	Product(dst, a, b, n, n, n)
}

// MulTA writes AᵀB to dst[n·n].
func MulTA(dst, a, b []float64) {
	n := order(dst)
	ProductTA(dst, a, b, n, n, n)
}

// MulTB writes ABᵀ to dst[n·n].
func MulTB(dst, a, b []float64) {
	n := order(dst)
	ProductTB(dst, a, b, n, n, n)
}

// MulTAB writes AᵀBᵀ to dst[n·n].
func MulTAB(dst, a, b []float64) {
	n := order(dst)
	Mul(dst, b, a)
	for i := range n {
		for j := range i {
			dst[i*n+j], dst[j*n+i] = dst[j*n+i], dst[i*n+j]
		}
	}
}

// Product writes AB to dst[n·m], for a[n·k] and b[k·m].
func Product(dst, a, b []float64, n, k, m int) {
	for i := range n {
		row := dst[i*m:][:m]
		clear(row)
		kernel.AddRows(row, a, i*k, 1, b, 0, m, k)
	}
}

// ProductTA writes AB to dst[n·m], for the transpose of A in a[k·n], and b[k·m].
func ProductTA(dst, a, b []float64, n, k, m int) {
	for i := range n {
		row := dst[i*m:][:m]
		clear(row)
		kernel.AddRows(row, a, i, n, b, 0, m, k)
	}
}

// ProductTB writes AB to dst[n·m], for a[n·k] and the transpose of B in b[m·k].
func ProductTB(dst, a, b []float64, n, k, m int) {
	if m >= leastByRows {
		productTBByRows(dst, a, b, n, k, m)
		return
	}
	for i := range n {
		x, row := a[i*k:][:k], dst[i*m:][:m]
		j := 0
		for ; j+4 <= m; j += 4 {
			y0, y1, y2, y3 := b[j*k:][:len(x)], b[(j+1)*k:][:len(x)], b[(j+2)*k:][:len(x)], b[(j+3)*k:][:len(x)]
			var s0, s1, s2, s3 float64
			for l, v := range x {
				s0 += float64(v * y0[l])
				s1 += float64(v * y1[l])
				s2 += float64(v * y2[l])
				s3 += float64(v * y3[l])
			}
			row[j], row[j+1], row[j+2], row[j+3] = s0, s1, s2, s3
		}
		for ; j < m; j++ {
			y := b[j*k:][:len(x)]
			s := 0.0
			for l, v := range x {
				s += float64(v * y[l])
			}
			row[j] = s
		}
	}
}

// productTBByRows is ProductTB as sums of rows of Bᵀ, with the same bits.
func productTBByRows(dst, a, b []float64, n, k, m int) {
	space := rowSpace.Get().(*[]float64)
	defer rowSpace.Put(space)
	turned := transposed(space, b, m, k)
	for i := range n {
		row := dst[i*m:][:m]
		clear(row)
		kernel.SubtractRows(row, a, i*k, 1, turned, 0, m, k)
		for j, v := range row {
			row[j] = 0 - v
		}
	}
}

// ProductTAB writes AB to dst[n·m], for the transposes of A in a[k·n] and of B in b[m·k].
func ProductTAB(dst, a, b []float64, n, k, m int) {
	for i := range n {
		for j := range m {
			s := 0.0
			for l, v := range b[j*k:][:k] {
				s += float64(v * a[l*n+i])
			}
			dst[i*m+j] = s
		}
	}
}

// The products with Weighted in their names have weights w[k] between the matrices.

// Weighted writes A diag(w) B to dst[n·m], for a[n·k] and b[k·m].
func Weighted(dst, a, w, b []float64, n, k, m int) { weighted(dst, a, k, 1, w, b, n, k, m) }

// WeightedTA writes A diag(w) B to dst[n·m], for the transpose of A in a[k·n], and b[k·m].
func WeightedTA(dst, a, w, b []float64, n, k, m int) { weighted(dst, a, 1, n, w, b, n, k, m) }

// WeightedTB writes A diag(w) B to dst[n·m], for a[n·k] and the transpose of B in b[m·k].
func WeightedTB(dst, a, w, b []float64, n, k, m int) {
	space := rowSpace.Get().(*[]float64)
	defer rowSpace.Put(space)
	weighted(dst, a, k, 1, w, transposed(space, b, m, k), n, k, m)
}

// WeightedTAB writes A diag(w) B to dst[n·m], for the transposes of A in a[k·n] and of B in b[m·k].
func WeightedTAB(dst, a, w, b []float64, n, k, m int) {
	space := rowSpace.Get().(*[]float64)
	defer rowSpace.Put(space)
	weighted(dst, a, 1, n, w, transposed(space, b, m, k), n, k, m)
}

// weighted is Weighted for A_il in a[i·row + l·column].
func weighted(dst, a []float64, row, column int, w, b []float64, n, k, m int) {
	space := rowSpace.Get().(*[]float64)
	defer rowSpace.Put(space)
	if len(*space) < k {
		*space = make([]float64, k)
	}
	f := (*space)[:k]
	for i := range n {
		for l, v := range w[:k] {
			f[l] = float64(v * a[i*row+l*column])
		}
		to := dst[i*m:][:m]
		clear(to)
		kernel.AddRows(to, f, 0, 1, b, 0, m, k)
	}
}

// transposed is the transpose of a[rows·columns], in a space that it enlarges where it must.
func transposed(space *[]float64, a []float64, rows, columns int) []float64 {
	if len(*space) < rows*columns {
		*space = make([]float64, rows*columns)
	}
	t := (*space)[:rows*columns]
	for i := range rows {
		for j, v := range a[i*columns:][:columns] {
			t[j*rows+i] = v
		}
	}
	return t
}

// decompositions are work spaces for the functions below.
var decompositions = sync.Pool{New: func() any { return NewSymEigen(0) }}

// decomposed is the decomposition of the symmetric matrix a of order n, which goes back to decompositions; false where it is not finite.
func decomposed(n int, a []float64) (e *SymEigen, ok bool) {
	e = decompositions.Get().(*SymEigen)
	if e.N != n {
		e.resize(n)
	}
	return e, e.Factor(a) == Factored
}

// Eigenvalues writes the eigenvalues of the symmetric positive semidefinite matrix a, ascending, to dst: what rounding makes of 0 below it is 0.
// Of a matrix that is not finite they are NaN.
func Eigenvalues(dst, a []float64) {
	e, ok := decomposed(len(dst), a)
	for i := range dst {
		if dst[i] = max(e.Values[i], 0); !ok {
			dst[i] = math.NaN()
		}
	}
	decompositions.Put(e)
}

// Eigenvectors writes the eigenvectors of the symmetric matrix a to the columns of dst, in the order of Eigenvalues.
func Eigenvectors(dst, a []float64) {
	n := order(dst)
	e, ok := decomposed(n, a)
	for i := range n {
		for k := range n {
			if dst[i*n+k] = e.Vectors[k*n+i]; !ok {
				dst[i*n+k] = math.NaN()
			}
		}
	}
	decompositions.Put(e)
}
