package pass

import (
	"slices"

	"github.com/hamc-dev/hamc/codegen/loop"
)

// A loop whose body asks where its variable stands, as that over a Markov chain does for
// neighbours that the ends lack, is split: the ends keep the questions, the interior has none left.

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
		if from != l.From {
			parts = append(parts, part(l, l.From, loop.Least(from, l.To)))
		}
		main := part(l, from, to)
		main.Body = settle(main.Body, main.V, from, to)
		parts = append(parts, main)
		if to != l.To {
			parts = append(parts, part(l, after(from, to), l.To))
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

// settle answers the questions of a body for the interior of its loop: what a condition lets pass
// is computed without asking, what it holds back is gone.
func settle(list []loop.Stmt, v *loop.Var, from, to *loop.Int) []loop.Stmt {
	var out []loop.Stmt
	gone := map[*loop.Var]bool{}
	for n := 0; n < len(list); n++ {
		branch, ok := list[n].(*loop.If)
		if !ok {
			out = append(out, list[n])
			continue
		}
		var left []loop.Cond
		never := false
		for _, c := range branch.Conds {
			switch decide(c, v, from, to) {
			case no:
				never = true
			case open:
				left = append(left, c)
			}
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
				gone[set.V] = true
				out = append(out[:start], out[start+1:]...)
			}
		case len(left) > 0:
			out = append(out, &loop.If{Conds: left, Body: branch.Body})
		case start >= 0:
			out = append(out[:start], out[start+1:]...)
			out = append(append(out, branch.Body[:len(branch.Body)-1]...), &loop.Let{V: set.V, E: set.E})
		default:
			out = append(out, branch.Body...)
		}
	}
	if len(gone) > 0 {
		without(out, gone)
	}
	return out
}

// The answers to a condition.
const (
	no = iota
	yes
	open
)

// decide answers a condition for the interior.
func decide(c loop.Cond, v *loop.Var, from, to *loop.Int) int {
	off, ok := offset(c.X, v)
	if !ok {
		return open
	}
	bound := c.Y.Plus(-off)
	first, okFirst := compare(bound, from) // from − bound
	last, okLast := compare(bound, to)     // to − bound
	switch c.Op {
	case loop.AtLeast:
		if okFirst && first >= 0 {
			return yes
		}
	case loop.Below:
		if okLast && last <= 0 {
			return yes
		}
	case loop.Equals:
		if okFirst && first > 0 || okLast && last <= 0 {
			return no
		}
	}
	return open
}

// without puts 0 in the place of variables.
func without(list []loop.Stmt, gone map[*loop.Var]bool) {
	rewrite(list, loop.Mapper(func(e *loop.Expr) *loop.Expr {
		switch {
		case e.Op == loop.Scalar && gone[e.Var]:
			return loop.Number(0)
		case e.Op == loop.Add:
			out := &loop.Expr{Op: loop.Add}
			for n, a := range e.Args {
				if !a.IsNum(0) {
					out.K, out.Args = append(out.K, e.K[n]), append(out.Args, a)
				}
			}
			switch {
			case len(out.Args) == len(e.Args):
				return e
			case len(out.Args) == 0:
				return loop.Number(0)
			case len(out.Args) == 1 && out.K[0] == 1:
				return out.Args[0]
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
		}
		return e
	}))
}

// rewrite replaces the expressions of statements.
func rewrite(list []loop.Stmt, f func(*loop.Expr) *loop.Expr) {
	loop.Each(list, func(st loop.Stmt) {
		for _, e := range loop.Expressions(st) {
			*e = f(*e)
		}
	})
}
