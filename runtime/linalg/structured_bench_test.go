package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// dominant returns a random packed matrix of one part whose diagonal outweighs
// the rest of its row.
func dominant(rng *rand.Rand, n, width, border int) []float64 {
	b := normals(rng, (width+1)*n+border*n+border*border)
	for i := range n {
		b[i] = float64(8 * (2*width + border + 1))
	}
	corner := b[(width+1+border)*n:]
	for r := range border {
		for q := range r {
			corner[q*border+r] = corner[r*border+q]
		}
		corner[r*border+r] = float64(8 * (n + border))
	}
	return b
}

// BenchmarkStructured measures chains, wider bands and an arrow. That a second
// size takes as much longer as it is longer shows that time is linear.
func BenchmarkStructured(b *testing.B) {
	for _, c := range []struct{ n, width, border int }{
		{1000, 1, 0}, {100_000, 1, 0}, {1000, 0, 5}, {1000, 1, 5}, {1000, 2, 0}, {1000, 4, 0}, {1000, 8, 0},
	} {
		rng := rand.New(rand.NewPCG(1, 1))
		dim := c.n + c.border
		part := Part{N: c.n, Width: c.width}
		for i := range c.border {
			part.Border = append(part.Border, c.n+i)
		}
		s := NewStructured(dim, []Part{part})
		g, w := dominant(rng, c.n, c.width, c.border), make([]float64, s.Len())
		p, v := normals(rng, dim), make([]float64, dim)
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%s/n=%d/width=%d/border=%d", name, c.n, c.width, c.border), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					f()
				}
			})
		}
		run("Factor", func() {
			if s.Factor(g) != Factored {
				b.Fatal("not factored")
			}
		})
		run("Solve", func() { s.Solve(v, p) })
		run("MulL", func() { s.MulL(v, p) })
		run("Quad", func() { v[0] = s.Quad(p) })
		run("LogDet", func() { v[0] = s.LogDet() })
		run("Inverse", func() { s.Inverse(w) })
		run("SubtractSquare", func() { s.SubtractSquare(w, p) })
		if math.IsNaN(v[0]) {
			b.Fatal("NaN")
		}
	}
}
