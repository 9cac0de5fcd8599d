package symbolic

import (
	"slices"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Recursions become definitions that stand together in a program, and that are computed in one pass.

// lowerRecursion lowers an element of a recursion.
func (p *Program) lowerRecursion(e *expr.Expr) *expr.Expr {
	if p.recursive[e.Tensor] == nil {
		source := e.Tensor.Def.Recursion
		own := &expr.Recursion{Down: source.Down}
		for _, m := range source.Members {
			p.recursive[m] = p.member(own, m.Name, *m, m.Def.Indices)
			p.source[p.recursive[m]] = m
		}
		members := slices.Clone(own.Members)
		var order []*expr.Tensor
		for n, m := range source.Members {
			d := members[n].Def
			d.Body = p.lowerInside(own, m.Def.Body, d.Indices)
			made := len(own.Members)
			if d.Body.Stage() >= expr.StagePosition && m.Passes() {
				d.Body = p.staged(own, members[n], d.Body, nil)
			}
			order = append(append(order, own.Members[made:]...), members[n]) // what the body is made of comes before it
		}
		own.Members = order
		for _, m := range order {
			p.Defs = append(p.Defs, m.Def)
		}
	}
	return p.c.Ref(p.recursive[e.Tensor], e.Subs...)
}

// staged makes arguments of functions in a body members of their own, so that the reverse sweep has their values and their adjoints, and does not compute either anew for each parameter behind
// them: those that are functions of others in turn, or are made of several numbers. The body stands behind guards, which say at which positions of the first index what is read has been computed.
func (p *Program) staged(r *expr.Recursion, m *expr.Tensor, e *expr.Expr, guards []*expr.Expr) *expr.Expr {
	c := p.c
	within := func(x *expr.Expr) bool {
		return !slices.ContainsFunc(x.Free(), func(i *expr.Index) bool { return !slices.Contains(m.Def.Indices, i) })
	}
	args := func(list []*expr.Expr, guards []*expr.Expr, own bool) (out []*expr.Expr, changed bool) {
		for _, a := range list {
			x := a
			if a.Stage() >= expr.StagePosition {
				x = p.staged(r, m, a, guards)
				if own && within(a) && deep(a) {
					x = p.apart(r, m, x, guards)
				}
			}
			out, changed = append(out, x), changed || x != a
		}
		return out, changed
	}
	switch e.Op {
	case expr.Add:
		if list, changed := args(e.Args, guards, false); changed {
			return c.Linear(e.Val, e.K, list)
		}
	case expr.Mul:
		for _, a := range e.Args {
			if a.Op == expr.Inside || a.Op == expr.Before || a.Op == expr.Delta {
				guards = append(guards[:len(guards):len(guards)], a)
			}
		}
		if list, changed := args(e.Args, guards, false); changed {
			return c.Product(e.Val, e.K, list)
		}
	case expr.Call:
		if name := e.Func.Name; name == "select" || name == "bounded" {
			return e // what is not chosen may have no value
		}
		if list, changed := args(e.Args, guards, true); changed {
			return c.Call(e.Func.Name, list...)
		}
	}
	return e
}

// apart makes an expression in the body of a member of a recursion a member of its own.
func (p *Program) apart(r *expr.Recursion, m *expr.Tensor, e *expr.Expr, guards []*expr.Expr) *expr.Expr {
	c := p.c
	var indices []*expr.Index
	like := expr.Tensor{Stage: m.Stage}
	for n, i := range m.Def.Indices {
		used := n == 0 || e.HasFree(i) || slices.ContainsFunc(guards, func(g *expr.Expr) bool { return g.HasFree(i) })
		if used {
			indices, like.Shape = append(indices, i), append(like.Shape, m.Shape[n])
		}
	}
	t := p.member(r, m.Name+"_part", like, indices)
	t.Def.Body = c.Mul(append(slices.Clone(guards), e)...)
	return c.Ref(t, expr.SubsOf(indices)...)
}

// deep reports whether an expression is a function of others, or is made of three numbers that depend on the position or more.
func deep(e *expr.Expr) bool {
	numbers, calls := map[*expr.Expr]bool{}, false
	var walk func(x *expr.Expr)
	walk = func(x *expr.Expr) {
		switch {
		case x.Stage() < expr.StagePosition:
		case x.Op == expr.Call:
			calls = true
		case x.Op == expr.Ref:
			numbers[x] = true
		default:
			for _, a := range x.Args {
				walk(a)
			}
		}
	}
	walk(e)
	return calls || len(numbers) > 2
}

// member makes a member of a recursion of the program like another tensor.
func (p *Program) member(r *expr.Recursion, name string, like expr.Tensor, indices []*expr.Index) *expr.Tensor {
	return p.c.Recursive(r, expr.Tensor{Name: p.unlike(name), Kind: expr.DefTensor, Shape: like.Shape, Stage: like.Stage, Positive: like.Positive}, indices)
}

// lowerInside lowers the body of a member of a recursion.
func (p *Program) lowerInside(r *expr.Recursion, e *expr.Expr, indices []*expr.Index) *expr.Expr {
	defer func(s bool) { p.c.Sharing = s }(p.c.Sharing)
	p.c.Sharing = false
	l := &lowering{p: p, ctx: expr.SortedIndices(indices), memo: map[*expr.Expr]*expr.Expr{}, within: r}
	// What tells places guards each term on its own, since what it excludes may not be computed yet: nothing is collected.
	return l.lower(p.reorder(p.c.Placed(e)))
}

// passRecursion hands the derivatives by the members of a recursion on to what their bodies read. With h̄_m the derivative of the root by h_m by way of
// all that is computed behind the recursion, that by all ways is
//
//	λ_m[t] = h̄_m[t] + Σ_n λ_n[t+k] ∂f_n/∂h_m[t]    over the reads of h_m[t] at the distance k,
//
// a recursion the other way, and ∂root/∂u = Σ_t Σ_m λ_m[t] ∂f_m/∂u.
func (s *sweep) passRecursion(r *expr.Recursion) {
	p, c := s.p, s.p.c
	members := s.swept(r)
	if len(members) == 0 {
		return
	}
	defer func(was bool) { c.Sharing = was }(c.Sharing)
	c.Sharing = false // what would be shared depends on the recursion
	back := &expr.Recursion{Down: !r.Down}
	for n := len(members) - 1; n >= 0; n-- { // what is read at a position is passed behind what reads it
		m := members[n]
		adjoint := p.member(back, "adj_"+m.Name, expr.Tensor{Shape: m.Shape, Stage: max(m.Stage, s.stage)}, s.bar(m).indices)
		fresh := make([]*expr.Index, len(m.Def.Indices))
		for k, i := range m.Def.Indices {
			fresh[k] = c.NewIndex(i.Name, i.Range)
		}
		s.visit(c.SubstAll(m.Def.Body, m.Def.Indices, expr.SubsOf(fresh)), fresh, c.Ref(adjoint, expr.SubsOf(fresh)...))
	}
	var defs []*expr.Def
	for n := range back.Members {
		d := back.Members[n].Def
		d.Body = p.lowerInside(back, s.bar(members[len(members)-1-n]).Sum(), d.Indices)
		defs = append(defs, d)
	}
	p.Defs = append(p.Defs, defs...)
}

// swept are the members of a recursion that the root depends on, by way of others too.
func (s *sweep) swept(r *expr.Recursion) []*expr.Tensor {
	in := map[*expr.Tensor]bool{}
	var add func(m *expr.Tensor)
	add = func(m *expr.Tensor) {
		if in[m] || !m.Passes() {
			return
		}
		in[m] = true
		expr.Refs(m.Def.Body, func(x *expr.Expr) {
			if slices.Contains(r.Members, x.Tensor) {
				add(x.Tensor)
			}
		})
	}
	for _, m := range r.Members {
		if s.bars[m] != nil {
			add(m)
		}
	}
	return slices.DeleteFunc(slices.Clone(r.Members), func(m *expr.Tensor) bool { return !in[m] })
}
