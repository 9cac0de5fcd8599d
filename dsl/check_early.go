package dsl

// Definitions in the bounds of parameters. `let top = max(y)` serves as a bound, `param N real > top`, if it is of data alone and given as a whole. Bounds
// are checked before definitions are, since these may name parameters; so such a definition is checked where the first bound names it.

// wholeLets are the definitions of a file that are given as wholes, by name: neither in parts, nor solutions, nor sizes.
func (c *checker) wholeLets(f *File) {
	c.atBounds = map[string]*LetStmt{}
	seen, several := map[string]bool{}, map[string]bool{}
	for _, s := range f.Stmts {
		s, ok := s.(*LetStmt)
		if !ok {
			continue
		}
		_, solve := s.Value.(*SolveExpr)
		if seen[s.Name.Name] {
			several[s.Name.Name] = true
		}
		seen[s.Name.Name] = true
		if !solve && !s.partial() && !c.sizeLets[s] {
			c.atBounds[s.Name.Name] = s
		}
	}
	for name := range several {
		delete(c.atBounds, name)
	}
}

// ofDataAlone reports whether an expression names no parameter, whatever its definitions are made of: those of a map, which may be looked into; seen are those that are being looked at or were.
func (c *checker) ofDataAlone(e Expr, of map[string]*LetStmt, seen map[string]bool) bool {
	if e == nil {
		return true
	}
	ok := true
	Walk(e, func(n Node) bool {
		name, is := n.(*Name)
		if !is || !ok {
			return ok
		}
		_, known := c.scope[name.Name]
		switch {
		case c.paramNames[name.Name]:
			ok = false
		case known || c.later[name.Name] == (Span{}) || seen[name.Name]:
		default:
			seen[name.Name] = true
			s := of[name.Name]
			ok = s != nil && c.ofDataAlone(s.Value, of, seen)
		}
		return ok
	})
	return ok
}

// definedForBound checks the definitions of data that an end of a bound of a parameter names, with those that they name before them.
func (c *checker) definedForBound(e Expr) {
	if c.bounding == nil || e == nil {
		return
	}
	Walk(e, func(n Node) bool {
		if name, is := n.(*Name); is && c.ofDataAlone(name, c.atBounds, map[string]bool{}) {
			c.defineEarly(name)
		}
		return true
	})
}

// defineEarly checks the definitions that an expression names, and those that they name before them.
func (c *checker) defineEarly(e Expr) {
	Walk(e, func(n Node) bool {
		name, is := n.(*Name)
		if !is {
			return true
		}
		s := c.atBounds[name.Name]
		if _, known := c.scope[name.Name]; known || s == nil {
			return true
		}
		c.atBounds[name.Name] = nil
		c.defineEarly(s.Value)
		was, bounding, end, aside := c.surroundings, c.bounding, c.end, c.aside
		c.indices, c.hidden, c.byName = nil, nil, map[string]*Index{}
		c.bounding, c.end, c.aside, c.headings = nil, "", "", false
		c.let(s)
		c.indices, c.hidden, c.byName = was.indices, was.hidden, was.byName
		c.bounding, c.end, c.aside, c.headings = bounding, end, aside, true
		c.early[s] = true
		return true
	})
}

// definitionInBound reports a definition that may not stand in a bound.
func (c *checker) definitionInBound(n *Name) {
	if c.bounding == nil {
		c.err(BadBounds, n.Span(), "write its value out", "bounds of data and consts may not use a definition (`%s`)", n.Name)
		return
	}
	hint := "write its value out"
	if c.atBounds[n.Name] == nil {
		hint = "define it as a whole, of data: `let top = max(y)`, `let top[j in J] = …`"
	}
	c.err(BadBounds, n.Span(), hint, "%s uses definitions of data alone, given as wholes, and `%s` is none", c.endName(), n.Name)
}

// constantBound is the number that a bound is known to be, by its definition too.
func (c *checker) constantBound(e Expr) (float64, bool) {
	if n, ok := e.(*Name); ok {
		if l, ok := c.scope[n.Name].(*Let); ok && len(l.Indices) == 0 && l.Type.Base != Invalid && l.Value != nil {
			return c.constantBound(l.Value)
		}
	}
	return c.constant(e)
}

// BoundLets are the definitions that bounds, offsets and multipliers of parameters name, in order.
func (m *Model) BoundLets() []*Let {
	var ends []Expr
	for _, p := range m.Params {
		e := p.Ends()
		ends = append(ends, e[:]...)
	}
	_, named := reachedFrom(ends...)
	var out []*Let
	for _, l := range m.Lets {
		if named[l] {
			out = append(out, l)
		}
	}
	return out
}
