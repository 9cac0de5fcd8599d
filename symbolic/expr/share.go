package expr

import (
	"math"
	"slices"

	"github.com/hamc-dev/hamc/dsl"
)

// Sharing. Nodes are shared, but the canonical form is flat: a product takes in
// the factors of its factors, and the derivative of a product of n factors has n
// terms of n factors each. In a chain of definitions, each of which uses the one
// before twice, the last would hold 2ⁿ factors. So what is large becomes
// opaque where something nonlinear is made of it: a reference to a shared
// definition, by which differentiation goes by the chain rule,
//
//	∂D/∂q[s] = dD[s],    dD the derivative of the body of D, derived once.
//
// The graph of the k-th derivatives then is no larger than a constant times mᵏ
// times the graph of the density, for m parameters. Only operands of products and calls
// become references, and of a sum only its large terms: the outermost
// operations stay visible. Lowering turns the references into definitions of the
// program.
//
// What is known before sampling is shared too where it is large, whole: nothing looks into it, and it is computed
// once. No grain has a part in that.
//
// Else a small model has no shared definitions: all rules see all of it. One that outgrows
// the first of two grains is elaborated anew with the second, by which a few operations
// are large already. Between the two, definitions would be large and alike.

// Grain says what is large: an expression whose longest product has more than
// factors factors, with what they hold, or that has more than tree nodes, written out
// as a tree. A part of it with fewer than least nodes stays visible.
type Grain struct{ factors, Tree, least int32 }

var Coarse, Fine = Grain{16, 1000, 0}, Grain{2, 40, 3}

// Undifferentiated is the grain of what is evaluated only: none outgrows it.
var Undifferentiated = Grain{16, 1000, 3}

// maxConstant is the size, written out as a tree, from which on what is known before sampling is large: in a
// chain of definitions each would hold all before it.
const maxConstant = 400

// IsLong reports whether a constant is too long to be written in terms of the data.
func (e *Expr) IsLong() bool { return e.tree > maxConstant }

// Outgrown is what elaboration with the coarse grain panics with where something is
// large, and growing recovers.
type Outgrown struct{}

// Growing returns what f makes of the coarse grain, or of the fine one if the model
// outgrows the first.
func Growing[T any](f func(Grain) T) T {
	if result, ok := fitting(f); ok {
		return result
	}
	return f(Fine)
}

// fitting returns what f makes of the coarse grain, unless the model outgrows it. Nothing of
// that attempt is left where it does.
func fitting[T any](f func(Grain) T) (result T, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, grown := r.(Outgrown); !grown {
				panic(r)
			}
			ok = false
		}
	}()
	return f(Coarse), true
}

// measure sets the sizes of a node from those of its operands. Factors that are known
// before sampling do not count: they are never differentiated.
func (e *Expr) measure() {
	tree, factors := 1, 0
	for _, a := range e.Args {
		tree += int(a.tree)
		if e.Op == Mul || e.Op == Call {
			factors += int(a.factors)
		} else {
			factors = max(factors, int(a.factors))
		}
	}
	switch {
	case e.stage < StagePosition:
		factors = 0
	case e.Op == Call:
		factors++
	default:
		factors = max(factors, 1)
	}
	e.tree = int32(min(tree, math.MaxInt32))
	e.factors = int32(min(factors, math.MaxInt32))
}

// large reports whether an operand is to become opaque.
func (c *Context) large(e *Expr) bool {
	if e.stage < StagePosition {
		return Fixed(e) && e.tree > maxConstant
	}
	return c.lengthy(e) || e.tree > c.Grain.Tree
}

// lengthy reports whether e has more factors than are to be seen; those of a call
// are one more than those of its arguments.
func (c *Context) lengthy(e *Expr) bool {
	most := c.Grain.factors
	if e.Op == Call {
		most++
	}
	return e.factors > most
}

// maxRegressors times the grain is the size of a sum over data that stays visible whatever it
// holds: folding looks into it.
const maxRegressors = 8

// Operand returns e as it stands in products and calls: its large parts opaque.
func (c *Context) Operand(e *Expr) *Expr {
	if !c.Sharing || !c.large(e) {
		return e
	}
	if r, ok := c.operands[e]; ok {
		return r
	}
	r := c.opaque(e, false)
	if most := c.Grain.Tree; c.Grain == Fine && r.Op == Add && (r.tree > maxRegressors*most || r.tree > most && len(r.free) == 0) {
		r = c.opaque(r, true)
	}
	c.operands[e] = r
	return r
}

// opaque makes the large part of e opaque: in a sum the large terms, or all that are no
// mere references; in a product the factors but those that are known early, the deltas and the
// exponential; in one reference for each set of indices. In a call it is the
// arguments, so that the rules that know the function still see it.
func (c *Context) opaque(e *Expr, all bool) *Expr {
	if e.stage < StagePosition {
		if Fixed(e) && e.tree > maxConstant {
			return c.share(e)
		}
		return e
	}
	switch e.Op {
	case Sum, Largest:
		return c.share(e)
	case Call:
		args := make([]*Expr, len(e.Args))
		for n, a := range e.Args {
			if args[n] = a; a.factors > 1 || a.tree > c.Grain.Tree/2 {
				args[n] = c.opaque(a, true)
			}
		}
		if r := c.Call(e.Func.Name, args...); !c.large(r) {
			return r
		}
		return c.share(e)
	case Add, Mul:
	default:
		return e
	}
	return c.opaqueParts(e, all)
}

// opaqueParts is opaque of a sum or a product.
func (c *Context) opaqueParts(e *Expr, all bool) *Expr {
	keep, groups, changed := c.hiding(e, all)
	build := c.product
	if e.Op == Add {
		build = c.Linear
	}
	for _, g := range groups {
		sign := 1.0
		if e.Op == Add && g.k[0] < 0 {
			sign = -1 // so that a − b and b − a are one definition
			for n := range g.k {
				g.k[n] = -g.k[n]
			}
		}
		neutral := 0.0
		if e.Op == Mul {
			neutral = 1
		}
		if p := build(neutral, g.k, g.e); p.tree >= c.Grain.least {
			if r := c.share(p); r != p {
				keep.k, keep.e, changed = append(keep.k, sign), append(keep.e, r), true
				continue
			}
		}
		for n, f := range g.e {
			keep.k, keep.e = append(keep.k, sign*g.k[n]), append(keep.e, f)
		}
	}
	switch {
	case !changed:
		return e
	case e.Op == Add:
		return c.Linear(e.Val, keep.k, keep.e)
	}
	return c.Product(e.Val, keep.k, keep.e)
}

// hiding tells the operands that stay visible from those that hide, in groups of one set of indices each. It is changed
// where one that stays is no longer what it was.
func (c *Context) hiding(e *Expr, all bool) (keep terms, groups []*terms, changed bool) {
	for n, f := range e.Args {
		to := &keep
		hide := f.stage >= StagePosition && !f.placed
		switch {
		case e.Op == Mul:
			hide = hide && !(f.Op == Call && f.Func.Name == "exp")
		case !(c.lengthy(f) || f.tree > c.Grain.Tree/2 || all && f.Op != Ref):
			hide = false
		case hide && f.Op == Call:
			if g := c.opaque(f, false); g != f && g.Op == Call {
				f, hide, changed = g, false, true
			}
		}
		if hide {
			to = nil
			for _, g := range groups {
				if SameIndices(g.e[0].free, f.free) {
					to = g
				}
			}
			if to == nil {
				to = &terms{}
				groups = append(groups, to)
			}
		}
		to.k, to.e = append(to.k, e.K[n]), append(to.e, f)
	}
	return keep, groups, changed
}

// terms are those of a sum, or the factors of a product.
type terms struct {
	k []float64
	e []*Expr
}

// share returns a reference to the shared definition of e, or e itself where that
// cannot be one: it tells places, it is an array too large to store, or it reads
// elements that do not exist for some values of its indices.
func (c *Context) share(e *Expr) *Expr {
	if e.placed || e.Op == Ref || e.Op == Num || !c.Storable(e.free) || Strays(e) {
		return e
	}
	if c.Grain == Coarse && e.stage >= StagePosition {
		panic(Outgrown{})
	}
	return c.enclosed(e, false)
}

// Atom is a reference to the shared definition of e, an array that is computed once and that nothing looks into, whatever
// its size. A reference or a number stays.
func (c *Context) Atom(e *Expr) *Expr {
	if !c.Storable(e.free) {
		return e
	}
	return c.Kept(e)
}

// Kept is Atom at whatever indices: arrays over ranges like theirs are then worth it.
func (c *Context) Kept(e *Expr) *Expr {
	if e.Op == Ref || e.Op == Num || len(c.exposures(e, true)) > 0 {
		return e
	}
	if !c.Storable(e.free) {
		c.KeepOver(e.free)
	}
	r := c.enclosed(c.Fold(e), false)
	r.Tensor.Atom = true
	return r
}

// Copied is an array of elements of another, which a reference to that is: what is a function of them is not taken for one of all elements of the other.
func (c *Context) Copied(e *Expr) *Expr {
	if len(e.free) == 0 {
		return e
	}
	r := c.enclosed(e, false)
	r.Tensor.Atom = true
	return r
}

// KeepOver makes arrays over ranges like those of indices worth it.
func (c *Context) KeepOver(indices []*Index) {
	var ranges []dsl.Range
	for _, i := range indices {
		ranges = append(ranges, i.Range)
	}
	c.keep(ranges)
}

// maxEnclosing is the largest depth of definitions that are being made inside one another.
const maxEnclosing = 1000

// enclosed is a reference to the shared definition of e.
func (c *Context) enclosed(e *Expr, symmetric bool) *Expr {
	if c.enclosing++; c.enclosing > maxEnclosing {
		c.enclosing = 0
		panic(TooLarge{})
	}
	key, formal := c.Close(e) // which may enclose parts of it, written in its own indices
	c.enclosing--
	t, ok := c.shared[key]
	if !ok {
		shape := make([]dsl.Extent, len(formal))
		for n, f := range formal {
			shape[n] = f.Range.Hi
		}
		t = c.NewTensor(Tensor{Name: "shared", Kind: SharedTensor, Shape: shape, Stage: e.stage, Positive: c.Sign(key) == Positive,
			Symmetric: symmetric && len(formal) == 2})
		t.Def = &Def{Tensor: t, Indices: formal, Body: key}
		c.shared[key] = t
	}
	return c.Ref(t, SubsOf(c.InOrder(e.free))...)
}

// Storable reports whether a value at these indices is worth an array of its own:
// vectors, matrices over the parameters, and what has the shape of a matrix of data, but no
// other arrays of data size times data size; of an operator's matrix one for each element of a parameter, and what
// operators are computed for at each value of an outer index.
func (c *Context) Storable(free []*Index) bool {
	for n, i := range free {
		if rest := without(free, n); c.outers[i.Range] && c.ofOperator(rest) && c.Storable(rest) {
			return true
		}
	}
	switch {
	case len(free) < 2 || c.keeps(free):
		return true
	case len(free) == 3:
		for n, i := range free {
			a, b := free[(n+1)%3].Range.Hi, free[(n+2)%3].Range.Hi
			if i.Range.Hi != a && i.Range.Hi != b && c.isSmall(i.Range) && (c.matrices[[2]dsl.Extent{a, b}] || c.matrices[[2]dsl.Extent{b, a}]) {
				return true
			}
		}
		return false
	case len(free) > 3:
		return false
	}
	rows, cols := c.isSmall(free[0].Range), c.isSmall(free[1].Range)
	return rows && cols || !rows && !cols && c.Shaped(free)
}

// mostBeside is how many elements of an array there may be, for indices over a few numbers, for each element at the others.
const mostBeside = 64

// Beside are the indices but for those over a few numbers.
func (c *Context) Beside(free []*Index) []*Index {
	few := 1
	return slices.DeleteFunc(slices.Clone(free), func(i *Index) bool {
		if n := i.Range.Hi; n.IsConst() && few*n.Offset <= mostBeside {
			few *= n.Offset
			return true
		}
		return false
	})
}

// keep makes arrays over these ranges worth it.
func (c *Context) keep(ranges []dsl.Range) {
	if !slices.ContainsFunc(c.kept, func(r []dsl.Range) bool { return slices.Equal(r, ranges) }) {
		c.kept = append(c.kept, ranges)
	}
}

// keeps reports whether arrays over ranges like those of indices have been made worth it.
func (c *Context) keeps(free []*Index) bool {
	return slices.ContainsFunc(c.kept, func(r []dsl.Range) bool { return goOver(free, r) })
}

// goOver reports whether indices are over these ranges, in whatever order.
func goOver(free []*Index, ranges []dsl.Range) bool {
	if len(free) != len(ranges) {
		return false
	}
	for _, i := range free {
		n := 0 // how many more indices than ranges are like this one
		for k, j := range free {
			if j.Range == i.Range {
				n++
			}
			if ranges[k] == i.Range {
				n--
			}
		}
		if n != 0 {
			return false
		}
	}
	return true
}

// ofOperator reports whether an array over indices is a vector or a matrix that operators are made of, or more than that.
func (c *Context) ofOperator(free []*Index) bool {
	for n, i := range free {
		for _, j := range free[n:] {
			if c.matrices[[2]dsl.Extent{i.Range.Hi, j.Range.Hi}] {
				return true
			}
		}
	}
	return false
}

// Shaped reports whether some matrix of data, or an argument of an operator, has the dimensions of two indices: an
// array over them takes no more than that does.
func (c *Context) Shaped(free []*Index) bool {
	if len(free) != 2 {
		return false
	}
	rows, cols := free[0].Range.Hi, free[1].Range.Hi
	if c.matrices[[2]dsl.Extent{rows, cols}] || c.matrices[[2]dsl.Extent{cols, rows}] {
		return true
	}
	for _, t := range c.Tensors {
		if t.Kind != DataTensor || len(t.Shape) != 2 {
			continue
		}
		if t.Shape[0] == rows && t.Shape[1] == cols || t.Shape[0] == cols && t.Shape[1] == rows {
			return true
		}
	}
	return false
}

// Narrow reports whether at least one of two indices is no longer than a vector of parameters, and the other one has another length: an array
// over them is as many vectors. Pairs of the elements of one vector are not stored.
func (c *Context) Narrow(free []*Index) bool {
	if len(free) != 2 || free[0].Range.Hi.Name == free[1].Range.Hi.Name {
		return false
	}
	own := func(i *Index) bool { return c.isSmall(i.Range) || c.Long[i.Range.Hi.Name] }
	return own(free[0]) || own(free[1])
}

// HoldMatrix notes that there are matrices of a shape, which are computed as wholes.
func (c *Context) HoldMatrix(rows, cols dsl.Extent) { c.matrices[[2]dsl.Extent{rows, cols}] = true }

// HoldLength notes that there are parameters of a length.
func (c *Context) HoldLength(x dsl.Extent) {
	if x.Name != "" {
		c.Small[x.Name] = true
	} else {
		c.longest = max(c.longest, x.Offset)
	}
}

// isSmall reports whether a range is no longer than the parameters are.
func (c *Context) isSmall(r dsl.Range) bool {
	return r.Hi.IsConst() && r.Hi.Offset <= max(64, c.longest) || c.Small[r.Hi.Name]
}

// InOrder returns free indices in the order in which an array over them is stored: that of their
// making, or that of the rows and columns of the matrices of data.
func (c *Context) InOrder(free []*Index) []*Index {
	if !c.transposed(free) {
		return free
	}
	return []*Index{free[1], free[0]}
}

// transposed reports whether two indices are in the order of the columns and rows of the matrices of
// data that have these dimensions.
func (c *Context) transposed(indices []*Index) bool {
	if len(indices) != 2 {
		return false
	}
	a, b, found := indices[0].Range.Hi, indices[1].Range.Hi, false
	for _, t := range c.Tensors {
		if t.Kind != DataTensor || len(t.Shape) != 2 {
			continue
		}
		if t.Shape[0] == a && t.Shape[1] == b {
			return false
		}
		found = found || t.Shape[0] == b && t.Shape[1] == a
	}
	if c.matrices[[2]dsl.Extent{a, b}] {
		return false
	}
	return found || c.matrices[[2]dsl.Extent{b, a}]
}

type formalKey struct {
	r dsl.Range
	n int
}

// Close renames the free indices of e, in the order that inOrder gives them, to formal
// ones: equal functions of their indices become equal nodes.
func (c *Context) Close(e *Expr) (*Expr, []*Index) {
	return c.CloseAs(e, c.InOrder(e.free))
}

// CloseAs is Close with the free indices in a given order.
func (c *Context) CloseAs(e *Expr, free []*Index) (*Expr, []*Index) {
	var formal []*Index
	for _, f := range free {
		k := formalKey{f.Range, len(formal)}
		i, ok := c.formals[k]
		if !ok {
			i = c.NewIndex(dsl.IndexName(k.n), f.Range)
			c.formals[k] = i
		}
		formal = append(formal, i)
	}
	return c.SubstAll(e, free, SubsOf(formal)), formal
}

// SubstAll puts subscripts in the place of indices, all at once: by way of
// indices of their own, because a subscript may name one that is still to be replaced.
func (c *Context) SubstAll(e *Expr, from []*Index, to []Sub) *Expr {
	temp := make([]*Index, len(from))
	for n, f := range from {
		temp[n] = c.NewIndex(f.Name, f.Range)
		e = c.Subst(e, f, Sub{Index: temp[n]})
	}
	for n := range temp {
		e = c.Subst(e, temp[n], to[n])
	}
	return e
}

type derivativeKey struct{ of, by *Tensor }

// sharedDiff returns the derivative of a reference to a shared definition.
func (c *Context) sharedDiff(e *Expr, t *Tensor, at []Sub) *Expr {
	key := derivativeKey{e.Tensor, t}
	d, ok := c.derivatives[key]
	if !ok {
		def := e.Tensor.Def
		at := SubsOf(c.alongOf(t))
		switch {
		case def.Body.Op == Apply:
			d = c.OpaqueMatrix(c.Tangent(def.Body, SubsOf(def.Indices), t, at), def.Tensor.Symmetric)
		case isExp(def.Body): // D' = D a' for D = exp(a)
			d = c.Mul(c.Ref(e.Tensor, SubsOf(def.Indices)...), c.Diff(def.Body.Args[0], t, at...))
		default:
			d = c.Diff(def.Body, t, at...)
		}
		if e.Tensor.Whole {
			d = c.OpaqueMatrix(d, e.Tensor.Symmetric)
		}
		d = c.Operand(c.Settled(d))
		c.derivatives[key] = d
	}
	d = c.SubstAll(d, c.along[t], at)
	return c.SubstAll(d, e.Tensor.Def.Indices, e.Subs)
}

// maxPlaces is the largest number of terms that a product of sums with deltas is multiplied
// out into.
const maxPlaces = 64

// Settled gathers the terms of something large by the deltas and indicators that they
// hold, f·δ[i,s] + g·δ[i,s] to (f + g)·δ[i,s]: what tells places stays visible, so that
// sums of it would grow and could not be shared.
func (c *Context) Settled(e *Expr) *Expr {
	if !c.Sharing || c.Grain != Fine || !c.large(e) {
		return e
	}
	return c.Placed(e)
}

// Placed writes e as a sum of products of deltas and indicators with what stands there, each of these products once.
func (c *Context) Placed(e *Expr) *Expr {
	if !e.placed {
		return e
	}
	list := c.byPlaces(e)
	var order []*Expr
	at := map[*Expr][]*Expr{}
	for _, t := range list {
		if at[t.place] == nil {
			order = append(order, t.place)
		}
		at[t.place] = append(at[t.place], t.rest)
	}
	args := make([]*Expr, len(order))
	for n, p := range order {
		args[n] = c.Mul(c.Add(at[p]...), p)
	}
	return c.Add(args...)
}

// placedTerm is a term of a sum: a product of deltas and indicators, and the rest.
type placedTerm struct{ place, rest *Expr }

// byPlaces writes e as a sum of such terms, with products of sums that hold deltas multiplied
// out.
func (c *Context) byPlaces(e *Expr) []placedTerm {
	one := c.Number(1)
	switch {
	case !e.placed:
		return []placedTerm{{one, e}}
	case e.Op == Add:
		var out []placedTerm
		for n, a := range e.Args {
			for _, t := range c.byPlaces(a) {
				out = append(out, placedTerm{t.place, c.Scale(e.K[n], t.rest)})
			}
		}
		if e.Val != 0 {
			out = append(out, placedTerm{one, c.Number(e.Val)})
		}
		return out
	case e.Op == Mul:
		out := []placedTerm{{one, c.Number(e.Val)}}
		for n, f := range e.Args {
			parts := []placedTerm{{one, c.Pow(f, e.K[n])}}
			if f.placed && e.K[n] == 1 {
				parts = c.byPlaces(f)
			}
			if len(out)*len(parts) > maxPlaces {
				return []placedTerm{{one, e}}
			}
			var next []placedTerm
			for _, t := range out {
				for _, p := range parts {
					next = append(next, placedTerm{c.Mul(t.place, p.place), c.Mul(t.rest, p.rest)})
				}
			}
			out = next
		}
		return out
	case e.Op == Delta, e.Op == Inside, e.Op == Before:
		return []placedTerm{{e, one}}
	}
	return []placedTerm{{one, e}}
}

// maxInlined is the size up to which shared definitions are written out for proofs.
const maxInlined = 400

// Inlined writes the shared definitions of e out, as far as that stays small: it
// serves proofs. A reference that would not stays.
func (c *Context) Inlined(e *Expr) *Expr {
	return c.InlinedBut(e, func(t *Tensor) bool { return false })
}

// InlinedBut is Inlined where some stay in any case.
func (c *Context) InlinedBut(e *Expr, stays func(t *Tensor) bool) *Expr {
	defer func(s bool) { c.Sharing = s }(c.Sharing)
	c.Sharing = false
	bodies := map[*Def]*Expr{} // nil where it stays
	var written func(e *Expr) *Expr
	written = func(e *Expr) *Expr {
		return c.Replace(e, func(r *Expr) *Expr {
			d := r.Tensor.Def
			if r.Tensor.Kind != SharedTensor || d.Body.Op == Apply || stays(r.Tensor) {
				return r
			}
			body, ok := bodies[d]
			if !ok {
				if body = written(d.Body); body.tree > maxInlined {
					body = nil
				}
				bodies[d] = body
			}
			if body == nil {
				return r
			}
			return c.SubstAll(body, d.Indices, r.Subs)
		})
	}
	return written(e)
}

// Square reports whether an array over indices is looked at in both orders of two of them: what is computed once, and
// what the operators of matrices make, also for each value of a third.
func (c *Context) Square(formal []*Index, stage Stage) (m, n int, ok bool) {
	matrix := func(m, n int) bool {
		return formal[m].Range == formal[n].Range && c.matrices[[2]dsl.Extent{formal[m].Range.Hi, formal[n].Range.Hi}]
	}
	switch {
	case len(formal) == 2:
		return 0, 1, matrix(0, 1) || formal[0].Range == formal[1].Range && stage < StagePosition
	case len(formal) != 3:
		return 0, 0, false
	case matrix(1, 2):
		return 1, 2, true
	case matrix(0, 1):
		return 0, 1, true
	}
	return 0, 2, matrix(0, 2)
}
