package dsl

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/alecthomas/participle/v2/lexer"
)

// Statements of other languages, as they stand in a line that is none of this one: what they say is written anew, with the names that the line
// has, for the hint of its message. Nothing is read of it but by the person who reads the hint. A line that is made so parses, or is not shown.

// maxTranslated is the length of a statement that is looked at.
const maxTranslated = 2000

// foreignStatements is the table of what reads them, tried in order.
var foreignStatements = []func(*foreignText) []string{
	(*foreignText).include,
	(*foreignText).functions,
	(*foreignText).declaredPrior,
	(*foreignText).arrow,
	(*foreignText).python,
	(*foreignText).prefixed,
	(*foreignText).stanTerm,
	(*foreignText).loops,
	(*foreignText).stanSample,
	(*foreignText).stanDeclaration,
	(*foreignText).stanValue,
	(*foreignText).conditional,
	(*foreignText).choice,
	(*foreignText).bounds,
	(*foreignText).coordinates,
	(*foreignText).words,
}

// commands are calls that are no part of a model, and what is done instead.
var commands = []struct{ names, hint string }{
	{"sample sample_smc find_MAP fit run NUTS MCMC HMC SVI Predictive init_nuts", "a model is sampled by the command `hamc run`: leave the line out"},
	{"sample_posterior_predictive sample_prior_predictive", "predictions are drawn in `generate { y_rep = normal_rng(mu, sigma) }`: leave the line out"},
	{"summary plot_trace plot_posterior plot_forest", "`hamc summary` and `hamc report` show the draws: leave the line out"},
	{"Model", "the first line is `model NAME`, and no other line belongs to it: leave this one out"},
	{"plate", "what is independent is a vector: `param u real[J]` and `u ~ normal(0, 1)` describe all J of them"},
}

// foreignHint is the hint on a statement of another language with a mistake at a position of it, "" if it is not known to be one.
func foreignHint(text string, at lexer.Position) string {
	f := read(text)
	toks := f.toks
	switch {
	case value(toks, 1) == "=":
		toks = toks[2:]
	case value(toks, 0) == "with":
		toks = toks[1:]
	}
	if at := slices.IndexFunc(toks, func(t lexer.Token) bool { return t.Value == "(" }); at > 1 && toks[at-2].Value == "." {
		for _, c := range commands {
			if modules[toks[0].Value] && slices.Contains(strings.Fields(c.names), toks[at-1].Value) {
				if toks[at-1].Value != "sample" || toks[0].Value != "numpyro" && toks[0].Value != "pyro" { // where it is a statement
					return c.hint
				}
			}
		}
	}
	if line := f.assignedTerm(); line != "" && parses(line) {
		return "a distribution follows `~`: write `" + line + "`"
	}
	if lines := f.assignedPrior(); lines != nil && parses(lines[0]) && parses(lines[1]) {
		return "a distribution follows `~`: `" + lines[1] + "`; a parameter is declared above, `" + lines[0] + "`"
	}
	if lines := f.translated(); lines != nil {
		if hint := leftHint(lines); hint != "" {
			return hint
		}
		return linesHint(lines, strings.HasSuffix(text, ";")) + f.startHint() + f.coordinatesHint(lines)
	}
	if hint := f.addedHint(); hint != "" {
		return hint
	}
	if hint := f.otherHint(); hint != "" {
		return hint
	}
	if hint := cmp.Or(f.localHint(at), f.productHint(), f.insideCall(at)); hint != "" {
		return hint
	}
	class, args, ok := isCall(toks)
	if class == "sample" && len(args) > 1 {
		class, _, _ = isCall(args[1])
	}
	if !ok || len(toks) < 4 || !modules[toks[0].Value] {
		return ""
	}
	if row := LookupForeign(ForeignDistribution, class); row != nil {
		return row.Hint()
	}
	for _, row := range pythonDists {
		if row.typ == "" && row.form != "" && slices.Contains(strings.Fields(row.names), class) {
			return discreteHint
		}
	}
	return ""
}

// formulas are the functions of R that take one.
var formulas = map[string]bool{"lm": true, "glm": true, "lmer": true, "glmer": true, "gam": true, "bam": true, "brm": true, "bf": true, "brmsformula": true, "stan_glm": true, "stan_lmer": true}

// otherHint is the hint on words of others that mean the same wherever they stand: distributions whose names have points, formulas, macros.
func (f *foreignText) otherHint() string {
	for n, t := range f.toks {
		next := value(f.toks, n+1)
		switch {
		case rowProduct(f.toks, n) != "":
			return "the inner product of two vectors is `" + rowProduct(f.toks, n) + "`"
		case t.Value == "@" && LookupForeign(ForeignStatement, next) != nil:
			return LookupForeign(ForeignStatement, next).Hint()
		case t.Value == "gp" && next == "." && n > 0: // pm.gp.Latent
			return LookupForeign(ForeignDistribution, t.Value).Hint()
		case t.Type == tokIdent && next == "(" && formulas[t.Value]:
			return formulaHint
		case t.Type == tokIdent && next == "." && value(f.toks, n+3) == "(":
			if row := LookupForeign(ForeignDistribution, t.Value+"_"+value(f.toks, n+2)); row != nil {
				return row.Hint()
			}
		}
	}
	return ""
}

// leftHint is the hint on a function of another language that translated lines have still, as it is no function of this one under any name.
func leftHint(lines []string) string {
	for _, line := range lines {
		toks := read(line).toks
		if len(split(toks, "~")) > 1 {
			continue // it is a step
		}
		for n, t := range toks {
			if t.Type != tokIdent || value(toks, n+1) != "(" || LookupFunction(t.Value) != nil || LookupDistribution(t.Value) != nil {
				continue
			}
			if row := LookupForeign(ForeignFunction, t.Value); row != nil && row.Is == "" {
				return row.Hint()
			}
		}
	}
	return ""
}

// localHint is the hint on a variable of the body of a function that Stan's users declare at a position; "" where there is none.
func (f *foreignText) localHint(at lexer.Position) string {
	n := slices.IndexFunc(f.toks, func(t lexer.Token) bool { return t.Pos.Line == at.Line && t.Pos.Column == at.Column })
	if value(f.toks, 0) != "func" || n < 0 || stanTypes[f.toks[n].Value] == "" {
		return ""
	}
	line := f.toks[n:]
	if end := slices.IndexFunc(line, func(t lexer.Token) bool { return t.Value == ";" || t.Value == "}" || t.Pos.Line > at.Line }); end >= 0 {
		line = line[:end]
	}
	own := (&foreignText{append(slices.Clone(line), lexer.Token{Type: tokOp, Value: ";"})}).stanDeclaration()
	if len(own) != 1 || !strings.HasPrefix(own[0], "let ") || !parses(own[0]) {
		return ""
	}
	return "leave the type out: write `" + own[0] + "`"
}

// productHint is the hint on a product over a range, `prod(k in n) w[k]`; "" where there is none.
func (f *foreignText) productHint() string {
	for n, t := range f.toks {
		last := -1
		if (t.Value == "prod" || t.Value == "product") && value(f.toks, n+1) == "(" && value(f.toks, n+3) == "in" {
			last = shut(f.toks, n+1)
		}
		if last < 0 {
			continue
		}
		rest, depth := f.toks[last+1:], 0
		end := slices.IndexFunc(rest, func(t lexer.Token) bool {
			switch t.Value {
			case "(", "[":
				depth++
			case ")", "]":
				depth--
			}
			return depth < 0 || depth == 0 && slices.Contains([]string{"+", "-", ",", ";", "for", "then", "else"}, t.Value)
		})
		if end < 0 {
			end = len(rest)
		}
		if write := "exp(sum(" + expression(f.toks[n+2:last]) + ") log(" + expression(rest[:end]) + "))"; end > 0 && parses("let a = "+write) {
			return "a product of positive factors is the exponential of a sum of logarithms: write `" + write + "`"
		}
	}
	return ""
}

// insideCall is the hint on the innermost call of a function of another language that has a position of the text among its arguments.
func (f *foreignText) insideCall(at lexer.Position) (hint string) {
	for n, t := range f.toks {
		if t.Type != tokIdent || value(f.toks, n+1) != "(" || LookupFunction(t.Value) != nil {
			continue
		}
		row, last := LookupForeign(ForeignFunction, t.Value), shut(f.toks, n+1)
		if row == nil || last < 0 || row.Is != "" {
			continue
		}
		open, end := f.toks[n+1].Pos, f.toks[last].Pos
		if (open.Line < at.Line || open.Line == at.Line && open.Column <= at.Column) && (at.Line < end.Line || at.Line == end.Line && at.Column <= end.Column) {
			hint = row.Hint()
		}
	}
	return hint
}

// read divides a text into tokens.
func read(text string) *foreignText {
	f := &foreignText{}
	lex, err := rules.LexString("", text)
	for err == nil {
		var t lexer.Token
		if t, err = lex.Next(); t.EOF() {
			break
		}
		if !isTrivia(t.Type) {
			f.toks = append(f.toks, t)
		}
	}
	return f
}

// translated are the lines that say what a statement of another language says, or nil.
func (f *foreignText) translated() []string {
	if lines := f.several(); lines != nil {
		return lines
	}
	for _, read := range foreignStatements {
		if lines := read(f); lines != nil {
			for n, line := range lines {
				if rest, ok := strings.CutPrefix(line, "let "); ok && strings.Contains(line, "_rng(") {
					lines[n] = "generate { " + rest + " }"
				}
				if !parses(lines[n]) {
					return nil
				}
			}
			return lines
		}
	}
	return nil
}

// parses reports whether a line is a statement.
func parses(line string) bool {
	lex, err := tokens("", line+"\n")
	if err != nil || strings.Contains(line, "…") {
		return err == nil
	}
	r := &reading{parser: parser{lex: lex}}
	r.statement()
	return len(r.diags) == 0 && ends(r.peek())
}

// linesHint is the hint that shows lines, in the place of one that ends with a semicolon or not.
func linesHint(lines []string, semicolon bool) string {
	last := len(lines) - 1
	quoted := "`" + lines[last] + "`"
	and := " and "
	if strings.HasPrefix(lines[0], "data ") && last == 1 && strings.HasPrefix(lines[1], "param ") {
		and = " or "
	}
	if last > 0 {
		quoted = "`" + strings.Join(lines[:last], "`, `") + "`" + and + quoted
	}
	switch {
	case last == 1 && strings.HasPrefix(lines[0], "param ") && strings.Contains(lines[1], "~"):
		return "a parameter and its prior are two lines: " + quoted
	case semicolon:
		return "a statement ends with its line: write " + quoted
	}
	return "write " + quoted
}

// foreignText is a statement of another language.
type foreignText struct{ toks []lexer.Token } // without blanks and comments

// value is the value of the n-th token; "" where there is none.
func value(toks []lexer.Token, n int) string {
	if n < 0 || n >= len(toks) {
		return ""
	}
	return toks[n].Value
}

// shut is the position of the bracket that closes the one at a position, or -1.
func shut(toks []lexer.Token, at int) int {
	depth := 0
	for n := at; n < len(toks); n++ {
		switch toks[n].Value {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return n
			}
		}
	}
	return -1
}

// split divides tokens at those of a value outside of brackets.
func split(toks []lexer.Token, at string) (out [][]lexer.Token) {
	if len(toks) == 0 {
		return nil
	}
	depth, start := 0, 0
	for n, t := range toks {
		switch t.Value {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		if depth == 0 && t.Value == at {
			out, start = append(out, toks[start:n]), n+1
		}
	}
	return append(out, toks[start:])
}

// isCall reads a call that tokens are as a whole, perhaps with prefixes: its name, and its arguments.
func isCall(toks []lexer.Token) (name string, args [][]lexer.Token, ok bool) {
	open := slices.IndexFunc(toks, func(t lexer.Token) bool { return t.Value == "(" })
	if open < 1 || shut(toks, open) != len(toks)-1 || toks[open-1].Type != tokIdent {
		return "", nil, false
	}
	for n := open - 2; n >= 0; n-- {
		if dot := (open-2-n)%2 == 0; dot && toks[n].Value != "." || !dot && toks[n].Type != tokIdent {
			return "", nil, false
		}
	}
	return toks[open-1].Value, split(toks[open+1:len(toks)-1], ","), true
}

// isPlain reports whether a text binds as a name or a number does.
func isPlain(text string) bool {
	depth := 0
	for n, r := range text {
		switch {
		case r == '(' || r == '[':
			depth++
		case r == ')' || r == ']':
			depth--
		case depth == 0 && strings.ContainsRune("+-*/^<>=:,'| ", r) && !(n == 0 && r == '-'):
			return false
		}
	}
	return !strings.HasPrefix(text, "-")
}

// substituted puts texts in the place of the names in a form.
func substituted(form string, by map[string]string) string {
	lex, err := rules.LexString("", form)
	if err != nil {
		return form
	}
	var out strings.Builder
	var toks []lexer.Token
	for t, err := lex.Next(); err == nil && !t.EOF(); t, err = lex.Next() {
		toks = append(toks, t)
	}
	next := func(n, step int) string {
		for n += step; n >= 0 && n < len(toks); n += step {
			if !isTrivia(toks[n].Type) {
				return toks[n].Value
			}
		}
		return ""
	}
	for n, t := range toks {
		text, ok := by[t.Value]
		if !ok || t.Type != tokIdent || next(n, 1) == "(" {
			out.WriteString(t.Value)
			continue
		}
		alone := strings.Contains("(,|[~ if then else", next(n, -1)) && strings.Contains("),] then else", next(n, 1))
		if next(n, -1) == "" && next(n, 1) == "" || alone || isPlain(text) {
			out.WriteString(text)
		} else {
			out.WriteString("(" + text + ")")
		}
	}
	return out.String()
}

// expression writes an expression of Stan or Python in the words of the language, as far as words and operators go.
func expression(toks []lexer.Token) string {
	var out strings.Builder
	last := -1 // where the last token ends
	brackets := []string{}
	for n := 0; n < len(toks); n++ {
		t := toks[n]
		v := t.Value
		if last >= 0 && t.Pos.Offset > last && !strings.HasSuffix(out.String(), " ") {
			out.WriteString(" ")
		}
		last = t.Pos.Offset + len(v)
		switch {
		case t.Type == tokIdent && scored(toks, n) > n: // norm.logpdf(y, a, s)
			end := scored(toks, n)
			out.WriteString(bracketed(toks, n, end, score(toks[n:end+1])))
			n, last = end, toks[end].Pos.Offset+1
			continue
		case t.Type == tokIdent && modules[v] && value(toks, n+1) == ".": // np.exp, pm.math.exp
			n++
			last = toks[n].Pos.Offset + 1
			continue
		case t.Type == tokIdent && value(toks, n+1) == "[" && value(toks, n+2) == `"` && value(toks, n+4) == `"` && value(toks, n+5) == "]": // df["y"]
			v = value(toks, n+3)
			n += 5
			last = toks[n].Pos.Offset + 1
		case v == "." && value(toks, n+1) == "values":
			n++
			last = toks[n].Pos.Offset + len("values")
			continue
		case v == "*" && value(toks, n+1) == "*" && toks[n+1].Pos.Offset == t.Pos.Offset+1:
			v = "^"
			n++
			last++
		case v == "[" && value(toks, n+1) == "]": // v[], all of it
			n++
			last = toks[n].Pos.Offset + 1
			continue
		case strings.Contains("[,:", v) && (v == "[" || len(brackets) > 0 && brackets[len(brackets)-1] == "["):
			v = positions(toks, n)
		case v == "@":
			v = "*"
		case v == "%" && value(toks, n+1) == "*" && value(toks, n+2) == "%": // of matrices, in R
			v = "*"
			n, last = n+2, last+2
		case v == "." && value(toks, n+1) == "T" && value(toks, n+2) != "(": // the transpose, in Python
			v = "'"
			n, last = n+1, last+1
		case v == "&" && value(toks, n+1) == "&":
			v = "and"
			n++
			last++
		case v == "!" && value(toks, n+1) != "=":
			v = "not "
		case t.Type == tokIdent && value(toks, n+1) == "(":
			if v, n = calledAs(toks, n); n > 0 && value(toks, n) == ")" {
				last = toks[n].Pos.Offset + 1
			}
		case v == "%":
			text, took := quotient(out.String(), toks[n:])
			if took == 0 {
				break
			}
			out.Reset()
			out.WriteString(text)
			n += took - 1
			last = toks[n].Pos.Offset + len(toks[n].Value)
			continue
		}
		switch t.Value {
		case "(", "[", "{":
			brackets = append(brackets, t.Value)
		case ")", "]", "}":
			brackets = brackets[:max(0, len(brackets)-1)]
		}
		out.WriteString(v)
	}
	return strings.TrimSpace(out.String())
}

// positions writes the bracket, the comma or the colon at a place among subscripts: a range, all positions, or nothing, which in BUGS, R and Stan is all positions too.
func positions(toks []lexer.Token, n int) string {
	before, v, behind := value(toks, n-1), toks[n].Value, value(toks, n+1)
	switch {
	case v == "[" && behind == ",":
		return "[:"
	case v == "," && (behind == "," || behind == "]"):
		return ", :"
	case v == ":" && before != "[" && before != "," && behind != "]" && behind != ",":
		return ".."
	}
	return v
}

// calledAs is what the name at a position is in a call, and that position; or what the whole call is, and the position of its end.
func calledAs(toks []lexer.Token, n int) (string, int) {
	name, end := toks[n].Value, shut(toks, n+1)
	f := LookupForeign(ForeignFunction, name)
	if own := LookupForeign(ForeignFunction, "linalg_"+name); value(toks, n-1) == "." && strings.HasSuffix(value(toks, n-2), "linalg") && own != nil {
		if name == "slogdet" && value(toks, end+2) == "1" && value(toks, end+3) == "]" && end > 0 { // of which the second is the logarithm
			return own.Is + "(" + expression(toks[n+2:end]) + ")", end + 3
		}
		return own.Is, n // inv of a matrix is no inverse of each element
	}
	switch {
	case end < 0:
		return name, n
	case f == nil && LookupFunction(name) == nil:
		text, of := rCall(name, foreignArgsIn(split(toks[n+2:end], ",")))
		if text == "" || of == drawn {
			return name, n
		}
		return bracketed(toks, n, end, text), end
	case name == "sum" && scored(toks, n+2) == end-1: // which the log density of a vector is
		return expression(toks[n+2 : end]), end
	case name == "sum" && rowProduct(toks, n) != "":
		return rowProduct(toks, n), end
	case name == "dot" && matrixFirst(toks[n+2:end]): // of a matrix and a vector
		args := split(toks[n+2:end], ",")
		return expression(args[0]) + "*" + expression(args[1]), end
	case f == nil || LookupFunction(name) != nil:
		return name, n
	case f.Is != "":
		return f.Is, n
	}
	var args []string
	for _, a := range split(toks[n+2:end], ",") {
		args = append(args, expression(a))
	}
	text, ok := f.with(args, nil, nil)
	if !ok || strings.HasPrefix(text, "let ") {
		return name, n
	}
	return bracketed(toks, n, end, text), end
}

// bracketed is what is written in the place of the call from one token to another, in parentheses where it needs them.
func bracketed(toks []lexer.Token, n, end int, text string) string {
	for n > 1 && toks[n-1].Value == "." { // the prefix
		n -= 2
	}
	before, behind := value(toks, n-1), value(toks, end+1)
	opens := before == "" || strings.Contains("(,=~", before) || before == "density"
	ends := behind == "" || strings.Contains("),", behind)
	if !isPlain(text) && !(opens && ends) {
		text = "(" + text + ")"
	}
	return text
}

// rowProduct is the inner product that a sum at a position is, `sum(X[i,]*b)` of a row or a column; "" of another one.
func rowProduct(toks []lexer.Token, n int) string {
	end := shut(toks, n+1)
	if value(toks, n) != "sum" || value(toks, n+1) != "(" || end < 0 {
		return ""
	}
	sides := split(toks[n+2:end], "*")
	if len(sides) != 2 {
		return ""
	}
	rows := false
	for _, side := range sides {
		if len(side) == 0 || side[0].Type != tokIdent || len(side) > 1 && (value(side, 1) != "[" || shut(side, 1) != len(side)-1) {
			return ""
		}
		last := len(side) - 1
		row := last > 2 && (side[2].Value == "," || side[last-1].Value == ",")
		if last > 0 && !row { // an element
			return ""
		}
		rows = rows || row
	}
	if !rows {
		return ""
	}
	return "dot(" + expression(sides[0]) + ", " + expression(sides[1]) + ")"
}

// matrixFirst reports whether the first of two arguments is a name in capital letters, as those of matrices are.
func matrixFirst(toks []lexer.Token) bool {
	args := split(toks, ",")
	return len(args) == 2 && len(args[0]) == 1 && args[0][0].Type == tokIdent && strings.ToUpper(args[0][0].Value) == args[0][0].Value
}

// python reads what PyMC and NumPyro write: `x = pm.Normal("x", 0, 1)`, `x = numpyro.sample("x", dist.Normal(0, 1))`.
func (f *foreignText) python() []string {
	if others := split(f.toks, "="); len(others) > 1 && len(others[0]) > 1 {
		return f.choleskyParts()
	}
	left, right := "", f.toks
	if value(f.toks, 1) == "=" && f.toks[0].Type == tokIdent {
		left, right = f.toks[0].Value, f.toks[2:]
		if value(right, 0) == "yield" { // of a coroutine of TensorFlow Probability
			right = right[1:]
		}
	}
	if len(right) == 0 || !modules[right[0].Value] || value(right, 1) != "." {
		return nil
	}
	right, size := unwrapped(right)
	class, args, ok := isCall(right)
	if !ok {
		return nil
	}
	c := &pythonCall{left: left, size: size, class: class, named: map[string][]lexer.Token{}, of: right[0].Value}
	for _, a := range args {
		c.argument(a)
	}
	if class == "Truncated" && len(c.order) > 0 && !c.truncates() {
		return nil
	}
	if class == "sample" && len(c.order) > 0 && (right[0].Value == "numpyro" || right[0].Value == "pyro") {
		var of []lexer.Token
		of, c.size = unwrapped(c.order[0])
		inner, args, ok := isCall(of)
		if !ok {
			return nil
		}
		c.class, c.order, c.of = inner, nil, "dist"
		for _, a := range args {
			c.argument(a)
		}
	}
	return c.lines()
}

// pythonCall is a call that makes a variable.
type pythonCall struct {
	left, class string
	size        string // that the distribution was expanded to
	truncated   bool   // lower and upper are the ends of an interval
	label       string // the name in quotes that it is given
	order       [][]lexer.Token
	named       map[string][]lexer.Token
	of          string // whose class it is, where that has other arguments than PyMC's: dist or tfd
}

// argument takes an argument: what stands in quotes is the name of the variable.
func (c *pythonCall) argument(a []lexer.Token) {
	switch {
	case len(a) >= 3 && (a[0].Value == `"` || a[0].Value == "'"):
		if c.label == "" && len(a) == 3 && a[1].Type == tokIdent {
			c.label = a[1].Value
		}
	case value(a, 1) == "=" && a[0].Type == tokIdent:
		c.named[a[0].Value] = a[2:]
	case len(a) > 0:
		c.order = append(c.order, a)
	}
}

// truncates makes of PyMC's Truncated("x", pm.Gamma.dist(2, 1), lower=1) the call that it truncates; false where that is not known.
func (c *pythonCall) truncates() bool {
	inner, args, ok := isCall(withoutDist(c.order[0]))
	if !ok {
		return false
	}
	ends := c.order[1:]
	c.class, c.order, c.truncated = inner, nil, true
	for n, end := range ends[:min(2, len(ends))] {
		c.named[[]string{"lower", "upper"}[n]] = end
	}
	for _, a := range args {
		c.argument(a)
	}
	return true
}

// withoutDist is PyMC's pm.Exponential.dist(1) as pm.Exponential(1).
func withoutDist(toks []lexer.Token) []lexer.Token {
	if i := slices.IndexFunc(toks, func(t lexer.Token) bool { return t.Value == "dist" }); i > 1 && value(toks, i+1) == "(" {
		return slices.Concat(toks[:i-1], toks[i+1:])
	}
	return toks
}

// take takes an argument by one of its names, as text.
func (c *pythonCall) take(names ...string) string {
	for _, name := range names {
		if a, ok := c.named[name]; ok {
			delete(c.named, name)
			return expression(a)
		}
	}
	return ""
}

// lines are what a call is here.
func (c *pythonCall) lines() []string {
	name := c.left
	if name == "" {
		name = c.label
	}
	if name == "" {
		return nil
	}
	switch c.class {
	case "Deterministic", "deterministic":
		if len(c.order) == 1 {
			return []string{"let " + name + " = " + expression(c.order[0])}
		}
		return nil
	case "Potential", "factor":
		if len(c.order) == 1 {
			return []string{"density " + expression(c.order[0])}
		}
		return nil
	case "Data", "MutableData", "ConstantData":
		return []string{"data " + name + " real[n]"}
	case "LKJCholeskyCov":
		return c.choleskyCov(name)
	case "GaussianRandomWalk":
		return c.walk(name)
	}
	observed := c.take("observed", "obs")
	size := cmp.Or(c.take("shape", "size", "sample_shape"), c.size)
	if dims := c.named["dims"]; dims != nil {
		size = dimensions(dims)
		delete(c.named, "dims")
	}
	if strings.HasPrefix(size, "(") {
		size = strings.TrimSuffix(strings.Trim(size, "()"), ",")
	}
	lower, upper := "", ""
	if c.class == "TruncatedNormal" || c.truncated {
		lower, upper = c.take("lower", "low"), c.take("upper", "high")
	}
	form, typ, whole, ok := c.distribution()
	if !ok {
		return nil
	}
	if between(lower, "") == "" && typ == "real > 0" && between("", upper) != "" {
		lower = "0"
	}
	interval := between(lower, upper)
	if whole {
		interval = upTo(lower, upper) // which PyMC's hold too
	}
	if observed != "" && observed != "None" {
		if !isPlain(observed) {
			return nil
		}
		return []string{strings.TrimSpace(observed + " ~ " + form + " " + interval)}
	}
	if whole {
		return nil // which no parameter is
	}
	if interval != "" && strings.ContainsFunc(form[strings.Index(form, "("):], unicode.IsLetter) {
		form += " " + interval // its probability depends on parameters
	}
	out := []string{"param " + name + " " + declaredAs(typ, size, interval)}
	if form != "" {
		out = append(out, name+" ~ "+form)
	}
	return out
}

// declaredAs is a type with a size and an interval that it is given.
func declaredAs(typ, size, interval string) string {
	base, rest := "real", strings.TrimPrefix(typ, "real")
	if interval != "" {
		rest = " " + interval
	}
	if !strings.HasPrefix(typ, "real") {
		base, rest = typ, ""
		if open := strings.Index(typ, "["); size != "" {
			base = typ[:open]
		}
	}
	if strings.HasPrefix(rest, "[") {
		if base, rest = "real"+rest, ""; size != "" {
			base = "real"
		}
	}
	if size != "" {
		base += "[" + size + "]"
	}
	return base + rest
}

// dimensions are the sizes that the names of dimensions tell.
func dimensions(toks []lexer.Token) string {
	var names []string
	for _, t := range toks {
		if t.Type == tokIdent {
			names = append(names, t.Value)
		}
	}
	return strings.Join(names, ", ")
}

// between is the interval with two ends, of which either may be missing.
func between(lower, upper string) string {
	missing := func(s string) bool { return s == "" || s == "None" || isInfinite(s) }
	switch {
	case !missing(lower) && !missing(upper):
		return "in (" + lower + ", " + upper + ")"
	case !missing(lower):
		return "> " + lower
	case !missing(upper):
		return "< " + upper
	}
	return ""
}

// upTo is the interval of whole numbers from one to another, of which either may be missing: those of Stan and of JAGS hold both.
func upTo(least, greatest string) string {
	if isInfinite(least) {
		least = ""
	}
	if isInfinite(greatest) {
		greatest = ""
	}
	switch {
	case least != "" && greatest != "":
		return "in " + least + ".." + greatest
	case least != "":
		return ">= " + least
	case greatest != "":
		return "<= " + greatest
	}
	return ""
}

// othersOrder are the arguments that stand first, without names, in classes of which PyMC's have others there: those of NumPyro, and of TensorFlow Probability.
var othersOrder = map[string]map[string]string{
	"dist": {"Weibull": "scale concentration", "Pareto": "scale alpha", "ZeroInflatedPoisson": "gate rate", "Binomial": "total_count probs"},
	"tfd": {"Bernoulli": "logits", "Binomial": "total_count logits", "Categorical": "logits", "HalfCauchy": "loc:0", "InverseGamma": "concentration scale", "Pareto": "concentration scale",
		"Weibull": "concentration scale", "NegativeBinomial": "total_count logits", "Multinomial": "total_count logits"},
}

// distribution is the distribution that a class of PyMC or NumPyro is with some arguments, and the type of a parameter.
func (c *pythonCall) distribution() (form, typ string, whole, ok bool) {
	args := &foreignArgs{named: map[string]string{}}
	for _, a := range c.order {
		args.order = append(args.order, expression(a))
	}
	for name, a := range c.named {
		args.named[name] = expression(a)
	}
	first := othersOrder[c.of][c.class]
	for _, row := range pythonDists {
		if !slices.Contains(strings.Fields(row.names), c.class) || len(args.order) > 0 && !strings.HasPrefix(row.args, first) {
			continue
		}
		if by, ok := args.fit(row.args); ok {
			return substituted(row.form, by), substituted(row.typ, by), row.typ == "", true
		}
	}
	return "", "", false, false
}

// choleskyCov is PyMC's covariance by scales and correlations.
func (c *pythonCall) choleskyCov(name string) []string {
	n, eta := c.take("n"), c.take("eta")
	if n == "" && len(c.order) > 0 {
		n = expression(c.order[0])
	}
	if eta == "" && len(c.order) > 1 {
		eta = expression(c.order[1])
	}
	if n == "" || eta == "" {
		return nil
	}
	scale := "exponential(1)"
	if toks, ok := c.named["sd_dist"]; ok {
		if class, args, ok := isCall(withoutDist(toks)); ok {
			own := &pythonCall{class: class, named: map[string][]lexer.Token{}}
			for _, a := range args {
				own.argument(a)
			}
			own.take("shape", "size")
			if form, _, whole, ok := own.distribution(); ok && !whole {
				scale = form
			}
		}
	}
	return []string{"param " + name + "_corr corr_cholesky[" + n + "]", "param " + name + "_sd real[" + n + "] > 0", name + "_corr ~ lkj_corr_cholesky(" + eta + ")",
		name + "_sd ~ " + scale, "let " + name + " = diag(" + name + "_sd)*" + name + "_corr"}
}

// choleskyParts reads `L, corr, sd = pm.LKJCholeskyCov("L", n=3, eta=2, sd_dist=…)`: the last two are made of the same parameters.
func (f *foreignText) choleskyParts() []string {
	sides := split(f.toks, "=")
	names := split(sides[0], ",")
	at := slices.IndexFunc(f.toks, func(t lexer.Token) bool { return t.Value == "=" })
	if len(names) != 3 || len(names[0]) != 1 || len(names[1]) != 1 || len(names[2]) != 1 || value(f.toks, at+3) != "LKJCholeskyCov" {
		return nil
	}
	lines := (&foreignText{slices.Concat(names[0], f.toks[at:])}).python()
	if lines == nil {
		return nil
	}
	L := names[0][0].Value
	for n, of := range []string{L + "_corr*" + L + "_corr'", L + "_sd"} {
		if name := names[n+1][0].Value; name != "_" && name != of {
			lines = append(lines, "let "+name+" = "+of)
		}
	}
	return lines
}

// walk is PyMC's random walk.
func (c *pythonCall) walk(name string) []string {
	size := c.take("shape", "steps")
	if dims := c.named["dims"]; dims != nil {
		size = dimensions(dims)
	}
	sigma := c.take("sigma", "sd")
	if sigma == "" && len(c.order) == 1 {
		sigma = expression(c.order[0])
	}
	if sigma == "" {
		sigma = "1"
	}
	if size == "" {
		size = "n"
	}
	return []string{"param " + name + " real[" + size + "]", name + "[1] ~ normal(0, 1)", name + "[t] ~ normal(" + name + "[t-1], " + sigma + ") for t in 2.." + size}
}

// prefixed reads `y ~ pm.Normal(a, s)`.
func (f *foreignText) prefixed() []string {
	sides := split(f.toks, "~")
	if len(sides) != 2 || len(sides[0]) == 0 || len(sides[1]) < 3 || !modules[sides[1][0].Value] || sides[1][1].Value != "." {
		return nil
	}
	right, _ := unwrapped(withoutSemicolon(sides[1]))
	class, args, ok := isCall(right)
	if !ok {
		return nil
	}
	if row, by := foreignArgsIn(args).find(scipyDists, class); row != nil && scipyNames[right[0].Value] {
		return []string{expression(sides[0]) + " ~ " + substituted(row.form, by)}
	}
	c := &pythonCall{class: class, named: map[string][]lexer.Token{}, of: right[0].Value}
	for _, a := range args {
		c.argument(a)
	}
	c.take("observed", "obs")
	form, _, _, ok := c.distribution()
	if !ok {
		if form, ok = foreignCall(class, args); !ok {
			return nil
		}
	}
	if form, ok = ofItself(class, form); !ok {
		return nil
	}
	return []string{expression(sides[0]) + " ~ " + form}
}

// scipyNames are the modules whose distributions are SciPy's.
var scipyNames = map[string]bool{"stats": true, "scipy": true, "sp": true, "jax": true, "st": true}

// unwrapped is a distribution without what says of it in Python that its elements are independent, as all are here: Independent(D, 1), D.to_event(1), and the size
// that it is expanded to.
func unwrapped(toks []lexer.Token) (inner []lexer.Token, size string) {
	for {
		open := opening(toks)
		if open < 2 {
			return toks, size
		}
		args := split(toks[open+1:len(toks)-1], ",")
		switch name, point := toks[open-1].Value, toks[open-2].Value == "."; {
		case name == "Independent" && len(args) > 0:
			if toks = args[0]; value(toks, 1) == "=" {
				toks = toks[2:]
			}
			continue
		case name == "Sample" && len(args) == 2:
			size = strings.Trim(expression(args[1]), "[](),")
			toks = args[0]
			continue
		case name == "to_event" && point:
		case (name == "expand" || name == "expand_by") && point && len(args) > 0:
			size = strings.Trim(expression(toks[open+1:len(toks)-1]), "[](),")
		default:
			return toks, size
		}
		toks = toks[:open-2]
	}
}

// opening is the position of the bracket that the last token closes, or -1.
func opening(toks []lexer.Token) int {
	for n := range toks {
		if toks[n].Value == "(" && shut(toks, n) == len(toks)-1 {
			return n
		}
	}
	return -1
}

// foreignCall is a distribution with arguments in the words of the language.
func foreignCall(name string, args [][]lexer.Token) (string, bool) {
	all := foreignArgsIn(args)
	if len(all.named) > 0 {
		return namedForm(name, all)
	}
	if LookupDistribution(name) != nil {
		return name + "(" + strings.Join(all.order, ", ") + ")", true
	}
	f := LookupForeign(ForeignDistribution, name)
	if f == nil {
		f = &Foreign{}
	}
	if d := meantDistribution(name); d != nil {
		return d.Name + "(" + strings.Join(all.order, ", ") + ")", true
	}
	return f.with(all.order, nil, nil)
}

// foreignArgsIn are the arguments of a call of another language; a name may have points, as R's do.
func foreignArgsIn(args [][]lexer.Token) *foreignArgs {
	out := &foreignArgs{named: map[string]string{}}
	for _, a := range args {
		name, n := "", 0
		for a := a; len(a) > 2 && a[0].Type == tokIdent && a[1].Value == "."; a = a[2:] {
			name, n = name+a[0].Value+".", n+2
		}
		if value(a, n+1) == "=" && a[n].Type == tokIdent {
			out.named[name+a[n].Value] = expression(a[n+2:])
		} else {
			out.order = append(out.order, expression(a))
		}
	}
	return out
}
