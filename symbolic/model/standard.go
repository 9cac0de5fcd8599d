package model

import (
	"math"
	"slices"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// standard is the normal prior of latent vectors as a whole, x = m + C u with u ~ N(0, I). The map is then one of u, whose precision I + Cᵀ W C is as
// well conditioned where correlations are near 1, and C⁻¹ is large, as elsewhere. The vectors are the columns of a matrix each of whose rows has the
// prior, with the same C, or there is one, and it is the prior of that.
type standard struct {
	vectors []*latent
	u       []*expr.Tensor
	mean    func(n int, at expr.Sub) *expr.Expr // of element at of the n-th vector
	factor  expr.Value                          // C
	moves   bool                                // x given u depends on the other parameters
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
		if t != nil || x.Term.Dist.Name != "multi_normal" && x.Term.Dist.Name != "multi_normal_cholesky" {
			return
		}
		t = x
	}
	if t == nil || !p.leftIs(t, unit) {
		return
	}
	s := &standard{vectors: unit, factor: t.Args[1]}
	if t.Term.Dist.Name == "multi_normal" {
		s.factor = c.Apply(expr.OperatorOf("cholesky"), t.Args[1])
	}
	s.mean = func(n int, at expr.Sub) *expr.Expr {
		if s.rows() {
			return c.Subst(t.Args[0].At(expr.Sub{At: dsl.Fixed(n + 1)}), t.Indices[0], at)
		}
		return t.Args[0].At(at)
	}
	_, at := expr.IndicesOver(c, "i", s.factor.Shape)
	scale := s.factor.At(at...)
	if mentionsAny(scale, unit) || len(t.Indices) > 0 && scale.HasFree(t.Indices[0]) {
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
		body, formal := c.Close(c.Add(s.mean(n, expr.Sub{Index: v.i}), s.spread(c, n, v)))
		x.Kind, x.Def = expr.SharedTensor, &expr.Def{Tensor: x, Indices: formal, Body: body}
		logDensity = c.Add(logDensity, c.Sum(v.i, c.Sub(c.Scale(-0.5, c.Pow(c.Ref(u, expr.Sub{Index: v.i}), 2)), c.Number(0.5*math.Log(2*math.Pi)))))
	}
	t.standard = s
	t.L = c.Sub(logDensity, s.logDet(c))
}

// scales reports whether the factor of another latent vector depends on those of a unit, which have no map: it would not know of the others.
func (p *Posterior) scales(unit, latents []*latent) bool {
	return slices.ContainsFunc(latents, func(v *latent) bool {
		if v.standard == nil {
			return false
		}
		_, at := expr.IndicesOver(p.C, "i", v.standard.factor.Shape)
		return mentionsAny(v.standard.factor.At(at...), unit)
	})
}

// leftIs reports whether the left side of a term of wholes is the rows of a matrix, whose columns the vectors are, or the one vector there is.
func (p *Posterior) leftIs(t *PosteriorTerm, unit []*latent) bool {
	c, v := p.C, unit[0]
	if len(unit) == 1 {
		return len(t.Indices) == 0 && t.Left.Shape[0] == v.size() && t.Left.At(expr.Sub{Index: v.i}) == c.Ref(v.values(), expr.Sub{Index: v.i})
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
		return c.Sum(v.j, c.Mul(c.Before(j, expr.ShiftSub(i, 1)), s.factor.At(i, j), c.Ref(s.u[0], j)))
	}
	sum := c.Number(0)
	for l := 0; l <= n; l++ {
		sum = c.Add(sum, c.Mul(s.at(n, l), c.Ref(s.u[l], expr.Sub{Index: v.i})))
	}
	return sum
}

// at is an element of the factor of rows.
func (s *standard) at(n, l int) *expr.Expr {
	return s.factor.At(expr.Sub{At: dsl.Fixed(n + 1)}, expr.Sub{At: dsl.Fixed(l + 1)})
}

// logDet is log |∂x/∂u|.
func (s *standard) logDet(c *expr.Context) *expr.Expr {
	i := s.vectors[0].i
	if !s.rows() {
		return c.Sum(i, c.Call("log", s.factor.At(expr.Sub{Index: i}, expr.Sub{Index: i})))
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
