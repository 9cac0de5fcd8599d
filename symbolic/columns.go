package symbolic

import (
	"slices"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Regressors that have names of their own, a + b*age + c*weight, are columns of a matrix of data, as if the user had written one: what a linear
// predictor is, and what the gradient by its coefficients sums, are products with that matrix, for which there are kernels.

// The bounds on the number of columns that depend on an index: below, a loop is as fast; above, the vector of the coefficients has too many formulas.
const (
	leastColumns = 2
	mostColumns  = expr.MostPositions - 1 // one more for the intercept
)

// columns finds linear predictors in a density.
type columns struct {
	p            *Program
	matrices     map[*expr.Expr]*expr.Tensor // by the closed sum of their columns
	coefficients map[*expr.Expr]*expr.Tensor // likewise
}

// withColumns puts products of matrices of data with vectors of coefficients in the place of linear predictors. The matrices and the
// vectors are definitions of the program.
func (p *Program) withColumns(e *expr.Expr) *expr.Expr {
	x := &columns{p: p, matrices: map[*expr.Expr]*expr.Tensor{}, coefficients: map[*expr.Expr]*expr.Tensor{}}
	return x.walk(e, nil, map[*expr.Expr]*expr.Expr{})
}

// walk rewrites e, in the sum over i or in none.
func (x *columns) walk(e *expr.Expr, i *expr.Index, memo map[*expr.Expr]*expr.Expr) *expr.Expr {
	if e.Stage() < expr.StagePosition || len(e.Args) == 0 || e.Op == expr.Apply {
		return e
	}
	if r, ok := memo[e]; ok {
		return r
	}
	c := x.p.c
	var r *expr.Expr
	switch {
	case e.Op == expr.Largest:
		return e
	case e.Op == expr.Sum:
		j, body := c.Open(e)
		r = e
		if b := x.walk(body, j, map[*expr.Expr]*expr.Expr{}); b != body {
			r = c.Sum(j, b)
		}
	case e.Op == expr.Add && i != nil:
		r = x.predictor(e, i)
	}
	if r == nil {
		r = e
		if args := x.args(e, i, memo); args != nil {
			r = c.Rebuild(e, func(a *expr.Expr) *expr.Expr { return args[a] }, func(s expr.Sub) expr.Sub { return s })
		}
	}
	memo[e] = r
	return r
}

// args are the rewritten operands of e by the old ones, nil if none changed.
func (x *columns) args(e *expr.Expr, i *expr.Index, memo map[*expr.Expr]*expr.Expr) map[*expr.Expr]*expr.Expr {
	args, changed := map[*expr.Expr]*expr.Expr{}, false
	for _, a := range e.Args {
		args[a] = x.walk(a, i, memo)
		changed = changed || args[a] != a
	}
	if !changed {
		return nil
	}
	return args
}

// column is a regressor, a product of data, with what multiplies it.
type column struct{ data, coefficient *expr.Expr }

// predictor is a sum over i whose terms are products of data and parameters, as far as they are that, or nil if these are few.
func (x *columns) predictor(e *expr.Expr, i *expr.Index) *expr.Expr {
	c := x.p.c
	if !i.Range.Lo.IsConst() || i.Range.Lo.Offset != 1 || len(e.Free()) != 1 || e.Free()[0] != i {
		return nil
	}
	var list []column
	var rest []*expr.Expr
	intercept := c.Number(e.Val)
	for n, a := range e.Args {
		term := c.Scale(e.K[n], a)
		data, coefficient := x.split(term, i)
		switch {
		case data == nil:
			rest = append(rest, term)
		case data.IsNum(1):
			intercept = c.Add(intercept, coefficient)
		default:
			at := slices.IndexFunc(list, func(o column) bool { return o.data == data })
			if at < 0 {
				list = append(list, column{data, coefficient})
			} else {
				list[at].coefficient = c.Add(list[at].coefficient, coefficient)
			}
		}
	}
	if len(list) < leastColumns || len(list) > mostColumns {
		return nil
	}
	if intercept.Stage() >= expr.StagePosition {
		list = append([]column{{c.Number(1), intercept}}, list...)
	} else {
		rest = append(rest, intercept)
	}
	return c.Add(append(rest, x.product(list, i))...)
}

// split is a term as a product of data that carry i, 1 if nothing does, and what does not, which depends on the position. It is nil for others.
func (x *columns) split(term *expr.Expr, i *expr.Index) (data, coefficient *expr.Expr) {
	c := x.p.c
	val, ks, args := 1.0, []float64{1}, []*expr.Expr{term}
	if term.Op == expr.Mul {
		val, ks, args = term.Val, term.K, term.Args
	}
	data, coefficient = c.Number(1), c.Number(val)
	for n, a := range args {
		f := c.Product(1, []float64{ks[n]}, []*expr.Expr{a})
		switch {
		case !a.HasFree(i):
			coefficient = c.Mul(coefficient, f)
		case a.Stage() == expr.StageData && x.plain(a):
			data = c.Mul(data, f)
		default:
			return nil, nil
		}
	}
	if !data.IsNum(1) && coefficient.Stage() < expr.StagePosition {
		return nil, nil
	}
	return data, coefficient
}

// plain reports whether e is arithmetic on data: no indicator, and no element that another datum names.
func (x *columns) plain(e *expr.Expr) bool {
	switch e.Op {
	case expr.Delta, expr.Inside, expr.Before:
		return false
	}
	return !slices.ContainsFunc(e.Subs, func(s expr.Sub) bool { return s.Data != nil }) &&
		!slices.ContainsFunc(e.Args, func(a *expr.Expr) bool { return !x.plain(a) })
}

// product is Σ_k X[i,k] b[k] with the columns of X and the coefficients b.
func (x *columns) product(list []column, i *expr.Index) *expr.Expr {
	p, c := x.p, x.p.c
	size := dsl.Fixed(len(list))
	k := c.NewIndex("k", expr.UpTo(size))
	data, coefficients := c.Number(0), c.Number(0)
	for n, o := range list {
		at := c.Delta(expr.Sub{Index: k}, expr.Sub{At: dsl.Fixed(n + 1)})
		data = c.Add(data, c.Mul(o.data, at))
		coefficients = c.Add(coefficients, c.Mul(o.coefficient, at))
	}
	c.HoldMatrix(i.Range.Hi, size)
	key, _ := c.Close(data)
	m, ok := x.matrices[key]
	if !ok {
		m = p.define(p.Lower(data, expr.IndexList(i, k)), nil).Tensor
		m.Columns = true
		x.matrices[key] = m
	}
	sign := 1.0
	own, _ := c.Close(coefficients)
	opposite, _ := c.Close(c.Neg(coefficients))
	b := x.coefficients[opposite]
	if b != nil {
		sign = -1
	} else if b = x.coefficients[own]; b == nil {
		b = p.define(p.Lower(coefficients, expr.IndexList(k)), nil).Tensor
		b.Atom = true // the gradient sums by columns what it takes of all of them
		x.coefficients[own] = b
	}
	j := c.NewIndex("k", expr.UpTo(size))
	return c.Scale(sign, c.Sum(j, c.Mul(c.Ref(m, expr.Sub{Index: i}, expr.Sub{Index: j}), c.Ref(b, expr.Sub{Index: j}))))
}
