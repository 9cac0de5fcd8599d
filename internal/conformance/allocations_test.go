package conformance

import (
	"math/rand/v2"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
)

// TestNoAllocations: a momentum, an energy, a trajectory and its energy allocate
// nothing, and nor does a transition of the kernel, moves refused and steps that
// fail included.
func TestNoAllocations(t *testing.T) {
	each(t, subjects(t), func(t *testing.T, s *subject) {
		m := s.fresh()
		z := s.states(t, 1, 0.3, 19)[0]
		q, p := make([]float64, s.dim()), make([]float64, s.dim())
		grad := make([]float64, s.dim())
		runs, limit := 10, 1000
		if s.ode {
			runs, limit = 2, 50
		}
		for _, k := range s.integrators() {
			step := stepper(t, m, k)
			for _, method := range iterative(k) {
				for _, eps := range []float64{s.eps, 40 * s.eps} {
					sol := &runtime.Solver{Tolerance: 1e-6, MaxIterations: limit, Method: method}
					n := allocations(runs/2, func() {
						copy(q, z.q)
						copy(p, z.p)
						m.DrawMomentum(p, q)
						m.Energy(q, p)
						runtime.Integrate(step, q, p, eps, 5, sol)
						m.Energy(q, p)
						m.Gradient(grad, q)
					})
					if n != 0 {
						t.Errorf("%v by %v, ε = %v: a trajectory allocates %v times", k, method, eps, n)
					}
				}
			}
			kernel := must[*runtime.HMC](t)(runtime.NewHMC(m, k, runtime.Solver{Tolerance: 1e-6, MaxIterations: limit, StopStalled: true}))
			kernel.StepSize = 2 * s.eps
			kernel.Steps = 5
			kernel.Reverse = runtime.ReverseAll
			rng := rand.New(rand.NewPCG(1, 1))
			copy(q, z.q)
			if n := allocations(runs, func() { kernel.Transition(q, rng) }); n != 0 {
				t.Errorf("%v: a transition allocates %v times", k, n)
			}
		}
		x := make([]float64, s.dim())
		w, g := make([]float64, s.dim()*s.dim()), make([]float64, s.dim()*s.dim())
		if n := allocations(10, func() {
			q[0]++
			m.LogDensity(q)
			m.Metric(g, q)
			m.Contract(x, q, w)
			m.Constrain(x, q)
			if err := m.Unconstrain(q, x); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("other methods allocate %v times", n)
		}
	})
}

// allocations returns how often f allocates, in the best of three measurements:
// each counts those of the whole process, where the Go runtime now and then has one
// of its own.
func allocations(runs int, f func()) float64 {
	least := testing.AllocsPerRun(runs, f)
	for range 2 {
		if least == 0 {
			break
		}
		least = min(least, testing.AllocsPerRun(runs, f))
	}
	return least
}
