package dsl

import (
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// parser goes through the tokens of a file. It has no memory of its own but the depth of the
// expression that it reads: what is behind it, it looks up.
type parser struct {
	lex   *lexer.PeekingLexer
	depth int
}

func (p *parser) peek() lexer.Token { return *p.lex.Peek() }
func (p *parser) next() lexer.Token { return *p.lex.Next() }

// peekAt returns the n-th token ahead (0 is the next) without moving.
func (p *parser) peekAt(n int) lexer.Token {
	cp := p.lex.MakeCheckpoint()
	defer p.lex.LoadCheckpoint(cp)
	for ; n > 0 && !p.lex.Peek().EOF(); n-- {
		p.lex.Next()
	}
	return *p.lex.Peek()
}

// back returns the n-th token behind, 0 being the last one taken; the zero token where the line
// of a statement starts.
func (p *parser) back(n int) lexer.Token {
	behind := p.lex.Range(0, p.lex.RawCursor())
	for i := len(behind) - 1; i >= 0 && behind[i].Type != tokEnd; i-- {
		if isTrivia(behind[i].Type) {
			continue
		}
		if n == 0 {
			return behind[i]
		}
		n--
	}
	return lexer.Token{}
}

// line returns the tokens taken since the last End.
func (p *parser) line() []lexer.Token {
	behind := p.lex.Range(0, p.lex.RawCursor())
	start := len(behind)
	for start > 0 && behind[start-1].Type != tokEnd {
		start--
	}
	return behind[start:]
}

// since returns the tokens taken since the cursor stood there.
func (p *parser) since(start lexer.RawCursor) []lexer.Token {
	return p.lex.Range(start, p.lex.RawCursor())
}

// spanFrom extends a span to the last token taken, if that is on its line.
func (p *parser) spanFrom(s Span) Span {
	if end := tokenSpan(p.back(0)); end.Pos.Line == s.Pos.Line {
		s.Len = max(s.Len, end.Pos.Col+end.Len-s.Pos.Col)
	}
	return s
}

func (p *parser) isOp(v string) bool {
	t := p.lex.Peek()
	return t.Type == tokOp && t.Value == v
}

func (p *parser) isWord(v string) bool {
	t := p.lex.Peek()
	return t.Type == tokIdent && t.Value == v
}

// ends reports whether a statement, or a line of its braces, ends before a token.
func ends(t lexer.Token) bool { return t.EOF() || t.Type == tokEnd }

// isNameLike reports whether a token is a word that is no keyword.
func isNameLike(t lexer.Token) bool { return t.Type == tokIdent && !isKeyword(t.Value) }

// adjoins reports whether the next token stands right behind the last one.
func (p *parser) adjoins() bool {
	prev, t := p.back(0), p.peek()
	return prev.Pos.Line == t.Pos.Line && prev.Pos.Column+utf8.RuneCountInString(prev.Value) == t.Pos.Column
}

// afterValue reports whether the last token taken ends a value.
func (p *parser) afterValue() bool {
	switch t := p.back(0); t.Type {
	case tokNumber:
		return true
	case tokIdent:
		return !isKeyword(t.Value)
	case tokOp:
		return t.Value == ")" || t.Value == "]" || t.Value == "'"
	}
	return false
}

// open returns the brackets that are open here: of an expression, a list or a set. The braces of
// a body do not hold its lines together.
func (p *parser) open() []lexer.Token {
	var out []lexer.Token
	prev := ""
	for _, t := range p.line() {
		if isTrivia(t.Type) {
			continue
		}
		switch t.Value {
		case "(", "[":
			out = append(out, t)
		case "{":
			if prev == "in" {
				out = append(out, t)
			} else {
				out = nil
			}
		case ")", "]", "}":
			out = out[:max(0, len(out)-1)]
		}
		prev = t.Value
	}
	return out
}

// lacksBracket reports whether the rest of the statement closes fewer brackets
// than are open.
func (p *parser) lacksBracket() bool {
	cp := p.lex.MakeCheckpoint()
	defer p.lex.LoadCheckpoint(cp)
	depth := len(p.open())
	for t := p.peek(); depth > 0 && !ends(t); t = p.peek() {
		switch t.Value {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		p.next()
	}
	return depth > 0
}

// hasTilde reports whether a `~` stands in the rest of the line.
func (p *parser) hasTilde() bool {
	cp := p.lex.MakeCheckpoint()
	defer p.lex.LoadCheckpoint(cp)
	for t := p.peek(); !ends(t); t = p.next() {
		if t.Value == "~" {
			return true
		}
	}
	return false
}

// closed reports whether a `}` closes the braces that are open here.
func (p *parser) closed() bool {
	cp := p.lex.MakeCheckpoint()
	defer p.lex.LoadCheckpoint(cp)
	for n, depth := 0, 1; n < maxBody && !p.peek().EOF(); n++ {
		switch p.next().Value {
		case "{":
			depth++
		case "}":
			if depth--; depth == 0 {
				return true
			}
		}
	}
	return false
}

// skipEnds passes over the ends of lines.
func (p *parser) skipEnds() {
	for p.peek().Type == tokEnd {
		p.next()
	}
}

// skipLine passes over the rest of a line, but not over a `}` that closes what
// was opened before it.
func (p *parser) skipLine() {
	depth := 0
	for t := p.peek(); !ends(t); t = p.peek() {
		switch t.Value {
		case "{":
			depth++
		case "}":
			if depth--; depth < 0 {
				return
			}
		}
		p.next()
	}
}

// skipToEnd passes over the rest of a line.
func (p *parser) skipToEnd() {
	for !ends(p.peek()) {
		p.next()
	}
}

// behindColon is the first word behind a `:` in the rest of the line, as in a loop of Python; "" where there is none.
func (p *parser) behindColon() string {
	for n := 0; ; n++ {
		t := p.peekAt(n)
		if ends(t) {
			return ""
		}
		if t.Value == ":" && p.peekAt(n+1).Type != tokEnd {
			return p.peekAt(n + 1).Value
		}
	}
}
