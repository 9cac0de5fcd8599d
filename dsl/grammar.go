package dsl

import (
	"strconv"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// grammar is made of the types of statements.go. A token decides what follows, without a way
// back: so an error is where the text went wrong, and no text takes long. It is made when a text is read: much of hamc reads none.
var grammar = sync.OnceValue(func() *participle.Parser[File] {
	return participle.MustBuild[File](
		participle.Lexer(lines{}),
		participle.Elide("Comment", "Block", "Newline", "Space"),
		participle.UseLookahead(0),
		participle.ParseTypeWith(readExpr),
		participle.Union[Stmt](&ModelStmt{}, &DataStmt{}, &ConstStmt{}, &ParamStmt{}, &LetStmt{}, &DensityStmt{},
			&MetricStmt{}, &BlockStmt{}, &FuncStmt{}, &ImportStmt{}, &OdeStmt{}, &GenerateStmt{}, &SampleStmt{}),
	)
})

// byHand are the productions that expressions.go reads, as Grammar prints them. What binds
// tighter is written further down.
const byHand = `
IndexDecl = Ident "in" Expr (".." Expr)? .
Place = IndexDecl | Expr .
Arg = (<ident> "=")? Expr .
MetricEntry = "[" Expr ("," Expr)* "]" .
Expr = Conjunction ("or" Conjunction)* .
Conjunction = Negation ("and" Negation)* .
Negation = "not" Negation | Total (("<" | "<=" | ">" | ">=" | "==" | "!=") Total)? .
Total = Product (("+" | "-") Product)* .
Product = Signed (("*" | "/" | ".*" | "./") Signed)* .
Signed = ("-" | "+") Signed | Power .
Power = Postfix (("^" | ".^") Signed)? .
Postfix = Primary ("[" Subscript ("," Subscript)* "]" | "'")* .
Subscript = ":" | Expr (".." Expr)? .
Primary = <number> | If | Sum | Solve | Call | Word ("." <ident>)* | "(" Expr ")" | Matrix .
If = "if" Expr "then" Expr "else" Expr .
Sum = ("sum" | "log_sum_exp" | "max" | "min") "(" IndexDecl ("," IndexDecl)* ")" Product .
Solve = "solve" Ident "(" (")" | Arg ("," Arg)* ")") "from" Expr "at" Expr .
Call = (?! "solve") Word "(" (")" | Arg ("|" Arg)? ("," Arg)* ")") .
Matrix = "[" Expr ("," Expr)* (";" Expr ("," Expr)*)* "]" .
`

// Grammar returns the grammar of the language as EBNF: of the statements as their parser has it.
func Grammar() string {
	word := make([]string, len(keywords))
	for i, k := range keywords {
		word[i] = strconv.Quote(k)
	}
	return grammar().String() + byHand + "Word = (?! " + strings.Join(word, " | ") + ") <ident> .\n"
}

// production reads a T and returns as much of it as there is.
type production func(*lexer.PeekingLexer) (Stmt, error)

// reader returns a function that reads one kind of node of the grammar.
func reader[T any]() func(*lexer.PeekingLexer) (*T, error) {
	parser, err := participle.ParserForProduction[T](grammar())
	if err != nil {
		panic(err) // T is none of the grammar's types: every use of the package shows that
	}
	rest := participle.AllowTrailing(true)
	return func(lex *lexer.PeekingLexer) (*T, error) { return parser.ParseFromLexer(lex, rest) }
}

// statementOf is reader for a statement.
func statementOf[T any, P interface {
	*T
	Stmt
}]() production {
	read := reader[T]()
	return func(lex *lexer.PeekingLexer) (Stmt, error) {
		s, err := read(lex)
		return P(s), err
	}
}

// productions returns the statements by their keyword; "" stands for the one that has none.
var productions = sync.OnceValue(func() map[string]production {
	return map[string]production{
		"model":    statementOf[ModelStmt](),
		"data":     statementOf[DataStmt](),
		"const":    statementOf[ConstStmt](),
		"param":    statementOf[ParamStmt](),
		"let":      statementOf[LetStmt](),
		"density":  statementOf[DensityStmt](),
		"metric":   statementOf[MetricStmt](),
		"block":    statementOf[BlockStmt](),
		"func":     statementOf[FuncStmt](),
		importWord: statementOf[ImportStmt](),
		"ode":      statementOf[OdeStmt](),
		"generate": statementOf[GenerateStmt](),
		"":         statementOf[SampleStmt](),
	}
})

var (
	readEquation = sync.OnceValue(reader[Equation])
	readQuantity = sync.OnceValue(reader[QuantityLine])
)
