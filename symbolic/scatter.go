package symbolic

import "slices"

// scatter lowers a sum by data to a definition; nil if e is none. What is summed
// is lowered in loops over the data alone.
func (l *lowering) scatter(e *Expr) *Expr {
	c := l.p.c
	if len(scatteredFree(e)) == 0 {
		return nil
	}
	var sums []*Index
	deltas, rest := c.gathersOf(e, &sums)
	if len(deltas) == 0 {
		return nil
	}
	inner := &lowering{p: l.p, ctx: sortedIndices(append(slices.Clone(rest.free), sums...)), memo: map[*Expr]*Expr{}, guards: l.guards}
	s := c.Mul(append(deltas, inner.lower(rest))...)
	for n := len(sums) - 1; n >= 0; n-- {
		s = c.Sum(sums[n], s)
	}
	switch {
	case s.Op != Sum:
		return l.lower(s)
	case len(s.free) > 2:
		return s // the derivative of a matrix: as large as its result
	}
	return l.define(s, e)
}

// leastGathered is the least work for which an expression of alpha[g[n]] is
// computed for each element of alpha, rather than for each n.
const leastGathered = 8

// through lowers an expression that depends on its indices through one element of
// data only, as exp(alpha[g[n]]): it is defined for every position that the data
// may name, and gathered. Nil if e has not that form. Other data that stand at
// such positions may be anything where no datum names them, and have to stay.
func (l *lowering) through(e *Expr) *Expr {
	c := l.p.c
	if !e.Gathers() || len(e.free) == 0 || e.Op == Ref || e.Op == Delta || e.Op == Inside || e.Op == Before || e.Op != Sum && e.stage < StageGiven {
		return nil
	}
	if e.Op != Sum && nodeCost(e) < leastGathered {
		return nil
	}
	var at *Expr
	ok := true
	seen := map[*Expr]bool{}
	var walk func(x *Expr)
	walk = func(x *Expr) {
		if seen[x] || !ok || !sharesFree(x, e) {
			return
		}
		seen[x] = true
		for _, s := range x.Subs {
			switch {
			case s.Index != nil:
				ok = ok && !e.hasFree(s.Index)
			case s.Data != nil && sharesFree(s.Data, e):
				ok = ok && (at == nil || at == s.Data) && !(x.Op == Ref && (x.Tensor.Kind == DataTensor || x.Tensor.Kind == PositionsOf))
				at = s.Data
			}
		}
		for _, a := range x.Args {
			walk(a)
		}
	}
	walk(e)
	if !ok || at == nil || len(at.free) != len(e.free) {
		return nil
	}
	j := c.NewIndex("j", at.Tensor.Values)
	whole := c.gathered(e, at, j)
	if len(whole.free) != 1 || whole.free[0] != j || strays(whole) || len(l.guards) > 0 && strays(e) {
		return nil
	}
	inner := &lowering{p: l.p, ctx: []*Index{j}, memo: map[*Expr]*Expr{}}
	r := inner.lower(whole)
	if r.Op != Ref && r.Op != Num {
		r = inner.define(r, whole)
	}
	return c.Subst(r, j, Sub{Data: at})
}
