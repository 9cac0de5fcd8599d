package dsl_test

import (
	"testing"

	"github.com/hamc-dev/hamc/dsl"
)

// TestManyModes: equations, oscillations and mixtures are told from what only looks like them.
func TestManyModes(t *testing.T) {
	for _, c := range []struct {
		text string
		many bool
	}{
		{"param a real\node f(v) { v' = -exp(a)*v }\nlet s = solve f(v = 1) from 0 at t\na ~ normal(0, 1)\ny ~ normal(s.v, 1)", true},
		{"param p real in (1, 9)\nlet m[i in n] = sin(2*pi()*t[i]/p)\np ~ uniform(1, 9)\ny ~ normal(m, 1)", true},
		{"param a real\na ~ normal(0, 1)\ny ~ normal(a*sin(t), 1)", false},
		{"param a, b real\na, b ~ normal(0, 1)\ndensity sum(i in n) log_mix(0.3, poisson_log_lpmf(c[i] | a), poisson_log_lpmf(c[i] | b))", true},
		{"param a, b real\na, b ~ normal(0, 1)\ndensity sum(i in n) log_mix(0.3, normal_lpdf(y[i] | a, 1), normal_lpdf(y[i] | b, 1))", false},
		{"param m real[3]\nm ~ normal(0, 1)\ndensity sum(i in n) log_sum_exp(k in 3) poisson_log_lpmf(c[i] | m[k])", true},
		{"param a, b real\na, b ~ normal(0, 1)\nc ~ mixture(0.3, poisson_log(a), poisson_log(b))", true},
		{"param a, b real\nlet f[1, k in 2] = poisson_log_lpmf(c[1] | if k == 1 then a else b)\nlet f[i, k in 2] = log_sum_exp(f[i-1, 1], f[i-1, 2]) + poisson_log_lpmf(c[i] | if k == 1 then a else b) for i in 2..n\na, b ~ normal(0, 1)\ndensity log_sum_exp(f[n, 1], f[n, 2])", true},
		{"param a, b real\na, b ~ normal(0, 1)\ny ~ normal(log_sum_exp(a, b), 1)", false},
		{"param b real[3]\nb ~ normal(0, 1)\nc ~ categorical_logit(b)", false},
		{"param p real in (0, 1)\nparam a real\na ~ normal(0, 1)\nc ~ zero_inflated(p, poisson_log(a))", false},
	} {
		m, ds := dsl.Load("m.ham", "model m\ndata n int\ndata t, y real[n]\ndata c int[n] in 1..3\n"+c.text+"\n", dsl.Options{})
		if m == nil {
			t.Errorf("%s\n%s", c.text, ds)
		} else if got := m.ManyModes(); got != c.many {
			t.Errorf("%v, want %v:\n%s", got, c.many, c.text)
		}
	}
}
