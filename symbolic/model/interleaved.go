package model

import (
	"slices"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Chains that know of one another, as a level and its slope, the columns of a vector autoregression, or a walk whose steps have a covariance, are interleaved: their
// elements are taken in the order (1, 1), …, (1, K), (2, 1), …, in which their precision is one band.

// mostInterleaved bounds the number of diagonals of interleaved chains, at and below the main one: the work grows with its square.
const mostInterleaved = 40

// interleaved are chains that are eliminated together.
type interleaved struct {
	steps   []*step // of each, with its part of the diagonals: of element t what stands so many places before it
	factor  *expr.BandFactor
	u       []expr.Value // L⁻¹r of each, in which levels are
	x       expr.Value
	defined bool
}

// interleave takes out all vectors that are left but for levels, of which each has a banded block, and of which each knows of another at elements that are a fixed number of places
// apart. It is nil of others.
func (p *Posterior) interleave(m *gaussian, left []int) (steps []*step) {
	c := p.C
	chains := slices.DeleteFunc(slices.Clone(left), func(k int) bool { return m.v[k].level() })
	number := len(chains)
	if number < 2 || number > MostVectors {
		return nil
	}
	for _, k := range chains {
		if v := m.v[k]; len(v.is) != 1 || v.size() != m.v[chains[0]].is[0].Range.Hi || v.standard != nil || m.pins[k] != nil {
			return nil
		}
	}
	all := &interleaved{}
	diagonals := make([][]*expr.Expr, number) // of each vector, at its index
	most := 0
	for s, k := range chains {
		v := m.v[k]
		for r, l := range chains {
			w := m.v[l]
			bands, ok := c.Bands(c.Inlined(m.g[k][l]), v.i, w.j)
			if !ok {
				return nil
			}
			for _, b := range bands {
				before := number*b.Offset + s - r
				if before < 0 {
					continue // the mirror image
				}
				if before >= mostInterleaved {
					return nil
				}
				most = max(most, before)
				e := b.E
				if expr.Strays(e) {
					e = c.Mul(c.Within(expr.Sub{Index: v.i}, dsl.Range{Lo: dsl.Fixed(1 + b.Offset), Hi: v.size()}), e)
				}
				for len(diagonals[s]) <= before {
					diagonals[s] = append(diagonals[s], c.Number(0))
				}
				diagonals[s][before] = c.Add(diagonals[s][before], c.Operand(e))
			}
		}
	}
	for s, k := range chains {
		v := m.v[k]
		own := &step{v: v, r: m.r[k], predicted: m.predicted, used: m.used, measures: m.measures, together: all, strand: s}
		for o := range most + 1 {
			e := c.Number(0)
			if o < len(diagonals[s]) {
				e = diagonals[s][o]
			}
			own.bands = append(own.bands, expr.Value{Shape: []dsl.Extent{v.size()}, Elem: func(at ...expr.Sub) *expr.Expr { return c.Subst(e, v.i, at[0]) }})
		}
		all.steps = append(all.steps, own)
	}
	if len(left) == number {
		return slices.Clone(all.steps)
	}
	all.factorise(p)
	g, r, solved := p.schurBanded(m, left, chains, all.factor)
	for n, s := range all.steps {
		for _, l := range left {
			if m.v[l].level() {
				s.r = c.Sub(s.r, c.Mul(m.g[chains[n]][l], c.Ref(m.v[l].values())))
			}
		}
		all.u = append(all.u, p.vector(s.v, solved[n]))
	}
	m.g, m.r = g, r
	return slices.Clone(all.steps)
}

// factorise makes the factor, once.
func (t *interleaved) factorise(p *Posterior) {
	if t.factor != nil {
		return
	}
	diagonals := make([][]expr.Value, len(t.steps[0].bands))
	for _, s := range t.steps {
		for o, d := range s.bands {
			diagonals[o] = append(diagonals[o], d)
		}
	}
	t.factor = p.C.InterleavedFactor(diagonals)
}

// define makes what the chains are, x = L⁻ᵀ(L⁻¹r + z).
func (t *interleaved) define(p *Posterior) {
	c := p.C
	t.defined = true
	t.factorise(p)
	if t.u == nil {
		var r []expr.Value
		for _, s := range t.steps {
			r = append(r, p.vector(s.v, s.r))
		}
		u := t.factor.SolveLower(t.factor.Joined(r))
		for k := range t.steps {
			t.u = append(t.u, t.factor.Separate(u, k))
		}
	}
	var moved []expr.Value
	for k, s := range t.steps {
		moved = append(moved, p.vector(s.v, c.Add(t.u[k].At(expr.Sub{Index: s.v.i}), c.Ref(s.v.b.Coord, s.v.b.Part(s.v.n, expr.SubsOf(s.v.is)...)...))))
	}
	t.x = t.factor.SolveUpper(t.factor.Joined(moved))
}

// mapOf is that of one of the chains: its value at its index, its coordinate by what stands in the place of coordinates, and its part of the log Jacobian, which the first has for all.
func (t *interleaved) mapOf(p *Posterior, s *step, later []*step) (value, whitened, logJacobian *expr.Expr) {
	c := p.C
	logJacobian = c.Number(0)
	if !t.defined {
		t.define(p)
		logJacobian = c.Scale(-0.5, t.factor.LogDet())
	}
	at := expr.Sub{Index: s.v.i}
	var own []expr.Value
	for _, o := range t.steps {
		own = append(own, p.vector(o.v, p.inPlace(o.v, later)))
	}
	return t.factor.Separate(t.x, s.strand).At(at), c.Sub(t.factor.MulTransposed(s.strand, own, s.v.i), t.u[s.strand].At(at)), logJacobian
}
