package symbolic

import (
	"math"
	"slices"
)

// Lower turns an expression that is evaluated in loops over ctx into one over
// definitions: what is known at an earlier stage, or does not change in the
// innermost loops, is defined once and referred to.
func (p *Program) Lower(e *Expr, ctx []*Index) *Expr { return p.lowerAs(e, ctx, nil) }

// lowerAs is Lower of something that may have the name of source.
func (p *Program) lowerAs(e *Expr, ctx []*Index, source *Expr) *Expr {
	defer func(s bool) { p.c.sharing = s }(p.c.sharing)
	p.c.sharing = false // operands are small, and what they are made of stays as small
	l := &lowering{p: p, ctx: sortedIndices(ctx), memo: map[*Expr]*Expr{}}
	r := l.lower(p.c.Collect(p.reorder(e)))
	if fixed(r) && len(r.free) == 0 && r.Op != Ref {
		return p.define(r, source) // known early, whole
	}
	return r
}

// lowerShared lowers a reference to a shared definition: a definition of the program, or
// what is left of it that is worth none.
func (p *Program) lowerShared(e *Expr) *Expr {
	d := e.Tensor.Def
	r, ok := p.lowered[e.Tensor]
	switch {
	case ok:
	case d.Body.Op == Apply:
		r = p.lowerApplied(d)
		p.lowered[e.Tensor] = r
	default:
		r = p.lowerAs(d.Body, d.Indices, d.Body)
		if r.Op != Ref && r.Op != Num && p.c.storable(r.free) {
			r = p.define(r, d.Body)
		}
		p.lowered[e.Tensor] = r
	}
	return p.c.substAll(r, d.Indices, e.Subs)
}

type lowering struct {
	p    *Program
	ctx  []*Index
	memo map[*Expr]*Expr
	// guards are the indicators of the products around the expression: a
	// definition taken out of them keeps them, because outside it may read
	// elements that do not exist.
	guards []*Expr
}

// define defines e, under the guards that its indices need.
func (l *lowering) define(e, source *Expr) *Expr {
	if strays(e) {
		for _, g := range l.guards {
			if sharesFree(g, e) {
				e, source = l.p.c.Mul(l.guard(g, e), e), nil
			}
		}
	}
	return l.p.define(e, source)
}

// guard is what a guard says of the indices of e alone.
func (l *lowering) guard(g, e *Expr) *Expr {
	for _, i := range g.free {
		if g.Op != Before || e.hasFree(i) {
			continue
		}
		for _, x := range l.p.c.projections(g) {
			if !x.hasFree(i) {
				return x
			}
		}
		return l.p.c.Number(1)
	}
	return g
}

func (l *lowering) lower(e *Expr) *Expr {
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

func (l *lowering) lowerNode(e *Expr) *Expr {
	p, c := l.p, l.p.c
	switch e.Op {
	case Num, Delta, Inside, Before:
		return e
	case Ref:
		if e.Tensor.Kind == SharedTensor {
			return p.lowerShared(e)
		}
		if d := e.Tensor.Def; d != nil && d.Fit != nil {
			p.lowerFit(d)
		}
		return e
	case Sum:
		if r := c.regroup(e); r != nil {
			return l.lower(r)
		}
		if r := l.scatter(e); r != nil {
			return r
		}
		i, body := c.Open(e)
		inner := &lowering{p: p, ctx: sortedIndices(append(append([]*Index{}, e.free...), i)), memo: map[*Expr]*Expr{}, guards: l.guards}
		s := c.Sum(i, inner.lower(body))
		if s.Op != Sum {
			return l.lower(s)
		}
		if c.storable(s.free) || !sameIndices(s.free, l.ctx) {
			return l.define(s, e)
		}
		return s
	case Call:
		args := make([]*Expr, len(e.Args))
		for n, a := range e.Args {
			args[n] = l.lower(a)
		}
		r := c.Call(e.Func.Name, args...)
		if r.Op == Call && (c.storable(r.free) || c.shaped(r.free)) {
			return l.define(r, e)
		}
		return r
	case Add, Mul:
		if e.Op == Mul {
			if r := l.logarithmic(e); r != e {
				return l.lower(r)
			}
		}
		if guards := append(c.indicators(e), l.translated(e)...); len(guards) > 0 {
			// Below the guards everything is lowered anew.
			inner := &lowering{p: p, ctx: l.ctx, memo: map[*Expr]*Expr{}, guards: append(append([]*Expr{}, l.guards...), guards...)}
			if len(inner.guards) > len(l.guards) && !sameGuards(l.guards, guards) {
				return inner.lower(e)
			}
		}
		args := make([]*Expr, len(e.Args))
		ks := append([]float64(nil), e.K...)
		for n, a := range e.Args {
			// A coefficient of a product joins its factors: 4·c·t² is one
			// multiplication less than it looks.
			if e.Op == Add && math.Abs(ks[n]) != 1 && a.Op == Mul {
				args[n], ks[n] = l.lower(c.Scale(ks[n], a)), 1
				continue
			}
			args[n] = l.lower(a)
		}
		return l.group(e, ks, args)
	}
	return e
}

// translated returns the guards around a product in terms of the other index of its
// deltas: with [i in r] around it, δ[i,j+1] f(j) is needed for j + 1 in r only.
func (l *lowering) translated(e *Expr) []*Expr {
	var out []*Expr
	if e.Op != Mul || len(l.guards) == 0 {
		return nil
	}
	for _, a := range e.Args {
		i, j, ok := indexPair(a)
		if !ok || !strays(e) {
			continue
		}
		for _, g := range l.guards {
			x := g
			if g.Op == Before {
				continue
			}
			switch g.Subs[0].Index {
			case i.Index:
				x = l.p.c.within(j, g.Range)
			case j.Index:
				x = l.p.c.within(shiftSub(i, -j.Offset), g.Range)
			}
			if x != g && x.Op == Inside {
				out = append(out, x)
			}
		}
	}
	return out
}

// sameGuards reports whether all of b stand in a.
func sameGuards(a, b []*Expr) bool {
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
func (l *lowering) group(e *Expr, k []float64, args []*Expr) *Expr {
	whole := l.build(e.Op, e.Val, k, args)
	if whole.Op != e.Op {
		return whole
	}
	if guards := l.p.c.indicators(whole); len(guards) > 0 && !sameGuards(l.guards, guards) {
		// A factor became a product with indicators when it was lowered.
		l = &lowering{p: l.p, ctx: l.ctx, memo: map[*Expr]*Expr{}, guards: append(append([]*Expr{}, l.guards...), guards...)}
	}
	parts, stay := operandGroups(whole)
	val := l.placeNumber(whole, parts)
	l.hoistEarly(whole, parts)
	// What is left of one set of indices is one group again.
	out := *stay
	for n, q := range parts {
		k, args := q.k, q.args
		for _, o := range parts[n+1:] {
			if len(q.args) > 0 && sameIndices(o.free, q.free) && len(o.args) > 0 {
				k, args = append(k, o.k...), append(args, o.args...)
				o.k, o.args = nil, nil
			}
		}
		if len(args) == 0 {
			continue
		}
		if len(q.free) < len(whole.free) {
			stage := StageConst
			for _, a := range args {
				stage = max(stage, a.stage)
			}
			if stage != StageConst {
				l.hoistPart(whole.Op, &k, &args, StageMomentum, len(q.free))
			}
		}
		out.k, out.args = append(out.k, k...), append(out.args, args...)
	}
	return l.build(whole.Op, val, out.k, out.args)
}

// operandGroup are operands of a sum or product that carry the same indices and are known at the same stage.
type operandGroup struct {
	stage Stage
	free  []*Index
	k     []float64
	args  []*Expr
}

// operandGroups are those of a node. What guards a product stays where it is: it guards whatever is not taken out.
func operandGroups(whole *Expr) (parts []*operandGroup, stay *operandGroup) {
	stay = &operandGroup{}
	for n, a := range whole.Args {
		home := stay
		if whole.Op != Mul || a.Op != Inside && a.Op != Before {
			home = nil
			for _, q := range parts {
				if q.stage == a.stage && sameIndices(q.free, a.free) {
					home = q
				}
			}
		}
		if home == nil {
			home = &operandGroup{stage: a.stage, free: a.free}
			parts = append(parts, home)
		}
		home.k, home.args = append(home.k, whole.K[n]), append(home.args, a)
	}
	return parts, stay
}

// placeNumber lets the numeric factor or term join the earliest group of scalars that leaves, and returns what is left of it.
func (l *lowering) placeNumber(whole *Expr, parts []*operandGroup) float64 {
	val, neutral := whole.Val, 1.0
	if whole.Op == Add {
		neutral = 0
	}
	var lowest *operandGroup
	for _, q := range parts {
		outer := len(q.free) == 0 && len(whole.free) > 0
		if len(q.free) > 0 || q.stage == StageConst || !outer && q.stage >= whole.stage {
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
	bare := len(q.args) == 1 && q.k[0] == 1 && q.args[0].Op == Ref
	if bare && whole.Op == Mul && math.Abs(val) == 1 || bare && q.stage > StageData {
		return val
	}
	q.args = []*Expr{l.hoist(l.build(whole.Op, val, q.k, q.args))}
	q.k = []float64{1}
	return neutral
}

// hoistEarly defines the groups that are known before others of the same indices.
func (l *lowering) hoistEarly(whole *Expr, parts []*operandGroup) {
	for _, q := range parts {
		top := q.stage
		for _, o := range parts {
			if sameIndices(o.free, q.free) {
				top = max(top, o.stage)
			}
		}
		if len(q.free) == len(whole.free) {
			top = whole.stage
		}
		if q.stage < top && q.stage != StageConst {
			l.hoistPart(whole.Op, &q.k, &q.args, q.stage, len(q.free))
		}
	}
}

func (l *lowering) build(op Op, val float64, k []float64, args []*Expr) *Expr {
	if op == Add {
		return l.p.c.Linear(val, k, args)
	}
	return l.p.c.Product(val, k, args)
}

// hoistPart replaces operands by one definition where that pays.
func (l *lowering) hoistPart(op Op, k *[]float64, args *[]*Expr, stage Stage, indices int) {
	ks, as := *k, *args
	if len(as) == 0 {
		return
	}
	sign := 1.0
	var x *Expr
	switch {
	case op == Add && len(as) == 1 && math.Abs(ks[0]) == 1:
		sign, x = ks[0], as[0]
	case op == Add:
		x = l.p.c.Linear(0, ks, as)
	default:
		x = l.p.c.Product(1, ks, as)
	}
	least := 1.0
	if indices > 0 {
		switch stage {
		case StageData:
			least = 8 // an array of data in place of arithmetic on data
		case StageGiven, StagePosition:
			least = 3
		}
	}
	if x.Op == Ref || x.Op == Num || !l.p.c.storable(x.free) || nodeCost(x) < least {
		return
	}
	*k, *args = []float64{sign}, []*Expr{l.hoist(x)}
}

func (l *lowering) hoist(x *Expr) *Expr {
	if x.Op == Ref || x.Op == Num || x.stage == StageConst {
		return x
	}
	return l.define(x, nil)
}

// logarithmic puts definitions in the place of the quotients of a sensitivity and its state in a product: the
// logarithmic derivatives of a solution that is seen on the scale of its logarithm.
func (l *lowering) logarithmic(e *Expr) *Expr {
	c := l.p.c
	ks, args := e.K, e.Args
	changed := false
	for n, a := range e.Args {
		if a.Op != Ref || a.Tensor.Part == nil || a.Tensor.Part.Order() == 0 || ks[n] < 1 {
			continue
		}
		part := a.Tensor.Part
		state := c.Ref(part.Of.Parts[part.State].Tensor, a.Subs...)
		m := slices.Index(args, state)
		if m < 0 || ks[m] > -ks[n] {
			continue
		}
		if !changed {
			ks, args, changed = slices.Clone(ks), slices.Clone(args), true
		}
		args[n] = l.p.define(c.Product(1, []float64{1, -1}, []*Expr{a, state}), nil)
		ks[m] += ks[n]
	}
	if !changed {
		return e
	}
	return c.Product(e.Val, ks, args)
}
