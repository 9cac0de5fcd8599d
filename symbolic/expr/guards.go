package expr

import (
	"cmp"
	"slices"
)

// SplitGuards splits a product into the indicators among its factors and the rest.
func (c *Context) SplitGuards(e *Expr) (guards []*Expr, rest *Expr) {
	if e.Op == Inside || e.Op == Before {
		return []*Expr{e}, c.Number(1)
	}
	if e.Op != Mul {
		return nil, e
	}
	var ks []float64
	var es []*Expr
	for n, a := range e.Args {
		if a.Op == Inside || a.Op == Before {
			guards = append(guards, a)
			continue
		}
		ks, es = append(ks, e.K[n]), append(es, a)
	}
	return guards, c.product(e.Val, ks, es)
}

// Guards returns the factors of a product that guard the others, and the places of the others:
// indicators, deltas of a fixed position or of one from data, and deltas that stand before what
// does not exist elsewhere. What they exclude is not evaluated.
func Guards(e *Expr) (conds []*Expr, rest []int) {
	if e.Op != Mul || !e.placed && !e.gather {
		return nil, nil
	}
	stray := Strays(e)
	for n, a := range e.Args {
		_, _, pair := IndexPair(a)
		if a.Op == Inside || a.Op == Before || a.Op == Delta && a.Subs[0].Index != nil && a.Subs[1].Index == nil || pair && stray {
			conds = append(conds, a)
			continue
		}
		rest = append(rest, n)
	}
	return conds, rest
}

// InOrder sorts indicators and deltas so that each may be looked at when those before it hold: an
// element of data that one reads exists where the bounds of its subscripts hold.
func InOrder(guards []*Expr) []*Expr {
	out := slices.Clone(guards)
	slices.SortStableFunc(out, func(a, b *Expr) int { return cmp.Compare(readDepth(a), readDepth(b)) })
	return out
}

// readDepth is how deep the reads of data in the subscripts of an indicator are nested; those of
// a delta count as deeper than those of every indicator.
func readDepth(e *Expr) int {
	var of func(s Sub) int
	of = func(s Sub) (n int) {
		if s.Data == nil {
			return 0
		}
		for _, x := range s.Data.Subs {
			n = max(n, of(x))
		}
		return n + 1
	}
	n := 0
	for _, s := range e.Subs {
		n = max(n, of(s))
	}
	if e.Op == Delta {
		n += 1 << 16
	}
	return n
}

// Indicators returns the factors of a product that are indicators, and those that
// a shifted delta implies beyond them: δ[i,j+1] f(i−1) is 0 at i = 1, whatever j.
func (c *Context) Indicators(e *Expr) []*Expr {
	var out []*Expr
	if e.Op != Mul {
		return nil
	}
	for _, a := range e.Args {
		if a.Op == Inside || a.Op == Before {
			out = append(out, a)
		}
	}
	add := func(x *Expr) {
		for _, a := range out {
			if x.Op == Inside && a.Op == Inside && a.Subs[0] == x.Subs[0] && holds(x.Range, a.Range) {
				return
			}
		}
		if x.Op == Inside {
			out = append(out, x)
		}
	}
	for _, a := range e.Args {
		if i, j, ok := IndexPair(a); ok && Strays(e) {
			add(c.Within(ShiftSub(i, -j.Offset), j.Index.Range))
			add(c.Within(j, i.Index.Range))
		}
	}
	return out
}
