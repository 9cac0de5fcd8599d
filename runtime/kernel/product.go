package kernel

import "sync"

// The products of a matrix of data with another matrix take its columns one by one, with the bits of MulVec and MulTVec. Of their names,
// T before Mat is that of Xᵀ; T behind it says that b holds Bᵀ, and Turned that dst does the transpose of the product.

// MulMat computes the product dst = X B, for b[Cols·n] and dst[Rows·n].
func MulMat(dst []float64, x *Matrix, b []float64) {
	byColumns(dst, x, b, MulVec, x.Rows, x.Cols, false, false)
}

// MulMatT computes dst = X B, for the transpose of B in b[n·Cols], and dst[Rows·n].
func MulMatT(dst []float64, x *Matrix, b []float64) {
	byColumns(dst, x, b, MulVec, x.Rows, x.Cols, true, false)
}

// MulMatTurned computes the transpose of X B, for b[Cols·n] and dst[n·Rows].
func MulMatTurned(dst []float64, x *Matrix, b []float64) {
	byColumns(dst, x, b, MulVec, x.Rows, x.Cols, false, true)
}

// MulMatTTurned computes the transpose of X B, for the transpose of B in b[n·Cols], and dst[n·Rows].
func MulMatTTurned(dst []float64, x *Matrix, b []float64) {
	byColumns(dst, x, b, MulVec, x.Rows, x.Cols, true, true)
}

// MulTMat computes the product dst = Xᵀ B, for b[Rows·n] and dst[Cols·n].
func MulTMat(dst []float64, x *Matrix, b []float64) {
	byColumns(dst, x, b, MulTVec, x.Cols, x.Rows, false, false)
}

// MulTMatT computes dst = Xᵀ B, for the transpose of B in b[n·Rows], and dst[Cols·n].
func MulTMatT(dst []float64, x *Matrix, b []float64) {
	byColumns(dst, x, b, MulTVec, x.Cols, x.Rows, true, false)
}

// MulTMatTurned computes the transpose of Xᵀ B, for b[Rows·n] and dst[n·Cols].
func MulTMatTurned(dst []float64, x *Matrix, b []float64) {
	byColumns(dst, x, b, MulTVec, x.Cols, x.Rows, false, true)
}

// MulTMatTTurned computes the transpose of Xᵀ B, for the transpose of B in b[n·Rows], and dst[n·Cols].
func MulTMatTTurned(dst []float64, x *Matrix, b []float64) {
	byColumns(dst, x, b, MulTVec, x.Cols, x.Rows, true, true)
}

// columnSpace holds columns that are not contiguous where they belong.
var columnSpace = sync.Pool{New: func() any { return new([]float64) }}

// byColumns sets the columns of a product, of rows elements each, by mul of those of b, of inner elements each. A matrix that is turned has
// its columns one after the other.
func byColumns(dst []float64, x *Matrix, b []float64, mul func(dst []float64, x *Matrix, b []float64), rows, inner int, bTurned, turned bool) {
	if rows == 0 {
		return
	}
	n := len(dst) / rows
	dst, b = dst[:rows*n], b[:inner*n]
	space := columnSpace.Get().(*[]float64)
	defer columnSpace.Put(space)
	if len(*space) < rows+inner {
		*space = make([]float64, rows+inner)
	}
	to, from := (*space)[:rows], (*space)[rows:][:inner]
	for j := range n {
		if bTurned {
			from = b[j*inner:][:inner]
		} else {
			for i := range from {
				from[i] = b[i*n+j]
			}
		}
		if turned {
			mul(dst[j*rows:][:rows], x, from)
			continue
		}
		mul(to, x, from)
		for i, v := range to {
			dst[i*n+j] = v
		}
	}
}
