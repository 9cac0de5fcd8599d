package dsl

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Ranges of positions that end where data or an index say, x[first[g]..last[g]], are vectors of no size. Where their elements are added, or described one by one, they are sums and
// statements with an index:
//
//	sum(x[first[g]..last[g]])                                  is sum(i in first[g]..last[g]) x[i]
//	y[first[g]..last[g]] ~ normal(mu[g], s) for g in G         is y[i] ~ normal(mu[g], s) for g in G, i in first[g]..last[g]

// segmented are the functions whose value is one of all elements, with the reduction that it is over their positions.
var segmented = map[string]string{"sum": "sum", "mean": "sum", "dot": "sum", "max": "max", "min": "min", "log_sum_exp": "log_sum_exp"}

// segments is what such ranges are found with.
type segments struct {
	c     *checker
	count int // of the indices that were made
}

// overSegments writes such ranges with an index.
func (c *checker) overSegments(stmts []Stmt) []Stmt {
	s := &segments{c: c}
	by := cloner{call: s.call}
	out := slices.Clone(stmts)
	for n, stmt := range stmts {
		if !s.within(stmt) {
			continue
		}
		switch stmt := stmt.(type) {
		case *LetStmt:
			if !c.early[stmt] && !c.sizeLets[stmt] {
				out[n] = by.let(stmt)
			}
		case *DensityStmt:
			other := *stmt
			other.Value = by.expr(stmt.Value)
			out[n] = &other
		case *SampleStmt:
			other := *stmt
			other.Left, other.Args = by.exprs(stmt.Left), by.args(stmt.Args)
			s.sample(&other)
			out[n] = &other
		case *GenerateStmt:
			for i := range stmt.Quantities {
				if q := &stmt.Quantities[i]; s.within(q) {
					q.Value = by.expr(q.Value)
				}
			}
		}
	}
	return out
}

// within reports whether a node has such a range.
func (s *segments) within(n Node) (found bool) {
	Walk(n, func(n Node) bool {
		if e, ok := n.(*SliceExpr); ok {
			found = found || s.moves(e)
		}
		return !found
	})
	return found
}

// moves reports whether a range of positions has an end in data, or one that names an index.
func (s *segments) moves(e *SliceExpr) bool {
	if e.Lo == nil || e.Hi == nil {
		return false
	}
	found := elementIn(e.Lo, e.Hi) != nil
	for _, end := range []Expr{e.Lo, e.Hi} {
		Walk(end, func(n Node) bool {
			if name, ok := n.(*Name); ok {
				_, later := s.c.later[name.Name]
				_, soon := s.c.soon[name.Name]
				_, declared := s.c.declared[name.Name]
				found = found || s.c.scope[name.Name] == nil && !later && !soon && !declared && !s.c.poisoned[name.Name]
			}
			return true
		})
	}
	return found
}

// call is what stands for a call of a function of such ranges; nil for another.
func (s *segments) call(e *CallExpr) Expr {
	over, reduces := segmented[e.Func]
	density := takesBar(e.Func) && !s.c.ofVectors(e.Func)
	if !reduces && !density || reduces && s.c.funcs[e.Func] != nil || e.Func == "dot" && len(e.Args) != 2 || reduces && e.Func != "dot" && len(e.Args) != 1 {
		return nil
	}
	args := cloner{call: s.call}.args(e.Args)
	first := s.first(args)
	if first == nil {
		return nil
	}
	at := node{span: e.Span(), tokens: e.Source()}
	index, decl := s.index(first)
	for n := range args {
		args[n].Expr = s.at(args[n].Expr, first, index)
	}
	body := args[0].Expr
	switch {
	case density:
		over = "sum"
		body = &CallExpr{node: at, Func: e.Func, At: e.At, Args: args, Bar: e.Bar}
	case e.Func == "dot":
		body = &BinaryExpr{node: at, Op: "*", At: e.At, X: args[0].Expr, Y: args[1].Expr}
	}
	sum := Expr(&SumExpr{node: at, Func: over, Indices: []IndexDecl{decl}, Body: body})
	if e.Func == "mean" {
		size := plusMinus(endBy(first.Hi, 1), "-", clone(first.Lo), node{span: first.Span()})
		return &BinaryExpr{node: at, Op: "/", At: e.At, X: sum, Y: size}
	}
	return sum
}

// ofVectors reports whether a log density is one of whole vectors.
func (c *checker) ofVectors(name string) bool {
	d := lookupLogDensity(name)
	return d != nil && d.Whole()
}

// sample writes a statement whose left side has such a range with an index more.
func (s *segments) sample(stmt *SampleStmt) {
	if d := LookupDistribution(stmt.Dist.Name); d != nil && d.Whole() {
		return
	}
	var lefts []Arg
	for _, x := range stmt.Left {
		lefts = append(lefts, Arg{Expr: x})
	}
	first := s.first(lefts)
	if first == nil {
		return
	}
	index, decl := s.index(first)
	for n, x := range stmt.Left {
		stmt.Left[n] = s.at(x, first, index)
	}
	for n, a := range stmt.Args {
		stmt.Args[n].Expr = s.at(a.Expr, first, index)
	}
	stmt.For = append(slices.Clone(stmt.For), decl)
}

// index is an index over the positions of a range.
func (s *segments) index(of *SliceExpr) (string, IndexDecl) {
	s.count++
	name := "_s" + strconv.Itoa(s.count)
	return name, IndexDecl{Name: name, At: of.Span(), Lo: clone(of.Lo), Hi: clone(of.Hi), tokens: of.Source()}
}

// first is the first such range of the elements of arguments, or nil.
func (s *segments) first(args []Arg) (found *SliceExpr) {
	for _, a := range args {
		elementwiseIn(a.Expr, func(e *IndexExpr) {
			for _, x := range e.Args {
				if r, ok := x.(*SliceExpr); ok && found == nil && s.moves(r) {
					found = r
				}
			}
		})
	}
	return found
}

// elementwiseIn calls f for the elements that an expression is made of element by element.
func elementwiseIn(e Expr, f func(*IndexExpr)) {
	switch e := e.(type) {
	case *IndexExpr:
		f(e)
	case *UnaryExpr:
		elementwiseIn(e.X, f)
	case *BinaryExpr:
		elementwiseIn(e.X, f)
		elementwiseIn(e.Y, f)
	case *IfExpr:
		for _, x := range []Expr{e.Cond, e.Then, e.Else} {
			elementwiseIn(x, f)
		}
	case *CallExpr:
		if _, reduces := segmented[e.Func]; !reduces {
			for _, a := range e.Args {
				elementwiseIn(a.Expr, f)
			}
		}
	}
}

// at is the element of an expression where a range has an index, and other ranges of that length are as far apart from it as their ends.
func (s *segments) at(e Expr, of *SliceExpr, index string) Expr {
	switch e := e.(type) {
	case *IndexExpr:
		for n, a := range e.Args {
			if r, ok := a.(*SliceExpr); ok && r.Lo != nil {
				if by, ok := apartBy(r, of); ok {
					e.Args[n] = shiftedBy(nameAt(node{span: r.Span()}, index), node{span: r.Span()}, by)
				}
			}
		}
	case *UnaryExpr:
		e.X = s.at(e.X, of, index)
	case *BinaryExpr:
		e.X, e.Y = s.at(e.X, of, index), s.at(e.Y, of, index)
	case *IfExpr:
		e.Cond, e.Then, e.Else = s.at(e.Cond, of, index), s.at(e.Then, of, index), s.at(e.Else, of, index)
	case *CallExpr:
		if _, reduces := segmented[e.Func]; !reduces {
			for n, a := range e.Args {
				e.Args[n].Expr = s.at(a.Expr, of, index)
			}
		}
	}
	return e
}

// apartBy is how far a range is from another of the same length; false where that is not seen in their text.
func apartBy(r, of *SliceExpr) (int, bool) {
	lo, lo1 := shiftOf(r.Lo)
	lo2, lo3 := shiftOf(of.Lo)
	hi, hi1 := shiftOf(r.Hi)
	hi2, hi3 := shiftOf(of.Hi)
	return lo1 - lo3, writtenForm(lo) == writtenForm(lo2) && writtenForm(hi) == writtenForm(hi2) && lo1-lo3 == hi1-hi3
}

// shiftOf takes a whole number that is added or subtracted from an expression.
func shiftOf(e Expr) (Expr, int) {
	if b, ok := e.(*BinaryExpr); ok && (b.Op == "+" || b.Op == "-") {
		if n, ok := b.Y.(*Number); ok && n.Value == math.Trunc(n.Value) && math.Abs(n.Value) < 1e6 {
			by := int(n.Value)
			if b.Op == "-" {
				by = -by
			}
			x, rest := shiftOf(b.X)
			return x, rest + by
		}
	}
	return e, 0
}

// segmentHint is what to write in the place of a range that ends where data say, and stands where a vector is wanted.
func segmentHint(e *SliceExpr) string {
	text := Text(e.Lo) + ".." + Text(e.Hi)
	return fmt.Sprintf("it may stand in `sum(x[%s])`, in `mean`, `max`, `min`, `log_sum_exp` and `dot`, in log densities and on the left of `~`, where all ranges beside each other have the same ends", text)
}
