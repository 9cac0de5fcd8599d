package pass

import (
	"fmt"
	"slices"

	"github.com/hamc-dev/hamc/codegen/loop"
)

// Largest is the weight above which functions are divided, as weigh counts it: of the examples, no function takes more
// than 16 kB of amd64's machine code then.
const Largest = 1100

// divide divides large functions into several, each of which ends with a call of the next: between statements
// where few numbers are known before and read behind. These are kept in the model.
func divide(p *loop.Program) {
	largest := p.Largest
	if largest == 0 {
		largest = Largest
	}
	kept := map[*loop.Var]bool{} // for others than parts
	for _, f := range p.Funcs {
		for _, st := range f.Body {
			if k, ok := st.(*loop.Keep); ok {
				kept[k.V] = true
			}
		}
	}
	var funcs []*loop.Func
	for _, f := range p.Funcs {
		funcs = append(funcs, f)
		if !f.Divisible {
			continue
		}
		own, stay := loop.WritesOf(f.Body...), map[*loop.Var]bool{}
		f.Body = slices.DeleteFunc(f.Body, func(st loop.Stmt) bool {
			l, ok := st.(*loop.Let)
			if !ok || p.Gone[l.V] == nil {
				return false
			}
			stay[l.V] = madeOf(l.V, own, p.Gone)
			return !stay[l.V]
		})
		for n, body := range divided(f.Body, largest, kept) {
			// Each part computes what is not kept.
			vars := slices.DeleteFunc(missing(body, nil, p.Gone), func(v *loop.Var) bool { return stay[v] })
			body = append(Derived(vars, p.Gone), body...)
			if n == 0 {
				f.Body = body
				continue
			}
			f = &loop.Func{Name: continuation(f), Continues: f, Divisible: true, Body: body}
			funcs = append(funcs, f)
		}
	}
	p.Funcs = funcs
}

// madeOf reports whether a number that is not kept is made of some of others, itself apart: a function that computes these cannot
// have it of them at its head.
func madeOf(v *loop.Var, others map[*loop.Var]bool, gone map[*loop.Var]*loop.Expr) bool {
	found := false
	loop.Nodes(gone[v], func(x *loop.Expr) {
		if x.Op == loop.Scalar && x.Var != v {
			found = found || others[x.Var] && gone[x.Var] == nil || gone[x.Var] != nil && madeOf(x.Var, others, gone)
		}
	})
	return found
}

// continuation names the function that f goes on in: force2 after force, force3 after force2.
func continuation(f *loop.Func) string {
	n := 2
	for ; f.Continues != nil; f = f.Continues {
		n++
	}
	return fmt.Sprint(f.Name, n)
}

// weigh counts the operations and operands of statements.
func weigh(list []loop.Stmt) int {
	n := 0
	loop.Each(list, func(st loop.Stmt) {
		n++
		for _, e := range loop.Expressions(st) {
			n += weighExpr(*e)
		}
	})
	return n
}

func weighExpr(e *loop.Expr) int {
	n := 0
	loop.Nodes(e, func(*loop.Expr) { n++ })
	return n
}

// span is where a number is known among statements, and where it is read and set last.
type span struct {
	v                   *loop.Var
	declared, read, set int
}

// spans are those of the numbers that a list of statements declares, in the order of their declarations.
func spans(list []loop.Stmt) []*span {
	of := map[*loop.Var]*span{}
	var out []*span
	for i, st := range list {
		e := loop.EffectsOf(st)
		for v := range e.Reads {
			if s := of[v]; s != nil {
				s.read = i
			}
		}
		for v := range e.Writes {
			if s := of[v]; s != nil {
				s.set = i
			}
		}
		if v := declared(st); v != nil {
			of[v] = &span{v: v, declared: i, read: i, set: i}
			out = append(out, of[v])
		}
	}
	return out
}

// declared is the number that a statement declares, or nil.
func declared(st loop.Stmt) *loop.Var {
	var v *loop.Var
	switch st := st.(type) {
	case *loop.Let:
		v = st.V
	case *loop.Kernel:
		v = st.V
	case *loop.FitPart:
		v = st.V
	}
	if v == nil || !v.Scalar() {
		return nil
	}
	return v
}

// cuts are the places where a list is divided: of those that lead to as few functions as can be, each time the one where the
// fewest numbers are known before and read behind.
func cuts(list []loop.Stmt, all []*span, largest int) []int {
	// How many numbers are known before each place and read behind, and how many set on both sides.
	n := len(list) + 1
	known, torn := make([]int, n+1), make([]int, n+1)
	for _, s := range all {
		known[s.declared+1]++
		known[s.read+1]--
		torn[s.declared+1]++
		torn[s.set+1]--
	}
	rest := 0
	before := make([]int, n) // weights
	for i, st := range list {
		known[i+1] += known[i]
		torn[i+1] += torn[i]
		before[i+1] = before[i] + weigh([]loop.Stmt{st})
		if _, ok := st.(*loop.FitPart); ok {
			rest = i // a fit and its parts stay together
		}
	}
	whole, start := before[len(list)], 0
	var out []int
	for whole-before[start] > largest {
		left := whole - before[start]
		least := min(left-(left-1)/largest*largest, largest/2) // so that the rest needs one function less
		best := 0
		for i := start + 1; i < len(list) && (before[i]-before[start] <= largest || best == 0); i++ {
			if before[i]-before[start] >= least && torn[i] == 0 && i > rest && (best == 0 || known[i] < known[best]) {
				best = i
			}
		}
		if best == 0 {
			break
		}
		out = append(out, best)
		start = best
	}
	return out
}

// divided divides a list into those of several functions. What one of them knows and a later one reads is kept.
func divided(list []loop.Stmt, largest int, kept map[*loop.Var]bool) [][]loop.Stmt {
	all := spans(list)
	var parts [][]loop.Stmt
	from, done := 0, map[*loop.Var]bool{}
	for _, at := range append(cuts(list, all, largest), len(list)) {
		var body []loop.Stmt
		for _, st := range list[from:at] {
			k, ok := st.(*loop.Keep)
			if ok && done[k.V] {
				continue
			}
			if ok {
				done[k.V] = true
			}
			body = append(body, st)
		}
		for _, s := range all {
			if s.declared < from || s.declared >= at || s.read < at || done[s.v] {
				continue
			}
			k := &loop.Keep{V: s.v, For: loop.Within}
			if !kept[s.v] {
				s.v.Home, k.For = loop.Field, loop.Parts
			}
			done[s.v] = true
			body = append(body, k)
		}
		parts = append(parts, body)
		from = at
	}
	return parts
}
