package expr

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestArithmetic: numbers fold to what a person would write.
func TestArithmetic(t *testing.T) {
	var n arithmetic
	for _, x := range []struct {
		what      string
		got, want float64
	}{
		{"(1/10)²", n.power(n.over(1, 10), 2), 0.01},
		{"10⁻²", n.power(10, -2), 0.01},
		{"0.1 + 0.2", n.plus(0.1, 0.2), 0.3},
		{"3·(1/3)", n.times(3, n.over(1, 3)), 1},
		{"1/3 + 1/3 + 1/3", n.plus(n.plus(n.over(1, 3), n.over(1, 3)), n.over(1, 3)), 1},
		{"½·0.2²", n.times(0.5, n.power(0.2, 2)), 0.02},
		{"0.1·3", n.times(0.1, 3), 0.3},
		{"1.1 − 1", n.plus(1.1, -1), 0.1},
		{"(1/49)·49", n.times(n.over(1, 49), 49), 1},
		{"2^½", n.power(2, 0.5), math.Sqrt2},
		{"(√0.05)²", n.power(n.power(0.05, 0.5), 2), 0.05},
		{"(1/√0.05)²", n.power(n.power(n.power(0.05, 0.5), -1), 2), 20},
		{"(√0.05)⁻²", n.power(n.power(0.05, 0.5), -2), 20},
		{"(√0.25)³", n.power(n.power(0.25, 0.5), 3), 0.125},
		{"log(10) + log(10)", n.plus(math.Ln10, math.Ln10), 2 * math.Ln10},
		{"1e300·10", n.times(1e300, 10), 1e301},
		{"0⁻¹", n.power(0, -1), math.Inf(1)},
		{"0·3", n.times(0, 3), 0},
	} {
		if x.got != x.want {
			t.Errorf("%s is %v, want %v", x.what, x.got, x.want)
		}
	}
}

// TestArithmeticIsNear: whatever is folded, the result is within two units of the last place of
// what the exact numbers give.
func TestArithmeticIsNear(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var n arithmetic
	number := func() float64 {
		switch rng.IntN(4) {
		case 0:
			return float64(rng.IntN(100) - 50)
		case 1:
			return float64(rng.IntN(10000)) / 1000
		case 2:
			return n.over(float64(1+rng.IntN(50)), float64(1+rng.IntN(50)))
		}
		return rng.NormFloat64()
	}
	for range 20000 {
		a, b := number(), number()
		x, y := new(big.Float).SetPrec(200).SetFloat64(a), new(big.Float).SetPrec(200).SetFloat64(b)
		near := func(what string, got float64, exact *big.Float, scale float64) {
			want, _ := exact.Float64()
			if !(math.Abs(got-want) <= 0x1p-51*scale) {
				t.Fatalf("%v %s %v is %v, exactly %v", a, what, b, got, want)
			}
		}
		near("times", n.times(a, b), new(big.Float).Mul(x, y), math.Abs(a*b))
		near("plus", n.plus(a, b), new(big.Float).Add(x, y), math.Abs(a)+math.Abs(b))
		if b != 0 {
			near("over", n.over(a, b), new(big.Float).Quo(x, y), math.Abs(a/b))
		}
	}
}
