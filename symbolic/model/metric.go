package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// BlockExpr is one block of a symmetric matrix over the coordinates: E at the
// coordinates A of block Row and B of block Col (nil for scalars). Only blocks
// with Row ≥ Col are kept; the others are their transposes.
type BlockExpr struct {
	Row, Col int
	A, B     *expr.Index
	E        *expr.Expr
}

// Metric is the elaborated metric: the blocks of G itself or, if it is the SoftAbs map of a Hessian, of that.
type Metric struct {
	Blocks    []BlockExpr  // nonzero blocks, Row ≥ Col
	Settings  []*expr.Expr // the numbers that the map has, in the order in which its storage takes them
	Constant  bool         // free of the position
	Identity  bool         // the identity and nothing else: the model has no geometry of its own
	Auto      bool         // a candidate beside an adapted Euclidean metric
	Parts     []Part       // of G, by the rules of structure.go
	Structure string       // of G: the name of a row of structures
	Storage   *Storage     // by the rules of storage.go

	mapped bool       // it is the SoftAbs map of the blocks
	alpha  *expr.Expr // of that map
	shift  *expr.Expr // of G = SoftAbs(H) + shift·I
}

// entry gives one summand of the metric at two coordinates.
type entry func(p, q int, a, b []expr.Sub) *expr.Expr

// DeriveMetric elaborates the model's metric and proves what it can of it.
func (p *Posterior) DeriveMetric(d *Diagnosed) *Metric {
	c := p.C
	terms := p.Block.Metric
	m := &Metric{shift: c.Number(0)}
	m.Identity = len(terms) == 1 && (terms[0].Kind == dsl.MetricIdentity || terms[0].Kind == dsl.MetricAuto) && terms[0].Scale == nil
	m.Auto = len(terms) == 1 && terms[0].Chosen
	softAbs := slices.ContainsFunc(terms, func(t *dsl.MetricTerm) bool { return t.Kind == dsl.MetricSoftAbs })
	var parts []entry
	proof := newPositivity(p)
	for _, t := range terms {
		if softAbs && t.Kind == dsl.MetricIdentity {
			shift := c.Number(1)
			if t.Scale != nil {
				shift = p.el.Expr(t.Scale).At()
			}
			m.shift = c.Add(m.shift, shift)
			continue
		}
		parts = append(parts, p.scaled(d, m, t, p.metricTerm(d, m, proof, t)))
	}
	m.Constant = !m.mapped
	for r := range p.Params {
		for q := 0; q <= r; q++ {
			ai, a := p.Params[r].Index(c, "j")
			bi, b := p.Params[q].Index(c, "l")
			e := c.Number(0)
			for _, part := range parts {
				e = c.Add(e, part(r, q, a, b))
			}
			if e.IsNum(0) {
				continue
			}
			m.Blocks = append(m.Blocks, BlockExpr{r, q, ai, bi, e})
			m.Constant = m.Constant && e.Stage() < expr.StagePosition
		}
	}
	if m.mapped {
		m.Settings = []*expr.Expr{m.alpha, m.shift}
	}
	p.structure(m)
	m.Storage = p.storageOf(m)
	proof.isolated(m)
	proof.report(d)
	return m
}

// metricTerm is a summand of the metric, with what is plain of its sign.
func (p *Posterior) metricTerm(d *Diagnosed, m *Metric, proof *positivity, t *dsl.MetricTerm) (e entry) {
	c := p.C
	switch t.Kind {
	case dsl.MetricIdentity, dsl.MetricAuto:
		e = p.identity
		proof.coverAll()
	case dsl.MetricDiag:
		e = p.diagonal(t)
		proof.coverAll()
	case dsl.MetricInverse:
		e = p.whole(d, t.At, func(a, b expr.Sub) *expr.Expr { return p.el.Expr(t.Args[0]).At(a, b) })
		proof.coverAll()
	case dsl.MetricMatrix:
		e = p.matrix(d, t)
		proof.given()
	case dsl.MetricIndexed:
		e = p.indexed(d, t)
		proof.given()
	case dsl.MetricBlocks:
		e = p.blocks(d, t)
		proof.given()
	case dsl.MetricHessian:
		e = func(r, q int, a, b []expr.Sub) *expr.Expr { return c.Neg(p.secondDerivative(p.L, r, q, a, b)) }
		proof.derived(t, true)
	case dsl.MetricFisher:
		e = p.fisher(d, t)
		proof.derived(t, false)
	case dsl.MetricSoftAbs:
		for _, o := range p.Block.Metric {
			if o != t && o.Kind != dsl.MetricIdentity {
				d.Add(dsl.Error, dsl.NotYet, t.At, "as in `softabs(alpha = 1) + 1e-3*identity`", "softabs is added to multiples of the identity only in this version of the language")
				break
			}
		}
		m.mapped = true
		m.alpha = p.el.Expr(t.Alpha).At()
		e = func(r, q int, a, b []expr.Sub) *expr.Expr { return p.secondDerivative(p.L, r, q, a, b) }
		proof.coverAll()
	}
	return e
}

// scaled is a summand with its factor.
func (p *Posterior) scaled(d *Diagnosed, m *Metric, t *dsl.MetricTerm, e entry) entry {
	c := p.C
	if t.Scale != nil {
		scale, inner := p.el.Expr(t.Scale).At(), e
		if t.Kind == dsl.MetricSoftAbs {
			// c·λ coth(αλ) = (cλ) coth((α/c)(cλ))
			m.alpha = c.Div(m.alpha, scale)
		}
		if c.Sign(scale) == expr.UnknownSign && scale.Stage() > expr.StageConst {
			d.Add(dsl.Warning, dsl.MaybeIndefinite, t.Scale.Span(), "declare it `real > 0`", "the factor of the metric is not known to be positive")
		}
		e = func(r, q int, a, b []expr.Sub) *expr.Expr { return c.Mul(scale, inner(r, q, a, b)) }
	}
	return e
}

func (p *Posterior) secondDerivative(e *expr.Expr, r, q int, a, b []expr.Sub) *expr.Expr {
	c := p.C
	return c.Diff(c.Diff(e, p.Params[r].Coord, a...), p.Params[q].Coord, b...)
}

func (p *Posterior) identity(r, q int, a, b []expr.Sub) *expr.Expr {
	if r != q {
		return p.C.Number(0)
	}
	if len(a) == 0 {
		return p.C.Number(1)
	}
	return p.C.Delta(a[0], b[0])
}

func (p *Posterior) diagonal(t *dsl.MetricTerm) entry {
	c := p.C
	return func(r, q int, a, b []expr.Sub) *expr.Expr {
		if r != q {
			return c.Number(0)
		}
		if len(t.Args) == 1 && len(t.Args[0].Type().Shape) == 1 {
			return c.Mul(p.el.Expr(t.Args[0]).At(a[0]), c.Delta(a[0], b[0]))
		}
		// One scalar per coordinate.
		start, _ := p.offset(r)
		if len(a) == 0 {
			return p.el.Expr(t.Args[start]).At()
		}
		e := c.Number(0)
		for n := 0; n < p.Params[r].Size().Offset; n++ {
			at := expr.Sub{At: dsl.Fixed(n + 1)}
			e = c.Add(e, c.Mul(p.el.Expr(t.Args[start+n]).At(), c.Delta(a[0], at), c.Delta(b[0], at)))
		}
		return e
	}
}

// offset returns the position of a parameter's first coordinate in the metric,
// counted from 0, if it is known at compile time. The order is that of the block,
// which for a block of all parameters need not be that of the coordinates.
func (p *Posterior) offset(param int) (int, bool) {
	n := 0
	for _, q := range p.Block.Params {
		if q == p.Params[param].Decl {
			return n, true
		}
		size := expr.ExtentOf(q.Coordinates())
		if !size.IsConst() {
			break
		}
		n += size.Offset
	}
	return 0, false
}

// whole gives a metric by a function of two global coordinates.
func (p *Posterior) whole(d *Diagnosed, at dsl.Span, f func(a, b expr.Sub) *expr.Expr) entry {
	c := p.C
	for r := range p.Params {
		if _, ok := p.offset(r); !ok {
			d.Add(dsl.Error, dsl.NeedsConstant, at, "bind the sizes with --const, or give the metric by blocks", "a metric over several parameters needs their sizes at compile time")
			return func(int, int, []expr.Sub, []expr.Sub) *expr.Expr { return c.Number(0) }
		}
	}
	global := func(block int, s []expr.Sub) expr.Sub {
		o, _ := p.offset(block)
		if len(s) == 0 {
			return expr.Sub{At: dsl.Fixed(o + 1)}
		}
		return expr.ShiftSub(s[0], o)
	}
	// Symmetry: f(a, b) = f(b, a) at two indices of their own.
	return func(r, q int, a, b []expr.Sub) *expr.Expr { return f(global(r, a), global(q, b)) }
}

func (p *Posterior) matrix(d *Diagnosed, t *dsl.MetricTerm) entry {
	c := p.C
	rows := make([][]*expr.Expr, len(t.Matrix.Rows))
	for i, r := range t.Matrix.Rows {
		for _, x := range r {
			rows[i] = append(rows[i], p.el.Expr(x).At())
		}
	}
	for i := range rows {
		for j := 0; j < i; j++ {
			p.symmetric(d, t.Matrix.Rows[i][j].Span(), fmt.Sprintf("entry (%d, %d)", i+1, j+1), rows[i][j], rows[j][i])
		}
	}
	return func(r, q int, a, b []expr.Sub) *expr.Expr {
		ro, _ := p.offset(r)
		qo, _ := p.offset(q)
		e := c.Number(0)
		for i := 0; i < p.Params[r].Size().Offset; i++ {
			for j := 0; j < p.Params[q].Size().Offset; j++ {
				x := rows[ro+i][qo+j]
				if len(a) > 0 {
					x = c.Mul(x, c.Delta(a[0], expr.Sub{At: dsl.Fixed(i + 1)}))
				}
				if len(b) > 0 {
					x = c.Mul(x, c.Delta(b[0], expr.Sub{At: dsl.Fixed(j + 1)}))
				}
				e = c.Add(e, x)
			}
		}
		return e
	}
}

// symmetric reports an entry that is not provably equal to its transpose.
func (p *Posterior) symmetric(d *Diagnosed, at dsl.Span, what string, x, y *expr.Expr) {
	x, y = p.C.Inlined(x), p.C.Inlined(y)
	if p.C.Equal(x, y) {
		return
	}
	d.Add(dsl.Error, dsl.MetricAsymmetric, at, "a metric is symmetric", "%s of the metric differs from its transpose: %s against %s", what, expr.Format(x), expr.Format(y))
}

// maxAgainst bounds the bytes of two formulas that a message sets against each other: longer ones tell nothing.
const maxAgainst = 200

// CheckClaims reports matrices that have to be symmetric and are not proved to be.
func (p *Posterior) CheckClaims(d *Diagnosed) {
	c := p.C
	// A place in the body of a function claims it of what each call gives it, and a matrix is reported once.
	seen, reported := map[*expr.Expr]bool{}, map[dsl.Span]bool{}
	for _, x := range p.claims {
		i, j := expr.Sub{Index: c.NewIndex("i", expr.UpTo(x.v.Shape[0]))}, expr.Sub{Index: c.NewIndex("j", expr.UpTo(x.v.Shape[0]))}
		element := x.v.At(i, j)
		key, _ := c.Close(element)
		if seen[key] || reported[x.at] {
			continue
		}
		seen[key] = true
		a, b := c.Inlined(element), c.Inlined(x.v.At(j, i))
		if !c.Equal(a, b) && !c.Equal(c.InlinedBut(element, isTransformed), c.InlinedBut(x.v.At(j, i), isTransformed)) {
			reported[x.at] = true
			against := fmt.Sprintf(": %s against %s", expr.Format(a), expr.Format(b))
			if len(against) > maxAgainst {
				against = ""
			}
			if hint := p.symmetricData(a, b); hint != "" {
				d.Add(dsl.Error, dsl.NotSymmetric, x.at, hint, "this matrix has to be symmetric, and is only where the data in it are")
				continue
			}
			d.Add(dsl.Error, dsl.NotSymmetric, x.at, "a matrix A is made symmetric by (A + A')/2; a matrix of data that is symmetric and positive definite is declared `cov`; of other square matrices there are inverse_general, solve_general and log_abs_det",
				"this matrix has to be symmetric, and its elements [i,j] and [j,i] are not the same expression%s", against)
		}
	}
}

// isTransformed reports whether a definition is the values of a parameter by its coordinates: what is made of them need not be looked at in terms of these.
func isTransformed(t *expr.Tensor) bool { return t.Label != "" }

// symmetricData is the hint that declares data symmetric, where two expressions are equal if these are; else empty.
func (p *Posterior) symmetricData(a, b *expr.Expr) string {
	c := p.C
	var matrices []*expr.Tensor
	twins := map[*expr.Tensor]*expr.Tensor{}
	expr.Refs(a, func(r *expr.Expr) {
		t, m := r.Tensor, len(r.Tensor.Shape)
		if t.Kind == expr.DataTensor && !t.Symmetric && m >= 2 && t.Shape[m-1] == t.Shape[m-2] && twins[t] == nil {
			twin := *t
			twin.Symmetric = true
			matrices, twins[t] = append(matrices, t), c.NewTensor(twin)
		}
	})
	equal := func() bool {
		symmetric := func(r *expr.Expr) *expr.Expr {
			if twin := twins[r.Tensor]; twin != nil {
				return c.Ref(twin, r.Subs...)
			}
			return r
		}
		return c.Equal(c.Replace(a, symmetric), c.Replace(b, symmetric))
	}
	if !equal() {
		return ""
	}
	var declared []string
	for _, t := range matrices {
		twin := twins[t]
		if delete(twins, t); equal() {
			continue // it is no matter
		}
		twins[t] = twin
		sizes := make([]string, len(t.Shape)-1)
		for n := range sizes {
			sizes[n] = t.Shape[n].String()
		}
		declared = append(declared, fmt.Sprintf("`data %s symmetric[%s]`", t.Name, strings.Join(sizes, ", ")))
	}
	return "declare " + strings.Join(declared, " and ") + ", whose values are checked when they are read; what is positive definite too is `cov`"
}

func (p *Posterior) indexed(d *Diagnosed, t *dsl.MetricTerm) entry {
	c := p.C
	i := c.NewIndex(t.Indices[0].ObjectName(), t.Indices[0].Range)
	j := c.NewIndex(t.Indices[1].ObjectName(), t.Indices[1].Range)
	p.el.Indices[t.Indices[0]] = expr.Sub{Index: i}
	p.el.Indices[t.Indices[1]] = expr.Sub{Index: j}
	body := p.el.Expr(t.Value).At()
	at := func(a, b expr.Sub) *expr.Expr {
		t1, t2 := c.NewIndex(i.Name, i.Range), c.NewIndex(j.Name, j.Range)
		e := c.Subst(c.Subst(body, i, expr.Sub{Index: t1}), j, expr.Sub{Index: t2})
		return c.Subst(c.Subst(e, t1, a), t2, b)
	}
	p.symmetric(d, t.Value.Span(), "an entry", body, at(expr.Sub{Index: j}, expr.Sub{Index: i}))
	return p.whole(d, t.At, at)
}

func (p *Posterior) blocks(d *Diagnosed, t *dsl.MetricTerm) entry {
	c := p.C
	type given struct {
		row, col *dsl.Param
		at       func(a, b []expr.Sub) *expr.Expr
	}
	var all []given
	for _, b := range t.Blocks {
		var ri, ci *expr.Index
		if b.RowIndex != nil {
			ri = c.NewIndex(b.RowIndex.ObjectName(), b.RowIndex.Range)
			p.el.Indices[b.RowIndex] = expr.Sub{Index: ri}
		}
		if b.ColIndex != nil {
			ci = c.NewIndex(b.ColIndex.ObjectName(), b.ColIndex.Range)
			p.el.Indices[b.ColIndex] = expr.Sub{Index: ci}
		}
		body := p.el.Expr(b.Value).At()
		f := func(x, y []expr.Sub) *expr.Expr {
			e := body
			var t1, t2 *expr.Index
			if ri != nil {
				t1 = c.NewIndex(ri.Name, ri.Range)
				e = c.Subst(e, ri, expr.Sub{Index: t1})
			}
			if ci != nil {
				t2 = c.NewIndex(ci.Name, ci.Range)
				e = c.Subst(e, ci, expr.Sub{Index: t2})
			}
			if t1 != nil {
				e = c.Subst(e, t1, x[0])
			}
			if t2 != nil {
				e = c.Subst(e, t2, y[0])
			}
			return e
		}
		if b.Row == b.Col && ri != nil {
			p.symmetric(d, b.At, "the block of `"+b.Row.ObjectName()+"`", body, f([]expr.Sub{{Index: ci}}, []expr.Sub{{Index: ri}}))
		}
		all = append(all, given{b.Row, b.Col, f})
	}
	return func(r, q int, a, b []expr.Sub) *expr.Expr {
		for _, g := range all {
			switch {
			case g.row == p.Params[r].Decl && g.col == p.Params[q].Decl:
				return g.at(a, b)
			case g.row == p.Params[q].Decl && g.col == p.Params[r].Decl:
				return g.at(b, a)
			}
		}
		return c.Number(0)
	}
}

// leftIsParam reports whether a term's left side depends on a parameter.
func (p *Posterior) leftIsParam(t *PosteriorTerm) bool {
	return expr.DependsOnCoords(p.leftExpr(t))
}

// leftExpr is the left side at its index.
func (p *Posterior) leftExpr(t *PosteriorTerm) *expr.Expr {
	subs := make([]expr.Sub, len(t.Left.Shape))
	for n := range subs {
		subs[n] = expr.Sub{Index: p.C.NewIndex("i", expr.UpTo(t.Left.Shape[n]))}
	}
	return t.Left.At(subs...)
}
