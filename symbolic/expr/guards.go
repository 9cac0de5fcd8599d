package expr

import (
	"cmp"
	"slices"

	"github.com/hamc-dev/hamc/dsl"
)

// Indicators are those among the factors of a product.
func Indicators(e *Expr) (out []*Expr) {
	factors := []*Expr{e}
	if e.Op == Mul {
		factors = e.Args
	}
	for _, a := range factors {
		if a.Op == Inside || a.Op == Before {
			out = append(out, a)
		}
	}
	return out
}

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
// a shifted delta implies beyond them: δ[i,j+1] f(i−1) is 0 at i = 1, whatever j;
// or one of data: δ[a,g[n]] f(g[n]) is 0 where g[n] is beyond the range of a.
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
		if isGather(a) && Strays(e) {
			add(c.Within(a.Subs[1], a.Subs[0].Index.Range))
		}
	}
	return out
}

// Exposed returns the indicators of what e reads though it may not exist, where nothing in e guards the read: the second of the K − 1
// coordinates of a simplex of K elements, x[i−1] for all i. Such an e has no value where one of them is 0, so that it is always
// used where something around it says that they hold.
func (c *Context) Exposed(e *Expr) []*Expr { return c.exposures(e, true) }

// ExposedFixed is Exposed of what is read at fixed positions, those that one element of data says among them.
func (c *Context) ExposedFixed(e *Expr) []*Expr { return c.exposures(e, false) }

func (c *Context) exposures(e *Expr, all bool) []*Expr {
	found := false
	Refs(e, func(r *Expr) { found = found || len(c.demands(r, all)) > 0 })
	if !found {
		return nil // most expressions
	}
	return c.exposed(e, all, map[*Expr][]*Expr{})
}

// demands returns what has to hold for an element to exist: of its fixed subscripts, or of all.
func (c *Context) demands(r *Expr, all bool) (out []*Expr) {
	for n, s := range r.Subs {
		elements := r.Tensor.elements(n)
		fixed := s.IsFixed() || s.Data != nil && len(s.Data.free) == 0
		if !fixed && !all || !s.IsFixed() && inside(s, elements) {
			continue
		}
		if x := c.Within(s, elements); x.Op == Inside {
			out = append(out, x)
		}
	}
	return out
}

func (c *Context) exposed(e *Expr, all bool, memo map[*Expr][]*Expr) (out []*Expr) {
	if out, ok := memo[e]; ok {
		return out
	}
	if e.Op == Ref {
		out = c.demands(e, all)
	}
	for _, a := range e.Args {
		for _, x := range c.exposed(a, all, memo) {
			bound := (e.Op == Sum || e.Op == Largest) && x.HasFree(e.Index)
			if !bound && !slices.Contains(out, x) && !(e.Op == Mul && guarded(x, e.Args)) {
				out = append(out, x)
			}
		}
	}
	memo[e] = out
	return out
}

// guarded reports whether one of the factors of a product is 0 where an indicator is.
func guarded(x *Expr, factors []*Expr) bool {
	s := x.Subs[0]
	for _, f := range factors {
		switch {
		case f.Op == Inside && f.Subs[0] == s && holds(x.Range, f.Range):
			return true
		case f.Op == Delta && slices.ContainsFunc(equalTo(s, f), func(r dsl.Range) bool { return holds(x.Range, r) }):
			return true
		}
	}
	return false
}

// equalTo returns the positions that the other subscript of a delta may name, in terms of the first: δ[j,2] is 0 for all j if none is 2,
// and δ[i,j+1] where i is no position behind one of j's. Nothing, if s is none of them.
func equalTo(s Sub, delta *Expr) []dsl.Range {
	a, b := delta.Subs[0], delta.Subs[1] // all offsets are the second's
	shift := func(r dsl.Range, by int) dsl.Range { return dsl.Range{Lo: r.Lo.Plus(by), Hi: r.Hi.Plus(by)} }
	switch {
	case s == a:
		return []dsl.Range{b.ends()}
	case s == b:
		return []dsl.Range{a.ends()}
	case !s.IsFixed() && s == ShiftSub(b, -b.Offset):
		return []dsl.Range{shift(a.ends(), -b.Offset)}
	}
	return nil
}
