package symbolic

import (
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/internal/naive"
)

// family is a model for every length of a chain in it: its text and its log density by hand.
type family struct {
	name    string
	text    func(n int) string
	data    func(n int) numbers
	logp    func(n int, q []float64) float64
	hessian float64 // the metric's factor of the Hessian of the log density, or 0
	small   int     // the length that values are compared at
}

const y0 = "data y real\n"

func oneDatum(int) numbers { return numbers{"y": {0.4}} }

func prior(q ...float64) (l float64) {
	for _, x := range q {
		l += normal(x, 0, 1)
	}
	return l
}

// hmm is the forward recursion of a hidden Markov model with two states, written out.
func hmm(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "model m\nconst N = %d\ndata y real[N]\nparam m1, m2 real\nparam p, q real in (0, 1)\nm1, m2 ~ normal(0, 1)\n", n)
	b.WriteString("let f1 = -(y[1] - m1)^2/2\nlet g1 = -(y[1] - m2)^2/2\n")
	for t := 2; t <= n; t++ {
		fmt.Fprintf(&b, "let f%d = log_sum_exp(f%d + log(p), g%d + log1m(q)) - (y[%d] - m1)^2/2\n", t, t-1, t-1, t)
		fmt.Fprintf(&b, "let g%d = log_sum_exp(f%d + log1m(p), g%d + log(q)) - (y[%d] - m2)^2/2\n", t, t-1, t-1, t)
	}
	fmt.Fprintf(&b, "density log_sum_exp(f%d, g%d)\nmetric softabs(alpha = 1)\n", n, n)
	return b.String()
}

// series is a data set of length n.
func series(n int) numbers {
	y := make([]float64, n)
	for i := range y {
		y[i] = math.Sin(1.7 * float64(i+1))
	}
	return numbers{"y": y}
}

func hmmDensity(n int, q []float64) float64 {
	y := series(n)["y"]
	lse := func(a, b float64) float64 { return max(a, b) + math.Log1p(math.Exp(-math.Abs(a-b))) }
	logistic := func(u float64) float64 { return 1 / (1 + math.Exp(-u)) }
	p, r := logistic(q[2]), logistic(q[3])
	f, g := -(y[0]-q[0])*(y[0]-q[0])/2, -(y[0]-q[1])*(y[0]-q[1])/2
	for _, y := range y[1:] {
		f, g = lse(f+math.Log(p), g+math.Log(1-r))-(y-q[0])*(y-q[0])/2,
			lse(f+math.Log(1-p), g+math.Log(r))-(y-q[1])*(y-q[1])/2
	}
	return lse(f, g) + prior(q[0], q[1]) + math.Log(p*(1-p)) + math.Log(r*(1-r))
}

// cholesky is a Gaussian process whose covariance is factorised in the text.
func cholesky(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "model m\nconst N = %d\ndata y real[N]\nparam rho, a real > 0\nrho, a ~ exponential(1)\n", n)
	products := func(i, j int, with string) string {
		s := ""
		for m := 1; m < j; m++ {
			s += fmt.Sprintf(" - l%d_%d*", i, m) + fmt.Sprintf(with, m)
		}
		return s
	}
	for i := 1; i <= n; i++ {
		for j := 1; j < i; j++ {
			fmt.Fprintf(&b, "let l%d_%d = (a*exp(-%d/rho)%s)/l%d_%d\n", i, j, (i-j)*(i-j), products(i, j, fmt.Sprintf("l%d_%%d", j)), j, j)
		}
		fmt.Fprintf(&b, "let l%d_%d = sqrt(a + 0.1%s)\n", i, i, products(i, i, fmt.Sprintf("l%d_%%d", i)))
	}
	sum := ""
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "let z%d = (y[%d]%s)/l%d_%d\n", i, i, products(i, i, "z%d"), i, i)
		sum += fmt.Sprintf(" - z%d^2/2 - log(l%d_%d)", i, i, i)
	}
	b.WriteString("density" + sum + "\nmetric hessian\n")
	return b.String()
}

func choleskyDensity(n int, q []float64) float64 {
	y := series(n)["y"]
	rho, a := math.Exp(q[0]), math.Exp(q[1])
	sigma := make([]float64, n*n)
	for i := range n {
		for j := range n {
			sigma[i*n+j] = a * math.Exp(-float64((i-j)*(i-j))/rho)
		}
		sigma[i*n+i] = a + 0.1
	}
	return multiNormal(y, make([]float64, n), sigma) + 0.5*float64(n)*math.Log(2*math.Pi) - rho + q[0] - a + q[1]
}

// families are the models whose derivatives would outgrow everything, were what they share
// written out.
var families = []family{
	{
		name: "logistic map, fisher",
		text: func(n int) string { return logisticMap(n, "fisher") }, data: oneDatum, logp: logisticMapDensity, small: 12,
	},
	{
		name: "logistic map, hessian", hessian: -1,
		text: func(n int) string { return logisticMap(n, "hessian") }, data: oneDatum, logp: logisticMapDensity, small: 9,
	},
	{
		name: "products", hessian: -1,
		text: func(n int) string {
			s := "model m\n" + y0 + "param a, x real\na, x ~ normal(0, 1)\nlet b0 = a\n"
			for i := range n {
				s += fmt.Sprintf("let b%d = (b%d + x)*(b%d - y)\n", i+1, i, i)
			}
			return s + fmt.Sprintf("density sin(b%d)\nmetric hessian\n", n)
		},
		data: oneDatum,
		logp: func(n int, q []float64) float64 {
			b := q[0]
			for range n {
				b = (b + q[1]) * (b - 0.4)
			}
			return math.Sin(b) + prior(q...)
		},
		small: 7,
	},
	{
		name: "nested sines", hessian: 1,
		text: func(n int) string { return nestedCalls("sin", n, "softabs(alpha = 1)") }, data: oneDatum,
		logp: func(n int, q []float64) float64 {
			x := q[0]
			for range n {
				x = math.Sin(x)
			}
			return normal(0.4, x, 1) + prior(q...)
		},
		small: 12,
	},
	{
		name: "nested exponentials",
		text: func(n int) string { return nestedCalls("exp", n, "fisher") }, data: oneDatum,
		logp: func(n int, q []float64) float64 {
			x := q[0]
			for range n {
				x = math.Exp(x)
			}
			return normal(0.4, x, 1) + prior(q...)
		},
		small: 1,
	},
	{name: "hidden Markov model", hessian: 1, text: hmm, data: series, logp: hmmDensity, small: 4},
	{name: "Cholesky factor", hessian: -1, text: cholesky, data: series, logp: choleskyDensity, small: 4},
	{
		name: "differences", hessian: -1,
		text: func(n int) string {
			s := "model m\n" + y0 + "param a, b real\na, b ~ normal(0, 1)\nlet u0 = a*b + 1\nlet v0 = a\n"
			for i := range n {
				s += fmt.Sprintf("let u%d = u%d - a*v%d\nlet v%d = u%d*b - v%d*y\n", i+1, i, i, i+1, i, i)
			}
			return s + fmt.Sprintf("density cos(u%d*v%d)\nmetric hessian\n", n, n)
		},
		data: oneDatum,
		logp: func(n int, q []float64) float64 {
			u, v := q[0]*q[1]+1, q[0]
			for range n {
				u, v = u-q[0]*v, u*q[1]-v*0.4
			}
			return math.Cos(u*v) + prior(q...)
		},
		small: 12,
	},
	{
		name: "elements of vectors", hessian: 1,
		text: func(n int) string {
			s := "model m\ndata k int\ndata y real[k]\nparam c real\nparam x real[k]\nc ~ normal(0, 1)\nx ~ normal(0, 1)\nlet v0 = x\n"
			for i := range n {
				s += fmt.Sprintf("let v%d = c*v%d .* (1 - v%d)\n", i+1, i, i)
			}
			return s + fmt.Sprintf("y ~ normal(v%d, 1)\nmetric softabs(alpha = 1)\n", n)
		},
		data: func(int) numbers { return numbers{"k": {3}, "y": {0.4, -0.1, 0.7}} },
		logp: func(n int, q []float64) float64 {
			l := prior(q...)
			for i, y := range []float64{0.4, -0.1, 0.7} {
				v := q[1+i]
				for range n {
					v = q[0] * v * (1 - v)
				}
				l += normal(y, v, 1)
			}
			return l
		},
		small: 4,
	},
}

func logisticMap(n int, metric string) string {
	s := "model m\n" + y0 + "param r, p0 real\nr, p0 ~ normal(0, 1)\n"
	for i := range n {
		s += fmt.Sprintf("let p%d = r*p%d*(1 - p%d)\n", i+1, i, i)
	}
	return s + fmt.Sprintf("y ~ normal(p%d, 1)\nmetric %s\n", n, metric)
}

func logisticMapDensity(n int, q []float64) float64 {
	p := q[1]
	for range n {
		p = q[0] * p * (1 - p)
	}
	return normal(0.4, p, 1) + prior(q...)
}

func nestedCalls(f string, n int, metric string) string {
	return "model m\n" + y0 + "param a real\na ~ normal(0, 1)\ny ~ normal(" + strings.Repeat(f+"(", n) + "a" + strings.Repeat(")", n) + ", 1)\nmetric " + metric + "\n"
}

// TestFamilies holds all results of Derive for the families, at a length where they have
// shared definitions, against differences and the density by hand. A short campaign has every second one.
func TestFamilies(t *testing.T) {
	for _, f := range campaign.Sample(t, families, 4) {
		t.Run(f.name, func(t *testing.T) {
			d, _ := load(t, f.text(f.small))
			if !d.Large && f.small > 1 {
				t.Error("the model has no shared definitions")
			}
			b := newBench(t, d, f.data(f.small))
			m := &testModel{logp: func(q []float64) float64 { return f.logp(f.small, q) }, hessian: f.hessian}
			rng := rand.New(rand.NewSource(1))
			for range 3 {
				checkPoint(t, b, m, naive.RandomVector(rng, b.dim(), 0.4), rng)
			}
		})
	}
}

// TestFamiliesAreLinear counts what Derive makes of the families at three lengths: nodes,
// definitions and operations grow in proportion to the length. Those of a Cholesky
// factor itself grow by its third power. A short campaign has one family in four.
func TestFamiliesAreLinear(t *testing.T) {
	for _, f := range campaign.Sample(t, families, 8) {
		t.Run(f.name, func(t *testing.T) {
			lengths, degree := []int{20, 40, 60}, 1
			switch f.name {
			case "hidden Markov model":
				lengths = []int{6, 12, 18}
			case "Cholesky factor":
				lengths, degree = []int{3, 5, 7}, 3
			case "differences": // a sum stays flat up to a size
				lengths, degree = []int{8, 16, 24}, 2
			case "elements of vectors":
				lengths = []int{5, 10, 15}
			}
			var count [3][3]float64 // of nodes, definitions, operations
			for n, length := range lengths {
				d, _ := load(t, f.text(length))
				count[0][n] = float64(nodesOf(d.C))
				count[1][n] = float64(len(d.Prog.Defs))
				for _, def := range d.Prog.Defs {
					count[2][n] += expr.NodeCost(def.Body)
				}
			}
			for n, what := range []string{"nodes", "definitions", "operations"} {
				c := count[n]
				t.Logf("%s at lengths %v: %v", what, lengths, c)
				grown := math.Pow(float64(lengths[2])/float64(lengths[0]), float64(degree))
				if degree > 1 && c[2] > 1.1*grown*c[0] || degree == 1 && c[2]-c[1] > 1.2*(c[1]-c[0]) {
					t.Errorf("%s at lengths %v: %v, more than in proportion", what, lengths, c)
				}
			}
		})
	}
}

// TestSharedAll runs the tests of values with every model large: what a small model shows
// to the rules, they find behind shared definitions too.
func TestSharedAll(t *testing.T) {
	defer func(g expr.Grain) { expr.Coarse = g }(expr.Coarse)
	expr.Coarse = expr.Grain{}
	t.Run("random programs", TestRandomPrograms)
	t.Run("models", TestModels)
	t.Run("bands", TestRandomBands)
	t.Run("tails", TestTails)
}

// BenchmarkCompileLong derives long models that are near the limits of limits.go.
func BenchmarkCompileLong(b *testing.B) {
	for _, m := range []struct{ name, text string }{
		{"hidden-Markov-model/hessian/20", strings.Replace(hmm(20), "softabs(alpha = 1)", "hessian", 1)},
		{"hidden-Markov-model/identity/300", strings.Replace(hmm(300), "softabs(alpha = 1)", "identity", 1)},
		{"statements/fisher/1499", longList(1499, "y ~ normal(a*%v, 1)", "fisher")},
		{"statements-with-definitions/identity/1499", longList(1499, "y ~ normal(a*%v + b, exp(b))", "identity")},
		{"nested-functions/hessian/190", nestedCalls("atan", 190, "hessian")},
		{"chain-of-data/softabs/1000", dataChain(1000, "[k]", "r .* p%d .* (1 - p%d)", "softabs(alpha = 1)")},
	} {
		b.Run(m.name, func(b *testing.B) {
			for range b.N {
				d, _ := load(b, m.text)
				b.ReportMetric(float64(nodesOf(d.C)), "nodes")
				b.ReportMetric(float64(d.C.Budget.Work), "work")
				b.ReportMetric(float64(d.Emission), "emission")
			}
		})
	}
}

// BenchmarkCompileChain derives chains of growing length.
func BenchmarkCompileChain(b *testing.B) {
	for _, f := range families {
		for _, n := range []int{5, 10, 20, 40, 80} {
			if f.name == "Cholesky factor" && n > 10 {
				continue
			}
			b.Run(fmt.Sprintf("%s/%d", strings.ReplaceAll(f.name, " ", "-"), n), func(b *testing.B) {
				for range b.N {
					d, _ := load(b, f.text(n))
					b.ReportMetric(float64(nodesOf(d.C)), "nodes")
					b.ReportMetric(float64(len(d.Prog.Defs)), "definitions")
				}
			})
		}
	}
}
