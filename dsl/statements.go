package dsl

import (
	"slices"

	"github.com/alecthomas/participle/v2/lexer"
)

// The types of this file are the grammar of the statements, in participle's tags, and the syntax
// tree that comes of it. Grammar prints them as EBNF. What is inside expressions, Expr, Arg,
// IndexDecl and MetricEntry, is read by hand (expressions.go).

// Syntax is where a node of the grammar stands in the text.
type Syntax struct {
	Pos    lexer.Position // of its first token
	EndPos lexer.Position // right behind its last token
	Tokens []lexer.Token  // of the node, with the blanks and comments before and between them
}

// Source implements Node.
func (s *Syntax) Source() []lexer.Token { return s.Tokens }

// At is the extent of the first token.
func (s *Syntax) At() Span { return s.of("") }

// of is the extent of the first token of that text; "" stands for any.
func (s *Syntax) of(text string) Span {
	for _, t := range s.Tokens {
		if !isTrivia(t.Type) && (text == "" || t.Value == text) {
			return tokenSpan(t)
		}
	}
	return Span{}
}

// File is a parsed file. Its tokens, which are those of its statements and what is behind the
// last, give back the text.
type File struct {
	Statements []*Statement `parser:"@@*"`

	Tokens []lexer.Token
	Name   Ident // of the model
	Doc    string
	// Stmts are the statements that have a meaning, in the order of the text.
	Stmts []Stmt
	// Lost are names whose declarations did not parse: using them is
	// no second error.
	Lost []Ident

	// lostParams reports that a statement that did not parse may have
	// declared parameters, so that their number is unknown; lostBlocks,
	// lostOdes and lostFuncs are the same for blocks, differential equations and imported functions.
	lostParams, lostBlocks, lostOdes, lostFuncs bool
}

// Source implements Node.
func (f *File) Source() []lexer.Token { return f.Tokens }

// Statement is a statement with its line end. Its tokens begin with what stands between it and the
// one before, and hold a comment behind it on its line.
type Statement struct {
	Syntax
	Stmt Stmt `parser:"@@ End"` // of one that did not parse as far as it did; nil if that is not known

	Broken bool // it did not parse

	sound bool // there was no error in it
}

// Stmt is a statement.
type Stmt interface {
	Node
	stmt()
}

// TypeExpr is a written type: int, real or a constraint, with sizes and bounds.
type TypeExpr struct {
	Syntax
	Base  string    `parser:"@('int' | 'real' | 'cov' | 'simplex' | 'ordered' | 'positive_ordered' | 'unit_vector' | 'sum_to_zero' | 'corr' | 'corr_cholesky' | 'cov_cholesky' | 'symmetric')"`
	Sizes []Expr    `parser:"('[' @@ (',' @@)* ']')?"`
	Bound BoundExpr `parser:"@@?"`
}

// BoundExpr is `> e`, `>= e`, `< e`, `<= e`, `in {a, b}`, `in (a, b)`, of data with the ends or without, `in [a, b)`, or `in a..b`. A bound is not
// followed by `= e` where it is a name alone: that is how other languages name bounds.
type BoundExpr struct {
	Syntax
	Op    string `parser:"( (?! ('>' | '>=' | '<' | '<=') Ident '=') @('>' | '>=' | '<' | '<=')"`
	Limit Expr   `parser:"@@"`
	Set   []Expr `parser:"| 'in' ( '{' @@ (',' @@)* '}'"`
	Left  string `parser:"| @( '(' | '[' )"` // of an interval
	Lo    Expr   `parser:"@@ ','"`
	Hi    Expr   `parser:"@@"`
	Right string `parser:"@( ')' | ']' )"`
	First Expr   `parser:"| (?= Ident | Number | '-') @@ '..'"` // of whole numbers
	Last  Expr   `parser:"@@ ) )"`
}

// BoundKind tells the forms of bounds apart.
type BoundKind uint8

// The kinds of bounds.
const (
	NoBound       BoundKind = iota
	LimitBound              // > e, >= e, < e or <= e
	SetBound                // in {a, b}
	IntervalBound           // in (a, b), in [a, b]
	RangeBound              // in a..b
)

// Kind returns the form of a bound; that of a zero BoundExpr is NoBound.
func (b *BoundExpr) Kind() BoundKind {
	switch {
	case b.Op != "":
		return LimitBound
	case b.Set != nil:
		return SetBound
	case b.Lo != nil:
		return IntervalBound
	case b.First != nil:
		return RangeBound
	}
	return NoBound
}

// ends are the expressions of the lower and of the upper bound, nil where there is none.
func (b *BoundExpr) ends() (lo, hi Expr) {
	switch b.Kind() {
	case LimitBound:
		if b.Op[0] == '>' {
			return b.Limit, nil
		}
		return nil, b.Limit
	case RangeBound:
		return b.First, b.Last
	}
	return b.Lo, b.Hi
}

// ModelStmt is `model banana`.
type ModelStmt struct {
	Syntax
	Name Ident `parser:"'model' @@"`
}

// DataStmt is `data a, b real[n] > 0 = 2`.
type DataStmt struct {
	Syntax
	Names   []Ident  `parser:"'data' @@ (',' @@)*"`
	Type    TypeExpr `parser:"@@"`
	Default Expr     `parser:"('=' @@)?"`
	Doc     string
}

// ConstStmt is `const k = 10`.
type ConstStmt struct {
	Syntax
	Name  Ident `parser:"'const' @@"`
	Value Expr  `parser:"'=' @@"`
	Doc   string
}

// ParamStmt is `param x, y real[k] > 0`, or `param x real[k] offset mu multiplier tau`.
type ParamStmt struct {
	Syntax
	Names      []Ident  `parser:"'param' @@ (',' @@)*"`
	Type       TypeExpr `parser:"@@"`
	Offset     Expr     `parser:"('offset' @@)?"`
	Multiplier Expr     `parser:"('multiplier' @@)?"`
	Doc        string
}

// LetStmt is `let a = e`, `let a[i in n] = e` or, of a definition in parts, `let a[1] = e` and
// `let a[t] = e for t in 2..n`.
type LetStmt struct {
	Syntax
	Name   Ident      `parser:"'let' @@"`
	Places []Place    `parser:"('[' @@ (',' @@)* ']')?"`
	Value  Expr       `parser:"'=' @@"`
	For    *IndexDecl `parser:"('for' @@)?"`
	Doc    string

	written *LetStmt // what it was before its position became an index, nil where it was one
}

// Place is what stands between the brackets of a definition: an index with its range, or a position, which is the index of the
// `for` in the part that has one.
type Place struct {
	Decl *IndexDecl // nil of a position
	At   Expr       // nil of an index
}

// partial reports whether the statement defines a part of an array.
func (s *LetStmt) partial() bool {
	return s.For != nil || slices.ContainsFunc(s.Places, func(p Place) bool { return p.Decl == nil })
}

// decls are the indices with their ranges among places.
func decls(places []Place) []IndexDecl {
	var out []IndexDecl
	for _, p := range places {
		if p.Decl != nil {
			out = append(out, *p.Decl)
		}
	}
	return out
}

// DensityStmt is `density e`: e is added to the log density.
type DensityStmt struct {
	Syntax
	Value Expr `parser:"'density' @@"`
}

// SampleStmt is `a, b ~ dist(args) in (lo, hi) for i in r, j in s`.
type SampleStmt struct {
	Syntax
	Left  []Expr      `parser:"@@ (',' @@)*"`
	Dist  Ident       `parser:"'~' @@"`
	Args  []Arg       `parser:"'(' (')' | @@ (',' @@)* ')')"`
	Bound BoundExpr   `parser:"@@?"` // that truncates it
	For   []IndexDecl `parser:"('for' @@ (',' @@)*)?"`
}

// At is the extent of the `~`.
func (s *SampleStmt) At() Span { return s.of("~") }

// MetricStmt is `metric e`, `metric[i in k, j in k] = e` or
// `metric[x[i], v] = e`.
type MetricStmt struct {
	Syntax
	Indices []IndexDecl  `parser:"'metric' ( (?= '[' ~'in' 'in') '[' @@ (',' @@)* ']' '='"`
	Entry   *MetricEntry `parser:"| @@ '=' )?"`
	Value   Expr         `parser:"@@"`
}

// MetricEntry is the left side `[x[i], v]` of a metric's entry: an `=` follows it.
type MetricEntry struct {
	Sides []Expr

	tokens []lexer.Token
}

// Source implements Node.
func (e *MetricEntry) Source() []lexer.Token { return e.tokens }

// BlockStmt is `block name(x, y) metric e`.
type BlockStmt struct {
	Syntax
	Name   Ident       `parser:"'block' @@"`
	Params []Ident     `parser:"'(' @@ (',' @@)* ')'"`
	Metric *MetricStmt `parser:"@@?"` // nil if none is given
	Doc    string
}

// FuncStmt is `func f(x real[n], k int) = e`, or definitions and `return e` in braces.
type FuncStmt struct {
	Syntax
	Name   Ident      `parser:"'func' @@"`
	Args   []FuncArg  `parser:"'(' @@ (',' @@)* ')'"`
	Lets   []*LetStmt `parser:"( '{' End* (@@ End+)*"`
	Return Expr       `parser:"'return' @@ End* '}'"`
	Value  Expr       `parser:"| '=' @@ )"` // of the form without braces
	Doc    string
}

// FuncArg is `x, y real[n]`: arguments of a function. `data` stands before those that may not depend on parameters.
type FuncArg struct {
	Syntax
	Data  bool     `parser:"@'data'?"`
	Names []Ident  `parser:"@@ (',' @@)*"`
	Type  TypeExpr `parser:"@@"`
}

// result is the expression of the function's value.
func (s *FuncStmt) result() Expr {
	if s.Return != nil {
		return s.Return
	}
	return s.Value
}

// importWord starts a statement where a name follows, and may be a name elsewhere.
const importWord = "import"

// ImportStmt is `import functions`: the functions of functions.ham, a file beside the model.
type ImportStmt struct {
	Syntax
	Name Ident `parser:"'import' @@"`
}

// OdeStmt is `ode name(v, r; k) over time { v' = …  r' = … }`.
type OdeStmt struct {
	Syntax
	Name      Ident      `parser:"'ode' @@"`
	States    []Ident    `parser:"'(' @@ (',' @@)*"`
	Args      []Ident    `parser:"(';' @@ (',' @@)*)? ')'"`
	Time      Ident      `parser:"('over' @@)?"` // the zero Ident if the equations do not name it
	Equations []Equation `parser:"'{' End* (@@ (?= End | '}') End*)* '}'"`
	Doc       string

	lost bool // a line of it did not parse
}

// Equation is one line `v' = e` of an `ode`.
type Equation struct {
	Syntax
	State Ident `parser:"@@ \"'\""`
	Value Expr  `parser:"'=' @@"`
}

// GenerateStmt is `generate { a = …  b[i in n] = … }`.
type GenerateStmt struct {
	Syntax
	Quantities []QuantityLine `parser:"'generate' '{' End* (@@ (?= End | '}') End*)* '}'"`

	lets []*LetStmt // the definitions that they are, as the checker knows them
}

// QuantityLine is one line `a = e` or `a[i in n] = e` of a `generate` or, of a quantity in parts, `a[1] = e` and
// `a[t] = e for t in 2..n`.
type QuantityLine struct {
	Syntax
	Name   Ident      `parser:"@@"`
	Places []Place    `parser:"('[' @@ (',' @@)* ']')?"`
	Value  Expr       `parser:"'=' @@"`
	For    *IndexDecl `parser:"('for' @@)?"`
	Doc    string
}

// reports reports whether a line of `generate` is `a = a`, which writes a definition with the draws under its own name.
func (s *LetStmt) reports() bool {
	n, ok := s.Value.(*Name)
	return ok && n.Name == s.Name.Name && len(s.Places) == 0 && s.For == nil
}

// definition is the definition that a line is.
func (q *QuantityLine) definition() *LetStmt {
	return &LetStmt{Syntax: q.Syntax, Name: q.Name, Places: q.Places, Value: q.Value, For: q.For, Doc: q.Doc}
}

func (*ModelStmt) stmt()    {}
func (*DataStmt) stmt()     {}
func (*ConstStmt) stmt()    {}
func (*ParamStmt) stmt()    {}
func (*LetStmt) stmt()      {}
func (*DensityStmt) stmt()  {}
func (*SampleStmt) stmt()   {}
func (*MetricStmt) stmt()   {}
func (*BlockStmt) stmt()    {}
func (*FuncStmt) stmt()     {}
func (*ImportStmt) stmt()   {}
func (*OdeStmt) stmt()      {}
func (*GenerateStmt) stmt() {}
