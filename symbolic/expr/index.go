package expr

import "github.com/hamc-dev/hamc/dsl"

// UpTo is the range 1..x.
func UpTo(x dsl.Extent) dsl.Range { return dsl.Range{Lo: dsl.Fixed(1), Hi: x} }

// IndexOver is a fresh index over a vector, and the subscripts it makes: none for a scalar. Of a matrix it numbers the elements, row by
// row.
func IndexOver(c *Context, name string, shape []dsl.Extent) (*Index, []Sub) {
	if len(shape) == 0 {
		return nil, nil
	}
	i := c.NewIndex(name, UpTo(ExtentOf(shape)))
	return i, []Sub{{Index: i}}
}

// IndicesOver are fresh indices over an array, and the subscripts they make.
func IndicesOver(c *Context, name string, shape []dsl.Extent) ([]*Index, []Sub) {
	var out []*Index
	for d, x := range shape {
		out = append(out, c.NewIndex(string(rune(name[0]+byte(d))), UpTo(x)))
	}
	return out, SubsOf(out)
}

// ExtentOf is the number of elements of an array.
func ExtentOf(shape []dsl.Extent) dsl.Extent {
	return dsl.ProductOf(shape)
}

// SumOver returns Σ over the block's index, or the body itself for a scalar.
func (c *Context) SumOver(i *Index, body *Expr) *Expr {
	if i == nil {
		return body
	}
	return c.Sum(i, body)
}

// SumOverAll sums over several indices.
func (c *Context) SumOverAll(indices []*Index, e *Expr) *Expr {
	for _, i := range indices {
		e = c.Sum(i, e)
	}
	return e
}

// IndexList are those of the indices that are there: nil stands for none.
func IndexList(is ...*Index) []*Index {
	var out []*Index
	for _, i := range is {
		if i != nil {
			out = append(out, i)
		}
	}
	return out
}

// SubsOf are the subscripts that indices are as they stand.
func SubsOf(indices []*Index) []Sub {
	subs := make([]Sub, len(indices))
	for n, i := range indices {
		subs[n] = Sub{Index: i}
	}
	return subs
}

// SortedIndices are indices in the order of creation, each once.
func SortedIndices(ctx []*Index) []*Index {
	var e Expr
	for _, i := range ctx {
		e.addFree(i)
	}
	return e.free
}

// SameIndices reports whether two sorted index lists are equal.
func SameIndices(a, b []*Index) bool {
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

// IndexPair returns the subscripts of a delta of two indices.
func IndexPair(e *Expr) (i, j Sub, ok bool) {
	if e.Op != Delta || e.Subs[0].Index == nil || e.Subs[1].Index == nil {
		return i, j, false
	}
	return e.Subs[0], e.Subs[1], true
}

// holds reports whether a range holds another, whatever the sizes.
func holds(r, part dsl.Range) bool {
	return r.Lo.Name == part.Lo.Name && r.Lo.Offset <= part.Lo.Offset && r.Hi.Name == part.Hi.Name && r.Hi.Offset >= part.Hi.Offset
}

// Strays reports whether e, at some value of its indices, reads an element
// that does not exist or is not defined.
func Strays(e *Expr) bool {
	found := false
	Refs(e, func(r *Expr) {
		for n, s := range r.Subs {
			found = found || !s.IsFixed() && !inside(s, r.Tensor.elements(n))
		}
	})
	return found
}

// elements are the positions at which a tensor has elements, or definitions of them, by one of its subscripts.
func (t *Tensor) elements(n int) dsl.Range {
	r := UpTo(t.Shape[n])
	if t.Def != nil {
		r.Lo = t.Def.Indices[n].Range.Lo
	}
	return r
}

// inside reports whether all positions that a subscript may name are in a range.
func inside(s Sub, r dsl.Range) bool {
	own := s.ends()
	from, first := own.Lo, r.Lo
	return own.Hi.Name == r.Hi.Name && own.Hi.Offset <= r.Hi.Offset &&
		(from == first || from.Name == first.Name && from.Offset >= first.Offset || first == dsl.Fixed(1) && from.Offset >= 1)
}

// ShiftSub is s + by.
func ShiftSub(s Sub, by int) Sub {
	if s.IsFixed() {
		s.At = s.At.Plus(by)
	} else {
		s.Offset += by
	}
	return s
}
