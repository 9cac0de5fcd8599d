package model

import (
	"slices"
	"strconv"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Param is a parameter: its coordinates and what they mean.
type Param struct {
	Decl      *dsl.Param
	Coord     *expr.Tensor
	Transform *Transform
	Lo, Hi    *expr.Expr    // of the support, where bounded; the offset and the multiplier, where there are some
	each      []*expr.Index // at which Lo and Hi are, where elements have bounds of their own
	// LoOfValues and HiOfValues are the bounds in terms of values of parameters, where they depend on some: of PriorTensors.
	LoOfValues, HiOfValues *expr.Expr
	c                      *expr.Context
	values                 *expr.Tensor // those of an opaque transform
	between                *expr.Tensor // what a transform has between its coordinates and its values
	// Of latent vectors: the row of the declaration, from plain coordinates to values, and these plain coordinates, of a matrix of few columns those of each of
	// these, or of its rows if across is not set.
	carried     *Transform
	plain       []*expr.Tensor
	across      bool
	innovations []*innovations // that the values are of a chain, and this of another in turn, whose elements are the plain coordinates
}

// Value returns the value at subscripts, on the parameter's own scale.
func (b *Param) Value(subs ...expr.Sub) *expr.Expr {
	if b.values != nil {
		return b.c.Ref(b.values, subs...)
	}
	if b.Latent() {
		return b.carried.Value(b.c, b, subs)
	}
	return b.Transform.Value(b.c, b, subs)
}

// Between is an element of what stands between the coordinates and the values.
func (b *Param) Between(subs ...expr.Sub) *expr.Expr { return b.c.Ref(b.between, subs...) }

// Plain is the plain coordinate of a latent vector at subscripts: what its declaration says the unconstrained coordinate of a
// value is.
func (b *Param) Plain(subs ...expr.Sub) *expr.Expr {
	if b.undivided() {
		return b.c.Ref(b.plain[0], subs...)
	}
	at, k := subs[0], subs[1]
	if !b.across {
		at, k = k, at
	}
	sum := b.c.Number(0)
	for n, t := range b.plain {
		sum = b.c.Add(sum, b.c.Mul(b.c.Delta(k, expr.Sub{At: dsl.Fixed(n + 1)}), b.c.Ref(t, at)))
	}
	return sum
}

// plainBase names the plain coordinates in programs: by the chain that they are, or the parameter.
func (b *Param) plainBase() string {
	n := len(b.innovations)
	switch {
	case n == 0:
		return b.Decl.Name
	case b.innovations[n-1].of.Recursion == nil:
		return b.Decl.Name + "_effect"
	}
	return b.innovations[n-1].of.ObjectName()
}

// PlainName is what the plain coordinates of a latent vector are, to people.
func (b *Param) PlainName() string {
	if n := len(b.innovations); n > 0 {
		return b.innovations[n-1].name()
	}
	_, label := b.carried.plain(b.Decl.ObjectName())
	return label
}

// Part are the subscripts of element at of the n-th latent vector that a parameter is, counted from 0.
func (b *Param) Part(n int, at ...expr.Sub) []expr.Sub {
	k := expr.Sub{At: dsl.Fixed(n + 1)}
	switch {
	case b.undivided():
		return at
	case b.across:
		return []expr.Sub{at[0], k}
	}
	return []expr.Sub{k, at[0]}
}

// undivided reports whether all values of a parameter are one latent vector, or an array of vectors whose number the data say.
func (b *Param) undivided() bool { return len(b.plain[0].Shape) == len(b.Decl.Type.Shape) }

// Size returns the number of coordinates.
func (b *Param) Size() dsl.Extent { return expr.ExtentOf(b.Coord.Shape) }

// Length returns the number of values: that of the coordinates, or more.
func (b *Param) Length() dsl.Extent { return expr.ExtentOf(b.Decl.Type.Shape) }

// Latent reports whether the parameter is a latent vector, or a matrix of some: its plain coordinates are those of transports.
func (b *Param) Latent() bool { return b.carried != nil }

// Scalar reports whether the parameter is a scalar.
func (b *Param) Scalar() bool { return len(b.Decl.Type.Shape) == 0 }

// Matrix reports whether the parameter is a matrix.
func (b *Param) Matrix() bool { return len(b.Decl.Type.Shape) == 2 }

// Index returns a fresh index over the coordinates, and the subscripts it makes: no
// subscript for a scalar. Of a matrix it numbers the coordinates.
func (b *Param) Index(c *expr.Context, name string) (*expr.Index, []expr.Sub) {
	return expr.IndexOver(c, name, b.Coord.Shape)
}

// Indices are fresh indices over the coordinates, one for each dimension, and the subscripts they make.
func (b *Param) Indices(c *expr.Context, name string) ([]*expr.Index, []expr.Sub) {
	return expr.IndicesOver(c, name, b.Coord.Shape)
}

// ValueIndices are Indices over the values.
func (b *Param) ValueIndices(c *expr.Context, name string) ([]*expr.Index, []expr.Sub) {
	return expr.IndicesOver(c, name, b.Decl.Type.Shape)
}

// param makes parameter n of its kind, with its coordinates.
func (p *Posterior) param(n int, q *dsl.Param, kind expr.TensorKind, latent bool) *Param {
	c := p.C
	stage := expr.StagePosition
	if kind == expr.GivenTensor {
		stage = expr.StageGiven
	}
	b := &Param{Decl: q, Transform: TransformOf(q), c: c}
	if latent {
		return p.latent(b, n)
	}
	b.Coord = c.NewTensor(expr.Tensor{Name: q.Name, Kind: kind, Shape: q.Coordinates(), Stage: stage, Row: n})
	for _, x := range b.Coord.Shape {
		if kind == expr.CoordTensor {
			c.HoldLength(x)
		}
	}
	if t := b.Transform; t.Between != nil {
		b.between = b.defined(stage, t.BetweenName, func(s []expr.Sub) *expr.Expr { return t.Between(c, b, s) })
		b.between.Name += "_factor"
	}
	if b.Transform.Opaque {
		b.values = b.defined(stage, b.Transform.Name, func(s []expr.Sub) *expr.Expr { return b.Transform.Value(c, b, s) })
		b.values.Symmetric = q.Constraint.IsSymmetric()
		b.values.Root = b.between
	}
	return b
}

// defined is a shared definition of the shape of the values.
func (b *Param) defined(stage expr.Stage, name string, element func(s []expr.Sub) *expr.Expr) *expr.Tensor {
	c, q := b.c, b.Decl
	if shape := q.Type.Shape; len(shape) >= 2 {
		c.HoldMatrix(shape[len(shape)-2], shape[len(shape)-1])
	}
	_, s := b.ValueIndices(c, "i")
	body, formal := c.Close(element(s))
	t := c.NewTensor(expr.Tensor{Name: q.Name, Kind: expr.SharedTensor, Shape: q.Type.Shape, Stage: stage, Positive: c.Sign(body) == expr.Positive,
		Label: name + "(" + q.Name + ")"})
	t.Def = &expr.Def{Tensor: t, Indices: formal, Body: body}
	return t
}

// bounds elaborates the bounds of a parameter, or its offset and multiplier, or those of an element of it, for which the parameters above it are known, in terms of what stands for them.
func (p *Posterior) bounds(q *dsl.Param, at []expr.Sub) (lo, hi *expr.Expr) {
	ends := q.Ends()
	if ends[0] != nil {
		lo = expr.Pick(p.el.Expr(ends[0]), at)
	}
	if ends[1] != nil {
		hi = expr.Pick(p.el.Expr(ends[1]), at)
	}
	return lo, hi
}

// Bounds are those of an element, nil where there is none.
func (b *Param) Bounds(at []expr.Sub) (lo, hi *expr.Expr) {
	if len(b.each) == 0 {
		return b.Lo, b.Hi
	}
	if b.Lo != nil {
		lo = b.c.SubstAll(b.Lo, b.each, at)
	}
	if b.Hi != nil {
		hi = b.c.SubstAll(b.Hi, b.each, at)
	}
	return lo, hi
}

// boundsOfValues elaborates the bounds that depend on parameters in terms of their values, each on its own scale.
func (p *Posterior) boundsOfValues() {
	if !slices.ContainsFunc(p.Params, func(b *Param) bool { return b.Decl.BoundByParams() }) {
		return
	}
	was := map[dsl.Object]expr.Value{}
	for n, b := range p.Params {
		t := p.valuesOf(n)
		was[b.Decl] = p.el.Objects[b.Decl]
		p.el.Objects[b.Decl] = expr.Value{Shape: t.Shape, Elem: func(s ...expr.Sub) *expr.Expr { return p.C.Ref(t, s...) }}
	}
	for _, b := range p.Params {
		if b.Decl.BoundByParams() {
			b.LoOfValues, b.HiOfValues = p.bounds(b.Decl, nil)
		}
	}
	for q, v := range was {
		p.el.Objects[q] = v
	}
}

// valuesOf is a tensor of the values of a parameter on its own scale.
func (p *Posterior) valuesOf(n int) *expr.Tensor {
	b := p.Params[n]
	return p.C.NewTensor(expr.Tensor{Name: b.Decl.ObjectName(), Kind: expr.PriorTensor, Shape: b.Decl.Type.Shape, Stage: expr.StageDraw, Row: n,
		Positive: b.Decl.Support.LoNum != nil && *b.Decl.Support.LoNum >= 0})
}

// MostVectors is how many latent vectors a matrix may be.
const MostVectors = 4

// vectors are the number of latent vectors that a parameter may be, and their shape: a vector is one, as a number is, a matrix its columns, or its rows, where these are a
// few whatever the data. What has more dimensions, or more of both, is an array of vectors as a whole, of which each is as if alone. So are more than two columns where dense maps are
// allowed: their formulas are shorter than those of columns that are eliminated one after the other, which some models have no room for.
func (p *Posterior) vectors(q *dsl.Param) (number int, shape []dsl.Extent, across bool) {
	shape = q.Coordinates()
	most := MostVectors
	if !p.Maps.banded() {
		most = 2
	}
	few := func(x dsl.Extent) bool { return x.IsConst() && x.Offset <= most }
	switch {
	case q.Constraint != nil:
	case len(shape) == 2 && few(shape[1]):
		return shape[1].Offset, shape[:1], true
	case len(shape) == 2 && few(shape[0]):
		return shape[0].Offset, shape[1:], false
	}
	return 1, shape, true
}

// latent makes the latent vectors of a parameter: plain coordinates without a definition, until there is a map from its coordinates to them.
func (p *Posterior) latent(b *Param, n int) *Param {
	c, q := p.C, b.Decl
	b.carried, b.Transform = b.Transform, b.Transform.carried()
	b.Coord = c.NewTensor(expr.Tensor{Name: q.Name + "_z", Kind: expr.CoordTensor, Shape: q.Coordinates(), Stage: expr.StagePosition, Row: n})
	var shape []dsl.Extent
	var number int
	p.innovate(b)
	number, shape, b.across = p.vectors(q)
	for k := range number {
		name, label := b.plainBase(), ""
		if len(shape) < len(q.Type.Shape) {
			name += "_" + strconv.Itoa(k+1)
		}
		name, label = b.carried.plain(name)
		b.plain = append(b.plain, c.NewTensor(expr.Tensor{Name: name, Kind: expr.CoordTensor, Shape: shape, Stage: expr.StagePosition, Row: n, Label: label}))
	}
	if t := b.carried; t.Opaque {
		b.values = b.defined(expr.StagePosition, t.Name, func(s []expr.Sub) *expr.Expr { return t.Value(c, b, s) })
	}
	if len(b.innovations) > 0 {
		b.tensors(c)
	}
	c.HoldLength(b.Size())
	return b
}

// Reported is the value as draws show it: lo + (hi − lo)·1 may round to a number
// beyond hi.
func (b *Param) Reported(c *expr.Context, s ...expr.Sub) *expr.Expr {
	v := b.Value(s...)
	if !b.Transform.Rounds || b.Lo.Op == expr.Num && b.Hi.Op == expr.Num && b.Lo.Val+(b.Hi.Val-b.Lo.Val) == b.Hi.Val {
		return v
	}
	_, hi := b.Bounds(s)
	return c.Call("at_most", v, hi)
}

// logJacobian returns log |∂x/∂u|.
func (b *Param) logJacobian(c *expr.Context) *expr.Expr {
	if b.Transform.Total != nil {
		return b.Transform.Total(c, b)
	}
	indices, s := b.Indices(c, "i")
	if b.Latent() {
		return c.SumAll(indices, b.carried.LogJacobian(c, b, s))
	}
	b.coordinate(c, s) // the order of sums follows the age of nodes: that of the declarations
	return c.SumAll(indices, b.Transform.LogJacobian(c, b, s))
}

// coordinate is an unconstrained coordinate, of a latent vector a plain one.
func (b *Param) coordinate(c *expr.Context, s []expr.Sub) *expr.Expr {
	if b.Latent() {
		return b.Plain(s...)
	}
	return c.Ref(b.Coord, s...)
}

// behind is the number of values of a vector behind a position.
func (b *Param) behind(c *expr.Context, s expr.Sub) *expr.Expr {
	n := b.Decl.Type.Shape[len(b.Decl.Type.Shape)-1]
	if s.IsFixed() {
		return c.Sub(c.Extent(n), c.Extent(s.At))
	}
	i := c.NewIndex("i", expr.UpTo(n))
	return c.Sum(i, c.Before(s, expr.Sub{Index: i}))
}

// breaks are the logarithms of the parts of what is left of a stick, that of a row if there are several, that its k-th break takes, and leaves.
func (b *Param) breaks(c *expr.Context, row []expr.Sub, k expr.Sub) (taken, left *expr.Expr) {
	v := c.Sub(b.coordinate(c, append(slices.Clone(row), k)), c.Call("log", b.behind(c, k)))
	return c.Call("log_inv_logit", v), c.Call("log1m_inv_logit", v)
}

// logPart is the logarithm of the k-th part of a stick.
func (b *Param) logPart(c *expr.Context, row []expr.Sub, k expr.Sub) *expr.Expr {
	last := expr.UpTo(b.Coord.Shape[len(row)])
	taken := c.Within(k, last) // the last part is what the others leave
	if !taken.IsNum(0) {
		own, _ := b.breaks(c, row, k)
		taken = c.Mul(taken, own)
	}
	j := c.NewIndex("j", last)
	_, left := b.breaks(c, row, expr.Sub{Index: j})
	return c.Add(taken, c.Sum(j, c.Mul(c.Before(expr.Sub{Index: j}, k), left)))
}
