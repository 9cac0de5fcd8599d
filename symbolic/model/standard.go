package model

import (
	"math"
	"slices"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// standard is the normal prior of latent vectors as a whole, x = m + C u with u ~ N(0, I). The map is then one of u, whose precision I + Cᵀ W C is as
// well conditioned where correlations are near 1, and C⁻¹ is large, as elsewhere. The vectors are the columns of a matrix each of whose rows has the
// prior, with the same C, or there is one, and it is the prior of that, or of each vector of an array.
type standard struct {
	vectors []*latent
	u       []*expr.Tensor
	stand   []*expr.Tensor                      // variables in the place of the vectors
	mean    func(n int, at expr.Sub) *expr.Expr // of element at of the n-th vector
	factor  expr.Value                          // C
	times   *expr.Expr                          // a number that depends on the other parameters, so that C is that times a matrix
	matrix  expr.Value                          // which is known before sampling; else the number is 1, and the matrix C
	moves   bool                                // x given u depends on the other parameters
}

// scale is an element of C.
func (s *standard) scale(c *expr.Context) *expr.Expr {
	_, at := expr.IndicesOver(c, "i", s.factor.Shape)
	return s.factor.At(at...)
}

// rows reports whether the prior is that of rows.
func (s *standard) rows() bool { return len(s.vectors) > 1 }

// standardise looks for such a prior of latent vectors. If there is one, they are defined by it, and the vectors u are in their place.
func (p *Posterior) standardise(unit []*latent) {
	c := p.C
	var t *PosteriorTerm
	for _, x := range p.Terms {
		if x.Term.Dist == nil || !p.leftMentions(x, unit) {
			continue
		}
		if t != nil || x.Term.Dist.Name != "multi_normal" && x.Term.Dist.Name != "multi_normal_cholesky" && !p.scaledPrecision(x) {
			return
		}
		t = x
	}
	if t == nil || !p.leftIs(t, unit) {
		return
	}
	s := &standard{vectors: unit, factor: t.Args[1]}
	switch t.Term.Dist.Name {
	case "multi_normal":
		s.factor = c.Cholesky(t.Args[1])
	case "multi_normal_prec":
		s.factor = c.Cholesky(c.Apply(expr.OperatorOf("inverse"), t.Args[1]))
	}
	if s.times, s.matrix = c.Scaled(s.factor); s.times == nil || s.rows() {
		s.times, s.matrix = c.Number(1), s.factor
	}
	s.mean = func(n int, at expr.Sub) *expr.Expr {
		if s.rows() {
			return c.Subst(t.Args[0].At(expr.Sub{At: dsl.Fixed(n + 1)}), t.Indices[0], at)
		}
		return c.SubstAll(t.Args[0].At(at), t.Indices, expr.SubsOf(unit[0].others()))
	}
	scale := s.scale(c)
	if mentionsAny(scale, unit) || slices.ContainsFunc(t.Indices, scale.HasFree) {
		return
	}
	s.moves = scale.Stage() >= expr.StagePosition
	for n, v := range unit {
		mean := s.mean(n, expr.Sub{Index: v.i})
		if mentionsAny(mean, unit) {
			return
		}
		s.moves = s.moves || mean.Stage() >= expr.StagePosition
	}
	logDensity := c.Number(0)
	for n, v := range unit {
		x := v.values()
		u := c.NewTensor(expr.Tensor{Name: x.Name + "_u", Kind: expr.CoordTensor, Shape: x.Shape, Stage: expr.StagePosition, Row: x.Row})
		s.u, v.standard = append(s.u, u), s
		s.stand = append(s.stand, c.NewTensor(expr.Tensor{Name: x.Name, Kind: expr.LocalTensor, Stage: expr.StagePosition, Shape: x.Shape}))
		body, formal := c.CloseAs(c.Add(s.mean(n, expr.Sub{Index: v.i}), s.spread(c, n, v)), v.is)
		x.Kind, x.Def = expr.SharedTensor, &expr.Def{Tensor: x, Indices: formal, Body: body}
		logDensity = c.Add(logDensity, c.SumAll(v.is, c.Sub(c.Scale(-0.5, c.Pow(c.Ref(u, expr.SubsOf(v.is)...), 2)), c.Number(0.5*math.Log(2*math.Pi)))))
	}
	if len(unit[0].is) > 1 {
		c.KeepOver(unit[0].is) // what observations see of an element is a product with C, which is made once
	}
	t.standard = s
	t.L = c.Sub(logDensity, s.logDet(c))
}

// scaledPrecision reports whether a term has a precision of data times a number that depends on parameters: its inverse is known but for that.
func (p *Posterior) scaledPrecision(t *PosteriorTerm) bool {
	if t.Term.Dist.Name != "multi_normal_prec" {
		return false
	}
	k, _ := p.C.Scaled(t.Args[1])
	return k != nil
}

// scales reports whether the factor of another latent vector depends on those of a unit, which have no map: it would not know of the others.
func (p *Posterior) scales(unit, latents []*latent) bool {
	return slices.ContainsFunc(latents, func(v *latent) bool {
		return v.standard != nil && mentionsAny(v.standard.scale(p.C), unit)
	})
}

// leftIs reports whether the left side of a term of wholes is the rows of a matrix, whose columns the vectors are, or the one vector there is.
func (p *Posterior) leftIs(t *PosteriorTerm, unit []*latent) bool {
	c, v := p.C, unit[0]
	if len(unit) == 1 {
		for d := range v.is { // which the vectors of an array may be along
			v.along(d)
			others := v.others()
			if len(t.Indices) != len(others) || t.Left.Shape[0] != v.size() || !slices.EqualFunc(t.Indices, others, func(i, j *expr.Index) bool { return i.Range == j.Range }) {
				continue
			}
			if c.SubstAll(t.Left.At(expr.Sub{Index: v.i}), t.Indices, expr.SubsOf(others)) == c.Ref(v.values(), expr.SubsOf(v.is)...) {
				return true
			}
		}
		return false
	}
	if len(t.Indices) != 1 || t.Indices[0].Range != v.i.Range || t.Left.Shape[0] != dsl.Fixed(len(unit)) {
		return false
	}
	for n, v := range unit {
		if t.Left.At(expr.Sub{At: dsl.Fixed(n + 1)}) != c.Ref(v.values(), expr.Sub{Index: t.Indices[0]}) {
			return false
		}
	}
	return true
}

// spread is element v.i of C u, of vector n.
func (s *standard) spread(c *expr.Context, n int, v *latent) *expr.Expr {
	if !s.rows() {
		i, j := expr.Sub{Index: v.i}, expr.Sub{Index: v.j}
		return c.Mul(s.times, c.Sum(v.j, c.Mul(c.Before(j, expr.ShiftSub(i, 1)), s.matrix.At(i, j), c.Ref(s.u[0], v.subs(j)...))))
	}
	sum := c.Number(0)
	for l := 0; l <= n; l++ {
		sum = c.Add(sum, c.Mul(s.at(n, l), c.Ref(s.u[l], expr.Sub{Index: v.i})))
	}
	return sum
}

// spreadBack is Cᵀe of a vector that is x = m + C u, of what e says of x at an index: sums over observations are made before, once for each reference. Of other
// vectors it is e.
func (p *Posterior) spreadBack(v *latent, e *expr.Expr, i *expr.Index) *expr.Expr {
	if !v.spread() {
		return e
	}
	return p.C.Mul(v.standard.times, p.spreadMatrix(v, e, i))
}

// spreadMatrix is spreadBack but for the number that C is a multiple by.
func (p *Posterior) spreadMatrix(v *latent, e *expr.Expr, i *expr.Index) *expr.Expr {
	c, s := p.C, v.standard
	if !v.spread() {
		return e
	}
	l := c.NewIndex("l", i.Range)
	from, to := expr.Sub{Index: l}, expr.Sub{Index: i}
	if !diagonalIn(e, i) {
		e = c.Atom(e)
	}
	return c.Sum(l, c.Mul(c.Before(to, expr.ShiftSub(from, 1)), s.matrix.At(from, to), c.Subst(e, i, from)))
}

// diagonalIn reports whether a matrix has a delta of one of its indices as a factor.
func diagonalIn(e *expr.Expr, i *expr.Index) bool {
	return e.Op == expr.Delta && e.HasFree(i) || e.Op == expr.Mul && slices.ContainsFunc(e.Args, func(f *expr.Expr) bool { return f.Op == expr.Delta && f.HasFree(i) })
}

// spread reports whether a vector is x = m + C u with a factor of its own length.
func (v *latent) spread() bool { return v.standard != nil && !v.standard.rows() }

// spreadAmong are those of some vectors that are spread.
func spreadAmong(latents []*latent) []*latent {
	return slices.DeleteFunc(slices.Clone(latents), func(v *latent) bool { return !v.spread() })
}

// stands are variables in the place of vectors x = m + C u, by which what observations say of x is derived as if x were not defined by u.
type stands struct {
	c        *expr.Context
	from, to []*expr.Tensor
}

// standsFor are those of some vectors.
func standsFor(c *expr.Context, latents []*latent) *stands {
	s := &stands{c: c}
	for _, v := range latents {
		if v.standard != nil {
			s.from, s.to = append(s.from, v.plain()), append(s.to, v.standard.stand[v.n])
		}
	}
	return s
}

// of is the variable that derivatives by a vector are taken by: of one that has none its values.
func (s *stands) of(v *latent) *expr.Tensor {
	if n := slices.Index(s.from, v.plain()); n >= 0 {
		return s.to[n]
	}
	return v.values()
}

// in is an expression with these variables.
func (s *stands) in(e *expr.Expr) *expr.Expr { return s.replaced(e, s.from, s.to) }

// back is one without them.
func (s *stands) back(e *expr.Expr) *expr.Expr { return s.replaced(e, s.to, s.from) }

func (s *stands) replaced(e *expr.Expr, from, to []*expr.Tensor) *expr.Expr {
	if len(from) == 0 {
		return e
	}
	return s.c.Substituted(e, func(r *expr.Expr) *expr.Expr {
		if n := slices.Index(from, r.Tensor); n >= 0 {
			return s.c.Ref(to[n], r.Subs...)
		}
		return r
	})
}

// at is an expression with what a function makes of the vectors in their place.
func (s *stands) at(e *expr.Expr, of func(*expr.Expr) *expr.Expr) *expr.Expr {
	return s.c.Substituted(e, func(r *expr.Expr) *expr.Expr {
		if n := slices.Index(s.to, r.Tensor); n >= 0 {
			return of(s.c.Ref(s.from[n], r.Subs...))
		}
		return r
	})
}

// none is an expression where they are 0.
func (s *stands) none(e *expr.Expr) *expr.Expr {
	if len(s.to) == 0 {
		return e
	}
	return s.c.Substituted(e, func(r *expr.Expr) *expr.Expr {
		if slices.Contains(s.to, r.Tensor) {
			return s.c.Number(0)
		}
		return r
	})
}

// stored is what observations say of two vectors, kept in an array if it is to be multiplied with a factor: of an array of vectors, of which none knows of others,
// that of each.
func (p *Posterior) stored(v, w *latent, e *expr.Expr) *expr.Expr {
	if v != w || !v.spread() {
		return e
	}
	own, deltas := p.eachAlone(v, e)
	k, own := scaledBy(p.C, own, v.i, v.j)
	return p.C.Mul(append(deltas, k, p.inArray(own, v.i, v.j))...)
}

// inArray is a matrix that is kept in an array, or its diagonal where that is all of it.
func (p *Posterior) inArray(e *expr.Expr, i, j *expr.Index) *expr.Expr {
	if d := p.onDiagonal(e, i, j); d != nil {
		return p.C.Mul(p.C.Delta(expr.Sub{Index: i}, expr.Sub{Index: j}), p.C.Kept(d))
	}
	return p.C.Kept(e)
}

// eachAlone is what a matrix says of each vector of an array, and the deltas that say that it says nothing of several.
func (p *Posterior) eachAlone(v *latent, e *expr.Expr) (own *expr.Expr, deltas []*expr.Expr) {
	own = e
	for d, i := range v.is {
		if i == v.i {
			continue
		}
		if alone := p.onDiagonal(own, i, v.js[d]); alone != nil {
			own, deltas = alone, append(deltas, p.C.Delta(expr.Sub{Index: i}, expr.Sub{Index: v.js[d]}))
		}
	}
	return own, deltas
}

// spreadBoth is CᵀeC of what e says of two vectors, or of the vectors of an array, of which none knows of others.
func (p *Posterior) spreadBoth(v, w *latent, e *expr.Expr) *expr.Expr {
	var deltas []*expr.Expr
	if v == w && v.spread() {
		e, deltas = p.eachAlone(v, e)
	}
	for _, x := range []*latent{v, w} {
		if x.spread() {
			deltas = append(deltas, x.standard.times)
		}
	}
	k, e := scaledBy(p.C, e, v.i, w.j)
	return p.C.Mul(append(deltas, k, p.spreadMatrix(w, p.spreadMatrix(v, e, v.i), w.j))...)
}

// at is an element of the factor of rows.
func (s *standard) at(n, l int) *expr.Expr {
	return s.factor.At(expr.Sub{At: dsl.Fixed(n + 1)}, expr.Sub{At: dsl.Fixed(l + 1)})
}

// logDet is log |∂x/∂u|.
func (s *standard) logDet(c *expr.Context) *expr.Expr {
	i := s.vectors[0].i
	if !s.rows() {
		return c.SumAll(s.vectors[0].is, c.Call("log", s.factor.At(expr.Sub{Index: i}, expr.Sub{Index: i})))
	}
	sum := c.Number(0)
	for n := range s.vectors {
		sum = c.Add(sum, c.Sum(i, c.Call("log", s.at(n, n))))
	}
	return sum
}

// back is element v.i of the n-th vector u, C⁻¹(x − m), by elements of x.
func (s *standard) back(p *Posterior, n int, x func(n int, at expr.Sub) *expr.Expr) *expr.Expr {
	c := p.C
	i := expr.Sub{Index: s.vectors[n].i}
	if !s.rows() {
		gap := p.vector(s.vectors[0], c.Sub(x(0, i), s.mean(0, i)))
		return c.Apply(expr.OperatorOf("solve_lower"), s.factor, gap).At(i)
	}
	gap := c.Sub(x(n, i), s.mean(n, i))
	for l := range n {
		before := c.Subst(s.back(p, l, x), s.vectors[l].i, i)
		gap = c.Sub(gap, c.Mul(s.at(n, l), before))
	}
	return c.Div(gap, s.at(n, n))
}
