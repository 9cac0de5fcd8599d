package elementary

import "math"

// Pow returns xʸ.
func Pow(x, y float64) float64 {
	sign := 1.0
	// Positive finite x other than 1, and powers that neither vanish nor are beyond all numbers, go on below.
	if !(x > 0 && x <= math.MaxFloat64) || x == 1 || !(math.Abs(y) < 0x1p64 && math.Abs(y) > 0x1p-65) {
		var done bool
		if x, sign, done = specialPower(x, y); done {
			return x
		}
	}
	hi, lo := logPair(x)
	p, rest := twoProduct(y, hi)
	return float64(sign * expPair(p, rest+float64(y*lo)))
}

// specialPower returns xʸ and true for the x and y that Pow does not compute, or else |x| and the
// sign of the power.
func specialPower(x, y float64) (power, sign float64, done bool) {
	switch {
	case y == 0 || x == 1:
		return 1, 1, true
	case x != x || y != y:
		return math.NaN(), 1, true
	case y == 1:
		return x, 1, true
	}
	a := math.Abs(x)
	sign = 1
	if math.Signbit(x) {
		switch whole, odd := parity(y); {
		case odd:
			sign = -1
		case !whole && a > 0 && a <= math.MaxFloat64:
			return math.NaN(), 1, true
		}
	}
	switch {
	case a == 1:
		return sign, 1, true
	case a == 0 || a > math.MaxFloat64 || math.Abs(y) >= 0x1p64:
		if (a > 1) == (y > 0) {
			return math.Copysign(math.Inf(1), sign), 1, true
		}
		return math.Copysign(0, sign), 1, true
	case math.Abs(y) <= 0x1p-65:
		return 1, 1, true
	}
	return a, sign, false
}

// parity reports whether y is whole, and whether it is odd; infinities are even.
func parity(y float64) (whole, odd bool) {
	y = math.Abs(y)
	if y >= 0x1p53 {
		return true, false
	}
	n := uint64(y) // below 2⁵³, so that every machine converts it alike
	return float64(n) == y, float64(n) == y && n&1 == 1
}

// Hypot returns √(x² + y²), also where the squares overflow or vanish.
func Hypot(x, y float64) float64 {
	x, y = math.Abs(x), math.Abs(y)
	switch {
	case x > math.MaxFloat64 || y > math.MaxFloat64:
		return math.Inf(1)
	case x < y:
		x, y = y, x
	}
	scale, back := 1.0, 1.0
	switch {
	case x > 0x1p500:
		scale, back = 0x1p-600, 0x1p600
	case x < 0x1p-450:
		scale, back = 0x1p600, 0x1p-600
	}
	x, y = float64(x*scale), float64(y*scale)
	return float64(math.Sqrt(float64(x*x)+float64(y*y)) * back)
}
