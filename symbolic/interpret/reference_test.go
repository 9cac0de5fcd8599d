package interpret_test

import (
	"math"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
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
	byDifferences(t, "the model", p)
}

// TestProductsOfLatents: a term that is linear in each of two elements of latent vectors has no weight of its own in their map.
func TestProductsOfLatents(t *testing.T) {
	const pairs = `"J": 4, "E": 3, "from": [1, 2, 3], "to": [2, 3, 4], "y": [1, 0, 2, 1]`
	for name, text := range map[string]string{
		"neighbours":             "model m\ndata J int\nparam u real[J]\nparam s real > 0\nu ~ normal(0, s)\ns ~ exponential(1)\ndensity sum(i in 2..J) 0.1*u[i]*u[i-1]\n",
		"pairs of data":          "model m\ndata J, E int\ndata from, to int[E] in 1..J\ndata y int[J] >= 0\nparam phi real[J]\nparam tau real > 0\nparam alpha real in (0, 1)\nphi ~ normal(0, 1/sqrt(tau))\ntau ~ exponential(1)\ny ~ poisson_log(0.2 + phi)\ndensity 0.2*tau*alpha*sum(e in E) phi[from[e]]*phi[to[e]]\n",
		"two vectors":            "model m\ndata J int\ndata y int[J] >= 0\nparam a, b real[J]\nparam tau real > 0\na, b ~ normal(0, tau)\ntau ~ exponential(1)\ny ~ poisson_log(a)\ndensity sum(j in J) -0.3*a[j]*b[j]\n",
		"squares of differences": "model m\ndata J, E int\ndata from, to int[E] in 1..J\ndata y int[J] >= 0\nparam phi real[J]\nparam tau real > 0\nphi ~ normal(0, 3)\ntau ~ exponential(1)\ny ~ poisson_log(0.2 + phi)\ndensity -0.5*tau*sum(e in E) (phi[from[e]] - phi[to[e]])^2\n",
	} {
		byDifferences(t, name, load(t, text, "{"+pairs+"}"))
	}
}

// byDifferences holds the gradient, in the coordinates of chains, against differences of the density.
func byDifferences(t *testing.T, name string, p runtime.Posterior) {
	t.Helper()
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
			t.Errorf("%s: coordinate %d: %v, by differences %v", name, i, grad[i], want)
		}
	}
}
