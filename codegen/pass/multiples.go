package pass

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/hamc-dev/hamc/codegen/loop"
)

// A number that a function keeps for others is not kept if it is a multiple of one that is kept
// already, by a number that is known: those who read it read the other one, times the number. Multiplied out, the two
// are polynomials in the same things. Several functions may keep the same number, each for those that are called after
// it: all of these have to keep the other one too.
func multiples(p *loop.Program) {
	p.Gone = map[*loop.Var]*loop.Expr{}
	together := keptTogether(p)
	for _, f := range p.Funcs {
		x, kept := newExpander(f)
		gone := map[*loop.Var]bool{}
		for n, v := range kept {
			for _, u := range kept[:n] {
				if k, ok := ratio(x.of(v), x.of(u)); ok && !gone[u] && u != v && together(v, u) {
					gone[v] = true
					p.Gone[v] = scaled(k, loop.Value(u))
					break
				}
			}
		}
		for g := f; g != nil; g = g.After {
			g.Body = slices.DeleteFunc(g.Body, func(st loop.Stmt) bool {
				switch st := st.(type) {
				case *loop.Let:
					return gone[st.V]
				case *loop.Keep:
					return gone[st.V]
				}
				return false
			})
		}
	}
	for _, f := range p.Funcs {
		if loop.Decides(f.Body) { // what a solve needs is better computed once, before it
			replaceSigns(f.Body, p.Gone)
			declareGone(f, p.Gone)
			continue
		}
		Replace(f.Body, p.Gone)
	}
}

// keptTogether reports whether all functions that compute v, or keep it, do so with u as well.
func keptTogether(p *loop.Program) func(v, u *loop.Var) bool {
	type sets struct{ written, kept map[*loop.Var]bool }
	var of []sets
	for _, f := range p.Funcs {
		s := sets{loop.WritesOf(f.Body...), map[*loop.Var]bool{}}
		for _, st := range f.Body {
			if k, ok := st.(*loop.Keep); ok {
				s.kept[k.V] = true
			}
		}
		of = append(of, s)
	}
	return func(v, u *loop.Var) bool {
		return !slices.ContainsFunc(of, func(s sets) bool { return s.written[v] && !s.written[u] || s.kept[v] && !s.kept[u] })
	}
}

// newExpander is that of a function and the one that it stands behind, with the numbers that the function keeps, in order.
func newExpander(f *loop.Func) (x *expander, kept []*loop.Var) {
	x = &expander{lets: map[*loop.Var]*loop.Expr{}, known: map[*loop.Var]poly{}, seen: map[*loop.Expr]poly{}, values: newSharer(), memo: map[*loop.Expr]int{}, atoms: map[int]*loop.Expr{}}
	body := f.Body
	if f.After != nil {
		body = slices.Concat(f.After.Body, body)
	}
	for _, st := range body {
		switch st := st.(type) {
		case *loop.Let:
			x.lets[st.V] = st.E
		case *loop.Keep:
			if x.lets[st.V] != nil {
				kept = append(kept, st.V)
			}
		case *loop.For, *loop.If:
			for v := range loop.WritesOf(st) {
				delete(x.lets, v) // a sum
			}
		}
	}
	return x, kept
}

// Replace puts multiples of others in the place of variables.
func Replace(list []loop.Stmt, gone map[*loop.Var]*loop.Expr) {
	if len(gone) == 0 {
		return
	}
	rewrite(list, loop.Mapper(func(e *loop.Expr) *loop.Expr {
		switch {
		case e.Op == loop.Scalar && gone[e.Var] != nil:
			return gone[e.Var]
		case e.Op == loop.Add || e.Op == loop.Mul:
			return folded(e)
		}
		return e
	}))
}

// replaceSigns is Replace for those that are another one or its negative. Where statements are repeated, the others are
// better computed before.
func replaceSigns(list []loop.Stmt, gone map[*loop.Var]*loop.Expr) {
	signs := map[*loop.Var]*loop.Expr{}
	for v, e := range gone {
		if e.Op == loop.Scalar || e.Op == loop.Mul && len(e.Args) == 1 && e.K[0] == 1 && e.Val == -1 {
			signs[v] = e
		}
	}
	Replace(list, signs)
}

// Whole is what stands for the numbers that are kept no longer, in terms of those that are kept alone.
func Whole(gone map[*loop.Var]*loop.Expr) map[*loop.Var]*loop.Expr {
	out := map[*loop.Var]*loop.Expr{}
	var of func(v *loop.Var) *loop.Expr
	of = func(v *loop.Var) *loop.Expr {
		if out[v] == nil {
			out[v] = loop.Map(gone[v], func(x *loop.Expr) *loop.Expr {
				if x.Op == loop.Scalar && gone[x.Var] != nil {
					return of(x.Var)
				}
				return x
			})
		}
		return out[v]
	}
	for v := range gone {
		of(v)
	}
	return out
}

// scaled is k times a variable.
func scaled(k float64, v *loop.Expr) *loop.Expr {
	if k == 1 {
		return v
	}
	return &loop.Expr{Op: loop.Mul, Val: k, K: []float64{1}, Args: []*loop.Expr{v}}
}

// folded takes the numbers of operands that are multiples of variables into the coefficients of a sum or
// the number of a product, and the signs of products into the coefficients of a sum.
func folded(e *loop.Expr) *loop.Expr {
	var out *loop.Expr
	for n, a := range e.Args {
		multiple := a.Op == loop.Mul && len(a.Args) == 1 && a.K[0] == 1 && a.Args[0].Op == loop.Scalar
		negative := e.Op == loop.Add && a.Op == loop.Mul && a.Val < 0
		if !multiple && !negative {
			continue
		}
		k := e.K[n]
		if e.Op == loop.Mul && k != math.Trunc(k) {
			continue
		}
		if out == nil {
			own := *e
			own.K, own.Args = slices.Clone(e.K), slices.Clone(e.Args)
			out = &own
		}
		switch {
		case !multiple:
			own := *a
			own.Val = -a.Val
			out.Args[n], out.K[n] = &own, -k
		case e.Op == loop.Add:
			out.Args[n], out.K[n] = a.Args[0], float64(k*a.Val)
		default:
			out.Args[n] = a.Args[0]
			out.Val *= math.Pow(a.Val, k)
		}
	}
	if out == nil {
		return e
	}
	if out.Op == loop.Add {
		out.Lead()
	}
	return out
}

// poly is a sum of monomials, in the order of their keys.
type poly []monomial

// monomial is a coefficient times powers of things, in the order of their values.
type monomial struct {
	k       float64
	factors []factor
}

type factor struct {
	value int // of something, as Share numbers it
	exp   float64
}

func (m monomial) key() string { return fmt.Sprint(m.factors) }

// maxTerms is the largest number of monomials that is looked at.
const maxTerms = 16

// expander multiplies the numbers of one function out.
type expander struct {
	lets   map[*loop.Var]*loop.Expr
	known  map[*loop.Var]poly
	seen   map[*loop.Expr]poly
	values *sharer
	memo   map[*loop.Expr]int
	atoms  map[int]*loop.Expr // of values: what is not multiplied out
}

// of is the polynomial of a number that the function declares; nil, if there is none.
func (x *expander) of(v *loop.Var) poly {
	p, ok := x.known[v]
	if !ok {
		p = x.expand(x.lets[v])
		x.known[v] = p
	}
	return p
}

// expand multiplies an expression out; nil is one that is too long.
func (x *expander) expand(e *loop.Expr) poly {
	p, ok := x.seen[e]
	if !ok {
		p = x.expanded(e)
		x.seen[e] = p
	}
	return p
}

func (x *expander) expanded(e *loop.Expr) poly {
	switch e.Op {
	case loop.Num:
		return poly{{k: e.Val}}
	case loop.Scalar:
		if x.lets[e.Var] != nil {
			return x.of(e.Var)
		}
	case loop.Add:
		var sum poly
		for n, a := range e.Args {
			p := x.expand(a)
			if p == nil {
				return nil
			}
			for _, m := range p {
				m.k *= e.K[n]
				sum = append(sum, m)
			}
		}
		return sum.collected()
	case loop.Mul:
		product := poly{{k: e.Val}}
		for n, a := range e.Args {
			if product = product.times(x.power(a, e.K[n])); product == nil {
				return nil
			}
		}
		return product
	}
	return x.atom(e, 1)
}

// atom is a power of something that is not multiplied out.
func (x *expander) atom(e *loop.Expr, k float64) poly {
	n := x.values.value(e, x.memo)
	x.atoms[n] = e
	return poly{{k: 1, factors: []factor{{n, k}}}}
}

// power is a power of an expression.
func (x *expander) power(e *loop.Expr, k float64) poly {
	p := x.expand(e)
	switch {
	case p == nil:
		return nil
	case len(p) == 1 && (p[0].k == 1 || k == math.Trunc(k)):
		m := monomial{k: math.Pow(p[0].k, k)}
		for _, f := range p[0].factors {
			m.factors = append(m.factors, factor{f.value, f.exp * k})
		}
		return poly{m}
	case k == math.Trunc(k) && k >= 1 && k <= 4:
		out := p
		for ; k > 1; k-- {
			out = out.times(p)
		}
		return out
	}
	return x.atom(e, k)
}

// times multiplies; nil is a product that is too long.
func (p poly) times(q poly) poly {
	if p == nil || q == nil || len(p)*len(q) > maxTerms {
		return nil
	}
	var out poly
	for _, a := range p {
		for _, b := range q {
			m := monomial{k: a.k * b.k, factors: slices.Clone(a.factors)}
			for _, f := range b.factors {
				if n := slices.IndexFunc(m.factors, func(g factor) bool { return g.value == f.value }); n >= 0 {
					m.factors[n].exp += f.exp
				} else {
					m.factors = append(m.factors, f)
				}
			}
			m.factors = slices.DeleteFunc(m.factors, func(f factor) bool { return f.exp == 0 })
			slices.SortFunc(m.factors, func(a, b factor) int { return cmp.Compare(a.value, b.value) })
			out = append(out, m)
		}
	}
	return out.collected()
}

// collected adds like monomials; what cancels to the last few bits is gone.
func (p poly) collected() poly {
	type total struct {
		monomial
		size float64
	}
	totals := map[string]*total{}
	var keys []string
	for _, m := range p {
		key := m.key()
		t := totals[key]
		if t == nil {
			t = &total{monomial: monomial{factors: m.factors}}
			totals[key] = t
			keys = append(keys, key)
		}
		t.k += m.k
		t.size += math.Abs(m.k)
	}
	slices.Sort(keys)
	out := poly{}
	for _, key := range keys {
		if t := totals[key]; math.Abs(t.k) > 1e-14*t.size {
			out = append(out, t.monomial)
		}
	}
	if len(out) > maxTerms {
		return nil
	}
	return out
}

// ratio returns k where p = k·q.
func ratio(p, q poly) (k float64, ok bool) {
	if len(p) == 0 || len(p) != len(q) || len(p) == 1 && len(p[0].factors) == 0 {
		return 0, false
	}
	for n := range p {
		if p[n].key() != q[n].key() || cmp.Compare(q[n].k, 0) == 0 {
			return 0, false
		}
		r := p[n].k / q[n].k
		if n > 0 && math.Abs(r-k) > 1e-15*math.Abs(k) {
			return 0, false
		}
		k = r
	}
	return k, k-k == 0
}
