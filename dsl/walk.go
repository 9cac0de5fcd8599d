package dsl

import "slices"

// Walk calls f for a node of the syntax tree and, where f returns true, for everything below it
// in the order of the text and then for nil. It holds for every tree, also of texts with errors.
func Walk(root Node, f func(Node) bool) {
	// A stack of its own: a sum of a megabyte is half a million levels deep.
	stack := []Node{root}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n == nil {
			f(nil)
			continue
		}
		if !f(n) {
			continue
		}
		stack = append(stack, nil)
		children := parts{stack}
		children.of(n)
		slices.Reverse(children.list[len(stack):])
		stack = children.list
	}
}

// parts collects the nodes right below a node. What did not parse is left out.
type parts struct{ list []Node }

func (p *parts) exprs(list ...Expr) {
	for _, e := range list {
		if e != nil {
			p.list = append(p.list, e)
		}
	}
}

func (p *parts) idents(list ...*Ident) {
	for _, id := range list {
		if id.Name != "" {
			p.list = append(p.list, id)
		}
	}
}

// nodesOf adds the elements of a list.
func nodesOf[T any, P interface {
	*T
	Node
}](p *parts, list []T) {
	for i := range list {
		p.list = append(p.list, P(&list[i]))
	}
}

func (p *parts) of(n Node) {
	if e, ok := n.(Expr); ok {
		p.ofExpr(e)
		return
	}
	switch n := n.(type) {
	case *File:
		for _, s := range n.Statements {
			p.list = append(p.list, s)
		}
	case *Statement:
		if n.Stmt != nil {
			p.list = append(p.list, n.Stmt)
		}
	case Stmt:
		p.ofStmt(n)
	case *TypeExpr:
		p.exprs(n.Sizes...)
		if n.Bound.Kind() != NoBound {
			p.list = append(p.list, &n.Bound)
		}
	case *BoundExpr:
		p.exprs(n.Limit)
		p.exprs(n.Set...)
		p.exprs(n.Lo, n.Hi, n.First, n.Last)
	case *MetricEntry:
		p.exprs(n.Sides...)
	case *Equation:
		p.idents(&n.State)
		p.exprs(n.Value)
	case *QuantityLine:
		p.definition(&n.Name, n.Places, n.Value, n.For)
	case *FuncArg:
		nodesOf(p, n.Names)
		p.typeOf(&n.Type)
	case *IndexDecl:
		p.exprs(n.Lo, n.Hi)
	case *Arg:
		p.exprs(n.Expr)
	}
}

func (p *parts) ofStmt(s Stmt) {
	switch s := s.(type) {
	case *ModelStmt:
		p.idents(&s.Name)
	case *DataStmt:
		nodesOf(p, s.Names)
		p.typeOf(&s.Type)
		p.exprs(s.Default)
	case *ConstStmt:
		p.idents(&s.Name)
		p.exprs(s.Value)
	case *ParamStmt:
		nodesOf(p, s.Names)
		p.typeOf(&s.Type)
		p.exprs(s.Offset, s.Multiplier)
	case *LetStmt:
		p.definition(&s.Name, s.Places, s.Value, s.For)
	case *DensityStmt:
		p.exprs(s.Value)
	case *SampleStmt:
		p.exprs(s.Left...)
		p.idents(&s.Dist)
		nodesOf(p, s.Args)
		if s.Bound.Kind() != NoBound {
			p.list = append(p.list, &s.Bound)
		}
		nodesOf(p, s.For)
	case *MetricStmt:
		nodesOf(p, s.Indices)
		if s.Entry != nil {
			p.list = append(p.list, s.Entry)
		}
		p.exprs(s.Value)
	case *BlockStmt:
		p.idents(&s.Name)
		nodesOf(p, s.Params)
		if s.Metric != nil {
			p.list = append(p.list, s.Metric)
		}
	case *FuncStmt:
		p.idents(&s.Name)
		nodesOf(p, s.Args)
		for _, l := range s.Lets {
			p.list = append(p.list, l)
		}
		p.exprs(s.result())
	case *ImportStmt:
		p.idents(&s.Name)
	case *OdeStmt:
		p.idents(&s.Name)
		nodesOf(p, s.States)
		nodesOf(p, s.Args)
		p.idents(&s.Time)
		nodesOf(p, s.Equations)
	case *GenerateStmt:
		nodesOf(p, s.Quantities)
	}
}

// definition adds the parts of a definition, or of a part of one.
func (p *parts) definition(name *Ident, places []Place, value Expr, along *IndexDecl) {
	p.idents(name)
	for _, x := range places {
		if x.Decl != nil {
			p.list = append(p.list, x.Decl)
		}
		p.exprs(x.At)
	}
	p.exprs(value)
	if along != nil {
		p.list = append(p.list, along)
	}
}

// typeOf adds a type, if it was read.
func (p *parts) typeOf(t *TypeExpr) {
	if t.Base != "" {
		p.list = append(p.list, t)
	}
}

func (p *parts) ofExpr(e Expr) {
	switch e := e.(type) {
	case *IndexExpr:
		p.exprs(e.Base)
		p.exprs(e.Args...)
	case *CallExpr:
		nodesOf(p, e.Args)
	case *UnaryExpr:
		p.exprs(e.X)
	case *BinaryExpr:
		p.exprs(e.X, e.Y)
	case *SliceExpr:
		p.exprs(e.Lo, e.Hi)
	case *IfExpr:
		p.exprs(e.Cond, e.Then, e.Else)
	case *SumExpr:
		nodesOf(p, e.Indices)
		p.exprs(e.Body)
	case *MatrixExpr:
		for _, row := range e.Rows {
			p.exprs(row...)
		}
	case *FieldExpr:
		p.exprs(e.Base)
	case *SolveExpr:
		nodesOf(p, e.Args)
		p.exprs(e.From, e.Times)
	}
}
