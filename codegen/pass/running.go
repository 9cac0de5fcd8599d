package pass

import "github.com/hamc-dev/hamc/codegen/loop"

// Sums that grow by one term from one turn of a loop to the next are kept instead of being made anew: Σ_{k<j} f(k) for all j takes as many
// additions as there are j. What a sum over k > j gives up is its order: it is summed from the end.

// running finds them in nests that set one element of an array, before other loops are joined to them.
func running(f *loop.Func) {
	f.Body = loop.Blocks(f.Body, func(list []loop.Stmt) []loop.Stmt {
		var out []loop.Stmt
		for _, st := range list {
			if l, ok := st.(*loop.For); ok {
				out = append(out, runningSum(l)...)
				continue
			}
			out = append(out, st)
		}
		return out
	})
}

// runningSum is a loop with the sum in it kept, or the loop as it is.
func runningSum(l *loop.For) []loop.Stmt {
	same := []loop.Stmt{l}
	if len(l.Body) != 3 || l.Down || !l.From.IsConst(0) || l.To.Op == loop.IntConst && l.To.N < leastLong {
		return same
	}
	let, ok := l.Body[0].(*loop.Let)
	inner, isLoop := l.Body[1].(*loop.For)
	set, isSet := l.Body[2].(*loop.Set)
	if !ok || !isLoop || !isSet || !let.E.IsNum(0) || inner.Down || len(inner.Body) != 1 || set.Add || len(set.At) == 0 {
		return same
	}
	term, ok := inner.Body[0].(*loop.Set)
	if !ok || !term.Add || term.V != let.V || reads(term.E, l.V, set.V) || reads(set.E, nil, set.V) || !places(set.At, l.V) {
		return same
	}
	sum := &loop.Var{Name: let.V.Name}
	add := func(at *loop.Int) loop.Stmt {
		return &loop.Set{V: sum, E: withInt(term.E, inner.V, at), Add: true}
	}
	j := loop.At(l.V)
	keep := &loop.Let{V: let.V, E: loop.Value(sum)}
	begin := &loop.Let{V: sum, E: loop.Number(0)}
	switch {
	case inner.From.IsConst(0) && inner.To.Equal(j): // Σ_{k<j}
		step := &loop.If{Conds: []loop.Cond{{X: j, Op: loop.AtLeast, Y: loop.Const(1)}}, Body: []loop.Stmt{add(j.Plus(-1))}}
		return []loop.Stmt{begin, &loop.For{V: l.V, From: l.From, To: l.To, Body: []loop.Stmt{step, keep, set}}}
	case above(inner.From, j) && l.To.Plus(1).Equal(inner.To): // Σ_{k>j}, up to one more than j goes to
		return []loop.Stmt{begin, &loop.For{V: l.V, From: l.From, To: l.To, Down: true, Body: []loop.Stmt{add(j.Plus(1)), keep, set}}}
	}
	return same
}

// above reports whether i is j + 1, which may be written as the greater of that and 0.
func above(i, j *loop.Int) bool {
	if i.Op == loop.IntMax && i.Args[0].IsConst(0) {
		i = i.Args[1]
	}
	return i.Equal(j.Plus(1))
}

// places reports whether a subscript is v itself, so that each turn sets elements of its own.
func places(at []*loop.Int, v *loop.Var) bool {
	for _, i := range at {
		if i.Op == loop.IntVar && i.Var == v {
			return true
		}
	}
	return false
}

// reads reports whether e reads an int variable, or an array; either may be nil.
func reads(e *loop.Expr, v, array *loop.Var) bool {
	found := false
	loop.Nodes(e, func(x *loop.Expr) {
		found = found || array != nil && x.Var == array || x.Op == loop.Draw
		for _, i := range x.At {
			loop.Ints(i, func(i *loop.Int) { found = found || v != nil && i.Var == v || array != nil && i.Var == array })
		}
	})
	return found
}

// withInt is e with an int in the place of a variable.
func withInt(e *loop.Expr, v *loop.Var, at *loop.Int) *loop.Expr {
	return loop.Map(e, func(x *loop.Expr) *loop.Expr {
		if len(x.At) == 0 {
			return x
		}
		own := *x
		own.At = make([]*loop.Int, len(x.At))
		for n, i := range x.At {
			own.At[n] = i.Subst(func(w *loop.Var) *loop.Int {
				if w == v {
					return at
				}
				return nil
			})
		}
		return &own
	})
}
