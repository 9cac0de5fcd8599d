package pass

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hamc-dev/hamc/codegen/loop"
)

// Products are computed from left to right, and sums. Factors that lead several products, in one order, are a product of their own then, and terms
// that lead several sums a sum, which Share computes once. No bits change by that: what leads has been computed first before. So a
// product with a number in front is looked at behind that, if it is a power of two.

// maxLead is the largest number of factors or terms that are looked at.
const maxLead = 16

// leads are the beginnings of the sums and products of a list.
type leads struct {
	s    *sharer
	held map[int]*loop.Var          // what variables hold around the list
	next map[string]map[string]bool // how beginnings go on
	seen map[int]bool
}

// lead makes expressions of their own of what leads sums and products of a list in common.
func (s *sharer) lead(list []loop.Stmt, held map[int]*loop.Var) {
	l := &leads{s: s, held: held, next: map[string]map[string]bool{}, seen: map[int]bool{}}
	l.each(list, func(e *loop.Expr, memo map[*loop.Expr]int) *loop.Expr {
		l.note(e, 1, memo)
		return e
	})
	l.each(list, func(e *loop.Expr, memo map[*loop.Expr]int) *loop.Expr {
		return l.made(e, 1, memo, map[leading]*loop.Expr{})
	})
}

// each calls f for the expressions of the statements of a list, those inside them not counted, and puts what it returns in their place.
func (l *leads) each(list []loop.Stmt, f func(e *loop.Expr, memo map[*loop.Expr]int) *loop.Expr) {
	was := maps.Clone(l.s.versions)
	for _, st := range list {
		switch st := st.(type) {
		case *loop.Let:
			st.E = f(st.E, map[*loop.Expr]int{})
		case *loop.Set:
			st.E = f(st.E, map[*loop.Expr]int{})
		case *loop.For:
			l.s.bump(loop.WritesOf(st.Body...))
		case *loop.While:
			l.s.bump(loop.WritesOf(st))
		}
		l.s.bump(loop.WritesOf(st))
	}
	l.s.versions = was
}

// exact reports whether a number in front of a product changes no digit of it.
func exact(k float64) bool {
	frac, _ := math.Frexp(k)
	return math.Abs(frac) == 0.5
}

// beginnings are the keys of what leads a sum or product, from two factors or terms on: the last one is the whole, if nothing but a number stands beside it.
// A product with a coefficient k of a sum is printed with that number.
func (l *leads) beginnings(e *loop.Expr, k float64, memo map[*loop.Expr]int) []string {
	var parts []string
	switch {
	case slices.ContainsFunc(e.K, math.IsNaN): // nothing is taken out of what is no number
	case e.Op == loop.Add:
		for n, a := range e.Args {
			parts = append(parts, fmt.Sprint(e.K[n], ":", l.s.value(a, memo)))
		}
	case e.Op == loop.Mul && exact(k*e.Val):
		for n, a := range e.Args {
			switch p := e.K[n]; {
			case p < 0:
			case p == math.Trunc(p) && p <= 4:
				for range int(p) {
					parts = append(parts, fmt.Sprint(l.s.value(a, memo)))
				}
			default:
				parts = append(parts, fmt.Sprint("^", p, ":", l.s.value(a, memo)))
			}
		}
	}
	if len(parts) < 2 {
		return nil
	}
	slices.Sort(parts[:2]) // the order of two does not matter
	parts = parts[:min(len(parts), maxLead)]
	out := make([]string, len(parts)-1)
	for n := range out {
		out[n] = fmt.Sprint(e.Op, " ", strings.Join(parts[:n+2], " "))
	}
	return out
}

// note notes the beginnings of an expression and of those inside it.
func (l *leads) note(e *loop.Expr, k float64, memo map[*loop.Expr]int) {
	if len(e.Args) == 0 {
		return
	}
	value := l.s.value(e, memo)
	keys := l.beginnings(e, k, memo)
	for n, key := range keys {
		on := fmt.Sprint("end ", value)
		if n+1 < len(keys) {
			on = keys[n+1]
		}
		if l.next[key] == nil {
			l.next[key] = map[string]bool{}
		}
		l.next[key][on] = true
	}
	if l.seen[value] {
		return
	}
	l.seen[value] = true
	for n, a := range e.Args {
		l.note(a, coefficient(e, n), memo)
	}
}

// coefficient is the number that an operand of a sum is printed with.
func coefficient(e *loop.Expr, n int) float64 {
	if e.Op == loop.Add {
		return math.Abs(e.K[n])
	}
	return 1
}

// leading is an expression with the coefficient that it stands beside.
type leading struct {
	e *loop.Expr
	k float64
}

// made is an expression in which what leads others too is an expression of its own.
func (l *leads) made(e *loop.Expr, k float64, memo map[*loop.Expr]int, done map[leading]*loop.Expr) *loop.Expr {
	if len(e.Args) == 0 {
		return e
	}
	if r := done[leading{e, k}]; r != nil {
		return r
	}
	out := e
	keys := l.beginnings(e, k, memo)
	for n := len(keys) - 1; n >= 0; n-- {
		first, rest := cut(e, n+2)
		if rest == nil || len(l.next[keys[n]]) < 2 && l.held[l.s.value(first, memo)] == nil {
			continue
		}
		out = rest
		break
	}
	own := *out
	own.Args = slices.Clone(out.Args)
	changed := out != e
	for n, a := range out.Args {
		own.Args[n] = l.made(a, coefficient(out, n), memo, done)
		changed = changed || own.Args[n] != a
	}
	if !changed {
		done[leading{e, k}] = e
		return e
	}
	done[leading{e, k}] = &own
	return &own
}

// cut makes an expression of what leads a sum or product, and returns it with the whole that it leads; nil if it is the whole.
func cut(e *loop.Expr, parts int) (first, whole *loop.Expr) {
	first, whole = &loop.Expr{Op: e.Op}, &loop.Expr{Op: e.Op, Val: e.Val, K: []float64{1}}
	if e.Op == loop.Mul {
		first.Val = 1
	}
	whole.Args = []*loop.Expr{first}
	for n, a := range e.Args {
		k := e.K[n]
		take := 0.0
		switch {
		case parts == 0 || e.Op == loop.Mul && k < 0:
		case e.Op == loop.Add || k != math.Trunc(k) || k > 4:
			take = k
			parts--
		default:
			take = min(k, float64(parts))
			parts -= int(take)
		}
		if take != 0 {
			first.K, first.Args = append(first.K, take), append(first.Args, a)
		}
		if take != k {
			whole.K, whole.Args = append(whole.K, k-take), append(whole.Args, a)
		}
	}
	if len(whole.Args) == 1 && (e.Op == loop.Add || e.Val == 1) {
		return first, nil
	}
	return first, whole
}
