package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestMatrixProducts: each product has, column by column, the bits of MulVec or MulTVec, and allocates nothing.
func TestMatrixProducts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	normal := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = random.NormFloat64()
		}
		return v
	}
	for _, size := range [][3]int{{0, 3, 2}, {3, 0, 2}, {3, 2, 0}, {1, 1, 1}, {7, 5, 3}, {600, 9, 2}} {
		rows, cols, n := size[0], size[1], size[2]
		x := NewMatrix(rows, cols, normal(rows*cols))
		for _, p := range []struct {
			name               string
			product            func(dst []float64, x *Matrix, b []float64)
			column             func(dst []float64, x *Matrix, b []float64)
			out, in            int
			transposed, turned bool
		}{
			{"MulMat", MulMat, MulVec, rows, cols, false, false},
			{"MulMatT", MulMatT, MulVec, rows, cols, true, false},
			{"MulMatTurned", MulMatTurned, MulVec, rows, cols, false, true},
			{"MulMatTTurned", MulMatTTurned, MulVec, rows, cols, true, true},
			{"MulTMat", MulTMat, MulTVec, cols, rows, false, false},
			{"MulTMatT", MulTMatT, MulTVec, cols, rows, true, false},
			{"MulTMatTurned", MulTMatTurned, MulTVec, cols, rows, false, true},
			{"MulTMatTTurned", MulTMatTTurned, MulTVec, cols, rows, true, true},
		} {
			t.Run(fmt.Sprint(p.name, size), func(t *testing.T) {
				b, got := normal(p.in*n), normal(p.out*n)
				p.product(got, &x, b)
				for j := range n {
					from, want := make([]float64, p.in), make([]float64, p.out)
					for i := range from {
						from[i] = b[i*n+j]
						if p.transposed {
							from[i] = b[j*p.in+i]
						}
					}
					p.column(want, &x, from)
					for i, w := range want {
						at := i*n + j
						if p.turned {
							at = j*p.out + i
						}
						if got[at] != w {
							t.Fatalf("element %d, %d is %v, not %v", i, j, got[at], w)
						}
					}
				}
				if a := testing.AllocsPerRun(10, func() { p.product(got, &x, b) }); a != 0 {
					t.Errorf("%v allocations", a)
				}
			})
		}
	}
}
