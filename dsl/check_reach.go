package dsl

import "math"

// How far a range goes whose end is computed of data and whose index selects no elements: `log_sum_exp(N in most[i]..K) …`, `sum(t in 1..most[i]) t`. Its end is at most
// the largest number that its formula may give, which is a size. The numbers are held against that when the data arrive.

// reach is a size that a checked expression of whole numbers, none negative, is at most; false where nothing is known of it.
func (c *checker) reach(e Expr) (Extent, bool) {
	if v, ok := c.constant(e); ok {
		return Fixed(int(v)), v == math.Trunc(v) && math.Abs(v) < 1e6
	}
	switch e := Through(e).(type) {
	case *Name:
		return c.reachOfName(e)
	case *IndexExpr:
		return c.reach(e.Base)
	case *IfExpr:
		return c.further(c.reachOfBoth(e.Then, e.Else))
	case *UnaryExpr:
		return Fixed(1), e.Op == "not"
	case *SumExpr:
		if e.Terms != nil {
			return Extent{}, false
		}
		most, ok := c.reach(e.Body)
		if e.Func == "sum" { // of numbers up to 1 at most as many as there are
			n := len(e.Indices)
			return e.Indices[0].Index.Range.Hi, ok && most == Fixed(1) && n == 1
		}
		return most, ok && e.Func != "log_sum_exp"
	case *CallExpr:
		return c.reachOfCall(e)
	case *BinaryExpr:
		return c.reachOfBinary(e)
	}
	return Extent{}, false
}

// reachOfName is that of a name: of data the end of their range, or their largest number.
func (c *checker) reachOfName(e *Name) (Extent, bool) {
	switch o := e.Obj.(type) {
	case *Index:
		return o.Range.Hi, o.Range.Hi != unknownExtent
	case *Size:
		return o.Extent, true
	case *Let:
		if o.Value == nil || o.Recursion != nil {
			return Extent{}, false
		}
		return c.reach(o.Value)
	case *Data:
		if o.Type.Base != Int {
			return Extent{}, false
		}
		if _, hi, ok := o.Values(); ok {
			return hi, true
		}
		if o.Type.IsScalar() {
			o.IsSize = true
			return Extent{Name: o.Name}, true
		}
		if s := o.Support; s.LoNum == nil || *s.LoNum < 0 || c.function != nil || c.scope[o.Name] != Object(o) {
			return Extent{}, false
		}
		// A size is at least 1, and the numbers may all be 0.
		one := &Number{node: node{span: e.Span()}, Value: 1}
		largest := &CallExpr{node: node{span: e.Span()}, Func: "max", Args: []Arg{{Expr: &Name{node: node{span: e.Span()}, Name: o.Name}}}}
		x := c.computedExtent(&BinaryExpr{node: node{span: e.Span()}, Op: "+", X: largest, Y: one})
		return x.Plus(-1), true
	}
	return Extent{}, false
}

// reachOfCall is that of a call: functions of which no value is above their arguments'.
func (c *checker) reachOfCall(e *CallExpr) (Extent, bool) {
	if e.Inlined != nil {
		return c.reach(e.Inlined.Value)
	}
	if len(e.Args) == 0 {
		return Extent{}, false
	}
	first := e.Args[0].Expr
	switch e.Func {
	case "max", "min", "sort", "quantile", "median":
		return c.reach(first)
	case "fmax":
		return c.further(c.reachOfBoth(first, e.Args[1].Expr))
	case "fmin":
		for _, a := range e.Args {
			if x, ok := c.reach(a.Expr); ok {
				return x, true
			}
		}
	case "mod":
		x, ok := c.reach(e.Args[1].Expr)
		return x.Plus(-1), ok
	case "floor", "round", "trunc", "ceil":
		if b, ok := Through(first).(*BinaryExpr); ok && b.Op == "/" {
			if by, ok := c.constant(b.Y); ok && by >= 1 {
				return c.reach(b.X)
			}
		}
		return c.reach(first)
	case "size":
		if shape := first.Type().Shape; len(shape) == 1 {
			return shape[0], true
		}
	case "sum":
		most, ok := c.reach(first)
		if shape := first.Type().Shape; ok && most == Fixed(1) && len(shape) == 1 {
			return shape[0], true
		}
	}
	return Extent{}, false
}

// reachOfBinary is that of a sum with a number, of a difference, of a product with what is 0 or 1, and of a comparison.
func (c *checker) reachOfBinary(e *BinaryExpr) (Extent, bool) {
	if compares[e.Op] {
		return Fixed(1), true
	}
	x, ok := c.reach(e.X)
	y, also := c.reach(e.Y)
	switch e.Op {
	case "+":
		if ok && y.IsConst() && also {
			return x.Plus(y.Offset), true
		}
		return y.Plus(x.Offset), ok && also && x.IsConst()
	case "-":
		if n, index := Through(e.Y).(*Name); index {
			if ix, index := n.Obj.(*Index); index && ix.Range.Lo.IsConst() {
				return x.Plus(-ix.Range.Lo.Offset), ok
			}
		}
		if v, known := c.constant(e.Y); known {
			return x.Plus(-int(v)), ok && v == math.Trunc(v) && math.Abs(v) < 1e6
		}
		return x, ok && c.notNegative(e.Y)
	case "*", ".*":
		if ok && also && x == Fixed(1) {
			return y, true
		}
		return x, ok && also && y == Fixed(1)
	}
	return Extent{}, false
}

// reachOfBoth are those of two expressions, false where one is not known.
func (c *checker) reachOfBoth(a, b Expr) (x, y Extent, ok bool) {
	x, ok = c.reach(a)
	y, also := c.reach(b)
	return x, y, ok && also
}

// further is a size that two are at most, if one is plain.
func (c *checker) further(x, y Extent, ok bool) (Extent, bool) {
	switch {
	case !ok:
		return x, false
	case c.atMost(x, y):
		return y, true
	case c.atMost(y, x):
		return x, true
	case x.IsConst(): // a size is at least 1
		return y.Plus(max(0, x.Offset-y.Offset-1)), true
	case y.IsConst():
		return x.Plus(max(0, y.Offset-x.Offset-1)), true
	}
	return x, false
}
