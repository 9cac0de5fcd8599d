package dsl

import (
	"fmt"
	"maps"
	"slices"
)

// Rows of a definition in parts that are given as a whole, let L[1] = [1, 0, 0] and let L[t] = L[t-1] + v for t in 2..T, are its elements with an index of their own:
// let L[1, _1 in 3] = [1, 0, 0][_1].

// wholeRows are statements with the elements of rows in the place of whole ones. A definition of which no row has a size that is known before it is checked stays as it is.
func (c *checker) wholeRows(stmts []Stmt) []Stmt {
	sizes, guesses, mixed := map[string]Extent{}, map[string]Extent{}, map[string]bool{}
	for _, s := range stmts {
		let, ok := s.(*LetStmt)
		if !ok || !let.partial() {
			continue
		}
		if len(let.Places) != 1 || c.positionsAt(let.Places[0].At) != nil {
			mixed[let.Name.Name] = true // whose other places have indices, or which stands at several positions at once
			continue
		}
		n, known := c.rowSize(let, stmts)
		if known && n == (Extent{}) {
			mixed[let.Name.Name] = true // a number, beside which no part is a row
		} else if known && sizes[let.Name.Name] == (Extent{}) {
			sizes[let.Name.Name] = n
		} else if row, ok := let.Value.(*MatrixExpr); ok && guesses[let.Name.Name] == (Extent{}) {
			guesses[let.Name.Name] = Fixed(len(row.Rows[0]))
		}
	}
	for name, n := range guesses { // entries that are not known yet are numbers, if no row says more
		if sizes[name] == (Extent{}) {
			sizes[name] = n
		}
	}
	if len(sizes) == 0 {
		return stmts
	}
	out := make([]Stmt, 0, len(stmts))
	for _, s := range stmts {
		if let, ok := s.(*LetStmt); ok && let.partial() && !mixed[let.Name.Name] {
			if n, ok := sizes[let.Name.Name]; ok {
				s = c.rowByElements(let, n, stmts)
			}
		}
		out = append(out, s)
	}
	return out
}

// rowByElements is a part whose value is a row of a size, by its elements.
func (c *checker) rowByElements(s *LetStmt, size Extent, stmts []Stmt) *LetStmt {
	const name = "_1"
	at := s.Value.Span()
	if n, ok := c.rowSize(s, stmts); ok && n != size {
		c.err(ShapeMismatch, at, "all rows of a definition have one size", "this row of `%s` has %s elements, and the first one %s", s.Name.Name, n, size)
	}
	part := *s
	part.Places = append(part.Places[:1:1], Place{Decl: &IndexDecl{Name: name, At: at, Hi: c.sizeExpr(size, at)}})
	part.Value = &IndexExpr{node: node{span: at}, Base: s.Value, Args: []Expr{&Name{node: node{span: at}, Name: name}}, row: s}
	return &part
}

// sizeExpr is a size as an expression; of an argument of a function the body has a name of its own.
func (c *checker) sizeExpr(e Extent, at Span) Expr {
	number := func(n int) Expr {
		return &Number{node: node{span: at}, Value: float64(n), Text: fmt.Sprint(n)}
	}
	if e.IsConst() {
		return number(e.Offset)
	}
	if c.scope[e.Name] == nil {
		for _, name := range slices.Sorted(maps.Keys(c.scope)) {
			if s, ok := c.scope[name].(*Size); ok && s.Extent == e {
				return &Name{node: node{span: at}, Name: name}
			}
		}
	}
	name := &Name{node: node{span: at}, Name: e.Name}
	switch {
	case e.Offset > 0:
		return &BinaryExpr{node: node{span: at}, Op: "+", X: name, Y: number(e.Offset)}
	case e.Offset < 0:
		return &BinaryExpr{node: node{span: at}, Op: "-", X: name, Y: number(-e.Offset)}
	}
	return name
}

// noRow reports an element of a row that is none.
func (c *checker) noRow(e *IndexExpr) {
	place := ""
	if e.row.Places[0].At != nil {
		place = Text(e.row.Places[0].At)
	}
	c.err(NotVector, e.Span(), fmt.Sprintf("its elements are `let %s[%s, j in k] = …`", e.row.Name.Name, place), "the rows of `%s` are vectors, this is a scalar", e.row.Name.Name)
}

// rowSize is the size of the vector that a part is, none of a number, as far as it is known before the definitions of the model are.
func (c *checker) rowSize(s *LetStmt, stmts []Stmt) (Extent, bool) {
	value := s.Value
	for range 10 { // through definitions that are whole
		if row, ok := value.(*MatrixExpr); ok {
			if len(row.Rows) > 1 || plainRow(row) {
				return Fixed(len(row.Rows[0])), len(row.Rows) == 1
			}
			value = throughDefinitions(row, stmts)
			break
		}
		n, ok := value.(*Name)
		if !ok {
			break
		}
		l := wholeLet(stmts, n.Name)
		if l == nil {
			break
		}
		value = l.Value
	}
	switch value.(type) {
	case *Number, *SumExpr:
		return Extent{}, true
	case *SolveExpr:
		return Extent{}, false
	}
	n, poisoned, densities := len(c.ds.List), maps.Clone(c.poisoned), len(c.model.Densities)
	defer func() {
		c.ds.List, c.poisoned, c.model.Densities = c.ds.List[:n], poisoned, c.model.Densities[:densities]
	}()
	if s.For != nil {
		_, shut := c.open([]IndexDecl{*s.For})
		defer shut()
	}
	try := clone(value)
	c.expr(try)
	shape := try.Type().Shape
	if c.errors(n) == 0 && try.Type().IsScalar() {
		return Extent{}, true
	}
	if c.errors(n) > 0 || len(shape) != 1 || shape[0].isFormula() || shape[0] == unknownExtent {
		return Extent{}, false
	}
	return shape[0], true
}

// wholeLet is the definition of a name that is given as a whole and has no indices, or nil.
func wholeLet(stmts []Stmt, name string) *LetStmt {
	for _, s := range stmts {
		if l, ok := s.(*LetStmt); ok && l.Name.Name == name && len(l.Places) == 0 && l.For == nil {
			return l
		}
	}
	return nil
}
