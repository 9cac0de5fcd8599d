package dsl

import (
	"errors"
	"fmt"

	"github.com/alecthomas/participle/v2/lexer"
)

// The forms of the statements, as the hints of their errors show them.
const (
	blockForm = "a block reads `block NAME(x, y) metric …`"
	odeForm   = "a differential equation reads `ode NAME(v, r) {`, one line `v' = …` for each state, and `}`"
	solveForm = "a solution reads `let s = solve f(v = v0, r = r0) from t0 at t`"
)

// block reads `block name(x, y)` and the metric that may follow.
func (p *parser) block(at Span) error {
	p.s.block = true
	if !p.nameNext() {
		return p.unexpected("the block's name", blockForm)
	}
	name, err := p.ident("the block's name")
	if err != nil {
		return err
	}
	b := &BlockStmt{At: at, Name: name}
	if _, err := p.expect("(", blockForm); err != nil {
		return err
	}
	if b.Params, err = p.names("a parameter", blockForm); err != nil {
		return err
	}
	whole := blockForm
	if p.isOp("[") {
		whole = "a block takes whole parameters, without an index"
	}
	if _, err := p.expect(")", p.listHint(whole)); err != nil {
		return err
	}
	want, hint := "`metric` or the end of the line", blockForm
	if p.isWord("metric") {
		t := p.next()
		if b.Metric, err = p.metric(tokenSpan(t)); err != nil {
			return err
		}
		want = "the end of the line"
		if p.isWord("metric") {
			hint = "metrics are added: `metric fisher + 1e-3*identity`"
		}
	}
	switch n := p.peek(); {
	case n.Type == tokEOL, n.EOF(), n.Value == ")", n.Value == "]", n.Value == "}":
		// end reports the brackets.
	case n.Value == ";":
		hint = ""
		fallthrough
	default:
		p.poisonLine()
		return p.unexpected(want, hint)
	}
	p.s.stmt = b
	return nil
}

// nameNext reports whether a word follows: a name, or a keyword in its place.
func (p *parser) nameNext() bool { return p.peek().Type == tokIdent }

// names reads names separated by commas, which declare nothing yet.
func (p *parser) names(what, hint string) ([]Ident, error) {
	var out []Ident
	for {
		if !p.nameNext() {
			return nil, p.unexpected(what, hint)
		}
		id, err := p.ident(what)
		if err != nil {
			return nil, err
		}
		out = append(out, id)
		if !p.isOp(",") {
			return out, nil
		}
		p.next()
	}
}

// listHint is the hint where a list of names does not end as it should.
func (p *parser) listHint(hint string) string {
	if t := p.peek(); t.Type == tokIdent && !isKeyword(t.Value) {
		return "names are separated by commas"
	}
	return hint
}

// ode reads `ode name(v, r; k) over time { … }`.
func (p *parser) ode() error {
	o, err := p.odeHead()
	if err != nil {
		p.s.ode = len(p.s.names) == 0
		p.leaveEquations()
		return err
	}
	if err := p.equations(o); err != nil {
		return err
	}
	if p.isWord("over") {
		return p.unexpected("the end of the line", "`over NAME` stands before the `{`")
	}
	p.s.stmt = o
	return nil
}

// odeHead reads an `ode` up to its `{`.
func (p *parser) odeHead() (*OdeStmt, error) {
	if !p.nameNext() {
		return nil, p.unexpected("the equation's name", odeForm)
	}
	name, err := p.ident("the equation's name")
	if err != nil {
		return nil, err
	}
	p.s.names = []Ident{name}
	o := &OdeStmt{Name: name}
	if _, err := p.expect("(", odeForm); err != nil {
		return nil, err
	}
	if o.States, err = p.names("a state", odeForm); err != nil {
		return nil, err
	}
	if p.isOp(";") {
		p.next()
		if o.Args, err = p.names("an argument", "arguments follow the `;`, as in `ode f(v, r; dose) {`"); err != nil {
			return nil, err
		}
	}
	hint := "states stand before the `;`, arguments behind it"
	switch t := p.peek(); {
	case t.Value == "[", t.Value == ":", isType(t.Value):
		hint = "states and arguments are scalars; they have names and nothing else"
	case t.Value == "=":
		hint = "initial values stand in the solution: `solve f(v = v0) from t0 at t`"
	}
	if _, err := p.expect(")", p.listHint(hint)); err != nil {
		return nil, err
	}
	if p.isWord("over") {
		p.next()
		if !p.nameNext() {
			return nil, p.unexpected("the name of time", "it follows `over`, as in `ode f(v) over time {`")
		}
		if o.Time, err = p.ident("the name of time"); err != nil {
			return nil, err
		}
	}
	hint = odeForm
	switch t := p.peek(); {
	case t.Type == tokIdent && !isKeyword(t.Value) && o.Time.Name == "":
		hint = "the name of time follows `over`, as in `ode f(v) over time {`"
	case t.Type == tokEOL && p.peekAt(1).Value == "{":
		hint = "the `{` stands in the line of the equation's name"
	}
	o.brace, err = p.expect("{", hint)
	return o, err
}

// equations reads the lines of an `ode` and its `}`.
func (p *parser) equations(o *OdeStmt) error {
	return p.body(&body{
		brace: o.brace, holds: "only equations stand in the braces of an `ode`", want: "an equation", mark: "'",
		instead: func(word string) string {
			switch word {
			case "~":
				return "; terms of the density stand below it"
			case "let":
				return "; write the value out in them"
			}
			return ""
		},
		line: func() error { return p.equation(o) },
		lost: &o.lost,
	})
}

// body describes the lines in the braces of a statement.
type body struct {
	brace   lexer.Token              // that opens them
	holds   string                   // what stands there, in a sentence
	want    string                   // and in a word
	mark    string                   // what follows the first word of a line
	instead func(word string) string // what to do instead of a statement there: its keyword, or `~`
	line    func() error             // reads one
	lost    *bool                    // set if one is no good
}

// body reads the lines in the braces of a statement and the `}`. A line that is no
// good is reported, and hides no other.
func (p *parser) body(b *body) error {
	p.open = nil // the braces of a body do not hold lines together
	lost := func(err error) {
		*b.lost = true
		if se := (*syntaxError)(nil); errors.As(err, &se) {
			p.s.diags = append(p.s.diags, se.d)
		}
		p.open = nil
		p.skipLine()
	}
	for {
		start := p.lex.MakeCheckpoint()
		for t := p.peek(); t.Type == tokEOL && !t.EOF(); t = p.peek() {
			p.next()
		}
		if p.isOp("}") {
			p.next()
			return nil
		}
		t := p.peek()
		statement := t.Type == tokIdent && startsStatement(t.Value) && p.peekAt(1).Value != b.mark
		if statement || p.hasTilde() || t.EOF() {
			if !p.closed() {
				p.lex.LoadCheckpoint(start)
				return fail(UnclosedBracket, tokenSpan(b.brace), "add the missing `}`", "this `{` is not closed")
			}
			p.poisonLine()
			p.s.param = p.s.param || t.Value == "param"
			p.s.block = p.s.block || t.Value == "block"
			found, note := found(t), b.instead(t.Value)
			if !statement {
				found, note = "a statement with `~`", b.instead("~")
			}
			err := fail(UnexpectedToken, tokenSpan(t), b.holds+note, "expected %s, found %s", b.want, found)
			if statement {
				p.skipBraces()
			}
			lost(err)
			continue
		}
		if err := b.line(); err != nil {
			lost(err)
		}
	}
}

// equation reads one line `v' = …`.
func (p *parser) equation(o *OdeStmt) error {
	t := p.peek()
	name := o.States[0].Name
	for _, s := range o.States[:min(len(o.States), maxListed)] {
		if s.Name == t.Value {
			name = s.Name
		}
	}
	hint := fmt.Sprintf("an equation reads `%s' = …`", name)
	if !p.nameNext() {
		if continues(t) {
			hint = continuesHint
		}
		return p.unexpected("an equation", hint)
	}
	state, err := p.ident("a state")
	if err != nil {
		return err
	}
	if !p.isOp("'") {
		return p.unexpected("`'`", hint)
	}
	p.next()
	if p.isOp("'") {
		hint = fmt.Sprintf("a second derivative is the derivative of another state: `%s' = w` and `w' = …`", name)
	}
	if _, err := p.expect("=", hint); err != nil {
		return err
	}
	value, err := p.expr()
	if err != nil {
		return err
	}
	if err := p.endOfLine("an equation has a line of its own", "'"); err != nil {
		return err
	}
	o.Equations = append(o.Equations, Equation{state, value})
	return nil
}

// endOfLine checks that a line in braces ends here. The hint is for what looks
// like another one, which has the mark behind its first word.
func (p *parser) endOfLine(another, mark string) error {
	switch n := p.peek(); {
	case n.Type == tokEOL, n.Value == "}":
	case n.Value == ")", n.Value == "]":
		return fail(UnexpectedToken, tokenSpan(n), "remove it", "this `%s` closes nothing", n.Value)
	default:
		hint := ""
		if n.Value == "," || n.Value == ";" || n.Type == tokIdent && p.peekAt(1).Value == mark {
			hint = another
		}
		return p.unexpected("the end of the line", hint)
	}
	return nil
}

// hasTilde reports whether a `~` stands in the rest of the line.
func (p *parser) hasTilde() bool {
	cp := p.lex.MakeCheckpoint()
	defer p.lex.LoadCheckpoint(cp)
	for t := p.lex.Peek(); !t.EOF() && t.Type != tokEOL; t = p.lex.Peek() {
		if t.Value == "~" {
			return true
		}
		p.lex.Next()
	}
	return false
}

// closed reports whether a `}` closes the braces that are open here.
func (p *parser) closed() bool {
	cp := p.lex.MakeCheckpoint()
	defer p.lex.LoadCheckpoint(cp)
	for n, depth := 0, 1; n < maxBody && !p.lex.Peek().EOF(); n++ {
		switch p.lex.Next().Value {
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

// skipLine passes over the rest of a line, but not over a `}` that closes what
// was opened before it.
func (p *parser) skipLine() {
	depth := 0
	for t := p.peek(); !t.EOF() && t.Type != tokEOL; t = p.peek() {
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

// leaveEquations passes over what follows a head that did not parse: its
// braces, wherever they open, or lines that can only be equations.
func (p *parser) leaveEquations() {
	if t := p.peek(); t.Type == tokEOL && p.peekAt(1).Value == "{" {
		p.next()
	}
	if p.skipBraces(); p.prev.Value == "}" {
		return
	}
	var end lexer.Checkpoint
	for equations := false; ; {
		for t := p.peek(); !t.EOF() && t.Type != tokEOL; t = p.peek() {
			p.next()
		}
		end = p.lex.MakeCheckpoint()
		for t := p.peek(); !t.EOF() && t.Type == tokEOL; t = p.peek() {
			p.next()
		}
		if equations && p.isOp("}") {
			p.next()
			return
		}
		if !p.nameNext() || p.peekAt(1).Value != "'" || p.peekAt(2).Value != "=" {
			break
		}
		equations = true
	}
	p.lex.LoadCheckpoint(end)
}

// solve reads `solve f(v = -1, r = 1) from t0 at t`.
func (p *parser) solve() (Expr, error) {
	word := p.next()
	if !p.nameNext() {
		return nil, p.unexpected("the name of an `ode`", solveForm)
	}
	name, err := p.ident("the name of an `ode`")
	if err != nil {
		return nil, err
	}
	s := &SolveExpr{node: node{span: tokenSpan(word)}, Ode: name.Name, At: name.At}
	if !p.isOp("(") {
		return nil, p.unexpected("`(`", solveForm)
	}
	if s.Args, err = p.args("values have names and are separated by commas, as in `solve f(v = v0, r = r0)`", nil); err != nil {
		return nil, err
	}
	for _, part := range []struct {
		word string
		to   *Expr
	}{{"from", &s.From}, {"at", &s.Times}} {
		if !p.isWord(part.word) {
			err := p.unexpected("`"+part.word+"`", solveForm)
			if n := p.peekAt(1); p.peek().Type == tokEOL && n.Value == part.word {
				// The next line goes on where this one should.
				err = p.unexpected("`"+part.word+"`", "a line goes on after an operator, a comma or in brackets; break it inside those of `solve f(…)`")
				p.next()
				p.skipLine()
			}
			return nil, err
		}
		p.next()
		if *part.to, err = p.expr(); err != nil {
			return nil, err
		}
	}
	if p.isOp("..") {
		return nil, fail(BadSolve, s.Times.Span(), timesHint, "the times of a solution are a vector of data, not a range")
	}
	if t := p.peek(); t.Type == tokIdent && !isKeyword(t.Value) {
		return nil, p.unexpected("the end of the solution", solveForm)
	}
	s.span = p.spanFrom(s.span)
	return s, nil
}

// timesHint says how the times of a solution are given.
const timesHint = "declare them as `data t real[n]`"
