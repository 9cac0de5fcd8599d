package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestRows: sums and differences of rows are those of the formulas in their orders, to the last bit, for all lengths up to several
// vectors, steps of either sign, and nothing around dst is written.
func TestRows(t *testing.T) {
	onAllPaths(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		for n := range 75 {
			for k := range 12 {
				fStep, bStep := rng.IntN(5)-2, rng.IntN(2*n+9)-n-4
				f, b := fill(rng, 60), fill(rng, 13*(n+5)*2)
				fAt, bAt := 30, 13*(n+5)-n
				before := fill(rng, n+2)
				for _, c := range []struct {
					name string
					rows func(dst, f []float64, fAt, fStep int, b []float64, bAt, bStep, k int)
					want func(v float64, p []float64) float64
				}{
					{"AddRows", AddRows, func(v float64, p []float64) float64 {
						for ; len(p) >= 4; p = p[4:] {
							v += (p[0] + p[1]) + (p[2] + p[3])
						}
						for _, x := range p {
							v += x
						}
						return v
					}},
					{"SubtractRows", SubtractRows, func(v float64, p []float64) float64 {
						for _, x := range p {
							v -= x
						}
						return v
					}},
				} {
					all := append([]float64(nil), before...)
					c.rows(all[1:n+1], f, fAt, fStep, b, bAt, bStep, k)
					for i, got := range all {
						want := before[i]
						if i > 0 && i <= n {
							p := make([]float64, k)
							for l := range p {
								p[l] = float64(f[fAt+l*fStep] * b[bAt+l*bStep+i-1])
							}
							want = c.want(want, p)
						}
						if got != want {
							t.Fatalf("%s: element %d of %d, %d rows, steps %d and %d: %v, want %v", c.name, i-1, n, k, fStep, bStep, got, want)
						}
					}
				}
			}
		}
	})
}

// TestRowsBeyond: rows that are not there panic before anything is written.
func TestRowsBeyond(t *testing.T) {
	onAllPaths(t, func(t *testing.T) {
		for _, c := range [][5]int{{0, 1, 0, 10, 4}, {0, 1, 9, -10, 2}, {0, 7, 0, 1, 2}, {3, -2, 0, 1, 3}, {0, 0, 21, 0, 1}} {
			dst := make([]float64, 10)
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%v does not panic", c)
					}
				}()
				SubtractRows(dst, []float64{1, 1, 1, 1, 1}, c[0], c[1], make([]float64, 30), c[2], c[3], c[4])
			}()
		}
	})
}

// BenchmarkRows times sums of as many rows as elements.
func BenchmarkRows(b *testing.B) {
	for _, n := range []int{4, 8, 20, 50, 100, 300} {
		rng := rand.New(rand.NewPCG(1, 2))
		dst, f, x := make([]float64, n), fill(rng, n), fill(rng, n*n)
		for path = portable; path <= best(); path++ {
			b.Run(fmt.Sprintf("AddRows/%d/%v", n, path), func(b *testing.B) {
				for range b.N {
					AddRows(dst, f, 0, 1, x, 0, n, n)
				}
			})
			b.Run(fmt.Sprintf("SubtractRows/%d/%v", n, path), func(b *testing.B) {
				for range b.N {
					SubtractRows(dst, f, 0, 1, x, 0, n, n)
				}
			})
		}
		path = best()
	}
}
