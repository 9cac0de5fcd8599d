// Package symbolic is the calculus of the compiler: indexed expressions
// (Ricci notation), their derivatives, the metrics derived from a density, and
// the indexed program that the code generator stages and prints.
//
// An expression is a hash-consed node of a Context: two expressions that are
// equal up to the order of their operands and the names of bound indices are
// the same pointer. Nothing unrolls over data: a sum over an index is one
// node, whatever the size of its range.
//
// The files follow the data: expr.go (nodes), construct.go (the canonical
// form), functions.go and rewrites.go (tables), diff.go (forward derivatives),
// elaborate.go (checked model → log density), share.go (shared definitions of large
// models), budget.go (limits), metric.go (metrics), fold.go and fit.go
// (sufficient statistics), program.go (definitions, stages and the
// reverse sweep), generate.go (generated quantities), prior.go (draws from the prior), positivity.go (proofs), derive.go (all of it together), evaluate.go (the oracle),
// gather.go (subscripts taken from data), operator.go (inverses, factors, solutions), cost.go, print.go.
package symbolic

import (
	"encoding/binary"
	"fmt"
	"math"
	"sort"
	"strconv"

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
	DefTensor      // defined by an expression
	SharedTensor   // a shared definition, before lowering: see share.go
	QuantityTensor // a generated quantity, defined by an expression
	PriorTensor    // a parameter on its own scale, in a draw from the prior: defined by it, or known before
	SolutionTensor // a component of the solution of a differential equation, or a sensitivity of it, over the times
	StateTensor    // a state, or a sensitivity of it, inside the right side of a differential equation
	TimeTensor     // the time there
	FactorOf       // Cholesky factor of a symmetric matrix, which no expression reads by elements: see operator.go
	PositionsOf    // integer data as positions: see Sub.Data
	LocalTensor    // a local variable of emitted code
	OutputTensor   // where emitted code writes a result
	wildTensor     // a variable of a rewrite pattern, or a derivative that is not known
	unsolvedTensor // a sensitivity beyond the orders that are integrated, of the solution of that name
)

// Tensor is a named array of numbers; scalars have no shape.
type Tensor struct {
	Name      string
	Kind      TensorKind
	Shape     []dsl.Extent
	Stage     Stage
	Positive  bool // every element is > 0
	AtLeast0  bool // every element is ≥ 0
	Symmetric bool
	Label     string  // of a SharedTensor: what formulas call it; "" if they say what it stands for
	Whole     bool    // of a SharedTensor: a product of matrices, whose derivatives are computed as wholes too
	Source    *Tensor // of PositionsOf

	// Values is the range of the elements, of a PositionsOf.
	Values dsl.Range

	// Row and Col are the parameter blocks of a weight; Row that of a
	// coordinate, velocity or draw from the prior.
	Row, Col int

	Def  *Def     // of a DefTensor, SharedTensor or QuantityTensor, or a PriorTensor that is drawn
	Part *SolPart // of a SolutionTensor
	id   int
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

// carries reports whether the position depends on an index.
func (s Sub) carries(i *Index) bool {
	return s.Index == i && i != nil || s.Data != nil && s.Data.hasFree(i)
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

// hasFree reports whether e depends on an index.
func (e *Expr) hasFree(i *Index) bool {
	for _, f := range e.free {
		if f == i {
			return true
		}
	}
	return false
}

// Context owns expressions: it interns nodes and canonical indices. It is not
// safe for concurrent use.
type Context struct {
	nodes      map[string]*Expr
	tensors    []*Tensor
	byName     map[string]*Tensor // data, coordinates
	canonical  map[canonKey]*Index
	matrices   map[[2]dsl.Extent]bool // the dimensions of matrices that are computed as a whole
	nextID     int
	nextIndex  int
	key        []byte
	formulas   map[string]*formula // parsed formulas of the tables
	small      map[string]bool     // names of sizes that parameters have
	long       map[string]bool     // those of them that belong to the spine of a structured metric
	least      map[string]int      // the least values of sizes, by name
	rewrites   []*compiledRewrite
	arithmetic arithmetic
	fits       fitTable

	// formal indices of definitions, interned so that equal definitions are equal
	// nodes
	formals map[formalKey]*Index

	Budget Budget

	grain       grain
	sharing     bool // large operands become shared definitions
	operands    map[*Expr]*Expr
	shared      map[*Expr]*Tensor // by closed body
	derivatives map[derivativeKey]*Expr
	along       map[*Tensor][]*Index // the indices that derivatives by a tensor are derived at
	diffs       map[scalarKey]*Expr  // derivatives by scalars
	zero        *Expr                // the number 0, once it is there
	apart       bool                 // components of solutions count as independent of the coordinates
}

type canonKey struct {
	r     dsl.Range
	level int
}

// NewContext returns an empty context.
func NewContext() *Context {
	c := &Context{
		nodes:     map[string]*Expr{},
		byName:    map[string]*Tensor{},
		canonical: map[canonKey]*Index{},
		formulas:  map[string]*formula{},
		small:     map[string]bool{},
		long:      map[string]bool{},
		least:     map[string]int{},
		formals:   map[formalKey]*Index{},
		matrices:  map[[2]dsl.Extent]bool{},

		operands:    map[*Expr]*Expr{},
		shared:      map[*Expr]*Tensor{},
		derivatives: map[derivativeKey]*Expr{},
		along:       map[*Tensor][]*Index{},
		diffs:       map[scalarKey]*Expr{},
	}
	c.compileRewrites()
	return c
}

// Count returns the numbers of what c has made: it says whether something was made since.
func (c *Context) Count() (nodes, indices, tensors int) { return c.nextID, c.nextIndex, len(c.tensors) }

// NewTensor adds a tensor.
func (c *Context) NewTensor(t Tensor) *Tensor {
	t.id = len(c.tensors)
	p := &t
	c.tensors = append(c.tensors, p)
	return p
}

// NewIndex returns an index of its own.
func (c *Context) NewIndex(name string, r dsl.Range) *Index {
	c.nextIndex++
	return &Index{Name: name, Range: r, uid: c.nextIndex}
}

func (c *Context) canon(r dsl.Range, level int) *Index {
	k := canonKey{r, level}
	if i, ok := c.canonical[k]; ok {
		return i
	}
	c.nextIndex++
	i := &Index{Name: "i" + strconv.Itoa(level), Range: r, level: level, uid: c.nextIndex}
	c.canonical[k] = i
	return i
}

// intern returns the node equal to e, adding it if there is none.
func (c *Context) intern(e Expr) *Expr {
	c.spend(len(e.Args))
	c.key = e.appendKey(c.key[:0])
	if old, ok := c.nodes[string(c.key)]; ok {
		return old
	}
	// What follows from the operands is found anew: e may be a changed copy.
	n := &Expr{Op: e.Op, Val: e.Val, K: e.K, Args: e.Args, Tensor: e.Tensor, Subs: e.Subs, Func: e.Func, Dist: e.Dist, Apply: e.Apply, Index: e.Index, Range: e.Range}
	c.nextID++
	n.id = c.nextID
	n.follow()
	n.measure()
	c.nodes[string(c.key)] = n
	return n
}

// appendKey appends what tells e from other nodes.
func (e *Expr) appendKey(k []byte) []byte {
	k = append(k, byte(e.Op))
	num := func(n int) { k = binary.LittleEndian.AppendUint32(k, uint32(n)) }
	flt := func(v float64) { k = binary.LittleEndian.AppendUint64(k, math.Float64bits(v)) }
	name := func(s string) { k = append(append(k, s...), 0) }
	ext := func(x dsl.Extent) { name(x.Name); num(x.Offset) }
	switch e.Op {
	case Num:
		flt(e.Val)
	case Ref:
		num(e.Tensor.id)
	case Add, Mul:
		num(len(e.K))
		flt(e.Val)
		for i := range e.K {
			flt(e.K[i])
		}
	case Call:
		name(e.Func.Name)
	case Sum:
		num(e.Index.uid)
	case Draw:
		name(e.Dist.Name)
		if e.Tensor != nil {
			num(e.Tensor.id)
		}
	case Apply:
		name(e.Apply.Operator.Name)
		for _, s := range e.Apply.Shapes {
			num(len(s))
			for _, x := range s {
				ext(x)
			}
		}
	case LeastSquares:
		num(e.Tensor.id)
	case Inside:
		ext(e.Range.Lo)
		ext(e.Range.Hi)
	}
	for _, a := range e.Args {
		num(a.id)
	}
	for _, s := range e.Subs {
		switch {
		case s.Index != nil:
			k = append(k, 'i')
			num(s.Index.uid)
			num(s.Offset)
		case s.Data != nil:
			k = append(k, '@')
			num(s.Data.id)
			num(s.Offset)
		default:
			k = append(k, '#')
			ext(s.At)
		}
	}
	return k
}

// follow sets what follows from the operands: stage, free indices, what is called and placed.
func (n *Expr) follow() {
	n.placed = n.Op == Delta || n.Op == Inside || n.Op == Before
	for _, a := range n.Args {
		n.level = max(n.level, a.level)
		n.stage = max(n.stage, a.stage)
		n.gather = n.gather || a.gather
		n.called = n.called || a.called
		n.placed = n.placed || a.placed
		for _, f := range a.free {
			n.addFree(f)
		}
	}
	for _, s := range n.Subs {
		for _, f := range s.free() {
			n.addFree(f) // an index over a data size is no data itself
		}
		if s.Data != nil {
			n.gather = true
			n.level = max(n.level, s.Data.level)
			n.stage = max(n.stage, StageData)
		}
	}
	switch n.Op {
	case Call:
		n.called = n.called || n.stage >= StagePosition && !isPlus(n)
	case Draw:
		n.stage = StageDraw
	case Ref:
		n.stage = max(n.stage, n.Tensor.Stage)
	case Sum:
		n.level = max(n.level, n.Index.level)
		n.dropFree(n.Index)
		// Also of a range of numbers: what is left as a sum is computed once, and not where it stands.
		n.stage = max(n.stage, StageData)
	}
}

func (e *Expr) addFree(i *Index) {
	p := sort.Search(len(e.free), func(j int) bool { return e.free[j].uid >= i.uid })
	if p < len(e.free) && e.free[p] == i {
		return
	}
	free := make([]*Index, 0, len(e.free)+1)
	free = append(free, e.free[:p]...)
	free = append(free, i)
	e.free = append(free, e.free[p:]...)
}

// dropFree takes an index from those that e depends on: it is bound by what e stands for.
func (e *Expr) dropFree(i *Index) {
	var free []*Index
	for _, f := range e.free {
		if f != i {
			free = append(free, f)
		}
	}
	e.free = free
}

// SumOrder returns the order in which the terms of a sum are added up: as they are, but that
// what is known early follows the first parameter that it may cancel. In z − a − d, where a is
// near z, a + d would round at the size of a.
func SumOrder(e *Expr) []int {
	order := make([]int, len(e.Args))
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
