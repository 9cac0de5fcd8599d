package symbolic

import (
	"slices"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// scatter lowers a sum by data to a definition; nil if e is none. What is summed
// is lowered in loops over the data alone.
func (l *lowering) scatter(e *expr.Expr) *expr.Expr {
	c := l.p.c
	if l.within != nil || len(expr.ScatteredFree(e)) == 0 {
		return nil
	}
	var sums []*expr.Index
	deltas, rest := c.GathersOf(e, &sums)
	if len(deltas) == 0 {
		return nil
	}
	inner := l.inner(expr.SortedIndices(append(slices.Clone(rest.Free()), sums...)), l.guards)
	s := c.Mul(append(deltas, inner.lower(rest))...)
	for n := len(sums) - 1; n >= 0; n-- {
		s = c.Sum(sums[n], s)
	}
	switch {
	case s.Op != expr.Sum:
		return l.lower(s)
	case len(s.Free()) > 2:
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
func (l *lowering) through(e *expr.Expr) *expr.Expr {
	c := l.p.c
	if l.within != nil && l.within.Reads(e) || !e.Gathers() || len(e.Free()) == 0 || e.Op == expr.Ref || e.Op == expr.Delta || e.Op == expr.Inside || e.Op == expr.Before {
		return nil
	}
	if loops := e.Op == expr.Sum || e.Op == expr.Largest; !loops && (e.Stage() < expr.StageGiven || expr.NodeCost(e) < leastGathered) {
		return nil
	}
	var at *expr.Expr
	ok := true
	seen := map[*expr.Expr]bool{}
	var walk func(x *expr.Expr)
	walk = func(x *expr.Expr) {
		if seen[x] || !ok || !expr.SharesFree(x, e) {
			return
		}
		seen[x] = true
		for _, s := range x.Subs {
			switch {
			case s.Index != nil:
				ok = ok && !e.HasFree(s.Index)
			case s.Data != nil && expr.SharesFree(s.Data, e):
				if at != nil && expr.ReadsAt(at, s.Data) {
					at = s.Data // that of the groups of groups
				}
				ok = ok && (at == nil || at == s.Data || expr.ReadsAt(s.Data, at)) && !(x.Op == expr.Ref && (x.Tensor.Kind == expr.DataTensor || x.Tensor.Kind == expr.PositionsOf))
				if at == nil {
					at = s.Data
				}
			}
		}
		for _, a := range x.Args {
			walk(a)
		}
	}
	walk(e)
	if !ok || at == nil || len(at.Free()) != len(e.Free()) {
		return nil
	}
	j, up := c.Positions(at)
	whole := c.Gathered(e, at, j, up)
	if len(whole.Free()) != 1 || whole.Free()[0] != j || expr.Strays(whole) || len(l.guards) > 0 && expr.Strays(e) {
		return nil
	}
	inner := &lowering{p: l.p, ctx: []*expr.Index{j}, memo: map[*expr.Expr]*expr.Expr{}}
	r := inner.lower(whole)
	if r.Op != expr.Ref && r.Op != expr.Num {
		r = inner.define(r, whole)
	}
	return c.Subst(r, j, expr.Sub{Data: at, Offset: up})
}
