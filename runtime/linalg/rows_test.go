package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestByRows: what is computed as sums of rows has the bits of the loops over elements, of all orders up to several vectors.
func TestByRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	same := func(what string, n int, got, want []float64) {
		t.Helper()
		for i, v := range want {
			if math.Float64bits(got[i]) != math.Float64bits(v) {
				t.Fatalf("%s of order %d: element %d is %v by rows, %v by elements", what, n, i, got[i], v)
			}
		}
	}
	normal := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		return x
	}
	for n := 1; n < 75; n++ {
		b := normal(n * n)
		g := make([]float64, n*n)
		Mul(g, b, b)
		MulTB(g, b, b)
		for i := range n {
			g[i*n+i]++
		}
		rows, columns := NewCholesky(n), NewCholesky(n)
		if rows.factorByRows(g) != Factored || columns.factorByColumns(g) != Factored {
			t.Fatalf("the matrix of order %d is not positive definite", n)
		}
		same("L", n, rows.L, columns.L)
		same("the diagonal", n, rows.diagonal, columns.diagonal)
		same("its reciprocal", n, rows.reciprocal, columns.reciprocal)
		got, want := make([]float64, n*n), make([]float64, n*n)
		choleskyAdjointByRows(got, rows.L, b, n)
		choleskyAdjointByElements(want, rows.L, b, n)
		same("the adjoint", n, got, want)

		k, m := 1+rng.IntN(30), 1+rng.IntN(30)
		x, y := normal(n*k), normal(m*k)
		got, want = make([]float64, n*m), make([]float64, n*m)
		productTBByRows(got, x, y, n, k, m)
		for i := range n {
			for j := range m {
				for l := range k {
					want[i*m+j] += float64(x[i*k+l] * y[j*k+l])
				}
			}
		}
		same("ABᵀ", n, got, want)

		// What is not positive definite leaves nothing above the diagonal, whatever the pivot.
		p := rng.IntN(n)
		g[p*n+p] = -1
		if got, want := rows.factorByRows(g), NotPositiveDefinite; got != want {
			t.Fatalf("the pivot %d of %d: %v, want %v", p, n, got, want)
		}
		g[p*n] = math.NaN()
		if got, want := rows.factorByRows(g), NonFinite; got != want {
			t.Fatalf("the pivot %d of %d: %v, want %v", p, n, got, want)
		}
		for i := range n {
			for j := i + 1; j < n; j++ {
				if rows.L[i*n+j] != 0 {
					t.Fatalf("order %d, pivot %d: %v above the diagonal", n, p, rows.L[i*n+j])
				}
			}
		}
	}
}

// TestWideBands: so have wide bands, whatever their length.
func TestWideBands(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	for w := 1; w < 40; w++ {
		for _, n := range []int{1, 2, w, w + 1, 3*w + rng.IntN(20)} {
			diagonals, bar := make([][]float64, w+1), make([][]float64, w+1)
			for o := range diagonals {
				diagonals[o], bar[o] = make([]float64, n), make([]float64, n)
				for i := range n {
					diagonals[o][i], bar[o][i] = rng.NormFloat64()/float64(w), rng.NormFloat64()
				}
			}
			for i := range n {
				diagonals[0][i] += 4
			}
			compare := func(what string, wide, narrow func(dst []float64)) []float64 {
				t.Helper()
				got, want := make([]float64, (w+1)*n), make([]float64, (w+1)*n)
				for i := range got {
					got[i], want[i] = math.NaN(), math.NaN()
				}
				wide(got)
				narrow(want)
				for i, v := range want {
					if got[i] != v && !(math.IsNaN(v) && math.IsNaN(got[i])) {
						t.Fatalf("%s of half width %d, order %d: element %d is %v, want %v", what, w, n, i, got[i], v)
					}
				}
				return want
			}
			l := compare("the factor", func(dst []float64) { wideCholesky(dst, diagonals) }, func(dst []float64) { narrowCholesky(dst, diagonals) })
			compare("the adjoint", func(dst []float64) { wideAdjoint(dst, l, bar) }, func(dst []float64) { narrowAdjoint(dst, l, bar) })
			diagonals[0][rng.IntN(n)] = -1
			compare("no factor", func(dst []float64) { wideCholesky(dst, diagonals) }, func(dst []float64) { narrowCholesky(dst, diagonals) })
		}
	}
}

// BenchmarkWideBands times both forms of a factorisation of a band and of its adjoint.
func BenchmarkWideBands(b *testing.B) {
	const n = 360
	for _, w := range []int{3, 5, 8, 12, 20, 35} {
		diagonals := make([][]float64, w+1)
		for o := range diagonals {
			diagonals[o] = make([]float64, n)
			for i := range n {
				diagonals[o][i] = math.Exp(-float64(o))
			}
		}
		l, dst := make([]float64, (w+1)*n), make([]float64, (w+1)*n)
		narrowCholesky(l, diagonals)
		for _, x := range []struct {
			name string
			f    func()
		}{
			{"Cholesky/wide", func() { wideCholesky(dst, diagonals) }},
			{"Cholesky/narrow", func() { narrowCholesky(dst, diagonals) }},
			{"Adjoint/wide", func() { wideAdjoint(dst, l, diagonals) }},
			{"Adjoint/narrow", func() { narrowAdjoint(dst, l, diagonals) }},
		} {
			b.Run(fmt.Sprintf("%s/%d", x.name, w), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					x.f()
				}
			})
		}
	}
}

// BenchmarkByRows times both forms of a factorisation and of its adjoint.
func BenchmarkByRows(b *testing.B) {
	for _, n := range []int{6, 8, 12, 16, 24, 32, 100, 300} {
		g := make([]float64, n*n)
		for i := range n {
			for j := range n {
				g[i*n+j] = math.Exp(-math.Abs(float64(i - j)))
			}
		}
		c, dst := NewCholesky(n), make([]float64, n*n)
		c.Factor(g)
		for _, x := range []struct {
			name string
			f    func()
		}{
			{"Factor/rows", func() { c.factorByRows(g) }},
			{"Factor/columns", func() { c.factorByColumns(g) }},
			{"CholeskyAdjoint/rows", func() { choleskyAdjointByRows(dst, c.L, g, n) }},
			{"CholeskyAdjoint/elements", func() { choleskyAdjointByElements(dst, c.L, g, n) }},
			{"Inverse", func() { c.Inverse(dst) }},
		} {
			b.Run(fmt.Sprintf("%s/%d", x.name, n), func(b *testing.B) {
				for range b.N {
					x.f()
				}
			})
		}
	}
}
