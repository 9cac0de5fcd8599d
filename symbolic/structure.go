package symbolic

import (
	"sort"

	"github.com/hamc-dev/hamc/dsl"
)

// The structure of a metric is read off the deltas of its entries, never off
// numbers: an entry f·δ[a,b+o] lies on the diagonal with offset o wherever the
// parameters are. Parameters whose block with each other is zero are
// independent; a part is what hangs together.

// Part is a set of parameters that no entry of the metric couples to others. Its
// spine is a vector parameter whose own block is banded; its border are
// parameters coupled to anything. A part without a spine is dense, a spine of
// width 0 with a border is an arrow.
type Part struct {
	Spine  int // −1 if there is none
	Width  int // entries beyond |i − j| = Width are zero
	Border []int
}

// Band is one diagonal of a block: E at the entries (a, a − Offset).
type Band struct {
	Offset int
	E      *Expr
}

// Bands writes e as Σ_o δ[a,b+o]·E_o(a) with the offsets in order. It is false
// where some term lies on no fixed diagonal.
func (c *Context) Bands(e *Expr, a, b *Index) ([]Band, bool) {
	by := map[int]*Expr{}
	if !c.bands(e, a, b, by) {
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
func (c *Context) bands(e *Expr, a, b *Index, by map[int]*Expr) bool {
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
			if !c.bands(c.Scale(e.K[n], t), a, b, by) {
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
				if !c.bands(t, a, b, by) {
					return false
				}
			}
			return true
		}
	}
	return false
}

// namesPlace reports whether e holds a delta of an index that tells where an entry
// lies.
func namesPlace(e *Expr, a, b *Index) bool {
	if e.Op == Delta {
		return e.hasFree(a) || e.hasFree(b)
	}
	for _, x := range e.Args {
		if (x.hasFree(a) || x.hasFree(b)) && namesPlace(x, a, b) {
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

// structure finds the parts of a metric.
func (p *Posterior) structure(m *Metric) {
	c := p.C
	coupled := make([][]int, len(p.Params))
	width := make([]int, len(p.Params)) // of a parameter's own block; −1 if it is dense
	for n, b := range p.Params {
		if b.Scalar() {
			width[n] = -1
		}
	}
	for _, b := range m.Blocks {
		if b.Row != b.Col {
			coupled[b.Row] = append(coupled[b.Row], b.Col)
			coupled[b.Col] = append(coupled[b.Col], b.Row)
			continue
		}
		if b.A == nil {
			continue
		}
		bands, ok := c.Bands(b.E, b.A, b.B)
		if !ok || len(bands) == 0 {
			width[b.Row] = -1
			continue
		}
		w := max(-bands[0].Offset, bands[len(bands)-1].Offset)
		if x := p.Params[b.Row].Size(); x.IsConst() && w > 0 && w >= x.Offset-1 {
			w = -1 // it leaves nothing out
		}
		width[b.Row] = w
	}
	if m.SoftAbs {
		m.Parts = []Part{{Spine: -1}}
		for n := range p.Params {
			m.Parts[0].Border = append(m.Parts[0].Border, n)
		}
		m.Shaft = p.hasShaft(m, width)
		return
	}
	seen := make([]bool, len(p.Params))
	for n := range p.Params {
		if seen[n] {
			continue
		}
		members := []int{n}
		seen[n] = true
		for at := 0; at < len(members); at++ {
			for _, o := range coupled[members[at]] {
				if !seen[o] {
					seen[o] = true
					members = append(members, o)
				}
			}
		}
		sort.Ints(members)
		m.Parts = append(m.Parts, p.part(members, width))
	}
	total := 0
	m.small = true
	for _, b := range p.Params {
		total += b.Size().Offset
		m.small = m.small && b.Size().IsConst() && total <= maxWhole
	}
	m.Diagonal = true
	for _, part := range m.Parts {
		scalar := part.Spine < 0 && len(part.Border) == 1 && p.Params[part.Border[0]].Scalar()
		m.Diagonal = m.Diagonal && (scalar || part.Spine >= 0 && part.Width == 0 && len(part.Border) == 0)
		// What is stored by bands may be long: arrays over pairs of its
		// elements are not for storing.
		if part.Spine >= 0 {
			if x := p.Params[part.Spine].Size(); x.Name != "" {
				delete(c.small, x.Name)
				c.long[x.Name] = true
			}
		}
	}
}

// hasShaft reports whether a matrix over one vector and one scalar is f·δ[a,b] over the
// vector, with an f that is the same for all of its elements.
func (p *Posterior) hasShaft(m *Metric, width []int) bool {
	if len(p.Params) != 2 || p.Params[0].Scalar() == p.Params[1].Scalar() {
		return false
	}
	for _, b := range m.Blocks {
		if b.A == nil || b.B == nil {
			continue
		}
		if bands, _ := p.C.Bands(b.E, b.A, b.B); width[b.Row] != 0 || bands[0].E.hasFree(b.A) {
			return false
		}
	}
	return true
}

// part makes the part of some parameters. Its spine is the longest of the
// banded ones: a size known at run time only counts as longer than any number.
func (p *Posterior) part(members []int, width []int) Part {
	part := Part{Spine: -1}
	best := 0
	for _, n := range members {
		x := p.Params[n].Size()
		length := x.Offset
		if x.Name != "" {
			length = 1 << 30
		}
		if width[n] >= 0 && length > best {
			part.Spine, part.Width, best = n, width[n], length
		}
	}
	for _, n := range members {
		if n != part.Spine {
			part.Border = append(part.Border, n)
		}
	}
	return part
}

// maxWhole is the largest number of coordinates, known at compile time, of a
// metric that is stored whole whatever its structure.
const maxWhole = 16

// Stored reports whether the metric is stored by parts: it is neither dense nor
// diagonal as a whole, nor small.
func (m *Metric) Stored() bool {
	return !m.Diagonal && !m.small && !(len(m.Parts) == 1 && m.Parts[0].Spine < 0)
}

// Kind names the structure of the metric.
func (m *Metric) Kind() string {
	switch {
	case m.Diagonal:
		return "diagonal"
	case len(m.Parts) > 1:
		return "block-diagonal"
	case m.Parts[0].Spine < 0:
		return "dense"
	case len(m.Parts[0].Border) == 0:
		return "banded"
	case m.Parts[0].Width == 0:
		return "arrow"
	}
	return "bordered band"
}

// spineOf returns the part that has a parameter as its spine, or nil.
func (m *Metric) spineOf(n int) *Part {
	for i := range m.Parts {
		if m.Parts[i].Spine == n {
			return &m.Parts[i]
		}
	}
	return nil
}

// byBands reports whether a block of the matrix is stored by bands.
func (r *Derived) byBands(b BlockExpr) bool {
	return b.Row == b.Col && b.A != nil && r.Metric.Stored() && r.Metric.spineOf(b.Row) != nil
}

// along returns an index over a diagonal of a block, and the entry there.
func (r *Derived) along(b BlockExpr, band Band) (*Index, *Expr) {
	rng := b.A.Range
	rng.Lo = rng.Lo.Plus(band.Offset)
	i := r.C.NewIndex(b.A.Name, rng)
	return i, r.C.Subst(band.E, b.A, Sub{Index: i})
}

// entries lowers one block of the matrix: whole or, where it is stored by bands,
// one result for each diagonal at or below the main one.
func (r *Derived) entries(b BlockExpr) []Output {
	if !r.byBands(b) {
		idx := indexList(b.A, b.B)
		whole := Output{Row: b.Row, Col: b.Col, Dir: -1, Indices: idx, E: b.E}
		if r.Metric.Diagonal {
			whole.E = r.Prog.Lower(b.E, idx) // only its diagonal is stored
			return []Output{whole}
		}
		return r.lowered(whole)
	}
	bands, _ := r.C.Bands(b.E, b.A, b.B)
	var out []Output
	for _, band := range bands {
		if band.Offset < 0 {
			continue // the mirror image
		}
		i, e := r.along(b, band)
		out = append(out, Output{Row: b.Row, Col: b.Col, Dir: -1, Indices: []*Index{i}, E: r.Prog.Lower(e, []*Index{i}),
			Banded: true, Offset: band.Offset})
	}
	return out
}
