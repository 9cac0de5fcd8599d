package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestCombine: for each number of terms and lengths with and without a rest, the sums are those of the formula in its
// order, to the last bit, and nothing around dst is written.
func TestCombine(t *testing.T) {
	// added is the sum in the order of the documentation.
	added := func(x []float64) float64 {
		for len(x) > 1 {
			if len(x) == 9 {
				x = []float64{((x[0] + x[1]) + (x[2] + x[3])) + (x[4] + x[5]), (x[6] + x[7]) + x[8]}
			}
			var pairs []float64
			for i := 0; i < len(x); i += 2 {
				if i+1 == len(x) {
					pairs = append(pairs, x[i])
				} else {
					pairs = append(pairs, x[i]+x[i+1])
				}
			}
			x = pairs
		}
		return x[0]
	}
	onAllPaths(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		draw := func(n int) []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = rng.NormFloat64() * math.Exp2(float64(rng.IntN(60)-30))
			}
			return x
		}
		for terms := 1; terms <= maxTerms; terms++ {
			for n := range 40 {
				all := draw(n + 2)
				before, after := all[0], all[n+1]
				dst, y, x, w := all[1:n+1], draw(n), draw(16*n), draw(terms)
				rows := rng.Perm(16)[:terms]
				h := rng.NormFloat64()
				NewCombination(rows, w).AddTo(dst, y, x, h)
				for i, got := range dst {
					p := make([]float64, terms)
					for j, r := range rows {
						p[j] = float64(float64(h*w[j]) * x[r*n+i])
					}
					if want := y[i] + added(p); got != want {
						t.Fatalf("%d terms, element %d of %d: %v, want %v", terms, i, n, got, want)
					}
				}
				if all[0] != before || all[n+1] != after {
					t.Fatalf("%d terms of %d elements write around them", terms, n)
				}
			}
		}
	})
}

// TestLargestScaled: the largest are those of the formula, wherever they stand; a NaN anywhere shows.
func TestLargestScaled(t *testing.T) {
	onAllPaths(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		for n := range 20 {
			for range 20 {
				var x [4][]float64
				for j := range x {
					for range n {
						x[j] = append(x[j], rng.NormFloat64())
					}
				}
				atol, rtol := rng.ExpFloat64(), rng.ExpFloat64()
				p, q := LargestScaled(x[0], x[1], x[2], x[3], atol, rtol)
				wantP, wantQ := 0.0, 0.0
				for i := range n {
					r := 1 / (atol + float64(rtol*max(math.Abs(x[2][i]), math.Abs(x[3][i]))))
					wantP, wantQ = max(wantP, math.Abs(float64(x[0][i]*r))), max(wantQ, math.Abs(float64(x[1][i]*r)))
				}
				if p != wantP || q != wantQ {
					t.Fatalf("%d elements: %v and %v, want %v and %v", n, p, q, wantP, wantQ)
				}
				if n == 0 {
					continue
				}
				j, i := rng.IntN(4), rng.IntN(n)
				x[j][i] = math.NaN()
				if p, q = LargestScaled(x[0], x[1], x[2], x[3], atol, rtol); !math.IsNaN(p) && !math.IsNaN(q) {
					t.Fatalf("%d elements with a NaN: %v and %v", n, p, q)
				}
				x[j][i] = math.Inf(1)
				p, q = LargestScaled(x[0], x[1], x[2], x[3], atol, rtol)
				if bad := math.IsInf(p, 1) || math.IsInf(q, 1) || math.IsNaN(p) || math.IsNaN(q); bad != (j < 2) {
					t.Fatalf("%d elements with an infinity in slice %d: %v and %v", n, j, p, q)
				}
			}
		}
	})
}
