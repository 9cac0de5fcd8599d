package pass

import (
	"slices"

	"github.com/hamc-dev/hamc/codegen/loop"
)

// A sum for each element of an array of those terms whose place it is, a[i] = Σ_l [i = g(l)] f(l), is made in one loop over the terms, each of
// which is added where it belongs. The terms of an element are added in the order that they had; what is left out are zeros.

// scatter finds such nests.
func scatter(f *loop.Func) {
	var out []loop.Stmt
	for _, st := range f.Body {
		if made := scattered(f.Body, st); made != nil {
			out = append(out, made...)
			continue
		}
		out = append(out, st)
	}
	f.Body = out
}

// scattered is what stands for a statement of a list that is such a nest, or nil.
func scattered(list []loop.Stmt, st loop.Stmt) []loop.Stmt {
	n := asNest(st)
	if n == nil || len(n.body) != 3 || n.set.V.Home != loop.Field || n.set.V.Output || setElsewhere(list, n.set, n.set.V) {
		return nil
	}
	let, isLet := n.body[0].(*loop.Let)
	terms, isLoop := n.body[1].(*loop.For)
	if !isLet || !isLoop || terms.Down || !let.E.IsNum(0) || n.set.E.Op != loop.Scalar || n.set.E.Var != let.V || n.mentions(terms.From, terms.To) {
		return nil
	}
	branch, term := chosen(terms.Body, let.V)
	if branch == nil {
		return nil
	}
	for k, c := range branch.Conds {
		for d, v := range n.vars {
			base, off := c.X.Base()
			if c.Op != loop.Equals || base == nil || base.Op != loop.IntVar || base.Var != v {
				continue
			}
			if at := c.Y.Plus(-off); !n.mentions(at) {
				return n.added(terms, term, d, at, slices.Delete(slices.Clone(branch.Conds), k, k+1))
			}
		}
	}
	return nil
}

// chosen are the branch and the term of a sum whose terms are 0 but in a branch.
func chosen(body []loop.Stmt, sum *loop.Var) (*loop.If, *loop.Expr) {
	if len(body) != 3 {
		return nil, nil
	}
	part, isLet := body[0].(*loop.Let)
	branch, isIf := body[1].(*loop.If)
	add, isSet := body[2].(*loop.Set)
	if !isLet || !isIf || !isSet || !part.E.IsNum(0) || add.V != sum || !add.Add || add.E.Op != loop.Scalar || add.E.Var != part.V || len(branch.Body) != 1 {
		return nil, nil
	}
	set, isSet := branch.Body[0].(*loop.Set)
	if !isSet || set.Add || set.V != part.V {
		return nil, nil
	}
	return branch, set.E
}

// added is the loop over the terms, which adds each to the element whose d-th subscript is at.
func (n *nest) added(terms *loop.For, term *loop.Expr, d int, at *loop.Int, conds []loop.Cond) []loop.Stmt {
	// What is no place of the array, no element asked for.
	for _, c := range []loop.Cond{{X: at, Op: loop.AtLeast, Y: loop.Const(0)}, {X: at, Op: loop.Below, Y: n.sizes[d]}} {
		if !slices.ContainsFunc(conds, func(o loop.Cond) bool { return o.Op == c.Op && sameBound(o, c) }) {
			conds = append(conds, c)
		}
	}
	own := func(i *loop.Int) *loop.Int {
		return i.Subst(func(v *loop.Var) *loop.Int {
			if v == n.vars[d] {
				return at
			}
			return nil
		})
	}
	inner := false
	for k, c := range conds {
		conds[k] = loop.Cond{X: own(c.X), Op: c.Op, Y: own(c.Y)}
		inner = inner || n.mentions(conds[k].X, conds[k].Y)
	}
	places := slices.Clone(n.set.At)
	places[d] = at
	body := []loop.Stmt{&loop.Set{V: n.set.V, At: places, E: withInt(term, n.vars[d], at), Add: true}}
	if inner {
		body = []loop.Stmt{&loop.If{Conds: conds, Body: body}}
	}
	for k := len(n.vars) - 1; k >= 0; k-- {
		if k != d {
			body = []loop.Stmt{&loop.For{V: n.vars[k], From: loop.Const(0), To: n.sizes[k], Body: body}}
		}
	}
	if !inner {
		body = []loop.Stmt{&loop.If{Conds: conds, Body: body}}
	}
	return []loop.Stmt{&loop.Clear{V: n.set.V}, &loop.For{V: terms.V, From: terms.From, To: terms.To, Body: body}}
}

// sameBound reports whether two conditions of a kind say the same.
func sameBound(a, b loop.Cond) bool {
	x, m := a.X.Base()
	y, n := b.X.Base()
	return x.Equal(y) && a.Y.Plus(-m).Equal(b.Y.Plus(-n))
}

// mentions reports whether ints hold a variable of the nest.
func (n *nest) mentions(list ...*loop.Int) bool {
	found := false
	for _, i := range list {
		loop.Ints(i, func(x *loop.Int) { found = found || x.Op == loop.IntVar && slices.Contains(n.vars, x.Var) })
	}
	return found
}
