package dsl

import (
	"fmt"
	"slices"
)

// Recursions of which each row has positions of its own, as the years from the first to the last sight of an animal, or trials of which each person has another number:
//
//	let f[i in n, first[i]] = p
//	let f[i in n, t] = a*f[i, t-1] for t in first[i]+1..last[i]
//
// are those of all positions, in which conditions on data choose:
//
//	let f[i in n, 1] = if first[i] == 1 then p else 0
//	let f[i in n, t] = if t == first[i] then p else if t >= first[i]+1 and t <= last[i] then a*f[i, t-1] else 0 for t in 2..T
//
// where T is what last goes up to by its declaration. What is not one of them is 0, and nothing of it is computed.

// raggedParts writes them so.
func (c *checker) raggedParts(stmts []Stmt) []Stmt {
	ragged := map[string]*LetStmt{} // with the range, by name
	starts := map[string]*LetStmt{}
	for name, lets := range letsByName(stmts) {
		for _, s := range lets {
			if s.For != nil && (mentionsOwn(s, s.For.Lo) || mentionsOwn(s, s.For.Hi)) {
				ragged[name] = s
			}
		}
		s := ragged[name]
		if s == nil {
			continue
		}
		p := placeOfParts([]*LetStmt{s})
		for _, o := range lets {
			if o.For == nil && p < len(o.Places) && o.Places[p].At != nil && mentionsOwn(o, o.Places[p].At) {
				starts[name] = o
			}
		}
	}
	var out []Stmt
	for _, s := range stmts {
		let, ok := s.(*LetStmt)
		if !ok || ragged[let.Name.Name] == nil || let != ragged[let.Name.Name] && let != starts[let.Name.Name] {
			out = append(out, s)
		} else if let.For != nil { // behind what it and its start use
			for _, part := range c.raggedPart(let, starts[let.Name.Name]) {
				out = append(out, part)
			}
		}
	}
	return slices.DeleteFunc(out, func(s Stmt) bool { // which was told of
		let, ok := s.(*LetStmt)
		lost := ok && ragged[let.Name.Name] != nil && c.poisoned[let.Name.Name]
		if lost {
			delete(c.later, let.Name.Name)
		}
		return lost
	})
}

// mentionsOwn reports whether an expression names an index of a part beside its position.
func mentionsOwn(s *LetStmt, e Expr) bool {
	return e != nil && slices.ContainsFunc(decls(s.Places), func(d IndexDecl) bool { return mentionsName(e, d.Name) })
}

// raggedPart is a part whose range differs from one value of another index to the next, with the one that says where it starts, if that does.
func (c *checker) raggedPart(s, start *LetStmt) []*LetStmt {
	p := placeOfParts([]*LetStmt{s})
	at := node{span: s.For.At}
	t := nameAt(at, s.For.Name)
	hi, ok := c.mostOf(s, s.For.Hi)
	lo := s.For.Lo
	if lo == nil {
		lo = wholeAt(at, 1)
	}
	if !ok {
		return []*LetStmt{s}
	}
	var within Expr
	test := func(op string, end Expr) {
		is := Expr(&BinaryExpr{node: at, Op: op, At: at.span, X: clone(t), Y: clone(end)})
		if within != nil {
			is = &BinaryExpr{node: at, Op: "and", At: at.span, X: within, Y: is}
		}
		within = is
	}
	if mentionsOwn(s, lo) {
		test(">=", lo)
	}
	if mentionsOwn(s, s.For.Hi) {
		test("<=", s.For.Hi)
	}
	rest := cloneLet(s)
	rest.For.Hi = hi
	rest.Value = &IfExpr{node: node{span: s.Value.Span()}, Cond: within, Then: clone(s.Value), Else: wholeAt(at, 0)}
	if !mentionsOwn(s, lo) {
		return []*LetStmt{rest}
	}
	if start == nil {
		start = startWithin(s, p, lo)
	}
	if start == nil {
		c.err(BadParts, s.For.At, "add the part that it starts from, "+fmt.Sprintf("`let %s = …`", placedText(s, p, Text(endBy(lo, -1)))), "`%s` starts where data say, and no part has that position", s.Name.Name)
		start = cloneLet(s)
		start.For, start.Places[p].At, start.Value = nil, endBy(lo, -1), wholeAt(at, 0)
	}
	own := *start
	own.For = s.For
	like, ok := named(&own, s)
	if !ok {
		return []*LetStmt{start, s}
	}
	first := like.Places[p].At
	is := func(x Expr) Expr {
		return &BinaryExpr{node: at, Op: "==", At: at.span, X: x, Y: clone(first)}
	}
	one := cloneLet(like)
	one.For = nil
	one.Places[p].At = wholeAt(at, 1)
	one.Value = &IfExpr{node: node{span: start.Value.Span()}, Cond: is(wholeAt(at, 1)), Then: clone(like.Value), Else: wholeAt(at, 0)}
	rest.For.Lo = wholeAt(at, 2)
	rest.Value = &IfExpr{node: node{span: s.Value.Span()}, Cond: is(clone(t)), Then: clone(like.Value), Else: rest.Value}
	return []*LetStmt{one, rest}
}

// startWithin is the part of the first position of each row, where the value of all says by a condition what it is there, `if t == first[i] then p else …`; nil of another value.
func startWithin(s *LetStmt, p int, lo Expr) *LetStmt {
	e, ok := s.Value.(*IfExpr)
	if !ok {
		return nil
	}
	is, ok := e.Cond.(*BinaryExpr)
	if !ok || is.Op != "==" || Text(is.X) != s.For.Name && Text(is.Y) != s.For.Name || Text(is.X) != Text(lo) && Text(is.Y) != Text(lo) {
		return nil
	}
	start := cloner{name: s.For.Name, put: lo}.let(s)
	start.For = nil
	start.Value = cloner{name: s.For.Name, put: lo}.expr(e.Then)
	return start
}

// mostOf is what an end of a range is at most: an element of integer data, and a number more or less, is at most what its declaration says. What does not say it is reported.
func (c *checker) mostOf(s *LetStmt, e Expr) (Expr, bool) {
	if !mentionsOwn(s, e) {
		return clone(e), true
	}
	element, by := e, 0
	if b, ok := e.(*BinaryExpr); ok && (b.Op == "+" || b.Op == "-") {
		if v, ok := c.constant(b.Y); ok {
			element, by = b.X, int(v)
			if b.Op == "-" {
				by = -by
			}
		}
	}
	if n, ok := element.(*Name); ok {
		for _, d := range decls(s.Places) {
			if d.Name == n.Name {
				return endBy(d.Hi, by), true
			}
		}
	}
	ix, ok := element.(*IndexExpr)
	if !ok {
		return nil, false
	}
	n, ok := ix.Base.(*Name)
	if !ok {
		return nil, false
	}
	d, ok := c.scope[n.Name].(*Data)
	if !ok || d.Type.Base != Int {
		return nil, false
	}
	_, hi, ok := d.Values()
	if !ok {
		c.err(BadGather, e.Span(), fmt.Sprintf("declare `data %s %s in 1..T`, with the number of positions T that the definition has", d.Name, d.Type), "the range of `%s` goes up to `%s`, of which no largest number is declared", s.Name.Name, Text(element))
		c.note(d.At, "declared here")
		c.poisoned[s.Name.Name] = true
		return nil, false
	}
	return c.sizeExpr(hi.Plus(by), e.Span()), true
}
