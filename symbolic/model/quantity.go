package model

import (
	"fmt"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Generated quantities. Each is a definition with a tensor of its own, which
// later ones refer to: what was drawn is drawn once. A call of an _rng function
// is a definition too, over the indices of the quantity and of the sums around
// the call, so that it draws anew for each of their values; its node is the whole
// body, never a part of an expression. The random numbers of a stream are used in
// the order of these definitions: quantity by quantity in the order of the text,
// within one call by call from the left, inner calls first, and within a call
// element by element, the last index fastest.

// Quantity is the elaborated form of one dsl.Quantity.
type Quantity struct {
	Decl    *dsl.Quantity
	Tensor  *expr.Tensor
	Indices []*expr.Index
	Body    *expr.Expr // nil if the last of the draws is the quantity itself
	Draws   []*Draw    // which its value holds
}

// Draw is one call of an _rng function: a tensor over indices, and the arguments
// at them. Of a vector the arguments are vectors, and there may be a covariance.
type Draw struct {
	Dist       *dsl.Distribution
	Tensor     *expr.Tensor
	Indices    []*expr.Index
	Args       []*expr.Expr
	Covariance *expr.Value
}

// quantities elaborates the generated quantities.
func (p *Posterior) quantities() {
	c := p.C
	for _, decl := range p.Model.Quantities {
		q := &Quantity{Decl: decl}
		p.el.Draw = func(call *dsl.CallExpr, args []expr.Value) expr.Value {
			return p.drawn(q, call, args)
		}
		for _, ix := range decl.Indices {
			i := c.NewIndex(ix.ObjectName(), ix.Range)
			p.el.Indices[ix] = expr.Sub{Index: i}
			q.Indices = append(q.Indices, i)
		}
		p.el.Drawing = q.Indices
		v := p.el.Expr(decl.Value)
		p.el.Drawing = nil
		for d := range v.Shape {
			q.Indices = append(q.Indices, c.NewIndex([]string{"i", "j"}[d], expr.UpTo(v.Shape[d])))
		}
		subs := expr.SubsOf(q.Indices)
		q.Body = v.At(subs[len(decl.Indices):]...)
		q.Tensor = c.NewTensor(expr.Tensor{Name: decl.ObjectName(), Kind: expr.QuantityTensor, Shape: decl.Type.Shape, Stage: expr.StageDraw})
		if n := len(q.Draws); n > 0 && q.Body == c.Ref(q.Draws[n-1].Tensor, subs...) {
			q.Draws[n-1].Tensor, q.Body = q.Tensor, nil
		}
		p.el.Objects[decl] = expr.Value{Shape: decl.Type.Shape, Elem: func(s ...expr.Sub) *expr.Expr { return c.Ref(q.Tensor, s...) }}
		p.Quantities = append(p.Quantities, q)
	}
	p.el.Draw = nil
}

// drawn elaborates a call of an _rng function.
func (p *Posterior) drawn(q *Quantity, call *dsl.CallExpr, args []expr.Value) expr.Value {
	c := p.C
	shape := call.Type().Shape
	own := make([]*expr.Index, len(shape))
	for d := range own {
		own[d] = c.NewIndex([]string{"i", "j"}[d], expr.UpTo(shape[d]))
	}
	around := p.el.Drawing
	x := &Draw{Dist: call.Draws, Indices: append(around[:len(around):len(around)], own...)}
	var full []dsl.Extent
	for _, i := range x.Indices {
		full = append(full, i.Range.Hi)
	}
	name := fmt.Sprintf("%s_draw%d", q.Decl.ObjectName(), len(q.Draws)+1)
	x.Tensor = c.NewTensor(expr.Tensor{Name: name, Kind: expr.DefTensor, Shape: full, Stage: expr.StageDraw})
	for n, a := range args {
		if call.Draws.Args[n].Domain == dsl.Covariance {
			x.Covariance = &a
			continue
		}
		x.Args = append(x.Args, expr.Pick(a, expr.SubsOf(own)))
	}
	q.Draws = append(q.Draws, x)
	at := expr.SubsOf(around)
	return expr.Value{Shape: shape, Elem: func(s ...expr.Sub) *expr.Expr {
		return c.Ref(x.Tensor, append(at[:len(at):len(at)], s...)...)
	}}
}
