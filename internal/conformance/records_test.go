package conformance

import (
	"fmt"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
)

// methods are the integrators by their names in the fixtures. GLFb* is the
// authors' GLF(b) on the full derivative of the SoftAbs metric.
var methods = map[string]runtime.Integrator{
	"GLFa": runtime.GLFa, "GLFb": runtime.GLFb, "GLFb*": runtime.GLFb,
	"IMa": runtime.IMa, "IMb": runtime.IMb, "leapfrog": runtime.Leapfrog,
}

// TestRecords repeats every integration that the code of the paper's authors
// completed: end points, energy errors, and the iterations of every step. GLF(b),
// IM(b) and the leapfrog are the generated steps; GLF(a) and IM(a) are the
// runtime's over the generated model.
func TestRecords(t *testing.T) {
	each(t, published(t), func(t *testing.T, s *subject) {
		m := s.fresh()
		compared := 0
		for i, pt := range s.points {
			h0, _ := energy(t, m, pt.Q, pt.P)
			for _, r := range pt.Steps {
				if !r.Clean {
					continue
				}
				compared++
				what := fmt.Sprintf("point %d, %s, ε = %v, δ = %v, %d steps: ", i, r.Method, r.Eps, r.Delta, r.NumSteps)
				tol := 1e-10
				switch {
				case s.ode:
					tol = odeTolerance
				case r.Delta > 1e-12:
					tol = 2e-8
				}
				solver := plain(r.Delta)
				if r.MaxIters > 0 {
					solver.MaxIterations = r.MaxIters
				}
				step := stepper(t, m, methods[r.Method])
				q, p := clone(pt.Q), clone(pt.P)
				var iterations []int
				for range r.NumSteps {
					res := step(q, p, r.Eps, solver)
					if res.Status != runtime.OK {
						t.Fatalf("%s%v", what, res.Status)
					}
					iterations = append(iterations, res.Iterations)
				}
				near(t, what+"(q, p)", join(q, p), join(r.Q, r.P), tol)
				h1, _ := energy(t, m, q, p)
				near(t, what+"ΔH", []float64{h1 - h0}, []float64{float64(r.DH)}, tol)

				// The same solves from the same starts take the same
				// iterations. At δ = 1e-12, close to the precision of
				// the numbers, rounding decides on the last one, and on
				// the last four where a field of sums up to 1000 has a
				// rounding of ten times δ. At any δ the error of the
				// authors' solution of a differential equation does.
				solves := len(r.SolveIters) / r.NumSteps
				slack := 0
				switch {
				case s.cancel > 1 && r.Delta <= 1e-12:
					slack = 4 * solves
				case s.ode || r.Delta <= 1e-12:
					slack = solves
				}
				for n, got := range iterations {
					want := 0
					for _, k := range r.SolveIters[n*solves : (n+1)*solves] {
						want += k
					}
					if off := got - want; max(off, -off) > slack {
						t.Errorf("%sstep %d took %d iterations, want %d", what, n, got, want)
					}
				}
			}
		}
		if compared != s.clean {
			t.Errorf("compared %d records, want %d", compared, s.clean)
		}
	})
}
