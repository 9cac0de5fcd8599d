package unroll

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/dave/jennifer/jen"
)

// callee returns the name of a function or method that is called, if Options or the source can have it, and its
// statements, if the source has them.
func (p *printer) callee(f *frame, e *ast.CallExpr) (string, *closure) {
	var name string
	switch v := p.value(f, e.Fun).(type) {
	case *closure:
		return "", v
	case called:
		name = string(v)
	case nil:
		id, ok := e.Fun.(*ast.Ident)
		if !ok {
			return "", nil
		}
		name = id.Name
	}
	if p.o.Stages[name] != nil || p.o.Values[name] != nil {
		return name, nil
	}
	d := p.funcs[name]
	if d == nil {
		return name, nil
	}
	c := &closure{typ: d.Type, body: d.Body.List}
	if d.Recv != nil {
		c.receiver = fieldNames(d.Recv)[0]
	}
	return name, c
}

// enter makes a frame for a function that is called, in which its parameters stand for the arguments.
func (p *printer) enter(f *frame, e *ast.CallExpr, c *closure) *frame {
	in := &frame{known: map[string]any{}, outer: c.in, top: true, scope: f.scope, again: f.again}
	if c.receiver != "" {
		in.known[c.receiver] = object{}
	}
	for i, name := range fieldNames(c.typ.Params) {
		v := p.value(f, e.Args[i])
		if v == nil {
			switch e.Args[i].(type) {
			case *ast.SelectorExpr, *ast.Ident:
			default:
				p.fail(e.Args[i], "an argument that has no name")
			}
			v = printed(func() *jen.Statement { return p.expr(f, e.Args[i]) })
		}
		in.known[name] = v
	}
	return in
}

func (p *printer) newCall(f *frame, e *ast.CallExpr, results []string) *Call {
	return &Call{Results: results, Scope: f.scope, Again: f.again, p: p, f: f, args: e.Args}
}

// inline puts a function with several results in the place of a call. Its returns go to the end of a block.
func (p *printer) inline(f *frame, s *ast.AssignStmt, e *ast.CallExpr, c *closure) []jen.Code {
	var out []jen.Code
	var types []ast.Expr
	for _, t := range c.typ.Results.List {
		types = append(types, t.Type)
	}
	left := make([]func() *jen.Statement, len(s.Lhs))
	for i, l := range s.Lhs {
		if id, ok := l.(*ast.Ident); ok && s.Tok == token.DEFINE && f.known[id.Name] == nil {
			name := p.o.Fresh(id.Name)
			f.known[id.Name] = variable(name)
			out = append(out, jen.Var().Id(name).Add(p.expr(f, types[i])))
		}
		left[i] = func() *jen.Statement { return p.expr(f, l) }
	}
	label := p.o.Fresh("solved")
	in := p.enter(f, e, c)
	in.scope = &Scope{}
	in.leave = func(results []ast.Expr, from *frame) []jen.Code {
		list, values := make([]jen.Code, len(left)), make([]jen.Code, len(left))
		for i := range left {
			list[i], values[i] = left[i](), p.expr(from, results[i])
		}
		return []jen.Code{jen.List(list...).Op("=").List(values...), jen.Goto().Id(label)}
	}
	return append(out, jen.Block(p.block(in, c.body)...), jen.Id(label).Op(":"))
}

// callStmt prints a call that is a statement.
func (p *printer) callStmt(f *frame, e *ast.CallExpr) []jen.Code {
	name, c := p.callee(f, e)
	switch {
	case p.o.Stages[name] != nil:
		return p.o.Stages[name](p.newCall(f, e, nil))
	case c != nil:
		return p.block(p.enter(f, e, c), c.body)
	case name == "copy":
		return p.copy(f, e)
	}
	return p.spill(f, e)
}

// copy prints what copy does, which between two slices of the same variables is nothing.
func (p *printer) copy(f *frame, e *ast.CallExpr) []jen.Code {
	to, ok := p.value(f, e.Args[0]).(Vector)
	from, is := p.value(f, e.Args[1]).(Vector)
	if !ok || !is || len(to) != len(from) {
		p.fail(e, "no copy of a vector to one of its length")
	}
	if slices.Equal(to, from) {
		return nil
	}
	p.change(to)
	return []jen.Code{names(to).Op("=").Add(names(from))}
}

// spill prints a call of a function with slices, which vectors are copied to, and from if it writes to them.
func (p *printer) spill(f *frame, e *ast.CallExpr) []jen.Code {
	var before, after []jen.Code
	writes := p.o.Writes[lastName(e.Fun)]
	args := make([]jen.Code, len(e.Args))
	for i, a := range e.Args {
		v, ok := p.value(f, a).(Vector)
		if !ok {
			args[i] = p.expr(f, a)
			continue
		}
		array := p.o.Fresh("x")
		before = append(before, jen.Id(array).Op(":=").Index(jen.Lit(len(v))).Float64().Values(names(v)))
		args[i] = jen.Id(array).Index(jen.Op(":"))
		if writes {
			p.change(v)
			after = append(after, names(v).Op("=").Add(elements(array, len(v))))
		}
	}
	call := jen.Add(p.expr(f, e.Fun)).Call(args...)
	return append(append(before, call), after...)
}

// lastName returns the name of a function, or of a method or a field without what it belongs to.
func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}
