package dsl

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// rules are the tokens of the language, tried in order. The catch-all at the
// end keeps a stray character from ending the parse: the parser reports it and
// goes on. The byte order mark that some editors put first counts as a blank.
var rules = lexer.MustSimple([]lexer.SimpleRule{
	{Name: "Comment", Pattern: `//[^\n]*`},
	{Name: "Block", Pattern: `/\*([^*]|\*+[^*/])*(\*+/|\**\z)`},
	{Name: "Number", Pattern: `(\d+(\.\d+)?|\.\d+)([eE][+-]?\d+)?`},
	{Name: "Ident", Pattern: `[A-Za-z_][A-Za-z0-9_]*`},
	{Name: "Op", Pattern: `\.\.|\.\*|\./|\.\^|<=|>=|==|!=|[-+*/^=~<>()\[\]{},;'?:.|]`},
	{Name: "EOL", Pattern: `\r?\n`},
	{Name: "Space", Pattern: `[ \t\r\x{FEFF}]+`},
	{Name: "Bad", Pattern: `[\s\S]`},
})

var (
	symbols   = rules.Symbols()
	tokNumber = symbols["Number"]
	tokIdent  = symbols["Ident"]
	tokOp     = symbols["Op"]
	tokEOL    = symbols["EOL"]
	tokBad    = symbols["Bad"]
	tokBlock  = symbols["Block"]
	tokSkip   = map[lexer.TokenType]bool{symbols["Comment"]: true, symbols["Block"]: true, symbols["Space"]: true}
)

// blockComments finds the comments in /* */, which other languages have. The parser passes over
// them, so that one message says that they are none of the language and the statements around
// them are read all the same.
func blockComments(text string) []Span {
	if !strings.Contains(text, "/*") {
		return nil
	}
	base, err := rules.LexString("", text)
	if err != nil {
		return nil
	}
	var out []Span
	for {
		t, err := base.Next()
		if err != nil || t.EOF() {
			return out
		}
		if t.Type == tokBlock {
			t.Value, _, _ = strings.Cut(t.Value, "\n")
			out = append(out, tokenSpan(t))
		}
	}
}

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

// startsStatement reports whether a word opens a statement.
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
	ahead   []lexer.Token // read from base by lookahead, not yet handed out
	depth   int           // open brackets
	last    lexer.Token   // last token handed out
	started bool          // last is a token of the open statement
	keyword bool          // the open statement starts with a keyword
	tilde   bool          // the open statement holds a ~
}

// Next returns the next token that the grammar sees.
func (l *lineLexer) Next() (lexer.Token, error) {
	newline := false
	for {
		t, err := l.read()
		if err != nil {
			return t, err
		}
		if t.Type == tokEOL {
			newline = true
			continue
		}
		if !l.started {
			return l.emit(t), nil
		}
		ends := t.EOF()
		if newline && !ends {
			if ends, err = l.ends(t); err != nil {
				return t, err
			}
		}
		if !ends {
			return l.emit(t), nil
		}
		l.ahead = append([]lexer.Token{t}, l.ahead...)
		l.started, l.keyword, l.tilde, l.depth = false, false, false, 0
		// The end stands right behind the last token, not behind the
		// comments and blank lines that follow it: carets point there.
		eol := lexer.Token{Type: tokEOL, Value: "\n", Pos: l.last.Pos}
		eol.Pos.Column += utf8.RuneCountInString(l.last.Value)
		return eol, nil
	}
}

// ends reports whether the open statement ends before t, the first token of a
// line. Lines that can only be statements of their own end it even where a
// bracket is open or an operator waits for its operand, so that one slip does
// not swallow the statements that follow.
func (l *lineLexer) ends(t lexer.Token) (bool, error) {
	if l.depth == 0 && (!continues(l.last) || t.Value == "}") {
		return true, nil
	}
	if t.Type == tokIdent && startsStatement(t.Value) {
		return true, nil
	}
	if eq, err := l.equation(t); eq || err != nil {
		return eq, err
	}
	// A ~ never stands inside brackets, nor twice in a statement, nor in one
	// that starts with a keyword.
	if l.depth == 0 && !l.keyword && !l.tilde {
		return false, nil
	}
	return l.samples(t)
}

// equation reports whether the line that starts with t is one of an `ode`.
func (l *lineLexer) equation(t lexer.Token) (bool, error) {
	if t.Type != tokIdent {
		return false, nil
	}
	i := 0
	for _, v := range []string{"'", "="} {
		next, err := l.look(i)
		for ; err == nil && tokSkip[next.Type]; next, err = l.look(i) {
			i++
		}
		if err != nil || next.Value != v {
			return false, err
		}
		i++
	}
	return true, nil
}

// samples reports whether the line that starts with t has a ~ outside all
// brackets.
func (l *lineLexer) samples(t lexer.Token) (bool, error) {
	depth := 0
	for i := 0; ; i++ {
		if t.EOF() || t.Type == tokEOL {
			return false, nil
		}
		if t.Type == tokOp {
			switch t.Value {
			case "(", "[":
				depth++
			case ")", "]":
				if depth--; depth < 0 {
					return false, nil
				}
			case "~":
				if depth == 0 {
					return true, nil
				}
			}
		}
		var err error
		if t, err = l.look(i); err != nil {
			return false, err
		}
	}
}

// look returns the i-th token after the one that is being read.
func (l *lineLexer) look(i int) (lexer.Token, error) {
	for len(l.ahead) <= i {
		next, err := l.base.Next()
		if err != nil {
			return next, err
		}
		l.ahead = append(l.ahead, next)
	}
	return l.ahead[i], nil
}

// read returns the next token that is neither blank nor comment.
func (l *lineLexer) read() (t lexer.Token, err error) {
	for {
		if len(l.ahead) > 0 {
			t, l.ahead = l.ahead[0], l.ahead[1:]
		} else if t, err = l.base.Next(); err != nil {
			return t, err
		}
		if !tokSkip[t.Type] {
			return t, nil
		}
	}
}

func (l *lineLexer) emit(t lexer.Token) lexer.Token {
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
	l.started = true
	l.last = t
	return t
}

// continues reports whether a line cannot end after t.
func continues(t lexer.Token) bool {
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
	return Span{Pos{t.Pos.Line, t.Pos.Column}, max(1, n)}
}
