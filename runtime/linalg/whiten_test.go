package linalg

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// whitener is what the factors of a metric have in common here.
type whitener interface {
	Whiten(z, p []float64)
	Quad(p []float64) float64
}

// isFrame checks that p ↦ z is linear in an orthonormal frame of the metric: ⟨z(p), z(r)⟩ =
// pᵀG⁻¹r, in place or not. A wrong frame would make trajectories end at the wrong place,
// which no test of the draws notices.
func isFrame(t *testing.T, name string, f whitener, rng *rand.Rand, n int) {
	t.Helper()
	p, r := normals(rng, n), normals(rng, n)
	sum := make([]float64, n)
	for i := range sum {
		sum[i] = p[i] + r[i]
	}
	zp, zr := make([]float64, n), slices.Clone(r)
	f.Whiten(zp, p)
	f.Whiten(zr, zr)
	polar := 0.5 * (f.Quad(sum) - f.Quad(p) - f.Quad(r))
	close(t, name+": lengths and angle", []float64{inner(zp, zp), inner(zr, zr), inner(zp, zr)}, []float64{f.Quad(p), f.Quad(r), polar}, 1e-9)
	again := slices.Clone(p)
	f.Whiten(again, again)
	if !slices.Equal(again, zp) {
		t.Errorf("%s: Whiten depends on being in place", name)
	}
}

// Whiten undoes MulL, for every kind of factor that has one; the SoftAbs one is the symmetric
// root.
func TestWhiten(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 1))
	for n := 1; n < 9; n++ {
		values := make([]float64, n)
		for i := range values {
			values[i] = math.Exp(rng.NormFloat64())
		}
		z := normals(rng, n)
		back := slices.Clone(z)

		c := NewCholesky(n)
		c.Factor(symmetric(rng, values))
		isFrame(t, "Cholesky", c, rng, n)
		c.MulL(back, z)
		c.Whiten(back, back)
		close(t, "Cholesky: Whiten of MulL", back, z, 1e-12)

		// L⁻ᵀ and Lᵀ undo each other, and ‖L⁻ᵀz‖² in the norm of G is ‖z‖².
		c.SolveTransposed(back, z)
		m := slices.Clone(back)
		c.MulTransposed(m, m)
		close(t, "Cholesky: MulTransposed of SolveTransposed", m, z, 1e-12)
		c.MulL(m, m)
		close(t, "Cholesky: L⁻ᵀ", []float64{inner(back, m)}, []float64{inner(z, z)}, 1e-12)

		d := NewDiagonalFactor(n)
		d.Factor(values)
		isFrame(t, "diagonal", d, rng, n)
		d.MulL(back, z)
		d.Whiten(back, back)
		close(t, "diagonal: Whiten of MulL", back, z, 1e-12)

		for i := range values {
			values[i] *= float64(1 - 2*(i%2)) // of both signs
		}
		s := NewSoftAbs(n, 2)
		if o := s.Factor(symmetric(rng, values)); o != Factored {
			t.Fatal(o)
		}
		isFrame(t, "SoftAbs", s, rng, n)
		// Twice the symmetric root is the inverse.
		s.Whiten(back, z)
		s.Whiten(back, back)
		want := make([]float64, n)
		s.Solve(want, z)
		close(t, "SoftAbs: Whiten twice", back, want, 1e-12)
	}
	for _, s := range structures(rng) {
		if s.dim == 0 {
			continue
		}
		c := NewStructured(s.dim, s.parts)
		if o := c.Factor(s.unread(s.random(rng))); o != Factored {
			t.Fatalf("%s: %v", s.name, o)
		}
		isFrame(t, s.name, c, rng, s.dim)
		z := normals(rng, s.dim)
		back := slices.Clone(z)
		c.MulL(back, z)
		c.Whiten(back, back)
		close(t, s.name+": Whiten of MulL", back, z, 1e-10)
	}
}
