package draws

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
)

// agreesWithParseFloat holds what is read of a text against strconv, alone and before another value, and reports whether it was read without it.
func agreesWithParseFloat(t *testing.T, text string) bool {
	t.Helper()
	want, err := strconv.ParseFloat(text, 64)
	for _, behind := range []string{"", ",", ",1", ",12345678,1e5"} {
		x, n := leading([]byte(text + behind))
		if n == 0 {
			continue
		}
		if err != nil || n != len(text) || math.Float64bits(x) != math.Float64bits(want) {
			t.Errorf("%q before %q: %v of %d bytes, want %v (%v) of %d", text, behind, x, n, want, err, len(text))
		}
	}
	_, n := leading([]byte(text))
	return n > 0
}

// What hamc writes is read at once, to the last bit: numbers of every size and with any number of digits.
func TestLeadingReadsWhatIsWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	read, all := 0, 0
	for range 300_000 {
		x := math.Float64frombits(rng.Uint64())
		switch rng.IntN(6) {
		case 0:
			x = rng.NormFloat64()
		case 1:
			x = rng.NormFloat64() * math.Pow(10, float64(rng.IntN(40)-20))
		case 2:
			x = float64(rng.IntN(2000) - 1000)
		case 3:
			x, _ = strconv.ParseFloat(strconv.FormatFloat(rng.NormFloat64(), 'g', 1+rng.IntN(17), 64), 64)
		case 4:
			x = float64(rng.Uint64() >> rng.IntN(64))
		}
		ok := agreesWithParseFloat(t, string(AppendFloat(nil, x)))
		if a := math.Abs(x); a == 0 || a > 1e-40 && a < 1e27 {
			all++
			if ok {
				read++
			}
		}
		if t.Failed() {
			return
		}
	}
	// The others are odd multiples of a half or a quarter beyond 10¹⁴, of which the leading bits do not tell that they are numbers themselves.
	if float64(read) < 0.995*float64(all) {
		t.Errorf("%d of %d numbers were read without strconv", read, all)
	}
}

// Halfway between two numbers and next to it, at powers of ten and of two, with more digits than any number has.
func TestLeadingHardCases(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, text := range strings.Fields(`0 -0 0.0 -0.0 0e5 00 007 1 -1 1. .5 -.5 . - -. 1e5 1e+5 1e-5 1e 1e+ 1e- 1e400 1e-400 1e999 1e1000 1E5 +1 ++1 --1 1_000 0x10 0x1p-2 nan NaN inf -inf Infinity
		9007199254740991 9007199254740992 9007199254740993 9007199254740995 9007199254740993.0 9007199254740993.00001 18446744073709551615 18446744073709551616 9999999999999999999 99999999999999999999
		0.1 0.10000000000000000555 0.1000000000000000055511151231257827 8.41e21 9.5e-22 2.2250738585072014e-308 5e-324 1.7976931348623157e308 123456789012345678e-17 1.234567890123456789 0.00000000000000000000123
		0.000012345678901234567 0.00012345678901234567 0.0000000 1.99999999999999999 3.99999999999999999 0.999999999999999999 12345678 123456781234567 1234567a 12345678a 1:2 1/2 1;2 1.2.3 1e2e3 1e2.5 1\x80 \xff 1-2 4503599627370496.5 4503599627370497.5 1448997445238699 6929495644600919.5e0 7.3177701707893310e15`) {
		agreesWithParseFloat(t, text)
	}
	for range campaign.Cases(t, 30_000, 100_000) {
		// Between x and the next number, in as many digits as fit, a little less and a little more.
		x := math.Abs(rng.NormFloat64()) * math.Pow(2, float64(rng.IntN(120)-80))
		half := new(big.Float).SetPrec(200).SetFloat64(x)
		half.Add(half, new(big.Float).SetFloat64(math.Nextafter(x, math.Inf(1))))
		half.Quo(half, big.NewFloat(2))
		for digits := 15; digits <= 20; digits++ {
			agreesWithParseFloat(t, half.Text('e', digits-1))
		}
		agreesWithParseFloat(t, half.Text('f', rng.IntN(19)))
		agreesWithParseFloat(t, strconv.FormatUint(rng.Uint64()>>rng.IntN(64), 10)+"e"+strconv.Itoa(rng.IntN(100)-70))
		if t.Failed() {
			return
		}
	}
}

// FuzzLeading reads what strconv reads, or nothing.
func FuzzLeading(f *testing.F) {
	for _, s := range []string{"0.25,1", "-1e-5", "123456789.123456789,", "1,2,3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		x, n := leading([]byte(line))
		if n == 0 {
			return
		}
		text, _, _ := strings.Cut(line, ",")
		want, err := strconv.ParseFloat(text, 64)
		if err != nil || n != len(text) || math.Float64bits(x) != math.Float64bits(want) {
			t.Errorf("%q: %v of %d bytes, want %v, %v", line, x, n, want, err)
		}
	})
}

// The table holds what it says.
func TestPowers(t *testing.T) {
	for e := leastPower; e <= mostPower; e++ {
		p := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(e, -e))), nil))
		if e < 0 {
			p.Inv(p)
		}
		// 2¹²⁷ ≤ p < 2¹²⁸
		low, high := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 127)), new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 128))
		for p.Cmp(low) < 0 {
			p.Mul(p, big.NewRat(2, 1))
		}
		for p.Cmp(high) >= 0 {
			p.Mul(p, big.NewRat(1, 2))
		}
		want := new(big.Int).Quo(p.Num(), p.Denom())
		got := new(big.Int).SetUint64(powers[e-leastPower].hi)
		got.Lsh(got, 64).Add(got, new(big.Int).SetUint64(powers[e-leastPower].lo))
		if got.Cmp(want) != 0 {
			t.Errorf("10^%d: %x, want %x", e, got, want)
		}
	}
	for e, x := range tens {
		if want, _ := strconv.ParseFloat("1e"+strconv.Itoa(e), 64); x != want {
			t.Errorf("10^%d: %v", e, x)
		}
	}
}

// Whole numbers are written as strconv writes them.
func TestAppendWholeNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	x := []float64{0, math.Copysign(0, -1), 1e5, 999999, 999999.5, 1e6, 1e6 + 1, 1e7, 1e15, 1e20, 1e21, 0.5, 1.5, 5e-324, math.MaxFloat64}
	for range 100_000 {
		x = append(x, math.Trunc(math.Exp(40*rng.Float64())), math.Exp(20*rng.Float64()))
	}
	for _, v := range x {
		for _, v := range []float64{v, -v} {
			if got, want := string(AppendFloat(nil, v)), strconv.FormatFloat(v, 'g', -1, 64); got != want {
				t.Fatalf("%s, want %s", got, want)
			}
		}
	}
}

func BenchmarkNumbers(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 3))
	var line []byte
	for range 1000 {
		line = append(AppendFloat(line, rng.NormFloat64()), ',')
	}
	b.Run("leading", func(b *testing.B) {
		for b.Loop() {
			for at := 0; at < len(line); {
				_, n := leading(line[at:])
				at += n + 1
			}
		}
	})
	b.Run("ParseFloat", func(b *testing.B) {
		for b.Loop() {
			for rest := line; len(rest) > 0; {
				at := strings.IndexByte(string(rest[:min(len(rest), 30)]), ',')
				number(rest[:at])
				rest = rest[at+1:]
			}
		}
	})
}
