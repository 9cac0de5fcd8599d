package linalg

import (
	"fmt"
	"math"
)

// Part is a set of coordinates that a matrix couples to no other part: a spine
// of N consecutive coordinates from Spine on, whose own block is banded, with
// half width Width (0: diagonal), and a border of further coordinates, coupled
// to all of the part. Without a border it is a band, with Width 0 an arrow,
// with N = 0 a dense block.
type Part struct {
	Spine, N, Width int
	Border          []int
}

// size returns how many numbers of a packed matrix the part takes.
func (p Part) size() int {
	m := len(p.Border)
	return (p.Width+1)*p.N + m*p.N + m*m
}

// Structured is the factorisation G = R Rᵀ of a symmetric positive definite
// matrix that is made of independent parts. Its methods are those of Cholesky,
// with the same arithmetic in another order: R is lower triangular after a
// permutation. For bounded widths and borders, time and memory are
// proportional to the number of coordinates.
//
// Matrices are packed, one part after the other. A part with a spine of length
// n and width w, and a border of length m, has
//
//	b[o·n + i]            G of spine coordinates i and i − o, for o = 0 … w, i ≥ o,
//	b[(w+1)·n + r·n + i]  G of border coordinate r and spine coordinate i,
//	b[(w+1+m)·n + r·m + s]  G of border coordinates r and s, in full,
//
// counted within the part. The numbers for i < o are not used: they are never
// read, and Inverse and Pack set them to 0. Vectors are in the order of the
// coordinates, not of the parts.
//
// After a Factor that did not return Factored, Solve, Quad, LogDet, MulL and
// Inverse compute without meaning.
type Structured struct {
	N int // the order of the matrix

	blocks     []block
	length     int
	pivot      []float64 // the pivots of all spines
	diagonal   []float64 // the diagonals of the Cholesky factors of all corners
	work, ends []float64 // for one spine and for one border
}

// NewStructured returns work space for matrices of order dim. Every coordinate
// must belong to exactly one part; else it panics.
func NewStructured(dim int, parts []Part) *Structured {
	c := &Structured{N: dim, blocks: make([]block, len(parts))}
	checkParts(dim, parts)
	longest, widest, spines := 0, 0, 0
	for _, p := range parts {
		longest, widest = max(longest, p.N), max(widest, len(p.Border))
		spines += p.N
	}
	c.pivot, c.diagonal = make([]float64, spines), make([]float64, dim-spines)
	c.work, c.ends = make([]float64, longest), make([]float64, widest)
	pivot, diagonal := c.pivot, c.diagonal
	for i, p := range parts {
		m := len(p.Border)
		c.blocks[i] = newBlock(p, c.length, pivot[:p.N:p.N], diagonal[:m:m])
		c.length += p.size()
		pivot, diagonal = pivot[p.N:], diagonal[m:]
	}
	return c
}

// checkParts panics if the parts are not a partition of the dim coordinates.
func checkParts(dim int, parts []Part) {
	seen := make([]bool, dim)
	take := func(part, i int) {
		if i < 0 || i >= dim || seen[i] {
			panic(fmt.Sprintf("linalg: part %d has coordinate %d, which is in a part before or outside of 0 to %d", part, i, dim-1))
		}
		seen[i] = true
	}
	for k, p := range parts {
		if p.N < 0 || p.Width < 0 {
			panic(fmt.Sprintf("linalg: part %d has length %d and width %d", k, p.N, p.Width))
		}
		for i := range p.N {
			take(k, p.Spine+i)
		}
		for _, i := range p.Border {
			take(k, i)
		}
	}
	for i, s := range seen {
		if !s {
			panic(fmt.Sprintf("linalg: coordinate %d is in no part", i))
		}
	}
}

// Len returns how many numbers a packed matrix has.
func (c *Structured) Len() int { return c.length }

// Start returns where the numbers of a part start in a packed matrix.
func (c *Structured) Start(part int) int { return c.blocks[part].start }

// Factor factorises the packed matrix b, of which it reads no unused number and
// no corner above its diagonal. It leaves b as it is.
//
// A pivot of a spine below 2⁻¹⁰²⁴ has no finite reciprocal. Without a border it
// is Factored all the same, as in DiagonalFactor, and Solve overflows.
func (c *Structured) Factor(b []float64) Outcome {
	b = b[:c.length]
	for i := range c.blocks {
		switch c.blocks[i].factor(b) {
		case NonFinite:
			return NonFinite
		case NotPositiveDefinite:
			// As in Cholesky, a NaN anywhere comes first.
			if !c.finiteUsed(b) {
				return NonFinite
			}
			return NotPositiveDefinite
		}
	}
	return Factored
}

// finiteUsed reports whether the numbers that Factor reads are finite.
func (c *Structured) finiteUsed(b []float64) bool {
	for i := range c.blocks {
		if !c.blocks[i].finiteUsed(b) {
			return false
		}
	}
	return true
}

// LogDet returns log det G.
func (c *Structured) LogDet() float64 { return sumLog(c.pivot) + float64(2*sumLog(c.diagonal)) }

// Solve computes v = G⁻¹ p. v and p may be the same slice.
func (c *Structured) Solve(v, p []float64) {
	v, p = v[:c.N], p[:c.N]
	for i := range c.blocks {
		c.blocks[i].solve(v, p, c.ends)
	}
}

// Quad returns the quadratic form pᵀ G⁻¹ p.
func (c *Structured) Quad(p []float64) float64 {
	p = p[:c.N]
	sum := 0.0
	for i := range c.blocks {
		sum += c.blocks[i].quad(p, c.work, c.ends)
	}
	return sum
}

// Whiten computes z = R⁻¹ p with the root R of MulL, which has the length
// √(pᵀ G⁻¹ p). z and p may be the same slice.
func (c *Structured) Whiten(z, p []float64) {
	z, p = z[:c.N], p[:c.N]
	for i := range c.blocks {
		c.blocks[i].whiten(z, p, c.work, c.ends)
	}
}

// MulL computes p = R z, which turns standard normal variates z into a draw
// from N(0, G). p and z may be the same slice.
func (c *Structured) MulL(p, z []float64) {
	p, z = p[:c.N], z[:c.N]
	for i := range c.blocks {
		c.blocks[i].mulRoot(p, z, c.work, c.ends)
	}
}

// Inverse writes those entries of G⁻¹ that lie in the pattern to the packed
// matrix w. The corners are symmetric to the last bit, unused numbers zero.
func (c *Structured) Inverse(w []float64) {
	w = w[:c.length]
	for i := range c.blocks {
		c.blocks[i].inverse(w)
	}
}

// RootDiagonal writes the roots of the diagonal of the packed matrix b to dst[N].
func (c *Structured) RootDiagonal(dst, b []float64) {
	for q := range c.blocks {
		k := &c.blocks[q]
		spine := dst[k.Spine:][:k.N]
		for i, x := range b[k.start:][:k.N] {
			spine[i] = math.Sqrt(x)
		}
		m := len(k.Border)
		for r, row := range k.Border {
			dst[row] = math.Sqrt(b[k.corner+r*(m+1)])
		}
	}
}

// Form returns the quadratic form dᵀ G d of the packed matrix b.
func (c *Structured) Form(d, b []float64) float64 {
	sum := 0.0
	for q := range c.blocks {
		k := &c.blocks[q]
		n, m := k.N, len(k.Border)
		x := d[k.Spine:][:n]
		sum += weightedSquare(x, b[k.start:][:n])
		for o := 1; o < min(k.Width+1, n); o++ {
			sum += float64(2 * weightedProduct(b[k.start+o*n:][o:n], x[o:], x))
		}
		for r, i := range k.Border {
			row := float64(2 * dot(b[k.edge+r*n:][:n], x))
			for s, j := range k.Border {
				row += float64(b[k.corner+r*m+s] * d[j])
			}
			sum += float64(d[i] * row)
		}
	}
	return sum
}

// positive reports whether x can be a pivot.
func positive(x float64) bool { return x > 0 && x <= math.MaxFloat64 }

// Span returns the n coordinates from first on, for the border of a Part.
func Span(first, n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = first + i
	}
	return s
}
