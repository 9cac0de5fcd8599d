// Package kernel holds the loops over data of compiled models: products with
// the design matrix, weighted Gram matrices, quadratic forms per row, and
// elementwise exponentials, logarithms and logistic functions.
//
// Every function has one fixed order of summation, and every product is
// rounded before it is added, written float64(a*b) + c, which forbids the
// compiler to fuse the two. The results therefore have the same bits on every
// architecture and under every GOAMD64.
//
// On amd64 the elementwise functions and SumLog1pExp are assembly where the
// processor has AVX-512 or AVX2, with the same bits again. Module asm writes
// it; the build tag purego leaves it out.
//
// Slices that are too short are a programming error and panic; a result must
// not overlap an operand unless the function says that it may.
package kernel

// Matrix is a real matrix of Rows × Cols held in both layouts, because some
// loops read rows and others columns: x_ij is RowMajor[i·Cols+j] and
// ColMajor[j·Rows+i]. It is not modified once NewMatrix has made it, and copies
// share their entries.
type Matrix struct {
	Rows, Cols         int
	RowMajor, ColMajor []float64

	pairs []tile // products of columns, nil if there are too many; see newPairs
}

// NewMatrix returns the rows × cols matrix with the entries rowMajor[i·cols+j].
// It keeps rowMajor and makes the other layout, and if the matrix is small the
// products of its columns.
func NewMatrix(rows, cols int, rowMajor []float64) Matrix {
	rowMajor = rowMajor[: rows*cols : rows*cols]
	colMajor := make([]float64, rows*cols)
	for i := range rows {
		for j, v := range rowMajor[i*cols : (i+1)*cols] {
			colMajor[j*rows+i] = v
		}
	}
	return Matrix{
		Rows: rows, Cols: cols, RowMajor: rowMajor, ColMajor: colMajor,
		pairs: newPairs(rows, cols, rowMajor),
	}
}

// MulVec computes the product dst = X b: dst_i = Σ_j x_ij b_j, for b[Cols]
// and dst[Rows]. The terms are added in the order of j.
func MulVec(dst []float64, x *Matrix, b []float64) {
	n, k := x.Rows, x.Cols
	dst, b = dst[:n], b[:k]
	// Column by column no addition waits for the one before it; five
	// columns at a time dst is seldom loaded and stored.
	j := 0
	if rest := k % 5; rest > 0 || k == 0 {
		clear(dst)
		for ; j < rest; j++ {
			c, f := x.ColMajor[j*n:][:len(dst)], b[j]
			for i := range dst {
				dst[i] += float64(f * c[i])
			}
		}
	}
	for ; j+5 <= k; j += 5 {
		c0 := x.ColMajor[j*n:][:len(dst)]
		c1 := x.ColMajor[(j+1)*n:][:len(dst)]
		c2 := x.ColMajor[(j+2)*n:][:len(dst)]
		c3 := x.ColMajor[(j+3)*n:][:len(dst)]
		c4 := x.ColMajor[(j+4)*n:][:len(dst)]
		f0, f1, f2, f3, f4 := b[j], b[j+1], b[j+2], b[j+3], b[j+4]
		if j == 0 {
			for i := range dst {
				s := float64(f0*c0[i]) + float64(f1*c1[i])
				s += float64(f2 * c2[i])
				s += float64(f3 * c3[i])
				dst[i] = s + float64(f4*c4[i])
			}
			continue
		}
		for i := range dst {
			s := dst[i] + float64(f0*c0[i])
			s += float64(f1 * c1[i])
			s += float64(f2 * c2[i])
			s += float64(f3 * c3[i])
			dst[i] = s + float64(f4*c4[i])
		}
	}
}

// MulTVec computes the product dst = Xᵀ c: dst_j = Σ_i c_i x_ij, for c[Rows]
// and dst[Cols]. The terms are added two by two, in the order of i.
func MulTVec(dst []float64, x *Matrix, c []float64) {
	n, k := x.Rows, x.Cols
	dst, c = dst[:k], c[:n]
	j := 0
	for ; j+5 <= k; j += 5 {
		c0 := x.ColMajor[j*n:][:len(c)]
		c1 := x.ColMajor[(j+1)*n:][:len(c)]
		c2 := x.ColMajor[(j+2)*n:][:len(c)]
		c3 := x.ColMajor[(j+3)*n:][:len(c)]
		c4 := x.ColMajor[(j+4)*n:][:len(c)]
		var s0, s1, s2, s3, s4 float64
		i := 0
		for ; i < len(c)-1; i += 2 {
			f, g := c[i], c[i+1]
			s0 += float64(f*c0[i]) + float64(g*c0[i+1])
			s1 += float64(f*c1[i]) + float64(g*c1[i+1])
			s2 += float64(f*c2[i]) + float64(g*c2[i+1])
			s3 += float64(f*c3[i]) + float64(g*c3[i+1])
			s4 += float64(f*c4[i]) + float64(g*c4[i+1])
		}
		if i < len(c) {
			f := c[i]
			s0 += float64(f * c0[i])
			s1 += float64(f * c1[i])
			s2 += float64(f * c2[i])
			s3 += float64(f * c3[i])
			s4 += float64(f * c4[i])
		}
		dst[j], dst[j+1], dst[j+2], dst[j+3], dst[j+4] = s0, s1, s2, s3, s4
	}
	for ; j+2 <= k; j += 2 {
		c0 := x.ColMajor[j*n:][:len(c)]
		c1 := x.ColMajor[(j+1)*n:][:len(c)]
		var s0, s1 float64
		i := 0
		for ; i < len(c)-1; i += 2 {
			f, g := c[i], c[i+1]
			s0 += float64(f*c0[i]) + float64(g*c0[i+1])
			s1 += float64(f*c1[i]) + float64(g*c1[i+1])
		}
		if i < len(c) {
			s0 += float64(c[i] * c0[i])
			s1 += float64(c[i] * c1[i])
		}
		dst[j], dst[j+1] = s0, s1
	}
	if j < k {
		c0 := x.ColMajor[j*n:][:len(c)]
		var s float64
		i := 0
		for ; i < len(c)-1; i += 2 {
			s += float64(c[i]*c0[i]) + float64(c[i+1]*c0[i+1])
		}
		if i < len(c) {
			s += float64(c[i] * c0[i])
		}
		dst[j] = s
	}
}
