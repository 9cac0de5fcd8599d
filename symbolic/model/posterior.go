// Package model is what a model comes to: the log density in unconstrained coordinates, and the metrics that are
// derived from it.
//
// posterior.go turns the checked model into one expression; param.go and transform.go say what coordinates stand for;
// equation.go elaborates differential equations, quantity.go generated quantities, prior.go draws from the prior.
// metric.go and information.go derive metrics, structure.go finds their parts, positivity.go proves what it can of
// them; diagnosed.go collects messages.
package model

import (
	"math"
	"slices"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Posterior is the elaborated model: one log density in the unconstrained
// coordinates.
type Posterior struct {
	C      *expr.Context
	Model  *dsl.Model
	Data   []*expr.Tensor // of Model.Data, in order
	Block  *dsl.Block     // whose conditional density this is; nil for the joint one
	Params []*Param       // whose coordinates are the position: those of Block in its order, or all
	Given  []*Param       // the others
	// Transports are the maps of latent vectors, in the order in which they are determined, and Reference the point that they are
	// made at: all parameters, of latent vectors the values; none where there is no map.
	Transports  []*Transport
	Reference   []*Param
	MapJacobian *expr.Expr // log |∂x/∂z| of the transports; nil where there is none
	Apart       int        // the parameters whose maps do not know of each other's, though data see them together
	Unsized     bool       // the sizes of vectors would decide which of them have maps, and are not at hand
	EachGiven   bool       // elements with scales of their own are seen each given the others
	// Measures are of latent vectors whose maps know of some terms by differences only, and Unseen is the sum of these terms.
	Measures []*Measure
	Unseen   *expr.Expr
	measures []*Measure                                        // of vectors whose maps are looked for
	atRef    map[*expr.Recursion]map[*expr.Tensor]*expr.Tensor // the members of recursions at the reference
	// Chains that may be written by parameters as their innovations, one of these that turned out to be none; and of those that are log |∂x/∂z|, and what the priors of z have beyond those of x.
	chains                      []written
	unchained                   *written
	chainJacobian, chainDensity *expr.Expr
	// What has been found of latent vectors while maps are looked for: several questions ask for the same.
	eliminations []*elimination
	Terms        []*PosteriorTerm
	L            *expr.Expr // log density, Jacobian terms included
	Plain        *expr.Expr // L without MapJacobian, with sums over data as the model has them, for people
	Solves       []*expr.Solution
	Families     []*expr.Family // of these, and of all operators that compute arrays together, in order: an input may be of an earlier one
	// Quantities are computed once per draw; those of a model of several blocks
	// belong to the joint density.
	Quantities []*Quantity
	// Priors are the parameters that are drawn from the prior, in that order, and
	// NoPriors those that are not; Derive finds them, of a model as a whole.
	Priors   []*Prior
	NoPriors []NoPrior
	Lets     map[*dsl.Let]expr.Value
	el       *expr.Elaborator
	curved   bool     // solutions have third-order sensitivities
	Maps     Maps     // that latent vectors may have
	Limited  bool     // the limits of expr.Budget hold
	Most     int      // that the work may be in their place, 0 where they are it
	Spent             // of them: work before this began, and emission
	at       dsl.Span // of the statement that is being elaborated
	claims   []claim  // what the model takes for symmetric
}

// claim is a matrix that the model takes for symmetric.
type claim struct {
	at dsl.Span
	v  expr.Value
}

// PosteriorTerm is the elaborated form of one dsl.Term.
type PosteriorTerm struct {
	Term *dsl.Term
	L    *expr.Expr // its log density, summed
	// Of a distribution: the indices that it runs over, the left side and
	// the arguments at those indices.
	Indices []*expr.Index
	Each    *expr.Expr // the log density there
	Left    expr.Value
	Args    []expr.Value

	standard *standard // that it is the prior of
	sampled  *dsl.Term // of a term of the density what it is as a `~` statement, as which maps see it; nil where that is none
}

// Elaborate turns a checked model into the density of one block's parameters
// given the others', or into the joint density of all if the block is nil.
func Elaborate(m *dsl.Model, block *dsl.Block) *Posterior {
	return expr.Growing(func(by expr.Grain) *Posterior { return ElaborateBy(m, block, false, by) })
}

// ElaborateBy is Elaborate, with the sensitivities that curvature needs if it is asked for.
func ElaborateBy(m *dsl.Model, block *dsl.Block, curved bool, by expr.Grain) *Posterior {
	p := &Posterior{}
	p.Elaborate(m, block, curved, by)
	return p
}

// Elaborate makes p the density of a model, as the function elaborate returns it: p says where it stands if it panics.
func (p *Posterior) Elaborate(m *dsl.Model, block *dsl.Block, curved bool, by expr.Grain) {
	var latents, numbers []*dsl.Param
	if p.Maps != NoMaps {
		latents, numbers = latentsOf(m, block)
	}
	if !p.Maps.banded() {
		numbers = nil
	}
	p.chains = chainsOf(m, latents)
	for {
		found := p.elaborate(m, block, curved, by, latents)
		switch {
		case p.unchain(found):
		case len(found) < len(latents):
			latents = found
		case len(numbers) == 0 || !p.chained():
			return
		default:
			latents, numbers = slices.Concat(latents, numbers), nil
		}
	}
}

// nestedIn are the integer data that others are functions of, by the names of these.
func nestedIn(m *dsl.Model) map[string]*dsl.Data {
	of := map[string]*dsl.Data{}
	for _, h := range m.Data {
		if n := slices.IndexFunc(m.Data, func(g *dsl.Data) bool { return g.Name == m.Nested[h.Name] }); n >= 0 {
			of[h.Name] = m.Data[n]
		}
	}
	return of
}

// datum is the array of a datum, with what its declaration tells of the elements.
func datum(d *dsl.Data) expr.Tensor {
	return expr.Tensor{Name: d.Name, Kind: expr.DataTensor, Shape: d.Type.Shape, Stage: expr.StageData,
		Positive:  d.IsSize || d.Support.LoNum != nil && (*d.Support.LoNum > 0 || *d.Support.LoNum == 0 && d.Support.LoOpen),
		AtLeast0:  d.Support.LoNum != nil && *d.Support.LoNum >= 0,
		Binary:    isBinary(d),
		Symmetric: d.Constraint.IsSymmetric()}
}

// isBinary reports whether the declaration of a datum keeps its elements 0 or 1.
func isBinary(d *dsl.Data) bool {
	lo, hi, ok := d.Values()
	return ok && d.Type.Base == dsl.Int && lo == dsl.Fixed(0) && hi == dsl.Fixed(1)
}

// leastSize is the least value of a size, which the check of the data sees to.
func leastSize(d *dsl.Data) int {
	least := d.LeastSize()
	if lo := d.Support.LoNum; lo != nil {
		if least = max(least, int(math.Ceil(*lo))); d.Support.LoOpen && *lo == math.Floor(*lo) {
			least = max(least, int(*lo)+1)
		}
	}
	return least
}

// elaborate is Elaborate with those parameters for latent vectors; p is not whole unless all of them turn out to be such.
func (p *Posterior) elaborate(m *dsl.Model, block *dsl.Block, curved bool, by expr.Grain, latents []*dsl.Param) []*dsl.Param {
	c := expr.NewContext()
	c.Grain = by
	c.Budget = expr.Budget{Limited: p.Limited, Allowance: 1, Work: p.Work, MaxWork: expr.MaxWork}
	if by == expr.Coarse {
		c.Budget.MaxWork = min(expr.MaxWork, p.Work+expr.MaxCoarse)
	} else if len(m.Blocks) == 1 {
		c.Budget.MaxWork = max(expr.MaxWork, p.Work+expr.LeastFine)
	}
	if p.Most > 0 {
		c.Budget.MaxWork = p.Most
	}
	if curved {
		c.Budget.Allowance = expr.CurvedAllowance
	}
	c.FirstOrder = firstOrder(m)
	c.Nested = nestedIn(m)
	el := &expr.Elaborator{C: c, Objects: map[dsl.Object]expr.Value{}, Indices: map[*dsl.Index]expr.Sub{}}
	el.Claim = func(at dsl.Span, v expr.Value) { p.claims = append(p.claims, claim{at, v}) }
	*p = Posterior{C: c, Model: m, Block: block, Lets: map[*dsl.Let]expr.Value{}, el: el, curved: curved, Maps: p.Maps, Limited: p.Limited, Spent: p.Spent, chains: p.chains}
	for _, d := range m.Data {
		t := c.NewTensor(datum(d))
		c.ByName[d.Name] = t
		if d.IsSize {
			c.Least[d.Name] = leastSize(d)
		}
		p.Data = append(p.Data, t)
		el.Objects[d] = expr.Value{Shape: d.Type.Shape, Elem: func(s ...expr.Sub) *expr.Expr { return c.Ref(t, s...) }}
	}
	for _, k := range m.Consts {
		el.Objects[k] = expr.Scalar(c.Number(k.Value))
	}
	own := m.Params
	if block != nil && len(block.Params) < len(own) {
		own = block.Params
	}
	for _, q := range own {
		p.Params = append(p.Params, p.param(len(p.Params), q, expr.CoordTensor, slices.Contains(latents, q)))
	}
	for _, q := range m.Params {
		if block != nil && !block.Holds(q) {
			p.Given = append(p.Given, p.param(len(p.Given), q, expr.GivenTensor, false))
		}
	}
	jacobian := p.declare()
	el.Solve = p.solution
	for _, l := range m.Lets {
		p.at = l.Declared()
		p.define(l, false)
		p.Lets[l] = el.Objects[l]
		if p.unchained != nil {
			return latents
		}
	}
	total := c.NewTotal(jacobian)
	for _, t := range m.Terms {
		p.at = t.At
		pt := p.term(t)
		p.Terms = append(p.Terms, pt)
	}
	p.at = dsl.Span{}
	if len(latents) > 0 {
		found := p.transports(latents)
		if len(found) < len(latents) || p.unchained != nil {
			return found
		}
	}
	if p.chainDensity != nil && !p.chainDensity.IsNum(0) {
		total.Add(p.chainDensity)
	}
	for _, t := range p.Terms { // of which maps may have other forms
		total.Add(t.L)
	}
	p.finish(total.Sum())
	return latents
}

// finish makes the density of that of the terms, and what is computed once per draw.
func (p *Posterior) finish(l *expr.Expr) {
	p.L, p.Plain = l, l
	if p.MapJacobian != nil {
		p.L = p.C.Add(l, p.MapJacobian)
	}
	if len(p.Given) == 0 {
		p.quantities()
	}
}

// declare gives the parameters their bounds and values, and returns the log-Jacobian of their transforms.
func (p *Posterior) declare() *expr.Expr {
	c, el := p.C, p.el
	jacobian := c.Number(0)
	for _, l := range p.Model.BoundLets() { // of data: what else names them finds those that are shared, which stand in their place below
		el.Objects[l] = el.Definition(l)
	}
	for _, q := range p.Model.Params { // a bound uses parameters above
		for _, b := range slices.Concat(p.Params, p.Given) {
			if b.Decl == q {
				var at []expr.Sub
				if q.BoundEach() {
					b.each, at = b.ValueIndices(c, "i")
				}
				b.Lo, b.Hi = p.bounds(q, at)
				el.Objects[q] = expr.Value{Shape: q.Type.Shape, Elem: b.Value}
			}
		}
	}
	p.boundsOfValues()
	c.Sharing = true
	for _, b := range append(append([]*Param{}, p.Params...), p.Given...) {
		el.Objects[b.Decl] = expr.Value{Shape: b.Decl.Type.Shape, Elem: b.Value}
		if b.carried != unbounded {
			jacobian = c.Add(jacobian, b.logJacobian(c))
		}
	}
	return jacobian
}

func (p *Posterior) let(l *dsl.Let) expr.Value {
	c := p.C
	if l.Recursion != nil {
		formal := make([]*expr.Index, len(l.Type.Shape))
		for n, x := range dsl.ToFront(l.Recursion, l.Type.Shape) {
			formal[n] = c.NewIndex(partIndex(n), expr.UpTo(x))
		}
		body, _ := p.joined(p.parts(l, formal))
		body = c.Operand(body)
		return expr.Value{Shape: l.Type.Shape, Elem: func(s ...expr.Sub) *expr.Expr { return c.SubstAll(body, formal, dsl.ToFront(l.Recursion, s)) }}
	}
	return p.el.Definition(l)
}

func (p *Posterior) term(t *dsl.Term) *PosteriorTerm {
	c := p.C
	pt := &PosteriorTerm{Term: t}
	if t.Dist == nil {
		pt.L = p.el.Expr(t.Value).At()
		pt.Each = pt.L
		p.sampled(pt)
		return pt
	}
	var loop *expr.Index
	if t.For != nil {
		loop = c.NewIndex(t.For.ObjectName(), t.For.Range)
		p.el.Indices[t.For] = expr.Sub{Index: loop}
	}
	var bound *expr.Expr
	pt.L, bound, pt.Left, pt.Args, pt.Indices = p.el.LogDensity(t)
	pt.Each = c.Bounded(pt.L, bound)
	pt.L, bound = c.SumAll(pt.Indices, pt.L), c.SumAll(pt.Indices, bound)
	if loop != nil {
		pt.L, bound = c.Sum(loop, pt.L), c.Sum(loop, bound)
		pt.Indices = append(pt.Indices, loop)
	}
	pt.L = c.Bounded(pt.L, bound)
	return pt
}

// sampled finds what a term of the density is as a `~` statement, which maps see in its place: where that stands behind conditions that are the same for all observations, as if they held, and of a truncated
// distribution, if that is one of parameters, without its interval, which changes the density by a number that the elements do not have.
func (p *Posterior) sampled(pt *PosteriorTerm) {
	t, over, when := pt.Term.Sampled()
	if t == nil {
		return
	}
	truncated := t.Lo != nil || t.Hi != nil
	if truncated && (t.Dist.Support.Vector() || t.Dist.Support.Discrete()) {
		return
	}
	var loops []*expr.Index
	for _, ix := range over {
		i := p.C.NewIndex(ix.ObjectName(), ix.Range)
		p.el.Indices[ix] = expr.Sub{Index: i}
		loops = append(loops, i)
	}
	for _, condition := range when {
		if e := p.el.Expr(condition).At(); e.Stage() >= expr.StagePosition || slices.ContainsFunc(loops, e.HasFree) {
			return
		}
	}
	whole := *t
	whole.Lo, whole.Hi = nil, nil
	_, _, left, args, indices := p.el.LogDensity(&whole)
	if !truncated || expr.DependsOnCoords(left.At()) {
		pt.sampled, pt.Left, pt.Args, pt.Indices = &whole, left, args, slices.Concat(indices, loops)
	}
}

// FixedSize is the number of coordinates that is known when a model is compiled.
func (p *Posterior) FixedSize() int {
	n := 0
	for _, b := range p.Params {
		n += b.Size().Offset
	}
	return n
}

// firstOrder reports whether a model needs first derivatives only: its metrics are the identity.
func firstOrder(m *dsl.Model) bool {
	for _, b := range m.Blocks {
		for _, t := range b.Metric {
			if t.Kind != dsl.MetricIdentity && t.Kind != dsl.MetricAuto {
				return false
			}
		}
	}
	return true
}
