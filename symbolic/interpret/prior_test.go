package interpret_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/random"
	"github.com/hamc-dev/hamc/symbolic"
)

// hierarchy declares what depends on others before them.
const hierarchy = `model m
data J int = 3
data y real = 50
param theta real[J]
param mu    real
param tau   real > 0
`

// statements of the hierarchy; the data and the density say nothing about where a
// chain starts.
var hierarchyStatements = []string{
	"theta[i] ~ normal(mu, 2*tau) for i in J",
	"mu ~ normal(1, 3)",
	"tau ~ normal(0, 1)",
	"y ~ normal(theta[1], 0.1)",
	"density -100*(mu - 30)^2",
}

func hierarchyText(statements []string) string {
	return hierarchy + strings.Join(statements, "\n") + "\nmetric identity\n"
}

// drawsOf returns n draws of a model's parameters from the prior, by component; what has
// no prior is 0 at each.
func drawsOf(t *testing.T, text string, n int, seed uint64) [][]float64 {
	t.Helper()
	p := load(t, text, "{}").(runtime.PriorDrawer)
	out := make([][]float64, p.Info().Dim())
	x := make([]float64, len(out))
	rng := rand.New(random.New(seed, 0))
	for range n {
		clear(x)
		p.DrawPrior(x, rng)
		for i, v := range x {
			out[i] = append(out[i], v)
		}
	}
	return out
}

// halfNormal is the distribution function of |z|.
func halfNormal(y float64) float64 { return max(0, 2*distuv.UnitNormal.CDF(y)-1) }

// The draws of a hierarchy are from its prior: their distributions are those that
// follow from the statements, parameter by parameter and given each other.
func TestPriorOfAHierarchy(t *testing.T) {
	const n = 20000
	x := drawsOf(t, hierarchyText(hierarchyStatements), n, 1)
	theta, mu, tau := x[:3], x[3], x[4]
	judge := func(what string, sample []float64, right, wrong func(float64) float64) {
		t.Helper()
		if e := follows(sample, right); !(e < 1) {
			t.Errorf("%s: the evidence against the distribution is %.2f times the limit", what, e)
		}
		if e := follows(sample, wrong); !(e > 1) {
			t.Errorf("%s: the evidence against another distribution is %.2f times the limit", what, e)
		}
	}
	judge("mu", mu, distuv.Normal{Mu: 1, Sigma: 3}.CDF, distuv.Normal{Mu: 1.2, Sigma: 3}.CDF)
	judge("tau", tau, halfNormal, distuv.Exponential{Rate: 1}.CDF)
	// Of 20,000 pairs that are independent, |r| is above this in one case of 100,000.
	const limit = 4.4 / 141
	for j := range theta {
		z := make([]float64, n)
		for i := range z {
			z[i] = (theta[j][i] - mu[i]) / (2 * tau[i])
		}
		judge("theta given mu and tau", z, distuv.UnitNormal.CDF, distuv.Normal{Sigma: 1.1}.CDF)
		others := [][]float64{mu, tau, theta[(j+1)%3]}
		if r := stat.Correlation(z, others[0], nil); !(math.Abs(r) < limit) {
			t.Errorf("theta given mu and tau depends on mu: correlation %v", r)
		}
		if r := stat.Correlation(z, others[1], nil); !(math.Abs(r) < limit) {
			t.Errorf("theta given mu and tau depends on tau: correlation %v", r)
		}
		// E θ = 1, Var θ = 9 + 4 E τ² = 13, Cov(θ_i, θ_j) = 9.
		moment := func(what string, want float64, f func(i int) float64) {
			t.Helper()
			v := make([]float64, n)
			for i := range v {
				v[i] = f(i)
			}
			mean, sd := stat.MeanStdDev(v, nil)
			if se := sd / math.Sqrt(n); !(math.Abs(mean-want) < 4.4*se) {
				t.Errorf("%s is %v ± %v, want %v", what, mean, se, want)
			}
		}
		a, b := theta[j], others[2]
		moment("mean", 1, func(i int) float64 { return a[i] })
		moment("variance", 13, func(i int) float64 { return (a[i] - 1) * (a[i] - 1) })
		moment("covariance", 9, func(i int) float64 { return (a[i] - 1) * (b[i] - 1) })
	}
}

// The order of the statements has no say, to the last bit.
func TestPriorOrder(t *testing.T) {
	want := drawsOf(t, hierarchyText(hierarchyStatements), 10, 7)
	orders := 0
	var permute func(k int, s []string)
	permute = func(k int, s []string) {
		if k == len(s) {
			orders++
			if got := drawsOf(t, hierarchyText(s), 10, 7); !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("%q: other draws", s)
			}
			return
		}
		for i := k; i < len(s); i++ {
			s[k], s[i] = s[i], s[k]
			permute(k+1, s)
			s[k], s[i] = s[i], s[k]
		}
	}
	permute(0, slices.Clone(hierarchyStatements))
	if orders != 120 {
		t.Errorf("%d orders", orders)
	}
}

// Bounds truncate: what is drawn has the conditional distribution.
func TestTruncatedPriors(t *testing.T) {
	text := `model m
data a real = -0.5
data b real = 2
param x real in (a, 2)
param y real < 1
param z real > 1
param u real in (0, 1)
param w real in (a, b)
param none real > 50
x ~ normal(1, 1)
y ~ student_t(3, 0, 2)
z ~ gamma(2, 1)
u ~ beta(2, 3)
w ~ uniform(a, b)
none ~ normal(0, 1)
metric identity
`
	x := drawsOf(t, text, 10000, 3)
	normal, student, gamma := distuv.Normal{Mu: 1, Sigma: 1}, distuv.StudentsT{Nu: 3, Sigma: 2}, distuv.Gamma{Alpha: 2, Beta: 1}
	cut := func(cdf func(float64) float64, lo, hi float64) func(float64) float64 {
		a, b := 0.0, 1.0
		if !math.IsInf(lo, -1) {
			a = cdf(lo)
		}
		if !math.IsInf(hi, 1) {
			b = cdf(hi)
		}
		return func(y float64) float64 { return min(1, max(0, (cdf(y)-a)/(b-a))) }
	}
	inf := math.Inf(1)
	for i, cdf := range []func(float64) float64{
		cut(normal.CDF, -0.5, 2), cut(student.CDF, -inf, 1), cut(gamma.CDF, 1, inf),
		distuv.Beta{Alpha: 2, Beta: 3}.CDF, distuv.Uniform{Min: -0.5, Max: 2}.CDF,
	} {
		if e := follows(x[i], cdf); !(e < 1) {
			t.Errorf("parameter %d: the evidence against the distribution is %.2f times the limit", i+1, e)
		}
	}
	if e := follows(x[0], normal.CDF); !(e > 1) {
		t.Errorf("the test does not see the bounds: %.2f", e)
	}
	if v := x[5][0]; !math.IsNaN(v) {
		t.Errorf("a parameter beyond the reach of its prior is %v", v)
	}
}

// What cannot be drawn is left, with the reason, and what depends on it is drawn given its value.
func TestNoPriors(t *testing.T) {
	for _, c := range []struct{ statements, drawn, why string }{
		{"a ~ normal(0, 1)\nb ~ normal(a, 1)", "a b", "c: it is the left side of no statement; v: it is the left side of no statement"},
		{"b ~ normal(a, 1)\nv ~ normal(b, 1)", "b v", "a: it is the left side of no statement; c: it is the left side of no statement"},
		{"a ~ normal(b, 1)\nb ~ normal(a, 1)\nc ~ normal(a, 1)", "c",
			"a: its statement depends on the parameter itself; b: its statement depends on the parameter itself; v: it is the left side of no statement"},
		{"v ~ normal(mean(v), 1)\na, b, c ~ normal(v[1], 1)", "a b c", "v: its statement depends on the parameter itself"},
		{"v[1] ~ normal(0, 1)\nv[i] ~ normal(v[i-1], 1) for i in 2..3\na, b, c ~ normal(0, 1)", "a b c", "v: it is the left side of 2 statements"},
		{"a ~ normal(0, 1)\na ~ normal(1, 1)\nb, c ~ normal(0, 1)\nv ~ normal(0, 1)", "b c v", "a: it is the left side of 2 statements"},
		{"v[i] ~ normal(0, 1) for i in 2..3\na, b, c ~ normal(0, 1)", "a b c", "v: its statement is not about each of its elements, once"},
		{"v[2] ~ normal(0, 1)\na, b, c ~ normal(0, 1)", "a b c", "v: its statement is not about each of its elements, once"},
		{"v[g[i]] ~ normal(0, 1) for i in 3\na, b, c ~ normal(0, 1)", "a b c", "v: its statement is not about each of its elements, once"},
		{"a ~ normal(y[i], 1) for i in 3\nb, c ~ normal(0, 1)\nv ~ normal(0, 1)", "b c v", "a: its statement is not about each of its elements, once"},
		{"a - b ~ normal(0, 1)\nb, c ~ normal(0, 1)\nv ~ normal(0, 1)", "b c v", "a: it is the left side of no statement"},
		{"density -a^2\nb, c ~ normal(0, 1)\nv ~ normal(0, 1)", "b c v", "a: it is the left side of no statement"},
		{"a ~ normal(sum(d), 1)\nb ~ normal(a, d[2])\nv ~ multi_normal(d, S)\nc ~ normal(0, 1)", "c v a b", ""},
		{"a, b ~ normal(0, 1)\nc ~ normal(0, 1)\nv[i] ~ normal(d[i], 1) for i in 3", "a b c v", ""},
		// By way of operators and of a covariance.
		{"a ~ normal(log_det(K), 1)\nb ~ normal(0, 1)\nc ~ lognormal(0, 1)\nv ~ multi_normal(y, K)", "b c a v", ""},
		{"a ~ normal(v[1], 1)\nb ~ normal(v[2], 1)\nc ~ lognormal(b, 1)\nv ~ multi_normal(y, K)", "a",
			"b: its statement depends on the parameter itself; c: its statement depends on the parameter itself; v: its statement depends on the parameter itself"},
		// By way of a definition that a long expression becomes.
		{"a ~ normal(0, " + nestedPower("c", 9) + ")\nb ~ normal(0, 1)\nc ~ lognormal(0, 1)\nv ~ normal(0, 1)", "b c a v", ""},
		{"a ~ normal(dot(y, solve_spd(K, d)), 1)\nb ~ normal(0, 1)\nc ~ lognormal(0, 1)\nv ~ normal(0, 1)", "b c v", "a: its statement depends on the parameter itself"},
	} {
		definition := "let d = a*y"
		if strings.Contains(c.statements, "sum(d)") {
			definition = "let d = 2*v + y"
			c.statements = strings.Replace(c.statements, "multi_normal(d,", "multi_normal(y,", 1)
		}
		text := "model m\ndata y real[3]\ndata g int[3] in 1..3\ndata S cov[3]\nparam a, b real\nparam c real > 0\nparam v real[3]\n" + definition + "\nlet K = c*S\n" + c.statements + "\nmetric identity\n"
		m, ds := dsl.Load("m.ham", text, dsl.Options{})
		if m == nil {
			t.Fatalf("%v\n%s", ds, text)
		}
		d, list := symbolic.Derive(m)
		if d == nil {
			t.Fatalf("%v\n%s", list, text)
		}
		var drawn, why []string
		for _, x := range d.Priors {
			drawn = append(drawn, x.Param.Decl.ObjectName())
		}
		for _, x := range d.NoPriors {
			why = append(why, x.Param.ObjectName()+": "+x.Why)
		}
		if got := strings.Join(drawn, " "); got != c.drawn {
			t.Errorf("%q: %q are drawn, want %q", c.statements, got, c.drawn)
		}
		if got := strings.Join(why, "; "); got != c.why {
			t.Errorf("%q: %s\nwant %s", c.statements, got, c.why)
		}
	}

	p := load(t, "model m\nparam c real\nparam theta real[2]\ntheta ~ normal(c, 1e-9)\nmetric identity\n", "{}").(runtime.PriorDrawer)
	x := []float64{7, 0, 0}
	p.DrawPrior(x, rand.New(random.New(1, 1)))
	if x[0] != 7 || !(math.Abs(x[1]-7) < 1e-7) || !(math.Abs(x[2]-7) < 1e-7) || x[1] == 7 {
		t.Errorf("given c = 7: %v", x)
	}
}

// Neither what follows from a differential equation nor a truncated vector is drawn.
func TestNoPriorsOfSolutions(t *testing.T) {
	text := `model m
data t real[2]
data S cov[2]
param k real > 0
param x, w real[2] > 0
ode decay(z ; r) { z' = -r*z }
let s = solve decay(z = 1, r = k) from 0 at t
k ~ lognormal(0, 1)
x ~ normal(s.z, 1)
w ~ multi_normal(t, S)
metric identity
`
	p := load(t, text, `{"t": [1, 2], "S": [[1, 0], [0, 1]]}`).(runtime.PriorDrawer)
	if got := p.Priors(); !slices.Equal(got, []string{"k"}) {
		t.Errorf("%v are drawn", got)
	}
	if got := runtime.WithoutPrior(p); !slices.Equal(got, []string{"x", "w"}) {
		t.Errorf("%v are not", got)
	}
}

// Chains start where the prior says: from the stream of their own, with the parameters that
// have none uniform.
func TestStartsFromThePrior(t *testing.T) {
	text := strings.Replace(hierarchyText(hierarchyStatements[:3]), "param mu ", "param c real in (0, 1)\nparam mu ", 1)
	p := load(t, text, "{}")
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws, opt.StepSize, opt.Steps, opt.Seed = 500, 0, 1, 1e-12, 1, 5
	opt.Start.Prior = true
	r, err := runtime.Sample(t.Context(), p, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	var tau, c, z []float64
	x := make([]float64, 6)
	for i := range r.Chains {
		for k := range x {
			x[k] = r.Chains[i].Draws[k][0]
		}
		c, tau, z = append(c, x[3]), append(tau, x[5]), append(z, (x[0]-x[4])/(2*x[5]))
	}
	uniform := func(y float64) float64 { return (math.Log(y/(1-y)) + 2) / 4 } // of the coordinate, on (−2, 2)
	for _, s := range []struct {
		what         string
		sample       []float64
		right, wrong func(float64) float64
	}{
		{"tau", tau, halfNormal, distuv.LogNormal{Sigma: 4 / math.Sqrt(12)}.CDF},
		{"c", c, uniform, distuv.Uniform{Max: 1}.CDF},
		{"theta given mu and tau", z, distuv.UnitNormal.CDF, distuv.Uniform{Min: -2, Max: 2}.CDF},
	} {
		if e := follows(s.sample, s.right); !(e < 1) {
			t.Errorf("%s: the evidence against the distribution is %.2f times the limit", s.what, e)
		}
		if e := follows(s.sample, s.wrong); s.what != "c" && !(e > 1) {
			t.Errorf("%s: the evidence against another distribution is %.2f times the limit", s.what, e)
		}
	}
	if lo, hi := slices.Min(c), slices.Max(c); lo < 1/(1+math.Exp(2)) || hi > 1/(1+math.Exp(-2)) {
		t.Errorf("c starts between %v and %v", lo, hi)
	}
	// Fewer chains, and other workers, start at the same points.
	opt.Chains, opt.Workers = 3, 1
	again, err := runtime.Sample(t.Context(), p, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range again.Chains {
		if !slices.EqualFunc(again.Chains[i].Draws, r.Chains[i].Draws, slices.Equal) {
			t.Errorf("chain %d starts at %v, with others at %v", i+1, again.Chains[i].Draws, r.Chains[i].Draws)
		}
	}
}

// nestedPower is pow(x, x), of that again, and so on, as a text of more operands than a definition has.
func nestedPower(x string, depth int) string {
	for range depth {
		x = "pow(" + x + ", " + x + ")"
	}
	return x
}
