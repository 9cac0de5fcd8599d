package unroll

import (
	"go/ast"
	"go/token"

	"github.com/dave/jennifer/jen"
)

// block prints statements that have a block of their own in the source.
func (p *printer) block(f *frame, list []ast.Stmt) []jen.Code {
	f = f.inner()
	var out []jen.Code
	for _, s := range list {
		for _, c := range p.comments[s] {
			if c.End() <= s.Pos() {
				for _, line := range c.List {
					out = append(out, jen.Comment(line.Text))
				}
			}
		}
		out = append(out, p.stmt(f, s)...)
	}
	return out
}

// stmt prints a statement.
func (p *printer) stmt(f *frame, s ast.Stmt) []jen.Code {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return p.assign(f, s)
	case *ast.DeclStmt:
		return p.declare(f, s)
	case *ast.ExprStmt:
		if e, ok := s.X.(*ast.CallExpr); ok {
			return p.callStmt(f, e)
		}
	case *ast.IfStmt:
		return p.branch(f, s)
	case *ast.ForStmt:
		return p.repeat(f, s)
	case *ast.RangeStmt:
		return p.each(f, s)
	case *ast.ReturnStmt:
		return p.leave(f, s)
	}
	p.fail(s, "a statement of another kind: %T", s)
	return nil
}

// leave prints a return; that of a function of the source returns what it returns.
func (p *printer) leave(f *frame, s *ast.ReturnStmt) []jen.Code {
	if len(s.Results) == 1 {
		if e, ok := s.Results[0].(*ast.CallExpr); ok {
			if name, c := p.callee(f, e); c != nil && p.o.Stages[name] == nil {
				in := p.enter(f, e, c)
				in.leave = f.leave
				return p.block(in, c.body)
			}
		}
	}
	return f.leave(s.Results, f)
}

// assign prints an assignment, if it is not one that is made while printing.
func (p *printer) assign(f *frame, s *ast.AssignStmt) []jen.Code {
	if e, ok := s.Rhs[0].(*ast.CallExpr); ok && len(s.Rhs) == 1 {
		name, c := p.callee(f, e)
		if stage := p.o.Stages[name]; stage != nil {
			return stage(p.newCall(f, e, p.lefts(f, s, nil)))
		}
		if c != nil && len(s.Lhs) > 1 {
			return p.inline(f, s, e, c)
		}
	}
	if p.bind(f, s) {
		return nil
	}
	right := make([]jen.Code, len(s.Rhs))
	for i, e := range s.Rhs {
		right[i] = p.expr(f, e)
	}
	left := make([]jen.Code, len(s.Lhs))
	for i, e := range s.Lhs {
		if id, ok := e.(*ast.Ident); ok && s.Tok == token.DEFINE && f.known[id.Name] == nil {
			f.known[id.Name] = variable(p.o.Fresh(id.Name))
		}
		v, ok := p.value(f, e).(variable)
		if ok {
			p.change(Vector{string(v)})
		}
		left[i] = p.expr(f, e)
	}
	return []jen.Code{jen.List(left...).Op(s.Tok.String()).List(right...)}
}

// bind lets names stand for what is known, and reports whether it is.
func (p *printer) bind(f *frame, s *ast.AssignStmt) bool {
	if s.Tok != token.DEFINE && s.Tok != token.ASSIGN || len(s.Lhs) != len(s.Rhs) {
		return false
	}
	values := make([]any, len(s.Rhs))
	for i, e := range s.Rhs {
		values[i] = p.value(f, e)
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

// lefts returns the names that results are given; those that types are known of are declared.
func (p *printer) lefts(f *frame, s *ast.AssignStmt, declare func(i int, name string)) []string {
	var out []string
	for i, e := range s.Lhs {
		id, ok := e.(*ast.Ident)
		if !ok {
			p.fail(e, "a result has a name")
		}
		if s.Tok == token.DEFINE && f.known[id.Name] == nil {
			name := p.o.Fresh(id.Name)
			f.known[id.Name] = variable(name)
			if declare != nil {
				declare(i, name)
			}
		}
		v, ok := p.value(f, e).(variable)
		if !ok {
			p.fail(e, "a result is no variable")
		}
		out = append(out, string(v))
	}
	return out
}

// declare prints a declaration of variables.
func (p *printer) declare(f *frame, s *ast.DeclStmt) []jen.Code {
	var out []jen.Code
	for _, d := range s.Decl.(*ast.GenDecl).Specs {
		v, ok := d.(*ast.ValueSpec)
		if !ok || len(v.Values) > 0 {
			p.fail(s, "no declaration of variables")
		}
		for _, n := range v.Names {
			name := p.o.Fresh(n.Name)
			f.known[n.Name] = variable(name)
			out = append(out, jen.Var().Id(name).Add(p.expr(f, v.Type)))
		}
	}
	return out
}

// change notes that variables are assigned to.
func (p *printer) change(v Vector) {
	for _, x := range v {
		p.changed = p.changed || p.own[x]
	}
}

// branch prints an if, or the part of it that is known to be taken.
func (p *printer) branch(f *frame, s *ast.IfStmt) []jen.Code {
	if code, ok := p.checked(f, s); ok {
		return code
	}
	f = f.inner()
	head := []jen.Code{}
	if s.Init != nil {
		head = append(head, p.stmt(f, s.Init)...)
	}
	if is, ok := p.value(f, s.Cond).(bool); ok && s.Init == nil {
		switch {
		case is:
			return p.block(f, s.Body.List)
		case s.Else != nil:
			return p.stmtOrBlock(f, s.Else)
		}
		return nil
	}
	out := jen.If(append(head, p.expr(f, s.Cond))...).Block(p.block(f, s.Body.List)...)
	if s.Else != nil {
		out = out.Else().Block(p.stmtOrBlock(f, s.Else)...)
	}
	return []jen.Code{out}
}

func (p *printer) stmtOrBlock(f *frame, s ast.Stmt) []jen.Code {
	if b, ok := s.(*ast.BlockStmt); ok {
		return p.block(f, b.List)
	}
	return p.stmt(f, s)
}

// checked prints if st := call; st != OK { … }, of a stage or a function that has stages.
func (p *printer) checked(f *frame, s *ast.IfStmt) ([]jen.Code, bool) {
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
	return p.failing(f, call, func(status *jen.Statement) []jen.Code {
		in := f.inner()
		in.known[name] = printed(func() *jen.Statement { return jen.Add(status) })
		return p.block(in, s.Body.List)
	})
}

// isOK reports whether an expression is the status of success.
func isOK(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "OK"
}

// failing prints a call that returns a status.
func (p *printer) failing(f *frame, e *ast.CallExpr, fail func(*jen.Statement) []jen.Code) ([]jen.Code, bool) {
	name, c := p.callee(f, e)
	if stage := p.o.Stages[name]; stage != nil {
		call := p.newCall(f, e, nil)
		call.Fail = fail
		return stage(call), true
	}
	if c == nil {
		return nil, false
	}
	in := p.enter(f, e, c)
	in.leave = func(results []ast.Expr, in *frame) []jen.Code {
		if isOK(results[0]) {
			return nil
		}
		call, ok := results[0].(*ast.CallExpr)
		if ok {
			if code, ok := p.failing(in, call, fail); ok {
				return code
			}
		}
		p.fail(results[0], "neither OK nor the status of a stage")
		return nil
	}
	for i, s := range c.body {
		if _, ok := s.(*ast.ReturnStmt); ok != (i == len(c.body)-1) {
			p.fail(s, "a function that returns a status ends with its one return")
		}
	}
	return p.block(in, c.body), true
}
