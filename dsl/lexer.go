package dsl

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// rules are the tokens of the language, tried in order, the frequent ones first. The catch-all at the
// end keeps a stray character from ending the parse: the parser reports it and
// goes on. The byte order mark that some editors put first counts as a blank.
var rules = lexer.MustSimple([]lexer.SimpleRule{
	{Name: "Space", Pattern: `[ \t\r\x{FEFF}]+`},
	{Name: "Ident", Pattern: `[A-Za-z_][A-Za-z0-9_]*`},
	{Name: "Number", Pattern: `(\d+(\.\d+)?|\.\d+)([eE][+-]?\d+)?`},
	{Name: "Comment", Pattern: `//[^\n]*`},
	{Name: "Block", Pattern: `/\*([^*]|\*+[^*/])*(\*+/|\**\z)`},
	{Name: "Op", Pattern: `\.\.|\.\*|\./|\.\^|<=|>=|==|!=|[-+*/^=~<>()\[\]{},;'?:.|]`},
	{Name: "Newline", Pattern: `\n`},
	{Name: "Bad", Pattern: `[\s\S]`},
})

var (
	symbols    = withEnd(rules.Symbols())
	tokComment = symbols["Comment"]
	tokBlock   = symbols["Block"]
	tokNumber  = symbols["Number"]
	tokIdent   = symbols["Ident"]
	tokOp      = symbols["Op"]
	tokNewline = symbols["Newline"]
	tokSpace   = symbols["Space"]
	tokBad     = symbols["Bad"]
	tokEnd     = symbols["End"]
)

// withEnd adds the token that ends a statement, which no rule matches: lines puts it in.
func withEnd(symbols map[string]lexer.TokenType) map[string]lexer.TokenType {
	out := map[string]lexer.TokenType{"End": -1000}
	for name, t := range symbols {
		out[name] = t
	}
	return out
}

// isTrivia reports whether a token is one that the grammar does not see: a blank, a comment or
// the end of a line that ends no statement. They stay among the tokens of the tree.
func isTrivia(t lexer.TokenType) bool {
	return t == tokSpace || t == tokNewline || t == tokComment || t == tokBlock
}

// keywords start statements, and are never names.
var keywords = []string{"model", "data", "const", "param", "let", "density", "metric",
	"block", "ode", "func", "generate", "for", "in", "int", "real", "cov", "if", "then", "else", "and", "or", "not"}

func isKeyword(s string) bool {
	for _, k := range keywords {
		if k == s {
			return true
		}
	}
	return false
}

// startsStatement reports whether a word opens a statement.
func startsStatement(s string) bool {
	switch s {
	case "for", "in", "int", "real", "cov", "if", "then", "else", "and", "or", "not":
		return false
	}
	return isKeyword(s)
}

// lines is a lexer.Definition that applies the rule of line ends: a statement
// ends with its line, but a line goes on inside brackets, after an operator
// or a comma, and before what no statement starts with. It puts an End, which has no text, where a statement ends.
type lines struct{}

func (lines) Symbols() map[string]lexer.TokenType { return symbols }

func (lines) Lex(name string, r io.Reader) (lexer.Lexer, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return lines{}.LexString(name, string(text))
}

func (lines) LexString(name, text string) (lexer.Lexer, error) {
	base, err := rules.LexString(name, text)
	if err != nil {
		return nil, err
	}
	l := &lineLexer{base: make([]lexer.Token, 0, len(text)/3+1)} // most tokens are short
	for {
		t, err := base.Next()
		if err != nil {
			return nil, err
		}
		l.base = append(l.base, t)
		if t.EOF() {
			break
		}
	}
	l.divide()
	return &tokenList{l.out}, nil
}

// tokenList is a lexer of tokens that are there already.
type tokenList struct{ left []lexer.Token }

// Next returns the next token; the last one is the end of the file.
func (l *tokenList) Next() (lexer.Token, error) {
	t := l.left[0]
	if !t.EOF() {
		l.left = l.left[1:]
	}
	return t, nil
}

// lineLexer divides the tokens of a text into statements.
type lineLexer struct {
	base    []lexer.Token // of the text
	out     []lexer.Token // those read, with the Ends
	depth   int           // open brackets
	last    lexer.Token   // last token that is no trivia
	started bool          // last is a token of the open statement
	keyword bool          // the open statement starts with a keyword
	tilde   bool          // the open statement holds a ~
}

func (l *lineLexer) divide() {
	l.out = make([]lexer.Token, 0, len(l.base)+len(l.base)/8)
	newline := -1 // where in out the line of the last token ends
	for i, t := range l.base {
		if isTrivia(t.Type) {
			if t.Type == tokNewline && newline < 0 {
				newline = len(l.out)
			}
			l.out = append(l.out, t)
			continue
		}
		if l.started && (t.EOF() || newline >= 0 && l.ends(i)) {
			if newline < 0 {
				newline = len(l.out)
			}
			// The comment behind a statement is one of its tokens, but the End's place is
			// right behind the last token: carets point there.
			end := lexer.Token{Type: tokEnd, Pos: l.last.Pos}
			end.Pos.Column += utf8.RuneCountInString(l.last.Value)
			end.Pos.Offset += len(l.last.Value)
			l.out = slices.Insert(l.out, newline, end)
			l.started, l.keyword, l.tilde, l.depth = false, false, false, 0
		}
		l.take(t)
		newline = -1
	}
}

// ends reports whether the open statement ends before the i-th token, the first of a
// line. Lines that can only be statements of their own end it even where a
// bracket is open or an operator waits for its operand, so that one slip does
// not swallow the statements that follow.
func (l *lineLexer) ends(i int) bool {
	t := l.base[i]
	if l.depth == 0 && (!continues(l.last) && !l.joins(i) || t.Value == "}") {
		return true
	}
	if t.Type == tokIdent && startsStatement(t.Value) || l.equation(i) {
		return true
	}
	// A ~ never stands inside brackets, nor twice in a statement, nor in one
	// that starts with a keyword.
	return (l.depth > 0 || l.keyword || l.tilde) && l.samples(i)
}

// joins reports whether the line that starts with the i-th token goes on with the line above: no statement starts so.
func (l *lineLexer) joins(i int) bool {
	t := l.base[i]
	if t.Type == tokIdent {
		switch t.Value {
		case "then", "else", "and", "or":
			return true
		case "for":
			return (l.tilde || l.keyword) && l.clause(i)
		}
		return false
	}
	if t.Type != tokOp {
		return false
	}
	switch t.Value {
	case "*", "/", ".*", "./", "^", ".^", "<", "<=", ">", ">=", "==", "!=", "=", "~", ",":
		return true
	case "+", "-":
		return !l.samples(i) // a sign may start the left side of one
	}
	return false
}

// clause reports whether the line that starts with the i-th token is a clause `for i in n`, and no loop of another language.
func (l *lineLexer) clause(i int) bool {
	words := 0
	for _, t := range l.base[i:] {
		switch {
		case t.EOF() || t.Type == tokNewline:
			return words > 2
		case isTrivia(t.Type):
			continue
		case words == 1 && t.Type != tokIdent || words == 2 && t.Value != "in":
			return false
		case t.Value == "{" || t.Value == ":" || t.Value == "~" || t.Value == "=" || t.Type == tokIdent && startsStatement(t.Value):
			return false // what is repeated stands behind the range
		}
		words++
	}
	return false
}

// equation reports whether the line that starts with the i-th token is one of an `ode`.
func (l *lineLexer) equation(i int) bool {
	if l.base[i].Type != tokIdent {
		return false
	}
	for _, v := range []string{"'", "="} {
		for i++; isTrivia(l.base[i].Type) && l.base[i].Type != tokNewline; i++ {
		}
		if l.base[i].Value != v {
			return false
		}
	}
	return true
}

// samples reports whether the line that starts with the i-th token has a ~ outside all
// brackets.
func (l *lineLexer) samples(i int) bool {
	depth := 0
	for _, t := range l.base[i:] {
		if t.EOF() || t.Type == tokNewline {
			return false
		}
		if t.Type != tokOp {
			continue
		}
		switch t.Value {
		case "(", "[":
			depth++
		case ")", "]":
			if depth--; depth < 0 {
				return false
			}
		case "~":
			if depth == 0 {
				return true
			}
		}
	}
	return false
}

// take puts a token out, and keeps what decides where its statement ends.
func (l *lineLexer) take(t lexer.Token) {
	if !l.started {
		l.keyword = t.Type == tokIdent && startsStatement(t.Value)
	}
	if t.Type == tokOp {
		switch t.Value {
		case "(", "[":
			l.depth++
		case ")", "]":
			l.depth = max(0, l.depth-1)
		case "{":
			// A set is a bracket; the braces of a body hold lines.
			if l.last.Value == "in" {
				l.depth++
			}
		case "}":
			l.depth = max(0, l.depth-1)
		case "~":
			l.tilde = true
		}
	}
	l.started = !t.EOF()
	l.last = t
	l.out = append(l.out, t)
}

// continues reports whether a line cannot end after t.
func continues(t lexer.Token) bool {
	if t.Type == tokIdent {
		switch t.Value {
		case "if", "then", "else", "and", "or", "not":
			return true
		}
	}
	if t.Type != tokOp {
		return false
	}
	switch t.Value {
	case ")", "]", "}", "'", ".", ";":
		return false
	}
	return true
}

// tokenSpan is the extent of a token; participle counts columns in characters
// already, so they serve as they are.
func tokenSpan(t lexer.Token) Span {
	n := utf8.RuneCountInString(strings.TrimRight(t.Value, "\r\n"))
	return Span{Pos{t.Pos.Filename, t.Pos.Line, t.Pos.Column}, max(1, n)}
}
