package symbolic

import (
	"testing"

	"github.com/hamc-dev/hamc/dsl"
)

// TestCandidates: which models have a Riemannian candidate beside the Euclidean metric.
func TestCandidates(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"a ridge", "data y real[10]\nparam a, b real\na, b ~ normal(0, 1)\ny ~ normal(a + b^2, 1)\n", true},
		{"the same with a metric", "data y real[10]\nparam a, b real\na, b ~ normal(0, 1)\ny ~ normal(a + b^2, 1)\nmetric identity\n", false},
		{"the word for it", "data y real[10]\nparam a, b real\na, b ~ normal(0, 1)\ny ~ normal(a + b^2, 1)\nmetric auto\n", true},
		{"a ratio", "data s, y real[10]\nparam v, k real > 0\nparam sigma real > 0\nv, k, sigma ~ lognormal(0, 1)\ny[i] ~ normal(v*s[i]/(k + s[i]), sigma) for i in 1..10\n", true},
		{"a line", "data s, y real[10]\nparam a, b real\nparam sigma real > 0\na, b ~ normal(0, 1)\nsigma ~ lognormal(0, 1)\ny[i] ~ normal(a + b*s[i], sigma) for i in 1..10\n", false},
		{"as many parameters as the data say", "data n int\ndata y real[n]\nparam a real[n]\nparam b real\na[i] ~ cauchy(0, 1) for i in 1..n\nb ~ normal(0, 1)\ny[i] ~ normal(a[i]*b, 1) for i in 1..n\n", false},
		{"too many", "data y real[11]\nparam a real[11] > 0\nparam b real\na[i] ~ lognormal(0, 1) for i in 1..11\nb ~ normal(0, 1)\ny[i] ~ normal(a[i]*b, 1) for i in 1..11\n", false},
		{"a prior whose information is negative somewhere", "data y real[10]\nparam a, b real\na ~ cauchy(0, 1)\nb ~ normal(0, 1)\ny ~ normal(a + b^2, 1)\n", false},
		{"an argument that is too large for the coarse grain", "data y, x real[10]\nparam b, c real > 0\nb, c ~ lognormal(0, 1)\ny ~ normal(inv_gaussian_lcdf(x | b, c), 1)\n", true},
		{"a product of two", "data y real[10]\nparam a, b real\na, b ~ normal(0, 1)\ny ~ normal(a*b, 1)\n", true},
	} {
		m, ds := dsl.Load("m.ham", "model m\n\n"+c.text, dsl.Options{})
		if m == nil {
			t.Errorf("%s: %v", c.name, ds.List)
			continue
		}
		d, list := Derive(m)
		if d == nil {
			t.Errorf("%s: %v", c.name, list)
			continue
		}
		if d.Metric.Auto != c.want {
			t.Errorf("%s: candidate %v, want %v", c.name, d.Metric.Auto, c.want)
		}
		if again, err := d.ForEmission(); err != nil || again.Metric.Auto != c.want {
			t.Errorf("%s: for emission: %v", c.name, err)
		}
	}
}
