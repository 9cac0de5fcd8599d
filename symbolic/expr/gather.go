package expr

import (
	"fmt"
	"math"
	"slices"

	"github.com/hamc-dev/hamc/dsl"
)

// Gathers: subscripts taken from integer data, as in alpha[g[n]]. Differentiating
// by alpha[a] gives δ[a,g[n]], which no substitution eliminates from a sum over n.
// It makes the sum a scatter,
//
//	s[a] := Σ_n h(n) δ[a,g[n]]:    s := 0;  for n: s[g[n]] += h(n),
//
// computed by one loop over the data whatever the number of elements of alpha. The
// rules that keep sums in that form are
//
//	join         δ[a,g] δ[b,g]             = δ[a,b] δ[a,g]
//	settle       δ[a,g] f(a)               = δ[a,g] f(g)
//	nest         δ[a,g] δ[b,h[g]]          = δ[a,g] δ[b,h[a]]
//	interchange  Σ_a f(a) Σ_n h(n) δ[a,g]  = Σ_n h(n) f(g)
//
// By the first, second derivatives of what data couple within a group are
// diagonal, which the structure of a metric is read off from, and by the third those of groups of groups are beside those of groups: what is left of classes where pupils
// are eliminated is diagonal. The last is for sums
// that depend on the coordinates; where only f does, lowering goes the other way,
//
//	regroup      Σ_n h(n) f(g)             = Σ_a f(a) Σ_n h(n) δ[a,g]
//
// because the inner sums are then computed once.

// positions returns the positions that an element of integer data is, as a
// subscript: where they are a function of other integer data, what that is of these.
func (c *Context) positions(d *dsl.Data, subs []Sub) *Expr {
	if by := c.Nested[d.Name]; by != nil {
		return c.Ref(c.functionOf(d, by), Sub{Data: c.positions(by, subs)})
	}
	return c.ownPositions(d, subs)
}

// functionOf is the data h as a function of g, an array over what these select. With
//
//	count[a] = Σ_i δ[a,g[i]],   mean[a] = Σ_i δ[a,g[i]] h[i]/count[a]
//
// over observations it is the mean, and 1 where there is none. Of data that are no such function some position is beyond the last, as the check of positions tells.
func (c *Context) functionOf(h, g *dsl.Data) *Tensor {
	_, groups, _ := g.Values()
	_, size, _ := h.Values()
	i := c.NewIndex("i", UpTo(g.Type.Shape[0]))
	a, at := Sub{Index: c.NewIndex("a", UpTo(groups))}, Sub{Index: i}
	here := c.Delta(a, Sub{Data: c.positions(g, []Sub{at})})
	value := c.Ref(c.ByName[h.Name], at)
	mean := c.Div(c.Sum(i, c.Mul(here, value)), c.Call("fmax", c.Number(1), c.Sum(i, here)))
	off := c.Sum(i, c.Mul(here, c.Pow(c.Sub(value, c.Atom(mean)), 2)))
	e := c.Add(c.Call("fmax", c.Number(1), c.Atom(mean)), c.Mul(c.Extent(size), c.Call("sign", off)))
	return c.computedPosition(e, size, h.Name+" as a function of "+g.Name).Tensor
}

// ownPositions are those of data as they are.
func (c *Context) ownPositions(d *dsl.Data, subs []Sub) *Expr {
	source := c.ByName[d.Name]
	for _, t := range c.Tensors {
		if t.Kind == PositionsOf && t.Source == source {
			return c.Ref(t, subs...)
		}
	}
	lo, hi, _ := d.Values()
	return c.Ref(c.NewTensor(Tensor{Name: source.Name, Kind: PositionsOf, Source: source, Shape: source.Shape, Stage: StageData,
		Values: dsl.Range{Lo: lo, Hi: hi}}), subs...)
}

// computedPosition returns a whole number that is computed of data, from 1 to a size, as a subscript. Whether it is one is looked at when the
// data arrive.
func (c *Context) computedPosition(e *Expr, size dsl.Extent, text string) *Expr {
	key, formal := c.Close(e)
	shape := []dsl.Extent{dsl.Fixed(1)}
	subs := []Sub{{At: dsl.Fixed(1)}}
	if len(formal) > 0 {
		shape, subs = nil, SubsOf(c.InOrder(e.Free()))
		for _, i := range formal {
			shape = append(shape, i.Range.Hi)
		}
	} else {
		formal = []*Index{c.NewIndex("i", UpTo(dsl.Fixed(1)))}
	}
	for n, t := range c.ComputedPositions {
		if c.positionKeys[n] == key && t.Values.Hi == size {
			return c.Ref(t, subs...)
		}
	}
	name := "position"
	if n := len(c.ComputedPositions); n > 0 {
		name = fmt.Sprintf("position%d", n+1)
	}
	t := c.NewTensor(Tensor{Name: name, Label: text, Kind: PositionsOf, Shape: shape, Stage: StageData, Values: UpTo(size)})
	t.Def = &Def{Tensor: t, Indices: formal, Body: key}
	c.ComputedPositions, c.positionKeys = append(c.ComputedPositions, t), append(c.positionKeys, key)
	return c.Ref(t, subs...)
}

// Triangle is an order of the elements of a lower triangle.
type Triangle uint8

// The orders.
const (
	BelowByRows    Triangle = iota // those below the diagonal, row by row
	BelowByColumns                 // those below the diagonal, column by column
	LowerByRows                    // those on the diagonal too, row by row
)

// TrianglePosition is the position of the element [i,j] of an n × n matrix among those of a triangle:
//
//	BelowByRows      (i − 1)(i − 2)/2 + j
//	BelowByColumns   (j − 1)n − j(j − 1)/2 + i − j
//	LowerByRows      i(i − 1)/2 + j
//
// Elsewhere it is one of them too, which is not to be read. Size is how many there are.
func (c *Context) TrianglePosition(order Triangle, i, j Sub, n, size dsl.Extent) Sub {
	one := c.Number(1)
	row, before := c.number(i), c.Sub(c.number(i), one)
	column := c.Call("fmin", c.number(j), before)
	var at *Expr
	switch order {
	case BelowByRows:
		at = c.Add(c.Scale(0.5, c.Mul(before, c.Sub(row, c.Number(2)))), column)
	case BelowByColumns:
		left := c.Sub(column, one)
		at = c.Add(c.Mul(left, c.Extent(n)), c.Scale(-0.5, c.Mul(column, left)), c.Sub(row, column))
	case LowerByRows:
		at = c.Add(c.Scale(0.5, c.Mul(row, before)), c.Call("fmin", c.number(j), row))
	}
	return Sub{Data: c.computedPosition(c.Call("fmax", at, one), size, "triangle")}
}

// isGather reports whether e is δ[a, g…] of an index and an element of data.
func isGather(e *Expr) bool {
	return e.Op == Delta && e.Subs[0].Index != nil && e.Subs[1].Data != nil
}

// joinGathers applies the rule `join` to the factors of a product; nil if it does
// not apply.
func (c *Context) joinGathers(val float64, ks []float64, es []*Expr) *Expr {
	for n, d := range es {
		if !isGather(d) {
			continue
		}
		for _, e := range es[:n] {
			a, b := e.Subs, d.Subs
			if !isGather(e) || a[1].Data != b[1].Data || a[0].Index == b[0].Index || a[0].Index.Range != b[0].Index.Range {
				continue
			}
			// a = g + o and b = g + p: b is a − o + p.
			pair := c.Delta(b[0], ShiftSub(a[0], b[1].Offset-a[1].Offset))
			rest := c.product(val, without(ks, n), without(es, n))
			return c.Mul(pair, rest)
		}
	}
	return nil
}

// settleGather applies the rule `settle` for the n-th factor, a delta with data;
// nil if it does not apply. A delta of a with another index stays, or with what data have at a: it tells where
// an entry lies.
func (c *Context) settleGather(val float64, ks []float64, es []*Expr, n int) *Expr {
	d := es[n]
	if !isGather(d) {
		return nil
	}
	a, at := d.Subs[0].Index, d.Subs[1]
	if at.Carries(a) || !c.Within(at, a.Range).IsNum(1) {
		return nil
	}
	keep := []*Expr{d}
	var restK []float64
	var rest []*Expr
	found := false
	for m, e := range es {
		if m == n {
			continue
		}
		if _, _, pair := IndexPair(e); pair || isGather(e) && e.Subs[1].Carries(a) {
			keep = append(keep, e)
			continue
		}
		found = found || e.HasFree(a)
		restK, rest = append(restK, ks[m]), append(rest, e)
	}
	if !found {
		return nil
	}
	return c.Mul(append(keep, c.Subst(c.Product(val, restK, rest), a, at))...)
}

// nestGather applies the rule `nest` for the n-th factor; nil if it does not apply.
func (c *Context) nestGather(val float64, ks []float64, es []*Expr, n int) *Expr {
	d := es[n]
	if !isGather(d) {
		return nil
	}
	a, g := d.Subs[0].Index, d.Subs[1]
	for m, e := range es {
		if m == n || !isGather(e) || e.Subs[0].Index == a {
			continue
		}
		if h, ok := c.regathered(e.Subs[1].Data, g.Data, ShiftSub(Sub{Index: a}, -g.Offset)); ok {
			rest := c.product(val, without(ks, m), without(es, m))
			return c.Mul(rest, c.Delta(e.Subs[0], Sub{Data: h, Offset: e.Subs[1].Offset}))
		}
	}
	return nil
}

// regathered is an element of integer data with a position in the place of another element, where that is in its subscripts.
func (c *Context) regathered(h, g *Expr, at Sub) (*Expr, bool) {
	if h.Op != Ref {
		return nil, false
	}
	subs, found := slices.Clone(h.Subs), false
	for k, s := range subs {
		switch {
		case s.Data == g:
			subs[k], found = ShiftSub(at, s.Offset), true
		case s.Data != nil:
			if r, ok := c.regathered(s.Data, g, at); ok {
				subs[k].Data, found = r, true
			}
		}
	}
	if !found {
		return nil, false
	}
	return c.Ref(h.Tensor, subs...), true
}

// scattersInto reports whether e is a sum that scatters into the elements i, and
// is not better left as it is.
func scattersInto(e *Expr, i *Index) bool {
	return e.Op == Sum && e.gather && e.HasFree(i) && slices.Contains(ScatteredFree(e), i) && !computedOnce(e)
}

// computedOnce reports whether a scatter depends on data alone, and on no index but that of the elements that it scatters into, or on one more, the column of a
// matrix of data whose rows it adds, or the row of one whose columns it adds: a vector, or a matrix that is no larger than that one. A table over pairs of groups is mostly empty, and is left for the loop over the data.
func computedOnce(e *Expr) bool {
	if e.Op != Sum || e.stage >= StagePosition || !e.gather || len(e.free) > 2 {
		return false
	}
	scattered := ScatteredFree(e)
	if len(scattered) != 1 {
		return false
	}
	for _, f := range e.free {
		if f != scattered[0] && !columnOf(e.Args[0], f) {
			return false
		}
	}
	return true
}

// columnOf reports whether an index is that of the columns, or of the rows, of a matrix of data beside another index, and of nothing else, in a product.
func columnOf(product *Expr, i *Index) bool {
	factors := []*Expr{product}
	if product.Op == Mul {
		factors = product.Args
	}
	found := false
	for _, f := range factors {
		if !f.HasFree(i) {
			continue
		}
		if found || f.Op != Ref || f.Tensor.Kind != DataTensor || len(f.Subs) != 2 {
			return false
		}
		if a, b := f.Subs[0].Index, f.Subs[1].Index; a == nil || b == nil || a == b || a != i && b != i {
			return false
		}
		found = true
	}
	return found
}

// ScatteredFree returns the free indices of a sum that stand in a factor δ[a,g…] of
// its body, or of a sum in it that is none of its own.
func ScatteredFree(e *Expr) []*Index {
	if e.Op != Sum || !e.gather {
		return nil
	}
	var out []*Index
	var walk func(x *Expr)
	walk = func(x *Expr) {
		switch {
		case isGather(x):
			if a := x.Subs[0].Index; e.HasFree(a) && !x.Subs[1].Carries(a) {
				out = append(out, a)
			}
		case x.Op == Sum && !computedOnce(x):
			walk(x.Args[0])
		case x.Op == Mul:
			for n, f := range x.Args {
				if x.K[n] == 1 {
					walk(f)
				}
			}
		}
	}
	walk(e.Args[0])
	return out
}

// interchange applies the rule of that name to Σ_i of a product; nil if it does
// not apply.
func (c *Context) interchange(i *Index, val float64, k []float64, factors []*Expr) *Expr {
	for n, f := range factors {
		if k[n] != 1 || !scattersInto(f, i) {
			continue
		}
		j, body := c.Open(f)
		rest := c.Product(val, without(k, n), without(factors, n))
		return c.Sum(j, c.Sum(i, c.Mul(rest, body)))
	}
	return nil
}

// Regroup applies the rule of that name to a sum, or to a scatter, where f(g) is
// f(a) outside of it; nil if it does not apply. f is a polynomial: it is finite
// for those elements too that no datum names.
func (c *Context) Regroup(e *Expr) *Expr {
	if !e.gather || e.stage < StagePosition {
		return nil
	}
	i, body := c.Open(e)
	if body.Op != Mul {
		body = c.Intern(Expr{Op: Mul, Val: 1, K: []float64{1}, Args: []*Expr{body}})
	}
	var at *Expr
	var lateK, earlyK []float64
	var late, early []*Expr
	for n, f := range body.Args {
		if f.stage < StagePosition {
			earlyK, early = append(earlyK, body.K[n]), append(early, f)
			continue
		}
		if !c.polynomialOf(f, body.K[n], i, &at) {
			return nil
		}
		lateK, late = append(lateK, body.K[n]), append(late, f)
	}
	if at == nil {
		return nil
	}
	j, up := c.Positions(at)
	f := c.Gathered(c.Product(1, lateK, late), at, j, up)
	h := c.Product(body.Val, earlyK, early)
	if f.HasFree(i) || Strays(f) {
		return nil
	}
	for _, d := range early {
		if isGather(d) && d.Subs[1].Data == at && d.Subs[0].Index.Range == j.Range {
			// The scatter is 0 at what no datum can be, where f may not exist.
			to := ShiftSub(d.Subs[0], up-d.Subs[1].Offset)
			return c.Mul(c.Within(to, j.Range), c.Subst(f, j, to), c.Sum(i, h))
		}
	}
	inner := c.Sum(i, c.Mul(h, c.Delta(Sub{Index: j}, Sub{Data: at, Offset: up})))
	if len(inner.free) != 1 && !computedOnce(inner) {
		return nil // a table, which interchange would undo
	}
	return c.Sum(j, c.Mul(f, inner))
}

// polynomialOf reports whether e^k is a polynomial that depends on i through the
// element at of data only, which is found if it is nil. It holds no data at that
// position.
func (c *Context) polynomialOf(e *Expr, k float64, i *Index, at **Expr) bool {
	if !e.HasFree(i) {
		return true
	}
	if k < 1 || k != math.Trunc(k) {
		return false
	}
	switch e.Op {
	case Ref:
		for _, s := range e.Subs {
			if !s.Carries(i) {
				continue
			}
			if s.Data == nil || e.stage < StagePosition || *at != nil && *at != s.Data || len(s.Data.free) != 1 {
				return false
			}
			*at = s.Data
		}
		return true
	case Add, Mul:
		for n, a := range e.Args {
			x := 1.0
			if e.Op == Mul {
				x = e.K[n]
			}
			if !c.polynomialOf(a, x, i, at) {
				return false
			}
		}
		return true
	}
	return false
}

// ScatterOf reads a scatter into the elements at indices off the body of a definition, or returns nil. The delta of another index, as
// that along which a recursion runs, stays a factor of the body.
func (c *Context) ScatterOf(body *Expr, indices []*Index) *Scatter {
	if len(ScatteredFree(body)) == 0 {
		return nil
	}
	s := &Scatter{}
	all, rest := c.GathersOf(body, &s.Sums)
	var deltas []*Expr
	for _, d := range all {
		if slices.Contains(indices, d.Subs[0].Index) {
			deltas = append(deltas, d)
		} else {
			rest = c.Mul(rest, d)
		}
	}
	if len(deltas) == 0 {
		return nil
	}
	s.Body = rest
	for _, i := range indices {
		at := Sub{Index: i}
		for _, d := range deltas {
			if d.Subs[0].Index == i {
				at = d.Subs[1]
			}
		}
		s.At = append(s.At, at)
	}
	return s
}

// Scattering is a scatter that is added under guards.
type Scattering struct {
	Scatter
	Guards []*Expr
}

// Scattered takes those terms out of a sum that are scatters into the elements at indices, times what is the same for these elements, and
// returns the rest.
func (c *Context) Scattered(e *Expr, indices []*Index) (scatters []Scattering, rest *Expr) {
	terms, ks := []*Expr{e}, []float64{1}
	if e.Op == Add {
		terms, ks = e.Args, e.K
	}
	rest = e
	for n, t := range terms {
		if s := c.scatteredTerm(t, ks[n], indices); s != nil {
			scatters = append(scatters, *s)
			rest = c.Sub(rest, c.Scale(ks[n], t))
			continue
		}
		guards, sum := guardedSum(t)
		if sum == nil {
			continue
		}
		inner, left := c.Scattered(sum, indices)
		if len(inner) == 0 {
			continue
		}
		for _, s := range inner {
			s.Body = c.Scale(ks[n]*t.Val, s.Body)
			s.Guards = append(slices.Clone(guards), s.Guards...)
			scatters = append(scatters, s)
		}
		rest = c.Add(c.Sub(rest, c.Scale(ks[n], t)), c.Scale(ks[n]*t.Val, c.Mul(append(slices.Clone(guards), left)...)))
	}
	return scatters, rest
}

// guardedSum splits a product of guards and one sum of terms; the sum is nil where it is none.
func guardedSum(e *Expr) (guards []*Expr, sum *Expr) {
	if e.Op != Mul {
		return nil, nil
	}
	for n, f := range e.Args {
		switch {
		case isGuard(f):
			guards = append(guards, f)
		case f.Op == Add && e.K[n] == 1 && sum == nil:
			sum = f
		default:
			return nil, nil
		}
	}
	return guards, sum
}

// isGuard reports whether e is an indicator or the delta of a fixed position.
func isGuard(e *Expr) bool {
	return e.Op == Inside || e.Op == Before || e.Op == Delta && e.Subs[0].Index != nil && e.Subs[1].Index == nil
}

// scatteredTerm is one of them, with a coefficient, or nil.
func (c *Context) scatteredTerm(e *Expr, k float64, indices []*Index) *Scattering {
	fs, ks, val := []*Expr{e}, []float64{1}, k
	if e.Op == Mul {
		fs, ks, val = e.Args, e.K, k*e.Val
	}
	at := slices.IndexFunc(fs, func(f *Expr) bool { return len(ScatteredFree(f)) > 0 })
	if at < 0 || ks[at] != 1 {
		return nil
	}
	scatter := c.ScatterOf(fs[at], indices)
	if scatter == nil {
		return nil
	}
	out := &Scattering{Scatter: *scatter}
	es, powers := []*Expr{scatter.Body}, []float64{1}
	for n, f := range fs {
		switch {
		case n == at:
			continue
		case slices.ContainsFunc(indices, f.HasFree):
			return nil
		case isGuard(f):
			out.Guards = append(out.Guards, f)
		case f.Op == Delta:
			return nil
		default:
			es, powers = append(es, f), append(powers, ks[n])
		}
	}
	out.Body = c.Product(val, powers, es)
	return out
}

// GathersOf opens nested sums, and splits the product inside into the deltas that
// make it a scatter and the rest. There are none if it is no scatter.
func (c *Context) GathersOf(e *Expr, sums *[]*Index) (deltas []*Expr, rest *Expr) {
	outer := e.free
	var ks []float64
	var es []*Expr
	var open func(e *Expr, k float64)
	top := e
	open = func(e *Expr, k float64) {
		switch {
		case e.Op == Sum && k == 1 && (e == top || !computedOnce(e)):
			i, body := c.Open(e)
			*sums = append(*sums, i)
			open(body, 1)
		case e.Op == Mul && k == 1:
			if e.Val != 1 {
				ks, es = append(ks, 1), append(es, c.Number(e.Val))
			}
			for n, f := range e.Args {
				open(f, e.K[n])
			}
		default:
			ks, es = append(ks, k), append(es, e)
		}
	}
	open(e, 1)
	p := c.Product(1, ks, es)
	fs, k, val := []*Expr{p}, []float64{1}, 1.0
	if p.Op == Mul {
		fs, k, val = p.Args, p.K, p.Val
	}
	var inside []*Expr
	for n := 0; n < len(fs); {
		d := fs[n]
		if isGather(d) && slices.Contains(outer, d.Subs[0].Index) && carriesAny(d.Subs[1], *sums) {
			deltas = append(deltas, d)
			fs, k = without(fs, n), without(k, n)
			if in := c.Within(d.Subs[1], d.Subs[0].Index.Range); !in.IsNum(1) { // there is no such element
				inside = append(inside, in)
			}
			continue
		}
		n++
	}
	rest = c.Mul(append(inside, c.Product(val, k, fs))...)
	for _, d := range deltas {
		if rest.HasFree(d.Subs[0].Index) {
			return nil, nil
		}
	}
	return deltas, rest
}

func carriesAny(s Sub, indices []*Index) bool {
	return slices.ContainsFunc(indices, s.Carries)
}

// SharesFree reports whether two expressions have a free index in common.
func SharesFree(a, b *Expr) bool {
	return slices.ContainsFunc(a.free, b.HasFree)
}

// Positions returns an index over the values that the element at of data may have, and by how much it is above them: values may start at 0 or
// below, and arrays start at 1.
func (c *Context) Positions(at *Expr) (j *Index, up int) {
	r := at.Tensor.Values
	if r.Lo.IsConst() && r.Lo.Offset < 1 {
		up = 1 - r.Lo.Offset
		r = dsl.Range{Lo: dsl.Fixed(1), Hi: r.Hi.Plus(up)}
	}
	return c.NewIndex("j", r), up
}

// Gathered is e with the index j, less up, for the element at of data.
func (c *Context) Gathered(e, at *Expr, j *Index, up int) *Expr {
	memo := map[*Expr]*Expr{}
	var walk func(x *Expr) *Expr
	walk = func(x *Expr) *Expr {
		if !SharesFree(x, at) {
			return x
		}
		if r, ok := memo[x]; ok {
			return r
		}
		var r *Expr
		if x.Op == Sum {
			i, body := c.Open(x)
			r = c.Sum(i, walk(body))
		} else {
			r = c.Rebuild(x, walk, func(s Sub) Sub {
				switch {
				case s.Data == at:
					return Sub{Index: j, Offset: s.Offset - up}
				case s.Data != nil:
					s.Data = walk(s.Data)
				}
				return s
			})
		}
		memo[x] = r
		return r
	}
	return walk(e)
}

// ReadsAt reports whether an element of data stands at a place that another one tells: g[h[n]] does at h[n].
func ReadsAt(e, at *Expr) bool {
	return slices.ContainsFunc(e.Subs, func(s Sub) bool { return s.Data != nil && (s.Data == at || ReadsAt(s.Data, at)) })
}

// Selection is a factor δ[a,h[b…]] somewhere in e, by which each b has one a; nil where there is none.
func (c *Context) Selection(e *Expr, a, b *Index) (d *Expr) {
	if !e.gather {
		return nil
	}
	Search(e, StageConst, func(x *Expr) bool {
		if isGather(x) && x.Subs[0].Index == a && x.Subs[1].Carries(b) {
			d = x
		}
		return d != nil
	})
	return d
}

// Under is x where e = d x, by the form of e; nil where that does not show it.
func (c *Context) Under(e, d *Expr) *Expr {
	switch {
	case e == d:
		return c.Number(1)
	case e.Op == Mul:
		for n, f := range e.Args {
			if e.K[n] != 1 || !f.gather {
				continue
			}
			if x := c.Under(f, d); x != nil {
				return c.Mul(c.Product(e.Val, without(e.K, n), without(e.Args, n)), x)
			}
		}
	case e.Op == Add && e.Val == 0:
		total := c.NewTotal()
		for n, t := range e.Args {
			x := c.Under(t, d)
			if x == nil {
				return nil
			}
			total.Add(c.Scale(e.K[n], x))
		}
		return total.Sum()
	}
	return nil
}

// Coupling is the element h of data in a factor δ[g[i…],h] of the body of a sum over i, which does not depend on i, and the body as powers of factors; nil where there is no
// such factor.
func (c *Context) Coupling(body *Expr, i *Index) (h *Expr, fs []*Expr, ks []float64) {
	if body.Op != Mul {
		return nil, nil, nil
	}
	for _, f := range body.Args {
		if f.Op != Delta || f.Subs[0].Data == nil || f.Subs[1].Data == nil {
			continue
		}
		for n, s := range f.Subs {
			if !s.Carries(i) && f.Subs[1-n].Carries(i) && len(s.Data.Free()) > 0 {
				fs, ks = slices.Clone(body.Args), slices.Clone(body.K)
				if body.Val != 1 {
					fs, ks = append(fs, c.Number(body.Val)), append(ks, 1)
				}
				return s.Data, fs, ks
			}
		}
	}
	return nil, nil, nil
}
