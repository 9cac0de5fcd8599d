package expr

import "slices"

// Cholesky is the lower triangular factor of a symmetric positive definite matrix. Of a matrix that is made of such a factor R, with its rows and columns scaled by
// the same positive numbers, diag(g) R R' diag(g), it is diag(g) R: nothing is factorised.
func (c *Context) Cholesky(a Value) Value {
	i, j := c.NewIndex("i", UpTo(a.Shape[0])), c.NewIndex("j", UpTo(a.Shape[1]))
	row, col := Sub{Index: i}, Sub{Index: j}
	root, rest := c.rootIn(a.At(row, col), row, col)
	if root == nil {
		return c.Apply(OperatorOf("cholesky"), a)
	}
	scale := c.Pow(c.Subst(rest, j, row), 0.5)
	at := func(s Sub) *Expr { return c.Subst(scale, i, s) }
	if c.Sign(scale) != Positive || !c.Div(c.Div(rest, scale), at(col)).IsNum(1) {
		return c.Apply(OperatorOf("cholesky"), a)
	}
	outer := root.Subs[:len(root.Subs)-2]
	return Value{Shape: a.Shape, Elem: func(s ...Sub) *Expr {
		return c.Mul(at(s[0]), c.Ref(root.Tensor.Root, slices.Concat(outer, s)...))
	}}
}

// rootIn finds the factor of an element of a matrix that is such an element by itself, of a matrix with a root, and the other factors: nil if there is none.
func (c *Context) rootIn(e *Expr, row, col Sub) (root, rest *Expr) {
	is := func(r *Expr) bool {
		if r.Op != Ref || r.Tensor.Root == nil {
			return false
		}
		n := len(r.Subs) - 2
		ends := r.Subs[n:]
		return (ends[0] == row && ends[1] == col || ends[0] == col && ends[1] == row) &&
			!slices.ContainsFunc(r.Subs[:n], func(s Sub) bool { return s.Index == row.Index || s.Index == col.Index || s.Data != nil })
	}
	if is(e) {
		return e, c.Number(1)
	}
	if e.Op == Ref && e.Tensor.Kind == SharedTensor && e.Tensor.Def.Body != nil && e.Tensor.Root == nil {
		e = c.SubstAll(e.Tensor.Def.Body, e.Tensor.Def.Indices, e.Subs)
	}
	if e.Op != Mul {
		return nil, nil
	}
	for n, f := range e.Args { // products of matrices are kept apart
		if root, rest := c.rootIn(f, row, col); root != nil && e.K[n] == 1 {
			return root, c.Mul(rest, c.Product(e.Val, without(e.K, n), without(e.Args, n)))
		}
	}
	return nil, nil
}
