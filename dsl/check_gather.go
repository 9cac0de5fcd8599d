package dsl

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A gather selects an element by integer data: a[g[i]]. Its positions are known
// when data arrive; that they lie inside what they select from is proved from
// the range in which the data are declared, which is checked then.

// unshifted splits e ± n into e and the shift; n is a number known at compile
// time.
func (c *checker) unshifted(e Expr) (core Expr, shift float64) {
	if n, ok := e.(*Name); ok {
		if l := c.local(n); l != nil {
			return c.unshifted(l.Value)
		}
	}
	b, ok := e.(*BinaryExpr)
	if !ok || b.Op != "+" && b.Op != "-" {
		return e, 0
	}
	if v, ok := c.constant(b.Y); ok {
		if b.Op == "-" {
			v = -v
		}
		core, shift = c.unshifted(b.X)
		return core, shift + v
	}
	if v, ok := c.constant(b.X); ok && b.Op == "+" {
		core, shift = c.unshifted(b.Y)
		return core, shift + v
	}
	return e, 0
}

// isArray reports whether a subscript is an element of something, or an array as
// a whole: what only a gather may be.
func (c *checker) isArray(e Expr) bool {
	switch e := e.(type) {
	case *IndexExpr:
		return true
	case *Name:
		if l := c.local(e); l != nil {
			return c.isArray(l.Value)
		}
		o := e.Obj
		if o == nil && c.index(e.Name) == nil {
			o = c.scope[e.Name]
		}
		switch o := o.(type) {
		case *Data:
			return len(o.Type.Shape) > 0
		case *Param:
			return len(o.Type.Shape) > 0
		case *Let:
			return len(o.Type.Shape) > 0
		}
	}
	return false
}

// gather resolves a subscript that is core + shift, an element of integer data or
// all of them, and proves that it stays inside 1..size.
func (c *checker) gather(a, core Expr, shift float64, size Extent, what string) (Subscript, bool) {
	if core.Type().Base == Invalid { // and not what an argument of a function is, which was checked
		c.expr(core)
	}
	if core.Type().Base == Invalid {
		return Subscript{}, false
	}
	if shift != math.Trunc(shift) || math.Abs(shift) > 1e6 {
		c.err(BadIndex, a.Span(), "", "an index is shifted by a whole number known at compile time, not by %v", shift)
		return Subscript{}, false
	}
	base, subs := core, []Subscript(nil)
	for {
		ix, ok := base.(*IndexExpr)
		if !ok {
			break
		}
		subs, base = within(ix.Subscripts, subs), Through(ix.Base)
	}
	name, _ := base.(*Name)
	var d *Data
	if name != nil {
		d, _ = name.Obj.(*Data)
	}
	if d == nil && core.Type().Base == Int && size != unknownExtent && c.dependsOnParam(core) == nil && !c.generated(core) {
		if shift == 0 && c.masks(a) {
			return Subscript{}, false
		}
		return Subscript{Gather: &Gather{Value: shifted(a, core, shift), Size: size}}, true
	}
	if d == nil && core.Type().Base == Int && size == unknownExtent && c.dependsOnParam(core) == nil && !c.generated(core) {
		c.err(NotYet, a.Span(), "read it from the data, as integer data that are declared in a range; or go through all and choose, as in `sum(t in T) (if t >= first[i] and t <= last[i] then … else 0)`", "a computed position, here, is not in this version of the language: it selects elements only")
		return Subscript{}, false
	}
	if d == nil || d.Type.Base != Int {
		c.notIntegerData(a, name, size, shift)
		return Subscript{}, false
	}
	if c.choosing > 0 && size != unknownExtent && !d.Support.spoiled && c.gatherFault(d, int(shift), size, what) != "" {
		// A condition may exclude what selects nothing: it is looked at where it is read, when the data arrive.
		return Subscript{Gather: &Gather{Value: shifted(a, core, shift), Size: size}}, true
	}
	g := &Gather{Data: d}
	if subs != nil {
		g.Subs = subs
	} else {
		for range d.Type.Shape {
			g.Subs = append(g.Subs, Subscript{All: true})
		}
	}
	ok := c.gatherInside(a, d, int(shift), size, what)
	if lo, _, ranged := d.Values(); ok && ranged && lo.IsConst() && lo.Offset < 1 && size != unknownExtent {
		// No array starts below 1: what follows counts from there.
		return Subscript{Gather: &Gather{Value: shifted(a, core, shift), Size: size}}, true
	}
	return Subscript{Gather: g, Offset: int(shift)}, ok
}

// shifted is a subscript that is a whole number plus another.
func shifted(subscript, e Expr, by float64) Expr {
	if by == 0 {
		return e
	}
	whole, op := Type{Base: Int}, "+"
	if by < 0 {
		op, by = "-", -by
	}
	at := node{span: e.Span(), typ: whole}
	return &BinaryExpr{node: node{span: subscript.Span(), typ: Type{Base: Int, Shape: e.Type().Shape}, tokens: subscript.Source()}, Op: op, X: e, Y: &Number{node: at, Value: by}}
}

// generated reports whether an expression is made of generated quantities.
func (c *checker) generated(e Expr) bool {
	if n, ok := e.(*Name); ok {
		_, is := n.Obj.(*Quantity)
		return is
	}
	found := false
	children(e, func(x Expr) { found = found || c.generated(x) })
	return found || isRandom(e)
}

// computed resolves a subscript that is a whole number made of data and indices in another way than by adding a number.
func (c *checker) computed(a Expr, size Extent) (s Subscript, ok, is bool) {
	switch a.(type) {
	case *BinaryExpr, *CallExpr, *IfExpr, *SumExpr, *UnaryExpr, *Name:
	default:
		return s, false, false
	}
	if size == unknownExtent {
		return s, false, false
	}
	if a.Type().Base == Invalid {
		n := len(c.ds.List)
		if c.expr(a); c.errors(n) > 0 {
			return s, false, true
		}
		// Of a function that jumps a parameter makes no position, which is more than the warning.
		if p := c.dependsOnParam(a); p != nil {
			c.ds.List = c.ds.List[:n]
			if c.function != nil && c.function.argument(p.Name) != nil {
				c.err(BadIndex, a.Span(), fmt.Sprintf("declare it `data %s %s`: it then depends on no parameter", p.Name, p.Type), "a position is known before sampling, and this depends on the argument `%s`, which may be a parameter", p.Name)
				return s, false, true
			}
			c.err(BadIndex, a.Span(), discreteHint, "a position is known before sampling, and this depends on the parameter `%s`", p.Name)
			return s, false, true
		}
	}
	t := a.Type()
	if t.Base != Int || c.dependsOnParam(a) != nil || c.generated(a) {
		return s, false, false
	}
	if c.masks(a) {
		return s, false, true
	}
	return Subscript{Gather: &Gather{Value: a, Size: size}}, true, true
}

// masks reports a condition in the place of a position, as languages with masks have it; it reports whether one stands there.
func (c *checker) masks(a Expr) bool {
	mask := conditionOf(a)
	if mask == nil {
		return false
	}
	hint := "of two elements `if … then 1 else 2` chooses one"
	if len(a.Type().Shape) == 1 {
		i, base := "i", "y"
		for _, name := range []string{"i", "j", "k", "l", "m"} {
			if i = name; c.index(name) == nil && c.scope[name] == nil {
				break
			}
		}
		if c.indexing != nil {
			base = Text(c.indexing)
		}
		holds := elementText(a, i)
		if n := a.Type().Shape[0]; n == unknownExtent || c.indexing == nil {
			hint = "a sum over where it holds is `sum(i in n) (g[i] == k)*y[i]`"
		} else {
			hint = fmt.Sprintf("the sum of the elements where it holds is `sum(%s in %s) (%s)*%s[%[1]s]`, their mean `(sum(%[1]s in %[2]s) (%[3]s)*%[4]s[%[1]s])/sum(%[1]s in %[2]s) (%[3]s)`", i, n, holds, base)
		}
	}
	c.err(BadIndex, a.Span(), hint, "a condition is 1 or 0, and selects no elements")
	return true
}

// conditionOf is the condition that an expression is, by its form or by its definition, or nil.
func conditionOf(e Expr) Expr {
	switch e := e.(type) {
	case *BinaryExpr:
		if compares[e.Op] {
			return e
		}
	case *UnaryExpr:
		if e.Op == "not" {
			return e
		}
	case *IndexExpr:
		return conditionOf(e.Base)
	case *Name:
		if l, ok := e.Obj.(*Let); ok && l.Value != nil {
			return conditionOf(l.Value)
		}
	}
	return nil
}

// elementText is the text of an element of an expression of vectors.
func elementText(e Expr, i string) string {
	if len(e.Type().Shape) == 0 {
		return Text(e)
	}
	switch e := e.(type) {
	case *BinaryExpr:
		return elementText(e.X, i) + " " + e.Op + " " + elementText(e.Y, i)
	case *UnaryExpr:
		if e.Op == "not" {
			return "not " + elementText(e.X, i)
		}
	case *Name:
		return e.Name + "[" + i + "]"
	}
	return "(" + Text(e) + ")[" + i + "]"
}

// oneNumber reports whether an expression is a name of one whole number that is no size of what it selects from: a definition, or a datum that is
// declared in a range.
func (c *checker) oneNumber(e Expr, size Extent) bool {
	n, ok := e.(*Name)
	if !ok {
		return false
	}
	o := n.Obj
	if o == nil && c.index(n.Name) == nil {
		o = c.scope[n.Name]
	}
	switch o := o.(type) {
	case *Data:
		_, _, ranged := o.Values()
		return ranged && o.Type.IsScalar() && o.Name != size.Name
	case *Let:
		return o.Type.IsScalar() && o.Type.Base == Int
	}
	return false
}

// within are the subscripts of x[outer][inner]: those of the inner take the places that the outer leave.
func within(outer, inner []Subscript) []Subscript {
	if inner == nil {
		return outer
	}
	var out []Subscript
	for _, s := range outer {
		if s.All && len(inner) > 0 {
			own := inner[0]
			own.Offset += s.Offset
			s, inner = own, inner[1:]
		}
		out = append(out, s)
	}
	return out
}

// notIntegerData reports a subscript that is no integer datum.
func (c *checker) notIntegerData(a Expr, name *Name, size Extent, shift float64) {
	if name == nil {
		c.err(BadGather, a.Span(), "", "only integer data select elements")
		return
	}
	switch o := name.Obj.(type) {
	case *Data:
		hint := ""
		if o.Constraint == nil {
			hint = "declare " + o.rangeDeclaration(size, int(shift))
		}
		c.err(BadGather, a.Span(), hint, "only integer data select elements, and `%s` is %s", name.Name, o.Type)
	case *Param:
		c.err(BadGather, a.Span(), discreteHint, "only integer data select elements, and `%s` is a parameter", name.Name)
	default:
		hint := "write out the data that it takes its values from"
		if l, ok := o.(*Let); ok && l.Type.Base == Real && c.dependsOnParam(name) == nil {
			hint = "its values are real, as those of a division are; `floor(…)` of them is a whole number"
		}
		c.err(BadGather, a.Span(), hint, "only integer data select elements, and `%s` is a definition", name.Name)
	}
	if name.Obj != nil {
		c.note(name.Obj.Declared(), "declared here")
	}
}

// rangeDeclaration is the declaration that makes a datum select elements of
// something of a size.
func (d *Data) rangeDeclaration(size Extent, shift int) string {
	within := fmt.Sprintf("in %d..%s", 1-shift, size.Plus(-shift))
	switch {
	case size == unknownExtent:
		within = fmt.Sprintf("in %d..k", 1-shift) // some size
	case size.Name == d.largest() && size.Offset >= shift:
		within = fmt.Sprintf(">= %d", 1-shift)
	}
	sizes := ""
	if len(d.Type.Shape) > 0 {
		_, sizes, _ = strings.Cut(d.Type.String(), "[")
		sizes = "[" + sizes
	}
	return fmt.Sprintf("`data %s int%s %s`", d.Name, sizes, within)
}

// gatherInside reports a datum that is not declared in a range inside 1..size,
// less the shift. Where the size is not known, any range will do.
func (c *checker) gatherInside(a Expr, d *Data, shift int, size Extent, what string) bool {
	if d.Support.spoiled {
		return false
	}
	fault := c.gatherFault(d, shift, size, what)
	// One message for a datum, not one for each use.
	if key := "[..]" + d.Name; fault != "" && !c.poisoned[key] {
		c.poisoned[key] = true
		hint := "declare " + d.rangeDeclaration(size, shift)
		if size.isFormula() && size.Name != d.largest() { // which the end of a range is not
			name, first := c.sizeName(size.Name), ""
			if name == "" {
				name, first = "N", fmt.Sprintf("name the size, `let N = %s`, and ", unbracketed(size.Name))
			}
			hint = first + "declare " + d.rangeDeclaration(Extent{Name: name, Offset: size.Offset}, shift)
		}
		if lo, hi, ranged := d.Values(); ranged && shift == 0 && lo == Fixed(0) && hi == size {
			hint = fmt.Sprintf("where 0 says that there is none, `if %s > 0 then … else …` chooses; or %s", Text(a), hint)
		} else if ranged && shift == 0 && size != unknownExtent && slices.Equal(d.Type.Shape, []Extent{size}) {
			hint = fmt.Sprintf("%s has as many elements as `%s`: leave `[%s]` out; or, if they are positions in it, %s", what, d.Name, Text(a), hint)
		}
		c.err(GatherRange, a.Span(), hint, "%s", fault)
		c.note(d.At, "declared here")
	}
	return fault == ""
}

// unbracketed is a formula without the brackets around all of it.
func unbracketed(formula string) string {
	if strings.HasPrefix(formula, "(") && strings.HasSuffix(formula, ")") {
		return formula[1 : len(formula)-1]
	}
	return formula
}

// gatherFault says why a datum, as it is declared, may select no element; "" if it does select one.
func (c *checker) gatherFault(d *Data, shift int, size Extent, what string) string {
	lo, hi, ok := d.Values()
	if !ok {
		return fmt.Sprintf("the elements of `%s` select elements, and are not declared in a range", d.Name)
	}
	if size == unknownExtent {
		return ""
	}
	lo, hi = lo.Plus(shift), hi.Plus(shift)
	plain := "the elements of `" + d.Name + "`"
	if shift != 0 {
		plain = fmt.Sprintf("the elements of `%s`, shifted by %d,", d.Name, shift)
	}
	switch {
	case lo.IsConst() && lo.Offset < 1:
		return fmt.Sprintf("%s may be as low as %d, but %s starts at 1", plain, lo.Offset, what)
	case !lo.IsConst() && !c.isSize(lo.Name):
		return fmt.Sprintf("%s start at %s, which is not known to be 1 or more", plain, lo)
	case hi.Name == size.Name && hi.Offset > size.Offset:
		return fmt.Sprintf("%s may be as high as %s, but %s has size %s here", plain, hi, what, size)
	case hi.Name != size.Name && !(hi.IsConst() && c.isSize(size.Name)) && !c.atMost(hi, size):
		return fmt.Sprintf("%s may be as high as %s, and %s has size %s here", plain, hi, what, size)
	}
	if !lo.IsConst() {
		c.need(lo.Name, 1-lo.Offset)
	}
	if hi.IsConst() && hi.Name != size.Name {
		c.need(size.Name, hi.Offset-size.Offset)
	}
	return ""
}

// isSize reports whether a name is that of an int datum which is a size.
func (c *checker) isSize(name string) bool {
	d, ok := c.sizes[name].(*Data)
	return ok && d.IsSize
}

// shape returns the dimensions that a subscript leaves: none where it is a single
// position. Size is that of the dimension which it subscripts.
func (s Subscript) shape(size Extent) []Extent {
	if s.All && s.At != (Extent{}) {
		return []Extent{s.At.Plus(-s.Offset)}
	}
	if s.All {
		return []Extent{size}
	}
	if s.Gather == nil {
		return nil
	}
	if s.Gather.Data == nil {
		return s.Gather.Value.Type().Shape
	}
	var out []Extent
	for n, x := range s.Gather.Subs {
		size := unknownExtent
		if n < len(s.Gather.Data.Type.Shape) { // of too many an error was reported
			size = s.Gather.Data.Type.Shape[n]
		}
		out = append(out, x.shape(size)...)
	}
	return out
}

// wholeBound resolves an end of a range of whole numbers.
func (c *checker) wholeBound(e Expr) (Expr, *float64) {
	x, v := c.boundEnd(e)
	switch {
	case v != nil && *v != math.Trunc(*v):
		c.err(NotInteger, e.Span(), "", "an end of a range is a whole number, not %v", *v)
		return nil, nil
	case v == nil && x != nil && x.Type().Base != Int:
		c.err(NotInteger, e.Span(), "use numbers, consts and int data, with + - *", "an end of a range is a whole number")
		return nil, nil
	}
	return x, v
}

// Values returns the range in which the declaration of integer data keeps its
// elements; false if it leaves an end open, or says it in another form than a
// size plus or minus a number.
func (d *Data) Values() (lo, hi Extent, ok bool) {
	s := &d.Support
	if len(s.Set) > 0 {
		least, most := s.Set[0], s.Set[0]
		for _, v := range s.Set {
			least, most = min(least, v), max(most, v)
		}
		return Fixed(int(least)), Fixed(int(most)), true
	}
	lo, ok1 := wholeEnd(s.Lo, s.LoNum, s.LoOpen, 1)
	hi, ok2 := wholeEnd(s.Hi, s.HiNum, s.HiOpen, -1)
	return lo, hi, ok1 && ok2
}

// wholeEnd is the first whole number inside a bound; inward is the direction to
// the inside.
func wholeEnd(e Expr, v *float64, open bool, inward int) (Extent, bool) {
	if v != nil {
		x := math.Ceil(*v)
		if inward < 0 {
			x = math.Floor(*v)
		}
		if math.Abs(x) > 1e9 {
			return Extent{}, false
		}
		if open && x == *v {
			x += float64(inward)
		}
		return Fixed(int(x)), true
	}
	end, ok := extentForm(e)
	if ok && open {
		end = end.Plus(inward)
	}
	return end, ok
}

// extentForm reads a size plus or minus a number off an expression that was
// checked.
func extentForm(e Expr) (Extent, bool) {
	switch e := e.(type) {
	case *Number:
		return Fixed(int(e.Value)), e.Value == math.Trunc(e.Value) && math.Abs(e.Value) <= 1e9
	case *Name:
		switch o := e.Obj.(type) {
		case *Data:
			return Extent{Name: o.Name}, o.Type.Base == Int && o.Type.IsScalar()
		case *Const:
			return Fixed(int(o.Value)), o.Value == math.Trunc(o.Value) && math.Abs(o.Value) <= 1e9
		case *Size:
			return o.Extent, true
		case *Let:
			if o.Local && len(o.Indices) == 0 {
				return extentForm(o.Value)
			}
		}
	case *BinaryExpr:
		x, ok1 := extentForm(e.X)
		y, ok2 := extentForm(e.Y)
		if !ok1 || !ok2 {
			return Extent{}, false
		}
		switch {
		case e.Op == "+" && y.IsConst():
			return x.Plus(y.Offset), true
		case e.Op == "+" && x.IsConst():
			return y.Plus(x.Offset), true
		case e.Op == "-" && y.IsConst():
			return x.Plus(-y.Offset), true
		}
	}
	return Extent{}, false
}
