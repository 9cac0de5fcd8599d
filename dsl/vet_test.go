package dsl_test

import (
	"slices"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
)

// TestVet: each code of a finding has a model, and perhaps data, in which there is that and nothing else, and one that differs little and has none.
func TestVet(t *testing.T) {
	const head = "model m\ndata n, k int\ndata y real[n]\n"
	sizes := func(more map[string][]float64) map[string][]float64 {
		out := map[string][]float64{"n": {4}, "k": {2}, "y": {1, 2, 3, 4}, "c": {1, 0, 2, 3}}
		for name, x := range more {
			out[name] = x
		}
		return out
	}
	x := func(x ...float64) map[string][]float64 { return sizes(map[string][]float64{"x": x}) }
	g := func(g ...float64) map[string][]float64 { return sizes(map[string][]float64{"g": g}) }
	regression := head + "data x real[n]\nparam a, b real\na, b ~ normal(0, 1)\ny ~ normal(a + b*x, 1)\n"
	two := head + "data x, z real[n]\nparam b, c real\nb, c ~ normal(0, 1)\ny ~ normal(b*x + c*z, 1)\n"
	xz := func(z ...float64) map[string][]float64 {
		return sizes(map[string][]float64{"x": {0.5, 1, -1, 0}, "z": z})
	}
	matrix := head + "data x real[n, k]\nparam b real[k]\nb ~ normal(0, 1)\ny ~ normal(x*b, 1)\n"
	groups := head + "data g int[n] in 1..k\nparam u real[k]\nu ~ normal(0, 1)\ny ~ normal(u[g], 1)\n"
	edges := head + "data g, h int[n] in 1..k\nparam u real[k]\nu ~ normal(0, 1)\ny ~ normal(u[g] - u[h], 1)\n"
	measured := head + "data x real[n] > 0\nparam a real\na ~ normal(0, 1)\ny ~ normal(a, x)\n"
	ofData := head + "data g int[n] in 1..k\ndata w real[k]\nparam a real\na ~ normal(0, 1)\ny ~ normal(a*w[g], 1)\n"
	gh := func(h ...float64) map[string][]float64 { return sizes(map[string][]float64{"g": {1, 1, 1, 1}, "h": h}) }
	prior := func(line string) string {
		return head + "param mu real\nparam tau real > 0\n" + line + "\ny ~ normal(mu, tau)\n"
	}
	tests := []struct {
		code      dsl.Code
		bad, good string
		worse     map[string][]float64
		better    map[string][]float64
	}{
		{dsl.FlatPrior, prior("tau ~ exponential(1)"), prior("tau ~ exponential(1)\nmu ~ normal(0, 5)"), nil, nil},
		{dsl.FlatPrior, head + "param mu, tau real > 0\nlet v[i in n] = y[i] + mu\nv ~ normal(0, tau)\ntau ~ exponential(1)\n",
			head + "param mu, tau real > 0\nlet v[i in n] = if y[i] > 0 then mu else y[i]\nv ~ normal(0, tau)\ntau ~ exponential(1)\n", nil, nil},
		{dsl.FlatPrior, prior("mu ~ normal(0, 1)"), head + "param mu, tau real in (0, 1)\ny ~ normal(mu, tau)\n", nil, nil},
		{dsl.UsedTwice, prior("mu ~ normal(0, 1)\ntau ~ exponential(1)\ny ~ normal(mu, 1)"), prior("mu ~ normal(0, 1)\ntau ~ exponential(1)\ny[1] ~ normal(mu, 1)"), nil, nil},
		{dsl.UsedTwice, prior("mu ~ normal(0, 1)\nmu ~ normal(0, 10)\ntau ~ exponential(1)"), prior("mu ~ normal(0, 1)\ntau ~ exponential(1)"), nil, nil},
		{dsl.WholeNumbers, head + "data c int[n]\nparam mu real > 0\nmu ~ exponential(1)\nc ~ normal(mu, 1)\ny ~ normal(mu, 1)\n", head + "data c int[n] >= 0\nparam mu real > 0\nmu ~ exponential(1)\nc ~ poisson(mu)\ny ~ normal(mu, 1)\n", nil, nil},
		{dsl.SpikedPrior, prior("mu ~ normal(0, 1)\ntau ~ inv_gamma(0.001, 0.001)"), prior("mu ~ normal(0, 1)\ntau ~ inv_gamma(2, 1)"), nil, nil},
		{dsl.VaguePrior, prior("mu ~ normal(0, 1e6)\ntau ~ exponential(1)"), prior("mu ~ normal(0, 100)\ntau ~ exponential(1)"), nil, nil},
		{dsl.VaguePrior, head + "param mu real in (-1e4, 1e4)\nmu ~ uniform(-1e4, 1e4)\ny ~ normal(mu, 1)\n", head + "param mu real in (-10, 10)\nmu ~ uniform(-10, 10)\ny ~ normal(mu, 1)\n", nil, nil},
		{dsl.ConstantPredictor, regression, regression, x(3, 3, 3, 3), x(3, 4, 3, 3)},
		{dsl.ConstantPredictor, matrix, matrix, x(1, 1, 2, 2, 3, 3, 4, 4), x(1, 1, 2, 2, 3, 3, 4, 5)},
		{dsl.FarPredictor, regression, regression, x(2000, 2001, 2000, 2000.5), x(0, 1, 0, 0.5)},
		{dsl.FarPredictor, regression, regression, x(1970, 1985, 2000, 2014), x(70, 85, 100, 114)},
		{dsl.UnequalPredictors, matrix, matrix, x(1, 1000, 2, 7000, 3, 5000, 4, -9000), x(1, 10, 2, 70, 3, 50, 4, -90)},
		{dsl.ConstantPredictor, two, two, xz(0.5, 1, -1, 0), xz(0.5, 1, -1, 0.1)},
		{dsl.UnequalPredictors, two, two, xz(-1e5, 5e4, 2e5, -7e4), xz(-100, 50, 200, -70)},
		{dsl.EmptyGroup, groups, groups, g(1, 1, 1, 1), g(1, 2, 1, 1)},
		// What no predictor and no group of a parameter is.
		{dsl.EmptyGroup, groups, edges, g(1, 1, 1, 1), gh(2, 2, 2, 2)},
		{dsl.EmptyGroup, groups, ofData, g(1, 1, 1, 1), sizes(map[string][]float64{"g": {1, 1, 1, 1}, "w": {0.5, 0.7}})},
		{dsl.ConstantPredictor, regression, measured, x(3, 3, 3, 3), x(3, 3, 3, 3)},
	}
	for _, c := range tests {
		find := func(text string, values map[string][]float64) (codes []dsl.Code) {
			m, ds := dsl.Load("m.ham", text, dsl.Options{})
			if m == nil {
				t.Fatalf("%s\n%s", text, ds)
			}
			for _, d := range m.Vet(values) {
				if d.Severity != dsl.Warning || d.Hint == "" || d.Message == "" {
					t.Errorf("%+v", d)
				}
				codes = append(codes, d.Code)
			}
			return codes
		}
		if got := find(c.bad, c.worse); !slices.Equal(got, []dsl.Code{c.code}) {
			t.Errorf("%s: found %v, want %s", c.bad, got, c.code)
		}
		if got := find(c.good, c.better); len(got) > 0 {
			t.Errorf("%s: found %v, want nothing", c.good, got)
		}
	}
}
