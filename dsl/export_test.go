package dsl

import "github.com/alecthomas/participle/v2/lexer"

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
