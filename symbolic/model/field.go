package model

import (
	"slices"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// field adds a term of the density that is a quadratic form of latent vectors, −½ Σ w (Σ_k a_k x_k)² for w > 0, as the prior of values on a map is one of the differences of neighbours. It is exact, as normal priors are. By itself
// it may be improper, as that one is: differences say nothing of the level. What data, or a sum that is held, say makes the precision definite. Of a statement about such sums, as `s[a[k]] - s[b[k]] ~ normal(0, tau)`, s is what stands for it; it is nil of other terms.
// It reports whether the term is one.
func (p *Posterior) field(m *gaussian, t *PosteriorTerm, s *normalPrior) bool {
	c, l := p.C, t.L
	if t.Term.Dist != nil {
		if s == nil || s.bent || len(t.Left.Shape) > 0 || !p.pairs(t.Left.At()) {
			return false
		}
		l = s.logDensity
	}
	ofLatents := func(values *expr.Tensor) bool {
		return slices.ContainsFunc(m.v, func(v *latent) bool { return v.values() == values })
	}
	list := p.observations(l, m.v)
	if len(list) == 0 {
		return false
	}
	for _, o := range list {
		each, elements, stand, free := p.elementsOf(o, ofLatents)
		if each == nil || !free {
			return false
		}
		s := c.Diff(each, stand[0].Tensor)
		second := c.Diff(s, stand[0].Tensor)
		if c.Sign(c.Neg(second)) != expr.Positive || p.multiples(each, s, second, stand, elements) == nil {
			return false
		}
		m.scaled = m.scaled || second.Stage() >= expr.StagePosition
	}
	for _, v := range m.v {
		if mentionsAny(t.L, []*latent{v}) && !slices.Contains(m.fields, v) {
			m.fields = append(m.fields, v)
		}
	}
	m.quadratic, m.used = c.Add(m.quadratic, l), append(m.used, t)
	return true
}

// Paired reports whether a term of the density that is written out, or what a statement is about, sees two elements of a vector, at places that data tell: SparseMaps may know more of it than others do.
func (p *Posterior) Paired() bool {
	return slices.ContainsFunc(p.Terms, func(t *PosteriorTerm) bool {
		if t.Term.Dist == nil {
			return p.pairs(t.L)
		}
		return len(t.Left.Shape) == 0 && p.pairs(t.Left.At())
	})
}

// pairs reports whether an expression sees two elements of a vector of parameters, at places that data tell.
func (p *Posterior) pairs(e *expr.Expr) (paired bool) {
	seen := map[*expr.Tensor]*expr.Expr{}
	expr.Refs(p.C.Inlined(e), func(r *expr.Expr) {
		if r.Tensor.Stage >= expr.StagePosition && slices.ContainsFunc(r.Subs, func(s expr.Sub) bool { return s.Data != nil }) {
			paired = paired || seen[r.Tensor] != nil && seen[r.Tensor] != r
			seen[r.Tensor] = r
		}
	})
	return paired
}

// sparse is a precision of which the elements beside the diagonal stand at places that data tell.
type sparse struct {
	diagonal expr.Value
	entries  []expr.Entries
	places   *expr.Places // of the entries
}

// sparseOf writes the precision of a vector so; it is nil where that is something else, or where the places are not at hand.
func (p *Posterior) sparseOf(v *latent, matrix expr.Value) *sparse {
	c, i, j := p.C, v.i, v.j
	n, ok := p.Model.Count(v.size())
	if !ok || len(v.is) > 1 {
		return nil
	}
	s := &sparse{}
	diagonal := c.NewTotal()
	var rows, columns [][]float64
	var collect func(e, factor *expr.Expr) bool
	collect = func(e, factor *expr.Expr) bool {
		if factor.HasFree(j) { // nor has it i
			return false
		}
		if d := c.StripDelta(e, i, j); d != nil {
			diagonal.Add(c.Mul(factor, d))
			return true
		}
		if e.Op == expr.Add {
			for k, t := range e.Args {
				if !collect(t, c.Scale(e.K[k], factor)) {
					return false
				}
			}
			return e.Val == 0
		}
		if f, rest := holding(c, e, i); f != nil {
			return collect(f, c.Mul(factor, rest))
		}
		of, ok := p.entries(e, factor, i, j)
		if !ok {
			return false
		}
		row, column := p.places(of.Over, of.Row), p.places(of.Over, of.Column)
		if row == nil || column == nil {
			return false
		}
		if s.add(c, of) {
			rows, columns = append(rows, row), append(columns, column)
		}
		return true
	}
	if !collect(matrix.At(expr.Sub{Index: i}, expr.Sub{Index: j}), c.Number(1)) {
		return nil
	}
	s.diagonal = p.vector(v, diagonal.Sum())
	if s.places, ok = expr.PlacesOf(n, rows, columns); !ok {
		return nil
	}
	return s
}

// add takes entries, those of a transpose together with those of what that is of: all that is known of them is their sum. It reports whether they are new.
func (s *sparse) add(c *expr.Context, e expr.Entries) bool {
	for n, o := range s.entries {
		if o.Over.Range != e.Over.Range {
			continue
		}
		to := expr.Sub{Index: o.Over}
		number := func(s expr.Sub) *expr.Expr { return c.Subst(c.Position(s), e.Over, to) }
		value := c.Subst(e.Value, e.Over, to)
		if value == o.Value && number(e.Row) == c.Position(o.Column) && number(e.Column) == c.Position(o.Row) {
			s.entries[n].Value = c.Scale(2, value)
			return false
		}
	}
	s.entries = append(s.entries, e)
	return true
}

// holding is the factor of a product that holds an index, a sum, and the rest; nil where there is none, or several.
func holding(c *expr.Context, e *expr.Expr, i *expr.Index) (f, rest *expr.Expr) {
	if e.Op != expr.Mul {
		return nil, nil
	}
	rest = c.Number(e.Val)
	for k, a := range e.Args {
		switch {
		case !a.HasFree(i):
			rest = c.Mul(rest, c.Pow(a, e.K[k]))
		case f == nil && e.K[k] == 1 && (a.Op == expr.Add || a.Op == expr.Sum):
			f = a
		default:
			return nil, nil
		}
	}
	return f, rest
}

// entries writes f Σ_l w δ[i,a[l]] δ[j,b[l]] as the entries f w at (a[l], b[l]).
func (p *Posterior) entries(e, factor *expr.Expr, i, j *expr.Index) (out expr.Entries, ok bool) {
	c := p.C
	if e.Op != expr.Sum || e.Index.Range.Lo != dsl.Fixed(1) || e.Args[0].Op != expr.Mul {
		return out, false
	}
	body := e.Args[0]
	var found [2]*expr.Sub
	value := c.Scale(body.Val, factor)
	for n, d := range body.Args {
		k := slices.IndexFunc([]*expr.Index{i, j}, func(x *expr.Index) bool { return d.Op == expr.Delta && d.HasFree(x) })
		if k < 0 || found[k] != nil {
			value = c.Mul(value, c.Pow(d, body.K[n]))
			continue
		}
		at := d.Subs[0]
		if at.Index == i || at.Index == j {
			at = d.Subs[1]
		}
		found[k] = &at
	}
	if found[0] == nil || found[1] == nil || value.HasFree(i) || value.HasFree(j) {
		return out, false
	}
	return expr.Entries{Over: e.Index, Row: *found[0], Column: *found[1], Value: value}, true
}

// places are the positions that a subscript names for each value of an index, with the data at hand; nil where they are not.
func (p *Posterior) places(over *expr.Index, s expr.Sub) []float64 {
	n, ok := p.Model.Count(over.Range.Hi)
	if !ok {
		return nil
	}
	out := make([]float64, n)
	for l := range out {
		v, ok := p.position(s, over, l+1)
		if !ok {
			return nil
		}
		out[l] = float64(v)
	}
	return out
}

// position is that which a subscript names where an index has a value.
func (p *Posterior) position(s expr.Sub, over *expr.Index, value int) (int, bool) {
	switch {
	case s.Index == over:
		return value + s.Offset, true
	case s.Index != nil:
		return 0, false
	case s.Data == nil:
		return p.Model.Count(s.At)
	}
	t := s.Data.Tensor
	if t.Source == nil {
		return 0, false
	}
	values, ok := p.Model.Values[t.Source.Name]
	at := 0
	for d, x := range t.Shape {
		n, known := p.Model.Count(x)
		k, named := p.position(s.Data.Subs[d], over, value)
		if !known || !named || k < 1 || k > n {
			return 0, false
		}
		at = at*n + k - 1
	}
	if !ok || at >= len(values) {
		return 0, false
	}
	return int(values[at]) + s.Offset, true
}

// factor is the factor of the precision of a vector. A part in 10¹¹ more on the diagonal makes it definite where nothing else does, as on a part of a map where there are no data.
func (s *sparse) factor(c *expr.Context, v *latent) *expr.SparseFactor {
	diagonal := expr.Value{Shape: s.diagonal.Shape, Elem: func(at ...expr.Sub) *expr.Expr { return c.Scale(1+1e-11, s.diagonal.At(at...)) }}
	return c.SparseFactor(v.size(), diagonal, s.entries, s.places)
}
