package symbolic

import (
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// TestSumsOfChosen: a point of change that is summed out takes time in proportion to the data, however it is written: sums over what a condition on data chooses from two values
// are sums of data.
func TestSumsOfChosen(t *testing.T) {
	d, _ := load(t, `model change
data T int
data y int[T] >= 0
param a, b real
a, b ~ normal(0, 1)
let lp[k in T] = sum(t in T) poisson_log_lpmf(y[t] | if t < k then a else b)
density log_sum_exp(k in T) lp[k]
`)
	if got := d.Work().String(); strings.Contains(got, "T²") {
		t.Errorf("a gradient takes %s operations", got)
	}
}

// TestFunctionsOnce: a function that costs much is computed once for each value that it has. Of the two branches of a condition one is, of the arguments that the condition chooses;
// and what depends on categories that data select, and on groups, is computed for each of these, and not for each observation.
func TestFunctionsOnce(t *testing.T) {
	for _, x := range []struct {
		function, text string
		most           int    // definitions that are made of it
		not            string // what these do not go over
	}{
		{"log_first_passage(", "param a, s real > 0\nparam d real\na, s ~ exponential(1)\nd ~ normal(0, 1)\ndensity sum(i in n) (if y[i] == 1 then wiener_lpdf(t[i] | a, 0, 0.4, d) else wiener_lpdf(t[i] | a, 0, 0.6, -d))", 1, ""},
		{"log1m_exp(", "param c ordered[K-1]\nparam b real\nb, c ~ normal(0, 1)\ny ~ ordered_logistic(b*t, c)", 1, "n"},
		{"log1m_exp(", "param c ordered[J, K-1]\nparam b real\nb ~ normal(0, 1)\nc ~ normal(0, 1)\ny[i] ~ ordered_logistic(b*t[i], c[g[i]]) for i in n", 1, "n"},
		{"log1m_exp(", "param c ordered[J, K-1]\nparam b real\nb ~ normal(0, 1)\nc ~ normal(0, 1)\nY[i, j] ~ ordered_logistic(b*t[i], c[j]) for i in n, j in J", 1, "n"},
	} {
		d, _ := load(t, "model m\ndata n, J, K int\ndata g int[n] in 1..J\ndata y int[n] in 1..K\ndata Y int[n, J] in 1..K\ndata t real[n] > 0\n"+x.text+"\n")
		found := 0
		for _, def := range d.Prog.Defs {
			if def.Body == nil || !strings.Contains(expr.Format(def.Body), x.function) {
				continue
			}
			found++
			for _, i := range def.Indices {
				if i.Range.Hi.Name == x.not {
					t.Errorf("%s is computed for each of %s:\n%s", x.function, x.not, x.text)
				}
			}
		}
		if found == 0 || found > x.most {
			t.Errorf("%d definitions of %s:\n%s", found, x.function, x.text)
		}
	}
}
