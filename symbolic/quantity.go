package symbolic

import (
	"fmt"

	"github.com/hamc-dev/hamc/dsl"
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
	Tensor  *Tensor
	indices []*Index
	body    *Expr   // nil if the last of the draws is the quantity itself
	draws   []*draw // which its value holds
}

// draw is one call of an _rng function: a tensor over indices, and the arguments
// at them. Of a vector the arguments are vectors, and there may be a covariance.
type draw struct {
	dist       *dsl.Distribution
	tensor     *Tensor
	indices    []*Index
	args       []*Expr
	covariance *value
}

// quantities elaborates the generated quantities.
func (p *Posterior) quantities() {
	c := p.C
	for _, decl := range p.Model.Quantities {
		q := &Quantity{Decl: decl}
		p.el.draw = func(call *dsl.CallExpr, args []value) value {
			return p.drawn(q, call, args)
		}
		for _, ix := range decl.Indices {
			i := c.NewIndex(ix.ObjectName(), ix.Range)
			p.el.indices[ix] = Sub{Index: i}
			q.indices = append(q.indices, i)
		}
		p.el.drawing = q.indices
		v := p.el.expr(decl.Value)
		p.el.drawing = nil
		for d := range v.shape {
			q.indices = append(q.indices, c.NewIndex([]string{"i", "j"}[d], upTo(v.shape[d])))
		}
		subs := subsOf(q.indices)
		q.body = v.at(subs[len(decl.Indices):]...)
		q.Tensor = c.NewTensor(Tensor{Name: decl.ObjectName(), Kind: QuantityTensor, Shape: decl.Type.Shape, Stage: StageDraw})
		if n := len(q.draws); n > 0 && q.body == c.Ref(q.draws[n-1].tensor, subs...) {
			q.draws[n-1].tensor, q.body = q.Tensor, nil
		}
		p.el.objects[decl] = value{shape: decl.Type.Shape, elem: func(s ...Sub) *Expr { return c.Ref(q.Tensor, s...) }}
		p.Quantities = append(p.Quantities, q)
	}
	p.el.draw = nil
}

// drawn elaborates a call of an _rng function.
func (p *Posterior) drawn(q *Quantity, call *dsl.CallExpr, args []value) value {
	c := p.C
	shape := call.Type().Shape
	own := make([]*Index, len(shape))
	for d := range own {
		own[d] = c.NewIndex([]string{"i", "j"}[d], upTo(shape[d]))
	}
	around := p.el.drawing
	x := &draw{dist: call.Draws, indices: append(around[:len(around):len(around)], own...)}
	var full []dsl.Extent
	for _, i := range x.indices {
		full = append(full, i.Range.Hi)
	}
	name := fmt.Sprintf("%s_draw%d", q.Decl.ObjectName(), len(q.draws)+1)
	x.tensor = c.NewTensor(Tensor{Name: name, Kind: DefTensor, Shape: full, Stage: StageDraw})
	for n, a := range args {
		if call.Draws.Args[n].Domain == dsl.Covariance {
			x.covariance = &a
			continue
		}
		x.args = append(x.args, pick(a, subsOf(own)))
	}
	q.draws = append(q.draws, x)
	at := subsOf(around)
	return value{shape: shape, elem: func(s ...Sub) *Expr {
		return c.Ref(x.tensor, append(at[:len(at):len(at)], s...)...)
	}}
}
