package linalg

import (
	"math"
	"testing"
)

// TestShift: SoftAbs with a shift is SoftAbs plus a multiple of the identity, in
// the metric, its inverse and its determinant; the derivative of the map H ↦ G
// is the same.
func TestShift(t *testing.T) {
	const n, shift = 3, 0.75
	h := []float64{1, 0.5, -0.2, 0.5, -2, 0.3, -0.2, 0.3, 1e-4}
	plain, moved := NewSoftAbs(n, 3), NewSoftAbs(n, 3)
	moved.Shift = shift
	if plain.Factor(h) != Factored || moved.Factor(h) != Factored {
		t.Fatal("not factored")
	}
	g0, g1, w0, w1 := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	plain.Metric(g0)
	moved.Metric(g1)
	for i := range n {
		g0[i*n+i] += shift
	}
	chol := NewCholesky(n)
	if chol.Factor(g0) != Factored {
		t.Fatal("not positive definite")
	}
	chol.Inverse(w0)
	moved.Inverse(w1)
	for i := range g0 {
		if math.Abs(g0[i]-g1[i]) > 1e-14 || math.Abs(w0[i]-w1[i]) > 1e-13 {
			t.Errorf("entry %d: %v against %v, inverse %v against %v", i, g1[i], g0[i], w1[i], w0[i])
		}
	}
	if a, b := moved.LogDet(), chol.LogDet(); math.Abs(a-b) > 1e-13 {
		t.Errorf("log determinant %v against %v", a, b)
	}
	plain.Weights(w0, g0)
	moved.Weights(w1, g0)
	for i := range w0 {
		if w0[i] != w1[i] {
			t.Errorf("the shift changes the derivative: %v against %v", w1[i], w0[i])
		}
	}
}
