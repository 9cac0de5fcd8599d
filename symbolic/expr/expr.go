// Package expr is the calculus of the compiler: indexed expressions (Ricci
// notation), their canonical form, their derivatives.
//
// An expression is a hash-consed node of a Context: two expressions that are
// equal up to the order of their operands and the names of bound indices are
// the same pointer. Nothing unrolls over data: a sum over an index is one
// node, whatever the size of its range.
//
// The constructors keep expressions in canonical form: sums and products are
// flat and sorted, numbers folded, like terms and like factors collected, sums
// over an index linear and free of what does not depend on it, deltas
// eliminated.
//
// What an expression is: expr.go, index.go, definition.go, solution.go, in a Context (context.go). How one is made:
// from the language in translate.go, condition.go, logsumexp.go and density.go; by add.go, multiply.go, sum.go, triangle.go, indicator.go,
// guards.go, gather.go (subscripts taken from data). Tables: functions.go, rewrites.go, operator.go (factors, inverses, solutions of
// matrices). What is done to one: diff.go (forward derivatives), subst.go, collect.go, equal.go, bands.go,
// recursion.go (what is made of elements of its own),
// fold.go and fit.go (sufficient statistics), share.go (shared definitions of large models), cost.go, print.go. limits.go
// says how large a model may become.
package expr

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/hamc-dev/hamc/dsl"
)

// Stage is a binding time: the earliest moment at which a value is known.
type Stage uint8

// The stages, in order.
const (
	StageConst    Stage = iota // at compile time
	StageData                  // when data arrive
	StageGiven                 // when the parameters of the other blocks are set
	StagePosition              // at a position q
	StageMomentum              // at a position and a momentum (or weight)
	StageDraw                  // of a draw: what its generated quantities hold
)

func (s Stage) String() string {
	return [...]string{"const", "data", "given", "position", "momentum", "draw"}[s]
}

// TensorKind tells what a tensor stands for.
type TensorKind uint8

// The kinds of tensor.
const (
	DataTensor   TensorKind = iota // a datum; scalar ints are sizes too
	CoordTensor                    // a parameter's unconstrained coordinates
	GivenTensor                    // those of a parameter of another block
	WeightTensor                   // a block W[P,Q] of a symmetric weight
	VelocityTensor
	DefTensor       // defined by an expression
	SharedTensor    // a shared definition, before lowering: see share.go
	QuantityTensor  // a generated quantity, defined by an expression
	PriorTensor     // a parameter on its own scale, in a draw from the prior: defined by it, or known before
	RecursionTensor // an array whose elements are made of others of its own: see recursion.go
	PartTensor      // a part of a family of arrays that an operator computes together: see family.go
	InnerTensor     // what has a value only while a family is computed
	FactorOf        // Cholesky factor of a symmetric matrix, which no expression reads by elements: see operator.go
	PositionsOf     // integer data as positions: see Sub.Data
	LocalTensor     // a local variable of emitted code
	OutputTensor    // where emitted code writes a result
	WildTensor      // a variable of a rewrite pattern, or a derivative that is not known
)

// Tensor is a named array of numbers; scalars have no shape.
type Tensor struct {
	Name      string
	Kind      TensorKind
	Shape     []dsl.Extent
	Stage     Stage
	Positive  bool    // every element is > 0
	AtLeast0  bool    // every element is ≥ 0
	Binary    bool    // every element is 0 or 1
	Symmetric bool    // under exchange of the last two subscripts
	Label     string  // of a SharedTensor: what formulas call it; "" if they say what it stands for
	Whole     bool    // of a shared tensor, or the definition that it came to: a product of matrices, whose derivatives are computed as wholes too
	Atom      bool    // of a SharedTensor, and of the definition that comes of it: an array that nothing looks into, as is the derivative by it in a reverse sweep
	Columns   bool    // of a definition: a matrix of data, a regressor in each column, that is read in products alone
	Source    *Tensor // of PositionsOf
	Root      *Tensor // of a matrix L L': the lower triangular L

	// Values is the range of the elements, of a PositionsOf.
	Values dsl.Range

	// Row and Col are the parameter blocks of a weight; Row that of a
	// coordinate, velocity or draw from the prior.
	Row, Col int

	Def   *Def    // of a DefTensor, SharedTensor, RecursionTensor or QuantityTensor, or a PriorTensor that is drawn
	Part  *Part   // of a PartTensor
	Own   *Family // of what stands for an input of a family at one value of its outer index
	Lacks *Family // of a WildTensor: whose derivative is not known; nil of a function's
	id    int
}

// ID returns the number of t in its context, from 0.
func (t *Tensor) ID() int { return t.id }

// Index is an index variable. Canonical indices are interned by range and
// level; they occur only bound.
type Index struct {
	Name  string
	Range dsl.Range
	level int // > 0: canonical
	uid   int
}

// Sub is one subscript: Index + Offset; Data + Offset, where Data is an element
// of integer data (a PositionsOf), whose value is the position; or the fixed
// position At.
type Sub struct {
	Index  *Index
	Data   *Expr
	Offset int
	At     dsl.Extent
}

// IsFixed reports whether s is a fixed position.
func (s Sub) IsFixed() bool { return s.Index == nil && s.Data == nil }

// ends returns the least and the greatest position that s may name.
func (s Sub) ends() dsl.Range {
	r := dsl.Range{Lo: s.At, Hi: s.At}
	switch {
	case s.Index != nil:
		r = s.Index.Range
	case s.Data != nil:
		r = s.Data.Tensor.Values
	}
	return dsl.Range{Lo: r.Lo.Plus(s.Offset), Hi: r.Hi.Plus(s.Offset)}
}

// End returns the greatest position that s may name.
func (s Sub) End() dsl.Extent { return s.ends().Hi }

// Carries reports whether the position depends on an index.
func (s Sub) Carries(i *Index) bool {
	return s.Index == i && i != nil || s.Data != nil && s.Data.HasFree(i)
}

// free returns the indices that the position depends on.
func (s Sub) free() []*Index {
	switch {
	case s.Index != nil:
		return []*Index{s.Index}
	case s.Data != nil:
		return s.Data.free
	}
	return nil
}

func (s Sub) String() string {
	name := s.At.String()
	switch {
	case s.Index != nil:
		name = s.Index.Name
	case s.Data != nil:
		name = Format(s.Data)
	}
	switch {
	case s.Offset > 0:
		return fmt.Sprintf("%s+%d", name, s.Offset)
	case s.Offset < 0:
		return fmt.Sprintf("%s-%d", name, -s.Offset)
	}
	return name
}

// Op is the kind of a node.
type Op uint8

// The kinds of node.
const (
	Num          Op = iota // a number: Val
	Ref                    // Tensor[Subs]
	Add                    // Val + Σ K[i]·Args[i]
	Mul                    // Val · Π Args[i]^K[i]
	Call                   // Func(Args)
	Sum                    // Σ_Index Args[0]
	Largest                // max_Index Args[0], a constant to derivatives: what it stands in does not depend on it
	Delta                  // Kronecker's delta of Subs[0] and Subs[1]
	Inside                 // 1 if Subs[0] lies in Range, else 0
	Before                 // 1 if Subs[0] < Subs[1], else 0
	Draw                   // a random number from Dist(Args): the body of a definition, and no part of it; two Args more are the ends of an interval that truncates it
	Apply                  // the value of an operator: the body of a definition, and no part of it
	LeastSquares           // a part of a fit, that of the definition of Tensor, from the arrays Args: the body of a definition, and no part of it
)

// Expr is a node. Nodes are immutable and belong to one Context.
type Expr struct {
	Op     Op
	Val    float64
	K      []float64 // coefficients of Add, exponents of Mul
	Args   []*Expr
	Tensor *Tensor // of Ref; of a Draw of vectors, the factor of the covariance
	Subs   []Sub
	Func   *Func
	Dist   *dsl.Distribution // of Draw
	Apply  *Application
	Index  *Index
	Range  dsl.Range

	id    int
	free  []*Index // free indices, by uid
	level int      // highest level of a bound index
	stage Stage

	gather bool // a subscript is taken from data
	called bool // a function of the position is called
	placed bool // a delta or an indicator is part of it
	// tree counts the nodes of e written out as a tree, factors the factors of its
	// longest product with what the factors hold; both stop at large numbers.
	tree, factors int32
	sign          Sign // what Sign found, once it is known
	signed        bool
	cost          float64 // what nodeCost found, plus 1; 0 where it is not known yet
}

// DrawsVector reports whether e draws all elements of a vector together.
func (e *Expr) DrawsVector() bool { return e.Op == Draw && e.Dist.Support.Vector() }

// Stage returns the binding time of e.
func (e *Expr) Stage() Stage { return e.stage }

// Free returns the free indices of e, in order of creation.
func (e *Expr) Free() []*Index { return e.free }

// IsNum reports whether e is the number v.
func (e *Expr) IsNum(v float64) bool { return e.Op == Num && e.Val == v }

// Gathers reports whether a subscript in e is taken from data.
func (e *Expr) Gathers() bool { return e.gather }

// Placed reports whether a delta or an indicator is part of e.
func (e *Expr) Placed() bool { return e.placed }

// HasFree reports whether e depends on an index.
func (e *Expr) HasFree(i *Index) bool {
	for _, f := range e.free {
		if f == i {
			return true
		}
	}
	return false
}

// SumOrder returns the order in which the terms of a sum are added up: as they are, but that
// what is known early follows the first parameter that it may cancel. In z − a − d, where a is
// near z, a + d would round at the size of a. Where the largest of a recursion's terms is taken from one of them, the order is that of the
// tensors, and it comes last: exp(a + d − max) rounds the same at all subscripts, in a recursion and in its adjoint, so that the weights of a
// softmax add up to one however large a is.
func SumOrder(e *Expr) []int {
	order := make([]int, len(e.Args))
	if slices.ContainsFunc(e.Args, isLargest) {
		for n := range order {
			order[n] = n
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(e.Args[a].rank(), e.Args[b].rank()) })
		return order
	}
	first := -1
	for n, a := range e.Args {
		order[n] = n
		if first < 0 && a.Op == Ref && a.stage >= StagePosition {
			first = n
		}
	}
	if first < 0 {
		return order
	}
	for n := first + 2; n < len(e.Args); n++ {
		if e.Args[n].stage < StagePosition && e.K[n] == -e.K[first] {
			copy(order[first+2:n+1], order[first+1:n])
			order[first+1] = n
			break
		}
	}
	return order
}

// isLargest reports whether e is an element of a recursion that holds the largest of terms.
func isLargest(e *Expr) bool {
	return e.Op == Ref && e.Tensor.Def != nil && e.Tensor.Def.Recursion != nil && e.Tensor.Def.Body != nil && !e.Tensor.Passes()
}

// rank orders the terms of a sum by the tensors that they are made of, whatever their subscripts.
func (e *Expr) rank() int {
	if isLargest(e) {
		return math.MaxInt
	}
	n := 0
	Refs(e, func(r *Expr) { n += 1 + r.Tensor.id })
	return n
}

// Number returns the constant v.
func (c *Context) Number(v float64) *Expr {
	if v == 0 {
		v = 0 // no negative zero
	}
	return c.Intern(Expr{Op: Num, Val: v})
}

// Ref returns the element t[subs].
func (c *Context) Ref(t *Tensor, subs ...Sub) *Expr {
	if m := len(subs) - 2; t.Symmetric && m >= 0 && subLess(subs[m+1], subs[m]) {
		subs = append(slices.Clone(subs[:m]), subs[m+1], subs[m]) // outer subscripts of an operator's value stay in front
	}
	return c.Intern(Expr{Op: Ref, Tensor: t, Subs: subs})
}

// subLess orders subscripts, to give symmetric tensors and deltas one form.
func subLess(a, b Sub) bool {
	rank := func(s Sub) int {
		switch {
		case s.Index != nil:
			return 0
		case s.Data != nil:
			return 1
		}
		return 2
	}
	switch {
	case rank(a) != rank(b):
		return rank(a) < rank(b)
	case a.Data != b.Data:
		return a.Data.id < b.Data.id
	case a.IsFixed():
		if a.At.Name != b.At.Name {
			return a.At.Name < b.At.Name
		}
		return a.At.Offset < b.At.Offset
	case a.Index != b.Index:
		return a.Index.uid < b.Index.uid
	}
	return a.Offset < b.Offset
}

func without[T any](s []T, n int) []T {
	out := make([]T, 0, len(s)-1)
	out = append(out, s[:n]...)
	return append(out, s[n+1:]...)
}

// Extent returns a symbolic size as an expression.
func (c *Context) Extent(x dsl.Extent) *Expr {
	if x.Name == "" {
		return c.Number(float64(x.Offset))
	}
	if factors := x.Factors(); factors != nil {
		all := c.Number(1)
		if x.Halved() {
			all = c.Number(0.5)
		}
		for _, f := range factors {
			all = c.Mul(all, c.Extent(f))
		}
		return c.Add(all, c.Number(float64(x.Offset)))
	}
	return c.Linear(float64(x.Offset), []float64{1}, []*Expr{c.Ref(c.ByName[x.Name])})
}

// Size returns the number of values of a range.
func (c *Context) Size(r dsl.Range) *Expr {
	if r.Lo.Name == r.Hi.Name {
		return c.Number(float64(max(0, r.Hi.Offset-r.Lo.Offset+1)))
	}
	return c.Linear(1, []float64{1, -1}, []*Expr{c.Extent(r.Hi), c.Extent(r.Lo)})
}
