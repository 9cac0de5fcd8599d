package pass

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hamc-dev/hamc/codegen/loop"
)

// A number that is kept for all positions is not kept if it is cheap to have from those that are, from data and from sizes: a
// multiple, a product of two with a number, or a sum of at most maxSum terms, each a number or a multiple. Functions that
// read it compute it at their head, once, before all loops. What several functions compute stays: where one of them does, what it is
// to be made of may come after the head.
//
// No digits are lost. The terms of a sum are those that it has, or it has no terms that can cancel. A product is
// multiplied out to tell what it is of, and what its factors have lost it has lost: so a factor that is a sum has no
// terms that can cancel either.
func derive(p *loop.Program) {
	if p.Gone == nil {
		p.Gone = map[*loop.Var]*loop.Expr{}
	}
	writers := map[*loop.Var]int{}
	for _, f := range p.Funcs {
		for v := range loop.WritesOf(f.Body...) {
			writers[v]++
		}
	}
	for _, f := range p.Funcs {
		if !constant(f) {
			continue
		}
		d := newDeriver(f, p.Gone)
		own := map[*loop.Var]bool{}
		for _, v := range d.kept {
			if writers[v] > 1 {
				continue
			}
			if e := d.derived(v); e != nil {
				own[v], p.Gone[v] = true, e
				v.Home = loop.Local
			}
		}
		f.Body = slices.DeleteFunc(f.Body, func(st loop.Stmt) bool {
			k, ok := st.(*loop.Keep)
			return ok && own[k.V]
		})
	}
	for _, f := range p.Funcs {
		declareGone(f, p.Gone)
	}
}

// declareGone declares the numbers that a function reads and that are kept no longer: at its head or, if it may end before it needs them, before
// the first statement that does.
func declareGone(f *loop.Func, gone map[*loop.Var]*loop.Expr) {
	n := 0
	if loop.Decides(f.Body) {
		n = max(0, slices.IndexFunc(f.Body, func(st loop.Stmt) bool { return len(missing([]loop.Stmt{st}, nil, gone)) > 0 }))
	}
	for ; n > 0; n-- {
		if _, ok := f.Body[n-1].(*loop.Note); !ok {
			break
		}
	}
	f.Body = slices.Insert(f.Body, n, Derived(missing(f.Body, f.After, gone), gone)...)
}

// maxSum is the number of terms of a sum that is not kept.
const maxSum = 2

// constant reports whether what a function computes is the same at all positions: it has no parameters, and stands behind no other one.
func constant(f *loop.Func) bool {
	return f.After == nil && !slices.ContainsFunc(f.Free(), func(v *loop.Var) bool {
		return v.Home == loop.Param || v.Home == loop.View && v.Of.Home == loop.Param
	})
}

// missing are the numbers that statements behind those of a function read and that are kept no longer, in the order in
// which they do.
func missing(list []loop.Stmt, after *loop.Func, gone map[*loop.Var]*loop.Expr) []*loop.Var {
	known := loop.WritesOf(list...)
	for ; after != nil; after = after.After {
		maps.Copy(known, loop.WritesOf(after.Body...))
	}
	var out []*loop.Var
	look := func(e *loop.Expr) {
		loop.Nodes(e, func(x *loop.Expr) {
			if x.Op == loop.Scalar && gone[x.Var] != nil && !known[x.Var] {
				known[x.Var] = true
				out = append(out, x.Var)
			}
		})
	}
	expressions(list, look)
	return out
}

// expressions calls f for the expressions of statements.
func expressions(list []loop.Stmt, f func(*loop.Expr)) {
	loop.Each(list, func(st loop.Stmt) {
		for _, e := range loop.Expressions(st) {
			f(*e)
		}
	})
}

// Derived declares numbers that are not kept, those before them that they are made of.
func Derived(vars []*loop.Var, gone map[*loop.Var]*loop.Expr) []loop.Stmt {
	var out []loop.Stmt
	done := map[*loop.Var]bool{}
	var declare func(v *loop.Var)
	declare = func(v *loop.Var) {
		e := gone[v]
		if e == nil || done[v] {
			return
		}
		done[v] = true
		loop.Nodes(e, func(x *loop.Expr) {
			if x.Op == loop.Scalar {
				declare(x.Var)
			}
		})
		out = append(out, &loop.Let{V: v, E: e})
	}
	for _, v := range vars {
		declare(v)
	}
	return out
}

// deriver finds the numbers of one function that need not be kept.
type deriver struct {
	*expander
	kept  []*loop.Var              // that the function computes
	known []*loop.Expr             // what there is to make them of: sizes, data, what is kept
	forms map[string][]*loop.Expr  // of them, by signature
	gone  map[*loop.Var]*loop.Expr // what numbers are made of that are not kept
}

func newDeriver(f *loop.Func, gone map[*loop.Var]*loop.Expr) *deriver {
	d := &deriver{gone: gone, forms: map[string][]*loop.Expr{}}
	d.expander, d.kept = newExpander(f)
	d.known = given(f.Body)
	for _, st := range f.Body {
		if k, ok := st.(*loop.Keep); ok {
			d.known = append(d.known, loop.Value(k.V))
		}
	}
	for _, e := range d.known {
		form := d.expand(e).signature()
		d.forms[form] = append(d.forms[form], e)
	}
	return d
}

// given are the sizes and the numbers of the data that statements read, in order.
func given(list []loop.Stmt) []*loop.Expr {
	var out []*loop.Expr
	seen := map[string]bool{}
	look := func(e *loop.Expr) {
		loop.Nodes(e, func(x *loop.Expr) {
			switch {
			case x.Op == loop.Scalar && x.Var.Home == loop.Field && x.Var.Data && !seen[x.Var.Name]:
				seen[x.Var.Name] = true
			case x.Op == loop.Float && x.At[0].Op == loop.IntVar && x.At[0].Var.Home == loop.Size && !seen[x.At[0].Var.Name]:
				seen[x.At[0].Var.Name] = true
			default:
				return
			}
			out = append(out, x)
		})
	}
	expressions(list, look)
	return out
}

// derived returns what stands for a number, or nil if it is kept.
func (d *deriver) derived(v *loop.Var) *loop.Expr {
	form := d.expand(d.lets[v])
	if k, u := d.multiple(form, v); u != nil {
		return scaled(k, u)
	}
	if e := d.product(form, v); e != nil {
		return e
	}
	return d.sum(v)
}

// product writes the polynomial of v as k·u·w.
func (d *deriver) product(form poly, v *loop.Var) *loop.Expr {
	for _, u := range d.known {
		one := d.expand(u)
		if len(form) == 0 || len(one) != 1 || len(one[0].factors) == 0 || d.needs(u, v) {
			continue
		}
		k, w := d.multiple(form.over(one[0]), v)
		switch {
		case w == nil || !d.definite(d.expand(w)):
		case u == w:
			return &loop.Expr{Op: loop.Mul, Val: k, K: []float64{2}, Args: []*loop.Expr{u}}
		default:
			return &loop.Expr{Op: loop.Mul, Val: k, K: []float64{1, 1}, Args: []*loop.Expr{u, w}}
		}
	}
	return nil
}

// sum writes v as a sum of multiples.
func (d *deriver) sum(v *loop.Var) *loop.Expr {
	e := d.lets[v]
	if e.Op != loop.Add || len(e.Args) > maxSum {
		return nil
	}
	out := &loop.Expr{Op: loop.Add}
	for n, a := range e.Args {
		k, x := 1.0, a
		if a.Op == loop.Mul && len(a.Args) == 1 && a.K[0] == 1 {
			k, x = a.Val, a.Args[0]
		}
		if x.Op != loop.Num && !d.has(x, v) {
			if k, x = d.multiple(d.expand(a), v); x == nil || !d.definite(d.expand(e)) {
				return nil
			}
		}
		out.K, out.Args = append(out.K, float64(k*e.K[n])), append(out.Args, x)
	}
	out.Lead()
	return out
}

// has reports whether an expression is known as it stands, without v.
func (d *deriver) has(e *loop.Expr, v *loop.Var) bool {
	return slices.ContainsFunc(d.known, func(u *loop.Expr) bool {
		return u.Op == e.Op && (u.Op == loop.Scalar && u.Var == e.Var || u.Op == loop.Float && u.At[0].Equal(e.At[0]))
	}) && !d.needs(e, v)
}

// multiple returns of what that is known without v a polynomial is k times; nil if of nothing.
func (d *deriver) multiple(form poly, v *loop.Var) (k float64, u *loop.Expr) {
	for _, u := range d.forms[form.signature()] {
		if k, ok := ratio(form, d.expand(u)); ok && !d.needs(u, v) {
			return k, u
		}
	}
	return 0, nil
}

// needs reports whether something that is known is v, or made of it.
func (d *deriver) needs(u *loop.Expr, v *loop.Var) bool {
	if u.Op != loop.Scalar || u.Var == v {
		return u.Op == loop.Scalar
	}
	found := false
	if e := d.gone[u.Var]; e != nil {
		loop.Nodes(e, func(x *loop.Expr) { found = found || x.Op == loop.Scalar && d.needs(x, v) })
	}
	return found
}

// definite reports whether no terms of a sum can cancel: all have one sign, since they are squares and sizes.
func (d *deriver) definite(p poly) bool {
	for _, m := range p {
		if len(p) > 1 && (math.Signbit(m.k) != math.Signbit(p[0].k) || slices.ContainsFunc(m.factors, func(f factor) bool {
			return math.Mod(f.exp, 2) != 0 && d.atoms[f.value].Op != loop.Float
		})) {
			return false
		}
	}
	return true
}

// signature is what polynomials have in common that are multiples of each other.
func (p poly) signature() string {
	keys := make([]string, len(p))
	for n, m := range p {
		keys[n] = m.key()
	}
	return strings.Join(keys, "+")
}

// over divides by a monomial.
func (p poly) over(m monomial) poly {
	inverse := monomial{k: 1 / m.k}
	for _, f := range m.factors {
		inverse.factors = append(inverse.factors, factor{f.value, -f.exp})
	}
	return p.times(poly{inverse})
}
