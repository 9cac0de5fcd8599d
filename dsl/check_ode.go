package dsl

import (
	"fmt"
	"maps"
	"strings"
)

// ode checks a differential equation and declares it.
func (c *checker) ode(s *OdeStmt) {
	o := &Ode{object: object{s.Name.Name, s.Name.At, s.Doc, false}, vars: map[string]*OdeVar{}}
	before := len(c.ds.List)
	known := len(c.names)
	hidden := map[string]Object{}
	declare := func(id Ident, kind OdeVarKind, pos int) *OdeVar {
		v := &OdeVar{object: object{Name: id.Name, At: id.At}, Kind: kind, Pos: pos}
		if first := o.vars[id.Name]; first != nil {
			c.err(Redeclared, id.At, "choose another name", "`%s` is declared twice in `%s`", id.Name, o.Name)
			c.note(first.At, "first declared here")
			return v
		}
		o.vars[id.Name] = v
		c.states[id.Name] = c.states[id.Name] || kind == OdeState
		if old, ok := c.scope[id.Name]; ok {
			hint := "choose another name"
			if _, param := old.(*Param); param && kind != OdeState {
				hint = "what is declared is known in the equations: leave it out here; or choose another name"
			}
			c.err(IndexShadows, id.At, hint, "%s `%s` has the name of something declared", kind, id.Name)
			c.note(old.Declared(), "declared here")
			hidden[id.Name] = old
			c.scope[id.Name] = v
			return v
		}
		c.scope[id.Name] = v
		c.names = append(c.names, id.Name)
		return v
	}
	for i, id := range s.States {
		o.States = append(o.States, declare(id, OdeState, i))
	}
	for i, id := range s.Args {
		o.Args = append(o.Args, declare(id, OdeArg, i))
	}
	if s.Time.Name != "" {
		o.Time = declare(s.Time, OdeTime, 0)
	}
	c.defining, c.equationOf = o.Name, o
	c.rightSides(o, s)
	c.defining, c.equationOf = "", nil
	o.lost = s.lost
	if c.errors(before) == 0 {
		for _, v := range o.Args {
			if !v.used {
				c.warn(Unused, v.At, "remove it, or use it", "the argument `%s` of `%s` is not used", v.Name, o.Name)
			}
		}
		if o.Time != nil && !o.Time.used {
			c.warn(Unused, o.Time.At, fmt.Sprintf("leave `over %s` out, or use it", o.Time.Name), "the time `%s` of `%s` is not used", o.Time.Name, o.Name)
		}
	}
	for _, v := range o.vars {
		if c.scope[v.Name] == v {
			delete(c.scope, v.Name)
		}
	}
	maps.Copy(c.scope, hidden)
	c.names = c.names[:known]
	if c.later[o.Name] == o.At {
		delete(c.later, o.Name)
	}
	c.declare(o)
	c.odes = append(c.odes, o)
}

// rightSides checks the equations of an `ode`.
func (c *checker) rightSides(o *Ode, s *OdeStmt) {
	o.Rhs = make([]Expr, len(o.States))
	first := make([]Span, len(o.States))
	given := map[string]bool{}
	for _, eq := range s.Equations {
		given[eq.State.Name] = true
	}
	var without []*OdeVar
	for _, v := range o.States {
		if !given[v.Name] && o.vars[v.Name] == v {
			without = append(without, v)
		}
	}
	complete := !s.lost // what is missing is missing, not misspelt
	for _, eq := range s.Equations {
		c.expr(eq.Value)
		if t := eq.Value.Type(); len(t.Shape) > 0 && t.Base != MetricBase {
			c.err(NotScalar, eq.Value.Span(), "of an array name an element, `x[1]`; one that the time chooses is `if time < 7 then x[1] else x[2]`", "the right side of an equation is a scalar, this is %s", t)
			bad(eq.Value)
		}
		c.wantScalar(eq.Value, "the right side of an equation")
		if eq.Value.Type().Base != Invalid {
			c.rightSide(eq.Value)
		}
		v := o.vars[eq.State.Name]
		switch {
		case v == nil:
			complete = false
			hint := c.among("the states are those in the head: ", o.States, eq.State.Name)
			c.err(BadEquation, eq.State.At, hint, "`%s` is not a state of `%s`", eq.State.Name, o.Name)
		case v.Kind != OdeState:
			c.err(BadEquation, eq.State.At, "the states are those in the head: "+listed(o.States), "%s `%s` of `%s` takes no equation", v.Kind, v.Name, o.Name)
		case o.Rhs[v.Pos] != nil:
			hint := "remove one of them"
			if len(without) > 0 {
				complete = false
				hint = fmt.Sprintf("the state `%s` has none", without[0].Name)
			}
			c.err(BadEquation, eq.State.At, hint, "the state `%s` has two equations", v.Name)
			c.note(first[v.Pos], "the first is here")
		default:
			o.Rhs[v.Pos], first[v.Pos] = eq.Value, eq.State.At
		}
	}
	if complete {
		for _, v := range without {
			c.err(BadEquation, v.At, fmt.Sprintf("add a line `%s' = …`", v.Name), "the state `%s` has no equation", v.Name)
		}
	}
}

// maxListed is the number of names that a message lists.
const maxListed = 10

// listed names variables.
func listed(vars []*OdeVar) string {
	var names []string
	for _, v := range vars[:min(len(vars), maxListed)] {
		names = append(names, v.Name)
	}
	if len(vars) > maxListed {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}

// among is the hint where a word should be one of variables: the nearest of
// them, or what they are.
func (c *checker) among(what string, vars []*OdeVar, word string) string {
	if c.spelling > 0 {
		var names []string
		for _, v := range vars {
			names = append(names, v.Name)
		}
		if n := c.nearest(word, names); n != "" {
			return fmt.Sprintf("did you mean `%s`?", n)
		}
	}
	return what + listed(vars)
}

// scalars reports what keeps an initial value or an argument that depends on a parameter from being made of scalars and
// elements at fixed positions; what is free of parameters may be anything.
func (c *checker) scalars(e Expr) bool {
	if c.dependsOnParam(e) == nil {
		return true
	}
	switch e := e.(type) {
	case *Name:
		if e.Type().Base == Invalid || e.Type().IsScalar() {
			return true
		}
	case *IndexExpr:
		// It stands in no sum, so its position is fixed.
		switch e.Base.(type) {
		case *Name, *FieldExpr:
			if e.Type().IsScalar() {
				return true
			}
		}
	case *FieldExpr, *SumExpr, *MatrixExpr:
	default:
		good := true
		children(e, func(x Expr) { good = good && c.scalars(x) })
		return good
	}
	c.err(NotYet, e.Span(), "write it out, or define it above as a scalar, with `let`", "an initial value or argument that depends on a parameter is made of scalars and elements at fixed positions in this version of the language")
	return false
}

// solution checks `let s = solve f(…) from t0 at t` and declares s.
func (c *checker) solution(l *LetStmt, e *SolveExpr) {
	s := &Solve{object: object{l.Name.Name, l.Name.At, l.Doc, false}}
	before := len(c.ds.List)
	known := false
	form := fmt.Sprintf("one for each value of an index reads `let %s[i in n] = solve …`", s.Name)
	switch {
	case len(l.Places) > 1:
		c.err(BadSolve, c.placeSpan(l.Places[1]), form, "a solution has one index at most")
	case len(l.Places) == 1 && l.Places[0].Decl == nil:
		c.err(BadSolve, c.placeSpan(l.Places[0]), form, "a solution is not given by its positions")
	case l.For != nil:
		c.err(BadSolve, l.For.At, form, "a solution is not given by its positions")
	default:
		indices, shut := c.open(decls(l.Places))
		c.fixedRanges(indices, "a solution", "")
		for _, ix := range indices {
			s.Index = ix
			if ix.Range.Lo != Fixed(1) && ix.Range.Hi != unknownExtent {
				c.err(IndexRange, ix.At, "define it over `i in n`", "the index of a definition starts at 1")
			}
		}
		c.defining = s.Name
		known = c.solveParts(s, e)
		c.defining = ""
		shut()
	}
	if c.later[s.Name] == s.At {
		delete(c.later, s.Name)
	}
	if !known || s.Ode.lost || c.errors(before) > 0 {
		// What it is, nobody knows: using it is no second error.
		c.poisoned[s.Name] = true
		return
	}
	e.Solve = s
	c.declare(s)
	c.model.Solves = append(c.model.Solves, s)
}

// solveParts checks the parts of a solution; it reports whether they are known.
func (c *checker) solveParts(s *Solve, e *SolveExpr) bool {
	for _, a := range e.Args {
		c.expr(a.Expr)
		if t := a.Expr.Type(); !t.IsScalar() && t.Base != MetricBase && t.Base != Invalid {
			c.err(NotScalar, a.Expr.Span(), "what is declared is known in the equations by its name, arrays too: leave it out here and in the head", "an initial value or argument is a scalar, this is %s", t)
			bad(a.Expr)
		}
		c.wantScalar(a.Expr, "an initial value or argument")
		if a.Expr.Type().Base != Invalid {
			c.scalars(a.Expr)
		}
	}
	c.expr(e.From)
	c.wantScalar(e.From, "the initial time")
	if p := c.dependsOnParam(e.From); p != nil {
		c.err(NotData, e.From.Span(), "take it from data", "the initial time may not depend on a parameter (`%s`) in this version of the language", p.Name)
	} else if e.From.Type().Base != Invalid && !boundForm(e.From) {
		c.err(BadSolve, e.From.Span(), "declare it as `data t0 real`, or write its value out", "the initial time is arithmetic (+ - * /) on numbers and scalar data")
	}
	s.From = e.From
	c.expr(e.Times)
	switch t := e.Times.(type) {
	case *Name:
		s.Times, _ = t.Obj.(*Data)
	case *IndexExpr: // a row of times for each value of the index
		n, ok := t.Base.(*Name)
		if subs := t.Subscripts; ok && s.Index != nil && len(subs) == 2 && subs[0] == (Subscript{Index: s.Index}) && subs[1] == (Subscript{All: true}) {
			s.Times, _ = n.Obj.(*Data)
		}
	}
	if t := e.Times.Type(); t.Base != Invalid && (s.Times == nil || len(t.Shape) != 1 || t.Base != Real) {
		what := "data"
		if s.Times != nil && t.Base != Real {
			what = "real data"
		}
		hint := timesHint
		if s.Index != nil {
			hint += fmt.Sprintf("; times of its own for each value of the index are the rows of a matrix, `at t[%s, :]`", s.Index.Name)
		}
		c.err(BadSolve, e.Times.Span(), hint, "the times of a solution are a vector of %s", what)
		if n, ok := e.Times.(*Name); ok && n.Obj != nil {
			c.note(n.Obj.Declared(), "declared here")
		}
	}
	ode := c.equation(e)
	if ode == nil {
		return false
	}
	s.Ode = ode
	s.Init, s.Args = make([]Expr, len(ode.States)), make([]Expr, len(ode.Args))
	complete, unnamed := true, false
	for _, a := range e.Args {
		if a.Name == "" {
			complete = false
			if !unnamed {
				unnamed = true
				c.err(BadSolve, a.Expr.Span(), fmt.Sprintf("as in `solve %s(%s = …)`", ode.Name, ode.States[0].Name), "the values of a solution have names")
			}
			continue
		}
		complete = c.giveArg(s, a) && complete
	}
	if complete {
		c.missing(s, e)
	}
	return e.Times.Type().Base != Invalid
}

// equation resolves the name of the `ode` that is solved.
func (c *checker) equation(e *SolveExpr) *Ode {
	if _, ok := c.scope[e.Ode]; !ok && c.lostOdes {
		return nil // its `ode` may be the one without a name
	}
	o := c.lookupAs(&Name{node: node{span: e.At}, Name: e.Ode}, "declare it with `ode`")
	if o == nil {
		return nil
	}
	ode, ok := o.(*Ode)
	if !ok {
		c.err(BadSolve, e.At, "declare it with `ode`", "`%s` is not a differential equation", e.Ode)
		c.note(o.Declared(), "declared here")
		return nil
	}
	ode.used = true
	return ode
}

// missing reports the states and arguments that a solution gives no value.
func (c *checker) missing(s *Solve, e *SolveExpr) {
	var vars []*OdeVar
	for n, list := range [][]*OdeVar{s.Ode.States, s.Ode.Args} {
		given := [][]Expr{s.Init, s.Args}[n]
		for i, v := range list {
			if given[i] == nil && s.Ode.vars[v.Name] == v {
				if vars = append(vars, v); len(vars) > maxListed {
					break
				}
			}
		}
	}
	if len(vars) == 0 {
		return
	}
	var give []string
	for _, v := range vars[:min(len(vars), maxListed)] {
		give = append(give, v.Name+" = …")
	}
	hint := fmt.Sprintf("add `%s`", strings.Join(give, ", "))
	switch {
	case len(vars) > 1:
		c.err(BadSolve, e.At, hint, "`%s` is given no values for %s", s.Ode.Name, listed(vars))
	case vars[0].Kind == OdeState:
		c.err(BadSolve, e.At, hint, "the state `%s` of `%s` has no initial value", vars[0].Name, s.Ode.Name)
	default:
		c.err(BadSolve, e.At, hint, "the argument `%s` of `%s` has no value", vars[0].Name, s.Ode.Name)
	}
	c.note(vars[0].At, "declared here")
}

// giveArg places one named value of a solution; it reports whether the name is
// known.
func (c *checker) giveArg(s *Solve, a Arg) bool {
	v := s.Ode.vars[a.Name]
	switch {
	case v != nil && v.Kind == OdeTime:
		c.err(BadSolve, a.At, "it runs from the initial time to those of the data: `from t0 at t`", "the time `%s` of `%s` is given no value", a.Name, s.Ode.Name)
		return true
	case v == nil:
		vars := append(s.Ode.States[:len(s.Ode.States):len(s.Ode.States)], s.Ode.Args...)
		c.err(BadSolve, a.At, c.among("it has ", vars, a.Name), "`%s` has no state or argument `%s`", s.Ode.Name, a.Name)
		return false
	}
	to := &s.Init
	if v.Kind == OdeArg {
		to = &s.Args
	}
	if (*to)[v.Pos] != nil {
		c.err(BadSolve, a.At, "remove one of them", "`%s` is given twice", a.Name)
	}
	(*to)[v.Pos] = a.Expr
	return true
}

// component checks s.v.
func (c *checker) component(e *FieldExpr) {
	bad(e)
	n, ok := e.Base.(*Name)
	if !ok {
		if c.expr(e.Base); e.Base.Type().Base != Invalid {
			c.err(BadSolve, e.At, "an element of a component reads s.v[i]", "only solutions of differential equations have components")
		}
		return
	}
	if ix := c.index(n.Name); ix != nil {
		c.err(BadSolve, e.At, "a name is made of letters, digits and _", "`%s` is an index, and has no components", n.Name)
		return
	}
	hint := "s.v is a component of a solution, as of `let s = solve …`; a name is made of letters, digits and _"
	if f := LookupForeign(ForeignValue, e.Field); f != nil && modules[n.Name] {
		hint = f.Hint()
	} else if modules[n.Name] {
		hint = fmt.Sprintf("names have no prefix: write `%s`", e.Field)
	}
	o := c.lookupAs(n, hint)
	if o == nil {
		return
	}
	s, ok := o.(*Solve)
	if !ok {
		if l, ok := o.(*Let); ok && l.Type.Base == Invalid {
			return
		}
		hint := "a name is made of letters, digits and _"
		if _, ok := o.(*Ode); ok {
			hint = "name its solution: `let s = solve …`"
		} else if e.Field == "T" {
			hint = "the transpose of a matrix is `" + n.Name + "'`"
		} else if e.Field == "shape" || e.Field == "size" {
			hint = "sizes have names, those of the declaration, as n of `data y real[n]`"
		} else if e.Field == "values" {
			hint = "write `" + n.Name + "`"
		}
		c.err(BadSolve, e.At, hint, "`%s` is no solution of a differential equation, and has no components", n.Name)
		c.note(o.Declared(), "declared here")
		return
	}
	s.used = true
	n.Obj = s
	if v := s.Ode.vars[e.Field]; v != nil && v.Kind == OdeState {
		e.State, e.Solve = v.Pos, s
		e.setType(Type{Base: Real, Shape: s.Shape()})
		return
	}
	c.err(BadSolve, e.At, c.among("its components are the states: ", s.Ode.States, e.Field), "`%s` has no component `%s`", s.Name, e.Field)
}
