package model

import (
	"fmt"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// fisher returns the Fisher metric: expected information of the terms whose
// left side is data, negative Hessian (or joint expected information) of the
// others, and the negative Hessian of the log-Jacobian.
func (p *Posterior) fisher(d *Diagnosed, t *dsl.MetricTerm) entry {
	c := p.C
	// Of many terms few hold any one parameter.
	parts := make([][]*part, len(p.Params))
	keep := func(held map[int]bool, e entry) {
		if e == nil {
			return
		}
		x := &part{e, held}
		for n := range p.Params {
			if held[n] {
				parts[n] = append(parts[n], x)
			}
		}
	}
	log := c.NewTotal()
	for n, b := range p.Params {
		if !(t.Expected && p.hasJointPrior(n)) {
			log.Add(b.logJacobian(c))
		}
	}
	for _, term := range p.Terms {
		term := term
		switch {
		case term.Term.Dist == nil:
			if !p.mentionsData(term.L) {
				log.Add(term.L)
				continue
			}
			what := "a `density` statement"
			if of := term.Term.WithoutInformation(); of != "" {
				what = of
			}
			if p.standsIn(d, t, term, what+" is not known") {
				each, indices := p.el.Observations(term.Term.Value)
				keep(p.paramsIn(each), p.scores(each, indices))
			}
		case p.leftIsParam(term) && t.Expected:
			keep(p.paramsOf(term), p.jointInformation(d, t, term))
		case p.leftIsParam(term):
			log.Add(term.L)
		default:
			keep(p.paramsOf(term), p.information(d, t, term))
		}
	}
	prior := log.Sum()
	return func(r, q int, a, b []expr.Sub) *expr.Expr {
		e := c.NewTotal(c.Neg(p.secondDerivative(prior, r, q, a, b)))
		for _, x := range parts[r] {
			if x.holds[q] {
				e.Add(x.at(r, q, a, b))
			}
		}
		return e.Sum()
	}
}

// part is the information of one term, with the parameters that it holds, by number.
type part struct {
	at    entry
	holds map[int]bool
}

// standsIn says that the squares of the scores of the data stand for the expected information of a term, which is not known for a reason. A candidate has no stand-ins: then
// it is an error, and there is no such candidate.
func (p *Posterior) standsIn(d *Diagnosed, t *dsl.MetricTerm, term *PosteriorTerm, why string) bool {
	const hint = "leave `metric` out, and `hamc run` adapts a Euclidean metric"
	if t.Chosen {
		d.Add(dsl.Error, dsl.NoFisher, term.Term.At, hint, "the expected information of %s", why)
		return false
	}
	d.Add(dsl.Warning, dsl.StandIn, term.Term.At, hint, "the expected information of %s: the squares of the scores of the data stand for it in the metric", why)
	return true
}

// scores is Σ_i s_i s_iᵀ with the scores s_i = ∂ℓ_i/∂q of the log densities at indices: it is positive semidefinite, and its expectation at the parameters that the data come from is the information.
func (p *Posterior) scores(each *expr.Expr, indices []*expr.Index) entry {
	c := p.C
	return func(r, q int, a, b []expr.Sub) *expr.Expr {
		x := c.Diff(each, p.Params[r].Coord, a...)
		if x.IsNum(0) {
			return x
		}
		return c.SumOverAll(indices, c.Mul(x, c.Diff(each, p.Params[q].Coord, b...)))
	}
}

// paramsIn returns the parameters that an expression depends on, by number.
func (p *Posterior) paramsIn(e *expr.Expr) map[int]bool {
	held := map[int]bool{}
	coordinates := expr.Coordinates(e)
	for n, b := range p.Params {
		if _, ok := coordinates[b.Coord]; ok {
			held[n] = true
		}
	}
	return held
}

// paramsOf returns the parameters that the left side or an argument of a term depends on, by number.
func (p *Posterior) paramsOf(term *PosteriorTerm) map[int]bool {
	numbers := map[*expr.Tensor]int{}
	for n, b := range p.Params {
		numbers[b.Coord] = n
	}
	held := map[int]bool{}
	note := func(v expr.Value) {
		subs := make([]expr.Sub, len(v.Shape))
		for n := range subs {
			subs[n] = expr.Sub{Index: p.C.NewIndex("i", expr.UpTo(v.Shape[n]))}
		}
		for t := range expr.Coordinates(v.At(subs...)) {
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
func (p *Posterior) mentionsData(e *expr.Expr) bool {
	for n, t := range p.Data {
		if len(p.Model.Data[n].Type.Shape) > 0 && expr.Mentions(e, t) {
			return true
		}
	}
	return false
}

// information is the expected information of a data term,
// Σ_i Σ_αβ ∂η_α[i]/∂q_a · I_αβ · ∂η_β[i]/∂q_b.
func (p *Posterior) information(d *Diagnosed, t *dsl.MetricTerm, term *PosteriorTerm) entry {
	c := p.C
	dist := term.Term.Dist
	for n, a := range term.Args {
		if !dist.Informs(n) && p.argDepends(a) {
			if !p.standsIn(d, t, term, fmt.Sprintf("`%s` about its argument `%s`, which depends on a parameter, is not finite or not known", dist.Name, dist.Args[n].Name)) {
				return nil
			}
			return p.scores(term.Each, term.Indices)
		}
	}
	if dist.Whole() {
		if !dist.Informs(0) { // and no argument depends on a parameter of the block
			return func(r, q int, a, b []expr.Sub) *expr.Expr { return c.Number(0) }
		}
		return p.vectorInformation(term, nil)
	}
	return func(r, q int, a, b []expr.Sub) *expr.Expr {
		e := c.Number(0)
		for m, x := range term.Args {
			dx := c.Diff(x.At(), p.Params[r].Coord, a...)
			if dx.IsNum(0) {
				continue
			}
			for n, y := range term.Args {
				dy := c.Diff(y.At(), p.Params[q].Coord, b...)
				if dy.IsNum(0) || dist.Fisher[m][n] == "" {
					continue
				}
				info := c.FormulaValue(dist, dist.Fisher[m][n], term.Left, term.Args).At()
				e = c.Add(e, c.Mul(dx, info, dy))
			}
		}
		return c.SumOverAll(term.Indices, e)
	}
}

func (p *Posterior) argDepends(a expr.Value) bool {
	subs := make([]expr.Sub, len(a.Shape))
	for n := range subs {
		subs[n] = expr.Sub{Index: p.C.NewIndex("i", expr.UpTo(a.Shape[n]))}
	}
	return expr.DependsOnCoords(a.At(subs...))
}

// vectorInformation is that of a distribution of vectors about its first argument, a matrix I given by a formula:
// with z that argument, or what it is more than y for a mean when the left side is a parameter too,
// Σ_rs ∂z_r I_rs ∂z_s, and that about the covariance of multi_normal, if there is one.
func (p *Posterior) vectorInformation(term *PosteriorTerm, y *expr.Value) entry {
	c := p.C
	mu := term.Args[0]
	dist := term.Term.Dist
	info := p.vectorPrecision(term, y != nil)
	z := func(s expr.Sub) *expr.Expr {
		if y == nil {
			return mu.At(s)
		}
		return c.Sub(mu.At(s), y.At(s))
	}
	return func(r, q int, a, b []expr.Sub) *expr.Expr {
		i := c.NewIndex("i", expr.UpTo(mu.Shape[0]))
		j := c.NewIndex("j", expr.UpTo(mu.Shape[0]))
		di := c.Diff(z(expr.Sub{Index: i}), p.Params[r].Coord, a...)
		dj := c.Diff(z(expr.Sub{Index: j}), p.Params[q].Coord, b...)
		e := c.Sum(i, c.Sum(j, c.Mul(di, info.At(expr.Sub{Index: i}, expr.Sub{Index: j}), dj)))
		if dist.TraceOf != "" {
			of, by := c.FormulaValue(dist, dist.TraceOf, term.Left, term.Args), c.FormulaValue(dist, dist.TraceBy, term.Left, term.Args)
			e = c.Add(e, p.traceInformation(of, by, p.Params[r].Coord, p.Params[q].Coord, a, b))
		}
		return c.SumOverAll(term.Indices, e)
	}
}

// vectorPrecision is the information of a distribution of vectors about its first argument, of a joint one where the left side is a parameter.
func (p *Posterior) vectorPrecision(term *PosteriorTerm, joint bool) expr.Value {
	dist := term.Term.Dist
	switch {
	case term.Term.Information != nil:
		return p.el.Expr(term.Term.Information)
	case joint:
		return p.C.FormulaValue(dist, dist.Joint[0][0], term.Left, term.Args)
	}
	return p.C.FormulaValue(dist, dist.Fisher[0][0], term.Left, term.Args)
}

// traceInformation is that about the covariance, ½ tr(Σ⁻¹ ∂_rΣ Σ⁻¹ ∂_qΣ).
func (p *Posterior) traceInformation(sigma, precision expr.Value, r, q *expr.Tensor, a, b []expr.Sub) *expr.Expr {
	c := p.C
	index := func(name string) expr.Sub { return expr.Sub{Index: c.NewIndex(name, expr.UpTo(sigma.Shape[0]))} }
	// Of the matrix Σ⁻¹ ∂Σ the element [i,j]. It is computed as a whole: what the sums hold of two of them does not mix.
	scaled := func(t *expr.Tensor, at []expr.Sub, i, j expr.Sub) *expr.Expr {
		k := index("k")
		return c.OpaqueMatrix(c.Sum(k.Index, c.Mul(precision.At(i, k), c.Diff(sigma.At(k, j), t, at...))), false)
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
		var subs []expr.Sub
		if !b.Scalar() {
			if len(left.Free()) != 1 {
				continue
			}
			subs = []expr.Sub{{Index: left.Free()[0]}}
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
	case own.Transform.Affine:
		return fmt.Sprintf("`%s` has an offset or a multiplier", own.Decl.ObjectName())
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
	other.DeriveMetric(&d)
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
		d.Add(dsl.Error, dsl.NoFisher, term.Term.At, p.withoutExpected(t),
			"fisher(prior = expected) needs the expected information of this term: %s", why)
		return nil
	}
	own := p.ownBlock(term)
	if dist.Whole() {
		y := term.Left
		return p.vectorInformation(term, &y)
	}
	// The coordinate u itself, then the arguments.
	vars := []*expr.Expr{c.Ref(p.Params[own].Coord, expr.SubsOf(term.Indices)...)}
	for _, a := range term.Args {
		vars = append(vars, a.At())
	}
	return func(r, q int, a, b []expr.Sub) *expr.Expr {
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
				info := c.FormulaValue(dist, dist.Joint[m][n], term.Left, term.Args).At()
				e = c.Add(e, c.Mul(dx, info, dy))
			}
		}
		return c.SumOverAll(term.Indices, e)
	}
}
