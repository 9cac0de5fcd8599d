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
		var defs []*expr.Def
		for n, m := range source.Members {
			d := own.Members[n].Def
			d.Body = p.lowerInside(own, m.Def.Body, d.Indices)
			defs = append(defs, d)
		}
		p.Defs = append(p.Defs, defs...)
	}
	return p.c.Ref(p.recursive[e.Tensor], e.Subs...)
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
