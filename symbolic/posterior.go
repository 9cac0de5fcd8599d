package symbolic

import (
	"github.com/hamc-dev/hamc/dsl"
)

// Posterior is the elaborated model: one log density in the unconstrained
// coordinates.
type Posterior struct {
	C      *Context
	Model  *dsl.Model
	Data   []*Tensor  // of Model.Data, in order
	Block  *dsl.Block // whose conditional density this is; nil for the joint one
	Params []*Param   // whose coordinates are the position: those of Block in its order, or all
	Given  []*Param   // the others
	Terms  []*PosteriorTerm
	L      *Expr // log density, Jacobian terms included
	Plain  *Expr // L with sums over data as the model has them, for people
	Solves []*Solution
	// Quantities are computed once per draw; those of a model of several blocks
	// belong to the joint density.
	Quantities []*Quantity
	// Priors are the parameters that are drawn from the prior, in that order, and
	// NoPriors those that are not; Derive finds them, of a model as a whole.
	Priors   []*Prior
	NoPriors []NoPrior
	lets     map[*dsl.Let]value
	el       *elaborator
	curved   bool     // solutions have third-order sensitivities
	limited  bool     // the limits of budget.go hold
	spent             // of them: work before this began, and emission
	at       dsl.Span // of the statement that is being elaborated
	claims   []claim  // what the model takes for symmetric
}

// claim is a matrix that the model takes for symmetric.
type claim struct {
	at dsl.Span
	v  value
}

// PosteriorTerm is the elaborated form of one dsl.Term.
type PosteriorTerm struct {
	Term *dsl.Term
	L    *Expr // its log density, summed
	// Of a distribution: the indices that it runs over, the left side and
	// the arguments at those indices.
	indices []*Index
	each    *Expr // the log density there
	Left    value
	Args    []value
}

// Elaborate turns a checked model into the density of one block's parameters
// given the others', or into the joint density of all if the block is nil.
func Elaborate(m *dsl.Model, block *dsl.Block) *Posterior {
	return growing(func(by grain) *Posterior { return elaborate(m, block, false, by) })
}

// elaborate is Elaborate, with the sensitivities that curvature needs if it is asked for.
func elaborate(m *dsl.Model, block *dsl.Block, curved bool, by grain) *Posterior {
	p := &Posterior{}
	p.elaborate(m, block, curved, by)
	return p
}

// elaborate makes p the density of a model, as the function elaborate returns it: p says where it stands if it panics.
func (p *Posterior) elaborate(m *dsl.Model, block *dsl.Block, curved bool, by grain) {
	c := NewContext()
	c.grain = by
	c.Budget = Budget{Limited: p.limited, Allowance: 1, Work: p.work, MaxWork: maxWork}
	if by == coarse {
		c.Budget.MaxWork = min(maxWork, p.work+maxCoarse)
	} else if len(m.Blocks) == 1 {
		c.Budget.MaxWork = max(maxWork, p.work+leastFine)
	}
	if curved {
		c.Budget.Allowance = 4
	}
	el := &elaborator{c: c, objects: map[dsl.Object]value{}, indices: map[*dsl.Index]Sub{}}
	el.claim = func(at dsl.Span, v value) { p.claims = append(p.claims, claim{at, v}) }
	*p = Posterior{C: c, Model: m, Block: block, lets: map[*dsl.Let]value{}, el: el, curved: curved, limited: p.limited, spent: p.spent}
	for _, d := range m.Data {
		t := c.NewTensor(Tensor{Name: d.Name, Kind: DataTensor, Shape: d.Type.Shape, Stage: StageData,
			Positive:  d.IsSize || d.Support.LoNum != nil && (*d.Support.LoNum > 0 || *d.Support.LoNum == 0 && d.Support.LoOpen),
			AtLeast0:  d.Support.LoNum != nil && *d.Support.LoNum >= 0,
			Symmetric: d.Cov})
		c.byName[d.Name] = t
		if d.IsSize {
			c.least[d.Name] = max(1, d.MinSize)
		}
		p.Data = append(p.Data, t)
		el.objects[d] = value{shape: d.Type.Shape, elem: func(s ...Sub) *Expr { return c.Ref(t, s...) }}
	}
	for _, k := range m.Consts {
		el.objects[k] = scalar(c.Number(k.Value))
	}
	own := m.Params
	if block != nil && len(block.Params) < len(own) {
		own = block.Params
	}
	for _, q := range own {
		p.Params = append(p.Params, p.param(len(p.Params), q, CoordTensor))
	}
	for _, q := range m.Params {
		if block != nil && !block.Holds(q) {
			p.Given = append(p.Given, p.param(len(p.Given), q, GivenTensor))
		}
	}
	c.sharing = true
	jacobian := c.Number(0)
	for _, b := range append(append([]*Param{}, p.Params...), p.Given...) {
		el.objects[b.Decl] = value{shape: b.Decl.Type.Shape, elem: b.Value}
		i, s := b.index(c, "i")
		jacobian = c.Add(jacobian, c.sumOver(i, b.logJacobian(c, s)))
	}
	el.solve = p.solution
	for _, l := range m.Lets {
		p.at = l.Declared()
		v := p.let(l)
		p.lets[l] = v
		el.objects[l] = v
	}
	total := c.newTotal(jacobian)
	for _, t := range m.Terms {
		p.at = t.At
		pt := p.term(t)
		p.Terms = append(p.Terms, pt)
		total.add(pt.L)
	}
	p.L = total.sum()
	p.at = dsl.Span{}
	if len(p.Given) == 0 {
		p.quantities()
	}
}

func (p *Posterior) let(l *dsl.Let) value {
	c := p.C
	if len(l.Indices) == 0 {
		return c.remembered(p.el.expr(l.Value))
	}
	formal := make([]*Index, len(l.Indices))
	for i, ix := range l.Indices {
		formal[i] = c.NewIndex(ix.Name, ix.Range)
		p.el.indices[ix] = Sub{Index: formal[i]}
	}
	body := c.operand(p.el.expr(l.Value).at())
	return value{shape: l.Type.Shape, elem: func(s ...Sub) *Expr { return c.substAll(body, formal, s) }}
}

func (p *Posterior) term(t *dsl.Term) *PosteriorTerm {
	c := p.C
	pt := &PosteriorTerm{Term: t}
	if t.Dist == nil {
		pt.L = p.el.expr(t.Value).at()
		pt.each = pt.L
		return pt
	}
	var loop *Index
	if t.For != nil {
		loop = c.NewIndex(t.For.ObjectName(), t.For.Range)
		p.el.indices[t.For] = Sub{Index: loop}
	}
	var bound *Expr
	pt.L, bound, pt.Left, pt.Args, pt.indices = p.el.logDensity(t)
	pt.each = c.bounded(pt.L, bound)
	pt.L, bound = c.sumAll(pt.indices, pt.L), c.sumAll(pt.indices, bound)
	if loop != nil {
		pt.L, bound = c.Sum(loop, pt.L), c.Sum(loop, bound)
		if !t.Dist.Support.Vector() {
			pt.indices = append(pt.indices, loop)
		}
	}
	pt.L = c.bounded(pt.L, bound)
	return pt
}

// constants is the number of coordinates that is known when a model is compiled.
func (p *Posterior) constants() int {
	n := 0
	for _, b := range p.Params {
		n += b.Size().Offset
	}
	return n
}
