package pass

import (
	"maps"
	"math"
	"slices"

	"github.com/hamc-dev/hamc/codegen/loop"
)

// A loop whose body asks where its variable stands, as that over a Markov chain does for
// neighbours that the ends lack, is split: the interior has no questions left, and the ends those whose answer depends on a size.

// maxSplit is the largest number of statements in a body that is repeated for the ends.
const maxSplit = 24

// split splits the loops at the top of a function.
func split(f *loop.Func) {
	var out []loop.Stmt
	for _, st := range f.Body {
		l, ok := st.(*loop.For)
		if !ok || count(l.Body) > maxSplit {
			out = append(out, st)
			continue
		}
		from, to := interior(l)
		if from == l.From && to == l.To {
			out = append(out, st)
			continue
		}
		var parts []loop.Stmt
		sets := loop.WritesOf(l.Body...) // an end may set what the interior does not
		add := func(first, end *loop.Int, in bounds) {
			p := part(l, first, end)
			p.Body = settle(p.Body, p.V, in)
			parts = append(parts, p)
			if first == from && end == to {
				out = append(out, lift(p, sets)...)
			}
		}
		if from != l.From {
			add(l.From, loop.Least(from, l.To), bounds{[]*loop.Int{l.From}, []*loop.Int{from, l.To}})
		}
		add(from, to, bounds{[]*loop.Int{from}, []*loop.Int{to}})
		if to != l.To {
			add(after(from, to), l.To, bounds{[]*loop.Int{from, to}, []*loop.Int{l.To}})
		}
		if l.Down {
			slices.Reverse(parts)
		}
		out = append(out, parts...)
	}
	f.Body = out
}

// after is where the tail begins. Sizes are at least 1.
func after(from, to *loop.Int) *loop.Int {
	if _, off := to.Base(); from.IsConst(0) && off >= -1 {
		return to
	}
	return loop.Greatest(from, to)
}

// count counts statements, those in loops and branches too.
func count(list []loop.Stmt) int {
	n := 0
	loop.Each(list, func(loop.Stmt) { n++ })
	return n
}

// interior is the part of a loop's range where no branch of its body depends on the place, as far
// as that is known at compile time.
func interior(l *loop.For) (from, to *loop.Int) {
	from, to = l.From, l.To
	for _, st := range l.Body {
		branch, ok := st.(*loop.If)
		if !ok {
			continue
		}
		for _, c := range branch.Conds {
			off, ok := offset(c.X, l.V)
			if !ok {
				continue
			}
			switch bound := c.Y.Plus(-off); c.Op {
			case loop.AtLeast:
				from = later(from, bound)
			case loop.Below:
				to = earlier(to, bound)
			case loop.Equals:
				// The interior is where they are not equal.
				switch {
				case bound.Equal(l.From):
					from = later(from, bound.Plus(1))
				case bound.Equal(l.To.Plus(-1)):
					to = earlier(to, bound)
				}
			}
		}
	}
	return from, to
}

// offset returns n where x is v + n.
func offset(x *loop.Int, v *loop.Var) (n int, ok bool) {
	base, n := x.Base()
	return n, base != nil && base.Op == loop.IntVar && base.Var == v
}

// compare returns b − a where both have one base.
func compare(a, b *loop.Int) (difference int, ok bool) {
	x, m := a.Base()
	y, n := b.Base()
	return n - m, x.Equal(y)
}

// later and earlier return the first bound where the two cannot be compared.
func later(a, b *loop.Int) *loop.Int {
	if d, ok := compare(a, b); ok && d > 0 {
		return b
	}
	return a
}

func earlier(a, b *loop.Int) *loop.Int {
	if d, ok := compare(a, b); ok && d < 0 {
		return b
	}
	return a
}

// part copies a loop for a part of its range, with variables of its own.
func part(l *loop.For, from, to *loop.Int) *loop.For {
	out := loop.NewRenamer().List([]loop.Stmt{l}, true)[0].(*loop.For)
	out.From, out.To = from, to
	return out
}

// bounds are what is known of a loop's variable: it is at least each of least, and below each of below.
type bounds struct{ least, below []*loop.Int }

// and adds what a condition says that holds.
func (b bounds) and(c loop.Cond, v *loop.Var) bounds {
	off, ok := offset(c.X, v)
	if !ok {
		return b
	}
	at := c.Y.Plus(-off)
	if c.Op != loop.Below {
		b.least = append(slices.Clone(b.least), at)
	}
	switch c.Op {
	case loop.Below:
		b.below = append(slices.Clone(b.below), at)
	case loop.Equals:
		b.below = append(slices.Clone(b.below), at.Plus(1))
	}
	return b
}

// from reports whether the variable is known to be at least x.
func (b bounds) from(x *loop.Int) bool {
	return slices.ContainsFunc(b.least, func(y *loop.Int) bool { d, ok := compare(x, y); return ok && d >= 0 })
}

// to reports whether the variable is known to be below x.
func (b bounds) to(x *loop.Int) bool {
	return slices.ContainsFunc(b.below, func(y *loop.Int) bool { d, ok := compare(y, x); return ok && d >= 0 })
}

// settle answers the questions of a body for a part of its loop: what a condition lets pass
// is computed without asking, what it holds back is gone.
func settle(list []loop.Stmt, v *loop.Var, in bounds) []loop.Stmt {
	var out []loop.Stmt
	known := map[*loop.Var]*loop.Expr{} // variables that are numbers, or others
	sets := changes(list)
	for n := 0; n < len(list); n++ {
		if inner, ok := list[n].(*loop.For); ok {
			inner.Body = settle(inner.Body, v, in)
		}
		branch, ok := list[n].(*loop.If)
		if !ok {
			out = append(out, list[n])
			continue
		}
		var left []loop.Cond
		never := false
		for _, c := range branch.Conds {
			switch decide(c, v, in) {
			case no:
				never = true
			case open:
				left = append(left, c)
			}
		}
		if !never {
			inner := in
			for _, c := range left {
				inner = inner.and(c, v)
			}
			branch = &loop.If{Conds: branch.Conds, Body: settle(branch.Body, v, inner)}
		}
		start := -1 // what declares the result of the branch, if that is all that it sets
		set, ok := branch.Body[len(branch.Body)-1].(*loop.Set)
		if ok && !set.Add && set.V.Home == loop.Local && set.V.Scalar() {
			for k, st := range out {
				if started(st) == set.V {
					start = k
				}
			}
		}
		switch {
		case never:
			if start >= 0 {
				known[set.V] = loop.Number(0)
				out = append(out[:start], out[start+1:]...)
			}
		case len(left) > 0:
			out = append(out, &loop.If{Conds: left, Body: branch.Body})
		case start >= 0 && len(branch.Body) == 1 && (set.E.Op == loop.Num || set.E.Op == loop.Scalar && !sets[set.E.Var]):
			out = append(out[:start], out[start+1:]...)
			known[set.V] = set.E
			if set.E.Op == loop.Scalar && known[set.E.Var] != nil {
				known[set.V] = known[set.E.Var]
			}
		case start >= 0:
			out = append(out[:start], out[start+1:]...)
			out = append(append(out, branch.Body[:len(branch.Body)-1]...), &loop.Let{V: set.V, E: set.E})
		default:
			out = append(out, branch.Body...)
		}
	}
	if len(known) == 0 {
		return out
	}
	with(out, known)
	return slices.DeleteFunc(out, func(st loop.Stmt) bool {
		set, ok := st.(*loop.Set)
		return ok && set.Add && set.E.IsNum(0)
	})
}

// changes are the variables that statements change: what a declaration alone sets has one value.
func changes(list []loop.Stmt) map[*loop.Var]bool {
	out := loop.WritesOf(list...)
	loop.Each(list, func(st loop.Stmt) {
		if let, ok := st.(*loop.Let); ok {
			delete(out, let.V)
		}
	})
	loop.Each(list, func(st loop.Stmt) {
		if set, ok := st.(*loop.Set); ok {
			out[set.V] = true
		}
	})
	return out
}

// The answers to a condition.
const (
	no = iota
	yes
	open
)

// decide answers a condition.
func decide(c loop.Cond, v *loop.Var, in bounds) int {
	off, ok := offset(c.X, v)
	if !ok {
		return open
	}
	from, to := in.from, in.to
	switch at := c.Y.Plus(-off); c.Op {
	case loop.AtLeast:
		switch {
		case from(at):
			return yes
		case to(at):
			return no
		}
	case loop.Below:
		switch {
		case to(at):
			return yes
		case from(at):
			return no
		}
	case loop.Equals:
		switch {
		case from(at.Plus(1)) || to(at):
			return no
		case from(at) && to(at.Plus(1)):
			return yes
		}
	}
	return open
}

// lift takes the values out of a loop that are the same in all its turns and do not depend on what else is set before it, of which there may be
// some once its questions are answered.
func lift(l *loop.For, set map[*loop.Var]bool) (out []loop.Stmt) {
	varies := maps.Clone(set)
	maps.Copy(varies, loop.WritesOf(l.Body...))
	var value func(e *loop.Expr) *loop.Expr
	value = func(e *loop.Expr) *loop.Expr {
		if len(e.Args) > 1 && (e.Op == loop.Add || e.Op == loop.Mul) && ofScalars(e) && !depends(e, varies) {
			v := &loop.Var{Name: "e", Home: loop.Local}
			out = append(out, &loop.Let{V: v, E: e})
			return &loop.Expr{Op: loop.Scalar, Var: v}
		}
		made := *e
		made.Args = slices.Clone(e.Args)
		for n, a := range e.Args {
			made.Args[n] = value(a)
		}
		return &made
	}
	for _, st := range l.Body {
		for _, e := range loop.Expressions(st) {
			*e = value(*e)
		}
	}
	return out
}

// ofScalars reports whether an expression is made of numbers and scalar variables alone.
func ofScalars(e *loop.Expr) bool {
	yes := true
	loop.Nodes(e, func(x *loop.Expr) {
		yes = yes && (x.Op == loop.Num || x.Op == loop.Add || x.Op == loop.Mul || x.Op == loop.Scalar && !x.Var.Int)
	})
	return yes
}

// with puts what is known in the place of variables.
func with(list []loop.Stmt, known map[*loop.Var]*loop.Expr) {
	rewrite(list, loop.Mapper(func(e *loop.Expr) *loop.Expr {
		switch {
		case e.Op == loop.Scalar && known[e.Var] != nil:
			x := *known[e.Var]
			return &x
		case len(e.Args) > 0 && !slices.ContainsFunc(e.Args, func(a *loop.Expr) bool { return a.Op != loop.Num }) && (e.Op == loop.Add || e.Op == loop.Mul):
			return loop.Number(ofNumbers(e))
		case e.Op == loop.Add:
			out := without(e, 0)
			switch {
			case len(out.Args) == len(e.Args):
				return e
			case len(out.Args) == 0:
				return loop.Number(0)
			case len(out.Args) == 1 && out.K[0] == 1:
				return out.Args[0]
			case len(out.Args) == 1 && out.K[0] == -1 && out.Args[0].Op == loop.Mul:
				negative := *out.Args[0]
				negative.Val = -negative.Val
				return &negative
			case len(out.Args) == 1:
				return &loop.Expr{Op: loop.Mul, Val: out.K[0], K: []float64{1}, Args: out.Args}
			}
			out.Lead()
			return out
		case e.Op == loop.Mul:
			for n, a := range e.Args {
				if a.IsNum(0) && e.K[n] > 0 {
					return loop.Number(0)
				}
			}
			switch out := without(e, 1); {
			case len(out.Args) == len(e.Args):
			case len(out.Args) == 1 && out.K[0] == 1 && out.Val == 1:
				return out.Args[0]
			default:
				return out
			}
		}
		return e
	}))
}

// without is a sum or a product without the arguments that are a number.
func without(e *loop.Expr, v float64) *loop.Expr {
	out := &loop.Expr{Op: e.Op, Val: e.Val}
	for n, a := range e.Args {
		if !a.IsNum(v) {
			out.K, out.Args = append(out.K, e.K[n]), append(out.Args, a)
		}
	}
	return out
}

// ofNumbers is a sum or a product of numbers.
func ofNumbers(e *loop.Expr) float64 {
	if e.Op == loop.Mul {
		v := e.Val
		for n, a := range e.Args {
			v *= math.Pow(a.Val, e.K[n])
		}
		return v
	}
	v := 0.0
	for n, a := range e.Args {
		v += float64(e.K[n] * a.Val)
	}
	return v
}

// rewrite replaces the expressions of statements.
func rewrite(list []loop.Stmt, f func(*loop.Expr) *loop.Expr) {
	loop.Each(list, func(st loop.Stmt) {
		for _, e := range loop.Expressions(st) {
			*e = f(*e)
		}
	})
}
