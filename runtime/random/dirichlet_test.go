package random

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestDirichletEdges: whatever the concentrations, draws lie on the simplex; what they may not be
// gives NaN and an error.
func TestDirichletEdges(t *testing.T) {
	rng := rand.New(New(1, 1))
	for _, alpha := range [][]float64{{1}, {1e-300, 1e-300}, {1e-3, 1e-3, 1e-3}, {1e300, 1, 1e-300}, {math.SmallestNonzeroFloat64, math.MaxFloat64}, {1e15, 2e15}} {
		y := make([]float64, len(alpha))
		for range 200 {
			if err := Dirichlet(rng, y, alpha); err != nil {
				t.Fatalf("%v: %v", alpha, err)
			}
			sum := 0.0
			for _, v := range y {
				if !(v > 0 && v <= 1) {
					t.Fatalf("%v: the draw %v", alpha, y)
				}
				sum += v
			}
			if !(math.Abs(sum-1) < 1e-14) {
				t.Fatalf("%v: the draw %v has the sum %v", alpha, y, sum)
			}
		}
	}
	for _, alpha := range [][]float64{{1, 0}, {1, -2}, {math.NaN(), 1}, {1, math.Inf(1)}, {1, 2, 3}, {}} {
		y := []float64{0.5, 0.5}
		if err := Dirichlet(rng, y, alpha); err == nil || y[0] == y[0] || y[1] == y[1] {
			t.Errorf("%v: %v and the draw %v", alpha, err, y)
		}
	}
	y, alpha := make([]float64, 3), []float64{0.3, 1, 5}
	if n := testing.AllocsPerRun(100, func() {
		if Dirichlet(rng, y, alpha) != nil {
			t.Error("no draw")
		}
	}); n != 0 {
		t.Errorf("Dirichlet allocates %v times", n)
	}
}
