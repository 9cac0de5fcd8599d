package model

import (
	"slices"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// reference makes the point of reference: all parameters, of latent vectors the values.
func (p *Posterior) reference() {
	for n, b := range p.Params {
		p.Reference = append(p.Reference, &Param{Decl: b.Decl, Transform: TransformOf(b.Decl), Lo: b.Lo, Hi: b.Hi, c: p.C,
			Coord: p.C.NewTensor(expr.Tensor{Name: b.Decl.Name + "_ref", Kind: expr.GivenTensor, Shape: b.Coord.Shape, Stage: expr.StageGiven, Row: n})})
	}
}

// atReference is an expression of the coordinates at the point of reference.
func (p *Posterior) atReference(e *expr.Expr) *expr.Expr {
	by := map[*expr.Tensor]*expr.Tensor{}
	for n, b := range p.Params {
		by[b.Coord] = p.Reference[n].Coord
		if b.latent {
			by[b.values] = p.Reference[n].Coord
		}
	}
	return p.C.Substituted(e, func(r *expr.Expr) *expr.Expr {
		if t := by[r.Tensor]; t != nil {
			return p.C.Ref(t, r.Subs...)
		}
		return r
	})
}

// referenceOf is the element of a latent vector at the point of reference.
func (p *Posterior) referenceOf(v *latent, at expr.Sub) *expr.Expr {
	return p.C.Ref(p.Reference[slices.Index(p.Params, v.b)].Coord, at)
}

// latentsAtReference is an expression where latent vectors are at the point of reference.
func (p *Posterior) latentsAtReference(e *expr.Expr, latents []*latent) *expr.Expr {
	return p.C.Substituted(e, func(r *expr.Expr) *expr.Expr {
		for _, v := range latents {
			if r.Tensor == v.values() {
				return p.referenceOf(v, r.Subs[0])
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

// predictor is the one argument by which a term sees latent vectors, on a scale on which it is linear in them if there is one. One that is
// not stands for its tangent at the reference.
type predictor struct {
	term   *PosteriorTerm
	eta    *expr.Expr // at the term's indices
	weight *expr.Expr // the expected information about it, where it is at the reference
	score  *expr.Expr // the derivative of the log density by it there
	bent   bool       // eta is not linear
}

// slope is the derivative of the predictor by the element of a latent vector at an index.
func (x *predictor) slope(p *Posterior, v *latent, at *expr.Index) *expr.Expr {
	d := p.C.Diff(x.eta, v.values(), expr.Sub{Index: at})
	if x.bent {
		return p.atReference(d)
	}
	return d
}

// gap is by how much the predictor at the reference is above what it is where latent vectors are 0, or where its tangent is that has
// the slope of the reference and touches it there, at the other parameters as they are.
func (x *predictor) gap(p *Posterior, latents []*latent) *expr.Expr {
	c := p.C
	gap := p.atReference(x.eta)
	if !x.bent {
		return c.Sub(gap, p.without(x.eta, latents))
	}
	gap = c.Sub(gap, p.latentsAtReference(x.eta, latents))
	for _, v := range latents {
		gap = c.Add(gap, c.Sum(v.i, c.Mul(x.slope(p, v, v.i), p.referenceOf(v, expr.Sub{Index: v.i}))))
	}
	return gap
}

// links are the scales on which an argument of a distribution may be linear, with the derivative of the argument by its value
// there: its own, that of its logarithm, and last what a function that it is the value of is applied to, as in inv_logit(η).
var links = []func(c *expr.Context, arg *expr.Expr) (eta, slope *expr.Expr){
	func(c *expr.Context, arg *expr.Expr) (eta, slope *expr.Expr) { return arg, c.Number(1) },
	func(c *expr.Context, arg *expr.Expr) (eta, slope *expr.Expr) {
		if c.Sign(arg) != expr.Positive {
			return nil, nil
		}
		return c.Call("log", arg), arg
	},
	func(c *expr.Context, arg *expr.Expr) (eta, slope *expr.Expr) {
		if arg.Op != expr.Call || len(arg.Args) != 1 {
			return nil, nil
		}
		return arg.Args[0], c.Partial(arg, 0)
	},
}

// predictorOf finds the predictor of a term, nil if there is none.
func (p *Posterior) predictorOf(term *PosteriorTerm, latents []*latent) *predictor {
	c, dist := p.C, term.Term.Dist
	if dist == nil || dist.Support.Vector() || mentionsAny(term.Left.At(), latents) {
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
	eta, slope, bent := p.scaleOf(arg, latents)
	if eta == nil {
		return nil
	}
	ref := p.atReference(arg)
	slope = p.atReference(slope)
	args := slices.Clone(term.Args)
	args[at] = expr.Scalar(ref)
	weight := c.FormulaValue(dist, dist.Fisher[at][at], term.Left, args).At()
	// The score is that of the formula, by a variable that the reference replaces.
	u := c.NewTensor(expr.Tensor{Name: "u", Kind: expr.LocalTensor, Stage: expr.StagePosition})
	args[at] = expr.Scalar(c.Ref(u))
	score := c.Substituted(c.Diff(c.FormulaValue(dist, dist.LogDensity, term.Left, args).At(), u), func(r *expr.Expr) *expr.Expr {
		if r.Tensor == u {
			return ref
		}
		return r
	})
	if bent {
		weight, score = p.atReference(weight), p.atReference(score)
	}
	return &predictor{term: term, eta: eta, weight: c.Mul(weight, c.Pow(slope, 2)), score: c.Mul(score, slope), bent: bent}
}

// scaleOf is the scale on which an argument of a distribution is linear in latent vectors, with the derivative of the argument by its
// value there. Where none is, it is that of which the tangent is taken; nil where derivatives are not known.
func (p *Posterior) scaleOf(arg *expr.Expr, latents []*latent) (eta, slope *expr.Expr, bent bool) {
	for _, link := range links {
		if eta, slope = link(p.C, arg); eta != nil && p.linear(eta, latents) {
			return eta, slope, false
		}
	}
	if eta == nil {
		eta, slope = arg, p.C.Number(1)
	}
	for _, v := range latents {
		if !known(p.C.Diff(eta, v.values(), expr.Sub{Index: v.j})) {
			return nil, nil, false
		}
	}
	return eta, slope, true
}

// linear reports whether an expression is linear in latent vectors, and depends on one.
func (p *Posterior) linear(e *expr.Expr, latents []*latent) bool {
	depends := false
	for _, v := range latents {
		d := p.C.Diff(e, v.values(), expr.Sub{Index: v.j})
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

// gaussian is a normal density of latent vectors by its precision and what it says of the mean: G[k][l] at the elements i of
// vector k and j of vector l, r[k] at i.
type gaussian struct {
	v         []*latent
	g         [][]*expr.Expr
	r         []*expr.Expr
	used      []*PosteriorTerm // that it is made of
	predicted []*PosteriorTerm // those of them that a reference stands for
	bent      bool             // tangents are among them
}

// locations are the distributions on the real line that a normal one with the same location stands for, with the number of the
// argument that is the location.
var locations = map[string]int{"normal": 0, "student_t": 1, "cauchy": 0}

// gaussianOf is that of the terms of the density, nil if the prior of a vector is none of locations.
func (p *Posterior) gaussianOf(latents []*latent) *gaussian {
	c := p.C
	quadratic := c.Number(0)
	m := &gaussian{v: latents}
	var priors, others []*PosteriorTerm
	var predictors []*predictor
	for _, t := range p.Terms {
		switch {
		case !mentionsAny(t.L, latents):
		case t.Term.Dist != nil && p.quadratic(t, latents):
			quadratic = c.Add(quadratic, p.normalFor(t))
			m.used = append(m.used, t)
			if mentionsAny(t.Left.At(), latents) {
				priors = append(priors, t)
			}
		default:
			if x := p.predictorOf(t, latents); x != nil {
				predictors, m.bent = append(predictors, x), m.bent || x.bent
			} else if p.separate(t, latents) {
				others = append(others, t)
			} else {
				continue
			}
			m.used, m.predicted = append(m.used, t), append(m.predicted, t)
		}
	}
	if !p.proper(priors, latents) {
		return nil
	}
	for _, v := range latents {
		first := c.Diff(quadratic, v.values(), expr.Sub{Index: v.i})
		r := p.without(first, latents)
		for _, x := range predictors {
			r = c.Add(r, c.SumAll(x.term.Indices, c.Mul(x.slope(p, v, v.i), c.Add(c.Mul(x.weight, x.gap(p, latents)), x.score))))
		}
		for _, t := range others {
			r = c.Add(r, p.scoreOf(t, v), c.Mul(p.curvature(t, v), p.referenceOf(v, expr.Sub{Index: v.i})))
		}
		m.r = append(m.r, r)
		var row []*expr.Expr
		for _, w := range latents {
			g := c.Neg(c.Diff(first, w.values(), expr.Sub{Index: w.j}))
			for _, x := range predictors {
				g = c.Add(g, c.SumAll(x.term.Indices, c.Mul(x.slope(p, v, v.i), x.weight, x.slope(p, w, w.j))))
			}
			if v == w {
				for _, t := range others {
					g = c.Add(g, c.Mul(p.curvature(t, v), c.Delta(expr.Sub{Index: v.i}, expr.Sub{Index: v.j})))
				}
			}
			row = append(row, g)
		}
		m.g = append(m.g, row)
	}
	return m
}

// separate reports whether a term that has no predictor sees the elements of each latent vector apart: its second
// derivatives by the vector are a diagonal, and known.
func (p *Posterior) separate(t *PosteriorTerm, latents []*latent) bool {
	c := p.C
	for _, v := range latents {
		if !mentionsAny(t.L, []*latent{v}) {
			continue
		}
		second := c.Diff(c.Diff(t.L, v.values(), expr.Sub{Index: v.i}), v.values(), expr.Sub{Index: v.j})
		n := v.i.Range.Hi
		bands, ok := c.Diagonals(expr.Value{Shape: []dsl.Extent{n, n}, Elem: func(s ...expr.Sub) *expr.Expr {
			return c.SubstAll(second, []*expr.Index{v.i, v.j}, s)
		}})
		if !known(second) || !ok || len(bands) > 1 {
			return false
		}
	}
	return true
}

// curvature is |∂²L/∂x_i²| of a term at the reference: the observed information, where it is positive.
func (p *Posterior) curvature(t *PosteriorTerm, v *latent) *expr.Expr {
	c := p.C
	second := c.Diff(c.Diff(t.L, v.values(), expr.Sub{Index: v.i}), v.values(), expr.Sub{Index: v.j})
	return c.Atom(c.Pow(c.Pow(p.atReference(c.Subst(second, v.j, expr.Sub{Index: v.i})), 2), 0.5))
}

// scoreOf is ∂L/∂x_i of a term at the reference, which follows the scalars among the other parameters by its own derivatives there.
func (p *Posterior) scoreOf(t *PosteriorTerm, v *latent) *expr.Expr {
	c := p.C
	first := c.Diff(t.L, v.values(), expr.Sub{Index: v.i})
	score := p.atReference(first)
	for n, b := range p.Params {
		if b.Scalar() {
			if d := c.Diff(first, b.Coord); known(d) {
				score = c.Add(score, c.Mul(c.Atom(p.atReference(d)), c.Sub(c.Ref(b.Coord), c.Ref(p.Reference[n].Coord))))
			}
		}
	}
	return score
}

// quadratic reports whether the log density of a term is quadratic in the latent vectors, or is that of a prior of theirs for
// which one stands that is.
func (p *Posterior) quadratic(t *PosteriorTerm, latents []*latent) bool {
	location, ok := locations[t.Term.Dist.Name]
	left := t.Left.At()
	if !ok || t.Term.Dist.Name != "normal" && !mentionsAny(left, latents) {
		return false
	}
	for n, a := range t.Args {
		if x := a.At(); mentionsAny(x, latents) && (n != location || !p.linear(x, latents)) {
			return false
		}
	}
	return !mentionsAny(left, latents) || p.linear(left, latents)
}

// normalFor is the log density of the normal term that stands for a term, but for a constant: the term itself where that is normal, and else
// −½ I (y − μ)² with the expected information I of the location μ.
func (p *Posterior) normalFor(t *PosteriorTerm) *expr.Expr {
	if t.Term.Dist.Name == "normal" {
		return t.L
	}
	c, n := p.C, locations[t.Term.Dist.Name]
	gap := c.Sub(t.Left.At(), t.Args[n].At())
	information := c.FormulaValue(t.Term.Dist, t.Term.Dist.Fisher[n][n], t.Left, t.Args).At()
	return c.SumAll(t.Indices, c.Scale(-0.5, c.Mul(information, gap, gap)))
}

// proper reports whether terms of locations make a proper prior of latent vectors: each element is the left side of one, whose
// mean holds vectors of lower rank and earlier elements of its own only. The precision is then Bᵀ diag(1/σ²) B with a
// triangular B that has ones on its diagonal.
func (p *Posterior) proper(priors []*PosteriorTerm, latents []*latent) bool {
	below := map[*latent][]*latent{}
	for _, v := range latents {
		var covered []dsl.Range
		for _, t := range priors {
			left := t.Left.At()
			if left.Op != expr.Ref || left.Tensor != v.values() {
				continue
			}
			at := left.Subs[0]
			switch {
			case at.IsFixed():
				covered = append(covered, dsl.Range{Lo: at.At, Hi: at.At})
			case at.Index != nil && slices.Contains(t.Indices, at.Index):
				covered = append(covered, dsl.Range{Lo: at.Index.Range.Lo.Plus(at.Offset), Hi: at.Index.Range.Hi.Plus(at.Offset)})
			default:
				return false
			}
			ok := true
			expr.Refs(p.C.Inlined(t.Args[locations[t.Term.Dist.Name]].At()), func(r *expr.Expr) {
				for _, w := range latents {
					switch {
					case w != v && expr.Mentions(r, w.values()):
						below[v] = append(below[v], w)
					case w == v && r.Tensor == v.values():
						ok = ok && before(r.Subs[0], at)
					case w == v:
						ok = ok && !expr.Mentions(r, v.values())
					}
				}
			})
			if !ok {
				return false
			}
		}
		if !covers(covered, v.b.Decl.Type.Shape[0]) {
			return false
		}
	}
	return acyclic(latents, below)
}

// before reports whether a position is proved to lie before another.
func before(s, t expr.Sub) bool {
	if s.IsFixed() && t.IsFixed() {
		return s.At.Name == t.At.Name && s.At.Offset < t.At.Offset
	}
	return s.Index != nil && s.Index == t.Index && s.Offset < t.Offset
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
func acyclic(latents []*latent, below map[*latent][]*latent) bool {
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
