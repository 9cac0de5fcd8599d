package dsl

import (
	"fmt"
	"strings"
)

// Ends of ranges that a model computes of its data, as in sum(g in G, i in start[g]..start[g] + n[g] - 1) y[i]. How far such a range may go is what its index selects from, the
// elements of y, or the largest number that the formula of the end may give. The numbers are held against that when the data arrive.

// readsElement reports whether an expression, which is not checked, is arithmetic that reads an element of something.
func (c *checker) readsElement(e Expr) (found bool) {
	switch e := e.(type) {
	case *BinaryExpr:
		if compares[e.Op] {
			return false
		}
	case *CallExpr:
	default:
		return false
	}
	Walk(e, func(n Node) bool {
		_, is := n.(*IndexExpr)
		found = found || is
		return !found
	})
	return found
}

// arrayNamed is the name of what an expression, which is not checked, is an element of.
func (c *checker) arrayNamed(e Expr) Object {
	if ix, ok := e.(*IndexExpr); ok {
		e = Through(ix.Base)
	}
	n, ok := e.(*Name)
	switch {
	case !ok:
		return nil
	case n.Obj != nil:
		return n.Obj
	case c.index(n.Name) != nil:
		return nil
	}
	if o := c.scope[n.Name]; o != nil {
		return o
	}
	if l := c.partOf(n.Name); l != nil {
		return l
	}
	return nil
}

// shapeNamed is the shape of what an expression, which is not checked, names or is an element of; nil where that has none.
func (c *checker) shapeNamed(e Expr) []Extent {
	switch o := c.arrayNamed(e).(type) {
	case *Data:
		return o.Type.Shape
	case *Param:
		return o.Type.Shape
	case *Let:
		return o.Type.Shape
	}
	return nil
}

// computedWhole reports whether an expression, which is not checked, is a whole number that is no size: a definition of one, a call that rounds, or
// arithmetic of an index, as t - G with a datum.
func (c *checker) computedWhole(e Expr) bool {
	switch e := e.(type) {
	case *Name:
		l, ok := c.scope[e.Name].(*Let)
		return ok && c.index(e.Name) == nil && !l.Local && l.Type.Base == Int && l.Type.IsScalar()
	case *BinaryExpr:
		return c.arithmeticOfIndex(e)
	case *IfExpr:
		return c.before
	case *CallExpr:
		return (roundingCalls[e.Func] || pairCalls[e.Func] != "" && len(e.Args) == 2) && c.funcs[e.Func] == nil
	}
	return false
}

// arithmeticOfIndex reports whether an expression, which is not checked, is made of an index, other indices, numbers and data of one whole number.
func (c *checker) arithmeticOfIndex(e Expr) bool {
	index, plain := false, true
	Walk(e, func(n Node) bool {
		switch n := n.(type) {
		case *BinaryExpr:
			plain = plain && (n.Op == "+" || n.Op == "-" || n.Op == "*")
		case *Name:
			d, datum := c.scope[n.Name].(*Data)
			index = index || c.index(n.Name) != nil
			plain = plain && (c.index(n.Name) != nil || datum && d.Type.Base == Int && d.Type.IsScalar())
		case *Number, nil:
		default:
			plain = false
		}
		return plain
	})
	return index && plain
}

// roundingCalls are functions that make whole numbers.
var roundingCalls = map[string]bool{"floor": true, "ceil": true, "round": true, "trunc": true, "mod": true, "fmin": true, "fmax": true}

// integerDatum is the integer data that an expression, which is not checked, is an element of; nil if there are none.
func (c *checker) integerDatum(e Expr) *Data {
	if d, ok := c.arrayNamed(e).(*Data); ok && d.Type.Base == Int {
		return d
	}
	return nil
}

// endOfNumbers resolves an end of a range that is an element of integer data without an upper end, plus a number: none below 0 serves.
func (c *checker) endOfNumbers(e Expr, d *Data, shift int, upper bool) (Extent, *Subscript) {
	s := &d.Support
	least, ok := wholeEnd(s.Lo, s.LoNum, s.LoOpen, 1)
	if ok && least.IsConst() && least.Offset >= 0 {
		x, end := c.computedEnd(e, upper)
		if !upper && x != unknownExtent {
			x = least.Plus(shift)
		}
		return x, end
	}
	c.expr(e)
	if key := "[..]" + d.Name; !c.poisoned[key] {
		c.poisoned[key] = true
		_, sizes, _ := strings.Cut(d.Type.String(), "[")
		declared := func(least int) string { return fmt.Sprintf("`data %s int[%s >= %d`", d.Name, sizes, least) }
		hint := "declare " + declared(0)
		if !upper && shift < 1 {
			hint = fmt.Sprintf("declare %s; or, if they may be %d, %s, and write `%s in %s..`, and `%[4]s-1` in the place of `%[4]s`", declared(1-shift), -shift, declared(-shift), c.ranging, c.raised(e, 1))
		}
		c.err(GatherRange, e.Span(), hint, "the elements of `%s` are ends of ranges, and may be negative as they are declared", d.Name)
		c.note(d.At, "declared here")
	}
	return unknownExtent, &Subscript{}
}

// wholeArray reports whether an expression, which is not checked, is an array as a whole.
func (c *checker) wholeArray(e Expr) bool {
	_, element := e.(*IndexExpr)
	return !element && c.isArray(e)
}

// computedEnd resolves an end of a range that is computed of data: the furthest that it may be, and the number.
func (c *checker) computedEnd(e Expr, upper bool) (Extent, *Subscript) {
	errors := len(c.ds.List)
	ahead, ranging, before := c.ahead, c.ranging, c.before
	c.ahead = nil
	c.expr(e)
	c.ahead, c.ranging = ahead, ranging
	if c.errors(errors) > 0 {
		return unknownExtent, &Subscript{}
	}
	if !e.Type().IsScalar() || e.Type().Base != Int {
		c.err(BadIndex, e.Span(), "", "an end of a range is a whole number, this is %s", e.Type())
		return unknownExtent, &Subscript{}
	}
	if p := c.dependsOnParam(e); p != nil || c.generated(e) {
		c.err(NotData, e.Span(), "", "the ends of ranges depend on data alone")
		return unknownExtent, &Subscript{}
	}
	size, ok := c.selectedBy(ranging)
	if !ok {
		size, ok = c.reach(e)
	}
	if !ok {
		c.err(NotYet, e.Span(), "read it from the data, as integer data that are declared in a range; or go through all and choose, as in `sum(t in T) (if t >= first[i] and t <= last[i] then … else 0)`",
			"a computed end of a range whose index `%s` selects no elements by itself, as `y[%[1]s]`, and of which no largest number is known, is not in this version of the language", ranging)
		return unknownExtent, &Subscript{}
	}
	// An empty range may start one behind the last element, and end at 0.
	if upper {
		return size, &Subscript{Gather: &Gather{Value: shifted(e, e, 1), Size: size.Plus(1), Of: " + 1, one behind a range"}, Offset: -1}
	}
	of := ", the start of a range"
	if before {
		of = ", 0 where it does not lie before the one that reads it"
	}
	return Fixed(1), &Subscript{Gather: &Gather{Value: e, Size: size.Plus(1), Of: of}}
}

// selectedBy is the size of the first array of which an index that is being opened selects elements, in what stands in its range.
func (c *checker) selectedBy(index string) (size Extent, ok bool) {
	for _, e := range c.ahead {
		Walk(e, func(n Node) bool {
			at, is := n.(*IndexExpr)
			if !is || ok {
				return !ok
			}
			shape := c.shapeNamed(at.Base)
			for d, a := range at.Args {
				if name, is := a.(*Name); is && name.Name == index && d < len(shape) && !ok {
					size, ok = shape[d], true
				}
			}
			return !ok
		})
	}
	return size, ok
}

// exprsOf are the values of arguments.
func exprsOf(args []Arg) []Expr {
	var out []Expr
	for _, a := range args {
		out = append(out, a.Expr)
	}
	return out
}
