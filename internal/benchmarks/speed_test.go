package benchmarks

import (
	"testing"

	"github.com/hamc-dev/hamc/internal/handwritten/fast"
)

// TestSameWork: what BenchmarkStep and program ratios compare takes the same
// number of iterations from every start, so that a ratio of times is one of
// speeds. A step may end an iteration sooner or later where its last residual is
// within rounding of δ; none does here.
func TestSameWork(t *testing.T) {
	runners, err := Runners()
	if err != nil {
		t.Fatal(err)
	}
	if len(runners) != 8 {
		t.Fatalf("%d runners, want 8", len(runners))
	}
	for i := 0; i < len(runners); i += 2 {
		a, b := runners[i], runners[i+1]
		if a.Model != b.Model || a.Integrator != b.Integrator || a.By != "generated" || b.By != "hand" {
			t.Fatalf("%v and %v do not belong together", a, b)
		}
		for start := range fast.NumStarts {
			m, okA := a.Trajectory(start)
			n, okB := b.Trajectory(start)
			if !okA || !okB || m != n || m < fast.TrajectorySteps {
				t.Errorf("%s, %s, start %d: %d iterations, %v; by hand %d, %v", a.Model, a.Integrator, start, m, okA, n, okB)
			}
		}
	}
}

// TestIterationsEndAtTheLimit: the solves that are timed one by one make the
// number of iterations that they are divided by, also when repeated.
func TestIterationsEndAtTheLimit(t *testing.T) {
	for _, k := range []int{5, 10, 20, 40} {
		it, err := Logistic(k)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if n, ok := it.Midpoint(); !ok || n != 6 {
				t.Errorf("k = %d: midpoint: %d evaluations, %v", k, n, ok)
			}
			if n, ok := it.Momentum(); !ok || n != 5 {
				t.Errorf("k = %d: momentum: %d iterations, %v", k, n, ok)
			}
		}
	}
}

// TestStepsAlone: steps with nothing around them are about as many as those of transitions,
// and take no fewer iterations for being fewer: a trajectory that fails at once would
// make them look cheap.
func TestStepsAlone(t *testing.T) {
	x, err := NewTransitions()
	if err != nil {
		t.Fatal(err)
	}
	const n = 1000
	dynamic, alone := x.Dynamic(n), x.Alone(n)
	if ratio := float64(alone) / float64(dynamic); dynamic < 10*n || ratio < 0.8 || ratio > 1.25 {
		t.Errorf("%d steps of %d transitions, %d alone", dynamic, n, alone)
	}
}
