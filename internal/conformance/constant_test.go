package conformance

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hamc-dev/hamc/generated/gaussian"
	"github.com/hamc-dev/hamc/runtime"
)

// TestConstantUnrolled: the unrolled step of a small constant metric takes the iterations of the system's, and ends at the same
// bits, in both norms, with and without acceleration.
func TestConstantUnrolled(t *testing.T) {
	m := must[*gaussian.Model](t)(gaussian.New(gaussian.Data{Mu: []float64{1, -2}, Sigma: []float64{1, 0.7, 0.7, 2}}))
	rng := rand.New(rand.NewPCG(5, 1))
	normal := func() []float64 { return []float64{2 * rng.NormFloat64(), 2 * rng.NormFloat64()} }
	solved := 0
	for n := range 400 {
		solver := plain([]float64{1e-6, 1e-11}[n%2])
		solver.Norm = runtime.Norm(n / 2 % 2)
		solver.Method = []runtime.Method{runtime.FixedPoint, runtime.Anderson}[n/4%2]
		eps := 2.5 * rng.Float64()
		q, p := normal(), normal()
		wantQ, wantP := slices.Clone(q), slices.Clone(p)
		got, want := m.StepIMb(q, p, eps, solver), m.Constant.StepIMb(wantQ, wantP, eps, solver)
		if got != want || got.Status == runtime.OK && !(slices.Equal(q, wantQ) && slices.Equal(p, wantP)) {
			t.Fatalf("%+v, ε = %v: %+v at %v, %v, want %+v at %v, %v", *solver, eps, got, q, p, want, wantQ, wantP)
		}
		if got.Status == runtime.OK {
			solved++
		}
	}
	if solved < 200 || solved == 400 {
		t.Errorf("%d of 400 steps are solved: neither few nor all are to be", solved)
	}
}
