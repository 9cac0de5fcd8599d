package symbolic

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hamc-dev/hamc/dsl"
)

// Def is a definition: a named tensor given by an expression at its indices.
type Def struct {
	Tensor  *Tensor
	Indices []*Index
	Body    *Expr
	Scatter *Scatter // of a sum by data: how it is computed
	Fit     *FitPart // of a part of a least-squares fit: which; the body is there once it is lowered
}

// Stage returns the binding time of d.
func (d *Def) Stage() Stage { return d.Tensor.Stage }

// Program is a list of definitions in order: each uses only earlier ones.
// Lower adds to it, so that everything that the outputs share is defined once.
type Program struct {
	c     *Context
	post  *Posterior
	Defs  []*Def
	byKey map[*Expr]*Def
	names map[*Expr]string // closed bodies of user lets
	taken map[string]int

	lowered map[*Tensor]*Expr // what shared definitions came to, at their own indices
}

func newProgram(p *Posterior) *Program {
	prog := &Program{c: p.C, post: p, byKey: map[*Expr]*Def{},
		names: map[*Expr]string{}, taken: map[string]int{}, lowered: map[*Tensor]*Expr{}}
	for _, t := range p.C.tensors {
		if t.Kind != wildTensor && t.Kind != unsolvedTensor && t.Kind != SharedTensor {
			prog.taken[t.Name] = 1
		}
	}
	// One set of indices for each shape: each definition is elaborated once at them, with all that it uses.
	at := map[string][]Sub{}
	for _, l := range p.Model.Lets {
		v := p.lets[l]
		shape := fmt.Sprint(v.shape)
		subs, ok := at[shape]
		if !ok {
			subs = make([]Sub, len(v.shape))
			for n := range subs {
				subs[n] = Sub{Index: p.C.NewIndex("i", upTo(v.shape[n]))}
			}
			at[shape] = subs
		}
		e := v.at(subs...)
		if len(e.free) != len(subs) {
			continue
		}
		key, _ := p.C.close(e)
		if e.Op == Ref && e.Tensor.Kind == SharedTensor {
			key = e.Tensor.Def.Body
		} else if e.Op == Ref || e.Op == Num {
			continue
		}
		if _, ok := prog.names[key]; !ok {
			prog.names[key] = l.ObjectName()
		}
		prog.taken[l.ObjectName()] = 1
	}
	// An argument of a distribution that is worth a definition is called as
	// in the table: eta, mu, lambda.
	for _, t := range p.Terms {
		if t.Term.Dist == nil {
			continue
		}
		for n, a := range t.Args {
			if len(a.shape) > 0 {
				continue
			}
			e, name := a.at(), t.Term.Dist.Args[n].Name
			key, _ := p.C.close(e)
			if _, ok := prog.names[key]; ok || prog.taken[name] > 0 || e.Op == Ref || e.Op == Num {
				continue
			}
			prog.names[key] = name
			prog.taken[name] = 1
		}
	}
	return prog
}

// define returns a reference to the definition of e, adding it if needed. The
// subexpressions of e are lowered already.
func (p *Program) define(e *Expr, source *Expr) *Expr {
	if fixed(e) && len(e.free) == 0 {
		e = p.inlineConstants(e, e.stage)
		if e.Op == Ref || e.Op == Num {
			return e
		}
	}
	c := p.c
	key, formal := p.c.close(e)
	d, ok := p.byKey[key]
	var swapped *Expr
	if m, n, square := c.square(formal, e.stage); !ok && square {
		x := c.NewIndex("x", formal[m].Range)
		swapped = c.Subst(c.Subst(c.Subst(key, formal[m], Sub{Index: x}), formal[n], Sub{Index: formal[m]}), x, Sub{Index: formal[n]})
		if o := p.byKey[swapped]; o != nil && o.Scatter == nil { // its transpose is defined
			subs := subsOf(c.inOrder(e.free))
			subs[m], subs[n] = subs[n], subs[m]
			return c.Ref(o.Tensor, subs...)
		}
	}
	if !ok {
		shape := make([]dsl.Extent, len(formal))
		for n, f := range formal {
			shape[n] = f.Range.Hi
		}
		name := ""
		if source != nil {
			k, _ := p.c.close(source)
			name = p.names[k]
		}
		if name == "" {
			name = p.invent(key)
		}
		t := p.c.NewTensor(Tensor{Name: name, Kind: DefTensor, Shape: shape, Stage: e.stage,
			Positive: p.c.Sign(e) == Positive})
		d = &Def{Tensor: t, Indices: formal, Body: key, Scatter: c.scatterOf(key, formal)}
		t.Def = d
		// Equal under exchange of its indices: C[j,l] and C[l,j] are one.
		t.Symmetric = d.Scatter == nil && swapped == key && len(formal) == 2
		p.byKey[key] = d
		p.Defs = append(p.Defs, d)
	}
	return p.c.Ref(d.Tensor, subsOf(c.inOrder(e.free))...)
}

// square reports whether an array over indices is looked at in both orders of two of them: what is computed once, and
// what the operators of matrices make, also for each value of a third.
func (c *Context) square(formal []*Index, stage Stage) (m, n int, ok bool) {
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

// fixed reports whether e is known before sampling, but not at compile time.
func fixed(e *Expr) bool { return e.stage > StageConst && e.stage < StagePosition }

// raise replaces the definitions in e that depend on the position by what they stand for, so
// that e can be differentiated; the others are constants to Diff.
func (p *Program) raise(e *Expr) *Expr {
	c := p.c
	memo, moves := map[*Expr]*Expr{}, map[*Def]bool{}
	var depends func(e *Expr) bool
	depends = func(e *Expr) (found bool) {
		Refs(e, func(r *Expr) {
			d := r.Tensor.Def
			if d == nil {
				found = found || r.Tensor.Kind == CoordTensor || r.Tensor.Part != nil
				return
			}
			known, ok := moves[d]
			if !ok {
				known = depends(d.Body)
				moves[d] = known
			}
			found = found || known
		})
		return found
	}
	var walk func(e *Expr) *Expr
	walk = func(e *Expr) *Expr {
		if r, ok := memo[e]; ok {
			return r
		}
		r := e
		switch {
		case e.Op == Ref && e.Tensor.Def != nil && depends(e):
			d := e.Tensor.Def
			if a := d.Body; a.Op == Apply {
				var bodies []*Expr
				for n := range a.Apply.Shapes {
					bodies = append(bodies, walk(a.Args[n]))
				}
				r = c.Ref(c.applied(a.Apply, bodies), subsOf(d.Indices)...)
			} else {
				r = walk(a)
			}
			// By way of indices of their own: those of the definition may be
			// among the subscripts.
			own := make([]*Index, len(d.Indices))
			for n, i := range d.Indices {
				own[n] = c.NewIndex(i.Name, i.Range)
				r = c.Subst(r, i, Sub{Index: own[n]})
			}
			for n, i := range own {
				r = c.Subst(r, i, e.Subs[n])
			}
		case e.Op == Sum:
			i, body := c.Open(e)
			r = c.Sum(i, walk(body))
		case len(e.Args) > 0:
			r = c.rebuild(e, walk, func(s Sub) Sub { return s })
		}
		memo[e] = r
		return r
	}
	return walk(e)
}

// inlineConstants writes arithmetic on data in terms of the data again: equal
// constants become equal, however they came about. Likewise at the stage of the
// other blocks' parameters.
func (p *Program) inlineConstants(e *Expr, stage Stage) *Expr {
	memo := map[*Expr]*Expr{}
	var walk func(e *Expr) *Expr
	walk = func(e *Expr) *Expr {
		if e.Op == Sum {
			return e
		}
		if e.Op == Ref {
			d := e.Tensor.Def
			if d == nil || len(d.Indices) > 0 || d.Stage() != stage || d.Body.Op == Sum || d.Body.Op == Call || d.Body.Op == Apply || d.Fit != nil || d.Body.tree > maxConstant {
				return e
			}
			return d.Body
		}
		if len(e.Args) == 0 {
			return e
		}
		r, ok := memo[e]
		if !ok {
			r = p.c.rebuild(e, walk, func(s Sub) Sub { return s })
			memo[e] = r
		}
		return r
	}
	return walk(e)
}

// invent makes a name that tells what is defined: expV for exp(v), sumSqX for
// Σ x², c3 where nothing better is at hand.
func (p *Program) invent(e *Expr) string {
	name := describe(e)
	if name == "" || len(name) > 24 {
		name = map[Stage]string{StageConst: "k", StageData: "c", StageGiven: "g", StagePosition: "a", StageMomentum: "b", StageDraw: "d"}[e.stage]
		p.taken[name]++
		name = fmt.Sprintf("%s%d", name, p.taken[name])
	}
	if p.taken[name] > 0 {
		for n := 2; ; n++ {
			if s := fmt.Sprintf("%s%d", name, n); p.taken[s] == 0 {
				name = s
				break
			}
		}
	}
	p.taken[name] = 1
	return name
}

// describe returns an identifier that tells what e is, or "".
func describe(e *Expr) string {
	switch e.Op {
	case Ref:
		return e.Tensor.Name
	case Call:
		s := e.Func.Name
		parts := strings.Split(s, "_")
		for i := range parts {
			if i > 0 {
				parts[i] = upperFirst(parts[i])
			}
		}
		s = strings.Join(parts, "")
		for _, a := range e.Args {
			d := describe(a)
			if d == "" {
				return ""
			}
			s += upperFirst(d)
		}
		return s
	case Apply:
		if d := describe(e.Args[0]); d != "" {
			return e.Apply.Operator.Short + upperFirst(d)
		}
	case Sum:
		d := describe(e.Args[0])
		if d == "" {
			return ""
		}
		return "sum" + upperFirst(d)
	case Mul:
		if len(e.Args) == 1 && e.Val == 1 {
			d := describe(e.Args[0])
			switch {
			case d == "":
				return ""
			case e.K[0] == 2:
				return "sq" + upperFirst(d)
			case e.K[0] == -1:
				return "inv" + upperFirst(d)
			case e.K[0] == 0.5:
				return "sqrt" + upperFirst(d)
			}
		}
		if len(e.Args) == 1 && e.Val == -1 && e.K[0] == 1 {
			if d := describe(e.Args[0]); d != "" {
				return "neg" + upperFirst(d)
			}
		}
	}
	return ""
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// sameIndices reports whether two sorted index lists are equal.
func sameIndices(a, b []*Index) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

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

func sortedIndices(ctx []*Index) []*Index {
	var e Expr
	for _, i := range ctx {
		e.addFree(i)
	}
	return e.free
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

// strays reports whether e, at some value of its indices, reads an element
// that does not exist or is not defined.
func strays(e *Expr) bool {
	found := false
	Refs(e, func(r *Expr) {
		for n, s := range r.Subs {
			if s.IsFixed() {
				continue
			}
			ends := s.ends()
			from, to := ends.Lo, ends.Hi
			first, last := dsl.Fixed(1), r.Tensor.Shape[n]
			if r.Tensor.Def != nil {
				first = r.Tensor.Def.Indices[n].Range.Lo
			}
			inside := to.Name == last.Name && to.Offset <= last.Offset &&
				(from == first || from.Name == first.Name && from.Offset >= first.Offset || first == dsl.Fixed(1) && from.Offset >= 1)
			found = found || !inside
		}
	})
	return found
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

// indicators returns the factors of a product that are indicators, and those that
// a shifted delta implies beyond them: δ[i,j+1] f(i−1) is 0 at i = 1, whatever j.
func (c *Context) indicators(e *Expr) []*Expr {
	var out []*Expr
	if e.Op != Mul {
		return nil
	}
	for _, a := range e.Args {
		if a.Op == Inside || a.Op == Before {
			out = append(out, a)
		}
	}
	add := func(x *Expr) {
		for _, a := range out {
			if x.Op == Inside && a.Op == Inside && a.Subs[0] == x.Subs[0] && holds(x.Range, a.Range) {
				return
			}
		}
		if x.Op == Inside {
			out = append(out, x)
		}
	}
	for _, a := range e.Args {
		if i, j, ok := indexPair(a); ok && strays(e) {
			add(c.within(shiftSub(i, -j.Offset), j.Index.Range))
			add(c.within(j, i.Index.Range))
		}
	}
	return out
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

// holds reports whether a range holds another, whatever the sizes.
func holds(r, part dsl.Range) bool {
	return r.Lo.Name == part.Lo.Name && r.Lo.Offset <= part.Lo.Offset && r.Hi.Name == part.Hi.Name && r.Hi.Offset >= part.Hi.Offset
}

// indexPair returns the subscripts of a delta of two indices.
func indexPair(e *Expr) (i, j Sub, ok bool) {
	if e.Op != Delta || e.Subs[0].Index == nil || e.Subs[1].Index == nil {
		return i, j, false
	}
	return e.Subs[0], e.Subs[1], true
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

// nodeCost counts the operations of a node and of what it holds, without
// sums and definitions.
func nodeCost(e *Expr) float64 {
	if e.cost == 0 {
		e.cost = nodeCostOf(e) + 1
	}
	return e.cost - 1
}

func nodeCostOf(e *Expr) float64 {
	n := 0.0
	switch e.Op {
	case Add:
		n = float64(len(e.Args) - 1)
		if e.Val != 0 {
			n++
		}
		for _, k := range e.K {
			if k != 1 && k != -1 {
				n++
			}
		}
		if len(e.Args) == 1 && e.K[0] == -1 && e.Val != 0 {
			n = 1
		}
	case Mul:
		if e.Val != 1 && e.Val != -1 {
			n++
		}
		n += float64(len(e.Args) - 1)
		for _, k := range e.K {
			switch {
			case k == 1:
			case k == 2:
				n++
			case k == -1:
				n += 8
			case k == 0.5:
				n += 10
			default:
				n += 12
			}
		}
	case Call:
		n = e.Func.Cost
	case Sum:
		return 100
	}
	for _, a := range e.Args {
		n += nodeCost(a)
	}
	return n
}

// nominalCost estimates the operations of an expression whose sums are each
// evaluated once per value of their free indices, at nominal sizes.
func (p *Program) nominalCost(e *Expr) float64 {
	seen := map[*Expr]bool{}
	total := 0.0
	var walk func(e *Expr)
	walk = func(e *Expr) {
		if seen[e] {
			return
		}
		seen[e] = true
		for _, a := range e.Args {
			walk(a)
		}
		if e.Op == Sum && e.stage >= StagePosition {
			n := p.c.nominal(e.Index.Range)
			scattered := scatteredFree(e)
			for _, f := range e.free {
				if !slices.Contains(scattered, f) {
					n *= p.c.nominal(f.Range)
				}
			}
			total += n * (1 + shallowCost(e.Args[0], map[*Expr]float64{}))
		}
	}
	walk(e)
	return total
}

// shallowCost counts the operations of e without its sums, written out as a tree.
func shallowCost(e *Expr, memo map[*Expr]float64) float64 {
	if e.Op == Sum {
		return 0
	}
	if n, ok := memo[e]; ok {
		return n
	}
	n := 0.0
	for _, a := range e.Args {
		n += shallowCost(a, memo)
	}
	switch e.Op {
	case Add, Mul:
		n += float64(len(e.Args))
	case Call:
		n += e.Func.Cost
	}
	memo[e] = n
	return n
}

// Refs calls f for every reference in e, sums and subscripts included.
func Refs(e *Expr, f func(*Expr)) {
	// Most expressions are small: a list of their nodes is searched faster than a map is made.
	var room [16]*Expr
	few := room[:0]
	var many map[*Expr]bool
	first := func(e *Expr) bool {
		switch {
		case many != nil:
			if many[e] {
				return false
			}
			many[e] = true
			return true
		case slices.Contains(few, e):
			return false
		}
		if few = append(few, e); len(few) == cap(few) {
			many = make(map[*Expr]bool, 4*len(few))
			for _, e := range few {
				many[e] = true
			}
		}
		return true
	}
	var walk func(*Expr)
	walk = func(e *Expr) {
		if !first(e) {
			return
		}
		if e.Op == Ref {
			f(e)
		}
		for _, a := range e.Args {
			walk(a)
		}
		for _, s := range e.Subs {
			if s.Data != nil {
				walk(s.Data)
			}
		}
	}
	walk(e)
}

// dependsOnPosition reports whether a tensor changes with the coordinates.
func (p *Program) dependsOnPosition(t *Tensor, memo map[*Tensor]bool) bool {
	if t.Kind == CoordTensor {
		return true
	}
	if t.Part != nil {
		for _, u := range t.Part.Of.Inputs {
			if u.Raw.stage >= StagePosition {
				return true
			}
		}
		return false
	}
	if t.Kind != DefTensor || t.Stage < StagePosition {
		return false
	}
	if r, ok := memo[t]; ok {
		return r
	}
	r := false
	Refs(t.Def.Body, func(x *Expr) { r = r || p.dependsOnPosition(x.Tensor, memo) })
	memo[t] = r
	return r
}

// Adjoint returns, for each parameter block, the derivative of a lowered
// scalar by the block's coordinate at the given subscripts: one reverse sweep
// over the definitions. The components of a solution of differential equations are part of the sweep or, where
// direct is set, differentiated by the coordinates wherever they stand: what has been summed over the times then
// has a derivative of its own for each coordinate, which no weight enters.
func (p *Program) Adjoint(root *Expr, at [][]Sub, direct bool) []*Expr {
	c := p.c
	s := &sweep{p: p, direct: direct, depends: map[*Tensor]bool{}, bars: map[*Tensor]*bar{}}
	s.visit(root, nil, c.Number(1))
	for n := len(p.Defs) - 1; n >= 0; n-- {
		s.pass(p.Defs[n])
	}
	for n := len(p.post.Solves) - 1; n >= 0; n-- { // an input may be of an earlier one
		s.passSolution(p.post.Solves[n])
	}
	out := make([]*Expr, len(p.post.Params))
	for n, b := range p.post.Params {
		out[n] = s.at(b.Coord, at[n])
	}
	return out
}

// sweep is a reverse sweep over the definitions of a program.
type sweep struct {
	p       *Program
	direct  bool
	depends map[*Tensor]bool // what dependsOnPosition found
	bars    map[*Tensor]*bar
}

// bar is the derivative of the root by a tensor, at indices of its own, as far as it is known.
type bar struct {
	indices []*Index
	*total
}

func (s *sweep) total(b *bar) *Expr { return s.p.c.operand(s.p.c.settled(b.sum())) }

// at is the derivative by an element of a tensor.
func (s *sweep) at(t *Tensor, subs []Sub) *Expr {
	c, b := s.p.c, s.bars[t]
	if b == nil {
		return c.Number(0)
	}
	e := s.total(b)
	for m, i := range b.indices {
		e = c.Subst(e, i, subs[m])
	}
	return e
}

// bar is that of a tensor, which may not have been met yet.
func (s *sweep) bar(t *Tensor) *bar {
	b := s.bars[t]
	if b == nil {
		b = &bar{total: s.p.c.newTotal()}
		for _, x := range t.Shape {
			b.indices = append(b.indices, s.p.c.NewIndex("a", upTo(x)))
		}
		s.bars[t] = b
	}
	return b
}

// pass hands the derivative by a definition on to what its body reads.
func (s *sweep) pass(d *Def) {
	p, c := s.p, s.p.c
	bar := s.bars[d.Tensor]
	if bar == nil {
		return
	}
	// The adjoint at the definition's own indices.
	e := s.total(bar)
	if len(d.Indices) > 0 && !s.direct && readsSolution(d.Body) {
		e = p.settle(e, bar.indices) // all that the solution's components share
	}
	fresh := make([]*Index, len(d.Indices))
	body := d.Body
	for m, i := range d.Indices {
		fresh[m] = c.NewIndex(i.Name, i.Range)
		e = c.Subst(e, bar.indices[m], Sub{Index: fresh[m]})
	}
	// The body stays lowered: what it refers to is what its adjoint goes to.
	sharing := c.sharing
	c.sharing = false
	for m, i := range d.Indices {
		body = c.Subst(body, i, Sub{Index: fresh[m]})
	}
	c.sharing = sharing
	s.visit(body, fresh, e)
}

// passSolution hands the derivatives by the components of a solution on to what its inputs read.
func (s *sweep) passSolution(solution *Solution) {
	slopes := s.p.slopes(solution, func(t *Tensor) *Expr {
		if s.bars[t] == nil {
			return nil
		}
		return s.at(t, []Sub{{Index: solution.index}})
	})
	for k, slope := range slopes {
		if !slope.IsNum(0) {
			s.visit(solution.Inputs[k].Raw, nil, slope)
		}
	}
}

// visit distributes the derivative e by an expression body that runs over indices.
func (s *sweep) visit(body *Expr, indices []*Index, e *Expr) {
	c := s.p.c
	defer func(was bool) { c.apart = was }(c.apart)
	c.apart = !s.direct
	// Of a sum only those terms are differentiated by a tensor that hold it: there may be many
	// of both.
	terms, ks := []*Expr{body}, []float64{1}
	if body.Op == Add {
		terms, ks = body.Args, body.K
	}
	seen, held := s.held(terms)
	for _, t := range seen {
		b := s.bar(t)
		var k []float64
		var by []*Expr
		for _, n := range held[t] {
			d := terms[n]
			if d.Op == Apply {
				d = c.tangent(d, subsOf(indices), t, subsOf(b.indices))
			} else {
				d = c.Diff(d, t, subsOf(b.indices)...)
			}
			k, by = append(k, ks[n]), append(by, d)
		}
		d := c.Mul(e, c.Linear(0, k, by))
		for _, i := range indices {
			d = c.Sum(i, d)
		}
		b.add(d)
	}
}

// held lists the tensors that depend on the position in terms, and for each the numbers of the terms that hold it, in
// order.
func (s *sweep) held(terms []*Expr) (seen []*Tensor, held map[*Tensor][]int) {
	held = map[*Tensor][]int{}
	note := func(t *Tensor, term int) {
		in, noted := held[t]
		if !noted && s.p.dependsOnPosition(t, s.depends) {
			seen = append(seen, t)
		}
		if len(in) == 0 || in[len(in)-1] != term {
			held[t] = append(in, term)
		}
	}
	var collect func(e *Expr, term int)
	collect = func(e *Expr, term int) {
		Refs(e, func(r *Expr) {
			if part := r.Tensor.Part; part != nil && s.direct {
				for _, u := range part.Of.Inputs {
					collect(u.Raw, term)
				}
				return
			}
			note(r.Tensor, term)
		})
	}
	for n, e := range terms {
		collect(e, n)
	}
	return seen, held
}

// slopes returns the derivatives of a scalar by the inputs of a differential equation, of which bar says the
// derivatives by the components of its solution at the time index, nil for 0: Σ_n Σ_s bar_s[n] ∂s[n]/∂u_k. Each
// bar is computed once at a time, for all inputs.
func (p *Program) slopes(s *Solution, bar func(*Tensor) *Expr) []*Expr {
	c := p.c
	totals := make([]*total, len(s.Inputs))
	for k := range totals {
		totals[k] = c.newTotal()
	}
	for _, part := range s.Parts {
		b := bar(part.Tensor)
		if b == nil || b.IsNum(0) {
			continue
		}
		b = p.settle(b, []*Index{s.index})
		for k := range s.Inputs {
			totals[k].add(c.Mul(b, part.derivative(c, k, []Sub{{Index: s.index}})))
		}
	}
	out := make([]*Expr, len(totals))
	for k, t := range totals {
		out[k] = c.Sum(s.index, p.settle(t.sum(), []*Index{s.index})) // one sum, of all components
	}
	return out
}

// settle lowers an adjoint at indices of its own to a definition, if it takes an operation.
func (p *Program) settle(e *Expr, indices []*Index) *Expr {
	if e = p.Lower(e, indices); nodeCost(e) >= 1 && p.c.storable(e.free) {
		e = p.define(e, nil)
	}
	return e
}

// readsSolution reports whether e reads a component of the solution of a differential equation.
func readsSolution(e *Expr) bool {
	found := false
	Refs(e, func(r *Expr) { found = found || r.Tensor.Part != nil })
	return found
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
