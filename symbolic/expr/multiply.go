package expr

import (
	"math"
	"slices"
)

// product interns a product whose factors are already canonical.
func (c *Context) product(val float64, k []float64, args []*Expr) *Expr {
	if len(args) == 0 {
		return c.Number(val)
	}
	if val == 1 && len(args) == 1 && k[0] == 1 {
		return args[0]
	}
	return c.Intern(Expr{Op: Mul, Val: val, K: k, Args: args})
}

// Mul returns the product of its arguments.
func (c *Context) Mul(args ...*Expr) *Expr {
	k := make([]float64, len(args))
	for i := range k {
		k[i] = 1
	}
	return c.Product(1, k, args)
}

// Div returns a/b.
func (c *Context) Div(a, b *Expr) *Expr { return c.Product(1, []float64{1, -1}, []*Expr{a, b}) }

// Pow returns a^k.
func (c *Context) Pow(a *Expr, k float64) *Expr { return c.Product(1, []float64{k}, []*Expr{a}) }

// Product returns val · Π args_i^k_i.
func (c *Context) Product(val float64, k []float64, args []*Expr) *Expr {
	f := factors{c: c, val: val, list: make([]Addend, 0, len(args))}
	for i, a := range args {
		f.collect(c.Operand(a), k[i])
	}
	if f.val == 0 {
		return c.Number(0)
	}
	f.exponential()
	ks, es, ok := f.merged()
	if !ok {
		return c.Number(0)
	}
	val = f.val
	if len(es) == 1 && ks[0] == 1 && es[0].Op == Add && val != 1 {
		return c.Scale(val, es[0])
	}
	if r := c.joinGathers(val, ks, es); r != nil {
		return r
	}
	if r := c.underDeltas(val, ks, es); r != nil {
		return r
	}
	if r := c.underCondition(val, ks, es); r != nil {
		return r
	}
	return c.rewrite(c.product(val, ks, es))
}

// factors are those of a product on its way: a number, factors, and exponents of e.
type factors struct {
	c    *Context
	val  float64
	list []Addend
	expo []Addend // Π exp(a_i)^k_i = exp(Σ k_i a_i)
}

// collect multiplies by e^k.
func (f *factors) collect(e *Expr, k float64) {
	c := f.c
	switch {
	case k == 0:
	case e.Op == Num:
		f.val = c.arithmetic.times(f.val, c.arithmetic.power(e.Val, k))
	case e.Op == Mul && (k == math.Trunc(k) || c.allPositive(e)):
		f.val = c.arithmetic.times(f.val, c.arithmetic.power(e.Val, k))
		for i, a := range e.Args {
			f.collect(a, k*e.K[i])
		}
	case e.Op == Call && e.Func.Name == "exp":
		f.expo = append(f.expo, Addend{e.Args[0], k})
	case (e.Op == Delta || e.Op == Inside || e.Op == Before) && k > 0:
		f.list = append(f.list, Addend{e, 1})
	case e.Op == Add && k == math.Trunc(k) && (e.Val < 0 || e.Val == 0 && e.K[0] < 0):
		// (b − a)² is (a − b)²; 1 − s keeps its form.
		if math.Mod(k, 2) != 0 {
			f.val = -f.val
		}
		f.collect(c.Neg(e), k)
	case e.Op == Add && k == math.Trunc(k) && content(e) != 1:
		// (½a − ½b)^k is ½^k (a − b)^k, so that equal factors are equal.
		by := content(e)
		ks := make([]float64, len(e.K))
		for i := range ks {
			ks[i] = math.Copysign(1, e.K[i])
		}
		f.val = c.arithmetic.times(f.val, c.arithmetic.power(by, k))
		f.list = append(f.list, Addend{c.Linear(c.arithmetic.over(e.Val, by), ks, e.Args), k})
	default:
		f.list = append(f.list, Addend{e, k})
	}
}

// exponential makes one factor of the exponentials.
func (f *factors) exponential() {
	if len(f.expo) == 0 {
		return
	}
	ks, es := make([]float64, len(f.expo)), make([]*Expr, len(f.expo))
	for i, x := range f.expo {
		ks[i], es[i] = x.K, x.E
	}
	if e := f.c.Call("exp", f.c.Linear(0, ks, es)); e.Op == Num {
		f.val = f.c.arithmetic.times(f.val, e.Val)
	} else {
		f.list = append(f.list, Addend{e, 1})
	}
}

// merged are the factors in order, equal ones once, without those that others imply; not ok if two exclude
// each other.
func (f *factors) merged() (ks []float64, es []*Expr, ok bool) {
	slices.SortStableFunc(f.list, byAge)
	out := f.list[:0]
	for _, x := range f.list {
		if n := len(out); n > 0 && out[n-1].E == x.E {
			if x.E.Op != Delta && x.E.Op != Inside && x.E.Op != Before {
				out[n-1].K = f.c.arithmetic.plus(out[n-1].K, x.K)
			}
			continue
		}
		out = append(out, x)
	}
	ks, es = make([]float64, 0, len(out)), make([]*Expr, 0, len(out))
	for _, x := range out {
		if x.E.Op == Before && slices.ContainsFunc(out, func(g Addend) bool { return excluded(x.E, g.E) }) {
			return nil, nil, false
		}
		if x.K != 0 && !impliedBy(x.E, out) {
			ks, es = append(ks, x.K), append(es, x.E)
		}
	}
	return ks, es, true
}

// underDeltas gives a product the form that its deltas ask for, nil if it has it: under δ[i,j], j is i, so that
// δ[i,j] f(j) and δ[i,j] f(i) get one form.
func (c *Context) underDeltas(val float64, ks []float64, es []*Expr) *Expr {
	for n, d := range es {
		if d.Op != Delta || len(es) == 1 {
			continue
		}
		if d.Subs[1].Data != nil {
			if r := c.nestGather(val, ks, es, n); r != nil {
				return r
			}
			if r := c.settleGather(val, ks, es, n); r != nil {
				return r
			}
			continue
		}
		from, to := d.Subs[1].Index, ShiftSub(d.Subs[0], -d.Subs[1].Offset)
		if from == nil {
			from, to = d.Subs[0].Index, d.Subs[1]
		}
		for m, e := range es {
			if m != n && from != nil && e.HasFree(from) {
				rest := c.product(val, without(ks, n), without(es, n))
				return c.Mul(d, c.Subst(rest, from, to))
			}
		}
	}
	return nil
}

// impliedBy reports whether an indicator says no more than another one of the
// factors, of a part of its range.
func impliedBy(e *Expr, factors []Addend) bool {
	if a, b, ok := comparison(e); ok {
		for _, f := range factors {
			x, y, ok := comparison(f.E)
			if ok && f.E != e && x == a && y.Index == b.Index && y.Data == b.Data && y.Offset < b.Offset {
				return true
			}
		}
		return false
	}
	if e.Op != Inside {
		return false
	}
	for _, f := range factors {
		if f.E != e && f.E.Op == Inside && f.E.Subs[0] == e.Subs[0] && holds(e.Range, f.E.Range) {
			return true
		}
	}
	return false
}
