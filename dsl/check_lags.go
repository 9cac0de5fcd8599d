package dsl

import "strconv"

// Sums over distances: sum(k in 1..11) x[t-k] of a parameter or a definition. Written out, each term reads x at a known distance from t, as chains and recursions need it.

// mostLags is the number of terms up to which such a sum is written out, and mostTerms that of all such sums of a model: one inside another is written out for each term of that.
const (
	mostLags  = 32
	mostTerms = 1024
)

// terms is what is summed, or the sum that is written out.
func (e *SumExpr) terms() Expr {
	if e.Terms != nil {
		return e.Terms
	}
	return e.Body
}

// lags reports whether a sum is one over few distances from another index.
func (c *checker) lags(e *SumExpr, indices []*Index) bool {
	if e.Func != "sum" || len(indices) != 1 {
		return false
	}
	k := indices[0]
	lo, hi := k.Range.Lo, k.Range.Hi
	if k.From != nil || k.Upto != nil || !lo.IsConst() || !hi.IsConst() || hi == unknownExtent || hi.Offset < lo.Offset || hi.Offset-lo.Offset >= mostLags || c.lagged+hi.Offset-lo.Offset >= mostTerms {
		return false
	}
	found := false
	Walk(e.Body, func(n Node) bool {
		if at, ok := n.(*IndexExpr); ok && !c.isData(at.Base) {
			for _, x := range at.Args {
				found = found || c.distance(x, k) || c.equationOf != nil && mentionsName(x, k.Name)
			}
		}
		return !found
	})
	return found
}

// mentionsName reports whether an expression holds a name.
func mentionsName(e Expr, name string) bool {
	found := false
	Walk(e, func(n Node) bool {
		if n, ok := n.(*Name); ok {
			found = found || n.Name == name
		}
		return !found
	})
	return found
}

// isData reports whether an expression is the name of a datum, of which a loop reads what it likes.
func (c *checker) isData(e Expr) bool {
	n, ok := e.(*Name)
	if !ok {
		return false
	}
	_, ok = c.scope[n.Name].(*Data)
	return ok
}

// distance reports whether a subscript is a difference or a sum of an index, another, and numbers.
func (c *checker) distance(x Expr, k *Index) bool {
	own, other, plain := false, false, true
	Walk(x, func(n Node) bool {
		switch n := n.(type) {
		case *Name:
			own = own || n.Name == k.Name
			other = other || n.Name != k.Name && c.index(n.Name) != nil
		case *BinaryExpr:
			plain = plain && (n.Op == "+" || n.Op == "-")
		case *Number, nil:
		default:
			plain = false
		}
		return true
	})
	return own && other && plain
}

// termsOf writes a sum out.
func (c *checker) termsOf(e *SumExpr, k *Index) Expr {
	return c.termsFrom(e, k.Name, k.Range.Lo.Offset, k.Range.Hi.Offset)
}

// termsFrom are the terms of a sum over an index from lo to hi.
func (c *checker) termsFrom(e *SumExpr, index string, lo, hi int) (out Expr) {
	c.lagged += hi - lo + 1
	for v := lo; v <= hi; v++ {
		term := put(clone(e.Body), index, v)
		if out == nil {
			out = term
			continue
		}
		out = &BinaryExpr{node: e.copied(), Op: "+", At: e.Span(), X: out, Y: term}
	}
	return out
}

// put writes a number in the place of an index, in a copy.
func put(e Expr, name string, v int) Expr {
	all := func(list []Expr) {
		for i := range list {
			list[i] = put(list[i], name, v)
		}
	}
	switch e := e.(type) {
	case *Name:
		if e.Name == name {
			return &Number{node: e.copied(), Value: float64(v), Text: strconv.Itoa(v)}
		}
	case *IndexExpr:
		e.Base = put(e.Base, name, v)
		all(e.Args)
	case *CallExpr:
		for i := range e.Args {
			e.Args[i].Expr = put(e.Args[i].Expr, name, v)
		}
	case *UnaryExpr:
		e.X = put(e.X, name, v)
	case *BinaryExpr:
		e.X, e.Y = put(e.X, name, v), put(e.Y, name, v)
	case *IfExpr:
		e.Cond, e.Then, e.Else = put(e.Cond, name, v), put(e.Then, name, v), put(e.Else, name, v)
	case *SliceExpr:
		e.Lo, e.Hi = put(e.Lo, name, v), put(e.Hi, name, v)
	case *SumExpr:
		for i, d := range e.Indices {
			e.Indices[i].Lo, e.Indices[i].Hi = put(d.Lo, name, v), put(d.Hi, name, v)
		}
		e.Body = put(e.Body, name, v)
	case *MatrixExpr:
		for _, row := range e.Rows {
			all(row)
		}
	case *FieldExpr:
		e.Base = put(e.Base, name, v)
	}
	return e
}
