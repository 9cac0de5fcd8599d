package dsl

import (
	"math"
	"slices"
	"sort"
	"strconv"

	"github.com/alecthomas/participle/v2/lexer"
)

// Ranges of positions that start at a size, y[n+1..N], are selected by a definition of their positions:
//
//	let _at1[_l in N-n] = n + _l
//
// with y[_at1] in the place of the range.

// sliced are the positions that a file selects so.
type sliced struct {
	c     *checker
	names map[string]string // of definitions, by the text of a range
	lets  []Stmt
}

// fromSizes writes such ranges so.
func (c *checker) fromSizes(stmts []Stmt) []Stmt {
	if c.function != nil {
		return stmts
	}
	s := &sliced{c: c, names: map[string]string{}}
	by := cloner{element: s.element}
	out := slices.Clone(stmts)
	for n, stmt := range stmts {
		switch stmt := stmt.(type) {
		case *LetStmt:
			if !c.early[stmt] && !c.sizeLets[stmt] && s.within(stmt) {
				out[n] = by.let(stmt)
			}
		case *DensityStmt:
			if s.within(stmt) {
				other := *stmt
				other.Value = by.expr(stmt.Value)
				out[n] = &other
			}
		case *SampleStmt:
			if s.within(stmt) {
				other := *stmt
				other.Left, other.Args = by.exprs(stmt.Left), by.args(stmt.Args)
				out[n] = &other
			}
		case *GenerateStmt:
			for i := range stmt.Quantities {
				if q := &stmt.Quantities[i]; s.within(q) {
					q.Value = by.expr(q.Value)
				}
			}
		}
	}
	return append(s.lets, out...)
}

// within reports whether a statement has such a range.
func (s *sliced) within(n Node) (found bool) {
	Walk(n, func(n Node) bool {
		if e, ok := n.(*SliceExpr); ok {
			_, _, is := s.ends(e)
			found = found || is
		}
		return !found
	})
	return found
}

// element is an element with ranges of positions that start at a size, as one at positions that are defined; nil for another.
func (s *sliced) element(e *IndexExpr) Expr {
	if !slices.ContainsFunc(e.Args, func(a Expr) bool {
		r, ok := a.(*SliceExpr)
		if ok {
			_, _, ok = s.ends(r)
		}
		return ok
	}) {
		return nil
	}
	out := &IndexExpr{node: e.copied(), Base: cloner{element: s.element}.expr(e.Base), row: e.row}
	for _, a := range e.Args {
		r, ok := a.(*SliceExpr)
		if ok {
			if before, size, ok := s.ends(r); ok {
				out.Args = append(out.Args, &Name{node: node{span: r.Span(), tokens: r.Source()}, Name: s.positions(r, before, size)})
				continue
			}
		}
		out.Args = append(out.Args, cloner{element: s.element}.expr(a))
	}
	return out
}

// ends are what comes before the first position of a range that starts at a size, and how many positions it has; false of another range.
func (s *sliced) ends(e *SliceExpr) (before, size nameSum, ok bool) {
	if e.Lo == nil || e.Hi == nil {
		return before, size, false
	}
	before, ok1 := s.sizes(e.Lo)
	size, ok2 := s.sizes(e.Hi)
	if !ok1 || !ok2 || len(before.of) == 0 {
		return before, size, false
	}
	before.number--
	size.add(before, -1)
	for _, times := range size.of {
		if times != 1 && times != -1 {
			return before, size, false
		}
	}
	return before, size, len(size.of) > 0 || size.number >= 1
}

// sizes is a sum of sizes and whole numbers.
func (s *sliced) sizes(e Expr) (sum nameSum, ok bool) {
	of, ok := sumOf(e)
	if !ok {
		return sum, false
	}
	sum = nameSum{map[string]int{}, of.number}
	for name, times := range of.of {
		switch o := s.c.scope[name].(type) {
		case *Const:
			o.used = true
			sum.number += float64(times) * o.Value
		case *Data:
			if o.Type.Base != Int || !o.Type.IsScalar() {
				return sum, false
			}
			sum.of[name] = times
		case *Size:
			sum.of[name] = times
		default:
			return sum, false
		}
	}
	return sum, sum.number == math.Trunc(sum.number)
}

// positions is the name of the definition of the positions of a range.
func (s *sliced) positions(e *SliceExpr, before, size nameSum) string {
	at := node{span: e.Span()}
	first, many := sumText(before, at), sumText(size, at)
	key := Text(first) + ".." + Text(many)
	if name, ok := s.names[key]; ok {
		return name
	}
	name := "_at" + strconv.Itoa(len(s.names)+1)
	s.names[key] = name
	index := "_l"
	s.lets = append(s.lets, &LetStmt{Name: Ident{Name: name, At: e.Span()}, Places: []Place{{Decl: &IndexDecl{Name: index, At: e.Span(), Hi: many}}},
		Value: plusMinus(first, "+", nameAt(at, index), at)})
	return name
}

// sumText is a sum of names and a number as an expression: what is added first, in the order of the names.
func sumText(s nameSum, at node) (out Expr) {
	var names []string
	for name := range s.of {
		names = append(names, name)
	}
	sort.Slice(names, func(i, j int) bool {
		a, b := names[i], names[j]
		if (s.of[a] > 0) != (s.of[b] > 0) {
			return s.of[a] > 0
		}
		return a < b
	})
	for _, name := range names {
		op := "+"
		if s.of[name] < 0 {
			op = "-"
		}
		for range max(s.of[name], -s.of[name]) {
			switch {
			case out == nil && op == "-":
				out = plusMinus(wholeAt(at, 0), op, nameAt(at, name), at)
			case out == nil:
				out = nameAt(at, name)
			default:
				out = plusMinus(out, op, nameAt(at, name), at)
			}
		}
	}
	if out == nil {
		return wholeAt(at, int(s.number))
	}
	return shiftedBy(out, at, int(s.number))
}

// plusMinus is a sum or a difference of two expressions.
func plusMinus(x Expr, op string, y Expr, at node) Expr {
	tokens := slices.Concat(x.Source(), []lexer.Token{{Type: tokOp, Value: op}}, y.Source())
	return &BinaryExpr{node: node{span: at.span, tokens: tokens}, Op: op, At: at.span, X: x, Y: y}
}
