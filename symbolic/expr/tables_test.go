package expr_test

import (
	"math"
	"math/rand"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/internal/naive"
)

// formulaOf parses a formula of a table.
func formulaOf(t *testing.T, text string) dsl.Expr {
	t.Helper()
	e, err := dsl.ParseFormula(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return e
}

// fromTable evaluates a function as the calculus does: by its row, or by the
// formula of its abbreviation.
func fromTable(name string, x []float64) float64 {
	if f := expr.FuncOf(name); f != nil {
		return f.Eval(x)
	}
	if text, ok := expr.Abbreviations[name]; ok {
		e, err := dsl.ParseFormula(text)
		if err != nil {
			panic(err)
		}
		vars := map[string]float64{"x": x[0]}
		if len(x) > 1 {
			vars["y"] = x[1]
		}
		if len(x) > 2 {
			vars["z"] = x[2]
		}
		return naive.PlainFormula(e, vars, fromTable)
	}
	return naive.PlainFunction(name, x)
}

func arity(f *expr.Func) int {
	if f.Name == "at_most" {
		return 2
	}
	if f.Partials != nil {
		return len(f.Partials)
	}
	return 1
}

// TestFuncs compares each Partials formula with differences of Eval, and
// Positive with the sign of Eval, over the row's Sample.
func TestFuncs(t *testing.T) {
	for n := range expr.Funcs {
		f := &expr.Funcs[n]
		t.Run(f.Name, func(t *testing.T) {
			if d := dsl.LookupFunction(f.Name); d != nil && d.Arity != arity(f) {
				t.Fatalf("arity %d in dsl", d.Arity)
			}
			rng := rand.New(rand.NewSource(int64(n)))
			lo, hi := f.Sample[0], f.Sample[1]
			for range 200 {
				x := make([]float64, arity(f))
				for i := range x {
					x[i] = lo + (hi-lo)*(0.02+0.96*rng.Float64())
				}
				if len(x) > 1 && math.Abs(x[0]-x[1]) < 0.01 {
					continue // some have a kink there
				}
				v := f.Eval(x)
				if math.IsNaN(v) || f.Positive && v <= 0 {
					t.Fatalf("%s%v = %g", f.Name, x, v)
				}
				if want := naive.PlainFunction(f.Name, x); math.Abs(v-want) > 1e-8*max(1, math.Abs(want)) {
					t.Fatalf("%s%v = %.12g, by definition %.12g", f.Name, x, v, want)
				}
				if f.Partials == nil {
					continue
				}
				vars := map[string]float64{"x": x[0]}
				if len(x) > 1 {
					vars["y"] = x[1]
				}
				if len(x) > 2 {
					vars["z"] = x[2]
				}
				for i := range x {
					if f.Partials[i] == "" {
						continue
					}
					got := naive.PlainFormula(formulaOf(t, f.Partials[i]), vars, fromTable)
					want := naive.DerivativeBy(5e-4, func(q []float64) []float64 { return []float64{f.Eval(q)} }, x, i)[0]
					if !(math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))) {
						t.Fatalf("partial %d of %s at %v: %.12g, differences give %.12g", i, f.Name, x, got, want)
					}
				}
			}
			// What the calculus builds is what the row says.
			w := naive.NewWorld(1)
			args := []*expr.Expr{w.C.Ref(w.Tensor("mu")), w.C.Ref(w.Tensor("a")), w.C.Ref(w.Tensor("s"))}[:arity(f)]
			call := w.C.Call(f.Name, args...)
			if call.Op != expr.Call || call.Func != f {
				t.Fatalf("Call(%s) is %s", f.Name, expr.Format(call))
			}
			partial := w.C.Partial(call, 0)
			if f.Partials == nil || f.Partials[0] == "" {
				if partial.Op != expr.Ref || partial.Tensor.Kind != expr.WildTensor {
					t.Errorf("a function without a partial has the derivative %s", expr.Format(partial))
				}
				return
			}
			if len(f.Partials) != arity(f) {
				t.Fatalf("%d partials", len(f.Partials))
			}
			x := []float64{0.4*lo + 0.6*hi, 0.3*lo + 0.7*hi, 0.2*lo + 0.8*hi}[:arity(f)]
			for k, name := range []string{"mu", "a", "s"}[:arity(f)] {
				w.Env.Values[w.Tensor(name)] = x[k : k+1]
			}
			want := naive.DerivativeBy(5e-4, func(q []float64) []float64 { return []float64{f.Eval(q)} }, x, 0)[0]
			if got := w.Env.Eval(w.C.Diff(call, w.Tensor("mu"))); !(math.Abs(got-want) <= 1e-7*max(1, math.Abs(want))) {
				t.Errorf("Diff gives %.12g, differences %.12g", got, want)
			}
		})
	}
}

// TestVocabulary: every elementwise function of the language is known to the
// calculus exactly once.
func TestVocabulary(t *testing.T) {
	for _, f := range dsl.Functions {
		_, short := expr.Abbreviations[f.Name]
		row := expr.FuncOf(f.Name) != nil
		if f.Kind == dsl.Elementwise && f.Name != "pi" && row == short {
			t.Errorf("%s: row %v, abbreviation %v", f.Name, row, short)
		}
		if f.Kind != dsl.Elementwise && (row || short) {
			t.Errorf("%s is structural and has a row", f.Name)
		}
	}
}

// TestAbbreviations compares each formula with the definition of the function.
func TestAbbreviations(t *testing.T) {
	domains := map[string][6]float64{ // of x, of y, of z
		"square": {-3, 3}, "sqrt": {0.1, 5}, "inv": {0.2, 4}, "log1m": {-3, 0.9}, "logit": {0.05, 0.95},
		"asin": {-0.99, 0.99}, "acos": {-0.99, 0.99}, "acosh": {1.01, 9}, "atanh": {-0.9, 0.9},
		"log_inv_logit": {-5, 5}, "log1m_inv_logit": {-5, 5}, "lbeta": {0.3, 6, 0.3, 6}, "lchoose": {4, 9, 0.1, 3}, "log_rising_ratio": {0.3, 30, 0.1, 9}, "log_inc_beta": {0.3, 6, 0.3, 6, 0.05, 0.95}, "log_mix": {0.05, 0.95, -3, 2, -2, 3},
	}
	for name, text := range expr.Abbreviations {
		d, ok := domains[name]
		if !ok {
			t.Errorf("%s has no domain in this test", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewSource(3))
			e := formulaOf(t, text)
			for range 200 {
				x := []float64{d[0] + (d[1]-d[0])*rng.Float64(), d[2] + (d[3]-d[2])*rng.Float64(), d[4] + (d[5]-d[4])*rng.Float64()}
				n := dsl.LookupFunction(name).Arity
				got := naive.PlainFormula(e, map[string]float64{"x": x[0], "y": x[1], "z": x[2]}, fromTable)
				want := naive.PlainFunction(name, x[:n])
				if !(math.Abs(got-want) <= 1e-12*max(1, math.Abs(want))) {
					t.Fatalf("%s%v = %.15g, by definition %.15g", name, x[:n], got, want)
				}
			}
			// The call elaborates to its formula.
			w := naive.NewWorld(1)
			args := []*expr.Expr{w.C.Ref(w.Want[0]), w.C.Number(0.25), w.C.Number(-0.5)}[:dsl.LookupFunction(name).Arity]
			if got, want := w.C.Call(name, args...), w.C.Formula(text, args); got != want {
				t.Errorf("Call gives %s, the formula %s", expr.Format(got), expr.Format(want))
			}
		})
	}
}

// The extreme points of each rewrite, with the value that the result must have
// there; the pattern, evaluated literally, overflows or loses its digits.
var rewriteExtremes = map[string][][3]float64{
	"log1p_exp from log1p":             {{800, 0, 800}, {-800, 0, 0}, {-40, 0, math.Exp(-40)}, {37, 0, 37 + math.Exp(-37)}},
	"log1m_exp from log1p":             {{-1e-12, 0, math.Log(1e-12)}, {-50, 0, -math.Exp(-50)}, {-800, 0, 0}},
	"log of inv_logit":                 {{-800, 0, -800}, {800, 0, 0}, {40, 0, -math.Exp(-40)}},
	"log of 1 - inv_logit":             {{800, 0, -800}, {-800, 0, 0}, {-40, 0, -math.Exp(-40)}},
	"log_sum_exp":                      {{800, 799, 800 + math.Log1p(math.Exp(-1))}, {-900, -900, -900 + math.Ln2}, {1e300, -1e300, 1e300}},
	"expm1":                            {{1e-17, 0, 1e-17}, {-800, 0, -1}, {-1e-300, 0, -1e-300}},
	"log1p of expm1":                   {{800, 0, 800}, {-60, 0, -60}, {1e-200, 0, 1e-200}},
	"exp of log":                       {{1e-300, 0, 1e-300}, {1e300, 0, 1e300}, {3, 0, 3}},
	"inv_logit from 1/(1 + exp)":       {{800, 0, 0}, {-800, 0, 1}, {700, 0, math.Exp(-700)}},
	"inv_logit from exp/(1 + exp)":     {{800, 0, 1}, {-800, 0, 0}, {-700, 0, math.Exp(-700)}},
	"1 - x² of a parameter in (-1, 1)": {{-700, 0, 4 * math.Exp(-700)}, {700, 0, 4 * math.Exp(-700)}, {-40, 0, 4 * math.Exp(-40)}, {0, 0, 1}},
	"exp of log1p_exp":                 {{-800, 0, 1}, {700, 0, math.Exp(700)}, {-1, 0, 1 + math.Exp(-1)}},
}

// TestRewrites: both sides agree at moderate points, the result is accurate at
// extreme ones, and the row fires.
func TestRewrites(t *testing.T) {
	for n := range expr.Rewrites {
		r := &expr.Rewrites[n]
		t.Run(r.Name, func(t *testing.T) {
			rng := rand.New(rand.NewSource(int64(n)))
			pattern, result := formulaOf(t, r.Pattern), formulaOf(t, r.Result)
			lo, hi := r.Sample[0], r.Sample[1]
			for range 200 {
				vars := map[string]float64{"x": lo + (hi-lo)*rng.Float64(), "y": lo + (hi-lo)*rng.Float64()}
				got, want := naive.PlainFormula(result, vars, fromTable), naive.PlainFormula(pattern, vars, naive.PlainFunction)
				if !(math.Abs(got-want) <= 1e-12*max(1, math.Abs(want))) {
					t.Fatalf("at %v: %.15g, the pattern literally %.15g", vars, got, want)
				}
			}
			extremes := rewriteExtremes[r.Name]
			if len(extremes) < 3 {
				t.Fatal("no extreme points in this test")
			}
			for _, p := range extremes {
				got := naive.PlainFormula(result, map[string]float64{"x": p[0], "y": p[1]}, fromTable)
				if !(math.Abs(got-p[2]) <= 4e-14*math.Abs(p[2])) {
					t.Errorf("at (%g, %g): %.17g, want %.17g", p[0], p[1], got, p[2])
				}
			}
			// The constructors reach the result whatever x and y are, alone
			// and inside a product.
			w := naive.NewWorld(1)
			c := w.C
			mu, a, s := c.Ref(w.Tensor("mu")), c.Ref(w.Tensor("a")), c.Ref(w.Tensor("s"))
			i := w.Index("i", naive.RangeOf(1, naive.SizeN))
			for _, x := range [][]*expr.Expr{
				{mu, a}, {a, mu}, {c.Neg(mu), a}, {c.Add(mu, a), s}, {c.Sub(mu, a), c.Scale(2, s)}, {c.Scale(-2, c.Mul(mu, a)), s},
				{c.Mul(c.Number(0.5), mu), c.Neg(a)}, {c.Sum(i, c.Ref(w.Tensor("u"), naive.At(i, 0))), mu}, {c.Call("sin", mu), c.Call("cos", a)},
			} {
				got, want := c.Formula(r.Pattern, x), c.Formula(r.Result, x)
				if swapped := []*expr.Expr{x[1], x[0]}; got != want && c.Formula(r.Pattern, swapped) == got {
					want = c.Formula(r.Result, swapped) // a pattern symmetric in x and y
					x = swapped
				}
				if got != want {
					t.Errorf("x = %s, y = %s: the pattern gives %s, not %s", expr.Format(x[0]), expr.Format(x[1]), expr.Format(got), expr.Format(want))
				}
				if got, want := c.Mul(s, c.Formula(r.Pattern, x), mu), c.Mul(mu, s, c.Formula(r.Result, x)); got != want {
					t.Errorf("inside a product: %s, not %s", expr.Format(got), expr.Format(want))
				}
			}
		})
	}
	if len(rewriteExtremes) != len(expr.Rewrites) {
		t.Errorf("%d rows, %d sets of extreme points", len(expr.Rewrites), len(rewriteExtremes))
	}
}

// TestStableCombinations: what several rows and rules reach together. Each is
// a form that users write and that overflows or cancels as it stands.
func TestStableCombinations(t *testing.T) {
	w := naive.NewWorld(1)
	c := w.C
	x, y := c.Ref(w.Tensor("mu")), c.Ref(w.Tensor("a"))
	for _, row := range []struct{ text, want string }{
		{"exp(x)/(1 + exp(x))", "inv_logit(x)"},
		{"1/(1 + exp(-x))", "inv_logit(x)"},
		{"exp(-x)/(1 + exp(-x))", "inv_logit(-x)"},
		{"log(1 + exp(x))", "log1p_exp(x)"},
		{"log(exp(x) + 1)", "log1p_exp(x)"},
		{"log(1 - exp(x))", "log1m_exp(x)"},
		{"log(1 - inv_logit(x))", "-log1p_exp(x)"},
		{"log1m(inv_logit(x))", "-log1p_exp(x)"},
		{"log(1/(1 + exp(-x)))", "-log1p_exp(-x)"},
		{"log(exp(x)/(1 + exp(x)))", "-log1p_exp(-x)"},
		{"log(exp(x))", "x"},
		{"log(exp(x)*exp(y))", "x + y"},
		{"log(exp(x)/exp(y)^2)", "x - 2*y"},
		{"log(sqrt(exp(x)))", "x/2"},
		{"log(1 + x)", "log1p(x)"},
		{"log(1 - x^2)", "log1p(-x^2)"},
		{"exp(x)*exp(-x)", "1"},
		{"exp(x)^2/exp(2*x + y)", "exp(-y)"},
		{"logit(inv_logit(x))", "log1p_exp(x) - log1p_exp(-x)"},
		{"pow(x, 2)", "x*x"},
		{"sqrt(x)^2", "x"},
		{"(x/y)*(y/x)", "1"},
	} {
		got, want := c.Formula(row.text, []*expr.Expr{x, y}), c.Formula(row.want, []*expr.Expr{x, y})
		if got != want {
			t.Errorf("%s is %s, not %s", row.text, expr.Format(got), expr.Format(want))
		}
	}
	// Roots of squares keep their sign.
	if got := c.Pow(c.Pow(x, 2), 0.5); got == x {
		t.Error("sqrt(x²) became x")
	}
	if got := c.Call("log", c.Pow(x, 2)); got.Op != expr.Call {
		t.Errorf("log(x²) became %s, which is undefined for x < 0", expr.Format(got))
	}
}
