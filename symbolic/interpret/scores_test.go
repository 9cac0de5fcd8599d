package interpret

import (
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
)

// scoredModel has observations of several kinds, and parameters for the arguments of distributions; %s is the statement about the data.
const scoredModel = `
model m
data n int >= 0
data y real[n]
data u real[n]
data w real[n]
data Y real[n, 2]
data c int[n]
data k int[n] in 1..3
data b int[n] in 0..1
param a, d real
param s, r real > 0
param p real in (0, 1)
func robust_lpdf(y, mu real, s real > 0) = student_t_lpdf(y | 4, mu, s)
let cut = [d, d + 1]
let M[i in 2, j in 2] = if i == j then 1 + s else 0.5
a, d ~ normal(0, 1)
s, r ~ lognormal(0, 1)
p ~ beta(2, 2)
%s
metric fisher
`

// scoredStatements are those without a row of their own.
var scoredStatements = []string{
	"y ~ normal(a, s) > -10",
	"w ~ weibull(r, s) in (0.01, 30)",
	"c ~ poisson(s) >= 0",
	"y ~ mixture(p, normal(a, s), normal(d, 1))",
	"c ~ zero_inflated(p, neg_binomial_2(s, r))",
	"c ~ hurdle(p, poisson(s))",
	"y ~ robust(a, s)",
	"density sum(i in n) (if y[i] > 0 then normal_lccdf(y[i] | a, s) else normal_lpdf(y[i] | d, s))",
	"density sum(i in n, j in 1..1) log_mix(p, normal_lpdf(y[i] | a, s), normal_lpdf(y[i] | d, r))",
	"Y ~ multi_student_t(4, a, M)",
	"Y ~ mixture(p, multi_normal(a, M), multi_normal(d, M))",
	"w ~ exponential(s*inv_logit(a)) < 50",
}

// dataFor is the name of data in the support of a distribution, and the observations.
var dataFor = map[dsl.Domain]string{dsl.RealLine: "y", dsl.Angles: "y", dsl.Positive: "w", dsl.UnitOpen: "u", dsl.Counts: "c", dsl.UpTo: "b", dsl.Binary: "b", dsl.Category: "k"}

// argFor are expressions of parameters for an argument.
var argFor = map[dsl.Domain][]string{dsl.RealLine: {"a", "d"}, dsl.Positive: {"s", "r", "s*r"}, dsl.UnitOpen: {"p"}, dsl.UnitClosed: {"p"}, dsl.CountArg: {"5"}, dsl.Ascending: {"cut"}, dsl.NonNegative: {"s"}}

// scoredRows are statements of the rows that know no information about an argument.
func scoredRows() []string {
	var statements []string
	for i := range dsl.Distributions {
		row := &dsl.Distributions[i]
		left, missing := dataFor[row.Support], false
		if left == "" {
			continue
		}
		used := map[dsl.Domain]int{}
		var args []string
		for n, a := range row.Args {
			missing = missing || a.Domain != dsl.CountArg && !row.Informs(n)
			list := argFor[a.Domain]
			if len(list) == 0 {
				left = ""
				break
			}
			args = append(args, list[used[a.Domain]%len(list)])
			used[a.Domain]++
		}
		if missing && left != "" {
			statements = append(statements, fmt.Sprintf("%s ~ %s(%s)", left, row.Name, strings.Join(args, ", ")))
		}
	}
	return statements
}

// scoredObservations is how many there are.
const scoredObservations = 3

// scoredData returns the data with some of the observations.
func scoredData() func(from, to int) string {
	rng := rand.New(rand.NewSource(3))
	values := map[string]func() string{
		"y": func() string { return fmt.Sprintf("%.3f", rng.NormFloat64()) },
		"u": func() string { return fmt.Sprintf("%.3f", 0.1+0.8*rng.Float64()) },
		"w": func() string { return fmt.Sprintf("%.3f", 0.2+rng.ExpFloat64()) },
		"Y": func() string { return fmt.Sprintf("[%.3f, %.3f]", rng.NormFloat64(), rng.NormFloat64()) },
		"c": func() string { return fmt.Sprint(rng.Intn(5)) },
		"k": func() string { return fmt.Sprint(1 + rng.Intn(3)) },
		"b": func() string { return fmt.Sprint(rng.Intn(2)) },
	}
	columns := map[string][]string{}
	for _, name := range []string{"y", "u", "w", "Y", "c", "k", "b"} {
		for range scoredObservations {
			columns[name] = append(columns[name], values[name]())
		}
	}
	return func(from, to int) string {
		out := fmt.Sprintf(`{"n": %d`, to-from)
		for name, list := range columns {
			out += fmt.Sprintf(`, "%s": [%s]`, name, strings.Join(list[from:to], ", "))
		}
		return out + "}"
	}
}

// TestScoresStandIn: where the expected information of a term is not known, the metric has Σ s sᵀ with the scores of its observations, of which each is the gradient of a model with that
// one observation less that of a model with none; and a warning says so.
func TestScoresStandIn(t *testing.T) {
	statements, data := append(scoredRows(), scoredStatements...), scoredData()
	if len(statements) < len(scoredStatements)+8 {
		t.Errorf("%d statements", len(statements))
	}
	rng := rand.New(rand.NewSource(2))
	for _, s := range statements {
		d, list := derivedOf(t, fmt.Sprintf(scoredModel, s))
		said := false
		for _, x := range list {
			said = said || x.Code == dsl.StandIn
			if x.Code == dsl.MaybeIndefinite && strings.Contains(x.Message, "this term") {
				t.Errorf("%s: %s", s, x.Message)
			}
		}
		if !said {
			t.Errorf("%s: no warning", s)
		}
		load := func(from, to int) *Model {
			return posteriorOf(t, d, data(from, to)).(*Model)
		}
		whole, none := load(0, scoredObservations), load(0, 0)
		const dim = 5
		for range 3 {
			q := make([]float64, dim)
			for i := range q {
				q[i] = 0.5 * rng.NormFloat64()
			}
			want, got := make([]float64, dim*dim), make([]float64, dim*dim)
			none.Metric(want, q)
			whole.Metric(got, q)
			base, own := make([]float64, dim), make([]float64, dim)
			none.Gradient(base, q)
			for i := range scoredObservations {
				load(i, i+1).Gradient(own, q)
				for a := range dim {
					for b := range dim {
						want[a*dim+b] += (own[a] - base[a]) * (own[b] - base[b])
					}
				}
			}
			for i := range got {
				if !(math.Abs(got[i]-want[i]) <= 1e-8*(1+math.Abs(want[i]))) {
					t.Errorf("%s: entry %d, %d is %v, want %v", s, i/dim, i%dim, got[i], want[i])
				}
			}
		}
	}
}

// TestInformationOfFactors: the information of a normal vector about its covariance is the same, however that is given.
func TestInformationOfFactors(t *testing.T) {
	const head = "model m\ndata Y real[3]\nparam a, d real\nparam s real > 0\na, d ~ normal(0, 1)\ns ~ lognormal(0, 1)\n" +
		"let m[i in 3] = a*i\nlet L[i in 3, j in 3] = if j < i then d*i else if i == j then s + i else 0\nlet S = L*L'\n"
	var want []float64
	for _, statement := range []string{"Y ~ multi_normal(m, S)", "Y ~ multi_normal_cholesky(m, L)", "Y ~ multi_normal_prec(m, inverse(S))"} {
		d, list := derivedOf(t, head+statement+"\nmetric fisher\n")
		for _, x := range list {
			if x.Code == dsl.StandIn {
				t.Errorf("%s: %s", statement, x.Message)
			}
		}
		g := make([]float64, 9)
		posteriorOf(t, d, `{"Y": [0.5, -1, 2]}`).(*Model).Metric(g, []float64{0.3, -0.4, 0.2})
		if want == nil {
			want = g
			continue
		}
		for i := range g {
			if !(math.Abs(g[i]-want[i]) <= 1e-9*(1+math.Abs(want[i]))) {
				t.Errorf("%s: entry %d is %v, want %v", statement, i, g[i], want[i])
			}
		}
	}
}
