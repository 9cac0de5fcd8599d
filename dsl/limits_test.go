package dsl_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
)

const (
	preamble = "model m\nparam x real\n"
	deep     = 10_000
)

func nested(open, inner, shut string) string {
	return preamble + "density " + strings.Repeat(open, deep) + inner + strings.Repeat(shut, deep) + "\n"
}

// lines repeats a line that contains %d.
func lines(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+"\n", i)
	}
	return b.String()
}

// list joins n copies of a text that contains %d.
func list(n int, format, comma string) string {
	return strings.TrimSuffix(strings.ReplaceAll(lines(n, format+comma), "\n", ""), comma)
}

// solved is a model of one equation with n states, given by its parts for each.
func solved(n int, state, equation, initial, term string) string {
	return preamble + "data t real[3]\node f(" + list(n, state, ",") + ") {\n" + lines(n, equation) + "}\nlet s = solve f(" + list(n, initial, ",") +
		") from 0 at t\ndensity " + list(n, term, "+") + "\nmetric identity\n"
}

// chain is let a0 = x, then n definitions that mention the one before twice.
func chain(first string, n int, format string) string {
	var b strings.Builder
	b.WriteString(preamble + "data y real\nlet a0 = " + first + "\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, format+"\n", i, i-1, i-1)
	}
	return b.String()
}

// hard are inputs that a naive front end answers with a stack overflow, a
// panic or a very long wait. The code is one that must be among the
// diagnostics; "" asks for a model.
var hard = []struct {
	name string
	text string
	code dsl.Code
}{
	// Nesting.
	{"parentheses", nested("(", "x", ")"), dsl.TooDeep},
	{"parentheses-unclosed", nested("(", "x", ""), dsl.TooDeep},
	{"brackets", nested("[", "x", "]"), dsl.TooDeep},
	{"brackets-unclosed", nested("[", "x", ""), dsl.TooDeep},
	{"closing-brackets", nested("", "x", ")]"), dsl.UnexpectedToken},
	{"minus", nested("-", "x", ""), dsl.TooDeep},
	{"minus-apart", nested("- ", "x", ""), dsl.TooDeep},
	{"plus", nested("+", "x", ""), dsl.TooDeep},
	{"transposes", nested("", "x", "'"), dsl.TooDeep},
	{"subscripts", nested("", "x", "[1]"), dsl.TooDeep},
	{"subscripts-inside", nested("x[", "1", "]"), dsl.TooDeep},
	{"calls", nested("exp(", "x", ")"), dsl.TooDeep},
	{"calls-unclosed", nested("exp(", "x", ""), dsl.TooDeep},
	{"named-calls", nested("softabs(alpha = ", "x", ")"), dsl.TooDeep},
	{"sums", nested("sum(i in 3) ", "x", ""), dsl.TooDeep},
	{"sums-in-ranges", nested("sum(i in ", "3", ") x"), dsl.TooDeep},
	{"powers", nested("x^", "x", ""), dsl.TooDeep},
	{"powers-of-minus", nested("x^-", "x", ""), dsl.TooDeep},
	{"products-to-the-right", nested("x*(", "x", ")"), dsl.TooDeep},
	{"sums-to-the-right", nested("x+(", "x", ")"), dsl.TooDeep},
	{"braces", preamble + strings.Repeat("{", deep) + "\n", dsl.UnexpectedToken},
	{"sizes", preamble + "data y real[" + strings.Repeat("(", deep) + "\n", dsl.TooDeep},
	{"bounds", preamble + "data y real > " + strings.Repeat("-", deep) + "1\n", dsl.TooDeep},
	{"metric", preamble + "metric " + strings.Repeat("(", deep) + "fisher\n", dsl.TooDeep},
	{"metric-brackets", preamble + "metric" + strings.Repeat("[", deep) + strings.Repeat("]", deep) + "=1\n", dsl.TooDeep},
	{"left-sides", preamble + strings.Repeat("(", deep) + "x" + strings.Repeat(")", deep) + " ~ normal(0, 1)\n", dsl.TooDeep},

	// Long and flat.
	{"five-megabytes", preamble + strings.Repeat("x ~ normal(0, 1)\n", 300_000), dsl.TooLarge},
	{"five-megabytes-of-brackets", strings.Repeat("(", 5<<20), dsl.TooLarge},
	{"sum-of-a-megabyte", preamble + "density x" + strings.Repeat("+x", 1<<19-100) + "\n", dsl.TooLarge},
	{"sum-at-the-limit", preamble + "density -x*x" + strings.Repeat("+x", 24_000) + "\nmetric identity\n", ""},
	{"product-at-the-limit", preamble + "density x" + strings.Repeat("*x", 24_000) + "\nmetric identity\n", ""},
	{"matrix-products-at-the-limit", preamble + "data A real[2,2]\ndensity x*sum(A" + strings.Repeat("*A", 24_000) + ")\nmetric identity\n", ""},
	{"size-at-the-limit", "model m\ndata n int\nparam x real[n" + strings.Repeat("+1", 24_000) + "]\nx ~ normal(0, 1)\nmetric identity\n", ""},
	{"constant-size-at-the-limit", "model m\nparam x real[1" + strings.Repeat("+1", 24_000) + "]\nx ~ normal(0, 1)\nmetric identity\n", ""},
	{"subscript-at-the-limit", "model m\ndata n int\nparam x real[n]\nx[i" + strings.Repeat("+1-1", 12_000) + "] ~ normal(0, 1) for i in n\nmetric identity\n", ""},
	{"metric-factors-at-the-limit", preamble + "x ~ normal(0, 1)\nmetric identity" + strings.Repeat("*2", 20_000) + "\n", ""},
	{"metric-divisors-at-the-limit", preamble + "x ~ normal(0, 1)\nmetric identity" + strings.Repeat("/2", 12_000) + "\n", ""},
	{"metric-sum-at-the-limit", preamble + "x ~ normal(0, 1)\nmetric identity" + strings.Repeat("+2*fisher", 12_000) + "\n", ""},
	{"matrix-row", preamble + "metric [" + strings.Repeat("1,", 40_000) + "1]\n", dsl.MetricShape},
	{"matrix-rows", preamble + "metric [" + strings.Repeat("1;", 40_000) + "1]\n", dsl.MetricShape},
	{"many-indices", preamble + "density sum(" + strings.TrimSuffix(strings.ReplaceAll(lines(20_000, "i%d in 2,"), "\n", ""), ",") + ") x\nmetric identity\n", ""},
	{"many-arguments", preamble + "x ~ normal(" + strings.Repeat("1,", 40_000) + "1)\n", dsl.ArgumentCount},
	{"many-options", preamble + "x ~ normal(0, 1)\nmetric softabs(" + strings.TrimSuffix(strings.ReplaceAll(lines(20_000, "a%d=1,"), "\n", ""), ",") + ")\n", dsl.MetricOption},
	{"many-left-sides", preamble + strings.Repeat("x,", 20_000) + "x ~ normal(1" + strings.Repeat("+1", 10_000) + ", 1)\nmetric identity\n", ""},
	{"many-names-of-one-bound", "model m\nparam " + strings.TrimSuffix(strings.ReplaceAll(lines(40_000, "p%d,"), "\n", ""), ",") + " real > 1" + strings.Repeat("+1", 10_000) + "\np0 ~ normal(0, 1)\nmetric identity\n", dsl.NoPrior},
	{"many-names-of-one-default", "model m\ndata " + strings.TrimSuffix(strings.ReplaceAll(lines(40_000, "p%d,"), "\n", ""), ",") + " real = 1" + strings.Repeat("+1", 10_000) + "\nparam x real\np0 ~ normal(x, 1)\nmetric identity\n", dsl.Unused},

	// Many statements.
	{"fifty-thousand-declarations", "model m\n" + lines(50_000, "param p%d real") + "p0 ~ normal(0, 1)\n", dsl.NoPrior},
	{"fifty-thousand-terms", preamble + strings.Repeat("x~normal(0,1)\n", 50_000), dsl.TooLarge},
	{"many-terms", preamble + strings.Repeat("x~normal(0,1)\n", 16_000) + "metric identity\n", ""},
	{"many-blocks", "model m\n" + lines(2_000, "param p%d real") + lines(2_000, "metric[p%d, p0] = 1"), dsl.NoDensity},
	{"many-unknown-statements", "model m\n" + lines(20_000, "wrong%d line"), dsl.UnknownStatement},
	{"many-bad-characters", "model m\n" + strings.Repeat("# no comment\n", 20_000), dsl.BadCharacter},
	{"many-open-brackets", "model m\n" + strings.Repeat("let a = (\n", 20_000), dsl.UnclosedBracket},
	{"many-redeclarations", "model m\n" + strings.Repeat("param x real\n", 20_000), dsl.Redeclared},
	{"many-unknown-names", "model m\n" + lines(20_000, "param known%d real") + lines(15_000, "density unknown%d"), dsl.UnknownName},
	{"many-unknown-names-in-sums", "model m\n" + lines(10_000, "param known%d real") + lines(8_000, "density sum(index in 3) unknown%d"), dsl.UnknownName},
	{"many-unknown-functions", preamble + lines(10_000, "density unknown%d(x)"), dsl.UnknownFunction},
	{"many-unknown-distributions", preamble + lines(10_000, "x ~ unknown%d(1)"), dsl.UnknownDist},
	{"many-unknown-types", preamble + lines(20_000, "data y%d unknown"), dsl.UnknownType},
	{"many-warnings-then-errors", "model m\n" + lines(8_000, "param p%d real[3]\np0 ~ normal(0, 1) for i in 3") + strings.Repeat("p0 ~ normal(0, -1)\n", 1_000), dsl.BadArgument},
	{"long-comment", "model m\n" + strings.Repeat("//\n", 100_000) + "param x real\nx ~ normal(0, 1)\nmetric identity\n", ""},
	{"many-documented", "model m\nparam x real\nx ~ normal(0, 1)\nmetric identity\n" + strings.Repeat("//\n", 100_000) + lines(10_000, "// a\ndata y%d real"), dsl.Unused},
	{"blank-lines", "model m\nparam x real\n" + strings.Repeat("\n", 200_000) + "x ~ normal(0, 1)\nmetric identity\n", ""},
	{"unclosed-then-blank-lines", preamble + "density (x" + strings.Repeat("\n+x", 10_000) + "\n", dsl.UnclosedBracket},
	{"open-bodies", "model m\n" + strings.Repeat("ode f {\n", 20_000), dsl.UnexpectedToken},
	{"open-bodies-of-states", "model m\n" + strings.Repeat("ode f(v) {\n", 20_000), dsl.UnclosedBracket},
	{"open-bodies-of-equations", "model m\n" + strings.Repeat("ode f(v) {\nv' = 1\n", 15_000), dsl.UnclosedBracket},
	{"open-bodies-of-densities", "model m\n" + strings.Repeat("ode f(v) {\nv ~ normal(0, 1)\n", 10_000), dsl.UnclosedBracket},
	{"open-heads", "model m\n" + strings.Repeat("ode f(v\n", 20_000), dsl.UnclosedBracket},
	{"open-heads-of-equations", "model m\node f(v\n" + strings.Repeat("v' = 1\n", 20_000), dsl.UnclosedBracket},
	{"open-lists-of-blocks", "model m\n" + strings.Repeat("block a(x\n", 20_000), dsl.UnclosedBracket},
	{"statements-in-a-body", preamble + "ode f(v) {\n" + strings.Repeat("let a = 1\n", 20_000) + "}\n", dsl.UnclosedBracket},
	{"few-statements-in-bodies", preamble + strings.Repeat("ode f(v) {\nlet a = 1\nlet b = 2\n}\n", 8_000), dsl.UnexpectedToken},
	{"densities-in-a-body", preamble + "ode f(v) {\n" + strings.Repeat("v ~ normal(0, 1)\n", 100) + "}\n", dsl.UnexpectedToken},
	{"no-equations-in-a-body", preamble + "ode f(v) {\n" + strings.Repeat("+\n", 20_000) + "}\n", dsl.UnexpectedToken},
	{"open-brackets-in-a-body", preamble + "ode f(v) {\n" + strings.Repeat("v' = (\n", 20_000) + "}\n", dsl.UnclosedBracket},
	{"braces-in-a-body", preamble + "ode f(v) {\nv' = " + strings.Repeat("{", deep) + "\n}\n", dsl.UnexpectedToken},
	{"equations-in-a-line", preamble + "ode f(v) { " + strings.Repeat("v' = 1 ", 20_000) + "}\n", dsl.UnexpectedToken},
	{"open-blocks", "model m\n" + strings.Repeat("data {\n", 20_000), dsl.UnexpectedToken},

	// Many blocks and equations.
	{"many-gibbs-blocks", "model m\n" + lines(10_000, "param p%d real\nblock b%[1]d(p%[1]d) metric identity\np%[1]d ~ normal(0, 1)"), ""},
	{"gibbs-block-of-many", "model m\nparam " + list(40_000, "p%d", ",") + " real\np0 ~ normal(0, 1)\nblock b(" + list(40_000, "p%d", ",") + ") metric identity\n", dsl.NoPrior},
	{"gibbs-block-of-many-unknown", preamble + "block b(" + list(40_000, "p%d", ",") + ") metric identity\n", dsl.UnknownName},
	{"gibbs-blocks-of-one-name", preamble + strings.Repeat("block b(x) metric identity\n", 20_000), dsl.Redeclared},
	{"in-no-gibbs-block", "model m\n" + lines(20_000, "param p%d real") + "block b(p0) metric identity\n", dsl.BadBlock},
	{"entries-across-gibbs-blocks", "model m\nparam x, y real\nblock a(x)\nblock b(y)\n" + strings.Repeat("metric[x, y] = 1\n", 16_000), dsl.BadBlock},
	{"many-states", solved(5_000, "v%d", "v%d' = 1", "v%d = x", "s.v%d[1]"), ""},
	{"many-states-without-equation", preamble + "ode f(" + list(40_000, "v%d", ",") + ") {\n}\n", dsl.BadEquation},
	{"many-unknown-states", preamble + "ode f(" + list(40_000, "v%d", ",") + ") {\n" + lines(20_000, "w%d' = 1") + "}\n", dsl.BadEquation},
	{"many-values-missing", preamble + "data t real[3]\node f(" + list(5_000, "v%d", ",") + ") {\n" + lines(5_000, "v%d' = 1") + "}\n" + strings.Repeat("let s = solve f() from 0 at t\n", 10_000), dsl.BadSolve},
	{"many-unknown-components", preamble + "data t real[3]\node f(" + list(3_000, "v%d", ",") + ") {\n" + lines(3_000, "v%d' = 1") + "}\nlet s = solve f(" + list(3_000, "v%d = x", ",") + ") from 0 at t\n" + lines(10_000, "density s.w%d[1]"), dsl.BadSolve},
	{"many-equations", preamble + lines(8_000, "ode f%d(v) {\nv' = x\n}"), dsl.NoDensity},
	{"many-equations-of-one-name", preamble + strings.Repeat("ode f(v) {\nv' = x\n}\n", 8_000), dsl.Redeclared},
	{"many-solutions", preamble + "data t real[3]\node f(v) {\nv' = x\n}\n" + lines(4_000, "let s%d = solve f(v = 1) from 0 at t\ndensity s%[1]d.v[1]") + "metric identity\n", ""},
	{"components-of-components", nested("", "x", ".v"), dsl.TooDeep},
	{"solutions-of-solutions", preamble + "let s = " + strings.Repeat("solve f(v = ", deep) + "1\n", dsl.TooDeep},

	// Definitions that grow exponentially when they are expanded.
	{"chain-of-data", chain("y", 15_000, "let a%d = a%d + a%d") + "density a15000*x\nmetric identity\n", ""},
	{"chain-of-parameters", chain("x", 15_000, "let a%d = a%d * a%d") + "density a15000\nmetric identity\n", dsl.Unused},
	{"chain-of-consts", "model m\nconst a0 = 1\n" + func() string {
		var b strings.Builder
		for i := 1; i <= 8_000; i++ {
			fmt.Fprintf(&b, "const a%d = a%d + a%d - a%d\n", i, i-1, i-1, i-1)
		}
		return b.String()
	}() + "param x real\nx ~ normal(0, a8000)\nmetric identity\n", ""},
	{"chain-of-solutions", preamble + "data t real[3]\node f(v) {\nv' = -v\n}\nlet s0 = solve f(v = x) from 0 at t\n" + func() string {
		var b strings.Builder
		for i := 1; i <= 2_000; i++ {
			fmt.Fprintf(&b, "let s%d = solve f(v = s%d.v[1]*s%[2]d.v[2]) from 0 at t\n", i, i-1)
		}
		return b.String()
	}() + "density s2000.v[1]\nmetric identity\n", ""},
	{"chain-of-equations", preamble + "data t real[3]\node f0(v) {\nv' = -v*x\n}\nlet s0 = solve f0(v = 1) from 0 at t\n" + func() string {
		var b strings.Builder
		for i := 1; i <= 1_500; i++ {
			fmt.Fprintf(&b, "ode f%d(v) {\nv' = -v*s%d.v[1]*s%[2]d.v[2]\n}\nlet s%[1]d = solve f%[1]d(v = 1) from 0 at t\n", i, i-1)
		}
		return b.String()
	}() + "density s1500.v[1]\nmetric identity\n", ""},
	{"chain-in-terms", chain("y", 2_000, "let a%d = a%d + a%d") + lines(2_000, "density a%d*x") + "metric identity\n", dsl.Unused},

	// Long words.
	{"long-name", "model m\nparam " + strings.Repeat("x", 100_000) + " real\n" + strings.Repeat("x", 100_000) + " ~ normal(0, 1)\nmetric identity\n", ""},
	{"long-unknown-name", "model m\nparam " + strings.Repeat("x", 100_000) + " real\ndensity " + strings.Repeat("y", 100_000) + "\n", dsl.UnknownName},
	{"long-model-name", "model " + strings.Repeat("x", 500_000) + "\n", dsl.NoParams},
	{"long-keyword", "model m\n" + strings.Repeat("z", 500_000) + " x\n", dsl.UnknownStatement},
	{"long-number", preamble + "density x*" + strings.Repeat("9", 300) + "\nmetric identity\n", ""},
	{"very-long-number", preamble + "density x*" + strings.Repeat("9", 100_000) + "\n", dsl.BadNumber},
	{"very-long-fraction", preamble + "density x*0." + strings.Repeat("3", 500_000) + "\nmetric identity\n", ""},
	{"long-line-of-noise", "model m\n" + strings.Repeat("§", 100_000), dsl.BadCharacter},
	{"long-line-of-operators", "model m\n" + strings.Repeat("*", 200_000), dsl.UnexpectedToken},
	{"long-line-of-numbers", "model m\n" + strings.Repeat("1 ", 100_000), dsl.UnexpectedToken},
	{"nul-characters", "model m\n" + strings.Repeat("\x00", 100_000), dsl.BadCharacter},
	{"carriage-returns", "model m\n" + strings.Repeat("\r", 300_000), dsl.NoParams},
	{"not-utf8", "model m\nparam \xff real\n", dsl.BadCharacter},
}

// TestHard checks that every hard input is answered, and by the right message.
// That each answer comes within about a second is measured by BenchmarkHard:
// a wrong algorithm shows here as a run that hits the test's time limit. In a short campaign
// it is one input in sixteen, from all parts of the list; FuzzLoad has others.
func TestHard(t *testing.T) {
	for _, h := range campaign.Sample(t, hard, 32) {
		t.Run(h.name, func(t *testing.T) {
			m, ds := dsl.Load("hard.ham", h.text, dsl.Options{})
			if (m == nil) != ds.HasErrors() {
				t.Errorf("model %v, errors %v", m != nil, ds.HasErrors())
			}
			found := h.code == "" && len(ds.List) == 0
			for _, d := range ds.List {
				found = found || d.Code == h.code
			}
			if !found {
				t.Errorf("want %q among the diagnostics, found %d:\n%.2000s", h.code, len(ds.List), ds)
			}
			// Absurd input gives no absurd output.
			if n := len(ds.String()); n > 100_000 {
				t.Errorf("the messages have %d bytes", n)
			}
		})
	}
}

// BenchmarkHard measures the answers to the hard inputs.
func BenchmarkHard(b *testing.B) {
	for _, h := range hard {
		b.Run(h.name, func(b *testing.B) {
			b.SetBytes(int64(len(h.text)))
			for b.Loop() {
				_, ds := dsl.Load("hard.ham", h.text, dsl.Options{})
				_ = ds.String()
			}
		})
	}
}

// TestDepthLimit checks that the limit counts levels, not operators in a row.
func TestDepthLimit(t *testing.T) {
	for _, c := range []struct {
		name, expr string
		ok         bool
	}{
		{"in", strings.Repeat("(", 150) + "x" + strings.Repeat(")", 150), true},
		{"beyond", strings.Repeat("(", 250) + "x" + strings.Repeat(")", 250), false},
		{"side by side", "x" + strings.Repeat("+(x*(x+(x)))", 1000), true},
		{"transposes in a row", "x*sum(A'" + strings.Repeat("*A'", 1000) + ")", true},
		{"minus signs in a row", "x" + strings.Repeat("*-x", 1000), true},
	} {
		m, ds := dsl.Load("deep.ham", preamble+"data A real[2,2]\ndensity sum(A)*x\ndensity "+c.expr+"\nmetric identity\n", dsl.Options{})
		if (m != nil) != c.ok {
			t.Errorf("%s: model %v, want %v\n%s", c.name, m != nil, c.ok, ds)
		}
	}
}
