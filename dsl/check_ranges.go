package dsl

import (
	"math"
	"slices"
	"strconv"
)

// Parts over several ranges whose ends are sizes: what is seeded before it goes by itself, as in
//
//	let I[t] = seed[t] for t in 1..m
//	let I[t] = R[t]*I[t-1] for t in m+1..T
//
// is one part over all of them, in which a condition on data chooses:
//
//	let I[1] = seed[1]
//	let I[t] = if t <= m then seed[t] else R[t]*I[t-1] for t in 2..T
//
// The first positions are parts of their own as far back as the later parts read, and m is at least as many.

// inOnePart writes parts over ranges that follow one another as one.
func (c *checker) inOnePart(stmts []Stmt) []Stmt {
	ranged, inParts := map[string][]*LetStmt{}, map[string]bool{}
	for _, s := range stmts {
		if s, ok := s.(*LetStmt); ok && s.For != nil {
			ranged[s.Name.Name] = append(ranged[s.Name.Name], s)
			inParts[s.Name.Name] = true
		}
	}
	var out []Stmt
	for _, s := range stmts {
		let, ok := s.(*LetStmt)
		if !ok || let.For == nil || len(ranged[let.Name.Name]) < 2 {
			out = append(out, s)
			continue
		}
		parts := ranged[let.Name.Name]
		first, rest, ok := c.merged(parts, inParts)
		switch {
		case !ok:
			out = append(out, s)
		case let == parts[len(parts)-1]: // behind what any of them uses
			for _, x := range first {
				out = append(out, x)
			}
			out = append(out, rest)
		}
	}
	return out
}

// merged are the parts of the first positions, and one for all others, that several stand for. It is false where their ranges do not follow one another, or
// their places differ.
func (c *checker) merged(parts []*LetStmt, inParts map[string]bool) (first []*LetStmt, rest *LetStmt, ok bool) {
	last := parts[len(parts)-1]
	var ends []Extent
	lo := 0
	for n, s := range parts {
		from, to, ok := c.endsOf(s.For)
		if !ok || n > 0 && from != ends[n-1].Plus(1) || n == 0 && !from.IsConst() {
			return nil, nil, false
		}
		if n == 0 {
			lo = from.Offset
		}
		ends = append(ends, to)
	}
	rest = cloneLet(last)
	rest.For.Lo = clone(parts[0].For.Lo)
	back := c.lagOfParts(last.Value, last.For.Name, inParts)
	for n := len(parts) - 2; n >= 0; n-- {
		like, ok := named(parts[n], last)
		if !ok {
			return nil, nil, false
		}
		if n > 0 {
			back = max(back, c.lagOfParts(like.Value, last.For.Name, inParts))
		}
		at := node{span: last.For.At}
		chosen := &BinaryExpr{node: at, Op: "<=", At: last.For.At, X: &Name{node: at, Name: last.For.Name}, Y: clone(parts[n].For.Hi)}
		rest.Value = &IfExpr{node: node{span: like.Value.Span()}, Cond: chosen, Then: like.Value, Else: rest.Value}
	}
	if back-lo >= mostWrittenOut {
		return nil, nil, false
	}
	for at := lo; at <= back; at++ {
		number := &Number{node: node{span: last.For.At}, Value: float64(at), Text: strconv.Itoa(at)}
		part := cloner{name: parts[0].For.Name, put: number}.let(parts[0])
		part.For = nil
		first = append(first, part)
	}
	if back >= lo {
		c.need(ends[0].Name, back-ends[0].Offset)
		rest.For.Lo = &Number{node: node{span: last.For.At}, Value: float64(back + 1), Text: strconv.Itoa(back + 1)}
	}
	return first, rest, true
}

// endsOf are the ends of a range that is not opened, false where they are no sizes. What is wrong with them is said where the part is checked.
func (c *checker) endsOf(d *IndexDecl) (lo, hi Extent, ok bool) {
	before, limit := len(c.ds.List), c.limit
	defer func() { c.ds.List, c.limit = c.ds.List[:before], limit }()
	lo, ok = Fixed(1), true
	if d.Lo != nil {
		lo, ok = c.extent(d.Lo, startOfRange)
	}
	hi, also := c.extent(d.Hi, endOfRange)
	return lo, hi, ok && also && hi != unknownExtent
}

// lagOfParts is how far back an expression reads what is defined in parts, from the position that an index stands for: at a number, or at most as far as an index
// over numbers goes.
func (c *checker) lagOfParts(e Expr, index string, inParts map[string]bool) (back int) {
	over := map[string]int{}
	Walk(e, func(n Node) bool {
		if s, ok := n.(*SumExpr); ok {
			for i := range s.Indices {
				if _, hi, ok := c.endsOf(&s.Indices[i]); ok && hi.IsConst() {
					over[s.Indices[i].Name] = hi.Offset
				}
			}
		}
		x, ok := n.(*IndexExpr)
		if !ok {
			return true
		}
		base, ok := x.Base.(*Name)
		if !ok || !inParts[base.Name] {
			return true
		}
		for _, a := range x.Args {
			s, ok := sumOf(a)
			if !ok || s.of[index] != 1 || s.number != math.Trunc(s.number) {
				continue
			}
			far := int(-s.number)
			for name, times := range s.of {
				if name != index {
					far -= times * over[name]
				}
			}
			back = max(back, far)
		}
		return true
	})
	return back
}

// named is a part with the names of the indices of another; false where it has other places, or uses such a name for another index.
func named(s, like *LetStmt) (*LetStmt, bool) {
	if len(s.Places) != len(like.Places) {
		return nil, false
	}
	out := cloneLet(s)
	rename := func(from, to string) bool {
		taken := false
		Walk(out.Value, func(n Node) bool {
			if sum, ok := n.(*SumExpr); ok {
				taken = taken || slices.ContainsFunc(sum.Indices, func(d IndexDecl) bool { return d.Name == to })
			}
			return !taken
		})
		if from != to && !taken {
			out.Value = cloner{name: from, put: &Name{node: node{span: s.For.At}, Name: to}}.expr(out.Value)
		}
		return from == to || !taken
	}
	for n, p := range s.Places {
		own, other := p.Decl, like.Places[n].Decl
		if (own == nil) != (other == nil) {
			return nil, false
		}
		if own != nil && (Text(own.Hi) != Text(other.Hi) || (own.Lo == nil) != (other.Lo == nil) || own.Lo != nil && Text(own.Lo) != Text(other.Lo) || !rename(own.Name, other.Name)) {
			return nil, false
		}
	}
	return out, rename(s.For.Name, like.For.Name)
}
