package pass

import "github.com/hamc-dev/hamc/codegen/loop"

// hoist computes what is the same in all turns of a solve before it. With more such numbers, and more that the model keeps, than minStowed
// the solve reads them from an array: Go's compiler keeps an array in memory, where its elements are operands like any other. As variables
// they are more than there are registers, and those of the iterates are stored and loaded to make room (the implicit midpoint
// rule of the banana took 1.13 times as long).
func hoist(p *loop.Program) {
	for _, f := range p.Funcs {
		f.Body = loop.Blocks(f.Body, func(list []loop.Stmt) []loop.Stmt {
			var out []loop.Stmt
			for _, st := range list {
				if w, ok := st.(*loop.While); ok {
					moved := invariants(w)
					out = append(append(out, moved...), stow(p, w, moved)...)
				}
				out = append(out, st)
			}
			return out
		})
	}
}

// minStowed is the least number of numbers that stand in an array.
const minStowed = 8

// invariants takes the numbers out of a solve that are the same in all turns.
func invariants(w *loop.While) []loop.Stmt {
	varies := loop.WritesOf(w.Body...)
	varies[w.V] = true
	set := map[*loop.Var]bool{}
	loop.Each(w.Body, func(st loop.Stmt) {
		if s, ok := st.(*loop.Set); ok {
			set[s.V] = true
		}
	})
	var moved, rest []loop.Stmt
	for _, st := range w.Body {
		l, ok := st.(*loop.Let)
		if !ok || set[l.V] || depends(l.E, varies) {
			rest = append(rest, st)
			continue
		}
		delete(varies, l.V)
		moved = append(moved, st)
	}
	w.Body = rest
	return moved
}

// depends reports whether an expression reads one of some variables, or what others may set.
func depends(e *loop.Expr, of map[*loop.Var]bool) bool {
	found := false
	loop.Nodes(e, func(x *loop.Expr) {
		found = found || x.Op == loop.Draw || x.Var != nil && (of[x.Var] || x.Var.Home == loop.State)
	})
	return found
}

// stow puts what a solve reads of what has been moved, and of what the model keeps, into an array.
func stow(p *loop.Program, w *loop.While, moved []loop.Stmt) []loop.Stmt {
	known := map[*loop.Var]bool{}
	for _, st := range moved {
		known[st.(*loop.Let).V] = true
	}
	array := &loop.Var{Name: "known"}
	table := &loop.Table{V: array}
	of := map[*loop.Var]*loop.Expr{}
	look := func(e *loop.Expr) *loop.Expr {
		if v := e.Var; e.Op == loop.Scalar && of[v] == nil && (known[v] || v.Home == loop.Field || p.Gone[v] != nil) {
			of[v] = loop.Element(array, loop.Const(len(table.Elements)))
			table.Elements = append(table.Elements, e)
		}
		return e
	}
	rewrite(w.Body, loop.Mapper(look))
	if len(table.Elements) < minStowed {
		return nil
	}
	array.Shape = []*loop.Int{loop.Const(len(table.Elements))}
	rewrite(w.Body, loop.Mapper(func(e *loop.Expr) *loop.Expr {
		if e.Op == loop.Scalar && of[e.Var] != nil {
			return of[e.Var]
		}
		return e
	}))
	return []loop.Stmt{table}
}
