package dsl

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// What tests of the tree and the grammar need to know of tokens.
var (
	Symbols  = symbols
	IsTrivia = isTrivia
	IsName   = isName
)

// Tokens are those that Parse divides a text into, Ends included.
func Tokens(text string) []lexer.Token {
	lex, err := tokens("", text)
	if err != nil {
		panic(err)
	}
	for !lex.Peek().EOF() {
		lex.Next()
	}
	_, end := lex.PeekAny(lexer.Token.EOF)
	return lex.Range(0, end)
}

// Sound reports whether there was no error in a statement.
func (s *Statement) Sound() bool { return s.sound }

// Translated are the lines that say what a statement of another language says.
func Translated(text string) []string { return read(text).translated() }

// PythonRows are the rows of the table of the distributions of PyMC and NumPyro, with the first name of each.
func PythonRows() (out [][4]string) {
	for _, r := range pythonDists {
		name, _, _ := strings.Cut(r.names, " ")
		out = append(out, [4]string{name, r.args, r.form, r.typ})
	}
	return out
}

// ForeignDists are the rows of the table of R's distributions, or of SciPy's: names, arguments, distribution, cumulative function, quantile.
func ForeignDists(scipy bool) (out [][5]string) {
	for _, r := range map[bool][]foreignDist{false: rDists, true: scipyDists}[scipy] {
		out = append(out, [5]string{r.names, r.args, r.form, r.below, r.quantile})
	}
	return out
}

// Substituted puts texts in the place of the names in a form.
var Substituted = substituted
