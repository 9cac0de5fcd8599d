package dsl

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// Node is a part of the syntax tree. Walk goes through all of them.
type Node interface {
	// Source returns the tokens that the node was read from, with the blanks and
	// comments between and before them. It is empty for what the checker made.
	Source() []lexer.Token
}

// Expr is a node of the syntax tree of an expression. The checker sets the
// type of every node; see Type.
type Expr interface {
	Node
	Span() Span
	Type() Type
	setType(Type)
}

// node holds what all expressions have.
type node struct {
	span   Span
	typ    Type
	tokens []lexer.Token
}

// Source implements Node. The brackets around an expression are tokens of what it stands in.
func (n *node) Source() []lexer.Token { return n.tokens }

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

	row *LetStmt // the part of which it is an element, where that is a whole row
}

// Arg is an argument of a call, with its name if one was written.
type Arg struct {
	Name string
	At   Span // of the name
	Expr Expr

	tokens []lexer.Token
}

// Source implements Node.
func (a *Arg) Source() []lexer.Token { return a.tokens }

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
	// Inlined is the body of the function of the model that is called, set by the checker.
	Inlined *Inlined
	// Density is the term whose log density the call is, as in
	// normal_lpdf(y | mu, sigma), and Draws the distribution that it draws
	// from, as in normal_rng(mu, sigma): both are set by the checker.
	Density *Term
	Draws   *Distribution
}

// UnaryExpr is −x, +x, not x or x'.
type UnaryExpr struct {
	node
	Op string
	X  Expr
}

// BinaryExpr is x op y; op is one of + - * / ^ .* ./ .^ < <= > >= == != and or
type BinaryExpr struct {
	node
	Op   string
	At   Span // of the operator
	X, Y Expr
}

// IfExpr is if c then x else y.
type IfExpr struct {
	node
	Cond, Then, Else Expr

	times Expr // what it is a factor beside, where a product has two; nil elsewhere
}

// SliceExpr is a subscript for several positions: lo..hi, or `:` for all of them.
type SliceExpr struct {
	node
	Lo, Hi Expr // nil of `:`
}

// SumExpr is sum(i in n, j in 2..k) body, or another reduction of that form.
type SumExpr struct {
	node
	Func    string // a row of Reductions
	Indices []IndexDecl
	Body    Expr
	// Terms is the sum with its terms written out, set by the checker where they read parameters or definitions at distances that the index says, as x[t-k].
	// Body is not checked then.
	Terms Expr
}

// MatrixExpr is [a, b ; c, d].
type MatrixExpr struct {
	node
	Rows [][]Expr
	// Joined are the parts of a vector that is put together of vectors and numbers, [b, 0], set by the checker; nil of another.
	Joined []Joined
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

	before bool // it starts where data name a position, if that lies before the one that reads it
	tokens []lexer.Token
}

// Source implements Node.
func (d *IndexDecl) Source() []lexer.Token { return d.tokens }

// Ident is a declared name.
type Ident struct {
	Name string
	At   Span

	tokens []lexer.Token
}

// Source implements Node.
func (id *Ident) Source() []lexer.Token { return id.tokens }

// Text is a node as it was written, without line ends and comments.
func Text(n Node) string {
	var b strings.Builder
	for _, t := range n.Source() {
		switch {
		case !isTrivia(t.Type):
			b.WriteString(t.Value)
		case b.Len() > 0:
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
