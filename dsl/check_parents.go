package dsl

import (
	"slices"
	"strconv"
)

// Positions that data name, as the parent of a node in a tree, or what stands as many positions before as a datum says:
//
//	let z[v] = a*z[up[v]] + e[v] for v in 2..V
//
// is a sum over what lies before, of which one term counts:
//
//	let z[v] = a*sum(j in 1..v-1) delta(j, up[v])*z[j] + e[v] for v in 2..V
//
// Data are refused where such a position does not lie before the one that reads it.

// parents are what the positions that parts read are looked for with.
type parents struct {
	c       *checker
	stmts   map[string][]*LetStmt
	parts   map[string]bool
	reaches map[[2]string]bool
	let     *LetStmt
	found   bool
}

// fromBefore writes elements at such positions as sums.
func (c *checker) fromBefore(stmts []Stmt) []Stmt {
	p := &parents{c: c, stmts: map[string][]*LetStmt{}, parts: map[string]bool{}, reaches: map[[2]string]bool{}}
	for _, s := range stmts {
		if s, ok := s.(*LetStmt); ok {
			p.stmts[s.Name.Name] = append(p.stmts[s.Name.Name], s)
			p.parts[s.Name.Name] = p.parts[s.Name.Name] || s.partial()
		}
	}
	out := slices.Clone(stmts)
	for n, s := range stmts {
		if let, ok := s.(*LetStmt); ok && let.For != nil {
			p.let, p.found = let, false
			if other := (cloner{element: p.element}).let(let); p.found {
				out[n] = other
			}
		}
	}
	return out
}

// element is what stands for an element at a position that data name; nil for another.
func (p *parents) element(e *IndexExpr) Expr {
	base, ok := e.Base.(*Name)
	if !ok || !p.parts[base.Name] || !p.leads(base.Name, p.let.Name.Name) {
		return nil
	}
	place := placeOfParts(p.stmts[base.Name])
	if place >= len(e.Args) || !p.named(e.Args[place]) {
		return nil
	}
	p.found = true
	position := e.Args[place]
	at, text := node{span: position.Span()}, node{span: position.Span(), tokens: position.Source()}
	j := p.free()
	name := func(s string) Expr { return &Name{node: at, Name: s} }
	pair := func(op string, x, y Expr) Expr { return &BinaryExpr{node: text, Op: op, At: at.span, X: x, Y: y} }
	is, first := Expr(&BinaryExpr{node: at, Op: "==", At: at.span, X: name(j), Y: clone(position)}), clone(position)
	if p.datum(position) {
		is, first = &CallExpr{node: at, Func: "delta", At: at.span, Args: []Arg{{Expr: name(j)}, {Expr: clone(position)}}}, numberAt(at, 1)
	}
	read := cloner{}.expr(e).(*IndexExpr)
	read.Args[place] = name(j)
	from := &IfExpr{node: text, Cond: pair("<", clone(position), name(p.let.For.Name)), Then: first, Else: numberAt(at, 0)}
	upto := &BinaryExpr{node: at, Op: "-", At: at.span, X: name(p.let.For.Name), Y: numberAt(at, 1)}
	return &SumExpr{node: e.copied(), Func: "sum", Indices: []IndexDecl{{Name: j, At: at.span, Lo: from, Hi: upto, before: true}},
		Body: &BinaryExpr{node: at, Op: "*", At: at.span, X: is, Y: read}}
}

// named reports whether a position is one that data name: an element of them, or arithmetic of a datum and the index. What the recursion computes is none.
func (p *parents) named(e Expr) bool {
	data, plain := false, true
	Walk(e, func(n Node) bool {
		switch n := n.(type) {
		case *BinaryExpr:
			plain = plain && (n.Op == "+" || n.Op == "-" || n.Op == "*")
		case *IndexExpr:
		case *Name:
			_, isData := p.c.scope[n.Name].(*Data)
			_, isLet := p.stmts[n.Name]
			data = data || isData || isLet
			plain = plain && !(isLet && p.leads(n.Name, p.let.Name.Name))
		case *Number, nil:
		default:
			plain = false
		}
		return plain
	})
	if s, ok := sumOf(e); ok && s.of[p.let.For.Name] == 0 {
		return false // a fixed position
	}
	return data && plain
}

// datum reports whether a position is an element of integer data.
func (p *parents) datum(e Expr) bool {
	ix, ok := e.(*IndexExpr)
	return ok && p.c.integerDatum(ix) != nil
}

// leads reports whether a definition depends on another, or is it.
func (p *parents) leads(from, to string) bool {
	if from == to {
		return true
	}
	key := [2]string{from, to}
	if known, ok := p.reaches[key]; ok {
		return known
	}
	p.reaches[key] = false // while it is looked for
	found := false
	for _, s := range p.stmts[from] {
		Walk(s.Value, func(n Node) bool {
			if name, ok := n.(*Name); ok && !found && p.stmts[name.Name] != nil {
				found = p.leads(name.Name, to)
			}
			return !found
		})
	}
	p.reaches[key] = found
	return found
}

// free is a name for an index that the model does not use.
func (p *parents) free() string {
	used := map[string]bool{}
	for name := range p.stmts {
		used[name] = true
	}
	note := func(d *IndexDecl) {
		if d != nil {
			used[d.Name] = true
		}
	}
	note(p.let.For)
	for _, place := range p.let.Places {
		note(place.Decl)
	}
	Walk(p.let.Value, func(n Node) bool {
		if s, ok := n.(*SumExpr); ok {
			for i := range s.Indices {
				note(&s.Indices[i])
			}
		}
		return true
	})
	for n := 1; ; n++ {
		name := "j"
		if n > 1 {
			name += strconv.Itoa(n)
		}
		if !used[name] && p.c.scope[name] == nil {
			return name
		}
	}
}
