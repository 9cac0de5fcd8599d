package linalg

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/kernel"
)

// What bandcholesky.go computes of wide bands, as sums of rows with the same bits. Columns of the lower triangle stand one after the other, from the diagonal down, and
// rows from the first entry to the diagonal, with zeros between them, which sums take a few of.

// leastWideBand is the least half width of bands for which that takes less time for the factor, and leastWideAdjoint that for its adjoint.
const (
	leastWideBand    = 8
	leastWideAdjoint = 16
)

// strip is the number of elements that a sum takes at a time: what it reads beside the band are less zeros than that.
const strip = 16

// wideBand is a band of half width w as an array of columns, entry i, j at column(i, j), or of rows, at row(i, j), with strip − 1 zeros before each and behind it.
type wideBand struct {
	w, stride int
	of        []float64
}

// bandSpace is how many numbers those of a band take.
func bandSpace(n, w int) int { return n*(w+strip) + strip }

// newWideBand is one of zeros, in a space.
func newWideBand(space []float64, n, w int) wideBand {
	b := wideBand{w: w, stride: w + strip, of: space[:bandSpace(n, w)]}
	clear(b.of)
	return b
}

func (b *wideBand) column(i, j int) int { return j*b.stride + strip - 1 + i - j }

func (b *wideBand) row(i, j int) int { return i*b.stride + strip - 1 + b.w + j - i }

// wideSpace are work spaces for a number of bands, and one for a diagonal and a row.
func wideSpace(space *[]float64, bands, n, w int) [][]float64 {
	size, rest := bandSpace(n, w), n+w+1
	if need := bands*size + rest; len(*space) < need {
		*space = make([]float64, need)
	}
	out := make([][]float64, 0, 4)
	for k := range bands {
		out = append(out, (*space)[k*size:][:size])
	}
	return append(out, (*space)[bands*size:][:rest])
}

// wideCholesky is BandCholesky of a wide band.
func wideCholesky(dst []float64, diagonals [][]float64) {
	n, w := len(diagonals[0]), len(diagonals)-1
	space := rowSpace.Get().(*[]float64)
	defer rowSpace.Put(space)
	l := newWideBand(wideSpace(space, 1, n, w)[0], n, w)
	for j := range n {
		end := min(j+w+1, n)
		column := l.of[l.column(j, j):][:end-j]
		for o := range column {
			column[o] = diagonals[o][j+o]
		}
		for from := j; from < end; from += strip {
			to := min(from+strip, end)
			first := max(0, from-w)
			kernel.SubtractRows(column[from-j:to-j], l.of, l.column(j, first), l.stride-1, l.of, l.column(from, first), l.stride-1, j-first)
		}
		v := column[0]
		if !positive(v) {
			fillNaN(dst[:(w+1)*n])
			return
		}
		d := math.Sqrt(v)
		column[0] = d
		for o := 1; o < len(column); o++ {
			column[o] /= d
		}
	}
	l.spread(dst, n)
}

// spread writes the columns to dst[(w+1)·n] diagonal by diagonal.
func (b *wideBand) spread(dst []float64, n int) {
	for o := range b.w + 1 {
		clear(dst[o*n:][:min(o, n)])
	}
	for j := range n {
		at := j
		for _, v := range b.of[b.column(j, j):][:min(b.w+1, n-j)] {
			dst[at] = v
			at += n + 1
		}
	}
}

// wideAdjoint is BandCholeskyAdjoint of a wide band.
func wideAdjoint(dst, l []float64, diagonals [][]float64) {
	n, w := len(diagonals[0]), len(diagonals)-1
	space := rowSpace.Get().(*[]float64)
	defer rowSpace.Put(space)
	parts := wideSpace(space, 3, n, w)
	columns, rows, g, last := newWideBand(parts[0], n, w), newWideBand(parts[1], n, w), newWideBand(parts[2], n, w), parts[3][:n]
	for j := range n {
		at := j
		column := columns.of[columns.column(j, j):][:min(w+1, n-j)]
		for o := range column {
			column[o] = l[at]
			at += n + 1
		}
		at = min(j, w)*n + j
		row := rows.of[rows.row(j, max(0, j-w)):][:min(j, w)+1]
		for k := range row {
			row[k] = l[at]
			at -= n
		}
	}
	own := parts[3][n:]
	for j := n - 1; j >= 0; j-- {
		end, begin := min(j+w, n-1), max(0, j-w)
		for from := j + 1; from <= end; from += strip {
			to := min(from+strip, end+1)
			kernel.SubtractRows(g.of[g.column(from, j):][:to-from], columns.of, columns.column(to-1, j), -1, g.of, g.column(from, to-1), 1-g.stride, to-1-j)
		}
		d := l[j]
		below := g.of[g.column(j+1, j):][:end-j]
		for k := range below {
			below[k] /= d
		}
		row := own[:j+1-begin]
		for k := range row {
			row[k] = diagonals[j-begin-k][j]
		}
		for from := begin; from <= j; from += strip {
			to := min(from+strip, j+1)
			if bottom := min(to-1+w, end); bottom > j {
				kernel.SubtractRows(row[from-begin:to-begin], g.of, g.column(bottom, j), -1, rows.of, rows.row(bottom, from), 1-rows.stride, bottom-j)
			}
		}
		v := row[j-begin] / (2 * d)
		last[j] = v
		to := g.column(j, begin)
		for k, x := range rows.of[rows.row(j, begin):][:j-begin] {
			g.of[to] = row[k] - float64(2*v*x)
			to += g.stride - 1
		}
	}
	g.spread(dst, n)
	copy(dst, last) // where there are zeros in g
}
