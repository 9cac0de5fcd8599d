package unroll

import (
	"go/ast"
	"go/token"
	"strconv"

	"github.com/dave/jennifer/jen"
)

// What a name of the source stands for is a Vector, an int or a bool that is known, a variable, an object, a closure,
// a nothing, or a function that prints an expression.
type (
	variable string
	object   struct{}
	nothing  struct{}
	printed  func() *jen.Statement
	called   string // a method of an object
	closure  struct {
		receiver string
		typ      *ast.FuncType
		body     []ast.Stmt
		in       *frame // the frame that a literal stands in; nil of a function of the source
	}
)

// frame is a block of a function that is being printed.
type frame struct {
	known map[string]any
	outer *frame // whose names are known too
	top   bool   // of its function
	scope *Scope
	again bool // the first turn of a loop has been printed
	// leave prints a return.
	leave func(results []ast.Expr, in *frame) []jen.Code
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

// value returns what is known of an expression, or nil where it has to be printed.
func (p *printer) value(f *frame, e ast.Expr) any {
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
		return p.value(f, e.X)
	case *ast.FuncLit:
		return &closure{typ: e.Type, body: e.Body.List, in: f}
	case *ast.SelectorExpr:
		return p.field(f, e)
	case *ast.IndexExpr:
		if v, ok := p.value(f, e.X).(Vector); ok {
			return variable(v[p.number(f, e.Index)])
		}
	case *ast.SliceExpr:
		if v, ok := p.value(f, e.X).(Vector); ok {
			return p.slice(f, v, e)
		}
	case *ast.CallExpr:
		if id, ok := e.Fun.(*ast.Ident); ok && id.Name == "len" {
			if v, ok := p.value(f, e.Args[0]).(Vector); ok {
				return len(v)
			}
		}
	case *ast.BinaryExpr:
		return p.binary(f, e)
	}
	return nil
}

// field returns what is known of a field or a method.
func (p *printer) field(f *frame, e *ast.SelectorExpr) any {
	if _, ok := p.value(f, e.X).(object); !ok {
		return nil
	}
	switch v := p.o.Fields[e.Sel.Name].(type) {
	case Vector:
		return v
	case *jen.Statement:
		return printed(func() *jen.Statement { return jen.Add(v) })
	}
	return called(e.Sel.Name)
}

func (p *printer) slice(f *frame, v Vector, e *ast.SliceExpr) Vector {
	low, high := 0, len(v)
	if e.Low != nil {
		low = p.number(f, e.Low)
	}
	if e.High != nil {
		high = p.number(f, e.High)
	}
	if low > high || high > len(v) {
		p.fail(e, "a slice outside of its vector")
	}
	return v[low:high]
}

// binary computes with numbers that are known.
func (p *printer) binary(f *frame, e *ast.BinaryExpr) any {
	x, y := p.value(f, e.X), p.value(f, e.Y)
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
	// What is not known is printed, whatever it is joined with, so that it is used.
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

// number returns an int that has to be known.
func (p *printer) number(f *frame, e ast.Expr) int {
	n, ok := p.value(f, e).(int)
	if !ok {
		p.fail(e, "a number that is not known")
	}
	return n
}

// expr prints an expression.
func (p *printer) expr(f *frame, e ast.Expr) *jen.Statement {
	switch v := p.value(f, e).(type) {
	case variable:
		return jen.Id(string(v))
	case int:
		return jen.Lit(v)
	case bool:
		return jen.Lit(v)
	case printed:
		return v()
	case nothing:
		return jen.Nil()
	case nil:
	default:
		p.fail(e, "no expression: %T", v)
	}
	switch e := e.(type) {
	case *ast.Ident:
		if predeclared[e.Name] {
			return jen.Id(e.Name)
		}
		if !ast.IsExported(e.Name) {
			p.fail(e, "%s cannot be named outside of the package", e.Name)
		}
		return p.o.Package(e.Name)
	case *ast.BasicLit:
		return jen.Id(e.Value)
	case *ast.ParenExpr:
		return jen.Parens(p.expr(f, e.X))
	case *ast.UnaryExpr:
		return jen.Op(e.Op.String()).Add(p.expr(f, e.X))
	case *ast.BinaryExpr:
		if e.Op == token.LAND && p.value(f, e.Y) == any(true) {
			return p.expr(f, e.X)
		}
		return p.expr(f, e.X).Op(e.Op.String()).Add(p.expr(f, e.Y))
	case *ast.SelectorExpr:
		if id, ok := e.X.(*ast.Ident); ok && f.find(id.Name) == nil && id.Name == "math" {
			return jen.Qual("math", e.Sel.Name)
		}
		return p.expr(f, e.X).Dot(e.Sel.Name)
	case *ast.CallExpr:
		return p.call(f, e)
	}
	p.fail(e, "no expression: %T", e)
	return nil
}

var predeclared = map[string]bool{"float64": true, "int": true, "bool": true, "true": true, "false": true, "max": true, "min": true}

// call prints a call that is an expression.
func (p *printer) call(f *frame, e *ast.CallExpr) *jen.Statement {
	name, c := p.callee(f, e)
	if v := p.o.Values[name]; v != nil {
		x, ok := p.value(f, e.Args[0]).(Vector)
		if !ok {
			p.fail(e, "%s of no vector", name)
		}
		return v(x, p.rest(f, e)...)
	}
	if c != nil {
		r, ok := c.body[0].(*ast.ReturnStmt)
		if !ok || len(r.Results) != 1 {
			p.fail(e, "%s is no expression", name)
		}
		return p.expr(p.enter(f, e, c), r.Results[0])
	}
	args := make([]jen.Code, len(e.Args))
	for i, a := range e.Args {
		args[i] = p.expr(f, a)
	}
	return p.expr(f, e.Fun).Call(args...)
}

// rest prints the arguments after the first.
func (p *printer) rest(f *frame, e *ast.CallExpr) []*jen.Statement {
	var out []*jen.Statement
	for _, a := range e.Args[1:] {
		out = append(out, p.expr(f, a))
	}
	return out
}
