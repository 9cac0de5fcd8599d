package symbolic

import (
	"math"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// TestChances: what was seen, or not, with a probability of its own has one logarithm, in sums and beside other terms. Probabilities that many observations share are folded, or taken once
// for each group, and data that may be another number than 0 or 1 keep two.
func TestChances(t *testing.T) {
	const head = "model m\ndata n, J, K int\ndata g int[n] in 1..J\ndata y int[n] in {0, 1}\ndata z int[n, K] in {0, 1}\ndata k int[n] in 0..K\ndata x real[n]\nparam a, b real\nparam c real in (0, 1)\nparam u real[J]\na, b, u ~ normal(0, 1)\n"
	const chance, two = "log_chance(", "lmultiply"
	for _, x := range []struct{ name, text, has, not string }{
		{"a guess beside a logit", "y ~ bernoulli(c + (1 - c)*inv_logit(a + b*x))", chance, two},
		{"of groups and more", "y[i] ~ bernoulli(c + (1 - c)*inv_logit(u[g[i]] + b*x[i])) for i in n", chance, two},
		{"a mixture of visits", "density sum(i in n) log_sum_exp(a + sum(j in K) bernoulli_lpmf(z[i, j] | c*exp(-exp(b*x[i]*j))), b*x[i])", chance, two},
		{"one for all", "y ~ bernoulli(c*inv_logit(a))", two, chance},
		{"of groups", "y[i] ~ bernoulli(c + (1 - c)*inv_logit(u[g[i]])) for i in n", two, chance},
		{"counts", "k[i] ~ binomial(K, c + (1 - c)*inv_logit(a + b*x[i])) for i in n", two, chance},
	} {
		d, _ := load(t, head+x.text+"\n")
		var all []string
		for _, def := range d.Prog.Defs {
			if def.Body != nil {
				all = append(all, expr.Format(def.Body))
			}
		}
		found := strings.Join(all, "\n")
		if !strings.Contains(found, x.has) || strings.Contains(found, x.not) {
			t.Errorf("%s: no %s, or a %s:\n%s", x.name, x.has, x.not, found)
		}
	}
}

// TestChanceDensity: log_chance is log p or log(1 − p), its slope their derivative, for probabilities near 0 and near 1 too.
func TestChanceDensity(t *testing.T) {
	c := expr.NewContext()
	for _, p := range []float64{1e-300, 1e-20, 1e-9, 0.3, 0.5, 0.99, 1 - 0x1p-53} {
		for y, want := range map[float64]float64{1: math.Log(p), 0: math.Log1p(-p)} {
			x := []*expr.Expr{c.Number(y), c.Number(p)}
			if got := c.Call("log_chance", x...).Val; !(math.Abs(got-want) <= 2e-16*max(1, math.Abs(want))) {
				t.Errorf("log_chance(%v, %v) = %v, want %v", y, p, got, want)
			}
			slope := 1 / p
			if y == 0 {
				slope = -1 / (1 - p)
			}
			if got := c.Call("chance_slope", x...).Val; !(math.Abs(got-slope) <= 2e-16*math.Abs(slope)) {
				t.Errorf("chance_slope(%v, %v) = %v, want %v", y, p, got, slope)
			}
		}
	}
}
