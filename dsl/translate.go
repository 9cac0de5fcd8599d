package dsl

import (
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
	(*foreignText).bounds,
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

// foreignHint is the hint on a statement of another language, "" if it is not known to be one.
func foreignHint(text string) string {
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
		return linesHint(lines, strings.HasSuffix(text, ";")) + f.startHint()
	}
	if hint := f.addedHint(); hint != "" {
		return hint
	}
	class, _, ok := isCall(toks)
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
	for _, read := range foreignStatements {
		if lines := read(f); lines != nil {
			if slices.ContainsFunc(lines, func(line string) bool { return !parses(line) }) {
				return nil
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
	if strings.HasPrefix(lines[0], "data ") && last == 1 {
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
	switch {
	case end < 0:
		return name, n
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
	text, ok := f.with(args)
	if !ok || strings.HasPrefix(text, "let ") {
		return name, n
	}
	for n > 1 && toks[n-1].Value == "." { // the prefix
		n -= 2
	}
	before, behind := value(toks, n-1), value(toks, end+1)
	opens := before == "" || strings.Contains("(,=~", before) || before == "density"
	ends := behind == "" || strings.Contains("),", behind)
	if !isPlain(text) && !(opens && ends) {
		text = "(" + text + ")"
	}
	return text, end
}

// matrixFirst reports whether the first of two arguments is a name in capital letters, as those of matrices are.
func matrixFirst(toks []lexer.Token) bool {
	args := split(toks, ",")
	return len(args) == 2 && len(args[0]) == 1 && args[0][0].Type == tokIdent && strings.ToUpper(args[0][0].Value) == args[0][0].Value
}

// python reads what PyMC and NumPyro write: `x = pm.Normal("x", 0, 1)`, `x = numpyro.sample("x", dist.Normal(0, 1))`.
func (f *foreignText) python() []string {
	left, right := "", f.toks
	if value(f.toks, 1) == "=" && f.toks[0].Type == tokIdent {
		left, right = f.toks[0].Value, f.toks[2:]
	}
	if len(right) == 0 || !modules[right[0].Value] || value(right, 1) != "." {
		return nil
	}
	class, args, ok := isCall(right)
	if !ok {
		return nil
	}
	c := &pythonCall{left: left, class: class, named: map[string][]lexer.Token{}}
	for _, a := range args {
		c.argument(a)
	}
	if class == "sample" && len(c.order) > 0 && (right[0].Value == "numpyro" || right[0].Value == "pyro") {
		inner, args, ok := isCall(c.order[0])
		if !ok {
			return nil
		}
		c.class, c.order, c.numpyro = inner, nil, true
		for _, a := range args {
			c.argument(a)
		}
	}
	return c.lines()
}

// pythonCall is a call that makes a variable.
type pythonCall struct {
	left, class string
	label       string // the name in quotes that it is given
	order       [][]lexer.Token
	named       map[string][]lexer.Token
	numpyro     bool // or Pyro: what stands first may be another argument than in PyMC
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
	size := c.take("shape", "size")
	if dims := c.named["dims"]; dims != nil {
		size = dimensions(dims)
		delete(c.named, "dims")
	}
	if strings.HasPrefix(size, "(") {
		size = strings.TrimSuffix(strings.Trim(size, "()"), ",")
	}
	lower, upper := "", ""
	if c.class == "TruncatedNormal" {
		lower, upper = c.take("lower", "low"), c.take("upper", "high")
	}
	form, typ, whole, ok := c.distribution()
	if !ok {
		return nil
	}
	interval := between(lower, upper)
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
	out := []string{"param " + name + " " + base + rest}
	if form != "" {
		out = append(out, name+" ~ "+form)
	}
	return out
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
	missing := func(s string) bool { return s == "" || s == "None" }
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

// firstOfNumPyro are the first arguments of NumPyro's classes where PyMC's have another one.
var firstOfNumPyro = map[string]string{"Weibull": "scale", "Pareto": "scale", "ZeroInflatedPoisson": "gate"}

// distribution is the distribution that a class of PyMC or NumPyro is with some arguments, and the type of a parameter.
func (c *pythonCall) distribution() (form, typ string, whole, ok bool) {
	class, order, named := c.class, c.order, c.named
	for _, row := range pythonDists {
		args := strings.Fields(row.args)
		if !slices.Contains(strings.Fields(row.names), class) || c.numpyro && len(order) > 0 && firstOfNumPyro[class] != "" && args[0] != firstOfNumPyro[class] {
			continue
		}
		by, used := map[string]string{}, 0
		for n, a := range args {
			name, value, has := strings.Cut(a, "=")
			switch toks, given := named[name]; {
			case n < len(order):
				value = expression(order[n])
				used++
			case given:
				value = expression(toks)
				used++
			case !has:
				value = ""
			}
			by[name] = value
		}
		complete := used == len(order)+len(named)
		for _, v := range by {
			complete = complete && v != ""
		}
		if complete {
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
		if i := slices.IndexFunc(toks, func(t lexer.Token) bool { return t.Value == "dist" }); i > 1 && value(toks, i+1) == "(" {
			toks = slices.Concat(toks[:i-1], toks[i+1:]) // pm.Exponential.dist(1)
		}
		if class, args, ok := isCall(toks); ok {
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
	class, args, ok := isCall(sides[1])
	if !ok {
		return nil
	}
	c := &pythonCall{class: class, named: map[string][]lexer.Token{}, numpyro: sides[1][0].Value == "dist"}
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
	if form == "" {
		return nil
	}
	return []string{expression(sides[0]) + " ~ " + form}
}

// foreignCall is a distribution with arguments in the words of the language.
func foreignCall(name string, args [][]lexer.Token) (string, bool) {
	texts := make([]string, len(args))
	for n, a := range args {
		if texts[n] = expression(a); value(a, 1) == "=" {
			return "", false
		}
	}
	if LookupDistribution(name) != nil {
		return name + "(" + strings.Join(texts, ", ") + ")", true
	}
	f := LookupForeign(ForeignDistribution, name)
	if f == nil {
		f = &Foreign{}
	}
	if d := meantDistribution(name); d != nil {
		return d.Name + "(" + strings.Join(texts, ", ") + ")", true
	}
	return f.with(texts)
}
