// Package kernel holds the loops over data of compiled models: products with
// the design matrix, weighted Gram matrices, quadratic forms per row, and
// elementwise exponentials, logarithms and logistic functions.
//
// Every function has one fixed order of summation, and every product is
// rounded before it is added, written float64(a*b) + c, which forbids the
// compiler to fuse the two. The results therefore have the same bits on every
// architecture and under every GOAMD64.
//
// A sum over rows is eight sums, of every eighth row each, within blocks of 512
// rows; the sums of the blocks are added one by one. A sum over columns is in
// the order of the columns. Vector instructions then compute eight rows at a
// time with the additions that scalar ones make.
//
// On amd64 all of this is assembly where the processor has AVX-512 or AVX2, with
// the same bits again. Module asm writes it; the build tag purego leaves it out.
//
// Slices that are too short are a programming error and panic; a result must
// not overlap an operand unless the function says that it may.
package kernel

// Matrix is a real matrix of Rows × Cols held in two layouts: row by row, x_ij
// being RowMajor[i·Cols+j], and in panels for the functions of this package. It
// is not modified once NewMatrix has made it, and copies share their entries.
type Matrix struct {
	Rows, Cols int
	RowMajor   []float64

	panels []column
}

// panelRows is the number of rows of a panel: what one AVX-512 register holds.
const panelRows = 8

// column is a column of a panel, that is of eight consecutive rows of a matrix. The
// panels of a matrix follow one another, each column by column, the last one filled
// up with rows of zeros: x_ij is panels[i/8·Cols+j][i%8].
type column = [panelRows]float64

// blockRows is the number of rows that a sum over rows passes over before it is
// added to dst. Eight columns of a block stay in the first-level cache. It
// also bounds the time in one call of the assembly, which Go's scheduler cannot
// interrupt.
const blockRows = 512

// NewMatrix returns the rows × cols matrix with the entries rowMajor[i·cols+j].
// It keeps rowMajor and makes the other layout.
func NewMatrix(rows, cols int, rowMajor []float64) Matrix {
	rowMajor = rowMajor[: rows*cols : rows*cols]
	panels := make([]column, panelCount(rows)*cols)
	for i := range rows {
		panel := panels[i/panelRows*cols:][:cols]
		for j, v := range rowMajor[i*cols:][:cols] {
			panel[j][i%panelRows] = v
		}
	}
	return Matrix{Rows: rows, Cols: cols, RowMajor: rowMajor, panels: panels}
}

// panelCount returns the number of panels of n rows.
func panelCount(n int) int { return (n + panelRows - 1) / panelRows }

// MulVec computes the product dst = X b: dst_i = Σ_j x_ij b_j, for b[Cols]
// and dst[Rows].
func MulVec(dst []float64, x *Matrix, b []float64) { x.forms(linear, dst, b[:x.Cols]) }

// QuadForms computes the quadratic form of every row of X:
// dst_i = Σ_jl x_ij w_jl x_il, for a symmetric w[Cols·Cols] and dst[Rows], as
// Σ_j x_ij (2 Σ_l<j w_jl x_il + w_jj x_ij). Only the lower triangle of w is read.
func QuadForms(dst []float64, x *Matrix, w []float64) { x.forms(quadratic, dst, w[:x.Cols*x.Cols]) }

// MulTVec computes the product dst = Xᵀ c: dst_j = Σ_i c_i x_ij, for c[Rows]
// and dst[Cols].
func MulTVec(dst []float64, x *Matrix, c []float64) { x.moments(firstMoment, dst[:x.Cols], c) }

// WeightedGram computes dst = Xᵀ diag(w) X: dst_jl = Σ_i (w_i x_ij) x_il for
// l ≤ j, for w[Rows] and dst[Cols·Cols], the full symmetric matrix.
func WeightedGram(dst []float64, x *Matrix, w []float64) {
	k := x.Cols
	dst = dst[:k*k]
	x.moments(secondMoment, dst, w)
	for j := range k {
		for l := range j {
			dst[l*k+j] = dst[j*k+l]
		}
	}
}
