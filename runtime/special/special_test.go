package special

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// function is a row of the table of functions under test.
type function struct {
	name  string
	one   func(x float64) float64
	two   func(a, b float64) float64
	error float64 // promised, relative to the result or to scale

	// scale returns the size beside which the error is small where the
	// result is near zero; nil means the result itself.
	scale func(args []float64) float64
}

func one([]float64) float64 { return 1 }

func largest(args []float64) float64 {
	return max(math.Abs(args[0]), math.Abs(args[1]), 1)
}

// negative lets the error be relative to s(|x|) where x < 0, the side on
// which the functions related to Γ have their infinitely many zeros.
func negative(s func(x float64) float64) func([]float64) float64 {
	return func(args []float64) float64 {
		if args[0] < 0 {
			return s(-args[0])
		}
		return 0
	}
}

// besidePassage is the size of what cancels in log f(u, w), of which byU and byW derivatives are taken: the terms themselves as w nears 0 or 1, and those of small u.
func besidePassage(byU, byW int) func([]float64) float64 {
	return func(args []float64) float64 {
		u, w := args[0], args[1]
		return (1 + w*w/u) * math.Pow(min(1, u), -float64(byU)) * math.Pow(w*(1-w), -float64(byW)-1)
	}
}

// besideTilt is the size of what is added in log Φ(z − r) + ½r² − rz, written for what z − r is: ½z², or r(z − ½r).
func besideTilt(args []float64) float64 {
	z, r := args[0], args[1]
	if z-r > farTail {
		return 1 + math.Abs(r*(z-0.5*r))
	}
	return 1 + 0.5*z*z
}

// besideSlope is that of its derivative by z.
func besideSlope(args []float64) float64 {
	z, r := args[0], args[1]
	if z > r {
		return r
	}
	return math.Abs(z) + MillsExcess(z-r)
}

var functions = []function{
	{name: "inv_logit", one: InvLogit, error: 1e-15},
	{name: "logit", one: Logit, error: 1e-15},
	{name: "log1p_exp", one: Log1pExp, error: 1e-15},
	{name: "log1m", one: Log1m, error: 1e-15},
	{name: "log1m_exp", one: Log1mExp, error: 1e-15},
	{name: "log_inv_logit", one: LogInvLogit, error: 1e-15},
	{name: "log1m_inv_logit", one: Log1mInvLogit, error: 1e-15},
	{name: "log_sum_exp", two: LogSumExp2, error: 1e-15, scale: largest},
	{name: "log_diff_exp", two: LogDiffExp, error: 1e-15, scale: largest},
	{name: "asinh", one: Asinh, error: 2e-15},
	{name: "lgamma", one: Lgamma, error: 2e-15, scale: negative(func(x float64) float64 { return max(1, x*math.Abs(math.Log(x))) })},
	{name: "digamma", one: Digamma, error: 1e-15, scale: negative(func(x float64) float64 { return 1 })},
	{name: "trigamma", one: Trigamma, error: 1e-15},
	{name: "tetragamma", one: Tetragamma, error: 1e-14, scale: negative(func(x float64) float64 { return 1 })},
	{name: "student_information", one: StudentInformation, error: 2e-15},
	{name: "student_information_slope", one: StudentInformationSlope, error: 3e-15},
	{name: "lbeta", two: LogBeta, error: 3e-15, scale: one},
	{name: "lchoose", two: LogChoose, error: 3e-15, scale: one},
	{name: "phi", one: Phi, error: 1e-15},
	{name: "log_phi", one: LogPhi, error: 1e-15},
	{name: "inv_phi", one: InvPhi, error: 1e-15},
	{name: "log_bessel_i0", one: LogBesselI0, error: 1e-15},
	{name: "bessel_ratio", one: BesselRatio, error: 2e-15},
	{name: "bessel_ratio_slope", one: BesselRatioSlope, error: 2e-15},
	{name: "log_first_passage", two: LogFirstPassage, error: 1e-14, scale: besidePassage(0, 0)},
	{name: "log_first_passage_u", two: LogFirstPassageSlope1, error: 1e-14, scale: besidePassage(1, 0)},
	{name: "log_first_passage_w", two: LogFirstPassageSlope2, error: 1e-14, scale: besidePassage(0, 1)},
	{name: "log_first_passage_uu", two: LogFirstPassageCurvature11, error: 1e-14, scale: besidePassage(2, 0)},
	{name: "log_first_passage_uw", two: LogFirstPassageCurvature12, error: 1e-14, scale: besidePassage(1, 1)},
	{name: "stirling_rest", one: StirlingRest, error: 5e-15, scale: one},
	{name: "stirling_slope", one: StirlingSlope, error: 1e-15, scale: one},
	{name: "stirling_curvature", one: StirlingCurvature, error: 2e-15, scale: one},
	{name: "mills_excess", one: MillsExcess, error: 4e-14},
	{name: "log_phi_interval", two: LogPhiInterval, error: 3e-14, scale: one},
	{name: "log_phi_tilted", two: LogPhiTilted, error: 3e-15, scale: besideTilt},
	{name: "log_phi_tilted_slope", two: LogPhiTiltedSlope, error: 4e-14, scale: besideSlope},
	{name: "log_first_passage_ww", two: LogFirstPassageCurvature22, error: 1e-14, scale: besidePassage(0, 2)},
}

// TestAccuracy compares with values computed by mpmath; see testdata.
func TestAccuracy(t *testing.T) {
	byName := make(map[string]*function)
	for i := range functions {
		byName[functions[i].name] = &functions[i]
	}
	file, err := os.Open("testdata/special.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	worst, at, count := make(map[string]float64), make(map[string]string), make(map[string]int)
	for s := bufio.NewScanner(file); s.Scan(); {
		words := strings.Fields(s.Text())
		f := byName[words[0]]
		if f == nil {
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
		want, args := v[0], v[1:]
		var got float64
		if f.two != nil {
			got = f.two(args[0], args[1])
		} else {
			got = f.one(args[0])
		}
		scale := max(math.Abs(want), 0x1p-1022)
		if f.scale != nil {
			scale = max(scale, f.scale(args))
		}
		if e := math.Abs(got-want) / scale; !(e <= worst[f.name]) {
			worst[f.name], at[f.name] = e, s.Text()+" got "+strconv.FormatFloat(got, 'g', -1, 64)
		}
		count[f.name]++
	}
	for _, f := range functions {
		t.Logf("%-16s error at most %.2g of %d points", f.name, worst[f.name], count[f.name])
		if count[f.name] < 50 {
			t.Errorf("only %d values of %s", count[f.name], f.name)
		}
		if !(worst[f.name] <= f.error) {
			t.Errorf("%s: error %.3g, more than %g: %s", f.name, worst[f.name], f.error, at[f.name])
		}
	}
}

// TestExtremes checks limits, poles and arguments outside the domain. Its lines are a table, a row for each function.
func TestExtremes(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name    string
		f       func(float64) float64
		x, want []float64
	}{
		{"Square", Square, []float64{-3, -inf, 1e200, nan}, []float64{9, inf, inf, nan}},
		{"InvLogit", InvLogit, []float64{-inf, inf, 0, -1e300, nan}, []float64{0, 1, 0.5, 0, nan}},
		{"Logit", Logit, []float64{0, 1, 0.5, -0.1, 1.1, nan}, []float64{-inf, inf, 0, nan, nan, nan}},
		{"Log1pExp", Log1pExp, []float64{-inf, inf, 1e300, nan}, []float64{0, inf, 1e300, nan}},
		{"Log1m", Log1m, []float64{1, -inf, 0, 1.5, nan}, []float64{-inf, inf, 0, nan, nan}},
		{"Log1mExp", Log1mExp, []float64{0, -inf, 1e-9, inf, nan}, []float64{-inf, 0, nan, nan, nan}},
		{"LogInvLogit", LogInvLogit, []float64{-inf, inf, -1e300, nan}, []float64{-inf, 0, -1e300, nan}},
		{"Log1mInvLogit", Log1mInvLogit, []float64{-inf, inf, 1e300, nan}, []float64{0, -inf, -1e300, nan}},
		{"Lgamma", Lgamma, []float64{0, -3, inf, -inf, 1, 2, nan}, []float64{inf, inf, inf, inf, 0, 0, nan}},
		{"Digamma", Digamma, []float64{0, -1, -1e300, inf, -inf, 1e300, nan},
			[]float64{nan, nan, nan, inf, nan, 690.77552789821368, nan}},
		{"Trigamma", Trigamma, []float64{0, -1, -1e300, inf, -inf, 1e-200, nan}, []float64{inf, inf, inf, 0, nan, inf, nan}},
		{"Tetragamma", Tetragamma, []float64{0, -1, -1e300, inf, -inf, 1e-200, nan}, []float64{nan, nan, nan, 0, nan, -inf, nan}},
		{"Phi", Phi, []float64{-inf, inf, 0, -40, 40, nan}, []float64{0, 1, 0.5, 0, 1, nan}},
		{"LogPhi", LogPhi, []float64{-inf, inf, -1e300, nan}, []float64{-inf, 0, -inf, nan}},
		{"LogBesselI0", LogBesselI0, []float64{0, inf, -inf, 1e300, nan}, []float64{0, inf, inf, 1e300, nan}},
		{"BesselRatio", BesselRatio, []float64{0, inf, -inf, 1e300, -1e300, nan}, []float64{0, 1, -1, 1, -1, nan}},
		{"BesselRatioSlope", BesselRatioSlope, []float64{0, inf, -inf, 1e300, nan}, []float64{0.5, 0, 0, 0, nan}},
		{"InvPhi", InvPhi, []float64{0, 1, 0.5, -1e-9, 1.1, nan}, []float64{-inf, inf, 0, nan, nan, nan}},
	} {
		for i, want := range c.want {
			if got := c.f(c.x[i]); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%s(%v) = %v, want %v", c.name, c.x[i], got, want)
			}
		}
	}
	for _, c := range []struct {
		name       string
		f          func(a, b float64) float64
		a, b, want float64
	}{
		{"LogSumExp2", LogSumExp2, -inf, -inf, -inf},
		{"LogSumExp2", LogSumExp2, -inf, 3, 3},
		{"LogSumExp2", LogSumExp2, inf, inf, inf},
		{"LogSumExp2", LogSumExp2, -inf, inf, inf},
		{"LogSumExp2", LogSumExp2, nan, inf, nan},
		{"LogSumExp2", LogSumExp2, -inf, nan, nan},
		{"LogSumExp2", LogSumExp2, 1e308, -1e308, 1e308},
		{"LogDiffExp", LogDiffExp, 3, -inf, 3},
		{"LogDiffExp", LogDiffExp, 3, 3, -inf},
		{"LogDiffExp", LogDiffExp, -inf, -inf, -inf},
		{"LogDiffExp", LogDiffExp, inf, 3, inf},
		{"LogDiffExp", LogDiffExp, inf, inf, nan},
		{"LogDiffExp", LogDiffExp, 3, 4, nan},
		{"LogDiffExp", LogDiffExp, nan, -inf, nan},
		{"LogDiffExp", LogDiffExp, 3, nan, nan},
		{"LogFirstPassage", LogFirstPassage, 0, 0.5, -inf},
		{"LogFirstPassage", LogFirstPassage, -1, 0.5, -inf},
		{"LogFirstPassage", LogFirstPassage, inf, 0.5, -inf},
		{"LogFirstPassage", LogFirstPassage, 1, 0, nan},
		{"LogFirstPassage", LogFirstPassage, 1, 1, nan},
		{"LogFirstPassage", LogFirstPassage, nan, 0.5, nan},
		{"LogFirstPassage", LogFirstPassage, 1, nan, nan},
		{"LogFirstPassageSlope1", LogFirstPassageSlope1, 1, 2, nan},
		{"LogBeta", LogBeta, 0, 3, inf},
		{"LogBeta", LogBeta, 3, 0, inf},
		{"LogBeta", LogBeta, inf, 3, -inf},
		{"LogBeta", LogBeta, inf, 30, -inf},
		{"LogBeta", LogBeta, inf, inf, -inf},
		{"LogBeta", LogBeta, 0, inf, nan},
		{"LogBeta", LogBeta, -1, 3, nan},
		{"LogBeta", LogBeta, nan, 3, nan},
		{"LogBeta", LogBeta, 3, nan, nan},
		{"LogChoose", LogChoose, 5, 0, 0},
		{"LogChoose", LogChoose, 5, 5, 0},
		{"LogChoose", LogChoose, 0, 0, 0},
		{"LogChoose", LogChoose, 5, 6, -inf},
		{"LogChoose", LogChoose, 5, -1, -inf},
		{"LogChoose", LogChoose, 5, 7, nan},
		{"LogChoose", LogChoose, 5, -2, nan},
		{"LogChoose", LogChoose, nan, 2, nan},
		{"LogChoose", LogChoose, 2, nan, nan},
	} {
		if got := c.f(c.a, c.b); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s(%v, %v) = %v, want %v", c.name, c.a, c.b, got, c.want)
		}
	}
}
