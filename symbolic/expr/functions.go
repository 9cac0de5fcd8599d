package expr

import (
	"math"
	"slices"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/runtime/elementary"
	"github.com/hamc-dev/hamc/runtime/special"
)

// Func is one row of the function table: what a function of the language is
// to the calculus.
type Func struct {
	Name      string
	Eval      func(x []float64) float64
	Partials  []string   // ∂f/∂x and ∂f/∂y and so on in the language, of x, y and z, "" where one is not known; nil: none is
	Positive  bool       // f > 0 wherever it is defined
	Go        string     // qualified Go function: "elementary.Exp", "special.InvLogit"
	Cost      float64    // in multiplications, for the cost model
	Sample    [2]float64 // an interval inside the domain of x, for the row's test
	Symmetric bool       // f(x, y) = f(y, x)
}

func f1(f func(float64) float64) func([]float64) float64 {
	return func(x []float64) float64 { return f(x[0]) }
}

func f2(f func(x, y float64) float64) func([]float64) float64 {
	return func(x []float64) float64 { return f(x[0], x[1]) }
}

func f3(f func(x, y, z float64) float64) func([]float64) float64 {
	return func(x []float64) float64 { return f(x[0], x[1], x[2]) }
}

// The log density of Student's t, of y with x degrees of freedom.
const studentDensity = "-lbeta(x/2, 0.5) - 0.5*log(x) - 0.5*(x + 1)*log1p_square(y/sqrt(x))"

// Funcs is the table. Functions that the canonical form writes in other terms
// (square, sqrt, inv, log1m, logit …) have a row in Abbreviations instead.
var Funcs = []Func{
	{"exp", f1(elementary.Exp), []string{"exp(x)"}, true, "elementary.Exp", 15, [2]float64{-3, 3}, false},
	{"expm1", f1(elementary.Expm1), []string{"exp(x)"}, false, "elementary.Expm1", 15, [2]float64{-3, 3}, false},
	{"log", f1(elementary.Log), []string{"1/x"}, false, "elementary.Log", 15, [2]float64{0.1, 4}, false},
	{"log_total", f1(elementary.Log), []string{"inv_total(x)"}, false, "elementary.Log", 15, [2]float64{0.1, 4}, false},
	{"log_or_0", f1(special.LogOr0), []string{"inv_total(x)"}, false, "special.LogOr0", 15, [2]float64{0.1, 4}, false},
	{"inv_total", f1(special.InvTotal), []string{"-inv_total(x)^2"}, false, "special.InvTotal", 8, [2]float64{0.1, 4}, false},
	{"log1p", f1(elementary.Log1p), []string{"1/(1 + x)"}, false, "elementary.Log1p", 15, [2]float64{-0.8, 4}, false},
	{"log1p_exp", f1(special.Log1pExp), []string{"inv_logit(x)"}, true, "special.Log1pExp", 30, [2]float64{-4, 4}, false},
	{"log1m_exp", f1(special.Log1mExp), []string{"-1/expm1(-x)"}, false, "special.Log1mExp", 30, [2]float64{-4, -0.1}, false},
	{"inv_logit", f1(special.InvLogit), []string{"inv_logit(x)*(1 - inv_logit(x))"}, true, "special.InvLogit", 20, [2]float64{-4, 4}, false},
	{"sin", f1(elementary.Sin), []string{"cos(x)"}, false, "elementary.Sin", 15, [2]float64{-3, 3}, false},
	{"cos", f1(elementary.Cos), []string{"-sin(x)"}, false, "elementary.Cos", 15, [2]float64{-3, 3}, false},
	{"tan", f1(elementary.Tan), []string{"1 + tan(x)^2"}, false, "elementary.Tan", 15, [2]float64{-1, 1}, false},
	{"atan", f1(elementary.Atan), []string{"1/(1 + x^2)"}, false, "elementary.Atan", 15, [2]float64{-3, 3}, false},
	{"atan2", f2(special.Atan2), []string{"y/(x^2 + y^2)", "-x/(x^2 + y^2)"}, false, "special.Atan2", 20, [2]float64{-3, 3}, false},
	{"sinh", f1(elementary.Sinh), []string{"cosh(x)"}, false, "elementary.Sinh", 15, [2]float64{-3, 3}, false},
	{"cosh", f1(elementary.Cosh), []string{"sinh(x)"}, true, "elementary.Cosh", 15, [2]float64{-3, 3}, false},
	{"tanh", f1(elementary.Tanh), []string{"1 - tanh(x)^2"}, false, "elementary.Tanh", 15, [2]float64{-3, 3}, false},
	{"asinh", f1(special.Asinh), []string{"1/sqrt(1 + x^2)"}, false, "special.Asinh", 20, [2]float64{-3, 3}, false},
	{"lgamma", f1(special.Lgamma), []string{"digamma(x)"}, false, "special.Lgamma", 30, [2]float64{0.3, 6}, false},
	{"digamma", f1(special.Digamma), []string{"trigamma(x)"}, false, "special.Digamma", 30, [2]float64{0.3, 6}, false},
	{"trigamma", f1(special.Trigamma), []string{"tetragamma(x)"}, true, "special.Trigamma", 30, [2]float64{0.3, 6}, false},
	{"tetragamma", f1(special.Tetragamma), nil, false, "special.Tetragamma", 30, [2]float64{0.3, 6}, false},
	{"stirling_rest", f1(special.StirlingRest), []string{"stirling_slope(x)"}, false, "special.StirlingRest", 20, [2]float64{0.3, 30}, false},
	{"stirling_slope", f1(special.StirlingSlope), []string{"stirling_curvature(x)"}, false, "special.StirlingSlope", 20, [2]float64{0.3, 30}, false},
	{"stirling_curvature", f1(special.StirlingCurvature), []string{"tetragamma(x) + 1/x^2 + 1/x^3"}, false, "special.StirlingCurvature", 20, [2]float64{0.3, 30}, false},
	{"log_bessel_i0", f1(special.LogBesselI0), []string{"bessel_ratio(x)"}, false, "special.LogBesselI0", 100, [2]float64{0.3, 40}, false},
	{"bessel_ratio", f1(special.BesselRatio), []string{"bessel_ratio_slope(x)"}, false, "special.BesselRatio", 100, [2]float64{0.3, 40}, false},
	{"bessel_ratio_slope", f1(special.BesselRatioSlope), []string{"-2*bessel_ratio(x)*bessel_ratio_slope(x) - (bessel_ratio_slope(x) - bessel_ratio(x)/x)/x"}, true, "special.BesselRatioSlope", 100, [2]float64{0.3, 20}, false},
	{"student_information", f1(special.StudentInformation), []string{"student_information_slope(x)"}, true, "special.StudentInformation", 60, [2]float64{0.3, 6}, false},
	{"student_information_slope", f1(special.StudentInformationSlope), nil, false, "special.StudentInformationSlope", 60, [2]float64{0.3, 6}, false},
	{"Phi", f1(special.Phi), []string{"exp(-0.5*x^2)/sqrt(2*pi())"}, true, "special.Phi", 20, [2]float64{-3, 3}, false},
	{"log_Phi", f1(special.LogPhi), []string{"exp(-0.5*x^2 - log_Phi(x))/sqrt(2*pi())"}, false, "special.LogPhi", 30, [2]float64{-3, 3}, false},
	{"log_Phi_interval", f2(special.LogPhiInterval), []string{"(exp(-0.5*x^2 - log_Phi_interval(x, y)) - exp(-0.5*(x - y)^2 - log_Phi_interval(x, y)))/sqrt(2*pi())", "exp(-0.5*(x - y)^2 - log_Phi_interval(x, y))/sqrt(2*pi())"}, false, "special.LogPhiInterval", 50, [2]float64{0.1, 3}, false},
	{"log_Phi_tilted", f2(special.LogPhiTilted), []string{"log_Phi_tilted_slope(x, y)", "-mills_excess(x - y)"}, false, "special.LogPhiTilted", 40, [2]float64{0.1, 9}, false},
	{"log_Phi_tilted_slope", f2(special.LogPhiTiltedSlope), []string{"-mills_excess(x - y)*(mills_excess(x - y) - x + y)", "mills_excess(x - y)*(mills_excess(x - y) - x + y) - 1"}, false, "special.LogPhiTiltedSlope", 50, [2]float64{0.1, 9}, false},
	{"mills_excess", f1(special.MillsExcess), []string{"1 - mills_excess(x)*(mills_excess(x) - x)"}, true, "special.MillsExcess", 50, [2]float64{-8, 3}, false},
	{"inv_Phi", f1(special.InvPhi), []string{"sqrt(2*pi())*exp(0.5*inv_Phi(x)^2)"}, false, "special.InvPhi", 40, [2]float64{0.05, 0.95}, false},
	{"pow", f2(elementary.Pow), []string{"y*pow_or_0(x, y - 1)", "pow(x, y)*log_or_0(x)"}, false, "elementary.Pow", 40, [2]float64{0.2, 3}, false},
	{"pow_or_0", f2(special.PowOr0), []string{"y*pow_or_0(x, y - 1)", "pow_or_0(x, y)*log_or_0(x)"}, false, "special.PowOr0", 40, [2]float64{0.2, 3}, false},
	{"lbeta", f2(special.LogBeta), []string{"digamma(x) - digamma(x + y)", "digamma(y) - digamma(x + y)"}, false, "special.LogBeta", 60, [2]float64{0.3, 5}, true},
	{"log_gamma_p", f2(special.LogGammaP), []string{"log_gamma_p_slope(x, y)", "exp(log_gamma_density(x, y) - log_gamma_p(x, y))"}, false, "special.LogGammaP", 3000, [2]float64{0.3, 6}, false},
	{"log_gamma_q", f2(special.LogGammaQ), []string{"log_gamma_q_slope(x, y)", "-exp(log_gamma_density(x, y) - log_gamma_q(x, y))"}, false, "special.LogGammaQ", 3000, [2]float64{0.3, 6}, false},
	{"log_gamma_p_slope", f2(special.LogGammaPSlope), []string{"", "exp(log_gamma_density(x, y) - log_gamma_p(x, y))*(log(y) - digamma(x) - log_gamma_p_slope(x, y))"}, false, "special.LogGammaPSlope", 3000, [2]float64{0.3, 6}, false},
	{"log_gamma_q_slope", f2(special.LogGammaQSlope), []string{"", "exp(log_gamma_density(x, y) - log_gamma_q(x, y))*(log_gamma_q_slope(x, y) - log(y) + digamma(x))"}, false, "special.LogGammaQSlope", 3000, [2]float64{0.3, 6}, false},
	{"log_gamma_density", f2(special.LogGammaDensity), []string{"log(y) - digamma(x)", "(x - 1)/y - 1"}, false, "special.LogGammaDensity", 60, [2]float64{0.3, 6}, false},
	{"log_inc_beta_logit", f3(special.LogIncBetaLogit), []string{"log_inc_beta_logit_slope1(x, y, z)", "log_inc_beta_logit_slope2(x, y, z)", "exp(log_beta_density_logit(x, y, z) - log_inc_beta_logit(x, y, z))"},
		false, "special.LogIncBetaLogit", 6000, [2]float64{0.3, 5}, false},
	{"log_inc_beta_logit_slope1", f3(special.LogIncBetaLogitSlope1),
		[]string{"", "", "exp(log_beta_density_logit(x, y, z) - log_inc_beta_logit(x, y, z))*(digamma(x + y) - digamma(x) - log1p_exp(-z) - log_inc_beta_logit_slope1(x, y, z))"},
		false, "special.LogIncBetaLogitSlope1", 6000, [2]float64{0.3, 5}, false},
	{"log_inc_beta_logit_slope2", f3(special.LogIncBetaLogitSlope2),
		[]string{"", "", "exp(log_beta_density_logit(x, y, z) - log_inc_beta_logit(x, y, z))*(digamma(x + y) - digamma(y) - log1p_exp(z) - log_inc_beta_logit_slope2(x, y, z))"},
		false, "special.LogIncBetaLogitSlope2", 6000, [2]float64{0.3, 5}, false},
	{"log_beta_density_logit", f3(special.LogBetaDensityLogit), []string{"digamma(x + y) - digamma(x) - log1p_exp(-z)", "digamma(x + y) - digamma(y) - log1p_exp(z)", "x*inv_logit(-z) - y*inv_logit(z)"},
		false, "special.LogBetaDensityLogit", 100, [2]float64{0.3, 5}, false},
	{"log_student_cdf", f2(special.LogStudentCdf), []string{"log_student_cdf_slope(x, y)", "exp(" + studentDensity + " - log_student_cdf(x, y))"}, false, "special.LogStudentCdf", 4000, [2]float64{0.3, 6}, false},
	{"log_student_cdf_slope", f2(special.LogStudentCdfSlope),
		[]string{"", "exp(" + studentDensity + " - log_student_cdf(x, y))*(0.5*(digamma((x + 1)/2) - digamma(x/2)) - 0.5/x - 0.5*log1p_square(y/sqrt(x)) + 0.5*(x + 1)/x*y^2/(x + y^2) - log_student_cdf_slope(x, y))"},
		false, "special.LogStudentCdfSlope", 4000, [2]float64{0.3, 6}, false},
	{"log_first_passage", f2(special.LogFirstPassage), []string{"log_first_passage_slope1(x, y)", "log_first_passage_slope2(x, y)"}, false, "special.LogFirstPassage", 150, [2]float64{0.05, 0.95}, false},
	{"log_first_passage_slope1", f2(special.LogFirstPassageSlope1), []string{"log_first_passage_curvature11(x, y)", "log_first_passage_curvature12(x, y)"}, false, "special.LogFirstPassageSlope1", 150, [2]float64{0.05, 0.95}, false},
	{"log_first_passage_slope2", f2(special.LogFirstPassageSlope2), []string{"log_first_passage_curvature12(x, y)", "log_first_passage_curvature22(x, y)"}, false, "special.LogFirstPassageSlope2", 150, [2]float64{0.05, 0.95}, false},
	{"log_first_passage_curvature11", f2(special.LogFirstPassageCurvature11), []string{"", ""}, false, "special.LogFirstPassageCurvature11", 150, [2]float64{0.05, 0.95}, false},
	{"log_first_passage_curvature12", f2(special.LogFirstPassageCurvature12), []string{"", ""}, false, "special.LogFirstPassageCurvature12", 150, [2]float64{0.05, 0.95}, false},
	{"log_first_passage_curvature22", f2(special.LogFirstPassageCurvature22), []string{"", ""}, false, "special.LogFirstPassageCurvature22", 150, [2]float64{0.05, 0.95}, false},
	{"grid", f1(special.Grid), []string{"0"}, false, "special.Grid", 10, [2]float64{1.1, 3.9}, false},
	{"fine", f2(special.Fine), []string{"0", "0"}, false, "special.Fine", 3, [2]float64{0.5, 3}, false},
	{"excess", f2(special.Excess), []string{"0", "0"}, false, "special.Excess", 6, [2]float64{0.5, 3}, false},
	{"plus", f2(special.Plus), []string{"1", "1"}, false, "special.Plus", 1, [2]float64{0.5, 3}, false},
	{"lmultiply", f2(special.LMultiply), []string{"log(y)", "share(x, y)"}, false, "special.LMultiply", 16, [2]float64{0.3, 5}, false},
	{"lmultiply_1p", f2(special.LMultiply1p), []string{"log1p(y)", "share(x, 1 + y)"}, false, "special.LMultiply1p", 16, [2]float64{0.3, 5}, false},
	{"share", f2(special.Share), []string{"1/y", "-share(share(x, y), y)"}, false, "special.Share", 8, [2]float64{0.3, 5}, false},
	{"log_chance", f2(special.LogChance), []string{"", "chance_slope(x, y)"}, false, "special.LogChance", 18, [2]float64{0.1, 0.9}, false},
	{"chance_slope", f2(special.ChanceSlope), []string{"", "-chance_slope(x, y)^2"}, false, "special.ChanceSlope", 10, [2]float64{0.1, 0.9}, false},
	{"log1p_square", f1(special.Log1pSquare), []string{"log1p_square_slope(x)"}, false, "special.Log1pSquare", 16, [2]float64{-3, 3}, false},
	{"log1p_square_slope", f1(special.Log1pSquareSlope), []string{"2/(1 + x^2) - log1p_square_slope(x)^2"}, false, "special.Log1pSquareSlope", 10, [2]float64{-3, 3}, false},
	{"abs", f1(math.Abs), []string{"sign(x)"}, false, "math.Abs", 1, [2]float64{0.5, 3}, false},
	{"sign", f1(special.Sign), []string{"0"}, false, "special.Sign", 3, [2]float64{0.5, 3}, false},
	{"step", f1(special.Step), []string{"0"}, false, "special.Step", 3, [2]float64{0.5, 3}, false},
	{"fmax", f2(math.Max), []string{"step(x - y)", "1 - step(x - y)"}, false, "math.Max", 3, [2]float64{0.5, 3}, true},
	{"fmin", f2(math.Min), []string{"step(y - x)", "1 - step(y - x)"}, false, "math.Min", 3, [2]float64{0.5, 3}, true},
	{"floor", f1(math.Floor), []string{"0"}, false, "math.Floor", 1, [2]float64{1.1, 1.9}, false},
	{"ceil", f1(math.Ceil), []string{"0"}, false, "math.Ceil", 1, [2]float64{1.1, 1.9}, false},
	{"trunc", f1(math.Trunc), []string{"0"}, false, "math.Trunc", 1, [2]float64{1.1, 1.9}, false},
	{"round", f1(special.Round), []string{"0"}, false, "special.Round", 2, [2]float64{1.6, 2.4}, false},
	{"less", f2(special.Less), []string{"0", "0"}, false, "special.Less", 2, [2]float64{0.5, 3}, false},
	{"less_equal", f2(special.LessEqual), []string{"0", "0"}, false, "special.LessEqual", 2, [2]float64{0.5, 3}, false},
	{"equal", f2(special.Equal), []string{"0", "0"}, false, "special.Equal", 2, [2]float64{0.5, 3}, true},
	{"both", f2(special.Both), []string{"0", "0"}, false, "special.Both", 2, [2]float64{0.5, 3}, true},
	{"zero", f1(special.Zero), []string{"0"}, false, "special.Zero", 2, [2]float64{0.5, 3}, false},
	{"select", func(x []float64) float64 { return special.Select(x[0], x[1], x[2]) }, []string{"0", "1 - zero(x)", "zero(x)"}, false, "special.Select", 2, [2]float64{0.5, 3}, false},
	{"at_most", f2(math.Min), nil, false, "math.Min", 3, [2]float64{0.5, 3}, false},
	{"bounded", f2(special.Bounded), []string{"1", "1"}, false, "special.Bounded", 1, [2]float64{0, 0}, false},
	{"log_nonnegative", f1(special.LogNonNegative), []string{"0"}, false, "special.LogNonNegative", 1, [2]float64{0.5, 3}, false},
	{"log_positive", f1(special.LogPositive), []string{"0"}, false, "special.LogPositive", 1, [2]float64{0.5, 3}, false},
	{"log_sum_exp", f2(special.LogSumExp2), []string{"inv_logit(x - y)", "inv_logit(y - x)"}, false, "special.LogSumExp2", 35, [2]float64{-3, 3}, true},
}

// Abbreviations are functions of the language that the calculus writes in
// terms of others: the formula of x, y and z.
var Abbreviations = map[string]string{
	"square":           "x^2",
	"asin":             "atan(x/sqrt((1 - x)*(1 + x)))",
	"acos":             "2*atan(sqrt((1 - x)/(1 + x)))",
	"acosh":            "log1p((x - 1) + sqrt((x - 1)*(x + 1)))",
	"atanh":            "0.5*(log1p(x) - log1p(-x))",
	"sqrt":             "x^0.5",
	"inv":              "1/x",
	"log1m":            "log1p(-x)",
	"logit":            "log(x) - log1p(-x)",
	"log_inv_logit":    "-log1p_exp(-x)",
	"log1m_inv_logit":  "-log1p_exp(x)",
	"log_mix":          "log_sum_exp(log(x) + y, log1m(x) + z)",
	"log_inc_beta":     "log_inc_beta_logit(x, y, log(z) - log1p(-z))",
	"log_rising_ratio": "stirling_rest(x + y) - stirling_rest(x) + (x + y - 0.5)*log1p(y/x) - y",
	"lchoose":          "-log(x + 1) - lbeta(x - y + 1, y + 1)",
}

var funcByName = func() map[string]*Func {
	m := map[string]*Func{}
	for i := range Funcs {
		m[Funcs[i].Name] = &Funcs[i]
	}
	return m
}()

// FuncOf returns the row of a function, nil if there is none: an abbreviation has none.
func FuncOf(name string) *Func { return funcByName[name] }

const even, odd = 1, -1

// parity tells of functions f with f(−x) = f(x), and of those with f(−x) = −f(x).
var parity = map[string]int{"abs": even, "cos": even, "cosh": even, "sin": odd, "tan": odd, "atan": odd, "asinh": odd, "sinh": odd, "tanh": odd}

// Call returns the function of that name applied to args. The name is in the
// table or among the abbreviations.
func (c *Context) Call(name string, args ...*Expr) *Expr {
	if name == "pi" {
		return c.Number(math.Pi)
	}
	if text, ok := Abbreviations[name]; ok {
		return c.Formula(text, args)
	}
	if p := parity[name]; p != 0 && (args[0].Op == Add && args[0].K[0] < 0 || args[0].Op == Mul && args[0].Val < 0) {
		// So that |a − b| and |b − a| are one, and kernels of cos(a − b) and sin(a − b)² symmetric.
		args = []*Expr{c.Neg(args[0])}
		if p == odd {
			return c.Neg(c.Call(name, args...))
		}
	}
	f := funcByName[name]
	nums := make([]float64, 0, 2)
	for _, a := range args {
		if a.Op == Num {
			nums = append(nums, a.Val)
		}
	}
	if name == "pow" && args[1].Op == Num && !(args[0].Op == Num && args[0].Val == 0) {
		return c.Pow(args[0], args[1].Val)
	}
	if len(nums) == len(args) {
		return c.Number(f.Eval(nums))
	}
	if name == "pow" || name == "pow_or_0" {
		if e := c.power(name, args[0], args[1]); e != nil {
			return e
		}
	}
	if len(args) == 2 && args[0] == args[1] && Fixed(args[0]) { // a position beside itself
		switch name {
		case "less_equal", "equal":
			return c.Number(1)
		case "less":
			return c.Number(0)
		}
	}
	if e := c.chosenValue(f, args); e != nil {
		return e
	}
	if name == "select" { // what the same condition chooses again
		args = slices.Clone(args)
		for n, a := range args[1:] {
			for a.Op == Call && a.Func.Name == "select" && a.Args[0] == args[0] {
				a = a.Args[n+1]
			}
			args[n+1] = a
		}
		if args[1] == args[2] {
			return args[1]
		}
		if e := c.choosingArguments(args[0], args[1], args[2]); e != nil {
			return e
		}
	}
	if name == "log" {
		if e := c.log(args[0]); e != nil {
			return e
		}
	}
	if name == "lmultiply" || name == "lmultiply_1p" {
		if e := c.lmultiply(name, args[0], args[1]); e != nil {
			return e
		}
	}
	if c.Sharing {
		own := make([]*Expr, len(args))
		for i, a := range args {
			own[i] = c.Operand(a)
		}
		args = own
	}
	if f.Symmetric && args[1].id < args[0].id {
		args = []*Expr{args[1], args[0]}
	}
	return c.rewrite(c.Intern(Expr{Op: Call, Func: f, Args: args}))
}

// power is xʸ by exponentials of logarithms, as far as x has positive factors; nil where it has none.
func (c *Context) power(name string, x, y *Expr) *Expr {
	if max(x.stage, y.stage) >= StagePosition && c.Sign(x) == Positive {
		// The loss is |y log x| units in the last place. Pow in the runtime takes ten times as long as a kernel does for exp, and
		// once more for each derivative.
		return c.Call("exp", c.Mul(y, c.Call("log", x)))
	}
	if x.Op == Mul && x.stage >= StagePosition {
		if scale, rest := c.positiveFactors(x); !scale.IsNum(1) {
			return c.Mul(c.Call(name, rest, y), c.Call("exp", c.Mul(y, c.Call("log", scale))))
		}
	}
	return nil
}

// positiveFactors splits a product into its positive factors that depend on the position, and the rest. A power of a rest that is 0 is then not differentiated by what they
// are made of: that would be 0 times the infinite slope of a root there.
func (c *Context) positiveFactors(e *Expr) (positive, rest *Expr) {
	positive, rest = c.Number(1), c.Number(e.Val)
	for n, a := range e.Args {
		f := c.Pow(a, e.K[n])
		if a.stage >= StagePosition && c.Sign(a) == Positive {
			positive = c.Mul(positive, f)
		} else {
			rest = c.Mul(rest, f)
		}
	}
	return positive, rest
}

// log splits the logarithm of a product of positive factors, and undoes exp, that of a shared definition too.
func (c *Context) log(x *Expr) *Expr {
	switch {
	case isExp(x):
		return x.Args[0]
	case x.Op == Ref && x.Tensor.Kind == SharedTensor && isExp(x.Tensor.Def.Body):
		d := x.Tensor.Def
		l := d.Body.Args[0]
		if c.FirstOrder && x.gather && len(d.Body.free) == len(d.Indices) {
			l = c.Atom(l) // selected by data it is made once for all elements, and its derivatives are
		}
		return c.SubstAll(l, d.Indices, x.Subs)
	case x.Op == Ref && onDiagonal(x.Subs): // which may be an exponential where other elements are none
		if b := c.body(x); b != nil && isExp(b) {
			return b.Args[0]
		}
	case x.Op == Mul && (len(x.Args) > 1 || x.Val != 1 || x.K[0] != 1) && c.allPositive(x):
		args := make([]*Expr, len(x.Args))
		for i, a := range x.Args {
			args[i] = c.Call("log", a)
		}
		return c.Linear(elementary.Log(x.Val), x.K, args)
	}
	return nil
}

// onDiagonal reports whether subscripts are those of an element on the diagonal of a matrix, or of one of several.
func onDiagonal(s []Sub) bool { return len(s) >= 2 && s[len(s)-1] == s[len(s)-2] }

// isExp reports whether e is an exponential.
func isExp(e *Expr) bool { return e.Op == Call && e.Func.Name == "exp" }

// lmultiply is the product x log y, or x log (1 + y), where the logarithm is finite
// or x is not 0; and nil elsewhere.
func (c *Context) lmultiply(name string, x, y *Expr) *Expr {
	log := "log"
	if name == "lmultiply_1p" {
		log = "log1p"
	} else if y.Op == Add && y.Val == 1 {
		return c.Call("lmultiply_1p", x, c.Linear(0, y.K, y.Args))
	}
	l := c.Call(log, y)
	if x.Op == Num || finiteLog(l) {
		return c.Mul(x, l)
	}
	return nil
}

// finiteLog reports whether a logarithm has been written in terms that are finite
// wherever their arguments are.
func finiteLog(e *Expr) bool {
	switch e.Op {
	case Num, Ref:
		return true
	case Add, Mul:
		for n, a := range e.Args {
			if !finiteLog(a) || e.Op == Mul && e.K[n] < 0 {
				return false
			}
		}
		return true
	case Call:
		switch e.Func.Name {
		case "log":
			return e.Args[0].Op == Ref && e.Args[0].Tensor.Positive
		case "log1p_exp", "log_sum_exp":
			return true
		}
	}
	return false
}

// formula is a parsed formula of a table.
type formula struct{ expr dsl.Expr }

// parsed returns a formula of a table. A row that does not parse is a bug that the test of the table finds;
// there is no way to go on.
func (c *Context) parsed(text string) dsl.Expr {
	f, ok := c.formulas[text]
	if !ok {
		e, err := dsl.ParseFormula(text)
		if err != nil {
			panic("symbolic: formula " + text + ": " + err.Error())
		}
		f = &formula{e}
		c.formulas[text] = f
	}
	return f.expr
}

// Formula evaluates a formula of x, y and z.
func (c *Context) Formula(text string, args []*Expr) *Expr {
	env := map[string]Value{}
	for i, a := range args {
		env[[]string{"x", "y", "z"}[i]] = Scalar(a)
	}
	el := &Elaborator{C: c, names: env}
	return el.Expr(c.parsed(text)).At()
}

// Sign is what is known of the sign of an expression wherever it is defined.
type Sign uint8

// The signs.
const (
	UnknownSign Sign = iota
	NonNegative
	Positive
)

// Sign returns what the form of e proves of its sign.
func (c *Context) Sign(e *Expr) Sign {
	if !e.signed {
		e.sign, e.signed = c.signOf(e), true
	}
	return e.sign
}

// belowOne reports whether an expression is proved to be less than 1: inv_logit(u) and powers of it, and tanh(u)².
func belowOne(e *Expr) bool {
	power := 1.0
	if e.Op == Mul && len(e.Args) == 1 && e.Val == 1 {
		e, power = e.Args[0], e.K[0]
	}
	if e.Op != Call {
		return false
	}
	switch e.Func.Name {
	case "inv_logit", "Phi":
		return power > 0
	case "tanh":
		return power == 2
	}
	return false
}

// signs are those of functions whose sign follows from those of their arguments.
var signs map[string]func(c *Context, args []*Expr) Sign

func init() {
	signs = map[string]func(c *Context, args []*Expr) Sign{
		"fmax":   func(c *Context, x []*Expr) Sign { return max(c.Sign(x[0]), c.Sign(x[1])) },
		"fmin":   func(c *Context, x []*Expr) Sign { return min(c.Sign(x[0]), c.Sign(x[1])) },
		"select": func(c *Context, x []*Expr) Sign { return min(c.Sign(x[1]), c.Sign(x[2])) },
	}
}

func (c *Context) signOf(e *Expr) Sign {
	switch e.Op {
	case Num:
		if e.Val > 0 {
			return Positive
		}
		if e.Val == 0 {
			return NonNegative
		}
	case Ref:
		switch {
		case e.Tensor.Positive:
			return Positive
		case e.Tensor.AtLeast0:
			return NonNegative
		}
		if e.Tensor.Kind == SharedTensor {
			return c.Sign(e.Tensor.Def.Body)
		}
	case Call:
		if e.Func.Positive {
			return Positive
		}
		if f := signs[e.Func.Name]; f != nil {
			return f(c, e.Args)
		}
	case Delta, Inside, Before:
		return NonNegative
	case Largest:
		return c.Sign(e.Args[0])
	case Sum:
		if s := c.Sign(e.Args[0]); s != UnknownSign {
			if r := e.Index.Range; s == Positive && r.Lo == dsl.Fixed(1) && r.Hi.Offset >= 0 {
				return Positive // ranges 1..n are not empty
			}
			return NonNegative
		}
	case Add:
		best := NonNegative
		if e.Val < 0 {
			return UnknownSign
		}
		if e.Val > 0 {
			best = Positive
			if len(e.Args) == 1 && e.K[0] < 0 && -e.K[0] <= e.Val && belowOne(e.Args[0]) {
				return Positive
			}
		}
		for i, a := range e.Args {
			s := c.Sign(a)
			if s == UnknownSign || e.K[i] < 0 {
				return UnknownSign
			}
			best = max(best, s)
		}
		return best
	case Mul:
		if e.Val < 0 {
			return UnknownSign
		}
		best := Positive
		for i, a := range e.Args {
			s := c.Sign(a)
			if s == UnknownSign && math.Mod(e.K[i], 2) == 0 {
				s = NonNegative
			}
			best = min(best, s)
		}
		return best
	}
	return UnknownSign
}
