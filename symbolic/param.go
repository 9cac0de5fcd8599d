package symbolic

import "github.com/hamc-dev/hamc/dsl"

// Param is a parameter: its coordinates and what they mean.
type Param struct {
	Decl      *dsl.Param
	Coord     *Tensor
	Transform *Transform
	Lo, Hi    *Expr // of the support, where bounded
	c         *Context
	values    *Tensor // those of an opaque transform
}

// Value returns the value at subscripts, on the parameter's own scale.
func (b *Param) Value(subs ...Sub) *Expr {
	if b.values != nil {
		return b.c.Ref(b.values, subs...)
	}
	return b.Transform.Value(b.c, b, subs)
}

// Size returns the number of coordinates.
func (b *Param) Size() dsl.Extent { return extentOf(b.Coord.Shape) }

// Length returns the number of values: that of the coordinates, or more.
func (b *Param) Length() dsl.Extent { return extentOf(b.Decl.Type.Shape) }

// Scalar reports whether the parameter is a scalar.
func (b *Param) Scalar() bool { return len(b.Decl.Type.Shape) == 0 }

// index returns a fresh index over the coordinates, and the subscripts it makes: no
// subscript for a scalar.
func (b *Param) index(c *Context, name string) (*Index, []Sub) {
	return indexOver(c, name, b.Coord.Shape)
}

// valueIndex is index over the values.
func (b *Param) valueIndex(c *Context, name string) (*Index, []Sub) {
	return indexOver(c, name, b.Decl.Type.Shape)
}

// param makes parameter n of its kind, with its coordinates.
func (p *Posterior) param(n int, q *dsl.Param, kind TensorKind) *Param {
	c := p.C
	stage := StagePosition
	if kind == GivenTensor {
		stage = StageGiven
	}
	b := &Param{Decl: q, Transform: transformOf(q), c: c}
	b.Coord = c.NewTensor(Tensor{Name: q.Name, Kind: kind, Shape: q.Coordinates(), Stage: stage, Row: n})
	if x := b.Size(); x.Name != "" && kind == CoordTensor {
		c.small[x.Name] = true
	}
	if q.Support.Lo != nil {
		b.Lo = p.el.expr(q.Support.Lo).at()
	}
	if q.Support.Hi != nil {
		b.Hi = p.el.expr(q.Support.Hi).at()
	}
	if b.Transform.Opaque {
		_, s := b.valueIndex(c, "i")
		body, formal := c.close(b.Value(s...))
		b.values = c.NewTensor(Tensor{Name: q.Name, Kind: SharedTensor, Shape: q.Type.Shape, Stage: stage, Positive: c.Sign(body) == Positive,
			Label: b.Transform.Name + "(" + q.Name + ")"})
		b.values.Def = &Def{Tensor: b.values, Indices: formal, Body: body}
	}
	return b
}

// reported is the value as draws show it: lo + (hi − lo)·1 may round to a number
// beyond hi.
func (b *Param) reported(c *Context, s ...Sub) *Expr {
	v := b.Value(s...)
	if !b.Transform.Rounds || b.Lo.Op == Num && b.Hi.Op == Num && b.Lo.Val+(b.Hi.Val-b.Lo.Val) == b.Hi.Val {
		return v
	}
	return c.Call("at_most", v, b.Hi)
}

// logJacobian returns what one coordinate contributes to log |dx/du|.
func (b *Param) logJacobian(c *Context, s []Sub) *Expr {
	b.coordinate(c, s) // the order of sums follows the age of nodes: that of the declarations
	return b.Transform.LogJacobian(c, b, s)
}

// coordinate is an unconstrained coordinate.
func (b *Param) coordinate(c *Context, s []Sub) *Expr { return c.Ref(b.Coord, s...) }

// behind is the number of values of a vector behind a position.
func (b *Param) behind(c *Context, s Sub) *Expr {
	n := b.Length()
	if s.IsFixed() {
		return c.Sub(c.Extent(n), c.Extent(s.At))
	}
	i := c.NewIndex("i", upTo(n))
	return c.Sum(i, c.Before(s, Sub{Index: i}))
}

// breaks are the logarithms of the parts of what is left of a stick that its k-th break takes, and leaves.
func (b *Param) breaks(c *Context, k Sub) (taken, left *Expr) {
	v := c.Sub(b.coordinate(c, []Sub{k}), c.Call("log", b.behind(c, k)))
	return c.Call("log_inv_logit", v), c.Call("log1m_inv_logit", v)
}

// logPart is the logarithm of the k-th part of a stick.
func (b *Param) logPart(c *Context, k Sub) *Expr {
	taken := c.within(k, upTo(b.Size())) // the last part is what the others leave
	if !taken.IsNum(0) {
		own, _ := b.breaks(c, k)
		taken = c.Mul(taken, own)
	}
	j := c.NewIndex("j", upTo(b.Size()))
	_, left := b.breaks(c, Sub{Index: j})
	return c.Add(taken, c.Sum(j, c.Mul(c.Before(Sub{Index: j}, k), left)))
}
