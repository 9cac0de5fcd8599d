package expr

import (
	"cmp"
	"slices"
)

// Add returns the sum of its arguments.
func (c *Context) Add(args ...*Expr) *Expr {
	k := make([]float64, len(args))
	for i := range k {
		k[i] = 1
	}
	return c.Linear(0, k, args)
}

// Total adds expressions up. Few are added as they come, which settles the order of sums in
// emitted code; of many that would take time by their square.
type Total struct {
	c     *Context
	terms []*Expr
	n     int
}

// maxAdded is how many terms are added as they come.
const maxAdded = 64

// NewTotal is a sum that begins with some terms.
func (c *Context) NewTotal(first ...*Expr) *Total { return &Total{c: c, terms: first} }

// Add adds a term.
func (t *Total) Add(e *Expr) {
	t.terms, t.n = append(t.terms, e), t.n+1
	if t.n <= maxAdded {
		t.terms = []*Expr{t.c.Add(t.terms...)}
	}
}

// Sum is the sum so far.
func (t *Total) Sum() *Expr { return t.c.Add(t.terms...) }

// Sub returns a − b.
func (c *Context) Sub(a, b *Expr) *Expr { return c.Linear(0, []float64{1, -1}, []*Expr{a, b}) }

// Neg returns −a.
func (c *Context) Neg(a *Expr) *Expr { return c.Scale(-1, a) }

// Scale returns v·a.
func (c *Context) Scale(v float64, a *Expr) *Expr {
	return c.Linear(0, []float64{v}, []*Expr{a})
}

// Addend is a term with its coefficient, or a factor with its exponent.
type Addend struct {
	E *Expr
	K float64
}

// byAge is the order of terms and factors: that in which they were made.
func byAge(a, b Addend) int { return cmp.Compare(a.E.id, b.E.id) }

// Linear returns val + Σ k_i args_i.
func (c *Context) Linear(val float64, k []float64, args []*Expr) *Expr {
	terms := make([]Addend, 0, len(args))
	var collect func(k float64, e *Expr)
	collect = func(k float64, e *Expr) {
		switch {
		case k == 0:
		case e.Op == Num:
			val = c.arithmetic.plus(val, c.arithmetic.times(k, e.Val))
		case e.Op == Add:
			val = c.arithmetic.plus(val, c.arithmetic.times(k, e.Val))
			for i, a := range e.Args {
				collect(c.arithmetic.times(k, e.K[i]), a)
			}
		case e.Op == Mul && e.Val != 1:
			collect(c.arithmetic.times(k, e.Val), c.product(1, e.K, e.Args))
		default:
			terms = append(terms, Addend{e, k})
		}
	}
	for i, a := range args {
		collect(k[i], a)
	}
	slices.SortStableFunc(terms, byAge)
	out := terms[:0]
	for _, t := range terms {
		if n := len(out); n > 0 && out[n-1].E == t.E {
			out[n-1].K = c.arithmetic.plus(out[n-1].K, t.K)
			continue
		}
		out = append(out, t)
	}
	terms = out
	out = out[:0]
	for _, t := range terms {
		if t.K != 0 {
			out = append(out, t)
		}
	}
	switch {
	case len(out) == 0:
		return c.Number(val)
	case len(out) == 1 && val == 0 && out[0].K == 1:
		return out[0].E
	case len(out) == 1 && val == 0:
		e := out[0].E
		if e.Op == Mul {
			return c.product(c.arithmetic.times(out[0].K, e.Val), e.K, e.Args)
		}
		return c.product(out[0].K, []float64{1}, []*Expr{e})
	}
	ks := make([]float64, len(out))
	es := make([]*Expr, len(out))
	for i, t := range out {
		ks[i], es[i] = t.K, t.E
	}
	return c.rewrite(c.Intern(Expr{Op: Add, Val: val, K: ks, Args: es}))
}
