package symbolic

import (
	"slices"

	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/model"
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

// leastOfEach is that work at each value of another index, as the columns of a matrix: the loop over n has one over these in it.
const leastOfEach = 3

// through lowers an expression that depends on its indices, or on all but one, through one
// element of data only, as exp(alpha[g[n]]) or a[k] z[g[n],k]: it is defined for every position that the data
// may name, and gathered. Nil if e has not that form. Other data that stand at
// such positions may be anything where no datum names them, and have to stay.
func (l *lowering) through(e *expr.Expr) *expr.Expr {
	c := l.p.c
	if l.within != nil && l.within.Reads(e) || !e.Gathers() || len(e.Free()) == 0 || e.Op == expr.Ref || e.Op == expr.Delta || e.Op == expr.Inside || e.Op == expr.Before {
		return nil
	}
	loops, work := e.Op == expr.Sum || e.Op == expr.Largest, expr.NodeCost(e)
	if !loops && (e.Stage() < expr.StageGiven || work < leastOfEach) {
		return nil
	}
	var at *expr.Expr
	var plain []*expr.Index // that stand by themselves
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
				if e.HasFree(s.Index) && !slices.Contains(plain, s.Index) {
					plain = append(plain, s.Index)
				}
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
	if !loops && len(plain) == 0 && work < leastGathered {
		return nil
	}
	if !ok || at == nil || len(plain) > 1 || len(at.Free())+len(plain) != len(e.Free()) || slices.ContainsFunc(plain, at.HasFree) {
		return nil
	}
	j, up := c.Positions(at)
	whole := c.Gathered(e, at, j, up)
	if len(whole.Free()) != 1+len(plain) || !whole.HasFree(j) || !l.p.storable(whole) || expr.Strays(whole) || len(l.guards) > 0 && expr.Strays(e) {
		return nil
	}
	inner := &lowering{p: l.p, ctx: expr.SortedIndices(whole.Free()), memo: map[*expr.Expr]*expr.Expr{}}
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
		if u, v := l.scales(f, i, at); u != nil {
			if u = l.lower(c.Call("exp", u)); u.Op != expr.Ref {
				u = l.define(u, nil) // or the product with the rest would be one exponential again
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

// scales splits the argument of a product of positive parameters, which is one exponential of their coordinates, into what does not depend on i, as the data do, and the
// rest: their values are apart what they are as a product. Nil of all else: of exp(a[l] − m[k]) the difference may be what keeps it finite.
func (l *lowering) scales(f *expr.Expr, i *expr.Index, at *expr.Expr) (u, v *expr.Expr) {
	c := l.p.c
	if f.Op != expr.Call || f.Func.Name != "exp" || f.Args[0].Op != expr.Add || f.Args[0].Val != 0 || !expr.SharesFree(f, at) {
		return nil, nil
	}
	u, v = c.Number(0), c.Number(0)
	for n, x := range f.Args[0].Args {
		k := f.Args[0].K[n]
		switch {
		case k < 0 || !l.logarithmOfParameter(x):
			return nil, nil
		case x.HasFree(i):
			v = c.Add(v, c.Scale(k, x))
		default:
			u = c.Add(u, c.Scale(k, x))
		}
	}
	if u.IsNum(0) {
		return nil, nil
	}
	return u, v
}

// logarithmOfParameter reports whether x is a coordinate that is the logarithm of the distance of a parameter from its bound.
func (l *lowering) logarithmOfParameter(x *expr.Expr) bool {
	return x.Op == expr.Ref && slices.ContainsFunc(l.p.post.Params, func(b *model.Param) bool { return b.Coord == x.Tensor && b.Transform.Plain == "log" })
}
