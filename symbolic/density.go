package symbolic

import "github.com/hamc-dev/hamc/dsl"

// logDensity elaborates the log density of a term at one value of the indices
// that its left side runs over, where it is defined, with what bounds it to there, the
// left side and the arguments.
func (el *elaborator) logDensity(t *dsl.Term) (e, bound *Expr, left value, args []value, indices []*Index) {
	c := el.c
	left = el.expr(t.Left)
	for n, a := range t.Args {
		args = append(args, el.expr(a))
		if t.Dist.Args[n].Domain == dsl.Covariance && el.claim != nil {
			el.claim(a.Span(), args[n])
		}
	}
	if t.Dist.Support.Vector() {
		bound = c.Number(0)
		for n, a := range args {
			if t.Dist.Args[n].Domain == dsl.VectorPositive {
				i := c.NewIndex("i", upTo(a.shape[0]))
				if x := a.at(Sub{Index: i}); c.Sign(x) != Positive {
					bound = c.Add(bound, c.Sum(i, c.Call("log_positive", x)))
				}
			}
		}
		return c.formulaValue(t.Dist, t.Dist.LogDensity, left, args).at(), bound, left, args, nil
	}
	subs := make([]Sub, len(left.shape))
	indices = make([]*Index, len(subs))
	for d := range subs {
		indices[d] = c.NewIndex([]string{"i", "j"}[d], upTo(left.shape[d]))
		subs[d] = Sub{Index: indices[d]}
	}
	left = scalar(pick(left, subs))
	for n, a := range args {
		args[n] = scalar(pick(a, subs))
	}
	e = c.formulaValue(t.Dist, t.Dist.LogDensity, left, args).at()
	return e, c.outsideOf(t, left, args), left, args, indices
}

// bounded is e where the bound is 0, and −∞ where that is: also where e is not
// defined.
func (c *Context) bounded(e, bound *Expr) *Expr {
	if bound.IsNum(0) {
		return e
	}
	return c.Call("bounded", e, bound)
}

// sumAll returns the sum over several indices.
func (c *Context) sumAll(indices []*Index, e *Expr) *Expr {
	for d := len(indices) - 1; d >= 0; d-- {
		e = c.Sum(indices[d], e)
	}
	return e
}

// outsideOf is −∞ where the left side or an argument of a term leaves the range
// that its distribution is defined on, and 0 elsewhere: nothing is added where
// the declarations already exclude that.
func (c *Context) outsideOf(t *dsl.Term, y value, args []value) *Expr {
	total := c.Number(0)
	positive := func(e *Expr) {
		if c.Sign(e) != Positive {
			total = c.Add(total, c.Call("log_positive", e))
		}
	}
	nonNegative := func(e *Expr) {
		if c.Sign(e) == UnknownSign {
			total = c.Add(total, c.Call("log_nonnegative", e))
		}
	}
	left := y.at()
	// A datum is checked when it arrives, a parameter's bounds when the
	// model is.
	if !declared(t.Left) || t.Dist.Support == dsl.Between && !dependsOnCoords(left) {
		switch t.Dist.Support {
		case dsl.Positive:
			positive(left)
		case dsl.UnitOpen:
			positive(left)
			positive(c.Sub(c.Number(1), left))
		case dsl.Between:
			positive(c.Sub(left, args[0].at()))
			positive(c.Sub(args[1].at(), left))
		case dsl.Binary:
			positive(c.Add(left, c.Number(0.5)))
			positive(c.Sub(c.Number(1.5), left))
		case dsl.UpTo:
			positive(c.Add(left, c.Number(0.5)))
			positive(c.Add(c.Sub(args[0].at(), left), c.Number(0.5)))
		}
	}
	for n, a := range args {
		switch t.Dist.Args[n].Domain {
		case dsl.Positive:
			positive(a.at())
		case dsl.NonNegative:
			nonNegative(a.at())
		case dsl.UnitOpen:
			positive(a.at())
			positive(c.Sub(c.Number(1), a.at()))
		case dsl.UnitClosed:
			nonNegative(a.at())
			nonNegative(c.Sub(c.Number(1), a.at()))
		}
	}
	return total
}

// declared reports whether an expression is a datum or a parameter, alone or
// by an element.
func declared(e dsl.Expr) bool {
	if ix, ok := e.(*dsl.IndexExpr); ok {
		e = ix.Base
	}
	n, ok := e.(*dsl.Name)
	if !ok {
		return false
	}
	switch n.Obj.(type) {
	case *dsl.Data, *dsl.Param:
		return true
	}
	return false
}

// formulaValue elaborates a formula of the distribution table.
func (c *Context) formulaValue(d *dsl.Distribution, text string, y value, args []value) value {
	env := map[string]value{"y": y}
	for i, a := range d.Args {
		env[a.Name] = args[i]
	}
	el := &elaborator{c: c, names: env, indices: map[*dsl.Index]Sub{}}
	return el.expr(c.parsed(text))
}

// dependsOnCoords reports whether e depends on any parameter.
func dependsOnCoords(e *Expr) bool { return e.Stage() >= StagePosition }
