package linalg

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestLU compares solutions and determinants with gonum's, for matrices whose leading pivots
// may be zero.
func TestLU(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for n := 1; n <= 12; n++ {
		for range 20 {
			a, b := normals(rng, n*n), normals(rng, n)
			if n > 1 {
				a[0] = 0
			}
			f := NewLU(n)
			if out := f.Factor(a); out != Factored {
				t.Fatalf("order %d: %v", n, out)
			}
			var lu mat.LU
			lu.Factorize(mat.NewDense(n, n, a))
			var want mat.VecDense
			if err := lu.SolveVecTo(&want, false, mat.NewVecDense(n, b)); err != nil {
				t.Fatal(err)
			}
			x := make([]float64, n)
			f.Solve(x, b)
			close(t, "solution", x, want.RawVector().Data, 1e-10*lu.Cond())
			f.Solve(b, b)
			close(t, "solution in place", b, x, 0)
			close(t, "determinant", []float64{f.Det()}, []float64{lu.Det()}, 1e-12)
		}
	}
}

func TestLURefuses(t *testing.T) {
	for name, a := range map[string][]float64{
		"singular":    {1, 2, 2, 4},
		"zero":        {0, 0, 0, 0},
		"no number":   {1, 2, math.NaN(), 4},
		"an infinity": {1, 2, math.Inf(1), 4},
	} {
		f := NewLU(2)
		if out := f.Factor(a); out != NonFinite {
			t.Errorf("%s: %v", name, out)
		}
		if d := f.Det(); d != 0 && finite(d) {
			t.Errorf("%s: determinant %v", name, d)
		}
	}
}
