package symbolic

import (
	"fmt"

	"github.com/hamc-dev/hamc/dsl"
)

// value is an elaborated expression of the language: a tensor given by its
// elements. Matrix and vector algebra has become indexed sums.
type value struct {
	shape []dsl.Extent
	elem  func(subs ...Sub) *Expr
	name  string // of the definition that the value is, if it is one
}

func (v value) at(subs ...Sub) *Expr { return v.elem(subs...) }

func scalar(e *Expr) value { return value{elem: func(...Sub) *Expr { return e }} }

// elaborator turns syntax into indexed expressions. Names resolve through
// names first (the variables of a formula), then through the checked model.
type elaborator struct {
	c       *Context
	names   map[string]value
	objects map[dsl.Object]value
	indices map[*dsl.Index]Sub
	// solve elaborates the solution of a differential equation, once.
	solve func(*dsl.Solve) *Solution
	// draw draws from a distribution; drawing are the indices whose values it
	// is done for anew.
	draw    func(*dsl.CallExpr, []value) value
	drawing []*Index
	// claim, if not nil, sees what is symmetric and positive definite by the words of the model.
	claim func(at dsl.Span, v value)
	// leaf, if not nil, sees every element of a parameter or definition:
	// inside a differential equation they become inputs of it.
	leaf func(*Expr) *Expr
}

func (el *elaborator) fresh(r dsl.Range, name string) *Index { return el.c.NewIndex(name, r) }

func upTo(x dsl.Extent) dsl.Range { return dsl.Range{Lo: dsl.Fixed(1), Hi: x} }

// expr elaborates an expression.
func (el *elaborator) expr(e dsl.Expr) value {
	c := el.c
	switch e := e.(type) {
	case *dsl.Number:
		return scalar(c.Number(e.Value))
	case *dsl.Name:
		if v, ok := el.names[e.Name]; ok {
			return v
		}
		v := el.objects[e.Obj]
		v.name = e.Name
		switch e.Obj.(type) {
		case *dsl.Param, *dsl.Let:
			if el.leaf != nil {
				at := v.elem
				v.elem = func(s ...Sub) *Expr { return el.leaf(at(s...)) }
			}
		}
		return v
	case *dsl.FieldExpr:
		return el.component(e)
	case *dsl.IndexExpr:
		base := el.expr(e.Base)
		return el.mapped(e.Type().Shape, func(at []Sub) *Expr { return base.at(el.subs(e.Subscripts, &at)...) })
	case *dsl.UnaryExpr:
		x := el.expr(e.X)
		if e.Op == "'" {
			return el.transpose(x)
		}
		return el.mapped(x.shape, func(subs []Sub) *Expr { return c.Neg(x.at(subs...)) })
	case *dsl.BinaryExpr:
		return el.binary(e)
	case *dsl.SumExpr:
		indices := make([]*Index, len(e.Indices))
		for i, d := range e.Indices {
			indices[i] = el.fresh(d.Index.Range, d.Name)
			el.indices[d.Index] = Sub{Index: indices[i]}
		}
		outer := el.drawing
		el.drawing = append(outer[:len(outer):len(outer)], indices...)
		body := el.expr(e.Body).at()
		el.drawing = outer
		for i := len(indices) - 1; i >= 0; i-- {
			body = c.Sum(indices[i], body)
		}
		return scalar(body)
	case *dsl.CallExpr:
		return el.call(e)
	case *dsl.MatrixExpr:
		return el.matrix(e)
	}
	panic(fmt.Sprintf("symbolic: no way to elaborate %T", e))
}

// matrix is a literal: Σ_rc entry·δ[i,r]·δ[j,c] at the subscripts i and j.
func (el *elaborator) matrix(e *dsl.MatrixExpr) value {
	c := el.c
	entry := func(x dsl.Expr) *Expr { return el.expr(x).at() }
	if el.draw != nil {
		// An entry that draws does so once, whatever is read how often.
		entries := map[dsl.Expr]*Expr{}
		for _, row := range e.Rows {
			for _, x := range row {
				entries[x] = el.expr(x).at()
			}
		}
		entry = func(x dsl.Expr) *Expr { return entries[x] }
	}
	return value{shape: e.Type().Shape, elem: func(s ...Sub) *Expr {
		total := c.Number(0)
		for i, row := range e.Rows {
			for j, x := range row {
				total = c.Add(total, c.Mul(entry(x), c.Delta(s[0], Sub{At: dsl.Fixed(i + 1)}), c.Delta(s[1], Sub{At: dsl.Fixed(j + 1)})))
			}
		}
		return total
	}}
}

func (el *elaborator) mapped(shape []dsl.Extent, f func(subs []Sub) *Expr) value {
	if len(shape) == 0 {
		return scalar(f(nil))
	}
	return value{shape: shape, elem: func(subs ...Sub) *Expr { return f(subs) }}
}

func (el *elaborator) transpose(x value) value {
	return value{shape: []dsl.Extent{x.shape[1], x.shape[0]},
		elem: func(s ...Sub) *Expr { return x.at(s[1], s[0]) }}
}

// pick returns the element of a value that is broadcast over subs.
func pick(v value, subs []Sub) *Expr {
	if len(v.shape) == 0 {
		return v.at()
	}
	return v.at(subs...)
}

func (el *elaborator) binary(e *dsl.BinaryExpr) value {
	c := el.c
	x, y := el.expr(e.X), el.expr(e.Y)
	shape := x.shape
	if len(shape) == 0 {
		shape = y.shape
	}
	over := func(f func(a, b *Expr) *Expr) value {
		return el.mapped(shape, func(subs []Sub) *Expr { return f(pick(x, subs), pick(y, subs)) })
	}
	switch e.Op {
	case "+":
		return over(func(a, b *Expr) *Expr { return c.Add(a, b) })
	case "-":
		return over(c.Sub)
	case ".*":
		return over(func(a, b *Expr) *Expr { return c.Mul(a, b) })
	case "/", "./":
		return over(c.Div)
	case "^", ".^":
		return over(func(a, b *Expr) *Expr { return c.Call("pow", a, b) })
	}
	// Matrix product.
	if len(x.shape) == 0 || len(y.shape) == 0 {
		return over(func(a, b *Expr) *Expr { return c.Mul(a, b) })
	}
	inner := upTo(y.shape[0])
	if len(y.shape) == 1 {
		return value{shape: x.shape[:1], elem: func(s ...Sub) *Expr {
			j := el.fresh(inner, "j")
			return c.Sum(j, c.Mul(x.at(s[0], Sub{Index: j}), y.at(Sub{Index: j})))
		}}
	}
	return value{shape: []dsl.Extent{x.shape[0], y.shape[1]}, elem: func(s ...Sub) *Expr {
		j := el.fresh(inner, "j")
		return c.Sum(j, c.Mul(x.at(s[0], Sub{Index: j}), y.at(Sub{Index: j}, s[1])))
	}}
}

func (el *elaborator) call(e *dsl.CallExpr) value {
	c := el.c
	if e.Func == "delta" {
		at := el.subs(e.Subscripts, nil)
		return scalar(c.Delta(at[0], at[1]))
	}
	if e.Density != nil {
		l, g, _, _, indices := el.logDensity(e.Density)
		return scalar(c.bounded(c.sumAll(indices, l), c.sumAll(indices, g)))
	}
	args := make([]value, len(e.Args))
	var shape []dsl.Extent
	for i, a := range e.Args {
		args[i] = el.expr(a.Expr)
		if len(args[i].shape) > 0 {
			shape = args[i].shape
		}
	}
	if e.Draws != nil {
		return el.draw(e, args)
	}
	switch e.Func {
	case "size":
		return scalar(c.Extent(args[0].shape[0]))
	case "sum", "mean":
		return el.total(e.Func, args[0])
	case "dot":
		i := el.fresh(upTo(args[0].shape[0]), "i")
		return scalar(c.Sum(i, c.Mul(args[0].at(Sub{Index: i}), args[1].at(Sub{Index: i}))))
	case "diag":
		n := args[0].shape[0]
		return value{shape: []dsl.Extent{n, n}, elem: func(s ...Sub) *Expr {
			return c.Mul(args[0].at(s[0]), c.Delta(s[0], s[1]))
		}}
	case "transpose":
		return el.transpose(args[0])
	case "lower_half": // the lower triangle, and half of the diagonal
		own := c.slots(args[0].shape)
		i, j := Sub{Index: own[0]}, Sub{Index: own[1]}
		half := c.enclosed(c.Add(c.Before(j, i), c.Scale(0.5, c.Delta(i, j))), false)
		return value{shape: args[0].shape, elem: func(s ...Sub) *Expr {
			return c.Mul(c.Ref(half.Tensor, s...), args[0].at(s...))
		}}
	case "trace":
		i := el.fresh(upTo(args[0].shape[0]), "i")
		return scalar(c.Sum(i, args[0].at(Sub{Index: i}, Sub{Index: i})))
	}
	if op := operatorOf(e.Func); op != nil {
		if op.Definite && el.claim != nil {
			el.claim(e.Args[0].Expr.Span(), args[0])
		}
		return c.apply(op, args...)
	}
	return el.mapped(shape, func(subs []Sub) *Expr {
		xs := make([]*Expr, len(args))
		for i := range args {
			xs[i] = pick(args[i], subs)
		}
		return c.Call(e.Func, xs...)
	})
}

func (el *elaborator) total(name string, x value) value {
	c := el.c
	subs := make([]Sub, len(x.shape))
	indices := make([]*Index, len(x.shape))
	for d := range x.shape {
		indices[d] = el.fresh(upTo(x.shape[d]), []string{"i", "j"}[d])
		subs[d] = Sub{Index: indices[d]}
	}
	e := x.at(subs...)
	for d := len(indices) - 1; d >= 0; d-- {
		e = c.Sum(indices[d], e)
	}
	if name == "mean" {
		e = c.Div(e, c.Extent(x.shape[0]))
	}
	return scalar(e)
}

// Param is a parameter: its coordinates and what they mean.
type Param struct {
	Decl      *dsl.Param
	Coord     *Tensor
	Transform *Transform
	Lo, Hi    *Expr // of the support, where bounded
	c         *Context
	values    *Tensor // those of an opaque transform
}

// Value returns the value at subscripts, on the parameter's own scale.
func (b *Param) Value(subs ...Sub) *Expr {
	if b.values != nil {
		return b.c.Ref(b.values, subs...)
	}
	return b.Transform.Value(b.c, b, subs)
}

// Size returns the number of coordinates.
func (b *Param) Size() dsl.Extent { return extentOf(b.Coord.Shape) }

// Length returns the number of values: that of the coordinates, or more.
func (b *Param) Length() dsl.Extent { return extentOf(b.Decl.Type.Shape) }

// extentOf is the number of elements of a scalar or a vector.
func extentOf(shape []dsl.Extent) dsl.Extent {
	if len(shape) == 0 {
		return dsl.Fixed(1)
	}
	return shape[0]
}

// Scalar reports whether the parameter is a scalar.
func (b *Param) Scalar() bool { return len(b.Decl.Type.Shape) == 0 }

// index returns a fresh index over the coordinates, and the subscripts it makes: no
// subscript for a scalar.
func (b *Param) index(c *Context, name string) (*Index, []Sub) {
	return indexOver(c, name, b.Coord.Shape)
}

// valueIndex is index over the values.
func (b *Param) valueIndex(c *Context, name string) (*Index, []Sub) {
	return indexOver(c, name, b.Decl.Type.Shape)
}

func indexOver(c *Context, name string, shape []dsl.Extent) (*Index, []Sub) {
	if len(shape) == 0 {
		return nil, nil
	}
	i := c.NewIndex(name, upTo(shape[0]))
	return i, []Sub{{Index: i}}
}

// sumOver returns Σ over the block's index, or the body itself for a scalar.
func (c *Context) sumOver(i *Index, body *Expr) *Expr {
	if i == nil {
		return body
	}
	return c.Sum(i, body)
}

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

func (p *Posterior) elaborate(m *dsl.Model, block *dsl.Block, curved bool, by grain) {
	c := NewContext()
	c.grain = by
	c.limited, c.allowance, c.work, c.maxWork = p.limited, 1, p.work, maxWork
	if by == coarse {
		c.maxWork = min(maxWork, p.work+maxCoarse)
	} else if len(m.Blocks) == 1 {
		c.maxWork = max(maxWork, p.work+leastFine)
	}
	if curved {
		c.allowance = 4
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

// param makes parameter n of its kind, with its coordinates.
func (p *Posterior) param(n int, q *dsl.Param, kind TensorKind) *Param {
	c := p.C
	stage := StagePosition
	if kind == GivenTensor {
		stage = StageGiven
	}
	b := &Param{Decl: q, Transform: transformOf(q), c: c}
	b.Coord = c.NewTensor(Tensor{Name: q.Name, Kind: kind, Shape: q.Coordinates(), Stage: stage, Row: n})
	if x := b.Size(); x.Name != "" && kind == CoordTensor {
		c.small[x.Name] = true
	}
	if q.Support.Lo != nil {
		b.Lo = p.el.expr(q.Support.Lo).at()
	}
	if q.Support.Hi != nil {
		b.Hi = p.el.expr(q.Support.Hi).at()
	}
	if b.Transform.Opaque {
		_, s := b.valueIndex(c, "i")
		body, formal := c.close(b.Value(s...))
		b.values = c.NewTensor(Tensor{Name: q.Name, Kind: SharedTensor, Shape: q.Type.Shape, Stage: stage, Positive: c.Sign(body) == Positive,
			Label: b.Transform.Name + "(" + q.Name + ")"})
		b.values.Def = &Def{Tensor: b.values, Indices: formal, Body: body}
	}
	return b
}

// reported is the value as draws show it: lo + (hi − lo)·1 may round to a number
// beyond hi.
func (b *Param) reported(c *Context, s ...Sub) *Expr {
	v := b.Value(s...)
	if !b.Transform.Rounds || b.Lo.Op == Num && b.Hi.Op == Num && b.Lo.Val+(b.Hi.Val-b.Lo.Val) == b.Hi.Val {
		return v
	}
	return c.Call("at_most", v, b.Hi)
}

// logJacobian returns what one coordinate contributes to log |dx/du|.
func (b *Param) logJacobian(c *Context, s []Sub) *Expr {
	b.coordinate(c, s) // the order of sums follows the age of nodes: that of the declarations
	return b.Transform.LogJacobian(c, b, s)
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

// remembered is a value whose elements are made once for all that is made of them.
func (c *Context) remembered(v value) value {
	at, known := v.elem, map[[2]Sub]*Expr{}
	v.elem = func(s ...Sub) *Expr {
		var key [2]Sub
		copy(key[:], s)
		e, ok := known[key]
		if !ok {
			e = c.operand(at(s...))
			known[key] = e
		}
		return e
	}
	return v
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

// bounded is e where the bound is 0, and −∞ where that is: also where e is not
// defined.
func (c *Context) bounded(e, bound *Expr) *Expr {
	if bound.IsNum(0) {
		return e
	}
	return c.Call("bounded", e, bound)
}

// logDensity elaborates the log density of a term at one value of the indices
// that its left side runs over, where it is defined, with what bounds it to there, the
// left side and the arguments.
func (el *elaborator) logDensity(t *dsl.Term) (e, bound *Expr, left value, args []value, indices []*Index) {
	c := el.c
	left = el.expr(t.Left)
	for n, a := range t.Args {
		args = append(args, el.expr(a))
		if t.Dist.Args[n].Domain == dsl.Covariance && el.claim != nil {
			el.claim(a.Span(), args[n])
		}
	}
	if t.Dist.Support.Vector() {
		bound = c.Number(0)
		for n, a := range args {
			if t.Dist.Args[n].Domain == dsl.VectorPositive {
				i := c.NewIndex("i", upTo(a.shape[0]))
				if x := a.at(Sub{Index: i}); c.Sign(x) != Positive {
					bound = c.Add(bound, c.Sum(i, c.Call("log_positive", x)))
				}
			}
		}
		return c.formulaValue(t.Dist, t.Dist.LogDensity, left, args).at(), bound, left, args, nil
	}
	subs := make([]Sub, len(left.shape))
	indices = make([]*Index, len(subs))
	for d := range subs {
		indices[d] = c.NewIndex([]string{"i", "j"}[d], upTo(left.shape[d]))
		subs[d] = Sub{Index: indices[d]}
	}
	left = scalar(pick(left, subs))
	for n, a := range args {
		args[n] = scalar(pick(a, subs))
	}
	e = c.formulaValue(t.Dist, t.Dist.LogDensity, left, args).at()
	return e, c.outsideOf(t, left, args), left, args, indices
}

// sumAll returns the sum over several indices.
func (c *Context) sumAll(indices []*Index, e *Expr) *Expr {
	for d := len(indices) - 1; d >= 0; d-- {
		e = c.Sum(indices[d], e)
	}
	return e
}

// outsideOf is −∞ where the left side or an argument of a term leaves the range
// that its distribution is defined on, and 0 elsewhere: nothing is added where
// the declarations already exclude that.
func (c *Context) outsideOf(t *dsl.Term, y value, args []value) *Expr {
	total := c.Number(0)
	positive := func(e *Expr) {
		if c.Sign(e) != Positive {
			total = c.Add(total, c.Call("log_positive", e))
		}
	}
	nonNegative := func(e *Expr) {
		if c.Sign(e) == UnknownSign {
			total = c.Add(total, c.Call("log_nonnegative", e))
		}
	}
	left := y.at()
	// A datum is checked when it arrives, a parameter's bounds when the
	// model is.
	if !declared(t.Left) || t.Dist.Support == dsl.Between && !dependsOnCoords(left) {
		switch t.Dist.Support {
		case dsl.Positive:
			positive(left)
		case dsl.UnitOpen:
			positive(left)
			positive(c.Sub(c.Number(1), left))
		case dsl.Between:
			positive(c.Sub(left, args[0].at()))
			positive(c.Sub(args[1].at(), left))
		case dsl.Binary:
			positive(c.Add(left, c.Number(0.5)))
			positive(c.Sub(c.Number(1.5), left))
		case dsl.UpTo:
			positive(c.Add(left, c.Number(0.5)))
			positive(c.Add(c.Sub(args[0].at(), left), c.Number(0.5)))
		}
	}
	for n, a := range args {
		switch t.Dist.Args[n].Domain {
		case dsl.Positive:
			positive(a.at())
		case dsl.NonNegative:
			nonNegative(a.at())
		case dsl.UnitOpen:
			positive(a.at())
			positive(c.Sub(c.Number(1), a.at()))
		case dsl.UnitClosed:
			nonNegative(a.at())
			nonNegative(c.Sub(c.Number(1), a.at()))
		}
	}
	return total
}

// declared reports whether an expression is a datum or a parameter, alone or
// by an element.
func declared(e dsl.Expr) bool {
	if ix, ok := e.(*dsl.IndexExpr); ok {
		e = ix.Base
	}
	n, ok := e.(*dsl.Name)
	if !ok {
		return false
	}
	switch n.Obj.(type) {
	case *dsl.Data, *dsl.Param:
		return true
	}
	return false
}

// formulaValue elaborates a formula of the distribution table.
func (c *Context) formulaValue(d *dsl.Distribution, text string, y value, args []value) value {
	env := map[string]value{"y": y}
	for i, a := range d.Args {
		env[a.Name] = args[i]
	}
	el := &elaborator{c: c, names: env, indices: map[*dsl.Index]Sub{}}
	return el.expr(c.parsed(text))
}
