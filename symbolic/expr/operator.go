package expr

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hamc-dev/hamc/dsl"
)

// Operators are functions of whole arrays whose elements no formula of elements gives: a factor, an inverse, a
// solution. Each is a row of a table. The value of one is an array that is computed as a whole, by a kernel; to the
// calculus its elements are opaque, but for the rule of the row, which says how they change where the arguments do.
// That rule serves forward derivatives and, with the change of one element of an argument alone, the reverse sweep.

// Operator is one row.
type Operator struct {
	Name  string
	Short string // in names of what it computes: invK
	// Tangent is the change of the value, in the language: A and B stand for the arguments, dA and dB for their
	// changes. Where an argument is symmetric, so is its change.
	Tangent string
	// Adjoint are the derivatives of a scalar by the arguments, for its derivative by the value: what the reverse sweep takes where
	// first derivatives are enough. Without a Tangent an operator has these only.
	Adjoint func(c *Context, x Applied) []Value
	// Shape is that of the value. It is nil where no argument tells; an application does then.
	Shape func(args [][]dsl.Extent) []dsl.Extent
	// Definite says that the first argument is symmetric and positive definite, and that the kernel takes its
	// Cholesky factor in its place: it is computed once for all.
	Definite bool
	General  bool // the first argument is any square matrix, and the kernel takes its LU factors in its place
	// Decomposed is the number of first arguments that are symmetric, and in whose place the kernel takes their eigenvectors and eigenvalues.
	Decomposed int
	// Linear says that the value is linear in the last argument.
	Linear    bool
	Symmetric bool // so is the value
	// Degree is d where the value for kA in the place of the first argument A is k^d times that for A, for each k > 0, and Logarithmic says that it is that for A
	// and n log k: a matrix of data times a number needs no factor of its own for each k.
	Degree      float64
	Logarithmic bool
	Kernel      string // of the runtime, called with the value and the arguments
	// Cost counts the kernel's operations; of a family, those that parts of these shapes take.
	Cost func(args [][]dsl.Extent) Poly
	// Eval writes the value to out, NaN where there is none: what tests of the kernel compare with. Of
	// arguments of one dimension the other is 1.
	Eval func(out []float64, args []*mat.Dense)
	// Joint are the rules of an operator whose value is a family of arrays (family.go). It has them in the place of all others
	// but the cost; how its code is emitted, a row of families in codegen says.
	Joint *Joint
}

// Joint are the rules of a family.
type Joint struct {
	// Partial is the derivative of a part by an input, at subscripts, in terms of parts; nil if it is not known.
	Partial func(c *Context, p *Part, input int, at []Sub) *Expr
	// Formulas are the expressions that the parts up to an order are computed from, beside the inputs, in the order in which they
	// are lowered.
	Formulas func(f *Family, order int) []**Expr
	// Eval computes the parts up to an order.
	Eval func(f *Family, order int, x Evaluation)
	// Unknown says what a metric needs that Partial does not know, and what to do.
	Unknown func(f *Family) (what, advice string)
}

// Applied is what the adjoint of an operator is made of: the arguments and the value, and the derivative of a scalar by
// the value.
type Applied struct {
	Args       []Value
	Value, Bar Value
}

// FactorName names the operator whose value is the Cholesky factor in the form that kernels take; no expression
// reads its elements.
const FactorName = "factor"

// luName names the operator whose value are the LU factors of a square matrix, eigenName that whose value are the eigenvectors and eigenvalues of a symmetric
// one.
const (
	luName    = "lu"
	eigenName = "eigen"
)

// Factors are the operators whose values the kernel takes in the place of the first arguments.
func (o *Operator) Factors() []*Operator {
	switch {
	case o.Definite && o.Name != FactorName:
		return []*Operator{OperatorOf(FactorName)}
	case o.General:
		return []*Operator{OperatorOf(luName)}
	}
	return slices.Repeat([]*Operator{OperatorOf(eigenName)}, o.Decomposed)
}

func sameShape(args [][]dsl.Extent) []dsl.Extent  { return args[0] }
func noShape([][]dsl.Extent) []dsl.Extent         { return nil }
func rightShape(args [][]dsl.Extent) []dsl.Extent { return args[1] }

// cubic is n³ times a number, for the order n of the first argument.
func cubic(k int) func(args [][]dsl.Extent) Poly {
	return func(args [][]dsl.Extent) Poly {
		n := sizePoly(UpTo(args[0][0]))
		return n.times(n).times(n).times(Poly{"": k})
	}
}

// linear is n times a number.
func linear(k int) func(args [][]dsl.Extent) Poly {
	return func(args [][]dsl.Extent) Poly { return sizePoly(UpTo(args[0][0])).times(Poly{"": k}) }
}

// perColumn is n² times a number for each column of the second argument.
func perColumn(k int) func(args [][]dsl.Extent) Poly {
	return func(args [][]dsl.Extent) Poly {
		n := sizePoly(UpTo(args[0][0]))
		p := n.times(n).times(Poly{"": k})
		if len(args[1]) == 2 {
			p = p.times(sizePoly(UpTo(args[1][1])))
		}
		return p
	}
}

// Operators is the table.
var Operators = []Operator{
	{
		Name: FactorName, Short: "factor", Definite: true, Shape: sameShape, Kernel: "linalg.Factorise", Cost: cubic(1),
		Eval: evalCholesky,
	},
	{
		Name: "inverse", Short: "inv", Definite: true, Symmetric: true, Degree: -1, Shape: sameShape, Kernel: "linalg.Inverse", Cost: cubic(1),
		Tangent: "-inverse(A)*dA*inverse(A)",
		Eval: func(out []float64, args []*mat.Dense) {
			var inv mat.SymDense
			if chol, ok := definite(args[0]); !ok || chol.InverseTo(&inv) != nil {
				fillNaN(out)
				return
			}
			put(out, &inv)
		},
	},
	{
		Name: "log_det", Short: "logDet", Definite: true, Logarithmic: true, Shape: noShape, Kernel: "linalg.LogDet", Cost: linear(2),
		Tangent: "sum(inverse(A) .* dA)",
		Eval: func(out []float64, args []*mat.Dense) {
			out[0] = math.NaN()
			if chol, ok := definite(args[0]); ok {
				out[0] = chol.LogDet()
			}
		},
	},
	{
		Name: "cholesky", Short: "chol", Definite: true, Degree: 0.5, Shape: sameShape, Kernel: "linalg.Lower", Cost: linear(0),
		// Murray (2016), arXiv:1602.07527, equation 8.
		Tangent: "cholesky(A)*lower_half(inverse_lower(cholesky(A))*dA*inverse_lower(cholesky(A))')",
		Adjoint: func(c *Context, x Applied) []Value {
			return []Value{c.Apply(OperatorOf("cholesky_adjoint"), x.Value, x.Bar)}
		},
		Eval: evalCholesky,
	},
	{
		// The derivatives by the lower triangle, from the factor and those by its own.
		Name: "cholesky_adjoint", Short: "cholBar", Shape: sameShape, Kernel: "linalg.CholeskyAdjoint", Cost: cubic(1),
		Eval: evalCholeskyAdjoint,
	},
	{
		// Of a symmetric positive semidefinite matrix, ascending. Neither these nor the vectors have derivatives: matrices of the reference are decomposed.
		Name: "eigenvalues", Short: "values", Shape: func(args [][]dsl.Extent) []dsl.Extent { return args[0][:1] }, Kernel: "linalg.Eigenvalues", Cost: cubic(9),
		Eval: func(out []float64, args []*mat.Dense) {
			if e := eigen(args[0]); e != nil {
				for i, v := range e.Values(nil) {
					out[i] = max(v, 0)
				}
			} else {
				fillNaN(out)
			}
		},
	},
	{
		// The columns of Q with A = Q diag(λ) Qᵀ.
		Name: "eigenvectors", Short: "vectors", Shape: sameShape, Kernel: "linalg.Eigenvectors", Cost: cubic(9),
		Eval: func(out []float64, args []*mat.Dense) {
			e := eigen(args[0])
			if e == nil {
				fillNaN(out)
				return
			}
			var q mat.Dense
			e.VectorsTo(&q)
			put(out, &q)
		},
	},
	{
		Name: "solve_spd", Short: "solve", Definite: true, Degree: -1, Shape: rightShape, Kernel: "linalg.Solve", Cost: perColumn(2),
		Tangent: "inverse(A)*(dB - dA*solve_spd(A, B))",
		Eval: func(out []float64, args []*mat.Dense) {
			var x mat.Dense
			if chol, ok := definite(args[0]); !ok || chol.SolveTo(&x, args[1]) != nil {
				fillNaN(out)
				return
			}
			put(out, &x)
		},
	},
	{
		Name: luName, Short: "lu", Kernel: "linalg.FactoriseLU", Cost: cubic(1),
		Shape: func(args [][]dsl.Extent) []dsl.Extent {
			return []dsl.Extent{args[0][0].Plus(1), args[0][1]}
		},
		Eval: evalLU,
	},
	{
		Name: "inverse_general", Short: "inv", General: true, Degree: -1, Shape: sameShape, Kernel: "linalg.LUInverse", Cost: cubic(2),
		Tangent: "-inverse_general(A)*dA*inverse_general(A)",
		Eval: func(out []float64, args []*mat.Dense) {
			n, _ := args[0].Dims()
			eye := mat.NewDense(n, n, nil)
			for i := range n {
				eye.Set(i, i, 1)
			}
			evalSolveGeneral(out, []*mat.Dense{args[0], eye})
		},
	},
	{
		Name: "log_abs_det", Short: "logAbsDet", General: true, Logarithmic: true, Shape: noShape, Kernel: "linalg.LogAbsDet", Cost: linear(2),
		Tangent: "sum(inverse_general(A)' .* dA)",
		Eval: func(out []float64, args []*mat.Dense) {
			out[0] = math.NaN()
			if f, ok := regular(args[0]); ok {
				out[0], _ = f.LogDet()
			}
		},
	},
	{
		Name: "solve_general", Short: "solve", General: true, Degree: -1, Shape: rightShape, Kernel: "linalg.LUSolve", Cost: perColumn(2),
		Tangent: "inverse_general(A)*(dB - dA*solve_general(A, B))",
		Eval:    evalSolveGeneral,
	},
	{
		Name: eigenName, Short: "eigen", Kernel: "linalg.Decompose", Cost: cubic(9),
		Shape: func(args [][]dsl.Extent) []dsl.Extent {
			return []dsl.Extent{args[0][0].Plus(1), args[0][1]}
		},
		Eval: evalDecompose,
	},
	{
		// The X with A X B + s X = Y, of A, B, s as a vector of one element, and Y.
		Name: "kronecker_solve", Short: "solve", Decomposed: 2, Linear: true, Shape: solutionShape, Kernel: "linalg.KroneckerSolve", Cost: kroneckerCost(2, true),
		Adjoint: kroneckerSolveAdjoint,
		Eval:    evalKroneckerSolve,
	},
	{
		// log det(B ⊗ A + s).
		Name: "kronecker_log_det", Short: "logDet", Decomposed: 2, Shape: noShape, Kernel: "linalg.KroneckerLogDet", Cost: kroneckerCost(4, false),
		Adjoint: kroneckerLogDetAdjoint,
		Eval:    evalKroneckerLogDet,
	},
	{
		// Its derivative by A.
		Name: "kronecker_trace", Short: "trace", Decomposed: 2, Symmetric: true, Shape: sameShape, Kernel: "linalg.KroneckerTrace", Cost: cubic(1),
		Eval: evalKroneckerTrace,
	},
	{
		// Its derivative by s.
		Name: "kronecker_inverse_trace", Short: "invTrace", Decomposed: 2, Shape: noShape, Kernel: "linalg.KroneckerInverseTrace", Cost: kroneckerCost(2, false),
		Eval: evalKroneckerInverseTrace,
	},
	{
		Name: "inverse_lower", Short: "invLower", Degree: -1, Shape: sameShape, Kernel: "linalg.InverseLower", Cost: cubic(1),
		Tangent: "-inverse_lower(A)*dA*inverse_lower(A)",
		Eval: func(out []float64, args []*mat.Dense) {
			n, _ := args[0].Dims()
			eye := mat.NewDense(n, n, nil)
			for i := range n {
				eye.Set(i, i, 1)
			}
			evalSolveLower(out, []*mat.Dense{args[0], eye})
		},
	},
	{
		Name: "solve_lower", Short: "solveLower", Degree: -1, Shape: rightShape, Kernel: "linalg.SolveLower", Cost: perColumn(1),
		Tangent: "inverse_lower(A)*(dB - dA*solve_lower(A, B))",
		Adjoint: func(c *Context, x Applied) []Value {
			// X = L⁻¹B: B̄ = L⁻ᵀX̄, L̄ = −B̄Xᵀ
			b := c.Apply(OperatorOf("solve_upper"), x.Args[0], x.Bar)
			return []Value{c.pairs(b, x.Value), b}
		},
		Eval: evalSolveLower,
	},
	{
		Name: "solve_upper", Short: "solveUpper", Degree: -1, Shape: rightShape, Kernel: "linalg.SolveUpper", Cost: perColumn(1),
		Tangent: "inverse_lower(A)'*(dB - dA'*solve_upper(A, B))",
		Adjoint: func(c *Context, x Applied) []Value {
			// X = L⁻ᵀB: B̄ = L⁻¹X̄, L̄ = −XB̄ᵀ
			b := c.Apply(OperatorOf("solve_lower"), x.Args[0], x.Bar)
			return []Value{c.pairs(x.Value, b), b}
		},
		Eval: evalSolveUpper,
	},
	{
		// The factor of a symmetric band, from its diagonals A_i,i−o.
		Name: "band_cholesky", Short: "bandChol", Shape: stackedShape, Kernel: "linalg.BandCholesky", Cost: bandwise(2, 0),
		Adjoint: func(c *Context, x Applied) []Value {
			args := []Value{x.Value}
			for o := range x.Args {
				args = append(args, x.Bar.row(o))
			}
			bars := c.Apply(OperatorOf("band_cholesky_adjoint"), args...)
			return bars.rows(len(x.Args))
		},
		Eval: evalBandCholesky,
	},
	{
		// The derivatives by the diagonals, from the factor and those by its own.
		Name: "band_cholesky_adjoint", Short: "bandCholBar", Shape: sameShape, Kernel: "linalg.BandCholeskyAdjoint", Cost: bandwise(4, 1),
		Eval: evalBandCholeskyAdjoint,
	},
	{
		Name: "band_solve_lower", Short: "bandSolve", Shape: rightShape, Kernel: "linalg.BandSolveLower", Cost: perDiagonal(2),
		Adjoint: func(c *Context, x Applied) []Value {
			// x = L⁻¹b: b̄ = L⁻ᵀx̄, L̄_ij = −b̄_i x_j
			b := c.Apply(OperatorOf("band_solve_upper"), x.Args[0], x.Bar)
			return []Value{c.outer(x.Args[0].Shape, b, x.Value), b}
		},
		Eval: func(out []float64, args []*mat.Dense) { evalBandSolve(out, args, false) },
	},
	{
		Name: "band_solve_upper", Short: "bandSolveUpper", Shape: rightShape, Kernel: "linalg.BandSolveUpper", Cost: perDiagonal(2),
		Adjoint: func(c *Context, x Applied) []Value {
			// x = L⁻ᵀb: b̄ = L⁻¹x̄, L̄_ij = −x_i b̄_j
			b := c.Apply(OperatorOf("band_solve_lower"), x.Args[0], x.Bar)
			return []Value{c.outer(x.Args[0].Shape, x.Value, b), b}
		},
		Eval: func(out []float64, args []*mat.Dense) { evalBandSolve(out, args, true) },
	},
	{
		// Vectors as the rows of a matrix.
		Name: "stack", Short: "rows", Shape: stackedShape, Kernel: "linalg.Stack",
		Cost:    func(args [][]dsl.Extent) Poly { return sizePoly(UpTo(args[0][0])).times(Poly{"": len(args)}) },
		Adjoint: func(c *Context, x Applied) []Value { return x.Bar.rows(len(x.Args)) },
		Eval: func(out []float64, args []*mat.Dense) {
			for o, a := range args {
				copy(out[o*len(elements(a)):], elements(a))
			}
		},
	},
	{
		// Vectors as the columns of a matrix.
		Name: "columns", Short: "columns", Shape: func(args [][]dsl.Extent) []dsl.Extent { return []dsl.Extent{args[0][0], dsl.Fixed(len(args))} }, Kernel: "linalg.Columns",
		Cost: func(args [][]dsl.Extent) Poly { return sizePoly(UpTo(args[0][0])).times(Poly{"": len(args)}) },
		Adjoint: func(c *Context, x Applied) (bars []Value) {
			for k, a := range x.Args {
				bars = append(bars, Value{Shape: a.Shape, Elem: func(s ...Sub) *Expr { return x.Bar.At(s[0], Sub{At: dsl.Fixed(k + 1)}) }})
			}
			return bars
		},
		Eval: func(out []float64, args []*mat.Dense) {
			for k, a := range args {
				for i, v := range elements(a) {
					out[i*len(args)+k] = v
				}
			}
		},
	},
	solutionOperator,
}

// operatorByName finds the rows.
var operatorByName map[string]*Operator

func init() { // adjoints are made of rows, which the initialiser of a variable may not name
	Operators = append(Operators, sparseOperators...)
	operatorByName = map[string]*Operator{}
	for n := range Operators {
		operatorByName[Operators[n].Name] = &Operators[n]
	}
}

// OperatorOf returns the operator of a name, nil if there is none.
func OperatorOf(name string) *Operator { return operatorByName[name] }

// definite factorises a symmetric matrix.
func definite(a *mat.Dense) (*mat.Cholesky, bool) {
	n, _ := a.Dims()
	var chol mat.Cholesky
	ok := chol.Factorize(mat.NewSymDense(n, append([]float64(nil), a.RawMatrix().Data...)))
	return &chol, ok
}

// regular factorises a square matrix that is not singular.
func regular(a *mat.Dense) (*mat.LU, bool) {
	for _, v := range a.RawMatrix().Data {
		if v-v != 0 {
			return nil, false
		}
	}
	var f mat.LU
	f.Factorize(a)
	n, _ := a.Dims()
	var u mat.TriDense
	f.UTo(&u)
	for i := range n {
		if u.At(i, i) == 0 {
			return nil, false
		}
	}
	return &f, true
}

func evalLU(out []float64, args []*mat.Dense) {
	f, ok := regular(args[0])
	if !ok {
		fillNaN(out)
		return
	}
	n, _ := args[0].Dims()
	var l, u mat.TriDense
	f.LTo(&l)
	f.UTo(&u)
	for i := range n {
		for j := range n {
			if out[i*n+j] = u.At(i, j); j < i {
				out[i*n+j] = l.At(i, j)
			}
		}
	}
	for i, row := range f.RowPivots(nil) {
		out[n*n+i] = float64(row)
	}
}

func evalSolveGeneral(out []float64, args []*mat.Dense) {
	f, ok := regular(args[0])
	if !ok {
		fillNaN(out)
		return
	}
	var x mat.Dense
	_ = f.SolveTo(&x, false, args[1]) // of an ill-conditioned matrix there is a solution too
	put(out, &x)
}

// eigen decomposes a symmetric matrix; it is nil where that fails.
func eigen(a *mat.Dense) *mat.EigenSym {
	n, _ := a.Dims()
	for _, v := range a.RawMatrix().Data {
		if v-v != 0 {
			return nil
		}
	}
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(n, append([]float64(nil), a.RawMatrix().Data...)), true) {
		return nil
	}
	return &e
}

func evalCholesky(out []float64, args []*mat.Dense) {
	chol, ok := definite(args[0])
	if !ok {
		fillNaN(out)
		return
	}
	var l mat.TriDense
	chol.LTo(&l)
	put(out, &l)
}

// evalSolveLower solves by forward substitution, of the lower triangle alone.
func evalSolveLower(out []float64, args []*mat.Dense) {
	n, m := args[1].Dims()
	x := mat.NewDense(n, m, out[:n*m])
	for c := range m {
		for i := range n {
			v := args[1].At(i, c)
			for k := range i {
				v -= args[0].At(i, k) * x.At(k, c)
			}
			x.Set(i, c, v/args[0].At(i, i))
		}
	}
}

// evalSolveUpper solves by the transpose of the lower triangle.
func evalSolveUpper(out []float64, args []*mat.Dense) {
	n, _ := args[0].Dims()
	l := mat.NewTriDense(n, mat.Lower, nil)
	for i := range n {
		for j := range i + 1 {
			l.SetTri(i, j, args[0].At(i, j))
		}
	}
	var x mat.Dense
	if x.Solve(l.T(), args[1]) != nil {
		fillNaN(out)
		return
	}
	put(out, &x)
}

// evalCholeskyAdjoint is that of a band that is the whole triangle.
func evalCholeskyAdjoint(out []float64, args []*mat.Dense) {
	n, _ := args[0].Dims()
	l := mat.NewTriDense(n, mat.Lower, nil)
	bar := mat.NewTriDense(n, mat.Lower, nil)
	for i := range n {
		for j := range i + 1 {
			l.SetTri(i, j, args[0].At(i, j))
			bar.SetTri(i, j, args[1].At(i, j))
		}
	}
	if a := choleskyAdjoint(l, bar); a != nil {
		put(out, a)
	} else {
		fillNaN(out)
	}
}

// put writes a matrix to out, row by row.
func put(out []float64, a mat.Matrix) {
	n, m := a.Dims()
	for i := range n {
		for j := range m {
			out[i*m+j] = a.At(i, j)
		}
	}
}

func fillNaN(out []float64) {
	for i := range out {
		out[i] = math.NaN()
	}
}

// Application is an operator with the shapes of its arguments. The node of one is the body of a definition and no
// part of it: the elements of the value are those of the definition, at its indices. Its Args are the arguments at
// their slots; in a program they are whole arrays, and of a definite operator
// the factor follows them.
//
// Other indices that arguments depend on are outer ones: they are the first indices of the definition, and of those arguments
// that carry them, and the kernel is called for each of their values. The calculus sees them as the free indices that they
// are, and no row of the table knows of them.
type Application struct {
	Operator *Operator
	Shapes   [][]dsl.Extent
	Sized    []dsl.Extent // the shape of the value, where no argument tells it
	names    []string     // of the arguments in the model, "" where they have none
}

// Shape is that of the value, but for outer indices.
func (a *Application) Shape() []dsl.Extent {
	if a.Operator.Shape == nil {
		return a.Sized
	}
	return a.Operator.Shape(a.Shapes)
}

// slot is the index of a dimension of an operator's argument or value.
func (c *Context) slot(x dsl.Extent, dim int) *Index {
	for d := range dim + 1 { // in order, so that arrays over them are in that of the dimensions
		k := formalKey{UpTo(x), -1 - d}
		if c.formals[k] == nil {
			c.formals[k] = c.NewIndex(dsl.IndexName(d), k.r)
		}
	}
	return c.formals[formalKey{UpTo(x), -1 - dim}]
}

// isSlot reports whether an index is that of a dimension of an argument or value.
func (c *Context) isSlot(i *Index) bool {
	for d := range mostDimensions {
		if c.formals[formalKey{i.Range, -1 - d}] == i {
			return true
		}
	}
	return false
}

// mostDimensions is the number of dimensions that arguments and values of operators have at most.
const mostDimensions = 3

// Slots are the indices of an array of a shape.
func (c *Context) Slots(shape []dsl.Extent) []*Index {
	out := make([]*Index, len(shape))
	for d, x := range shape {
		out[d] = c.slot(x, d)
	}
	return out
}

// firstOuter is below the number of every outer slot.
const firstOuter = -1 << 24

// outerSlots are the indices of a definition in the place of outer ones. They are in order, and come before all indices of
// other kinds, so that the first dimensions of an array are theirs.
func (c *Context) outerSlots(outer []*Index) []*Index {
	out := make([]*Index, len(outer))
	for n, i := range outer {
		k := formalKey{i.Range, firstOuter + n}
		if c.formals[k] == nil {
			c.formals[k] = &Index{Name: []string{"g", "h", "e"}[min(n, 2)], Range: i.Range, uid: firstOuter + n<<16 + len(c.formals)}
		}
		out[n] = c.formals[k]
	}
	return out
}

// Apply returns the value of an operator.
func (c *Context) Apply(op *Operator, args ...Value) Value {
	if op.Degree != 0 || op.Logarithmic {
		if k, data := c.Scaled(args[0]); k != nil {
			v := c.Apply(op, append([]Value{data}, args[1:]...)...)
			return Value{Shape: v.Shape, Elem: func(s ...Sub) *Expr {
				if op.Logarithmic {
					return c.Add(v.At(s...), c.Mul(c.Extent(data.Shape[0]), c.Call("log", k)))
				}
				return c.Mul(c.Pow(k, op.Degree), v.At(s...))
			}}
		}
	}
	if op.Linear {
		last := len(args) - 1
		if k, v := c.leading(args[last]); k != 1 {
			v = c.Apply(op, append(slices.Clone(args[:last]), v)...)
			return Value{Shape: v.Shape, Elem: func(s ...Sub) *Expr { return c.Scale(k, v.At(s...)) }}
		}
	}
	return c.applied(&Application{Operator: op}, args)
}

// ApplySized is Apply of an operator the shape of whose value no argument tells.
func (c *Context) ApplySized(op *Operator, shape []dsl.Extent, args ...Value) Value {
	return c.applied(&Application{Operator: op, Sized: shape}, args)
}

func (c *Context) applied(a *Application, args []Value) Value {
	var bodies []*Expr
	for _, v := range args {
		a.Shapes, a.names = append(a.Shapes, v.Shape), append(a.names, v.name)
		bodies = append(bodies, v.At(SubsOf(c.Slots(v.Shape))...))
	}
	r, shape := c.Applied(a, bodies), a.Shape()
	outer := r.Subs[:len(r.Subs)-len(shape)]
	return Value{Shape: shape, Elem: func(s ...Sub) *Expr { return c.Ref(r.Tensor, slices.Concat(outer, s)...) }}
}

// leading splits an array into a number and the rest.
func (c *Context) leading(a Value) (float64, Value) {
	slots := c.Slots(a.Shape)
	body := a.At(SubsOf(slots)...)
	k := 1.0
	switch {
	case body.Op == Mul:
		k = body.Val
	case body.Op == Add && body.Val == 0 && len(body.K) > 0:
		k = body.K[0]
	}
	if k == 1 || k == 0 {
		return 1, a
	}
	rest := c.Scale(1/k, body)
	return k, Value{Shape: a.Shape, Elem: func(s ...Sub) *Expr { return c.SubstAll(rest, slots, s) }}
}

// Scaled splits a matrix into a positive number that depends on parameters and a matrix that is known before sampling; the number is nil if it is not made so.
func (c *Context) Scaled(a Value) (k *Expr, data Value) {
	slots := c.Slots(a.Shape)
	body := a.At(SubsOf(slots)...)
	if body.Op != Mul || body.stage < StageGiven {
		return nil, data
	}
	var ks, own []float64
	var factors, known []*Expr
	for n, f := range body.Args {
		if f.stage < StageGiven {
			own, known = append(own, body.K[n]), append(known, f)
			continue
		}
		if slices.ContainsFunc(slots, f.HasFree) {
			return nil, data
		}
		ks, factors = append(ks, body.K[n]), append(factors, f)
	}
	m := c.Product(body.Val, own, known)
	if k = c.Product(1, ks, factors); !slices.ContainsFunc(slots, m.HasFree) || c.Sign(k) != Positive {
		return nil, data
	}
	return k, Value{Shape: a.Shape, Elem: func(s ...Sub) *Expr { return c.SubstAll(m, slots, s) }}
}

// Applied is the element of the value of an operator at its slots, from its arguments at theirs.
func (c *Context) Applied(a *Application, bodies []*Expr) *Expr {
	var outer []*Index
	for _, e := range bodies {
		for _, i := range e.free {
			if !c.isSlot(i) {
				outer = append(outer, i)
			}
		}
	}
	outer = SortedIndices(outer)
	formal := c.outerSlots(outer)
	args := bodies
	if !slices.Equal(outer, formal) {
		args = make([]*Expr, len(bodies))
		for n, e := range bodies {
			args[n] = c.SubstAll(e, outer, SubsOf(formal))
		}
	}
	node := c.ApplicationOf(a, args)
	if c.Budget.Allowance > 1 && node.stage >= StagePosition {
		if c.Grain == Coarse {
			panic(Outgrown{}) // fourth derivatives of a matrix are large: the fine grain is needed in the end
		}
		c.Budget.Allowance = 1 // what is made of products of matrices takes several times as long to lower
	}
	t, ok := c.shared[node]
	slots := c.Slots(a.Shape())
	if !ok {
		indices := slices.Concat(formal, slots)
		var shape []dsl.Extent
		for _, i := range indices {
			shape = append(shape, i.Range.Hi)
		}
		t = c.NewTensor(Tensor{Name: a.Operator.Name, Kind: SharedTensor, Shape: shape, Stage: max(node.stage, StageData), Symmetric: a.Operator.Symmetric})
		t.Def = &Def{Tensor: t, Indices: indices, Body: node}
		c.shared[node] = t
		c.noteMatrices(a.Shapes)
		for _, i := range outer {
			c.outers[i.Range] = true
		}
	}
	return c.Ref(t, SubsOf(slices.Concat(outer, slots))...)
}

// noteMatrices makes arrays of the shapes of an operator's arguments worth storing.
func (c *Context) noteMatrices(shapes [][]dsl.Extent) {
	for _, s := range shapes {
		if len(s) == 2 {
			c.matrices[[2]dsl.Extent{s[0], s[1]}] = true
		}
	}
}

// ApplicationOf is the node of an operator on arguments at their slots.
func (c *Context) ApplicationOf(a *Application, args []*Expr) *Expr {
	e := c.Intern(Expr{Op: Apply, Apply: a, Args: args})
	var outer []*Index
	for _, i := range e.free {
		if !c.isSlot(i) { // those are the arguments' alone
			outer = append(outer, i)
		}
	}
	e.free = outer
	return e
}

// Outer are the indices of the definition of an operator's value that the kernel is called for each value of.
func (d *Def) Outer() []*Index {
	a := d.Body.Apply
	return d.Indices[:len(d.Indices)-len(a.Shape())]
}

// Part is an argument of an operator in a program: an array, and the outer subscripts of what the kernel is called with.
func (a *Application) Part(arg *Expr, n int) (t *Tensor, at []Sub) {
	return arg.Tensor, arg.Subs[:len(arg.Subs)-len(a.Shapes[n])]
}

// Tangent returns the derivative of an operator's value, at subscripts, by an element of a tensor.
func (c *Context) Tangent(e *Expr, subs []Sub, t *Tensor, at []Sub) *Expr {
	op, env, moves := e.Apply.Operator, map[string]Value{}, false
	for n, shape := range e.Apply.Shapes {
		own, body := c.Slots(shape), e.Args[n]
		change := c.OpaqueMatrix(c.Diff(body, t, at...), n == 0 && op.Definite)
		moves = moves || !change.IsNum(0)
		put := func(name string, body *Expr) {
			env[name] = Value{Shape: shape, Elem: func(s ...Sub) *Expr { return c.SubstAll(body, own, s) }}
		}
		put(string(rune('A'+n)), body)
		put("d"+string(rune('A'+n)), change)
	}
	switch {
	case !moves:
		return c.nought()
	case op.Tangent == "":
		return c.notDifferentiable(nil)
	}
	el := &Elaborator{C: c, names: env}
	v := el.Expr(c.parsed(op.Tangent))
	return v.At(subs[len(subs)-len(v.Shape):]...) // outer indices stand in the arguments
}

// OpaqueMatrix makes a product of matrices, as the derivative of an operator's value is one, an array that is computed
// as a whole: one that is looked into once more for each further derivative would be a sum of many longer ones.
func (c *Context) OpaqueMatrix(e *Expr, symmetric bool) *Expr {
	if e.placed || e.Op == Ref || e.Op == Num || len(e.free) == 0 || !c.Storable(e.free) || Strays(e) {
		return e
	}
	r := c.enclosed(e, symmetric)
	r.Tensor.Whole = true
	return r
}
