package unroll

import (
	"go/ast"
	"go/token"
	"math"
	"slices"
	"strconv"

	"github.com/hamc-dev/hamc/codegen/loop"
)

// What a name of the source stands for is a Vector, an int or a bool that is known, a *loop.Var, an Object, a called, a closure
// or a nothing.
type (
	nothing struct{}
	called  struct { // a method of an object
		of   Object
		name string
	}
	closure struct {
		receiver string
		typ      *ast.FuncType
		body     []ast.Stmt
		in       *frame // the frame that a literal stands in; nil of a function of the source
	}
)

// frame is a block of a function that is being lifted.
type frame struct {
	known map[string]any
	outer *frame // whose names are known too
	top   bool   // of its function
	scope *loop.Block
	again bool // the first turn of a loop stands before
	// leave makes a return.
	leave func(results []ast.Expr, in *frame) []loop.Stmt
}

// inner starts a block.
func (f *frame) inner() *frame {
	return &frame{known: map[string]any{}, outer: f, scope: f.scope, again: f.again, leave: f.leave}
}

// find returns what a name stands for, or nil.
func (f *frame) find(name string) any {
	for ; f != nil; f = f.outer {
		if v, ok := f.known[name]; ok {
			return v
		}
	}
	return nil
}

// value returns what an expression stands for, or nil where it has to be computed.
func (l *lifter) value(f *frame, e ast.Expr) any {
	switch e := e.(type) {
	case *ast.Ident:
		if v := f.find(e.Name); v != nil {
			return v
		}
		if e.Name == "nil" {
			return nothing{}
		}
	case *ast.BasicLit:
		if n, err := strconv.Atoi(e.Value); err == nil && e.Kind == token.INT {
			return n
		}
	case *ast.ParenExpr:
		return l.value(f, e.X)
	case *ast.FuncLit:
		return &closure{typ: e.Type, body: e.Body.List, in: f}
	case *ast.SelectorExpr:
		return l.field(f, e)
	case *ast.IndexExpr:
		if v, ok := l.value(f, e.X).(Vector); ok {
			return v[l.position(f, e.Index)]
		}
	case *ast.SliceExpr:
		if v, ok := l.value(f, e.X).(Vector); ok {
			return l.slice(f, v, e)
		}
	case *ast.CallExpr:
		if id, ok := e.Fun.(*ast.Ident); ok && id.Name == "len" {
			if v, ok := l.value(f, e.Args[0]).(Vector); ok {
				return len(v)
			}
		}
	case *ast.BinaryExpr:
		return l.binary(f, e)
	}
	return nil
}

// field returns what a field or a method stands for.
func (l *lifter) field(f *frame, e *ast.SelectorExpr) any {
	o, ok := l.value(f, e.X).(Object)
	if !ok {
		return nil
	}
	if v := l.o.Fields[e.Sel.Name]; v != nil {
		return v
	}
	return called{o, e.Sel.Name}
}

func (l *lifter) slice(f *frame, v Vector, e *ast.SliceExpr) Vector {
	low, high := 0, len(v)
	if e.Low != nil {
		low = l.position(f, e.Low)
	}
	if e.High != nil {
		high = l.position(f, e.High)
	}
	if low > high || high > len(v) {
		l.fail(e, "a slice outside of its vector")
	}
	return v[low:high]
}

// binary computes with numbers that are known.
func (l *lifter) binary(f *frame, e *ast.BinaryExpr) any {
	x, y := l.value(f, e.X), l.value(f, e.Y)
	switch x := x.(type) {
	case nothing:
		return equal(e.Op, y == any(nothing{}))
	case *closure, called:
		if _, ok := y.(nothing); ok {
			return equal(e.Op, false)
		}
	case int:
		if y, ok := y.(int); ok {
			return compute(e.Op, x, y)
		}
	}
	if x, ok := x.(bool); ok && e.Op == token.LAND {
		if y, ok := y.(bool); ok || !x {
			return x && y
		}
	}
	return nil
}

// equal is what a comparison for equality, or the opposite, comes to.
func equal(op token.Token, is bool) any {
	switch op {
	case token.EQL:
		return is
	case token.NEQ:
		return !is
	}
	return nil
}

func compute(op token.Token, x, y int) any {
	switch op {
	case token.ADD:
		return x + y
	case token.SUB:
		return x - y
	case token.MUL:
		return x * y
	case token.QUO:
		return x / y
	case token.GTR:
		return x > y
	case token.LSS:
		return x < y
	}
	return equal(op, x == y)
}

// position returns an int that has to be known.
func (l *lifter) position(f *frame, e ast.Expr) int {
	n, ok := l.value(f, e).(int)
	if !ok {
		l.fail(e, "a number that is not known")
	}
	return n
}

// int returns an int of the program, or nil if an expression is none.
func (l *lifter) int(f *frame, e ast.Expr) *loop.Int {
	switch v := l.value(f, e).(type) {
	case int:
		return loop.Const(v)
	case *loop.Var:
		if v.Int {
			return loop.At(v)
		}
	}
	return nil
}

// number returns a number of the program.
func (l *lifter) number(f *frame, e ast.Expr) *loop.Expr {
	switch v := l.value(f, e).(type) {
	case *loop.Var:
		if v.Scalar() && !v.Int && !v.Truth && !v.Status {
			return loop.Value(v)
		}
	case int:
		return loop.Number(float64(v))
	}
	switch e := e.(type) {
	case *ast.BasicLit:
		if v, err := strconv.ParseFloat(e.Value, 64); err == nil {
			return loop.Number(v)
		}
	case *ast.ParenExpr:
		return l.number(f, e.X)
	case *ast.UnaryExpr:
		if e.Op == token.SUB {
			return &loop.Expr{Op: loop.Mul, Val: -1, K: []float64{1}, Args: []*loop.Expr{l.number(f, e.X)}}
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.ADD, token.SUB:
			return l.sum(f, e)
		case token.MUL, token.QUO:
			return l.product(f, e)
		}
	case *ast.CallExpr:
		return l.function(f, e)
	}
	l.fail(e, "no number")
	return nil
}

// leads returns the left operand of an operator, to go on with if it is of the same kind and not in parentheses.
func (l *lifter) leads(f *frame, e ast.Expr, op loop.Op) *loop.Expr {
	x := l.number(f, e)
	if _, ok := e.(*ast.BinaryExpr); ok && x.Op == op {
		return &loop.Expr{Op: op, Val: x.Val, K: slices.Clone(x.K), Args: slices.Clone(x.Args)}
	}
	switch {
	case op == loop.Mul && x.Op == loop.Num:
		return &loop.Expr{Op: op, Val: x.Val}
	case op == loop.Mul:
		return &loop.Expr{Op: op, Val: 1, K: []float64{1}, Args: []*loop.Expr{x}}
	}
	return &loop.Expr{Op: op, K: []float64{1}, Args: []*loop.Expr{x}}
}

func (l *lifter) sum(f *frame, e *ast.BinaryExpr) *loop.Expr {
	x := l.leads(f, e.X, loop.Add)
	k := 1.0
	if e.Op == token.SUB {
		k = -1
	}
	x.K, x.Args = append(x.K, k), append(x.Args, l.number(f, e.Y))
	return x
}

func (l *lifter) product(f *frame, e *ast.BinaryExpr) *loop.Expr {
	x := l.leads(f, e.X, loop.Mul)
	if len(x.K) > 0 && x.K[len(x.K)-1] < 0 {
		l.fail(e, "a quotient that is multiplied")
	}
	k := 1.0
	if e.Op == token.QUO {
		k = -1
	}
	x.K, x.Args = append(x.K, k), append(x.Args, l.number(f, e.Y))
	return x
}

// function returns the number that a call comes to.
func (l *lifter) function(f *frame, e *ast.CallExpr) *loop.Expr {
	if id, ok := e.Fun.(*ast.Ident); ok && id.Name == "float64" {
		return l.number(f, e.Args[0]) // products are rounded anyway
	}
	if s, ok := e.Fun.(*ast.SelectorExpr); ok && l.value(f, s) == nil {
		if id, ok := s.X.(*ast.Ident); ok && id.Name == "math" {
			if s.Sel.Name == "Inf" {
				return loop.Number(math.Inf(l.position(f, e.Args[0])))
			}
			return &loop.Expr{Op: loop.Call, Func: "math." + s.Sel.Name, Args: []*loop.Expr{l.number(f, e.Args[0])}}
		}
	}
	name, c := l.callee(f, e)
	if v := l.o.Values[name]; v != nil {
		if x, ok := l.valueOf(f, e, v).(*loop.Expr); ok {
			return x
		}
	}
	if c != nil {
		if r, ok := c.body[0].(*ast.ReturnStmt); ok && len(r.Results) == 1 {
			return l.number(l.enter(f, e, c), r.Results[0])
		}
	}
	l.fail(e, "%s is no expression", name)
	return nil
}

// valueOf calls a Value.
func (l *lifter) valueOf(f *frame, e *ast.CallExpr, v func(Vector, ...*loop.Expr) any) any {
	x, ok := l.value(f, e.Args[0]).(Vector)
	if !ok {
		l.fail(e, "a function of no vector")
	}
	var rest []*loop.Expr
	for _, a := range e.Args[1:] {
		rest = append(rest, l.number(f, a))
	}
	return v(x, rest...)
}
