package expr

import (
	"slices"

	"github.com/hamc-dev/hamc/dsl"
)

// Delta returns Kronecker's delta of two subscripts.
func (c *Context) Delta(a, b Sub) *Expr {
	if a.Index == b.Index && a.Data == b.Data && (!a.IsFixed() || a.At.Name == b.At.Name) {
		if a.Offset == b.Offset && a.At == b.At {
			return c.Number(1)
		}
		return c.Number(0)
	}
	if a.IsFixed() && b.IsFixed() && (c.precedes(a.At, b.At) || c.precedes(b.At, a.At)) {
		return c.Number(0)
	}
	if subLess(b, a) {
		a, b = b, a
	}
	// All offsets go to the second subscript.
	if !a.IsFixed() && a.Offset != 0 {
		b = ShiftSub(b, -a.Offset)
		a.Offset = 0
	}
	if b.IsFixed() && !a.IsFixed() && c.outside(b.At, a.ends()) {
		return c.Number(0)
	}
	return c.Intern(Expr{Op: Delta, Subs: []Sub{a, b}})
}

// outside reports whether a fixed position is provably not in a range.
func (c *Context) outside(at dsl.Extent, r dsl.Range) bool {
	return at.Name == r.Lo.Name && at.Offset < r.Lo.Offset || at.Name == r.Hi.Name && at.Offset > r.Hi.Offset ||
		at.IsConst() && at.Offset < 1
}

// Within returns 1 if the subscript provably lies in the range, 0 if it
// provably does not, and otherwise the node Inside. Empty ranges count as
// holding nothing, and sizes as at least 1.
func (c *Context) Within(s Sub, r dsl.Range) *Expr {
	if s.IsFixed() {
		if c.outside(s.At, r) {
			return c.Number(0)
		}
		lo := r.Lo == dsl.Fixed(1) && s.At.Offset >= 0 || c.precedes(r.Lo.Plus(-1), s.At)
		hi := c.precedes(s.At, r.Hi.Plus(1))
		if lo && hi {
			return c.Number(1)
		}
		return c.Intern(Expr{Op: Inside, Subs: []Sub{s}, Range: r})
	}
	own := s.ends()
	from, to := own.Lo, own.Hi
	lo := from.Name == r.Lo.Name && from.Offset >= r.Lo.Offset
	hi := to.Name == r.Hi.Name && to.Offset <= r.Hi.Offset
	if s.Data != nil {
		// Sizes have least values, which the check of the data sees to.
		lo = lo || r.Lo.IsConst() && from.Name != "" && c.Least[from.Name]+from.Offset >= r.Lo.Offset
		hi = hi || to.IsConst() && r.Hi.Name != "" && to.Offset <= c.Least[r.Hi.Name]+r.Hi.Offset
	}
	if lo && hi {
		return c.Number(1)
	}
	// Inside is stored on the bare index.
	r = dsl.Range{Lo: r.Lo.Plus(-s.Offset), Hi: r.Hi.Plus(-s.Offset)}
	s.Offset = 0
	return c.Intern(Expr{Op: Inside, Subs: []Sub{s}, Range: r})
}

// Before returns 1 if the position a comes before b, else 0: a number where that is known
// whatever the indices, an indicator of one subscript where the other is fixed, and otherwise the
// node Before.
func (c *Context) Before(a, b Sub) *Expr {
	sameIndex := a.Index != nil && a.Index == b.Index || a.Data != nil && a.Data == b.Data
	if sameIndex {
		return c.truth(a.Offset < b.Offset)
	}
	x, y := a.ends(), b.ends()
	switch {
	case c.precedes(x.Hi, y.Lo):
		return c.Number(1)
	case c.precedes(y.Hi.Plus(-1), x.Lo):
		return c.Number(0)
	case a.IsFixed() && b.IsFixed():
		return c.Within(a, dsl.Range{Lo: a.At, Hi: b.At.Plus(-1)})
	case a.IsFixed():
		return c.Within(b, dsl.Range{Lo: a.At.Plus(1), Hi: y.Hi})
	case b.IsFixed():
		return c.Within(a, dsl.Range{Lo: x.Lo, Hi: b.At.Plus(-1)})
	}
	// All offsets go to the second subscript.
	b.Offset -= a.Offset
	a.Offset = 0
	return c.Intern(Expr{Op: Before, Subs: []Sub{a, b}})
}

// truth is 1 for what holds, and 0 for what does not.
func (c *Context) truth(holds bool) *Expr {
	if holds {
		return c.Number(1)
	}
	return c.Number(0)
}

// precedes reports whether a < b whatever the sizes, which have least values.
func (c *Context) precedes(a, b dsl.Extent) bool {
	return a.Name == b.Name && a.Offset < b.Offset ||
		a.IsConst() && !b.IsConst() && a.Offset < c.AtLeast(b.Name)+b.Offset
}

// AtLeast is the least value of a size.
func (c *Context) AtLeast(size string) int { return max(1, c.Least[size]) }

// comparison returns the subscripts of a comparison of two positions.
func comparison(e *Expr) (a, b Sub, ok bool) {
	if e.Op != Before {
		return a, b, false
	}
	return e.Subs[0], e.Subs[1], true
}

// excluded reports whether two comparisons never hold together: a < b + p and b < a + q.
func excluded(e, f *Expr) bool {
	a, b, ok1 := comparison(e)
	x, y, ok2 := comparison(f)
	return ok1 && ok2 && a.Index == y.Index && a.Data == y.Data && b.Index == x.Index && b.Data == x.Data && b.Offset+y.Offset < 2
}

// Projections are what a comparison says of each of its two subscripts alone: where j < k, j is no
// last and k no first position.
func (c *Context) Projections(e *Expr) []*Expr {
	a, b, ok := comparison(e)
	if !ok {
		return nil
	}
	x, y := a.ends(), b.ends()
	return []*Expr{
		c.Within(a, dsl.Range{Lo: x.Lo, Hi: y.Hi.Plus(-1)}),
		c.Within(b, dsl.Range{Lo: x.Lo.Plus(1), Hi: y.Hi}),
	}
}

// MostPositions is the number of positions that ByPosition knows at most.
const MostPositions = 64

// ByPosition reports whether e is a sum of several terms of which each is for one position of i alone: Σ_c f_c δ[i,c].
func (c *Context) ByPosition(e *Expr, i *Index) bool {
	if r := i.Range; e.Op != Add || len(e.Args) < 2 || e.Val != 0 || r.Lo != dsl.Fixed(1) || !r.Hi.IsConst() || r.Hi.Offset > MostPositions {
		return false
	}
	return !slices.ContainsFunc(e.Args, func(a *Expr) bool { return !placed(a, i) })
}

// placed reports whether a term has a delta of i and a fixed position.
func placed(a *Expr, i *Index) bool {
	if a.Op == Mul {
		return slices.ContainsFunc(a.Args, func(f *Expr) bool { return placed(f, i) })
	}
	return a.Op == Delta && a.Subs[0].Index == i && a.Subs[1].IsFixed()
}
