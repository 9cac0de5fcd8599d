// Package loop is the program between the calculus and the emitted Go: functions of
// statements over scalars and arrays, with loops, as a value. It has a text form (Format,
// Parse) and rules that every program keeps (Verify); the passes of codegen/pass turn one program
// into another, and codegen/golang prints what is left.
//
// Arithmetic is that of the calculus, sums with coefficients and products with exponents, so
// that a pass sees that two of them are equal; their order is that in which they are computed,
// from left to right. Expressions are shared, not copied: a node that two expressions hold is one.
//
// Arrays are single assignment: apart from sums that are added up, and from kernels that work in place, each element is set once in a call.
package loop

import "fmt"

// Program is the functions of one type, in order. What one of them keeps, others read.
type Program struct {
	Funcs []*Func

	// Steps make the functions that the pass flatten adds.
	Steps []func() *Func

	// Gone are numbers that are kept no longer, with what stands in their place, or what functions that read them
	// compute first.
	Gone map[*Var]*Expr

	// Largest is the weight above which divisible functions are divided; 0 stands for the pass's own.
	Largest int
}

// Func returns the function of a name, or nil.
func (p *Program) Func(name string) *Func {
	for _, f := range p.Funcs {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Func is a function, or a part of one: the variables that it reads and does not declare are
// found at its head.
type Func struct {
	Name  string
	After *Func // stands behind the body of this one, in the same scope
	Body  []Stmt

	// Args are what a function takes that others of the program call, and Gives what it returns, in the words of the table of calls.
	Args  []*Var
	Gives []string

	Divisible bool  // it returns nothing: another function may do the rest of its work
	Continues *Func // whose work this one goes on with, with the same parameters
}

// Next returns the function that goes on with the work of f, or nil.
func (p *Program) Next(f *Func) *Func {
	for _, g := range p.Funcs {
		if f != nil && g.Continues == f {
			return g
		}
	}
	return nil
}

// Imports are the variables of the model that some function reads and does not set: what another
// one has to leave there.
func (p *Program) Imports() map[*Var]bool {
	out := map[*Var]bool{}
	for _, f := range p.Funcs {
		e := EffectsOf(f.Body...)
		for v := range e.Reads {
			out[v] = out[v] || !e.Writes[v]
		}
	}
	return out
}

// Home says where a variable lives.
type Home uint8

// The homes.
const (
	Local Home = iota // declared in the body
	Param             // a parameter of the function, or a variable that its caller declares
	Size              // an int of the model
	Field             // kept in the model: read by other functions than the one that sets it, or an array of the work space
	View              // a part of an array, or an element of it
	State             // kept in the work space, and read and set in its place there
)

func (h Home) String() string {
	return [...]string{"local", "param", "size", "field", "view", "state"}[h]
}

// Var is a variable: a number or, with a shape, a row-major array of them.
type Var struct {
	Name  string
	Home  Home
	Shape []*Int

	// What it is of, if not of float64.
	Int    bool
	Truth  bool // true or false
	Status bool // of the runtime's Status

	// Of a View: the array that it is a part of, from From to To, or the element at From.
	Of       *Var
	From, To *Int

	Unsized bool // a size that stands for one that no code needs

	Data   bool // read from data, and set by no function
	Given  bool // set by those who call the functions
	Matrix bool // data in the layouts of kernel.Matrix
	Factor bool // no array of numbers, but the Cholesky factor of one
	Output bool // a Field or View that is a result: it is set, whoever reads it
	Old    bool // a Param that holds what the function reads before it sets it
}

// Scalar reports whether v is a single number.
func (v *Var) Scalar() bool { return len(v.Shape) == 0 }

// IntOp is the kind of an Int.
type IntOp uint8

// The kinds of Int.
const (
	IntConst IntOp = iota // N
	IntVar                // Var, a size or a loop's variable
	IntElem               // Var[Args…], of an array of ints
	IntAdd                // Args[0] + Args[1]
	IntMul                // Args[0] · Args[1]
	IntMin                // the lesser of two
	IntMax                // the greater of two
)

// Int is an integer expression: a subscript, counted from 0, a bound, or a size.
type Int struct {
	Op   IntOp
	N    int
	Var  *Var
	Args []*Int
}

// Const is the integer n.
func Const(n int) *Int { return &Int{Op: IntConst, N: n} }

// At is the value of an int variable.
func At(v *Var) *Int { return &Int{Op: IntVar, Var: v} }

// ElemOf is an element of an array of ints.
func ElemOf(v *Var, at ...*Int) *Int { return &Int{Op: IntElem, Var: v, Args: at} }

// IsConst reports whether i is the number n.
func (i *Int) IsConst(n int) bool { return i.Op == IntConst && i.N == n }

// Plus is i + n.
func (i *Int) Plus(n int) *Int {
	switch {
	case n == 0:
		return i
	case i.Op == IntConst:
		return Const(i.N + n)
	case i.Op == IntAdd && i.Args[1].Op == IntConst:
		return i.Args[0].Plus(i.Args[1].N + n)
	}
	return &Int{Op: IntAdd, Args: []*Int{i, Const(n)}}
}

// Add is i + j.
func (i *Int) Add(j *Int) *Int {
	switch {
	case j.Op == IntConst:
		return i.Plus(j.N)
	case i.IsConst(0):
		return j
	}
	return &Int{Op: IntAdd, Args: []*Int{i, j}}
}

// Times is i · j.
func (i *Int) Times(j *Int) *Int {
	switch {
	case i.Op == IntConst && j.Op == IntConst:
		return Const(i.N * j.N)
	case i.IsConst(0), j.IsConst(1):
		return i
	case j.IsConst(0), i.IsConst(1):
		return j
	}
	return &Int{Op: IntMul, Args: []*Int{i, j}}
}

// Least is the lesser of two.
func Least(i, j *Int) *Int { return &Int{Op: IntMin, Args: []*Int{i, j}} }

// Greatest is the greater of two.
func Greatest(i, j *Int) *Int { return &Int{Op: IntMax, Args: []*Int{i, j}} }

// Base splits i into what is not constant, nil for nothing, and the rest.
func (i *Int) Base() (base *Int, offset int) {
	switch {
	case i.Op == IntConst:
		return nil, i.N
	case i.Op == IntAdd && i.Args[1].Op == IntConst:
		return i.Args[0], i.Args[1].N
	}
	return i, 0
}

// Equal reports whether two are the same expression.
func (i *Int) Equal(j *Int) bool {
	if i == nil || j == nil || i == j {
		return i == j
	}
	if i.Op != j.Op || i.N != j.N || i.Var != j.Var || len(i.Args) != len(j.Args) {
		return false
	}
	for n := range i.Args {
		if !i.Args[n].Equal(j.Args[n]) {
			return false
		}
	}
	return true
}

// Op is the kind of an Expr.
type Op uint8

// The kinds of Expr.
const (
	Num    Op = iota // Val
	Scalar           // Var
	Elem             // Var[At…]
	Add              // Σ K[i]·Args[i]
	Mul              // Val · Π Args[i]^K[i]
	Call             // Func(Args…)
	Float            // float64(At[0])
	Test             // Func(At…): 1 or 0
	Draw             // a random number Func(Args…); with two Ends, within them
)

// Expr is an expression of a float64.
type Expr struct {
	Op   Op
	Val  float64
	K    []float64
	Args []*Expr
	Ends []*Expr
	Var  *Var
	At   []*Int
	Func string // with its package: math.Exp
}

// Number is the number v.
func Number(v float64) *Expr { return &Expr{Op: Num, Val: v} }

// Value is the value of a scalar variable.
func Value(v *Var) *Expr { return &Expr{Op: Scalar, Var: v} }

// Element is an element of an array.
func Element(v *Var, at ...*Int) *Expr { return &Expr{Op: Elem, Var: v, At: at} }

// Lead moves the first term of a sum that is added to its front, since a − b reads better than −b + a.
func (e *Expr) Lead() {
	for n, k := range e.K {
		if k > 0 {
			x := e.Args[n]
			copy(e.K[1:n+1], e.K[:n])
			copy(e.Args[1:n+1], e.Args[:n])
			e.K[0], e.Args[0] = k, x
			return
		}
	}
}

// IsNum reports whether e is the number v.
func (e *Expr) IsNum(v float64) bool { return e.Op == Num && e.Val == v }

// Stmt is a statement.
type Stmt interface{ stmt() }

type (
	// For runs Body for V = From, …, To − 1, or from To − 1 down to From.
	For struct {
		V        *Var
		From, To *Int
		Down     bool
		Body     []Stmt
	}
	// If runs Body where all conditions hold; each is looked at only where those before it hold.
	If struct {
		Conds []Cond
		Body  []Stmt
	}
	// Let declares a local scalar with its value.
	Let struct {
		V *Var
		E *Expr
	}
	// Set sets an element of an array, or a scalar that is declared; with Add it adds to it.
	Set struct {
		V   *Var
		At  []*Int
		E   *Expr
		Add bool
	}
	// Clear sets all elements of an array to 0.
	Clear struct{ V *Var }
	// Keep stores the value of a local scalar in the model, for those who read it there.
	Keep struct {
		V   *Var
		For Readers
	}
	// Kernel calls a function of the runtime with arrays. A scalar result declares V; others fill it. With subscripts, it
	// fills a part of V, the one that they lead to, and gets such of the arguments.
	Kernel struct {
		Func   string // with its package: kernel.MulVec
		V      *Var
		At     []*Int
		Args   []*Var
		ArgsAt [][]*Int // of each of Args; nil where all are whole
	}
	// Fit computes a least-squares fit, and FitPart reads a part of one: it declares V, or fills it.
	Fit struct {
		Name       string
		From, To   *Int // the rows, counted from 1
		Responses  *Int
		Weights, Y *Var // Weights may be nil
		X          []Regressor
	}
	FitPart struct {
		V    *Var
		Name string // of the fit
		Part string // a method
		At   []int  // its arguments
	}
)

// Of are the subscripts that lead to the part that a kernel gets of an argument.
func (k *Kernel) Of(n int) []*Int {
	if k.ArgsAt == nil {
		return nil
	}
	return k.ArgsAt[n]
}

// Readers are who reads what is kept.
type Readers uint8

// The readers.
const (
	Anyone Readers = iota
	Within         // functions of the program
	Parts          // those that go on with the work of this one
)

// readers are their names in the text form.
var readers = [...]string{"", " within", " parts"}

// Regressor is an array of a number of columns; of ones, if V is nil.
type Regressor struct {
	V       *Var
	Columns *Int
}

// CondOp is a comparison.
type CondOp uint8

// The comparisons.
const (
	AtLeast CondOp = iota
	Below
	Equals
)

// Cond is a comparison of ints.
type Cond struct {
	X  *Int
	Op CondOp
	Y  *Int
}

func (*For) stmt()     {}
func (*If) stmt()      {}
func (*Let) stmt()     {}
func (*Set) stmt()     {}
func (*Clear) stmt()   {}
func (*Keep) stmt()    {}
func (*Kernel) stmt()  {}
func (*Fit) stmt()     {}
func (*FitPart) stmt() {}

func (c Cond) String() string {
	return fmt.Sprintf("%s %s %s", intText(c.X, 0), [...]string{">=", "<", "=="}[c.Op], intText(c.Y, 0))
}
