package linalg

import (
	"math"
	"math/rand/v2"
	"testing"
)

// shaft makes a matrix with a shaft a·I and a head.
func shaft(n, head int, a, c float64, b []float64) []float64 {
	h := make([]float64, n*n)
	for i := range n {
		h[i*n+i] = a
		h[i*n+head], h[head*n+i] = b[i], b[i]
	}
	h[head*n+head] = c
	return h
}

// randomArrow is an arrow of a kind: the head, the diagonal of the shaft, the border.
func randomArrow(rng *rand.Rand, n, kind int) (a, c float64, b []float64) {
	a, c, b = rng.NormFloat64(), rng.NormFloat64(), normals(rng, n)
	switch kind {
	case 1:
		clear(b)
	case 2:
		c = a
	case 3:
		for i := range b {
			b[i] *= 1e-9
		}
	case 4:
		c = -a
		for i := range b {
			b[i] *= 30
		}
	case 5: // far down the neck of a funnel
		a *= 1e6
		for i := range b {
			b[i] *= 1e3
		}
	}
	return a, c, b
}

// TestSoftAbsArrow compares every method with that of SoftAbs, which takes any matrix: heads at
// either end, soft and hard, no border, equal and opposite eigenvalues, large and small numbers.
func TestSoftAbsArrow(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 2))
	for trial := range 3000 {
		n := 2 + rng.IntN(11)
		head := (n - 1) * rng.IntN(2)
		alpha := []float64{0.3, 1, 10, 1e6}[rng.IntN(4)]
		a, c, b := randomArrow(rng, n, trial%6)
		h := shaft(n, head, a, c, b)
		f, d := NewSoftAbsArrow(n, head, alpha), NewSoftAbs(n, alpha)
		if trial%5 == 0 {
			f.Shift, d.Shift = 0.7, 0.7
		}
		if x, y := f.Factor(h), d.Factor(h); x != Factored || y != Factored {
			t.Fatalf("trial %d: %v, %v", trial, x, y)
		}
		// The dense eigenvalues are known to the rounding of the largest.
		size, least := 0.0, math.Inf(1)
		for i, v := range d.psi {
			size, least = max(size, math.Abs(d.Eigenvalues()[i])), min(least, v)
		}
		tol := 1e-12 + 4e-15*size/least
		p := normals(rng, n)
		got, want := make([]float64, n), make([]float64, n)
		f.Solve(got, p)
		d.Solve(want, p)
		close(t, "Solve", got, want, tol)
		f.Whiten(got, p)
		d.Whiten(want, p)
		close(t, "Whiten", got, want, tol)
		close(t, "Quad", []float64{f.Quad(p)}, []float64{d.Quad(p)}, tol)
		close(t, "LogDet", []float64{f.LogDet()}, []float64{d.LogDet()}, tol)

		compareArrows(t, f, d, p, head, tol)
		if t.Failed() {
			t.Fatalf("trial %d: n = %d, head %d, alpha %v, a %v, c %v, b %v", trial, n, head, alpha, a, c, b)
		}
	}
}

// compareArrows compares the matrices that both make of an arrow: the metric, its roots, its inverse, and of weights what meets an arrow.
func compareArrows(t *testing.T, f *SoftAbsArrow, d *SoftAbs, p []float64, head int, tol float64) {
	t.Helper()
	n := len(p)
	g, e := make([]float64, n*n), make([]float64, n*n)
	f.Metric(g)
	d.Metric(e)
	close(t, "Metric", g, e, tol)
	// A root of the metric, times its transpose, is the metric.
	root := make([]float64, n*n)
	for i := range n {
		z := make([]float64, n)
		z[i] = 1
		f.MulSqrt(z, z)
		copy(root[i*n:], z)
	}
	for i := range n {
		for j := range n {
			g[i*n+j] = 0
			for k := range n {
				g[i*n+j] += root[k*n+i] * root[k*n+j]
			}
		}
	}
	close(t, "MulSqrt", g, e, tol)
	f.Inverse(g)
	d.Inverse(e)
	close(t, "Inverse", g, e, tol)

	// Of these, what meets an arrow.
	met := func(name string, g, e []float64) {
		t.Helper()
		pick := func(m []float64) (out []float64) {
			for i := range n {
				out = append(out, m[i*n+i], m[head*n+i], m[i*n+head])
			}
			return out
		}
		close(t, name, pick(g), pick(e), tol)
	}
	f.WeightsInverse(g)
	d.WeightsInverse(e)
	met("WeightsInverse", g, e)
	f.WeightsVelocity(g, p)
	d.WeightsVelocity(e, p)
	met("WeightsVelocity", g, e)
	f.WeightsForce(g, p)
	d.WeightsForce(e, p)
	met("WeightsForce", g, e)
}

// TestSoftAbsArrowForgets: a velocity that is not finite leaves nothing behind.
func TestSoftAbsArrowForgets(t *testing.T) {
	f := NewSoftAbsArrow(4, 3, 2)
	h := shaft(4, 3, 1.3, -0.4, []float64{0.5, -0.2, 0.9, 0})
	results := func() []float64 {
		f.Factor(h)
		m, v, out := make([]float64, 16), []float64{1, 2, 3, 4}, []float64{f.LogDet()}
		for _, weights := range []func(){
			func() { f.WeightsInverse(m) }, func() { f.WeightsVelocity(m, v) }, func() { f.WeightsForce(m, v) }, func() { f.Solve(m[:4], v) },
		} {
			weights()
			out = append(out, m...)
		}
		return append(out, f.Quad(v))
	}
	want := results()
	for _, bad := range []float64{math.NaN(), math.Inf(1), 1e300} {
		for _, spoil := range []func(v []float64){
			func(v []float64) { f.WeightsForce(make([]float64, 16), v) }, func(v []float64) { f.Quad(v) },
			func(v []float64) { f.Factor(shaft(4, 3, bad, 1, v)) },
		} {
			spoil([]float64{bad, 1, bad, bad})
			close(t, "after what was not finite", results(), want, 0)
		}
	}
}

func TestSoftAbsArrowRefuses(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for at := range 3 {
			a, c, b := 1.0, 2.0, []float64{0.5, -0.5, 0}
			switch at {
			case 0:
				a = bad
			case 1:
				c = bad
			case 2:
				b[1] = bad
			}
			if out := NewSoftAbsArrow(3, 2, 1).Factor(shaft(3, 2, a, c, b)); out != NonFinite {
				t.Errorf("%v in place %d: %v", bad, at, out)
			}
		}
	}
	// The smallest and the largest numbers are no reason.
	for _, tiny := range []float64{5e-324, 1e-310, 1e-200, 1e150} {
		f := NewSoftAbsArrow(3, 2, 1)
		if out := f.Factor(shaft(3, 2, 1, 2, []float64{tiny, 0, 0})); out != Factored || math.Abs(f.u[0]-1) > 1e-10 {
			t.Errorf("a border of %v: %v, u = %v", tiny, out, f.u)
		}
	}
	if out := NewSoftAbsArrow(3, 2, -1).Factor(shaft(3, 2, 1, 2, []float64{1, 0, 0})); out != NotPositiveDefinite {
		t.Errorf("a negative alpha: %v", out)
	}
}
