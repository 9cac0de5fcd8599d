package symbolic

import (
	"math"
	"slices"
	"sort"

	"github.com/hamc-dev/hamc/dsl"
)

// The constructors keep expressions in canonical form: sums and products are
// flat and sorted, numbers folded, like terms and like factors collected, sums
// over an index linear and free of what does not depend on it, deltas
// eliminated.

// Number returns the constant v.
func (c *Context) Number(v float64) *Expr {
	if v == 0 {
		v = 0 // no negative zero
	}
	return c.intern(Expr{Op: Num, Val: v})
}

// Ref returns the element t[subs].
func (c *Context) Ref(t *Tensor, subs ...Sub) *Expr {
	if t.Symmetric && len(subs) == 2 && subLess(subs[1], subs[0]) {
		subs = []Sub{subs[1], subs[0]}
	}
	return c.intern(Expr{Op: Ref, Tensor: t, Subs: subs})
}

// subLess orders subscripts, to give symmetric tensors and deltas one form.
func subLess(a, b Sub) bool {
	rank := func(s Sub) int {
		switch {
		case s.Index != nil:
			return 0
		case s.Data != nil:
			return 1
		}
		return 2
	}
	switch {
	case rank(a) != rank(b):
		return rank(a) < rank(b)
	case a.Data != b.Data:
		return a.Data.id < b.Data.id
	case a.IsFixed():
		if a.At.Name != b.At.Name {
			return a.At.Name < b.At.Name
		}
		return a.At.Offset < b.At.Offset
	case a.Index != b.Index:
		return a.Index.uid < b.Index.uid
	}
	return a.Offset < b.Offset
}

// Add returns the sum of its arguments.
func (c *Context) Add(args ...*Expr) *Expr {
	k := make([]float64, len(args))
	for i := range k {
		k[i] = 1
	}
	return c.Linear(0, k, args)
}

// total adds expressions up. Few are added as they come, which settles the order of sums in
// emitted code; of many that would take time by their square.
type total struct {
	c     *Context
	terms []*Expr
	n     int
}

// maxAdded is how many terms are added as they come.
const maxAdded = 64

// newTotal is a sum that begins with some terms.
func (c *Context) newTotal(first ...*Expr) *total { return &total{c: c, terms: first} }

// add adds a term.
func (t *total) add(e *Expr) {
	t.terms, t.n = append(t.terms, e), t.n+1
	if t.n <= maxAdded {
		t.terms = []*Expr{t.c.Add(t.terms...)}
	}
}

// sum is the sum so far.
func (t *total) sum() *Expr { return t.c.Add(t.terms...) }

// Sub returns a − b.
func (c *Context) Sub(a, b *Expr) *Expr { return c.Linear(0, []float64{1, -1}, []*Expr{a, b}) }

// Neg returns −a.
func (c *Context) Neg(a *Expr) *Expr { return c.Scale(-1, a) }

// Scale returns v·a.
func (c *Context) Scale(v float64, a *Expr) *Expr {
	return c.Linear(0, []float64{v}, []*Expr{a})
}

type addend struct {
	e *Expr
	k float64
}

// Linear returns val + Σ k_i args_i.
func (c *Context) Linear(val float64, k []float64, args []*Expr) *Expr {
	terms := make([]addend, 0, len(args))
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
			terms = append(terms, addend{e, k})
		}
	}
	for i, a := range args {
		collect(k[i], a)
	}
	sort.SliceStable(terms, func(i, j int) bool { return terms[i].e.id < terms[j].e.id })
	out := terms[:0]
	for _, t := range terms {
		if n := len(out); n > 0 && out[n-1].e == t.e {
			out[n-1].k = c.arithmetic.plus(out[n-1].k, t.k)
			continue
		}
		out = append(out, t)
	}
	terms = out
	out = out[:0]
	for _, t := range terms {
		if t.k != 0 {
			out = append(out, t)
		}
	}
	switch {
	case len(out) == 0:
		return c.Number(val)
	case len(out) == 1 && val == 0 && out[0].k == 1:
		return out[0].e
	case len(out) == 1 && val == 0:
		e := out[0].e
		if e.Op == Mul {
			return c.product(c.arithmetic.times(out[0].k, e.Val), e.K, e.Args)
		}
		return c.product(out[0].k, []float64{1}, []*Expr{e})
	}
	ks := make([]float64, len(out))
	es := make([]*Expr, len(out))
	for i, t := range out {
		ks[i], es[i] = t.k, t.e
	}
	return c.rewrite(c.intern(Expr{Op: Add, Val: val, K: ks, Args: es}))
}

// product interns a product whose factors are already canonical.
func (c *Context) product(val float64, k []float64, args []*Expr) *Expr {
	if len(args) == 0 {
		return c.Number(val)
	}
	if val == 1 && len(args) == 1 && k[0] == 1 {
		return args[0]
	}
	return c.intern(Expr{Op: Mul, Val: val, K: k, Args: args})
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
	f := factors{c: c, val: val, list: make([]addend, 0, len(args))}
	for i, a := range args {
		f.collect(c.operand(a), k[i])
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
	return c.rewrite(c.product(val, ks, es))
}

// factors are those of a product on its way: a number, factors, and exponents of e.
type factors struct {
	c    *Context
	val  float64
	list []addend
	expo []addend // Π exp(a_i)^k_i = exp(Σ k_i a_i)
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
		f.expo = append(f.expo, addend{e.Args[0], k})
	case (e.Op == Delta || e.Op == Inside || e.Op == Before) && k > 0:
		f.list = append(f.list, addend{e, 1})
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
		f.list = append(f.list, addend{c.Linear(c.arithmetic.over(e.Val, by), ks, e.Args), k})
	default:
		f.list = append(f.list, addend{e, k})
	}
}

// exponential makes one factor of the exponentials.
func (f *factors) exponential() {
	if len(f.expo) == 0 {
		return
	}
	ks, es := make([]float64, len(f.expo)), make([]*Expr, len(f.expo))
	for i, x := range f.expo {
		ks[i], es[i] = x.k, x.e
	}
	if e := f.c.Call("exp", f.c.Linear(0, ks, es)); e.Op == Num {
		f.val = f.c.arithmetic.times(f.val, e.Val)
	} else {
		f.list = append(f.list, addend{e, 1})
	}
}

// merged are the factors in order, equal ones once, without those that others imply; not ok if two exclude
// each other.
func (f *factors) merged() (ks []float64, es []*Expr, ok bool) {
	sort.SliceStable(f.list, func(i, j int) bool { return f.list[i].e.id < f.list[j].e.id })
	out := f.list[:0]
	for _, x := range f.list {
		if n := len(out); n > 0 && out[n-1].e == x.e {
			if x.e.Op != Delta && x.e.Op != Inside && x.e.Op != Before {
				out[n-1].k = f.c.arithmetic.plus(out[n-1].k, x.k)
			}
			continue
		}
		out = append(out, x)
	}
	ks, es = make([]float64, 0, len(out)), make([]*Expr, 0, len(out))
	for _, x := range out {
		if x.e.Op == Before && slices.ContainsFunc(out, func(g addend) bool { return excluded(x.e, g.e) }) {
			return nil, nil, false
		}
		if x.k != 0 && !impliedBy(x.e, out) {
			ks, es = append(ks, x.k), append(es, x.e)
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
			if r := c.settleGather(val, ks, es, n); r != nil {
				return r
			}
			continue
		}
		from, to := d.Subs[1].Index, shiftSub(d.Subs[0], -d.Subs[1].Offset)
		if from == nil {
			from, to = d.Subs[0].Index, d.Subs[1]
		}
		for m, e := range es {
			if m != n && from != nil && e.hasFree(from) {
				rest := c.product(val, without(ks, n), without(es, n))
				return c.Mul(d, c.Subst(rest, from, to))
			}
		}
	}
	return nil
}

// impliedBy reports whether an indicator says no more than another one of the
// factors, of a part of its range.
func impliedBy(e *Expr, factors []addend) bool {
	if a, b, ok := comparison(e); ok {
		for _, f := range factors {
			x, y, ok := comparison(f.e)
			if ok && f.e != e && x == a && y.Index == b.Index && y.Data == b.Data && y.Offset < b.Offset {
				return true
			}
		}
		return false
	}
	if e.Op != Inside {
		return false
	}
	for _, f := range factors {
		if f.e != e && f.e.Op == Inside && f.e.Subs[0] == e.Subs[0] && holds(e.Range, f.e.Range) {
			return true
		}
	}
	return false
}

// content returns the magnitude that all coefficients of a sum share, or 1.
func content(e *Expr) float64 {
	by := math.Abs(e.K[0])
	for _, k := range e.K {
		if math.Abs(k) != by {
			return 1
		}
	}
	if e.Val != 0 && math.Abs(e.Val) != by {
		return 1
	}
	return by
}

// Collect takes factors that all terms of a sum share out of it:
// (1 − s)h − s·h becomes (1 − 2s)h.
func (c *Context) Collect(e *Expr) *Expr { return c.collect(e, map[*Expr]*Expr{}) }

func (c *Context) collect(e *Expr, memo map[*Expr]*Expr) *Expr {
	if r, ok := memo[e]; ok {
		return r
	}
	var r *Expr
	if e.Op == Sum {
		i, body := c.Open(e)
		r = c.Sum(i, c.Collect(body))
	} else {
		r = c.rebuild(e, func(a *Expr) *Expr { return c.collect(a, memo) }, func(s Sub) Sub { return s })
	}
	if r.Op == Add && r.Val == 0 && len(r.Args) > 1 {
		r = c.factorOut(r)
	}
	memo[e] = r
	return r
}

func (c *Context) factorOut(e *Expr) *Expr {
	factors := func(t *Expr) ([]*Expr, []float64) {
		if t.Op == Mul {
			return t.Args, t.K
		}
		return []*Expr{t}, []float64{1}
	}
	var common []addend
	first, fk := factors(e.Args[0])
	for n, f := range first {
		k := fk[n]
		// Scalars of data stay inside, where they join the constants.
		shared := k > 0 && (f.stage >= StagePosition || len(f.free) > 0)
		for _, t := range e.Args[1:] {
			found := false
			as, ks := factors(t)
			for m, a := range as {
				if a == f && ks[m] > 0 {
					found = true
					k = min(k, ks[m])
				}
			}
			shared = shared && found
		}
		if shared {
			common = append(common, addend{f, k})
		}
	}
	if len(common) == 0 {
		return e
	}
	ks, es := make([]float64, len(common)), make([]*Expr, len(common))
	inv := make([]float64, len(common))
	for n, f := range common {
		ks[n], es[n], inv[n] = f.k, f.e, -f.k
	}
	args := make([]*Expr, len(e.Args))
	for n, t := range e.Args {
		args[n] = c.Mul(t, c.Product(1, inv, es))
		if args[n].Op == Num {
			return e // s + s·x: the product s·x may stand elsewhere too
		}
	}
	return c.Mul(c.Product(1, ks, es), c.Linear(0, e.K, args))
}

// allPositive reports whether every factor of a product is positive, so that
// (ab)^k = a^k b^k for every k.
func (c *Context) allPositive(e *Expr) bool {
	if e.Val <= 0 {
		return false
	}
	for _, a := range e.Args {
		if c.Sign(a) != Positive {
			return false
		}
	}
	return true
}

// Delta returns Kronecker's delta of two subscripts.
func (c *Context) Delta(a, b Sub) *Expr {
	if a.Index == b.Index && a.Data == b.Data && (!a.IsFixed() || a.At.Name == b.At.Name) {
		if a.Offset == b.Offset && a.At == b.At {
			return c.Number(1)
		}
		return c.Number(0)
	}
	if subLess(b, a) {
		a, b = b, a
	}
	// All offsets go to the second subscript.
	if !a.IsFixed() && a.Offset != 0 {
		b = shiftSub(b, -a.Offset)
		a.Offset = 0
	}
	if b.IsFixed() && !a.IsFixed() && c.outside(b.At, a.ends()) {
		return c.Number(0)
	}
	return c.intern(Expr{Op: Delta, Subs: []Sub{a, b}})
}

// outside reports whether a fixed position is provably not in a range.
func (c *Context) outside(at dsl.Extent, r dsl.Range) bool {
	return at.Name == r.Lo.Name && at.Offset < r.Lo.Offset || at.Name == r.Hi.Name && at.Offset > r.Hi.Offset ||
		at.IsConst() && at.Offset < 1
}

// within returns 1 if the subscript provably lies in the range, 0 if it
// provably does not, and otherwise the node Inside. Empty ranges count as
// holding nothing, and sizes as at least 1.
func (c *Context) within(s Sub, r dsl.Range) *Expr {
	if s.IsFixed() {
		if c.outside(s.At, r) {
			return c.Number(0)
		}
		lo := s.At.Name == r.Lo.Name && s.At.Offset >= r.Lo.Offset || r.Lo == dsl.Fixed(1) && s.At.Offset >= 0
		hi := s.At.Name == r.Hi.Name && s.At.Offset <= r.Hi.Offset
		if lo && hi {
			return c.Number(1)
		}
		return c.intern(Expr{Op: Inside, Subs: []Sub{s}, Range: r})
	}
	own := s.ends()
	from, to := own.Lo, own.Hi
	lo := from.Name == r.Lo.Name && from.Offset >= r.Lo.Offset
	hi := to.Name == r.Hi.Name && to.Offset <= r.Hi.Offset
	if s.Data != nil {
		// Sizes have least values, which the check of the data sees to.
		lo = lo || r.Lo.IsConst() && from.Name != "" && c.least[from.Name]+from.Offset >= r.Lo.Offset
		hi = hi || to.IsConst() && r.Hi.Name != "" && to.Offset <= c.least[r.Hi.Name]+r.Hi.Offset
	}
	if lo && hi {
		return c.Number(1)
	}
	// Inside is stored on the bare index.
	r = dsl.Range{Lo: r.Lo.Plus(-s.Offset), Hi: r.Hi.Plus(-s.Offset)}
	s.Offset = 0
	return c.intern(Expr{Op: Inside, Subs: []Sub{s}, Range: r})
}

// Before returns 1 if the position a comes before b, else 0: a number where that is known
// whatever the indices, an indicator of one subscript where the other is fixed, and otherwise the
// node Before.
func (c *Context) Before(a, b Sub) *Expr {
	sameIndex := a.Index != nil && a.Index == b.Index || a.Data != nil && a.Data == b.Data
	if sameIndex {
		return c.truth(a.Offset < b.Offset)
	}
	x, y := a.ends(), b.ends()
	switch {
	case c.precedes(x.Hi, y.Lo):
		return c.Number(1)
	case c.precedes(y.Hi.Plus(-1), x.Lo):
		return c.Number(0)
	case a.IsFixed() && b.IsFixed():
		return c.within(a, dsl.Range{Lo: a.At, Hi: b.At.Plus(-1)})
	case a.IsFixed():
		return c.within(b, dsl.Range{Lo: a.At.Plus(1), Hi: y.Hi})
	case b.IsFixed():
		return c.within(a, dsl.Range{Lo: x.Lo, Hi: b.At.Plus(-1)})
	}
	// All offsets go to the second subscript.
	b.Offset -= a.Offset
	a.Offset = 0
	return c.intern(Expr{Op: Before, Subs: []Sub{a, b}})
}

// truth is 1 for what holds, and 0 for what does not.
func (c *Context) truth(holds bool) *Expr {
	if holds {
		return c.Number(1)
	}
	return c.Number(0)
}

// precedes reports whether a < b whatever the sizes, which have least values.
func (c *Context) precedes(a, b dsl.Extent) bool {
	return a.Name == b.Name && a.Offset < b.Offset ||
		a.IsConst() && !b.IsConst() && a.Offset < c.atLeast(b.Name)+b.Offset
}

// atLeast is the least value of a size.
func (c *Context) atLeast(size string) int { return max(1, c.least[size]) }

// comparison returns the subscripts of a comparison of two positions.
func comparison(e *Expr) (a, b Sub, ok bool) {
	if e.Op != Before {
		return a, b, false
	}
	return e.Subs[0], e.Subs[1], true
}

// excluded reports whether two comparisons never hold together: a < b + p and b < a + q.
func excluded(e, f *Expr) bool {
	a, b, ok1 := comparison(e)
	x, y, ok2 := comparison(f)
	return ok1 && ok2 && a.Index == y.Index && a.Data == y.Data && b.Index == x.Index && b.Data == x.Data && b.Offset+y.Offset < 2
}

// projections are what a comparison says of each of its two subscripts alone: where j < k, j is no
// last and k no first position.
func (c *Context) projections(e *Expr) []*Expr {
	a, b, ok := comparison(e)
	if !ok {
		return nil
	}
	x, y := a.ends(), b.ends()
	return []*Expr{
		c.within(a, dsl.Range{Lo: x.Lo, Hi: y.Hi.Plus(-1)}),
		c.within(b, dsl.Range{Lo: x.Lo.Plus(1), Hi: y.Hi}),
	}
}

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
		case ok && a.Index == i && !b.carries(i):
			to = append(to, b)
		case ok && b.Index == i && !a.carries(i):
			from = append(from, shiftSub(a, -b.Offset))
		default:
			restK, others = append(restK, ks[n]), append(others, e)
		}
	}
	if len(from)+len(to) == 0 {
		return nil, nil, body
	}
	return from, to, c.product(val, restK, others)
}

// Extent returns a symbolic size as an expression.
func (c *Context) Extent(x dsl.Extent) *Expr {
	if x.Name == "" {
		return c.Number(float64(x.Offset))
	}
	return c.Linear(float64(x.Offset), []float64{1}, []*Expr{c.Ref(c.byName[x.Name])})
}

// Size returns the number of values of a range.
func (c *Context) Size(r dsl.Range) *Expr {
	if r.Lo.Name == r.Hi.Name {
		return c.Number(float64(max(0, r.Hi.Offset-r.Lo.Offset+1)))
	}
	return c.Linear(1, []float64{1, -1}, []*Expr{c.Extent(r.Hi), c.Extent(r.Lo)})
}

// Sum returns Σ_i body.
func (c *Context) Sum(i *Index, body *Expr) *Expr {
	if !body.hasFree(i) {
		return c.Mul(c.Size(i.Range), body)
	}
	switch body.Op {
	case Add:
		if compares(body, i) {
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
		if f.Op != Delta || !f.hasFree(i) {
			continue
		}
		at := f.Subs[1]
		switch {
		case at.Index == i:
			// δ[a, i+o] fixes i = a − o.
			o := at.Offset
			at = f.Subs[0]
			at = shiftSub(at, -o)
		case f.Subs[0].Index != i:
			continue // δ[a, g[i]]: i stands in the data
		}
		if at.carries(i) {
			continue // δ[i, g[i]]
		}
		rest := c.Product(val, without(k, n), without(factors, n))
		return c.Mul(c.within(at, i.Range), c.Subst(rest, i, at))
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
		return c.Sum(i, c.times(rest, f))
	}
	if r := c.interchange(i, val, k, factors); r != nil {
		return r
	}
	if r := c.exchange(i, val, k, factors); r != nil {
		return r
	}
	for n, f := range factors {
		if f.Op == Add && k[n] == 1 && compares(f, i) {
			return c.sumOfTriangle(i, c.Product(val, without(k, n), without(factors, n)), f)
		}
	}
	var inK, outK []float64
	var in, out []*Expr
	for n, f := range factors {
		if f.hasFree(i) {
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

// bind makes the node Σ_i body, as it stands.
func (c *Context) bind(i *Index, body *Expr) *Expr {
	bound := c.canon(i.Range, body.level+1)
	return c.intern(Expr{Op: Sum, Index: bound, Args: []*Expr{c.rename(body, i, bound)}})
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
		case !t.hasFree(i):
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
	total := c.newTotal(c.Mul(c.Size(i.Range), c.Number(body.Val)))
	for n, t := range body.Args {
		if apart[n] {
			total.add(c.Scale(body.K[n], c.Sum(i, t)))
		}
	}
	residual := c.Linear(0, ks, terms)
	by := math.Copysign(content(residual), residual.K[0])
	total.add(c.Scale(by, c.bind(i, c.Scale(c.arithmetic.over(1, by), residual))))
	return total.sum()
}

// sumOfEach returns Σ_i Σ_k t_k, the sum of each term on its own.
func (c *Context) sumOfEach(i *Index, body *Expr) *Expr {
	if body.Op != Add {
		return c.Sum(i, body)
	}
	total := c.newTotal(c.Mul(c.Size(i.Range), c.Number(body.Val)))
	for n, t := range body.Args {
		total.add(c.Scale(body.K[n], c.Sum(i, t)))
	}
	return total.sum()
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
		if f.hasFree(i) && f.stage >= StagePosition {
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
	if t.Op == Delta && t.hasFree(i) || scattersInto(t, i) {
		return true
	}
	if t.Op != Mul {
		return false
	}
	for n, f := range t.Args {
		if f.hasFree(i) && (f.Op == Delta || t.K[n] == 1 && (f.Op == Add && hasDelta(f, i) || scattersInto(f, i))) {
			return true
		}
	}
	return false
}

// times multiplies a sum out: rest·(a + b) = rest·a + rest·b.
func (c *Context) times(rest, sum *Expr) *Expr {
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

func without[T any](s []T, n int) []T {
	out := make([]T, 0, len(s)-1)
	out = append(out, s[:n]...)
	return append(out, s[n+1:]...)
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

// Subst replaces the free index i by a subscript.
func (c *Context) Subst(e *Expr, i *Index, s Sub) *Expr {
	return c.subst(e, i, s, map[*Expr]*Expr{}, false)
}

func (c *Context) subst(e *Expr, i *Index, s Sub, memo map[*Expr]*Expr, safe bool) *Expr {
	if !e.hasFree(i) {
		return e
	}
	if r, ok := memo[e]; ok {
		return r
	}
	var r *Expr
	switch e.Op {
	case Sum:
		if safe {
			body := c.subst(e.Args[0], i, s, memo, true)
			r = c.intern(Expr{Op: Sum, Index: e.Index, Args: []*Expr{body}})
		} else {
			// The subscript may hold an index that the sum binds.
			j, body := c.Open(e)
			r = c.Sum(j, c.Subst(body, i, s))
		}
	default:
		r = c.rebuild(e, func(a *Expr) *Expr { return c.subst(a, i, s, memo, safe) }, func(b Sub) Sub {
			if b.Data != nil {
				b.Data = c.subst(b.Data, i, s, memo, safe)
			}
			if b.Index != i {
				return b
			}
			return shiftSub(s, b.Offset)
		})
	}
	memo[e] = r
	return r
}

// rebuild constructs a node anew with mapped arguments and subscripts.
func (c *Context) rebuild(e *Expr, arg func(*Expr) *Expr, sub func(Sub) Sub) *Expr {
	args := make([]*Expr, len(e.Args))
	for n, a := range e.Args {
		args[n] = arg(a)
	}
	subs := make([]Sub, len(e.Subs))
	for n, b := range e.Subs {
		subs[n] = sub(b)
	}
	switch e.Op {
	case Ref:
		return c.Ref(e.Tensor, subs...)
	case Add:
		return c.Linear(e.Val, e.K, args)
	case Mul:
		return c.Product(e.Val, e.K, args)
	case Call:
		return c.Call(e.Func.Name, args...)
	case Delta:
		return c.Delta(subs[0], subs[1])
	case Inside:
		return c.within(subs[0], e.Range)
	case Apply:
		return c.applicationOf(e.Apply, args)
	case Before:
		return c.Before(subs[0], subs[1])
	case Draw:
		return c.intern(Expr{Op: Draw, Dist: e.Dist, Tensor: e.Tensor, Args: args})
	}
	return e
}

// Replace rebuilds e with f applied to every reference.
func (c *Context) Replace(e *Expr, f func(*Expr) *Expr) *Expr {
	return c.replace(e, f, map[*Expr]*Expr{})
}

func (c *Context) replace(e *Expr, f func(*Expr) *Expr, memo map[*Expr]*Expr) *Expr {
	if r, ok := memo[e]; ok {
		return r
	}
	var r *Expr
	switch e.Op {
	case Ref:
		r = f(e)
	case Sum:
		i, body := c.Open(e)
		r = c.Sum(i, c.Replace(body, f))
	default:
		r = c.rebuild(e, func(a *Expr) *Expr { return c.replace(a, f, memo) }, func(s Sub) Sub { return s })
	}
	memo[e] = r
	return r
}

// Expand multiplies out products of sums and small powers of sums; it is used
// to prove identities, not to make programs.
func (c *Context) Expand(e *Expr) *Expr { return c.expand(e, map[*Expr]*Expr{}) }

func (c *Context) expand(e *Expr, memo map[*Expr]*Expr) *Expr {
	if r, ok := memo[e]; ok {
		return r
	}
	r := c.expandNode(e, memo)
	memo[e] = r
	return r
}

func (c *Context) expandNode(e *Expr, memo map[*Expr]*Expr) *Expr {
	switch e.Op {
	case Add:
		args := make([]*Expr, len(e.Args))
		for n, a := range e.Args {
			args[n] = c.expand(a, memo)
		}
		return c.Linear(e.Val, e.K, args)
	case Sum:
		i, body := c.Open(e)
		return c.sumOfEach(i, c.expand(body, memo))
	case Mul:
		terms := []*Expr{c.Number(e.Val)}
		for n, a := range e.Args {
			x := c.expand(a, memo)
			reps := 1
			if x.Op == Add && e.K[n] == math.Trunc(e.K[n]) && e.K[n] > 0 && e.K[n] <= 4 {
				reps = int(e.K[n])
			} else {
				x = c.Pow(x, e.K[n])
			}
			for ; reps > 0; reps-- {
				parts := []*Expr{x}
				if x.Op == Add {
					parts = parts[:0]
					for m, b := range x.Args {
						parts = append(parts, c.Scale(x.K[m], b))
					}
					if x.Val != 0 {
						parts = append(parts, c.Number(x.Val))
					}
				}
				if len(terms)*len(parts) > 4096 {
					return e
				}
				var next []*Expr
				for _, t := range terms {
					for _, p := range parts {
						next = append(next, c.Mul(t, p))
					}
				}
				terms = next
			}
		}
		return c.Add(terms...)
	}
	return e
}

// SplitDelta splits e into the part without and the part with the factor
// δ[i,j]; the latter without the delta, at j = i.
func (c *Context) SplitDelta(e *Expr, i, j *Index) (full, diagonal *Expr) {
	if d := c.stripDelta(e, i, j); d != nil {
		return c.Number(0), d
	}
	if e.Op != Add {
		return e, c.Number(0)
	}
	full, diagonal = c.Number(e.Val), c.Number(0)
	for n, t := range e.Args {
		if d := c.stripDelta(t, i, j); d != nil {
			diagonal = c.Add(diagonal, c.Scale(e.K[n], d))
		} else {
			full = c.Add(full, c.Scale(e.K[n], t))
		}
	}
	return full, diagonal
}
