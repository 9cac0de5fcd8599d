package unroll

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/hamc-dev/hamc/codegen/loop"
)

// block lifts statements that have a block of their own in the source.
func (l *lifter) block(f *frame, list []ast.Stmt) []loop.Stmt {
	f = f.inner()
	var out []loop.Stmt
	for _, s := range list {
		for _, c := range l.comments[s] {
			if c.End() <= s.Pos() {
				for _, line := range c.List {
					out = append(out, &loop.Note{Text: strings.TrimSpace(strings.TrimPrefix(line.Text, "//"))})
				}
			}
		}
		out = append(out, l.stmt(f, s)...)
	}
	return out
}

// stmt lifts a statement.
func (l *lifter) stmt(f *frame, s ast.Stmt) []loop.Stmt {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return l.assign(f, s)
	case *ast.DeclStmt:
		return l.declare(f, s)
	case *ast.ExprStmt:
		if e, ok := s.X.(*ast.CallExpr); ok {
			return l.callStmt(f, e)
		}
	case *ast.IfStmt:
		return l.branch(f, s)
	case *ast.ForStmt:
		return l.repeat(f, s)
	case *ast.RangeStmt:
		return l.each(f, s)
	case *ast.ReturnStmt:
		return l.leave(f, s)
	}
	l.fail(s, "a statement of another kind: %T", s)
	return nil
}

// leave lifts a return; that of a function of the source returns what it returns.
func (l *lifter) leave(f *frame, s *ast.ReturnStmt) []loop.Stmt {
	if len(s.Results) == 1 {
		if e, ok := s.Results[0].(*ast.CallExpr); ok {
			if name, c := l.callee(f, e); c != nil && l.o.Stages[name] == nil {
				in := l.enter(f, e, c)
				in.leave = f.leave
				return l.block(in, c.body)
			}
		}
	}
	return f.leave(s.Results, f)
}

// assign lifts an assignment, if it is not one that is made on the way.
func (l *lifter) assign(f *frame, s *ast.AssignStmt) []loop.Stmt {
	if e, ok := s.Rhs[0].(*ast.CallExpr); ok && len(s.Rhs) == 1 {
		name, c := l.callee(f, e)
		if stage := l.o.Stages[name]; stage != nil {
			return stage(l.newCall(f, e, s.Lhs))
		}
		if c != nil && len(s.Lhs) > 1 {
			return l.inline(f, s, e, c)
		}
	}
	if l.bind(f, s) {
		return nil
	}
	if len(s.Lhs) != len(s.Rhs) {
		return l.results(f, s, s.Lhs, s.Rhs[0])
	}
	if s.Tok != token.DEFINE && len(s.Lhs) > 1 {
		return l.together(f, s)
	}
	var out []loop.Stmt
	for i := range s.Lhs {
		out = append(out, l.one(f, s, s.Lhs[i], s.Rhs[i])...)
	}
	return out
}

// one lifts the assignment of one value.
func (l *lifter) one(f *frame, s *ast.AssignStmt, left, right ast.Expr) []loop.Stmt {
	if e, ok := right.(*ast.CallExpr); ok {
		if _, ok := l.value(f, e.Fun).(called); ok {
			if name, _ := l.callee(f, e); l.o.Values[name] == nil {
				return l.results(f, s, []ast.Expr{left}, right)
			}
		}
	}
	if v, ok := l.value(f, left).(*loop.Var); ok && s.Tok != token.DEFINE {
		l.change(Vector{v})
		return []loop.Stmt{l.store(f, v, right, s.Tok == token.ADD_ASSIGN)}
	}
	name := l.named(left)
	v := &loop.Var{Name: name}
	x := l.number(f, right)
	f.known[name] = v
	return []loop.Stmt{&loop.Let{V: v, E: x}}
}

// store lifts the assignment of a value to a variable of whatever type.
func (l *lifter) store(f *frame, v *loop.Var, right ast.Expr, add bool) loop.Stmt {
	switch {
	case v.Int:
		x := l.int(f, right)
		if add {
			x = loop.At(v).Add(x)
		}
		return &loop.Assign{V: v, Value: loop.Content{I: x}}
	case v.Truth:
		return &loop.Decide{V: v, Tests: l.conditions(f, right)}
	case v.Status:
		return &loop.Assign{V: v, Value: l.status(f, right)}
	}
	return &loop.Set{V: v, E: l.number(f, right), Add: add}
}

// status is what a status is set to.
func (l *lifter) status(f *frame, e ast.Expr) loop.Content {
	if v, ok := l.value(f, e).(*loop.Var); ok {
		return loop.Content{From: v}
	}
	id, ok := e.(*ast.Ident)
	if !ok || !ast.IsExported(id.Name) {
		l.fail(e, "no status")
	}
	return loop.Content{Word: id.Name}
}

// named returns the name that an expression is.
func (l *lifter) named(e ast.Expr) string {
	id, ok := e.(*ast.Ident)
	if !ok {
		l.fail(e, "no name")
	}
	return id.Name
}

// together lifts an assignment of several numbers, all of which are computed first.
func (l *lifter) together(f *frame, s *ast.AssignStmt) []loop.Stmt {
	var vars []*loop.Var
	var values []*loop.Expr
	for i, e := range s.Lhs {
		v, ok := l.value(f, e).(*loop.Var)
		if !ok || s.Tok != token.ASSIGN {
			l.fail(e, "no variable")
		}
		l.change(Vector{v})
		vars, values = append(vars, v), append(values, l.number(f, s.Rhs[i]))
	}
	var out []loop.Stmt
	for i, v := range vars {
		for n := i + 1; n < len(values); n++ {
			if values[n].Op == loop.Scalar && values[n].Var == v || values[n].Op != loop.Scalar && reads(values[n], v) {
				later := &loop.Var{Name: "d"}
				out = append(out, &loop.Let{V: later, E: values[n]})
				values[n] = loop.Value(later)
			}
		}
		out = append(out, &loop.Set{V: v, E: values[i]})
	}
	return out
}

// reads reports whether a number is made of a variable.
func reads(e *loop.Expr, v *loop.Var) bool {
	found := false
	loop.Nodes(e, func(x *loop.Expr) { found = found || x.Var == v })
	return found
}

// bind lets names stand for what is known, and reports whether it is.
func (l *lifter) bind(f *frame, s *ast.AssignStmt) bool {
	if s.Tok != token.DEFINE && s.Tok != token.ASSIGN || len(s.Lhs) != len(s.Rhs) {
		return false
	}
	values := make([]any, len(s.Rhs))
	for i, e := range s.Rhs {
		values[i] = l.value(f, e)
		_, vector := values[i].(Vector)
		if _, number := values[i].(int); !vector && !(number && s.Tok == token.DEFINE) {
			return false
		}
	}
	for i, e := range s.Lhs {
		name := e.(*ast.Ident).Name
		in := f
		for s.Tok == token.ASSIGN && in.known[name] == nil {
			in = in.outer
		}
		in.known[name] = values[i]
	}
	return true
}

// declare lifts a declaration of variables.
func (l *lifter) declare(f *frame, s *ast.DeclStmt) []loop.Stmt {
	var out []loop.Stmt
	for _, d := range s.Decl.(*ast.GenDecl).Specs {
		v, ok := d.(*ast.ValueSpec)
		if !ok || len(v.Values) > 0 {
			l.fail(s, "no declaration of variables")
		}
		for _, n := range v.Names {
			x := l.typed(n.Name, v.Type)
			f.known[n.Name] = x
			out = append(out, &loop.Zero{V: x})
		}
	}
	return out
}

// typed is a variable of a type of the source.
func (l *lifter) typed(name string, typ ast.Expr) *loop.Var {
	v := &loop.Var{Name: name}
	switch t := typ.(*ast.Ident); t.Name {
	case "float64":
	case "int":
		v.Int = true
	case "bool":
		v.Truth = true
	case "Status":
		v.Status = true
	default:
		l.fail(typ, "no variables of type %s", t.Name)
	}
	return v
}

// branch lifts an if, or the part of it that is known to be taken.
func (l *lifter) branch(f *frame, s *ast.IfStmt) []loop.Stmt {
	if code, ok := l.checked(f, s); ok {
		return code
	}
	f = f.inner()
	var out []loop.Stmt
	if s.Init != nil {
		out = l.stmt(f, s.Init)
	}
	if is, ok := l.value(f, s.Cond).(bool); ok {
		switch {
		case is:
			return append(out, l.block(f, s.Body.List)...)
		case s.Else != nil:
			return append(out, l.stmtOrBlock(f, s.Else)...)
		}
		return out
	}
	b := &loop.Branch{Tests: l.conditions(f, s.Cond)}
	b.Then = l.block(f, s.Body.List)
	if s.Else != nil {
		b.Else = l.stmtOrBlock(f, s.Else)
	}
	return append(out, b)
}

func (l *lifter) stmtOrBlock(f *frame, s ast.Stmt) []loop.Stmt {
	if b, ok := s.(*ast.BlockStmt); ok {
		return l.block(f, b.List)
	}
	return l.stmt(f, s)
}

// checked lifts if st := call; st != OK { … }, of a stage or a function that has stages.
func (l *lifter) checked(f *frame, s *ast.IfStmt) ([]loop.Stmt, bool) {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 {
		return nil, false
	}
	call, ok := init.Rhs[0].(*ast.CallExpr)
	cond, compared := s.Cond.(*ast.BinaryExpr)
	if !ok || !compared || cond.Op != token.NEQ || !isOK(cond.Y) || s.Else != nil {
		return nil, false
	}
	name := init.Lhs[0].(*ast.Ident).Name
	return l.failing(f, call, func(status *loop.Var) []loop.Stmt {
		in := f.inner()
		in.known[name] = status
		return l.block(in, s.Body.List)
	})
}

// failing lifts a call that returns a status.
func (l *lifter) failing(f *frame, e *ast.CallExpr, fail func(*loop.Var) []loop.Stmt) ([]loop.Stmt, bool) {
	name, c := l.callee(f, e)
	if stage := l.o.Stages[name]; stage != nil {
		call := l.newCall(f, e, nil)
		call.Fail = fail
		return stage(call), true
	}
	if c == nil {
		return nil, false
	}
	in := l.enter(f, e, c)
	in.leave = func(results []ast.Expr, in *frame) []loop.Stmt {
		if isOK(results[0]) {
			return nil
		}
		call, ok := results[0].(*ast.CallExpr)
		if ok {
			if code, ok := l.failing(in, call, fail); ok {
				return code
			}
		}
		l.fail(results[0], "neither OK nor the status of a stage")
		return nil
	}
	for i, s := range c.body {
		if _, ok := s.(*ast.ReturnStmt); ok != (i == len(c.body)-1) {
			l.fail(s, "a function that returns a status ends with its one return")
		}
	}
	return l.block(in, c.body), true
}
