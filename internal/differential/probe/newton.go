package probe

import (
	"math"

	"github.com/hamc-dev/hamc/runtime"
)

// curvature records the second derivatives, and compares them with central differences of
// first ones.
func (p *prober) curvature(c runtime.Curved, q []float64) {
	m := len(q)
	w, out := weight(m, p.point), fill(m*m)
	c.Curvature(out, q, w)
	p.record("curvature", nil, out)
	if p.slow && p.point != 1 || p.point >= Points-3 {
		return
	}
	// −∂L + ½⟨W, ∂G⟩ at a displaced position.
	slope := func(l int, d float64) []float64 {
		x, f, g := clone(q), fill(m), fill(m)
		x[l] += d
		c.Gradient(g, x)
		c.Contract(f, x, w)
		for k := range f {
			f[k] = 0.5*f[k] - g[k]
		}
		return f
	}
	size := largest(out)
	for l := range m {
		// Of two increments one is neither too small for the rounding nor too large.
		best, at, want := math.Inf(1), 0, 0.0
		for _, h := range []float64{1e-3, 1e-4, 1e-5} {
			up, down := slope(l, h), slope(l, -h)
			up2, down2 := slope(l, 2*h), slope(l, -2*h)
			worst, i, d := 0.0, 0, 0.0
			for k := range m {
				diff := (8*(up[k]-down[k]) - (up2[k] - down2[k])) / (12 * h)
				if e := math.Abs(diff - out[k*m+l]); !(e <= worst) {
					worst, i, d = e, k, diff
				}
			}
			if worst < best {
				best, at, want = worst, i, d
			}
		}
		if size-size == 0 && !(best <= 1e-6*max(size, 1)) {
			p.wrong("curvature: entry (%d, %d) is %v, differences say %v, of a matrix with entries up to %v", at, l, out[at*m+l], want, size)
			return
		}
	}
}

// product records the derivative of the product of the metric with a vector, and compares it with what the Jacobian of the metric says.
func (p *prober) product(s runtime.System, q, cube []float64) {
	m := len(q)
	v, want, size := Normals(m, p.point, 3), make([]float64, m*m), 0.0
	for i := range m {
		for j, x := range v {
			for k, d := range cube[(i*m+j)*m:][:m] {
				want[i*m+k] += d * x
				size = max(size, math.Abs(d*x))
			}
		}
	}
	got := fill(m * m)
	if c, ok := runtime.AsSloped(s); !ok || !c.ProductJacobian(got, q, v) {
		got = want
	}
	p.record("derivative of a product", nil, got)
	for i, x := range got {
		if size-size == 0 && !(math.Abs(x-want[i]) <= 1e-9*size) {
			p.wrong("derivative of a product: entry (%d, %d) is %v, the Jacobian of the metric says %v, with terms up to %v", i/m, i%m, x, want[i], size)
			return
		}
	}
}

// newton records a step of each integrator by Newton's method.
func (p *prober) newton(s runtime.System, q0, p0 []float64) {
	if s.Info().Metric.Constant {
		return
	}
	sv := *Solver()
	sv.Method = runtime.Newton
	for _, k := range []runtime.Integrator{runtime.IMb, runtime.GLFb} {
		if _, ok := runtime.AsCurved(s); !ok && k == runtime.IMb {
			continue
		}
		step, err := runtime.Stepper(s, k, runtime.Newton)
		if err != nil {
			p.wrong("%v", err)
			return
		}
		q, mom := clone(q0), clone(p0)
		r := step(q, mom, StepSize, &sv)
		p.record("Newton step "+k.String(), &r, q, mom)
	}
}
