package dsl

import (
	"errors"
	"fmt"

	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar reads the braces of an `ode` or a `generate` as a whole. Where that fails, they are
// read again line by line: a line that is no good is reported, and hides no other.

// inBraces reports whether the production that began at start came beyond its `{`; then it goes
// back to behind that.
func (r *reading) inBraces(start lexer.Checkpoint) bool {
	for i, t := range r.since(start.RawCursor()) {
		if t.Value == "{" && t.Type == tokOp {
			r.lex.LoadCheckpoint(start)
			r.lex.FastForward(start.RawCursor() + lexer.RawCursor(i))
			return true
		}
	}
	return false
}

// equations reads the lines of an `ode` and its `}`.
func (r *reading) equations(o *OdeStmt) error {
	o.Equations = nil
	return r.body(&body{
		holds: "only equations stand in the braces of an `ode`", want: "an equation", mark: "'",
		instead: func(word string) string {
			switch word {
			case "~":
				return "; terms of the density stand below it"
			case "let":
				return "; write the value out in them, or as a function of the time and the states that stands above: `func inflow(time real) = …`"
			}
			return ""
		},
		line: func() error { return r.equation(o) },
		lost: &o.lost,
	})
}

// quantities reads the lines of a `generate` and its `}`.
func (r *reading) quantities(s *GenerateStmt) error {
	s.Quantities = nil
	var lost bool
	return r.body(&body{
		holds: "only quantities stand in the braces of `generate`: NAME = …", want: "a quantity", mark: "=",
		instead: func(word string) string {
			switch word {
			case "~":
				return "; a draw reads `y_rep = normal_rng(mu, sigma)`"
			case "let":
				return ", without `let`"
			}
			return ""
		},
		line: func() error { return r.quantity(s) },
		lost: &lost,
	})
}

// body describes the lines in the braces of a statement.
type body struct {
	holds   string                   // what stands there, in a sentence
	want    string                   // and in a word
	mark    string                   // what follows the first word of a line
	instead func(word string) string // what to do instead of a statement there: its keyword, or `~`
	line    func() error             // reads one
	lost    *bool                    // set if one is no good
}

// body reads the lines in the braces of a statement and the `}`. A line that is no
// good is reported, and hides no other.
func (r *reading) body(b *body) error {
	brace := r.back(0)
	lost := func(err error) {
		*b.lost = true
		r.report(err)
		r.skipLine()
	}
	for {
		start := r.lex.MakeCheckpoint()
		r.skipEnds()
		if r.isOp("}") {
			r.next()
			return nil
		}
		t := r.peek()
		statement := t.Type == tokIdent && startsStatement(t.Value) && r.peekAt(1).Value != b.mark
		if statement || r.hasTilde() || t.EOF() {
			if !r.closed() {
				r.lex.LoadCheckpoint(start)
				return fail(UnclosedBracket, tokenSpan(brace), "add the missing `}`", "this `{` is not closed")
			}
			r.poisonLine()
			r.param = r.param || t.Value == "param"
			r.block = r.block || t.Value == "block"
			found, note := found(t), b.instead(t.Value)
			if !statement {
				found, note = "a statement with `~`", b.instead("~")
			}
			err := fail(UnexpectedToken, tokenSpan(t), b.holds+note, "expected %s, found %s", b.want, found)
			if statement {
				r.skipBraces()
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
func (r *reading) equation(o *OdeStmt) error {
	first := r.peek()
	eq, err := readEquation()(r.lex)
	if err == nil {
		err = r.endOfLine("an equation has a line of its own", "'")
	}
	if err == nil {
		o.Equations = append(o.Equations, *eq)
		return nil
	}
	if se := (*syntaxError)(nil); errors.As(err, &se) {
		return err
	}
	name := o.States[0].Name
	for _, s := range o.States[:min(len(o.States), maxListed)] {
		if s.Name == first.Value {
			name = s.Name
		}
	}
	hint := fmt.Sprintf("an equation reads `%s' = …`", name)
	switch wanted(err) {
	case "'":
		if r.isOp("[") {
			hint = "states are scalars, each with a name: `ode f(a, b) {`, lines `a' = …` and `b' = …`, and `}`"
		}
		return r.unexpected("`'`", hint)
	case "=":
		if r.isOp("'") {
			hint = fmt.Sprintf("a second derivative is the derivative of another state: `%s' = w` and `w' = …`", name)
		}
		return r.missing("=", hint)
	}
	if continues(first) {
		hint = continuesHint
	}
	if first.Type != tokIdent {
		return r.unexpected("an equation", hint)
	}
	return r.noName("a state", hint)
}

// quantity reads one line `a = …`, `a[i in n] = …` or `a[t] = … for t in …`.
func (r *reading) quantity(s *GenerateStmt) error {
	first := r.peek()
	q, err := readQuantity()(r.lex)
	if err == nil {
		err = r.endOfLine("a quantity has a line of its own", "=")
	}
	if err == nil {
		s.Quantities = append(s.Quantities, *q)
		return nil
	}
	// The names of lines that are no good count as declared.
	if q.Name.Name != "" {
		r.names = append(r.names, q.Name)
	}
	if se := (*syntaxError)(nil); errors.As(err, &se) {
		return err
	}
	switch want := wanted(err); {
	case first.Value == "for":
		return fail(UnexpectedToken, tokenSpan(first), "what is computed for each i reads `z[i in n] = …`", "there are no loops")
	case isType(first.Value), want == "=" && LookupForeign(ForeignType, first.Value) != nil && r.peek().Type == tokIdent:
		return fail(UnexpectedToken, tokenSpan(first), "leave the type out: "+quantityForm, "a quantity has no type: its value has one")
	case want == "=" && isType(r.peek().Value) && q.Places == nil:
		return r.unexpected("`=`", "a quantity has no type: its value has one")
	case want == "=" && q.Places == nil && (ends(r.peek()) || r.isOp(",") || r.isOp("}")):
		return r.missing("=", fmt.Sprintf("`%s = %[1]s` writes a definition with the draws; else "+quantityForm, q.Name.Name))
	case want == "=":
		return r.missing("=", quantityForm)
	case want != "":
		return r.missing(want, "")
	case continues(first):
		return r.unexpected("a quantity", continuesHint)
	case first.Type != tokIdent:
		return r.unexpected("a quantity", quantityForm)
	}
	return r.noName("a quantity", quantityForm)
}

// endOfLine checks that a line in braces ends here. The hint is for what looks
// like another one, which has the mark behind its first word.
func (r *reading) endOfLine(another, mark string) error {
	switch n := r.peek(); {
	case ends(n), n.Value == "}":
	case n.Value == ")", n.Value == "]":
		return fail(UnexpectedToken, tokenSpan(n), "remove it", "this `%s` closes nothing", n.Value)
	default:
		hint := ""
		if n.Value == "," || n.Value == ";" || n.Type == tokIdent && r.peekAt(1).Value == mark {
			hint = another
		}
		return r.unexpected("the end of the line", hint)
	}
	return nil
}

// leaveEquations passes over what follows a head that did not parse: its
// braces, wherever they open, or lines that can only be equations.
func (r *reading) leaveEquations() {
	if t := r.peek(); t.Type == tokEnd && r.peekAt(1).Value == "{" {
		r.next()
	}
	if r.skipBraces(); r.back(0).Value == "}" {
		return
	}
	var end lexer.Checkpoint
	for equations := false; ; {
		r.skipToEnd()
		end = r.lex.MakeCheckpoint()
		r.skipEnds()
		if equations && r.isOp("}") {
			r.next()
			return
		}
		if r.peek().Type != tokIdent || r.peekAt(1).Value != "'" || r.peekAt(2).Value != "=" {
			break
		}
		equations = true
	}
	r.lex.LoadCheckpoint(end)
}

// leaveBody passes over the rest of the body of a function, if the error is in it and a `}` closes it.
func (r *reading) leaveBody(start lexer.Checkpoint) {
	here := r.lex.MakeCheckpoint()
	if !r.inBraces(start) {
		return
	}
	if !r.closed() {
		r.lex.LoadCheckpoint(here)
		return
	}
	for depth := 1; depth > 0; {
		switch r.next().Value {
		case "{":
			depth++
		case "}":
			depth--
		}
	}
}
