package symbolic

import (
	"math"
	"math/rand"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/runtime/linalg"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// kroneckerKernels take the decompositions of the first two arguments.
var kroneckerKernels = map[string]func(dst, a, b, s, y []float64){
	"kronecker_solve":         linalg.KroneckerSolve,
	"kronecker_log_det":       func(dst, a, b, s, _ []float64) { dst[0] = linalg.KroneckerLogDet(a, b, s) },
	"kronecker_trace":         func(dst, a, b, s, _ []float64) { linalg.KroneckerTrace(dst, a, b, s) },
	"kronecker_inverse_trace": func(dst, a, b, s, _ []float64) { dst[0] = linalg.KroneckerInverseTrace(a, b, s) },
}

// TestKroneckerRows: the kernel of each row whose first arguments are decomposed gives what its Eval does, also where there is no value.
func TestKroneckerRows(t *testing.T) {
	rng := rand.New(rand.NewSource(6))
	decomposed := func(a *mat.Dense) []float64 {
		n, _ := a.Dims()
		e := make([]float64, (n+1)*n)
		linalg.Decompose(e, a.RawMatrix().Data)
		return e
	}
	definite := func(n int) *mat.Dense {
		var a, x mat.Dense
		x.CloneFrom(mat.NewDense(n, n, nil))
		for i := range n {
			for j := range n {
				x.Set(i, j, rng.NormFloat64())
			}
		}
		a.Mul(&x, x.T())
		return &a
	}
	rows := 0
	for k := range expr.Operators {
		op := &expr.Operators[k]
		if op.Decomposed == 0 {
			continue
		}
		rows++
		kernel := kroneckerKernels[op.Name]
		if kernel == nil {
			t.Errorf("%s: its kernel is not tested", op.Name)
			continue
		}
		for _, size := range [][2]int{{1, 1}, {1, 3}, {5, 2}, {4, 4}} {
			n, m := dsl.Fixed(size[0]), dsl.Fixed(size[1])
			for _, s := range []float64{0.7, -1e4, math.NaN()} {
				a, b, y := definite(size[0]), definite(size[1]), mat.NewDense(size[0], size[1], nil)
				for i := range size[0] {
					for j := range size[1] {
						y.Set(i, j, rng.NormFloat64())
					}
				}
				values := 1
				for _, x := range op.Shape([][]dsl.Extent{{n, n}, {m, m}, {dsl.Fixed(1)}, {n, m}}) {
					values *= x.Offset
				}
				got, want := make([]float64, values), make([]float64, values)
				kernel(got, decomposed(a), decomposed(b), []float64{s}, y.RawMatrix().Data)
				op.Eval(want, []*mat.Dense{a, b, mat.NewDense(1, 1, []float64{s}), y})
				for i := range got {
					if !(math.Abs(got[i]-want[i]) <= 1e-11*(1+math.Abs(want[i]))) && s > 0 || s != 0.7 && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) {
						t.Errorf("%s of %v, s = %v, element %d: the kernel gives %v, the row %v", op.Name, size, s, i, got[i], want[i])
					}
				}
			}
		}
	}
	if rows != len(kroneckerKernels) {
		t.Errorf("%d rows, %d kernels", rows, len(kroneckerKernels))
	}
}
