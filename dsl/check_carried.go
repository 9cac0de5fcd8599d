package dsl

import (
	"fmt"
	"maps"
	"slices"
)

// Elements of a state that data name, while the others stay what they were, as models of learning have them:
//
//	let Q[1, k in K] = 0
//	let Q[t+1, action[t]] = Q[t, action[t]] + alpha*(reward[t] - Q[t, action[t]]) for t in 1..T-1
//
// are those of all elements, in which conditions choose:
//
//	let Q[t, k in K] = if k == action[t-1] then Q[t-1, k] + alpha*(reward[t-1] - Q[t-1, k]) else Q[t-1, k] for t in 2..T
//
// Several such parts may stand one behind the other, and where two name one element the last counts, as in a program that sets one and then the other. A part of all elements over that range,
// before them, says what the others are.

// carriedParts are statements with all elements in the place of some that data name.
func (c *checker) carriedParts(stmts []Stmt) []Stmt {
	all := letsByName(stmts)
	into := map[*LetStmt]*LetStmt{} // the last part of each, and what stands for all of them
	gone := map[*LetStmt]bool{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		lets := all[name]
		var parts []*LetStmt
		for _, s := range lets {
			if s.For != nil && len(c.namedPlaces(s)) > 0 {
				parts = append(parts, s)
			}
		}
		if len(parts) == 0 {
			continue
		}
		others := c.othersOf(parts, lets)
		whole := c.carried(parts, lets, others)
		if whole == nil {
			continue
		}
		for _, s := range parts {
			gone[s] = true
		}
		if others != nil {
			gone[others] = true
		}
		into[parts[len(parts)-1]] = whole
		for _, s := range lets {
			if row := c.rowOfWhole(s, whole, stmts); row != nil {
				into[s] = row
			}
		}
	}
	if len(into) == 0 {
		return stmts
	}
	out := make([]Stmt, 0, len(stmts))
	for _, s := range stmts {
		let, ok := s.(*LetStmt)
		switch {
		case !ok || !gone[let] && into[let] == nil:
			out = append(out, s)
		case into[let] != nil:
			out = append(out, into[let])
		}
	}
	return out
}

// othersOf is the part of all elements over the range of some that data name, which stands before them and says what the others are; nil where they stay what they were.
func (c *checker) othersOf(parts, lets []*LetStmt) *LetStmt {
	for _, s := range lets {
		if s == parts[0] {
			return nil
		}
		if s.For != nil && len(s.Places) == len(parts[0].Places) && rangeText(s.For) == rangeText(parts[0].For) {
			return s
		}
	}
	return nil
}

// namedPlaces are the places of a part with a range, beside its position, that data name.
func (c *checker) namedPlaces(s *LetStmt) (places []int) {
	position := placeOfParts([]*LetStmt{s})
	for q, p := range s.Places {
		if p.At == nil || q == position {
			continue
		}
		data := false
		Walk(p.At, func(n Node) bool {
			if ix, ok := n.(*IndexExpr); ok {
				data = data || c.isData(ix.Base)
			}
			return true
		})
		if !data {
			return nil // which is reported
		}
		places = append(places, q)
	}
	return places
}

// carried is the part of all elements that stands for parts of some; nil where their other places or ranges differ, or where it is not known how many elements there are.
func (c *checker) carried(parts, lets []*LetStmt, others *LetStmt) *LetStmt {
	last := parts[len(parts)-1]
	places := c.namedPlaces(last)
	whole := cloneLet(last)
	whole.written = last.written
	for _, q := range places {
		size := c.sizeOfPlace(q, parts, lets)
		if size == nil {
			return nil
		}
		at := last.Places[q].At.Span()
		whole.Places[q] = Place{Decl: &IndexDecl{Name: elementIndex(q), At: at, Hi: size}}
	}
	value := elementBefore(whole, nil)
	if others != nil {
		like, ok := named(others, whole)
		if !ok {
			return nil
		}
		value = like.Value
	}
	for _, s := range parts {
		like := cloneLet(s)
		if !slices.Equal(c.namedPlaces(s), places) {
			return nil
		}
		for _, q := range places {
			like.Places[q] = whole.Places[q]
		}
		own, ok := named(like, whole)
		sameNames := slices.EqualFunc(decls(like.Places), decls(whole.Places), func(a, b IndexDecl) bool { return a.Name == b.Name })
		if !ok || !sameNames || Text(s.For.Hi) != Text(last.For.Hi) || (s.For.Lo == nil) != (last.For.Lo == nil) || s.For.Lo != nil && Text(s.For.Lo) != Text(last.For.Lo) {
			return nil
		}
		value = chosenElement(s, own, places, whole.For.Name, value)
	}
	for _, s := range parts {
		value = plusNothing(value, elementBefore(whole, namedAt(s, places, whole.For.Name)))
	}
	whole.Value = value
	return whole
}

// namedAt are the names that a part has for its elements, by their places, at an index.
func namedAt(s *LetStmt, places []int, along string) map[int]Expr {
	out := map[int]Expr{}
	for _, q := range places {
		out[q] = cloner{name: s.For.Name, put: nameAt(node{span: s.Places[q].At.Span()}, along)}.expr(s.Places[q].At)
	}
	return out
}

// plusNothing adds 0 times an element: what names it is a subscript so, and has to stay inside as that of any other. A condition would be true of no element where data name one that there is not.
func plusNothing(value, element Expr) Expr {
	of := node{span: element.Span()}
	return plusMinus(value, "+", &BinaryExpr{node: of, Op: "*", At: of.span, X: numberAt(of, 0), Y: element}, of)
}

// elementIndex is the index of the elements in the place q.
func elementIndex(q int) string { return fmt.Sprintf("_%d", q+1) }

// chosenElement is the value of a part where the elements are those that it names, and another one elsewhere. What it reads of its own at these names, it reads at the element itself.
func chosenElement(s, own *LetStmt, places []int, along string, otherwise Expr) Expr {
	var cond Expr
	names := map[string]bool{} // what the part calls its elements
	written := namedAt(s, places, along)
	for _, q := range places {
		at, where := node{span: s.Places[q].At.Span()}, written[q]
		names[elementIndex(q)+writtenForm(where)] = true
		is := Expr(&BinaryExpr{node: at, Op: "==", At: at.span, X: nameAt(at, elementIndex(q)), Y: where})
		if cond != nil {
			is = &BinaryExpr{node: at, Op: "and", At: at.span, X: cond, Y: is}
		}
		cond = is
	}
	var read cloner
	read.element = func(e *IndexExpr) Expr {
		base, ok := e.Base.(*Name)
		if !ok || base.Name != s.Name.Name {
			return nil
		}
		out := &IndexExpr{node: e.copied(), Base: clone(e.Base), row: e.row}
		for n, a := range e.Args {
			if slices.Contains(places, n) && names[elementIndex(n)+writtenForm(a)] {
				out.Args = append(out.Args, nameAt(node{span: a.Span()}, elementIndex(n)))
			} else {
				out.Args = append(out.Args, read.expr(a))
			}
		}
		return out
	}
	return &IfExpr{node: node{span: s.Value.Span()}, Cond: cond, Then: read.expr(own.Value), Else: otherwise}
}

// writtenForm is the same text for expressions that are the same but for blanks and brackets.
func writtenForm(e Expr) string {
	text := ""
	Walk(e, func(n Node) bool {
		switch n := n.(type) {
		case nil:
			text += ")"
		case *Name:
			text += n.Name + " "
		case *Number:
			text += n.Text + " "
		case *BinaryExpr:
			text += "(" + n.Op + " "
		case *IndexExpr:
			text += "[ "
		case *UnaryExpr:
			text += n.Op + "u "
		default:
			text += "? " + Text(n) + " "
		}
		return true
	})
	return text
}

// elementBefore is the element of the position before the one that a part defines, or behind it where the value reads what is behind. It is at the indices of the part, or where others stand in their places.
func elementBefore(s *LetStmt, others map[int]Expr) Expr {
	at := node{span: s.Name.At}
	by := -1
	Walk(s.Value, func(n Node) bool {
		ix, ok := n.(*IndexExpr)
		if !ok {
			return true
		}
		base, named := ix.Base.(*Name)
		if p := placeOfParts([]*LetStmt{s}); named && base.Name == s.Name.Name && p < len(ix.Args) {
			if times, offset, ok := linear(ix.Args[p], s.For.Name); ok && times == 1 && offset > 0 {
				by = 1
			}
		}
		return true
	})
	e := &IndexExpr{node: at, Base: nameAt(at, s.Name.Name)}
	for q, p := range s.Places {
		switch {
		case others[q] != nil:
			e.Args = append(e.Args, others[q])
		case p.Decl != nil:
			e.Args = append(e.Args, nameAt(at, p.Decl.Name))
		default:
			e.Args = append(e.Args, shiftedBy(nameAt(at, s.For.Name), at, by))
		}
	}
	return e
}

// sizeOfPlace is how many elements there are in a place that data name: as many as another part says, as the data are declared to number, or as a row has; nil where none of these is known.
func (c *checker) sizeOfPlace(q int, parts, lets []*LetStmt) Expr {
	for _, s := range lets {
		if q < len(s.Places) && s.Places[q].Decl != nil && s.Places[q].Decl.Lo == nil {
			return clone(s.Places[q].Decl.Hi)
		}
	}
	for _, s := range parts {
		if d := c.naming(s.Places[q].At); d != nil {
			if lo, hi, ok := d.Values(); ok && lo == Fixed(1) {
				return c.sizeExpr(hi, s.Places[q].At.Span())
			}
		}
	}
	for _, s := range lets {
		if size, ok := c.rowSize(s, nil); q == 1 && len(s.Places) == 1 && s.For == nil && ok && size != (Extent{}) {
			return c.sizeExpr(size, s.Value.Span())
		}
	}
	return nil
}

// naming is the integer datum of which an expression is an element, or nil.
func (c *checker) naming(e Expr) *Data {
	ix, ok := e.(*IndexExpr)
	if !ok {
		return nil
	}
	n, ok := ix.Base.(*Name)
	if !ok {
		return nil
	}
	d, ok := c.scope[n.Name].(*Data)
	if !ok || d.Type.Base != Int {
		return nil
	}
	return d
}

// rowOfWhole is the part of one position that is given as a row, `let Q[1] = [0, 0]`, by its elements; nil of another part.
func (c *checker) rowOfWhole(s, whole *LetStmt, stmts []Stmt) *LetStmt {
	last := len(whole.Places) - 1
	if last < 1 || len(s.Places) != last || s.For != nil || whole.Places[last].Decl == nil || !slices.ContainsFunc(s.Places, func(p Place) bool { return p.At != nil }) {
		return nil
	}
	at := node{span: s.Value.Span(), tokens: s.Value.Source()}
	row := cloneLet(s)
	d := whole.Places[last].Decl
	row.Places = append(row.Places, whole.Places[last])
	row.Value = &IndexExpr{node: at, Base: row.Value, Args: []Expr{nameAt(at, d.Name)}, row: s}
	own, known := c.rowSize(s, stmts)
	if _, size, ok := c.endsOf(d); ok && known && own != size && own != (Extent{}) {
		c.err(ShapeMismatch, at.span, fmt.Sprintf("of equal elements it reads `let %s = …`", placedText(row, last, "k in "+size.String())), "this row of `%s` has %s elements, and the data name %s", s.Name.Name, own, size)
		row.Value = numberAt(at, 0)
	}
	return row
}
