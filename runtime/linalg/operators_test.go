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

// TestRectangularProducts compares those of matrices of any sizes, with weights and without, with sums of their elements.
func TestRectangularProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	type product = func(dst, a, w, b []float64, n, k, m int)
	plain := func(mul func(dst, a, b []float64, n, k, m int)) product {
		return func(dst, a, w, b []float64, n, k, m int) {
			for l := range w {
				w[l] = 1
			}
			mul(dst, a, b, n, k, m)
		}
	}
	for _, x := range []struct {
		name        string
		mul         product
		left, right bool
	}{
		{"Product", plain(Product), false, false}, {"ProductTA", plain(ProductTA), true, false},
		{"ProductTB", plain(ProductTB), false, true}, {"ProductTAB", plain(ProductTAB), true, true},
		{"Weighted", Weighted, false, false}, {"WeightedTA", WeightedTA, true, false},
		{"WeightedTB", WeightedTB, false, true}, {"WeightedTAB", WeightedTAB, true, true},
	} {
		for _, size := range [][3]int{{0, 2, 3}, {2, 0, 3}, {2, 3, 0}, {1, 1, 1}, {3, 5, 9}, {9, 4, 2}, {6, 11, 7}, {33, 41, 50}} {
			n, k, m := size[0], size[1], size[2]
			a, w, b, dst := make([]float64, n*k), make([]float64, k), make([]float64, k*m), make([]float64, n*m)
			for _, v := range [][]float64{a, w, b, dst} {
				for i := range v {
					v[i] = rng.NormFloat64()
				}
			}
			columns := func(turned bool, rows, cols int) int {
				if turned {
					return rows
				}
				return cols
			}
			x.mul(dst, a, w, b, n, k, m)
			for i := range n {
				for j := range m {
					want := 0.0
					for l := range k {
						want += w[l] * entry(a, columns(x.left, n, k), i, l, x.left) * entry(b, columns(x.right, k, m), l, j, x.right)
					}
					if got := dst[i*m+j]; !(math.Abs(got-want) <= 1e-13) {
						t.Errorf("%s of %v: element %d, %d is %v, want %v", x.name, size, i, j, got, want)
					}
				}
			}
		}
	}
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
