package symbolic

// dependsOnPosition reports whether a tensor changes with the coordinates.
func (p *Program) dependsOnPosition(t *Tensor, memo map[*Tensor]bool) bool {
	if t.Kind == CoordTensor {
		return true
	}
	if t.Part != nil {
		for _, u := range t.Part.Of.Inputs {
			if u.Raw.stage >= StagePosition {
				return true
			}
		}
		return false
	}
	if t.Kind != DefTensor || t.Stage < StagePosition {
		return false
	}
	if r, ok := memo[t]; ok {
		return r
	}
	r := false
	Refs(t.Def.Body, func(x *Expr) { r = r || p.dependsOnPosition(x.Tensor, memo) })
	memo[t] = r
	return r
}

// Adjoint returns, for each parameter block, the derivative of a lowered
// scalar by the block's coordinate at the given subscripts: one reverse sweep
// over the definitions. The components of a solution of differential equations are part of the sweep or, where
// direct is set, differentiated by the coordinates wherever they stand: what has been summed over the times then
// has a derivative of its own for each coordinate, which no weight enters.
func (p *Program) Adjoint(root *Expr, at [][]Sub, direct bool) []*Expr {
	c := p.c
	s := &sweep{p: p, direct: direct, depends: map[*Tensor]bool{}, bars: map[*Tensor]*bar{}}
	s.visit(root, nil, c.Number(1))
	for n := len(p.Defs) - 1; n >= 0; n-- {
		s.pass(p.Defs[n])
	}
	for n := len(p.post.Solves) - 1; n >= 0; n-- { // an input may be of an earlier one
		s.passSolution(p.post.Solves[n])
	}
	out := make([]*Expr, len(p.post.Params))
	for n, b := range p.post.Params {
		out[n] = s.at(b.Coord, at[n])
	}
	return out
}

// sweep is a reverse sweep over the definitions of a program.
type sweep struct {
	p       *Program
	direct  bool
	depends map[*Tensor]bool // what dependsOnPosition found
	bars    map[*Tensor]*bar
}

// bar is the derivative of the root by a tensor, at indices of its own, as far as it is known.
type bar struct {
	indices []*Index
	*total
}

func (s *sweep) total(b *bar) *Expr { return s.p.c.operand(s.p.c.settled(b.sum())) }

// at is the derivative by an element of a tensor.
func (s *sweep) at(t *Tensor, subs []Sub) *Expr {
	c, b := s.p.c, s.bars[t]
	if b == nil {
		return c.Number(0)
	}
	e := s.total(b)
	for m, i := range b.indices {
		e = c.Subst(e, i, subs[m])
	}
	return e
}

// bar is that of a tensor, which may not have been met yet.
func (s *sweep) bar(t *Tensor) *bar {
	b := s.bars[t]
	if b == nil {
		b = &bar{total: s.p.c.newTotal()}
		for _, x := range t.Shape {
			b.indices = append(b.indices, s.p.c.NewIndex("a", upTo(x)))
		}
		s.bars[t] = b
	}
	return b
}

// pass hands the derivative by a definition on to what its body reads.
func (s *sweep) pass(d *Def) {
	p, c := s.p, s.p.c
	bar := s.bars[d.Tensor]
	if bar == nil {
		return
	}
	// The adjoint at the definition's own indices.
	e := s.total(bar)
	if len(d.Indices) > 0 && !s.direct && readsSolution(d.Body) {
		e = p.settle(e, bar.indices) // all that the solution's components share
	}
	fresh := make([]*Index, len(d.Indices))
	body := d.Body
	for m, i := range d.Indices {
		fresh[m] = c.NewIndex(i.Name, i.Range)
		e = c.Subst(e, bar.indices[m], Sub{Index: fresh[m]})
	}
	// The body stays lowered: what it refers to is what its adjoint goes to.
	sharing := c.sharing
	c.sharing = false
	for m, i := range d.Indices {
		body = c.Subst(body, i, Sub{Index: fresh[m]})
	}
	c.sharing = sharing
	s.visit(body, fresh, e)
}

// passSolution hands the derivatives by the components of a solution on to what its inputs read.
func (s *sweep) passSolution(solution *Solution) {
	slopes := s.p.slopes(solution, func(t *Tensor) *Expr {
		if s.bars[t] == nil {
			return nil
		}
		return s.at(t, []Sub{{Index: solution.index}})
	})
	for k, slope := range slopes {
		if !slope.IsNum(0) {
			s.visit(solution.Inputs[k].Raw, nil, slope)
		}
	}
}

// visit distributes the derivative e by an expression body that runs over indices.
func (s *sweep) visit(body *Expr, indices []*Index, e *Expr) {
	c := s.p.c
	defer func(was bool) { c.apart = was }(c.apart)
	c.apart = !s.direct
	// Of a sum only those terms are differentiated by a tensor that hold it: there may be many
	// of both.
	terms, ks := []*Expr{body}, []float64{1}
	if body.Op == Add {
		terms, ks = body.Args, body.K
	}
	seen, held := s.held(terms)
	for _, t := range seen {
		b := s.bar(t)
		var k []float64
		var by []*Expr
		for _, n := range held[t] {
			d := terms[n]
			if d.Op == Apply {
				d = c.tangent(d, subsOf(indices), t, subsOf(b.indices))
			} else {
				d = c.Diff(d, t, subsOf(b.indices)...)
			}
			k, by = append(k, ks[n]), append(by, d)
		}
		d := c.Mul(e, c.Linear(0, k, by))
		for _, i := range indices {
			d = c.Sum(i, d)
		}
		b.add(d)
	}
}

// held lists the tensors that depend on the position in terms, and for each the numbers of the terms that hold it, in
// order.
func (s *sweep) held(terms []*Expr) (seen []*Tensor, held map[*Tensor][]int) {
	held = map[*Tensor][]int{}
	note := func(t *Tensor, term int) {
		in, noted := held[t]
		if !noted && s.p.dependsOnPosition(t, s.depends) {
			seen = append(seen, t)
		}
		if len(in) == 0 || in[len(in)-1] != term {
			held[t] = append(in, term)
		}
	}
	var collect func(e *Expr, term int)
	collect = func(e *Expr, term int) {
		Refs(e, func(r *Expr) {
			if part := r.Tensor.Part; part != nil && s.direct {
				for _, u := range part.Of.Inputs {
					collect(u.Raw, term)
				}
				return
			}
			note(r.Tensor, term)
		})
	}
	for n, e := range terms {
		collect(e, n)
	}
	return seen, held
}

// slopes returns the derivatives of a scalar by the inputs of a differential equation, of which bar says the
// derivatives by the components of its solution at the time index, nil for 0: Σ_n Σ_s bar_s[n] ∂s[n]/∂u_k. Each
// bar is computed once at a time, for all inputs.
func (p *Program) slopes(s *Solution, bar func(*Tensor) *Expr) []*Expr {
	c := p.c
	totals := make([]*total, len(s.Inputs))
	for k := range totals {
		totals[k] = c.newTotal()
	}
	for _, part := range s.Parts {
		b := bar(part.Tensor)
		if b == nil || b.IsNum(0) {
			continue
		}
		b = p.settle(b, []*Index{s.index})
		for k := range s.Inputs {
			totals[k].add(c.Mul(b, part.derivative(c, k, []Sub{{Index: s.index}})))
		}
	}
	out := make([]*Expr, len(totals))
	for k, t := range totals {
		out[k] = c.Sum(s.index, p.settle(t.sum(), []*Index{s.index})) // one sum, of all components
	}
	return out
}

// settle lowers an adjoint at indices of its own to a definition, if it takes an operation.
func (p *Program) settle(e *Expr, indices []*Index) *Expr {
	if e = p.Lower(e, indices); nodeCost(e) >= 1 && p.c.storable(e.free) {
		e = p.define(e, nil)
	}
	return e
}

// readsSolution reports whether e reads a component of the solution of a differential equation.
func readsSolution(e *Expr) bool {
	found := false
	Refs(e, func(r *Expr) { found = found || r.Tensor.Part != nil })
	return found
}
