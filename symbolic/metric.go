package symbolic

import (
	"fmt"
	"math"
	"slices"

	"github.com/hamc-dev/hamc/dsl"
)

// BlockExpr is one block of a symmetric matrix over the coordinates: E at the
// coordinates A of block Row and B of block Col (nil for scalars). Only blocks
// with Row ≥ Col are kept; the others are their transposes.
type BlockExpr struct {
	Row, Col int
	A, B     *Index
	E        *Expr
}

// Metric is the elaborated metric: the blocks of G itself or, with SoftAbs,
// of the Hessian whose SoftAbs map G is.
type Metric struct {
	Blocks   []BlockExpr // nonzero blocks, Row ≥ Col
	SoftAbs  bool
	Alpha    *Expr
	Shift    *Expr // of G = SoftAbs(H) + Shift·I
	Constant bool  // free of the position
	Identity bool  // the identity and nothing else: the model has no geometry of its own
	Diagonal bool
	Parts    []Part // of G, by the rules of structure.go
	Shaft    bool   // of a Hessian behind SoftAbs: a multiple of the identity but for one scalar's row
	small    bool
}

// entry gives one summand of the metric at two coordinates.
type entry func(p, q int, a, b []Sub) *Expr

// Diagnosed collects the diagnostics of the calculus.
type Diagnosed struct {
	List []dsl.Diagnostic
}

func (d *Diagnosed) add(sev dsl.Severity, code dsl.Code, at dsl.Span, hint, format string, args ...any) {
	d.List = append(d.List, dsl.Diagnostic{Severity: sev, Code: code, Span: at, Hint: hint, Message: fmt.Sprintf(format, args...)})
}

func (d *Diagnosed) errors() bool {
	for i := range d.List {
		if d.List[i].Severity == dsl.Error {
			return true
		}
	}
	return false
}

// notDifferentiable stands for a derivative that is not known: of a function or, if
// part is not nil, of a component of a solution.
func (c *Context) notDifferentiable(part *SolPart) *Expr {
	nan := c.NewTensor(Tensor{Name: "not_differentiable", Kind: wildTensor, Stage: StageMomentum})
	if part != nil {
		nan.Name = part.Of.Decl.ObjectName()
		nan.Kind = unsolvedTensor
	}
	return c.Ref(nan)
}

// metric elaborates the model's metric and proves what it can of it.
func (p *Posterior) metric(d *Diagnosed) *Metric {
	c := p.C
	terms := p.Block.Metric
	m := &Metric{Shift: c.Number(0)}
	m.Identity = len(terms) == 1 && terms[0].Kind == dsl.MetricIdentity && terms[0].Scale == nil
	softAbs := slices.ContainsFunc(terms, func(t *dsl.MetricTerm) bool { return t.Kind == dsl.MetricSoftAbs })
	var parts []entry
	proof := newPositivity(p)
	for _, t := range terms {
		if softAbs && t.Kind == dsl.MetricIdentity {
			shift := c.Number(1)
			if t.Scale != nil {
				shift = p.el.expr(t.Scale).at()
			}
			m.Shift = c.Add(m.Shift, shift)
			continue
		}
		parts = append(parts, p.scaled(d, m, t, p.metricTerm(d, m, proof, t)))
	}
	m.Constant, m.Diagonal = true, true
	for r := range p.Params {
		for q := 0; q <= r; q++ {
			ai, a := p.Params[r].index(c, "j")
			bi, b := p.Params[q].index(c, "l")
			e := c.Number(0)
			for _, part := range parts {
				e = c.Add(e, part(r, q, a, b))
			}
			if e.IsNum(0) {
				continue
			}
			m.Blocks = append(m.Blocks, BlockExpr{r, q, ai, bi, e})
			m.Constant = m.Constant && e.Stage() < StagePosition
			m.Diagonal = m.Diagonal && r == q && (ai == nil || c.stripDelta(e, ai, bi) != nil)
		}
	}
	if m.SoftAbs {
		m.Constant, m.Diagonal = false, false
	}
	p.structure(m)
	proof.isolated(m)
	proof.report(d)
	return m
}

// metricTerm is a summand of the metric, with what is plain of its sign.
func (p *Posterior) metricTerm(d *Diagnosed, m *Metric, proof *positivity, t *dsl.MetricTerm) (e entry) {
	c := p.C
	switch t.Kind {
	case dsl.MetricIdentity:
		e = p.identity
		proof.coverAll()
	case dsl.MetricDiag:
		e = p.diagonal(t)
		proof.coverAll()
	case dsl.MetricInverse:
		e = p.whole(d, t.At, func(a, b Sub) *Expr { return p.el.expr(t.Args[0]).at(a, b) })
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
		e = func(r, q int, a, b []Sub) *Expr { return c.Neg(p.secondDerivative(p.L, r, q, a, b)) }
		proof.derived(t, true)
	case dsl.MetricFisher:
		e = p.fisher(d, t)
		proof.derived(t, false)
	case dsl.MetricSoftAbs:
		for _, o := range p.Block.Metric {
			if o != t && o.Kind != dsl.MetricIdentity {
				d.add(dsl.Error, dsl.NotYet, t.At, "as in `softabs(alpha = 1) + 1e-3*identity`", "softabs is added to multiples of the identity only in this version of the language")
				break
			}
		}
		m.SoftAbs = true
		m.Alpha = p.el.expr(t.Alpha).at()
		e = func(r, q int, a, b []Sub) *Expr { return p.secondDerivative(p.L, r, q, a, b) }
		proof.coverAll()
	}
	return e
}

// scaled is a summand with its factor.
func (p *Posterior) scaled(d *Diagnosed, m *Metric, t *dsl.MetricTerm, e entry) entry {
	c := p.C
	if t.Scale != nil {
		scale, inner := p.el.expr(t.Scale).at(), e
		if t.Kind == dsl.MetricSoftAbs {
			// c·λ coth(αλ) = (cλ) coth((α/c)(cλ))
			m.Alpha = c.Div(m.Alpha, scale)
		}
		if c.Sign(scale) == UnknownSign && scale.Stage() > StageConst {
			d.add(dsl.Warning, dsl.MaybeIndefinite, t.Scale.Span(), "declare it `real > 0`", "the factor of the metric is not known to be positive")
		}
		e = func(r, q int, a, b []Sub) *Expr { return c.Mul(scale, inner(r, q, a, b)) }
	}
	return e
}

// stripDelta returns f if e = f·δ[a,b], and nil otherwise.
func (c *Context) stripDelta(e *Expr, a, b *Index) *Expr {
	delta := c.Delta(Sub{Index: a}, Sub{Index: b})
	switch e.Op {
	case Delta:
		if e == delta {
			return c.Number(1)
		}
	case Mul:
		for n, f := range e.Args {
			if f == delta {
				return c.Subst(c.Product(e.Val, without(e.K, n), without(e.Args, n)), b, Sub{Index: a})
			}
			// δ[a,s]·δ[b,s] is δ[a,b]·δ[a,s].
			for _, o := range e.Args {
				if f.Op == Delta && o.Op == Delta && f.Subs[0] == (Sub{Index: b}) && o.Subs[0] == (Sub{Index: a}) && f.Subs[1] == o.Subs[1] {
					return c.Subst(c.Product(e.Val, without(e.K, n), without(e.Args, n)), b, Sub{Index: a})
				}
			}
			if f.Op != Add || e.K[n] != 1 {
				continue
			}
			if d := c.stripDelta(f, a, b); d != nil {
				return c.Mul(d, c.Subst(c.Product(e.Val, without(e.K, n), without(e.Args, n)), b, Sub{Index: a}))
			}
		}
	case Add:
		if e.Val != 0 {
			return nil
		}
		args := make([]*Expr, len(e.Args))
		for n, f := range e.Args {
			if args[n] = c.stripDelta(f, a, b); args[n] == nil {
				return nil
			}
		}
		return c.Linear(0, e.K, args)
	}
	return nil
}

func (p *Posterior) secondDerivative(e *Expr, r, q int, a, b []Sub) *Expr {
	c := p.C
	return c.Diff(c.Diff(e, p.Params[r].Coord, a...), p.Params[q].Coord, b...)
}

func (p *Posterior) identity(r, q int, a, b []Sub) *Expr {
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
	return func(r, q int, a, b []Sub) *Expr {
		if r != q {
			return c.Number(0)
		}
		if len(t.Args) == 1 && len(t.Args[0].Type().Shape) == 1 {
			return c.Mul(p.el.expr(t.Args[0]).at(a[0]), c.Delta(a[0], b[0]))
		}
		// One scalar per coordinate.
		start, _ := p.offset(r)
		if len(a) == 0 {
			return p.el.expr(t.Args[start]).at()
		}
		e := c.Number(0)
		for n := 0; n < p.Params[r].Size().Offset; n++ {
			at := Sub{At: dsl.Fixed(n + 1)}
			e = c.Add(e, c.Mul(p.el.expr(t.Args[start+n]).at(), c.Delta(a[0], at), c.Delta(b[0], at)))
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
		size := extentOf(q.Coordinates())
		if !size.IsConst() {
			break
		}
		n += size.Offset
	}
	return 0, false
}

// whole gives a metric by a function of two global coordinates.
func (p *Posterior) whole(d *Diagnosed, at dsl.Span, f func(a, b Sub) *Expr) entry {
	c := p.C
	for r := range p.Params {
		if _, ok := p.offset(r); !ok {
			d.add(dsl.Error, dsl.NeedsConstant, at, "bind the sizes with --const, or give the metric by blocks", "a metric over several parameters needs their sizes at compile time")
			return func(int, int, []Sub, []Sub) *Expr { return c.Number(0) }
		}
	}
	global := func(block int, s []Sub) Sub {
		o, _ := p.offset(block)
		if len(s) == 0 {
			return Sub{At: dsl.Fixed(o + 1)}
		}
		return shiftSub(s[0], o)
	}
	// Symmetry: f(a, b) = f(b, a) at two indices of their own.
	return func(r, q int, a, b []Sub) *Expr { return f(global(r, a), global(q, b)) }
}

func (p *Posterior) matrix(d *Diagnosed, t *dsl.MetricTerm) entry {
	c := p.C
	rows := make([][]*Expr, len(t.Matrix.Rows))
	for i, r := range t.Matrix.Rows {
		for _, x := range r {
			rows[i] = append(rows[i], p.el.expr(x).at())
		}
	}
	for i := range rows {
		for j := 0; j < i; j++ {
			p.symmetric(d, t.Matrix.Rows[i][j].Span(), fmt.Sprintf("entry (%d, %d)", i+1, j+1), rows[i][j], rows[j][i])
		}
	}
	return func(r, q int, a, b []Sub) *Expr {
		ro, _ := p.offset(r)
		qo, _ := p.offset(q)
		e := c.Number(0)
		for i := 0; i < p.Params[r].Size().Offset; i++ {
			for j := 0; j < p.Params[q].Size().Offset; j++ {
				x := rows[ro+i][qo+j]
				if len(a) > 0 {
					x = c.Mul(x, c.Delta(a[0], Sub{At: dsl.Fixed(i + 1)}))
				}
				if len(b) > 0 {
					x = c.Mul(x, c.Delta(b[0], Sub{At: dsl.Fixed(j + 1)}))
				}
				e = c.Add(e, x)
			}
		}
		return e
	}
}

// symmetric reports an entry that is not provably equal to its transpose.
func (p *Posterior) symmetric(d *Diagnosed, at dsl.Span, what string, x, y *Expr) {
	x, y = p.C.inlined(x), p.C.inlined(y)
	if p.C.equal(x, y) {
		return
	}
	d.add(dsl.Error, dsl.MetricAsymmetric, at, "a metric is symmetric", "%s of the metric differs from its transpose: %s against %s", what, Format(x), Format(y))
}

// equal reports whether two expressions are proved equal, but for the rounding of numbers in the text.
func (c *Context) equal(x, y *Expr) bool {
	d := c.withoutImplied(c.Expand(c.Sub(x, y)))
	return d.Op == Num && d.Val == 0 || largestCoefficient(d) <= 1e-14*max(largestCoefficient(c.Expand(x)), largestCoefficient(c.Expand(y)))
}

// checkClaims reports matrices that have to be symmetric and are not proved to be.
func (p *Posterior) checkClaims(d *Diagnosed) {
	c := p.C
	seen := map[dsl.Span]bool{}
	for _, x := range p.claims {
		if seen[x.at] {
			continue
		}
		seen[x.at] = true
		i, j := Sub{Index: c.NewIndex("i", upTo(x.v.shape[0]))}, Sub{Index: c.NewIndex("j", upTo(x.v.shape[0]))}
		a, b := c.inlined(x.v.at(i, j)), c.inlined(x.v.at(j, i))
		if !c.equal(a, b) {
			d.add(dsl.Error, dsl.NotSymmetric, x.at, "a matrix A is made symmetric by (A + A')/2; a matrix of data that is symmetric and positive definite is declared `cov`",
				"this matrix has to be symmetric, and its elements [i,j] and [j,i] are not the same expression: %s against %s", Format(a), Format(b))
		}
	}
}

// withoutImplied drops the indicators from the terms of a sum that the deltas beside
// them imply: where δ[i,j+1] is 1, i − 1 is in the range of j.
func (c *Context) withoutImplied(e *Expr) *Expr {
	switch e.Op {
	case Add:
		args := make([]*Expr, len(e.Args))
		for n, a := range e.Args {
			args[n] = c.withoutImplied(a)
		}
		return c.Linear(e.Val, e.K, args)
	case Mul:
		for n, a := range e.Args {
			for _, d := range e.Args {
				i, j, ok := indexPair(d)
				if !ok || a.Op != Inside {
					continue
				}
				var implied dsl.Range
				switch a.Subs[0].Index {
				case i.Index:
					implied = dsl.Range{Lo: j.Index.Range.Lo.Plus(j.Offset), Hi: j.Index.Range.Hi.Plus(j.Offset)}
				case j.Index:
					implied = dsl.Range{Lo: i.Index.Range.Lo.Plus(-j.Offset), Hi: i.Index.Range.Hi.Plus(-j.Offset)}
				default:
					continue
				}
				if holds(a.Range, implied) {
					return c.withoutImplied(c.Product(e.Val, without(e.K, n), without(e.Args, n)))
				}
			}
		}
	}
	return e
}

// largestCoefficient returns the largest magnitude among the coefficients of
// a sum.
func largestCoefficient(e *Expr) float64 {
	switch e.Op {
	case Num:
		return math.Abs(e.Val)
	case Mul:
		return math.Abs(e.Val)
	case Add:
		k := math.Abs(e.Val)
		for n, a := range e.Args {
			x := math.Abs(e.K[n])
			if a.Op == Mul {
				x *= math.Abs(a.Val)
			}
			k = max(k, x)
		}
		return k
	}
	return 1
}

func (p *Posterior) indexed(d *Diagnosed, t *dsl.MetricTerm) entry {
	c := p.C
	i := c.NewIndex(t.Indices[0].ObjectName(), t.Indices[0].Range)
	j := c.NewIndex(t.Indices[1].ObjectName(), t.Indices[1].Range)
	p.el.indices[t.Indices[0]] = Sub{Index: i}
	p.el.indices[t.Indices[1]] = Sub{Index: j}
	body := p.el.expr(t.Value).at()
	at := func(a, b Sub) *Expr {
		t1, t2 := c.NewIndex(i.Name, i.Range), c.NewIndex(j.Name, j.Range)
		e := c.Subst(c.Subst(body, i, Sub{Index: t1}), j, Sub{Index: t2})
		return c.Subst(c.Subst(e, t1, a), t2, b)
	}
	p.symmetric(d, t.Value.Span(), "an entry", body, at(Sub{Index: j}, Sub{Index: i}))
	return p.whole(d, t.At, at)
}

func (p *Posterior) blocks(d *Diagnosed, t *dsl.MetricTerm) entry {
	c := p.C
	type given struct {
		row, col *dsl.Param
		at       func(a, b []Sub) *Expr
	}
	var all []given
	for _, b := range t.Blocks {
		var ri, ci *Index
		if b.RowIndex != nil {
			ri = c.NewIndex(b.RowIndex.ObjectName(), b.RowIndex.Range)
			p.el.indices[b.RowIndex] = Sub{Index: ri}
		}
		if b.ColIndex != nil {
			ci = c.NewIndex(b.ColIndex.ObjectName(), b.ColIndex.Range)
			p.el.indices[b.ColIndex] = Sub{Index: ci}
		}
		body := p.el.expr(b.Value).at()
		f := func(x, y []Sub) *Expr {
			e := body
			var t1, t2 *Index
			if ri != nil {
				t1 = c.NewIndex(ri.Name, ri.Range)
				e = c.Subst(e, ri, Sub{Index: t1})
			}
			if ci != nil {
				t2 = c.NewIndex(ci.Name, ci.Range)
				e = c.Subst(e, ci, Sub{Index: t2})
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
			p.symmetric(d, b.At, "the block of `"+b.Row.ObjectName()+"`", body, f([]Sub{{Index: ci}}, []Sub{{Index: ri}}))
		}
		all = append(all, given{b.Row, b.Col, f})
	}
	return func(r, q int, a, b []Sub) *Expr {
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

// dependsOnCoords reports whether e depends on any parameter.
func dependsOnCoords(e *Expr) bool { return e.Stage() >= StagePosition }

// leftIsParam reports whether a term's left side depends on a parameter.
func (p *Posterior) leftIsParam(t *PosteriorTerm) bool {
	return dependsOnCoords(p.leftExpr(t))
}

// leftExpr is the left side at its index.
func (p *Posterior) leftExpr(t *PosteriorTerm) *Expr {
	if t.Term.Dist.Support.Vector() {
		return t.Left.at(Sub{Index: p.C.NewIndex("i", upTo(t.Left.shape[0]))})
	}
	return t.Left.at()
}

// fisher returns the Fisher metric: expected information of the terms whose
// left side is data, negative Hessian (or joint expected information) of the
// others, and the negative Hessian of the log-Jacobian.
func (p *Posterior) fisher(d *Diagnosed, t *dsl.MetricTerm) entry {
	c := p.C
	// Of many terms few hold any one parameter.
	parts := make([][]*part, len(p.Params))
	keep := func(term *PosteriorTerm, e entry) {
		if e == nil {
			return
		}
		held := p.paramsOf(term)
		x := &part{e, held}
		for n := range p.Params {
			if held[n] {
				parts[n] = append(parts[n], x)
			}
		}
	}
	log := c.newTotal()
	for n, b := range p.Params {
		i, s := b.index(c, "i")
		if !(t.Expected && p.hasJointPrior(n)) {
			log.add(c.sumOver(i, b.logJacobian(c, s)))
		}
	}
	for _, term := range p.Terms {
		term := term
		switch {
		case term.Term.Dist == nil:
			if p.mentionsData(term.L) {
				d.add(dsl.Error, dsl.NoFisher, term.Term.At, "write the term with `~`, or leave `metric` out, and `hamc run` adapts a Euclidean metric",
					"the Fisher information of a `density` statement is not known: it names no distribution of the data")
				continue
			}
			log.add(term.L)
		case p.leftIsParam(term) && t.Expected:
			keep(term, p.jointInformation(d, t, term))
		case p.leftIsParam(term):
			log.add(term.L)
		default:
			keep(term, p.information(d, t, term))
		}
	}
	prior := log.sum()
	return func(r, q int, a, b []Sub) *Expr {
		e := c.newTotal(c.Neg(p.secondDerivative(prior, r, q, a, b)))
		for _, x := range parts[r] {
			if x.holds[q] {
				e.add(x.at(r, q, a, b))
			}
		}
		return e.sum()
	}
}

// part is the information of one term, with the parameters that it holds, by number.
type part struct {
	at    entry
	holds map[int]bool
}

// paramsOf returns the parameters that the left side or an argument of a term depends on, by number.
func (p *Posterior) paramsOf(term *PosteriorTerm) map[int]bool {
	numbers := map[*Tensor]int{}
	for n, b := range p.Params {
		numbers[b.Coord] = n
	}
	held := map[int]bool{}
	note := func(v value) {
		subs := make([]Sub, len(v.shape))
		for n := range subs {
			subs[n] = Sub{Index: p.C.NewIndex("i", upTo(v.shape[n]))}
		}
		for t := range coordinates(v.at(subs...)) {
			if n, ok := numbers[t]; ok {
				held[n] = true
			}
		}
	}
	note(term.Left)
	for _, a := range term.Args {
		note(a)
	}
	return held
}

// mentionsData reports whether e holds an array of data: a term without one
// is a prior.
func (p *Posterior) mentionsData(e *Expr) bool {
	for n, t := range p.Data {
		if len(p.Model.Data[n].Type.Shape) > 0 && Mentions(e, t) {
			return true
		}
	}
	return false
}

// sumOverAll sums over several indices.
func (c *Context) sumOverAll(indices []*Index, e *Expr) *Expr {
	for _, i := range indices {
		e = c.Sum(i, e)
	}
	return e
}

// information is the expected information of a data term,
// Σ_i Σ_αβ ∂η_α[i]/∂q_a · I_αβ · ∂η_β[i]/∂q_b.
func (p *Posterior) information(d *Diagnosed, t *dsl.MetricTerm, term *PosteriorTerm) entry {
	c := p.C
	dist := term.Term.Dist
	for n, a := range term.Args {
		known := dist.Fisher != nil && dist.Fisher[n][n] != ""
		if !known && p.argDepends(a) {
			d.add(dsl.Error, dsl.NoFisher, term.Term.At, "leave `metric` out, and `hamc run` adapts a Euclidean metric",
				"the expected information of `%s` about its argument `%s`, which depends on a parameter, is not finite or not known", dist.Name, dist.Args[n].Name)
			return nil
		}
	}
	if dist.Support.Vector() {
		return p.vectorInformation(term, dist.Fisher[0][0], nil)
	}
	return func(r, q int, a, b []Sub) *Expr {
		e := c.Number(0)
		for m, x := range term.Args {
			dx := c.Diff(x.at(), p.Params[r].Coord, a...)
			if dx.IsNum(0) {
				continue
			}
			for n, y := range term.Args {
				dy := c.Diff(y.at(), p.Params[q].Coord, b...)
				if dy.IsNum(0) || dist.Fisher[m][n] == "" {
					continue
				}
				info := c.formulaValue(dist, dist.Fisher[m][n], term.Left, term.Args).at()
				e = c.Add(e, c.Mul(dx, info, dy))
			}
		}
		return c.sumOverAll(term.indices, e)
	}
}

func (p *Posterior) argDepends(a value) bool {
	subs := make([]Sub, len(a.shape))
	for n := range subs {
		subs[n] = Sub{Index: p.C.NewIndex("i", upTo(a.shape[n]))}
	}
	return dependsOnCoords(a.at(subs...))
}

// vectorInformation is that of a distribution of vectors about its first argument, a matrix I given by a formula:
// with z that argument, or what it is more than y for a mean when the left side is a parameter too,
// Σ_rs ∂z_r I_rs ∂z_s, and that about the covariance of multi_normal, if there is one.
func (p *Posterior) vectorInformation(term *PosteriorTerm, formula string, y *value) entry {
	c := p.C
	mu := term.Args[0]
	info := c.formulaValue(term.Term.Dist, formula, term.Left, term.Args)
	z := func(s Sub) *Expr {
		if y == nil {
			return mu.at(s)
		}
		return c.Sub(mu.at(s), y.at(s))
	}
	return func(r, q int, a, b []Sub) *Expr {
		i := c.NewIndex("i", upTo(mu.shape[0]))
		j := c.NewIndex("j", upTo(mu.shape[0]))
		di := c.Diff(z(Sub{Index: i}), p.Params[r].Coord, a...)
		dj := c.Diff(z(Sub{Index: j}), p.Params[q].Coord, b...)
		e := c.Sum(i, c.Sum(j, c.Mul(di, info.at(Sub{Index: i}, Sub{Index: j}), dj)))
		if len(term.Args) > 1 {
			e = c.Add(e, c.traceInformation(term.Args[1], info, p.Params[r].Coord, p.Params[q].Coord, a, b))
		}
		return c.sumOverAll(term.indices, e)
	}
}

// traceInformation is that about the covariance, ½ tr(Σ⁻¹ ∂_rΣ Σ⁻¹ ∂_qΣ).
func (c *Context) traceInformation(sigma, precision value, r, q *Tensor, a, b []Sub) *Expr {
	index := func(name string) Sub { return Sub{Index: c.NewIndex(name, upTo(sigma.shape[0]))} }
	// Of the matrix Σ⁻¹ ∂Σ the element [i,j]. It is computed as a whole: what the sums hold of two of them does not mix.
	scaled := func(t *Tensor, at []Sub, i, j Sub) *Expr {
		k := index("k")
		return c.opaqueMatrix(c.Sum(k.Index, c.Mul(precision.at(i, k), c.Diff(sigma.at(k, j), t, at...))), false)
	}
	i, j := index("i"), index("j")
	x := scaled(r, a, i, j)
	if x.IsNum(0) {
		return x
	}
	return c.Scale(0.5, c.Sum(i.Index, c.Sum(j.Index, c.Mul(x, scaled(q, b, j, i)))))
}

// ownBlock returns the block whose value the left side of a term is, or −1.
func (p *Posterior) ownBlock(term *PosteriorTerm) int {
	left := p.leftExpr(term)
	for n, b := range p.Params {
		var subs []Sub
		if !b.Scalar() {
			if len(left.free) != 1 {
				continue
			}
			subs = []Sub{{Index: left.free[0]}}
		}
		if b.Value(subs...) == left {
			return n
		}
	}
	return -1
}

// naturalTransform is the transform under which the Joint information of a
// distribution is stated.
func naturalTransform(d dsl.Domain) *Transform {
	switch d {
	case dsl.Positive:
		return above
	case dsl.UnitOpen, dsl.Between:
		return between
	case dsl.OnSimplex:
		return onSimplex
	}
	return unbounded
}

// hasJointPrior reports whether a block is the left side of some prior term:
// its Jacobian is part of that term's information.
func (p *Posterior) hasJointPrior(block int) bool {
	for _, t := range p.Terms {
		if t.Term.Dist != nil && p.leftIsParam(t) && p.ownBlock(t) == block {
			return true
		}
	}
	return false
}

// withoutJointInformation tells why the expected information of a prior term
// x ~ D(η) about (x, η) is not known, "" where it is.
func (p *Posterior) withoutJointInformation(term *PosteriorTerm) string {
	dist := term.Term.Dist
	if dist.Joint == nil {
		return fmt.Sprintf("that of `%s` is not finite or not known", dist.Name)
	}
	n := p.ownBlock(term)
	if n < 0 {
		return "its left side is not a parameter alone"
	}
	own := p.Params[n]
	switch {
	case own.Transform != naturalTransform(dist.Support):
		return fmt.Sprintf("the bounds of `%s` are not those of `%s`, whose information is known without truncation only", own.Decl.ObjectName(), dist.Name)
	case own.Transform == above && !own.Lo.IsNum(0),
		dist.Support == dsl.UnitOpen && !(own.Lo.IsNum(0) && own.Hi.IsNum(1)):
		return fmt.Sprintf("the bounds of `%s` are not those of `%s`", own.Decl.ObjectName(), dist.Name)
	}
	for n, a := range term.Args {
		if dist.Joint[n+1][n+1] == "" && p.argDepends(a) {
			return fmt.Sprintf("that about the argument `%s` is not known", dist.Args[n].Name)
		}
	}
	return ""
}

// withoutExpected is what to write where fisher(prior = expected) does not exist: the metric with
// the Hessians of the priors, if that is proved to be positive definite, or none.
func (p *Posterior) withoutExpected(t *dsl.MetricTerm) string {
	block, other := *p.Block, *p
	block.Metric = []*dsl.MetricTerm{{At: t.At, Kind: dsl.MetricFisher}}
	other.Block = &block
	var d Diagnosed
	other.metric(&d)
	if len(d.List) == 0 {
		return "use `metric fisher`, which is positive definite everywhere"
	}
	return "leave `metric` out, and `hamc run` adapts a Euclidean metric"
}

// jointInformation is the expected information of a prior term x ~ D(η) about
// (x, η) jointly.
func (p *Posterior) jointInformation(d *Diagnosed, t *dsl.MetricTerm, term *PosteriorTerm) entry {
	c := p.C
	dist := term.Term.Dist
	if why := p.withoutJointInformation(term); why != "" {
		d.add(dsl.Error, dsl.NoFisher, term.Term.At, p.withoutExpected(t),
			"fisher(prior = expected) needs the expected information of this term: %s", why)
		return nil
	}
	own := p.ownBlock(term)
	if dist.Support.Vector() {
		y := term.Left
		return p.vectorInformation(term, dist.Joint[0][0], &y)
	}
	// The coordinate u itself, then the arguments.
	vars := []*Expr{c.Ref(p.Params[own].Coord, subsOf(term.indices)...)}
	for _, a := range term.Args {
		vars = append(vars, a.at())
	}
	return func(r, q int, a, b []Sub) *Expr {
		e := c.Number(0)
		for m, x := range vars {
			dx := c.Diff(x, p.Params[r].Coord, a...)
			if dx.IsNum(0) {
				continue
			}
			for n, y := range vars {
				dy := c.Diff(y, p.Params[q].Coord, b...)
				if dy.IsNum(0) || dist.Joint[m][n] == "" {
					continue
				}
				info := c.formulaValue(dist, dist.Joint[m][n], term.Left, term.Args).at()
				e = c.Add(e, c.Mul(dx, info, dy))
			}
		}
		return c.sumOverAll(term.indices, e)
	}
}

func subsOf(indices []*Index) []Sub {
	subs := make([]Sub, len(indices))
	for n, i := range indices {
		subs[n] = Sub{Index: i}
	}
	return subs
}
