package runtime

import (
	"math/rand/v2"
	"testing"
)

// TestJitterIsUndone: the way back of a trajectory has the step size of the way there.
func TestJitterIsUndone(t *testing.T) {
	normal := func(grad, q []float64) (l float64) {
		for i, x := range q {
			grad[i] = -x
			l -= x * x / 2
		}
		return l
	}
	k, err := NewHMC(NewEuclidean(&slope{m: 3, gradient: normal}, false), Leapfrog, DefaultOptions().Solver)
	if err != nil {
		t.Fatal(err)
	}
	k.StepSize, k.Steps, k.Jitter, k.Reverse = 0.5, 3, 0.5, ReverseAll
	q, rng, sizes := make([]float64, 3), rand.New(rand.NewPCG(1, 1)), map[float64]bool{}
	for range 50 {
		tr := k.Transition(q, rng)
		if sizes[tr.StepSize] = true; tr.Irreversible || tr.StepSize < 0.25 || tr.StepSize > 0.75 {
			t.Fatalf("step size %v, irreversible: %v", tr.StepSize, tr.Irreversible)
		}
	}
	if len(sizes) != 50 {
		t.Errorf("%d step sizes", len(sizes))
	}
}
