package model

import (
	"slices"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// predictor is what the observations of a term see of latent vectors: one number for each, linear in them if there is a scale on which it is.
// One that is not stands for its tangent at the reference.
type predictor struct {
	indices []*expr.Index // of the observations
	eta     *expr.Expr
	weight  *expr.Expr // the information about it, where it is at the reference; at that of all parameters, where it is entangled
	score   *expr.Expr // the derivative of the log density by it there
	bent    bool       // eta is not linear
	steady  bool       // elements of other vectors in eta are at the reference
}

// predictorsOf finds the predictors of a term: that of a distribution whose expected information is known, else those of what the term is a sum
// of. It is nil where a part of the term has none. With apart an observation has one for each element that it sees, given the others.
func (p *Posterior) predictorsOf(t *PosteriorTerm, latents []*latent, apart bool) (found []*predictor) {
	if x := p.predictorOf(t, latents); x != nil && !apart {
		return []*predictor{x}
	}
	for _, o := range p.observations(t.L, latents) {
		xs := p.seenBy(o, latents, apart)
		if xs == nil {
			if len(latents) > 1 && p.seenAlone(t, latents) {
				return nil // maps of their own know more
			}
			if p.measurable(latents, t) || !plainVectors(latents) {
				return p.elementByElement(t, latents)
			}
			// What has the same prior everywhere is neither seen element by element nor measured, but may stand behind definitions.
			if xs = p.seenBy(&observation{o.indices, p.C.Inlined(o.each)}, latents, apart); xs == nil {
				return nil
			}
		}
		found = append(found, xs...)
	}
	return found
}

// seenBy finds the predictors of an observation by all that it sees, or else with the others at the reference.
func (p *Posterior) seenBy(o *observation, latents []*latent, apart bool) []*predictor {
	ofAny := func(values *expr.Tensor) bool {
		return slices.ContainsFunc(p.Params, func(b *Param) bool { return slices.Contains(b.plain, values) })
	}
	ofLatents := func(values *expr.Tensor) bool {
		return slices.ContainsFunc(latents, func(v *latent) bool { return v.values() == values })
	}
	whole := plainVectors(latents)
	for _, seen := range []func(values *expr.Tensor) bool{ofAny, ofLatents} {
		if xs := p.observed(o, seen, apart, whole); xs != nil {
			return xs
		}
	}
	return nil
}

// plainVectors reports whether no vector is made of others, as those are that have a prior of the whole: what is seen of it behind definitions would be of others too, and a map of itself.
func plainVectors(latents []*latent) bool {
	return !slices.ContainsFunc(latents, func(v *latent) bool { return v.standard != nil })
}

// seenAlone reports whether each of the vectors that a term has is its predictor, given the others: as the curves of a mean and of the logarithm of a scale are.
func (p *Posterior) seenAlone(t *PosteriorTerm, latents []*latent) bool {
	return !slices.ContainsFunc(latents, func(v *latent) bool {
		one := []*latent{v}
		return mentionsAny(t.L, one) && p.predictorOf(t, one) == nil
	})
}

// elementByElement are predictors of a term of which no observation sees a few numbers, as the likelihood of a ranking: each element of a vector is one, given the
// others. The information is the observed one, |∂²L/∂x²| at the reference. It is nil where a vector has a prior that is the same everywhere, so that its map
// would be too; where derivatives are not known; and where they would take much longer than the term: what that is made of is computed by a recursion, or from a matrix.
func (p *Posterior) elementByElement(t *PosteriorTerm, latents []*latent) (found []*predictor) {
	c := p.C
	for _, v := range latents {
		var is []*expr.Index
		for _, i := range v.is {
			is = append(is, c.NewIndex(i.Name, i.Range))
		}
		at := expr.SubsOf(is)
		s := c.Diff(t.L, v.values(), at...)
		if s.IsNum(0) {
			continue
		}
		second := c.Diff(s, v.values(), at...)
		if p.fixed([]*latent{v}, true) || !known(s) || !known(second) || !plainly(s) || !plainly(second) {
			return nil
		}
		found = append(found, &predictor{indices: is, eta: c.Ref(v.values(), at...), weight: c.Atom(p.atReference(c.Call("abs", second))), score: c.Atom(p.following(s))})
	}
	return found
}

// plainly reports whether an expression is made of numbers by formulas, sums and definitions of these.
func plainly(e *expr.Expr) bool {
	ok := true
	seen := map[*expr.Def]bool{}
	var look func(e *expr.Expr)
	look = func(e *expr.Expr) {
		expr.Refs(e, func(r *expr.Expr) {
			switch r.Tensor.Kind {
			case expr.RecursionTensor, expr.PartTensor, expr.InnerTensor, expr.FactorOf:
				ok = false
			}
			d := r.Tensor.Def
			if d == nil || seen[d] {
				return
			}
			seen[d] = true
			ok = ok && d.Recursion == nil
			for _, body := range d.Bodies() {
				if body != nil { // what is fitted to a reference has none
					look(body)
				}
			}
		})
	}
	look(e)
	return ok
}

// slope is the derivative of the predictor by the element of a latent vector at indices. Of a tangent to x = m + C u that by x is the one of the reference, and C follows the other
// parameters.
func (x *predictor) slope(p *Posterior, v *latent, at []*expr.Index) *expr.Expr {
	c, s := p.C, v.standard
	switch {
	case !x.bent && s != nil && s.rows():
		return x.ofElement(c, c.Diff(x.eta, v.values(), expr.SubsOf(at)...), at)
	case !x.bent:
		return c.Diff(x.eta, v.values(), expr.SubsOf(at)...)
	case s == nil:
		return p.atReference(c.Diff(x.eta, v.values(), expr.SubsOf(at)...))
	case !s.rows():
		return p.spreadBack(v, x.seen(p, v, at), at[slices.Index(v.is, v.i)])
	}
	total := c.Number(0)
	for l := v.n; l < len(s.vectors); l++ {
		total = c.Add(total, c.Mul(s.at(l, v.n), x.direct(p, s.vectors[l], at)))
	}
	return total
}

// ofElement writes a slope that is that of one element for each observation, as all terms of a row are, with this in front: f δ[i,j].
func (x *predictor) ofElement(c *expr.Context, slope *expr.Expr, at []*expr.Index) *expr.Expr {
	for _, i := range at {
		for _, o := range x.indices {
			if o.Range != i.Range {
				continue
			}
			if f := c.StripDelta(slope, o, i); f != nil {
				slope = c.Mul(f, c.Delta(expr.Sub{Index: o}, expr.Sub{Index: i}))
			}
		}
	}
	return slope
}

// seen is the slope by the element of a vector as observations see it: of x = m + C u that by x, of which spreadBack makes the slope by u.
func (x *predictor) seen(p *Posterior, v *latent, at []*expr.Index) *expr.Expr {
	if !v.spread() {
		return x.slope(p, v, at)
	}
	return x.direct(p, v, at)
}

// direct is the derivative by x of a vector x = m + C u.
func (x *predictor) direct(p *Posterior, v *latent, at []*expr.Index) *expr.Expr {
	stands := standsFor(p.C, []*latent{v})
	d := stands.back(p.C.Diff(stands.in(x.eta), stands.of(v), expr.SubsOf(at)...))
	if x.bent {
		return p.atReference(d)
	}
	return d
}

// gap is by how much the predictor at the reference is above what it is where latent vectors are 0, or where its tangent is that has
// the slope of the reference and touches it there, at the other parameters as they are. Vectors x = m + C u are 0 there themselves, if they are arrays and it is no tangent: of
// others u is 0.
func (x *predictor) gap(p *Posterior, latents []*latent) *expr.Expr {
	c := p.C
	gap := p.atReference(x.eta)
	if !x.bent {
		stands := standsFor(c, spreadAmong(latents))
		return c.Sub(gap, p.without(stands.none(stands.in(x.eta)), latents))
	}
	stands := standsFor(c, latents)
	gap = c.Sub(gap, p.latentsAtReference(stands.at(stands.in(x.eta), p.atReference), latents))
	for _, v := range latents {
		ref, at := p.referenceOf(v, expr.SubsOf(v.is)...), x.slope
		if v.standard != nil {
			ref, at = c.Sub(p.atReference(c.Ref(v.plain(), expr.SubsOf(v.is)...)), v.standard.mean(v.n, expr.Sub{Index: v.i})), x.direct
		}
		gap = c.Add(gap, c.SumAll(v.is, c.Mul(at(p, v, v.is), ref)))
	}
	return gap
}

// steady puts elements of other vectors at the reference, of a predictor whose slope depends on them, if it is the observation that chooses them, as the item of an answer in a[item]*(theta[person] − b[item]): a
// map that followed them would take a sum over the observations for each gradient. What many observations say of each of them leaves little to follow, and what they have in common with theta an adapted metric
// knows. It does not where vectors may turn into one another, as the loadings of several factors do: there is one element of the latent vectors, with a prior of known scale, and one product. Elements that
// those of latent vectors tell, as the scale of a group, are followed.
func (p *Posterior) steady(x *predictor, latents []*latent) {
	if x.weight.Stage() >= expr.StagePosition || !x.bent && !p.fixed(latents, false) {
		return // there are such sums, or the scale of the vector moves with the slope
	}
	c := p.C
	eta := c.InlinedBut(x.eta, func(t *expr.Tensor) bool {
		return slices.ContainsFunc(p.Params, func(b *Param) bool { return slices.Contains(b.plain, t) })
	})
	var own []*expr.Expr
	expr.Refs(eta, func(r *expr.Expr) {
		if mentionsAny(r, latents) && !slices.Contains(own, r) {
			own = append(own, r)
		}
	})
	var tells []expr.Sub
	if !x.bent {
		if len(own) != 1 {
			return
		}
		tells = own[0].Subs
	}
	chosen := func(e *expr.Expr) (out []*expr.Expr) {
		expr.Refs(e, func(r *expr.Expr) {
			if slices.ContainsFunc(r.Subs, func(s expr.Sub) bool { return !toldBy(s, tells, x.indices) }) && slices.ContainsFunc(p.Params, func(b *Param) bool {
				return (r.Tensor == b.Coord || slices.Contains(b.plain, r.Tensor)) && !slices.ContainsFunc(latents, func(v *latent) bool { return v.b == b })
			}) {
				out = append(out, r)
			}
		})
		return out
	}
	all := chosen(eta)
	var slope []*expr.Expr
	if !x.bent {
		slope = chosen(c.Diff(eta, own[0].Tensor, own[0].Subs...))
	}
	if len(all) == 0 || !x.bent && len(slope) == 0 {
		return
	}
	for _, r := range all { // another product is one of two others
		if !x.bent && !slices.Contains(slope, r) && slices.ContainsFunc(chosen(c.Diff(eta, r.Tensor, r.Subs...)), func(o *expr.Expr) bool { return o != r && !slices.Contains(slope, o) }) {
			return
		}
	}
	x.steady = true
	x.eta = c.Substituted(eta, func(r *expr.Expr) *expr.Expr {
		if slices.Contains(all, r) {
			return p.atReference(r)
		}
		return r
	})
}

// toldBy reports whether some positions tell another one, which may be the same for all indices.
func toldBy(s expr.Sub, by []expr.Sub, indices []*expr.Index) bool {
	if slices.Contains(by, s) || !slices.ContainsFunc(indices, func(i *expr.Index) bool { return s.Carries(i) }) {
		return true
	}
	return s.Data != nil && !slices.ContainsFunc(s.Data.Subs, func(s expr.Sub) bool { return !toldBy(s, by, indices) })
}

// links are the scales on which an argument of a distribution may be linear, with the first two derivatives of the argument by its value
// there: its own, that of its logarithm, and last what a function that it is the value of is applied to, as in inv_logit(η).
var links = []func(c *expr.Context, arg *expr.Expr) (eta, slope, bend *expr.Expr){
	func(c *expr.Context, arg *expr.Expr) (eta, slope, bend *expr.Expr) {
		return arg, c.Number(1), c.Number(0)
	},
	func(c *expr.Context, arg *expr.Expr) (eta, slope, bend *expr.Expr) {
		if c.Sign(arg) != expr.Positive {
			return nil, nil, nil
		}
		return c.Call("log", arg), arg, arg
	},
	func(c *expr.Context, arg *expr.Expr) (eta, slope, bend *expr.Expr) {
		if arg.Op != expr.Call || len(arg.Args) != 1 {
			return nil, nil, nil
		}
		u := c.NewTensor(expr.Tensor{Name: "u", Kind: expr.LocalTensor, Stage: expr.StagePosition})
		at := func(e *expr.Expr) *expr.Expr {
			return c.Substituted(e, func(r *expr.Expr) *expr.Expr {
				if r.Tensor == u {
					return arg.Args[0]
				}
				return r
			})
		}
		first := c.Diff(c.Call(arg.Func.Name, c.Ref(u)), u)
		return arg.Args[0], at(first), at(c.Diff(first, u))
	},
}

// predictorOf finds the argument of a distribution that is the predictor of a term, nil if there is none.
func (p *Posterior) predictorOf(term *PosteriorTerm, latents []*latent) *predictor {
	c, dist := p.C, term.Term.Dist
	if dist == nil || dist.Whole() || mentionsAny(term.Left.At(), latents) {
		return nil
	}
	at := -1
	for n, a := range term.Args {
		if mentionsAny(a.At(), latents) {
			if at >= 0 {
				return nil
			}
			at = n
		}
	}
	if at < 0 || dist.Fisher == nil || dist.Fisher[at][at] == "" {
		return nil
	}
	arg := term.Args[at].At()
	eta, slope, bend, bent := p.scaleOf(arg, latents)
	if eta == nil {
		return nil
	}
	ref := p.atReference(arg)
	slope, bend = p.atReference(slope), p.atReference(bend)
	seen, tangent := eta, bent // what the predictor is, and whether its slopes are those of the reference
	if bent {
		if e := p.straightened(eta, latents); e != nil {
			seen, tangent = e, false
		}
	}
	args := slices.Clone(term.Args)
	args[at] = expr.Scalar(ref)
	weight := c.Mul(c.FormulaValue(dist, dist.Fisher[at][at], term.Left, args).At(), c.Pow(slope, 2))
	// The score is that of the formula, by a variable that the reference replaces.
	u := c.NewTensor(expr.Tensor{Name: "u", Kind: expr.LocalTensor, Stage: expr.StagePosition})
	args[at] = expr.Scalar(c.Ref(u))
	there := func(e *expr.Expr) *expr.Expr {
		return c.Substituted(e, func(r *expr.Expr) *expr.Expr {
			if r.Tensor == u {
				return ref
			}
			return r
		})
	}
	first := c.Diff(c.FormulaValue(dist, dist.LogDensity, term.Left, args).At(), u)
	score := there(first)
	observed := c.Neg(c.Add(c.Mul(there(c.Diff(first, u)), c.Pow(slope, 2)), c.Mul(score, bend)))
	switch {
	case bent:
		weight, score = p.atReference(weight), p.atReference(score)
	case entangled(weight, term.Indices):
		weight, score = p.atReference(weight), p.following(score)
	}
	weight = p.asObserved(weight, p.atReference(observed))
	if !bent && weight.Stage() < expr.StagePosition && p.sloping(eta, latents) {
		// An exponential in it would become one with those that the slopes have, and the sum over the observations one for each gradient.
		weight = c.Atom(weight)
	}
	return &predictor{indices: term.Indices, eta: seen, weight: weight, score: c.Mul(score, slope), bent: tangent}
}

// straightened is a predictor that bends in latent vectors by way of numbers that are linear in them, mu + s*z, with the tangent to it in these numbers at the reference: data say something of them, whatever
// mu and s are, while the tangent in z would hold z where s moves. It is nil where no slope depends on parameters, so that the two are the same, and where vectors stand in a sum.
func (p *Posterior) straightened(eta *expr.Expr, latents []*latent) *expr.Expr {
	c := p.C
	if !plainVectors(latents) {
		return nil
	}
	by, linear, stand, ok := p.linearParts(c.Inlined(eta), func(e *expr.Expr) bool { return mentionsAny(e, latents) }, func(e *expr.Expr) bool { return p.linear(e, latents) })
	if !ok || !slices.ContainsFunc(linear, func(e *expr.Expr) bool { return p.sloping(e, latents) }) {
		return nil
	}
	back := replacing(stand, linear)
	var there []*expr.Expr
	for _, e := range linear {
		there = append(there, p.atReference(e))
	}
	out := c.Substituted(by, replacing(stand, there))
	for n, u := range stand {
		d := c.Diff(by, u.Tensor)
		if !known(d) {
			return nil
		}
		out = c.Add(out, c.Mul(c.Atom(p.atReference(c.Substituted(d, back))), c.Sub(linear[n], there[n])))
	}
	return out
}

// linearParts writes an expression by variables in the place of the largest parts of it that hold something and are linear in it; it is not ok where that stands in a sum, or behind a definition.
func (p *Posterior) linearParts(e *expr.Expr, holds, linear func(e *expr.Expr) bool) (by *expr.Expr, parts, stand []*expr.Expr, ok bool) {
	c := p.C
	ok = true
	var walk func(e *expr.Expr) *expr.Expr
	walk = func(e *expr.Expr) *expr.Expr {
		switch {
		case !holds(e):
			return e
		case linear(e):
			n := slices.Index(parts, e)
			if n < 0 {
				n = len(parts)
				parts, stand = append(parts, e), append(stand, c.Ref(c.NewTensor(expr.Tensor{Name: "u", Kind: expr.LocalTensor, Stage: expr.StagePosition})))
			}
			return stand[n]
		case e.Op == expr.Sum || e.Op == expr.Largest || e.Op == expr.Ref:
			ok = false
			return e
		}
		return c.Rebuild(e, walk, func(s expr.Sub) expr.Sub { return s })
	}
	return walk(e), parts, stand, ok
}

// asObserved is the expected information of a term as it was observed at the reference, where that is not less than 0 whatever the data: about a mode the density is as narrow as
// this, which differs from observation to observation. It follows the other parameters as the expected one does. A density with a kink at its mode curves nowhere else: what is expected
// is told by the kink.
func (p *Posterior) asObserved(expected, observed *expr.Expr) *expr.Expr {
	c := p.C
	at := p.atReference(expected)
	if c.Sign(observed) == expr.UnknownSign {
		observed = c.Expand(observed)
	}
	if !known(observed) || observed.IsNum(0) || c.Sign(observed) == expr.UnknownSign || c.Equal(at, observed) {
		return expected
	}
	if expected.Stage() < expr.StagePosition {
		return c.Atom(observed)
	}
	return c.Mul(expected, c.Atom(c.Div(observed, at)))
}

// scaleOf is the scale on which an argument of a distribution is linear in latent vectors, with the first two derivatives of the argument by its value
// there. Where none is, it is the last there is, of which the tangent is taken; nil where derivatives are not known.
func (p *Posterior) scaleOf(arg *expr.Expr, latents []*latent) (eta, slope, bend *expr.Expr, bent bool) {
	for _, link := range links {
		e, s, b := link(p.C, arg)
		if e == nil {
			continue
		}
		if eta, slope, bend = e, s, b; p.linear(eta, latents) {
			return eta, slope, bend, false
		}
	}
	for _, v := range latents {
		if !known(p.C.Diff(eta, v.values(), expr.SubsOf(v.js)...)) {
			return nil, nil, nil, false
		}
	}
	return eta, slope, bend, true
}

// observation is a part of a log density, at the indices that it is summed over.
type observation struct {
	indices []*expr.Index
	each    *expr.Expr
}

// observations writes a log density as sums, as far as it depends on latent vectors: one for each range and what is seen together there, as the zeros of a
// hurdle model see other elements than its counts do. It is nil where it is none.
func (p *Posterior) observations(l *expr.Expr, latents []*latent) (out []*observation) {
	c := p.C
	ok := true
	var collect func(e, factor *expr.Expr, indices []*expr.Index)
	collect = func(e, factor *expr.Expr, indices []*expr.Index) {
		if !mentionsAny(e, latents) {
			return
		}
		if parts := p.branches(e, latents); parts != nil {
			for _, a := range parts {
				collect(a, factor, indices)
			}
			return
		}
		if e.Op == expr.Add {
			for n, a := range e.Args {
				collect(a, c.Scale(e.K[n], factor), indices)
			}
			return
		}
		if e.Op == expr.Sum {
			collect(e.Args[0], factor, append(indices[:len(indices):len(indices)], e.Index))
			return
		}
		if e.Op == expr.Mul {
			at := slices.IndexFunc(e.Args, func(a *expr.Expr) bool { return a.Op == expr.Sum && mentionsAny(a, latents) })
			if at >= 0 && e.K[at] == 1 {
				rest := c.Product(e.Val, slices.Delete(slices.Clone(e.K), at, at+1), slices.Delete(slices.Clone(e.Args), at, at+1))
				ok = ok && !mentionsAny(rest, latents)
				collect(e.Args[at], c.Mul(factor, rest), indices)
				return
			}
		}
		o := &observation{indices, c.Mul(factor, e)}
		kept := out[:0]
		for _, x := range out {
			if slices.EqualFunc(x.indices, indices, func(i, j *expr.Index) bool { return i.Range == j.Range }) {
				each := o.each
				for n, i := range o.indices {
					each = c.Subst(each, i, expr.Sub{Index: x.indices[n]})
				}
				if seesWith(x.each, each, latents) {
					o = &observation{x.indices, c.Add(x.each, each)}
					continue
				}
			}
			kept = append(kept, x)
		}
		out = append(kept, o)
	}
	collect(p.written(l), c.Number(1), nil)
	if !ok {
		return nil
	}
	return out
}

// written writes definitions out, but for what vectors are by a prior of the whole: the elements that are seen are theirs.
func (p *Posterior) written(l *expr.Expr) *expr.Expr {
	c := p.C
	to, from := map[*expr.Tensor]*expr.Tensor{}, map[*expr.Tensor]*expr.Tensor{}
	for _, b := range p.Params {
		for _, x := range b.plain {
			if x.Def != nil {
				u := c.NewTensor(expr.Tensor{Name: "u", Kind: expr.LocalTensor, Stage: expr.StagePosition, Shape: x.Shape})
				to[x], from[u] = u, x
			}
		}
	}
	put := func(by map[*expr.Tensor]*expr.Tensor) func(r *expr.Expr) *expr.Expr {
		return func(r *expr.Expr) *expr.Expr {
			if t := by[r.Tensor]; t != nil {
				return c.Ref(t, r.Subs...)
			}
			return r
		}
	}
	return c.Substituted(c.Inlined(c.Substituted(l, put(to))), put(from)) // also in definitions that are too large to be written out
}

// branches are the terms of what a condition on data chooses, each below that condition, and of sums each summand: a likelihood that a datum switches off is one of many observations. It is nil if it
// is nothing of the kind.
func (p *Posterior) branches(e *expr.Expr, latents []*latent) (out []*expr.Expr) {
	c := p.C
	if e.Op != expr.Call || e.Func.Name != "select" || mentionsAny(e.Args[0], latents) {
		return nil
	}
	opens := false
	for k, a := range e.Args[1:] {
		chosen := func(x *expr.Expr) *expr.Expr {
			branch := []*expr.Expr{c.Number(0), c.Number(0)}
			branch[k] = x
			return c.Call("select", e.Args[0], branch[0], branch[1])
		}
		terms, factors := []*expr.Expr{a}, []float64{1}
		if a.Op == expr.Add {
			opens, terms, factors = true, a.Args, a.K
		}
		for n, t := range terms {
			if t.Op == expr.Sum {
				opens = true
				out = append(out, c.Sum(t.Index, chosen(c.Scale(factors[n], t.Args[0]))))
			} else {
				out = append(out, chosen(c.Scale(factors[n], t)))
			}
		}
	}
	if !opens {
		return nil
	}
	return out
}

// seesWith reports whether two expressions depend on an element of a latent vector that is the same.
func seesWith(a, b *expr.Expr, latents []*latent) bool {
	var of []*expr.Expr
	list := func(e *expr.Expr, f func(r *expr.Expr)) {
		expr.Refs(e, func(r *expr.Expr) {
			if slices.ContainsFunc(latents, func(v *latent) bool { return expr.Mentions(r, v.values()) }) {
				f(r)
			}
		})
	}
	list(a, func(r *expr.Expr) { of = append(of, r) })
	found := false
	list(b, func(r *expr.Expr) { found = found || slices.Contains(of, r) })
	return found
}

// observed finds the predictors of an observation that depends on elements x_k of latent vectors, those of which seen is true, whose derivatives are multiples of one another, ∂L/∂x_k
// = a_k s: it is a function of η = Σ a_k x_k. The information is the observed one, |∂s/∂η| at the reference. The score follows the scalars among the
// other parameters by its own derivatives there. Where a few elements are seen each in its own way, as the utilities of several choices, each is a predictor given the others. With whole the x_k are
// arguments of functions, where these have multipliers of parameters. It is nil where there is none.
func (p *Posterior) observed(o *observation, seen func(values *expr.Tensor) bool, apart, whole bool) []*predictor {
	c := p.C
	each, elements, stand, free := p.elementsOf(o, seen)
	if each == nil || !free {
		return nil
	}
	if whole {
		each = p.byArguments(each, elements, stand)
	}
	var s, second, eta *expr.Expr
	for n := 0; n < len(stand) && eta == nil && !apart; n++ { // of which the others are multiples, without division by what may be 0
		s = c.Diff(each, stand[n].Tensor)
		second = c.Diff(s, stand[n].Tensor)
		if !known(s) || !known(second) {
			return nil
		}
		if second.IsNum(0) {
			continue // it is linear in this one, and may be a product of several
		}
		eta = p.multiples(each, s, second, stand, elements)
	}
	back := replacing(stand, elements) // also where a derivative is large, and parts of it are definitions
	at := func(eta, s, information *expr.Expr) *predictor {
		return &predictor{indices: o.indices, eta: eta, weight: p.atReference(c.Substituted(information, back)), score: p.following(c.Substituted(s, back))}
	}
	if eta != nil {
		return []*predictor{at(eta, s, c.Call("abs", second))}
	}
	if len(elements) > MostVectors {
		return nil
	}
	var out []*predictor
	for k, u := range stand {
		s := c.Diff(each, u.Tensor)
		second := c.Diff(s, u.Tensor)
		if !known(s) || !known(second) {
			return nil
		}
		x := at(elements[k], s, c.Call("abs", second))
		x.weight = c.Atom(x.weight)
		out = append(out, x)
	}
	return out
}

// elementsOf are the elements x_k of latent vectors that an observation sees, with a variable for each, and the observation with these in their place: nil where it sees none, or one behind a
// definition. They are free where their indices are those of the observation.
func (p *Posterior) elementsOf(o *observation, seen func(values *expr.Tensor) bool) (each *expr.Expr, elements, stand []*expr.Expr, free bool) {
	c := p.C
	free = true
	expr.Refs(o.each, func(r *expr.Expr) {
		if seen(r.Tensor) && !slices.Contains(elements, r) {
			u := c.NewTensor(expr.Tensor{Name: "u", Kind: expr.LocalTensor, Stage: expr.StagePosition})
			elements, stand = append(elements, r), append(stand, c.Ref(u))
			for _, i := range r.Free() {
				free = free && slices.Contains(o.indices, i)
			}
		}
	})
	each = c.Replace(o.each, replacing(elements, stand))
	hidden := false
	expr.Refs(each, func(r *expr.Expr) {
		for _, b := range p.Params {
			hidden = hidden || slices.ContainsFunc(b.plain, func(t *expr.Tensor) bool { return seen(t) && expr.Mentions(r, t) })
		}
	})
	if len(elements) == 0 || hidden {
		return nil, nil, nil, false
	}
	return each, elements, stand, free
}

// replacing puts references of one list in the place of those of another.
func replacing(from, to []*expr.Expr) func(r *expr.Expr) *expr.Expr {
	return func(r *expr.Expr) *expr.Expr {
		if n := slices.Index(from, r); n >= 0 {
			return to[n]
		}
		return r
	}
}

// byArguments writes an observation by the arguments m + k u of its functions that variables u are a part of, which take their places, and those of elements. What is seen then is such a number as a
// whole: what is said of u alone would be as wide as k is at the reference. With several variables it is k u of each, since the others may be a part of m.
func (p *Posterior) byArguments(each *expr.Expr, elements, stand []*expr.Expr) *expr.Expr {
	c := p.C
	each = c.Inlined(each)
	for n, u := range stand {
		a, k := p.argument(each, u, stand)
		if k == nil {
			continue
		}
		one := c.Mul(k, u)
		offset := c.Sub(a, one)
		if len(stand) > 1 {
			a, offset = one, c.Number(0)
		}
		own := stand[n : n+1]
		element := c.Replace(a, replacing(own, elements[n:n+1]))
		each, elements[n] = c.Inlined(c.Replace(each, replacing(own, []*expr.Expr{c.Div(c.Sub(u, offset), k)}))), element
	}
	return each
}

// argument is the first m + k u that is an argument of a function by which an observation sees a variable u, one of others, with a positive number k of parameters. It is nil where there is none.
func (p *Posterior) argument(each, u *expr.Expr, others []*expr.Expr) (a, k *expr.Expr) {
	c := p.C
	seen := map[*expr.Expr]bool{}
	var look func(e *expr.Expr)
	look = func(e *expr.Expr) {
		if seen[e] || k != nil || !expr.Mentions(e, u.Tensor) {
			return
		}
		seen[e] = true
		for _, x := range e.Args {
			if e.Op == expr.Call && expr.Mentions(x, u.Tensor) {
				d := c.Diff(x, u.Tensor)
				if minus := c.Neg(d); c.Sign(minus) == expr.Positive {
					x, d = c.Neg(x), minus
				}
				if d.Stage() >= expr.StagePosition && c.Sign(d) == expr.Positive && !slices.ContainsFunc(others, func(o *expr.Expr) bool { return expr.Mentions(d, o.Tensor) }) {
					a, k = x, d
					return
				}
			}
			look(x)
		}
	}
	look(each)
	return a, k
}

// following is an expression at the reference, which follows the scalars by its derivatives there.
func (p *Posterior) following(e *expr.Expr) *expr.Expr {
	c := p.C
	out := p.atReference(e)
	for n, b := range p.Params {
		if b.Scalar() {
			coord := b.Coord
			if b.Latent() {
				coord = b.plain[0]
			}
			if d := c.Diff(e, coord); known(d) {
				out = c.Add(out, c.Mul(p.atReference(d), c.Sub(c.Ref(coord), c.Ref(p.Reference[n].Coord))))
			}
		}
	}
	return out
}

// entangled reports whether an expression depends on parameters and on indices in a way that no factor of a sum over the indices
// can be taken out of it: each gradient would compute it for each observation.
func entangled(e *expr.Expr, indices []*expr.Index) bool {
	if !mixed(e, indices) {
		return false
	}
	if e.Op != expr.Add && e.Op != expr.Mul {
		return true
	}
	for n, a := range e.Args {
		if power := e.Op == expr.Mul && e.K[n] != 1; entangled(a, indices) || power && a.Op == expr.Add && mixed(a, indices) {
			return true
		}
	}
	return false
}

// multiples is Σ a_k x_k with ∂L/∂u_k = a_k s, nil where a_k is not known to be the same for all u. The ratio is that of second derivatives,
// which are products more often, and it is proved of the first.
func (p *Posterior) multiples(each, s, second *expr.Expr, stand, elements []*expr.Expr) (eta *expr.Expr) {
	c := p.C
	eta = c.Number(0)
	for k, u := range stand {
		d := c.Diff(each, u.Tensor)
		a := c.Number(1)
		if d != s {
			a = c.Div(c.Diff(s, u.Tensor), second)
		}
		if slices.ContainsFunc(stand, func(u *expr.Expr) bool { return expr.Mentions(a, u.Tensor) }) || p.divides(a) || !c.Equal(d, c.Mul(a, s)) {
			return nil
		}
		eta = c.Add(eta, c.Mul(a, elements[k]))
	}
	return eta
}

// divides reports whether an expression divides by what may be 0.
func (p *Posterior) divides(e *expr.Expr) bool {
	for n, a := range e.Args {
		if e.Op == expr.Mul && e.K[n] < 0 && p.C.Sign(a) != expr.Positive || p.divides(a) {
			return true
		}
	}
	return false
}

// linear reports whether an expression is linear in latent vectors, and depends on one.
func (p *Posterior) linear(e *expr.Expr, latents []*latent) bool {
	depends := false
	for _, v := range latents {
		d := p.C.Diff(e, v.values(), expr.SubsOf(v.js)...)
		depends = depends || !d.IsNum(0)
		if mentionsAny(d, latents) || !known(d) {
			return false
		}
	}
	return depends
}

// known reports whether a derivative is: those of some operators are not.
func known(e *expr.Expr) bool {
	ok := true
	expr.Refs(e, func(r *expr.Expr) { ok = ok && r.Tensor.Kind != expr.WildTensor })
	return ok
}

// mixed reports whether an expression depends on parameters and on indices.
func mixed(e *expr.Expr, indices []*expr.Index) bool {
	return expr.DependsOnCoords(e) && slices.ContainsFunc(e.Free(), func(i *expr.Index) bool { return slices.Contains(indices, i) })
}
