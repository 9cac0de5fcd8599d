package linalg

import (
	"fmt"
	"math"
	"math/rand"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// semidefinite is a random symmetric positive semidefinite matrix of a rank.
func semidefinite(rng *rand.Rand, n, rank int) *mat.SymDense {
	a := mat.NewSymDense(n, nil)
	for range rank {
		x := mat.NewVecDense(n, nil)
		for i := range n {
			x.SetVec(i, rng.NormFloat64())
		}
		a.SymRankOne(a, 1, x)
	}
	return a
}

// TestKronecker: the functions of B ⊗ A + s are those of the matrix itself, which gonum makes and factorises, also where A is singular and where all of its
// eigenvalues are equal.
func TestKronecker(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	for _, size := range [][2]int{{1, 1}, {1, 4}, {4, 1}, {3, 5}, {7, 2}, {6, 6}} {
		n, m := size[0], size[1]
		for _, kind := range []string{"definite", "singular", "identity"} {
			a, b, s := semidefinite(rng, n, n+2), semidefinite(rng, m, m+2), 0.3
			switch kind {
			case "singular":
				a = semidefinite(rng, n, n-1)
			case "identity":
				a = mat.NewSymDense(n, nil)
				for i := range n {
					a.SetSym(i, i, 2)
				}
			}
			name := fmt.Sprintf("%s, %d by %d", kind, n, m)
			y := make([]float64, n*m)
			for i := range y {
				y[i] = rng.NormFloat64()
			}
			// Of the rows of Y one after the other the matrix is A ⊗ B + s.
			var whole mat.Dense
			whole.Kronecker(a, b)
			for i := range n * m {
				whole.Set(i, i, whole.At(i, i)+s)
			}
			var x mat.VecDense
			if err := x.SolveVec(&whole, mat.NewVecDense(n*m, y)); err != nil {
				t.Fatal(err)
			}
			logDet, _ := mat.LogDet(&whole)
			var inverse mat.Dense
			if err := inverse.Inverse(&whole); err != nil {
				t.Fatal(err)
			}
			trace := make([]float64, n*n)
			for i := range n {
				for j := range n {
					for k := range m {
						for l := range m {
							trace[i*n+j] += inverse.At(j*m+l, i*m+k) * b.At(k, l)
						}
					}
				}
			}
			ea, eb, shift := make([]float64, (n+1)*n), make([]float64, (m+1)*m), []float64{s}
			Decompose(ea, mat.DenseCopyOf(a).RawMatrix().Data)
			Decompose(eb, mat.DenseCopyOf(b).RawMatrix().Data)
			solved, traced := make([]float64, n*m), make([]float64, n*n)
			KroneckerSolve(solved, ea, eb, shift, y)
			KroneckerTrace(traced, ea, eb, shift)
			close(t, name+": solution", solved, x.RawVector().Data, 1e-11)
			close(t, name+": derivative", traced, trace, 1e-11)
			close(t, name+": log det", []float64{KroneckerLogDet(ea, eb, shift)}, []float64{logDet}, 1e-12)
			close(t, name+": trace", []float64{KroneckerInverseTrace(ea, eb, shift)}, []float64{mat.Trace(&inverse)}, 1e-11)

			if kind == "singular" {
				shift[0] = -1e-3
				if v := KroneckerLogDet(ea, eb, shift); !math.IsNaN(v) {
					t.Errorf("%s: the log determinant of an indefinite matrix is %v", name, v)
				}
				KroneckerSolve(solved, ea, eb, shift, y)
				if !math.IsNaN(solved[0]) {
					t.Errorf("%s: the solution of an indefinite matrix is %v", name, solved)
				}
			}
		}
	}
}

// TestKroneckerIndefinite: of an indefinite A nothing is as if it were semidefinite: B ⊗ A + s is what it is, or is not definite. What is not finite has no decomposition.
func TestKroneckerIndefinite(t *testing.T) {
	indefinite, unit, shift := make([]float64, 6), []float64{1, 1}, []float64{3}
	Decompose(indefinite, []float64{1, 0, 0, -2})
	close(t, "indefinite: log det", []float64{KroneckerLogDet(indefinite, unit, shift)}, []float64{math.Log(4)}, 1e-15)
	if shift[0] = 1; !math.IsNaN(KroneckerLogDet(indefinite, unit, shift)) {
		t.Error("the log determinant of an indefinite matrix is a number")
	}
	e := make([]float64, 6)
	Decompose(e, []float64{1, 0, 0, math.Inf(1)})
	if !math.IsNaN(e[0]) || !math.IsNaN(e[5]) {
		t.Errorf("decomposed an infinity: %v", e)
	}
}

// BenchmarkKronecker is of a grid of 30 by 30, as one of posteriordb's.
func BenchmarkKronecker(b *testing.B) {
	const n = 30
	rng := rand.New(rand.NewSource(1))
	a := mat.DenseCopyOf(semidefinite(rng, n, n)).RawMatrix().Data
	e, x, y, s := make([]float64, (n+1)*n), make([]float64, n*n), make([]float64, n*n), []float64{0.5}
	for i := range y {
		y[i] = rng.NormFloat64()
	}
	Decompose(e, a)
	for name, f := range map[string]func(){
		"decompose": func() { Decompose(e, a) },
		"solve":     func() { KroneckerSolve(x, e, e, s, y) },
		"log det":   func() { KroneckerLogDet(e, e, s) },
		"trace":     func() { KroneckerTrace(x, e, e, s) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
		})
	}
}
