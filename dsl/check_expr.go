package dsl

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

func sameShape(a, b []Extent) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// bad gives an expression the invalid type after its error was reported.
func bad(e Expr) { e.setType(Type{}) }

// wantScalar reports an expression that is not a scalar.
func (c *checker) wantScalar(e Expr, what string) {
	switch t := e.Type(); {
	case t.Base == MetricBase:
		c.err(MetricMix, e.Span(), "a metric stands in a `metric` statement", "%s is a scalar, this is a metric", what)
		bad(e)
	case !t.IsScalar():
		c.err(NotScalar, e.Span(), "", "%s is a scalar, this is %s", what, t)
		bad(e)
	}
}

// article is a name with its article.
func article(name string) string {
	if name == "unit_vector" || !strings.ContainsAny(name[:1], "aeiou") {
		return "a " + name
	}
	return "an " + name
}

// count spells a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// indicesText writes a number of indices.
func indicesText(n int) string {
	if n == 1 {
		return "1 index"
	}
	return fmt.Sprintf("%d indices", n)
}

// children calls f for each operand of e; an index is no operand.
func children(e Expr, f func(Expr)) {
	switch e := e.(type) {
	case *IndexExpr:
		f(e.Base)
	case *CallExpr:
		if e.Inlined != nil {
			f(e.Inlined.Value)
			return
		}
		for _, a := range e.Args {
			f(a.Expr)
		}
	case *UnaryExpr:
		f(e.X)
	case *BinaryExpr:
		f(e.X)
		f(e.Y)
	case *SumExpr:
		f(e.terms())
	case *IfExpr:
		f(e.Cond)
		f(e.Then)
		f(e.Else)
	case *FieldExpr:
		if e.Solve == nil {
			f(e.Base)
			return
		}
		for _, list := range [][]Expr{e.Solve.Init, e.Solve.Args, e.Solve.Ode.Rhs} {
			for _, x := range list {
				f(x)
			}
		}
	case *SolveExpr:
		for _, a := range e.Args {
			f(a.Expr)
		}
		f(e.From)
		f(e.Times)
	case *MatrixExpr:
		for _, r := range e.Rows {
			for _, x := range r {
				f(x)
			}
		}
	}
}

// expr resolves and types an expression and everything below it.
func (c *checker) expr(e Expr) {
	switch e := e.(type) {
	case *Number:
		e.setType(Type{Base: Real})
		if e.Value == math.Trunc(e.Value) {
			e.setType(Type{Base: Int})
		}
	case *Name:
		c.name(e)
	case *IndexExpr:
		c.indexed(e)
	case *FieldExpr:
		c.component(e)
	case *SolveExpr:
		c.err(BadSolve, e.Span(), "write `let s = solve …`, and s.v for the component of the state v", "a solution has a name of its own")
		bad(e)
	case *CallExpr:
		c.call(e)
	case *UnaryExpr:
		c.expr(e.X)
		t := e.X.Type()
		if t.Base == MetricBase {
			c.err(MetricMix, e.Span(), "", "a metric is not negated or transposed")
			bad(e)
			return
		}
		if e.Op == "not" {
			if c.condition(e.X) {
				e.setType(t)
			} else {
				bad(e)
			}
			return
		}
		if e.Op == "'" {
			if t.Base == Invalid {
				bad(e)
				return
			}
			if len(t.Shape) != 2 {
				c.err(NotMatrix, e.Span(), "only matrices are transposed; "+cmp.Or(c.rowTimesMatrix(), "the inner product is "+cmp.Or(innerProduct(c.product), "dot(a, b)")), "this is %s, not a matrix", t)
				bad(e)
				return
			}
			t = Type{t.Base, []Extent{t.Shape[1], t.Shape[0]}}
		}
		e.setType(t)
	case *BinaryExpr:
		c.binary(e)
	case *SumExpr:
		c.reduction(e)
	case *IfExpr:
		c.conditional(e)
	case *MatrixExpr:
		c.listed(e)
	}
}

// listed checks [a, b] and [a, b ; c, d].
func (c *checker) listed(e *MatrixExpr) {
	t, what := Type{Base: Real, Shape: []Extent{Fixed(len(e.Rows)), Fixed(len(e.Rows[0]))}}, "an entry of a matrix"
	if len(e.Rows) == 1 {
		t.Shape, what = t.Shape[1:], "an element of a vector"
	}
	for _, row := range e.Rows {
		for _, x := range row {
			c.expr(x)
		}
	}
	if len(e.Rows) == 1 && joins(e.Rows[0]) {
		c.join(e)
		return
	}
	nested, joined := false, false
	for _, row := range e.Rows {
		for _, x := range row {
			if _, ok := x.(*MatrixExpr); !ok {
				if t := x.Type(); len(t.Shape) > 0 && len(e.Rows) == 1 && len(row) > 1 {
					if !joined { // one message for all arrays of [A, v]
						c.err(NotScalar, x.Span(), joinedText(row), "%s is a scalar, this is %s", what, t)
					}
					joined = true
				} else {
					c.wantScalar(x, what)
				}
			} else if !nested {
				// One message for all rows of [[a, b], [c, d]].
				nested = true
				c.err(NotScalar, x.Span(), "the rows of a matrix end at `;`: [a, b ; c, d]", "an entry of a matrix is a scalar, this is %s", x.Type())
			}
			if x.Type().Base == Invalid || nested || joined {
				t = Type{}
			}
		}
	}
	e.setType(t)
}

// totalHint is the hint where the log density of a vector, one number, stands for those of its elements; "" where it is none.
func totalHint(x Expr) string {
	e, ok := Through(x).(*CallExpr)
	if !ok || e.Density == nil || e.Density.Dist == nil || e.Density.Dist.Whole() {
		return ""
	}
	for _, a := range e.Args {
		if t := a.Expr.Type(); len(t.Shape) == 1 {
			return fmt.Sprintf("those of the elements are `let l[i in %s] = %s(…)`, with [i] behind each vector", t.Shape[0], e.Func)
		}
	}
	return ""
}

// totalOfElements reports an elementwise product of a vector and the log density of another: of the total, where that of each element is meant.
func (c *checker) totalOfElements(e *BinaryExpr) bool {
	if e.Op != ".*" && e.Op != "./" {
		return false
	}
	for _, side := range [][2]Expr{{e.X, e.Y}, {e.Y, e.X}} {
		if hint := totalHint(side[0]); hint != "" && len(side[1].Type().Shape) > 0 {
			c.err(ShapeMismatch, side[0].Span(), hint, "the log density of a vector is one number, the sum over its elements, and `%s` would take it for that of each", e.Op)
			return true
		}
	}
	return false
}

// reduction checks sum(i in n) body and its like.
func (c *checker) reduction(e *SumExpr) {
	c.ahead = []Expr{e.Body}
	indices, shut := c.open(e.Indices)
	c.ahead = nil
	c.sums++
	defer func() { c.sums-- }()
	if c.lags(e, indices) {
		shut()
		e.Terms = c.termsOf(e, indices[0])
		c.expr(e.Terms)
		c.wantScalar(e.Terms, "the body of a sum")
		e.setType(Type{Base: e.Terms.Type().Base})
		return
	}
	c.expr(e.Body)
	if e.Func != "sum" && c.recursion != nil && c.readsParts(e.Body) {
		c.fixedRanges(indices, "`"+e.Func+"` of what is defined here", "write `log(sum(s in …) exp(…))`")
	}
	if t := e.Body.Type(); len(t.Shape) == 1 && t.Base != MetricBase && e.Func == "sum" {
		c.err(NotScalar, e.Body.Span(), "of vectors it is a definition by elements, `let v[i in n] = sum(k in K) X[i, k]*b[k]`, or a product of a matrix and a vector, `X*b`", "the body of a sum is a scalar, this is %s", t)
		bad(e.Body)
	}
	c.wantScalar(e.Body, "the body of a sum")
	e.setType(Type{Base: e.Body.Type().Base})
	if e.Func == "log_sum_exp" && e.Body.Type().Base == Int {
		e.setType(Type{Base: Real})
	}
	if reductionOf(e.Func).Data {
		c.ofData(e, e.Body)
	}
	if e.Func != "sum" {
		c.notEmpty(indices)
	}
	shut()
	if c.closed == nil {
		c.closed = map[string]Span{}
	}
	for _, ix := range indices {
		c.closed[ix.Name] = e.Span()
		if ix.Range.Hi == unknownExtent {
			bad(e)
		}
	}
}

// readsParts reports whether an expression names a definition in parts.
func (c *checker) readsParts(e Expr) bool {
	if n, ok := e.(*Name); ok {
		return c.partOf(n.Name) != nil
	}
	found := false
	children(e, func(x Expr) { found = found || c.readsParts(x) })
	return found
}

// notEmpty demands that ranges have elements, as far as they have ends that allow to.
func (c *checker) notEmpty(indices []*Index) {
	for _, ix := range indices {
		switch lo, hi := ix.Range.Lo, ix.Range.Hi; {
		case hi == unknownExtent || !lo.IsConst():
		case !hi.IsConst():
			c.need(hi.Name, lo.Offset-hi.Offset)
		case hi.Offset < lo.Offset:
			c.err(IndexRange, ix.At, "", "the range %s..%s is empty, of which there is a sum only", lo, hi)
		}
	}
}

// metricNames are the named metrics, with whether they take arguments.
var metricNames = []string{"fisher", "softabs", "hessian", "identity", "auto", "diag", "inverse"}

func (c *checker) name(e *Name) {
	if ix := c.index(e.Name); ix != nil {
		ix.used = true
		e.Obj = ix
		e.setType(Type{Base: Int})
		return
	}
	if _, ok := c.scope[e.Name]; !ok {
		switch e.Name {
		case "fisher", "hessian", "identity", "auto":
			e.setType(Type{Base: MetricBase})
			return
		case "monge":
			c.err(NotYet, e.Span(), "", "the metric `monge` is not in this version of the language")
			bad(e)
			return
		}
	}
	o := c.lookup(e)
	e.Obj = o
	switch o := o.(type) {
	case *Data:
		o.used = true
		e.setType(o.Type)
	case *Const:
		o.used = true
		t := Type{Base: Real}
		if o.Value == math.Trunc(o.Value) {
			t.Base = Int
		}
		e.setType(t)
	case *Param:
		o.used = true
		e.setType(o.Type)
	case *Let:
		if o != c.recursion {
			o.used = true
		}
		if c.subscripted != e {
			c.readsPart(o, nil, e.Span())
		}
		e.setType(o.Type)
	case *Size:
		e.setType(Type{Base: Int})
	case *OdeVar:
		o.used = true
		e.setType(Type{Base: Real})
	case *Quantity:
		if !c.generating {
			c.generatedOutside(e, o.At)
			bad(e)
			return
		}
		if c.subscripted != e {
			c.readsPart(&o.Let, nil, e.Span())
		}
		e.setType(o.Type)
	case *Solve:
		c.err(BadSolve, e.Span(), fmt.Sprintf("write %s.%s for the component of the state `%s`", o.Name, o.Ode.States[0].Name, o.Ode.States[0].Name),
			"`%s` is a solution: its values are those of its components", o.Name)
		bad(e)
	case *Ode:
		c.err(BadSolve, e.Span(), "name its solution: `let s = solve …`", "`%s` is a differential equation, not a value", o.Name)
		bad(e)
	default:
		bad(e)
	}
}

// indexed checks base[i, j+1]. What stands in brackets of its own, base[i][j], is the same, and dimensions behind those that are indexed are whole:
// base[i] is the row base[i, :] of a matrix.
func (c *checker) indexed(e *IndexExpr) {
	for {
		inner, ok := e.Base.(*IndexExpr)
		if !ok || slices.ContainsFunc(inner.Args, c.isSeveral) || c.rank(inner.Base) < len(inner.Args)+len(e.Args) {
			break
		}
		e.Base, e.Args = inner.Base, slices.Concat(inner.Args, e.Args)
	}
	c.subscripted, _ = e.Base.(*Name)
	c.expr(e.Base)
	c.subscripted = nil
	t := e.Base.Type()
	if t.Base == Invalid {
		for _, a := range e.Args {
			c.subscript(a, unknownExtent, "")
		}
		bad(e)
		return
	}
	what := "this"
	switch b := e.Base.(type) {
	case *Name:
		what = "`" + b.Name + "`"
	case *FieldExpr:
		what = "`" + b.Solve.Name + "." + b.Field + "`"
	}
	if len(t.Shape) == 0 && e.row != nil {
		c.noRow(e)
		bad(e)
		return
	}
	if len(t.Shape) == 0 {
		hint := "leave the brackets out"
		if l, ok := definitionNamed(e.Base); ok && l.addsDensities() {
			hint = fmt.Sprintf("a density of arrays is the sum over their elements; that of each is a definition with an index, `let %s[i in n] = …`", l.Name)
		}
		if v := c.odeVar(e.Base); v != nil {
			hint = "states and arguments are scalars; data and parameters are known in the equations by their names, arrays too: `ode f(v) { v' = -k[1]*v + … }`"
		}
		if _, number := e.Base.(*Number); number {
			hint = fmt.Sprintf("sizes stand behind the type: `real[%s] > 0`", Text(e.Args[0]))
		}
		c.err(NotIndexed, e.Span(), hint, "%s is a scalar and has no elements", what)
		bad(e)
		return
	}
	for len(e.Args) < len(t.Shape) {
		e.Args = append(slices.Clip(e.Args), &SliceExpr{node: node{span: e.Span()}})
	}
	if len(e.Args) > len(t.Shape) {
		c.err(IndexCount, e.Span(), "", "%s is %s and takes %s, not %d", what, t, indicesText(len(t.Shape)), len(e.Args))
		bad(e)
		return
	}
	c.elements(e, t, what)
}

// isSeveral reports whether a subscript is several positions.
func (c *checker) isSeveral(e Expr) bool {
	if _, ok := e.(*SliceExpr); ok {
		return true
	}
	core, _ := c.unshifted(e)
	return c.isArray(core)
}

// rank is the number of dimensions of what is named, 0 where nothing is, or what has no type yet.
func (c *checker) rank(e Expr) int {
	n, ok := e.(*Name)
	if !ok || c.index(n.Name) != nil {
		return 0
	}
	switch o := c.scope[n.Name].(type) {
	case *Data:
		return len(o.Type.Shape)
	case *Param:
		return len(o.Type.Shape)
	case *Let:
		return len(o.Type.Shape)
	}
	return 0
}

// definitionNamed is the definition that an expression names.
func definitionNamed(e Expr) (*Let, bool) {
	n, ok := e.(*Name)
	if !ok {
		return nil, false
	}
	l := definitionOf(n.Obj)
	return l, l != nil
}

// addsDensities reports whether the value of a definition has the log density of an array, or a cumulative function of one, in it.
func (l *Let) addsDensities() (found bool) {
	if l.Value == nil {
		return false
	}
	Walk(l.Value, func(n Node) bool {
		call, ok := n.(*CallExpr)
		if ok && takesBar(call.Func) {
			for _, a := range call.Args {
				found = found || !a.Expr.Type().IsScalar()
			}
		}
		return !found
	})
	return found
}

// elements checks the subscripts of an array that has as many dimensions.
func (c *checker) elements(e *IndexExpr, t Type, what string) {
	ok := true
	var shape []Extent
	part, named := e.Base.(*Name)
	defer func(was bool) { c.ofParts = was }(c.ofParts)
	place := -1 // the dimension whose positions a definition in parts goes along
	if named {
		if l := c.partOf(part.Name); l != nil {
			place = l.Recursion.Place
		}
	}
	defer func(was Expr) { c.indexing = was }(c.indexing)
	c.indexing = nil
	if len(e.Args) == 1 {
		c.indexing = e.Base
	}
	for i, a := range e.Args {
		size := t.Shape[i]
		if !ok {
			// Of x[j,i] for x[i,j], one message.
			size = unknownExtent
		}
		c.ofParts = i == place && c.recursion != nil
		s, good := c.subscript(a, size, what)
		ok = ok && good
		e.Subscripts = append(e.Subscripts, s)
		shape = append(shape, s.shape(size)...)
	}
	if n, named := e.Base.(*Name); named && ok {
		if l := definitionOf(n.Obj); l != nil {
			c.readsPart(l, e.Subscripts, e.Span())
		}
	}
	e.setType(Type{Base: t.Base, Shape: shape})
	if !ok {
		bad(e)
	}
}

// subscript resolves one index and proves that it stays inside 1..size.
func (c *checker) subscript(a Expr, size Extent, what string) (Subscript, bool) {
	var s Subscript
	if slice, ok := a.(*SliceExpr); ok {
		return c.slice(slice, size, what)
	}
	if core, shift := c.unshifted(a); c.isArray(core) {
		return c.gather(a, core, shift, size, what)
	}
	ix, shift, reason := c.shifted(a)
	if ix == nil || reason != nil {
		if core, _ := c.unshifted(a); !c.sizeForm(a) || !c.sizeForm(core) || c.oneNumber(core, size) {
			if s, ok, is := c.computed(a, size); is {
				return s, ok
			}
		}
	}
	switch {
	case reason != nil && what == "": // of what has a message: a distance is known where it is read
		return s, false
	case reason != nil:
		c.err(BadIndex, reason.Span(), "", "an index is shifted by a whole number known at compile time")
		return s, false
	case ix == nil:
		return c.fixedSubscript(a, size, what)
	case shift != math.Trunc(shift) || math.Abs(shift) > 1e6:
		c.err(BadIndex, a.Span(), "", "an index is shifted by a whole number known at compile time, not by %v", shift)
		return s, false
	}
	ix.used = true
	s.Index, s.Offset = ix, int(shift)
	if size == unknownExtent || s.Index.Range.Hi == unknownExtent {
		return s, true
	}
	lo := s.Index.Range.Lo.Plus(s.Offset)
	hi := s.Index.Range.Hi.Plus(s.Offset)
	if lo.IsConst() && lo.Offset < 1 || !c.atMost(hi, size) && !(hi.IsConst() && c.isSize(size.Name)) {
		if p, ok := c.chosenPosition(a, size); ok {
			return p, true
		}
	}
	if lo.IsConst() && lo.Offset < 1 {
		c.err(IndexRange, a.Span(), c.laterStart(s, what), "the first index is %d, but %s starts at 1", lo.Offset, what)
		c.note(s.Index.At, "the index runs over %s", s.Index.Range)
		return s, false
	}
	if hi.IsConst() && c.isSize(size.Name) {
		c.need(size.Name, hi.Offset-size.Offset)
		if !lo.IsConst() {
			c.need(lo.Name, 1-lo.Offset)
		}
		return s, true
	}
	fits := c.atMost(hi, size)
	if hi.Name != size.Name && !fits {
		// The range is wrong rather than each of its uses.
		if ix.blamed {
			return s, false
		}
		ix.blamed = true
	}
	if !fits {
		hint := c.groupHint(a, ix, size, what) + fmt.Sprintf("the range `%s in %s` fits", ix.Name, Range{s.Index.Range.Lo, size.Plus(-s.Offset)})
		if d, ok := c.sizes[hi.Name].(*Data); ok && hi.Name != size.Name && d.Formula == nil && c.function == nil && !size.isFormula() {
			hint += fmt.Sprintf("; if there are no more than that, declare `data %s int in 1..%s`", d.Name, size.Plus(-hi.Offset))
		}
		c.err(IndexRange, a.Span(), hint, "the index `%s` runs up to %s, but %s has size %s here", s.Index.Name, hi, what, size)
		c.note(s.Index.At, "the index runs over %s", s.Index.Range)
		return s, false
	}
	if !lo.IsConst() {
		c.need(lo.Name, 1-lo.Offset)
	}
	return s, true
}

// laterStart is the hint on an index that is below 1 at its start; of a definition in parts, that what comes before has a part of its own.
func (c *checker) laterStart(s Subscript, what string) string {
	hint := fmt.Sprintf("start the index `%s` at %d", s.Index.Name, 1-s.Offset)
	r := c.recursion
	if r == nil || r.Recursion.Along != s.Index || what != "`"+r.ObjectName()+"`" {
		return hint
	}
	hint += ", behind a part of its own for what comes before, "
	first := s.Index.Range.Lo.String()
	if s.Offset == -1 {
		return hint + fmt.Sprintf("`let %s[%s] = …`", r.ObjectName(), first)
	}
	return hint + fmt.Sprintf("`let %s[%s] = … for %s in %s..%d`", r.ObjectName(), s.Index.Name, s.Index.Name, first, -s.Offset)
}

// chosenPosition is a subscript that a condition may exclude where it selects nothing: it is looked at where it is read, when the data arrive.
func (c *checker) chosenPosition(a Expr, size Extent) (s Subscript, ok bool) {
	if c.choosing == 0 || c.ofParts {
		return s, false
	}
	if a.Type().Base == Invalid {
		n := len(c.ds.List)
		if c.expr(a); c.errors(n) > 0 {
			return s, false
		}
	}
	return Subscript{Gather: &Gather{Value: a, Size: size}}, a.Type().Base == Int
}

// groupHint names a datum that selects from something of a size, where an index does that does not fit: "" if there is none.
func (c *checker) groupHint(a Expr, ix *Index, size Extent, what string) string {
	if n, ok := a.(*Name); !ok || n.Name != ix.Name || ix.Range.Lo != Fixed(1) {
		return ""
	}
	for _, d := range c.model.Data {
		if d.Type.Base != Int || len(d.Type.Shape) != 1 || d.Type.Shape[0] != ix.Range.Hi {
			continue
		}
		if lo, hi, ok := d.Values(); ok && lo == Fixed(1) && hi == size {
			return fmt.Sprintf("of what `%s` numbers it is %s[%s[%s]]; or ", d.Name, strings.Trim(what, "`"), d.Name, ix.Name)
		}
	}
	return ""
}

// sizeForm reports whether an expression reads as a size: a number, a name, or one of these plus or minus a number.
func (c *checker) sizeForm(e Expr) bool {
	_, _, ok := c.sizeOf(e)
	return ok
}

// slice resolves a range of positions.
func (c *checker) slice(e *SliceExpr, size Extent, what string) (Subscript, bool) {
	s := Subscript{All: true}
	bad(e)
	if e.Lo == nil {
		return s, true
	}
	if at := elementIn(e.Lo, e.Hi); at != nil && c.function == nil {
		c.err(NotYet, e.Span(), segmentHint(e), "a range of positions that ends where data say is no vector in this version of the language, and `%s` is such an end", Text(at))
		return s, false
	}
	first, ok := c.fixedSubscript(e.Lo, size, what)
	if !ok {
		return s, false
	}
	last, ok := c.fixedSubscript(e.Hi, size, what)
	switch lo, hi := first.At, last.At; {
	case !ok:
		return s, false
	case hi.Name == lo.Name && hi.Offset < lo.Offset:
		c.err(IndexRange, e.Span(), "", "the range %s..%s is empty", lo, hi)
		return s, false
	case !lo.IsConst() && lo.Name != hi.Name:
		c.err(NotYet, e.Lo.Span(), "use an index: `x[i] … for i in lo..hi`", "a range of positions starts at a number here, in this version of the language")
		return s, false
	case !lo.IsConst():
		c.err(NotYet, e.Lo.Span(), "use an index, or name the positions one by one", "a range of positions starts at a number here, in this version of the language")
		return s, false
	default:
		if !hi.IsConst() {
			c.need(hi.Name, lo.Offset-hi.Offset)
		}
		s.Offset, s.At = lo.Offset-1, hi
	}
	return s, true
}

// elementIn is an element of an array in expressions, or nil.
func elementIn(list ...Expr) (found *IndexExpr) {
	for _, e := range list {
		Walk(e, func(n Node) bool {
			if x, ok := n.(*IndexExpr); ok && found == nil {
				found = x
			}
			return found == nil
		})
	}
	return found
}

// shifted splits i + 1 into the open index i and the shift 1. The index is nil
// if the expression holds none; reason is the part that makes it no shift.
func (c *checker) shifted(e Expr) (ix *Index, shift float64, reason Expr) {
	switch e := e.(type) {
	case *Name:
		if l := c.local(e); l != nil {
			return c.shifted(l.Value)
		}
		if ix, ok := e.Obj.(*Index); ok {
			return ix, 0, nil
		}
		return c.index(e.Name), 0, nil
	case *BinaryExpr:
		if e.Op != "+" && e.Op != "-" {
			return nil, 0, nil
		}
		ix, shift, reason = c.shifted(e.X)
		if reason != nil {
			return nil, 0, reason
		}
		if ix != nil {
			v, ok := c.constant(e.Y)
			if !ok {
				return ix, 0, e.Y
			}
			if e.Op == "-" {
				v = -v
			}
			return ix, shift + v, nil
		}
		ix, shift, reason = c.shifted(e.Y)
		if ix == nil || reason != nil {
			return ix, 0, reason
		}
		v, ok := c.constant(e.X)
		if !ok || e.Op == "-" {
			return ix, 0, e
		}
		return ix, shift + v, nil
	}
	return nil, 0, nil
}

// fixedSubscript resolves x[1], x[T] or x[T-1].
func (c *checker) fixedSubscript(a Expr, size Extent, what string) (Subscript, bool) {
	n := len(c.ds.List)
	e, ok := c.extent(a, "an index")
	if !ok {
		// The generic message of a size reads oddly for an index.
		if len(c.ds.List) > n {
			switch d := &c.ds.List[len(c.ds.List)-1]; {
			case d.Code == BadSize:
				d.Code, d.Hint, d.Notes = BadIndex, c.positionHint(a, size), nil
				d.Message = "an index is an index name, a number, or one of them plus or minus a number"
			case d.Code == UnknownName && (d.Hint == undeclaredHint || strings.HasPrefix(d.Hint, "declare it: `data")):
				d.Hint = "an index is declared by sum(i in n), let a[i in n] = … or … for i in n"
			}
		}
		return Subscript{}, false
	}
	s := Subscript{At: e}
	if below := e.IsConst() && e.Offset < 1; size != unknownExtent && (below || !(e.IsConst() && !size.IsConst()) && !c.atMost(e, size)) {
		if p, ok := c.chosenPosition(a, size); ok {
			return p, true
		}
	}
	switch {
	case size == unknownExtent:
	case e.IsConst() && e.Offset < 1:
		hint := "indices count from 1"
		if e.Offset < 0 {
			hint += fmt.Sprintf("; the last element has the index %s", size)
		}
		c.err(IndexRange, a.Span(), hint, "the index %d is below 1", e.Offset)
		return s, false
	case e.Name == size.Name && e.Offset > size.Offset:
		c.err(IndexRange, a.Span(), "", "the index %s is beyond the size %s of %s", e, size, what)
		return s, false
	case e.IsConst() && !size.IsConst():
		c.need(size.Name, e.Offset-size.Offset)
	case e.Name == size.Name:
		c.need(e.Name, 1-e.Offset)
	case e.Name != size.Name && c.atMost(e, size):
		c.need(e.Name, 1-e.Offset)
	case e.Name != size.Name:
		c.err(IndexRange, a.Span(), c.positionHint(a, size), "cannot show that the index %s stays within the size %s of %s", e, size, what)
		return s, false
	}
	return s, true
}

// positionHint says how an argument of a function, or a datum, is declared to be a position.
func (c *checker) positionHint(a Expr, size Extent) string {
	if b, ok := a.(*BinaryExpr); ok && b.Op == "/" {
		return fmt.Sprintf("a quotient is a real number: the whole number is `floor(%s)`", Text(a))
	}
	if v := c.odeVar(a); v != nil {
		return fmt.Sprintf("a position is a whole number, and %s `%s` a real one: from 1 on it is `floor(%[2]s)`, from 0 on `floor(%[2]s) + 1`", v.Kind, v.Name)
	}
	core, by := c.unshifted(a) // and not the argument that a function of hamc's own has for it
	n, ok := core.(*Name)
	if !ok || size == unknownExtent || by != math.Trunc(by) || math.Abs(by) > 1e6 {
		return ""
	}
	if c.function != nil {
		for _, v := range c.function.variables() {
			if v.Name == n.Name {
				return fmt.Sprintf("declare the argument `%s int in %d..%s`", n.Name, 1-int(by), size.Plus(-int(by)))
			}
		}
		return ""
	}
	if n, ok = a.(*Name); !ok {
		return ""
	}
	if d, ok := c.scope[n.Name].(*Data); ok && d.Type.IsScalar() {
		if whole, ok := c.sizes[size.Name].(*Data); ok && whole.Formula != nil && slices.Contains(whole.Formula.Sources(), d) {
			for _, other := range whole.Formula.Sources() {
				if other != d && other.Type.IsScalar() {
					return fmt.Sprintf("the other parts of that size may be negative: declare them with `>= 0`, as `data %s int >= 0`", other.Name)
				}
			}
			return "the other parts of that size may be negative: declare them with `>= 0`"
		}
		return fmt.Sprintf("declare `data %s int in 1..%s`", n.Name, size)
	} else if q, ok := c.scope[n.Name].(*Quantity); ok && q.Type.IsScalar() {
		return fmt.Sprintf("what is computed of a draw selects by a sum: sum(j in %s) (%s == j)*x[j]", size, n.Name)
	}
	return ""
}

// need records that an int datum is at least n; data are checked for it.
func (c *checker) need(name string, n int) {
	if d, ok := c.sizes[name].(*Data); ok {
		d.MinSize = max(d.MinSize, n)
	}
}

const (
	deltaMessage = "the arguments of delta are index names, integer data or positions, or one of them plus or minus a number"
	deltaHint    = "as in delta(i, j), delta(i, j+1), delta(g[i], j) or delta(g[i], 2)"
)

func (c *checker) call(e *CallExpr) {
	if c.metricCall(e) {
		return
	}
	for _, a := range e.Args {
		if _, _, of := rName(e.Func); a.Name != "" && (c.funcs[e.Func] != nil || !of && LookupForeign(ForeignFunction, e.Func) == nil) { // of those the message is on the function
			c.err(BadNamedArgument, a.At, "leave the name out", "the arguments of `%s` have no names", e.Func)
		}
	}
	if fn := cmp.Or(c.funcs[e.Func], libraryFuncs()[e.Func]); fn != nil {
		c.callFunc(e, fn)
		return
	}
	if c.combinedCall(e) || c.distributionCall(e) {
		return
	}
	word, two := e.Func, len(e.Args) == 2 && pairCalls[e.Func] != ""
	if two {
		e.Func = pairCalls[word]
	}
	f := LookupFunction(e.Func)
	if f == nil {
		c.noFunction(e)
		return
	}
	e.Fn = f
	if e.Func == "log_sum_exp" && len(e.Args) == 1 {
		c.reducesVector(e)
		return
	}
	if len(e.Args) != f.Arity {
		c.err(ArgumentCount, e.Span(), "", "`%s` takes %s, not %d", e.Func, count(f.Arity, "argument"), len(e.Args))
		bad(e)
		for _, a := range e.Args {
			c.expr(a.Expr)
		}
		return
	}
	if e.Func == "delta" {
		if !c.delta(e) {
			bad(e)
		}
		return
	}
	for _, a := range e.Args {
		c.expr(a.Expr)
		if a.Expr.Type().Base == Invalid {
			bad(e)
			return
		}
		if a.Expr.Type().Base == MetricBase {
			c.err(MetricMix, a.Expr.Span(), "", "a metric is not an argument of `%s`", e.Func)
			bad(e)
			return
		}
		if t := a.Expr.Type(); two && !t.IsScalar() {
			c.err(ArgumentCount, e.Span(), fmt.Sprintf("of elements at one position it is %s(%s)", e.Func, strings.Join(textsOf(e.Args), ", ")), "`%s` of two takes numbers, and this is %s", word, t)
			bad(e)
			return
		}
	}
	if f.Kind == Elementwise {
		c.elementwise(e)
		if k, kinked := kinks[e.Func]; kinked {
			by := map[string]string{}
			for n, a := range e.Args {
				by[[]string{"x", "z"}[n]] = Text(a.Expr)
			}
			hint := k.hint
			if h := c.besideNumber(e, by); h != "" {
				hint = h
			}
			c.notSmooth(e, "`"+e.Func+"`", k.does, substituted(hint, by))
		}
		return
	}
	c.structural(e)
}

// besideNumber is the hint where one argument of fmax or fmin is a number other than 0, whose size says how sharp what is smooth has to be: "" elsewhere. It adds to the texts
// that are put into the hint those of the other argument, of the number without its sign, and of its sign.
func (c *checker) besideNumber(e *CallExpr, by map[string]string) string {
	if e.Func != "fmax" && e.Func != "fmin" {
		return ""
	}
	for n, a := range e.Args {
		v, ok := c.constant(a.Expr)
		if !ok || v == 0 {
			continue
		}
		by["x"], by["size"], by["end"] = Text(e.Args[1-n].Expr), fmt.Sprint(math.Abs(v)), "10"
		if (v < 0) == (e.Func == "fmax") {
			by["end"] = "-10"
		}
		if e.Func == "fmin" {
			return "-size*log_sum_exp(-10*x/size, end)/10 is smooth, and below fmin by up to 7 % of size: with a larger number than 10 by less"
		}
		return "size*log_sum_exp(10*x/size, end)/10 is smooth, and above fmax by up to 7 % of size: with a larger number than 10 by less"
	}
	return ""
}

// noFunction checks the arguments of what is no function, and reports it.
func (c *checker) noFunction(e *CallExpr) {
	arguments := func() {
		for _, a := range e.Args {
			c.expr(a.Expr)
		}
	}
	row := LookupForeign(ForeignFunction, e.Func)
	_, _, r := rName(e.Func)
	if x := combinationOf(strings.TrimSuffix(e.Func, "_rng")); x != nil || r || row != nil && row.Is == "" {
		c.quiet(arguments) // they are not those of what is to be written
	} else {
		arguments()
	}
	bad(e)
	c.unknownFunction(e)
}

// delta checks the arguments of Kronecker's delta, which are positions and no values.
func (c *checker) delta(e *CallExpr) bool {
	fixed := 0
	for _, a := range e.Args {
		if core, shift := c.unshifted(a.Expr); c.isArray(core) {
			s, ok := c.gather(a.Expr, core, shift, unknownExtent, "")
			if !ok {
				return false
			}
			if len(s.shape(unknownExtent)) > 0 {
				c.err(BadIndex, a.Expr.Span(), "name an element, as in g[i]", "the arguments of delta are single positions")
				return false
			}
			e.Subscripts = append(e.Subscripts, s)
			continue
		}
		ix, shift, reason := c.shifted(a.Expr)
		if ix == nil && reason == nil {
			n := len(c.ds.List)
			s, ok := c.fixedSubscript(a.Expr, unknownExtent, "")
			if !ok {
				if len(c.ds.List) > n && c.ds.List[len(c.ds.List)-1].Code == BadIndex {
					d := &c.ds.List[len(c.ds.List)-1]
					d.Message, d.Hint = deltaMessage, deltaHint
				}
				return false
			}
			e.Subscripts = append(e.Subscripts, s)
			fixed++
			continue
		}
		if ix == nil || reason != nil || shift != math.Trunc(shift) || math.Abs(shift) > 1e6 {
			c.err(BadIndex, a.Expr.Span(), deltaHint, deltaMessage)
			return false
		}
		ix.used = true
		e.Subscripts = append(e.Subscripts, Subscript{Index: ix, Offset: int(shift)})
	}
	if fixed == len(e.Args) && c.function == nil { // in the body of a function they are what it is called with
		c.err(BadIndex, e.Span(), deltaHint, "one of the arguments of delta is an index or integer data")
		return false
	}
	e.setType(Type{Base: Int})
	return true
}

// pairCalls are what the largest and the smallest of two numbers are called, as which max(a, b) is read. Of arrays it could be that of all their elements.
var pairCalls = map[string]string{"max": "fmax", "min": "fmin"}

func (c *checker) elementwise(e *CallExpr) {
	t := Type{Base: Real}
	if e.Func == "inv" && len(e.Args[0].Expr.Type().Shape) > 1 { // elements in Stan, the inverse elsewhere
		x := e.Args[0].Expr
		c.err(NotScalar, e.Span(), inverseOf(x)+fmt.Sprintf("; element by element it is `1 ./ %s`", inProduct(x)), "`inv` of a matrix has two meanings")
		bad(e)
		return
	}
	if k, kinked := kinks[e.Func]; kinked && (k.whole || !slices.ContainsFunc(e.Args, func(a Arg) bool { return a.Expr.Type().Base != Int })) {
		t.Base = Int
	}
	for _, a := range e.Args {
		ta := a.Expr.Type()
		switch {
		case ta.IsScalar():
		case t.IsScalar():
			t.Shape = ta.Shape
		case !sameShape(t.Shape, ta.Shape):
			c.err(ShapeMismatch, a.Expr.Span(), "", "the arguments of `%s` have the shapes %s and %s", e.Func, t, ta)
			bad(e)
			return
		}
	}
	e.setType(t)
}

func (c *checker) structural(e *CallExpr) {
	x := e.Args[0].Expr
	t := x.Type()
	vector := func(x Expr) bool {
		if len(x.Type().Shape) != 1 {
			hint := totalHint(x)
			if e.Func == "mean" && len(x.Type().Shape) == 2 {
				hint = fmt.Sprintf("of all elements it is sum(%s)/(%s*%s), of a column mean(%[1]s[:, 1])", Text(x), x.Type().Shape[0], x.Type().Shape[1])
			}
			if e.Func == "diag" && x.Type().IsScalar() {
				hint = "of equal elements it is diag(s + 0*v) with a vector v of that length"
			}
			if e.Func == "diag" && len(x.Type().Shape) == 2 {
				i := c.free("i")
				hint = fmt.Sprintf("the diagonal of a matrix is `let %s[%s in %s] = %s[%[2]s, %[2]s]`", c.free("d"), i, x.Type().Shape[0], Text(x))
			}
			if e.Func == "dot" && len(x.Type().Shape) == 2 && len(e.Args) == 2 {
				hint = fmt.Sprintf("a product with a matrix is written with *: %s*%s", inProduct(e.Args[0].Expr), inProduct(e.Args[1].Expr))
			}
			c.err(NotVector, x.Span(), hint, "`%s` takes a vector, this is %s", e.Func, x.Type())
			bad(e)
			return false
		}
		return true
	}
	if e.Func != "size" && e.Func != "sum" && e.Func != "dot" && e.Func != "diag" && e.Func != "transpose" && e.Func != "trace" {
		c.hasElements(t)
	}
	switch e.Func {
	case "size", "mean", "diag", "softmax":
		if !vector(x) {
			return
		}
		e.setType(Type{Base: Real})
		if e.Func == "softmax" {
			e.setType(t)
		}
		if e.Func == "size" {
			e.setType(Type{Base: Int})
		}
		if e.Func == "diag" {
			e.setType(Type{Base: Real, Shape: []Extent{t.Shape[0], t.Shape[0]}})
		}
	case "sum", "max", "min":
		if t.IsScalar() {
			c.err(NotVector, x.Span(), scalarHint(e.Func, x), "`%s` takes a vector or a matrix, this is %s", e.Func, t)
			bad(e)
			return
		}
		e.setType(Type{Base: t.Base})
		if e.Func != "sum" {
			c.ofData(e, x)
		}
	case "dot":
		y := e.Args[1].Expr
		if !vector(x) || !vector(y) {
			return
		}
		if t.Shape[0] != y.Type().Shape[0] {
			c.err(ShapeMismatch, e.Span(), "", "the vectors of `dot` have %s and %s elements", t.Shape[0], y.Type().Shape[0])
			bad(e)
			return
		}
		e.setType(Type{Base: Real})
	case "transpose":
		if len(t.Shape) != 2 {
			c.err(NotMatrix, x.Span(), "", "`transpose` takes a matrix, this is %s", t)
			bad(e)
			return
		}
		e.setType(Type{t.Base, []Extent{t.Shape[1], t.Shape[0]}})
	case "trace", "inverse", "log_det", "cholesky", "solve_spd", "solve_lower", "inverse_general", "log_abs_det", "solve_general":
		c.ofMatrix(e)
	case "kronecker_solve", "kronecker_log_det":
		c.ofKronecker(e)
	}
}

// inProduct is the text of a factor.
func inProduct(x Expr) string {
	if text := Text(x); !strings.Contains(text, " ") {
		return text
	}
	return "(" + Text(x) + ")"
}

// scalarHint is the hint where the sum of a scalar is taken.
func scalarHint(name string, x Expr) string {
	if call, ok := x.(*CallExpr); ok && takesBar(call.Func) && name == "sum" {
		return "of a vector it is the sum over the elements already: write `" + Text(x) + "`"
	}
	return fmt.Sprintf("over an index it reads `%s(i in n) …`", name)
}

// reducesVector checks log_sum_exp of a vector.
func (c *checker) reducesVector(e *CallExpr) {
	x := e.Args[0].Expr
	c.expr(x)
	switch t := x.Type(); {
	case t.Base == Invalid:
		bad(e)
	case t.IsScalar() || t.Base == MetricBase:
		c.err(NotVector, x.Span(), "over an index it reads `log_sum_exp(i in n) …`", "`log_sum_exp` takes two arguments or a vector, this is %s", t)
		bad(e)
	default:
		c.hasElements(t)
		e.setType(Type{Base: Real})
	}
}

// hasElements demands that there are elements, of what means, largest elements and factors are taken of.
func (c *checker) hasElements(t Type) {
	for _, x := range t.Shape {
		if !x.IsConst() && x != unknownExtent {
			c.need(x.Name, 1-x.Offset)
		}
	}
}

// ofData reports what is not differentiable where it depends on parameters.
func (c *checker) ofData(e, x Expr) {
	if c.generating {
		return // what is computed of a draw is not differentiated
	}
	if p := c.dependsOnParam(x); p != nil {
		name := "max"
		if s, ok := e.(*SumExpr); ok {
			name = s.Func
		} else if f, ok := e.(*CallExpr); ok {
			name = f.Func
		}
		if c.function != nil && p != nil && c.scope[p.Name] == p {
			c.err(NeedsData, x.Span(), fmt.Sprintf("write `data` before the argument: `data %s %s`", p.Name, strings.TrimSpace(p.declared(""))), "`%s` is of data, and this depends on the argument `%s`, which may be a parameter", name, p.Name)
			bad(e)
			return
		}
		c.err(NeedsData, x.Span(), "log_sum_exp(20*x, 20*z)/20 is a smooth maximum of x and z", "`%s` is of data, and this depends on the parameter `%s`: it would have kinks", name, p.Name)
		bad(e)
	}
}

// ofMatrix checks a function of a square matrix, and perhaps of something that has its rows.
func (c *checker) ofMatrix(e *CallExpr) {
	x := e.Args[0].Expr
	t := x.Type()
	fail := func(code Code, at Expr, hint, format string, args ...any) {
		c.err(code, at.Span(), hint, format, args...)
		bad(e)
	}
	switch {
	case len(t.Shape) != 2:
		fail(NotMatrix, x, "", "`%s` takes a matrix, this is %s", e.Func, t)
		return
	case t.Shape[0] != t.Shape[1]:
		fail(ShapeMismatch, x, "", "`%s` takes a square matrix, this is %s", e.Func, t)
		return
	}
	switch e.Func {
	case "trace", "log_det", "log_abs_det":
		e.setType(Type{Base: Real})
		return
	case "inverse", "cholesky", "inverse_general":
		e.setType(Type{Base: Real, Shape: t.Shape})
		return
	}
	y := e.Args[1].Expr
	p, d := alias(x), datum(x)
	whole := (!isElement(x) || isMatrixOf(x)) && (p != nil && (p.Constraint == Cov || p.Constraint == Corr) || d != nil && d.Constraint.IsSymmetric())
	switch b := y.Type(); {
	case len(b.Shape) == 0:
		fail(NotVector, y, "", "`%s` takes a vector or a matrix on the right, this is %s", e.Func, b)
	case b.Shape[0] != t.Shape[0]:
		fail(ShapeMismatch, y, "", "the matrix of `%s` has %s rows, the right side %s", e.Func, t.Shape[0], b.Shape[0])
	case e.Func == "solve_lower" && upper(x) != nil:
		fail(BadArgument, x, fmt.Sprintf("with L = %[1]s, L'⁻¹b is solve_spd(L*L', L*b)", Text(upper(x))), "`solve_lower` takes a lower triangular factor, and this is an upper triangular one")
	case e.Func == "solve_lower" && (whole || Symmetric(x) && !LowerTriangular(x)):
		fail(BadArgument, x, fmt.Sprintf("write solve_spd(%s, …), or solve_lower(cholesky(%s), …)", Text(x), Text(x)), "`solve_lower` takes a lower triangular factor, and this is a matrix itself")
	default:
		e.setType(Type{Base: Real, Shape: b.Shape})
	}
}

// ofKronecker checks a function of two square matrices, a number, and perhaps a matrix that has the rows of the first and the columns of the second.
func (c *checker) ofKronecker(e *CallExpr) {
	fail := func(code Code, at Expr, format string, args ...any) {
		c.err(code, at.Span(), "", format, args...)
		bad(e)
	}
	var order [2]Extent
	for n, a := range e.Args[:2] {
		switch t := a.Expr.Type(); {
		case len(t.Shape) != 2:
			fail(NotMatrix, a.Expr, "`%s` takes two matrices first, this is %s", e.Func, t)
			return
		case t.Shape[0] != t.Shape[1]:
			fail(ShapeMismatch, a.Expr, "`%s` takes square matrices, this is %s", e.Func, t)
			return
		default:
			order[n] = t.Shape[0]
		}
	}
	if s := e.Args[2].Expr; len(s.Type().Shape) != 0 {
		fail(ShapeMismatch, s, "`%s` takes a number third, this is %s", e.Func, s.Type())
		return
	}
	if e.Func == "kronecker_log_det" {
		e.setType(Type{Base: Real})
		return
	}
	y := e.Args[3].Expr
	switch t := y.Type(); {
	case len(t.Shape) != 2:
		fail(NotMatrix, y, "`%s` takes a matrix last, this is %s", e.Func, t)
	case t.Shape[0] != order[0] || t.Shape[1] != order[1]:
		fail(ShapeMismatch, y, "the matrices of `%s` have %s rows and %s columns, the right side is %s", e.Func, order[0], order[1], t)
	default:
		e.setType(Type{Base: Real, Shape: t.Shape})
	}
}

func (c *checker) unknownFunction(e *CallExpr) {
	if c.poisoned["()"+e.Func] || c.poisoned[e.Func] && c.scope[e.Func] == nil {
		return
	}
	c.poisoned["()"+e.Func] = true
	if at, ok := c.laterFuncs[e.Func]; ok {
		if c.function != nil && c.function.Name == e.Func {
			c.err(UsedBeforeDefined, e.At, "a recursion over positions reads `let h[t] = … for t in 2..T`", "`%s` is used in its own definition", e.Func)
			return
		}
		c.err(UsedBeforeDefined, e.At, "move its definition up", "`%s` is used before it is defined", e.Func)
		c.note(at, "defined here")
		return
	}
	if o, ok := c.scope[e.Func]; ok {
		hint := "a product is written with *, an element with [ ]"
		if _, ok := o.(*Ode); ok {
			hint = solveForm
		}
		c.err(NotAFunction, e.At, hint, "`%s` is not a function", e.Func)
		c.note(o.Declared(), "declared here")
		return
	}
	var names []string
	for i := range Functions {
		names = append(names, Functions[i].Name)
	}
	for _, f := range Library {
		names = append(names, f.Name)
	}
	for i := range Distributions {
		d := &Distributions[i]
		names = append(names, d.LogDensityName(), d.RandomName())
	}
	hint := c.rHint(e)
	if hint != "" {
	} else if f := LookupForeign(ForeignFunction, e.Func); f != nil {
		if hint = c.callHint(f, e); f.Is == "dot" && len(e.Args) == 2 && len(e.Args[0].Expr.Type().Shape) == 2 {
			hint = fmt.Sprintf("a product with a matrix is written with *: %s*%s", inProduct(e.Args[0].Expr), inProduct(e.Args[1].Expr))
		}
	} else if strings.HasSuffix(e.Func, "cdf") && takesBar(e.Func) {
		hint = "all distributions of numbers have _lcdf and _lccdf but " + withoutCdf() + "; those of vectors, matrices and categories have none"
		if d := LookupDistribution(strings.TrimSuffix(e.Func, "_cdf")); d != nil && d.LogCdf != "" {
			hint = fmt.Sprintf("its logarithm is %s, and %s that of 1 less it", strings.Replace(d.form(), d.LogDensityName(), d.CdfName(), 1), d.CcdfName())
		}
	} else if x := combinationOf(strings.TrimSuffix(e.Func, "_rng")); x != nil && strings.HasSuffix(e.Func, "_rng") {
		hint = "draw which distribution it is: `normal_rng(if bernoulli_rng(p) == 1 then a else b, s)`"
		if x.counts {
			hint = "draw whether it is zero: `if bernoulli_rng(p) == 1 then 0 else poisson_rng(lambda)`"
		}
	} else if fn := c.distributionFunc(strings.TrimSuffix(e.Func, "_rng")); fn != nil && strings.HasSuffix(e.Func, "_rng") {
		hint = "a distribution of the model has no draws of its own: draw from those that it is made of"
	} else if form := foreignLogDensity(e.Func, textsOf(e.Args)); form != "" {
		hint = "write " + form
	} else if d := LookupDistribution(strings.ToLower(e.Func)); d != nil && c.generating {
		hint = fmt.Sprintf("a draw reads %s(%s), a log density %s", d.RandomName(), strings.Join(d.argNames(), ", "), d.form())
	} else if LookupDistribution(e.Func) != nil || combinationOf(e.Func) != nil {
		hint = fmt.Sprintf("a distribution follows `~`: … ~ %s(…)", e.Func)
		if d := LookupDistribution(e.Func); d != nil {
			hint += "; its log density is " + d.form()
		}
	} else if f := LookupForeign(ForeignDistribution, e.Func); f != nil {
		hint = "a distribution follows `~`"
	} else if s := suggest(e.Func, names); s != "" {
		hint = fmt.Sprintf("did you mean `%s`?", s)
	}
	if hint == "" && c.lostFuncs {
		return // it may be in the file that was not found
	}
	c.err(UnknownFunction, e.At, hint, "there is no function `%s`", e.Func)
}

// factors checks the operands of an operator.
func (c *checker) factors(e *BinaryExpr) {
	around := c.product
	e.beside()
	switch {
	case e.Op != "*":
		c.product = nil
	case around == nil:
		c.product = e
	}
	c.expr(e.X)
	c.product = nil
	if e.Op == "and" || e.Op == "or" { // the second counts where the first holds, or does not
		c.choosing++
		defer func() { c.choosing-- }()
	}
	c.expr(e.Y)
	c.product = around
}

// innerProduct is what y'*A*x is for vectors y and x, by the form of the product; "" of what has another form.
func innerProduct(e *BinaryExpr) string {
	if e == nil {
		return ""
	}
	var rest []string
	for x := Expr(e); ; {
		switch f := x.(type) {
		case *BinaryExpr:
			if f.Op != "*" {
				return ""
			}
			rest = append([]string{Text(f.Y)}, rest...)
			x = f.X
			continue
		case *UnaryExpr:
			if f.Op == "'" {
				return "`dot(" + Text(f.X) + ", " + strings.Join(rest, "*") + ")`"
			}
		}
		return ""
	}
}

func (c *checker) binary(e *BinaryExpr) {
	c.factors(e)
	x, y := e.X.Type(), e.Y.Type()
	if x.Base == Invalid || y.Base == Invalid {
		bad(e)
		return
	}
	if x.Base == MetricBase || y.Base == MetricBase {
		c.metricBinary(e)
		return
	}
	base := Real
	if x.Base == Int && y.Base == Int && e.Op != "/" && e.Op != "./" && e.Op != "^" && e.Op != ".^" {
		base = Int
	}
	elementwise := func() {
		switch {
		case c.totalOfElements(e):
			bad(e)
		case x.IsScalar():
			e.setType(Type{base, y.Shape})
		case y.IsScalar() || sameShape(x.Shape, y.Shape):
			e.setType(Type{base, x.Shape})
		default:
			c.err(ShapeMismatch, e.At, cmp.Or(pairsHint(e), c.scaledHint(e)), "the operands of `%s` have the shapes %s and %s", e.Op, x, y)
			bad(e)
		}
	}
	switch e.Op {
	case "+", "-", ".*", "./", ".^":
		elementwise()
	case "<", "<=", ">", ">=", "==", "!=":
		base = Int
		elementwise()
		if c.switching != e {
			c.notSmooth(e, "a comparison", "jumps", "")
		}
	case "and", "or":
		if c.condition(e.X) && c.condition(e.Y) {
			elementwise()
		} else {
			bad(e)
		}
	case "/":
		if !y.IsScalar() {
			c.err(BadDivision, e.Y.Span(), map[bool]string{true: "what a matrix divides is solve_spd(A, b); "}[len(y.Shape) == 2]+"elementwise division is ./", "the divisor of `/` is a scalar, this is %s", y)
			bad(e)
			return
		}
		elementwise()
	case "^":
		if x.IsScalar() && y.IsScalar() {
			e.setType(Type{Base: base})
			return
		}
		c.err(BadPower, e.At, c.powerHint(e), "`^` takes scalars, these are %s and %s", x, y)
		bad(e)
	case "*":
		switch {
		case x.IsScalar() || y.IsScalar():
			elementwise()
		case len(x.Shape) > 2 || len(y.Shape) > 2:
			c.err(ShapeMismatch, e.At, "name a matrix of an array, as in x[i, :, :]; the elementwise product is .*", "`*` multiplies vectors and matrices, these are %s and %s", x, y)
			bad(e)
		case len(x.Shape) == 1 && len(y.Shape) == 1:
			c.err(VectorProduct, e.At, e.vectorsHint(), "a vector times a vector has two meanings")
			bad(e)
		case len(x.Shape) == 1:
			c.err(VectorProduct, e.At, "it stands to the right, A*x; xᵀA is A'*x, and diag(x)*A scales the rows of A", "a vector does not stand to the left of a matrix")
			bad(e)
		case x.Shape[1] != y.Shape[0]:
			c.err(ShapeMismatch, e.At, transposeHint(x, y), "the left operand of `*` has %s columns (%s), the right one %s rows (%s)", x.Shape[1], x, y.Shape[0], y)
			bad(e)
		case len(y.Shape) == 1:
			e.setType(Type{base, []Extent{x.Shape[0]}})
		default:
			e.setType(Type{base, []Extent{x.Shape[0], y.Shape[1]}})
		}
	}
}

// vectorsHint is the hint where a vector is multiplied by a vector.
func (e *BinaryExpr) vectorsHint() string {
	a, b, times := Text(e.X), Text(e.Y), ".*"
	if isPlain(a) && isPlain(b) {
		times = a + " .* " + b
	} else {
		a, b = "a", "b"
	}
	hint := fmt.Sprintf("the inner product is dot(%s, %s), the elementwise product %s", a, b, times)
	for _, pair := range [][2]Expr{{e.X, e.Y}, {e.Y, e.X}} {
		if d := datum(pair[0]); d != nil && d.Type.Base == Int && !isElement(pair[0]) && alias(pair[1]) != nil {
			return hint + fmt.Sprintf("; what `%s` selects is %s[%s]", d.Name, Text(pair[1]), d.Name)
		}
	}
	return hint
}

// selectedRowsHint is the hint where W[g][1] is one of the rows that g selects, and may be meant as an element of each; "" where it is none.
func selectedRowsHint(e Expr) string {
	outer, ok := e.(*IndexExpr)
	if !ok || len(outer.Type().Shape) == 0 {
		return ""
	}
	rows, ok := outer.Base.(*IndexExpr)
	if !ok || len(rows.Args) == 0 || len(rows.Args[0].Type().Shape) != 1 {
		return ""
	}
	return fmt.Sprintf("`%s` is one of the rows that `%s` are; an element of each is `%s[%s, %s]`", Text(e), Text(rows), Text(rows.Base), Text(rows.Args[0]), Text(outer.Args[0]))
}

// scaledHint is the hint where the rows or the columns of a matrix are meant to be multiplied by, or added to, the elements of a vector; "" where no size fits.
func (c *checker) scaledHint(e *BinaryExpr) string {
	i, k := c.free("i"), c.free("j")
	for _, side := range [][2]Expr{{e.X, e.Y}, {e.Y, e.X}} {
		m, v := side[0].Type().Shape, side[1].Type().Shape
		if len(m) != 2 || len(v) != 1 {
			continue
		}
		at := ""
		switch v[0] {
		case m[0]:
			at = i
		case m[1]:
			at = k
		default:
			continue
		}
		text := func(x Expr) string {
			if _, plain := x.(*Name); !plain && len(x.Type().Shape) > 0 {
				if _, plain = x.(*IndexExpr); !plain {
					return "(" + Text(x) + ")"
				}
			}
			return Text(x)
		}
		both := "[" + i + ", " + k + "]"
		x, y, op := text(e.X)+both, text(e.Y)+"["+at+"]", strings.TrimPrefix(e.Op, ".")
		if side[0] == e.Y {
			x, y = text(e.X)+"["+at+"]", text(e.Y)+both
		}
		if op == "+" || op == "-" {
			op = " " + op + " "
		}
		hint := fmt.Sprintf("element by element it is a definition, `let z[%s in %s, %s in %s] = %s%s%s`", i, m[0], k, m[1], x, op, y)
		if e.Op == ".*" && at == i {
			hint += fmt.Sprintf(", or `diag(%s)*%s`", Text(side[1]), inProduct(side[0]))
		} else if e.Op == ".*" {
			hint += fmt.Sprintf(", or `%s*diag(%s)`", inProduct(side[0]), Text(side[1]))
		}
		return hint
	}
	return ""
}

// pairsHint is the hint where two vectors of positions select all pairs of rows and columns, b[g, h], and may be meant to select an element each; "" where none do.
func pairsHint(e Expr) (hint string) {
	var visit func(e Expr)
	visit = func(e Expr) {
		if ix, ok := e.(*IndexExpr); ok && hint == "" && len(ix.Args) == 2 && len(ix.Subscripts) == 2 {
			a, b := ix.Subscripts[0].Gather, ix.Subscripts[1].Gather
			if g, h := ix.Args[0], ix.Args[1]; a != nil && b != nil && len(g.Type().Shape) == 1 && sameShape(g.Type().Shape, h.Type().Shape) {
				hint = fmt.Sprintf("`%s` are all pairs of rows and columns; one element for each i is `%s[%s[i], %s[i]]`, as in `y[i] ~ normal(%s[%s[i], %s[i]], sigma) for i in %s`",
					Text(ix), Text(ix.Base), Text(g), Text(h), Text(ix.Base), Text(g), Text(h), g.Type().Shape[0])
			}
		}
		if n, ok := e.(*Name); ok {
			if l := definitionOf(n.Obj); l != nil && l.Recursion == nil && len(l.Indices) == 0 && l.Value != nil {
				visit(l.Value)
			}
			return
		}
		children(e, visit)
	}
	visit(e)
	return hint
}

// powerHint is the hint where a vector or a matrix is raised to a power.
func (c *checker) powerHint(e *BinaryExpr) string {
	if v, ok := c.constant(e.Y); ok && v == -1 && len(e.X.Type().Shape) == 2 {
		return inverseOf(e.X)
	}
	if v, ok := c.constant(e.Y); ok && v == 2 && len(e.X.Type().Shape) == 2 {
		return fmt.Sprintf("the elementwise power is .^, and the product of the matrix with itself `%s*%[1]s`", inProduct(e.X))
	}
	return "the elementwise power is .^"
}

// inverseOf is how the inverse of a matrix is written.
func inverseOf(x Expr) string {
	var own *Constraint
	if n, ok := Through(x).(*Name); ok {
		switch o := n.Obj.(type) {
		case *Data:
			own = o.Constraint
		case *Param:
			own = o.Constraint
		}
	}
	if own != nil && own.Symmetric {
		return fmt.Sprintf("the inverse is inverse(%s), and what it multiplies solve_spd(%[1]s, b)", Text(x))
	}
	return fmt.Sprintf("the inverse is inverse_general(%s), and what it multiplies solve_general(%[1]s, b); of a symmetric positive definite matrix they are inverse and solve_spd", Text(x))
}

// rowTimesMatrix is the hint where v'*A is written, of a vector and a matrix; "" elsewhere.
func (c *checker) rowTimesMatrix() string {
	if c.product == nil {
		return ""
	}
	row, ok := c.product.X.(*UnaryExpr)
	shape := c.shapeNamed(c.product.Y)
	if _, whole := c.product.Y.(*Name); !ok || !whole || len(shape) != 2 {
		return ""
	}
	return fmt.Sprintf("the product with a matrix is `%s'*%s`", Text(c.product.Y), inProduct(row.X))
}

// transposeHint is the hint where the product of a matrix and what is to its right is not defined: "" if no transpose of one helps.
func transposeHint(x, y Type) string {
	switch {
	case len(y.Shape) == 2 && x.Shape[1] == y.Shape[1]:
		return "the transpose of the right one fits, as in A*B'"
	case x.Shape[0] == y.Shape[0]:
		return "the transpose of the left one fits, as in A'*B"
	}
	return ""
}

// condition reports whether an expression is one: a whole number, 0 where it does not hold.
func (c *checker) condition(e Expr) bool {
	switch t := e.Type(); t.Base {
	case Int:
		return true
	case Invalid:
	default:
		c.err(NotCondition, e.Span(), "compare it, as in `x > 0`", "a condition is a comparison or whole numbers, this is %s", t)
	}
	return false
}

// conditional checks if c then x else y: element by element where they are arrays.
func (c *checker) conditional(e *IfExpr) {
	bad(e)
	parts := []Expr{e.Cond, e.Then, e.Else}
	sound := true
	for n, x := range parts {
		// Functions of the language ask of data what they ask, whatever they choose.
		if n == 1 && (c.function == nil || !c.function.builtin) {
			c.choosing++
			defer func() { c.choosing-- }()
		}
		if cond := plainComparison(e.Cond); n == 0 && cond != nil {
			c.switching = cond
			defer c.switchOf(e, cond)
		}
		c.expr(x)
		sound = sound && x.Type().Base != Invalid
		if x.Type().Base == MetricBase {
			c.err(MetricMix, x.Span(), "", "a metric is not chosen by a condition")
			return
		}
	}
	if !sound || !c.condition(e.Cond) {
		return
	}
	t := Type{Base: Real}
	if e.Then.Type().Base == Int && e.Else.Type().Base == Int {
		t.Base = Int
	}
	for _, x := range parts {
		switch own := x.Type(); {
		case own.IsScalar():
		case t.IsScalar():
			t.Shape = own.Shape
		case !sameShape(t.Shape, own.Shape):
			c.err(ShapeMismatch, x.Span(), "", "the parts of a conditional have the shapes %s and %s", Type{own.Base, t.Shape}, own)
			return
		}
	}
	e.setType(t)
}

// notSmooth warns of what has kinks or jumps where it depends on parameters.
func (c *checker) notSmooth(e Expr, what, does, hint string) {
	if c.generating || e.Type().Base == Invalid || c.function != nil && c.function.smooth {
		return
	}
	if ofState(e) {
		c.err(BadEquation, e.Span(), "let it depend on the time, or write it smoothly: inv_logit(20*x) is a step", "%s %s, and the right side of a differential equation is smooth in its states: their sensitivities would jump too", what, does)
		bad(e)
		return
	}
	if p := c.dependsOnParam(e); p != nil {
		if hint == "" {
			hint = "inv_logit(20*x) is a smooth step; a condition that says where a density ends stays as it is"
		}
		c.warn(NotSmooth, e.Span(), hint, "%s %s, and this depends on the parameter `%s`: Hamiltonian Monte Carlo rejects what crosses it, and is not efficient there", what, does, p.Name)
	}
}

// ofState reports whether an expression holds a state of a differential equation, in its right side: a component of a solution is a number like others.
func ofState(e Expr) bool {
	if _, ok := e.(*FieldExpr); ok {
		return false
	}
	if n, ok := Through(e).(*Name); ok {
		v, ok := n.Obj.(*OdeVar)
		return ok && v.Kind == OdeState
	} else if _, ok := e.(*Name); ok {
		return ofState(Through(e))
	}
	found := false
	children(e, func(x Expr) { found = found || ofState(x) })
	return found
}

// dependsOnParam returns a parameter that the expression depends on, or nil.
func (c *checker) dependsOnParam(e Expr) *Param {
	switch e := e.(type) {
	case *Number:
		return nil
	case *Name:
		switch o := e.Obj.(type) {
		case *Param:
			return o
		case *Let:
			if o.Recursion == nil {
				return c.dependsOnParam(o.Value)
			}
			// What its parts hold may not be known yet.
			in := paramsOf(o.Values()...)
			var first *Param
			for p := range in {
				if first == nil || p.At.Pos.before(first.At.Pos) {
					first = p
				}
			}
			return first
		}
		return nil
	case *CallExpr:
		// What is drawn is no function of the parameters.
		if e.Func == "size" || e.Draws != nil {
			return nil
		}
	}
	p, ok := c.depends[e]
	if !ok {
		children(e, func(x Expr) {
			if p == nil {
				p = c.dependsOnParam(x)
			}
		})
		if c.recursion == nil {
			c.depends[e] = p
		}
	}
	return p
}
