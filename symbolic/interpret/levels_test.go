package interpret_test

import (
	"math"
	"slices"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
)

// chainHead begins models of a chain of T values.
const chainHead = `model chains
data T int
data c real[T]
param tau, s real > 0
tau, s ~ exponential(1)
param x real[T]
`

const chainData = `{"T": 6, "c": [0.3, -1, 0.8, 2, -0.4, 0.1], "w": [1.2, 0.7, -0.6, 0.4, 2.1, 0.9], "k": [3, 0, 7, 1, 2, 12], "z": [0.2, 3.1, 0.7, 1.9, 0.05, 1.1]}`

// at returns the coordinates under the map at a plain point with elements of some size about 0, and the model.
func at(t *testing.T, text string, size float64) (m runtime.Transported, q []float64) {
	t.Helper()
	m, ok := load(t, text, chainData).(runtime.Transported)
	if !ok {
		t.Fatalf("no maps:\n%s", text)
	}
	q = make([]float64, m.Info().Dim())
	for i := range q {
		q[i] = size * math.Sin(float64(7*i+1))
	}
	if a, ok := m.(runtime.Anchored); ok {
		a.SetReference(q)
	}
	m.Pull(q)
	return m, q
}

// latentCoordinates are the places of coordinates of maps, and the names of those of one number.
func latentCoordinates(m runtime.Posterior) (places []int, levels []string) {
	from := 0
	for _, p := range m.Info().Params {
		if p.Latent {
			for i := range p.Dim() {
				places = append(places, from+i)
			}
			if len(p.Shape) == 0 {
				levels = append(levels, p.Name)
			}
		}
		from += p.Dim()
	}
	return places, levels
}

// TestLevels: where all is normal a chain and its levels are N(0, I) given the other parameters, ∂L/∂z = −z, at any place.
func TestLevels(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		levels []string
	}{
		"a mean": {"param mu real\nmu ~ normal(0.4, 2)\nx[1] ~ normal(mu, 1)\nx[t] ~ normal(mu + 0.6*(x[t-1] - mu), tau) for t in 2..T\ndata w real[T]\nw ~ normal(x, s)\n", []string{"mu"}},
		"a mean and a slope, of which one has no prior": {"param mu, b real\nb ~ normal(0, 3)\nx[1] ~ normal(0, tau)\nx[t] ~ normal(0.8*x[t-1], tau) for t in 2..T\ndata w real[T]\nw ~ normal(mu + b*c + x, s)\n",
			[]string{"mu", "b"}},
		"the logarithm of a positive number": {"param a real > 0\na ~ lognormal(0.2, 1.5)\nx[1] ~ normal(0, tau)\nx[t] ~ normal(x[t-1] + log(a), tau) for t in 2..T\ndata w real[T]\nw ~ normal(x, s)\n", []string{"a"}},
	} {
		m, q := at(t, chainHead+c.text, 0.7)
		places, levels := latentCoordinates(m)
		if !slices.Equal(levels, c.levels) {
			t.Errorf("%s: levels %v, want %v", name, levels, c.levels)
		}
		byDifferences(t, name, m)
		grad := make([]float64, len(q))
		for k := range 4 {
			for i := range q {
				q[i] += 0.3 * float64(k) * math.Cos(float64(3*i))
			}
			m.Gradient(grad, q)
			for _, i := range places {
				if !(math.Abs(grad[i]+q[i]) <= 1e-11*(1+math.Abs(q[i]))) {
					t.Errorf("%s: ∂L/∂z[%d] is %v, want %v", name, i+1, grad[i], -q[i])
				}
			}
		}
	}
}

// TestNoLevels: a number that is no level of a chain has no map.
func TestNoLevels(t *testing.T) {
	for name, text := range map[string]string{
		"a factor of the chain":        "x[1] ~ normal(0, tau)\nx[t] ~ normal(x[t-1], tau) for t in 2..T\nparam mu real\nmu ~ normal(0, 1)\ndata w real[T]\nw ~ normal(mu*x, s)\n",
		"a coefficient in the chain":   "param mu real in (-1, 1)\nx[1] ~ normal(0, tau)\nx[t] ~ normal(mu*x[t-1], tau) for t in 2..T\ndata w real[T]\nw ~ normal(x, s)\n",
		"a scale of data":              "param mu real > 0\nmu ~ exponential(1)\nx[1] ~ normal(0, tau)\nx[t] ~ normal(x[t-1], tau) for t in 2..T\ndata w real[T]\nw ~ normal(x, mu + s)\n",
		"as wide everywhere":           "param mu real\nx[1] ~ normal(mu, 1)\nx[t] ~ normal(mu + 0.6*(x[t-1] - mu), 1) for t in 2..T\ndata w real[T]\nw ~ normal(x, 2)\n",
		"beside effects of groups":     "param mu real\nmu ~ normal(0, 1)\nx ~ normal(mu, tau)\ndata w real[T]\nw ~ normal(x, s)\n",
		"what the chain does not know": "param mu real\nmu ~ normal(0, tau)\nx[1] ~ normal(0, tau)\nx[t] ~ normal(x[t-1], tau) for t in 2..T\ndata w real[T]\nw ~ normal(x, s)\n",
	} {
		m := load(t, chainHead+text, chainData)
		if _, levels := latentCoordinates(m); len(levels) > 0 {
			t.Errorf("%s: levels %v", name, levels)
		}
	}
}

// TestObservedInformation: at the reference the posterior given the other parameters is as narrow as its map says, ∂²L/∂z² = −I, where the density of data falls off
// from a mode whatever the data, though the expected information is another.
func TestObservedInformation(t *testing.T) {
	const walk = "x[1] ~ normal(0, tau)\nx[t] ~ normal(0.9*x[t-1], tau) for t in 2..T\n"
	for name, text := range map[string]string{
		"volatility":            walk + "param b real > 0\ndensity -log(b)\ndata w real[T]\nw ~ normal(0, b*exp(x/2))\n",
		"overdispersed counts":  walk + "param mu real\nmu ~ normal(0, 2)\ndata k int[T] >= 0\nk ~ neg_binomial_2_log(mu + x, s)\n",
		"waiting times":         walk + "data z real[T] > 0\nz ~ weibull(s, exp(x))\n",
		"gamma":                 walk + "data z real[T] > 0\nz ~ gamma(2, exp(x))\n",
		"effects of groups":     "x ~ normal(0, tau)\ndata z real[T] > 0\nz ~ gamma(s, s./exp(x))\n",
		"counts, which are not": walk + "data k int[T] >= 0\nk ~ poisson_log(x)\n",
	} {
		m, q := at(t, chainHead+text, 0.5)
		places, _ := latentCoordinates(m)
		byDifferences(t, name, m)
		up, down := make([]float64, len(q)), make([]float64, len(q))
		for _, j := range places {
			const h = 1e-4
			x := q[j]
			q[j] = x + h
			m.Gradient(up, q)
			q[j] = x - h
			m.Gradient(down, q)
			q[j] = x
			for _, i := range places {
				want := 0.0
				if i == j {
					want = -1
				}
				if got := (up[i] - down[i]) / (2 * h); !(math.Abs(got-want) <= 1e-6) {
					t.Errorf("%s: ∂²L/∂z[%d]∂z[%d] is %v, want %v", name, i+1, j+1, got, want)
				}
			}
		}
	}
}
