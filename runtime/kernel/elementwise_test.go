package kernel

import (
	"bufio"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
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

// functions are the elementwise functions: what they promise in units of the
// last place of the true value, and what they are for special arguments. NaN
// and random arguments are tested for all.
var functions = []struct {
	name    string
	f       func(dst, a []float64)
	scalar  func(float64) float64
	ulps    float64
	x, want []float64
}{
	{"exp", Exp, exp, 0.55,
		[]float64{inf, -inf, 0, negativeZero, 709.782712893384, 709.79, 1e300, -745.1332191019411, -745.1332191019412, -1e300},
		[]float64{inf, 0, 1, 1, 1.7976931348622732e308, inf, inf, 5e-324, 0, 0}},
	{"log", Log, log, 1,
		[]float64{inf, -inf, 0, negativeZero, -1, -5e-324, 1, 5e-324, math.MaxFloat64},
		[]float64{inf, nan, -inf, -inf, nan, nan, 0, -744.4400719213812, 709.782712893384}},
	{"log1p", Log1p, log1p, 1,
		[]float64{inf, -inf, 0, negativeZero, -1, -1.0000000000000002, 5e-324, -5e-324, math.MaxFloat64},
		[]float64{inf, nan, 0, negativeZero, -inf, nan, 5e-324, -5e-324, 709.782712893384}},
	{"inv_logit", InvLogit, invLogit, 1.1,
		[]float64{inf, -inf, 0, negativeZero, 1e9, -1e9, -745.1332191019411},
		[]float64{1, 0, 0.5, 0.5, 1, 0, 5e-324}},
	{"log1p_exp", Log1pExp, log1pExp, 1.5,
		[]float64{inf, -inf, 0, negativeZero, 1e9, -1e9, -745.1332191019411},
		[]float64{inf, 0, math.Ln2, math.Ln2, 1e9, 0, 5e-324}},
}

var (
	inf, nan     = math.Inf(1), math.NaN()
	negativeZero = math.Copysign(0, -1)
)

func (i instructions) String() string { return [...]string{"portable", "avx2", "avx512"}[i] }

// onAllPaths runs a test with every instruction set of the processor.
func onAllPaths(t *testing.T, test func(t *testing.T)) {
	defer func() { path = best() }()
	for path = portable; path <= best(); path++ {
		t.Run(path.String(), test)
	}
}

// sameBits reports whether a and b are the same number, zero or NaN.
func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// TestAccuracy compares with values of twice the precision and demands what
// the doc comments promise; that is 1 ulp for subnormal results.
func TestAccuracy(t *testing.T) {
	onAllPaths(t, func(t *testing.T) {
		for _, c := range functions {
			refs := references(t, c.name)
			got := make([]float64, len(refs))
			for i, r := range refs {
				got[i] = r.x
			}
			c.f(got, got) // in place
			worst, at := 0.0, 0.0
			for i, r := range refs {
				size := math.Abs(r.hi)
				e := math.Abs((got[i]-r.hi)-r.lo) / (math.Nextafter(size, inf) - size)
				if size < 0x1p-1022 && e <= 1 {
					continue
				}
				if !(e <= worst) {
					worst, at = e, r.x
				}
			}
			t.Logf("%s: at most %.3f ulp, at %v", c.name, worst, at)
			if !(worst <= c.ulps) {
				t.Errorf("%s(%v) is %.3f ulp off, more than %v", c.name, at, worst, c.ulps)
			}
		}
	})
}

func TestExtremes(t *testing.T) {
	onAllPaths(t, func(t *testing.T) {
		for _, c := range functions {
			got := make([]float64, len(c.x))
			c.f(got, c.x)
			for i, want := range c.want {
				if !sameBits(got[i], want) && !(math.IsNaN(got[i]) && math.IsNaN(want)) {
					t.Errorf("%s(%v) = %v, want %v", c.name, c.x[i], got[i], want)
				}
			}
			for _, bits := range []uint64{0x7ff8000000000001, 0xfff8000000000000, 0x7ff800000000abcd} {
				v := []float64{math.Float64frombits(bits)}
				if c.f(v, v); math.Float64bits(v[0]) != bits {
					t.Errorf("%s(NaN with bits %x) = %v with bits %x", c.name, bits, v[0], math.Float64bits(v[0]))
				}
			}
		}
	})
}

// edges returns numbers where the functions take another way, and their
// neighbours.
func edges() (xs []float64) {
	for _, x := range []float64{
		0, 5e-324, 0x1p-1074 * 3, 0x1p-1022, 1e-300, 0x1p-1000, 0x1p-54, 0x1p-53, 0x1p-52, 1e-5,
		math.Ln2 / 512, math.Ln2 / 2, math.Sqrt2 - 1, 1 - math.Sqrt2/2, 0.5, math.Sqrt2 / 2, 1, math.Sqrt2, 2,
		36, 36.04365338911715, 36.7368005696771, 37.42994775023705, 38.1230949307969, 40,
		700, 708, 708.3964185322641, 709.782712893384, 744.4400719213812, 745.1332191019411, 745.1332191019412, 800,
		0x1p52, 0x1p53, 0x1p54, 1e300, 0x1p1022, 0x1p1023, 0x1.6a09e667f3bcdp1023, math.MaxFloat64, inf,
	} {
		for _, y := range []float64{x, math.Nextafter(x, 0), math.Nextafter(x, inf), x * (1 + 0x1p-50), x * (1 - 0x1p-50)} {
			xs = append(xs, y, -y)
		}
	}
	return append(xs, nan, -nan)
}

// TestPaths demands the bits of the scalar form for all edges and a million
// random arguments.
func TestPaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	xs := edges()
	for len(xs) < campaign.Cases(t, 300_000, 1_000_000) {
		magnitude := math.Exp2(float64(rng.IntN(140) - 70))
		xs = append(xs,
			math.Float64frombits(rng.Uint64()),
			rng.NormFloat64()*5,
			rng.NormFloat64()*magnitude,
			1+rng.NormFloat64()*magnitude,
			-1+rng.ExpFloat64()*magnitude,
			1500*rng.Float64()-750,
			rng.Float64()*80-40,
			rng.Float64(),
		)
	}
	// Where all arguments of a block or vector are plain, other loops run.
	var positive, narrow, wide []float64
	for _, x := range xs {
		if x >= 0x1p-1022 && x <= 36 {
			positive = append(positive, x)
		}
		narrow = append(narrow, 72*rng.Float64()-36)
		wide = append(wide, 80*rng.Float64()-40)
	}
	onAllPaths(t, func(t *testing.T) {
		for _, c := range functions {
			for _, xs := range [][]float64{xs, positive, narrow, wide} {
				got := make([]float64, len(xs))
				c.f(got, xs)
				for i, x := range xs {
					if want := c.scalar(x); !sameBits(got[i], want) {
						t.Fatalf("%s(%v) = %v, by the scalar form %v", c.name, x, got[i], want)
					}
				}
			}
		}
	})
}

// TestAssemblyConstants demands that the assembly has the constants that the Go
// code has: a last digit that differs would show in one result of a million
// millions.
func TestAssemblyConstants(t *testing.T) {
	want := map[uint64]bool{
		1 << 63: true, 1<<63 - 1: true, (expSteps - 1) * 16: true, // masks of signs and offsets
		1023<<52 - sqrtHalf: true, sqrtHalf: true, mantissa: true, 2046 << 52: true,
	}
	for _, c := range []float64{
		0, 0.5, 1, 2,
		expSteps * log2E, shift, stepHi, stepLo, expCubic, 1.0 / 24, expLimit,
		0x1p52, 0x1p52 + 1023, ln2Hi, ln2Lo, logR1, logR2, logR3, logR4, logR5, logR6, logR7,
		0x1p-1022, math.MaxFloat64, -1, 0x1p1023, // bounds of log and log1p
	} {
		want[math.Float64bits(c)] = true
	}
	text, err := os.ReadFile("vector_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	got := map[uint64]bool{}
	for _, m := range regexp.MustCompile(`(?m)^DATA constants<>.*\$(0x[0-9a-f]+)$`).FindAllStringSubmatch(string(text), -1) {
		c, err := strconv.ParseUint(m[1], 0, 64)
		if err != nil {
			t.Fatal(err)
		}
		got[c] = true
		if !want[c] {
			t.Errorf("the assembly has %#x, the float64 %v", c, math.Float64frombits(c))
		}
	}
	for c := range want {
		if !got[c] {
			t.Errorf("the assembly lacks %#x, the float64 %v", c, math.Float64frombits(c))
		}
	}
}

// TestExpTable derives the table from √2: 2^(1/256) is its 128th root.
func TestExpTable(t *testing.T) {
	const precision = 200
	root := big.NewFloat(2).SetPrec(precision)
	for range 8 {
		root.Sqrt(root)
	}
	power := big.NewFloat(1).SetPrec(precision)
	for i, e := range expTable {
		h, _ := power.Float64()
		rest := new(big.Float).Quo(power, big.NewFloat(h))
		tail, _ := rest.Sub(rest, big.NewFloat(1)).Float64()
		want := expEntry{math.Float64bits(h) - uint64(i)<<44, tail}
		if e != want {
			t.Errorf("entry %d is %+v, want %+v", i, e, want)
		}
		power.Mul(power, root)
	}
}

// TestPositions checks that the value at a place depends neither on the place
// nor on the values at others, for all lengths around those of vectors and
// blocks, all alignments, and in place; and that nothing else is written.
func TestPositions(t *testing.T) {
	special := []float64{800, -800, inf, -inf, nan, 700.5, -700.5, -720, 0, 40, -40, -1, 5e-324}
	lengths := []int{127, 128, 129, 200, 300}
	for n := range 71 {
		lengths = append(lengths, n)
	}
	onAllPaths(t, func(t *testing.T) {
		for _, c := range functions {
			for _, n := range lengths {
				for at := -1; at < n; at += 7 { // −1: none is special
					offset := (at + n) & 7
					a, want := make([]float64, n), make([]float64, n)
					for i := range a {
						a[i] = math.Mod(float64(i)*1.7, 11) + 0.1
						if c.name != "log" && c.name != "log1p" && i%2 == 1 {
							a[i] = -a[i]
						}
					}
					if at >= 0 {
						a[at] = special[(at+n)%len(special)]
					}
					for i, v := range a {
						want[i] = c.scalar(v)
					}
					check := func(how string, got []float64) {
						t.Helper()
						for i, v := range got {
							if !sameBits(v, want[i]) {
								t.Fatalf("%s of %d elements %s: %v at %d, %v alone", c.name, n, how, v, i, want[i])
							}
						}
					}
					all, intact := guarded(offset + n)
					got := all[offset:]
					c.f(got, a)
					check("apart", got)
					c.f(a, a)
					check("in place", a)
					for _, v := range all[:offset] {
						if !math.IsNaN(v) {
							t.Fatalf("%s: wrote before dst", c.name)
						}
					}
					if !intact() {
						t.Fatalf("%s: wrote behind dst", c.name)
					}
				}
			}
		}
	})
}

// TestElementwiseAllocations lets a slice of the stack be the argument: the
// assembly must not make it escape.
func TestElementwiseAllocations(t *testing.T) {
	onAllPaths(t, func(t *testing.T) {
		if n := testing.AllocsPerRun(10, func() {
			var a [200]float64
			for _, x := range []float64{1, nan} {
				a[100] = x
				Exp(a[:], a[:])
				Log(a[:], a[:])
				Log1p(a[:], a[:])
				InvLogit(a[:], a[:])
				Log1pExp(a[:], a[:])
				SumLog1pExp(a[:])
			}
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

// TestSumLog1pExp adds reference values in twice the precision. Slices of one
// magnitude show an error that larger terms would hide.
func TestSumLog1pExp(t *testing.T) { onAllPaths(t, testSumLog1pExp) }

func testSumLog1pExp(t *testing.T) {
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

// TestSumLog1pExpPaths demands the same bits of all instruction sets.
func TestSumLog1pExpPaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	var inputs [][]float64
	for n := range 600 {
		a := make([]float64, n)
		for i := range a {
			a[i] = rng.NormFloat64() * 20
		}
		if n%3 == 1 {
			a[rng.IntN(n)] = []float64{705, -705, 1e9, -1e9, inf, -inf, nan}[n%7]
		}
		inputs = append(inputs, a)
	}
	want := make([]float64, len(inputs))
	onAllPaths(t, func(t *testing.T) {
		for n, a := range inputs {
			got := SumLog1pExp(a)
			if path == portable {
				want[n] = got
			}
			if !sameBits(got, want[n]) {
				t.Fatalf("%d terms: %v, without assembly %v", n, got, want[n])
			}
		}
	})
}
