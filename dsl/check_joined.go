package dsl

import (
	"slices"
)

// Vectors and numbers in one row are a vector that has their elements one behind the other: [b, 0] are the elements of b and then 0, the scores of categories of which the last is the
// reference. What stands behind vectors whose sizes are no numbers has positions that are computed when the data arrive.

// Joined is a part of a vector that is put together.
type Joined struct {
	Before Extent // how many elements stand before it
	X      Expr   // a number or a vector

	// Of a vector behind sizes that are no numbers, Moved is its element at the position Along of the whole.
	Along *Index
	Moved Expr
}

// Range are the positions that the part has in the whole.
func (j *Joined) Range() Range {
	if j.Along != nil {
		return j.Along.Range
	}
	size := 1
	if shape := j.X.Type().Shape; len(shape) == 1 {
		if !shape[0].IsConst() {
			return Range{j.Before.Plus(1), shape[0].Plus(j.Before.Offset)}
		}
		size = shape[0].Offset
	}
	return Range{j.Before.Plus(1), j.Before.Plus(size)}
}

// joins reports whether a row has vectors among several entries, and nothing that is neither a vector nor a number. Rows in a row are meant for a matrix.
func joins(row []Expr) bool {
	vectors := false
	for _, x := range row {
		t := x.Type()
		if _, literal := x.(*MatrixExpr); literal || t.Base != Real && t.Base != Int || len(t.Shape) > 1 {
			return false
		}
		vectors = vectors || len(t.Shape) == 1
	}
	return vectors && len(row) > 1
}

// join finds the parts of a row that joins vectors, and its type.
func (c *checker) join(e *MatrixExpr) {
	bad(e)
	row := e.Rows[0]
	var sizes []Extent
	for _, x := range row {
		size := Fixed(1)
		if shape := x.Type().Shape; len(shape) == 1 {
			size = shape[0]
		}
		if size == unknownExtent {
			return
		}
		sizes = append(sizes, size)
	}
	var parts []Joined
	for n, x := range row {
		before, ok := c.added(sizes[:n], e.Span())
		upto, also := c.added(sizes[:n+1], e.Span())
		if !ok || !also {
			c.err(NotYet, x.Span(), "put them together where the function is called, and hand it the whole", "in a function, one vector of a row has a size that is no number, in this version of the language")
			return
		}
		part := Joined{Before: before, X: x}
		if !x.Type().IsScalar() && !before.IsConst() {
			c.move(&part, Range{before.Plus(1), upto}, sizes[n])
		}
		parts = append(parts, part)
	}
	total, _ := c.added(sizes, e.Span())
	e.Joined = parts
	e.setType(Type{Base: Real, Shape: []Extent{total}})
}

// move gives a vector of a size its element at a position of the whole, i less what stands before it.
func (c *checker) move(part *Joined, of Range, size Extent) {
	at := node{span: part.X.Span(), tokens: part.X.Source()}
	part.Along = &Index{object: object{Name: c.free("_p"), At: at.span, used: true}, Range: of}
	c.push(part.Along)
	position := plusMinus(nameAt(at, part.Along.Name), "-", c.sizeExpr(part.Before, at.span), at)
	c.expr(position)
	c.shut(len(c.indices) - 1)
	e := &IndexExpr{node: at, Base: part.X, Args: []Expr{position}, Subscripts: []Subscript{{Gather: &Gather{Value: position, Size: size}}}}
	e.setType(Type{Base: Real})
	part.Moved = e
}

// added is a sum of sizes. It is false where that is a formula, and formulas are not known.
func (c *checker) added(list []Extent, at Span) (Extent, bool) {
	var names []string
	times, rest := map[string]int{}, 0
	for _, e := range list {
		rest += e.Offset
		if e.Name == "" {
			continue
		}
		if times[e.Name]++; times[e.Name] == 1 {
			names = append(names, e.Name)
		}
	}
	if whole, ok := c.cancelled(names, times, rest); ok {
		return whole, true
	}
	var sum Expr
	of := node{span: at}
	for _, name := range names {
		term := c.sizeExpr(Extent{Name: name}, at)
		if n := times[name]; n > 1 {
			term = &BinaryExpr{node: of, Op: "*", At: at, X: wholeAt(of, n), Y: term}
		}
		if sum == nil {
			sum = term
		} else {
			sum = plusMinus(sum, "+", term, of)
		}
	}
	if !c.formOfSize(sum) {
		return Extent{}, false
	}
	return c.computedExtent(sum).Plus(rest), true
}

// cancelled is a sum of sizes that is one size, or a number: of one name, or of formulas whose other parts cancel, as of n and N-n.
func (c *checker) cancelled(names []string, times map[string]int, rest int) (Extent, bool) {
	switch {
	case len(names) == 0:
		return Fixed(rest), true
	case len(names) == 1 && times[names[0]] == 1:
		return Extent{names[0], rest}, true
	}
	of := map[*Data]int{}
	for _, name := range names {
		d, ok := c.sizes[name].(*Data)
		if !ok || !d.formula().count(times[name], &rest, of) {
			return Extent{}, false
		}
	}
	var one *Data
	for d, n := range of {
		switch {
		case n == 0:
		case n != 1 || one != nil:
			return Extent{}, false
		default:
			one = d
		}
	}
	if one == nil {
		return Fixed(rest), true
	}
	return Extent{one.Name, rest}, true
}

// plainRow reports whether the entries of a row are numbers by their form.
func plainRow(row *MatrixExpr) bool {
	return len(row.Rows[0]) == 1 || !slices.ContainsFunc(row.Rows[0], func(x Expr) bool { _, number := x.(*Number); return !number })
}

// throughDefinitions is a row with the values of definitions that are given as wholes in the place of entries that name them.
func throughDefinitions(row *MatrixExpr, stmts []Stmt) *MatrixExpr {
	out := clone(row).(*MatrixExpr)
	for n, x := range out.Rows[0] {
		for range 10 {
			name, ok := x.(*Name)
			if !ok {
				break
			}
			l := wholeLet(stmts, name.Name)
			if l == nil {
				break
			}
			x = clone(l.Value)
		}
		out.Rows[0][n] = x
	}
	return out
}

// joinedText is how the parts of a row are put together in what is no vector: "" where a part is neither a number nor a vector.
func joinedText(row []Expr) string {
	for _, x := range row {
		if t := x.Type(); t.Base != Invalid && len(t.Shape) > 1 {
			return "the rows of matrices are put together by positions: `let M[i, j in k] = A[i, j] for i in 1..n` and `let M[i, j in k] = B[i-n, j] for i in n+1..n+m`"
		}
	}
	return ""
}
