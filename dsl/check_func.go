package dsl

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// A function is checked where it is defined, for arguments of any size that its declaration allows, and again at each call for those at hand:
// there its body is copied, with the arguments in the places of its variables. So a call is what stands in the body, and all that is known of
// the arguments, what they depend on and the range of integer data, is known in it.

// Func is a function of the model.
type Func struct {
	object
	stmt      *FuncStmt
	parts     int               // operators and operands of the body
	consts    map[string]Object // of its file: what it knows beside its arguments
	recursive bool              // it has definitions in parts, or calls a function that has
	bad       bool              // an error in it was reported

	builtin bool          // it belongs to the language
	smooth  bool          // its conditions choose between forms of one value
	mixed   bool          // it is made of the distributions of a mixture, for a statement
	of      *Distribution // whose function it is; nil of others
}

// Inlined is the body of a function at a call: what its variables are and its definitions, in order, and its value.
type Inlined struct {
	Func  *Func
	Lets  []*Let
	Value Expr
}

// Size is the size of an argument of a function: a name for it in the body.
type Size struct {
	object
	Extent Extent
	by     string // of a call: the argument that gave it
	left   Expr   // which is the left side of a term, or nil
}

// variable is an argument of a function.
type variable struct {
	Ident
	data bool
	typ  *TypeExpr
}

func (f *Func) variables() (out []variable) {
	for i := range f.stmt.Args {
		a := &f.stmt.Args[i]
		for _, id := range a.Names {
			out = append(out, variable{id, a.Data, &a.Type})
		}
	}
	return out
}

// form is how a call reads.
func (f *Func) form() string {
	text := f.Name + "("
	for n, v := range f.variables() {
		switch {
		case n == 1 && takesBar(f.Name):
			text += " | "
		case n > 0:
			text += ", "
		}
		text += v.Name
	}
	return text + ")"
}

// inside checks a body, in which names mean what scope says.
func (c *checker) inside(fn *Func, scope map[string]Object, check func()) {
	was := c.surroundings
	defer func() { c.surroundings = was }()
	c.surroundings = surroundings{scope: scope, sizes: was.sizes, names: slices.Sorted(maps.Keys(scope)), later: map[string]Span{}, declared: map[string]Span{}, soon: map[string]Span{},
		poisoned: map[string]bool{}, partial: map[partName]*Let{}, byName: map[string]*Index{}, function: fn, generating: was.generating, locals: slices.Clip(was.locals)}
	check()
}

// consts are the consts of the model.
func (c *checker) consts() map[string]Object {
	scope := map[string]Object{}
	for _, k := range c.model.Consts {
		scope[k.Name] = k
	}
	return scope
}

// functions checks the functions of a file, in the order of the text, behind those that it imports.
func (c *checker) functions(f *File) {
	c.funcs, c.laterFuncs = map[string]*Func{}, map[string]Span{}
	c.imports(f)
	for _, s := range f.Stmts {
		if s, ok := s.(*FuncStmt); ok {
			c.laterFuncs[s.Name.Name] = s.Name.At
		}
	}
	for _, s := range f.Stmts {
		if s, ok := s.(*FuncStmt); ok {
			c.define(s, c.consts())
		}
	}
}

// define checks the definition of a function, in which the consts of its file are known.
func (c *checker) define(s *FuncStmt, consts map[string]Object) {
	fn := &Func{object: object{s.Name.Name, s.Name.At, s.Doc, false}, stmt: s, consts: consts}
	before := len(c.ds.List)
	if old := c.funcs[fn.Name]; old != nil {
		c.err(Redeclared, fn.At, "choose another name", "`%s` is declared twice", fn.Name)
		c.note(old.At, "first declared here")
		return
	}
	if v := fn.variables(); len(v) > 0 {
		stem, whole := strings.CutSuffix(fn.Name, "_lpmf")
		if real := v[0].typ.Base != "int"; whole && real {
			c.err(NeedsInteger, fn.At, fmt.Sprintf("call it `%s_lpdf`, or declare `%s int`", stem, v[0].Name), "`%s` is the log density of whole numbers, and `%s` is real", fn.Name, v[0].Name)
		}
	}
	if LookupFunction(fn.Name) != nil || lookupLogDensity(fn.Name) != nil || lookupRandom(fn.Name) != nil {
		c.err(Redeclared, fn.At, "choose another name", "the language has a function `%s`", fn.Name)
	}
	densities, sizes, recursion := len(c.model.Densities), c.sizes, len(c.reads)
	globals := c.model.Lets
	c.model.Lets = nil
	scope := maps.Clone(fn.consts)
	c.inside(fn, scope, func() {
		c.sizes, c.defining = scope, ""
		c.generating = false
		vars := c.stand(fn, scope)
		lets, value := c.body(fn, nil)
		if c.errors(before) == 0 {
			c.circles()
		}
		lets = append(lets, c.model.Lets...)
		if c.errors(before) > 0 {
			return
		}
		// What is known of arguments is known at calls: there warnings are given.
		c.ds.List = c.ds.List[:before]
		if value.Type().Base == MetricBase {
			c.err(MetricMix, value.Span(), "write it in the `metric` statement", "a metric is no value of a function")
			return
		}
		for _, v := range vars {
			if !v.isUsed() {
				c.warn(Unused, v.Declared(), "remove it, or use it", "the argument `%s` of `%s` is not used", v.ObjectName(), fn.Name)
			}
		}
		for _, l := range lets {
			if !l.used {
				c.warn(Unused, l.At, "remove it, or use it", "the definition `%s` is not used", l.Name)
			}
		}
	})
	c.sizes, c.reads = sizes, c.reads[:recursion]
	c.model.Lets = globals
	c.model.Densities = c.model.Densities[:densities]
	fn.bad = c.errors(before) > 0
	fn.weigh()
	c.funcs[fn.Name] = fn
	if c.laterFuncs[fn.Name] == fn.At {
		delete(c.laterFuncs, fn.Name)
	}
}

// weigh counts the operators and operands of the body.
func (f *Func) weigh() {
	count := func(e Expr) {
		Walk(e, func(x Node) bool {
			if _, ok := x.(Expr); ok {
				f.parts++
			}
			return true
		})
	}
	for _, l := range f.stmt.Lets {
		count(l.Value)
	}
	count(f.stmt.result())
}

// stand declares what stands for the arguments of a function while its definition is checked: data where they may depend on no parameter,
// and else parameters, of which less is allowed.
func (c *checker) stand(fn *Func, scope map[string]Object) (vars []user) {
	for i := range fn.stmt.Args {
		typ := &fn.stmt.Args[i].Type
		for _, e := range append(typ.Sizes[:len(typ.Sizes):len(typ.Sizes)], typ.lastOfRange()...) {
			name, _, ok := c.sizeOf(e)
			if ok && name != nil && scope[name.Name] == nil {
				scope[name.Name] = &Data{object: object{Name: name.Name, At: name.Span(), used: true}, Type: Type{Base: Int}, IsSize: true}
			}
		}
	}
	for _, v := range fn.variables() {
		if old, ok := scope[v.Name]; ok {
			c.err(Redeclared, v.At, "choose another name", "`%s` is declared twice in `%s`", v.Name, fn.Name)
			c.note(old.Declared(), "first declared here")
			continue
		}
		if b := v.typ.Base; b != "int" && b != "real" {
			c.err(NotYet, v.typ.At(), "declare it `real`: what is known of an argument is known in the body", "an argument of the type %s is not in this version of the language", b)
			c.poisoned[v.Name] = true
			continue
		}
		t, _ := c.typeOf(v.typ)
		sup := c.support(v.typ, t.Base, "data")
		// Where nothing is declared, nothing is asked: the calls are checked.
		sup.spoiled = sup.spoiled || !sup.Bounded()
		o := object{Name: v.Name, At: v.At}
		var x user
		if lo, hi, ok := (&Data{Support: sup}).Values(); ok && v.typ.Base == "int" && len(v.typ.Sizes) == 0 {
			// A number in a range is a position, as an index is.
			ix := &Index{object: o, Range: Range{lo, hi}}
			c.push(ix)
			vars = append(vars, ix)
			continue
		}
		if v.data || v.typ.Base == "int" {
			x = &Data{object: o, Type: t, Support: sup}
		} else {
			x = &Param{object: o, Type: t, Support: sup}
		}
		scope[v.Name] = x
		vars = append(vars, x)
	}
	c.names = slices.Sorted(maps.Keys(scope))
	return vars
}

// argument is an argument of the function by its name, or nil.
func (f *Func) argument(name string) *variable {
	for _, v := range f.variables() {
		if v.Name == name {
			return &v
		}
	}
	return nil
}

// lastOfRange is the end of a range of whole numbers, which may be a size too.
func (t *TypeExpr) lastOfRange() []Expr {
	if t.Bound.Kind() == RangeBound {
		return []Expr{t.Bound.Last}
	}
	return nil
}

// user is an object of which it is known whether it is used.
type user interface {
	Object
	isUsed() bool
}

func (o *object) isUsed() bool { return o.used }

// sizeOf is a size of the type of an argument: a name, nil of a number, and what is added to it.
func (c *checker) sizeOf(e Expr) (name *Name, offset int, ok bool) {
	if _, ok := c.constant(e); ok {
		return nil, 0, true
	}
	switch e := e.(type) {
	case *Name:
		return e, 0, true
	case *BinaryExpr:
		n, isNumber := c.constant(e.Y)
		x, ok := e.X.(*Name)
		if !ok || !isNumber || e.Op != "+" && e.Op != "-" {
			break
		}
		if e.Op == "-" {
			n = -n
		}
		return x, int(n), true
	}
	return nil, 0, false
}

// sizeIn is sizeOf for an argument of a function, which knows the consts of its file.
func (c *checker) sizeIn(fn *Func, e Expr) (name *Name, offset int, ok bool) {
	defer func(s map[string]Object) { c.scope = s }(c.scope)
	c.scope = fn.consts
	return c.sizeOf(e)
}

// body checks a copy of the body of a function in the surroundings at hand. Its definitions that are whole go behind the given ones; those
// in parts are definitions of the model.
func (c *checker) body(fn *Func, given []*Let) (lets []*Let, value Expr) {
	lets = given
	c.locals = append(c.locals, given...)
	own := &File{}
	for _, s := range fn.stmt.Lets {
		c.later[s.Name.Name] = s.Name.At
		own.Stmts = append(own.Stmts, cloneLet(s))
	}
	c.parts(own)
	if len(c.partial) > 0 && !fn.recursive {
		fn.recursive = true
	}
	for _, l := range c.partial {
		l.Local = true
	}
	for _, s := range own.Stmts {
		s := s.(*LetStmt)
		if e, ok := s.Value.(*SolveExpr); ok {
			c.err(NotYet, e.Span(), "solve it in the model, and give the function the solution", "solutions of differential equations inside a function are not in this version of the language")
			c.poisoned[s.Name.Name] = true
			delete(c.later, s.Name.Name)
			continue
		}
		if s.partial() {
			c.part(s)
			if l := c.partOf(s.Name.Name); s == l.Recursion.stmts[len(l.Recursion.stmts)-1] {
				l.Recursion.Local, l.Recursion.of = slices.Clone(c.locals), fn
			}
			continue
		}
		l := &Let{object: object{s.Name.Name, s.Name.At, s.Doc, false}, Local: true}
		l.Indices, l.Type, l.Value = c.definition(l.Name, decls(s.Places), s.Value)
		delete(c.later, l.Name)
		c.declare(l)
		lets = append(lets, l)
		c.locals = append(c.locals, l)
	}
	value = clone(fn.stmt.result())
	c.expr(value)
	return lets, value
}

// callFunc checks the call of a function of the model.
func (c *checker) callFunc(e *CallExpr, fn *Func) {
	good := c.operands(e)
	bad(e)
	vars := fn.variables()
	if fn.bad {
		return
	}
	if len(e.Args) != len(vars) {
		c.err(ArgumentCount, e.Span(), "write "+fn.form(), "`%s` takes %s, not %d", fn.Name, count(len(vars), "argument"), len(e.Args))
		if !fn.builtin {
			c.note(fn.At, "defined here")
		}
		return
	}
	if takesBar(fn.Name) && len(vars) > 1 && e.Bar.Len == 0 {
		c.err(UnexpectedToken, e.At, "write "+fn.form(), "`%s` has a `|` between the value and the arguments", fn.Name)
		return
	}
	if !good {
		return
	}
	values := make([]Expr, len(vars))
	for n, a := range e.Args {
		values[n] = a.Expr
	}
	c.each(e, fn, values)
}

// Builtin reports whether a function is one of the tables: its text is not the user's.
func (fn *Func) Builtin() bool { return fn.builtin }

// rowwise reports whether a function that takes a vector takes the rows of a matrix, one by one: that of a combination of distributions does.
func (fn *Func) rowwise() bool { return fn.builtin && fn.of != nil && combinationOf(fn.of.Name) != nil }

// each inlines a call, element by element where an argument is an array and the function takes a scalar: the values of the elements are an
// array, those of a log density are added.
func (c *checker) each(e *CallExpr, fn *Func, values []Expr) {
	var shape []Extent
	var first Expr
	arrays := make([]bool, len(values))
	for n, v := range fn.variables() {
		t := values[n].Type()
		own := len(v.typ.Sizes)
		if arrays[n] = len(t.Shape) > own && (own == 0 || fn.rowwise()); !arrays[n] {
			continue
		}
		if shape == nil {
			shape, first = t.Shape[:len(t.Shape)-own], values[n]
		} else if !sameShape(shape, t.Shape[:len(t.Shape)-own]) {
			c.err(ShapeMismatch, values[n].Span(), "an argument that takes a scalar is one, or has the shape of the others", "the arguments of `%s` have the shapes %s and %s", fn.Name, first.Type(), t)
			return
		}
	}
	if shape == nil {
		c.inline(e, fn, values)
		return
	}
	indices := indicesOver(shape, e.At)
	call := &CallExpr{node: node{span: e.Span()}, Func: e.Func, At: e.At, Bar: e.Bar}
	elements := slices.Clone(values)
	for n, x := range values {
		if arrays[n] {
			elements[n] = elementOf(x, indices)
		}
		call.Args = append(call.Args, Arg{Expr: elements[n]})
	}
	before := len(c.ds.List)
	if c.inline(call, fn, elements); c.errors(before) > 0 || call.Type().Base == Invalid {
		return
	}
	if !call.Type().IsScalar() {
		c.err(NotScalar, first.Span(), "call it for each element in a sum or a definition", "`%s` takes a scalar here, and an array of its values, which are %s, is not in this version of the language", fn.Name, call.Type())
		return
	}
	e.Inlined = &Inlined{Func: fn}
	if takesBar(fn.Name) {
		e.Inlined.Value = sumOver(indices, call, e.Span())
	} else {
		l := &Let{object: object{Name: fn.Name, At: e.At, used: true}, Indices: indices, Value: call, Type: Type{Base: call.Type().Base, Shape: shape}, Local: true}
		e.Inlined.Lets, e.Inlined.Value = []*Let{l}, &Name{node: node{span: e.Span(), typ: l.Type}, Name: l.Name, Obj: l}
	}
	e.setType(e.Inlined.Value.Type())
}

// indicesOver are indices over the dimensions of a shape.
func indicesOver(shape []Extent, at Span) []*Index {
	out := make([]*Index, len(shape))
	for d, size := range shape {
		out[d] = &Index{object: object{Name: IndexName(d), At: at, used: true}, Range: Range{Fixed(1), size}}
	}
	return out
}

// elementOf is the element of an array at indices; of one with more dimensions than there are indices, the row or matrix there.
func elementOf(x Expr, indices []*Index) Expr {
	t := x.Type()
	e := &IndexExpr{node: node{span: x.Span()}, Base: x}
	for _, ix := range indices {
		e.Subscripts = append(e.Subscripts, Subscript{Index: ix})
	}
	for range t.Shape[len(indices):] {
		e.Subscripts = append(e.Subscripts, Subscript{All: true})
	}
	e.setType(Type{t.Base, t.Shape[len(indices):]})
	return e
}

// sumOver is the sum of a scalar over indices; the scalar itself where there are none.
func sumOver(indices []*Index, body Expr, at Span) Expr {
	if len(indices) == 0 {
		return body
	}
	sum := &SumExpr{node: node{span: at}, Func: "sum", Body: body}
	for _, ix := range indices {
		sum.Indices = append(sum.Indices, IndexDecl{Name: ix.Name, At: ix.At, Index: ix})
	}
	sum.setType(Type{Base: Real})
	return sum
}

// inline gives a call its body, for arguments that are checked.
func (c *checker) inline(e *CallExpr, fn *Func, values []Expr) {
	if !fn.builtin { // those are shared by all models that are read
		fn.used = true
	}
	if c.inlined += fn.parts; c.inlined > maxNodes {
		if c.inlined-fn.parts <= maxNodes {
			c.err(TooLarge, e.At, "use an index for what repeats", "with the bodies of functions at all their calls the model's expressions have more than %d parts", maxNodes)
		}
		return
	}
	scope := map[string]Object{}
	maps.Copy(scope, fn.consts)
	lets, ok := c.bind(fn, values, scope)
	if !ok {
		return
	}
	if fn.recursive {
		c.outside(e, fn, values)
	}
	before := len(c.ds.List)
	var value Expr
	c.inside(fn, scope, func() {
		lets, value = c.body(fn, lets)
	})
	c.atCall(e, fn, before)
	if c.errors(before) > 0 || value.Type().Base == Invalid {
		return
	}
	e.Inlined = &Inlined{Func: fn, Lets: lets, Value: value}
	e.setType(value.Type())
}

// outside checks that what a function with a recursion is called with is known outside of all indices: its recursion is a definition of the model.
func (c *checker) outside(e *CallExpr, fn *Func, values []Expr) {
	if c.function != nil {
		c.function.recursive = true
	}
	for _, x := range values {
		if c.generated(x) {
			c.err(NotYet, x.Span(), "write its definitions out as quantities", "`%s` has a definition in parts, and a call of it with a generated quantity is not in this version of the language", fn.Name)
			return
		}
		if ix := openIndex(x, map[*Index]bool{}); ix != nil {
			c.err(NotYet, x.Span(), "define what it returns for all values of the index: an array with one more index", "`%s` has a definition in parts, and a call of it for each value of an index (`%s`) is not in this version of the language", fn.Name, ix.Name)
			return
		}
	}
}

// openIndex is an index of an expression that is bound outside of it, or nil.
func openIndex(e Expr, bound map[*Index]bool) (found *Index) {
	open := func(ix *Index) {
		if ix != nil && !bound[ix] && found == nil {
			found = ix
		}
	}
	var subscripts func(list []Subscript)
	subscripts = func(list []Subscript) {
		for _, s := range list {
			open(s.Index)
			if s.Gather != nil {
				subscripts(s.Gather.Subs)
				if s.Gather.Value != nil {
					open(openIndex(s.Gather.Value, bound))
				}
			}
		}
	}
	switch e := e.(type) {
	case *Name:
		switch o := e.Obj.(type) {
		case *Index:
			open(o)
		case *Let:
			if o.Local && o.Recursion == nil {
				for _, ix := range o.Indices {
					bound[ix] = true
				}
				open(openIndex(o.Value, bound))
			}
		}
		return found
	case *IndexExpr:
		subscripts(e.Subscripts)
	case *SumExpr:
		for _, d := range e.Indices {
			bound[d.Index] = true
		}
	case *CallExpr:
		subscripts(e.Subscripts)
	}
	children(e, func(x Expr) { open(openIndex(x, bound)) })
	return found
}

// atCall brings what was reported of a body to its call.
func (c *checker) atCall(e *CallExpr, fn *Func, before int) {
	if fn.builtin { // its body is no text of the model's
		c.ds.List = append(c.ds.List[:before], slices.DeleteFunc(slices.Clone(c.ds.List[before:]), func(d Diagnostic) bool { return d.Severity == Warning })...)
		for n := before; n < len(c.ds.List); n++ {
			c.ds.List[n].Span = e.At
		}
		return
	}
	reported := c.ds.List[before:]
	seen := map[Code]bool{}
	kept := c.ds.List[:before]
	for _, d := range reported {
		if seen[d.Code] {
			continue
		}
		seen[d.Code] = true
		d.Notes = append([]Note{{d.Span, fmt.Sprintf("in the body of `%s`", fn.Name)}}, d.Notes...)
		d.Span = e.At
		kept = append(kept, d)
	}
	c.ds.List = kept
}

// bind gives the variables of a function their values, and the sizes in their types those of the values.
func (c *checker) bind(fn *Func, values []Expr, scope map[string]Object) (lets []*Let, ok bool) {
	ok = true
	fail := func(code Code, at Expr, v *variable, hint, format string, args ...any) {
		c.err(code, at.Span(), hint, format, args...)
		c.noteArgument(fn, v)
		ok = false
	}
	row := &Distribution{Name: fn.Name}
	for n, v := range fn.variables() {
		x := values[n]
		t := x.Type()
		want := v.typ.Sizes
		shape := map[int]string{0: "a scalar", 1: "a vector", 2: "a matrix"}
		switch {
		case len(t.Shape) != len(want):
			code := map[int]Code{0: NotScalar, 1: NotVector, 2: NotMatrix}[len(want)]
			fail(code, x, &v, "", "%s of `%s` is %s, this is %s", fn.side(&v), fn.Name, shape[len(want)], t)
			continue
		case v.typ.Base == "int" && t.Base != Int:
			hint := ""
			if d := datum(x); d != nil && t.Base == Real {
				hint = fmt.Sprintf("declare `data %s %s`", d.Name, Type{Int, d.Type.Shape})
			}
			fail(NeedsInteger, x, &v, hint, "%s of `%s` is int, this is %s", fn.side(&v), fn.Name, t)
			continue
		}
		if p := c.dependsOnParam(x); v.data && p != nil && !(fn.builtin && c.generating) {
			hint := ""
			if fn.builtin {
				hint = "it jumps, or has kinks; numbers that are to be in order are declared `ordered`, and in `generate` it takes parameters"
			}
			if c.function != nil && !c.function.builtin && c.scope[p.Name] == p {
				hint = fmt.Sprintf("write `data` before the argument: `data %s %s`", p.Name, strings.TrimSpace(p.declared("")))
			}
			fail(NeedsData, x, &v, hint, "the argument `%s` of `%s` is data, and this depends on the parameter `%s`", v.Name, fn.Name, p.Name)
			continue
		}
		for d, e := range want {
			ok = c.bindSize(fn, &v, x, e, t.Shape[d], scope) && ok
		}
		for _, e := range v.typ.lastOfRange() {
			ok = c.bindRange(fn, &v, x, e, scope) && ok
		}
		row.Args = []DistArg{{v.Name, v.domain()}}
		before := len(c.ds.List)
		if c.argument(x, row, 0); c.errors(before) > 0 {
			c.noteArgument(fn, &v)
			ok = false
		}
		l := &Let{object: object{Name: v.Name, At: v.At, used: true}, Value: x, Type: t, Local: true}
		if v.typ.Base == "real" && !(fn.builtin && fn.of == nil) { // those of the library keep whole numbers whole
			l.Type.Base = Real
		}
		lets = append(lets, l)
	}
	for n, v := range fn.variables() {
		if ok && !fn.builtin {
			ok = c.inRange(fn, &v, values[n], scope)
		}
	}
	for _, l := range lets {
		scope[l.Name] = l
	}
	return lets, ok
}

// inRange holds a whole number against the range that an argument is declared in, as far as declarations tell: of what is computed nothing is
// known, and what selects elements is held against their number besides.
func (c *checker) inRange(fn *Func, v *variable, x Expr, scope map[string]Object) bool {
	if v.typ.Base != "int" || len(v.typ.Sizes) > 0 || v.typ.Bound.Kind() != RangeBound {
		return true
	}
	lo, ok1 := c.endOf(v.typ.Bound.First, scope)
	hi, ok2 := c.endOf(v.typ.Bound.Last, scope)
	if !ok1 || !ok2 {
		return true
	}
	core, shift := c.unshifted(x)
	var from, to Extent
	known := false
	at, fixed := extentForm(x)
	if n, ok := c.constant(x); ok && n == math.Trunc(n) && math.Abs(n) < 1e9 {
		at, fixed = Fixed(int(n)), true
	}
	code := IndexRange
	switch {
	case fixed && (at.IsConst() || at.Name == hi.Name):
		from, to, known = at, at, true
	default:
		if d := datum(core); d != nil && !d.Support.spoiled {
			code = GatherRange
			if from, to, known = d.Values(); !known {
				c.err(code, x.Span(), fmt.Sprintf("declare `data %s %s in %s..%s`", d.Name, d.Type, lo.Plus(-int(shift)), hi.Plus(-int(shift))), "%s of `%s` lies in a range, and that of this is not known", fn.side(v), fn.Name)
				c.noteArgument(fn, v)
				return false
			}
		} else if n, ok := Through(core).(*Name); ok {
			if ix, ok := n.Obj.(*Index); ok {
				from, to, known = ix.Range.Lo, ix.Range.Hi, ix.Range.Lo != unknownExtent && ix.Range.Hi != unknownExtent
			}
		}
		from, to = from.Plus(int(shift)), to.Plus(int(shift))
	}
	// An end that is a size is at least 1, and of two sizes neither is known to be the larger.
	below := from.Name == lo.Name && from.Offset < lo.Offset
	above := to.Name == hi.Name && to.Offset > hi.Offset || to.Name != hi.Name && !to.IsConst()
	if !known || !below && !above {
		return true
	}
	is := to
	if below {
		is = from
	}
	c.err(code, x.Span(), "", "%s of `%s` lies in %s..%s, and this may be %s", fn.side(v), fn.Name, lo, hi, is)
	c.noteArgument(fn, v)
	return false
}

// endOf is the end of the range of an argument, for the sizes of a call.
func (c *checker) endOf(e Expr, scope map[string]Object) (Extent, bool) {
	name, offset, ok := c.sizeOf(e)
	if name == nil {
		n, _ := c.constant(e)
		return Fixed(int(n)), ok
	}
	switch o := scope[name.Name].(type) {
	case *Const:
		return Fixed(int(o.Value) + offset), true
	case *Size:
		return o.Extent.Plus(offset), o.Extent != unknownExtent
	}
	return Extent{}, false
}

// noteArgument says where an argument is declared.
func (c *checker) noteArgument(fn *Func, v *variable) {
	if !fn.builtin {
		c.note(v.At, "the argument `%s`", v.Name)
	}
}

// side is what the messages call an argument.
func (f *Func) side(v *variable) string {
	if f.isLeft(v) {
		return "the left side"
	}
	return "the argument `" + v.Name + "`"
}

// isLeft reports whether an argument is the left side of a term.
func (f *Func) isLeft(v *variable) bool { return f.of != nil && v.Name == "y" }

// domain is what is asked of an argument, as far as the text shows it.
func (v *variable) domain() Domain {
	b := &v.typ.Bound
	switch {
	case v.typ.Base == "real" && b.Kind() == LimitBound && b.Op == ">" && isZero(b.Limit):
		return Positive
	case v.typ.Base == "real" && b.Kind() == LimitBound && b.Op == ">=" && isZero(b.Limit):
		return NonNegative
	}
	return RealLine
}

// bindSize holds a size of the type of an argument against that of its value.
func (c *checker) bindSize(fn *Func, v *variable, x, e Expr, size Extent, scope map[string]Object) bool {
	if size == unknownExtent {
		return false
	}
	var want Extent
	name, offset, _ := c.sizeIn(fn, e)
	if name == nil {
		n, _ := c.constant(e)
		want = Fixed(int(n))
	} else if k, ok := scope[name.Name].(*Const); ok {
		want = Fixed(int(k.Value) + offset)
	} else if s, ok := scope[name.Name].(*Size); ok {
		want = s.Extent.Plus(offset)
	} else {
		own := &Size{object: object{Name: name.Name, At: name.Span(), used: true}, Extent: size.Plus(-offset), by: fn.side(v)}
		if fn.isLeft(v) {
			own.left = x
		}
		scope[name.Name] = own
		if d, ok := c.sizes[size.Name].(*Data); ok {
			d.IsSize = true
		}
		return true
	}
	if want == size {
		return true
	}
	other, hint := "its declaration says", ""
	if name != nil {
		if s, ok := scope[name.Name].(*Size); ok && s.by != "" {
			other, hint = s.by+" asks for", sizesHint(fn, x, s.left, size, want)
		}
	}
	c.err(ShapeMismatch, x.Span(), hint, "%s of `%s` has the size %s, and %s %s", fn.side(v), fn.Name, size, other, want)
	c.noteArgument(fn, v)
	return false
}

// sizesHint is the hint where an argument of a distribution of vectors has another size than the datum on the left side.
func sizesHint(fn *Func, x, left Expr, size, want Extent) string {
	if left == nil || left.Type().Shape[0] != want {
		return ""
	}
	d := datum(left)
	if d == nil || isElement(left) || len(d.Type.Shape) != 1 {
		return ""
	}
	hint := fmt.Sprintf("declare `%s` with the size [%s], or, of %s such vectors, with the sizes [%[3]s, %[2]s]", d.Name, size, want)
	if fn.Name == "multinomial" {
		hint += fmt.Sprintf("; one category for each of %s is `%s ~ categorical(%s)`", want, d.Name, Text(x))
	}
	return hint
}

// bindRange gives the end of the range of whole numbers its value, if it is a size that nothing else says: the end of that of the argument's.
func (c *checker) bindRange(fn *Func, v *variable, x, e Expr, scope map[string]Object) bool {
	name, offset, _ := c.sizeIn(fn, e)
	if name == nil || scope[name.Name] != nil {
		return true // the body is checked
	}
	for _, o := range fn.variables() {
		for _, s := range o.typ.Sizes {
			if n, _, _ := c.sizeIn(fn, s); n != nil && n.Name == name.Name {
				return true // it is the size of an argument
			}
		}
	}
	hi, known := lastValue(x)
	if !known {
		c.err(BadGather, x.Span(), "give it integer data that are declared in a range, or an index", "%s of `%s` lies in a range, and that of this is not known", fn.side(v), fn.Name)
		c.noteArgument(fn, v)
		return false
	}
	scope[name.Name] = &Size{object: object{Name: name.Name, At: name.Span(), used: true}, Extent: hi.Plus(-offset)}
	return true
}

// lastValue is the end of the range that integer data, or an index, lie in by their declaration.
func lastValue(e Expr) (Extent, bool) {
	switch e := Through(e).(type) {
	case *IndexExpr:
		return lastValue(e.Base)
	case *Name:
		switch o := e.Obj.(type) {
		case *Index:
			return o.Range.Hi, o.Range.Hi != unknownExtent
		case *Data:
			_, hi, ok := o.Values()
			return hi, ok
		}
	}
	return extentForm(e)
}

// local is the definition that a name means, if it is an argument of a function or a definition in one; nil elsewhere.
func (c *checker) local(n *Name) *Let {
	o := n.Obj
	if o == nil && c.index(n.Name) == nil {
		o = c.scope[n.Name]
	}
	if l, ok := o.(*Let); ok && l.Local && len(l.Indices) == 0 && l.Recursion == nil {
		return l
	}
	return nil
}

// Through follows names that are arguments of functions to what they are there.
func Through(e Expr) Expr {
	for {
		n, ok := e.(*Name)
		if !ok {
			return e
		}
		l, ok := n.Obj.(*Let)
		if !ok || !l.Local || len(l.Indices) > 0 || l.Value == nil {
			return e
		}
		e = l.Value
	}
}

// finish gives recursions of functions names that tell where they come from, and says which functions are not called.
func (c *checker) finish(f *File) {
	for _, l := range c.model.Lets {
		if r := l.Recursion; r != nil && r.of != nil {
			l.Name = r.of.Name + upperFirst(l.Name)
		}
	}
	for _, s := range f.Stmts {
		if s, ok := s.(*FuncStmt); ok && !c.ds.HasErrors() {
			if fn := c.funcs[s.Name.Name]; !fn.used {
				c.warn(Unused, fn.At, "remove it, or call it", "the function `%s` is not used", fn.Name)
			}
		}
	}
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// distributionFunc is the function of the model that is the log density of a distribution of that name, or nil.
func (c *checker) distributionFunc(name string) *Func {
	for _, suffix := range []string{"_lpdf", "_lpmf"} {
		if fn := c.funcs[name+suffix]; fn != nil {
			return fn
		}
	}
	return nil
}

// sampleFunc checks a left side against a distribution whose log density is a function of the model.
func (c *checker) sampleFunc(s *SampleStmt, fn *Func, left Expr, args []Expr, indices []*Index) {
	values := append([]Expr{left}, args...)
	for _, x := range values {
		switch x.Type().Base {
		case Invalid:
			return
		case MetricBase:
			c.err(MetricMix, x.Span(), "", "a metric has no distribution, and is no argument of one")
			return
		}
	}
	vars := fn.variables()
	if fn.bad {
		return
	}
	if len(values) != len(vars) {
		c.err(ArgumentCount, s.Dist.At, "as a function it reads "+fn.form(), "`%s` has %s, not %d", s.Dist.Name, count(len(vars)-1, "argument"), len(values)-1)
		c.note(fn.At, "defined here")
		return
	}
	call := &CallExpr{node: node{span: s.Dist.At}, Func: fn.Name, At: s.Dist.At}
	for _, x := range values {
		call.Args = append(call.Args, Arg{Expr: x})
	}
	before := len(c.ds.List)
	if c.each(call, fn, values); c.errors(before) > 0 || call.Type().Base == Invalid {
		return
	}
	if !call.Type().IsScalar() {
		c.err(NonScalarDensity, s.Dist.At, "", "a log density is a scalar, the value of `%s` is %s", fn.Name, call.Type())
		c.note(fn.At, "defined here")
		return
	}
	if c.dependsOnParam(call) == nil {
		c.err(DataOnlyTerm, left.Span(), noParamHint, "this term depends on no parameter, so it does not change the posterior")
		return
	}
	c.model.Terms = append(c.model.Terms, &Term{At: s.At(), Left: left, Value: sumOver(indices, call, s.At())})
}
