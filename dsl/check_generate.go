package dsl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// generate checks the quantities of a `generate` and declares them.
func (c *checker) generate(s *GenerateStmt) {
	c.generating = true
	for _, q := range s.lets {
		c.quantity(q)
	}
	c.generating = false
}

func (c *checker) quantity(s *LetStmt) {
	if _, solve := s.Value.(*SolveExpr); s.partial() && !solve {
		c.part(s)
		return
	}
	if c.noPart(s) {
		return
	}
	q := newQuantity(s.Name, s.Doc)
	of, _ := c.scope[q.Name].(*Let)
	if !s.reports() || slices.Contains(c.reported, of) {
		of = nil
	}
	q.Indices, q.Type, q.Value = c.definition(q.Name, decls(s.Places), s.Value)
	c.wholeOfEach(q)
	c.reached(&q.Let)
	if of != nil { // what reads the name goes on to read the definition
		c.reported = append(c.reported, of)
		c.model.Quantities = append(c.model.Quantities, q)
		return
	}
	c.defined(&q.Let)
}

// renameReported gives definitions that quantities of their names report names of their own: those are of the draws.
func (c *checker) renameReported() {
	for _, l := range c.reported {
		for l.Name += "_let"; c.scope[l.Name] != nil; {
			l.Name += "_"
		}
		c.scope[l.Name] = l
	}
}

// wholeOfEach warns of log densities of elements that are each that of all data.
func (c *checker) wholeOfEach(q *Quantity) {
	call, ok := q.Value.(*CallExpr)
	if !ok || len(q.Indices) == 0 || call.Density == nil || datum(call.Args[0].Expr) == nil || q.Indices[0].Range.Hi == unknownExtent {
		return
	}
	if left := call.Args[0].Expr; len(left.Type().Shape) > 0 && openIndex(left, map[*Index]bool{}) == nil {
		c.warn(LeftOfEach, left.Span(), fmt.Sprintf("write `%s(%s[%s] | …)`", call.Func, Text(left), q.Indices[0].Name), "each element of `%s` is the log density of all of `%s`", q.Name, Text(left))
	}
}

// groups says of the quantities, which are in order, what they are to those who analyse the draws.
func (c *checker) groups() {
	for _, q := range c.model.Quantities {
		for _, m := range q.together() {
			if slices.ContainsFunc(m.Values(), isRandom) {
				q.Group = GroupPredictive
			}
		}
		if q.Group == GroupPosterior && !slices.ContainsFunc(q.Values(), func(v Expr) bool { return !c.isLikelihood(v) }) {
			q.Group = GroupLikelihood
		}
	}
}

// together are the definitions that are computed with one: those of its circle.
func (l *Let) together() []*Let {
	if l.Recursion != nil && l.Recursion.Circle != nil {
		return l.Recursion.Circle.Members
	}
	return []*Let{l}
}

// generatedOutside reports the use of a quantity outside of `generate`.
func (c *checker) generatedOutside(n *Name, at Span) {
	c.err(GeneratedOutside, n.Span(), "what the density or the metric needs is defined by `let`", "`%s` is a generated quantity, which is known in `generate` only", n.Name)
	c.note(at, "defined here")
}

// distributionCall checks a call of the log density or of the random numbers of a
// distribution; it reports whether the call is one.
func (c *checker) distributionCall(e *CallExpr) bool {
	if d := lookupLogDensity(e.Func); d != nil {
		c.logDensityCall(e, d, NoTail)
		return true
	}
	if d, tail := lookupCdf(e.Func); d != nil {
		c.logDensityCall(e, d, tail)
		return true
	}
	if d := lookupRandom(e.Func); d != nil {
		c.randomCall(e, d)
		return true
	}
	return false
}

// operands checks the arguments of a call; it reports whether all are values.
func (c *checker) operands(e *CallExpr) bool {
	good := true
	for _, a := range e.Args {
		c.expr(a.Expr)
		switch a.Expr.Type().Base {
		case Invalid:
			good = false
		case MetricBase:
			c.err(MetricMix, a.Expr.Span(), "", "a metric is not an argument of `%s`", e.Func)
			good = false
		}
	}
	return good
}

// logDensityCall checks normal_lpdf(y | mu, sigma). The log densities of the
// elements are added, as those of `~` are.
func (c *checker) logDensityCall(e *CallExpr, dist *Distribution, tail Tail) {
	good := c.operands(e)
	bad(e)
	switch n := len(e.Args) - 1; {
	case n < 0 || n != len(dist.Args):
		c.err(ArgumentCount, e.At, "write "+dist.form(), "`%s` takes a value and %s, not %s", e.Func, count(len(dist.Args), "argument"), count(n+1, "operand"))
		return
	case e.Bar.Len == 0 && n > 0:
		c.err(UnexpectedToken, e.At, "write "+cmp.Or(barred(e.Func, textsOf(e.Args)), dist.form()), "`%s` has a `|` between the value and the arguments", e.Func)
		return
	}
	if !good {
		return
	}
	t := &Term{At: e.At, Left: e.Args[0].Expr, Dist: dist, Tail: tail, Component: c.function != nil && c.function.mixed, Chosen: c.choosing > 0, call: true}
	for _, a := range e.Args[1:] {
		t.Args = append(t.Args, a.Expr)
	}
	before := len(c.ds.List)
	if c.fits(t); c.errors(before) > 0 {
		return
	}
	e.Density = t
	c.model.Densities = append(c.model.Densities, t)
	e.setType(Type{Base: Real})
}

// randomCall checks normal_rng(mu, sigma): one draw, or one for each element of
// the arguments.
func (c *checker) randomCall(e *CallExpr, dist *Distribution) {
	good := c.operands(e)
	bad(e)
	if !c.generating {
		c.err(RandomOutside, e.At, fmt.Sprintf("draw in `generate { … }`; a term of the density reads `y ~ %s(…)`", dist.Name),
			"`%s` draws a random number, and what the density and the metric are made of is fixed", e.Func)
		return
	}
	if dist.Random == "" && dist.Generate == "" {
		hint := ""
		if dist.Support == VectorCounts {
			hint = "draw its trials one by one: `kind[i in n] = categorical_rng(theta)`"
		}
		if dist.Defective {
			hint = "its density is of the times that end at one of two boundaries"
		}
		c.err(NotYet, e.At, hint, "draws from `%s` are not in this version of the language", dist.Name)
		return
	}
	if len(e.Args) != len(dist.Args) {
		hint := fmt.Sprintf("write %s(%s)", e.Func, strings.Join(dist.argNames(), ", "))
		if len(e.Args) == len(dist.Args)+1 {
			hint += fmt.Sprintf("; of n draws it is `y_rep[i in n] = %s(%s)`", e.Func, strings.Join(dist.argNames(), ", "))
		}
		c.err(ArgumentCount, e.At, hint,
			"`%s` takes %s, not %d", e.Func, count(len(dist.Args), "argument"), len(e.Args))
		return
	}
	if !good {
		return
	}
	var args []Expr
	for _, a := range e.Args {
		args = append(args, a.Expr)
	}
	before := len(c.ds.List)
	if dist.Generate != "" {
		c.each(e, familyFuncs()[dist.RandomName()], args)
		return
	}
	t := Type{Base: Real}
	if dist.Support.Discrete() {
		t.Base = Int
	}
	if dist.Support.Vector() {
		t.Shape = c.drawnVector(e, dist, args)
	} else {
		for i, a := range args {
			ta := a.Type()
			if t.IsScalar() {
				t.Shape = ta.Shape
			} else if !ta.IsScalar() && !sameShape(t.Shape, ta.Shape) {
				c.err(ShapeMismatch, a.Span(), "an argument is a scalar, or has the shape of the others", "the arguments of `%s` have the shapes %s and %s", e.Func, Type{Real, t.Shape}, ta)
				return
			}
			c.argument(a, dist, i)
		}
		c.ordered(dist, args)
		around := len(c.indices)
		if c.atStart() {
			around++ // its position
		}
		if n := around + len(t.Shape); n > MaxRank {
			c.err(NotYet, e.At, "name them by a quantity above", "draws over more than %d indices, as these over %d, are not in this version of the language", MaxRank, n)
		}
	}
	if c.errors(before) > 0 {
		return
	}
	e.Draws = dist
	e.setType(t)
}

// drawnVector checks the arguments of a distribution of vectors.
func (c *checker) drawnVector(e *CallExpr, dist *Distribution, args []Expr) []Extent {
	t := args[0].Type()
	if len(t.Shape) != 1 {
		hint := ""
		if t.IsScalar() {
			hint = fmt.Sprintf("how many elements it has is told by a definition: `let %s[k in K] = %s`", dist.Args[0].Name, Text(args[0]))
		}
		c.err(NotVector, args[0].Span(), hint, "%s of `%s` is a vector, not %s", dist.Args[0].called(), dist.Name, t)
		return nil
	}
	for n, a := range args {
		switch dist.Args[n].Domain {
		case Covariance:
			c.covariance(a, dist, t.Shape[0], "the mean")
		case VectorPositive:
			c.argument(a, dist, n)
		}
	}
	if len(c.indices) > 0 {
		c.err(NotYet, e.At, fmt.Sprintf("draw one by a quantity above: NAME = %s(…)", e.Func), "vectors that are drawn for each value of an index are not in this version of the language")
	}
	return t.Shape
}

// drawsWithin reports whether an expression is a function of draws that are made where it stands: of a draw alone, or of what was drawn before, it is not.
func drawsWithin(e Expr) (found bool) {
	children(e, func(x Expr) {
		call, ok := x.(*CallExpr)
		local := false
		if n, named := x.(*Name); named {
			l, let := n.Obj.(*Let)
			local = let && isRandom(n) && l.Local
		}
		found = found || ok && call.Draws != nil || local || drawsWithin(x)
	})
	return found
}

// isRandom reports whether a value is drawn, or computed from what was.
func isRandom(e Expr) bool {
	switch e := e.(type) {
	case *Name:
		switch o := e.Obj.(type) {
		case *Quantity:
			return o.Group == GroupPredictive
		case *Let:
			return o.Local && o.Recursion == nil && isRandom(o.Value)
		}
		return false
	case *CallExpr:
		if e.Draws != nil {
			return true
		}
	}
	found := false
	children(e, func(x Expr) { found = found || isRandom(x) })
	return found
}

// isLikelihood reports whether a value is the log density of data: a call of an
// _lpdf or _lpmf function with a datum or an element of one, or a sum of such.
func (c *checker) isLikelihood(e Expr) bool {
	if r, ok := c.likelihood[e]; ok {
		return r
	}
	r := false
	switch e := e.(type) {
	case *CallExpr:
		switch {
		case e.Inlined != nil:
			r = c.isLikelihood(e.Inlined.Value)
		case e.Density != nil:
			r = datum(e.Density.Left) != nil
		case e.Func == "sum" && len(e.Args) == 1:
			r = c.isLikelihood(e.Args[0].Expr)
		}
	case *BinaryExpr:
		r = e.Op == "+" && c.isLikelihood(e.X) && c.isLikelihood(e.Y)
	case *SumExpr:
		r = c.isLikelihood(e.terms())
	case *IndexExpr:
		r = c.isLikelihood(e.Base)
	case *Name:
		switch o := e.Obj.(type) {
		case *Let:
			r = o.Recursion == nil && c.isLikelihood(o.Value)
		case *Quantity:
			r = o.Group == GroupLikelihood
		}
	}
	c.likelihood[e] = r
	return r
}
