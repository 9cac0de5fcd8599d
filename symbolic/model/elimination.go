package model

import (
	"slices"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// step is the elimination of a vector: its precision, by its diagonals, and its r, in which the vectors that are eliminated
// after it are values.
type step struct {
	v         *latent
	bands     []expr.Value // nil where the precision is dense
	dense     expr.Value
	sparse    *sparse    // of a dense one, of which only places that data tell are not 0; nil elsewhere
	r         *expr.Expr // at v.i
	predicted []*PosteriorTerm
	used      []*PosteriorTerm
	measures  []*Measure
	steady    bool       // what data say of it is told with other vectors at the reference
	shift     *shift     // nil where no other vector shifts this one
	pin       *pin       // nil where nothing holds the sum of the elements
	solved    *expr.Expr // L⁻¹r at v.i, where it is made of solutions that there are; nil elsewhere

	together *interleaved // what the vector is interleaved with, as vector strand of it; nil elsewhere
	strand   int
}

// shift is what the precision of a vector lacks along (1, …, 1), because the sums of other vectors are not known before it: with the diagonal
// D it is P = D − (1 − φ) D 1 1ᵀ D/d.
type shift struct {
	d   *expr.Expr // 1ᵀ D 1
	phi *expr.Expr // 1ᵀ P 1/d
}

// shifted makes the steps of a unit, of vectors x that know of one another group by group, out of the Gaussian of these, of those that are determined earlier, which are known, and of those
// determined later, of which each is its reference and an unknown shift, y = ŷ + s 1. Where vectors cross, a[g] + b[h], the shift is what
// matters: the data say what a sum of means is, and little of each, while differences within a vector are known however the other is. With
//
//	⎡D   U⎤ ⎡x⎤   ⎡ρ⎤
//	⎣Uᵀ  C⎦ ⎣s⎦ = ⎣κ⎦
//
// x has the mean D⁻¹(ρ − U s), s = (C − Uᵀ D⁻¹ U)⁻¹(κ − Uᵀ D⁻¹ρ), and the precision P = D − U C⁻¹ Uᵀ. All shifts move all elements of x by
// much the same, so that P is taken for D less a multiple of D 1 1ᵀ D, which has the same 1ᵀ P 1. Of several vectors that is so of the first given the others, and then of these without it.
// It reports whether there is such a Gaussian.
func (p *Posterior) shifted(own []*step, later, earlier []*latent) bool {
	if len(later) == 0 || slices.ContainsFunc(own, func(s *step) bool { return len(s.bands) != 1 || len(s.v.is) > 1 || s.pin != nil || s.v.spread() }) {
		return false
	}
	var unit []*latent
	for _, s := range own {
		unit = append(unit, s.v)
	}
	m := p.gaussianOf(slices.Concat(unit, later, earlier), view{})
	if m == nil || m.bent {
		return false
	}
	for _, s := range own {
		// What would be measured of all together the maps do not know.
		if !holds(m.used, s.used) || slices.ContainsFunc(m.measures, func(x *Measure) bool { return !slices.Contains(s.measures, x) }) {
			return false
		}
	}
	q := p.withShifts(m, len(unit), len(later))
	if q == nil {
		return false
	}
	left := make([]int, len(q.v))
	for n := range left {
		left[n] = n
	}
	made := make([]step, len(own))
	for k, s := range own {
		made[k] = *s
		p.shift(&made[k], q, left, len(unit))
		made[k].predicted = m.predicted
		if left = left[1:]; k < len(own)-1 {
			var ok bool
			if q.g, q.r, ok = p.schur(q, append([]int{k}, left...), k, p.C.Kept(s.bands[0].At(expr.Sub{Index: s.v.i})), false); !ok {
				return false
			}
		}
	}
	for k, s := range own {
		*s = made[k]
	}
	return true
}

// withShifts is the Gaussian of the vectors of a unit, which are the first of m, and of the shifts of those after them, which are unknown, as numbers. The others are known. It is nil where no vector of the
// unit sees a shift.
func (p *Posterior) withShifts(m *gaussian, vectors, unknown int) *gaussian {
	c := p.C
	// What is left of a right side where the others, those of unknown shift among them, are where they are.
	rest := func(k int) *expr.Expr {
		r := m.r[k]
		for l := vectors; l < len(m.v); l++ {
			v := m.v[l]
			r = c.Sub(r, m.times(p, k, l, func(at ...expr.Sub) *expr.Expr {
				if l < vectors+unknown {
					return p.referenceOf(v, at...)
				}
				return c.Ref(v.values(), at...)
			}))
		}
		return r
	}
	ones := func(...expr.Sub) *expr.Expr { return c.Number(1) }
	size := vectors + unknown
	q := &gaussian{v: slices.Clone(m.v[:size]), g: make([][]*expr.Expr, size), r: make([]*expr.Expr, size)}
	crossing := false
	for k, v := range m.v[:size] {
		q.g[k] = make([]*expr.Expr, size)
		if q.r[k] = c.Atom(rest(k)); k >= vectors {
			q.v[k] = &latent{b: v.b, n: v.n}
			q.r[k] = c.Atom(c.SumAll(v.is, q.r[k]))
		}
		for l := range size {
			switch {
			case k < vectors && l < vectors:
				q.g[k][l] = m.g[k][l]
			case k < vectors:
				column := m.times(p, k, l, ones)
				crossing = crossing || !column.IsNum(0)
				q.g[k][l] = c.Atom(column)
			case l < vectors:
				q.g[k][l] = c.SubstAll(q.g[l][k], m.v[l].is, expr.SubsOf(m.v[l].js))
			case l < k:
				q.g[k][l] = q.g[l][k]
			default:
				q.g[k][l] = c.Atom(c.SumAll(v.is, m.times(p, k, l, ones)))
			}
		}
	}
	if !crossing {
		return nil
	}
	return q
}

// shift makes a step of the first vector that is left of a Gaussian with shifts, which stand behind its vectors.
func (p *Posterior) shift(s *step, q *gaussian, left []int, vectors int) {
	c, k := p.C, left[0]
	i := s.v.i
	others := slices.DeleteFunc(slices.Clone(left[1:]), func(l int) bool { return l >= vectors })
	known := func(n int) *expr.Expr {
		r := q.r[n]
		for _, l := range others {
			w := q.v[l]
			r = c.Sub(r, c.SumAll(w.js, c.Mul(q.g[n][l], c.Ref(w.values(), expr.SubsOf(w.js)...))))
		}
		return r
	}
	diagonal, rho := c.Atom(s.bands[0].At(expr.Sub{Index: i})), c.Atom(known(k))
	var u, sums, kappa []*expr.Expr // columns of U, Uᵀ1, κ
	var coarse, schur [][]*expr.Expr
	for l := vectors; l < len(q.v); l++ {
		u = append(u, c.Atom(q.g[k][l]))
	}
	for l := range u {
		row := q.g[vectors+l][vectors:]
		sums = append(sums, c.Atom(c.Sum(i, u[l])))
		kappa = append(kappa, c.Atom(c.Sub(known(vectors+l), c.Sum(i, c.Div(c.Mul(u[l], rho), diagonal)))))
		full, less := make([]*expr.Expr, len(u)), make([]*expr.Expr, len(u))
		for o := l; o < len(u); o++ {
			full[o] = c.Atom(row[o])
			less[o] = c.Atom(c.Sub(full[o], c.Sum(i, c.Div(c.Mul(u[l], u[o]), diagonal))))
		}
		coarse, schur = append(coarse, full), append(schur, less)
	}
	d := c.Atom(c.Sum(i, diagonal))
	phi := c.Number(1)
	for l, x := range p.solved(coarse, sums) {
		phi = c.Sub(phi, c.Div(c.Mul(x, sums[l]), d))
	}
	for l, x := range p.solved(schur, kappa) {
		rho = c.Sub(rho, c.Mul(u[l], x))
	}
	s.r, s.shift = rho, &shift{d: d, phi: c.Atom(phi)}
}

// solved is the solution of a small symmetric positive definite system, of which a[k][l] with l ≥ k is read, by elimination.
func (p *Posterior) solved(a [][]*expr.Expr, b []*expr.Expr) []*expr.Expr {
	c, x := p.C, slices.Clone(b)
	rows := make([][]*expr.Expr, len(a))
	for k := range a {
		rows[k] = slices.Clone(a[k])
	}
	for k := range rows {
		for l := k + 1; l < len(rows); l++ {
			f := c.Atom(c.Div(rows[k][l], rows[k][k]))
			for o := l; o < len(rows); o++ {
				rows[l][o] = c.Atom(c.Sub(rows[l][o], c.Mul(f, rows[k][o])))
			}
			x[l] = c.Atom(c.Sub(x[l], c.Mul(f, x[k])))
		}
	}
	for k := len(rows) - 1; k >= 0; k-- {
		for l := k + 1; l < len(rows); l++ {
			x[k] = c.Sub(x[k], c.Mul(rows[k][l], x[l]))
		}
		x[k] = c.Atom(c.Div(x[k], rows[k][k]))
	}
	return x
}

// freeze puts other vectors at the reference.
func (s *step) freeze(p *Posterior, others []*latent) {
	c := p.C
	s.r = p.latentsAtReference(s.r, others)
	if e := s.dense; e.Elem != nil {
		s.dense.Elem = func(at ...expr.Sub) *expr.Expr { return p.latentsAtReference(e.At(at...), others) }
	}
	for n, d := range s.bands {
		e := p.latentsAtReference(d.At(expr.Sub{Index: s.v.i}), others)
		s.bands[n].Elem = func(at ...expr.Sub) *expr.Expr { return c.Subst(e, s.v.i, at[0]) }
	}
}

// eliminated factorises the Gaussian of latent vectors, nil where no order does. It returns the terms that are in it. Where observations couple the vectors of an array, each of its elements is
// seen given the others, if dense precisions, which might do better, have been tried.
func (p *Posterior) eliminated(latents []*latent) (steps []*step, used []*PosteriorTerm) {
	return p.eliminatedBefore(latents, nil)
}

// eliminatedBefore is that where others are not known.
func (p *Posterior) eliminatedBefore(latents, unknown []*latent) (steps []*step, used []*PosteriorTerm) {
	if len(unknown) > 0 {
		return p.tried(latents, unknown)
	}
	for _, x := range p.eliminations {
		if slices.Equal(x.latents, latents) {
			return slices.Clone(x.steps), x.used
		}
	}
	steps, used = p.tried(latents, nil)
	p.eliminations = append(p.eliminations, &elimination{latents, slices.Clone(steps), used})
	return steps, used
}

// elimination is what eliminated found of latent vectors.
type elimination struct {
	latents []*latent
	steps   []*step
	used    []*PosteriorTerm
}

// tried tries the ways in which the elements of vectors may be seen, one after the other.
func (p *Posterior) tried(latents, unknown []*latent) (steps []*step, used []*PosteriorTerm) {
	steps, used = p.factorised(latents, view{unknown: unknown})
	switch {
	case steps == nil && len(latents) == 1 && p.Maps == ApartMaps && p.ownScales(latents[0]):
		p.EachGiven = true
		return p.factorised(latents, view{apart: true, unknown: unknown})
	case steps == nil && len(latents) == 1 && len(latents[0].is) > 1 && !p.Maps.banded():
		return p.factorised(latents, view{apart: true, unknown: unknown})
	case steps != nil && (p.Maps == TurnedMaps || p.Maps == FrozenMaps) && !p.turned(steps):
		if frozen, of := p.factorised(latents, view{frozen: true, unknown: unknown}); frozen != nil && (p.Maps == FrozenMaps || p.turned(frozen)) {
			return frozen, of
		}
	}
	return steps, used
}

// ownScales reports whether the prior of a vector has scales of which each is made of the element of another vector at the same place, as that of a horseshoe. These move more than what data say of the elements
// together, and a diagonal precision, of each element given the others, follows them.
func (p *Posterior) ownScales(v *latent) bool {
	one := []*latent{v}
	return slices.ContainsFunc(p.Terms, func(t *PosteriorTerm) bool {
		s := p.normalPrior(t, one)
		return s != nil && slices.ContainsFunc(s.each, func(e *standIn) bool {
			if e.precision == nil || e.u == nil {
				return false // of several together
			}
			var at []expr.Sub
			expr.Refs(e.u, func(r *expr.Expr) {
				if mentionsAny(r, one) {
					at = r.Subs
				}
			})
			own := false
			expr.Refs(p.C.Inlined(e.precision), func(r *expr.Expr) {
				own = own || len(at) > 0 && slices.Equal(r.Subs, at) && slices.ContainsFunc(p.Params, func(b *Param) bool { return r.Tensor == b.Coord || slices.Contains(b.plain, r.Tensor) })
			})
			return own
		})
	})
}

func (p *Posterior) factorised(latents []*latent, as view) (steps []*step, used []*PosteriorTerm) {
	m := p.gaussianOf(latents, as)
	if m == nil {
		return nil, nil
	}
	left := make([]int, len(latents))
	for n := range left {
		left[n] = n
		if m.many() {
			for l := range left {
				m.g[n][l] = m.kept(p, n, l, m.g[n][l])
			}
			m.r[n] = p.C.Atom(m.r[n])
		}
	}
	for len(left) > 0 {
		s, n := p.eliminate(m, left)
		if s == nil {
			if rest := p.interleave(m, left); rest != nil {
				return append(steps, rest...), m.used
			}
			s, n = p.eliminateDense(m, left)
		}
		if s == nil {
			return nil, m.used
		}
		steps = append(steps, s)
		left = slices.Delete(left, n, n+1)
	}
	return steps, m.used
}

// eliminate takes one of those vectors that are left out of the Gaussian of all of them: the first whose block is
// diagonal and whose elimination leaves others of few diagonals, or one that no other knows of, as the last is.
func (p *Posterior) eliminate(m *gaussian, left []int) (*step, int) {
	for n, k := range left {
		if m.v[k].level() && slices.ContainsFunc(left, func(l int) bool { return !m.v[l].level() }) {
			continue // they are last
		}
		f := p.formOf(m.v[k], m.g[k][k])
		if f == nil || f.bands == nil {
			continue
		}
		if len(f.bands) > 1 && slices.ContainsFunc(left, func(l int) bool { return l != k && !m.v[l].level() && !m.g[k][l].IsNum(0) && !m.local(p, k, l) }) {
			continue
		}
		if s := p.takenOut(m, left, k, f, false); s != nil {
			return s, n
		}
	}
	return nil, 0
}

// eliminateDense takes any one out, where dense blocks are allowed: an array of vectors, of which each has a small block, before the others, with which its elements would
// know of one another; then the longest of those whose block is diagonal, or else the first.
func (p *Posterior) eliminateDense(m *gaussian, left []int) (*step, int) {
	if p.Maps.banded() || !m.scaled {
		return nil, 0
	}
	blocks := make([]*form, len(left))
	for n, k := range left {
		if !m.v[k].level() || !slices.ContainsFunc(left, func(l int) bool { return !m.v[l].level() }) {
			blocks[n] = p.formOf(m.v[k], m.g[k][k])
		}
	}
	rank := func(n int) (kind, size int) {
		v, f := m.v[left[n]], blocks[n]
		if f == nil {
			return 0, 0
		}
		kind = 1
		if len(f.bands) == 1 {
			kind++
		}
		if len(v.is) > 1 {
			kind += 2
		}
		if kind > 1 {
			size = p.count(v)
		}
		return kind, size
	}
	at, kind, size := 0, 0, 0
	for n := range left {
		if k, s := rank(n); k > kind || k == kind && s > size {
			at, kind, size = n, k, s
		}
	}
	if kind == 0 {
		return nil, 0
	}
	if len(blocks[at].bands) > 1 {
		blocks[at].bands = nil
	}
	if p.Maps.dense() || blocks[at].bands != nil {
		return p.takenOut(m, left, left[at], blocks[at], true), at
	}
	of := p.sparseOf(m.v[left[at]], blocks[at].matrix)
	if of == nil || len(left) > 1 {
		return nil, 0
	}
	s := p.takenOut(m, left, left[at], blocks[at], true)
	s.sparse = of
	return s, at
}

// count is the number of elements of a vector, for the sizes at hand.
func (p *Posterior) count(v *latent) int {
	n := 1
	for _, i := range v.is {
		size, _ := p.Model.Count(i.Range.Hi)
		n *= size
	}
	return n
}

// form is the precision of a vector, or of each vector of an array at the other indices of an element.
type form struct {
	matrix expr.Value
	bands  []expr.Value // its diagonals from the main one down, nil where it is dense
}

// formOf is that of a precision at elements of a vector and others. The vectors of an array are along the dimension in which elements know of others. It is nil where
// there are several.
func (p *Posterior) formOf(v *latent, e *expr.Expr) *form {
	c, along := p.C, -1
	if v.level() {
		return &form{bands: []expr.Value{expr.Scalar(e)}}
	}
	for d, i := range v.is {
		if len(v.is) > 1 {
			if own := p.onDiagonal(e, i, v.js[d]); own != nil {
				e = own
				continue
			}
		}
		if along >= 0 {
			return nil
		}
		along = d
	}
	if along >= 0 {
		if v.standard != nil && v.is[along] != v.i {
			return nil
		}
		v.along(along)
	}
	n := v.size()
	if along < 0 {
		return &form{bands: []expr.Value{{Shape: []dsl.Extent{n}, Elem: func(at ...expr.Sub) *expr.Expr { return c.Subst(e, v.i, at[0]) }}}}
	}
	f := &form{matrix: expr.Value{Shape: []dsl.Extent{n, n}, Elem: func(at ...expr.Sub) *expr.Expr { return c.SubstAll(e, []*expr.Index{v.i, v.j}, at) }}}
	if own := p.onDiagonal(e, v.i, v.j); own != nil { // what is computed once stays so
		f.bands = []expr.Value{{Shape: []dsl.Extent{n}, Elem: func(at ...expr.Sub) *expr.Expr { return c.Subst(own, v.i, at[0]) }}}
	} else {
		f.bands, _ = c.Diagonals(f.matrix)
	}
	return f
}

// onDiagonal is what a matrix of two indices has on its diagonal, nil where it has anything beside.
func (p *Posterior) onDiagonal(e *expr.Expr, i, j *expr.Index) *expr.Expr {
	for _, e := range []*expr.Expr{e, p.C.Inlined(e)} { // what is computed once stays so, if it can
		if bands, ok := p.C.Bands(e, i, j); ok && len(bands) == 1 && bands[0].Offset == 0 {
			return bands[0].E
		}
	}
	return nil
}

// block is that of the precision of two vectors, as a matrix.
func (m *gaussian) block(p *Posterior, k, l int) expr.Value {
	v, w := m.v[k], m.v[l]
	return expr.Value{Shape: []dsl.Extent{v.i.Range.Hi, w.i.Range.Hi}, Elem: func(s ...expr.Sub) *expr.Expr {
		return p.C.SubstAll(m.g[k][l], []*expr.Index{v.i, w.j}, s)
	}}
}

// many reports whether there are more vectors than one or two: what each elimination leaves of them is then kept in arrays, where
// formulas would double with each.
func (m *gaussian) many() bool { return len(m.v) > 2 }

// kept is a block of vectors k and l with its diagonal in an array, if it is one, or, where each element of one has one of the other, as a pupil has a class,
// with what they have together.
func (m *gaussian) kept(p *Posterior, k, l int, e *expr.Expr) *expr.Expr {
	c, is, js := p.C, m.v[k].is, m.v[l].js
	if len(is) != len(js) {
		return e
	}
	if len(is) == 1 {
		for _, by := range [][2]*expr.Index{{is[0], js[0]}, {js[0], is[0]}} {
			if d := c.Selection(e, by[0], by[1]); d != nil {
				if rest := c.Under(e, d); rest != nil && !rest.HasFree(by[0]) {
					return c.Mul(d, c.Atom(rest))
				}
			}
		}
	}
	diagonal, deltas := e, []*expr.Expr(nil)
	for d, i := range is {
		if diagonal = p.onDiagonal(diagonal, i, js[d]); diagonal == nil {
			return e
		}
		deltas = append(deltas, c.Delta(expr.Sub{Index: i}, expr.Sub{Index: js[d]}))
	}
	return c.Mul(append(deltas, c.Atom(diagonal))...)
}

// takenOut takes vector k out, whose block has a form. It is nil, and the Gaussian as it was, where
// the blocks of the others must not become dense and do.
func (p *Posterior) takenOut(m *gaussian, left []int, k int, f *form, dense bool) *step {
	c, v := p.C, m.v[k]
	s := &step{v: v, bands: f.bands, steady: m.steady(), predicted: m.predicted, used: m.used, measures: m.measures, pin: m.pins[k]}
	if f.bands == nil {
		s.dense = f.matrix
	}
	g, r := m.g, m.r
	if len(left) > 1 {
		ok := true
		switch {
		case len(f.bands) > 1 && slices.ContainsFunc(left, func(l int) bool { return l != k && !m.g[k][l].IsNum(0) }):
			var solved []*expr.Expr
			if g, r, solved = p.schurBanded(m, left, []int{k}, c.BandFactor(f.bands)); g == nil {
				return nil
			}
			s.solved = solved[0]
		case f.bands != nil:
			g, r, ok = p.schur(m, left, k, c.Kept(f.bands[0].At(expr.Sub{Index: v.i})), dense)
		default:
			g, r = p.schurDense(m, left, k, f.matrix)
		}
		if !ok {
			return nil
		}
	}
	s.r = m.r[k]
	for _, l := range left {
		if w := m.v[l]; l != k {
			s.r = c.Sub(s.r, c.SumAll(w.js, c.Mul(m.g[k][l], c.Ref(w.values(), expr.SubsOf(w.js)...))))
		}
	}
	m.g, m.r = g, r
	return s
}

// schur is the Gaussian of the other vectors that are left, without vector k, whose precision is a diagonal d: false where
// some block of it is of many diagonals and must not be.
func (p *Posterior) schur(m *gaussian, left []int, k int, d *expr.Expr, dense bool) (g [][]*expr.Expr, r []*expr.Expr, ok bool) {
	c, v := p.C, m.v[k]
	own := c.Kept(m.r[k])          // as many elements as the vector has, however many dimensions
	to := func(l int) *expr.Expr { // at v.i, w.i
		w := m.v[l]
		e := c.Div(c.SubstAll(m.g[k][l], w.js, expr.SubsOf(w.is)), d)
		if dense && p.Maps.dense() { // sparse blocks stay sums of deltas
			e = c.Atom(e)
		}
		return e
	}
	return p.remaining(m, left, k, dense, func(l, o int) *expr.Expr {
		return c.SumAll(v.is, c.Mul(to(l), m.g[k][o]))
	}, func(l int) *expr.Expr { return c.SumAll(v.is, c.Mul(to(l), own)) })
}

// schurDense is that without a vector whose precision A is dense: with its factor L, of G_lo − G_lk A⁻¹ G_ko = G_lo − (L⁻¹G_kl)ᵀ(L⁻¹G_ko).
func (p *Posterior) schurDense(m *gaussian, left []int, k int, a expr.Value) (g [][]*expr.Expr, r []*expr.Expr) {
	c, v := p.C, m.v[k]
	lower := c.Apply(expr.OperatorOf("cholesky"), a)
	solved := func(b expr.Value) expr.Value { return c.Apply(expr.OperatorOf("solve_lower"), lower, b) }
	u := solved(p.vector(v, m.r[k]))
	columns := map[int]expr.Value{}
	for _, l := range left {
		if l != k {
			columns[l] = solved(m.block(p, k, l))
		}
	}
	at := expr.Sub{Index: v.i}
	to := func(l int) *expr.Expr { // at v.is, w.is
		w := m.v[l]
		return c.SubstAll(columns[l].At(at, expr.Sub{Index: w.j}), w.js, expr.SubsOf(w.is))
	}
	g, r, _ = p.remaining(m, left, k, true, func(l, o int) *expr.Expr {
		return c.SumAll(v.is, c.Mul(to(l), columns[o].At(at, expr.Sub{Index: m.v[o].j})))
	}, func(l int) *expr.Expr { return c.SumAll(v.is, c.Mul(to(l), u.At(at))) })
	return g, r
}

// remaining is the Gaussian of those that are left without vector k, of which less and lessR are what its blocks and its right side lose: false where
// some block is of many diagonals and must not be.
func (p *Posterior) remaining(m *gaussian, left []int, k int, dense bool, less func(l, o int) *expr.Expr, lessR func(l int) *expr.Expr) (g [][]*expr.Expr, r []*expr.Expr, ok bool) {
	c := p.C
	g, r = make([][]*expr.Expr, len(m.v)), slices.Clone(m.r)
	for l := range g {
		g[l] = slices.Clone(m.g[l])
	}
	block := func(l, o int) *expr.Expr {
		e := c.Sub(g[l][o], less(l, o))
		switch {
		case dense && p.Maps.dense() || m.v[l].level() && m.v[o].level():
			e = c.Atom(e)
		case m.many():
			e = m.kept(p, l, o, e)
		}
		return e
	}
	rest := slices.DeleteFunc(slices.Clone(left), func(l int) bool { return l == k })
	beside := func(l int) bool { return m.v[l].b == m.v[k].b }
	apart := func(l int) bool { return !beside(l) }
	for _, l := range slices.Concat(slices.DeleteFunc(slices.Clone(rest), beside), slices.DeleteFunc(slices.Clone(rest), apart)) { // what does not do ends here, before the other blocks are made: of other parameters sooner than of the same
		g[l][l] = block(l, l)
		if dense {
			continue
		}
		if f := p.formOf(m.v[l], g[l][l]); f == nil || f.bands == nil {
			return nil, nil, false
		}
	}
	for n, l := range rest {
		w := m.v[l]
		r[l] = c.Sub(r[l], lessR(l))
		for _, o := range rest[n+1:] {
			e := block(l, o)
			g[l][o] = e
			g[o][l] = c.SubstAll(e, slices.Concat(w.is, m.v[o].js), expr.SubsOf(slices.Concat(w.js, m.v[o].is))) // the transpose
		}
		if dense || m.many() || w.level() {
			r[l] = c.Atom(r[l])
		}
	}
	return g, r, true
}

// vector is an expression at the index of a latent vector, as a vector.
func (p *Posterior) vector(v *latent, e *expr.Expr) expr.Value {
	if v.level() {
		return expr.Scalar(e)
	}
	return expr.Value{Shape: []dsl.Extent{v.i.Range.Hi}, Elem: func(at ...expr.Sub) *expr.Expr { return p.C.Subst(e, v.i, at[0]) }}
}
