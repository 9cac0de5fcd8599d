package expr

import "github.com/hamc-dev/hamc/dsl"

// Families. The value of an operator may be several arrays that are computed together, as the solution of a differential equation and its
// sensitivities are: a family. To the calculus its parts are opaque tensors. They depend on the position by way of inputs alone, quantities that
// the family takes from outside, and the row of the operator says what the derivative of a part by an input is (Joint.Partial). Forward
// derivatives are the chain rule over the inputs (diff.go), and the reverse sweep is its transpose (adjoint.go of symbolic).
//
// Some parts are derivatives of others. Their order is the number of inputs that they are derivatives by: a family is computed up to an
// order, with all parts of lower ones.

// Family is a value of several parts.
type Family struct {
	Operator *Operator
	Name     string   // in messages
	Inputs   []*Input // in the order in which they were met
	Parts    []*Part  // by order
	Index    *Index   // over the elements of a part, which are a vector
	Outer    *Index   // a family of families, one for each value: a part is a matrix, and inputs are vectors; else nil
	Local    []*Input // what is known before sampling and differs from one value of the outer index to the next
	Own      any      // what only the functions of the row know
}

// Input is a quantity that depends on the parameters and enters a family.
type Input struct {
	Raw    *Expr   // in terms of the coordinates, and of the outer index
	Symbol *Tensor // what stands for it in the family's formulas: a definition, a number
}

// OuterIndices are those of the inputs.
func (f *Family) OuterIndices() []*Index {
	if f.Outer == nil {
		return nil
	}
	return []*Index{f.Outer}
}

// Indices are those of the parts.
func (f *Family) Indices() []*Index { return append(f.OuterIndices(), f.Index) }

func shapeOf(indices []*Index) (shape []dsl.Extent) {
	for _, i := range indices {
		shape = append(shape, i.Range.Hi)
	}
	return shape
}

// RawAt is an input for an element of a part, which stands at subscripts.
func (f *Family) RawAt(c *Context, u *Input, at []Sub) *Expr {
	if f.Outer == nil {
		return u.Raw
	}
	return c.Subst(u.Raw, f.Outer, at[0])
}

// Part is one of the arrays of a family.
type Part struct {
	Of     *Family
	Pos    int   // in Of.Parts
	Base   int   // the position of the part that it is a derivative of; its own, if it is none
	By     []int // the inputs that it is a derivative by, descending
	Given  *Expr // at Index, of a part that others give and that is computed behind those; nil of the others
	Row    int   // its place among the parts that are given, or among those that are not
	Tensor *Tensor
}

// Order is that of the derivative: 0 for a part that is none.
func (p *Part) Order() int { return len(p.By) }

// Derivative returns the derivative of a part by an input, at subscripts.
func (p *Part) Derivative(c *Context, input int, at []Sub) *Expr {
	if d := p.Of.Operator.Joint.Partial(c, p, input, at); d != nil {
		return d
	}
	return c.notDifferentiable(p.Of)
}

// Formulas are the expressions that the parts up to an order are computed from, beside the inputs.
func (f *Family) Formulas(order int) []*Expr {
	var out []*Expr
	for _, e := range f.Operator.Joint.Formulas(f, order) {
		out = append(out, *e)
	}
	for _, p := range f.Parts {
		if p.Given != nil && p.Order() <= order {
			out = append(out, p.Given)
		}
	}
	return out
}

// Lower puts what lower makes of the formulas in their place.
func (f *Family) Lower(lower func(*Expr) *Expr) {
	for _, e := range f.Operator.Joint.Formulas(f, f.Parts[len(f.Parts)-1].Order()) {
		*e = lower(*e)
	}
}

// Cost is the work of computing the parts up to an order.
func (f *Family) Cost(order int) Cost {
	var shapes [][]dsl.Extent
	for _, p := range f.Parts {
		if p.Order() <= order && p.Given == nil {
			shapes = append(shapes, p.Tensor.Shape)
		}
	}
	c := NewCost()
	c.Ops.add(f.Operator.Cost(shapes))
	return c
}

// Evaluation is what the parts of a family are computed with.
type Evaluation struct {
	Values func(t *Tensor) []float64    // the elements of a tensor
	Code   func(e *Expr) func() float64 // the value of an expression, in terms of those
	// Inner computes the definitions behind formulas that have values only while the family is computed, and Own those that have one for
	// each value of its outer index.
	Inner  func(formulas []*Expr) func()
	Own    func(f *Family, formulas []*Expr) func()
	Extent func(dsl.Extent) int // the value of a size
	// Over calls f at each value of an index.
	Over func(i *Index, f func(n int))
	// Integrate solves a differential equation: the components out[i][n] at times[n], from y0 at t0. They are NaN where that fails.
	Integrate Integrator
}

// Integrator solves a differential equation.
type Integrator func(out [][]float64, rhs func(dy, y []float64, t float64), y0 []float64, t0 float64, times []float64)

// ReadsPart reports whether an expression reads a part of a family.
func ReadsPart(e *Expr) bool {
	found := false
	Refs(e, func(r *Expr) { found = found || r.Tensor.Part != nil })
	return found
}

// notDifferentiable stands for a derivative that is not known: of a part of a family or, if that is nil, of a function.
func (c *Context) notDifferentiable(of *Family) *Expr {
	return c.Ref(c.NewTensor(Tensor{Name: notDifferentiable, Kind: WildTensor, Stage: StageMomentum, Lacks: of}))
}

const notDifferentiable = "not_differentiable"

// unknown reports whether a tensor stands for a derivative that is not known.
func (t *Tensor) unknown() bool { return t.Kind == WildTensor && t.Name == notDifferentiable }
