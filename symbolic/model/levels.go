package model

import (
	"slices"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Levels are numbers b on which chains x, or what data see with them, depend linearly: the mean of a series, a coefficient beside it. How narrow one
// is depends on the scales of the chain as its elements do: T values of an autoregression say no more of their mean than (1 − φ)²T/σ². So levels are latents too, of one
// number each, in the same Gaussian as the vectors. Beside effects that are independent given their mean, as those of groups, they would cost more than they bring: a draw takes a tenth
// fewer gradients, and a gradient up to a half more time. The vectors are eliminated first, given the levels,
//
//	x = G⁻¹(r − U b) + L⁻ᵀz,   P = B − (L⁻¹U)ᵀ(L⁻¹U),   b = P⁻¹(s − (L⁻¹U)ᵀ(L⁻¹r)) + …,
//
// with the block B and the right side s of the levels, and columns U. A prior of theirs, where it is near a normal one, is in B and s; they need none. Of an array of chains a vector
// may have a level for each, as a panel has a mean for each unit: then all of that is so of each chain with its own.

// chained reports whether a vector is a chain with a map: its precision is banded.
func (p *Posterior) chained() bool {
	return slices.ContainsFunc(p.Transports, func(t *Transport) bool { return t.Diagonals > 1 })
}

// level reports whether a latent is one.
func (v *latent) level() bool { return len(v.is) == 0 }

// mostLevels bounds their number, since the work grows with its square.
const mostLevels = MostVectors

// levelsOf are the steps of vectors that have a map together, of one or interleaved, and of those of some numbers that are levels of theirs; nil where none is.
func (p *Posterior) levelsOf(vectors []*latent, joint []*step, numbers []*latent) (steps []*step) {
	if len(vectors) == 0 || len(vectors) > 1 && joint[0].together == nil || slices.ContainsFunc(vectors, func(v *latent) bool { return v.standard != nil }) {
		return nil
	}
	alone := p.gaussianOf(vectors, view{})
	if alone == nil {
		return nil
	}
	var levels []*latent
	var all *gaussian
	for _, b := range numbers {
		if len(levels) == mostLevels {
			break
		}
		if m := p.gaussianOf(slices.Concat(vectors, levels, []*latent{b}), view{}); m != nil && m.extends(p, alone) {
			levels, all = append(levels, b), m
		}
	}
	if all == nil {
		return nil
	}
	left := make([]int, len(all.v))
	for n := range left {
		left[n] = n
	}
	for len(left) > 0 {
		s, n := p.eliminate(all, left)
		if s == nil && len(steps) == 0 {
			if steps = p.interleave(all, left); steps != nil {
				left = slices.DeleteFunc(left, func(k int) bool { return !all.v[k].level() })
				continue
			}
		}
		if s == nil {
			return nil
		}
		if s.v.level() && s.bands[0].At().Stage() < expr.StagePosition {
			return nil // as wide everywhere, which an adapted metric knows
		}
		steps = append(steps, s)
		left = slices.Delete(left, n, n+1)
	}
	return steps
}

// extends reports whether a Gaussian with levels says the same of its vectors as one without, and couples each of the levels with a vector.
func (m *gaussian) extends(p *Posterior, alone *gaussian) bool {
	n := len(alone.v)
	levels := m.v[n:]
	if !holds(m.used, alone.used) || len(m.seeing(alone.v)) != len(alone.predictors) || slices.ContainsFunc(m.pins, func(x *pin) bool { return x != nil }) {
		return false
	}
	for _, t := range m.predicted {
		if mentionsAny(t.L, alone.v) && !slices.Contains(alone.predicted, t) {
			return false
		}
	}
	for l := range levels {
		if !slices.ContainsFunc(m.g[n+l][:n], func(e *expr.Expr) bool { return !e.IsNum(0) }) || !m.straight(p, levels[l]) {
			return false
		}
	}
	for k := range m.v {
		if mentionsAny(m.r[k], levels) || slices.ContainsFunc(m.g[k], func(e *expr.Expr) bool { return mentionsAny(e, levels) }) {
			return false
		}
	}
	return true
}

// straight reports whether all depends on a level linearly, and on nothing as a product with it; what of the vectors is a tangent may be one.
func (m *gaussian) straight(p *Posterior, v *latent) bool {
	slope := func(e *expr.Expr) bool {
		d := p.C.Diff(e, v.values())
		return known(d) && !mentionsAny(d, m.v)
	}
	return !slices.ContainsFunc(m.predictors, func(x *predictor) bool { return !slope(x.eta) }) &&
		!slices.ContainsFunc(m.priors, func(s *standIn) bool { return !slope(s.center) })
}

// seeing are the predictors that are of some vectors.
func (m *gaussian) seeing(vectors []*latent) []*predictor {
	return slices.DeleteFunc(slices.Clone(m.predictors), func(x *predictor) bool { return !mentionsAny(x.eta, vectors) })
}

// uniform is what the volume of values says of a level that is not on the real line, nil of others: that where none of the priors, which are about coordinates, is its own.
func (p *Posterior) uniform(v *latent, priors []*standIn) *predictor {
	if !v.level() || v.b.carried == unbounded || slices.ContainsFunc(priors, func(s *standIn) bool { return expr.Mentions(s.u, v.values()) }) {
		return nil
	}
	c := p.C
	first := c.Diff(v.b.logJacobian(c), v.values())
	return &predictor{eta: c.Ref(v.values()), weight: p.atReference(c.Neg(c.Diff(first, v.values()))), score: p.atReference(first)}
}

// schurBanded is the Gaussian of levels without chains, whose precision is banded, and what the chains' elements are but for z, L⁻¹(r − U b), each at its index. With t = G⁻¹U, P is the form of the joint
// Gaussian in the directions (−t, 1), and s its slope there: both are added up term by term, so that nothing of P is lost where it is a small part of B.
func (p *Posterior) schurBanded(m *gaussian, left, chains []int, f *expr.BandFactor) (g [][]*expr.Expr, r []*expr.Expr, solved []*expr.Expr) {
	c := p.C
	d := &directions{p: p, by: map[int]*expr.Tensor{}, t: map[*expr.Tensor]*expr.Expr{}}
	for _, k := range chains {
		d.chains = append(d.chains, m.v[k])
	}
	lower := func(of func(k int) *expr.Expr) expr.Value {
		var columns []expr.Value
		for n, k := range chains {
			columns = append(columns, p.vector(d.chains[n], of(k)))
		}
		return f.SolveLower(f.Joined(columns))
	}
	at := func(x expr.Value, n int) *expr.Expr { return f.Separate(x, n).At(expr.Sub{Index: d.chains[n].i}) }
	own := lower(func(k int) *expr.Expr { return m.r[k] })
	for n := range chains {
		solved = append(solved, at(own, n))
	}
	for _, l := range left {
		if slices.Contains(chains, l) {
			continue
		}
		t := make([]*expr.Expr, len(chains))
		if slices.ContainsFunc(chains, func(k int) bool { return !m.g[k][l].IsNum(0) }) {
			column := lower(func(k int) *expr.Expr { return m.column(p, k, l) })
			upper := f.SolveUpper(column)
			for n, v := range d.chains {
				solved[n] = c.Sub(solved[n], c.Mul(at(column, n), c.Ref(m.v[l].values(), m.v[l].beside(v, expr.SubsOf(v.is))...)))
				t[n] = at(upper, n)
			}
		} else {
			for n := range t {
				t[n] = c.Number(0)
			}
		}
		d.add(l, m.v[l], t)
	}
	g, r = make([][]*expr.Expr, len(m.v)), slices.Clone(m.r)
	for l := range g {
		g[l] = slices.Clone(m.g[l])
	}
	normal := d.moved(m.normal)
	for _, l := range d.levels {
		v := m.v[l]
		slope := c.Diff(normal, d.by[l], expr.SubsOf(v.is)...)
		r[l] = d.back(p.without(slope, m.v))
		for _, x := range m.predictors {
			r[l] = c.Add(r[l], c.SumAll(x.indices, c.Mul(d.slope(x, l, v.is), c.Add(c.Mul(x.weight, x.gap(p, m.v)), x.score))))
		}
		r[l] = c.Atom(c.Interchanged(r[l]))
		for _, o := range d.levels {
			w := m.v[o]
			if len(v.is) > 0 && len(w.is) > 0 && !m.g[l][o].IsNum(0) && p.onDiagonal(m.g[l][o], v.is[0], w.js[0]) == nil {
				return nil, nil, nil
			}
			e := c.Neg(d.back(c.Diff(slope, d.by[o], expr.SubsOf(w.js)...)))
			for _, x := range m.predictors {
				e = c.Add(e, c.SumAll(x.indices, c.Mul(d.slope(x, l, v.is), x.weight, d.slope(x, o, w.js))))
			}
			if len(v.is) == 0 || len(w.is) == 0 {
				g[l][o] = c.Atom(c.Interchanged(e))
				continue
			}
			// Chains do not know of one another, nor do levels of those of others: what they have in common is on the diagonal.
			i, j := expr.Sub{Index: v.is[0]}, expr.Sub{Index: w.js[0]}
			g[l][o] = c.Mul(c.Delta(i, j), c.Atom(c.Interchanged(c.Subst(e, w.js[0], i))))
		}
	}
	return g, r, solved
}

// local reports whether a vector has one element for each chain of an array, as the means of the units of a panel, and couples with that chain alone: it is a vector of levels, which are taken out as one is.
func (m *gaussian) local(p *Posterior, chain, l int) bool {
	v, w := m.v[chain], m.v[l]
	if len(v.is) != 2 || len(w.is) != 1 || m.bent || v.standard != nil || w.standard != nil || m.pins[chain] != nil || m.pins[l] != nil {
		return false
	}
	return v.others()[0].Range == w.is[0].Range && p.onDiagonal(m.g[l][l], w.is[0], w.js[0]) != nil && m.column(p, chain, l) != nil
}

// column is the block of a chain and a level at the elements of the chain; of a vector of levels it is that of each chain with its own, nil where there is more.
func (m *gaussian) column(p *Posterior, chain, l int) *expr.Expr {
	e := m.g[chain][l]
	if len(m.v[l].is) == 0 {
		return e
	}
	return p.onDiagonal(e, m.v[chain].others()[0], m.v[l].js[0])
}

// beside are the subscripts of a level that an element of a chain has: none, or those of the chain in its array.
func (v *latent) beside(chain *latent, at []expr.Sub) (subs []expr.Sub) {
	if len(v.is) == 0 {
		return nil
	}
	for d, i := range chain.is {
		if i != chain.i {
			subs = append(subs, at[d])
		}
	}
	return subs
}

// directions are those in which levels move chains with them, −t for each.
type directions struct {
	p      *Posterior
	chains []*latent
	levels []int
	of     []*latent
	by     map[int]*expr.Tensor        // how far
	to     [][]*expr.Tensor            // what stands for t of each, of each chain
	t      map[*expr.Tensor]*expr.Expr // at the index i of the first chain
}

// add takes a level, of which t is at the index of each chain.
func (d *directions) add(l int, level *latent, t []*expr.Expr) {
	local := expr.Tensor{Name: "u", Kind: expr.LocalTensor, Stage: expr.StagePosition}
	d.levels, d.of = append(d.levels, l), append(d.of, level)
	local.Shape = level.values().Shape
	d.by[l] = d.p.C.NewTensor(local)
	var to []*expr.Tensor
	for n, v := range d.chains {
		local.Shape = v.values().Shape
		x := d.p.C.NewTensor(local)
		to, d.t[x] = append(to, x), d.p.C.Subst(t[n], v.i, expr.Sub{Index: d.chains[0].i})
	}
	d.to = append(d.to, to)
}

// moved is an expression so far along each.
func (d *directions) moved(e *expr.Expr) *expr.Expr {
	c := d.p.C
	return c.Substituted(e, func(x *expr.Expr) *expr.Expr {
		out := x
		for n, l := range d.levels {
			if x.Tensor == d.of[n].values() {
				out = c.Add(out, c.Ref(d.by[l], x.Subs...))
			}
			for k, v := range d.chains {
				if x.Tensor == v.values() {
					out = c.Sub(out, c.Mul(c.Ref(d.by[l], d.of[n].beside(v, x.Subs)...), c.Ref(d.to[n][k], x.Subs...)))
				}
			}
		}
		return out
	})
}

// back is an expression where they begin.
func (d *directions) back(e *expr.Expr) *expr.Expr {
	c := d.p.C
	return c.Substituted(e, func(x *expr.Expr) *expr.Expr {
		for _, by := range d.by {
			if x.Tensor == by {
				return c.Number(0)
			}
		}
		if t := d.t[x.Tensor]; t != nil {
			return c.SubstAll(t, d.chains[0].is, x.Subs)
		}
		return x
	})
}

// slope is that of a predictor along the direction of a level, at some element of several, of a tangent that of the reference.
func (d *directions) slope(x *predictor, l int, at []*expr.Index) *expr.Expr {
	e := d.p.C.Diff(d.moved(x.eta), d.by[l], expr.SubsOf(at)...)
	if x.bent {
		e = d.p.atReference(e)
	}
	return d.back(e)
}
