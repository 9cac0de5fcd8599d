package symbolic

import (
	"math"
	"testing"
)

// TestTails: far out, where formulas overflow or cancel as they are written,
// every result is finite and agrees with its asymptotic value.
func TestTails(t *testing.T) {
	const head = "model m\ndata n int\ndata y int[n] in {0, 1}\ndata c real[n]\nparam b real\n"
	data := numbers{"n": {2}, "y": {0, 1}, "c": {1, 1}}
	// With the prior N(0, 1000) and η = b on both observations: log p →
	// −|b| + prior, ∂ → ∓1, and the information of the data vanishes.
	for _, way := range []struct{ name, text string }{
		{"bernoulli_logit", "y ~ bernoulli_logit(b*c)\n"},
		{"bernoulli of inv_logit", "y ~ bernoulli(inv_logit(b*c))\n"},
		{"bernoulli of 1/(1 + exp)", "y ~ bernoulli(1 ./ (1 + exp(-b*c)))\n"},
		{"bernoulli of exp/(1 + exp)", "let e = exp(b*c)\ny ~ bernoulli(e ./ (1 + e))\n"},
	} {
		for _, metric := range []string{"fisher", "softabs(alpha = 1)"} {
			if metric != "fisher" && way.name != "bernoulli_logit" {
				metric = "softabs(alpha = 2)"
			}
			t.Run(way.name+", "+metric, func(t *testing.T) {
				d, _ := load(t, head+way.text+"b ~ normal(0, 1000)\nmetric "+metric+"\n")
				bench := newBench(t, d, data)
				bench.setWeight([][]float64{{1}})
				bench.setVelocity([]float64{1})
				for _, b := range []float64{-800, -45, 45, 800} {
					q := []float64{b}
					prior := normal(b, 0, 1000)
					if got, want := bench.logDensity(q), -math.Abs(b)+prior; !(math.Abs(got-want) <= 1e-13*math.Abs(want)) {
						t.Errorf("log density at %g: %.15g, want %.15g", b, got, want)
					}
					if got, want := bench.vector(d.Gradient, q)[0], -math.Copysign(1, b)-b*1e-6; !(math.Abs(got-want) <= 1e-13) {
						t.Errorf("gradient at %g: %.15g, want %.15g", b, got, want)
					}
					sign := 1.0
					if d.Metric.Storage.NonLinear {
						sign = -1
					}
					if got := bench.matrix(q)[0][0]; !(math.Abs(got-sign*1e-6) <= 1e-17) {
						t.Errorf("matrix at %g: %.15g, want %g", b, got, sign*1e-6)
					}
					for _, outs := range [][]Output{d.Contract, d.Rank1} {
						if got := bench.vector(outs, q)[0]; !(math.Abs(got) <= 1e-17) {
							t.Errorf("contraction at %g: %g", b, got)
						}
					}
				}
			})
		}
	}
	// Positive parameters far down and far up.
	t.Run("log scale", func(t *testing.T) {
		d, _ := load(t, "model m\nparam tau real > 0\nparam p real in (0, 1)\ntau ~ gamma(2, 3)\np ~ beta(2, 3)\nmetric fisher\n")
		bench := newBench(t, d, nil)
		for _, u := range []float64{-500, -50, 3} {
			for _, v := range []float64{-300, -45, 45, 300} {
				q := []float64{u, v}
				// α log β − log Γ(α) + α u − β eᵘ, and α v − (α + β) log(1 + eᵛ) − log B.
				want := 2*math.Log(3) + 2*u - 3*math.Exp(u) + math.Log(12)
				if v < 0 {
					want += 2 * v
				} else {
					want -= 3 * v
				}
				if got := bench.logDensity(q); !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
					t.Errorf("log density at %v: %.15g, want %.15g", q, got, want)
				}
				grad := []float64{2 - 3*math.Exp(u), 2}
				if v > 0 {
					grad[1] = -3
				}
				if got := bench.vector(d.Gradient, q); !near(got, grad, 1e-13) {
					t.Errorf("gradient at %v: %.15g, want %.15g", q, got, grad)
				}
				g := bench.matrix(q)
				info := 5 * math.Exp(-math.Abs(v))
				// 1 − inv_logit(v) is exact to 1e-16, not to 1e-16 of itself;
				// some of the five terms are inv_logit(−v) and keep g > 0.
				if !(math.Abs(g[0][0]-3*math.Exp(u)) <= 1e-13*g[0][0]) || !(g[1][1] > 0) || !(math.Abs(g[1][1]-info) <= 1e-15) {
					t.Errorf("metric at %v: %g, want %g and %g", q, flatten(g), 3*math.Exp(u), info)
				}
			}
		}
	})
}
