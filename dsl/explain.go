package dsl

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2/lexer"
)

// The forms of the statements, as the hints of their errors show them.
const (
	blockForm    = "a block reads `block NAME(x, y) metric …`"
	odeForm      = "a differential equation reads `ode NAME(v, r) {`, one line `v' = …` for each state, and `}`"
	funcForm     = "a function reads `func f(x, y real[n], k int) = …`, or `{`, lines `let a = …`, `return …` and `}`"
	generateForm = "generated quantities read `generate {`, one line `NAME = …` or `NAME[i in n] = …` for each, and `}`"
	importForm   = "an import reads `import NAME`: it takes the functions of NAME.ham, a file beside the model"
	quantityForm = "a quantity reads `NAME = …` or `NAME[i in n] = …`"
	setForms     = "an interval reads `in (a, b)`, a set `in {0, 1}`, whole numbers from 1 to n `in 1..n`; of data with an end that they may be equal to, `>= a` or `<= b`"
)

// expectation says what the grammar wants at a place, in the words of the messages.
type expectation struct {
	keyword string // of the statement, "~" of the one without; "" stands for any
	after   string // the last token taken; "" stands for any
	symbol  string // what the grammar wants, as its EBNF has it
	want    string // what that is called; "" for a token
	hint    string

	// say makes another error; nil stands for the usual one.
	say func(r *reading, want, hint string) error
}

// expectations is read from the top; the first row that fits counts.
var expectations = []expectation{
	{"model", "", "Ident", "the model's name", "such as `model banana`", nil},
	{"data", "", "Ident", "a name", "", (*reading).noDatum},
	{"param", "", "Ident", "a name", "", (*reading).noDeclaration},
	{"const", "", "Ident", "a name", "a constant reads `const k = 10`", (*reading).noDeclaration},
	{"let", "", "Ident", "a name", "a definition reads `let a = …` or `let a[i in n] = …`", (*reading).noDeclaration},
	{"func", "", "TypeExpr", "a type (int or real)", "an argument has a type: `func f(x, y real[n], k int) = …`", (*reading).noArgumentType},
	{"", "", "TypeExpr", "", "", (*reading).noType},
	{"const", "", "=", "", "a constant reads `const k = 10`", nil},
	{"let", "", "=", "", "a definition reads `let a = …` or `let a[i in n] = …`", (*reading).noLetValue},

	// Bounds.
	{"", "in", "", "", setForms, (*reading).noInterval},
	{"", "", "..", "", "the whole numbers from 1 to n are `in 1..n`, an interval is `in (a, b)`, a set `in {0, 1}`", nil},
	{"", "", ",", "", "an interval reads `in (a, b)`", nil},

	{"~", "~", "Ident", "a distribution", "such as `y ~ normal(mu, sigma)`", (*reading).noDistribution},
	{"~", "", "(", "", formulaHint, (*reading).noArguments},
	{"~", "", "~", "", "", (*reading).noTilde},

	{"block", "block", "Ident", "the block's name", blockForm, nil},
	{"block", "", "Ident", "a parameter", blockForm, nil},
	{"block", "", "(", "", blockForm, nil},
	{"block", "", ")", "", blockForm, (*reading).noEndOfList},

	{"func", "func", "Ident", "the function's name", funcForm, nil},
	{"func", "", "Ident", "an argument", funcForm, nil},
	{"func", "", "(", "", funcForm, nil},
	{"func", "", ")", "", "arguments are separated by commas: `func f(x real[n], k int) = …`", (*reading).noEndOfArguments},
	{"func", "", "{", "`=` or `{`", funcForm, (*reading).noValue},
	{"func", "", "return", "`return`", funcForm, (*reading).noReturn},

	{importWord, "", "Ident", "the file's name", importForm, (*reading).noImport},

	{"ode", "ode", "Ident", "the equation's name", odeForm, nil},
	{"ode", "over", "Ident", "the name of time", "it follows `over`, as in `ode f(v) over time {`", nil},
	{"ode", "", "Ident", "a state", odeForm, (*reading).noVariable},
	{"ode", "", "(", "", odeForm, nil},
	{"ode", "", ")", "", "states stand before the `;`, arguments behind it", (*reading).noEndOfHead},
	{"ode", "", "{", "", odeForm, (*reading).noBrace},

	{"generate", "", "{", "", generateForm, (*reading).noQuantities},
}

// misreadings are rows for places where an expression is wanted and none starts.
var misreadings = []expectation{
	{"density", "density", "=", "an expression", "write `density …` without =", nil},
	{"density", "+", "=", "an expression", "`density …` adds to the log density: write it without +=", nil},
	{"", "metric", "=", "a metric", "such as `metric fisher` or `metric softabs(alpha = 1e6)`", nil},
	{"", "metric", "", "a metric", "such as `metric fisher` or `metric softabs(alpha = 1e6)`", nil},
}

// symbolWanted finds what the grammar wanted in a message of participle, which does not say it in another way: a
// token in quotes, or the name of a production.
var symbolWanted = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\(expected \(*(?:"([^ ]+)"|(\w+))`) })

// wanted is what the grammar wanted in place of an unexpected token; "" if there are several ways to go on.
func wanted(err error) string {
	if m := symbolWanted().FindStringSubmatch(err.Error()); m != nil {
		return m[1] + m[2]
	}
	return ""
}

// explain says what a syntax error of the grammar is, in the words of the language.
func (r *reading) explain(keyword string, err error) error {
	if keyword == "" {
		keyword = "~"
	}
	after := r.back(0).Value
	if _, ok := err.(*syntaxError); ok {
		for _, x := range misreadings {
			if t := r.peek(); after == x.after && t.Value == x.symbol && (t.Value != "" || ends(t)) {
				return r.unexpected(x.want, x.hint)
			}
		}
		return err
	}
	symbol := wanted(err)
	for _, x := range expectations {
		if (x.keyword == "" || x.keyword == keyword) && (x.after == "" || x.after == after) && x.symbol == symbol {
			return r.say(&x)
		}
	}
	return r.say(&expectation{symbol: symbol})
}

// say reports what stands in place of what a row describes.
func (r *reading) say(x *expectation) error {
	switch {
	case x.say != nil:
		return x.say(r, x.want, x.hint)
	case x.symbol == "Ident":
		return r.noName(x.want, x.hint)
	}
	if x.symbol == "" { // the end of a line in braces
		hint := x.hint
		if r.took("func", 1) {
			hint = "in braces each definition has a line of its own, and so has `return …`"
		}
		return r.unexpected("the end of the line", hint)
	}
	return r.missing(x.symbol, x.hint)
}

// noDatum reports what stands in place of a name of data.
func (r *reading) noDatum(want, hint string) error {
	if t := r.peek(); isKeyword(t.Value) && !isType(t.Value) {
		return reserved(t, fmt.Sprintf("choose another name: `%s_` is read from `%s` of the data file too", t.Value, t.Value))
	}
	return r.noDeclaration(want, hint)
}

// noDeclaration reports what stands in place of a name that is declared.
func (r *reading) noDeclaration(want, hint string) error {
	t := r.peek()
	if t.Type == tokBad {
		r.poisonLine()
	}
	if isType(t.Value) {
		r.poisonLine()
		if isType(r.peekAt(1).Value) {
			return reserved(t, "choose another name")
		}
		return reserved(t, "the type follows the name, as in `data n int`")
	}
	return r.noName(want, hint)
}

// noType reports what stands in place of a type.
func (r *reading) noType(string, string) error {
	t := r.peek()
	if t.Type == tokOp && binding(t.Value) == 0 && t.Value != "." {
		hint := "a declaration reads `data x, y real[n]` or `param s real > 0`"
		switch name := r.back(0).Value; t.Value {
		case "~":
			hint = twoLines(name)
			r.poisonLine()
		case ":":
			hint = "the type follows the name without a colon, as in `data n int`"
		}
		return fail(UnexpectedToken, tokenSpan(t), hint, "expected a type (int, real, simplex, ordered or cov), found %s", found(t))
	}
	if t.Type != tokIdent {
		return r.unexpected("a type (int, real, simplex, ordered or cov)", "a declaration reads `data x, y real[n]` or `param s real > 0`")
	}
	if n := r.peekAt(1); isType(n.Value) || n.Value == "," {
		r.poisonLine()
		return fail(UnexpectedToken, tokenSpan(t), "names are separated by commas: `data x, y real[n]`, and have no blanks", "expected `,` or a type, found %s", found(t))
	}
	types := typeWords()
	last := len(types) - 1
	hint := "the types are " + strings.Join(types[:last], ", ") + " and " + types[last] + "; a declaration reads `data x, y real[n]`"
	if s := suggest(t.Value, types); s != "" {
		hint = fmt.Sprintf("did you mean `%s`?", s)
	}
	if f := LookupForeign(ForeignType, t.Value); f != nil {
		hint = f.Hint()
	}
	return fail(UnknownType, tokenSpan(t), hint, "there is no type `%s`", t.Value)
}

// typeWords are the words that a type starts with.
func typeWords() []string {
	words := []string{"int", "real"}
	for _, x := range Constraints {
		words = append(words, x.Name)
	}
	return words
}

// twoLines is the hint where a parameter is declared and given its prior at once.
func twoLines(name string) string {
	return fmt.Sprintf("a parameter and its prior are two lines: `param %s real` and `%s ~ …`", name, name)
}

// noInterval reports what stands behind the `in` of a bound.
func (r *reading) noInterval(_, hint string) error { return r.missing("(", hint) }

// noDistribution reports what stands in place of a distribution.
func (r *reading) noDistribution(want, hint string) error {
	if t := r.peek(); t.Type == tokNumber || t.Value == "(" {
		hint = formulaHint
	}
	return r.unexpected(want, hint)
}

// noTilde reports what stands in place of a `~`.
func (r *reading) noTilde(string, string) error {
	r.poisonLine()
	for _, t := range r.line() { // mu[i] <- … was to define mu
		if t.Type == tokIdent && !isKeyword(t.Value) {
			r.names = append(r.names, Ident{Name: t.Value, At: tokenSpan(t)})
		}
	}
	hint := "a line starts with a keyword, or reads `y ~ normal(mu, sigma)`"
	if r.isOp("=") && r.back(0).Value == "'" {
		hint = "an equation `v' = …` stands in the braces of an `ode`"
	} else if r.isOp("=") {
		hint = r.assignmentHint()
	} else if r.took("-", 1) || r.took("+", 1) {
		hint = continuesHint
	}
	return r.unexpected("`~`", hint)
}

// took reports whether a token is among those taken of the line; of the first n, if n is not 0.
func (r *reading) took(text string, n int) bool {
	for _, t := range r.line() {
		if isTrivia(t.Type) {
			continue
		}
		if t.Value == text {
			return true
		}
		if n--; n == 0 {
			break
		}
	}
	return false
}

// noEndOfList reports what stands in place of the `)` behind the parameters of a block.
func (r *reading) noEndOfList(_, hint string) error {
	if r.isOp("[") {
		hint = "a block takes whole parameters, without an index"
	}
	return r.missing(")", r.listHint(hint))
}

// listHint is the hint where a list of names does not end as it should.
func (r *reading) listHint(hint string) string {
	if isNameLike(r.peek()) {
		return "names are separated by commas"
	}
	return hint
}

// noLetValue reports what stands in place of the `=` of a definition.
func (r *reading) noLetValue(_, hint string) error {
	t := r.peek()
	if t.Value == "(" && linkInverses[r.back(0).Value] != "" {
		r.poisonLine()
		return fail(UnexpectedToken, tokenSpan(t), r.assignmentHint(), "a definition has a name on its left")
	}
	return r.missing("=", hint)
}

// noEndOfArguments reports what stands in place of the `)` behind the arguments of a function.
func (r *reading) noEndOfArguments(_, hint string) error {
	if r.isOp("=") {
		hint = "an argument has no default: each call gives it"
	}
	return r.missing(")", hint)
}

// noVariable reports what stands in place of a state or an argument of an `ode`.
func (r *reading) noVariable(want, hint string) error {
	if r.took(";", 0) {
		want, hint = "an argument", "arguments follow the `;`, as in `ode f(v, r; dose) {`"
	}
	return r.noName(want, hint)
}

// noEndOfHead reports what stands in place of the `)` behind the variables of an `ode`.
func (r *reading) noEndOfHead(_, hint string) error {
	switch t := r.peek(); {
	case t.Value == "[", t.Value == ":", isType(t.Value):
		hint = "states and arguments are scalars; they have names and nothing else"
	case t.Value == "=":
		hint = "initial values stand in the solution: `solve f(v = v0) from t0 at t`"
	}
	return r.missing(")", r.listHint(hint))
}

// noBrace reports what stands in place of the `{` of an `ode`.
func (r *reading) noBrace(_, hint string) error {
	switch t := r.peek(); {
	case isNameLike(t) && !r.took("over", 0):
		hint = "the name of time follows `over`, as in `ode f(v) over time {`"
	case t.Type == tokEnd && r.peekAt(1).Value == "{":
		hint = "the `{` stands in the line of the equation's name"
	}
	return r.missing("{", hint)
}

// noValue reports what stands in place of the value of a function.
func (r *reading) noValue(want, hint string) error {
	if isType(r.peek().Value) || r.isOp("-") {
		hint = "a function has no type of its own: its value has one"
	}
	return r.unexpected(want, hint)
}

// noArguments reports what stands in place of the arguments of a distribution.
func (r *reading) noArguments(_, hint string) error {
	if n := r.peekAt(1); r.isOp("*") && LookupDistribution(n.Value) != nil && r.peekAt(2).Value == "(" {
		hint = "a mixture is made of distributions: `y ~ mixture(p, normal(a, s), normal(b, s))`"
	}
	if r.isOp("[") {
		hint = "arguments stand in parentheses, as in `y ~ normal(mu, sigma)`"
	} else if d := LookupDistribution(r.back(0).Value); d != nil {
		hint = fmt.Sprintf("a distribution has parentheses: %s(%s)", d.Name, strings.Join(d.argNames(), ", "))
	}
	return r.missing("(", hint)
}

// noArgumentType reports what stands in place of the type of an argument.
func (r *reading) noArgumentType(want, hint string) error {
	if t := r.peek(); t.Type == tokIdent && !isKeyword(t.Value) {
		return r.noType(want, hint)
	}
	return r.unexpected(want, hint)
}

// noReturn reports what stands in place of a line of the body of a function.
func (r *reading) noReturn(want, hint string) error {
	switch t := r.peek(); {
	case t.Value == "for" || t.Value == "while":
		return fail(UnexpectedToken, tokenSpan(t), "what repeats is `sum(i in n) …`, `let a[i in n] = …` or a recursion `let a[t] = … for t in 2..n`", "there are no loops")
	case stanTypes[t.Value] != "" && r.peekAt(1).Value != "=":
		return fail(UnexpectedToken, tokenSpan(t), "leave the type out: `let a = …` or `let a[i in n] = …`", "a definition has no type: its value has one")
	case r.hasTilde():
		hint = "a function has a value and no terms: `return normal_lpdf(x | 0, 1)`"
	case t.Type == tokIdent && startsStatement(t.Value):
		hint = "a body holds definitions and ends with `return …`"
	case t.Type == tokIdent && r.peekAt(1).Value == "=":
		hint = fmt.Sprintf("a definition reads `let %s = …`", t.Value)
	case !ends(t) && t.Value != "}":
		hint = "the value follows `return`"
	}
	return r.unexpected("`return`", hint)
}

// noQuantities reports what stands in place of the `{` of a `generate`.
func (r *reading) noQuantities(_, hint string) error {
	err := r.unexpected("`{`", hint)
	r.poisonLine()
	return err
}

// end reports what stands behind a statement in its line.
func (r *reading) end(s Stmt) error {
	t := r.peek()
	if ends(t) {
		return nil
	}
	var err error
	switch s := s.(type) {
	case *ModelStmt:
		if t.Type != tokBad {
			err = r.unexpected("the end of the line", "a name is made of letters, digits and _")
		}
	case *DataStmt:
		err = r.endOfType(&s.Type, s.Default != nil)
	case *ParamStmt:
		if err = r.endOfType(&s.Type, false); err == nil && t.Value == "=" {
			err = fail(UnexpectedToken, tokenSpan(t), "start values are given with --init", "a parameter has no default")
		}
	case *SampleStmt:
		err = r.endOfTerm(s)
	case *BlockStmt:
		err = r.endOfBlock(s)
	case *ImportStmt:
		err = r.noImport("the end of the statement", importForm)
	case *OdeStmt:
		if r.isWord("over") {
			err = r.unexpected("the end of the line", "`over NAME` stands before the `{`")
		}
	}
	if err != nil {
		return err
	}
	r.poisonLine()
	hint := ""
	switch s := s.(type) {
	case *DataStmt, *ParamStmt:
		hint = r.behindType(s)
	case *DensityStmt:
		if t.Value == "," {
			hint = "terms are added, or have lines of their own"
		}
	case *LetStmt:
		if t.Value == "," && s.For != nil {
			hint = "a part has one position; its other indices stand in the brackets: `let h[t, j in k] = … for t in 2..n`"
		}
	}
	switch t.Value {
	case "=":
		hint = "a value is named by `let NAME = …`"
	case ")", "]", "}":
		return fail(UnexpectedToken, tokenSpan(t), "remove it", "this `%s` closes nothing", t.Value)
	}
	return r.unexpected("the end of the statement", hint)
}

// behindType is the hint at what stands behind a declaration.
func (r *reading) behindType(s Stmt) string {
	t := r.peek()
	switch t.Value {
	case ";":
		return ""
	case ",":
		return "each declaration has a line of its own; names of one type are `data x, y real[n]`"
	case "(":
		return "sizes stand in brackets, `real[n]`, and bounds behind them, `real in (0, 1)`"
	case "~":
		if p, ok := s.(*ParamStmt); ok {
			return twoLines(p.Names[0].Name)
		}
		return "a declaration and a term are two lines: `data y real` and `y ~ normal(0, 1)`"
	}
	return "a bound reads `real > 0`, `real < 1` or `real in (0, 1)`"
}

// endOfType reports a second list of sizes, a bound with a name, and a second bound.
func (r *reading) endOfType(te *TypeExpr, value bool) error {
	t := r.peek()
	kind := te.Bound.Kind()
	if value {
		return nil
	}
	switch t.Value {
	case "[":
		if te.Sizes != nil && kind == NoBound {
			return r.unexpected("a bound or the end of the statement", "a matrix is real[n, k]")
		}
	case ">", ">=", "<", "<=":
		n := r.peekAt(1)
		if kind == NoBound && n.Type == tokIdent && r.peekAt(2).Value == "=" {
			return fail(UnexpectedToken, tokenSpan(n), "a bound reads `real > 0`, `real < 1` or `real in (0, 1)`", "a bound has no name")
		}
		if kind == LimitBound {
			return fail(UnexpectedToken, tokenSpan(t), "two bounds are written `in (a, b)`", "expected the end of the bound, found %s", found(t))
		}
	}
	return nil
}

// noImport reports what is wrong behind `import`: quotation marks and endings of files are no characters to be told of.
func (r *reading) noImport(want, hint string) error {
	t := r.peek()
	return fail(UnexpectedToken, tokenSpan(t), hint, "expected %s, found %s", want, found(t))
}

// endOfTerm reports what other languages write behind a distribution.
func (r *reading) endOfTerm(s *SampleStmt) error {
	switch t := r.peek(); {
	case t.Value == ",":
		return r.unexpected("the end of the statement", "each statement has a line of its own")
	case t.Value == "*" || t.Value == "/":
		return r.unexpected("the end of the statement", "a weighted term is `density sum(i in n) w[i]*normal_lpdf(y[i] | mu, sigma)`")
	case t.Value == "+":
		return r.unexpected("the end of the statement", "a term has one distribution: `y ~ mixture(p, normal(a, s), normal(b, s))` is made of two")
	case (t.Value == "I" || t.Value == "C") && r.peekAt(1).Value == "(":
		return fail(UnexpectedToken, tokenSpan(t), r.censoredHint(s), "`%s(…)` of BUGS is for censored values", t.Value)
	case strings.HasPrefix(t.Value, "cens") && r.peekAt(1).Value == "(":
		return fail(UnexpectedToken, tokenSpan(t), responses["cens"], "`%s(…)` does not stand behind a distribution", t.Value)
	case t.Value == "T" && (r.peekAt(1).Value == "[" || r.peekAt(1).Value == "("):
		return fail(UnexpectedToken, tokenSpan(t), "write `y ~ normal(mu, s) in (a, b)`, `> a` or `< b`; the bounds of a parameter truncate its prior", "a truncated distribution names its interval without `%s`", t.Value)
	}
	return nil
}

// censoredHint says how what is censored is written, where BUGS has `C(a, b)` or `I(a, b)` behind a distribution.
func (r *reading) censoredHint(s *SampleStmt) string {
	cp := r.lex.MakeCheckpoint()
	defer r.lex.LoadCheckpoint(cp)
	var toks []lexer.Token
	letter := r.next().Value
	for !ends(r.peek()) {
		toks = append(toks, r.next())
	}
	hint := "what is censored has a cumulative function in the place of its density"
	last := shut(toks, 0)
	args := make([][]lexer.Token, len(s.Args))
	for n, a := range s.Args {
		for _, t := range a.Expr.Source() {
			if !isTrivia(t.Type) {
				args[n] = append(args[n], t)
			}
		}
	}
	form, ok := foreignCall(s.Dist.Name, args)
	name, list, _ := strings.Cut(strings.TrimSuffix(form, ")"), "(")
	d := LookupDistribution(name)
	if !ok || last < 2 || d == nil || d.LogCdf == "" {
		return hint + ", such as `density normal_lccdf(limit | mu, sigma)`"
	}
	bounds := append(split(toks[1:last], ","), nil, nil)
	at := func(function string, of []lexer.Token) string {
		return function + "(" + expression(of) + " | " + list + ")"
	}
	if d.Support.Discrete() { // the ends are inside
		if len(bounds[0]) > 0 {
			if k, err := strconv.Atoi(expression(bounds[0])); err == nil {
				bounds[0] = []lexer.Token{{Type: bounds[0][0].Type, Value: strconv.Itoa(k - 1)}}
			} else {
				return hint + ", such as `density poisson_lccdf(limit - 1 | lambda)`"
			}
		}
		letter = "C" // no parameter is a count
	}
	value := ""
	switch lower, upper := bounds[0], bounds[1]; {
	case len(lower) > 0 && len(upper) > 0:
		below, all := at(d.CdfName(), lower), at(d.CdfName(), upper)
		value = all + " + log1m_exp(" + below + " - " + all + ")"
	case len(lower) > 0:
		value = at(d.CcdfName(), lower)
	case len(upper) > 0:
		value = at(d.CdfName(), upper)
	default:
		return hint
	}
	hint += ": write `density " + value + "`"
	if left := s.Left[0]; left != nil {
		if letter == "I" {
			hint += "; of a parameter it truncates the prior: `" + strings.TrimSpace(Text(left)+" ~ "+form+" "+between(expression(bounds[0]), expression(bounds[1]))) + "`"
			return hint
		}
		hint += fmt.Sprintf("; with some values that are seen `if c[i] == 1 then … else %s(%s | %s)` of each i", d.LogDensityName(), Text(left), list)
	}
	return hint
}

// endOfBlock reports what stands behind a block; of brackets, end does.
func (r *reading) endOfBlock(s *BlockStmt) error {
	want, hint := "`metric` or the end of the line", blockForm
	if s.Metric != nil {
		want = "the end of the line"
		if r.isWord("metric") {
			hint = "metrics are added: `metric fisher + 1e-3*identity`"
		}
	}
	switch r.peek().Value {
	case ")", "]", "}":
		return nil
	case ";":
		hint = ""
	}
	r.poisonLine()
	return r.unexpected(want, hint)
}
