package model

import (
	"fmt"
	"slices"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Draws from the prior, which chains may start from. A parameter that is the left
// side of one distribution statement, whole, is drawn from it: a definition whose
// body is the draw, in terms of the data and of the other parameters on their own
// scale. Next is always the first declared of those whose arguments are known; the order
// of the statements has no say. Bounds truncate the distribution of each element.

// Prior is a parameter that is drawn from its statement.
type Prior struct {
	Param *Param
	Draw
	Lo, Hi *expr.Expr // what truncates the distribution; nil where nothing does
}

// NoPrior is a parameter that cannot be drawn, and why: a clause for people.
type NoPrior struct {
	Param *dsl.Param
	Why   string
}

// FindPriors finds what can be drawn of the parameters of a joint density, and in which
// order. Every parameter gets a tensor of its values on its own scale: those that are
// not drawn are known before.
func (p *Posterior) FindPriors() {
	c := p.C
	values := make([]*expr.Tensor, len(p.Params))
	for n, b := range p.Params {
		t := p.valuesOf(n)
		values[n] = t
		p.el.Objects[b.Decl] = expr.Value{Shape: t.Shape, Elem: func(s ...expr.Sub) *expr.Expr { return c.Ref(t, s...) }}
	}
	for _, l := range p.Model.Lets {
		p.define(l, true)
	}
	drawn := map[int]*Prior{}
	needs := map[int][]int{} // the parameters in the arguments of those that are drawn
	why := make([]string, len(p.Params))
	for n, b := range p.Params {
		var x *Prior
		if x, why[n] = p.prior(b, values[n]); x == nil {
			continue
		}
		list, ok := x.needs(c)
		if !ok {
			why[n] = "its statement depends on the solution of a differential equation"
			continue
		}
		drawn[n], needs[n] = x, list
	}
	for n := range p.Params {
		if drawn[n] != nil && reaches(needs, n, n) {
			why[n] = "its statement depends on the parameter itself"
		}
	}
	for n := range p.Params {
		if why[n] != "" {
			delete(drawn, n)
			p.NoPriors = append(p.NoPriors, NoPrior{p.Params[n].Decl, why[n]})
		}
	}
	for len(drawn) > 0 {
		for n := range p.Params {
			ready := drawn[n] != nil
			for _, k := range needs[n] {
				ready = ready && drawn[k] == nil
			}
			if ready {
				p.Priors = append(p.Priors, drawn[n])
				delete(drawn, n)
				break
			}
		}
	}
}

// reaches reports whether what n needs, directly or not, holds the parameter to.
func reaches(needs map[int][]int, n, to int) bool {
	seen := map[int]bool{}
	var walk func(n int) bool
	walk = func(n int) bool {
		for _, k := range needs[n] {
			if k == to {
				return true
			}
			if !seen[k] {
				seen[k] = true
				if walk(k) {
					return true
				}
			}
		}
		return false
	}
	return walk(n)
}

// prior elaborates the draw of a parameter, or says why there is none.
func (p *Posterior) prior(b *Param, t *expr.Tensor) (*Prior, string) {
	c := p.C
	var terms []*dsl.Term
	for _, x := range p.Model.Terms {
		if x.Dist != nil && leftSide(x) == b.Decl {
			terms = append(terms, x)
		}
	}
	switch len(terms) {
	case 0:
		return nil, "it is the left side of no statement"
	case 1:
	default:
		return nil, fmt.Sprintf("it is the left side of %d statements", len(terms))
	}
	x := terms[0]
	if _, rows := x.Left.(*dsl.IndexExpr); rows && len(b.Decl.Type.Shape) > 1 {
		return nil, "its rows, which are no numbers, cannot be drawn one by one"
	}
	if x.Dist.Random == "" {
		return nil, fmt.Sprintf("draws from `%s` are not known", x.Dist.Name)
	}
	if !coversParam(x, b) {
		return nil, "its statement is not about each of its elements, once"
	}
	switch {
	case x.Dist.Support.Vector() && b.Transform != naturalTransform(x.Dist.Support):
		return nil, "its bounds truncate a distribution of vectors"
	case b.Decl.Constraint != nil && !x.Dist.Support.Vector():
		return nil, "its elements, which are no numbers on their own, cannot be drawn one by one"
	}
	indices, subs := b.ValueIndices(c, "i")
	if x.For != nil {
		p.el.Indices[x.For] = subs[0]
	}
	d := &Prior{Param: b, Draw: Draw{Dist: x.Dist, Tensor: t, Indices: indices}}
	for n, a := range x.Args {
		v := p.el.Expr(a)
		if x.Dist.Args[n].Domain == dsl.Covariance {
			d.Covariance = &v
			continue
		}
		d.Args = append(d.Args, expr.Pick(v, subs))
	}
	if !d.inBounds(subs) {
		d.Lo, d.Hi = p.bounds(b.Decl, subs)
	}
	return d, ""
}

// inBounds reports whether the support of the distribution lies within the bounds of the
// parameter.
func (x *Prior) inBounds(at []expr.Sub) bool {
	if x.Param.Transform.Affine {
		return true
	}
	lo, hi := x.Param.Bounds(at)
	above := func(e *expr.Expr) bool {
		return lo == nil || lo == e || lo.Op == expr.Num && e != nil && e.Op == expr.Num && lo.Val <= e.Val
	}
	below := func(e *expr.Expr) bool {
		return hi == nil || hi == e || hi.Op == expr.Num && e != nil && e.Op == expr.Num && e.Val <= hi.Val
	}
	c := func(v float64) *expr.Expr { return &expr.Expr{Op: expr.Num, Val: v} }
	switch x.Dist.Support {
	case dsl.Positive:
		return above(c(0)) && below(nil)
	case dsl.UnitOpen:
		return above(c(0)) && below(c(1))
	case dsl.Between:
		return above(x.Args[0]) && below(x.Args[1])
	case dsl.Above:
		return above(x.Args[x.Dist.Begins]) && below(nil)
	}
	return above(nil) && below(nil)
}

// leftSide returns the parameter that a statement is about, as a whole or by
// elements, or nil.
func leftSide(t *dsl.Term) *dsl.Param {
	e := t.Left
	if ix, ok := e.(*dsl.IndexExpr); ok {
		e = ix.Base
	}
	if n, ok := e.(*dsl.Name); ok {
		if q, ok := n.Obj.(*dsl.Param); ok {
			return q
		}
	}
	return nil
}

// coversParam reports whether a statement about a parameter is about each of its
// elements, once.
func coversParam(t *dsl.Term, b *Param) bool {
	if len(t.Each) > 0 {
		return false
	}
	ix, ok := t.Left.(*dsl.IndexExpr)
	if !ok {
		return t.For == nil
	}
	s := ix.Subscripts[0]
	if len(ix.Subscripts) > 1 {
		return false
	}
	if s.All {
		return t.For == nil && s.At == (dsl.Extent{})
	}
	return t.For != nil && s.Index == t.For && s.Offset == 0 && t.For.Range == expr.UpTo(b.Length())
}

// needs returns the parameters in the arguments of a draw, in order, by way of operators of matrices and of what is shared too. It is
// not ok if they hold what is known at a position only: a solution of a differential equation.
func (x *Prior) needs(c *expr.Context) (list []int, ok bool) {
	ok = true
	walk := func(e *expr.Expr) {
		expr.Search(e, expr.StageConst, func(r *expr.Expr) bool {
			if r.Op != expr.Ref {
				return false
			}
			if t := r.Tensor; t.Kind == expr.PriorTensor && !slices.Contains(list, t.Row) {
				list = append(list, t.Row)
			}
			ok = ok && r.Tensor.Part == nil
			return false
		})
	}
	for _, a := range append([]*expr.Expr{x.Lo, x.Hi}, x.Args...) {
		if a != nil {
			walk(a)
		}
	}
	if v := x.Covariance; v != nil {
		at := make([]expr.Sub, len(v.Shape))
		for n, size := range v.Shape {
			at[n] = expr.Sub{Index: c.NewIndex("i", expr.UpTo(size))}
		}
		walk(v.At(at...))
	}
	return list, ok
}
