package dsl

import "math"

// clone copies an expression as it was read. What the checker made of it is not copied.
func clone(e Expr) Expr { return cloner{}.expr(e) }

func cloneArgs(list []Arg) []Arg { return cloner{}.args(list) }

func cloneDecls(list []IndexDecl) []IndexDecl { return cloner{}.decls(list) }

// cloneLet copies a definition.
func cloneLet(s *LetStmt) *LetStmt { return cloner{}.let(s) }

// cloner copies what was read, with another expression in the place of each use of a name, if there is one.
type cloner struct {
	name   string
	put    Expr
	choose func(*IfExpr) Expr  // the branch that stands for a conditional, nil for both; it may be nil
	spread func(*SumExpr) Expr // what stands for a sum, nil for itself; it may be nil

	element func(*IndexExpr) Expr // what stands for an element, nil for itself; it may be nil
	call    func(*CallExpr) Expr  // what stands for a call, nil for itself; it may be nil

	// distance is an index whose distance from the name stands for the name, and the name for what is that far before the index; "" if there is none.
	distance string

	shift int // the name less this stands for the name, if it is not 0
}

func (c cloner) expr(e Expr) Expr {
	switch e := e.(type) {
	case nil:
		return nil
	case *Number:
		return &Number{node: e.copied(), Value: e.Value, Text: e.Text}
	case *Name:
		if c.distance != "" && e.Name == c.name {
			return c.apart(e)
		}
		if c.shift != 0 && e.Name == c.name {
			return shiftedBy(nameAt(e.node, e.Name), e.node, -c.shift)
		}
		if c.put != nil && e.Name == c.name {
			return clone(c.put)
		}
		return &Name{node: e.copied(), Name: e.Name}
	case *IndexExpr:
		if c.element != nil {
			if other := c.element(e); other != nil {
				return other
			}
		}
		return &IndexExpr{node: e.copied(), Base: c.expr(e.Base), Args: c.exprs(e.Args), row: e.row}
	case *CallExpr:
		if c.call != nil {
			if other := c.call(e); other != nil {
				return other
			}
		}
		return &CallExpr{node: e.copied(), Func: e.Func, At: e.At, Args: c.args(e.Args), Bar: e.Bar}
	case *UnaryExpr:
		return &UnaryExpr{node: e.copied(), Op: e.Op, X: c.expr(e.X)}
	case *BinaryExpr:
		if c.distance != "" {
			if x := c.before(e); x != nil {
				return x
			}
		}
		if c.shift != 0 {
			if times, offset, ok := linear(e, c.name); ok && times == 1 && offset == math.Trunc(offset) {
				return shiftedBy(nameAt(e.node, c.name), e.node, int(offset)-c.shift)
			}
		}
		return &BinaryExpr{node: e.copied(), Op: e.Op, At: e.At, X: c.expr(e.X), Y: c.expr(e.Y)}
	case *IfExpr:
		if c.choose != nil {
			if branch := c.choose(e); branch != nil {
				return c.expr(branch)
			}
		}
		return &IfExpr{node: e.copied(), Cond: c.expr(e.Cond), Then: c.expr(e.Then), Else: c.expr(e.Else)}
	case *SliceExpr:
		return &SliceExpr{node: e.copied(), Lo: c.expr(e.Lo), Hi: c.expr(e.Hi)}
	case *SumExpr:
		if c.spread != nil {
			if terms := c.spread(e); terms != nil {
				return c.expr(terms)
			}
		}
		return &SumExpr{node: e.copied(), Func: e.Func, Indices: c.decls(e.Indices), Body: c.expr(e.Body)}
	case *MatrixExpr:
		m := &MatrixExpr{node: e.copied()}
		for _, r := range e.Rows {
			m.Rows = append(m.Rows, c.exprs(r))
		}
		return m
	case *FieldExpr:
		return &FieldExpr{node: e.copied(), Base: c.expr(e.Base), Field: e.Field, At: e.At}
	case *SolveExpr:
		return &SolveExpr{node: e.copied(), Ode: e.Ode, At: e.At, Args: c.args(e.Args), From: c.expr(e.From), Times: c.expr(e.Times)}
	}
	return e
}

// apart is the distance of a position from the index.
func (c cloner) apart(e *Name) Expr {
	at := e.copied()
	return &BinaryExpr{node: at, Op: "-", At: e.span, X: &Name{node: at, Name: c.distance}, Y: &Name{node: at, Name: c.name}}
}

// before is a position that is read, t - k + n, with k for itself; nil where an expression is none.
func (c cloner) before(e *BinaryExpr) Expr {
	s, ok := sumOf(e)
	if !ok || len(s.of) != 2 || s.of[c.distance] != 1 || s.of[c.name] != -1 {
		return nil
	}
	at := e.copied()
	position := &Name{node: at, Name: c.name}
	switch {
	case s.number > 0:
		return &BinaryExpr{node: at, Op: "+", At: e.span, X: position, Y: &Number{node: at, Value: s.number}}
	case s.number < 0:
		return &BinaryExpr{node: at, Op: "-", At: e.span, X: position, Y: &Number{node: at, Value: -s.number}}
	}
	return position
}

// copied is a node without what the checker made of it.
func (n *node) copied() node { return node{span: n.span, tokens: n.tokens} }

func (c cloner) exprs(list []Expr) []Expr {
	out := make([]Expr, len(list))
	for i, e := range list {
		out[i] = c.expr(e)
	}
	return out
}

func (c cloner) args(list []Arg) []Arg {
	out := make([]Arg, len(list))
	for i, a := range list {
		out[i] = Arg{Name: a.Name, At: a.At, Expr: c.expr(a.Expr), tokens: a.tokens}
	}
	return out
}

func (c cloner) decls(list []IndexDecl) []IndexDecl {
	out := make([]IndexDecl, len(list))
	for i, d := range list {
		out[i] = IndexDecl{Name: d.Name, At: d.At, Lo: c.expr(d.Lo), Hi: c.expr(d.Hi), before: d.before, tokens: d.tokens}
	}
	return out
}

func (c cloner) let(s *LetStmt) *LetStmt {
	out := &LetStmt{Syntax: s.Syntax, Name: s.Name, Value: c.expr(s.Value), Doc: s.Doc}
	for _, p := range s.Places {
		q := Place{At: c.expr(p.At)}
		if p.Decl != nil {
			d := c.decls([]IndexDecl{*p.Decl})
			q.Decl = &d[0]
		}
		out.Places = append(out.Places, q)
	}
	if s.For != nil {
		d := c.decls([]IndexDecl{*s.For})
		out.For = &d[0]
	}
	return out
}
