package dsl

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// rules are the tokens of the language, tried in order. The catch-all at the
// end keeps a stray character from ending the parse: the parser reports it and
// goes on.
var rules = lexer.MustSimple([]lexer.SimpleRule{
	{Name: "Comment", Pattern: `//[^\n]*`},
	{Name: "Number", Pattern: `(\d+(\.\d+)?|\.\d+)([eE][+-]?\d+)?`},
	{Name: "Ident", Pattern: `[A-Za-z_][A-Za-z0-9_]*`},
	{Name: "Op", Pattern: `\.\.|\.\*|\./|\.\^|<=|>=|==|!=|[-+*/^=~<>()\[\]{},;'?:.]`},
	{Name: "EOL", Pattern: `\r?\n`},
	{Name: "Space", Pattern: `[ \t\r]+`},
	{Name: "Bad", Pattern: `[\s\S]`},
})

var (
	symbols   = rules.Symbols()
	tokNumber = symbols["Number"]
	tokIdent  = symbols["Ident"]
	tokOp     = symbols["Op"]
	tokEOL    = symbols["EOL"]
	tokBad    = symbols["Bad"]
	tokSkip   = map[lexer.TokenType]bool{symbols["Comment"]: true, symbols["Space"]: true}
)

// keywords start statements, and are never names.
var keywords = []string{"model", "data", "const", "param", "let", "density", "metric",
	"block", "ode", "func", "generate", "for", "in", "int", "real", "cov"}

func isKeyword(s string) bool {
	for _, k := range keywords {
		if k == s {
			return true
		}
	}
	return false
}

// startsStatement reports whether a keyword opens a statement: at the start of
// a line it ends whatever brackets are still open, so that one missing bracket
// does not swallow the rest of the file.
func startsStatement(s string) bool {
	switch s {
	case "for", "in", "int", "real", "cov":
		return false
	}
	return isKeyword(s)
}

// lines is a lexer.Definition that applies the rule of line ends: a statement
// ends with its line, but a line goes on inside brackets and after an operator
// or a comma. It also drops blanks and comments.
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
	return &lineLexer{base: base}, nil
}

type lineLexer struct {
	base    lexer.Lexer
	depth   int         // open ( and [
	last    lexer.Token // last token handed out
	pending []lexer.Token
	started bool
}

// Next returns the next token that the grammar sees.
func (l *lineLexer) Next() (lexer.Token, error) {
	if n := len(l.pending); n > 0 {
		t := l.pending[0]
		l.pending = l.pending[1:]
		return l.emit(t), nil
	}
	newline := false
	var eol lexer.Token
	for {
		t, err := l.base.Next()
		if err != nil {
			return t, err
		}
		switch {
		case tokSkip[t.Type]:
			continue
		case t.Type == tokEOL:
			if !newline {
				newline, eol = true, t
			}
			continue
		case t.EOF():
			if l.started && l.last.Type != tokEOL {
				l.pending = append(l.pending, t)
				return l.emit(lexer.Token{Type: tokEOL, Value: "\n", Pos: t.Pos}), nil
			}
			return l.emit(t), nil
		}
		ends := newline && l.started && l.last.Type != tokEOL
		if ends && l.depth > 0 {
			ends = t.Type == tokIdent && startsStatement(t.Value) && t.Pos.Column == 1
			if ends {
				l.depth = 0
			}
		} else if ends && continues(l.last) {
			ends = t.Type == tokIdent && startsStatement(t.Value)
		}
		if ends {
			l.pending = append(l.pending, t)
			return l.emit(eol), nil
		}
		return l.emit(t), nil
	}
}

func (l *lineLexer) emit(t lexer.Token) lexer.Token {
	l.started = true
	if t.Type == tokOp {
		switch t.Value {
		case "(", "[":
			l.depth++
		case ")", "]":
			l.depth = max(0, l.depth-1)
		}
	}
	l.last = t
	return t
}

// continues reports whether a line cannot end after t.
func continues(t lexer.Token) bool {
	if t.Type != tokOp {
		return false
	}
	switch t.Value {
	case ")", "]", "}", "'", ".":
		return false
	}
	return true
}

// tokenSpan is the extent of a token; participle counts columns in bytes
// within runes already, so they serve as they are.
func tokenSpan(t lexer.Token) Span {
	n := utf8.RuneCountInString(strings.TrimRight(t.Value, "\r\n"))
	return Span{Pos{t.Pos.Line, t.Pos.Column}, max(1, n)}
}
