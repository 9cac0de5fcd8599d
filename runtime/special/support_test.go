package special

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestLogPositive(t *testing.T) {
	for _, row := range [][2]float64{{1, 0}, {5e-324, 0}, {math.Inf(1), 0}, {0, math.Inf(-1)}, {-1, math.Inf(-1)}, {math.Inf(-1), math.Inf(-1)}} {
		if got := LogPositive(row[0]); got != row[1] {
			t.Errorf("LogPositive(%v) = %v, want %v", row[0], got, row[1])
		}
	}
	if got := LogPositive(math.NaN()); !math.IsNaN(got) {
		t.Errorf("LogPositive(NaN) = %v", got)
	}
}

// TestEnds: the functions of two arguments at the ends of their domains, and those
// that square where squares overflow.
func TestEnds(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name       string
		f          func(x, y float64) float64
		x, y, want float64
	}{
		{"LMultiply", LMultiply, 0, 0, 0}, {"LMultiply", LMultiply, 0, inf, 0}, {"LMultiply", LMultiply, 2, 0, -inf}, {"LMultiply", LMultiply, -2, 0, inf},
		{"LMultiply", LMultiply, 0, -1, nan}, {"LMultiply", LMultiply, 0, nan, nan}, {"LMultiply", LMultiply, 3, 1, 0}, {"LMultiply", LMultiply, 1, 5e-324, -744.4400719213812},
		{"LMultiply1p", LMultiply1p, 0, -1, 0}, {"LMultiply1p", LMultiply1p, 1, -1, -inf}, {"LMultiply1p", LMultiply1p, 2, 1e-300, 2e-300}, {"LMultiply1p", LMultiply1p, 0, -1.5, nan},
		{"Share", Share, 0, 0, 0}, {"Share", Share, 1, 0, inf}, {"Share", Share, 3, 2, 1.5}, {"Share", Share, 0, nan, nan},
		{"Bounded", Bounded, nan, -inf, -inf}, {"Bounded", Bounded, 3, 0, 3}, {"Bounded", Bounded, 3, nan, nan},
		{"Plus", Plus, 1, 2, 3},
	} {
		if got := c.f(c.x, c.y); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s(%v, %v) = %v, want %v", c.name, c.x, c.y, got, c.want)
		}
	}
	for _, c := range []struct {
		name    string
		f       func(float64) float64
		x, want float64
	}{
		{"Log1pSquare", Log1pSquare, 0, 0}, {"Log1pSquare", Log1pSquare, -1e200, 921.0340371976183}, {"Log1pSquare", Log1pSquare, 1e-200, 0}, {"Log1pSquare", Log1pSquare, nan, nan},
		{"Log1pSquareSlope", Log1pSquareSlope, 1e200, 2e-200}, {"Log1pSquareSlope", Log1pSquareSlope, 1, 1}, {"Log1pSquareSlope", Log1pSquareSlope, -inf, 0}, {"Log1pSquareSlope", Log1pSquareSlope, nan, nan},
		{"LogNonNegative", LogNonNegative, 0, 0}, {"LogNonNegative", LogNonNegative, -5e-324, -inf}, {"LogNonNegative", LogNonNegative, inf, 0}, {"LogNonNegative", LogNonNegative, nan, nan},
	} {
		if got := c.f(c.x); !(math.Abs(got-c.want) <= 1e-15*math.Abs(c.want)) && got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s(%v) = %v, want %v", c.name, c.x, got, c.want)
		}
	}
}

// TestAtan2: the angle is that of math.Atan2 in all quadrants, on the axes, and far out.
func TestAtan2(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), 1, -1, 5e-324, -5e-324, 1e-300, 1e300, -1e300, math.Inf(1), math.Inf(-1), math.NaN()}
	rng := rand.New(rand.NewPCG(1, 2))
	check := func(y, x float64) {
		got, want := Atan2(y, x), math.Atan2(y, x)
		if y/x == 0 && x < 0 { // which math.Atan2 takes for positive where it underflows
			want = math.Copysign(math.Pi, y)
		}
		if !(math.Abs(got-want) <= 3e-16*math.Abs(want)) && !(math.IsNaN(got) && math.IsNaN(want)) || math.Signbit(got) != math.Signbit(want) && want == want {
			t.Errorf("Atan2(%v, %v) = %v, want %v", y, x, got, want)
		}
	}
	for _, y := range special {
		for _, x := range special {
			check(y, x)
		}
	}
	for range 10_000 {
		check(rng.NormFloat64()*math.Exp(10*rng.NormFloat64()), rng.NormFloat64()*math.Exp(10*rng.NormFloat64()))
	}
}

// TestRounding: a number is Fine beyond a coarse part of 22 bits, without remainder,
// and a difference is its rounding and its Excess.
func TestRounding(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	exact := func(terms ...float64) *big.Float {
		s := new(big.Float).SetPrec(4000)
		for _, x := range terms {
			s.Add(s, new(big.Float).SetFloat64(x))
		}
		return s
	}
	for range 10000 {
		unit := math.Ldexp(1, rng.IntN(800)-400)
		x, y := unit*rng.NormFloat64(), unit*math.Ldexp(rng.NormFloat64(), rng.IntN(60)-30)
		s := x*x + y*y
		g := Grid(s)
		top := math.Ldexp(1, int(math.Ceil(math.Log2(math.Sqrt(s))-1e-12)))
		for _, v := range []float64{x, y} {
			fine := Fine(v, g)
			coarse := v - fine
			if exact(coarse, fine, -v).Sign() != 0 {
				t.Fatalf("%v is not %v + %v", v, coarse, fine)
			}
			if n := coarse / top * 0x1p22; n != math.Trunc(n) && math.Trunc(2*n) != 2*n || math.Abs(fine) > top*0x1p-22 {
				t.Fatalf("the grid of %v, up to %v: %v and %v", v, top, coarse, fine)
			}
		}
		if exact(x, -y, -(x-y), -Excess(x, y)).Sign() != 0 {
			t.Fatalf("%v - %v falls short by %v", x, y, Excess(x, y))
		}
	}
	for _, s := range []float64{0, math.Inf(1)} {
		if g := Grid(s); g != 0 || Fine(1.3, g) != 0 {
			t.Errorf("Grid(%v) = %v", s, g)
		}
	}
	if g := Grid(math.NaN()); !math.IsNaN(g) {
		t.Errorf("Grid(NaN) = %v", g)
	}
	if e := Excess(math.Inf(1), 1); e != 0 {
		t.Errorf("Excess(∞, 1) = %v", e)
	}
}

// TestPowOr0: a power of 0 is one, but for those that are infinite.
func TestPowOr0(t *testing.T) {
	for _, c := range []struct{ x, y, want float64 }{{0, -0.5, 0}, {0, 0, 1}, {0, 0.5, 0}, {4, -0.5, 0.5}, {-2, -1, -0.5}} {
		if got := PowOr0(c.x, c.y); got != c.want {
			t.Errorf("%v to the %v: %v, want %v", c.x, c.y, got, c.want)
		}
	}
	if got := LogOr0(0); got != 0 || LogOr0(1) != 0 || LogOr0(4) != math.Log(4) {
		t.Errorf("the logarithm of 0: %v", got)
	}
	if got := PowOr0(-2, 0.5); got == got {
		t.Errorf("the root of −2: %v", got)
	}
}
