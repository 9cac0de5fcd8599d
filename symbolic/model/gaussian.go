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

// gaussian is a normal density of latent vectors by its precision and what it says of the mean: G[k][l] at the elements i of
// vector k and j of vector l, r[k] at i.
type gaussian struct {
	v         []*latent
	g         [][]*expr.Expr
	r         []*expr.Expr
	used      []*PosteriorTerm // that it is made of
	predicted []*PosteriorTerm // those of them that a reference stands for
	bent      bool             // tangents are among them

	exact      [][]*expr.Expr // what g is made of: that of normal terms,
	predictors []*predictor   // and these
}

// times is G_kl x, at element i of vector k, of a vector x by its elements. The elements that an observation sees are summed first: that takes time in
// proportion to the observations, as G_kl, of which each may be another element, does not.
func (m *gaussian) times(p *Posterior, k, l int, x func(at expr.Sub) *expr.Expr) *expr.Expr {
	c, v, w := p.C, m.v[k], m.v[l]
	at := x(expr.Sub{Index: w.j})
	product := c.Sum(w.j, c.Mul(m.exact[k][l], at))
	for _, s := range m.predictors {
		seen := c.Sum(w.j, c.Mul(s.slope(p, w, w.j), at))
		product = c.Add(product, c.SumAll(s.indices, c.Mul(s.slope(p, v, v.i), s.weight, seen)))
	}
	return product
}

// locations are the distributions on the real line that a normal one with the same location stands for, with the number of the
// argument that is the location.
var locations = map[string]int{"normal": 0, "student_t": 1, "cauchy": 0}

// gaussianOf is that of the terms of the density, nil if the prior of a vector is none of locations.
func (p *Posterior) gaussianOf(latents []*latent) *gaussian {
	c := p.C
	quadratic := c.Number(0)
	m := &gaussian{v: latents}
	var priors []*PosteriorTerm
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
			if found := p.predictorsOf(t, latents); found != nil {
				m.predictors = append(m.predictors, found...)
				m.used, m.predicted = append(m.used, t), append(m.predicted, t)
			}
		}
	}
	if !p.proper(priors, latents) {
		return nil
	}
	for _, x := range m.predictors {
		m.bent = m.bent || x.bent
	}
	for _, v := range latents {
		first := c.Diff(quadratic, v.values(), expr.Sub{Index: v.i})
		r := p.without(first, latents)
		for _, x := range m.predictors {
			r = c.Add(r, c.SumAll(x.indices, c.Mul(x.slope(p, v, v.i), c.Add(c.Mul(x.weight, x.gap(p, latents)), x.score))))
		}
		m.r = append(m.r, r)
		var row, exact []*expr.Expr
		for _, w := range latents {
			g := c.Neg(c.Diff(first, w.values(), expr.Sub{Index: w.j}))
			exact = append(exact, g)
			for _, x := range m.predictors {
				g = c.Add(g, c.SumAll(x.indices, c.Mul(x.slope(p, v, v.i), x.weight, x.slope(p, w, w.j))))
			}
			row = append(row, g)
		}
		m.g, m.exact = append(m.g, row), append(m.exact, exact)
	}
	return m
}

// quadratic reports whether the log density of a term is quadratic in the latent vectors, or is that of a prior of theirs for
// which one stands that is.
func (p *Posterior) quadratic(t *PosteriorTerm, latents []*latent) bool {
	location, ok := locations[t.Term.Dist.Name]
	if !ok {
		return false // of a distribution of vectors the left side is no number
	}
	left := t.Left.At()
	if t.Term.Dist.Name != "normal" && !mentionsAny(left, latents) {
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
