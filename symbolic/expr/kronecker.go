package expr

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/hamc-dev/hamc/dsl"
)

// The operators of this file are of the matrix B ⊗ A + s, for symmetric A of order n and B of order m, which is positive definite where they are semidefinite: that of A X B + s X for
// a matrix X of n rows and m columns. Their derivatives are sums over the eigenvalues α of A and β of B in which no differences of these stand, so that eigenvalues may
// coincide, which those of a kernel on a grid nearly do.

// kroneckerCost is that of a decomposition's use: n m (n + m) times a number, or the n m of sums.
func kroneckerCost(k int, products bool) func(args [][]dsl.Extent) Poly {
	return func(args [][]dsl.Extent) Poly {
		n, m := sizePoly(UpTo(args[0][0])), sizePoly(UpTo(args[1][0]))
		p := n.times(m).times(Poly{"": k})
		if !products {
			return p
		}
		out := Poly{}
		out.add(p.times(n))
		out.add(p.times(m))
		return out
	}
}

// solutionShape is that of the matrix on the right.
func solutionShape(args [][]dsl.Extent) []dsl.Extent { return args[3] }

// kroneckerSolveAdjoint: of the X with A X B + s X = Y the derivatives are, with Z the solution for X̄, Ȳ = Z, Ā = −Z(XB)ᵀ, B̄ = −(AX)ᵀZ and s̄ = −Σ Z∘X.
func kroneckerSolveAdjoint(c *Context, x Applied) []Value {
	a, b, s := x.Args[0], x.Args[1], x.Args[2]
	z := c.Apply(OperatorOf("kronecker_solve"), a, b, s, x.Bar)
	n, m := x.Value.Shape[0], x.Value.Shape[1]
	k, l := Sub{Index: c.NewIndex("k", UpTo(m))}, Sub{Index: c.NewIndex("l", UpTo(n))}
	right := c.whole(x.Value.Shape, func(s ...Sub) *Expr { return c.Sum(k.Index, c.Mul(x.Value.At(s[0], k), b.At(k, s[1]))) })
	left := c.whole(x.Value.Shape, func(s ...Sub) *Expr { return c.Sum(l.Index, c.Mul(a.At(s[0], l), x.Value.At(l, s[1]))) })
	return []Value{
		c.pairs(z, right),
		{Shape: []dsl.Extent{m, m}, Elem: func(s ...Sub) *Expr {
			i := c.NewIndex("i", UpTo(n))
			return c.Neg(c.Sum(i, c.Mul(left.At(Sub{Index: i}, s[0]), z.At(Sub{Index: i}, s[1]))))
		}},
		{Shape: s.Shape, Elem: func(...Sub) *Expr {
			i, j := c.NewIndex("i", UpTo(n)), c.NewIndex("j", UpTo(m))
			at := []Sub{{Index: i}, {Index: j}}
			return c.Neg(c.Sum(i, c.Sum(j, c.Mul(z.At(at...), x.Value.At(at...)))))
		}},
		z,
	}
}

// whole is an array that is computed as one, of its elements.
func (c *Context) whole(shape []dsl.Extent, elem func(s ...Sub) *Expr) Value {
	slots := c.Slots(shape)
	body := c.OpaqueMatrix(elem(SubsOf(slots)...), false)
	return Value{Shape: shape, Elem: func(s ...Sub) *Expr { return c.SubstAll(body, slots, s) }}
}

func kroneckerLogDetAdjoint(c *Context, x Applied) []Value {
	a, b, s := x.Args[0], x.Args[1], x.Args[2]
	times := func(v Value) Value {
		return Value{Shape: v.Shape, Elem: func(at ...Sub) *Expr { return c.Mul(x.Bar.At(), v.At(at...)) }}
	}
	trace := c.Apply(OperatorOf("kronecker_inverse_trace"), a, b, s)
	return []Value{
		times(c.Apply(OperatorOf("kronecker_trace"), a, b, s)),
		times(c.Apply(OperatorOf("kronecker_trace"), b, a, s)),
		{Shape: s.Shape, Elem: func(...Sub) *Expr { return c.Mul(x.Bar.At(), trace.At()) }},
	}
}

// eigenOf are eigenvectors as columns and eigenvalues of a symmetric matrix.
func eigenOf(a *mat.Dense) (q *mat.Dense, values []float64, ok bool) {
	e := eigen(a)
	if e == nil {
		return nil, nil, false
	}
	q, values = new(mat.Dense), e.Values(nil)
	e.VectorsTo(q)
	return q, values, true
}

// evalKronecker calls f with the decompositions of A and B and the eigenvalues of B ⊗ A + s; out is NaN where one is not positive.
func evalKronecker(out []float64, args []*mat.Dense, f func(q, r, eigenvalues *mat.Dense, beta []float64)) {
	q, alpha, ok := eigenOf(args[0])
	r, beta, also := eigenOf(args[1])
	if !ok || !also {
		fillNaN(out)
		return
	}
	s := args[2].At(0, 0)
	values := mat.NewDense(len(alpha), len(beta), nil)
	for i, v := range alpha {
		for j, u := range beta {
			if values.Set(i, j, v*u+s); !(v*u+s > 0) {
				fillNaN(out)
				return
			}
		}
	}
	f(q, r, values, beta)
}

func evalKroneckerSolve(out []float64, args []*mat.Dense) {
	evalKronecker(out, args, func(q, r, values *mat.Dense, _ []float64) {
		var w, x mat.Dense
		w.Mul(q.T(), args[3])
		x.Mul(&w, r)
		x.DivElem(&x, values)
		w.Mul(q, &x)
		x.Mul(&w, r.T())
		put(out, &x)
	})
}

func evalKroneckerLogDet(out []float64, args []*mat.Dense) {
	evalKronecker(out, args, func(_, _, values *mat.Dense, _ []float64) {
		out[0] = 0
		for _, v := range values.RawMatrix().Data {
			out[0] += math.Log(v)
		}
	})
}

func evalKroneckerTrace(out []float64, args []*mat.Dense) {
	evalKronecker(out, args, func(q, _, values *mat.Dense, beta []float64) {
		n, _ := values.Dims()
		weight := make([]float64, n)
		for i := range weight {
			for j, u := range beta {
				weight[i] += u / values.At(i, j)
			}
		}
		var w, x mat.Dense
		w.Mul(q, mat.NewDiagDense(n, weight))
		x.Mul(&w, q.T())
		put(out, &x)
	})
}

func evalKroneckerInverseTrace(out []float64, args []*mat.Dense) {
	evalKronecker(out, args, func(_, _, values *mat.Dense, _ []float64) {
		out[0] = 0
		for _, v := range values.RawMatrix().Data {
			out[0] += 1 / v
		}
	})
}

// evalDecompose writes eigenvectors as rows, then eigenvalues.
func evalDecompose(out []float64, args []*mat.Dense) {
	q, values, ok := eigenOf(args[0])
	if !ok {
		fillNaN(out)
		return
	}
	put(out, q.T())
	copy(out[len(out)-len(values):], values)
}
