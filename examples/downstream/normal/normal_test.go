package normal_test

import (
	"context"
	"math"
	"testing"

	"example.com/downstream/normal"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
)

// exact returns the posterior means of mu and sigma by quadrature: given s = log sigma,
// mu is normal, and the rest is an integral over s by the trapezoidal rule.
func exact(y []float64) (mu, sigma float64) {
	n, sum, squares := float64(len(y)), 0.0, 0.0
	for _, x := range y {
		sum += x
		squares += x * x
	}
	norm := 0.0
	for s := -6.0; s <= 6; s += 0.005 {
		tau := math.Exp(-2 * s)
		precision := n*tau + 0.01
		mean := sum * tau / precision
		w := math.Exp(-s*s/2 - n*s - squares*tau/2 + precision*mean*mean/2 - math.Log(precision)/2)
		norm += w
		mu += w * mean
		sigma += w * math.Exp(s)
	}
	return mu / norm, sigma / norm
}

// Both twins sample the posterior that quadrature gives.
func TestPosteriorMeans(t *testing.T) {
	generated, err := normal.New(normal.Data{N: len(y), Y: y})
	if err != nil {
		t.Fatal(err)
	}
	mu, sigma := exact(y)
	for _, m := range []runtime.Model{generated, normal.NewByHand(y)} {
		result, err := runtime.Sample(context.Background(), m, runtime.DefaultOptions(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]float64{"mu": mu, "sigma": sigma} {
			x := result.Column(name)
			if mean, se := diagnostics.Mean(x), diagnostics.MCSEMean(x); !(math.Abs(mean-want) < 5*se) {
				t.Errorf("%s: mean of %s %.4f, exactly %.4f, standard error %.4f", m.Info().Name, name, mean, want, se)
			}
		}
	}
}

func TestUnconstrain(t *testing.T) {
	q, x := make([]float64, 2), make([]float64, 2)
	m := normal.NewByHand(y)
	if err := m.Unconstrain(q, []float64{1, -1}); err == nil {
		t.Error("a negative standard deviation is none")
	}
	if err := m.Unconstrain(q, []float64{1, 2}); err != nil {
		t.Fatal(err)
	}
	if m.Constrain(x, q); math.Abs(x[1]-2) > 1e-15 || x[0] != 1 {
		t.Errorf("there and back: %v", x)
	}
}
