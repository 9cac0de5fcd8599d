package expr

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/runtime/linalg"
)

// Sparse matrices of parameters, whose entries stand at places that data tell: A = Σ_k Σ_l v_k[l] e(r_k[l]) e(c_k[l])ᵀ, as the precision of values on a map has one for each pair of neighbours. How many entries the
// factor has depends on the places; they have to be at hand where code is made. The order of elimination, and where each entry is, are a plan that is computed once of the data. The layouts are those of
// runtime/linalg. These operators have first derivatives.

// Entries are values at places of a matrix, for the values of an index: at (Row, Column), positions that data tell.
type Entries struct {
	Over        *Index
	Row, Column Sub
	Value       *Expr
}

// SparseFactor is the Cholesky factor L of a symmetric positive definite sparse matrix A, P A Pᵀ = L Lᵀ.
type SparseFactor struct {
	c    *Context
	n    dsl.Extent
	plan Value
	l    Value
}

// Places are those of entries by the data at hand, for what depends on them: how many numbers a factor has.
type Places struct{ shape linalg.SparseShape }

// mostProducts is the largest number of products that a factor takes, for each element: more take longer than chains may, and a plan has one number for each.
const mostProducts = 2000

// PlacesOf returns those of entries (rows[k][l], columns[k][l]), counted from 1, of a matrix of order n; false where its factor would take too many operations.
func PlacesOf(n int, rows, columns [][]float64) (*Places, bool) {
	shape, ok := linalg.SparseShapeOf(n, mostProducts*n, rows, columns)
	return &Places{shape}, ok
}

// SparseFactor returns the factor of a matrix with a diagonal and other entries, whose places are at hand.
func (c *Context) SparseFactor(size dsl.Extent, diagonal Value, entries []Entries, at *Places) *SparseFactor {
	nodes := Value{Shape: []dsl.Extent{size}, Elem: func(s ...Sub) *Expr { return c.Position(s[0]) }}
	rows, columns, values := []Value{nodes}, []Value{nodes}, []Value{diagonal}
	planned := []Value{nodes}
	for _, e := range entries {
		part := func(x *Expr) Value { return c.listed(e.Over, x) }
		r, k := part(c.Position(e.Row)), part(c.Position(e.Column))
		rows, columns, values = append(rows, r), append(columns, k), append(values, part(e.Value))
		planned = append(planned, r, k)
	}
	f := &SparseFactor{c: c, n: size}
	f.plan = c.ApplySized(OperatorOf("sparse_plan"), []dsl.Extent{dsl.Fixed(at.shape.Plan())}, planned...)
	length := []dsl.Extent{dsl.Fixed(at.shape.Factor())}
	parts := make([]Value, len(values))
	for k, v := range values {
		places := c.Apply(OperatorOf("sparse_places"), f.plan, rows[k], columns[k])
		parts[k] = c.ApplySized(OperatorOf("sparse_matrix"), length, f.plan, places, v)
	}
	a := Value{Shape: length, Elem: func(s ...Sub) *Expr {
		total := c.NewTotal()
		for _, p := range parts {
			total.Add(p.At(s...))
		}
		return total.Sum()
	}}
	f.l = c.Apply(OperatorOf("sparse_cholesky"), f.plan, a)
	return f
}

// listed is an expression at the values of an index, as a vector.
func (c *Context) listed(i *Index, x *Expr) Value {
	return Value{Shape: []dsl.Extent{i.Range.Hi}, Elem: func(s ...Sub) *Expr { return c.Subst(x, i, s[0]) }}
}

func (f *SparseFactor) apply(name string, x Value) Value {
	return f.c.Apply(OperatorOf(name), f.plan, f.l, x)
}

// SolveLower returns L⁻¹b.
func (f *SparseFactor) SolveLower(b Value) Value { return f.apply("sparse_solve_lower", b) }

// SolveUpper returns L⁻ᵀb.
func (f *SparseFactor) SolveUpper(b Value) Value { return f.apply("sparse_solve_upper", b) }

// MulTransposed returns Lᵀx.
func (f *SparseFactor) MulTransposed(x Value) Value { return f.apply("sparse_mul_transposed", x) }

// LogDet returns 2 Σ log L_ii.
func (f *SparseFactor) LogDet() *Expr {
	return f.c.Scale(2, f.c.Apply(OperatorOf("sparse_log_det"), f.plan, f.l).At())
}

// nothing is the derivative by data.
func (c *Context) nothing(of Value) Value {
	return Value{Shape: of.Shape, Elem: func(...Sub) *Expr { return c.Number(0) }}
}

// outerSparse is −x_i y_j at the entries of a factor.
func (c *Context) outerSparse(plan, l, x, y Value) Value {
	return c.Apply(OperatorOf("sparse_outer"), plan, l, x, y)
}

// perEntry is a number of operations for each number of argument k, a plan or a factor, of which the length is known where code is made.
func perEntry(times, k int) func(args [][]dsl.Extent) Poly {
	return func(args [][]dsl.Extent) Poly { return Poly{"": times * args[k][0].Offset} }
}

func thirdShape(args [][]dsl.Extent) []dsl.Extent { return args[2] }

// sparseOperators are rows of Operators.
var sparseOperators = []Operator{
	{
		Name: "sparse_plan", Short: "plan", Kernel: "linalg.SparsePlan", Cost: linear(1),
		Eval: func(out []float64, args []*mat.Dense) {
			var places [][]float64
			for _, a := range args[1:] {
				places = append(places, elements(a))
			}
			linalg.SparsePlan(out, elements(args[0]), places...)
		},
	},
	{
		Name: "sparse_places", Short: "places", Shape: rightShape, Kernel: "linalg.SparsePlaces", Cost: linear(1),
		Eval: func(out []float64, args []*mat.Dense) {
			at := sparseIndex(elements(args[0]))
			for l, r := range elements(args[1]) {
				i, j := int(r)-1, int(elements(args[2])[l])-1
				out[l] = float64(max(at[[2]int{i, j}], at[[2]int{j, i}]))
			}
		},
	},
	{
		Name: "sparse_matrix", Short: "matrix", Kernel: "linalg.SparseMatrix",
		Cost: func(args [][]dsl.Extent) Poly { return sizePoly(UpTo(args[2][0])).times(Poly{"": 2}) },
		Adjoint: func(c *Context, x Applied) []Value {
			return []Value{c.nothing(x.Args[0]), c.nothing(x.Args[1]), c.Apply(OperatorOf("sparse_entries"), x.Args[0], x.Args[1], x.Bar)}
		},
		Eval: func(out []float64, args []*mat.Dense) {
			n := sparseOrder(elements(args[0]))
			clear(out)
			for l, at := range elements(args[1]) {
				out[int(at)] += elements(args[2])[l] * halfBelow(int(at), n)
			}
		},
	},
	{
		Name: "sparse_entries", Short: "entries", Shape: rightShape, Kernel: "linalg.SparseEntries", Cost: func(args [][]dsl.Extent) Poly { return sizePoly(UpTo(args[1][0])).times(Poly{"": 2}) },
		Eval: func(out []float64, args []*mat.Dense) {
			n := sparseOrder(elements(args[0]))
			for l, at := range elements(args[1]) {
				out[l] = elements(args[2])[int(at)] * halfBelow(int(at), n)
			}
		},
	},
	{
		Name: "sparse_cholesky", Short: "sparseChol", Shape: rightShape, Kernel: "linalg.SparseCholesky", Cost: perEntry(2, 0),
		Adjoint: func(c *Context, x Applied) []Value {
			return []Value{c.nothing(x.Args[0]), c.Apply(OperatorOf("sparse_cholesky_adjoint"), x.Args[0], x.Value, x.Bar)}
		},
		Eval: func(out []float64, args []*mat.Dense) {
			plan := elements(args[0])
			a := sparseDense(plan, elements(args[1]))
			n, _ := a.Dims()
			sym := mat.NewSymDense(n, nil)
			for i := range n {
				for j := range i + 1 {
					sym.SetSym(i, j, a.At(i, j))
				}
			}
			if l := lowerFactor(sym); l != nil {
				putSparse(out, plan, l)
			} else {
				fillNaN(out)
			}
		},
	},
	{
		Name: "sparse_cholesky_adjoint", Short: "sparseCholBar", Shape: rightShape, Kernel: "linalg.SparseCholeskyAdjoint", Cost: perEntry(4, 0),
		Eval: func(out []float64, args []*mat.Dense) {
			plan := elements(args[0])
			a := choleskyAdjoint(sparseDense(plan, elements(args[1])), sparseDense(plan, elements(args[2])))
			if a == nil {
				fillNaN(out)
				return
			}
			putSparse(out, plan, a)
		},
	},
	{
		Name: "sparse_log_det", Short: "logDet", Shape: noShape, Kernel: "linalg.SparseLogDet", Cost: perEntry(1, 1),
		Adjoint: func(c *Context, x Applied) []Value {
			d := c.Apply(OperatorOf("sparse_log_det_adjoint"), x.Args[0], x.Args[1])
			return []Value{c.nothing(x.Args[0]), {Shape: d.Shape, Elem: func(s ...Sub) *Expr { return c.Mul(x.Bar.At(), d.At(s...)) }}}
		},
		Eval: func(out []float64, args []*mat.Dense) {
			out[0] = 0
			for _, v := range elements(args[1])[:sparseOrder(elements(args[0]))] {
				out[0] += math.Log(v)
			}
		},
	},
	{
		Name: "sparse_log_det_adjoint", Short: "logDetBar", Shape: rightShape, Kernel: "linalg.SparseLogDetAdjoint", Cost: perEntry(1, 1),
		Eval: func(out []float64, args []*mat.Dense) {
			clear(out)
			for i, v := range elements(args[1])[:sparseOrder(elements(args[0]))] {
				out[i] = 1 / v
			}
		},
	},
	{
		Name: "sparse_solve_lower", Short: "sparseSolve", Shape: thirdShape, Kernel: "linalg.SparseSolveLower", Cost: perEntry(2, 1),
		Adjoint: func(c *Context, x Applied) []Value {
			// x = L⁻¹b: b̄ = L⁻ᵀx̄, L̄_ij = −b̄_i x_j
			b := c.Apply(OperatorOf("sparse_solve_upper"), x.Args[0], x.Args[1], x.Bar)
			return []Value{c.nothing(x.Args[0]), c.outerSparse(x.Args[0], x.Args[1], b, x.Value), b}
		},
		Eval: func(out []float64, args []*mat.Dense) { evalSparseSolve(out, args, false) },
	},
	{
		Name: "sparse_solve_upper", Short: "sparseSolveUpper", Shape: thirdShape, Kernel: "linalg.SparseSolveUpper", Cost: perEntry(2, 1),
		Adjoint: func(c *Context, x Applied) []Value {
			// x = L⁻ᵀb: b̄ = L⁻¹x̄, L̄_ij = −x_i b̄_j
			b := c.Apply(OperatorOf("sparse_solve_lower"), x.Args[0], x.Args[1], x.Bar)
			return []Value{c.nothing(x.Args[0]), c.outerSparse(x.Args[0], x.Args[1], x.Value, b), b}
		},
		Eval: func(out []float64, args []*mat.Dense) { evalSparseSolve(out, args, true) },
	},
	{
		Name: "sparse_mul_transposed", Short: "sparseMul", Shape: thirdShape, Kernel: "linalg.SparseMulTransposed", Cost: perEntry(2, 1),
		Eval: func(out []float64, args []*mat.Dense) {
			plan := elements(args[0])
			var x mat.Dense
			x.Mul(sparseDense(plan, elements(args[1])).T(), inOrder(plan, elements(args[2])))
			putInOrder(out, plan, &x)
		},
	},
	{
		Name: "sparse_outer", Short: "sparseOuter", Shape: rightShape, Kernel: "linalg.SparseOuter", Cost: perEntry(1, 1),
		Eval: func(out []float64, args []*mat.Dense) {
			plan := elements(args[0])
			var a mat.Dense
			a.Mul(inOrder(plan, elements(args[2])), inOrder(plan, elements(args[3])).T())
			a.Scale(-1, &a)
			putSparse(out, plan, &a)
		},
	},
}

// The values of these rows are found with dense matrices, in the order of elimination.

// sparseOrder is the order of a matrix by its plan.
func sparseOrder(plan []float64) int { return int(plan[0]) }

// halfBelow is the part of an entry that either triangle has.
func halfBelow(at, n int) float64 {
	if at < n {
		return 1
	}
	return 0.5
}

// sparseIndex is where an array of entries has each of a factor, by the nodes of row and column.
func sparseIndex(plan []float64) map[[2]int]int {
	at := map[[2]int]int{}
	for p, e := range sparseNodes(plan) {
		at[e] = p
	}
	return at
}

// sparseNodes are the nodes of the row and of the column of each entry of a factor.
func sparseNodes(plan []float64) (out [][2]int) {
	n, m := int(plan[0]), int(plan[1])
	order, start, row := plan[3:][:n], plan[3+n:][:n+1], plan[3+n+n+1:][:m]
	for i := range n {
		out = append(out, [2]int{i, i})
	}
	for k := range n {
		for q := int(start[k]); q < int(start[k+1]); q++ {
			out = append(out, [2]int{int(row[q]), int(order[k])})
		}
	}
	return out
}

// placesOf is where each node is in the order of elimination.
func placesOf(plan []float64) []int {
	n := sparseOrder(plan)
	out := make([]int, n)
	for k, v := range plan[3:][:n] {
		out[int(v)] = k
	}
	return out
}

// sparseDense is the lower triangle with entries of an array, in the order of elimination.
func sparseDense(plan, entries []float64) *mat.TriDense {
	place := placesOf(plan)
	a := mat.NewTriDense(len(place), mat.Lower, nil)
	for p, e := range sparseNodes(plan) {
		a.SetTri(place[e[0]], place[e[1]], entries[p])
	}
	return a
}

// putSparse writes the entries of a matrix that is in the order of elimination.
func putSparse(out, plan []float64, a mat.Matrix) {
	place := placesOf(plan)
	clear(out)
	for p, e := range sparseNodes(plan) {
		out[p] = a.At(place[e[0]], place[e[1]])
	}
}

// inOrder is a vector in the order of elimination.
func inOrder(plan, x []float64) *mat.Dense {
	out := mat.NewDense(sparseOrder(plan), 1, nil)
	for v, k := range placesOf(plan) {
		out.Set(k, 0, x[v])
	}
	return out
}

// putInOrder writes one by its nodes.
func putInOrder(out, plan []float64, x *mat.Dense) {
	for v, k := range placesOf(plan) {
		out[v] = x.At(k, 0)
	}
}

// evalSparseSolve solves with a factor or its transpose.
func evalSparseSolve(out []float64, args []*mat.Dense, upper bool) {
	plan := elements(args[0])
	var l mat.Matrix = sparseDense(plan, slices.Clone(elements(args[1])))
	if upper {
		l = l.T()
	}
	var x mat.Dense
	if x.Solve(l, inOrder(plan, elements(args[2]))) != nil {
		fillNaN(out)
		return
	}
	putInOrder(out, plan, &x)
}
