package elementary

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/kernel"
)

// Erfc returns the complementary error function of x, 2/√π ∫ₓ^∞ exp(−t²) dt: for x ≥ ½, exp(−x²) times
// a polynomial of the eighth of a power of two that x is in.
func Erfc(x float64) float64 {
	a := math.Abs(x)
	switch {
	case a < 0.5:
		// 1 − x is rounded; what it lacks counts.
		d := 1 - x
		return d + (((1 - d) - x) - float64(x*horner(erfSeries[:], float64(x*x))))
	case x != x:
		return x
	case a >= 28:
		return 1 - math.Copysign(1, x)
	}
	b := math.Float64bits(a)
	const first = 0x3fe0_0000_0000_0000 // bits of ½
	c := &erfcPieces[(b-first)>>49]
	middle := math.Float64frombits(b&^(1<<49-1) | 1<<48)
	v := a - middle
	w := c[1] + float64(v*horner(c[2:], v))

	// exp(−a²) = h + low, times 2⁵¹² where it may vanish; the product with c₀ + w is rounded once.
	p, rest := twoProduct(a, a)
	r, n := kernel.ExpParts(-p)
	back := 1.0
	if a > 26 {
		n += 512 << 8
		back = 0x1p-512
	}
	h, tail := kernel.ExpStep(n)
	low := float64(h * (tail + kernel.ExpRest(r-rest)))
	y, lack := twoProduct(h, c[0])
	y = float64((y + (lack + (float64(h*w) + float64(low*(c[0]+w))))) * back)
	if x < 0 {
		return 2 - y
	}
	return y
}
