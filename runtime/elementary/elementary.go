// Package elementary holds the elementary functions of compiled models and of the
// runtime. They have the same bits on every architecture and under every GOAMD64,
// which those of package math have not: every product is rounded before it is added,
// no instruction of one architecture is used, and every sum has one order.
//
// Special cases are those of package math. The largest errors measured, in units
// in the last place, are in the table of errors_test.go, which a test holds.
package elementary

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/kernel"
)

// Exp returns eˣ, with the bits of kernel.Exp.
func Exp(x float64) float64 { return kernel.ExpOf(x) }

// Log returns the natural logarithm of x, with the bits of kernel.Log.
func Log(x float64) float64 { return kernel.LogOf(x) }

// Log1p returns log(1 + x), with the bits of kernel.Log1p.
func Log1p(x float64) float64 { return kernel.Log1pOf(x) }

// Log10 returns the decimal logarithm of x.
func Log10(x float64) float64 {
	h, l, special := logParts(x)
	if special {
		return h
	}
	// 1/ln 10 in two parts
	const hi, lo = 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57
	p := float64(h * hi)
	return p + (math.FMA(h, hi, -p) + float64(h*lo) + float64(l*hi))
}

// Hypot returns √(x² + y²) without overflow or underflow on the way.
func Hypot(x, y float64) float64 {
	x, y = math.Abs(x), math.Abs(y)
	switch {
	case math.IsInf(x, 1) || math.IsInf(y, 1):
		return math.Inf(1)
	case math.IsNaN(x) || math.IsNaN(y):
		return math.NaN()
	}
	if x < y {
		x, y = y, x
	}
	if x == 0 {
		return 0
	}
	// Powers of two: only y loses bits, where it is nothing beside x.
	_, e := math.Frexp(x)
	x, y = math.Ldexp(x, -e), math.Ldexp(y, -e)
	return math.Ldexp(math.Sqrt(float64(x*x)+float64(y*y)), e)
}

// horner returns the polynomial of the coefficients c, highest power first, at x.
func horner(c []float64, x float64) float64 {
	var s float64
	for _, v := range c {
		s = float64(s*x) + v
	}
	return s
}
