package interpret_test

import (
	"math"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/interpret"
)

// TestCountsOfCombinations: what is not in the support is refused when the data are read, but for mixtures, of which another part may have it.
func TestCountsOfCombinations(t *testing.T) {
	const head = "model m\ndata n int\ndata c int[n]\nparam l real > 0\nl ~ exponential(1)\n"
	for line, refused := range map[string]bool{
		"c ~ zero_inflated(0.2, poisson(l))": true, "c ~ hurdle(0.2, poisson(l))": true, "c ~ mixture(0.2, poisson(l), poisson(2*l))": false,
	} {
		m, ds := dsl.Load("m.ham", head+line+"\n", dsl.Options{})
		if m == nil {
			t.Fatal(ds)
		}
		if _, err := interpret.Read(m, strings.NewReader(`{"n": 2, "c": [-1, 3]}`), "data"); (err != nil) != refused {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestCombinations: a distribution that is made of others has the density of what says the same in another way.
func TestCombinations(t *testing.T) {
	const head = "model m\ndata n int\ndata y real[n]\ndata c int[n] >= 0\ndata x real[n]\ndata z real[n] >= 0\nparam p real in (0, 1)\nparam w simplex[3]\nparam a, b, d real\nparam s real > 0\n"
	const data = `{"n": 4, "y": [0.3, -1.2, 2, 0], "c": [0, 4, 1, 0], "x": [0.2, 0.5, -0.9, 1], "z": [0, 2.5, 0.3, 0]}`
	tests := []struct{ short, long string }{
		{"y ~ mixture(p, normal(a, s), cauchy(b + x, 2))",
			"density sum(i in n) log(p*exp(normal_lpdf(y[i] | a, s)) + (1 - p)*exp(cauchy_lpdf(y[i] | b + x[i], 2)))"},
		{"y ~ mixture(w, normal(a, s), normal(b, s), normal(d, 2*s))",
			"density sum(i in n) log(w[1]*exp(normal_lpdf(y[i] | a, s)) + w[2]*exp(normal_lpdf(y[i] | b, s)) + w[3]*exp(normal_lpdf(y[i] | d, 2*s)))"},
		{"y[i] ~ mixture(inv_logit(a*x[i]), std_normal(), normal(b, i*s)) for i in n",
			"density sum(i in n) log_mix(inv_logit(a*x[i]), normal_lpdf(y[i] | 0, 1), normal_lpdf(y[i] | b, i*s))"},
		{"y ~ mixture(0.3, exponential(s), normal(a, 1))",
			"density sum(i in n) (if y[i] > 0 then log_mix(0.3, log(s) - s*y[i], normal_lpdf(y[i] | a, 1)) else log(0.7) + normal_lpdf(y[i] | a, 1))"},
		{"c ~ zero_inflated(p, poisson(s))", "c ~ zero_inflated_poisson(p, s)"},
		{"c ~ zero_inflated(p, neg_binomial_2(s, exp(a)))", "c ~ zero_inflated_neg_binomial_2(p, s, exp(a))"},
		{"c ~ hurdle(p, poisson(s))", "c ~ hurdle_poisson(p, s)"},
		{"c ~ hurdle(p, poisson_log(a + x))", "c ~ hurdle_poisson(p, exp(a + x))"},
		{"density hurdle_lpdf(z | p, lognormal(a, s))",
			"density sum(i in n) (if z[i] > 0 then log(1 - p) - (log(z[i]) - a)^2/(2*s^2) - log(z[i]) - log(s) - 0.5*log(2*pi()) else log(p))"},
		{"z ~ hurdle(inv_logit(a*x), gamma(2, s))", "density sum(i in n) (if z[i] > 0 then log(1 - inv_logit(a*x[i])) + 2*log(s) + log(z[i]) - s*z[i] else log(inv_logit(a*x[i])))"},
		{"z/4 ~ hurdle(p, beta(2, 3))", "density sum(i in n) (if z[i] > 0 then log(1 - p) + log(12) + log(z[i]/4) + 2*log(1 - z[i]/4) else log(p))"},
		{"c ~ mixture(p, poisson(s), poisson_log(a))", "density sum(i in n) log_mix(p, poisson_lpmf(c[i] | s), poisson_log_lpmf(c[i] | a))"},
		{"density mixture_lpdf(y[1] | p, normal(a, s), normal(b, s))", "density log_mix(p, normal_lpdf(y[1] | a, s), normal_lpdf(y[1] | b, s))"},
		{"density zero_inflated_lpmf(c | p, poisson(s))", "c ~ zero_inflated_poisson(p, s)"},
		{"a ~ mixture(0.3, normal(-1, 1), normal(1, s))", "density log_mix(0.3, normal_lpdf(a | -1, 1), normal_lpdf(a | 1, s))"},
	}
	for _, x := range tests {
		short, long := load(t, head+x.short+"\nmetric identity\n", data), load(t, head+x.long+"\nmetric identity\n", data)
		for k := range 4 {
			q := []float64{0.3 - float64(k)/4, 0.2, 0.4, -1, 0.1 * float64(k), 0.7, -0.2}
			got, want := short.LogDensity(q), long.LogDensity(q)
			if !(math.Abs(got-want) <= 1e-12*max(1, math.Abs(want))) {
				t.Errorf("%s: %v, want %v", x.short, got, want)
			}
		}
	}
}
