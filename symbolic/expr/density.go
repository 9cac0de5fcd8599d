package expr

import "github.com/hamc-dev/hamc/dsl"

// LogDensity elaborates the log density of a term at one value of the indices
// that its left side runs over, where it is defined, with what bounds it to there, the
// left side and the arguments.
func (el *Elaborator) LogDensity(t *dsl.Term) (e, bound *Expr, left Value, args []Value, indices []*Index) {
	c := el.C
	for _, ix := range t.Each {
		i := c.NewIndex(ix.Name, ix.Range)
		el.Indices[ix] = Sub{Index: i}
		indices = append(indices, i)
	}
	left = el.Expr(t.Left)
	for n, a := range t.Args {
		args = append(args, el.Expr(a))
		if t.Dist.Args[n].Domain == dsl.Covariance && el.Claim != nil && !dsl.Symmetric(a) {
			el.Claim(a.Span(), args[n])
		}
	}
	if t.Formula != nil {
		return el.Expr(t.Formula).At(), c.outsideOfWhole(t, args), left, args, indices
	}
	if t.Dist.Support.Vector() {
		bound = c.outsideOfWhole(t, args)
		return c.FormulaValue(t.Dist, t.Dist.LogDensity, left, args).At(), bound, left, args, indices
	}
	subs := make([]Sub, len(left.Shape))
	for d := range subs {
		i := c.NewIndex(dsl.IndexName(d), UpTo(left.Shape[d]))
		indices = append(indices, i)
		subs[d] = Sub{Index: i}
	}
	left = Scalar(Pick(left, subs))
	for n, a := range args {
		args[n] = Scalar(Pick(a, subs))
	}
	of := func(text string, y *Expr) *Expr { return c.FormulaValue(t.Dist, text, Scalar(y), args).At() }
	bound = c.outsideOf(t, left, args)
	if t.Tail != dsl.NoTail {
		return c.tail(t, left.At(), args, of), bound, left, args, indices
	}
	e = of(t.Dist.LogDensity, left.At())
	if t.Lo != nil || t.Hi != nil {
		norm, out := el.truncated(t, left.At(), args, subs, of)
		e, bound = c.Sub(e, norm), c.Add(bound, out)
	}
	return e, bound, left, args, indices
}

// tail is the logarithm of a cumulative probability, which is 0 beyond the end of the support behind which all of the probability lies.
func (c *Context) tail(t *dsl.Term, y *Expr, args []Value, of func(text string, y *Expr) *Expr) *Expr {
	first, last := c.endsOf(t.Dist, args)
	text, inside := t.Dist.LogCdf, c.Number(1)
	switch counts := t.Dist.Support.Discrete(); {
	case t.Tail == dsl.UpperTail:
		text = t.Dist.LogCcdf
		switch {
		case first == nil:
		case counts && c.Sign(c.Add(c.Sub(y, first), c.Number(0.5))) != Positive:
			inside = c.Call("less_equal", first, y)
		case !counts && c.Sign(c.Sub(y, first)) != Positive:
			inside = c.Call("less", first, y)
		}
	case last != nil && c.Sign(c.Sub(last, y)) != Positive:
		inside = c.Call("less", y, last)
	}
	place := first
	switch {
	case last != nil && !t.Dist.Support.Discrete():
		place = c.Scale(0.5, c.Add(first, last))
	case first != nil && !t.Dist.Support.Discrete():
		place = c.Add(first, c.Number(1))
	}
	return c.when(inside, func() *Expr { return of(text, c.inner(inside, y, place)) }, func() *Expr { return c.Number(0) })
}

// truncated is the logarithm of the probability of the interval that truncates the distribution of a term, and what is −∞ where the left side is outside.
// An end beyond that of the support truncates nothing.
func (el *Elaborator) truncated(t *dsl.Term, y *Expr, args []Value, subs []Sub, of func(text string, y *Expr) *Expr) (norm, outside *Expr) {
	c := el.C
	outside = c.Number(0)
	first, last := c.endsOf(t.Dist, args)
	counts := t.Dist.Support.Discrete()
	// Of whole numbers, Lo is the last one that is left out and Hi the last one that is not. Places inside the support stand for ends that truncate nothing.
	low := y
	if t.Lo != nil && t.Hi == nil && y.stage < StageGiven {
		low = c.greatest(y, Pick(el.Expr(t.Lo), subs))
	}
	high := low
	if counts {
		low, high = first, first
	} else if last != nil {
		high = c.Scale(0.5, c.Add(y, last))
	}
	var lo, hi *Expr
	withLo, withHi := c.Number(1), c.Number(1) // whether they truncate anything
	if t.Lo != nil {
		lo = c.Add(Pick(el.Expr(t.Lo), subs), c.Number(float64(t.LoShift)))
		outside = c.Call("log_positive", c.Sub(y, lo))
		switch {
		case first == nil || c.Sign(c.Sub(lo, first)) == Positive:
		case counts:
			withLo = c.Call("less_equal", first, lo)
		default:
			withLo = c.Call("less", first, lo)
		}
		if first != nil {
			lo = c.inner(withLo, lo, low)
		}
	}
	if t.Hi != nil {
		hi = c.Add(Pick(el.Expr(t.Hi), subs), c.Number(float64(t.HiShift)))
		if counts {
			outside = c.Add(outside, c.Call("log_nonnegative", c.Sub(hi, y)))
		} else {
			outside = c.Add(outside, c.Call("log_positive", c.Sub(hi, y)))
		}
		if last != nil {
			if c.Sign(c.Sub(last, hi)) != Positive {
				withHi = c.Call("less", hi, last)
			}
			hi = c.inner(withHi, hi, high)
		}
	}
	norm = c.when(withLo,
		func() *Expr {
			return c.when(withHi, func() *Expr { return c.mass(t.Dist, lo, hi, of) }, func() *Expr { return c.mass(t.Dist, lo, nil, of) })
		},
		func() *Expr {
			return c.when(withHi, func() *Expr { return c.mass(t.Dist, nil, hi, of) }, func() *Expr { return c.mass(t.Dist, nil, nil, of) })
		})
	return norm, outside
}

// greatest is the greatest of the values of y over the indices that another expression does not have: what is made of both is one number for these.
func (c *Context) greatest(y, of *Expr) *Expr {
	for _, i := range y.free {
		if !of.HasFree(i) {
			y = c.Largest(i, y)
		}
	}
	return y
}

// inner is an end where it truncates, and a place inside the support elsewhere: what is not chosen is finite then, and so are its derivatives.
func (c *Context) inner(cond, end, place *Expr) *Expr {
	return c.when(cond, func() *Expr { return end }, func() *Expr { return place })
}

// when is one expression where a condition holds and another elsewhere, which are made where they are needed.
func (c *Context) when(cond *Expr, then, otherwise func() *Expr) *Expr {
	if cond.Op == Num {
		if cond.Val != 0 {
			return then()
		}
		return otherwise()
	}
	return c.Call("select", cond, then(), otherwise())
}

// mass is the logarithm of the probability of an interval; an end that is nil is that of the support.
func (c *Context) mass(d *dsl.Distribution, lo, hi *Expr, of func(text string, y *Expr) *Expr) *Expr {
	switch {
	case lo == nil && hi == nil:
		return c.Number(0)
	case hi == nil:
		return of(d.LogCcdf, lo)
	case lo == nil:
		return of(d.LogCdf, hi)
	}
	// log(F(hi) − F(lo)), from the tail that is the smaller one.
	below, above := of(d.LogCdf, hi), of(d.LogCcdf, lo)
	lower := c.Add(below, c.Call("log1m_exp", c.Sub(of(d.LogCdf, lo), below)))
	upper := c.Add(above, c.Call("log1m_exp", c.Sub(of(d.LogCcdf, hi), above)))
	return c.Call("select", c.Call("less", below, above), lower, upper)
}

// endsOf are the ends of a support, nil where it has none.
func (c *Context) endsOf(d *dsl.Distribution, args []Value) (lo, hi *Expr) {
	switch d.Support {
	case dsl.Positive:
		return c.Number(0), nil
	case dsl.UnitOpen:
		return c.Number(0), c.Number(1)
	case dsl.Above:
		return args[d.Begins].At(), nil
	case dsl.Between:
		return args[0].At(), args[1].At()
	case dsl.Binary:
		return c.Number(0), c.Number(1)
	case dsl.Counts:
		return c.Number(0), nil
	case dsl.UpTo:
		return c.Number(0), args[0].At()
	}
	return nil, nil
}

// Bounded is e where the bound is 0, and −∞ where that is: also where e is not
// defined.
func (c *Context) Bounded(e, bound *Expr) *Expr {
	if bound.IsNum(0) {
		return e
	}
	if early, late := c.beforeSampling(e); bound.stage < StageGiven && late != nil && !mayExplode(late, riskDepth) {
		return c.Add(c.Call("bounded", early, bound), late) // the one is computed once
	}
	return c.Call("bounded", e, bound)
}

// beforeSampling splits a sum into the terms that are known before sampling and the others; the second is nil where there are not both.
func (c *Context) beforeSampling(e *Expr) (early, late *Expr) {
	if e.Op != Add {
		return e, nil
	}
	early, late = c.Number(e.Val), c.nought()
	for n, t := range e.Args {
		if t = c.Scale(e.K[n], t); t.stage < StageGiven {
			early = c.Add(early, t)
		} else {
			late = c.Add(late, t)
		}
	}
	if early.IsNum(0) || late.IsNum(0) {
		return e, nil
	}
	return early, late
}

// SumAll returns the sum over several indices.
func (c *Context) SumAll(indices []*Index, e *Expr) *Expr {
	for d := len(indices) - 1; d >= 0; d-- {
		e = c.Sum(indices[d], e)
	}
	return e
}

// outsideOfWhole is outsideOf for the arguments of a distribution whose formula is of them as wholes.
func (c *Context) outsideOfWhole(t *dsl.Term, args []Value) *Expr {
	total := c.Number(0)
	for n, a := range args {
		switch dom := t.Dist.Args[n].Domain; {
		case dom == dsl.VectorPositive && len(a.Shape) == 1:
			i := c.NewIndex("i", UpTo(a.Shape[0]))
			if x := a.At(Sub{Index: i}); c.Sign(x) != Positive {
				total = c.Add(total, c.Sum(i, c.Call("log_positive", x)))
			}
		case dom == dsl.Positive && len(a.Shape) == 0:
			if x := a.At(); c.Sign(x) != Positive {
				total = c.Add(total, c.Call("log_positive", x))
			}
		}
	}
	return total
}

// outsideOf is −∞ where the left side or an argument of a term leaves the range
// that its distribution is defined on, and 0 elsewhere: nothing is added where
// the declarations already exclude that.
func (c *Context) outsideOf(t *dsl.Term, y Value, args []Value) *Expr {
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
	left := y.At()
	// A datum is checked when it arrives, a parameter's bounds when the
	// model is.
	below, above := t.Tail != dsl.UpperTail, t.Tail != dsl.LowerTail // where the support ends; a cumulative probability is 1 beyond one of the ends
	from, to := func(e *Expr) {
		if below {
			positive(e)
		}
	}, func(e *Expr) {
		if above {
			positive(e)
		}
	}
	if !declared(t.Left) || t.Chosen || t.Tail != dsl.NoTail || (t.Dist.Support == dsl.Between || t.Dist.Support == dsl.Above) && !DependsOnCoords(left) {
		switch t.Dist.Support {
		case dsl.Positive:
			from(left)
		case dsl.UnitOpen:
			from(left)
			to(c.Sub(c.Number(1), left))
		case dsl.Between:
			from(c.Sub(left, args[0].At()))
			to(c.Sub(args[1].At(), left))
		case dsl.Above:
			from(c.Sub(left, args[t.Dist.Begins].At()))
		case dsl.Binary:
			from(c.Add(left, c.Number(0.5)))
			to(c.Sub(c.Number(1.5), left))
		case dsl.Counts:
			from(c.Add(left, c.Number(0.5)))
		case dsl.UpTo:
			from(c.Add(left, c.Number(0.5)))
			to(c.Add(c.Sub(args[0].At(), left), c.Number(0.5)))
		}
	} else if t.Dist.Support == dsl.UpTo && !t.LimitDemanded() && !DependsOnCoords(args[0].At()) {
		positive(c.Add(c.Sub(args[0].At(), left), c.Number(0.5))) // which is looked at between data alone when they arrive
	}
	for n, a := range args {
		switch t.Dist.Args[n].Domain {
		case dsl.Positive:
			positive(a.At())
		case dsl.NonNegative:
			nonNegative(a.At())
		case dsl.UnitOpen:
			positive(a.At())
			positive(c.Sub(c.Number(1), a.At()))
		case dsl.UnitClosed:
			nonNegative(a.At())
			nonNegative(c.Sub(c.Number(1), a.At()))
		}
	}
	return total
}

// declared reports whether an expression is a datum or a parameter, alone or
// by an element.
func declared(e dsl.Expr) bool {
	e = dsl.Through(e)
	if ix, ok := e.(*dsl.IndexExpr); ok {
		e = dsl.Through(ix.Base)
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

// FormulaValue elaborates a formula of the distribution table.
func (c *Context) FormulaValue(d *dsl.Distribution, text string, y Value, args []Value) Value {
	env := map[string]Value{"y": y}
	for i, a := range d.Args {
		env[a.Name] = args[i]
	}
	el := &Elaborator{C: c, names: env, Indices: map[*dsl.Index]Sub{}}
	return el.Expr(c.parsed(text))
}

// DependsOnCoords reports whether e depends on any parameter.
func DependsOnCoords(e *Expr) bool { return e.Stage() >= StagePosition }
