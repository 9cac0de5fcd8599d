package runtime

import (
	"math"
	"testing"
)

// Dual averaging finds the root of a(ε) = target for a known a.
func TestDualAveragingFindsTheRoot(t *testing.T) {
	for _, target := range []float64{0.6, 0.8, 0.95} {
		for _, start := range []float64{1e-3, 1, 50} {
			d := newDualAveraging(start, target)
			eps := start
			for range 3000 {
				eps = d.update(math.Exp(-eps))
			}
			if got := math.Exp(-d.final()); math.Abs(got-target) > 0.01 {
				t.Errorf("target %v from %v: acceptance %.3f", target, start, got)
			}
		}
	}
}

// A density that accepts everything must not drive ε to infinity.
func TestDualAveragingIsBounded(t *testing.T) {
	d := newDualAveraging(1, 0.9)
	for range 1_000_000 {
		if eps := d.update(1); math.IsInf(eps, 0) || math.IsNaN(eps) {
			t.Fatalf("ε = %v", eps)
		}
	}
	if math.IsInf(d.final(), 0) {
		t.Errorf("ε̄ = %v", d.final())
	}
}
