package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestCholesky compares with gonum, for random matrices with condition
// numbers up to 1e12. Errors of what involves G⁻¹ grow with the condition.
func TestCholesky(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := 1; n <= 40; n++ {
		for _, condition := range []float64{1, 100, 1e6, 1e12} {
			values := make([]float64, n)
			for i := range values {
				values[i] = math.Pow(condition, -rng.Float64())
			}
			name := fmt.Sprintf("n = %d, condition %g", n, condition)
			g := symmetric(rng, values)
			read := lowerOnly(g, n)
			before := slices.Clone(read)
			c := NewCholesky(n)
			if out := c.Factor(read); out != Factored {
				t.Fatalf("%s: %v", name, out)
			}
			if !slices.EqualFunc(read, before, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
				t.Errorf("%s: Factor changed g", name)
			}
			close(t, name+": L Lᵀ", product(n, c.L, transpose(n, c.L)), g, 1e-15*float64(n))

			var want mat.Cholesky
			if !want.Factorize(mat.NewSymDense(n, g)) {
				t.Fatalf("%s: gonum fails", name)
			}
			loose := 2e-15 * float64(n) * condition
			var l mat.TriDense
			want.LTo(&l)
			close(t, name+": L", c.L, mat.DenseCopyOf(&l).RawMatrix().Data, min(loose, 1e-5))
			close(t, name+": LogDet", []float64{c.LogDet()}, []float64{want.LogDet()}, min(loose, 1e-3))
			if condition > 1e6 {
				continue
			}

			p := normals(rng, n)
			var x mat.VecDense
			if err := want.SolveVecTo(&x, mat.NewVecDense(n, p)); err != nil {
				t.Fatal(err)
			}
			v := make([]float64, n)
			c.Solve(v, p)
			close(t, name+": Solve", v, x.RawVector().Data, loose)
			v = slices.Clone(p)
			c.Solve(v, v)
			close(t, name+": Solve in place", v, x.RawVector().Data, loose)
			quad := inner(p, x.RawVector().Data)
			close(t, name+": Quad", []float64{c.Quad(p)}, []float64{quad}, loose)

			var inverse mat.SymDense
			if err := want.InverseTo(&inverse); err != nil {
				t.Fatal(err)
			}
			w := make([]float64, n*n)
			for range 2 { // a second time on used work space
				c.Inverse(w)
				close(t, name+": Inverse", w, mat.DenseCopyOf(&inverse).RawMatrix().Data, loose)
				c.Quad(p)
			}
			if !slices.Equal(w, transpose(n, w)) {
				t.Errorf("%s: Inverse is not symmetric", name)
			}

			var lz mat.VecDense
			lz.MulVec(&l, mat.NewVecDense(n, p))
			c.MulL(v, p)
			close(t, name+": MulL", v, lz.RawVector().Data, loose)
			v = slices.Clone(p)
			c.MulL(v, v)
			close(t, name+": MulL in place", v, lz.RawVector().Data, loose)
		}
	}
}

// TestSolveOfTwo: a system of two equations, which is written out, has the bits that it has as a part of one of three.
func TestSolveOfTwo(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	two, three := NewCholesky(2), NewCholesky(3)
	for range 1000 {
		a, b, c := 1+rng.ExpFloat64(), rng.NormFloat64(), 1+rng.ExpFloat64()
		c += b * b / a
		if two.Factor([]float64{a, b, b, c}) != Factored || three.Factor([]float64{a, b, 0, b, c, 0, 0, 0, 1}) != Factored {
			t.Fatal("a matrix that is not positive definite")
		}
		p := []float64{rng.NormFloat64(), rng.NormFloat64(), 0}
		want := make([]float64, 3)
		three.Solve(want, p)
		if two.Solve(p[:2], p[:2]); p[0] != want[0] || p[1] != want[1] {
			t.Fatalf("%v, want %v", p[:2], want[:2])
		}
	}
}

func TestCholeskyLogDetRange(t *testing.T) {
	for _, d := range []float64{1e-300, 1e-160, 1e160, 1e300, 4e-320} {
		n := 7
		g := make([]float64, n*n)
		for i := range n {
			g[i*n+i] = d
		}
		c := NewCholesky(n)
		if out := c.Factor(g); out != Factored {
			t.Fatalf("diagonal %g: %v", d, out)
		}
		want := 7 * (math.Log(d*math.Exp2(200)) - 200*math.Ln2)
		if d > 1 {
			want = 7 * math.Log(d)
		}
		if got := c.LogDet(); math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("diagonal %g: LogDet %v, want %v", d, got, want)
		}
		f := NewDiagonalFactor(n)
		f.Factor([]float64{d, d, d, d, d, d, d})
		if got := f.LogDet(); math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("diagonal %g: DiagonalFactor.LogDet %v, want %v", d, got, want)
		}
	}
}

func TestCholeskyOutcomes(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		g    []float64
		want Outcome
	}{
		{nil, Factored},
		{[]float64{2}, Factored},
		{[]float64{5e-324}, Factored},
		{[]float64{0}, NotPositiveDefinite},
		{[]float64{-1}, NotPositiveDefinite},
		{[]float64{nan}, NonFinite},
		{[]float64{inf}, NonFinite},
		{[]float64{-inf}, NonFinite},
		{[]float64{1, 1, 1, 1}, NotPositiveDefinite},
		{[]float64{1, 2, 2, 1}, NotPositiveDefinite},
		{[]float64{-1, 0, 0, nan}, NonFinite},
		{[]float64{-1, 0, inf, 1}, NonFinite},
		{[]float64{1, 0, -inf, 1}, NonFinite},
		{[]float64{1e-300, 0, 1e300, 1}, NonFinite}, // overflow
		{[]float64{1e-10, 0, 1e300, 1}, NonFinite},
	} {
		n := int(math.Sqrt(float64(len(c.g))))
		if got := NewCholesky(n).Factor(c.g); got != c.want {
			t.Errorf("Factor(%v) = %v, want %v", c.g, got, c.want)
		}
	}
	// A bad entry anywhere, with unrolled loops and without.
	for _, n := range []int{3, 9} {
		for i := range n {
			for j := range i + 1 {
				for _, bad := range []float64{nan, inf, -inf} {
					g := make([]float64, n*n)
					for k := range n {
						g[k*n+k] = 1
					}
					g[i*n+j] = bad
					if got := NewCholesky(n).Factor(g); got != NonFinite {
						t.Errorf("%v at %d, %d: %v", bad, i, j, got)
					}
				}
			}
			g := make([]float64, n*n)
			for k := range n {
				g[k*n+k] = 1
			}
			g[i*n+i] = -1
			if got := NewCholesky(n).Factor(g); got != NotPositiveDefinite {
				t.Errorf("−1 at %d, %d: %v", i, i, got)
			}
		}
	}
	for o, want := range map[Outcome]string{
		Factored: "factored", NotPositiveDefinite: "not_positive_definite", NonFinite: "non_finite", 9: "unknown",
	} {
		if o.String() != want {
			t.Errorf("%d: %q, want %q", uint8(o), o, want)
		}
	}
}

// TestDiagonalFactor compares with Cholesky.
func TestDiagonalFactor(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for n := range 9 {
		d, g := make([]float64, n), make([]float64, n*n)
		for i := range d {
			d[i] = math.Exp(3 * rng.NormFloat64())
			g[i*n+i] = d[i]
		}
		f, c := NewDiagonalFactor(n), NewCholesky(n)
		if a, b := f.Factor(d), c.Factor(g); a != Factored || b != Factored {
			t.Fatal(a, b)
		}
		p := normals(rng, n)
		got, want := slices.Clone(p), slices.Clone(p)
		f.Solve(got, got)
		c.Solve(want, want)
		close(t, "Solve", got, want, 1e-15)
		f.MulL(got, got)
		c.MulL(want, want)
		close(t, "MulL", got, want, 1e-15)
		close(t, "scalars", []float64{f.LogDet(), f.Quad(p)}, []float64{c.LogDet(), c.Quad(p)}, 1e-14)
		w := make([]float64, n*n)
		c.Inverse(w)
		for i := range want {
			want[i] = w[i*n+i]
		}
		f.Inverse(got)
		close(t, "Inverse", got, want, 1e-15)
	}
	f := NewDiagonalFactor(3)
	for _, c := range []struct {
		d    []float64
		want Outcome
	}{
		{[]float64{1, 2, 3}, Factored},
		{[]float64{1, 0, 3}, NotPositiveDefinite},
		{[]float64{1, -1, 3}, NotPositiveDefinite},
		{[]float64{-1, 1, math.NaN()}, NonFinite},
		{[]float64{math.Inf(1), 1, 1}, NonFinite},
		{[]float64{1, 1, math.Inf(-1)}, NonFinite},
	} {
		if got := f.Factor(c.d); got != c.want {
			t.Errorf("Factor(%v) = %v, want %v", c.d, got, c.want)
		}
	}
}

func TestAllocations(t *testing.T) {
	const n = 11
	rng := rand.New(rand.NewPCG(3, 1))
	values := make([]float64, n)
	for i := range values {
		values[i] = 1 + rng.Float64()
	}
	g, v, w := symmetric(rng, values), normals(rng, n), make([]float64, n*n)
	c, d, s := NewCholesky(n), NewDiagonalFactor(n), NewSoftAbs(n, 1)
	if a := testing.AllocsPerRun(10, func() {
		c.Factor(g)
		c.Inverse(w)
		c.Solve(v, v)
		c.MulL(v, v)
		v[0] = c.LogDet() + c.Quad(v)
		d.Factor(values)
		d.Solve(v, v)
		d.MulL(v, v)
		d.Inverse(v)
		v[0] = d.LogDet() + d.Quad(v)
		s.Factor(g)
		s.Metric(w)
		s.Inverse(w)
		s.Solve(v, v)
		s.MulSqrt(v, v)
		s.Weights(w, w)
		s.WeightsInverse(w)
		s.WeightsVelocity(w, v)
		s.WeightsForce(w, v)
		v[0] = s.LogDet() + s.Quad(v)
	}); a != 0 {
		t.Errorf("%v allocations", a)
	}
}
