package dsl

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// include reads `#include curves.stan`.
func (f *foreignText) include() []string {
	if value(f.toks, 0) != "#" || value(f.toks, 1) != "include" {
		return nil
	}
	for _, t := range f.toks[2:] {
		if t.Type == tokIdent {
			return []string{"import " + t.Value}
		}
	}
	return nil
}

// functions reads `f <- function(z) z^2`, `f(z) = z^2`, `f = lambda z: z**2` and `def f(z): return z**2`.
func (f *foreignText) functions() []string {
	toks := withoutSemicolon(f.toks)
	if value(toks, 0) == "let" {
		toks = toks[1:]
	}
	name, body := value(toks, 0), -1
	var args []lexer.Token
	at := slices.IndexFunc(toks, func(t lexer.Token) bool { return t.Value == "function" || t.Value == "lambda" })
	switch {
	case name == "def" && value(toks, 2) == "(":
		if last := shut(toks, 2); last > 0 && value(toks, last+1) == ":" && value(toks, last+2) == "return" {
			name, args, body = toks[1].Value, toks[3:last], last+3
		}
	case at > 1 && at < 4 && toks[at].Value == "lambda":
		if last := slices.IndexFunc(toks, func(t lexer.Token) bool { return t.Value == ":" }); last > at {
			args, body = toks[at+1:last], last+1
		}
	case at > 1 && at < 4 && value(toks, at+1) == "(":
		if last := shut(toks, at+1); last > 0 {
			args, body = toks[at+2:last], last+1
		}
	case value(toks, 1) == "(" && linkInverses[name] == "" && LookupFunction(name) == nil:
		if last := shut(toks, 1); last > 0 && value(toks, last+1) == "=" {
			args, body = toks[2:last], last+2
		}
	}
	if body < 0 || body >= len(toks) || toks[body].Value == "{" || isKeyword(name) {
		return nil
	}
	var names []string
	for _, a := range split(args, ",") {
		if len(a) != 1 || a[0].Type != tokIdent || isKeyword(a[0].Value) {
			return nil
		}
		names = append(names, a[0].Value)
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"func " + name + "(" + strings.Join(names, ", ") + " real) = " + expression(toks[body:])}
}

// several reads statements that semicolons part, each of which is known.
func (f *foreignText) several() (lines []string) {
	parts := split(withoutSemicolon(f.toks), ";")
	if len(parts) < 2 {
		return nil
	}
	for _, part := range parts {
		if len(part) == 0 {
			continue
		}
		own := (&foreignText{append(slices.Clone(part), lexer.Token{Type: tokOp, Value: ";"})}).translated()
		if own == nil || len(own) > 1 && strings.HasPrefix(own[0], "data ") { // or a parameter
			return nil
		}
		lines = append(lines, own...)
	}
	return lines
}

// conditional reads `y[i] ~ normal(a, s) for i in n if z[i] == 1`, and `where` in the place of `if`.
func (f *foreignText) conditional() []string {
	sides := split(f.toks, "~")
	if len(sides) != 2 || len(sides[0]) == 0 {
		return nil
	}
	right := sides[1]
	open := slices.IndexFunc(right, func(t lexer.Token) bool { return t.Value == "(" })
	if open != 1 {
		return nil
	}
	last := shut(right, open)
	if last < 0 || value(right, last+1) != "for" {
		return nil
	}
	rest := right[last+2:]
	at := slices.IndexFunc(rest, func(t lexer.Token) bool { return t.Value == "if" || t.Value == "where" })
	if at < 3 || at == len(rest)-1 {
		return nil
	}
	term, ok := termText(sides[0], right[:last+1])
	if !ok {
		return nil
	}
	return []string{"density sum(" + expression(rest[:at]) + ") (if " + expression(rest[at+1:]) + " then " + term + " else 0)"}
}

// bounds reads two bounds of a declaration, `param q real > 0, < 1`.
func (f *foreignText) bounds() []string {
	toks := f.toks
	if v := value(toks, 0); v != "param" && v != "data" {
		return nil
	}
	is := func(ops ...string) func(lexer.Token) bool {
		return func(t lexer.Token) bool { return slices.Contains(ops, t.Value) }
	}
	above, below := slices.IndexFunc(toks, is(">", ">=")), slices.IndexFunc(toks, is("<", "<="))
	if above < 0 || below < 0 {
		return nil
	}
	first, second := min(above, below), max(above, below)
	one, two := toks[first+1:second], toks[second+1:]
	if n := len(one) - 1; n > 0 && (one[n].Value == "," || one[n].Value == "and") {
		one = one[:n]
	}
	if len(one) == 0 || len(two) == 0 {
		return nil
	}
	if above > below {
		one, two = two, one
	}
	return []string{expression(toks[:first]) + " in (" + expression(one) + ", " + expression(two) + ")"}
}

// words reads a statement whose functions have prefixes, as in np.exp(x), or with the operators of R for whole numbers.
func (f *foreignText) words() []string {
	toks := f.toks
	if n := len(toks) - 1; n > 0 && toks[n].Value == ";" {
		toks = toks[:n]
	}
	found := false
	for n, t := range toks {
		found = found || t.Type == tokIdent && modules[t.Value] && value(toks, n+1) == "." && n > 0
		found = found || t.Value == "%" && n > 0 || n > 0 && scored(toks, n) > n
		found = found || t.Value == "." && value(toks, n+1) == "T" && n > 0 && value(toks, n+2) != "("
		found = found || t.Type == tokIdent && value(toks, n+1) == "." && value(toks, n+3) == "=" // pnorm(x, lower.tail = FALSE)
	}
	if !found || slices.ContainsFunc(toks, func(t lexer.Token) bool { return t.Value == "~" }) && comments(toks) {
		return nil
	}
	text := expression(toks)
	if value(toks, 1) == "=" && toks[0].Type == tokIdent && !isKeyword(toks[0].Value) {
		text = "let " + text
	}
	return []string{text}
}

// comments reports whether a `%` in a statement with `~` starts a comment: it follows the distribution.
func comments(toks []lexer.Token) bool {
	n := slices.IndexFunc(toks, func(t lexer.Token) bool { return t.Value == "%" })
	if n < 1 || toks[n-1].Value != ")" {
		return false
	}
	depth := 0
	for _, t := range toks[:n] {
		switch t.Value {
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		}
	}
	return depth == 0
}

// quotient replaces the operand at the end of a text, and the one that tokens start with, by a function of both: `i % m`, `i %/% m`. It returns how
// many tokens that takes; 0 where it is none.
func quotient(text string, toks []lexer.Token) (string, int) {
	whole, n := false, 1
	if value(toks, 1) == "/" && value(toks, 2) == "%" {
		whole, n = true, 3
	} else if value(toks, 1) == "%" {
		n = 2
	}
	last := n
	if value(toks, n) != "(" && n < len(toks) {
		last = n + 1
	}
	for v := value(toks, last); v == "(" || v == "["; v = value(toks, last) {
		end := shut(toks, last)
		if end < 0 {
			return text, 0
		}
		last = end + 1
	}
	text = strings.TrimRight(text, " ")
	start, depth := len(text), 0
	for start > 0 {
		c := text[start-1]
		switch {
		case c == ')' || c == ']':
			depth++
		case c == '(' || c == '[':
			depth--
		}
		word := c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if depth < 0 || depth == 0 && !word && c != '(' && c != '[' {
			break
		}
		start--
	}
	left, right := text[start:], expression(toks[n:last])
	if left == "" || right == "" {
		return text, 0
	}
	bare := func(s string) string {
		if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") && !strings.ContainsAny(s[1:len(s)-1], "()") {
			return s[1 : len(s)-1]
		}
		return s
	}
	if whole {
		return text[:start] + "floor(" + left + "/" + right + ")", last
	}
	return text[:start] + "mod(" + bare(left) + ", " + bare(right) + ")", last
}

// declaredType is the type of a parameter that has a distribution for its prior, with what the distribution says of its bounds; "" of whole numbers
// and of what has sizes that nobody knows.
func declaredType(form string) string {
	name, list, _ := strings.Cut(strings.TrimSuffix(form, ")"), "(")
	d := LookupDistribution(name)
	if d == nil || d.Support.Discrete() {
		return ""
	}
	args := split(read(list).toks, ",")
	arg := func(n int) string {
		if n < len(args) {
			return expression(args[n])
		}
		return "…"
	}
	switch d.Support {
	case RealLine:
		return "real"
	case Positive:
		return "real > 0"
	case UnitOpen:
		return "real in (0, 1)"
	case Between:
		return "real in (" + arg(0) + ", " + arg(1) + ")"
	case Above:
		return "real > " + arg(d.Begins)
	case Angles:
		return "real in (-pi(), pi())"
	case VectorReal:
		return "real[K]"
	case OnSimplex:
		return "simplex[K]"
	}
	if want := matrices[d.Support]; want != nil {
		return want.Name + "[K]"
	}
	return ""
}

// declaredPrior reads `param tau ~ exponential(1)` and `param tau real > 0 ~ exponential(1)`.
func (f *foreignText) declaredPrior() []string {
	sides := split(f.toks, "~")
	if len(sides) != 2 || value(f.toks, 0) != "param" || len(sides[0]) < 2 || len(sides[1]) < 3 {
		return nil
	}
	right := sides[1]
	if n := len(right) - 1; right[n].Value == ";" {
		right = right[:n]
	}
	name, args, ok := isCall(right)
	if !ok {
		return nil
	}
	form, ok := foreignCall(name, args)
	if !ok {
		return nil
	}
	declaration := expression(sides[0])
	typ := slices.IndexFunc(sides[0], func(t lexer.Token) bool { return isType(t.Value) || LookupConstraint(t.Value) != nil })
	names := sides[0][1:]
	if typ > 0 {
		names = sides[0][1:typ]
	} else if own := declaredType(form); own != "" {
		declaration += " " + own
	} else {
		return nil
	}
	return []string{declaration, expression(names) + " ~ " + form}
}

// assignedPrior reads `tau = exponential(1)` and `tau <- dexp(1)`.
func (f *foreignText) assignedPrior() []string {
	if len(f.toks) < 5 || f.toks[0].Type != tokIdent || isKeyword(f.toks[0].Value) {
		return nil
	}
	right := f.toks[2:]
	if f.toks[1].Value == "<" && right[0].Value == "-" {
		right = right[1:]
	} else if f.toks[1].Value != "=" {
		return nil
	}
	if n := len(right) - 1; right[n].Value == ";" {
		right = right[:n]
	}
	name, args, ok := isCall(right)
	if !ok || len(right) > 0 && modules[right[0].Value] || LookupFunction(name) != nil || LookupForeign(ForeignFunction, name) != nil {
		return nil
	}
	form, ok := foreignCall(name, args)
	if !ok {
		return nil
	}
	typ := declaredType(form)
	if typ == "" {
		return nil
	}
	return []string{"param " + f.toks[0].Value + " " + typ, f.toks[0].Value + " ~ " + form}
}

// assignedTerm reads `y[i] = normal(a, s)`.
func (f *foreignText) assignedTerm() string {
	sides := split(f.toks, "=")
	if len(sides) != 2 || len(sides[0]) < 4 || sides[0][0].Type != tokIdent || isKeyword(sides[0][0].Value) || value(sides[0], 1) != "[" || shut(sides[0], 1) != len(sides[0])-1 {
		return ""
	}
	right := sides[1]
	if n := len(right) - 1; n > 0 && right[n].Value == ";" {
		right = right[:n]
	}
	name, args, ok := isCall(right)
	if !ok || len(right) > 0 && modules[right[0].Value] || LookupFunction(name) != nil || LookupForeign(ForeignFunction, name) != nil {
		return ""
	}
	form, ok := foreignCall(name, args)
	if !ok {
		return ""
	}
	return expression(sides[0]) + " ~ " + form
}
