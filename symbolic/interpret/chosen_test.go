package interpret_test

import (
	"math"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/interpret"
)

// TestChosenPositions: what selects elements is asked of positions that are read, and of no others.
func TestChosenPositions(t *testing.T) {
	const head = "model m\ndata n, k int\ndata g int[n]\nparam b real[k]\nb ~ normal(0, 1)\n"
	for line, good := range map[string]map[string]bool{
		"density sum(i in n) (if g[i] > 0 then b[g[i]] else 0)":                               {"[0, 2, -7]": true, "[0, 3, 1]": false},
		"density sum(i in n) (if g[i] > 0 and g[i] <= k then b[g[i]] else 0)":                 {"[0, 2, -7]": true, "[0, 3, 1]": true},
		"density sum(i in n) (if g[i] > 0 then 0 else b[g[i]+3])":                             {"[1, -2, 9]": true, "[1, 0, 9]": false},
		"density sum(i in n) (if g[i] > 0 then (if i > 1 then b[g[i-1]] else 0) else b[1])":   {"[2, 1, 0]": true, "[3, 0, 0]": true, "[3, 1, 0]": false},
		"let s[1] = 1\nlet s[t] = sum(u in 1..t-1) b[t-u]*s[u] for t in 2..n\ndensity s[n]":   {"[0, 0, 0]": true},
		"let s[1] = 1\nlet s[t] = sum(u in 1..t-1) b[t-u+1]*s[u] for t in 2..n\ndensity s[n]": {"[0, 0, 0]": false},
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
