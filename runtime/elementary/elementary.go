// Package elementary holds the elementary functions with the same bits on every machine.
//
// Those of package math are in assembly for some architectures, and Go code elsewhere that the
// compiler may fuse x*y + z in. Here every product is rounded before it is added, written
// float64(x*y) + z, and nothing else is used than operations that IEEE 754 determines: the
// four arithmetic ones, the square root, and bits. Special cases are those that package math documents.
//
// Errors, in units of the last place of the true value, as TestAccuracy measures them against values
// of 106 bits; results that are subnormal have at most 1:
//
//	Exp    0.55    Log10 0.51    Sinh  0.60    Pow   0.56
//	Expm1  0.75    Sin   0.80    Cosh  0.57    Erfc  0.75
//	Log    0.51    Cos   0.75    Tanh  1.00    Hypot 1.10
//	Log1p  0.51    Tan   1.30    Atan  1.00    Lgamma 3.0 for x > 0
//
// Exp has the bits of kernel.Exp. Log and Log1p are more accurate than those of package kernel, which are
// made for vectors.
package elementary

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/kernel"
)

//go:generate go run ./tables elementary

// Exp returns eˣ.
func Exp(x float64) float64 { return kernel.ExpOf(x) }

// horner returns Σ_k c_k zᵏ, even and odd powers apart: processors work on both at a time.
func horner(c []float64, z float64) float64 {
	w, even, odd := float64(z*z), 0.0, 0.0
	k := len(c)
	if k&1 == 1 {
		k--
		even = c[k]
	}
	for k -= 2; k >= 0; k -= 2 {
		odd = c[k+1] + float64(odd*w)
		even = c[k] + float64(even*w)
	}
	return even + float64(z*odd)
}

// fastSum returns a + b as its rounding and what that lacks, for |a| ≥ |b| or a = 0 (Dekker).
func fastSum(a, b float64) (s, rest float64) {
	s = a + b
	return s, b - (s - a)
}

// twoSum returns a + b as its rounding and what that lacks (Knuth).
func twoSum(a, b float64) (s, rest float64) {
	s = a + b
	t := s - a
	return s, (a - (s - t)) + (b - t)
}

// head returns the first 26 bits of a, so that what is left has 27 or fewer: products of such parts
// are exact.
func head(a float64) float64 {
	return math.Float64frombits(math.Float64bits(a) &^ (1<<27 - 1))
}

// twoProduct returns a·b as its rounding and what that lacks (Dekker), where nothing overflows or
// is subnormal.
func twoProduct(a, b float64) (p, rest float64) {
	p = float64(a * b)
	ah, bh := head(a), head(b)
	al, bl := a-ah, b-bh
	return p, ((float64(ah*bh) - p) + float64(ah*bl) + float64(al*bh)) + float64(al*bl)
}
