package dsl

import (
	"math"
	"slices"
	"strconv"
)

// A recursion may say by a condition where it begins:
//
//	let f[t] = if t > 1 then a*f[t-1] else 0 for t in T
//
// is let f[1] = 0 and let f[t] = a*f[t-1] for t in 2..T. Where a condition compares the index with a number, the positions that it tells from the others are
// parts of their own, in which conditions of this kind are decided.

// withBeginnings writes such definitions in parts.
func (c *checker) withBeginnings(stmts []Stmt) []Stmt {
	inParts := map[string]bool{}
	for _, s := range stmts {
		if let, ok := s.(*LetStmt); ok && let.For != nil {
			inParts[let.Name.Name] = true
		}
	}
	var out []Stmt
	for _, s := range stmts {
		let, ok := s.(*LetStmt)
		if ok && let.For != nil {
			let = cloner{spread: c.lagsUnder(let.For.Name, inParts)}.let(let)
		}
		if !ok || let.For == nil || !readsUnderCondition(let, inParts) {
			out = append(out, s)
			continue
		}
		lo, known := 1.0, true
		if let.For.Lo != nil {
			lo, known = c.constant(let.For.Lo)
		}
		hi, fixed := c.constant(let.For.Hi)
		last := lo - 1
		Walk(let.Value, func(n Node) bool {
			if e, ok := n.(*IfExpr); ok {
				if op, number, ok := comparison(e.Cond, let.For.Name); ok {
					last = math.Max(last, lastApart(op, number))
				}
			}
			return true
		})
		if !known || lo != math.Trunc(lo) || lo < 1 || last < lo || last != math.Trunc(last) || last-lo >= mostWrittenOut || fixed && hi <= last {
			out = append(out, s)
			continue
		}
		number := func(at float64) *Number {
			return &Number{node: node{span: let.For.At}, Value: at, Text: strconv.Itoa(int(at))}
		}
		for at := lo; at <= last; at++ {
			part := cloner{name: let.For.Name, put: number(at), choose: decided(let.For.Name, at)}.let(let)
			part.For = nil
			out = append(out, part)
		}
		rest := cloner{choose: decided(let.For.Name, last+1)}.let(let)
		rest.For.Lo = number(last + 1)
		out = append(out, rest)
	}
	return out
}

// readsUnderCondition reports whether a definition reads one in parts at a distance, under a condition on its index.
func readsUnderCondition(let *LetStmt, inParts map[string]bool) bool {
	found := false
	Walk(let.Value, func(n Node) bool {
		e, ok := n.(*IfExpr)
		if !ok {
			return true
		}
		if _, _, ok := comparison(e.Cond, let.For.Name); ok {
			for _, branch := range []Expr{e.Then, e.Else} {
				Walk(branch, func(n Node) bool {
					x, ok := n.(*IndexExpr)
					if !ok {
						return true
					}
					base, ok := x.Base.(*Name)
					found = found || ok && inParts[base.Name] && slices.ContainsFunc(x.Args, func(a Expr) bool {
						x, offset, ok := linear(a, let.For.Name)
						return ok && x == 1 && offset < 0
					})
					return true
				})
			}
		}
		return true
	})
	return found
}

// flipped are comparisons with their sides exchanged.
var flipped = map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}

// comparison is that of an index with a number, which stands on the right: t > 3, and t - 3 >= 1 and 3 <= t - 1 as well.
func comparison(e Expr, index string) (op string, number float64, ok bool) {
	b, isBinary := e.(*BinaryExpr)
	if !isBinary || flipped[b.Op] == "" {
		return "", 0, false
	}
	left, leftOffset, ok := linear(b.X, index)
	if !ok {
		return "", 0, false
	}
	right, rightOffset, ok := linear(b.Y, index)
	switch {
	case !ok:
		return "", 0, false
	case left-right == 1:
		return b.Op, rightOffset - leftOffset, true
	case left-right == -1:
		return flipped[b.Op], leftOffset - rightOffset, true
	}
	return "", 0, false
}

// linear is a sum of an index, so many times, and numbers.
func linear(e Expr, index string) (times int, offset float64, ok bool) {
	switch e := e.(type) {
	case *Number:
		return 0, e.Value, true
	case *Name:
		return 1, 0, e.Name == index
	case *BinaryExpr:
		x, a, isX := linear(e.X, index)
		y, b, isY := linear(e.Y, index)
		switch {
		case !isX || !isY:
		case e.Op == "+":
			return x + y, a + b, true
		case e.Op == "-":
			return x - y, a - b, true
		}
	}
	return 0, 0, false
}

// lagsUnder writes sums over distances out that read definitions in parts under conditions on the distance and the index, as
//
//	sum(k in 3) (if k < t then b[k]*f[t-k] else 0)
//
// does: with numbers in the place of k, the conditions are on the index alone.
func (c *checker) lagsUnder(index string, inParts map[string]bool) func(*SumExpr) Expr {
	return func(e *SumExpr) Expr {
		if e.Func != "sum" || len(e.Indices) != 1 {
			return nil
		}
		k, lo, known := e.Indices[0], 1.0, true
		if k.Lo != nil {
			lo, known = c.constant(k.Lo)
		}
		hi, fixed := c.constant(k.Hi)
		if !known || !fixed || !(hi >= lo && hi-lo < mostLags && float64(c.lagged)+hi-lo < mostTerms) || lo != math.Trunc(lo) || hi != math.Trunc(hi) {
			return nil
		}
		conditions, reads := false, false
		Walk(e.Body, func(n Node) bool {
			switch n := n.(type) {
			case *IfExpr:
				_, _, already := comparison(n.Cond, index)
				_, _, then := comparison(put(clone(n.Cond), k.Name, 1), index)
				conditions = conditions || then && !already
			case *IndexExpr:
				base, ok := n.Base.(*Name)
				reads = reads || ok && inParts[base.Name] && slices.ContainsFunc(n.Args, func(a Expr) bool {
					x, _, ok := linear(put(clone(a), k.Name, 1), index)
					return ok && x == 1
				})
			}
			return true
		})
		if !conditions || !reads {
			return nil
		}
		return c.termsFrom(e, k.Name, int(lo), int(hi))
	}
}

// lastApart is the last position at which a comparison may come to something else than at all later ones.
func lastApart(op string, number float64) float64 {
	if op == "<" || op == ">=" {
		return number - 1
	}
	return number
}

// decided chooses the branches of conditions on an index that is at a position, or behind the last one that any of them tells apart.
func decided(index string, at float64) func(*IfExpr) Expr {
	return func(e *IfExpr) Expr {
		op, number, ok := comparison(e.Cond, index)
		if !ok {
			return nil
		}
		holds := map[string]bool{"<": at < number, ">": at > number, "<=": at <= number, ">=": at >= number, "==": at == number, "!=": at != number}[op]
		if holds {
			return e.Then
		}
		return e.Else
	}
}
