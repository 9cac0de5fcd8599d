package dsl

import "strings"

// generateForm is the form of the statement, as the hints of its errors show it.
const generateForm = "generated quantities read `generate {`, one line `NAME = …` or `NAME[i in n] = …` for each, and `}`"

// generate reads `generate { a = …  b[i in n] = … }`.
func (p *parser) generate(at Span) error {
	if !p.isOp("{") {
		err := p.unexpected("`{`", generateForm)
		p.poisonLine()
		return err
	}
	s := &GenerateStmt{At: at}
	var err error
	if s.brace, err = p.expect("{", generateForm); err != nil {
		return err
	}
	err = p.body(&body{
		brace: s.brace, holds: "only quantities stand in the braces of `generate`: NAME = …", want: "a quantity", mark: "=",
		instead: func(word string) string {
			switch word {
			case "~":
				return "; a draw reads `y_rep = normal_rng(mu, sigma)`"
			case "let":
				return ", without `let`"
			}
			return ""
		},
		line: func() error { return p.quantity(s) },
		lost: &s.lost,
	})
	if err != nil {
		return err
	}
	p.s.stmt = s
	return nil
}

// quantity reads one line `a = …` or `a[i in n] = …`.
func (p *parser) quantity(s *GenerateStmt) error {
	const hint = "a quantity reads `NAME = …` or `NAME[i in n] = …`"
	if !p.nameNext() {
		if continues(p.peek()) {
			return p.unexpected("a quantity", continuesHint)
		}
		return p.unexpected("a quantity", hint)
	}
	name, err := p.ident("a quantity")
	if err != nil {
		return err
	}
	q := QuantityLine{Name: name}
	// The names of lines that are no good count as declared.
	good := false
	defer func() {
		if !good {
			p.s.names = append(p.s.names, name)
		}
	}()
	if isType(p.peek().Value) {
		return p.unexpected("`=`", "a quantity has no type: its value has one")
	}
	if p.isOp("[") {
		if q.Indices, err = p.indexDecls("[", "]"); err != nil {
			return err
		}
	}
	if _, err = p.expect("=", hint); err != nil {
		return err
	}
	if q.Value, err = p.expr(); err != nil {
		return err
	}
	if err = p.endOfLine("a quantity has a line of its own", "="); err != nil {
		return err
	}
	good = true
	s.Quantities = append(s.Quantities, q)
	return nil
}

// takesBar reports whether a `|` may stand behind the first argument of a call:
// of log densities and, so that it is their name that is wrong, of the functions
// that Stan spells alike.
func takesBar(name string) bool {
	for _, suffix := range []string{"_lpdf", "_lpmf", "_lupdf", "_lupmf", "_cdf", "_lcdf", "_lccdf"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}
