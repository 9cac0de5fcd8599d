package dsl

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/alecthomas/participle/v2/lexer"
)

// Parts of a definition as other languages write them become parts with one position, which is an index or a number:
//
//	let x[i in 2..n] = …               beside let x[1] = …       is let x[i] = … for i in 2..n
//	let x[t+1] = a*x[t] for t in 1..T-1                          is let x[t] = a*x[t-1] for t in 2..T
//	let P[1, 1] = a, let P[1, 2] = b                             is let P[1, j in 2] = [a, b][j]
//
// The last one has the elements of a row one by one, of each position.

// inPlaces writes definitions so.
func (c *checker) inPlaces(stmts []Stmt) []Stmt {
	stmts = c.carriedParts(positioned(stmts))
	for q := maxPlaces - 1; q >= 0; q-- {
		stmts = c.inRows(stmts, q)
	}
	return stmts
}

// positioned are statements in which the position of parts with a range is an index, and their range stands behind them.
func positioned(stmts []Stmt) []Stmt {
	stmts = behindRanges(stmts)
	for n, s := range stmts {
		if let, ok := s.(*LetStmt); ok && let.For != nil {
			stmts[n] = unshifted(let)
		}
	}
	return stmts
}

// maxPlaces is the number of dimensions of an array.
const maxPlaces = 6

// letsByName are the definitions with places among statements.
func letsByName(stmts []Stmt) map[string][]*LetStmt {
	out := map[string][]*LetStmt{}
	for _, s := range stmts {
		if let, ok := s.(*LetStmt); ok && len(let.Places) > 0 {
			out[let.Name.Name] = append(out[let.Name.Name], let)
		}
	}
	return out
}

// behindRanges are statements in which a range that stands in the brackets of a part stands behind it.
func behindRanges(stmts []Stmt) []Stmt {
	place := map[string]int{} // of the positions of what has parts, and a range in that place too
	for name, lets := range letsByName(stmts) {
		parts := slices.DeleteFunc(slices.Clone(lets), func(s *LetStmt) bool { return !s.partial() })
		switch {
		case len(parts) > 0:
			place[name] = placeOfParts(parts)
		case len(lets) > 1:
			if p := slices.IndexFunc(lets, func(s *LetStmt) bool { return startsLater(s) >= 0 }); p >= 0 {
				place[name] = startsLater(lets[p])
			}
		}
	}
	out := slices.Clone(stmts)
	for n, s := range stmts {
		let, ok := s.(*LetStmt)
		if !ok || let.For != nil {
			continue
		}
		p, ok := place[let.Name.Name]
		if !ok || p >= len(let.Places) || let.Places[p].Decl == nil || let.partial() {
			continue
		}
		part := *let
		d := *let.Places[p].Decl
		part.For = &d
		part.Places = slices.Clone(let.Places)
		part.Places[p] = Place{At: nameAt(node{span: d.At}, d.Name)}
		out[n] = &part
	}
	return out
}

// startsLater is the place of a definition whose range does not start at 1, −1 if there is none.
func startsLater(s *LetStmt) int {
	return slices.IndexFunc(s.Places, func(p Place) bool {
		if p.Decl == nil || p.Decl.Lo == nil {
			return false
		}
		n, ok := p.Decl.Lo.(*Number)
		return !ok || n.Value != 1
	})
}

// unshifted is a part whose position is an index plus a number, or minus one, with the index as its position; another one is itself.
func unshifted(s *LetStmt) *LetStmt {
	name, by := s.For.Name, 0
	for _, p := range s.Places {
		if p.At == nil {
			continue
		}
		times, offset, ok := linear(p.At, name)
		if ok && times == 1 && offset == math.Trunc(offset) && math.Abs(offset) < mostWrittenOut {
			if offset == 0 {
				return s
			}
			by = int(offset)
			break
		}
	}
	if by == 0 {
		return s
	}
	out := cloner{name: name, shift: by}.let(s)
	out.written = s
	lo := s.For.Lo
	if lo == nil {
		lo = wholeAt(node{span: s.For.At}, 1)
	}
	out.For.Lo, out.For.Hi = endBy(lo, by), endBy(s.For.Hi, by)
	return out
}

// endBy is an end of a range and a number more.
func endBy(e Expr, by int) Expr {
	at := node{span: e.Span()}
	if b, ok := e.(*BinaryExpr); ok && (b.Op == "+" || b.Op == "-") {
		if n, ok := b.Y.(*Number); ok && n.Value == math.Trunc(n.Value) && math.Abs(n.Value) < 1e9 {
			own := int(n.Value)
			if b.Op == "-" {
				own = -own
			}
			return endBy(b.X, own+by)
		}
	}
	s, ok := sumOf(e)
	if !ok || len(s.of) > 1 || s.number != math.Trunc(s.number) {
		return shiftedBy(clone(e), at, by)
	}
	for name, times := range s.of {
		if times != 1 {
			return shiftedBy(clone(e), at, by)
		}
		return shiftedBy(nameAt(at, name), at, int(s.number)+by)
	}
	return wholeAt(at, int(s.number)+by)
}

// wholeAt is a whole number as an expression.
func wholeAt(at node, n int) Expr {
	text := strconv.Itoa(n)
	return &Number{node: node{span: at.span, tokens: []lexer.Token{{Type: tokNumber, Value: text}}}, Value: float64(n), Text: text}
}

// nameAt is a name as an expression.
func nameAt(at node, name string) Expr {
	return &Name{node: node{span: at.span, tokens: []lexer.Token{{Type: tokIdent, Value: name}}}, Name: name}
}

// shiftedBy is an expression plus a number, or minus one.
func shiftedBy(e Expr, at node, by int) Expr {
	op := "+"
	switch {
	case by == 0:
		return e
	case by < 0:
		op, by = "-", -by
	}
	return plusMinus(e, op, wholeAt(at, by), at)
}

// inRows are statements in which parts that differ by a number in the place q alone, beside their position, are one part with an index there.
func (c *checker) inRows(stmts []Stmt, q int) []Stmt {
	sizes := map[string]int{} // of that place
	for name, lets := range letsByName(stmts) {
		lets = slices.DeleteFunc(lets, func(s *LetStmt) bool { return !s.partial() })
		if len(lets) == 0 {
			continue
		}
		position := placeOfParts(lets)
		if position == q || slices.ContainsFunc(lets, func(s *LetStmt) bool { return position >= len(s.Places) || s.Places[position].At == nil }) {
			continue
		}
		for _, s := range lets {
			if at, ok := c.numberIn(s, q); ok && at >= 1 && at <= mostWrittenOut {
				sizes[name] = max(sizes[name], at)
			}
		}
	}
	if len(sizes) == 0 {
		return stmts
	}
	rows := map[string][]*LetStmt{} // by what they have in common
	for _, s := range stmts {
		if let, ok := s.(*LetStmt); ok {
			if _, ok := c.numberIn(let, q); ok && sizes[let.Name.Name] > 0 {
				key := rowKey(let, q)
				rows[key] = append(rows[key], let)
			}
		}
	}
	told := map[string]bool{}
	out := make([]Stmt, 0, len(stmts))
	for _, s := range stmts {
		let, ok := s.(*LetStmt)
		if _, at := c.numberIn(let, q); !ok || !at || sizes[let.Name.Name] == 0 {
			out = append(out, s)
			continue
		}
		row := rows[rowKey(let, q)]
		if let == row[len(row)-1] { // behind what any of them uses
			out = append(out, c.row(row, q, sizes[let.Name.Name], told))
		}
	}
	return out
}

// numberIn is the number that a part has in the place q.
func (c *checker) numberIn(s *LetStmt, q int) (int, bool) {
	if s == nil || q >= len(s.Places) || s.Places[q].At == nil {
		return 0, false
	}
	v, ok := c.constant(s.Places[q].At)
	return int(v), ok && v == math.Trunc(v) && math.Abs(v) < 1e6
}

// rowKey is what parts of one row have in common.
func rowKey(s *LetStmt, q int) string {
	key := s.Name.Name
	for n, p := range s.Places {
		switch {
		case n == q:
			key += ", "
		case p.Decl != nil:
			key += ", " + p.Decl.Name + " in " + rangeText(p.Decl)
		default:
			key += ", " + Text(p.At)
		}
	}
	if s.For != nil {
		key += " for " + s.For.Name + " in " + rangeText(s.For)
	}
	return key
}

// row is the part that has the values of several in the place q. What is missing there, or given twice, is reported, once of each name.
func (c *checker) row(parts []*LetStmt, q, size int, told map[string]bool) *LetStmt {
	last := parts[len(parts)-1]
	at := node{span: last.Name.At}
	values := make([]Expr, size)
	for _, s := range parts {
		n, _ := c.numberIn(s, q)
		switch {
		case n < 1:
			c.err(IndexRange, s.Places[q].At.Span(), "indices count from 1", "the index %d is below 1", n)
		case n <= size && values[n-1] != nil:
			c.err(BadParts, s.Name.At, "leave one out", "`%s` is defined twice", placedText(s, q, strconv.Itoa(n)))
		case n <= size:
			values[n-1] = clone(s.Value)
		}
	}
	for n, v := range values {
		if v != nil {
			continue
		}
		if values[n] = numberAt(at, 0); !told[last.Name.Name] {
			told[last.Name.Name] = true
			c.err(BadParts, last.Name.At, "add "+missingText(last, q, n+1), "`%s` is not defined, and other parts have that place", placedText(last, q, strconv.Itoa(n+1)))
		}
	}
	name := "_" + strconv.Itoa(q+1)
	out := cloneLet(last)
	out.Places[q] = Place{Decl: &IndexDecl{Name: name, At: last.Places[q].At.Span(), Hi: wholeAt(at, size)}}
	out.Value = &IndexExpr{node: node{span: last.Value.Span()}, Base: &MatrixExpr{node: node{span: last.Value.Span()}, Rows: [][]Expr{values}}, Args: []Expr{nameAt(at, name)}}
	return out
}

// placedText is the element of a part with something else in a place.
func placedText(s *LetStmt, q int, own string) string {
	text := s.Name.Name + "["
	for n, p := range s.Places {
		if n > 0 {
			text += ", "
		}
		switch {
		case n == q:
			text += own
		case p.Decl != nil:
			text += p.Decl.Name + " in " + rangeText(p.Decl)
		default:
			text += Text(p.At)
		}
	}
	return text + "]"
}

// missingText is the part that is missing.
func missingText(s *LetStmt, q, number int) string {
	text := fmt.Sprintf("`let %s = …", placedText(s, q, strconv.Itoa(number)))
	if s.For != nil {
		text += " for " + s.For.Name + " in " + rangeText(s.For)
	}
	return text + "`"
}

// chosenHint is what to write in the place of a part that has an element of data beside its position, as q[t+1, g[t]] has in models of learning: a part of all elements, in
// which a condition chooses; "" where the other parts do not tell their range.
func (c *checker) chosenHint(l *Let, s *LetStmt, at Expr) string {
	q := slices.IndexFunc(s.Places, func(p Place) bool { return p.At == at })
	if g, ok := at.(*IndexExpr); !ok || !c.isData(g.Base) || s.For == nil {
		return ""
	}
	before := s.For.Name + "-1"
	if s.written != nil {
		s, before = s.written, s.For.Name
		at = s.Places[q].At
	}
	for _, o := range l.Recursion.stmts {
		if q >= len(o.Places) || o.Places[q].Decl == nil {
			continue
		}
		d := o.Places[q].Decl
		element := "…"
		if len(s.Places) == 2 && q == 1 {
			element = fmt.Sprintf("%s[%s, %s]", l.Name, before, d.Name)
		}
		part := placedText(s, q, d.Name+" in "+rangeText(d))
		return fmt.Sprintf("all elements are one part, in which a condition chooses: `let %s = if %s == %s then … else %s for %s in %s`", part, d.Name, Text(at), element, s.For.Name, rangeText(s.For))
	}
	return ""
}
