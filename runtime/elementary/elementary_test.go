package elementary

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// functions are those of the package: what they promise in units of the last place, and what package
// math says of special cases.
var functions = []struct {
	name string
	f    func(x float64) float64
	two  func(x, y float64) float64
	ulps float64
	math func(x float64) float64
}{
	{name: "exp", f: Exp, ulps: 0.55, math: math.Exp},
	{name: "expm1", f: Expm1, ulps: 0.75, math: math.Expm1},
	{name: "sinh", f: Sinh, ulps: 0.6, math: math.Sinh},
	{name: "cosh", f: Cosh, ulps: 0.57, math: math.Cosh},
	{name: "tanh", f: Tanh, ulps: 1, math: math.Tanh},
	{name: "log", f: Log, ulps: 0.51, math: math.Log},
	{name: "log10", f: Log10, ulps: 0.51, math: math.Log10},
	{name: "log1p", f: Log1p, ulps: 0.51, math: math.Log1p},
	{name: "sin", f: Sin, ulps: 0.8, math: math.Sin},
	{name: "cos", f: Cos, ulps: 0.75, math: math.Cos},
	{name: "tan", f: Tan, ulps: 1.3, math: math.Tan},
	{name: "atan", f: Atan, ulps: 1, math: math.Atan},
	{name: "erfc", f: Erfc, ulps: 0.75, math: math.Erfc},
	{name: "lgamma", f: Lgamma, ulps: 3, math: lgamma},
	{name: "pow", two: Pow, ulps: 0.56},
	{name: "hypot", two: Hypot, ulps: 1.1},
}

// lgamma is that of package math, but for its −Inf at −Inf, and where golang.org/issue/56600 comes in: math.Log is
// wrong at subnormal numbers on amd64.
func lgamma(x float64) float64 {
	if a := math.Abs(x); a < 0x1p-1000 && a > 0 {
		return 54*math.Ln2 - math.Log(a*0x1p54)
	}
	l, _ := math.Lgamma(math.Max(x, -math.MaxFloat64))
	return l
}

// TestAccuracy compares with values of twice the precision, by mpmath, and demands what the doc comment
// of the package promises; that is 1 ulp for subnormal results.
func TestAccuracy(t *testing.T) {
	file, err := os.Open("testdata/elementary.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	worst, at, count := map[string]float64{}, map[string]string{}, map[string]int{}
	evaluate := map[string]func(v []float64) float64{}
	for _, c := range functions {
		evaluate[c.name] = func(v []float64) float64 {
			if c.two != nil {
				return c.two(v[0], v[1])
			}
			return c.f(v[0])
		}
	}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		var v []float64
		for _, w := range words[1:] {
			x, err := strconv.ParseFloat(w, 64)
			if err != nil {
				t.Fatal(err)
			}
			v = append(v, x)
		}
		name, n := words[0], len(v)-2
		hi, lo := v[n], v[n+1]
		got := evaluate[name](v[:n])
		size := math.Abs(hi)
		ulp := math.Nextafter(size, math.Inf(1)) - size
		if size == math.MaxFloat64 {
			ulp = 0x1p971
		}
		e := math.Abs((got-hi)-lo) / ulp
		count[name]++
		if size < 0x1p-1022 && e <= 1 {
			continue
		}
		if !(e <= worst[name]) {
			worst[name], at[name] = e, lines.Text()+" got "+strconv.FormatFloat(got, 'x', -1, 64)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	for _, c := range functions {
		t.Logf("%-6s %.4f ulp of %d values, %s", c.name, worst[c.name], count[c.name], at[c.name])
		if count[c.name] < 180 {
			t.Errorf("only %d values of %s", count[c.name], c.name)
		}
		if !(worst[c.name] <= c.ulps) {
			t.Errorf("%s: error %.4f ulp, more than %g: %s", c.name, worst[c.name], c.ulps, at[c.name])
		}
	}
}

// special are arguments at which functions have special cases.
var special = []float64{0, 5e-324, 1e-310, 0x1p-1022, 1e-200, 0x1p-60, 0.5, 1, 2, 3, 20, 40, 700, 750, 1e10, 1e22, 0x1p53, 1e300, math.MaxFloat64, math.Inf(1)}

// TestSpecialCases compares with package math where results are determined: zeros with their signs,
// infinities, NaN; other results only roughly.
func TestSpecialCases(t *testing.T) {
	signed := []float64{math.NaN()}
	for _, x := range special {
		signed = append(signed, x, -x)
	}
	check := func(got, want float64, call string, args ...float64) {
		t.Helper()
		switch {
		case math.IsNaN(want) || math.IsInf(want, 0) || want == 0:
			if got != want && !(math.IsNaN(got) && math.IsNaN(want)) || want == 0 && math.Signbit(got) != math.Signbit(want) {
				t.Errorf("%s%v = %v, want %v", call, args, got, want)
			}
		case !(math.Abs(got-want) <= 1e-12*math.Abs(want)+5e-324):
			t.Errorf("%s%v = %v, want %v", call, args, got, want)
		}
	}
	for _, c := range functions {
		for _, x := range signed {
			// golang.org/issue/56600: math.Log is wrong at subnormal numbers on amd64.
			if c.f != nil && !((c.name == "log" || c.name == "log10") && math.Abs(x) < 0x1p-1022 && x != 0) {
				check(c.f(x), c.math(x), c.name, x)
			}
		}
	}
	for _, x := range signed {
		for _, y := range signed {
			check(Pow(x, y), math.Pow(x, y), "pow", x, y)
			check(Hypot(x, y), math.Hypot(x, y), "hypot", x, y)
		}
		s, c := Sincos(x)
		if math.Float64bits(s) != math.Float64bits(Sin(x)) || math.Float64bits(c) != math.Float64bits(Cos(x)) {
			t.Errorf("Sincos(%v) = %v, %v, not as Sin and Cos", x, s, c)
		}
	}
}

// TestExactPowers: powers that are numbers are those numbers.
func TestExactPowers(t *testing.T) {
	for base := 2; base <= 2000; base++ {
		exact := 1.0
		for n := 0; exact < 0x1p53; n++ {
			x := float64(base)
			if got := Pow(x, float64(n)); got != exact {
				t.Errorf("Pow(%v, %v) = %v", x, n, got)
			}
			if n > 1 && n&(n-1) == 0 { // the root is a whole number, the exponent exact
				if got := Pow(exact, 1/float64(n)); got != x {
					t.Errorf("Pow(%v, 1/%v) = %v, want %v", exact, n, got, x)
				}
			}
			exact *= x
		}
	}
	for k := -1074; k < 1024; k++ {
		if got, want := Pow(2, float64(k)), math.Ldexp(1, k); got != want {
			t.Errorf("Pow(2, %d) = %v, want %v", k, got, want)
		}
		if got := Log10(math.Pow10(k / 50)); k >= 0 && got != float64(k/50) {
			t.Errorf("Log10(1e%d) = %v", k/50, got)
		}
	}
}

// TestMath compares with package math at many random numbers, over the whole range of
// exponents: an error in a seldom path is larger than both roundings.
func TestMath(t *testing.T) {
	state := uint64(1)
	next := func() uint64 { // xorshift64*
		state ^= state >> 12
		state ^= state << 25
		state ^= state >> 27
		return state * 2685821657736338717
	}
	for range 100000 {
		b := next()
		wide := math.Float64frombits(b)
		unit := math.Ldexp(float64(b>>11), -53)
		for _, x := range [...]float64{wide, unit, -8 * unit, 100 * unit, -800 * unit} {
			for _, c := range functions {
				if c.f == nil || (c.name == "log" || c.name == "log10") && x < 0x1p-1022 {
					continue
				}
				got, want, bound := c.f(x), c.math(x), 4e-15
				if math.Abs(x) > 1e5 || c.name == "lgamma" {
					bound = 1e-9 // package math reduces large arguments with fewer bits
				}
				if !(math.Abs(got-want) <= bound*math.Abs(want)+1e-322) && got != want && !(got != got && want != want) {
					t.Fatalf("%s(%v) = %v, want %v", c.name, x, got, want)
				}
			}
			if math.Abs(x) < 0x1p-1022 {
				continue // math.Pow takes the wrong logarithm, see above
			}
			y := math.Ldexp(float64(next()>>11), -50)
			got, want := Pow(math.Abs(x), y), math.Pow(math.Abs(x), y)
			if !(math.Abs(got-want) <= 1e-12*math.Abs(want)+1e-320) && got != want && !(got != got && want != want) {
				t.Fatalf("Pow(%v, %v) = %v, want %v", x, y, got, want)
			}
		}
	}
}

// TestSubnormalLog: of numbers below the normal ones, whose logarithms math gets wrong on amd64.
func TestSubnormalLog(t *testing.T) {
	for _, c := range []struct{ x, want float64 }{
		{5e-324, -744.4400719213812}, {0x1p-1060, -1060 * math.Ln2}, {0x1.8p-1040, -1040*math.Ln2 + 0.4054651081081644},
	} {
		if got := Log(c.x); !(math.Abs(got-c.want) <= 1e-15*math.Abs(c.want)) {
			t.Errorf("Log(%g) = %v, want %v", c.x, got, c.want)
		}
	}
}
