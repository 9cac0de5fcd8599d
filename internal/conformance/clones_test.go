package conformance

import (
	"slices"
	"sync"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
)

// TestClonesAreIndependent runs trajectories on a model and on its clones at the
// same time; go test -race watches. What each finds must be, bit for bit, what a
// model alone finds.
func TestClonesAreIndependent(t *testing.T) {
	// A block's clone knows nothing before Given; TestGibbsClonesAreIndependent
	// has those of whole posteriors.
	whole := slices.DeleteFunc(subjects(t), func(s *subject) bool { return s.block })
	each(t, whole, func(t *testing.T, s *subject) {
		states := s.states(t, 6, 0.3, 20)
		// One model has been used when it is cloned, so that a clone that
		// inherited the memory without the numbers would show.
		m := s.fresh()
		energy(t, m, states[0].q, states[0].p)
		m.StepGLFb(clone(states[0].q), clone(states[0].p), s.eps, plain(1e-9))
		models := []runtime.System{m, m.Clone().(runtime.System), m.Clone().(runtime.System), m.Clone().Clone().(runtime.System)}

		walk := func(m runtime.System, z state) []float64 {
			q, p := clone(z.q), clone(z.p)
			var out []float64
			rounds := 10
			if s.ode {
				rounds = 2
			}
			for range rounds {
				for _, k := range s.own() {
					step, err := runtime.Stepper(m, k, runtime.DefaultMethod)
					if err != nil {
						t.Error(err)
						return nil
					}
					step(q, p, s.eps/3, plain(1e-9))
					h, l, _ := m.Energy(q, p)
					out = append(append(out, h, l, m.LogDensity(z.q)), q...)
				}
			}
			return append(out, p...)
		}
		// The new work space is all zeros, and nothing is known there either.
		zero := state{make([]float64, s.dim()), states[0].p}
		if got, want := walk(m.Clone().(runtime.System), zero), walk(s.fresh(), zero); !same(got, want) {
			t.Errorf("a clone at zero: %v, alone %v", got, want)
		}
		// At the state the model was cloned at, and at another for each.
		for round := range 2 {
			got := make([][]float64, len(models))
			var all sync.WaitGroup
			for i, c := range models {
				all.Go(func() { got[i] = walk(c, states[i*round]) })
			}
			all.Wait()
			for i := range models {
				if want := walk(s.fresh(), states[i*round]); !same(got[i], want) {
					t.Errorf("round %d, clone %d: %v, alone %v", round, i, got[i], want)
				}
			}
		}
	})
}
