package special

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// incomplete are the functions of testdata/incomplete.txt, with the error that each may have. That of the beta functions is what the rounding of a logit does to
// shapes of 1e7.
var incomplete = map[string]struct {
	f     func(x []float64) float64
	error float64
}{
	"log_gamma_density":         {func(x []float64) float64 { return LogGammaDensity(x[0], x[1]) }, 3e-15},
	"log_beta_density_logit":    {func(x []float64) float64 { return LogBetaDensityLogit(x[0], x[1], x[2]) }, 1e-13},
	"log_gamma_p":               {func(x []float64) float64 { return LogGammaP(x[0], x[1]) }, 5e-15},
	"log_gamma_q":               {func(x []float64) float64 { return LogGammaQ(x[0], x[1]) }, 5e-15},
	"log_gamma_p_slope":         {func(x []float64) float64 { return LogGammaPSlope(x[0], x[1]) }, 5e-15},
	"log_gamma_q_slope":         {func(x []float64) float64 { return LogGammaQSlope(x[0], x[1]) }, 5e-15},
	"log_inc_beta_logit":        {func(x []float64) float64 { return LogIncBetaLogit(x[0], x[1], x[2]) }, 1e-13},
	"log_inc_beta_logit_slope1": {func(x []float64) float64 { return LogIncBetaLogitSlope1(x[0], x[1], x[2]) }, 3e-14},
	"log_inc_beta_logit_slope2": {func(x []float64) float64 { return LogIncBetaLogitSlope2(x[0], x[1], x[2]) }, 3e-14},
	"log_student":               {func(x []float64) float64 { return LogStudentCdf(x[0], x[1]) }, 5e-15},
	"log_student_slope":         {func(x []float64) float64 { return LogStudentCdfSlope(x[0], x[1]) }, 3e-14},
}

// TestIncomplete compares with values computed in 400 bits; see testdata. The error is relative to the result, of a density near its zeros to 1, and, where the
// result is small, to that times its logarithm: it is an exponential there.
func TestIncomplete(t *testing.T) {
	file, err := os.Open("testdata/incomplete.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	type score struct {
		worst float64
		at    string
		count int
	}
	scores := map[string]*score{}
	for s := bufio.NewScanner(file); s.Scan(); {
		words := strings.Fields(s.Text())
		row, ok := incomplete[words[0]]
		if !ok {
			t.Fatalf("no function %s", words[0])
		}
		var v []float64
		for _, w := range words[1:] {
			x, err := strconv.ParseFloat(w, 64)
			if err != nil {
				t.Fatal(err)
			}
			v = append(v, x)
		}
		got := row.f(v[1:])
		least := 0x1p-1000
		if strings.Contains(words[0], "density") {
			least = 1
		}
		size := max(math.Abs(v[0]), least)
		e := math.Abs(got-v[0]) / (size * max(1, -math.Log(size)))
		sc := scores[words[0]]
		if sc == nil {
			sc = &score{}
			scores[words[0]] = sc
		}
		sc.count++
		if !(e <= sc.worst) {
			sc.worst, sc.at = e, s.Text()+" got "+strconv.FormatFloat(got, 'g', -1, 64)
		}
	}
	for name, row := range incomplete {
		sc := scores[name]
		if sc == nil || sc.count < 300 {
			t.Fatalf("too few values of %s", name)
		}
		t.Logf("%-26s error at most %.2g of %d points", name, sc.worst, sc.count)
		if !(sc.worst <= row.error) {
			t.Errorf("%s: error %.3g, more than %g: %s", name, sc.worst, row.error, sc.at)
		}
	}
}

// TestIncompleteExtremes checks limits and arguments outside the domain.
func TestIncompleteExtremes(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	two := func(f func(a, b float64) float64) func(x []float64) float64 {
		return func(x []float64) float64 { return f(x[0], x[1]) }
	}
	three := func(f func(a, b, c float64) float64) func(x []float64) float64 {
		return func(x []float64) float64 { return f(x[0], x[1], x[2]) }
	}
	for _, c := range []struct {
		name string
		f    func(x []float64) float64
		rows [][]float64 // arguments, and the value
	}{
		{"LogGammaP", two(LogGammaP), [][]float64{{2, 0, -inf}, {0, 2, 0}, {2, inf, 0}, {1, inf, 0}, {inf, 2, -inf}, {0, 0, nan}, {-1, 2, nan}, {2, -1, nan}, {nan, 2, nan}, {2, nan, nan}, {1, nan, nan}, {1, 0, -inf}, {1, -1, nan}, {3, 1e300, 0}}},
		{"LogGammaQ", two(LogGammaQ), [][]float64{{2, 0, 0}, {0, 2, -inf}, {2, inf, -inf}, {1, inf, -inf}, {inf, 2, 0}, {0, 0, nan}, {-1, 2, nan}, {2, -1, nan}, {nan, 2, nan}, {2, nan, nan}, {1, 0, 0}, {1, -1, nan}, {3, 1e300, -1e300}}},
		{"LogGammaPSlope", two(LogGammaPSlope), [][]float64{{2, inf, 0}, {-1, 2, nan}, {nan, 2, nan}}},
		{"LogGammaQSlope", two(LogGammaQSlope), [][]float64{{2, 0, 0}, {-1, 2, nan}, {2, nan, nan}}},
		{"LogGammaDensity", two(LogGammaDensity), [][]float64{{1, 0, 0}, {2, 0, -inf}, {0.5, 0, inf}, {2, inf, -inf}, {-1, 2, nan}, {nan, 2, nan}, {2, nan, nan}, {2, -1, nan}}},
		{"LogIncBetaLogit", three(LogIncBetaLogit), [][]float64{{2, 3, -inf, -inf}, {2, 3, inf, 0}, {0, 3, 1, 0}, {2, 0, 1, -inf}, {0, 0, 1, nan}, {0, 2, -inf, nan}, {-1, 2, 0, nan}, {2, -1, 0, nan}, {2, 3, nan, nan}, {inf, 3, 0, nan}, {1, 1, -800, -800}}},
		{"LogIncBeta", three(LogIncBeta), [][]float64{{2, 3, 0, -inf}, {2, 3, 1, 0}, {2, 3, 1.5, nan}, {1, 1, 0.5, -math.Ln2}, {2, 3, -1, nan}}},
		{"LogBetaDensityLogit", three(LogBetaDensityLogit), [][]float64{{2, 3, -inf, -inf}, {2, 3, inf, -inf}, {0, 3, 1, -inf}, {3, 0, 1, -inf}, {0, 0, 1, nan}, {2, 3, nan, nan}}},
		{"LogStudentCdf", two(LogStudentCdf), [][]float64{{3, -inf, -inf}, {3, inf, 0}, {3, 0, -math.Ln2}, {0, 1, nan}, {-1, 1, nan}, {nan, 1, nan}, {3, nan, nan}, {3, 1e300, 0}}},
		{"LogStudentCdfSlope", two(LogStudentCdfSlope), [][]float64{{3, 0, 0}, {0, 1, nan}, {3, nan, nan}}},
	} {
		for _, r := range c.rows {
			n := len(r) - 1
			if got := c.f(r[:n]); !(math.Abs(got-r[n]) <= 1e-13*math.Abs(r[n])) && got != r[n] && !(math.IsNaN(got) && math.IsNaN(r[n])) {
				t.Errorf("%s%v = %v, want %v", c.name, r[:n], got, r[n])
			}
		}
	}
}

// TestIncompleteComplement: a probability and 1 less it are those of the other function, and both sides of a change of the algorithm agree.
func TestIncompleteComplement(t *testing.T) {
	near := func(what string, x []float64, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-13*max(1, math.Abs(want))) {
			t.Errorf("%s at %v: %.17g and %.17g", what, x, got, want)
		}
	}
	for _, a := range []float64{1e-3, 0.1, 0.5, 0.999, 1, 1.001, 3, 9.999, 10, 40, 1e3, 1e6} {
		for _, r := range []float64{1e-3, 0.5, 1, 1.5, 20} {
			x := a * r
			near("P + Q", []float64{a, x}, math.Exp(LogGammaP(a, x))+math.Exp(LogGammaQ(a, x)), 1)
			for _, b := range []float64{0.01, 0.6, 1, 5, 80, 1e5} {
				u := math.Log(r * a / b)
				near("I + I", []float64{a, b, u}, math.Exp(LogIncBetaLogit(a, b, u))+math.Exp(LogIncBetaLogit(b, a, -u)), 1)
				near("slopes", []float64{a, b, u}, LogIncBetaLogitSlope1(a, b, u)*math.Exp(LogIncBetaLogit(a, b, u)), -LogIncBetaLogitSlope2(b, a, -u)*math.Exp(LogIncBetaLogit(b, a, -u)))
			}
		}
		near("x = 1", []float64{a}, LogGammaP(a, 1-1e-15), LogGammaP(a, 1+1e-15))
	}
}

// TestIncompleteAllocates: nothing.
func TestIncompleteAllocates(t *testing.T) {
	for name, row := range incomplete {
		x := []float64{2.5, 3.1, 0.4}
		if n := testing.AllocsPerRun(10, func() { row.f(x) }); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func BenchmarkIncomplete(b *testing.B) {
	for _, c := range []struct {
		name string
		f    func() float64
	}{
		{"P(2.5,2)", func() float64 { return LogGammaP(2.5, 2) }}, {"P(0.5,0.3)", func() float64 { return LogGammaP(0.5, 0.3) }}, {"P(1,2)", func() float64 { return LogGammaP(1, 2) }},
		{"Q(1e8,1e8)", func() float64 { return LogGammaQ(1e8, 1e8) }}, {"Q(300,2000)", func() float64 { return LogGammaQ(300, 2000) }},
		{"I(2,3,.3)", func() float64 { return LogIncBetaLogit(2, 3, 0.3) }}, {"I(1e8,1e8,0)", func() float64 { return LogIncBetaLogit(1e8, 1e8, 0) }},
		{"I(.5,2e8)", func() float64 { return LogIncBetaLogit(0.5, 2e8, -19) }}, {"student(4,1.5)", func() float64 { return LogStudentCdf(4, 1.5) }},
		{"student slope", func() float64 { return LogStudentCdfSlope(4, 1.5) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.f()
			}
		})
	}
}
