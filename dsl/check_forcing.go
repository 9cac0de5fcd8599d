package dsl

// What may stand in the right side of a differential equation. The parameters in it, and the definitions that depend on them, are inputs of the solution, each a
// number with sensitivities of its own: scalars, and elements at fixed positions. Data are no inputs: sums over them, functions of them and of the time, and
// positions that the time chooses are computed wherever the right side is.

// timeless are the functions of arrays that are known of what changes with the time, as sums are.
var timeless = map[string]bool{"sum": true, "mean": true, "dot": true, "size": true, "softmax": true, "delta": true, "diag": true, "transpose": true, "trace": true}

// rightSide reports what a right side is not made of; it reports whether there is nothing of that kind.
func (c *checker) rightSide(e Expr) bool {
	if !c.moves(e) && c.dependsOnParam(e) == nil || e.Type().Base == Invalid {
		return true
	}
	switch e := e.(type) {
	case *Name:
		if l := c.local(e); l != nil {
			return c.rightSide(l.Value)
		}
		if l, ok := e.Obj.(*Let); ok && l.Local {
			if l.Recursion != nil {
				break
			}
			return c.rightSide(l.Value)
		}
		if e.Type().IsScalar() {
			return true
		}
		c.err(NotYet, e.Span(), elementsHint(e.Name), "of `%s`, which depends on parameters, a differential equation reads elements at fixed positions in this version of the language", e.Name)
		return false
	case *IndexExpr:
		return c.rightSideElement(e)
	case *SumExpr:
		if reductionOf(e.Func).Data {
			break
		}
		return c.rightSide(e.terms())
	case *CallExpr:
		if f := LookupFunction(e.Func); e.Inlined == nil && f != nil && f.Kind == Structural && !timeless[f.Name] {
			break
		}
		return c.rightSideParts(e)
	case *UnaryExpr, *BinaryExpr, *IfExpr:
		return c.rightSideParts(e)
	}
	c.err(NotYet, e.Span(), "write it out, or define it above as a scalar, with `let`", "the right side of a differential equation is made of scalars, sums and elements in this version of the language")
	return false
}

// rightSideParts is rightSide of the operands.
func (c *checker) rightSideParts(e Expr) bool {
	good := true
	children(e, func(x Expr) { good = good && c.rightSide(x) })
	return good
}

// rightSideElement is rightSide of an element: that of a parameter stands at a fixed position, or at one that the time chooses among a number of them that is known.
func (c *checker) rightSideElement(e *IndexExpr) bool {
	base := Through(e.Base)
	switch b := base.(type) {
	case *Name:
		if l, ok := b.Obj.(*Let); ok && l.Local {
			return c.rightSide(b)
		}
	case *FieldExpr:
	default:
		return c.rightSide(base)
	}
	if c.dependsOnParam(base) == nil {
		return c.rightSide(base)
	}
	for _, s := range e.Subscripts {
		if s.Index == nil && !s.All && (s.Gather == nil || c.still(s.Gather) || s.Gather.chosen() <= mostLags) {
			continue
		}
		name := Text(Through(e.Base))
		c.err(NotYet, e.Span(), elementsHint(name), "of `%s`, which depends on parameters, a differential equation reads elements at fixed positions in this version of the language", name)
		return false
	}
	return true
}

// elementsHint says how the elements of a parameter stand in an equation.
func elementsHint(name string) string {
	return "write `" + name + "[1]`, `" + name + "[2]` …; where the number of elements is known, as with `const K = 5`, `sum(j in K)` and a position that the time chooses, `" + name + "[floor(time) + 1]`, do as well"
}

// chosen is the number of positions of which a gather is one, as far as that is known, or more than are written out.
func (g *Gather) chosen() int {
	size := g.Size
	if g.Data != nil {
		_, size, _ = g.Data.Values()
	}
	if !size.IsConst() {
		return mostLags + 1
	}
	return size.Offset
}

// still reports whether a position is one number, whatever the time.
func (c *checker) still(g *Gather) bool {
	if g.Data == nil {
		return len(g.Value.Type().Shape) == 0 && !c.moves(g.Value) && !namesIndex(g.Value)
	}
	for _, s := range g.Subs {
		if s.Index != nil || s.All || s.Gather != nil && !c.still(s.Gather) {
			return false
		}
	}
	return true
}

// namesIndex reports whether an expression holds an index.
func namesIndex(e Expr) bool {
	found := false
	Walk(e, func(n Node) bool {
		if n, ok := n.(*Name); ok {
			_, is := n.Obj.(*Index)
			found = found || is
		}
		return !found
	})
	return found
}

// moves reports whether an expression depends on the time, on a state or on an argument of an equation.
func (c *checker) moves(e Expr) bool {
	switch e := e.(type) {
	case *Name:
		switch o := e.Obj.(type) {
		case *OdeVar:
			return true
		case *Let:
			if !o.Local {
				return false
			}
			for _, v := range o.Values() {
				if c.moves(v) {
					return true
				}
			}
			return false
		}
	case *IndexExpr:
		for _, s := range e.Subscripts {
			if c.movesAt(s.Gather) {
				return true
			}
		}
	}
	found := false
	children(e, func(x Expr) { found = found || c.moves(x) })
	return found
}

// movesAt is moves of a position.
func (c *checker) movesAt(g *Gather) bool {
	if g == nil || g.Data == nil {
		return g != nil && c.moves(g.Value)
	}
	for _, s := range g.Subs {
		if c.movesAt(s.Gather) {
			return true
		}
	}
	return false
}

// odeVar is the time, the state or the argument of an equation that a subscript names, plus or minus a number, or nil.
func (c *checker) odeVar(a Expr) *OdeVar {
	core, _ := c.unshifted(a)
	n, ok := core.(*Name)
	if !ok {
		return nil
	}
	v, _ := c.scope[n.Name].(*OdeVar)
	return v
}
