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

// TestFixedPositions: metrics and their derivatives hold second and third derivatives of elements of a simplex at fixed positions, whose
// coordinates may not exist; and of elements beside others.
func TestFixedPositions(t *testing.T) {
	for _, c := range []struct{ density, metric string }{
		{"c[2]^2", "hessian + 20*identity"},
		{"tanh(c[2] - s*c[1])*c[2]", "hessian + 20*identity"},
		{"exp(c[2]*c[1])*sin(c[2] + c[K]*s)", "softabs(alpha = 1)"},
		{"(c[2] + s)^3*log1p_exp(c[2]*c[1] - s) + sum(k in 2..K) c[k-1]*c[k]*c[2]", "hessian + 20*identity"},
		{"c[1]^2", "[c[i], c[j]] = 20*delta(i, j) + sin(c[i]*c[j])*(delta(i, j+3) + delta(i+3, j))\nmetric[s, s] = 1 + s^2"},
	} {
		between := " "
		if c.metric[0] == '[' {
			between = ""
		}
		text := "model m\ndata K int\nparam c simplex[K]\nparam s real\ndensity " + c.density + "\ns ~ normal(0, 1)\nmetric" + between + c.metric + "\n"
		d := derivation(t, text)
		for _, size := range []string{"2", "3", "4", "6"} {
			m := on(t, d, `{"K": `+size+`}`).(runtime.Model)
			q := make([]float64, m.Info().Dim())
			for i := range q {
				q[i] = 0.3 - 0.5*float64(i%2)
			}
			report, err := runtime.CheckGradients(m, [][]float64{q})
			if err != nil {
				t.Fatal(err)
			}
			if !(report.Worst() <= 1e-7) {
				t.Errorf("K = %s:\n%s\n%v", size, text, report)
			}
		}
	}
}
