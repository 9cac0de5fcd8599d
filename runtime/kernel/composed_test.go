package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestComposed: functions that are made of others have the bits of their scalar forms with every instruction set, in place too, and the
// values of Go's own functions, in 100 bits where those lose digits.
func TestComposed(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	special := []float64{0, negativeZero, inf, -inf, nan, 1e-200, 1e155, -1e155, 1e300, 700, -745, 36, 1}
	var a, b []float64
	for _, x := range special {
		for _, y := range special {
			a, b = append(a, x), append(b, y)
		}
	}
	for range 500 {
		x := math.Exp(6 * rng.NormFloat64())
		a, b = append(a, x*rng.NormFloat64()), append(b, x*rng.NormFloat64())
	}
	onAllPaths(t, func(t *testing.T) {
		for n := range len(a) + 1 {
			if n > 20 && n%37 != 0 && n != len(a) {
				continue
			}
			sum, own, other, squares, place := make([]float64, n), append([]float64(nil), a[:n]...), append([]float64(nil), b[:n]...), make([]float64, n), append([]float64(nil), a[:n]...)
			LogSumExp(sum, a[:n], b[:n])
			LogSumExp(own, own, b[:n])
			LogSumExp(other, a[:n], other)
			Log1pSquare(squares, a[:n])
			Log1pSquare(place, place)
			for i := range sum {
				if want := LogSumExpOf(a[i], b[i]); !sameBits(sum[i], want) || !sameBits(own[i], want) || !sameBits(other[i], want) {
					t.Fatalf("LogSumExp(%v, %v) = %v, %v, %v, want %v", a[i], b[i], sum[i], own[i], other[i], want)
				}
				if want := Log1pSquareOf(a[i]); !sameBits(squares[i], want) || !sameBits(place[i], want) {
					t.Fatalf("Log1pSquare(%v) = %v, %v, want %v", a[i], squares[i], place[i], want)
				}
			}
		}
	})
	for i, x := range a {
		y := b[i]
		want := math.Log1p(x * x)
		if math.Abs(x) > 1e100 {
			want = 2 * math.Log(math.Abs(x))
		}
		if got := Log1pSquareOf(x); !near(got, want, 1e-15*math.Abs(want)) {
			t.Errorf("Log1pSquare(%v) = %v, want %v", x, got, want)
		}
		if d := math.Abs(x - y); d-d == 0 {
			large := new(big.Float).SetPrec(100).SetFloat64(max(x, y))
			want, _ = large.Add(large, big.NewFloat(math.Log1p(math.Exp(-d)))).Float64()
		} else if want = max(x, y); math.IsInf(x, -1) && math.IsInf(y, -1) {
			want = -inf
		}
		if got := LogSumExpOf(x, y); !near(got, want, 3e-16*max(1, math.Abs(x), math.Abs(y))) {
			t.Errorf("LogSumExp(%v, %v) = %v, want %v", x, y, got, want)
		}
	}
}

// near reports whether two numbers differ by no more than an error, or are both NaN or the same infinity.
func near(x, y, err float64) bool {
	return x == y || x != x && y != y || math.Abs(x-y) <= err
}
