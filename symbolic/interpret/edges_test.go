package interpret

import (
	"math"
	"testing"
)

// TestPowersOfZero: 0^h is 0 for h > 0, and so is its derivative by h, where log(0) is infinite: the doses of a trial with
// a placebo. Gradients equal central differences.
func TestPowersOfZero(t *testing.T) {
	m := joint(posterior(t, `model m
data n int
data dose, y real[n]
param top real
param d50, h real > 0
top ~ normal(0, 3)
d50, h ~ normal(0, 2)
y[i] ~ normal(top*dose[i]^h/(dose[i]^h + d50^h) + pow(dose[i], 2*h), 1) for i in n
metric identity`, `{"n": 3, "dose": [0, 0.5, 3], "y": [0.2, 0.9, 2.2]}`))
	q := []float64{1.5, -0.3, 0.4}
	grad := make([]float64, len(q))
	m.Gradient(grad, q)
	for i, g := range grad {
		const step = 1e-5
		at := func(d float64) float64 {
			p := append([]float64(nil), q...)
			p[i] += d
			return m.LogDensity(p)
		}
		if want := (at(step) - at(-step)) / (2 * step); !(math.Abs(g-want) < 1e-6*(1+math.Abs(want))) {
			t.Errorf("∂L/∂q[%d] is %v, want %v", i, g, want)
		}
	}
}
