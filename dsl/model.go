package dsl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Base is the kind of number that a type holds.
type Base uint8

// The bases. Invalid marks an expression whose error was reported; it agrees
// with everything, so that one mistake gives one message.
const (
	Invalid Base = iota
	Real
	Int
	MetricBase // a named metric, as in `fisher + identity`
)

// Extent is a symbolic size or bound: Name + Offset, or Offset alone when
// Name is empty. Name is an int data scalar that is bound when data arrive.
type Extent struct {
	Name   string
	Offset int
}

// Fixed returns the constant extent n.
func Fixed(n int) Extent { return Extent{Offset: n} }

// Plus returns e + n.
func (e Extent) Plus(n int) Extent { return Extent{e.Name, e.Offset + n} }

// MaxRank is how many dimensions an array may have.
const MaxRank = 6

// IndexName is what an index over dimension d, counted from 0, of an array is called where the model has no name for it.
func IndexName(d int) string { return "ijlr"[min(d, 3):][:1] }

// Times writes a number of elements as the product of sizes.
func Times(shape []Extent) string {
	var sizes []string
	for _, x := range shape {
		sizes = append(sizes, x.String())
	}
	return strings.Join(sizes, "·")
}

// ProductOf is the number of elements of a shape. Of sizes that are not all numbers it is a size of a name of its own,
// which Factors takes apart.
func ProductOf(shape []Extent) Extent {
	n, halved := 1, ""
	var names []string
	for _, x := range shape {
		switch {
		case x.IsConst():
			n *= x.Offset
		case x.Halved(): // of a shape at most one
			halved = half
			names = append(names, strings.TrimPrefix(x.Name, half))
		default:
			names = append(names, x.String())
		}
	}
	switch {
	case len(names) == 0:
		return Fixed(n)
	case len(shape) == 1:
		return shape[0]
	}
	if n != 1 {
		names = append(names, strconv.Itoa(n))
	}
	return Extent{Name: halved + strings.Join(names, "·")}
}

// TriangleOf is the number of elements below the diagonal of an n × n matrix, n(n − 1)/2.
func TriangleOf(n Extent) Extent {
	if n.IsConst() {
		return Fixed(n.Offset * (n.Offset - 1) / 2)
	}
	return Extent{Name: half + n.String() + "·" + n.Plus(-1).String()}
}

// half stands before the factors of a size that is half of their product.
const half = "½·"

// Halved reports whether an extent is half the product of its factors.
func (e Extent) Halved() bool { return strings.HasPrefix(e.Name, half) }

// Factors are the sizes that an extent is the product of, or half of it; nil if it is none.
func (e Extent) Factors() []Extent {
	if !strings.Contains(e.Name, "·") {
		return nil
	}
	var out []Extent
	for _, f := range strings.Split(strings.TrimPrefix(e.Name, half), "·") {
		x := Extent{Name: f}
		if at := strings.LastIndexAny(f, "+-"); at > 0 {
			n, err := strconv.Atoi(f[at:])
			if err == nil {
				x = Extent{Name: f[:at], Offset: n}
			}
		} else if n, err := strconv.Atoi(f); err == nil {
			x = Fixed(n)
		}
		out = append(out, x)
	}
	return out
}

// IsConst reports whether e is a number.
func (e Extent) IsConst() bool { return e.Name == "" }

func (e Extent) String() string {
	switch {
	case e.Name == "":
		return strconv.Itoa(e.Offset)
	case e.Offset > 0:
		return fmt.Sprintf("%s+%d", e.Name, e.Offset)
	case e.Offset < 0:
		return fmt.Sprintf("%s-%d", e.Name, -e.Offset)
	}
	return e.Name
}

// Type is the type of an expression: scalars have no shape, vectors one
// extent, matrices two.
type Type struct {
	Base  Base
	Shape []Extent
}

// IsScalar reports whether t is a scalar (or invalid).
func (t Type) IsScalar() bool { return len(t.Shape) == 0 }

func (t Type) String() string {
	name := [...]string{"invalid", "real", "int", "metric"}[t.Base]
	if len(t.Shape) == 0 {
		return name
	}
	s := make([]string, len(t.Shape))
	for i, e := range t.Shape {
		s[i] = e.String()
	}
	return name + "[" + strings.Join(s, ",") + "]"
}

// Range is lo..hi, both included; it may be empty.
type Range struct{ Lo, Hi Extent }

func (r Range) String() string {
	if r.Lo == Fixed(1) {
		return r.Hi.String()
	}
	return r.Lo.String() + ".." + r.Hi.String()
}

// Subscript is one resolved index of a tensor: Index + Offset; Gather + Offset,
// a position taken from integer data; every position in turn if All is set, or those from 1 + Offset up
// to At if that is not zero; or the fixed position At.
type Subscript struct {
	Index  *Index
	Gather *Gather
	Offset int
	All    bool
	At     Extent
}

// Gather is an element of integer data that serves as a position; or a whole number that is computed of data, of which each is held against
// the size of what it selects from when the data arrive.
type Gather struct {
	Data *Data
	Subs []Subscript // one for each dimension of Data

	Value Expr // where Data is nil
	Size  Extent
	Of    string // what the messages say of it behind its text
}

// Object is what a name stands for: *Data, *Const, *Param, *Let, *Index, *Ode,
// *OdeVar, *Solve, *Size or *Quantity.
type Object interface {
	ObjectName() string
	Declared() Span
}

type object struct {
	Name string
	At   Span
	Doc  string
	used bool
}

func (o *object) ObjectName() string { return o.Name }
func (o *object) Declared() Span     { return o.At }

// Support is the set of values of a datum or parameter: an interval with
// bounds that are expressions free of parameters, or a finite set.
type Support struct {
	Lo, Hi       Expr // nil: unbounded
	LoOpen       bool // the bound itself is excluded
	HiOpen       bool
	Set          []float64 // of integer data
	LoNum, HiNum *float64  // the bounds where they are numbers; of a Constraint without Lo and Hi

	spoiled bool // by an error of its own
}

// Bounded reports whether s excludes any number.
func (s *Support) Bounded() bool {
	return s.Lo != nil || s.Hi != nil || s.Set != nil || s.LoNum != nil || s.HiNum != nil
}

// Data is a declared datum.
type Data struct {
	object
	Type    Type
	Support Support
	// Constraint is nil for real numbers, ints and matrices without one.
	Constraint *Constraint
	Default    *float64 // of a scalar, nil if none
	// MinSize is the least value that an int scalar used as a size needs
	// for the fixed subscripts of the model.
	MinSize int
	IsSize  bool

	Formula *Whole // of a size that is computed of other data; nil of what is read
}

// Const is a number known at compile time.
type Const struct {
	object
	Value float64
	// FromData marks an int datum bound by --const: a data file may still
	// hold it, and must agree.
	FromData bool
}

// Param is a declared parameter. Its type is that of its values.
type Param struct {
	object
	Type       Type
	Support    Support
	Constraint *Constraint // nil for real numbers
	// Offset and Multiplier are those of its coordinates, x = Offset + Multiplier u, nil where it has none. What has one has no bounds.
	Offset, Multiplier Expr
}

// Affine reports whether a parameter has an offset or a multiplier.
func (p *Param) Affine() bool { return p.Offset != nil || p.Multiplier != nil }

// Ends are the two numbers of its transform, nil where it has none: its bounds, or its offset and its multiplier.
func (p *Param) Ends() [2]Expr {
	if p.Affine() {
		return [2]Expr{p.Offset, p.Multiplier}
	}
	return [2]Expr{p.Support.Lo, p.Support.Hi}
}

// Let is a definition.
type Let struct {
	object
	Indices []*Index
	Value   Expr // nil of a definition in parts
	Type    Type

	Recursion *Recursion // of a definition in parts
	Local     bool       // an argument of a function at a call, or a definition in its body

	quantity *Quantity // whose definition it is, nil of a `let`
}

// named is what a name of the definition stands for.
func (l *Let) named() Object {
	if l.quantity != nil {
		return l.quantity
	}
	return l
}

// definitionOf is the definition that a name stands for, or nil.
func definitionOf(o Object) *Let {
	switch o := o.(type) {
	case *Let:
		return o
	case *Quantity:
		return &o.Let
	}
	return nil
}

// Quantity is the generated quantity whose definition l is, or nil.
func (l *Let) Quantity() *Quantity { return l.quantity }

// newQuantity is a quantity without a value yet.
func newQuantity(name Ident, doc string) *Quantity {
	q := &Quantity{Let: Let{object: object{Name: name.Name, At: name.At, Doc: doc}}}
	q.quantity = q
	return q
}

// Quantity is a generated quantity: a definition that is computed once per draw, from the data, the
// parameters, definitions and the quantities above it. The base of its type is Int if its values are whole numbers.
type Quantity struct {
	Let
	Group Group
}

// Group tells what a generated quantity is to those who analyse the draws.
type Group uint8

// The groups.
const (
	// GroupPosterior: a function of the parameters and the data.
	GroupPosterior Group = iota
	// GroupLikelihood: the log density of data, an _lpdf or _lpmf of a datum
	// or of its elements, or a sum of such.
	GroupLikelihood
	// GroupPredictive: random given the parameters, drawn by an _rng function
	// or computed from what was.
	GroupPredictive
)

// Index is an index with its range.
type Index struct {
	object
	Range Range

	// From and Upto are ends that depend on another index or on data, nil where they do not: of the range only what lies between
	// them counts.
	From, Upto *Subscript

	blamed bool // its range was reported
}

// Term is one summand of the log density: a distribution statement if Dist is
// set, otherwise the value of a `density` statement.
type Term struct {
	At    Span
	Left  Expr // one term per left side
	Dist  *Distribution
	Args  []Expr
	For   *Index
	Value Expr

	// Tail says that a call is one of a cumulative function; Lo and Hi are the ends of an interval that truncates the distribution, nil
	// where there is none.
	Tail   Tail
	Lo, Hi Expr

	// Of counts, that interval holds the whole numbers above Lo + LoShift, up to Hi + HiShift.
	LoShift, HiShift int

	// Each are further indices: those of the statement behind For, and of a distribution that is a function those over which the left side and the
	// arguments are taken element by element.
	Each []*Index

	// Of a distribution that is a function: the log density, and the expected information about the first argument, nil if it is not known.
	Formula, Information *CallExpr

	// Component is set where it is a part of a mixture, which looks at what is outside of the support itself.
	Component bool

	// Chosen is set where a condition chooses it: data that it describes elsewhere may be anything, so that the density looks at them.
	Chosen bool

	call bool // it is that of a function call
}

// Tail says of a term what of its distribution it is the logarithm of.
type Tail uint8

// The tails.
const (
	NoTail    Tail = iota // the density
	LowerTail             // P(Y ≤ y)
	UpperTail             // P(Y > y)
)

// MetricKind names a way to say a metric.
type MetricKind uint8

// The kinds of metric.
const (
	MetricMatrix  MetricKind = iota // [a, b ; b, c]
	MetricIndexed                   // metric[i in k, j in k] = …
	MetricBlocks                    // metric[x[i], v] = …
	MetricFisher
	MetricSoftAbs
	MetricHessian
	MetricIdentity
	MetricAuto // that of the identity, in coordinates that the compiler chooses; of a model that has no metric
	MetricDiag
	MetricInverse
)

// MetricTerm is one summand of the metric.
type MetricTerm struct {
	At       Span
	Kind     MetricKind
	Scale    Expr   // nil for 1
	Args     []Expr // of diag and inverse
	Matrix   *MatrixExpr
	Indices  []*Index
	Value    Expr // of the indexed form
	Blocks   []MetricBlock
	Alpha    Expr // of softabs
	Expected bool // fisher(prior = expected)
	Chosen   bool // of a model that leaves the choice to hamc: the metric is one of two candidates
}

// MetricBlock is one block of a metric given by parameter blocks.
type MetricBlock struct {
	At       Span
	Row, Col *Param
	RowIndex *Index // nil for a scalar parameter
	ColIndex *Index
	Value    Expr
}

// Block is a set of parameters that are sampled together, given the others,
// with a metric of their own. A model without `block` statements has one block,
// without a name, of all its parameters.
type Block struct {
	object
	Params []*Param // in the order of the block, which is that of its metric
	Metric []*MetricTerm

	lost bool // its parameters are not all known, due to an error
}

// Holds reports whether p belongs to the block.
func (b *Block) Holds(p *Param) bool { return slices.Contains(b.Params, p) }

// Ode is a system of ordinary differential equations, one for each state.
type Ode struct {
	object
	States, Args []*OdeVar
	Time         *OdeVar // nil if the right sides do not name it
	Rhs          []Expr  // by state

	vars map[string]*OdeVar // the first of each name
	lost bool               // one of its lines did not parse
}

// OdeVarKind tells what a variable of an Ode is.
type OdeVarKind uint8

// The kinds of variable.
const (
	OdeState OdeVarKind = iota
	OdeArg
	OdeTime
)

func (k OdeVarKind) String() string { return [...]string{"the state", "the argument", "the time"}[k] }

// OdeVar is a variable that the right sides of an Ode name.
type OdeVar struct {
	object
	Kind OdeVarKind
	Pos  int // among the states or arguments
}

// Solve is the solution of an Ode at the times of a datum, from given initial
// values: a vector for each state, over the times.
type Solve struct {
	object // the name of the `let`
	Ode    *Ode
	Init   []Expr // by state
	Args   []Expr // by argument
	From   Expr   // arithmetic on numbers and scalar data
	Times  *Data  // a vector or, where there is an index, perhaps a matrix with a row of times for each of its values
	Index  *Index // of a solution for each value of an index, nil of others
}

// NumTimes is the number of times.
func (s *Solve) NumTimes() Extent { return NumTimes(s.Times) }

// NumTimes is the number of times that data are, or each row of them.
func NumTimes(d *Data) Extent { return d.Type.Shape[len(d.Type.Shape)-1] }

// Shape is that of the components.
func (s *Solve) Shape() []Extent {
	if s.Index == nil {
		return []Extent{s.NumTimes()}
	}
	return []Extent{s.Index.Range.Hi, s.NumTimes()}
}

// Model is a checked model: every name is resolved, every shape agrees.
type Model struct {
	Name   string
	Doc    string
	Data   []*Data
	Consts []*Const
	Params []*Param
	Lets   []*Let
	Solves []*Solve
	Terms  []*Term
	// Densities are the terms of calls as normal_lpdf(y | mu, sigma), which
	// belong to the expressions that they stand in.
	Densities  []*Term
	Quantities []*Quantity
	Blocks     []*Block // at least one; each parameter is in one of them

	// Sizes are those of the data at hand, where they are known: what depends on costs is chosen for them, and right for
	// all. Nil where they are not.
	Sizes map[string]int

	// Values are the numbers of the data at hand, by their names in objects, row by row, where they are known: places that they tell are found in them.
	Values map[string][]float64

	// Declared says that all parameters are sampled in the coordinates of their declarations: no vector has a map, which is hamc's choice.
	Declared bool

	// Nested are integer data, by name, that are functions of others in the data at hand, as the classes of observations are of their pupils: both are vectors of one length and
	// select from 1 on. Data of which that is not so are refused. Nil where data are not known.
	Nested map[string]string
}

// Count is the value of an extent with the sizes at hand; false where they are not known.
func (m *Model) Count(x Extent) (n int, ok bool) {
	if x.Name == "" {
		return x.Offset, true
	}
	if factors := x.Factors(); factors != nil {
		n = 1
		for _, f := range factors {
			k, known := m.Count(f)
			if !known {
				return 0, false
			}
			n *= k
		}
		if x.Halved() {
			n /= 2
		}
		return n + x.Offset, true
	}
	n, ok = m.Sizes[x.Name]
	return n + x.Offset, ok
}
