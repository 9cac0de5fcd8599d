package symbolic

import (
	"math"

	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/model"
)

// add appends a definition.
func (p *Program) add(t *expr.Tensor, indices []*expr.Index, body *expr.Expr) {
	t.Def = &expr.Def{Tensor: t, Indices: indices, Body: body}
	p.Defs = append(p.Defs, t.Def)
}

// drawOf returns the body of a draw, with its arguments lowered.
func (p *Program) drawOf(x *model.Draw, lower func(*expr.Expr, []*expr.Index) *expr.Expr) expr.Expr {
	e := expr.Expr{Op: expr.Draw, Dist: x.Dist}
	for n, a := range x.Args {
		a = lower(a, x.Indices)
		if x.Dist.Support.Vector() {
			// The argument of a vector is an array: of a normal one its mean.
			name := x.Dist.Args[n].Name
			if x.Covariance != nil {
				name = "mean"
			}
			array := p.c.NewTensor(expr.Tensor{Name: x.Tensor.Name + "_" + name, Kind: expr.DefTensor, Shape: x.Tensor.Shape, Stage: expr.StageDraw})
			p.add(array, x.Indices, a)
			a = p.c.Ref(array, expr.SubsOf(x.Indices)...)
		}
		e.Args = append(e.Args, a)
	}
	if x.Covariance != nil {
		factor := p.c.Apply(expr.OperatorOf(expr.FactorName), *x.Covariance)
		f := p.lowerShared(factor.At(expr.SubsOf(p.c.Slots(factor.Shape))...))
		e.Args, e.Tensor = append(e.Args, f), f.Tensor
	}
	return e
}

// lowerQuantity adds the definitions of a quantity. What the text draws is drawn, also where the value does not depend on it, as in
// 0*normal_rng(0, 1): which random numbers the next quantity uses is to be seen from the text.
func (p *Program) lowerQuantity(q *model.Quantity) Output {
	var made []*expr.Expr
	for _, x := range q.Draws {
		if q.Circle == nil {
			p.add(x.Tensor, x.Indices, p.c.Intern(p.drawOf(x, p.Lower)))
		}
		made = append(made, p.c.Ref(x.Tensor, expr.SubsOf(x.Indices)...))
	}
	if q.Body != nil {
		p.add(q.Tensor, q.Indices, p.Lower(q.Body, q.Indices))
	}
	none := -1
	return Output{Row: none, Col: none, Dir: none, Indices: q.Indices, E: p.c.Ref(q.Tensor, expr.SubsOf(q.Indices)...), Made: made}
}

// lowerCircle adds the definitions of quantities that are computed together, position by position.
func (p *Program) lowerCircle(circle []*model.Quantity) {
	source := circle[0].Circle
	own := &expr.Recursion{Down: source.Down}
	draws := map[*expr.Tensor]*model.Draw{}
	for _, q := range circle {
		for _, x := range q.Draws {
			draws[x.Tensor] = x
		}
	}
	for _, m := range source.Members {
		d := m.Def
		if m.Kind == expr.RecursionTensor { // of a sum of exponentials
			p.recursive[m] = p.member(own, m.Name, *m, d.Indices)
			continue
		}
		own.Members = append(own.Members, m)
		d.Recursion = own
	}
	within := func(e *expr.Expr, indices []*expr.Index) *expr.Expr { return p.lowerInside(own, e, indices) }
	var defs []*expr.Def
	for n, m := range source.Members {
		d := own.Members[n].Def
		if x := draws[m]; x != nil {
			d.Body = p.c.Intern(p.drawOf(x, within))
		} else {
			d.Body = within(m.Def.Body, d.Indices)
		}
		defs = append(defs, d)
	}
	p.Defs = append(p.Defs, defs...)
}

// lowerPrior adds the definition of a draw from the prior. A distribution that
// is truncated has its ends as arguments more.
func (p *Program) lowerPrior(x *model.Prior) Output {
	e := p.drawOf(&x.Draw, p.Lower)
	if x.Lo != nil || x.Hi != nil {
		lo, hi := p.c.Number(math.Inf(-1)), p.c.Number(math.Inf(1))
		if x.Lo != nil {
			lo = p.Lower(x.Lo, x.Indices)
		}
		if x.Hi != nil {
			hi = p.Lower(x.Hi, x.Indices)
		}
		e.Args = append(e.Args, lo, hi)
	}
	p.add(x.Tensor, x.Indices, p.c.Intern(e))
	none := -1
	return Output{Row: x.Tensor.Row, Col: none, Dir: none, Indices: x.Indices, E: p.c.Ref(x.Tensor, expr.SubsOf(x.Indices)...)}
}
