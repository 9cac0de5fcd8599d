package dsl

import "github.com/alecthomas/participle/v2/lexer"

// Expr is a node of the syntax tree of an expression. The checker sets the
// type of every node; see Type.
type Expr interface {
	Span() Span
	Type() Type
	setType(Type)
}

// node holds what all expressions have.
type node struct {
	span Span
	typ  Type
}

func (n *node) Span() Span     { return n.span }
func (n *node) Type() Type     { return n.typ }
func (n *node) setType(t Type) { n.typ = t }

// Number is a literal.
type Number struct {
	node
	Value float64
	Text  string
}

// Name is an identifier: data, const, param, let, index, or a named metric.
type Name struct {
	node
	Name string
	Obj  Object // set by the checker
}

// IndexExpr is base[i, j].
type IndexExpr struct {
	node
	Base Expr
	Args []Expr
	// Subscripts is Args resolved by the checker.
	Subscripts []Subscript
}

// Arg is an argument of a call, with its name if one was written.
type Arg struct {
	Name string
	At   Span // of the name
	Expr Expr
}

// CallExpr is f(a, b, c = d).
type CallExpr struct {
	node
	Func string
	At   Span // of the function's name
	Args []Arg
	Bar  Span      // of the `|` behind the first argument, if there is one
	Fn   *Function // set by the checker
	// Subscripts are the arguments of delta, set by the checker.
	Subscripts []Subscript
	// Density is the term whose log density the call is, as in
	// normal_lpdf(y | mu, sigma), and Draws the distribution that it draws
	// from, as in normal_rng(mu, sigma): both are set by the checker.
	Density *Term
	Draws   *Distribution
}

// UnaryExpr is −x, +x or x'.
type UnaryExpr struct {
	node
	Op string
	X  Expr
}

// BinaryExpr is x op y; op is one of + - * / ^ .* ./ .^
type BinaryExpr struct {
	node
	Op   string
	At   Span // of the operator
	X, Y Expr
}

// SumExpr is sum(i in n, j in 2..k) body.
type SumExpr struct {
	node
	Indices []IndexDecl
	Body    Expr
}

// MatrixExpr is [a, b ; c, d].
type MatrixExpr struct {
	node
	Rows [][]Expr
}

// FieldExpr is base.field: a component of the solution of a differential
// equation.
type FieldExpr struct {
	node
	Base  Expr
	Field string
	At    Span // of the field
	// State is the component's position among the states, set by the
	// checker, and Solve the solution.
	State int
	Solve *Solve
}

// SolveExpr is `solve f(v = v0, …) from t0 at t`.
type SolveExpr struct {
	node
	Ode   string
	At    Span // of the equation's name
	Args  []Arg
	From  Expr
	Times Expr
	Solve *Solve // set by the checker
}

// IndexDecl declares an index with its range: `i in n` is 1..n.
type IndexDecl struct {
	Name   string
	At     Span
	Lo, Hi Expr   // Lo is nil for 1
	Index  *Index // set by the checker
}

// Stmt is a statement.
type Stmt interface{ stmt() }

// TypeExpr is a written type: int, real or cov with sizes and bounds.
type TypeExpr struct {
	Base  string
	At    Span
	Sizes []Expr
	Bound BoundExpr
}

// BoundExpr is `> e`, `>= e`, `< e`, `<= e`, `in (a, b)`, `in a..b` or
// `in {a, b}`.
type BoundExpr struct {
	At     Span
	Op     string // "", ">", ">=", "<", "<=", "in", "range", "set"
	Lo, Hi Expr
	Set    []Expr
}

// Ident is a declared name.
type Ident struct {
	Name string
	At   Span
}

type (
	// DataStmt is `data a, b real[n] > 0 = 2`.
	DataStmt struct {
		Names   []Ident
		Type    TypeExpr
		Default Expr
		Doc     string
	}
	// ConstStmt is `const k = 10`.
	ConstStmt struct {
		Name  Ident
		Value Expr
		Doc   string
	}
	// ParamStmt is `param x, y real[k] > 0`.
	ParamStmt struct {
		Names []Ident
		Type  TypeExpr
		Doc   string
	}
	// LetStmt is `let a[i in n] = e` or `let a = e`.
	LetStmt struct {
		Name    Ident
		Indices []IndexDecl
		Value   Expr
		Doc     string
	}
	// DensityStmt is `density e`: e is added to the log density.
	DensityStmt struct {
		At    Span
		Value Expr
	}
	// SampleStmt is `a, b ~ dist(args) for i in r`.
	SampleStmt struct {
		At   Span // of the ~
		Left []Expr
		Dist string
		Name Span // of the distribution
		Args []Arg
		For  *IndexDecl
	}
	// BlockStmt is `block name(x, y) metric e`.
	BlockStmt struct {
		At     Span
		Name   Ident
		Params []Ident
		Metric *MetricStmt // nil if none is given
		Doc    string
	}
	// OdeStmt is `ode name(v, r; k) over time { v' = …  r' = … }`.
	OdeStmt struct {
		Name      Ident
		States    []Ident
		Args      []Ident
		Time      Ident // the zero Ident if the equations do not name it
		Equations []Equation
		Doc       string

		brace lexer.Token // that opens the equations
		lost  bool        // a line of it did not parse
	}
	// GenerateStmt is `generate { a = …  b[i in n] = … }`.
	GenerateStmt struct {
		At         Span
		Quantities []QuantityLine

		brace lexer.Token // that opens the quantities
		lost  bool        // a line of it did not parse
	}
	// MetricStmt is `metric e`, `metric[i in k, j in k] = e` or
	// `metric[x[i], v] = e`.
	MetricStmt struct {
		At      Span
		Value   Expr
		Indices []IndexDecl // indexed form
		Blocks  []Expr      // block form: two entries
	}
)

func (*DataStmt) stmt()     {}
func (*ConstStmt) stmt()    {}
func (*ParamStmt) stmt()    {}
func (*LetStmt) stmt()      {}
func (*DensityStmt) stmt()  {}
func (*SampleStmt) stmt()   {}
func (*MetricStmt) stmt()   {}
func (*BlockStmt) stmt()    {}
func (*OdeStmt) stmt()      {}
func (*GenerateStmt) stmt() {}

// QuantityLine is one line `a = e` or `a[i in n] = e` of a `generate`.
type QuantityLine struct {
	Name    Ident
	Indices []IndexDecl
	Value   Expr
	Doc     string
}

// Equation is one line `v' = e` of an `ode`.
type Equation struct {
	State Ident
	Value Expr
}

// File is a parsed file.
type File struct {
	Name  Ident // of the model
	Doc   string
	Stmts []Stmt

	// poisoned are names whose declarations did not parse: using them is
	// no second error.
	poisoned []string
	// lostParams reports that a statement that did not parse may have
	// declared parameters, so that their number is unknown; lostBlocks and
	// lostOdes are the same for blocks and differential equations.
	lostParams, lostBlocks, lostOdes bool
}
