package model

import (
	"slices"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// reference makes the point of reference: all parameters, of latent vectors the values.
func (p *Posterior) reference() {
	for n, b := range p.Params {
		p.Reference = append(p.Reference, &Param{Decl: b.Decl, Transform: TransformOf(b.Decl), Lo: b.Lo, Hi: b.Hi, each: b.each, c: p.C,
			Coord: p.C.NewTensor(expr.Tensor{Name: b.Decl.Name + "_ref", Kind: expr.GivenTensor, Shape: b.Coord.Shape, Stage: expr.StageGiven, Row: n})})
	}
}

// atReference is an expression of the coordinates at the point of reference.
func (p *Posterior) atReference(e *expr.Expr) *expr.Expr {
	by := map[*expr.Tensor]func(subs []expr.Sub) *expr.Expr{}
	for n, b := range p.Params {
		to := p.Reference[n].Coord
		by[b.Coord] = func(subs []expr.Sub) *expr.Expr { return p.C.Ref(to, subs...) }
		for k, t := range b.plain {
			by[t] = func(subs []expr.Sub) *expr.Expr { return p.C.Ref(to, b.Part(k, subs...)...) }
		}
	}
	return p.C.Substituted(e, func(r *expr.Expr) *expr.Expr {
		if to := by[r.Tensor]; to != nil {
			return to(r.Subs)
		}
		if to := p.memberAtReference(r.Tensor); to != nil {
			return p.C.Ref(to, r.Subs...)
		}
		return r
	})
}

// memberAtReference is a member of a recursion at the point of reference, where the recursion is computed anew. It is nil of other tensors, and where the recursion is the same everywhere or is made of
// what is not known at the reference.
func (p *Posterior) memberAtReference(t *expr.Tensor) *expr.Tensor {
	if t.Kind != expr.RecursionTensor || t.Def == nil || t.Def.Body == nil {
		return nil
	}
	of := t.Def.Recursion
	if known, ok := p.atRef[of]; ok {
		return known[t]
	}
	if p.atRef == nil {
		p.atRef = map[*expr.Recursion]map[*expr.Tensor]*expr.Tensor{}
	}
	p.atRef[of] = nil // members stand for themselves, while it is looked at what else there is
	moves, known := false, true
	for _, m := range of.Members {
		e := p.atReference(m.Def.Body)
		moves = moves || e != m.Def.Body
		expr.Refs(e, func(r *expr.Expr) {
			known = known && (r.Tensor.Stage < expr.StagePosition || slices.Contains(of.Members, r.Tensor))
		})
	}
	if !moves || !known {
		return nil
	}
	twin, members := &expr.Recursion{Down: of.Down}, map[*expr.Tensor]*expr.Tensor{}
	for _, m := range of.Members {
		members[m] = p.C.Recursive(twin, expr.Tensor{Name: m.Name + "_ref", Kind: expr.RecursionTensor, Shape: m.Shape, Stage: expr.StageGiven, Positive: m.Positive}, m.Def.Indices)
	}
	p.atRef[of] = members
	for _, m := range of.Members {
		members[m].Def.Body = p.atReference(m.Def.Body)
	}
	return members[t]
}

// referenceOf is the element of a latent vector at the point of reference.
func (p *Posterior) referenceOf(v *latent, at ...expr.Sub) *expr.Expr {
	return p.atReference(p.C.SubstAll(p.inPlace(v, nil), v.is, at))
}

// latentsAtReference is an expression where latent vectors are at the point of reference.
func (p *Posterior) latentsAtReference(e *expr.Expr, latents []*latent) *expr.Expr {
	return p.C.Substituted(e, func(r *expr.Expr) *expr.Expr {
		for _, v := range latents {
			if r.Tensor == v.values() {
				return p.referenceOf(v, r.Subs...)
			}
		}
		return r
	})
}

// without is an expression where latent vectors are 0.
func (p *Posterior) without(e *expr.Expr, latents []*latent) *expr.Expr {
	return p.C.Substituted(e, func(r *expr.Expr) *expr.Expr {
		if slices.ContainsFunc(latents, func(v *latent) bool { return v.values() == r.Tensor }) {
			return p.C.Number(0)
		}
		return r
	})
}

// mentionsAny reports whether e depends on a latent vector.
func mentionsAny(e *expr.Expr, latents []*latent) bool {
	return slices.ContainsFunc(latents, func(v *latent) bool { return expr.Mentions(e, v.values()) })
}

// gaussian is a normal density of latent vectors by its precision and what it says of the mean: G[k][l] at the elements i of
// vector k and j of vector l, r[k] at i.
type gaussian struct {
	v         []*latent
	g         [][]*expr.Expr
	r         []*expr.Expr
	used      []*PosteriorTerm             // that it is made of, but for those that are measured
	predicted []*PosteriorTerm             // those of them that a reference stands for
	bent      bool                         // tangents are among them
	unknown   map[*latent][]*PosteriorTerm // what says of a vector what no formula does
	measures  []*Measure                   // of these
	scaled    bool                         // the precision of a prior depends on parameters, or scales say how much of a vector an observation sees

	pins       []*pin         // of each vector, in neither g nor r
	fields     []*latent      // that have a quadratic form for a prior
	priors     []*standIn     // that normal ones are, or are the tangents of
	quadratic  *expr.Expr     // log density of priors,
	data       *expr.Expr     // of observations that are normal,
	normal     *expr.Expr     // and of both
	exact      [][]*expr.Expr // what g is made of: that of normal terms,
	predictors []*predictor   // and these
}

// times is G_kl x, at element i of vector k, of a vector x by its elements. The elements that an observation sees are summed first: that takes time in
// proportion to the observations, as G_kl, of which each may be another element, does not.
func (m *gaussian) times(p *Posterior, k, l int, x func(at ...expr.Sub) *expr.Expr) *expr.Expr {
	c, v, w := p.C, m.v[k], m.v[l]
	at := x(expr.SubsOf(w.js)...)
	product := c.SumAll(w.js, c.Mul(m.exact[k][l], at))
	for _, s := range m.predictors {
		seen := c.SumAll(w.js, c.Mul(s.slope(p, w, w.js), at))
		product = c.Add(product, c.SumAll(s.indices, c.Mul(s.slope(p, v, v.is), s.weight, seen)))
	}
	return product
}

// view is how observations are taken.
type view struct {
	apart   bool      // each as one of each element that it sees, given the others
	frozen  bool      // those that are normal with their precisions at the reference, where each has its own that depends on parameters
	unknown []*latent // other vectors, which are not known before: what is made of them and of scalars is at the reference, as data know the whole better than the scalars alone
}

// gaussianOf is that of the terms of the density, nil if no normal density stands for the prior of a vector.
func (p *Posterior) gaussianOf(latents []*latent, as view) *gaussian {
	c := p.C
	m := &gaussian{v: latents, pins: make([]*pin, len(latents)), unknown: map[*latent][]*PosteriorTerm{}, quadratic: c.Number(0), data: c.Number(0)}
	for _, t := range p.Terms {
		if mentionsAny(t.L, latents) && !p.takeTerm(m, t, as) {
			return nil
		}
	}
	if !p.proper(m.priors, slices.DeleteFunc(slices.Clone(latents), func(v *latent) bool { return slices.Contains(m.fields, v) })) {
		return nil
	}
	p.measuresOf(m)
	for _, x := range m.measures {
		m.predictors = append(m.predictors, x.predictors(p)...)
	}
	for _, v := range latents {
		if x := p.uniform(v, m.priors); x != nil {
			m.predictors = append(m.predictors, x)
		}
	}
	for _, x := range m.predictors {
		m.bent = m.bent || x.bent
		m.scaled = m.scaled || !x.bent && p.scaling(x.eta, latents)
	}
	if slices.ContainsFunc(latents, func(v *latent) bool { return v.open && !m.sees(v) }) {
		return nil
	}
	m.normal = c.Add(m.quadratic, m.data)
	stands := standsFor(c, spreadAmong(latents))
	data := stands.in(m.data)
	for _, v := range latents {
		first, observed := c.Diff(m.quadratic, v.values(), expr.SubsOf(v.is)...), c.Diff(data, stands.of(v), expr.SubsOf(v.is)...)
		seen := c.Interchanged(stands.none(p.without(observed, latents)))
		for _, x := range m.predictors {
			seen = c.Add(seen, c.Interchanged(c.SumAll(x.indices, c.Mul(x.seen(p, v, v.is), c.Add(c.Mul(x.weight, x.beyond(p, latents, as.unknown)), x.score)))))
		}
		var row, exact []*expr.Expr
		for _, w := range latents {
			g := c.Neg(c.Diff(first, w.values(), expr.SubsOf(w.js)...))
			straight, bent := c.Interchanged(c.Neg(c.Diff(observed, stands.of(w), expr.SubsOf(w.js)...))), c.Number(0)
			exact = append(exact, c.Add(g, p.spreadBoth(v, w, p.stored(v, w, straight))))
			for _, x := range m.predictors {
				e := c.Interchanged(c.SumAll(x.indices, c.Mul(x.seen(p, v, v.is), x.weight, x.seen(p, w, w.js))))
				if x.bent {
					bent = c.Add(bent, e)
				} else {
					straight = c.Add(straight, e)
				}
			}
			straight = p.stored(v, w, straight)
			if w.spread() { // its mean is not in the gap
				mean := c.SubstAll(w.standard.mean(w.n, expr.Sub{Index: w.i}), w.is, expr.SubsOf(w.js))
				seen = c.Sub(seen, c.SumAll(w.js, c.Mul(straight, mean)))
			}
			row = append(row, c.Add(g, p.spreadBoth(v, w, c.Add(straight, bent))))
		}
		m.r = append(m.r, c.Add(p.without(first, latents), p.spreadBack(v, seen, v.i)))
		m.g, m.exact = append(m.g, row), append(m.exact, exact)
	}
	return m
}

// steady reports whether other vectors are at the reference in predictors, none of which is a tangent.
func (m *gaussian) steady() bool {
	return !m.bent && slices.ContainsFunc(m.predictors, func(x *predictor) bool { return x.steady })
}

// sees reports whether observations say of a vector.
func (m *gaussian) sees(v *latent) bool {
	return expr.Mentions(m.data, v.values()) || slices.ContainsFunc(m.predictors, func(x *predictor) bool { return expr.Mentions(x.eta, v.values()) })
}

// beyond is the gap of a predictor of vectors that are determined before others: where that is made of those, it is at the reference, numbers included. With the numbers as they are and
// the others as they were the whole would be one that the posterior does not have. Of rows x = m + C u, though, m is their own: data hold x where it is, and u has to follow m.
func (x *predictor) beyond(p *Posterior, latents, unknown []*latent) *expr.Expr {
	c, gap := p.C, x.gap(p, latents)
	if !mentionsAny(gap, unknown) {
		return gap
	}
	gap = p.atReference(gap)
	for _, v := range latents {
		if v.standard == nil || v.spread() {
			continue
		}
		mean := v.standard.mean(v.n, expr.Sub{Index: v.i})
		moved := c.Sub(p.atReference(mean), p.latentsAtReference(mean, unknown))
		gap = c.Add(gap, c.SumAll(v.is, c.Mul(p.atReference(x.direct(p, v, v.is)), moved)))
	}
	return gap
}

// takeTerm adds what a term says of the vectors of a Gaussian. It reports whether there may be one with that.
func (p *Posterior) takeTerm(m *gaussian, t *PosteriorTerm, as view) bool {
	c, latents := p.C, m.v
	solved := p.inFamily(t.L, latents)
	if solved && (t.Term.Dist != nil && p.leftMentions(t, latents) || !p.measurable(latents, t)) {
		return false
	}
	hidden := solved || recursive(t.L, latents) || recursive(t.L, as.unknown)
	var s *normalPrior
	var joint *expr.Expr
	var frozen bool
	if !hidden { // what a recursion makes of a vector cannot be written without that
		s = p.normalPrior(t, latents)
		joint, frozen = p.jointObservation(t, latents, as)
	}
	switch {
	case !hidden && p.Maps == SparseMaps && p.field(m, t, s):
	case s != nil && p.pinned(m, t, s):
		m.used = append(m.used, t)
	case s != nil:
		m.quadratic = c.Add(m.quadratic, s.logDensity)
		m.used, m.priors = append(m.used, t), append(m.priors, s.each...)
		m.scaled, m.bent = m.scaled || s.scaled, m.bent || s.bent
	case !hidden && !as.apart && t.Term.Dist != nil && (t.Term.Dist.Name == "normal" || t.Term.Dist.Name == "lognormal") && p.linear(t.Args[0].At(), latents) && !mentionsAny(t.Args[1].At(), latents) && !p.bentLeft(t, latents):
		l, ok := p.frozen(t, as)
		if ok {
			m.predicted = append(m.predicted, t)
		}
		m.data = c.Add(m.data, l)
		m.used = append(m.used, t)
		m.scaled = m.scaled || p.scaling(t.Args[0].At(), latents)
	case joint != nil:
		if frozen {
			m.predicted = append(m.predicted, t)
		}
		m.data = c.Add(m.data, joint)
		m.used = append(m.used, t)
		m.scaled = m.scaled || p.scalingMeans(t, latents)
	case t.Term.Dist != nil && !t.Term.Dist.Whole() && !p.leftMentions(t, latents) && expr.DependsOnCoords(t.Left.At()):
		// What other parameters say of a vector changes with them: a score at the reference would not follow it.
	default:
		return p.predict(m, t, as, hidden)
	}
	return true
}

// predict adds what observations say of the vectors of a Gaussian: by predictors, or as what is measured, as of all that a recursion or the solution of a differential equation hides. It reports
// whether there may be a Gaussian with that: there is none of a chain that is written by its innovations, and measured. What is said of one element given the others would be taken for more than it
// is, and the innovations, of which data see sums, are as good coordinates.
func (p *Posterior) predict(m *gaussian, t *PosteriorTerm, as view, hidden bool) bool {
	if !hidden {
		if found := p.predictorsOf(p.beside(t, m.v, as.unknown), m.v, as.apart); found != nil {
			for _, x := range found {
				p.steady(x, m.v)
			}
			m.predictors = append(m.predictors, found...)
			m.used, m.predicted = append(m.used, t), append(m.predicted, t)
			return true
		}
	}
	for _, v := range m.v {
		if mentionsAny(t.L, []*latent{v}) && p.measurable([]*latent{v}, t) {
			if v.b.chained() {
				return false
			}
			m.unknown[v] = append(m.unknown[v], t)
			if !slices.Contains(m.predicted, t) {
				m.predicted = append(m.predicted, t)
			}
		}
	}
	return true
}

// frozen is the log density of normal observations; where precisions are at the reference, only as far as it depends on locations.
func (p *Posterior) frozen(t *PosteriorTerm, as view) (logDensity *expr.Expr, ok bool) {
	c := p.C
	precision := c.Inlined(c.Pow(t.Args[1].At(), -2))
	total := c.Number(1)
	switch {
	case mentionsAny(precision, as.unknown):
		total, ok = p.atReference(precision), true
	case as.frozen: // but for factors that are the same of all
		total, ok = p.factorwise(precision, func(f *expr.Expr) bool {
			return f.Stage() >= expr.StagePosition && slices.ContainsFunc(t.Indices, f.HasFree)
		})
	}
	if !ok {
		return t.L, false
	}
	gap := c.Sub(onRealLine(c, t.Term.Dist.Support, t.Left.At()), t.Args[0].At())
	return c.SumAll(t.Indices, c.Scale(-0.5, c.Mul(c.Atom(total), gap, gap))), true
}

// factorwise is an expression with those of its factors at the reference that a function chooses, and whether there are any.
func (p *Posterior) factorwise(e *expr.Expr, choose func(*expr.Expr) bool) (out *expr.Expr, any bool) {
	c := p.C
	factors, powers, out := []*expr.Expr{e}, []float64{1}, c.Number(1)
	if e.Op == expr.Mul {
		factors, powers, out = e.Args, e.K, c.Number(e.Val)
	}
	for n, f := range factors {
		if f = c.Pow(f, powers[n]); choose(f) {
			f, any = c.Atom(p.atReference(f)), true
		}
		out = c.Mul(out, f)
	}
	return out, any
}

// beside is a term as vectors see it that are determined before others: its arguments that are made of those and not of them are at the reference.
func (p *Posterior) beside(t *PosteriorTerm, latents, unknown []*latent) *PosteriorTerm {
	if len(unknown) == 0 || t.Term.Dist == nil {
		return t
	}
	out := *t
	out.Args = slices.Clone(t.Args)
	for n, a := range t.Args {
		if len(a.Shape) == 0 && mentionsAny(a.At(), unknown) && !mentionsAny(a.At(), latents) {
			out.Args[n] = expr.Scalar(p.atReference(a.At()))
		}
	}
	return &out
}

// bentLeft reports whether the left side of a term is not linear in latent vectors on the real line.
func (p *Posterior) bentLeft(t *PosteriorTerm, latents []*latent) bool {
	if !p.leftMentions(t, latents) {
		return false
	}
	u := onRealLine(p.C, t.Term.Dist.Support, t.Left.At())
	return u == nil || !p.linear(u, latents)
}

// inFamily reports whether a term on latent vectors reads a part of a family, the solution of a differential equation: one that depends on them, which is not
// known at the reference, or another, which is not known where coordinates are changed.
func (p *Posterior) inFamily(e *expr.Expr, latents []*latent) bool {
	return mentionsAny(e, latents) && expr.Search(e, expr.StageConst, func(r *expr.Expr) bool { return r.Op == expr.Ref && r.Tensor.Part != nil })
}

// sloping reports whether the slopes of an expression that is linear in latent vectors depend on parameters.
func (p *Posterior) sloping(e *expr.Expr, latents []*latent) bool {
	return slices.ContainsFunc(latents, func(v *latent) bool {
		return p.C.Diff(e, v.values(), expr.SubsOf(v.js)...).Stage() >= expr.StagePosition
	})
}

// scaling reports whether that is so of a vector, and scales alone say how much is seen. What depends on the elements of other vectors that may be of either sign is no scale of it, but what it is
// multiplied by, as the trend that seasons are a multiple of: data tell of both, and a dense map that knew it at every position would take n³ operations for each gradient and bring nothing.
func (p *Posterior) scaling(e *expr.Expr, latents []*latent) bool {
	return slices.ContainsFunc(latents, func(v *latent) bool {
		slope := p.C.Diff(e, v.values(), expr.SubsOf(v.js)...)
		return slope.Stage() >= expr.StagePosition && !slices.ContainsFunc(p.Params, func(b *Param) bool {
			return len(b.Decl.Type.Shape) > 0 && slices.ContainsFunc(b.plain, func(x *expr.Tensor) bool { return !x.Positive && expr.Mentions(slope, x) })
		})
	})
}

// proper reports whether terms make a proper prior of latent vectors: each element is the left side of one, whose
// center holds vectors of lower rank, elements of its own that come before it in some order (ways), and earlier ones of vectors that hold its earlier elements in turn, only. The precision is then
// Bᵀ diag(1/σ²) B with a B that has ones on its diagonal and is triangular in that order.
func (p *Posterior) proper(priors []*standIn, latents []*latent) bool {
	return p.triangular(priors, latents, (*Posterior).element) || p.triangular(priors, latents, (*Posterior).lead)
}

// triangular is proper with what says which element a prior makes of others: others may say more of elements that have one.
func (p *Posterior) triangular(priors []*standIn, latents []*latent, made func(p *Posterior, t *standIn, v *latent) (*expr.Expr, []*expr.Expr)) bool {
	below, beside, earlier := relation{}, relation{}, relation{} // of a vector those that it holds: anyhow, at the same element, at earlier ones
	goesBack := false
	for _, v := range latents {
		if v.level() {
			continue // a prior that says nothing leaves the data
		}
		covered := make([][]dsl.Range, len(v.is)) // along each dimension, where all of the others is
		own := ways{}
		for _, t := range priors {
			lead, others := made(p, t, v)
			if lead == nil {
				continue
			}
			at := lead.Subs
			if !t.covers(at, v, covered) {
				return false
			}
			ok := true
			see := func(r *expr.Expr) {
				for _, w := range latents {
					switch {
					case w != v && r.Tensor == w.values() && len(w.is) == 1 && len(v.is) == 1 && before(r.Subs, at):
						earlier[v] = append(earlier[v], w)
					case w != v && r.Tensor == w.values() && len(w.is) == 1 && len(v.is) == 1 && r.Subs[0] == at[0]:
						beside[v] = append(beside[v], w)
					case w != v && expr.Mentions(r, w.values()):
						below[v] = append(below[v], w)
					case w == v && r.Tensor == v.values():
						ok = ok && own.add(r.Subs, at)
					case w == v:
						ok = ok && !expr.Mentions(r, v.values())
					}
				}
			}
			for _, e := range append(others, t.center) {
				expr.Refs(p.C.Inlined(e), see)
			}
			if !ok {
				return false
			}
		}
		if !own.ordered() {
			return false
		}
		goesBack = goesBack || len(own.back) > 0
		whole := false
		for d, i := range v.is {
			whole = whole || covers(covered[d], i.Range.Hi)
		}
		v.open = !whole && v.opens(covered, own)
		if !whole && !v.open {
			return false
		}
	}
	// Vectors that are above each other are so at earlier elements, and no other is between them; where one goes back, what is earlier is not made before.
	all, now := relation{}, relation{}
	for _, v := range latents {
		if goesBack {
			below[v] = append(below[v], earlier[v]...)
		}
		now[v] = slices.Concat(below[v], beside[v])
		all[v] = slices.Concat(now[v], earlier[v])
	}
	return acyclic(latents, now) && !slices.ContainsFunc(latents, func(v *latent) bool {
		return slices.ContainsFunc(below[v], func(w *latent) bool { return all.reaches(w, v) })
	})
}

// mostOpen is how many elements a chain may begin with that have no prior.
const mostOpen = 3

// opens reports whether a vector is a chain whose elements go on from one with no prior, as a level does that is said to walk from its first value on: what data say of it makes the precision definite.
func (v *latent) opens(covered [][]dsl.Range, own ways) bool {
	if len(v.is) > 1 || len(own.forth) == 0 || len(own.back) > 0 {
		return false
	}
	for n := range mostOpen {
		if covers(append([]dsl.Range{{Lo: dsl.Fixed(1), Hi: dsl.Fixed(1 + n)}}, covered[0]...), v.i.Range.Hi) {
			return true
		}
	}
	return false
}

// relation are the vectors that hold of each.
type relation map[*latent][]*latent

// reaches reports whether another is among those of a vector, or of those.
func (r relation) reaches(v, other *latent) bool {
	seen := map[*latent]bool{}
	var walk func(v *latent) bool
	walk = func(v *latent) bool {
		if seen[v] {
			return false
		}
		seen[v] = true
		return slices.ContainsFunc(r[v], func(w *latent) bool { return w == other || walk(w) })
	}
	return walk(v)
}

// covers adds the elements that a prior is of to those that others are of: along one dimension, where it is of all along the others. It reports whether the elements
// are different ones.
func (t *standIn) covers(subs []expr.Sub, v *latent, covered [][]dsl.Range) bool {
	var own []dsl.Range
	var indices []*expr.Index
	part := -1 // the dimension that it is not all of
	for d, at := range subs {
		r := positions(at)
		switch {
		case at.IsFixed():
		case at.Index != nil && slices.Contains(t.indices, at.Index) && !slices.Contains(indices, at.Index):
			indices = append(indices, at.Index)
		default:
			return false
		}
		own = append(own, r)
		if r != v.is[d].Range {
			if part >= 0 {
				return false
			}
			part = d
		}
	}
	for d := range own {
		if part < 0 || part == d {
			covered[d] = append(covered[d], own[d])
		}
	}
	return true
}

// element is the element of a vector that is the left side of a prior.
func (p *Posterior) element(t *standIn, v *latent) (own *expr.Expr, others []*expr.Expr) {
	if t.u.Op != expr.Ref || t.u.Tensor != v.values() {
		return nil, nil
	}
	return t.u, nil
}

// lead is that or, where the left side is a sum, as x[t] − x[t−1] is, the last element there, as it is or divided by what is no vector. The others are what stands beside it.
func (p *Posterior) lead(t *standIn, v *latent) (own *expr.Expr, others []*expr.Expr) {
	u := p.C.Inlined(t.u)
	if n := slices.IndexFunc(u.Args, func(a *expr.Expr) bool { return expr.Mentions(a, v.values()) }); u.Op == expr.Mul && n >= 0 && u.K[n] == 1 {
		others, u = slices.Delete(slices.Clone(u.Args), n, n+1), u.Args[n]
	}
	if u.Op == expr.Ref && u.Tensor == v.values() {
		return u, others
	}
	at := -1
	for n, a := range u.Args {
		if u.Op == expr.Add && a.Op == expr.Ref && a.Tensor == v.values() && (at < 0 || before(u.Args[at].Subs, a.Subs)) {
			at = n
		}
	}
	if at < 0 {
		return nil, nil
	}
	return u.Args[at], append(others, slices.Delete(slices.Clone(u.Args), at, at+1)...)
}

// positions are those that a subscript names that is fixed or an index.
func positions(at expr.Sub) dsl.Range {
	if at.Index == nil {
		return dsl.Range{Lo: at.At, Hi: at.At}
	}
	return dsl.Range{Lo: at.Index.Range.Lo.Plus(at.Offset), Hi: at.Index.Range.Hi.Plus(at.Offset)}
}

// ways are how elements of a vector are made of others of its own, by parts of them: of those before, as in a random walk, of those after, as in one that goes back from the last, or from the middle
// outwards.
type ways struct {
	forth, back []dsl.Range // the parts, along their dimension
	far         bool        // an element is made of others than its neighbours
}

// add takes that an element at t is made of one at s. It reports whether that comes before it or after it.
func (w *ways) add(s, t []expr.Sub) bool {
	parts := &w.forth
	switch {
	case before(s, t):
	case before(t, s):
		parts = &w.back
	default:
		return false
	}
	for d := range s {
		if s[d] != t[d] {
			*parts = append(*parts, positions(t[d]))
			apart := t[d].Offset - s[d].Offset + t[d].At.Offset - s[d].At.Offset
			w.far = w.far || apart < -1 || apart > 1
		}
	}
	return true
}

// ordered reports whether there is an order in which elements come behind those that they are made of. Where some are made of those before them and some of those after, each of a neighbour, no two
// neighbours are made of each other.
func (w *ways) ordered() bool {
	if len(w.forth) == 0 || len(w.back) == 0 {
		return true
	}
	return !w.far && !slices.ContainsFunc(w.forth, func(f dsl.Range) bool {
		return slices.ContainsFunc(w.back, func(b dsl.Range) bool { return f == b || f.Lo == b.Hi.Plus(1) })
	})
}

// before reports whether an element is proved to lie before another along one dimension, and not elsewhere along the others.
func before(s, t []expr.Sub) bool {
	less := 0
	for d := range s {
		switch {
		case s[d] == t[d]:
		case s[d].IsFixed() && t[d].IsFixed() && s[d].At.Name == t[d].At.Name && s[d].At.Offset < t[d].At.Offset,
			s[d].Index != nil && s[d].Index == t[d].Index && s[d].Offset < t[d].Offset:
			less++
		default:
			return false
		}
	}
	return less == 1
}

// covers reports whether ranges of positions are all from 1 to n.
func covers(ranges []dsl.Range, n dsl.Extent) bool {
	next := dsl.Fixed(1)
	for range ranges {
		for _, r := range ranges {
			if r.Lo == next {
				next = r.Hi.Plus(1)
				break
			}
		}
	}
	return next == n.Plus(1)
}

// acyclic reports whether no vector is below itself.
func acyclic(latents []*latent, below relation) bool {
	left := slices.Clone(latents)
	for len(left) > 0 {
		n := slices.IndexFunc(left, func(v *latent) bool {
			return !slices.ContainsFunc(below[v], func(w *latent) bool { return slices.Contains(left, w) })
		})
		if n < 0 {
			return false
		}
		left = slices.Delete(left, n, n+1)
	}
	return true
}
