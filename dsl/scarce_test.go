package dsl_test

import (
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
)

// TestScarce states for models which of their flat parameters are said to have hardly any data,
// for data of any size, and for those of given sizes.
//
// Why, where a scale is flat: with n observations y ~ normal(x·b, s), k coefficients and a flat s > 0 the mass is that of
// ∫ s^(k−n) ds at infinity, which is finite for n > k + 1 only.
func TestScarce(t *testing.T) {
	const head = "model m\ndata n, k int\ndata y, x, e real[n]\ndata X real[n, k]\ndata g int[n] in 1..k\ndata c int[n] in {0, 1}\ndata u, v real\ndata w real[3]\n"
	for _, row := range []struct {
		name, text, want string // parameters of the warnings
		n, k             int
	}{
		{"one observation", "param a real\nu ~ normal(a, 1)", "a", 0, 0},
		{"one observation with a prior", "param a real\nu ~ normal(a, 1)\na ~ normal(0, 1)", "", 0, 0},
		{"one observation, uniform prior by bounds", "param a real in (0, 1)\nu ~ normal(a, 1)", "", 0, 0},
		{"one observation, two statements", "param a real\nu, v ~ normal(a, 1)", "", 0, 0},
		{"two observations of mean and scale", "param a real\nparam s real > 0\nu, v ~ normal(a, s)", "a", 0, 0},
		{"three of mean and scale", "param a real\nparam s real > 0\nw ~ normal(a, s)", "", 0, 0},
		{"any number", "param a real\nparam s real > 0\ny ~ normal(a, s)", "", 0, 0},
		{"any number turns out to be two", "param a real\nparam s real > 0\ny ~ normal(a, s)", "a", 2, 1},
		{"any number turns out to be three", "param a real\nparam s real > 0\ny ~ normal(a, s)", "", 3, 1},
		{"regression", "param b real[k]\nparam s real > 0\ny ~ normal(X*b, s)", "", 0, 0},
		{"regression without a degree of freedom", "param b real[k]\nparam s real > 0\ny ~ normal(X*b, s)", "b", 4, 3},
		{"regression with one", "param b real[k]\nparam s real > 0\ny ~ normal(X*b, s)", "", 5, 3},
		{"regression with more columns than rows", "param b real[k]\ny ~ normal(X*b, 1)", "b", 4, 5},
		{"regression with more columns than rows, a prior", "param b real[k]\ny ~ normal(X*b, 1)\nb ~ normal(0, 1)", "", 4, 5},
		{"a level for each observation", "param t real[n]\ny ~ normal(t, e)", "t", 0, 0},
		{"a level for each observation, by index", "param t real[n]\ny[i] ~ normal(t[i], e[i]) for i in n", "t", 0, 0},
		{"a level for each group", "param t real[k]\ny ~ normal(t[g], 1)", "", 0, 0},
		{"a level for each of two groups of one", "param t real[k]\ny ~ normal(t[g], 1)", "t", 2, 2},
		{"a prior of a definition", "param t, r real[n]\nlet d = t + r\nd ~ normal(0, 1)\nr ~ normal(0, 1)\ny ~ normal(t, 1)", "", 0, 0},
		{"data less a parameter", "param t real[n]\nlet d = y - t\nd ~ normal(0, 1)", "t", 0, 0},
		{"hierarchy", "param t real[n]\nparam mu real\nparam tau real > 0\nt ~ normal(mu, tau)\ny ~ normal(t, e)", "", 0, 0},
		{"hierarchy of two", "param t real[n]\nparam mu real\nparam tau real > 0\nt ~ normal(mu, tau)\ny ~ normal(t, e)", "mu", 2, 1},
		{"random walk with a free start", "param t real[n]\nparam s real > 0\nt[i] ~ normal(t[i-1], s) for i in 2..n\ny ~ normal(t, 1)", "", 0, 0},
		{"random walk, three", "param t real[n]\nparam s real > 0\nt[i] ~ normal(t[i-1], s) for i in 2..n\ny ~ normal(t, 1)", "", 3, 1},
		{"random walk, two", "param t real[n]\nparam s real > 0\nt[i] ~ normal(t[i-1], s) for i in 2..n\ny ~ normal(t, 1)", "s", 2, 1},
		{"density", "param a real\ndensity -sum((y - a).^2)", "", 0, 0},
		{"density of one datum", "param a real\ndensity -(u - a)^2", "", 0, 0},
		{"two of one", "param a, b real\ny ~ normal(a, 1)\nu ~ normal(b, 1)", "b", 0, 0},
		{"through definitions", "param a, b real\nlet r = a*b\nlet q = r + 1\nu, v ~ normal(q, 1)", "a", 0, 0},
		{"a constraint on a sum", "param t real[n]\nsum(t) ~ normal(0, 1)\ny ~ normal(t, 1)", "", 0, 0},
		{"logistic", "param a real\nparam b real[k]\nc ~ bernoulli_logit(a + X*b)", "", 0, 0},
		{"differences", "param t real[3]\nt[1] - t[2] ~ normal(0, 1)\nw ~ normal(t, 1)", "", 0, 0},
	} {
		m, ds := dsl.Load("m.ham", head+row.text+"\nmetric identity\n", dsl.Options{})
		if m == nil {
			t.Errorf("%s: %v", row.name, ds)
			continue
		}
		list := ds.List
		if row.n > 0 {
			list = m.Scarce(func(name string) int { return map[string]int{"n": row.n, "k": row.k}[name] })
		}
		var got []string
		for _, d := range list {
			if d.Code == dsl.ScarceData {
				name := strings.Split(d.Message, "`")[1]
				got = append(got, name)
				// The prior of the hint silences the warning of this parameter.
				prior := strings.Split(d.Hint, "`")[1]
				if after, more := dsl.Load("m.ham", head+row.text+"\n"+prior+"\nmetric identity\n", dsl.Options{}); after == nil {
					t.Errorf("%s: the prior of the hint %q: %v", row.name, d.Hint, more)
				}
			}
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%s: warnings of %q, want %q", row.name, got, row.want)
		}
	}
}
