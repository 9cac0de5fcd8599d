package symbolic

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/model"
)

// scalars is a regression on n scalar parameters.
func scalars(n int, density string) string {
	var b strings.Builder
	b.WriteString("model m\ndata n int\n")
	sum := make([]string, n)
	for i := range n {
		fmt.Fprintf(&b, "data x%d real[n]\nparam b%d real\nb%d ~ normal(0, 1)\n", i, i, i)
		sum[i] = fmt.Sprintf("b%d*x%d[i]", i, i)
	}
	fmt.Fprintf(&b, "let eta[i in n] = %s\n%s\nmetric fisher\n", strings.Join(sum, " + "), density)
	return b.String()
}

// TestTooLarge: a model whose derivatives have no end in sight is refused, with the place of the
// statement that is largest, before it has taken more than the limits.
func TestTooLarge(t *testing.T) {
	for _, m := range campaign.Sample(t, []struct{ name, text, at, hint string }{
		{"normal regression", scalars(200, "data y real[n]\ny ~ normal(eta, 1)"), "y ~ normal(eta, 1)", "vector parameter"},
		{"logistic regression", scalars(200, "data y int[n] in 0..1\ny ~ bernoulli_logit(eta)"), "y ~ bernoulli_logit(eta)", "vector parameter"},
		{"Cholesky factor", cholesky(14), "density", "metric identity"},
		{"hidden Markov model", hmm(150), "density log_sum_exp", "metric identity"},
		{"hidden Markov model, without derivatives of second order", strings.Replace(hmm(1200), "softabs(alpha = 1)", "identity", 1), "density log_sum_exp", "vectors and sums"},
		{"blocks", blocksOf(300), "y ~ normal(b0", "vector parameter"},
		{"definitions without end", "model m\ndata n, K int\ndata y real[n]\nparam mu real[K]\nparam s real[K] > 0\ndensity sum(i in n) log_sum_exp(k in K) log_sum_exp(l in K) log_sum_exp(m in K) (-log(K) .^ normal_lpdf(y[i] | mu[k]*mu[l]*mu[m], s[k]))\nmetric softabs(alpha = 1)\n", "density", "metric identity"},
	}, 6) { // in short the first; TestLimits has the Cholesky factor
		t.Run(m.name, func(t *testing.T) {
			model, ds := dsl.Load("m.ham", m.text, dsl.Options{})
			if model == nil {
				t.Fatal(ds.List)
			}
			d, list := Derive(model)
			if d != nil || len(list) != 1 || list[0].Code != dsl.TooLarge || list[0].Severity != dsl.Error {
				t.Fatalf("derived: %v, diagnostics %v", d != nil, list)
			}
			line := strings.Split(m.text, "\n")[list[0].Span.Pos.Line-1]
			if !strings.HasPrefix(line, m.at) {
				t.Errorf("the message is at %q", line)
			}
			if !strings.Contains(list[0].Hint, m.hint) {
				t.Errorf("the hint is %q", list[0].Hint)
			}
			if uses, offers := strings.Contains(m.text, "metric identity"), strings.Contains(list[0].Hint, "metric identity"); uses == offers {
				t.Errorf("the metric is the identity: %v, and the hint is %q", uses, list[0].Hint)
			}
		})
	}
}

// TestLimits: what is spent before a refusal is bounded.
func TestLimits(t *testing.T) {
	m, _ := dsl.Load("m.ham", cholesky(14), dsl.Options{})
	p := &model.Posterior{Limited: true}
	defer func() {
		if _, ok := recover().(expr.TooLarge); !ok {
			t.Error("there was no limit")
		}
		if n := nodesOf(p.C); n > expr.MaxNodes {
			t.Errorf("%d nodes", n)
		}
		if p.C.Budget.Work > expr.MaxWork+1000 {
			t.Errorf("%d nodes asked for", p.C.Budget.Work)
		}
	}()
	p.Elaborate(m, m.Blocks[0], false, expr.Fine)
	p.DeriveMetric(&model.Diagnosed{})
	for range 1000 {
		p.C.Sharing = false
		p.L = p.C.Diff(p.C.Mul(p.L, p.L), p.Params[0].Coord)
	}
}

// longList is a model of n statements.
func longList(n int, format, metric string) string {
	var b strings.Builder
	b.WriteString("model m\ndata y real\nparam a, b real\na, b ~ normal(0, 1)\n")
	for i := range n {
		fmt.Fprintf(&b, format+"\n", 1+0.37*float64(i))
	}
	return b.String() + "metric " + metric + "\n"
}

// TestWorkIsLinear: what is derived of long lists of statements grows in proportion to their number.
func TestWorkIsLinear(t *testing.T) {
	for _, m := range campaign.Sample(t, []struct{ name, format, metric string }{
		{"location", "y ~ normal(a*%v, 1)", "fisher"},
		{"location and scale", "y ~ normal(a*%v + b, exp(b))", "identity"},
		{"functions", "density log1p_exp(a*%v - b)", "identity"},
	}, 2) {
		t.Run(m.name, func(t *testing.T) {
			var work [3]float64
			for n := range work {
				d, _ := load(t, longList(200*(n+1), m.format, m.metric))
				work[n] = float64(d.C.Budget.Work)
			}
			t.Logf("nodes asked for with 200, 400 and 600 statements: %v", work)
			if work[2]-work[1] > 1.2*(work[1]-work[0]) {
				t.Errorf("nodes asked for with 200, 400 and 600 statements: %v, more than in proportion", work)
			}
		})
	}
}

// blocksOf is a model of n blocks of one scalar, each of whose densities holds all of them.
func blocksOf(n int) string {
	var b strings.Builder
	b.WriteString("model m\ndata n int\ndata y real[n]\n")
	product := make([]string, n)
	for i := range n {
		fmt.Fprintf(&b, "param b%d real\nb%d ~ normal(0, 1)\n", i, i)
		product[i] = fmt.Sprintf("b%d", i)
	}
	fmt.Fprintf(&b, "y ~ normal(%s, 1)\n", strings.Join(product, "*"))
	for i := range n {
		fmt.Fprintf(&b, "block u%d(b%d) metric hessian\n", i, i)
	}
	return b.String()
}

// TestNotTooLarge: models that are long but whose derivatives are not. A short campaign has one in three, without those
// that take longest: hidden Markov models, which TestFamilies has with fewer steps.
func TestNotTooLarge(t *testing.T) {
	priors := func(n int) string {
		var b strings.Builder
		b.WriteString("model m\n")
		for i := range n {
			fmt.Fprintf(&b, "param b%d real\nb%d ~ normal(0, 1)\n", i, i)
		}
		return b.String() + "metric fisher\n"
	}
	for _, m := range campaign.Sample(t, []struct{ name, text string }{
		{"1,499 locations", longList(1499, "y ~ normal(a*%v, 1)", "fisher")},
		{"hidden Markov model of 20 steps", strings.Replace(hmm(20), "softabs(alpha = 1)", "hessian", 1)},
		{"hidden Markov model of 300 steps", strings.Replace(hmm(300), "softabs(alpha = 1)", "identity", 1)},
		{"200 priors", priors(200)},
		{"1,499 locations and scales", longList(1499, "y ~ normal(a*%v + b, exp(b))", "identity")},
		{"190 nested functions", nestedCalls("atan", 190, "hessian")},
		{"50 equations", equations(50)},
		{"1,000 definitions of data", dataChain(1000, "[k]", "r .* p%d .* (1 - p%d)", "softabs(alpha = 1)")},
	}, 3) {
		t.Run(m.name, func(t *testing.T) {
			d, _ := load(t, m.text)
			t.Logf("%d of %d, with emission %d of %d", d.C.Budget.Work, expr.MaxWork, d.C.Budget.Work+d.Emission, expr.MaxTotal)
		})
	}
}

// equations is a system of n differential equations, each of two states.
func equations(n int) string {
	var b strings.Builder
	b.WriteString("model m\ndata n int\ndata t, y real[n]\nparam a, c real > 0\na, c ~ lognormal(0, 1)\n")
	states, starts := make([]string, n), make([]string, n)
	for i := range n {
		states[i], starts[i] = fmt.Sprintf("x%d", i), fmt.Sprintf("x%d = 1", i)
	}
	fmt.Fprintf(&b, "ode f(%s) {\n", strings.Join(states, ", "))
	for i := range n {
		fmt.Fprintf(&b, "  x%d' = -a*x%d + c*x%d*x%d\n", i, i, (i+1)%n, i)
	}
	fmt.Fprintf(&b, "}\nlet s = solve f(%s) from 0 at t\ny ~ normal(s.x0, 1)\nmetric identity\n", strings.Join(starts, ", "))
	return b.String()
}

// nodesOf is the number of nodes of a context.
func nodesOf(c *expr.Context) int {
	n, _, _ := c.Count()
	return n
}

// TestChosenPlaces: what a condition on data chooses is derived at its place: each gradient takes as many operations as there are data, and none of them is
// multiplied with an infinite number that is not chosen.
func TestChosenPlaces(t *testing.T) {
	d, _ := load(t, `model m
data n int
data x, y real[n]
param a, b real
a, b ~ normal(0, 2)
density sum(i in n) log_sum_exp([0, b*x[i]])
density sum(i in n) (if y[i] > 0 and y[i] < 1 then beta_proportion_lpdf(y[i] | inv_logit(a*x[i]), 5) else 0)
`)
	factors, sizes := d.Work().Terms()
	for k, of := range sizes {
		if len(of) > 1 {
			t.Errorf("a gradient takes %d·%v operations", factors[k], of)
		}
	}
	b := newBench(t, d, map[string][]float64{"n": {4}, "x": {0.1, -0.5, 0.7, 1}, "y": {0, 1, 0.3, 0.6}})
	for k, g := range b.vector(d.Gradient, []float64{0.3, -0.2}) {
		if math.IsNaN(g) {
			t.Errorf("coordinate %d of the gradient is %v", k, g)
		}
	}
}
