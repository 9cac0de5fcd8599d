package symbolic

import (
	"math"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// rungeKutta is an expr.Integrator: the classical method with many steps between the times.
func rungeKutta(out [][]float64, rhs func(dy, y []float64, t float64), y0 []float64, t0 float64, times []float64) {
	const steps = 500
	n := len(y0)
	y, x := append([]float64{}, y0...), make([]float64, n)
	k := [4][]float64{}
	for j := range k {
		k[j] = make([]float64, n)
	}
	for m, end := range times {
		h := (end - t0) / steps
		for s := range steps {
			t := t0 + float64(s)*h
			rhs(k[0], y, t)
			for j, c := range []float64{0.5, 0.5, 1} {
				for i := range x {
					x[i] = y[i] + c*h*k[j][i]
				}
				rhs(k[j+1], x, t+c*h)
			}
			for i := range y {
				y[i] += h / 6 * (k[0][i] + 2*k[1][i] + 2*k[2][i] + k[3][i])
			}
		}
		t0 = end
		for i := range out {
			out[i][m] = y[i]
		}
	}
}

// scaledModels are differential equations with the number of components that are integrated, with sensitivities of the first and of the second order.
var scaledModels = []struct {
	name, params, ode, solve string
	integrated               [2]int
}{
	{"predators and prey", "param a, b, c, d, x, z real > 0\na, b, c, d, x, z ~ lognormal(0, 1)\n", // two amounts, and the time
		"ode f(u, v) {\n u' = (a - b*v)*u\n v' = (d*u - c)*v\n}\n", "solve f(u = x, v = z) from 0 at ts", [2]int{8, 20}},
	{"predators and prey from data, later", "param a, b, c, d real > 0\na, b, c, d ~ lognormal(0, 1)\n", // the time, from a start that is not 0
		"ode f(u, v) {\n u' = (a - b*v)*u\n v' = (d*u - c)*v\n}\n", "solve f(u = 1.5, v = 0.7) from 0.1 at ts", [2]int{8, 20}},
	{"an epidemic", "param beta, gamma real > 0\nparam i0 real\nbeta, gamma ~ lognormal(0, 1)\ni0 ~ normal(0.3, 0.1)\n", // the time; i0 may be negative
		"ode f(s, i) {\n s' = -beta*s*i\n i' = beta*s*i - gamma*i\n}\n", "solve f(s = 1, i = i0) from 0 at ts", [2]int{6, 12}},
	{"saturation", "param vmax, km, dose real > 0\nvmax, km, dose ~ lognormal(0, 1)\n", // the amount, and the time
		"ode f(u, v) {\n u' = -vmax*u/(km + u)\n v' = u\n}\n", "solve f(u = dose, v = 0) from 0 at ts", [2]int{4, 6}},
	{"powers", "param a, k, x real > 0\na, k, x ~ lognormal(0, 1)\n", // of a logistic growth with a capacity: the amount, and the time
		"ode f(u, v) {\n u' = a*u*(1 - (u/k)^2)\n v' = sqrt(u*k)\n}\n", "solve f(u = x, v = 0) from 0 at ts", [2]int{4, 6}},
	{"a spiking neuron", "param a, b, c real > 0\na, b, c ~ lognormal(0, 1)\n",
		"ode f(v, r) {\n v' = c*(v - v^3/3 + r)\n r' = -(v - a + b*r)/c\n}\n", "solve f(v = -1, r = 1) from 0 at ts", [2]int{8, 20}},
	{"a clock", "param a, x real > 0\na, x ~ lognormal(0, 1)\n", // the amount: the exponential function fixes the time
		"ode f(u, v) over t {\n u' = -a*u*exp(-t)\n v' = u\n}\n", "solve f(u = x, v = 0) from 0 at ts", [2]int{4, 6}},
	{"a clock of powers", "param a, b real > 0\na, b ~ lognormal(0, 1)\n",
		"ode f(u, v) over t {\n u' = a*t\n v' = -b*u\n}\n", "solve f(u = 0, v = 0) from 0 at ts", [2]int{2, 2}},
	{"a clock that began before", "param a, b real > 0\na, b ~ lognormal(0, 1)\n", // the time since the start is not that of the clock
		"ode f(u, v) over t {\n u' = a*t\n v' = -b*u\n}\n", "solve f(u = 0, v = 0) from 0.1 at ts", [2]int{2, 2}},
	{"signs", "param a, x real\na, x ~ normal(0, 1)\n", // what may be 0 is not divided by
		"ode f(u, v) {\n u' = -a*u\n v' = u\n}\n", "solve f(u = x, v = 0) from 0 at ts", [2]int{6, 12}},
}

// TestScalings: what scalings give is what an integration of all sensitivities gives, and as few components are integrated as there can be.
func TestScalings(t *testing.T) {
	for _, m := range scaledModels {
		t.Run(m.name, func(t *testing.T) {
			d, _ := load(t, "model m\ndata n int\ndata ts, y real[n]\n"+m.params+m.ode+"let s = "+m.solve+"\ny ~ normal(s."+m.ode[len("ode f("):len("ode f(")+1]+", 1)\nmetric fisher\n")
			b := newBench(t, d, map[string][]float64{"n": {3}, "ts": {0.3, 0.9, 1.4}, "y": {0.1, 0.2, 0.3}})
			b.m.Integrate = rungeKutta
			q := make([]float64, b.dim())
			for i := range q {
				q[i] = 0.2*float64(i%3) - 0.15*float64(i%2)
			}
			b.set(q)
			s := d.Solves[0]
			for order, want := range m.integrated {
				if integrated, given := s.Split(order + 1); len(integrated) != want || len(integrated)+len(given) != s.Size(order+1) {
					t.Errorf("%d components are integrated up to order %d, and %d given; want %d of %d", len(integrated), order+1, len(given), want, s.Size(order+1))
				}
			}
			at := expr.SubsOf([]*expr.Index{s.Index})
			values := make([][]float64, len(s.Parts))
			var outs []Output
			for n, p := range s.Parts {
				values[n] = make([]float64, 3)
				outs = append(outs, Output{Row: n, Indices: []*expr.Index{s.Index}, E: d.C.Ref(p.Tensor, at...)})
			}
			b.m.Run(outs, func(o *Output, idx []int, v float64) { values[o.Row][idx[0]-1] = v })
			for n, want := range integrateAll(b.m, s) {
				if !near(values[n], want, 1e-9) {
					t.Errorf("%s is %.12g, integrated %.12g", s.Parts[n].Tensor.Name, values[n], want)
				}
			}
		})
	}
}

// integrateAll integrates all components of a solution, at the inputs that were evaluated last.
func integrateAll(m *Machine, s *expr.Solution) [][]float64 {
	n := len(s.Parts)
	y0, out, rhs := make([]float64, n), make([][]float64, n), make([]func() float64, n)
	for i := range n {
		y0[i], out[i], rhs[i] = m.compile(s.Init[i])(), make([]float64, 3), m.compile(s.Rhs[i])
	}
	inner := m.evaluation().Inner(s.Rhs)
	rungeKutta(out, func(dy, y []float64, t float64) {
		for i, v := range y {
			m.Values(s.States[i])[0] = v
		}
		if s.Time != nil {
			m.Values(s.Time)[0] = t
		}
		inner()
		for i, f := range rhs {
			dy[i] = f()
		}
	}, y0, m.compile(s.From)(), m.Values(s.Times))
	for _, row := range out {
		for _, v := range row {
			if math.IsNaN(v) {
				panic("a component that is not integrated")
			}
		}
	}
	return out
}

// TestScaledCurved: of third-order sensitivities that others would give in formulas too large to be written out, all are integrated: no part reads a shared
// definition, which has no place among what is computed.
func TestScaledCurved(t *testing.T) {
	const text = `model predators
data N int
data ts, hares, lynxes real[N] > 0
param alpha, beta, gamma1, delta1, z1, z2, sigma1, sigma2 real > 0
ode pairs(u, v) {
  u' = (alpha - beta*v)*u
  v' = (-gamma1 + delta1*u)*v
}
let z = solve pairs(u = z1, v = z2) from 0 at ts
alpha, beta, gamma1, delta1, z1, z2, sigma1, sigma2 ~ lognormal(0, 1)
hares  ~ lognormal(log(z.u), sigma1)
lynxes ~ lognormal(log(z.v), sigma2)
metric fisher
`
	m, ds := dsl.Load("m.ham", text, dsl.Options{})
	if m == nil {
		t.Fatal(ds.List)
	}
	for _, derive := range []func(*dsl.Model) (*Derived, []dsl.Diagnostic){Derive, DeriveCurved} {
		d, list := derive(m)
		if d == nil {
			t.Fatal(list)
		}
		for _, f := range d.Families {
			for _, e := range f.Formulas(f.Parts[len(f.Parts)-1].Order()) {
				expr.Refs(e, func(r *expr.Expr) {
					if r.Tensor.Kind == expr.SharedTensor {
						t.Errorf("curved: %v, a formula reads %s", d.Curved, r.Tensor.Name)
					}
				})
			}
		}
	}
}
