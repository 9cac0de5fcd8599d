package runtime

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/hamc-dev/hamc/runtime/random"
)

// flatNormal is N(0, 1), which leaves its metric to the warm-up.
type flatNormal struct{ System }

func (flatNormal) Info() *Info {
	return &Info{Name: "normal", Params: []Param{{Name: "x"}}, Metric: MetricInfo{Constant: true, Identity: true}}
}
func (flatNormal) Gradient(grad, q []float64) float64 {
	grad[0] = -q[0]
	return -0.5 * q[0] * q[0]
}

// A search for a step size comes to the same end whether or not the run was interrupted
// meanwhile: what is saved after it must be what a run without a break has.
func TestSearchIsNotCutShort(t *testing.T) {
	var sizes []float64
	for _, interrupted := range []bool{false, true} {
		k, err := NewHMC(NewEuclidean(flatNormal{}, false), Leapfrog, Solver{})
		if err != nil {
			t.Fatal(err)
		}
		var stop atomic.Bool
		stop.Store(interrupted)
		k.stop, k.StepSize = &stop, 1e-3
		k.InitialStepSize([]float64{0.5}, rand.New(random.New(1, 1)))
		sizes = append(sizes, k.StepSize)
	}
	if sizes[0] != sizes[1] || sizes[0] < 0.1 {
		t.Errorf("step sizes %v, with and without an interrupt", sizes)
	}
}
