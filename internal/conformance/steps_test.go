package conformance

import (
	"errors"
	"fmt"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/internal/handwritten"
	"github.com/hamc-dev/hamc/runtime"
)

// stepTolerance is how far two ways to compute a few steps may lie apart,
// relative to max(1, |z|∞). Where they take the same iterations only rounding
// differs; the largest difference measured was 3e-14.
const stepTolerance = 1e-12

// longSolve is the number of iterations above which accelerated ones are not compared: where they do not soon
// converge, residuals become nearly dependent, and rounding decides on the iterates.
const longSolve = 16

// TestStepsAgainstGeneric compares trajectories by generated steps, caches and
// all, with those of the runtime's generic steps over the same model and over
// the model written by hand.
func TestStepsAgainstGeneric(t *testing.T) {
	const steps = 8
	each(t, subjects(t), func(t *testing.T, s *subject) {
		m := s.fresh()
		states := s.states(t, campaign.Cases(t, 8, 40), 0.3, 5)
		references := []runtime.Model{runtime.Generic(s.fresh())}
		if s.costly {
			states = states[:8]
		} else {
			references = append(references, runtime.Generic(s.hand))
		}
		for _, k := range s.own() {
			for _, method := range iterative(k) {
				for i, z := range states {
					eps := s.eps
					if i%2 == 1 {
						eps = -eps
					}
					solver := plain(1e-9)
					solver.Method = method
					solver.Norm = runtime.Norm(i / 2 % 2) // each, forwards and backwards
					what := fmt.Sprintf("%v by %v, state %d", k, method, i)
					got := join(z.q, z.p)
					q, p := got[:s.dim()], got[s.dim():]
					a := runtime.Integrate(stepper(t, m, k), q, p, eps, steps, solver)
					h, l, _ := m.Energy(q, p)
					for _, ref := range references {
						want := join(z.q, z.p)
						q, p := want[:s.dim()], want[s.dim():]
						b := runtime.Integrate(stepper(t, ref, k), q, p, eps, steps, solver)
						if method == runtime.Anderson && min(a.Iterations, b.Iterations) > longSolve*steps {
							continue
						}
						if a.Status != runtime.OK || b.Status != runtime.OK {
							t.Fatalf("%s: %v, want %v, both ok", what, a.Status, b.Status)
						}
						near(t, what, got, want, stepTolerance)
						// With a constant metric the generated GLF(b) is the leapfrog
						// and solves nothing.
						if a.Iterations != b.Iterations && !(s.constant() && k == runtime.GLFb) {
							t.Errorf("%s: %d iterations, want %d", what, a.Iterations, b.Iterations)
						}
						hr, lr := energy(t, ref.(runtime.System), q, p)
						near(t, what+": H + L", []float64{h + l}, []float64{hr + lr}, dynamicsTolerance*size(l))
					}
				}
			}
		}
	})
}

// TestStepsAgainstHandwritten compares steps with those of package handwritten,
// which shares no code with the runtime, on the models written by hand: single
// solves, their iterations, and which steps fail.
func TestStepsAgainstHandwritten(t *testing.T) {
	failures := 0
	each(t, byHand(small(t)), func(t *testing.T, s *subject) {
		m := s.fresh()
		for i, z := range s.states(t, 30, 0.3, 6) {
			// The last states take steps that are too long.
			eps := s.eps
			if s.ode && i >= s.some(t, 20) {
				break // there both fail, each in the way of its solver
			}
			if i >= 20 {
				eps *= 8
			}
			for _, k := range []runtime.Integrator{runtime.GLFb, runtime.IMb} {
				q, p := clone(z.q), clone(z.p)
				r := stepper(t, m, k)(q, p, eps, plain(1e-9))
				qh, ph := clone(z.q), clone(z.p)
				var err error
				iterations := 0
				if k == runtime.IMb {
					iterations, err = handwritten.StepIMb(s.hand, qh, ph, eps, 1e-9)
				} else {
					var b int
					iterations, b, err = handwritten.StepGLFb(s.hand, qh, ph, eps, 1e-9)
					iterations += b
				}
				if err != nil {
					failures++
					ok := r.Status == runtime.NonFinite && errors.Is(err, handwritten.ErrNonFinite) ||
						r.Status == runtime.IterationLimit && errors.Is(err, handwritten.ErrIterationLimit) ||
						r.Status == runtime.NotPositiveDefinite && errors.Is(err, handwritten.ErrNotPositiveDefinite)
					if !ok && !(s.constant() && k == runtime.GLFb) {
						t.Errorf("%v, state %d: status %v, want %v", k, i, r.Status, err)
					}
					continue
				}
				if r.Status != runtime.OK {
					t.Errorf("%v, state %d: %v", k, i, r.Status)
					continue
				}
				// Long steps converge slowly, and rounding grows by as much
				// as the map stretches.
				tol := stepTolerance
				if i >= 20 {
					tol = 1e-9
				}
				near(t, k.String(), join(q, p), join(qh, ph), tol)
				if slack := iterations / 20; r.Iterations < iterations-slack || r.Iterations > iterations+slack {
					if !(s.constant() && k == runtime.GLFb) {
						t.Errorf("%v, state %d: %d iterations, want %d", k, i, r.Iterations, iterations)
					}
				}
			}
		}
	})
	if failures < 10 {
		t.Errorf("only %d steps failed: the test means to compare failures too", failures)
	}
}
