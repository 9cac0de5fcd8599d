package linalg

import (
	"math"
	"math/rand/v2"
	"testing"
)

// entry is that of a or of its transpose.
func entry(a []float64, n, i, j int, transposed bool) float64 {
	if transposed {
		i, j = j, i
	}
	return a[i*n+j]
}

// TestProducts compares the products of square matrices with sums of their elements.
func TestProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, x := range []struct {
		name        string
		mul         func(dst, a, b []float64)
		left, right bool
	}{{"Mul", Mul, false, false}, {"MulTA", MulTA, true, false}, {"MulTB", MulTB, false, true}, {"MulTAB", MulTAB, true, true}} {
		for n := range 14 {
			a, b, dst := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
			for i := range a {
				a[i], b[i], dst[i] = rng.NormFloat64(), rng.NormFloat64(), math.NaN()
			}
			x.mul(dst, a, b)
			for i := range n {
				for j := range n {
					want := 0.0
					for k := range n {
						want += entry(a, n, i, k, x.left) * entry(b, n, k, j, x.right)
					}
					if got := dst[i*n+j]; !(math.Abs(got-want) <= 1e-13) {
						t.Errorf("%s of order %d: element %d, %d is %v, want %v", x.name, n, i, j, got, want)
					}
				}
			}
		}
	}
}
