package dsl

import "math"

// Counts from 0 on. Indices count from 1, as what they select does. Where one selects nothing, as the number of animals that may be there,
//
//	sum(i in n) log_sum_exp(N in y[i]..K) (poisson_lpmf(N | lam) + binomial_lpmf(y[i] | N, p))
//
// its range is raised, and it is a number less where it stands:
//
//	sum(i in n) log_sum_exp(N in y[i]+1..K+1) (poisson_lpmf(N-1 | lam) + binomial_lpmf(y[i] | N-1, p))
//
// Where it is an end of another range, as k is in sum(k in 0..3, j in k..3), that one begins below 1 in turn: sum(k in 1..4, j in k..4).

// raiseCounts does so in all sums of a file whose ranges begin at a number below 1, or at an element of data, which may be 0.
func raiseCounts(f *File) {
	for _, s := range f.Stmts {
		up := map[string]float64{} // by how much indices have been raised
		Walk(s, func(n Node) bool {
			if e, ok := n.(*SumExpr); ok {
				for k := range e.Indices {
					e.raise(k, up)
				}
			}
			return true
		})
	}
}

// raise raises the range of an index, if it is one of counts.
func (e *SumExpr) raise(k int, up map[string]float64) {
	x := &e.Indices[k]
	by, fixed := belowOne(x.Lo)
	if b, ok := x.Lo.(*BinaryExpr); ok && b.Op == "-" {
		n, named := b.X.(*Name)
		if less, is := b.Y.(*Number); named && is && up[n.Name] == less.Value {
			by = less.Value
		}
	}
	if by == 0 || !e.counts(k) {
		return
	}
	up[x.Name] = by
	at := node{span: x.Lo.Span(), tokens: x.Lo.Source()}
	if x.Lo = raised(at, x.Lo, by); fixed {
		x.Lo = numberAt(at, 1)
	}
	x.Hi = raised(node{span: x.Hi.Span(), tokens: x.Hi.Source()}, x.Hi, by)
	of := node{span: x.At, tokens: x.tokens}
	less := &BinaryExpr{node: of, Op: "-", At: x.At, X: &Name{node: of, Name: x.Name}, Y: numberAt(of, by)}
	lower := cloner{name: x.Name, put: less}
	for n := k + 1; n < len(e.Indices); n++ {
		e.Indices[n].Lo, e.Indices[n].Hi = lower.expr(e.Indices[n].Lo), lower.expr(e.Indices[n].Hi)
	}
	e.Body = lower.expr(e.Body)
}

// raised is an expression and a number.
func raised(at node, e Expr, by float64) Expr {
	if n, ok := e.(*Number); ok {
		return numberAt(at, n.Value+by)
	}
	if b, ok := e.(*BinaryExpr); ok && b.Op == "-" {
		if n, is := b.Y.(*Number); is && n.Value == by {
			return b.X
		}
	}
	return &BinaryExpr{node: at, Op: "+", At: at.span, X: e, Y: numberAt(at, by)}
}

// belowOne is by how much a start of a range has to be raised, and whether it is a number; 0 where it is 1 or more, no whole number, or no element of data.
func belowOne(lo Expr) (by float64, fixed bool) {
	switch lo := lo.(type) {
	case *Number:
		if lo.Value == math.Trunc(lo.Value) {
			return max(0, 1-lo.Value), true
		}
	case *UnaryExpr:
		if n, ok := lo.X.(*Number); ok && lo.Op == "-" && n.Value == math.Trunc(n.Value) {
			return 1 + n.Value, true
		}
	case *IndexExpr:
		return 1, false
	case *CallExpr:
		if lo.Func == "max" || lo.Func == "min" || lo.Func == "sum" {
			return 1, false
		}
	}
	return 0, false
}

// counts reports whether index k of a sum selects nothing and is not hidden by another of its name.
func (e *SumExpr) counts(k int) bool {
	name, ok := e.Indices[k].Name, true
	uses := func(n Node) (found bool) {
		Walk(n, func(n Node) bool {
			x, is := n.(*Name)
			found = found || is && x.Name == name
			return !found
		})
		return found
	}
	hidden := func(list []IndexDecl) {
		for _, d := range list {
			ok = ok && d.Name != name
		}
	}
	hidden(e.Indices[k+1:])
	Walk(e.Body, func(n Node) bool {
		switch n := n.(type) {
		case *IndexExpr:
			for _, a := range n.Args {
				ok = ok && !uses(a)
			}
		case *SliceExpr:
			ok = ok && !uses(n)
		case *SumExpr:
			hidden(n.Indices)
		}
		return ok
	})
	return ok
}
