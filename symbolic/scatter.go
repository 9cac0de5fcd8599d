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

// grouped lowers a sum over what data put at the same position as another element, Σ_l δ[g[l],h[k]] f(l): it is defined for each position, by one
// loop over l, and gathered for each k. Nil if e is none.
func (l *lowering) grouped(e *expr.Expr) *expr.Expr {
	c := l.p.c
	if l.within != nil || !e.Gathers() || len(l.guards) > 0 {
		return nil
	}
	i, body := c.Open(e)
	at, fs, ks := c.Coupling(body, i)
	if at == nil {
		return nil
	}
	apart := []*expr.Expr{c.Number(1)}
	for n, f := range fs {
		if u, v := exponents(c, f, i, at); u != nil {
			u = l.lower(c.Call("exp", u)) // the product of it and the rest is one exponential no more
			if u.Op != expr.Ref {
				return nil
			}
			apart, fs[n] = append(apart, c.Pow(u, ks[n])), c.Call("exp", v)
		}
	}
	j, up := c.Positions(at)
	whole := c.Sum(i, c.Gathered(c.Product(1, ks, fs), at, j, up))
	if len(whole.Free()) > 2 || !whole.HasFree(j) || expr.SharesFree(whole, at) || expr.Strays(whole) {
		return nil
	}
	inner := l.inner(expr.SortedIndices(whole.Free()), nil)
	r := inner.lower(whole)
	if r.Op != expr.Ref && r.Op != expr.Num {
		r = inner.define(r, nil)
	}
	return l.lower(c.Mul(append(apart, c.Subst(r, j, expr.Sub{Data: at, Offset: up}))...))
}

// exponents splits the argument of an exponential that depends on both i and the indices of data: u does not depend on i. They are nil of all else.
func exponents(c *expr.Context, f *expr.Expr, i *expr.Index, at *expr.Expr) (u, v *expr.Expr) {
	if f.Op != expr.Call || f.Func.Name != "exp" || f.Args[0].Op != expr.Add || !expr.SharesFree(f, at) {
		return nil, nil
	}
	sum := f.Args[0]
	u, v = c.Number(0), c.Number(sum.Val)
	for n, x := range sum.Args {
		if x.HasFree(i) {
			v = c.Add(v, c.Scale(sum.K[n], x))
		} else {
			u = c.Add(u, c.Scale(sum.K[n], x))
		}
	}
	return u, v
}
