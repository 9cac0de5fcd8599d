package expr

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hamc-dev/hamc/dsl"
)

// Banded matrices of parameters. Where the elements of a matrix are proved to lie on few diagonals, A_ij = Σ_o δ[i,j+o] d_o[i],
// its factor and what is solved with it take time in proportion to the order, and no array of n² elements is made. The factor
// is an array of w+1 rows, row o holding the entries o places before the diagonal; as a matrix it is a sum of deltas
// again, so that products with it run along the diagonals. What stands in a few rows and columns besides is a border:
// see bordered.go.
//
// Several vectors of the same length may be interleaved: the positions of the band are then pairs (t, k) of an element and a vector, row by row, so
// that a diagonal is a matrix of n rows with a column for each vector, and what is solved is one too.
//
// These operators have first derivatives: the adjoint of the factor needs no inverse, which has no band. What needs
// more is computed with dense matrices.

// maxDiagonals is the largest number of diagonals, main one and below, of a matrix that counts as banded.
const maxDiagonals = 33

// row is the vector in row o of an array of rows, from 0.
func (v Value) row(o int) Value {
	return Value{Shape: v.Shape[1:], Elem: func(s ...Sub) *Expr { return v.At(append([]Sub{{At: dsl.Fixed(o + 1)}}, s...)...) }}
}

// rows are the first n rows.
func (v Value) rows(n int) []Value {
	out := make([]Value, n)
	for o := range out {
		out[o] = v.row(o)
	}
	return out
}

// Diagonals are those of a symmetric matrix at and below the main one, by their distance from it; false where an element is
// proved to lie on no fixed one, or they are too many.
func (c *Context) Diagonals(a Value) ([]Value, bool) {
	m, ok := c.arrow(a, true)
	if !ok || len(m.border) > 0 {
		return nil, false
	}
	return m.diagonals, true
}

// BandFactor is the Cholesky factor L of a symmetric positive definite banded matrix.
type BandFactor struct {
	c       *Context
	rows    Value
	w, n    dsl.Extent // number of diagonals, length of each vector
	vectors int        // that are interleaved; 1 of a matrix of elements of one
}

// BandFactor returns the factor of a matrix, given by its diagonals.
func (c *Context) BandFactor(diagonals []Value) *BandFactor {
	return &BandFactor{c, c.Apply(OperatorOf("band_cholesky"), diagonals...), dsl.Fixed(len(diagonals)), diagonals[0].Shape[0], 1}
}

// InterleavedFactor returns the factor of a matrix of interleaved vectors: diagonals[o][k] holds at t the element o places before the diagonal in the row (t, k).
func (c *Context) InterleavedFactor(diagonals [][]Value) *BandFactor {
	columns := make([]Value, len(diagonals))
	for o, d := range diagonals {
		columns[o] = c.Columns(d)
	}
	f := c.BandFactor(columns)
	f.vectors = len(diagonals[0])
	return f
}

// Columns is the matrix that has vectors as columns.
func (c *Context) Columns(vectors []Value) Value { return c.Apply(OperatorOf("columns"), vectors...) }

// Joined are interleaved vectors as one, that L is solved for; Separate is one of such.
func (f *BandFactor) Joined(vectors []Value) Value {
	if f.vectors == 1 {
		return vectors[0]
	}
	return f.c.Columns(vectors)
}

// Separate is vector k of interleaved ones.
func (f *BandFactor) Separate(x Value, k int) Value {
	if f.vectors == 1 {
		return x
	}
	return Value{Shape: x.Shape[:1], Elem: func(s ...Sub) *Expr { return x.At(s[0], Sub{At: dsl.Fixed(k + 1)}) }}
}

// SolveLower returns L⁻¹b.
func (f *BandFactor) SolveLower(b Value) Value {
	return f.c.Apply(OperatorOf("band_solve_lower"), f.rows, b)
}

// SolveUpper returns L⁻ᵀb.
func (f *BandFactor) SolveUpper(b Value) Value {
	return f.c.Apply(OperatorOf("band_solve_upper"), f.rows, b)
}

// LogDet returns 2 Σ log L_ii.
func (f *BandFactor) LogDet() *Expr {
	i := f.c.NewIndex("i", UpTo(f.n))
	total := f.c.NewTotal()
	for k := range f.vectors {
		total.Add(f.c.Call("log", f.element(0, k, Sub{Index: i})))
	}
	return f.c.Scale(2, f.c.Sum(i, total.Sum()))
}

// element is that o places before the diagonal in the row of element t of vector k.
func (f *BandFactor) element(o, k int, t Sub) *Expr {
	if f.vectors == 1 {
		return f.rows.row(o).At(t)
	}
	return f.rows.row(o).At(t, Sub{At: dsl.Fixed(k + 1)})
}

// MulTransposed returns the element i of vector k of Lᵀx, for x by its vectors.
func (f *BandFactor) MulTransposed(k int, x []Value, i *Index) *Expr {
	total := f.c.NewTotal()
	for o := range f.w.Offset {
		to := Sub{Index: i, Offset: (k + o) / f.vectors}
		l := (k + o) % f.vectors
		total.Add(f.c.Mul(f.c.Within(to, UpTo(f.n)), f.element(o, l, to), x[l].At(to)))
	}
	return total.Sum()
}

// opaqueBand reports whether derivatives by what e holds may be asked for that banded matrices do not have.
func (c *Context) opaqueBand(e *Expr) bool { return !c.FirstOrder && e.stage >= StagePosition }

// banded is the value of an operator of the language whose first argument is proved to be banded, but for a border; false
// where it is not, or the operator has none for such.
func (c *Context) banded(name string, args []Value) (v Value, ok bool) {
	vector := len(args) == 2 && len(args[1].Shape) == 1
	switch {
	case name == "log_det" || name == "cholesky" || name == "solve_spd" && vector || name == "solve_lower" && vector:
	default:
		return v, false
	}
	if vector && c.opaqueBand(args[1].At(Sub{Index: c.NewIndex("i", UpTo(args[1].Shape[0]))})) {
		return v, false
	}
	m, ok := c.arrow(args[0], name != "solve_lower")
	if !ok || !m.borderedLast() && (name == "cholesky" || name == "solve_lower") {
		return v, false
	}
	switch name {
	case "solve_lower":
		return m.solveLower(args[1]), true
	case "log_det":
		return Scalar(m.factor().logDet()), true
	case "cholesky":
		return m.factor().matrix(), true
	}
	return m.factor().solve(args[1]), true
}

// pairs is −XYᵀ, of matrices or vectors with the same shape.
func (c *Context) pairs(x, y Value) Value {
	n := x.Shape[0]
	return Value{Shape: []dsl.Extent{n, n}, Elem: func(s ...Sub) *Expr {
		if len(x.Shape) == 1 {
			return c.Neg(c.Mul(x.At(s[0]), y.At(s[1])))
		}
		m := c.NewIndex("m", UpTo(x.Shape[1]))
		return c.Neg(c.Sum(m, c.Mul(x.At(s[0], Sub{Index: m}), y.At(s[1], Sub{Index: m}))))
	}}
}

// outer is −x_i y_j at the entries (i, j) of a lower band, as an array of its diagonals.
func (c *Context) outer(shape []dsl.Extent, x, y Value) Value {
	vectors := 1
	if len(shape) == 3 {
		vectors = shape[2].Offset
	}
	return Value{Shape: shape, Elem: func(s ...Sub) *Expr {
		total := c.NewTotal()
		for o := range shape[0].Offset {
			for k := range vectors {
				before, l := 0, k-o // of vector l so many elements before
				for ; l < 0; l += vectors {
					before++
				}
				i := s[1]
				place, at, from := c.Delta(s[0], Sub{At: dsl.Fixed(o + 1)}), []Sub{i}, []Sub{ShiftSub(i, -before)}
				if len(shape) == 3 {
					place = c.Mul(place, c.Delta(s[2], Sub{At: dsl.Fixed(k + 1)}))
					at, from = append(at, Sub{At: dsl.Fixed(k + 1)}), append(from, Sub{At: dsl.Fixed(l + 1)})
				}
				inside := c.Within(i, dsl.Range{Lo: dsl.Fixed(1 + before), Hi: shape[1]})
				total.Add(c.Neg(c.Mul(place, inside, x.At(at...), y.At(from...))))
			}
		}
		return total.Sum()
	}}
}

// stackedShape is that of as many rows as there are vectors.
func stackedShape(args [][]dsl.Extent) []dsl.Extent {
	return append([]dsl.Extent{dsl.Fixed(len(args))}, args[0]...)
}

// entries is the number of elements of an array.
func entries(shape []dsl.Extent) Poly {
	p := Poly{"": 1}
	for _, n := range shape {
		p = p.times(sizePoly(UpTo(n)))
	}
	return p
}

// bandwise is n (w+1)² times a number, for the n and the w + 1 vectors behind the first others.
func bandwise(k, others int) func(args [][]dsl.Extent) Poly {
	return func(args [][]dsl.Extent) Poly {
		d := len(args) - others
		return entries(args[others]).times(Poly{"": k * d * d})
	}
}

// perDiagonal is n (w+1) times a number, for the band that is the first argument.
func perDiagonal(k int) func(args [][]dsl.Extent) Poly {
	return func(args [][]dsl.Extent) Poly {
		return entries(args[0]).times(Poly{"": k})
	}
}

// The values of the rows below are found with dense matrices, by other algorithms than those of the kernels.

// lowerOf is the lower triangular matrix with these diagonals.
func lowerOf(w, n int, at func(o, i int) float64) *mat.TriDense {
	l := mat.NewTriDense(n, mat.Lower, nil)
	for o := range w + 1 {
		for i := o; i < n; i++ {
			l.SetTri(i, i-o, at(o, i))
		}
	}
	return l
}

// putDiagonals writes those of a matrix, and 0 for what is in front of them.
func putDiagonals(out []float64, w int, a mat.Matrix) {
	n, _ := a.Dims()
	for o := range w + 1 {
		for i := range n {
			out[o*n+i] = 0
			if i >= o {
				out[o*n+i] = a.At(i, i-o)
			}
		}
	}
}

func evalBandCholesky(out []float64, args []*mat.Dense) {
	n := len(elements(args[0]))
	a := mat.NewSymDense(n, nil)
	for o, d := range args {
		for i := o; i < n; i++ {
			a.SetSym(i, i-o, elements(d)[i])
		}
	}
	if l := lowerFactor(a); l != nil {
		putDiagonals(out, len(args)-1, l)
	} else {
		fillNaN(out)
	}
}

// lowerFactor is the Cholesky factor of a symmetric matrix, nil where it is not positive definite.
func lowerFactor(a *mat.SymDense) *mat.TriDense {
	var chol mat.Cholesky
	if !chol.Factorize(a) {
		return nil
	}
	var l mat.TriDense
	chol.LTo(&l)
	return &l
}

// evalBandCholeskyAdjoint is Murray's equation 10, Ā = L⁻ᵀ Φ(Lᵀ L̄) L⁻¹, where Φ takes the lower triangle and half of the
// diagonal, made symmetric and restricted to the band.
func evalBandCholeskyAdjoint(out []float64, args []*mat.Dense) {
	n := len(elements(args[1]))
	w := len(args) - 2
	l := lowerOf(w, n, func(o, i int) float64 { return args[0].At(o, i) })
	bar := lowerOf(w, n, func(o, i int) float64 { return elements(args[1+o])[i] })
	a := choleskyAdjoint(l, bar)
	if a == nil {
		fillNaN(out)
		return
	}
	putDiagonals(out, w, a)
}

// choleskyAdjoint is that equation for lower triangles, with entries that stand for both of their places; nil where there is no value.
func choleskyAdjoint(l, bar *mat.TriDense) *mat.Dense {
	n, _ := l.Dims()
	var phi, x, s mat.Dense
	phi.Mul(l.T(), bar)
	for i := range n {
		phi.Set(i, i, phi.At(i, i)/2)
		for j := i + 1; j < n; j++ {
			phi.Set(i, j, 0)
		}
	}
	if x.Solve(l.T(), &phi) != nil || s.Solve(l.T(), x.T()) != nil {
		return nil
	}
	sum := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range i + 1 {
			v := s.At(i, j) + s.At(j, i)
			if i == j {
				v = s.At(i, i)
			}
			sum.Set(i, j, v)
		}
	}
	return sum
}

// elements are those of an array, row by row.
func elements(a *mat.Dense) []float64 { return a.RawMatrix().Data }

// evalBandSolve solves with a lower band or its transpose.
func evalBandSolve(out []float64, args []*mat.Dense, upper bool) {
	rows, n := args[0].Dims()
	var m mat.Matrix = lowerOf(rows-1, n, func(o, i int) float64 { return args[0].At(o, i) })
	if upper {
		m = m.T()
	}
	var x mat.Dense
	if x.Solve(m, mat.NewDense(n, 1, slices.Clone(elements(args[1])))) != nil {
		fillNaN(out)
		return
	}
	put(out, &x)
}
