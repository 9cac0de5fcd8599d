package interpret_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/interpret"
)

// TestChosenPositions: what selects elements is asked of positions that are read, and of no others.
func TestChosenPositions(t *testing.T) {
	const head = "model m\ndata n, k int\ndata g int[n]\nparam b real[k]\nb ~ normal(0, 1)\n"
	for line, good := range map[string]map[string]bool{
		"density sum(i in n) (if g[i] > 0 then b[g[i]] else 0)":                                {"[0, 2, -7]": true, "[0, 3, 1]": false},
		"density sum(i in n) (if g[i] > 0 and g[i] <= k then b[g[i]] else 0)":                  {"[0, 2, -7]": true, "[0, 3, 1]": true},
		"let e = if g > 0 then b[g] else 0.1\ndensity sum(e)":                                  {"[0, 2, -7]": true, "[0, 3, 1]": false},
		"density sum(i in n, j in k) (if g[i] <= 0 or j > 1 or g[i] > k then 0 else b[g[i]])":  {"[0, 2, -7]": true, "[0, 3, 1]": true},
		"density sum(i in n, j in k) (if j > 1 and g[i] > 0 and b[1] > 0 then b[g[i]] else 0)": {"[0, 2, -7]": true, "[0, 3, 1]": false},
		"density sum(i in n) (if g[i] > 0 then 0 else b[g[i]+3])":                              {"[1, -2, 9]": true, "[1, 0, 9]": false},
		"density sum(i in n) (if g[i] > 0 then (if i > 1 then b[g[i-1]] else 0) else b[1])":    {"[2, 1, 0]": true, "[3, 0, 0]": true, "[3, 1, 0]": false},
		"density sum(i in n, j in k) (if j == i+1 then b[i+1]*g[i] else 0)":                    {"[0, 2, 5]": true},
		"density sum(i in n, j in k) (if j == g[i]+1 and j > 1 then b[g[i]+1] else 0)":         {"[-7, 1, 5]": true},
		"density sum(i in n, j in k) (if j != g[i] and j > g[i] then b[g[i]] else 0)":          {"[2, 3, 1]": true, "[2, 0, 1]": false},
		"density sum(i in n) (i > 1 and g[i] == g[i-1])*b[1]":                                  {"[-1, -1, 5]": true},
		"density sum(i in n) (if g[i] > 0 and b[g[i]] > 0 then b[1] else 0)":                   {"[0, 2, -7]": true, "[0, 3, 1]": false},
		"density sum(i in n) (if g[i] <= 0 or b[g[i]] > 0 then b[1] else 0)":                   {"[0, 2, -7]": true, "[0, 3, 1]": false},
		"let s[1] = 1\nlet s[t] = sum(u in 1..t-1) b[t-u]*s[u] for t in 2..n\ndensity s[n]":    {"[0, 0, 0]": true},
		"let s[1] = 1\nlet s[t] = sum(u in 1..t-1) b[t-u+1]*s[u] for t in 2..n\ndensity s[n]":  {"[0, 0, 0]": false},
	} {
		m, ds := dsl.Load("m.ham", head+line+"\n", dsl.Options{})
		if m == nil {
			t.Errorf("%s:\n%s", line, ds)
			continue
		}
		for g, want := range good {
			_, err := interpret.New(derived(t, m), strings.NewReader(`{"n": 3, "k": 2, "g": `+g+`}`), "data")
			if (err == nil) != want || err != nil && !strings.Contains(err.Error(), "but there are elements 1 to 2") {
				t.Errorf("%s with %s: %v", line, g, err)
			}
		}
	}
}

// TestChosenData: a density that a condition chooses asks of data what it describes then, and is 0 where they cannot be.
func TestChosenData(t *testing.T) {
	const head = "model m\ndata n int\ndata y int[n]\ndata x real[n]\nparam a real\na ~ normal(0, 1)\n"
	for line, finite := range map[string]map[string]bool{
		"density sum(i in n) (if x[i] > 0 then bernoulli_logit_lpmf(y[i] | a) else 0)":                                    {"[0, -1, 5]": true, "[-1, 0, 1]": false, "[2, 0, 1]": false},
		"density sum(i in n) (if x[i] > 0 then poisson_lpmf(y[i] | exp(a)) else 0)":                                       {"[9, -1, -5]": true, "[-1, 0, 1]": false},
		"density sum(i in n) (if x[i] > 0 then binomial_logit_lpmf(y[i] | 3, a) else 0)":                                  {"[3, -1, 5]": true, "[-1, 0, 1]": false, "[4, 0, 1]": false},
		"density sum(i in n) (if x[i] > 0 then 0 else lognormal_lpdf(x[i] + y[i] | a, 1))":                                {"[-9, 1, 1]": true, "[0, 0, 1]": false},
		"density sum(i in n) (if y[i] == 1 then exponential_lpdf(x[i] | exp(a)) else 0)":                                  {"[1, 0, 2]": true, "[1, 1, 0]": false},
		"density sum(i in n) (if y[i] == 1 then beta_lpdf(x[i] | exp(a), 2) else 0)":                                      {"[1, 0, 2]": true, "[1, 1, 0]": false},
		"func f(y int, x, a real) = if y == 1 then beta_lpdf(x | exp(a), 2) else 0\ndensity sum(i in n) f(y[i], x[i], a)": {"[1, 0, 2]": true, "[1, 1, 0]": false},
	} {
		m, ds := dsl.Load("m.ham", head+line+"\n", dsl.Options{})
		if m == nil {
			t.Errorf("%s:\n%s", line, ds)
			continue
		}
		for y, want := range finite {
			im, err := interpret.New(derived(t, m), strings.NewReader(`{"n": 3, "x": [0.5, -0.2, -0.6], "y": `+y+`}`), "data")
			if err != nil {
				t.Errorf("%s with %s: %v", line, y, err)
				continue
			}
			if got := im.LogDensity([]float64{0.3}); math.IsNaN(got) || math.IsInf(got, 0) == want {
				t.Errorf("%s with %s: %v", line, y, got)
			}
		}
	}
}

// derived is a model with its derivatives.
func derived(t *testing.T, m *dsl.Model) *symbolic.Derived {
	t.Helper()
	d, list := symbolic.Derive(m)
	if d == nil {
		t.Fatal(list)
	}
	return d
}

// TestUnchosenGradient: what a condition on data does not choose has no part in the gradient, whatever it would be there: densities and cumulative
// functions of data that are 0, or −1 where there are none, and functions of them.
func TestUnchosenGradient(t *testing.T) {
	types := map[dsl.Domain]string{dsl.RealLine: "real", dsl.Positive: "real > 0", dsl.UnitOpen: "real in (0, 1)", dsl.UnitClosed: "real in (0, 1)", dsl.NonNegative: "real > 0"}
	type row struct{ params, call, base string }
	var rows []row
	for i := range dsl.Distributions {
		d := &dsl.Distributions[i]
		if d.Whole() || d.Support == dsl.Between || d.Support == dsl.Above || d.Support.Vector() {
			continue
		}
		params, args, ok := "", []string{}, true
		for _, a := range d.Args {
			if d.Support == dsl.UpTo && len(args) == 0 {
				args = append(args, "3")
				continue
			}
			ok = ok && types[a.Domain] != ""
			name := "p" + string(rune('a'+len(args)))
			params += "param " + name + " " + types[a.Domain] + "\n"
			args = append(args, name)
		}
		if !ok || params == "" {
			continue
		}
		base := "real"
		if d.Support.Discrete() {
			base = "int"
		}
		for _, name := range []string{d.LogDensityName(), d.CdfName(), d.CcdfName()} {
			if name != "" {
				rows = append(rows, row{params, name + "(x[i] | " + strings.Join(args, ", ") + ")", base})
			}
		}
	}
	for _, f := range []string{"log(b*x[i])", "sqrt(b*x[i])", "lgamma(b*x[i])", "digamma(b*x[i])", "lchoose(b*x[i], c)", "lbeta(b*x[i], c)", "log_gamma_p(b, c*x[i])", "log_gamma_q(b, c*x[i])",
		"log_gamma_p(b*x[i], c)", "log_inc_beta(b, c, x[i])", "log_inc_beta(b*x[i], c, 0.3)", "pow(x[i], b)", "(x[i]*c)^b", "log(x[i]^b + c)", "log_mix(0.4*x[i], b, c)", "b/(c*x[i])", "lmultiply(b, c*x[i])",
		"log1m_exp(-b*x[i])", "logit(0.3*x[i]*inv_logit(b))", "normal_lpdf(0.1 | b, c*x[i])", "log(log(b*x[i] + 1)*c)", "tanh(log(b*x[i]))", "inv_logit(1/x[i])*b", "exp(-c*log(b*x[i]))", "log_sum_exp(log(b*x[i]), c)"} {
		rows = append(rows, row{"param b, c real > 0\n", f, "real"})
	}
	for _, r := range campaign.Sample(t, rows, 10) {
		for _, missing := range []string{"0", "-1"} {
			cond := "x[i] > 0"
			if r.base == "int" && missing == "-1" {
				cond = "x[i] >= 0"
			}
			text := "model m\ndata n int\ndata y real[n]\ndata x " + r.base + "[n]\n" + r.params + "y[i] ~ normal(if " + cond + " then " + r.call + " else 0.1, 1) for i in n\n"
			x := "[0.4, " + missing + ", 0.7]"
			if r.base == "int" {
				x = "[1, " + missing + ", 1]"
			}
			p := load(t, text, `{"n": 3, "y": [0.2, -0.3, 0.1], "x": `+x+`}`)
			q, grad := make([]float64, p.Info().Dim()), make([]float64, p.Info().Dim())
			for i := range q {
				q[i] = 0.2 + 0.1*float64(i)
			}
			if l := p.Gradient(grad, q); math.IsInf(l, 0) {
				continue // of what is chosen
			}
			for i, at := range q {
				const h = 1e-5
				q[i] = at + h
				up := p.LogDensity(q)
				q[i] = at - h
				want := (up - p.LogDensity(q)) / (2 * h)
				q[i] = at
				if !(math.Abs(grad[i]-want) <= 1e-5*max(1, math.Abs(want))) {
					t.Errorf("%s, x = %s: ∂/∂q[%d] is %v, by differences %v", r.call, missing, i, grad[i], want)
					break
				}
			}
		}
	}
}

// TestUnchosenByParameters: nor has what a condition on parameters does not choose, whatever the metric is.
func TestUnchosenByParameters(t *testing.T) {
	const head = "model m\ndata n int\ndata y, x real[n]\nparam m, b real\nparam c real > 0\nm, b ~ normal(0, 1)\nc ~ exponential(1)\n"
	for _, mean := range []string{"if m > 0 then m^b else 0.2*m*x[i]", "if m > 0 then (m*x[i])^c else b", "if m > 0 then lgamma(m*x[i]) else m*b",
		"if m != b then (exp(-m*x[i]) - exp(-b*x[i]))/(b - m) else x[i]*exp(-m*x[i])", "if abs(m) > 1e-6 then expm1(-m*x[i])/m else -x[i]"} {
		for _, metric := range []string{"", "metric identity\n", "metric fisher\n"} {
			p := load(t, head+"y[i] ~ normal("+mean+", c) for i in n\n"+metric, `{"n": 3, "y": [0.1, 0.2, 0.3], "x": [0.5, 1, 2]}`)
			for _, q := range [][]float64{{-0.5, 0.3, 0}, {0.7, 0.3, 0.1}, {0, 0, 0.2}, {-0.4, -0.4, 0}} {
				grad := make([]float64, len(q))
				if l := p.Gradient(grad, q); math.IsNaN(l) || slices.ContainsFunc(grad, func(g float64) bool { return g != g }) {
					t.Errorf("%s, %q at %v: %v, gradient %v", mean, metric, q, l, grad)
				}
			}
		}
	}
}

// TestUnchosenUnder: nor has what is not chosen where the conditional is an argument of a density, or stands in another conditional.
func TestUnchosenUnder(t *testing.T) {
	const head = "model m\ndata n int\ndata q, z real[n]\ndata y int[n] in {0, 1}\nparam b1, b2 real\nparam s real > 0\nb1, b2 ~ normal(0, 1)\ns ~ exponential(1)\n"
	type pair struct{ mean, term string }
	var pairs []pair
	for _, mean := range []string{"if q[k] > 0 then sqrt(q[k]*exp(b1)) else b2", "if q[k] > 0 then log(q[k])*b1 else b2", "if q[k] > 0 then q[k]^b1 else b2", "if q[k] > 0 then b1/q[k] else b2",
		"if q[k] > 0 then log(q[k]*exp(b1)) else 0", "if q[k] > 0 then s*log1m(exp(-b1*b1*q[k])) else b2", "if q[k] > 0 then lgamma(q[k]*s) else b2",
		"if q[k] == 0 then b2 else if q[k] == 2 then 1 else sqrt(q[k]*exp(b1))", "if q[k] == 0 then -s else if q[k] == 2 then -2*s else sqrt(s*q[k])", "if q[k] == 0 then b2 else if q[k] == 2 then b1 else b2*q[k]^(-s)",
		"if q[k] == 0 then b2 else if q[k] == 1 then log(q[k]*s) else if q[k] == 3 then sqrt(q[k]*s) else 0"} {
		for _, term := range []string{"y ~ bernoulli(Phi(m))", "y ~ bernoulli_logit(m)", "y ~ bernoulli(1 - exp(-exp(m)))", "y ~ poisson_log(m)", "z ~ normal(m, s)", "z ~ normal(m, exp(m))", "z ~ student_t(4, m, s)",
			"z ~ gamma(2, exp(m))", "z ~ beta_proportion(inv_logit(m), s)", "z ~ skew_normal(m, s, 2)", "density sum(log_Phi(m))", "density sum(k in n) weibull_lccdf(z[k] | s, exp(m[k]))", "z ~ normal(m, s) > 0",
			"y ~ zero_inflated(0.3, poisson_log(m))", "density sum(m)", "density sum(k in n) log_mix(0.3, normal_lpdf(z[k] | m[k], s), normal_lpdf(z[k] | 0, 1))"} {
			pairs = append(pairs, pair{mean, term})
		}
	}
	for _, x := range campaign.Sample(t, pairs, 6) {
		p := load(t, head+"let m[k in n] = "+x.mean+"\n"+x.term+"\n", `{"n": 2, "q": [0, 1], "y": [0, 1], "z": [0.5, 0.6]}`)
		q, grad := []float64{0.1, 0.2, 0.3}, make([]float64, 3)
		p.Gradient(grad, q)
		for i, at := range q {
			difference := func(h float64) float64 {
				q[i] = at + h
				up := p.LogDensity(q)
				q[i] = at - h
				down := p.LogDensity(q)
				q[i] = at
				return (up - down) / (2 * h)
			}
			want := (4*difference(5e-4) - difference(1e-3)) / 3 // of fourth order
			if !(math.Abs(grad[i]-want) <= 1e-5*max(1, math.Abs(want))) {
				t.Errorf("m[k] = %s, %s: ∂/∂q[%d] is %v, by differences %v", x.mean, x.term, i, grad[i], want)
				break
			}
		}
	}
}

// TestTailsBeyondTheSupport: a cumulative probability is 0 or 1 beyond the support, with a gradient of 0, whether the place is a number, a datum or depends on a parameter.
func TestTailsBeyondTheSupport(t *testing.T) {
	args := map[dsl.Domain]string{dsl.RealLine: "0.3", dsl.Positive: "1.7", dsl.UnitOpen: "0.4", dsl.UnitClosed: "0.4", dsl.NonNegative: "1.2"}
	compared := 0
	for i := range dsl.Distributions {
		d := &dsl.Distributions[i]
		var below, above string
		switch d.Support {
		case dsl.Positive, dsl.Counts:
			below = "-1"
		case dsl.UnitOpen, dsl.Binary:
			below, above = "-1", "2"
		case dsl.UpTo:
			below, above = "-1", "8"
		case dsl.Above:
			below = "0.2"
		case dsl.Between:
			below, above = "-1", "3"
		default:
			continue
		}
		list := []string{}
		for n, a := range d.Args {
			v := args[a.Domain]
			switch {
			case d.Support == dsl.UpTo && n == 0:
				v = "7"
			case d.Support == dsl.Between && n == 1:
				v = "2"
			case d.Support == dsl.Above && n == d.Begins:
				v = "0.4"
			}
			list = append(list, v)
		}
		for _, x := range []struct {
			name, at string
			want     float64
		}{{d.CdfName(), below, math.Inf(-1)}, {d.CcdfName(), below, 0}, {d.CdfName(), above, 0}, {d.CcdfName(), above, math.Inf(-1)}} {
			if x.name == "" || x.at == "" || slices.Contains(list, "") {
				continue
			}
			places, base := []string{x.at, "x[1]", x.at + " + 0*u"}, "real"
			if d.Support.Discrete() {
				places, base = places[:2], "int"
			}
			for _, at := range places {
				if at == "x[1]" && math.IsInf(x.want, -1) {
					continue // such data are refused where the density would be 0 for all parameters
				}
				text := "model m\ndata x " + base + "[1]\nparam u real\nu ~ normal(0, 1)\ndensity 0.1*u + " + x.name + "(" + at + " | " + strings.Join(list, ", ") + ")\n"
				p := load(t, text, `{"x": [`+x.at+`]}`)
				grad := []float64{0}
				const u = 0.2
				l := p.Gradient(grad, []float64{u}) - (0.1*u - u*u/2 - 0.5*math.Log(2*math.Pi))
				if math.IsInf(x.want, -1) && math.IsInf(l, -1) {
					compared++
					continue
				}
				if compared++; !(math.Abs(l-x.want) < 1e-12 && math.Abs(grad[0]-(0.1-u)) < 1e-12) {
					t.Errorf("%s(%s | %s) is %v with the slope %v, want %v and 0", x.name, at, strings.Join(list, ", "), l, grad[0]-(0.1-u), x.want)
				}
			}
		}
	}
	if compared < 80 {
		t.Errorf("%d places compared", compared)
	}
}
