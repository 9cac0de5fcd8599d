package expr

// Triangles: sums over one index whose range another one bounds, Σ_k g(k) Σ_j [j < k] f(j). Where
// f depends on the coordinates and g on data, the inner sums are computed once the other way round,
//
//	exchange     Σ_k g(k) Σ_j [j < k] f(j)  =  Σ_j f(j) Σ_k [j < k] g(k)
//
// and the sum takes time in proportion to the length, not to its square.

// Compares reports whether a term of a sum holds a sum that a comparison with i bounds, as a factor.
func Compares(e *Expr, i *Index) bool {
	if !e.placed || !e.HasFree(i) {
		return false
	}
	switch e.Op {
	case Before:
		return true
	case Sum:
		return Compares(e.Args[0], i)
	case Add:
		for _, a := range e.Args {
			if a.Op != Before && Compares(a, i) {
				return true
			}
		}
	case Mul:
		for n, a := range e.Args {
			if e.K[n] == 1 && Compares(a, i) {
				return true
			}
		}
	}
	return false
}

// exchange applies the rule of that name to Σ_i of a product; nil if it does not apply.
func (c *Context) exchange(i *Index, val float64, k []float64, factors []*Expr) *Expr {
	for n, f := range factors {
		if f.Op != Sum || k[n] != 1 || f.stage < StageGiven || !Compares(f, i) {
			continue
		}
		j, body := c.Open(f)
		ks, es, scale := body.K, body.Args, body.Val
		if body.Op != Mul {
			ks, es, scale = []float64{1}, []*Expr{body}, 1
		}
		outer, inner := split(i, without(k, n), without(factors, n)), split(i, ks, es)
		if outer.late || inner.late {
			continue
		}
		sum := c.Sum(i, c.Mul(c.Product(1, outer.k, outer.e), c.Product(1, inner.k, inner.e)))
		sum = c.Sum(j, c.Mul(c.Product(scale, inner.freeK, inner.free), sum))
		return c.Mul(c.Product(val, outer.freeK, outer.free), sum)
	}
	return nil
}

// divided are the factors of a product by whether they carry an index.
type divided struct {
	k, freeK []float64
	e, free  []*Expr
	late     bool // one that carries it is known at a position only
}

func split(i *Index, k []float64, factors []*Expr) divided {
	var d divided
	for n, f := range factors {
		if !f.HasFree(i) {
			d.freeK, d.free = append(d.freeK, k[n]), append(d.free, f)
			continue
		}
		d.k, d.e = append(d.k, k[n]), append(d.e, f)
		d.late = d.late || f.stage >= StageGiven
	}
	return d
}

// sumOfTriangle returns Σ_i rest·Σ_k t_k of terms one of which is a sum that i bounds: each on its own, over that
// part of the range where it is not 0.
func (c *Context) sumOfTriangle(i *Index, rest, body *Expr) *Expr {
	total := c.NewTotal()
	if body.Val != 0 {
		total.Add(c.Scale(body.Val, c.Sum(i, rest)))
	}
	for n, t := range body.Args {
		total.Add(c.Scale(body.K[n], c.SumWithin(i, c.Mul(rest, t))))
	}
	return total.Sum()
}

// SumWithin returns Σ_i of a term, over the range that its indicators leave.
func (c *Context) SumWithin(i *Index, t *Expr) *Expr {
	if t.Op != Mul {
		return c.Sum(i, t)
	}
	for n, a := range t.Args {
		if a.Op != Inside || a.Subs[0].Index != i || !holds(i.Range, a.Range) {
			continue
		}
		short := c.NewIndex(i.Name, a.Range)
		return c.SumWithin(short, c.Subst(c.Product(t.Val, without(t.K, n), without(t.Args, n)), i, Sub{Index: short}))
	}
	return c.Sum(i, t)
}
