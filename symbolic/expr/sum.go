package expr

import (
	"math"
	"slices"

	"github.com/hamc-dev/hamc/dsl"
)

// Bounds takes the comparisons of a sum's index out of what is summed: from is what it comes after,
// to what it comes before.
func (c *Context) Bounds(sum *Expr) (from, to []Sub, rest *Expr) {
	i, body := sum.Index, sum.Args[0]
	ks, es, val := body.K, body.Args, body.Val
	if body.Op != Mul {
		ks, es, val = []float64{1}, []*Expr{body}, 1
	}
	var restK []float64
	var others []*Expr
	for n, e := range es {
		a, b, ok := comparison(e)
		switch {
		case ok && a.Index == i && !b.Carries(i):
			to = append(to, b)
		case ok && b.Index == i && !a.Carries(i):
			from = append(from, ShiftSub(a, -b.Offset))
		default:
			restK, others = append(restK, ks[n]), append(others, e)
		}
	}
	if len(from)+len(to) == 0 {
		return nil, nil, body
	}
	return from, to, c.product(val, restK, others)
}

// Sum returns Σ_i body.
func (c *Context) Sum(i *Index, body *Expr) *Expr {
	if !body.HasFree(i) {
		return c.Mul(c.Size(i.Range), body)
	}
	switch body.Op {
	case Add:
		if Compares(body, i) {
			return c.sumOfTriangle(i, c.Number(1), body)
		}
		return c.sumOfTerms(i, body)
	case Inside:
		if r := body.Range; body.Subs[0].Index == i && r.Lo.IsConst() && r.Hi.IsConst() && holds(i.Range, r) {
			return c.Size(r) // of a size from data part of a range may be empty, whose length is not that difference
		}
	case Sum:
		if r := c.exchange(i, 1, []float64{1}, []*Expr{body}); r != nil {
			return r
		}
	case Mul, Delta:
		return c.sumOfProduct(i, body)
	case Call:
		if r := c.sumOfChosen(i, 1, []float64{1}, []*Expr{body}); r != nil {
			return r
		}
	}
	return c.bind(i, body)
}

// sumOfProduct returns Σ_i of a product: over a delta it ends, and what does not carry i stands before it.
func (c *Context) sumOfProduct(i *Index, body *Expr) *Expr {
	factors, k, val := body.Args, body.K, body.Val
	if body.Op == Delta {
		factors, k, val = []*Expr{body}, []float64{1}, 1
	}
	// A delta ends the sum: Σ_i δ[i,s] f(i) = f(s), where s is in range.
	for n, f := range factors {
		if f.Op != Delta || !f.HasFree(i) {
			continue
		}
		at := f.Subs[1]
		switch {
		case at.Index == i:
			// δ[a, i+o] fixes i = a − o.
			o := at.Offset
			at = f.Subs[0]
			at = ShiftSub(at, -o)
		case f.Subs[0].Index != i:
			continue // δ[a, g[i]]: i stands in the data
		}
		if at.Carries(i) {
			continue // δ[i, g[i]]
		}
		rest := c.Product(val, without(k, n), c.tabulated(i, at, without(factors, n)))
		return c.Mul(c.Within(at, i.Range), c.Subst(rest, i, at))
	}
	// A factor that is a sum with deltas of i is multiplied out, so that
	// the deltas go.
	for n, f := range factors {
		if f.Op != Add || k[n] < 1 || k[n] != math.Trunc(k[n]) || k[n] > 1 && !f.gather || !hasDelta(f, i) {
			continue
		}
		rest := c.Product(val, without(k, n), without(factors, n))
		if k[n] > 1 {
			rest = c.Mul(rest, c.Pow(f, k[n]-1))
		}
		return c.Sum(i, c.Times(rest, f))
	}
	if r := c.interchange(i, val, k, factors); r != nil {
		return r
	}
	if r := c.sumOfChosen(i, val, k, factors); r != nil {
		return r
	}
	if r := c.exchange(i, val, k, factors); r != nil {
		return r
	}
	for n, f := range factors {
		if f.Op == Add && k[n] == 1 && Compares(f, i) {
			return c.sumOfTriangle(i, c.Product(val, without(k, n), without(factors, n)), f)
		}
	}
	var inK, outK []float64
	var in, out []*Expr
	for n, f := range factors {
		if f.HasFree(i) {
			inK, in = append(inK, k[n]), append(in, f)
		} else {
			outK, out = append(outK, k[n]), append(out, f)
		}
	}
	if len(out) > 0 || val != 1 {
		inner := c.Sum(i, c.Product(1, inK, in))
		return c.Mul(c.Product(val, outK, out), inner)
	}
	return c.bind(i, body)
}

// tabulated are factors of which data will select the elements at a position, as y[n] does the category: a function that depends on fewer indices than the position is made once for all
// positions, log(1 − exp(c_k − c_{k+1})) for each k and not for each observation. So is one that depends on others through an element of data alone, c_{g[n],k}, for each group.
// A table goes over some positions alone, which a second derivative would read beyond: there is none where these are asked for.
func (c *Context) tabulated(i *Index, at Sub, factors []*Expr) []*Expr {
	if at.Data == nil || !c.Sharing || !c.FirstOrder {
		return factors
	}
	fewer := func(f *Expr) bool {
		return slices.ContainsFunc(at.Data.free, func(x *Index) bool { return !f.HasFree(x) })
	}
	for n, f := range factors {
		if f.Op != Call || f.Func.Cost < leastChosen || f.stage < StagePosition || !f.HasFree(i) || Strays(f) {
			continue
		}
		atom := f
		if fewer(f) {
			atom = c.Atom(f)
		} else if g, j := c.groupOf(f); g != nil {
			if h := c.inGroups(f, g, j); fewer(h) && !Strays(h) {
				atom = c.Subst(c.Atom(h), j, Sub{Data: g})
			}
		}
		factors = slices.Clone(factors)
		factors[n] = atom
	}
	return factors
}

// groupOf is the element of data by which e selects from arrays, and an index over what it selects from; nil where there is none, or several.
func (c *Context) groupOf(e *Expr) (g *Expr, j *Index) {
	ok := true
	Refs(e, func(r *Expr) {
		for n, s := range r.Subs {
			if s.Data == nil {
				continue
			}
			over := dsl.Range{Lo: dsl.Fixed(1), Hi: r.Tensor.Shape[n]}
			if g == nil {
				g, j = s.Data, c.NewIndex("j", over)
			}
			ok = ok && s.Data == g && s.Offset == 0 && j.Range == over
		}
	})
	if !ok {
		return nil, nil
	}
	return g, j
}

// inGroups is e with an index in the place of an element of data that selects.
func (c *Context) inGroups(e, g *Expr, j *Index) *Expr {
	return c.Replace(e, func(r *Expr) *Expr {
		if !slices.ContainsFunc(r.Subs, func(s Sub) bool { return s.Data == g }) {
			return r
		}
		subs := slices.Clone(r.Subs)
		for n, s := range subs {
			if s.Data == g {
				subs[n] = Sub{Index: j}
			}
		}
		return c.Ref(r.Tensor, subs...)
	})
}

// Largest returns max_i body.
func (c *Context) Largest(i *Index, body *Expr) *Expr {
	if !body.HasFree(i) {
		return body
	}
	bound := c.canon(i.Range, body.level+1)
	return c.Intern(Expr{Op: Largest, Index: bound, Args: []*Expr{c.rename(body, i, bound)}})
}

// bind makes the node Σ_i body, as it stands.
func (c *Context) bind(i *Index, body *Expr) *Expr {
	bound := c.canon(i.Range, body.level+1)
	return c.Intern(Expr{Op: Sum, Index: bound, Args: []*Expr{c.rename(body, i, bound)}})
}

// sumOfTerms returns Σ_i Σ_k t_k, the sum of each term on its own, but for residuals:
// the terms that are linear in what carries i stay together where one is the difference of
// a datum or an element of a parameter and something that does not carry i, or is such an
// element. They may cancel where their sums do not: Σ_i (y_i − b) near b = ȳ has
// the digits of y_i − b, and Σ_i y_i − n b those of y only. The rule `linear` of Fold
// splits them where that costs no digits.
func (c *Context) sumOfTerms(i *Index, body *Expr) *Expr {
	var ks []float64
	var terms []*Expr
	apart := make([]bool, len(body.Args))
	type count struct{ levels, data, elements int }
	kinds := map[float64]count{} // what may cancel, by coefficient
	for n, t := range body.Args {
		k := body.K[n]
		a := kinds[k]
		switch {
		case t.called || endedByDelta(t, i) || !linearIn(i, t):
			apart[n] = true
			continue
		case !t.HasFree(i):
			a.levels++
		case t.stage < StagePosition:
			a.data++
		case t.Op == Ref:
			a.elements++
		}
		kinds[k] = a
		ks, terms = append(ks, k), append(terms, t)
	}
	together := false
	for k, a := range kinds {
		b := kinds[-k]
		together = together || a.levels*(b.data+b.elements) > 0 || a.elements*(b.data+b.elements) > 0
	}
	if !together {
		return c.sumOfEach(i, body)
	}
	total := c.NewTotal(c.Mul(c.Size(i.Range), c.Number(body.Val)))
	for n, t := range body.Args {
		if apart[n] {
			total.Add(c.Scale(body.K[n], c.Sum(i, t)))
		}
	}
	residual := c.Linear(0, ks, terms)
	by := math.Copysign(content(residual), residual.K[0])
	total.Add(c.Scale(by, c.bind(i, c.Scale(c.arithmetic.over(1, by), residual))))
	return total.Sum()
}

// sumOfEach returns Σ_i Σ_k t_k, the sum of each term on its own.
func (c *Context) sumOfEach(i *Index, body *Expr) *Expr {
	if body.Op != Add {
		return c.Sum(i, body)
	}
	total := c.NewTotal(c.Mul(c.Size(i.Range), c.Number(body.Val)))
	for n, t := range body.Args {
		total.Add(c.Scale(body.K[n], c.Sum(i, t)))
	}
	return total.Sum()
}

// linearIn reports whether a term is data, or a product in which what carries i is data
// but for one factor at most.
func linearIn(i *Index, t *Expr) bool {
	switch {
	case t.stage < StagePosition || t.Op == Ref:
		return true
	case t.Op != Mul || t.called:
		return false
	}
	late := 0
	for n, f := range t.Args {
		if f.HasFree(i) && f.stage >= StagePosition {
			if late++; t.K[n] != 1 {
				return false
			}
		}
	}
	return late <= 1
}

// hasDelta reports whether a term of a sum has a delta of i as a factor, or a sum
// that has one.
func hasDelta(e *Expr, i *Index) bool {
	return (e.placed || e.gather) && slices.ContainsFunc(e.Args, func(t *Expr) bool { return endedByDelta(t, i) })
}

// endedByDelta reports that of one term.
func endedByDelta(t *Expr, i *Index) bool {
	if t.Op == Delta && t.HasFree(i) || scattersInto(t, i) {
		return true
	}
	if t.Op != Mul {
		return false
	}
	for n, f := range t.Args {
		if f.HasFree(i) && (f.Op == Delta || t.K[n] == 1 && (f.Op == Add && hasDelta(f, i) || scattersInto(f, i))) {
			return true
		}
	}
	return false
}

// Times multiplies a sum out: rest·(a + b) = rest·a + rest·b.
func (c *Context) Times(rest, sum *Expr) *Expr {
	if sum.Op != Add {
		return c.Mul(rest, sum)
	}
	args := make([]*Expr, 0, len(sum.Args)+1)
	ks := append([]float64(nil), sum.K...)
	for _, a := range sum.Args {
		args = append(args, c.Mul(rest, a))
	}
	return c.Linear(0, append(ks, sum.Val), append(args, rest))
}

// Open returns the body of a sum with its index replaced by a fresh one.
func (c *Context) Open(e *Expr) (*Index, *Expr) {
	i := c.NewIndex(e.Index.Name, e.Index.Range)
	return i, c.Subst(e.Args[0], e.Index, Sub{Index: i})
}

// rename replaces a free index by a canonical one of a level above all bound
// ones, which nothing can capture.
func (c *Context) rename(e *Expr, from, to *Index) *Expr {
	return c.subst(e, from, Sub{Index: to}, map[*Expr]*Expr{}, true)
}

// Placewise takes the deltas of fixed positions out of a sum of terms that each have one: Σ_i f(i) (δ[a,1] g(i) + δ[a,2] h(i)) is
// δ[a,1] Σ_i f(i) g(i) + δ[a,2] Σ_i f(i) h(i), whose sums no other a computes. It is nil where there are none.
func (c *Context) Placewise(e *Expr) *Expr {
	i, body := c.Open(e)
	if body.Op == Sum {
		if body = c.Placewise(body); body == nil {
			return nil
		}
	}
	sum, rest := body, terms{}
	if body.Op == Mul {
		sum = nil
		for n, f := range body.Args {
			if f.Op == Add && body.K[n] == 1 && sum == nil && allPlaced(f, i) {
				sum = f
				continue
			}
			rest.k, rest.e = append(rest.k, body.K[n]), append(rest.e, f)
		}
	}
	if sum == nil || sum.Op != Add || !allPlaced(sum, i) {
		return nil
	}
	out := c.nought()
	factor := c.Product(1, rest.k, rest.e)
	if body.Op == Mul {
		factor = c.Scale(body.Val, factor)
	}
	for n, t := range sum.Args {
		out = c.Add(out, c.Scale(sum.K[n], c.Sum(i, c.Mul(factor, t))))
	}
	return out
}

// allPlaced reports whether each term of a sum has a delta of a fixed position as a factor, of another index than i.
func allPlaced(e *Expr, i *Index) bool {
	placed := func(x *Expr) bool {
		return x.Op == Delta && x.Subs[0].Index != nil && x.Subs[0].Index != i && x.Subs[1].Index == nil && x.Subs[1].Data == nil
	}
	for _, t := range e.Args {
		if !placed(t) && !(t.Op == Mul && slices.ContainsFunc(t.Args, placed)) {
			return false
		}
	}
	return e.Val == 0
}
