package symbolic

import "math"

// add appends a definition.
func (p *Program) add(t *Tensor, indices []*Index, body *Expr) {
	t.Def = &Def{Tensor: t, Indices: indices, Body: body}
	p.Defs = append(p.Defs, t.Def)
}

// drawOf returns the body of a draw, with its arguments lowered.
func (p *Program) drawOf(x *draw) Expr {
	e := Expr{Op: Draw, Dist: x.dist}
	for n, a := range x.args {
		a = p.Lower(a, x.indices)
		if x.dist.Support.Vector() {
			// The argument of a vector is an array: of a normal one its mean.
			name := x.dist.Args[n].Name
			if x.covariance != nil {
				name = "mean"
			}
			array := p.c.NewTensor(Tensor{Name: x.tensor.Name + "_" + name, Kind: DefTensor, Shape: x.tensor.Shape, Stage: StageDraw})
			p.add(array, x.indices, a)
			a = p.c.Ref(array, subsOf(x.indices)...)
		}
		e.Args = append(e.Args, a)
	}
	if x.covariance != nil {
		f := p.lowerApplied(p.c.application(operatorOf(factorName), *x.covariance).Def)
		e.Args, e.Tensor = append(e.Args, f), f.Tensor
	}
	return e
}

// lowerQuantity adds the definitions of a quantity.
func (p *Program) lowerQuantity(q *Quantity) Output {
	for _, x := range q.draws {
		p.add(x.tensor, x.indices, p.c.intern(p.drawOf(x)))
	}
	if q.body != nil {
		p.add(q.Tensor, q.indices, p.Lower(q.body, q.indices))
	}
	none := -1
	return Output{Row: none, Col: none, Dir: none, Indices: q.indices, E: p.c.Ref(q.Tensor, subsOf(q.indices)...)}
}

// lowerPrior adds the definition of a draw from the prior. A distribution that
// is truncated has its ends as arguments more.
func (p *Program) lowerPrior(x *Prior) Output {
	e := p.drawOf(&x.draw)
	if x.lo != nil || x.hi != nil {
		lo, hi := p.c.Number(math.Inf(-1)), p.c.Number(math.Inf(1))
		if x.lo != nil {
			lo = p.Lower(x.lo, nil)
		}
		if x.hi != nil {
			hi = p.Lower(x.hi, nil)
		}
		e.Args = append(e.Args, lo, hi)
	}
	p.add(x.tensor, x.indices, p.c.intern(e))
	none := -1
	return Output{Row: x.tensor.Row, Col: none, Dir: none, Indices: x.indices, E: p.c.Ref(x.tensor, subsOf(x.indices)...)}
}
