package expr

import (
	"sort"

	"github.com/hamc-dev/hamc/dsl"
)

// Band is one diagonal of a block: E at the entries (a, a − Offset).
type Band struct {
	Offset int
	E      *Expr
}

// Bands writes e as Σ_o δ[a,b+o]·E_o(a) with the offsets in order. It is false
// where some term lies on no fixed diagonal.
func (c *Context) Bands(e *Expr, a, b *Index) ([]Band, bool) {
	return c.bandsBeside(e, a, b, func(*Expr) bool { return false })
}

// bandsBeside is Bands of the terms that lie on diagonals; the others are handed to beside, which says whether there may
// be such.
func (c *Context) bandsBeside(e *Expr, a, b *Index, beside func(*Expr) bool) ([]Band, bool) {
	by := map[int]*Expr{}
	if !c.bands(e, a, b, by, beside) {
		return nil, false
	}
	var out []Band
	for o, e := range by {
		if !e.IsNum(0) {
			out = append(out, Band{o, e})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Offset < out[j].Offset })
	return out, true
}

// bands adds the diagonals of e.
func (c *Context) bands(e *Expr, a, b *Index, by map[int]*Expr, beside func(*Expr) bool) bool {
	put := func(o int, f *Expr) bool {
		f = c.Subst(f, b, Sub{Index: a, Offset: -o})
		if by[o] == nil {
			by[o] = c.Number(0)
		}
		by[o] = c.Add(by[o], f)
		return true
	}
	switch e.Op {
	case Num:
		return e.Val == 0
	case Delta:
		if o, ok := diagonalOf(e, a, b); ok {
			return put(o, c.Number(1))
		}
	case Add:
		if e.Val != 0 {
			return false
		}
		for n, t := range e.Args {
			if !c.bands(c.Scale(e.K[n], t), a, b, by, beside) {
				return false
			}
		}
		return true
	case Mul:
		rest := func(n int) *Expr { return c.Product(e.Val, without(e.K, n), without(e.Args, n)) }
		for n, f := range e.Args {
			if o, ok := diagonalOf(f, a, b); ok {
				return put(o, rest(n))
			}
			// One entry: δ[a,s]·δ[b,t] is δ[a,b+s−t]·δ[a,s].
			for _, g := range e.Args {
				if s, ok := fixedAt(g, a); ok {
					if t, ok := fixedAt(f, b); ok && s.Name == t.Name {
						return put(s.Offset-t.Offset, rest(n))
					}
				}
			}
		}
		// A sum of deltas is multiplied out; of other sums nothing would come.
		for n, f := range e.Args {
			if f.Op != Add || e.K[n] != 1 || !namesPlace(f, a, b) {
				continue
			}
			other := rest(n)
			terms := make([]*Expr, 0, len(f.Args)+1)
			for m, t := range f.Args {
				terms = append(terms, c.Mul(other, c.Scale(f.K[m], t)))
			}
			if f.Val != 0 {
				terms = append(terms, c.Scale(f.Val, other))
			}
			for _, t := range terms {
				if !c.bands(t, a, b, by, beside) {
					return false
				}
			}
			return true
		}
	}
	return beside(e)
}

// namesPlace reports whether e holds a delta of an index that tells where an entry
// lies.
func namesPlace(e *Expr, a, b *Index) bool {
	if e.Op == Delta {
		return e.HasFree(a) || e.HasFree(b)
	}
	for _, x := range e.Args {
		if (x.HasFree(a) || x.HasFree(b)) && namesPlace(x, a, b) {
			return true
		}
	}
	return false
}

// diagonalOf returns o if e is δ[a, b+o].
func diagonalOf(e *Expr, a, b *Index) (o int, ok bool) {
	if e.Op != Delta {
		return 0, false
	}
	s, t := e.Subs[0], e.Subs[1]
	switch {
	case s.Index == a && t.Index == b:
		return t.Offset - s.Offset, true
	case s.Index == b && t.Index == a:
		return s.Offset - t.Offset, true
	}
	return 0, false
}

// fixedAt returns s if e is δ[i, s] with a fixed position s.
func fixedAt(e *Expr, i *Index) (s dsl.Extent, ok bool) {
	if e.Op == Delta && e.Subs[0].Index == i && e.Subs[1].IsFixed() {
		return e.Subs[1].At.Plus(-e.Subs[0].Offset), true
	}
	return s, false
}

// StripDelta returns f if e = f·δ[a,b], and nil otherwise.
func (c *Context) StripDelta(e *Expr, a, b *Index) *Expr {
	delta := c.Delta(Sub{Index: a}, Sub{Index: b})
	switch e.Op {
	case Delta:
		if e == delta {
			return c.Number(1)
		}
	case Mul:
		for n, f := range e.Args {
			if f == delta {
				return c.Subst(c.Product(e.Val, without(e.K, n), without(e.Args, n)), b, Sub{Index: a})
			}
			// δ[a,s]·δ[b,s] is δ[a,b]·δ[a,s].
			for _, o := range e.Args {
				if f.Op == Delta && o.Op == Delta && f.Subs[0] == (Sub{Index: b}) && o.Subs[0] == (Sub{Index: a}) && f.Subs[1] == o.Subs[1] {
					return c.Subst(c.Product(e.Val, without(e.K, n), without(e.Args, n)), b, Sub{Index: a})
				}
			}
			if f.Op != Add || e.K[n] != 1 {
				continue
			}
			if d := c.StripDelta(f, a, b); d != nil {
				return c.Mul(d, c.Subst(c.Product(e.Val, without(e.K, n), without(e.Args, n)), b, Sub{Index: a}))
			}
		}
	case Add:
		if e.Val != 0 {
			return nil
		}
		args := make([]*Expr, len(e.Args))
		for n, f := range e.Args {
			if args[n] = c.StripDelta(f, a, b); args[n] == nil {
				return nil
			}
		}
		return c.Linear(0, e.K, args)
	}
	return nil
}
