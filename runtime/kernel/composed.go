package kernel

import "math"

// Functions that are made of elementwise ones, block by block: what stands around these costs little, and needs no assembly.

// LogSumExp sets dst_i = log(exp(a_i) + exp(b_i)) for i < len(dst), without overflow: max(a_i, b_i) + log1p_exp(−|a_i − b_i|). dst
// may be a or b.
func LogSumExp(dst, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	var most, less [blockLen]float64
	for len(dst) > 0 {
		n := min(blockLen, len(dst))
		m, d := most[:n], less[:n]
		for i, x := range a[:n] {
			y := b[i]
			m[i], d[i] = max(x, y), -math.Abs(x-y)
		}
		elementwise(logOnePlusExp, d, d)
		for i, x := range m {
			if v := x + d[i]; v-v == 0 {
				dst[i] = v
			} else {
				dst[i] = LogSumExpOf(a[i], b[i])
			}
		}
		dst, a, b = dst[n:], a[n:], b[n:]
	}
}

// LogSumExpOf returns log(exp(a) + exp(b)), with the bits of LogSumExp.
func LogSumExpOf(a, b float64) float64 {
	switch most := max(a, b); {
	case math.IsInf(most, 0):
		return most // of equal ones the difference would be NaN
	default:
		return most + log1pExp(-math.Abs(a-b))
	}
}

// square is the bound of the arguments whose squares are far from overflow.
const square = 1e150

// Log1pSquare sets dst_i = log(1 + a_i²) for i < len(dst). dst and a may be the same slice.
func Log1pSquare(dst, a []float64) {
	a = a[:len(dst)]
	var squares [blockLen]float64
	for len(dst) > 0 {
		n := min(blockLen, len(dst))
		z := squares[:n]
		for i, x := range a[:n] {
			z[i] = float64(x * x)
		}
		elementwise(logOnePlus, z, z)
		for i, x := range a[:n] {
			if math.Abs(x) > square {
				z[i] = Log1pSquareOf(x)
			}
		}
		copy(dst, z)
		dst, a = dst[n:], a[n:]
	}
}

// Log1pSquareOf returns log(1 + a²), with the bits of Log1pSquare.
func Log1pSquareOf(a float64) float64 {
	if x := math.Abs(a); x > square {
		return float64(2 * log(x))
	}
	return log1p(float64(a * a))
}
