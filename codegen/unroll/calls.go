package unroll

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"

	"github.com/hamc-dev/hamc/codegen/loop"
)

// callee returns the name of a function or method that is called, if Options or the source can have it, and its
// statements, if the source has them.
func (l *lifter) callee(f *frame, e *ast.CallExpr) (string, *closure) {
	var name string
	switch v := l.value(f, e.Fun).(type) {
	case *closure:
		return "", v
	case called:
		name = v.name
	case nil:
		id, ok := e.Fun.(*ast.Ident)
		if !ok {
			return "", nil
		}
		name = id.Name
	}
	if l.o.Stages[name] != nil || l.o.Values[name] != nil {
		return name, nil
	}
	d := l.funcs[name]
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
func (l *lifter) enter(f *frame, e *ast.CallExpr, c *closure) *frame {
	in := &frame{known: map[string]any{}, outer: c.in, top: true, scope: f.scope, again: f.again}
	if c.receiver != "" {
		in.known[c.receiver] = Object{}
	}
	for i, name := range fieldNames(c.typ.Params) {
		v := l.value(f, e.Args[i])
		if v == nil {
			l.fail(e.Args[i], "an argument that has no name")
		}
		in.known[name] = v
	}
	return in
}

func (l *lifter) newCall(f *frame, e *ast.CallExpr, results []ast.Expr) *Call {
	c := &Call{Scope: f.scope, Again: f.again, l: l, f: f, args: e.Args}
	for _, r := range results {
		c.names = append(c.names, l.named(r))
	}
	return c
}

// inline puts a function with several results in the place of a call. Its returns leave the block that it becomes.
func (l *lifter) inline(f *frame, s *ast.AssignStmt, e *ast.CallExpr, c *closure) []loop.Stmt {
	var out []loop.Stmt
	var types []ast.Expr
	for _, t := range c.typ.Results.List {
		types = append(types, t.Type)
	}
	left := make([]*loop.Var, len(s.Lhs))
	for i, x := range s.Lhs {
		if id, ok := x.(*ast.Ident); ok && s.Tok == token.DEFINE && f.known[id.Name] == nil {
			v := l.typed(id.Name, types[i])
			f.known[id.Name] = v
			out = append(out, &loop.Zero{V: v})
		}
		v, ok := l.value(f, x).(*loop.Var)
		if !ok {
			l.fail(x, "a result is no variable")
		}
		left[i] = v
	}
	b := &loop.Block{Name: "solved"}
	if l.blocks++; l.blocks > 1 {
		b.Name = fmt.Sprint(b.Name, l.blocks)
	}
	in := l.enter(f, e, c)
	in.scope = b
	in.leave = func(results []ast.Expr, from *frame) []loop.Stmt {
		var code []loop.Stmt
		for i, v := range left {
			code = append(code, l.store(from, v, results[i], false))
		}
		return append(code, &loop.Leave{Name: b.Name})
	}
	b.Body = l.block(in, c.body)
	return append(out, b)
}

// callStmt lifts a call that is a statement.
func (l *lifter) callStmt(f *frame, e *ast.CallExpr) []loop.Stmt {
	name, c := l.callee(f, e)
	switch {
	case l.o.Stages[name] != nil:
		return l.o.Stages[name](l.newCall(f, e, nil))
	case c != nil:
		return l.block(l.enter(f, e, c), c.body)
	case name == "copy":
		return l.copy(f, e)
	}
	return l.invoke(f, e, nil, false)
}

// copy lifts what copy does, which between two slices of the same variables is nothing.
func (l *lifter) copy(f *frame, e *ast.CallExpr) []loop.Stmt {
	to, ok := l.value(f, e.Args[0]).(Vector)
	from, is := l.value(f, e.Args[1]).(Vector)
	if !ok || !is || len(to) != len(from) {
		l.fail(e, "no copy of a vector to one of its length")
	}
	if slices.Equal(to, from) {
		return nil
	}
	l.change(to)
	var out []loop.Stmt
	for i, v := range to {
		if slices.Contains(from[i+1:], v) {
			l.fail(e, "a copy of a vector to a part of it")
		}
		out = append(out, &loop.Set{V: v, E: loop.Value(from[i])})
	}
	return out
}

// results lifts the assignment of what a call of the table gives.
func (l *lifter) results(f *frame, s *ast.AssignStmt, lefts []ast.Expr, right ast.Expr) []loop.Stmt {
	e, ok := right.(*ast.CallExpr)
	if !ok {
		l.fail(right, "no call")
	}
	what := l.gives(f, e)
	if len(what) != len(lefts) {
		l.fail(right, "a call that gives something else")
	}
	vars := make([]*loop.Var, len(lefts))
	declared := 0
	for i, x := range lefts {
		if v, ok := l.value(f, x).(*loop.Var); ok {
			vars[i] = v
			continue
		}
		name := l.named(x)
		vars[i] = &loop.Var{Name: name, Int: what[i] == "int", Status: what[i] == "status"}
		f.known[name] = vars[i]
		declared++
	}
	if declared != 0 && declared != len(vars) {
		l.fail(right, "results of which some are declared")
	}
	return l.invoke(f, e, vars, declared > 0)
}

// gives are the types of what a call of the table gives.
func (l *lifter) gives(f *frame, e *ast.CallExpr) []string {
	m, ok := l.value(f, e.Fun).(called)
	if !ok {
		l.fail(e, "no method")
	}
	what, ok := loop.Gives(m.of.Name + "." + m.name)
	if !ok {
		l.fail(e, "%s.%s is no call of the table", m.of.Name, m.name)
	}
	return what
}

// invoke lifts a call of the table. Vectors stand in arrays for it, and are read from there if it changes them.
func (l *lifter) invoke(f *frame, e *ast.CallExpr, results []*loop.Var, declares bool) []loop.Stmt {
	l.gives(f, e)
	m := l.value(f, e.Fun).(called)
	call := &loop.Invoke{Func: m.of.Name + "." + m.name, Results: results, Declares: declares}
	var before, after []loop.Stmt
	for _, a := range e.Args {
		if v, ok := l.value(f, a).(Vector); ok {
			array := &loop.Var{Name: "x", Shape: []*loop.Int{loop.Const(len(v))}}
			table := &loop.Table{V: array}
			for i, x := range v {
				table.Elements = append(table.Elements, loop.Value(x))
				after = append(after, &loop.Set{V: x, E: loop.Element(array, loop.Const(i))})
			}
			before = append(before, table)
			call.Args = append(call.Args, loop.Arg{V: array})
			continue
		}
		if i := l.int(f, a); i != nil {
			call.Args = append(call.Args, loop.Arg{I: i})
			continue
		}
		call.Args = append(call.Args, loop.Arg{E: l.number(f, a)})
	}
	if len(call.Changed()) == 0 {
		return append(before, call)
	}
	for _, a := range e.Args {
		if v, ok := l.value(f, a).(Vector); ok {
			l.change(v)
		}
	}
	return slices.Concat(before, []loop.Stmt{call}, after)
}
