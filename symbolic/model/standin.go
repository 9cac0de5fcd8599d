package model

import (
	"slices"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// standIn is the normal density that stands for the prior of elements of a latent vector: of u, which is the left side
// on the real line, it has the center and the precision. Of a normal prior, and of a lognormal one about log x, it is the prior itself.
type standIn struct {
	u, center, precision *expr.Expr
	indices              []*expr.Index // that it is at
}

// normalPrior is the normal density of elements of latent vectors that stands for the term of which they are the left side.
type normalPrior struct {
	each       []*standIn
	logDensity *expr.Expr // but for a constant
	scaled     bool       // its precision depends on parameters
	bent       bool       // tangents are in it
}

// normalPrior finds that of a term, nil where none is known.
func (p *Posterior) normalPrior(t *PosteriorTerm, latents []*latent) *normalPrior {
	if t.Term.Dist == nil || !mentionsAny(t.L, latents) || !p.leftMentions(t, latents) {
		return nil
	}
	if t.standard != nil {
		return p.standardPrior(t.standard)
	}
	if t.Term.Dist.Whole() {
		return p.jointPrior(t, latents)
	}
	c := p.C
	out := &normalPrior{logDensity: c.Number(0)}
	for _, t := range p.apart(t) {
		if !p.leftMentions(t, latents) {
			if slices.ContainsFunc(t.Args, func(a expr.Value) bool { return mentionsAny(a.At(), latents) }) {
				return nil // the prior of another column
			}
			continue
		}
		s := p.nearNormal(t, latents)
		if s == nil || mentionsAny(s.precision, latents) {
			return nil
		}
		s.indices = t.Indices
		s = p.free(s)
		mean := s.center
		if mentionsAny(mean, latents) && !p.linear(mean, latents) {
			if mean = p.tangent(mean, latents); mean == nil {
				return nil
			}
			out.bent = true
		}
		out.each = append(out.each, s)
		gap := c.Sub(s.u, mean)
		out.logDensity = c.Add(out.logDensity, c.SumAll(s.indices, c.Scale(-0.5, c.Mul(s.precision, gap, gap))))
		out.scaled = out.scaled || s.precision.Stage() >= expr.StagePosition
	}
	return out
}

// free is what stands for the prior of numbers that sum to 0, of the coordinates that they are made of by an orthonormal basis: independent too, with the same
// precision and the center 0. It is s where that is about something else.
func (p *Posterior) free(s *standIn) *standIn {
	if s.u.Op != expr.Ref {
		return s
	}
	at := slices.IndexFunc(p.Params, func(b *Param) bool { return b.Latent() && b.values == s.u.Tensor && b.Decl.Constraint == dsl.SumToZero })
	if at < 0 {
		return s
	}
	c, b, last := p.C, p.Params[at], len(s.u.Subs)-1
	k := s.u.Subs[last]
	n := slices.Index(s.indices, k.Index)
	if k.Index == nil || k.Offset != 0 || n < 0 || k.Index.Range != expr.UpTo(b.Decl.Type.Shape[last]) || s.precision.HasFree(k.Index) || s.center.HasFree(k.Index) {
		return s
	}
	i := c.NewIndex("i", expr.UpTo(b.Coord.Shape[last]))
	subs, indices := slices.Clone(s.u.Subs), slices.Clone(s.indices)
	subs[last], indices[n] = expr.Sub{Index: i}, i
	return &standIn{u: c.Ref(b.plain[0], subs...), center: c.Number(0), precision: s.precision, indices: indices}
}

// tangent is that of an expression at the point of reference of latent vectors, with the other parameters as they are: nil where a derivative is not known.
func (p *Posterior) tangent(e *expr.Expr, latents []*latent) *expr.Expr {
	c := p.C
	out := p.latentsAtReference(e, latents)
	for _, v := range latents {
		at := expr.SubsOf(v.is)
		d := c.Diff(e, v.values(), at...)
		if !known(d) {
			return nil
		}
		out = c.Add(out, c.SumAll(v.is, c.Mul(p.latentsAtReference(d, latents), c.Sub(c.Ref(v.values(), at...), p.referenceOf(v, at...)))))
	}
	return out
}

// apart writes a term whose left side is an element of a matrix of latent vectors as one term for each of them.
func (p *Posterior) apart(t *PosteriorTerm) []*PosteriorTerm {
	c, left := p.C, t.Left.At()
	for n, k := range t.Indices {
		if r := k.Range; !r.Lo.IsConst() || !r.Hi.IsConst() || r.Hi.Offset-r.Lo.Offset >= MostVectors || !expr.Search(left, expr.StageConst, func(e *expr.Expr) bool { return e.Op == expr.Delta && e.HasFree(k) }) {
			continue
		}
		var out []*PosteriorTerm
		for at := k.Range.Lo.Offset; at <= k.Range.Hi.Offset; at++ {
			put := func(v expr.Value) expr.Value {
				return expr.Scalar(c.Subst(v.At(), k, expr.Sub{At: dsl.Fixed(at)}))
			}
			part := *t
			part.Left, part.Args, part.Indices = put(t.Left), nil, slices.Delete(slices.Clone(t.Indices), n, n+1)
			for _, a := range t.Args {
				part.Args = append(part.Args, put(a))
			}
			out = append(out, p.apart(&part)...)
		}
		return out
	}
	return []*PosteriorTerm{t}
}

// standardPrior is that of vectors u ~ N(0, 1). What depends on it is on the scale of other parameters.
func (p *Posterior) standardPrior(s *standard) *normalPrior {
	c := p.C
	out := &normalPrior{logDensity: c.Number(0), scaled: s.moves}
	for n, v := range s.vectors {
		u := c.Ref(s.u[n], expr.SubsOf(v.is)...)
		out.each = append(out.each, &standIn{u: u, center: c.Number(0), precision: c.Number(1), indices: v.is})
		out.logDensity = c.Add(out.logDensity, c.Scale(-0.5, c.SumAll(v.is, c.Pow(u, 2))))
	}
	return out
}

// jointly reports whether a distribution is that of a vector that is normal as a whole.
func jointly(d *dsl.Distribution) bool {
	return slices.Contains([]string{"multi_normal", "multi_normal_prec", "multi_normal_cholesky"}, d.Name)
}

// jointPrior is the density of a row of elements of latent vectors, or of such a vector as a whole, that is a normal one as a whole.
func (p *Posterior) jointPrior(t *PosteriorTerm, latents []*latent) *normalPrior {
	c := p.C
	if !jointly(t.Term.Dist) {
		return nil
	}
	n, mean, precision := t.Left.Shape[0], t.Args[0], p.vectorPrecision(t, true)
	out := &normalPrior{}
	add := func(indices []*expr.Index, at expr.Sub) bool {
		s := &standIn{u: t.Left.At(at), center: mean.At(at), indices: indices}
		out.each = append(out.each, s)
		return !mentionsAny(s.center, latents) || p.linear(s.center, latents)
	}
	if !n.IsConst() || n.Offset > MostVectors {
		i := c.NewIndex("i", expr.UpTo(n))
		if !add(append(slices.Clone(t.Indices), i), expr.Sub{Index: i}) {
			return nil
		}
	} else {
		for k := range n.Offset {
			if !add(t.Indices, expr.Sub{At: dsl.Fixed(k + 1)}) {
				return nil
			}
		}
	}
	var known bool
	out.logDensity, out.scaled, known = p.quadraticForm(t, func(a, b expr.Sub) *expr.Expr { return precision.At(a, b) }, latents)
	if !known {
		return nil
	}
	return out
}

// jointObservation is the log density of observed vectors that are normal as a whole, as far as it depends on their means: nil where these are not linear in latent vectors, or the precision
// depends on such. That is frozen at the reference where it is made of vectors that are not known before.
func (p *Posterior) jointObservation(t *PosteriorTerm, latents []*latent, as view) (logDensity *expr.Expr, frozen bool) {
	if p.Maps == SmallMaps || as.apart || t.Term.Dist == nil || !jointly(t.Term.Dist) || p.leftMentions(t, latents) {
		return nil, false
	}
	n, mean := t.Left.Shape[0], t.Args[0]
	if !n.IsConst() || n.Offset > MostVectors {
		return nil, false
	}
	for k := range n.Offset {
		if e := mean.At(expr.Sub{At: dsl.Fixed(k + 1)}); mentionsAny(e, latents) && !p.linear(e, latents) {
			return nil, false
		}
	}
	p.Joint = true
	precision := p.vectorPrecision(t, true)
	l, _, known := p.quadraticForm(t, func(a, b expr.Sub) *expr.Expr {
		w := precision.At(a, b)
		if mentionsAny(w, as.unknown) {
			w, frozen = p.atReference(w), true
		}
		return w
	}, latents)
	if !known {
		return nil, false
	}
	return l, frozen
}

// scalingMeans reports scaling of one of the means of an observed vector.
func (p *Posterior) scalingMeans(t *PosteriorTerm, latents []*latent) bool {
	for k := range t.Left.Shape[0].Offset {
		if p.scaling(t.Args[0].At(expr.Sub{At: dsl.Fixed(k + 1)}), latents) {
			return true
		}
	}
	return false
}

// quadraticForm is −½ (x − μ)ᵀ W (x − μ) of the left sides x of a term with the means μ, where W is their precision: whether that depends on parameters, and that no latent vector is in it.
func (p *Posterior) quadraticForm(t *PosteriorTerm, precision func(a, b expr.Sub) *expr.Expr, latents []*latent) (form *expr.Expr, scaled, known bool) {
	c, n, mean := p.C, t.Left.Shape[0], t.Args[0]
	form, known = c.Number(0), true
	add := func(indices []*expr.Index, a, b expr.Sub) {
		w := precision(a, b)
		scaled, known = scaled || w.Stage() >= expr.StagePosition, known && !mentionsAny(w, latents)
		gap := func(at expr.Sub) *expr.Expr { return c.Sub(t.Left.At(at), mean.At(at)) }
		form = c.Add(form, c.SumAll(indices, c.Scale(-0.5, c.Mul(w, gap(a), gap(b)))))
	}
	if !n.IsConst() || n.Offset > MostVectors {
		i, j := c.NewIndex("i", expr.UpTo(n)), c.NewIndex("j", expr.UpTo(n))
		add(append(slices.Clone(t.Indices), i, j), expr.Sub{Index: i}, expr.Sub{Index: j})
		return form, scaled, known
	}
	for k := range n.Offset {
		for l := range n.Offset {
			add(t.Indices, expr.Sub{At: dsl.Fixed(k + 1)}, expr.Sub{At: dsl.Fixed(l + 1)})
		}
	}
	return form, scaled, known
}

// nearNormal is what stands for each element where the left side is on its scale linear in latent vectors, and what they are in the rest is not asked.
func (p *Posterior) nearNormal(t *PosteriorTerm, latents []*latent) *standIn {
	c, dist, left := p.C, t.Term.Dist, t.Left.At()
	formula := func(text string) *expr.Expr { return c.FormulaValue(dist, text, t.Left, t.Args).At() }
	if u := onRealLine(c, dsl.Positive, left); dist.Support == dsl.RealLine && u != nil && p.linear(u, latents) && dist.Half != nil && t.centred() {
		return &standIn{u: u, center: formula(dist.Half.Mode), precision: formula(dist.Half.Curvature)}
	}
	if dist.Center == "" {
		return nil
	}
	center, precision := formula(dist.Center), formula(dist.Joint[0][0])
	u := onRealLine(c, dist.Support, left)
	if u == nil || u.Op != expr.Ref {
		if s := p.bounded(left, dist.Support, center, precision, latents); s != nil {
			return s
		}
	}
	if u == nil || !p.linear(u, latents) {
		return nil
	}
	return &standIn{u: u, center: center, precision: precision}
}

// centred reports whether the distribution of a term on the real line is about 0.
func (t *PosteriorTerm) centred() bool {
	return len(t.Args) == 0 || t.Args[len(t.Args)-2].At().IsNum(0)
}

// onRealLine is a value x on the real line, by where values are: x, log x or logit x; nil where it is not known to be there.
func onRealLine(c *expr.Context, support dsl.Domain, x *expr.Expr) *expr.Expr {
	switch {
	case support == dsl.RealLine:
		return x
	case support == dsl.Positive && c.Sign(x) == expr.Positive:
		return c.Call("log", x)
	case support == dsl.UnitOpen && x.Op == expr.Call && x.Func.Name == "inv_logit":
		return x.Args[0]
	}
	return nil
}
