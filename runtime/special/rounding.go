package special

import "math"

// What follows serves sums without rounding errors. To derivatives, Grid, Fine and
// Excess are constants: steps, and less than a rounding.

// Grid returns g such that Fine(x, g) is what x is beyond 22 bits below |x| ≤ √s:
// 3·2³⁰⁺ᵏ ÷ 2 for the least k with 2ᵏ ≥ √s. It is 0, which makes Fine 0, for an s
// that is 0 or infinite.
func Grid(s float64) float64 {
	switch {
	case s == 0 || math.IsInf(s, 0):
		return 0
	case math.IsNaN(s) || s < 0:
		return math.NaN()
	}
	f, e := math.Frexp(s)
	if f == 0.5 {
		e--
	}
	// 2ᵉ ≥ s, and e is rounded up to an even number.
	return math.Ldexp(1.5, 30+(e+(e&1))/2)
}

// Fine returns x less its nearest multiple of the grid of g: of 2⁻⁵² g ÷ 1.5.
func Fine(x, g float64) float64 {
	if math.IsInf(x, 0) {
		return 0
	}
	s := x + g
	return x - (s - g)
}

// Excess returns what x − y, as it is rounded, falls short of the difference, and 0
// where that is not finite (Knuth's two-sum).
func Excess(x, y float64) float64 {
	d := x - y
	t := d - x
	if e := (x - (d - t)) - (y + t); e-e == 0 {
		return e
	}
	return 0
}

// Plus returns x + y: a sum whose sides are computed first.
func Plus(x, y float64) float64 { return x + y }
