package interpret_test

import (
	"math"
	"testing"
)

// TestFirstReference: before a reference is made, at which parameters are 0, the gradient is there, also where data then say nothing of an effect.
func TestFirstReference(t *testing.T) {
	p := load(t, `model m
data n, t int
data u int[n, t] in -1..1
param a real
param k, z real[n]
let mu[1, i in n] = 0.5
let mu[s, i in n] = mu[s-1, i] + k[i]*(u[i, s-1] - guess[s-1, i]) for s in 2..t
let guess[s, i in n] = inv_logit(mu[s, i]) for s in 1..t
k, z ~ normal(0, 10)
density sum(i in n, s in t) (if u[i, s] >= 0 then bernoulli_logit_lpmf(1 | z[i]*a*mu[s, i]) else 0)
`, `{"n": 2, "t": 3, "u": [[0, 1, -1], [1, 0, 1]]}`)
	q := make([]float64, p.Info().Dim())
	for i := range q {
		q[i] = 0.1 + 0.07*float64(i)
	}
	grad := make([]float64, len(q))
	p.Gradient(grad, q)
	for i, x := range q {
		const h = 1e-5
		q[i] = x + h
		up := p.LogDensity(q)
		q[i] = x - h
		down := p.LogDensity(q)
		q[i] = x
		if want := (up - down) / (2 * h); !(math.Abs(grad[i]-want) <= 1e-6*max(1, math.Abs(want))) {
			t.Errorf("coordinate %d: %v, by differences %v", i, grad[i], want)
		}
	}
}
