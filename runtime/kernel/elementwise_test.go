package kernel

import (
	"bufio"
	"math"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"
)

// reference is a value hi + lo of a function at x.
type reference struct{ x, hi, lo float64 }

// references reads the values of one function from testdata/elementary.txt.
func references(t *testing.T, function string) []reference {
	t.Helper()
	f, err := os.Open("testdata/elementary.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var refs []reference
	for s := bufio.NewScanner(f); s.Scan(); {
		words := strings.Fields(s.Text())
		if words[0] != function {
			continue
		}
		var v [3]float64
		for i := range v {
			if v[i], err = strconv.ParseFloat(words[i+1], 64); err != nil {
				t.Fatal(err)
			}
		}
		refs = append(refs, reference{v[0], v[1], v[2]})
	}
	if len(refs) < 1000 {
		t.Fatalf("%d values of %s, want at least 1000", len(refs), function)
	}
	return refs
}

// TestAccuracy compares with values of twice the precision and demands what
// the doc comments promise, in units of the last place of the true value.
func TestAccuracy(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(dst, a []float64)
		ulps float64
	}{
		{"exp", Exp, 0.52},
		{"log", Log, 1},
		{"inv_logit", InvLogit, 4},
		{"log1p_exp", Log1pExp, 4},
	} {
		refs := references(t, c.name)
		got := make([]float64, len(refs))
		for i, r := range refs {
			got[i] = r.x
		}
		c.f(got, got) // in place
		worst, at := 0.0, 0.0
		for i, r := range refs {
			ulp := math.Nextafter(math.Abs(r.hi), math.Inf(1)) - math.Abs(r.hi)
			e := math.Abs((got[i]-r.hi)-r.lo) / ulp
			if !(e <= worst) {
				worst, at = e, r.x
			}
		}
		t.Logf("%s: at most %.3f ulp, at %v", c.name, worst, at)
		if !(worst <= c.ulps) {
			t.Errorf("%s(%v) is %.3f ulp off, more than %v", c.name, at, worst, c.ulps)
		}
	}
}

func TestExtremes(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name    string
		f       func(dst, a []float64)
		x, want []float64
	}{
		{"exp", Exp,
			[]float64{inf, -inf, nan, 0, 709.79, 1e300, -745.2, -1e300},
			[]float64{inf, 0, nan, 1, inf, inf, 0, 0}},
		{"log", Log,
			[]float64{inf, -inf, nan, 0, math.Copysign(0, -1), -1, -5e-324, 1},
			[]float64{inf, nan, nan, -inf, -inf, nan, nan, 0}},
		{"inv_logit", InvLogit,
			[]float64{inf, -inf, nan, 0, 1e9, -1e9},
			[]float64{1, 0, nan, 0.5, 1, 0}},
		{"log1p_exp", Log1pExp,
			[]float64{inf, -inf, nan, 0, 1e9, -1e9},
			[]float64{inf, 0, nan, math.Ln2, 1e9, 0}},
	} {
		got := make([]float64, len(c.x))
		c.f(got, c.x)
		for i, want := range c.want {
			if got[i] != want && !(math.IsNaN(got[i]) && math.IsNaN(want)) {
				t.Errorf("%s(%v) = %v, want %v", c.name, c.x[i], got[i], want)
			}
		}
	}
}

// TestExpTable derives the table from √2: 2^(1/128) is its 64th root.
func TestExpTable(t *testing.T) {
	const precision = 200
	root := big.NewFloat(2).SetPrec(precision)
	for range 7 {
		root.Sqrt(root)
	}
	power := big.NewFloat(1).SetPrec(precision)
	for i, e := range expTable {
		h, _ := power.Float64()
		rest := new(big.Float).Quo(power, big.NewFloat(h))
		tail, _ := rest.Sub(rest, big.NewFloat(1)).Float64()
		want := [2]uint64{math.Float64bits(h) - uint64(i)<<45, math.Float64bits(tail)}
		if e != want {
			t.Errorf("entry %d is %#x, want %#x", i, e, want)
		}
		power.Mul(power, root)
	}
}

// TestPositions checks that the value at a place depends neither on the place
// nor on the values at others, which loops in blocks and special cases could
// break.
func TestPositions(t *testing.T) {
	special := []float64{800, -800, math.Inf(1), math.Inf(-1), math.NaN(), 708.5, -708.5, -720, 0}
	for _, c := range []struct {
		name string
		f    func(dst, a []float64)
	}{
		{"exp", Exp}, {"log", Log}, {"inv_logit", InvLogit}, {"log1p_exp", Log1pExp},
	} {
		for _, n := range []int{0, 1, 2, 63, 64, 65, 127, 128, 129, 300} {
			for at := 0; at < n; at += 7 {
				a := make([]float64, n)
				for i := range a {
					a[i] = math.Mod(float64(i)*1.7, 11) - 5
				}
				a[at] = special[at%len(special)]
				got, intact := guarded(n)
				c.f(got, a)
				for i, v := range a {
					want := []float64{v}
					c.f(want, want)
					if math.Float64bits(got[i]) != math.Float64bits(want[0]) {
						t.Fatalf("%s: %v at %d of %d, %v alone", c.name, got[i], i, n, want[0])
					}
				}
				if !intact() {
					t.Fatalf("%s: wrote behind dst", c.name)
				}
			}
		}
	}
}

// TestSumLog1pExp adds reference values in twice the precision. Slices of one
// magnitude show an error that larger terms would hide.
func TestSumLog1pExp(t *testing.T) {
	refs := references(t, "log1p_exp")
	inRange := func(lo, hi float64) (in []reference) {
		for _, r := range refs {
			if lo <= r.x && r.x < hi {
				in = append(in, r)
			}
		}
		return in
	}
	for _, set := range [][]reference{
		refs, refs[:1], refs[:2], refs[:3], refs[:127], refs[:128], refs[:129], refs[:131],
		inRange(-700, -600), inRange(-60, -30), inRange(-12, -6), inRange(-3, 0), inRange(0, 3), inRange(30, 60),
	} {
		var a []float64
		var sum, rest float64
		for range 20 {
			for _, r := range set {
				a = append(a, r.x)
				s := sum + r.hi
				rest += r.hi - (s - sum) + r.lo // Dekker's sum, the terms being small
				if r.hi > sum {
					rest += (sum - (s - r.hi)) - (r.hi - (s - sum))
				}
				sum = s
			}
		}
		got := SumLog1pExp(a)
		if e := math.Abs((got-sum)-rest) / sum; !(e <= 1e-14) {
			t.Errorf("%d terms from x = %v: %v, want %v: relative error %.2g", len(a), a[0], got, sum+rest, e)
		}
	}
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		a    []float64
		want float64
	}{
		{nil, 0},
		{[]float64{inf, 1}, inf},
		{[]float64{-inf, -inf}, 0},
		{[]float64{1, nan, 2, 3, 4}, nan},
		{[]float64{nan, inf}, nan},
	} {
		if got := SumLog1pExp(c.a); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("SumLog1pExp(%v) = %v, want %v", c.a, got, c.want)
		}
	}
}
