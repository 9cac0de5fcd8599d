package kernel

import "math"

// The products x_ij x_il, l ≤ j, of a small matrix are made once. WeightedGram
// then multiplies the transposed matrix of products with w, and QuadForms the
// matrix of products with the packed weights.

// tileCols is the number of products in a tile: as many sums as stay in
// registers beside their operands.
const tileCols = 5

// tile holds consecutive products of one row, in the order (j, l) = (0, 0),
// (1, 0), (1, 1), (2, 0), …; the last tile of a row is filled up with zeros.
type tile [tileCols]float64

// The largest matrices with products: maxPairs of them take 1 MiB, which a
// second-level cache holds. With more columns a loop over products is no faster
// than gramBlock and quadBlock, which stay in the first level.
const (
	maxPairCols = 20
	maxPairs    = 1 << 17
)

// newPairs returns the products of the n × k matrix a: the first tiles of all
// rows, then the second ones and so on. It returns nil if they are too many or
// if one of them overflows or loses digits, since w x_ij x_il need not.
func newPairs(n, k int, a []float64) []tile {
	if n == 0 || k == 0 || k > maxPairCols || n > maxPairs/(k*(k+1)/2) {
		return nil
	}
	for _, v := range a {
		if b := math.Abs(v); !(b <= 0x1p500) || b < 0x1p-500 && b != 0 {
			return nil
		}
	}
	pairs := make([]tile, n*((k*(k+1)/2+tileCols-1)/tileCols))
	for i := range n {
		row := a[i*k : (i+1)*k]
		c := 0
		for j, v := range row {
			for _, u := range row[:j+1] {
				pairs[c/tileCols*n+i][c%tileCols] = float64(v * u)
				c++
			}
		}
	}
	return pairs
}

// gramPairs writes Σ_i w_i x_ij x_il, l ≤ j, to the lower triangle of dst.
func gramPairs(dst []float64, x *Matrix, w []float64) {
	n, k := x.Rows, x.Cols
	j, l := 0, 0
	for t := 0; t < len(x.pairs); t += n {
		for _, s := range gramTiles(x.pairs[t:t+n], w) {
			if j == k {
				break
			}
			dst[j*k+l] = s
			if l++; l > j {
				j, l = j+1, 0
			}
		}
	}
}

// gramTiles returns Σ_i w_i rows_i. The terms are added two by two.
func gramTiles(rows []tile, w []float64) tile {
	rows = rows[:len(w)]
	var a0, a1, a2, a3, a4 float64
	i := 0
	for ; i < len(w)-1; i += 2 {
		r, u, f, g := &rows[i], &rows[i+1], w[i], w[i+1]
		a0 += float64(f*r[0]) + float64(g*u[0])
		a1 += float64(f*r[1]) + float64(g*u[1])
		a2 += float64(f*r[2]) + float64(g*u[2])
		a3 += float64(f*r[3]) + float64(g*u[3])
		a4 += float64(f*r[4]) + float64(g*u[4])
	}
	if i < len(w) {
		r, f := &rows[i], w[i]
		a0 += float64(f * r[0])
		a1 += float64(f * r[1])
		a2 += float64(f * r[2])
		a3 += float64(f * r[3])
		a4 += float64(f * r[4])
	}
	return tile{a0, a1, a2, a3, a4}
}

// quadPairs writes Σ_j (w_jj x_ij x_ij + Σ_l<j 2 w_jl x_ij x_il) to dst_i. The
// terms are added tile by tile.
func quadPairs(dst []float64, x *Matrix, w []float64) {
	n, k := x.Rows, x.Cols
	clear(dst)
	j, l := 0, 0
	for t := 0; t < len(x.pairs); t += n {
		var f tile
		for c := range f {
			if j == k {
				break
			}
			if f[c] = w[j*k+l]; l < j {
				f[c] *= 2
			}
			if l++; l > j {
				j, l = j+1, 0
			}
		}
		quadTiles(dst, x.pairs[t:t+n], &f)
	}
}

// quadTiles adds the inner products of the rows with f to dst.
func quadTiles(dst []float64, rows []tile, f *tile) {
	rows = rows[:len(dst)]
	f0, f1, f2, f3, f4 := f[0], f[1], f[2], f[3], f[4]
	i := 0
	for ; i < len(dst)-1; i += 2 {
		r, u := &rows[i], &rows[i+1]
		dst[i] += (float64(f0*r[0]) + float64(f1*r[1])) + (float64(f2*r[2]) + float64(f3*r[3])) + float64(f4*r[4])
		dst[i+1] += (float64(f0*u[0]) + float64(f1*u[1])) + (float64(f2*u[2]) + float64(f3*u[3])) + float64(f4*u[4])
	}
	if i < len(dst) {
		r := &rows[i]
		dst[i] += (float64(f0*r[0]) + float64(f1*r[1])) + (float64(f2*r[2]) + float64(f3*r[3])) + float64(f4*r[4])
	}
}
