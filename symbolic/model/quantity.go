package model

import (
	"fmt"
	"slices"

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
// element by element, the last index fastest. Quantities in parts are computed position by position, those of a circle together, and what the
// part of a position draws is drawn there.

// Quantity is the elaborated form of one dsl.Quantity.
type Quantity struct {
	Decl    *dsl.Quantity
	Tensor  *expr.Tensor
	Indices []*expr.Index
	Body    *expr.Expr // nil if the last of the draws is the quantity itself
	Draws   []*Draw    // which its value holds

	// Circle is that of a quantity in parts: its members are the quantities that are computed together, and what these draw.
	Circle *expr.Recursion
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
	parts := map[*dsl.Let]*Quantity{}
	for _, decl := range p.Model.Quantities {
		if decl.Recursion != nil {
			p.inParts(decl, parts)
			continue
		}
		q := &Quantity{Decl: decl}
		p.drawsOf(q)
		for _, ix := range decl.Indices {
			i := c.NewIndex(ix.ObjectName(), ix.Range)
			p.el.Indices[ix] = expr.Sub{Index: i}
			q.Indices = append(q.Indices, i)
		}
		p.el.Drawing = q.Indices
		v := p.el.Expr(decl.Value)
		p.el.Drawing = nil
		for d := range v.Shape {
			q.Indices = append(q.Indices, c.NewIndex(dsl.IndexName(d), expr.UpTo(v.Shape[d])))
		}
		subs := expr.SubsOf(q.Indices)
		q.Body = v.At(subs[len(decl.Indices):]...)
		q.Tensor = c.NewTensor(tensorOf(decl))
		if n := len(q.Draws); n > 0 && q.Body == c.Ref(q.Draws[n-1].Tensor, subs...) {
			q.Draws[n-1].Tensor, q.Body = q.Tensor, nil
		}
		p.declareQuantity(q)
	}
	p.el.Draw = nil
}

// tensorOf is the tensor of a quantity.
func tensorOf(decl *dsl.Quantity) expr.Tensor {
	return expr.Tensor{Name: decl.ObjectName(), Kind: expr.QuantityTensor, Shape: decl.Type.Shape, Stage: expr.StageDraw}
}

// drawsOf makes what is elaborated that of a quantity: the draws are its.
func (p *Posterior) drawsOf(q *Quantity) {
	p.el.Draw = func(call *dsl.CallExpr, args []expr.Value) expr.Value { return p.drawn(q, call, args) }
}

// declareQuantity makes a quantity known to those behind it.
func (p *Posterior) declareQuantity(q *Quantity) {
	p.el.Objects[q.Decl] = expr.Value{Shape: q.Decl.Type.Shape, Elem: func(s ...expr.Sub) *expr.Expr { return p.C.Ref(q.Tensor, s...) }}
	p.Quantities = append(p.Quantities, q)
}

// inParts elaborates a quantity in parts, and with the first one of a circle the others of it: known are those that are elaborated.
func (p *Posterior) inParts(decl *dsl.Quantity, known map[*dsl.Let]*Quantity) {
	if known[&decl.Let] != nil {
		return
	}
	c := p.C
	members, down := []*dsl.Let{&decl.Let}, false
	if circle := decl.Recursion.Circle; circle != nil {
		members, down = circle.Members, circle.Down
	}
	defer func(was bool) { c.Sharing = was }(c.Sharing)
	c.Sharing = false // what would be shared depends on the recursion
	r := &expr.Recursion{Down: down}
	for _, m := range members {
		q := &Quantity{Decl: m.Quantity(), Circle: r}
		for n, x := range q.Decl.Type.Shape {
			q.Indices = append(q.Indices, c.NewIndex(partIndex(n), expr.UpTo(x)))
		}
		q.Tensor = c.Recursive(r, tensorOf(q.Decl), q.Indices)
		known[m] = q
		p.declareQuantity(q)
	}
	var all []*expr.Tensor
	for n, m := range members {
		q, made := known[m], len(r.Members)
		p.drawsOf(q)
		p.el.Inside = &expr.Member{Of: r, Name: m.ObjectName(), Along: q.Indices[0], Stage: expr.StageDraw}
		p.el.Drawing = q.Indices
		q.Tensor.Def.Body, _ = p.joined(p.parts(m, q.Indices))
		p.el.Inside, p.el.Drawing = nil, nil
		all = append(append(all, r.Members[made:]...), r.Members[n]) // what the body is made of comes before it
	}
	r.Members = all
}

// drawn elaborates a call of an _rng function.
func (p *Posterior) drawn(q *Quantity, call *dsl.CallExpr, args []expr.Value) expr.Value {
	c := p.C
	shape := call.Type().Shape
	own := make([]*expr.Index, len(shape))
	for d := range own {
		own[d] = c.NewIndex(dsl.IndexName(d), expr.UpTo(shape[d]))
	}
	around := p.el.Drawing
	x := &Draw{Dist: call.Draws, Indices: append(around[:len(around):len(around)], own...)}
	tensor := expr.Tensor{Name: fmt.Sprintf("%s_draw%d", q.Decl.ObjectName(), len(q.Draws)+1), Kind: expr.DefTensor, Stage: expr.StageDraw}
	for _, i := range x.Indices {
		tensor.Shape = append(tensor.Shape, i.Range.Hi)
	}
	if in := p.el.Inside; in != nil {
		// It is drawn at the positions of its part, and nowhere else.
		x.Indices = slices.Clone(x.Indices)
		x.Indices[0] = c.NewIndex(in.Along.Name, in.Part)
		x.Tensor = c.Recursive(in.Of, tensor, x.Indices)
	} else {
		x.Tensor = c.NewTensor(tensor)
	}
	for n, a := range args {
		if call.Draws.Args[n].Domain == dsl.Covariance {
			x.Covariance = &a
			continue
		}
		x.Args = append(x.Args, expr.Pick(a, expr.SubsOf(own)))
	}
	if in := p.el.Inside; in != nil {
		for n, a := range x.Args {
			x.Args[n] = c.Subst(a, in.Along, expr.Sub{Index: x.Indices[0]})
		}
	}
	q.Draws = append(q.Draws, x)
	at := expr.SubsOf(around)
	return expr.Value{Shape: shape, Elem: func(s ...expr.Sub) *expr.Expr {
		return c.Ref(x.Tensor, append(at[:len(at):len(at)], s...)...)
	}}
}
