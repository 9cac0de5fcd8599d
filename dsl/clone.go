package dsl

// clone copies an expression as it was read. What the checker made of it is not copied.
func clone(e Expr) Expr {
	switch e := e.(type) {
	case nil:
		return nil
	case *Number:
		return &Number{node: e.copied(), Value: e.Value, Text: e.Text}
	case *Name:
		return &Name{node: e.copied(), Name: e.Name}
	case *IndexExpr:
		return &IndexExpr{node: e.copied(), Base: clone(e.Base), Args: clones(e.Args)}
	case *CallExpr:
		return &CallExpr{node: e.copied(), Func: e.Func, At: e.At, Args: cloneArgs(e.Args), Bar: e.Bar}
	case *UnaryExpr:
		return &UnaryExpr{node: e.copied(), Op: e.Op, X: clone(e.X)}
	case *BinaryExpr:
		return &BinaryExpr{node: e.copied(), Op: e.Op, At: e.At, X: clone(e.X), Y: clone(e.Y)}
	case *IfExpr:
		return &IfExpr{node: e.copied(), Cond: clone(e.Cond), Then: clone(e.Then), Else: clone(e.Else)}
	case *SliceExpr:
		return &SliceExpr{node: e.copied(), Lo: clone(e.Lo), Hi: clone(e.Hi)}
	case *SumExpr:
		return &SumExpr{node: e.copied(), Func: e.Func, Indices: cloneDecls(e.Indices), Body: clone(e.Body)}
	case *MatrixExpr:
		m := &MatrixExpr{node: e.copied()}
		for _, r := range e.Rows {
			m.Rows = append(m.Rows, clones(r))
		}
		return m
	case *FieldExpr:
		return &FieldExpr{node: e.copied(), Base: clone(e.Base), Field: e.Field, At: e.At}
	case *SolveExpr:
		return &SolveExpr{node: e.copied(), Ode: e.Ode, At: e.At, Args: cloneArgs(e.Args), From: clone(e.From), Times: clone(e.Times)}
	}
	return e
}

// copied is a node without what the checker made of it.
func (n *node) copied() node { return node{span: n.span, tokens: n.tokens} }

func clones(list []Expr) []Expr {
	out := make([]Expr, len(list))
	for i, e := range list {
		out[i] = clone(e)
	}
	return out
}

func cloneArgs(list []Arg) []Arg {
	out := make([]Arg, len(list))
	for i, a := range list {
		out[i] = Arg{Name: a.Name, At: a.At, Expr: clone(a.Expr), tokens: a.tokens}
	}
	return out
}

func cloneDecls(list []IndexDecl) []IndexDecl {
	out := make([]IndexDecl, len(list))
	for i, d := range list {
		out[i] = IndexDecl{Name: d.Name, At: d.At, Lo: clone(d.Lo), Hi: clone(d.Hi), tokens: d.tokens}
	}
	return out
}

// cloneLet copies a definition.
func cloneLet(s *LetStmt) *LetStmt {
	out := &LetStmt{Syntax: s.Syntax, Name: s.Name, Value: clone(s.Value), Doc: s.Doc}
	for _, p := range s.Places {
		q := Place{At: clone(p.At)}
		if p.Decl != nil {
			d := cloneDecls([]IndexDecl{*p.Decl})
			q.Decl = &d[0]
		}
		out.Places = append(out.Places, q)
	}
	if s.For != nil {
		d := cloneDecls([]IndexDecl{*s.For})
		out.For = &d[0]
	}
	return out
}
