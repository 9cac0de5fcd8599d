package symbolic

import (
	"math"
	"slices"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Lower turns an expression that is evaluated in loops over ctx into one over
// definitions: what is known at an earlier stage, or does not change in the
// innermost loops, is defined once and referred to.
func (p *Program) Lower(e *expr.Expr, ctx []*expr.Index) *expr.Expr { return p.lowerAs(e, ctx, nil) }

// lowerAs is Lower of something that may have the name of source.
func (p *Program) lowerAs(e *expr.Expr, ctx []*expr.Index, source *expr.Expr) *expr.Expr {
	defer func(s bool) { p.c.Sharing = s }(p.c.Sharing)
	p.c.Sharing = false // operands are small, and what they are made of stays as small
	p.lowerPositions()
	l := &lowering{p: p, ctx: expr.SortedIndices(ctx), memo: map[*expr.Expr]*expr.Expr{}}
	r := l.lower(p.c.Collect(p.reorder(e)))
	if expr.Fixed(r) && len(r.Free()) == 0 && r.Op != expr.Ref {
		return p.define(r, source) // known early, whole
	}
	return r
}

// lowerShared lowers a reference to a shared definition: a definition of the program, or
// what is left of it that is worth none.
func (p *Program) lowerShared(e *expr.Expr) *expr.Expr {
	d := e.Tensor.Def
	r, ok := p.lowered[e.Tensor]
	switch {
	case ok:
	case d.Body.Op == expr.Apply:
		r = p.lowerApplied(d)
		p.lowered[e.Tensor] = r
	default:
		r = p.lowerAs(d.Body, d.Indices, d.Body)
		if r.Op != expr.Ref && r.Op != expr.Num && p.storable(r) {
			r = p.define(r, d.Body)
		}
		if e.Tensor.Atom && r.Op == expr.Ref && r.Tensor.Kind == expr.DefTensor {
			r.Tensor.Atom = true
		}
		if e.Tensor.Whole && r.Op == expr.Ref && r.Tensor.Kind == expr.DefTensor {
			r.Tensor.Whole = true
		}
		p.lowered[e.Tensor] = r
	}
	return p.c.SubstAll(r, d.Indices, e.Subs)
}

// storable reports whether a value is worth an array: one without momenta and weights is where one of two indices is no longer than the
// parameters are, too. For sums that hold weights there are kernels.
func (p *Program) storable(e *expr.Expr) bool {
	return p.c.Storable(e.Free()) || e.Stage() <= expr.StagePosition && p.c.Narrow(e.Free())
}

type lowering struct {
	p    *Program
	ctx  []*expr.Index
	memo map[*expr.Expr]*expr.Expr
	// guards are the indicators of the products around the expression: a
	// definition taken out of them keeps them, because outside it may read
	// elements that do not exist.
	guards []*expr.Expr
	within *expr.Recursion // whose member is lowered: what reads it is computed where it stands
}

// inner is a lowering of what stands inside, at indices and behind guards.
func (l *lowering) inner(ctx []*expr.Index, guards []*expr.Expr) *lowering {
	return &lowering{p: l.p, ctx: ctx, memo: map[*expr.Expr]*expr.Expr{}, guards: guards, within: l.within}
}

// define defines e, under the guards that its indices need.
func (l *lowering) define(e, source *expr.Expr) *expr.Expr {
	if l.within != nil && l.within.Reads(e) {
		return e
	}
	if expr.Strays(e) {
		for _, g := range l.guards {
			if expr.SharesFree(g, e) {
				e, source = l.p.c.Mul(l.guard(g, e), e), nil
			}
		}
	}
	return l.p.define(e, source)
}

// guard is what a guard says of the indices of e alone.
func (l *lowering) guard(g, e *expr.Expr) *expr.Expr {
	for _, i := range g.Free() {
		if g.Op != expr.Before || e.HasFree(i) {
			continue
		}
		for _, x := range l.p.c.Projections(g) {
			if !x.HasFree(i) {
				return x
			}
		}
		return l.p.c.Number(1)
	}
	return g
}

func (l *lowering) lower(e *expr.Expr) *expr.Expr {
	if r, ok := l.memo[e]; ok {
		return r
	}
	r := l.through(e)
	if r == nil {
		r = l.lowerNode(e)
	}
	l.memo[e] = r
	return r
}

func (l *lowering) lowerNode(e *expr.Expr) *expr.Expr {
	p, c := l.p, l.p.c
	switch e.Op {
	case expr.Num, expr.Delta, expr.Inside, expr.Before:
		return e
	case expr.Ref:
		if e.Tensor.Kind == expr.SharedTensor {
			return p.lowerShared(e)
		}
		if e.Tensor.Kind == expr.RecursionTensor {
			return p.lowerRecursion(e)
		}
		if d := e.Tensor.Def; d != nil && d.Fit != nil {
			p.lowerFit(d)
		}
		return e
	case expr.Largest:
		return l.largest(e)
	case expr.Sum:
		return l.sum(e)
	case expr.Call:
		if r := l.logSumExp(e); r != nil {
			return r
		}
		args := make([]*expr.Expr, len(e.Args))
		for n, a := range e.Args {
			args[n] = l.lower(a)
		}
		r := c.Call(e.Func.Name, args...)
		if r.Op == expr.Call && (p.storable(r) || c.Shaped(r.Free())) {
			return l.define(r, e)
		}
		return r
	case expr.Add, expr.Mul:
		if e.Op == expr.Mul {
			if r := l.logarithmic(e); r != e {
				return l.lower(r)
			}
		}
		if guards := append(c.Indicators(e), l.translated(e)...); len(guards) > 0 {
			// Below the guards everything is lowered anew.
			inner := l.inner(l.ctx, append(append([]*expr.Expr{}, l.guards...), guards...))
			if len(inner.guards) > len(l.guards) && !sameGuards(l.guards, guards) {
				return inner.lower(e)
			}
		}
		args := make([]*expr.Expr, len(e.Args))
		ks := append([]float64(nil), e.K...)
		for n, a := range e.Args {
			// A coefficient of a product joins its factors: 4·c·t² is one
			// multiplication less than it looks.
			if e.Op == expr.Add && math.Abs(ks[n]) != 1 && a.Op == expr.Mul {
				args[n], ks[n] = l.lower(c.Scale(ks[n], a)), 1
				continue
			}
			args[n] = l.lower(a)
		}
		return l.group(e, ks, args)
	}
	return e
}

// sum lowers a sum.
func (l *lowering) sum(e *expr.Expr) *expr.Expr {
	p, c := l.p, l.p.c
	if r := c.Regroup(e); r != nil {
		return l.lower(r)
	}
	if r := l.scatter(e); r != nil {
		return r
	}
	if r := l.grouped(e); r != nil {
		return r
	}
	if r := c.Placewise(e); r != nil {
		return l.lower(r)
	}
	i, body := c.Open(e)
	inner := l.inner(expr.SortedIndices(append(append([]*expr.Index{}, e.Free()...), i)), l.guards)
	s := c.Sum(i, inner.lower(body))
	if s.Op != expr.Sum {
		return l.lower(s)
	}
	if p.storable(s) || !expr.SameIndices(s.Free(), l.ctx) {
		return l.define(s, e)
	}
	return s
}

// largest lowers the largest value over an index.
func (l *lowering) largest(e *expr.Expr) *expr.Expr {
	c := l.p.c
	i, body := c.Open(e)
	inner := l.inner(expr.SortedIndices(append(append([]*expr.Index{}, e.Free()...), i)), l.guards)
	m := c.Largest(i, inner.lower(body))
	if m.Op == expr.Largest && (c.Storable(m.Free()) || !expr.SameIndices(m.Free(), l.ctx)) {
		return l.define(m, e)
	}
	return m
}

// logSumExp lowers log(eᵃ + eᵇ) where there is a kernel for it, and is nil elsewhere. With a coordinate, which is finite, it is a function of one
// argument, a + log1p_exp(b − a), which has one derivative instead of two; of two arrays it is one of both.
func (l *lowering) logSumExp(e *expr.Expr) *expr.Expr {
	c := l.p.c
	if e.Func.Name != "log_sum_exp" || e.Stage() < expr.StagePosition {
		return nil
	}
	for n, a := range e.Args {
		if a.Op == expr.Ref && a.Tensor.Kind == expr.CoordTensor && len(a.Subs) == 0 {
			return l.lower(c.Add(a, c.Call("log1p_exp", c.Sub(e.Args[1-n], a))))
		}
	}
	args := make([]*expr.Expr, len(e.Args))
	for n, a := range e.Args {
		if args[n] = l.lower(a); !expr.SameIndices(args[n].Free(), e.Free()) {
			return nil
		}
	}
	if len(e.Free()) == 0 || !c.Storable(e.Free()) {
		return nil
	}
	for n, a := range args {
		if a.Stage() > expr.StageConst {
			args[n] = l.hoist(a)
		}
	}
	return l.define(c.Call(e.Func.Name, args...), e)
}

// translated returns the guards around a product in terms of the other index of its
// deltas: with [i in r] around it, δ[i,j+1] f(j) is needed for j + 1 in r only.
func (l *lowering) translated(e *expr.Expr) []*expr.Expr {
	var out []*expr.Expr
	if e.Op != expr.Mul || len(l.guards) == 0 {
		return nil
	}
	for _, a := range e.Args {
		i, j, ok := expr.IndexPair(a)
		if !ok || !expr.Strays(e) {
			continue
		}
		for _, g := range l.guards {
			x := g
			if g.Op == expr.Before {
				continue
			}
			switch g.Subs[0].Index {
			case i.Index:
				x = l.p.c.Within(j, g.Range)
			case j.Index:
				x = l.p.c.Within(expr.ShiftSub(i, -j.Offset), g.Range)
			}
			if x != g && x.Op == expr.Inside {
				out = append(out, x)
			}
		}
	}
	return out
}

// sameGuards reports whether all of b stand in a.
func sameGuards(a, b []*expr.Expr) bool {
	for _, g := range b {
		found := false
		for _, h := range a {
			found = found || g == h
		}
		if !found {
			return false
		}
	}
	return true
}

// group splits the operands of a sum or product by the indices that they
// carry and, within these, by stage. A group that is known earlier is defined
// at its stage; a group with fewer indices leaves the innermost loops.
func (l *lowering) group(e *expr.Expr, k []float64, args []*expr.Expr) *expr.Expr {
	whole := l.build(e.Op, e.Val, k, args)
	if whole.Op != e.Op {
		return whole
	}
	if guards := l.p.c.Indicators(whole); len(guards) > 0 && !sameGuards(l.guards, guards) {
		// A factor became a product with indicators when it was lowered.
		l = l.inner(l.ctx, append(append([]*expr.Expr{}, l.guards...), guards...))
	}
	parts, stay := operandGroups(whole)
	val := l.placeNumber(whole, parts)
	l.hoistEarly(whole, parts)
	// What is left of one set of indices is one group again.
	out := *stay
	for n, q := range parts {
		k, args := q.k, q.args
		for _, o := range parts[n+1:] {
			if len(q.args) > 0 && expr.SameIndices(o.free, q.free) && len(o.args) > 0 {
				k, args = append(k, o.k...), append(args, o.args...)
				o.k, o.args = nil, nil
			}
		}
		if len(args) == 0 {
			continue
		}
		if len(q.free) < len(whole.Free()) {
			stage := expr.StageConst
			for _, a := range args {
				stage = max(stage, a.Stage())
			}
			if stage != expr.StageConst {
				l.hoistPart(whole.Op, &k, &args, expr.StageMomentum, len(q.free))
			}
		}
		out.k, out.args = append(out.k, k...), append(out.args, args...)
	}
	return l.build(whole.Op, val, out.k, out.args)
}

// operandGroup are operands of a sum or product that carry the same indices and are known at the same stage.
type operandGroup struct {
	stage expr.Stage
	free  []*expr.Index
	k     []float64
	args  []*expr.Expr
}

// operandGroups are those of a node. What guards a product stays where it is: it guards whatever is not taken out.
func operandGroups(whole *expr.Expr) (parts []*operandGroup, stay *operandGroup) {
	stay = &operandGroup{}
	for n, a := range whole.Args {
		home := stay
		if whole.Op != expr.Mul || a.Op != expr.Inside && a.Op != expr.Before {
			home = nil
			for _, q := range parts {
				if q.stage == a.Stage() && expr.SameIndices(q.free, a.Free()) {
					home = q
				}
			}
		}
		if home == nil {
			home = &operandGroup{stage: a.Stage(), free: a.Free()}
			parts = append(parts, home)
		}
		home.k, home.args = append(home.k, whole.K[n]), append(home.args, a)
	}
	return parts, stay
}

// placeNumber lets the numeric factor or term join the earliest group of scalars that leaves, and returns what is left of it.
func (l *lowering) placeNumber(whole *expr.Expr, parts []*operandGroup) float64 {
	val, neutral := whole.Val, 1.0
	if whole.Op == expr.Add {
		neutral = 0
	}
	var lowest *operandGroup
	for _, q := range parts {
		outer := len(q.free) == 0 && len(whole.Free()) > 0
		if len(q.free) > 0 || q.stage == expr.StageConst || !outer && q.stage >= whole.Stage() {
			continue
		}
		if lowest == nil || q.stage < lowest.stage {
			lowest = q
		}
	}
	q := lowest
	if val == neutral || q == nil {
		return val
	}
	// A bare factor takes a coefficient only if that saves something.
	bare := len(q.args) == 1 && q.k[0] == 1 && q.args[0].Op == expr.Ref
	if bare && whole.Op == expr.Mul && math.Abs(val) == 1 || bare && q.stage > expr.StageData {
		return val
	}
	q.args = []*expr.Expr{l.hoist(l.build(whole.Op, val, q.k, q.args))}
	q.k = []float64{1}
	return neutral
}

// hoistEarly defines the groups that are known before others of the same indices.
func (l *lowering) hoistEarly(whole *expr.Expr, parts []*operandGroup) {
	for _, q := range parts {
		top := q.stage
		for _, o := range parts {
			if expr.SameIndices(o.free, q.free) {
				top = max(top, o.stage)
			}
		}
		if len(q.free) == len(whole.Free()) {
			top = whole.Stage()
		}
		if q.stage < top && q.stage != expr.StageConst {
			l.hoistPart(whole.Op, &q.k, &q.args, q.stage, len(q.free))
		}
	}
}

func (l *lowering) build(op expr.Op, val float64, k []float64, args []*expr.Expr) *expr.Expr {
	if op == expr.Add {
		return l.p.c.Linear(val, k, args)
	}
	k, args = l.p.knownPowers(k, args)
	return l.p.c.Product(val, k, args)
}

// knownPowers writes the factors of a product by definitions of their roots and reciprocals, where there are any: what a reverse sweep asks of
// 1/d and √d are powers of these, and divisions and roots take as long as many products.
func (p *Program) knownPowers(ks []float64, args []*expr.Expr) ([]float64, []*expr.Expr) {
	changed := false
	for n := range args {
		for range 3 { // d^{-½} by the reciprocal of d, and that by its root
			k, x := p.knownPower(ks[n], args[n])
			if x == args[n] {
				break
			}
			if !changed {
				ks, args, changed = slices.Clone(ks), slices.Clone(args), true
			}
			ks[n], args[n] = k, x
		}
	}
	return ks, args
}

// knownPower is one of them: the same where nothing is known that is better.
func (p *Program) knownPower(k float64, x *expr.Expr) (float64, *expr.Expr) {
	if x.Op != expr.Ref || x.Tensor.Kind != expr.DefTensor || x.Stage() < expr.StagePosition || x.Tensor.Def.Recursion != nil {
		return k, x // what a recursion is made of may not be lowered yet
	}
	whole := math.Trunc(k) == k
	switch {
	case !whole && math.Trunc(2*k) == 2*k:
		if y := p.definedPower(x, 0.5); y != nil {
			return 2 * k, y
		}
	case whole && math.Mod(k, 2) == 0:
		if y := p.baseOf(x, 0.5); y != nil {
			return k / 2, y
		}
	}
	if k < 0 {
		if y := p.baseOf(x, -1); y != nil {
			return -k, y
		}
		if y := p.definedPower(x, -1); y != nil {
			return -k, y
		}
	}
	return k, x
}

// definedPower is the definition of a power of a reference, or nil.
func (p *Program) definedPower(x *expr.Expr, k float64) *expr.Expr {
	e := p.c.Product(1, []float64{k}, []*expr.Expr{x})
	key, _ := p.c.Close(e)
	d := p.byKey[key]
	if d == nil || d.Scatter != nil || d.Fit != nil || len(d.Indices) != len(e.Free()) {
		return nil
	}
	return p.c.Ref(d.Tensor, expr.SubsOf(p.c.InOrder(e.Free()))...)
}

// baseOf is y where x is defined as a power of y, or nil.
func (p *Program) baseOf(x *expr.Expr, k float64) *expr.Expr {
	d := x.Tensor.Def
	if d.Scatter != nil || d.Fit != nil {
		return nil
	}
	b := d.Body
	if b.Op != expr.Mul || b.Val != 1 || len(b.Args) != 1 || b.K[0] != k || b.Args[0].Op != expr.Ref || b.Args[0].Tensor.Kind != expr.DefTensor {
		return nil
	}
	return p.c.SubstAll(b.Args[0], d.Indices, x.Subs)
}

// hoistPart replaces operands by one definition where that pays.
func (l *lowering) hoistPart(op expr.Op, k *[]float64, args *[]*expr.Expr, stage expr.Stage, indices int) {
	ks, as := *k, *args
	if len(as) == 0 {
		return
	}
	sign := 1.0
	var x *expr.Expr
	switch {
	case op == expr.Add && len(as) == 1 && math.Abs(ks[0]) == 1:
		sign, x = ks[0], as[0]
	case op == expr.Add:
		x = l.p.c.Linear(0, ks, as)
	default:
		x = l.p.c.Product(1, ks, as)
	}
	least := 1.0
	if indices > 0 {
		switch stage {
		case expr.StageData:
			least = 8 // an array of data in place of arithmetic on data
		case expr.StageGiven, expr.StagePosition:
			least = 3
		}
	}
	if x.Op == expr.Ref || x.Op == expr.Num || !l.p.storable(x) || expr.NodeCost(x) < least {
		return
	}
	*k, *args = []float64{sign}, []*expr.Expr{l.hoist(x)}
}

func (l *lowering) hoist(x *expr.Expr) *expr.Expr {
	if x.Op == expr.Ref || x.Op == expr.Num || x.Stage() == expr.StageConst {
		return x
	}
	return l.define(x, nil)
}

// logarithmic puts definitions in the place of the quotients of a part of a family that is a derivative and what it is one of: the
// logarithmic derivatives of a solution that is seen on the scale of its logarithm.
func (l *lowering) logarithmic(e *expr.Expr) *expr.Expr {
	c := l.p.c
	ks, args := e.K, e.Args
	changed := false
	for n, a := range e.Args {
		if a.Op != expr.Ref || a.Tensor.Part == nil || a.Tensor.Part.Order() == 0 || ks[n] < 1 {
			continue
		}
		part := a.Tensor.Part
		base := c.Ref(part.Of.Parts[part.Base].Tensor, a.Subs...)
		m := slices.Index(args, base)
		if m < 0 || ks[m] > -ks[n] {
			continue
		}
		if !changed {
			ks, args, changed = slices.Clone(ks), slices.Clone(args), true
		}
		args[n] = l.p.define(c.Product(1, []float64{1, -1}, []*expr.Expr{a, base}), nil)
		ks[m] += ks[n]
	}
	if !changed {
		return e
	}
	return c.Product(e.Val, ks, args)
}
