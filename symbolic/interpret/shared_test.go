package interpret_test

import (
	"testing"

	"github.com/hamc-dev/hamc/runtime"
)

// TestGradientsOfShared: gradients go by way of what is shared: inputs of differential equations that are elements of simplexes or long
// expressions, with an earlier solution in between, and elements of a simplex at a fixed position, whose coordinate may not exist.
func TestGradientsOfShared(t *testing.T) {
	const equation = "data t, y real[2]\node f(v ; k) {\n v' = -k*v\n}\n"
	for _, c := range []struct{ name, text, size string }{
		{"an element as initial value", equation + "param b simplex[3]\nlet s = solve f(v = b[1], k = 1) from 0 at t\ny ~ normal(s.v, 1)", ""},
		{"elements as arguments", equation + "param b simplex[3]\nparam r real > 0\nlet s = solve f(v = 1, k = b[3]*r) from 0 at t\ny ~ normal(s.v, 1)", ""},
		{"a chain", equation + "param b simplex[3]\nlet s = solve f(v = b[3], k = b[1]) from 0 at t\nlet d = s.v[2]*b[2]\n" +
			"let q = solve f(v = d + b[1], k = 0.5*s.v[1]) from 1 at t\ny ~ normal(q.v*b[3] + s.v, 1)", ""},
		{"long expressions", equation + "param b, c, d real\nlet e = (b + c*d + 1)*(b*c - d + 2)*(b + 2*c + d)*(1 + b*d)\nlet g = tanh((e + b)*(e*c + 1)*(e - d))\n" +
			"let h = tanh((g + e)*(g - e*b)*(g*c + d)*(g + 1)*e)\nlet s = solve f(v = 1 + h, k = tanh(g*(h + b))) from 0 at t\ny ~ normal(s.v, 1)", ""},
		{"the last element at a fixed position", "data K int\ndata t, y real[2]\nparam b simplex[K]\ny ~ normal(t.*y + b[2] + b[2]*tanh(b[1]), 1)", `"K": 2, `},
		{"another element at a fixed position", "data K int\ndata t, y real[2]\nparam b simplex[K]\ny ~ normal(t.*y + b[2] + b[2]*tanh(b[1]), 1)", `"K": 4, `},
	} {
		m := load(t, "model m\n"+c.text+"\nmetric identity\n", "{"+c.size+`"t": [1.5, 2], "y": [0.4, -0.3]}`).(runtime.Model)
		q := make([]float64, m.Info().Dim())
		for i := range q {
			q[i] = 0.3 - 0.5*float64(i%2)
		}
		report, err := runtime.CheckGradients(m, [][]float64{q})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range report {
			if !(d.Relative <= 1e-7) {
				t.Errorf("%s:\n%v", c.name, report)
				break
			}
		}
	}
}
