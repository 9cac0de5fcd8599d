package symbolic

import (
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/internal/naive"
)

// dataChains are chains of definitions over data alone.
var dataChains = []family{
	{
		name: "logistic map",
		text: func(n int) string { return dataChain(n, "", "r*p%d*(1 - p%d)", "fisher") },
		data: func(int) numbers { return numbers{"y": {0.4}, "r": {3.1}, "p0": {0.3}} },
		logp: func(n int, q []float64) float64 { return prior(q...) + normal(0.4, q[0]*logistic(n, 3.1, 0.3), 1) },
	},
	{
		name: "logistic maps of vectors",
		text: func(n int) string { return dataChain(n, "[k]", "r .* p%d .* (1 - p%d)", "hessian") },
		data: func(int) numbers {
			return numbers{"k": {3}, "y": {0.4, -0.1, 0.7}, "r": {3.1, 2.3, 3.7}, "p0": {0.3, 0.2, 0.9}}
		},
		logp: func(n int, q []float64) float64 {
			l := prior(q...)
			for i, y := range []float64{0.4, -0.1, 0.7} {
				l += normal(y, q[0]*logistic(n, []float64{3.1, 2.3, 3.7}[i], []float64{0.3, 0.2, 0.9}[i]), 1)
			}
			return l
		},
		hessian: -1,
	},
	{
		name: "functions",
		text: func(n int) string { return dataChain(n, "", "sin(r*p%d) + p%d^2", "softabs(alpha = 1)") },
		data: func(int) numbers { return numbers{"y": {0.4}, "r": {1.1}, "p0": {0.3}} },
		logp: func(n int, q []float64) float64 {
			p := 0.3
			for range n {
				p = math.Sin(1.1*p) + p*p
			}
			return prior(q...) + normal(0.4, q[0]*p, 1)
		},
		hessian: 1,
	},
}

func logistic(n int, r, p float64) float64 {
	for range n {
		p = r * p * (1 - p)
	}
	return p
}

func dataChain(n int, shape, step, metric string) string {
	var b strings.Builder
	b.WriteString("model m\n")
	if shape != "" {
		b.WriteString("data k int\n")
	}
	fmt.Fprintf(&b, "data y, r, p0 real%s\nparam a real\na ~ normal(0, 1)\n", shape)
	for i := range n {
		fmt.Fprintf(&b, "let p%d = "+step+"\n", i+1, i, i)
	}
	fmt.Fprintf(&b, "y ~ normal(a*p%d, 1)\nmetric %s\n", n, metric)
	return b.String()
}

// TestDataChains: what data alone determine is computed once, by definitions of the data's stage, whose number
// and size grow in proportion to the length of the chain. It makes no model large.
func TestDataChains(t *testing.T) {
	for _, f := range dataChains {
		t.Run(f.name, func(t *testing.T) {
			const small = 12
			d, _ := load(t, f.text(small))
			b := newBench(t, d, f.data(small))
			m := &testModel{logp: func(q []float64) float64 { return f.logp(small, q) }, hessian: f.hessian}
			rng := rand.New(rand.NewSource(1))
			for range 3 {
				checkPoint(t, b, m, naive.RandomVector(rng, b.dim(), 0.4), rng)
			}

			var count [3][3]float64 // of nodes asked for, definitions, operations
			for n, length := range []int{150, 300, 450} {
				d, _ := load(t, f.text(length))
				if d.Large {
					t.Error("the model is large")
				}
				count[0][n] = float64(d.C.Budget.Work)
				for _, def := range d.Prog.Defs {
					if def.Stage() == expr.StageData {
						count[1][n]++
					}
					count[2][n] += expr.NodeCost(def.Body)
				}
			}
			for n, what := range []string{"nodes asked for", "definitions of data", "operations"} {
				if c := count[n]; c[2]-c[1] > 1.2*(c[1]-c[0]) {
					t.Errorf("%s at lengths 150, 300, 450: %v, more than in proportion", what, c)
				} else {
					t.Logf("%s: %v", what, c)
				}
			}
		})
	}
}
