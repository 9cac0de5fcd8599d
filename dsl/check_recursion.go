package dsl

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A definition in parts gives an array by its positions: some one by one, the others by one part with `for`. A part may
// read other elements, of the same array too: then it is a recursion, and those that read each other are a circle. What a
// circle reads of its own are elements at a known distance from the position that it defines, or those that a sum reads on one side of it, so
// that one pass from one end to the other computes all of it.

// Recursion is a definition in parts.
type Recursion struct {
	Place   int // which dimension the parts are positions of
	Starts  []*Start
	Along   *Index   // of the part with `for`
	Indices []*Index // its others
	Value   Expr

	// Circle is nil of a definition that reads nothing of what depends on it.
	Circle *Circle

	// Local are the definitions of the function that it belongs to, among them the function's arguments, as far as they stand above it.
	Local []*Let

	of    *Func // that it belongs to, if it does
	stmts []*LetStmt
	bad   bool // an error in it was reported
}

// Start is the part of one position.
type Start struct {
	At      Extent
	Along   *Index // stands for the position, where the value reads other definitions in parts at a distance from it
	Indices []*Index
	Value   Expr
}

// Circle are definitions that depend on each other, in the order in which they are computed at a position.
type Circle struct {
	Members []*Let
	Down    bool // from the last position to the first
}

// Values are the expressions that a definition is made of.
func (l *Let) Values() []Expr {
	r := l.Recursion
	if r == nil {
		return []Expr{l.Value}
	}
	var out []Expr
	for _, s := range r.Starts {
		out = append(out, s.Value)
	}
	if r.Value != nil {
		out = append(out, r.Value)
	}
	return out
}

// Params are the parameters that a definition depends on.
func (l *Let) Params() map[*Param]bool { return paramsOf(l.Values()...) }

// Reads are the parameters and the other definitions that a definition reads by itself, or by the arguments and definitions of the function that it belongs to.
func (l *Let) Reads() (params map[*Param]bool, lets map[*Let]bool) {
	params, lets = map[*Param]bool{}, map[*Let]bool{}
	var visit func(Expr)
	visit = func(e Expr) {
		n, ok := e.(*Name)
		if !ok {
			children(e, visit)
			return
		}
		switch o := n.Obj.(type) {
		case *Param:
			params[o] = true
		case *Let:
			if o.Local && o.Recursion == nil {
				visit(o.Value)
			} else if o != l {
				lets[o] = true
			}
		}
	}
	for _, v := range l.Values() {
		visit(v)
	}
	return params, lets
}

// partRead is what a part reads of a definition in parts.
type partRead struct {
	from, to *Let
	known    bool // the distance
	distance int  // of the position that is read from the one that is defined; of the positions that a sum reads, its sign
	at       Span
	lag      string // the datum that the distance is, or that it goes up to; "" where there is none
}

// parts finds the definitions in parts of a file: what they read of each other may stand further down.
func (c *checker) parts(f *File) {
	c.partial = map[partName]*Let{}
	f.Stmts = c.inParts(c.fromSizes(c.overSegments(f.Stmts)))
	whole := map[partName]bool{}
	note := func(s *LetStmt, of func() *Let) {
		name := partName{s.Name.Name, c.generating}
		if _, solve := s.Value.(*SolveExpr); solve || name.name == "" {
			return
		} else if !s.partial() {
			whole[name] = true
			return
		}
		if c.partial[name] == nil {
			c.partial[name] = of()
			c.partial[name].Recursion = &Recursion{}
		}
		r := c.partial[name].Recursion
		r.stmts = append(r.stmts, s)
	}
	was := c.generating
	for _, s := range f.Stmts {
		switch s := s.(type) {
		case *LetStmt:
			note(s, func() *Let { return &Let{object: object{s.Name.Name, s.Name.At, s.Doc, false}} })
		case *GenerateStmt:
			c.generating = true
			var quantities []Stmt
			for i := range s.Quantities {
				quantities = append(quantities, s.Quantities[i].definition())
			}
			for _, q := range c.inParts(quantities) {
				q := q.(*LetStmt)
				s.lets = append(s.lets, q)
				note(q, func() *Let { return &newQuantity(q.Name, q.Doc).Let })
			}
			c.generating = was
		}
	}
	for name, l := range c.partial {
		if whole[name] {
			l.Recursion.bad = true
			continue // declared twice, which is reported where it stands
		}
		if c.poisoned[name.name] && c.scope[name.name] == nil {
			l.Recursion.bad = true // one of its parts did not parse
			continue
		}
		l.Recursion.Place = placeOfParts(l.Recursion.stmts)
		if name.generated {
			l.Recursion.Place = 0 // quantities are written as they are computed
		}
		l.Type = c.shapeOfParts(l.Recursion)
	}
}

// inParts are statements with definitions as the checker knows them, in the place of those that are written in another way.
func (c *checker) inParts(stmts []Stmt) []Stmt {
	stmts = c.raggedParts(c.inPlaces(stmts))
	return c.inOnePart(c.fromBefore(c.byPositions(c.writtenOut(c.wholeRows(stmts)))))
}

// mostWrittenOut is how many positions a range of parts is written out for.
const mostWrittenOut = 400

// writtenOut are statements with one for each position in the place of a part over a fixed range, let s[t] = s0[t] for t in 1..12, where another part of that definition
// follows that has a range too.
func (c *checker) writtenOut(stmts []Stmt) []Stmt {
	stmts = c.withBeginnings(stmts)
	last := map[string]*LetStmt{} // with a range
	several := map[string]bool{}
	for _, s := range stmts {
		if s, ok := s.(*LetStmt); ok && s.For != nil {
			several[s.Name.Name] = last[s.Name.Name] != nil
			last[s.Name.Name] = s
		}
	}
	var out []Stmt
	for _, s := range stmts {
		let, ok := s.(*LetStmt)
		if !ok || let.For == nil || !several[let.Name.Name] || last[let.Name.Name] == let {
			out = append(out, s)
			continue
		}
		lo, hi, known := 1.0, 0.0, true
		if let.For.Lo != nil {
			lo, known = c.constant(let.For.Lo)
		}
		if known {
			hi, known = c.constant(let.For.Hi)
		}
		if !known || !(lo >= 1 && hi-lo < mostWrittenOut) || lo != math.Trunc(lo) || hi != math.Trunc(hi) {
			out = append(out, s)
			continue
		}
		for at := lo; at <= hi; at++ {
			number := &Number{node: node{span: let.For.At}, Value: at, Text: strconv.Itoa(int(at))}
			part := cloner{name: let.For.Name, put: number}.let(let)
			part.For = nil
			out = append(out, part)
		}
	}
	return out
}

// placeOfParts is where parts have their position: where the part with `for` has its index, or else where the first of the others has one.
func placeOfParts(stmts []*LetStmt) int {
	for _, s := range stmts {
		if s.For == nil {
			continue
		}
		return max(0, slices.IndexFunc(s.Places, func(p Place) bool {
			n, ok := p.At.(*Name)
			return ok && n.Name == s.For.Name
		}))
	}
	return max(0, slices.IndexFunc(stmts[0].Places, func(p Place) bool { return p.At != nil }))
}

// position is the position of a part, and its other places. A part that has none there lacks places.
func (r *Recursion) position(s *LetStmt) (at Place, others []Place) {
	n := min(r.Place, len(s.Places)-1)
	return s.Places[n], slices.Delete(slices.Clone(s.Places), n, n+1)
}

// ToFront brings what belongs to the dimension of the positions before the rest: subscripts, or sizes.
func ToFront[T any](r *Recursion, list []T) []T {
	return append([]T{list[r.Place]}, slices.Delete(slices.Clone(list), r.Place, r.Place+1)...)
}

// inPlace brings it back.
func inPlace[T any](r *Recursion, list []T) []T {
	n := min(r.Place, len(list)-1)
	return slices.Insert(slices.Clone(list[1:]), n, list[0])
}

// ordinal names the nth dimension, from 1.
func ordinal(n int) string {
	return [...]string{"first", "second", "third", "fourth", "fifth", "sixth"}[min(n, 6)-1]
}

// partForm is how a part of a definition with more places is written.
func (l *Let) partForm() string {
	if l.Recursion.Place > 0 {
		return l.form("[i in n, 1] = …")
	}
	return l.form("[1, j in k] = …")
}

// noPart reports a definition with an index of what is given in parts elsewhere.
func (c *checker) noPart(s *LetStmt) bool {
	l := c.partOf(s.Name.Name)
	if l == nil || len(s.Places) == 0 || s.Places[0].Decl == nil {
		return false
	}
	d := s.Places[0].Decl
	lo := "1"
	if d.Lo != nil {
		lo = Text(d.Lo)
	}
	c.err(BadParts, s.Name.At, "write "+l.form("[%s] = … for %s in %s..%s", d.Name, d.Name, lo, Text(d.Hi)), "`%s` is given in parts, and the part of many positions ends with `for`", l.Name)
	c.poisoned[l.Name] = true
	return true
}

// partName is the name of a definition in parts. A quantity may have that of a `let`, which is reported where it is declared.
type partName struct {
	name      string
	generated bool
}

// partOf is the definition in parts of a name, or nil. In `generate` it is a quantity, and elsewhere none.
func (c *checker) partOf(name string) *Let { return c.partial[partName{name, c.generating}] }

// form is how a part of a definition is written, behind its name.
func (l *Let) form(format string, args ...any) string {
	text := l.Name + fmt.Sprintf(format, args...)
	if l.quantity == nil {
		text = "let " + text
	}
	return "`" + text + "`"
}

// shapeOfParts is the type of a definition in parts, as far as its ranges are sound; errors are reported where the parts are checked.
func (c *checker) shapeOfParts(r *Recursion) Type {
	n, poisoned := len(c.ds.List), maps.Clone(c.poisoned) // what is said of a name once is said there
	defer func() { c.ds.List, c.poisoned = c.ds.List[:n], poisoned }()
	var shape []Extent
	for _, s := range r.stmts {
		if s.For == nil || len(s.Places) == 0 {
			continue
		}
		_, others := r.position(s)
		indices, shut := c.open(append([]IndexDecl{*s.For}, decls(others)...))
		shut()
		for _, ix := range indices {
			shape = append(shape, ix.Range.Hi)
		}
		break
	}
	if s := r.stmts[0]; len(shape) == 0 && len(s.Places) > 0 { // as many positions as there are parts
		_, others := r.position(s)
		indices, shut := c.open(decls(others))
		shut()
		shape = append(shape, Fixed(0))
		for _, ix := range indices {
			shape = append(shape, ix.Range.Hi)
		}
	}
	if len(shape) == 0 {
		return Type{}
	}
	for _, s := range r.stmts {
		if s.For != nil || len(s.Places) == 0 {
			continue
		}
		at, _ := r.position(s)
		if at.At == nil {
			continue
		}
		if e, ok := c.extent(at.At, "a position"); ok && e.Name == shape[0].Name {
			shape[0].Offset = max(shape[0].Offset, e.Offset)
		}
	}
	if slices.Contains(shape, unknownExtent) {
		return Type{}
	}
	return Type{Base: Int, Shape: inPlace(r, shape)} // until a part is real
}

// part checks one part of a definition.
func (c *checker) part(s *LetStmt) {
	l := c.partOf(s.Name.Name)
	r := l.Recursion
	before := len(c.ds.List)
	was := c.recursion
	c.recursion, c.defining = l, ""
	if place := placeOfParts(r.stmts); l.quantity != nil && place > 0 {
		if s == r.stmts[0] {
			c.err(BadParts, s.Name.At, "write "+l.form("[t, i in n] = … for t in …")+", with its positions first", "the positions of `%s` stand in its %s place, and those of a quantity in the first", l.Name, ordinal(place+1))
		}
	} else if s.For != nil {
		c.step(l, s)
	} else {
		c.start(l, s)
	}
	c.recursion = was
	r.bad = r.bad || c.errors(before) > 0
	if s == r.stmts[len(r.stmts)-1] {
		c.close(l)
	}
}

// step checks the part with `for`.
func (c *checker) step(l *Let, s *LetStmt) {
	r := l.Recursion
	if r.Along != nil {
		c.err(BadParts, s.For.At, "give one range, and the other positions one by one: "+l.form("[1] = …")+"; ranges that follow one another, as 1..m and m+1..T do, may stand there too", "`%s` has two parts with `for`", l.Name)
		return
	}
	if len(s.Places) == 0 {
		c.err(BadParts, s.Name.At, "write "+l.form("[%s] = … for %s in …", s.For.Name, s.For.Name), "a part with `for` names the position that it defines")
		return
	}
	at, others := r.position(s)
	if n, ok := at.At.(*Name); !ok || n.Name != s.For.Name {
		hint := "write " + l.form("[%s] = … for %s in …", s.For.Name, s.For.Name)
		if g, ok := at.At.(*IndexExpr); ok && len(s.Places) == 1 && c.isData(g.Base) {
			own := "j"
			if s.For.Name == own {
				own = "i"
			}
			hint = fmt.Sprintf("what stands where data say is a sum: `let %s[%s in n] = sum(%s in %s) delta(%s, %s)*%s`", l.Name, own, s.For.Name, rangeText(s.For), own, Text(g), inProduct(s.Value))
		}
		c.err(BadParts, c.placeSpan(at), hint,
			"the position of a part with `for` is its index")
		r.bad = true
		return
	}
	indices, shut := c.open(append([]IndexDecl{*s.For}, decls(others)...))
	defer shut()
	c.fixedRanges(indices, "a definition", "")
	s.For.Index, indices[0].used = indices[0], true
	r.Along, r.Indices, r.Value = indices[0], indices[1:], s.Value
	if c.otherPlaces(l, s, indices[1:]) {
		c.valueOfPart(s)
	}
}

// start checks the part of one position.
func (c *checker) start(l *Let, s *LetStmt) {
	r := l.Recursion
	p := &Start{Along: &Index{object: object{Name: "at", At: s.Name.At}}, Value: s.Value}
	first, others := r.position(s)
	indices, shut := c.open(decls(others))
	defer shut()
	p.Indices = indices
	if first.At == nil {
		c.err(BadParts, first.Decl.At, "a part reads "+l.partForm(), "the %s place of the parts of `%s` is their position", ordinal(r.Place+1), l.Name)
	} else if g := c.positionsAt(first.At); g != nil {
		g.used = true
		if !r.bad {
			c.err(BadSize, first.At.Span(), "what stands at several positions is a sum: `"+c.scatterText(l)+"`", "`%s` is several positions, and a part defines one", g.Name)
			c.note(g.At, "declared here")
		}
		c.expr(s.Value)
		r.bad = true
		return
	} else if n, ok := first.At.(*Name); ok && c.scope[n.Name] == nil && !c.poisoned[n.Name] && !slices.ContainsFunc(r.stmts, func(s *LetStmt) bool { return s.For != nil }) {
		c.err(BadParts, n.Span(), fmt.Sprintf("write %s, or end the line with `for %s in 2..n`", l.form("[%s in n] = …", n.Name), n.Name), "the index `%s` has no range", n.Name)
		r.bad = true
		return
	} else if n := c.unknownIn(first.At); n != "" && !slices.ContainsFunc(r.stmts, func(s *LetStmt) bool { return s.For != nil && s.For.Name != n }) {
		c.err(BadParts, first.At.Span(), fmt.Sprintf("end the line with a range: %s", l.form("[%s] = … for %s in 1..n", Text(first.At), n)), "the index `%s` has no range", n)
		r.bad = true
		return
	} else if e, ok := c.extent(first.At, "a position"); ok {
		p.At = e
		p.Along.Range = Range{e, e}
		switch {
		case e.IsConst() && e.Offset < 1:
			c.err(IndexRange, first.At.Span(), "indices count from 1", "the index %s is below 1", e)
		case slices.ContainsFunc(r.Starts, func(o *Start) bool { return o.At == e }):
			c.err(BadParts, first.At.Span(), "leave one out", "`%s[%s]` is defined twice", l.Name, e)
		}
	} else {
		r.bad = true
	}
	r.Starts = append(r.Starts, p)
	if c.otherPlaces(l, s, indices) {
		c.valueOfPart(s)
	}
}

// unknownIn is the name of nothing declared that an expression is, plus or minus a number; "" of another expression.
func (c *checker) unknownIn(e Expr) string {
	b, ok := e.(*BinaryExpr)
	if !ok {
		return ""
	}
	n, ok := b.X.(*Name)
	if !ok || c.scope[n.Name] != nil || c.poisoned[n.Name] || c.declared[n.Name] != (Span{}) || c.later[n.Name] != (Span{}) {
		return ""
	}
	if times, offset, ok := linear(e, n.Name); !ok || times != 1 || offset == 0 {
		return ""
	}
	return n.Name
}

// positionsAt is the vector of integer data that an expression names, or nil.
func (c *checker) positionsAt(e Expr) *Data {
	if n, ok := e.(*Name); ok {
		if d, ok := c.scope[n.Name].(*Data); ok && d.Type.Base == Int && len(d.Type.Shape) == 1 {
			return d
		}
	}
	return nil
}

// scatterText is a definition whose parts are at positions in data, as a whole: of `let x[seen] = v` and `let x[missing] = w` it is
// `let x[i in n] = sum(k in m) delta(i, seen[k])*v[k] + sum(k in l) delta(i, missing[k])*w[k]`.
func (c *checker) scatterText(l *Let) string {
	size, sums := "n", []string{}
	for _, s := range l.Recursion.stmts {
		at, _ := l.Recursion.position(s)
		g := c.positionsAt(at.At)
		if g == nil {
			continue
		}
		if _, hi, ok := g.Values(); ok {
			size = hi.String()
		}
		value := Text(s.Value)
		if n, ok := s.Value.(*Name); ok && c.rank(n) == 1 {
			value += "[k]"
		} else if !ok {
			value = "(" + value + ")"
			if size, known := c.rowSize(s, nil); known && size != (Extent{}) {
				value += "[k]"
			}
		}
		sums = append(sums, fmt.Sprintf("sum(k in %s) delta(i, %s[k])*%s", g.Type.Shape[0], g.Name, value))
	}
	return fmt.Sprintf("let %s[i in %s] = %s", l.Name, size, strings.Join(sums, " + "))
}

// otherPlaces checks the places of a part beside its position: indices that start at 1, as many as the array has. It reports whether
// its value is to be looked at.
func (c *checker) otherPlaces(l *Let, s *LetStmt, indices []*Index) bool {
	_, others := l.Recursion.position(s)
	for _, p := range others {
		if p.Decl == nil {
			if hint := c.chosenHint(l, s, p.At); hint != "" {
				c.err(BadParts, p.At.Span(), hint, "only one place of a part is a position, the %s of `%s`", ordinal(l.Recursion.Place+1), l.Name)
				return false
			}
			c.err(BadParts, p.At.Span(), "give it an index with a range: "+l.partForm()+"; a row as a whole is "+l.form("[1] = [a, b]"), "only one place of a part is a position, the %s of `%s`", ordinal(l.Recursion.Place+1), l.Name)
			return false
		}
	}
	if len(l.Type.Shape) == 0 || l.Recursion.bad {
		return true
	}
	if slices.ContainsFunc(l.Recursion.stmts, func(s *LetStmt) bool { return len(s.Places)-len(decls(s.Places)) > 1 }) {
		return true // which is reported there
	}
	shape := ToFront(l.Recursion, l.Type.Shape)
	if len(indices) != len(shape)-1 {
		c.err(BadParts, s.Name.At, "", "the parts of `%s` have %s and %s", l.Name, count(len(shape), "place"), count(len(indices)+1, "place"))
		return true
	}
	for n, ix := range indices {
		switch {
		case ix.Range.Hi == unknownExtent:
		case ix.Range.Lo != Fixed(1):
			c.err(IndexRange, ix.At, "define it over `i in n`", "the index of a definition starts at 1")
		case ix.Range.Hi != shape[n+1]:
			c.err(ShapeMismatch, ix.At, "", "the index `%s` runs over %s here, and over %s in the part with `for`", ix.Name, ix.Range, Range{Fixed(1), shape[n+1]})
		}
	}
	return true
}

func (c *checker) placeSpan(p Place) Span {
	if p.Decl != nil {
		return p.Decl.At
	}
	return p.At.Span()
}

func (c *checker) valueOfPart(s *LetStmt) {
	c.expr(s.Value)
	if s.Value.Type().Base == MetricBase {
		c.err(MetricMix, s.Value.Span(), "write it in the `metric` statement", "a metric has no name of its own")
		return
	}
	if t := s.Value.Type(); len(t.Shape) == 1 && t.Base != MetricBase && len(s.Places) == 1 {
		place := ""
		if s.Places[0].At != nil {
			place = Text(s.Places[0].At)
		}
		index := "j"
		for _, name := range []string{"i", "j", "k", "l", "m"} {
			if index = name; c.index(name) == nil && c.scope[name] == nil && (s.For == nil || s.For.Name != name) {
				break
			}
		}
		c.err(NotScalar, s.Value.Span(), fmt.Sprintf("a vector has an index of its own: `let %s[%s, %s in %s] = …`", s.Name.Name, place, index, t.Shape[0]), "the value of `%s[…]` is a scalar, this is %s", s.Name.Name, t)
		bad(s.Value)
	}
	c.wantScalar(s.Value, fmt.Sprintf("the value of `%s[…]`", s.Name.Name))
	if l := c.partOf(s.Name.Name); s.Value.Type().Base == Real && l.Type.Base == Int {
		l.Type.Base = Real
	}
}

// close declares a definition whose last part has been checked.
func (c *checker) close(l *Let) {
	r := l.Recursion
	c.reached(l)
	if _, declared := c.scope[l.Name]; declared {
		r.bad = true // which is told of
	}
	if !r.bad && len(l.Type.Shape) > 0 {
		c.coverage(l)
	}
	if r.bad || len(l.Type.Shape) == 0 {
		l.Type = Type{}
	}
	c.defined(l)
}

// reached takes a definition from those that stand further down.
func (c *checker) reached(l *Let) {
	below := c.later
	if l.quantity != nil {
		below = c.soon
	}
	if below[l.Name] == l.At {
		delete(below, l.Name)
	}
}

// defined declares a definition of the model.
func (c *checker) defined(l *Let) {
	c.declare(l.named())
	if l.quantity != nil {
		c.model.Quantities = append(c.model.Quantities, l.quantity)
		return
	}
	c.model.Lets = append(c.model.Lets, l)
}

// coverage checks that the parts define each position once.
func (c *checker) coverage(l *Let) {
	r := l.Recursion
	last := l.Type.Shape[r.Place]
	lo, hi := last.Plus(1), last // without a part with `for`
	if r.Along != nil {
		lo, hi = r.Along.Range.Lo, r.Along.Range.Hi
	}
	fail := func(at Span, hint, format string, args ...any) {
		c.err(BadParts, at, hint, format, args...)
		r.bad = true
	}
	if !lo.IsConst() {
		fail(r.Along.At, "start the range at a number", "what stands before %s is not known position by position", lo)
		return
	}
	has := func(e Extent) bool {
		return slices.ContainsFunc(r.Starts, func(s *Start) bool { return s.At == e })
	}
	if i := slices.IndexFunc(r.Starts, func(s *Start) bool { return !s.At.IsConst() }); r.Along == nil && i >= 0 {
		fail(r.Starts[i].Along.At, "the others read "+l.form("[t] = … for t in 1..%s", r.Starts[i].At.Plus(-1)), "`%s` has no part with `for`, and its position %s is no number", l.Name, r.Starts[i].At)
		return
	}
	// The first of each side that is missing is no further than one behind those that are there.
	for n := 1; n < lo.Offset; n++ {
		if !has(Fixed(n)) {
			why := fmt.Sprintf("the part with `for` starts at %s", lo)
			if r.Along == nil {
				why = "no part has this position, nor a `for`"
			}
			fail(l.At, fmt.Sprintf("add %s, or one part for all others, %s", l.form("[%d] = …", n), l.form("[t] = … for t in %d..n", n)), "`%s[%d]` is not defined: %s", l.Name, n, why)
			return
		}
	}
	for e := hi.Plus(1); e.Name == last.Name && e.Offset <= last.Offset; e = e.Plus(1) {
		if !has(e) {
			fail(l.At, "add "+l.form("[%s] = …", e), "`%s[%s]` is not defined: the part with `for` ends at %s", l.Name, e, hi)
			return
		}
	}
	if r.Along == nil {
		return
	}
	for _, s := range r.Starts {
		switch e := s.At; {
		case e.IsConst() && e.Offset < lo.Offset:
		case e.Name == hi.Name && e.Offset > hi.Offset:
		case e.Name == hi.Name || e.IsConst():
			fail(s.Along.At, "change the range, or leave it out", "the part with `for` defines `%s[%s]` too", l.Name, e)
			return
		default:
			fail(s.Along.At, "", "cannot show that the position %s lies outside the range %s of the part with `for`", e, r.Along.Range)
			return
		}
	}
	if !hi.IsConst() && lo.Offset > 1 {
		c.need(hi.Name, lo.Offset-1-hi.Offset)
	}
}

// atStart reports whether the part of one position is being checked.
func (c *checker) atStart() bool {
	if c.recursion == nil {
		return false
	}
	r := c.recursion.Recursion
	return len(r.Starts) > 0 && (r.Along == nil || c.index(r.Along.Name) != r.Along)
}

// readsPart notes what the part that is being checked reads of a definition in parts. Inside the part of a position, an element of
// another position becomes one at a distance.
func (c *checker) readsPart(to *Let, subs []Subscript, at Span) {
	if c.recursion == nil || to.Recursion == nil {
		return
	}
	read := partRead{from: c.recursion, to: to, at: at}
	r := c.recursion.Recursion
	if place := to.Recursion.Place; len(subs) > place {
		switch s := &subs[place]; {
		case s.Index != nil && s.Index == r.Along:
			read.known, read.distance = true, s.Offset
		case s.Index != nil && r.Along != nil && s.Index.side(r.Along, s.Offset) != 0:
			read.known, read.distance = true, s.Index.side(r.Along, s.Offset)
		case s.Index == nil && s.Gather == nil && !s.All && c.atStart():
			own := r.Starts[len(r.Starts)-1]
			if s.At.Name == own.At.Name {
				read.known, read.distance = true, s.At.Offset-own.At.Offset
				*s = Subscript{Index: own.Along, Offset: read.distance}
			}
		}
		if g := subs[place].Gather; g != nil {
			read.lag = c.lagOf(g.Value)
		}
	}
	c.reads = append(c.reads, read)
}

// hint is what may be read instead, where the position is not known.
func (r *partRead) hint() string {
	if r.lag != "" {
		return fmt.Sprintf("a distance is a number: declare `const %s = 2`, or what it is in your data, or run with `--const %[1]s=2`", r.lag)
	}
	ix := "s"
	if r.to.Name == ix {
		ix = "r"
	}
	return fmt.Sprintf("read elements at a distance from the position that is defined, as in `%s[t-1]`, or those on one side of it, as in `sum(%s in 1..t-1) %[1]s[%[2]s]`", r.to.Name, ix)
}

// lagOf is the datum that is taken from an index, or that is the end of what is, in t - m and in t - k with k in 1..m.
func (c *checker) lagOf(e Expr) string {
	b, ok := e.(*BinaryExpr)
	if !ok || b.Op != "-" {
		return ""
	}
	n, ok := b.Y.(*Name)
	if !ok {
		return ""
	}
	switch o := n.Obj.(type) {
	case *Data:
		if o.Type.IsScalar() {
			return o.Name
		}
	case *Index:
		if d, ok := c.sizes[o.Range.Hi.Name].(*Data); ok {
			return d.Name
		}
	}
	return ""
}

// side is -1 if all that an index of a sum runs over, and an offset more, lies before the position along, 1 if it lies behind, and 0 if neither is
// known.
func (i *Index) side(along *Index, offset int) int {
	for by, j := offset, i; j.Upto != nil && j.Upto.Index != nil; j = j.Upto.Index {
		if by += j.Upto.Offset; j.Upto.Index == along && by < 0 {
			return -1
		}
	}
	for by, j := offset, i; j.From != nil && j.From.Index != nil; j = j.From.Index {
		if by += j.From.Offset; j.From.Index == along && by > 0 {
			return 1
		}
	}
	return 0
}

// circles finds the definitions that depend on each other, checks what they read of each other, and brings all definitions, and all
// quantities, into an order in which each uses earlier ones.
func (c *checker) circles() {
	c.model.Lets = c.inOrder(c.model.Lets)
	var lets []*Let
	for _, q := range c.model.Quantities {
		lets = append(lets, &q.Let)
	}
	for n, l := range c.inOrder(lets) {
		c.model.Quantities[n] = l.quantity
	}
}

// inOrder is circles of some definitions, which others do not depend on.
func (c *checker) inOrder(lets []*Let) []*Let {
	if !slices.ContainsFunc(lets, func(l *Let) bool { return l.Recursion != nil }) {
		return lets
	}
	place := map[*Let]int{}
	for n, l := range lets {
		if l.Type.Base == Invalid {
			return lets // an error was reported
		}
		place[l] = n
	}
	// Tarjan's components come in the order in which they can be computed.
	number, low := map[*Let]int{}, map[*Let]int{}
	var stack []*Let
	on := map[*Let]bool{}
	var order []*Let
	var groups [][]*Let
	var visit func(l *Let)
	visit = func(l *Let) {
		number[l] = len(number) + 1
		low[l] = number[l]
		stack = append(stack, l)
		on[l] = true
		for _, o := range letsOf(l.Values()...) {
			if _, own := place[o]; !own {
				continue
			}
			if number[o] == 0 {
				visit(o)
				low[l] = min(low[l], low[o])
			} else if on[o] {
				low[l] = min(low[l], number[o])
			}
		}
		if low[l] != number[l] {
			return
		}
		var group []*Let
		for {
			o := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			on[o] = false
			group = append(group, o)
			if o == l {
				break
			}
		}
		groups = append(groups, group)
	}
	for _, l := range lets {
		if number[l] == 0 {
			visit(l)
		}
	}
	for _, g := range groups {
		slices.SortFunc(g, func(a, b *Let) int { return place[a] - place[b] })
		if len(g) > 1 || slices.Contains(letsOf(g[0].Values()...), g[0]) {
			g = c.circle(g)
		}
		order = append(order, g...)
	}
	for _, l := range order {
		if l.Recursion != nil && c.wholePositions(l) {
			break
		}
	}
	return order
}

// wholePositions reports a position in a definition in parts that is read of one whose elements turned out to be real.
func (c *checker) wholePositions(l *Let) (found bool) {
	var visit func(e Expr)
	visit = func(e Expr) {
		positionsOf(e, func(at Expr) {
			if o := c.realPart(at); o != nil && !found {
				found = true
				c.err(BadGather, at.Span(), "its values are real, as those of a division are; `floor(…)` of them is a whole number", "only integer data select elements, and `%s` is a definition", o.Name)
				c.note(o.At, "declared here")
			}
			visit(at)
		})
		children(e, visit)
	}
	for _, v := range l.Values() {
		visit(v)
	}
	return found
}

// realPart is a definition in parts with real elements that an expression of whole numbers takes its value from, or nil.
func (c *checker) realPart(e Expr) (found *Let) {
	look := func(list ...Expr) {
		for _, x := range list {
			if found == nil {
				found = c.realPart(x)
			}
		}
	}
	switch e := e.(type) {
	case *Name:
		if l := definitionOf(e.Obj); l != nil && l.Recursion != nil && l.Type.Base == Real {
			return l
		}
	case *IndexExpr:
		look(e.Base)
	case *IfExpr:
		look(e.Then, e.Else)
	case *CallExpr:
		if !kinks[e.Func].whole {
			children(e, func(x Expr) { look(x) })
		}
	case *BinaryExpr:
		if compares[e.Op] {
			return nil
		}
		look(e.X, e.Y)
	default:
		children(e, func(x Expr) { look(x) })
	}
	return found
}

// compares are the operators whose value is 0 or 1.
var compares = map[string]bool{"<": true, "<=": true, ">": true, ">=": true, "==": true, "!=": true, "and": true, "or": true}

// letsOf are the definitions that expressions name, in order.
func letsOf(list ...Expr) []*Let {
	var out []*Let
	var visit func(e Expr)
	visit = func(e Expr) {
		if n, ok := e.(*Name); ok {
			if l := definitionOf(n.Obj); l != nil && l.Local && l.Recursion == nil {
				visit(l.Value)
			} else if l != nil && !slices.Contains(out, l) {
				out = append(out, l)
			}
			return
		}
		children(e, visit)
		positionsOf(e, visit)
	}
	for _, e := range list {
		visit(e)
	}
	return out
}

// positionsOf calls f for each position that e itself takes from definitions: as a subscript, in a delta, as the end of a sum.
func positionsOf(e Expr, f func(Expr)) {
	var of func(list ...Subscript)
	of = func(list ...Subscript) {
		for _, s := range list {
			if s.Gather != nil && s.Gather.Value != nil {
				f(s.Gather.Value)
			} else if s.Gather != nil {
				of(s.Gather.Subs...)
			}
		}
	}
	switch e := e.(type) {
	case *IndexExpr:
		of(e.Subscripts...)
	case *CallExpr:
		of(e.Subscripts...)
	case *SumExpr:
		for _, d := range e.Indices {
			if d.Index == nil {
				continue
			}
			for _, end := range []*Subscript{d.Index.From, d.Index.Upto} {
				if end != nil {
					of(*end)
				}
			}
		}
	}
}

// circle checks one, and returns its members in the order in which they are computed at a position.
func (c *checker) circle(g []*Let) []*Let {
	circle := &Circle{}
	for _, l := range g {
		if l.Recursion == nil {
			other := g[0]
			if other == l {
				other = g[1]
			}
			c.err(BadRecursion, l.At, "define it position by position too: "+l.form("[t] = … for t in …"), "`%s` depends on `%s`, and that on `%s`", l.Name, other.Name, l.Name)
			return g
		}
		l.Recursion.Circle = circle
		if own, first := l.Type.Shape[l.Recursion.Place], g[0].Type.Shape[g[0].Recursion.Place]; own != first {
			c.err(BadRecursion, l.At, fmt.Sprintf("define as many positions of both, also those of `%s` and `%s` that nothing reads", g[0].Name, l.Name),
				"`%s` and `%s` depend on each other, and have %s and %s positions", g[0].Name, l.Name, first, own)
			return g
		}
	}
	before := map[*Let][]*Let{} // at one position
	towards := 0
	for _, r := range c.reads {
		if !slices.Contains(g, r.from) || !slices.Contains(g, r.to) {
			continue
		}
		switch {
		case !r.known:
			c.err(BadRecursion, r.at, r.hint(),
				"`%s` depends on what is defined here, and is not read position by position", r.to.Name)
			return g
		case r.distance == 0 && r.from == r.to:
			c.err(BadRecursion, r.at, "", "an element of `%s` is read where it is defined", r.to.Name)
			return g
		case r.distance == 0:
			before[r.from] = append(before[r.from], r.to)
		case towards != 0 && (towards < 0) != (r.distance < 0):
			c.err(BadRecursion, r.at, "", "some parts read what comes before, and others what comes behind: there is no order in which to compute them")
			return g
		default:
			towards = r.distance
		}
	}
	circle.Down = towards > 0
	if slices.ContainsFunc(g, func(l *Let) bool { return l.Type.Base == Real }) {
		for _, l := range g { // what is read of the others may be real
			l.Type.Base = Real
		}
	}
	for _, l := range g {
		for _, v := range l.Values() {
			if e := c.wholeInside(v, g); e != nil {
				c.err(BadRecursion, e.Span(), "define a matrix outside, or write the formula of its elements", "`%s` of what is defined here: a recursion is made of elements", e.Func)
				return g
			}
		}
	}
	state := map[*Let]int{}
	var visit func(l *Let) bool
	visit = func(l *Let) bool {
		if state[l] > 0 {
			return state[l] == 2
		}
		state[l] = 1
		for _, o := range before[l] {
			if !visit(o) {
				return false
			}
		}
		state[l] = 2
		circle.Members = append(circle.Members, l)
		return true
	}
	for _, l := range g {
		if !visit(l) {
			c.err(BadRecursion, l.At, "", "the elements of `%s` at a position depend on each other in a circle", l.Name)
			return g
		}
	}
	return circle.Members
}

// wholeInside is a function of whole matrices in an expression, of an argument that depends on a circle, or nil.
func (c *checker) wholeInside(e Expr, circle []*Let) (found *CallExpr) {
	reads := func(e Expr) bool {
		return slices.ContainsFunc(letsOf(e), func(l *Let) bool { return slices.Contains(circle, l) })
	}
	var visit func(e Expr)
	visit = func(e Expr) {
		if call, ok := e.(*CallExpr); ok && found == nil {
			whole := call.Fn != nil && wholeFunctions[call.Func] || call.Density != nil && call.Density.Dist.Support.Vector()
			if whole && slices.ContainsFunc(call.Args, func(a Arg) bool { return reads(a.Expr) }) {
				found = call
				return
			}
		}
		children(e, visit)
	}
	visit(e)
	return found
}

// wholeFunctions are those whose value is computed of whole matrices.
var wholeFunctions = map[string]bool{"inverse": true, "log_det": true, "cholesky": true, "solve_spd": true, "solve_lower": true, "kronecker_solve": true, "kronecker_log_det": true,
	"inverse_general": true, "log_abs_det": true, "solve_general": true}

// rangeText is the text of the range of an index.
func rangeText(d *IndexDecl) string {
	if d.Lo == nil {
		return Text(d.Hi)
	}
	return Text(d.Lo) + ".." + Text(d.Hi)
}
