package dsl

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// syntaxError is how the functions of one statement's parse return a
// diagnostic.
type syntaxError struct{ d Diagnostic }

func (e *syntaxError) Error() string { return e.d.Message }

func fail(code Code, span Span, hint, format string, args ...any) error {
	return &syntaxError{Diagnostic{Code: code, Span: span, Hint: hint, Message: fmt.Sprintf(format, args...)}}
}

// found describes a token in messages.
func found(t lexer.Token) string {
	switch {
	case ends(t):
		return "the end of the line"
	case t.Type == tokIdent && isKeyword(t.Value):
		return fmt.Sprintf("the keyword `%s`", t.Value)
	}
	return fmt.Sprintf("`%s`", t.Value)
}

// unexpected reports the next token where something else had to stand.
func (p *parser) unexpected(want, hint string) error {
	t := p.peek()
	if t.Type == tokBad {
		return p.badCharacter()
	}
	if ends(t) && len(p.open()) > 0 {
		return p.unclosed()
	}
	switch t.Value {
	case "|":
		hint := "`a or b` is the logical operator; `|` stands in calls of log densities, as in `normal_lpdf(y | mu, sigma)`"
		if !p.afterValue() {
			hint = "the absolute value is abs(x), which has a kink; sqrt(x^2 + 1e-6) has none"
		}
		if of := p.barHint(); of != "" {
			hint = of
		} else if b := p.back(0).Value; (b == "1" || b == "0") && p.peekAt(1).Type == tokIdent {
			hint = formulaHint
		} else if of := responses[p.peekAt(1).Value]; of != "" && p.peekAt(2).Value == "(" {
			hint = of
		} else if of := p.filteredHint(); of != "" {
			hint = of
		}
		return fail(BadCharacter, tokenSpan(t), hint,
			"the character %q is not part of the language here", '|')
	case "==", "!=", "<", "<=", ">", ">=", "?":
		n := p.peekAt(1)
		if t.Value == ">" && p.adjoins() && p.back(0).Value == "<" {
			return fail(UnexpectedToken, tokenSpan(t), "what differs is compared by `!=`", "there is no operator `<>`")
		}
		if arrow := t.Value == "<" && n.Value == "-" && n.Pos.Column == t.Pos.Column+1; !arrow {
			if t.Value == "?" {
				return fail(UnexpectedToken, tokenSpan(t), "a conditional reads `if c then a else b`", "there is no operator `?`")
			}
			if before := p.back(0).Value; t.Value == "<" && startsStatement(before) || t.Value == "<" && isType(before) && n.Type == tokIdent && p.peekAt(2).Value == "=" {
				return fail(UnexpectedToken, tokenSpan(t), "a bound follows the type, as in `param p real > 0` or `real in (0, 1)`", "a bound does not stand here")
			}
			hint := "put it in parentheses"
			if p.back(0).Value == "and" {
				hint = "two bounds are written `in (a, b)`, two conditions `a < b and b < c`"
			}
			return fail(UnexpectedToken, tokenSpan(t), hint, "a comparison does not stand here")
		}
		hint = p.assignmentHint()
	default:
		if t.Type == tokOp {
			hint = p.operatorHint(want, hint)
		} else {
			hint = p.wordHint(hint)
		}
	}
	if t.Type == tokIdent && startsStatement(t.Value) && (t.Value != "metric" || hint == "") {
		hint = "a statement has lines of its own"
	}
	return fail(UnexpectedToken, tokenSpan(t), hint, "expected %s, found %s", want, found(t))
}

// badCharacter reports a character that the language does not know.
func (p *parser) badCharacter() error {
	t := p.peek()
	r, _ := utf8.DecodeRuneInString(t.Value)
	hint := characterHint(r)
	switch {
	case r == '%' && p.afterValue():
		hint = p.percentHint()
	case r == '\\' && p.afterValue() && !ends(p.peekAt(1)):
		hint = "what a matrix divides is solve_spd(A, b), or solve_general(A, b) where A is not symmetric"
	case r == '!' && p.afterValue():
		hint = "a factorial is exp(lgamma(n + 1)); `!=` compares"
	case r == '@' && !p.afterValue():
		hint = "a statement starts with its keyword"
		if f := LookupForeign(ForeignStatement, p.peekAt(1).Value); f != nil {
			hint = f.Hint()
		}
	case r == '"' && p.back(0).Value == "=" && p.back(1).Value == "link":
		hint = "the link is in the name of the distribution, as in bernoulli_logit and poisson_log"
	}
	return fail(BadCharacter, tokenSpan(t), hint, "the character %q is not part of the language", r)
}

// responses are what brms writes behind the bar of a left side.
var responses = map[string]string{
	"weights": "a weight multiplies a term of the log density, as in `density sum(i in n) w[i]*normal_lpdf(y[i] | mu, sigma)`",
	"trials":  "the number of trials is the first argument of the distribution, as in `y ~ binomial(N, p)`",
	"trunc":   "the interval follows the distribution, as in `y ~ normal(mu, sigma) > 0`",
	"cens":    "what is censored has a cumulative function in the place of its density, as in `density sum(i in n) (if c[i] == 1 then normal_lccdf(y[i] | mu, sigma) else normal_lpdf(y[i] | mu, sigma))`",
	"se":      "known standard errors are the scale of the distribution, as in `y ~ normal(mu, se)`",
	"rate":    "the exposure is a factor of the rate, as in `y ~ poisson(exposure .* exp(mu))`",
}

// formulaHint is for those who write models as formulas.
const formulaHint = "there are no formulas: each coefficient is a parameter, as in `y ~ normal(a + b*x + u[g], s)`"

// assignmentHint is the hint where a value is given to what is no name.
func (p *parser) assignmentHint() string {
	for n := 1; n < 3; n++ {
		if t := p.peekAt(n); t.Type == tokIdent && (t.Value == "NA" || t.Value == "NaN") {
			return LookupForeign(ForeignValue, t.Value).Hint()
		}
	}
	if link := cmp.Or(linkInverses[p.firstOfLine()], linkInverses[p.back(0).Value]); link != "" {
		return fmt.Sprintf("the inverse of a link stands on the right: `let p[i in n] = %s`", link)
	}
	if of := p.elementOfLine(); of != "" {
		return fmt.Sprintf("a value is named by `let NAME = …`; where %s is a parameter, hold one element by `param free real[K-1]` and `let %s = [0, free]`", of, of)
	}
	return "a value is named by `let NAME = …`"
}

// elementOfLine is the name of which a line begins with an element, a[1], before the place that is read; empty where it begins otherwise.
func (p *parser) elementOfLine() string {
	var words []lexer.Token
	for _, t := range p.line() {
		if !isTrivia(t.Type) {
			words = append(words, t)
		}
	}
	if len(words) == 4 && words[0].Type == tokIdent && !isKeyword(words[0].Value) && words[1].Value == "[" && words[2].Type == tokNumber && words[3].Value == "]" {
		return words[0].Value
	}
	return ""
}

// linkInverses are the inverses of the links that BUGS writes on the left.
var linkInverses = map[string]string{"logit": "inv_logit(…)", "log": "exp(…)", "probit": "Phi(…)", "cloglog": "-expm1(-exp(…))"}

// firstOfLine is the first token taken of the line that is neither a blank nor a comment.
func (p *parser) firstOfLine() string {
	for _, t := range p.line() {
		if !isTrivia(t.Type) {
			return t.Value
		}
	}
	return ""
}

// percentHint is the hint at an operator of R.
func (p *parser) percentHint() string {
	switch n := p.peekAt(1); {
	case p.afterDistribution() && len(p.open()) == 0:
		return "comments start with //"
	case n.Value == ")" || n.Value == "," || ends(n):
		return "a per cent is 0.01: 5% is 0.05"
	case p.peekAt(2).Value != "%":
	case n.Value == "*":
		return "the product of matrices is *"
	case n.Value == "/":
		return "whole-number division is floor(i/m)"
	case n.Value == "in":
		return "one of several is `g == 1 or g == 2`"
	}
	return "the remainder of i by m is mod(i, m)"
}

// operatorHint is the hint where an operator or a bracket stands in place of what is wanted: with
// the token before it, it shows what was meant.
func (p *parser) operatorHint(want, hint string) string {
	prev, adjoins := p.back(0), p.adjoins()
	switch p.peek().Value {
	case ".":
		return p.pointHint(hint)
	case ",", ")":
		if open := p.open(); want == "`)`" && len(open) == 1 && p.firstOfLine() == "(" && p.hasTilde() {
			return "several left sides have no parentheses: `a, b ~ normal(0, 1)`"
		}
		if bound := p.oneBound(); bound != "" && want == "an expression" {
			return "an interval has two ends, and one bound reads `" + bound + "`"
		}
	case "*":
		if adjoins && prev.Value == "*" {
			return "a power is written with ^, of each element of a vector with .^"
		}
	case "(":
		// A name before it was a component: of others it is a call.
		if adjoins && prev.Type == tokIdent {
			owner := p.back(2).Value
			switch d, point := LookupDistribution(prev.Value), p.back(1).Value == "."; {
			case point && owner == "random" && d != nil:
				hint = fmt.Sprintf("a draw reads %s(%s) in `generate`", d.RandomName(), strings.Join(d.argNames(), ", "))
			case point && !modules[owner] && LookupFunction(prev.Value) != nil && p.back(2).Type == tokIdent && p.peekAt(1).Value == ")":
				hint = fmt.Sprintf("write %s(%s)", prev.Value, owner)
			case point && !modules[owner] && LookupFunction(prev.Value) != nil && p.back(2).Type == tokIdent:
				hint = fmt.Sprintf("write %s(%s, …)", prev.Value, owner)
			case point && modules[owner], LookupFunction(prev.Value) != nil:
				hint = fmt.Sprintf("functions have no prefix: write %s(…)", prev.Value)
			}
			return cmp.Or(hint, "an element of a component reads s.v[i]")
		}
	case "]":
		if open := p.open(); want == "an expression" && len(open) > 0 && open[len(open)-1].Value == "[" {
			return cmp.Or(hint, "an array as a whole has no brackets, and an element all its indices, as in x[i, j]")
		}
	case "~":
		return cmp.Or(hint, "a term is a line with one `~`: a parameter has its prior in another")
	case "{":
		if adjoins && prev.Value == "sum_" {
			return "a sum over an index reads sum(i in 1..n) …"
		}
		if want == "an expression" {
			return cmp.Or(hint, "a matrix reads [a, b ; c, d], a vector [a, b, c]")
		}
	case "..":
		return cmp.Or(hint, "a range reads 1..n and has no step, as in sum(i in 1..n) …")
	case ":":
		switch {
		case prev.Value == "," && want == "an expression" && p.firstOfLine() == "let":
			return "a row is defined by its elements, `let f[1, j in k] = …`, or as a whole, `let f[1] = [a, b, c]`"
		case p.peekAt(1).Value == "=":
			return "a value is named by `let NAME = …`"
		case prev.Type == tokIdent && startsStatement(prev.Value):
			return "statements are not grouped: each has a line of its own, as in `data n int`"
		}
		if prev.Value == "[" || prev.Value == "," {
			return cmp.Or(hint, "a range reads 1..n; in a definition an index with its range stands here, as in `let m[t, j in k] = …`")
		}
		if hint := p.filteredHint(); hint != "" {
			return hint
		}
		if open := p.open(); prev.Type == tokIdent && len(open) > 0 && open[len(open)-1].Value == "(" {
			return cmp.Or(hint, "an interaction is a product, x .* z; a range reads 1..n")
		}
		return cmp.Or(hint, "a range reads 1..n")
	case ";":
		if open := p.open(); len(open) > 0 && open[len(open)-1].Value == "(" {
			return cmp.Or(hint, "arguments are separated by commas")
		}
		return cmp.Or(hint, "a statement ends with its line; `;` ends the rows of a matrix")
	}
	return hint
}

// oneBound is the bound that an interval is meant for which lacks one of its ends here, `in (0, )` or `in (, 0)`; "" where there is none.
func (p *parser) oneBound() string {
	open := p.open()
	if len(open) == 0 || p.calledAt(open[len(open)-1]) != "in" {
		return ""
	}
	line := withoutTrivia(slices.Concat(p.line(), p.rest()))
	at := slices.IndexFunc(line, func(t lexer.Token) bool { return t.Pos == open[len(open)-1].Pos })
	last := shut(line, at)
	if last < 0 {
		return ""
	}
	sides := split(line[at+1:last], ",")
	if len(sides) != 2 {
		return ""
	}
	return between(expression(sides[0]), expression(sides[1]))
}

// pointHint is operatorHint for a point.
func (p *parser) pointHint(hint string) string {
	prev := p.back(0)
	switch word := p.peekAt(1).Type == tokIdent; {
	case prev.Value == "..":
		return "a range reads 1..n"
	case p.peekAt(1).Value == "~":
		return "`~` is of all elements already: write it without the point"
	case p.peekAt(1).Value == "(" && prev.Type == tokIdent:
		return fmt.Sprintf("functions take vectors element by element already: write %s(…)", prev.Value)
	case p.adjoins() && prev.Type == tokNumber:
		return fmt.Sprintf("write %s.0", prev.Value)
	case prev.Type == tokIdent && word:
		return "a name is made of letters, digits and _"
	case word:
		return "only solutions of differential equations have components: s.v, and s.v[i] for its elements"
	case prev.Type == tokIdent:
		return "a component of a solution reads s.v"
	}
	return hint
}

// wordHint is the hint where a word, a number or the end of the line stands in place of what is
// wanted.
func (p *parser) wordHint(hint string) string {
	t, prev := p.peek(), p.back(0)
	switch t.Value {
	case "to":
		return cmp.Or(hint, "a range reads 1..n")
	case "in":
		if open := p.open(); len(open) > 0 {
			if f := p.calledAt(open[len(open)-1]); f == "prod" || f == "product" {
				return "of positive factors a product is exp(sum(j in n) log(…))"
			} else if f == "mixture" {
				return mixtureHint
			}
		}
		return "an index is declared by sum(i in n), let a[i in n] = … or … for i in n"
	case "for":
		if hint := p.filteredHint(); hint != "" {
			return hint
		}
		if open := p.open(); len(open) > 0 && open[len(open)-1].Value == "[" {
			return "a vector is defined by its elements: `let v[i in n] = …`"
		} else if len(open) > 0 && p.calledAt(open[len(open)-1]) == "mixture" {
			return mixtureHint
		}
		return "`for` ends a `~` statement; a sum reads sum(i in n) …"
	case "if", "where":
		if hint := p.filteredHint(); hint != "" {
			return hint
		}
		if open := p.open(); t.Value == "if" && p.afterValue() && len(open) > 0 && p.elseFollows() {
			return "a conditional reads `if c then a else b`: the condition comes first"
		}
		if p.afterValue() && p.afterDistribution() {
			return "what a condition chooses is a term: `density sum(i in n) (if d[i] == 1 then normal_lpdf(y[i] | mu, s) else 0)`"
		}
		if t.Value == "if" && p.afterValue() {
			return "a conditional reads `if c then a else b`"
		}
	}
	adjoins := p.adjoins()
	switch open := p.open(); {
	case prev.Value == ":" && len(open) > 0 && open[len(open)-1].Value == "[" && (isNameLike(t) || t.Type == tokNumber):
		return "positions up to one are `y[1..n-1]`, all of them `y[:]`"
	case t.Type == tokNumber && t.Value[0] == '.' && adjoins && prev.Type == tokIdent:
		return "a component of a solution reads s.v, an element of it s.v[i]"
	case hint != "":
	case adjoins && prev.Type == tokNumber && t.Type == tokIdent && t.Value[0] == '_':
		return "numbers have no _ between their digits"
	case adjoins && prev.Type == tokNumber && (t.Value == "f" || t.Value == "L" || t.Value == "F" || t.Value == "l" || t.Value == "d"):
		return "numbers have no suffix"
	case p.peekAt(1).Value == "in" && isNameLike(t):
		return "indices are separated by commas, as in sum(i in n, j in k) …"
	case (isNameLike(t) || t.Type == tokNumber) && p.afterValue():
		return "a product is written with *"
	}
	return hint
}

const letterHint = "names are made of a–z, A–Z, 0–9 and _"

// characterHint says what to type instead of a character that the language
// does not know.
func characterHint(r rune) string {
	switch r {
	case '#', '%':
		return "comments start with //"
	case '"', '\u201c', '\u201d':
		return "there are no texts: data are numbers, and names have no quotes"
	case '$':
		return "a datum is used by its name alone"
	case '\\':
		return "a line goes on after an operator, a comma or in brackets"
	case '−', '–', '—':
		return "write the minus sign as -"
	case '×', '·', '⋅', '∗':
		return "write multiplication as *"
	case '÷', '∕':
		return "write division as /"
	case '∼', '˜', '～':
		return "write ~"
	case '²', '³', 'ⁿ':
		return "write a power as x^2"
	case '√':
		return "write sqrt(…)"
	case 'π':
		return "write pi()"
	case '∑', 'Σ':
		return "write sum(i in n) …; names are made of a–z, A–Z, 0–9 and _"
	case '∈':
		return "write in"
	case '…':
		return "a range reads 1..n"
	case '≤':
		return "write <="
	case '≥':
		return "write >="
	case '′', '’', 'ᵀ':
		return "write the transpose as A', a derivative as v'"
	case '\u00a0', '\u2009', '\u202f', '\u3000':
		return "it looks like a blank; type a plain one"
	case '&':
		return "write `a and b`"
	case '!':
		return "write `not a`, or `a != b`"
	case '@':
		return "the product of matrices is *"
	}
	if unicode.IsLetter(r) {
		return letterHint
	}
	return "remove it"
}

// unclosed reports the innermost open bracket.
func (p *parser) unclosed() error {
	open := p.open()
	o := open[len(open)-1]
	shut := map[string]string{"(": ")", "[": "]", "{": "}"}[o.Value]
	hint := fmt.Sprintf("add the missing `%s`", shut)
	line := slices.Concat(p.line(), p.rest())
	for _, t := range line {
		if t.Type == tokComment && t.Pos.Offset > o.Pos.Offset && t.Pos.Line == o.Pos.Line && strings.Contains(t.Value, shut) {
			hint += "; `//` starts a comment: whole-number division is floor(a/b)"
		}
	}
	return fail(UnclosedBracket, tokenSpan(o), hint, "this `%s` is not closed", o.Value)
}

// withoutTrivia are tokens without blanks, comments and the ends of lines.
func withoutTrivia(toks []lexer.Token) []lexer.Token {
	return slices.DeleteFunc(slices.Clone(toks), func(t lexer.Token) bool { return isTrivia(t.Type) || ends(t) })
}

// rest are the tokens behind those taken, up to the end of the line, comments among them.
func (p *parser) rest() (out []lexer.Token) {
	cp := p.lex.MakeCheckpoint()
	defer p.lex.LoadCheckpoint(cp)
	start := p.lex.RawCursor()
	for !ends(p.peek()) {
		p.lex.Next()
	}
	p.lex.Next()
	return p.lex.Range(start, p.lex.RawCursor())
}

// expect takes a token, or reports what stands in its place.
func (p *parser) expect(op, hint string) error {
	if p.isOp(op) {
		p.next()
		return nil
	}
	return p.missing(op, hint)
}

// missing reports what stands in place of a token.
func (p *parser) missing(op, hint string) error {
	shuts := op == ")" || op == "]" || op == "}"
	if t := p.peek(); shuts && len(p.open()) > 0 && (t.Type != tokBad && p.lacksBracket() || t.Value == "}") {
		return p.unclosed()
	}
	err := p.unexpected(fmt.Sprintf("`%s`", op), hint)
	if se := (*syntaxError)(nil); shuts && errors.As(err, &se) && se.d.Code == UnexpectedToken {
		open := p.open()
		if len(open) == 0 {
			return err
		}
		o := open[len(open)-1]
		se.d.Notes = []Note{{tokenSpan(o), fmt.Sprintf("this `%s` is open", o.Value)}}
	}
	return err
}

// ident takes a name, or reports what stands in its place.
func (p *parser) ident(what, hint string) (id Ident, err error) {
	if id.Parse(p.lex) != nil {
		return id, p.noName(what, hint)
	}
	return id, nil
}

// noName reports what stands in place of a name.
func (p *parser) noName(what, hint string) error {
	t := p.peek()
	if t.Type != tokIdent {
		return p.unexpected(what, hint)
	}
	if isKeyword(t.Value) {
		advice := "choose another name"
		switch {
		case isType(t.Value):
			advice = "the type follows the name, as in `x real`"
		case t.Value == "for":
			advice = "what is defined for each i reads `z[i in n] = …`"
		}
		return reserved(t, advice)
	}
	return fail(Reserved, tokenSpan(t), "choose another name", "`%s`: names that end in `__` are those of the sampler's columns", t.Value)
}

// reserved reports a keyword that is declared as a name.
func reserved(t lexer.Token, advice string) error {
	return ofKeyword(fail(Reserved, tokenSpan(t), advice, "`%s` is a keyword of the language and cannot be a name", t.Value), t)
}

// ofKeyword notes the keyword that stands in the place of a name.
func ofKeyword(err error, t lexer.Token) error {
	if se := (*syntaxError)(nil); errors.As(err, &se) && isKeyword(t.Value) {
		se.d.keyword = t.Value
	}
	return err
}

// isType reports whether a word is a type.
func isType(s string) bool { return s == "int" || s == "real" || s == "cov" }

// calledAt is the name before a bracket of the line that is open; "" where there is none.
func (p *parser) calledAt(open lexer.Token) string {
	before := ""
	for _, t := range p.line() {
		if t.Pos.Offset == open.Pos.Offset {
			return before
		}
		if !isTrivia(t.Type) {
			before = t.Value
		}
	}
	return ""
}

// afterDistribution reports whether the line so far is a statement with a distribution.
func (p *parser) afterDistribution() bool {
	return slices.ContainsFunc(p.line(), func(t lexer.Token) bool { return t.Value == "~" })
}

// elseFollows reports whether the line goes on with `else` where no `then` comes before: a condition behind its value, as Python and R's users write it.
func (p *parser) elseFollows() bool {
	for n := 0; ; n++ {
		switch t := p.peekAt(n); {
		case t.EOF() || t.Type == tokEnd || t.Value == "then":
			return false
		case t.Value == "else":
			return true
		}
	}
}
