package conformance

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hamc-dev/hamc/internal/handwritten"
	"github.com/hamc-dev/hamc/runtime"
)

// What the README of the fixtures suggests, relative to max(1, |x|∞): for
// quantities at a point, and for all that the authors' solution of a differential
// equation is behind.
const (
	valueTolerance = 1e-12
	odeTolerance   = 1e-7
)

func gradient(m runtime.Posterior, q []float64) []float64 {
	g := make([]float64, len(q))
	m.Gradient(g, q)
	return g
}

func metric(m runtime.Model, q []float64) []float64 {
	g := make([]float64, len(q)*len(q))
	m.Metric(g, q)
	return g
}

func metricJacobian(m runtime.Model, q []float64) []float64 {
	d := make([]float64, len(q)*len(q)*len(q))
	m.MetricJacobian(d, q)
	return d
}

// energy returns H and L, and ends the test where they are not there.
func energy(t testing.TB, m runtime.System, q, p []float64) (h, l float64) {
	t.Helper()
	h, l, st := m.Energy(q, p)
	if st != runtime.OK {
		t.Fatalf("no energy at q = %v, p = %v: %v", q, p, st)
	}
	return h, l
}

// logDetG returns log det G by gonum.
func logDetG(t testing.TB, m runtime.Model, q []float64) float64 {
	t.Helper()
	var chol mat.Cholesky
	if !chol.Factorize(mat.NewSymDense(len(q), metric(m, q))) {
		t.Fatalf("metric not positive definite at %v", q)
	}
	return chol.LogDet()
}

// TestPoints compares everything that is evaluated at a point with the code of
// the paper's authors. What a model does not say itself follows from what it
// does: log det G and ∂H/∂p from the energy, ∂H/∂q from gradient, metric and
// contraction.
func TestPoints(t *testing.T) {
	each(t, published(t), func(t *testing.T, s *subject) {
		m, tol := s.fresh(), valueTolerance
		if s.ode {
			tol = odeTolerance
		}
		first := s.points[0]
		h0, l0 := energy(t, m, first.Q, first.P)
		for i, pt := range s.points {
			at := func(what string) string { return fmt.Sprintf("point %d: %s", i, what) }
			scalar := func(what string, got, want float64, scale ...float64) {
				t.Helper()
				near(t, at(what), []float64{got}, []float64{want}, tol*size(scale...))
			}

			h, l := energy(t, m, pt.Q, pt.P)
			scalar("L − L₀", l-l0, pt.L-first.L, l, l0)
			scalar("H − H₀", h-h0, pt.HPaper-first.HPaper, h, h0, l, l0)
			if s.normalised {
				scalar("L", l-s.dropped, pt.L, l)
			}
			// No constant enters the difference of H and −L.
			scalar("H + L", h+l, pt.HPaper+pt.L, h, l)

			grad := make([]float64, s.dim())
			scalar("L by Gradient", m.Gradient(grad, pt.Q), l)
			scalar("LogDensity", m.LogDensity(pt.Q), l)
			near(t, at("∂L/∂q"), grad, pt.GradL, tol*size(s.cancel))
			near(t, at("G"), metric(m, pt.Q), flat(pt.G), tol)

			// H is quadratic in p, so its central difference is exact for
			// any increment.
			velocity := make([]float64, s.dim())
			for j := range velocity {
				up, down := clone(pt.P), clone(pt.P)
				step := size(pt.P...)
				up[j] += step
				down[j] -= step
				hu, _ := energy(t, m, pt.Q, up)
				hd, _ := energy(t, m, pt.Q, down)
				velocity[j] = (hu - hd) / (2 * step)
			}
			dp := must[[]float64](t)(handwritten.DHDp(m, pt.Q, pt.P))
			near(t, at("∂H/∂p by differences of H"), velocity, dp, tol*size(h, l))

			if s.constant() {
				if n := s.dim(); n <= 100 {
					near(t, at("∂G/∂q"), metricJacobian(m, pt.Q), make([]float64, n*n*n), 0)
				}
				scalar("log det G", 2*(energyAtRest(t, m, pt.Q)), logDetG(t, s.hand, pt.Q), l)
				near(t, at("∂H/∂p"), dp, must[[]float64](t)(handwritten.DHDp(s.hand, pt.Q, pt.P)), tol)
				continue
			}
			near(t, at("∂H/∂p"), dp, pt.DHDp, tol)
			dq := must[[]float64](t)(handwritten.DHDq(m, pt.Q, pt.P))
			near(t, at("∂H/∂q"), dq, pt.DHDq, tol*size(s.cancel))
			scalar("log det G", 2*energyAtRest(t, m, pt.Q), pt.LogDetG, l)
			var dg []float64
			for _, block := range pt.DG {
				dg = append(dg, flat(block)...)
			}
			near(t, at("∂G/∂q"), metricJacobian(m, pt.Q), dg, tol)
			contraction(t, at("⟨W, ∂G⟩"), m, pt.Q, dg, tol)

			if pt.GradLogDetG != nil {
				inverse := make([]float64, s.dim()*s.dim())
				invert(t, inverse, metric(m, pt.Q))
				got := make([]float64, s.dim())
				m.Contract(got, pt.Q, inverse)
				near(t, at("∂ log det G/∂q"), got, pt.GradLogDetG, tol)
			}
		}
	})
}

// energyAtRest returns H + L at p = 0, which is ½ log det G.
func energyAtRest(t testing.TB, m runtime.System, q []float64) float64 {
	t.Helper()
	h, l := energy(t, m, q, make([]float64, len(q)))
	return h + l
}

// contraction compares Contract with the tensor dg for the matrices of a basis
// of the symmetric ones.
func contraction(t *testing.T, what string, m runtime.Model, q, dg []float64, tol float64) {
	t.Helper()
	n := len(q)
	scale := size(dg...)
	w, got, want := make([]float64, n*n), make([]float64, n), make([]float64, n)
	for i := range n {
		for j := range i + 1 {
			clear(w)
			w[i*n+j], w[j*n+i] = 1, 1
			m.Contract(got, q, w)
			for k := range want {
				want[k] = dg[(i*n+j)*n+k]
				if i != j {
					want[k] += dg[(j*n+i)*n+k]
				}
			}
			near(t, fmt.Sprintf("%s for the entry (%d, %d)", what, i, j), got, want, tol*scale)
		}
	}
}

// invert writes the inverse of the symmetric matrix g to w, by gonum.
func invert(t testing.TB, w, g []float64) {
	t.Helper()
	var n int
	for n*n < len(g) {
		n++
	}
	var chol mat.Cholesky
	var inverse mat.SymDense
	if !chol.Factorize(mat.NewSymDense(n, g)) {
		t.Fatal("metric not positive definite")
	}
	if err := chol.InverseTo(&inverse); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		for j := range n {
			w[i*n+j] = inverse.At(i, j)
		}
	}
}
