package unroll

import (
	"go/ast"
	"go/token"

	"github.com/hamc-dev/hamc/codegen/loop"
)

// conditions returns what has to hold so that an expression does.
func (l *lifter) conditions(f *frame, e ast.Expr) []loop.Condition {
	if l.value(f, e) == any(true) {
		return nil
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return l.conditions(f, e.X)
	case *ast.Ident:
		if v, ok := f.find(e.Name).(*loop.Var); ok && v.Truth {
			return []loop.Condition{{Op: loop.Holds, V: v}}
		}
	case *ast.UnaryExpr:
		if x := l.conditions(f, e.X); e.Op == token.NOT && len(x) == 1 {
			x[0].Not = !x[0].Not
			return x
		}
	case *ast.CallExpr:
		name, _ := l.callee(f, e)
		if v := l.o.Values[name]; v != nil {
			if x, ok := l.valueOf(f, e, v).([]loop.Condition); ok {
				return x
			}
		}
	case *ast.BinaryExpr:
		if e.Op == token.LAND {
			return append(l.conditions(f, e.X), l.conditions(f, e.Y)...)
		}
		return []loop.Condition{l.comparison(f, e)}
	}
	l.fail(e, "no condition")
	return nil
}

// comparison returns what a comparison asks.
func (l *lifter) comparison(f *frame, e *ast.BinaryExpr) loop.Condition {
	if v, ok := l.value(f, e.X).(*loop.Var); ok && v.Status && isOK(e.Y) {
		return loop.Condition{Op: loop.Failed, V: v, Not: e.Op == token.EQL}
	}
	if s, ok := e.X.(*ast.SelectorExpr); ok {
		if _, ok := l.value(f, s).(called); ok { // a field of an object that stands for itself
			return loop.Condition{Op: loop.Setting, Setting: s.Sel.Name, Word: e.Y.(*ast.Ident).Name, Not: e.Op == token.NEQ}
		}
	}
	if i, j := l.int(f, e.X), l.int(f, e.Y); i != nil && j != nil {
		switch e.Op {
		case token.GEQ:
			return loop.Condition{Op: loop.IntAtLeast, I: i, J: j}
		case token.GTR:
			return loop.Condition{Op: loop.IntAtLeast, I: i, J: j.Plus(1)}
		case token.EQL, token.NEQ:
			return loop.Condition{Op: loop.IntSame, I: i, J: j, Not: e.Op == token.NEQ}
		}
		l.fail(e, "no such comparison of ints")
	}
	x, y := l.number(f, e.X), l.number(f, e.Y)
	switch e.Op {
	case token.LEQ:
		return loop.Condition{Op: loop.AtMost, X: x, Y: y}
	case token.GTR:
		return loop.Condition{Op: loop.Above, X: x, Y: y}
	case token.EQL:
		return loop.Condition{Op: loop.Same, X: x, Y: y}
	case token.NEQ:
		return loop.Condition{Op: loop.Differs, X: x, Y: y}
	}
	l.fail(e, "no such comparison of numbers")
	return loop.Condition{}
}

// isOK reports whether an expression is the status of success.
func isOK(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "OK"
}
