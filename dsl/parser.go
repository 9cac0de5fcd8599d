package dsl

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// Limits of what is read. They keep every later pass within seconds.
const (
	maxBytes = 1 << 20 // of a file
	maxDepth = 200     // nesting of expressions
	maxNodes = 50_000  // of the syntax tree
)

// source is the grammar's root. Each statement recovers from its own errors,
// so one run reports those of the whole file.
type source struct {
	Statements []*statement `parser:"@@*"`
}

// statement is parsed by hand: recursive descent for the statements,
// precedence climbing for the expressions, which gives better messages than
// alternatives would and does not backtrack.
type statement struct {
	at    Span
	model *Ident // `model NAME`
	stmt  Stmt   // nil after an error
	diags []Diagnostic
	nodes int
	names []Ident // declared here, known even if the rest does not parse
}

var grammar = participle.MustBuild[source](participle.Lexer(lines{}))

// Parse reads a file. It returns the syntax tree of what it could read and the
// diagnostics of the rest.
func Parse(name, text string) (*File, *Diagnostics) {
	ds := &Diagnostics{File: name, Text: text}
	file := &File{}
	top := Span{Pos{1, 1}, 1}
	if len(text) > maxBytes {
		ds.add(Diagnostic{Code: TooLarge, Span: top,
			Message: fmt.Sprintf("the file has %d bytes; a model may have %d", len(text), maxBytes),
			Hint:    "put numbers into a data file and use an index for what repeats"})
		return file, ds
	}
	if !utf8.ValidString(text) {
		ds.add(Diagnostic{Code: BadCharacter, Span: top, Message: "the file is not UTF-8 text",
			Hint: "save it as UTF-8"})
		return file, ds
	}
	tree, err := grammar.ParseString(name, text)
	if err != nil {
		// Statements keep their own errors; only a failure of the driver
		// itself arrives here.
		d := Diagnostic{Code: UnexpectedToken, Span: top, Message: err.Error()}
		var pe participle.Error
		if errors.As(err, &pe) {
			d.Span.Pos = Pos{pe.Position().Line, pe.Position().Column}
			d.Message = pe.Message()
		}
		ds.add(d)
		return file, ds
	}
	source := strings.Split(text, "\n")
	nodes := 0
	for i, s := range tree.Statements {
		ds.List = append(ds.List, s.diags...)
		nodes += s.nodes
		switch {
		case s.model != nil && i == 0:
			file.Name = *s.model
			file.Doc = docComment(source, s.at.Pos.Line)
		case s.model != nil:
			ds.add(Diagnostic{Code: UnexpectedToken, Span: s.at, Message: "a second `model` line",
				Hint: "a file holds one model, named on its first line"})
		case s.stmt == nil:
			for _, id := range s.names {
				file.poisoned = append(file.poisoned, id.Name)
			}
		default:
			setDoc(s.stmt, source, s.at.Pos.Line)
			file.Stmts = append(file.Stmts, s.stmt)
		}
	}
	if file.Name.Name == "" && (len(tree.Statements) == 0 || tree.Statements[0].model == nil && len(tree.Statements[0].diags) == 0) {
		ds.add(Diagnostic{Code: MissingModel, Span: top, Message: "the file does not start with `model NAME`",
			Hint: "add a first line such as `model banana`"})
	}
	if nodes > maxNodes {
		ds.add(Diagnostic{Code: TooLarge, Span: top,
			Message: fmt.Sprintf("the model's expressions have %d parts; a model may have %d", nodes, maxNodes),
			Hint:    "use an index for what repeats"})
	}
	ds.sort()
	return file, ds
}

// docComment returns the // lines directly above a line, or else the comment
// at its end.
func docComment(source []string, line int) string {
	var doc []string
	for i := line - 2; i >= 0 && i < len(source); i-- {
		s := strings.TrimSpace(source[i])
		if !strings.HasPrefix(s, "//") {
			break
		}
		doc = append([]string{strings.TrimSpace(strings.TrimLeft(s, "/"))}, doc...)
	}
	if len(doc) == 0 && line-1 < len(source) {
		if _, after, ok := strings.Cut(source[line-1], "//"); ok {
			doc = append(doc, strings.TrimSpace(after))
		}
	}
	return strings.Join(doc, "\n")
}

func setDoc(s Stmt, source []string, line int) {
	switch s := s.(type) {
	case *DataStmt:
		s.Doc = docComment(source, line)
	case *ConstStmt:
		s.Doc = docComment(source, line)
	case *ParamStmt:
		s.Doc = docComment(source, line)
	case *LetStmt:
		s.Doc = docComment(source, line)
	}
}

// syntaxError is how the functions of one statement's parse return a
// diagnostic.
type syntaxError struct{ d Diagnostic }

func (e *syntaxError) Error() string { return e.d.Message }

// Parse implements participle.Parseable.
func (s *statement) Parse(lex *lexer.PeekingLexer) error {
	for lex.Peek().Type == tokEOL {
		lex.Next()
	}
	if lex.Peek().EOF() {
		return participle.NextMatch
	}
	p := &parser{lex: lex, s: s}
	s.at = tokenSpan(*lex.Peek())
	err := p.statement()
	if err == nil {
		err = p.end()
	}
	if err != nil {
		var se *syntaxError
		if !errors.As(err, &se) {
			return err
		}
		s.diags = append(s.diags, se.d)
		s.stmt = nil
		for t := lex.Peek(); !t.EOF() && t.Type != tokEOL; t = lex.Peek() {
			lex.Next()
		}
	}
	return nil
}

type parser struct {
	lex   *lexer.PeekingLexer
	s     *statement
	depth int
	open  []lexer.Token // brackets
}

func (p *parser) peek() lexer.Token { return *p.lex.Peek() }
func (p *parser) next() lexer.Token { return *p.lex.Next() }

func (p *parser) isOp(v string) bool {
	t := p.peek()
	return t.Type == tokOp && t.Value == v
}

func (p *parser) isWord(v string) bool {
	t := p.peek()
	return t.Type == tokIdent && t.Value == v
}

func fail(code Code, span Span, hint, format string, args ...any) error {
	return &syntaxError{Diagnostic{Code: code, Span: span, Hint: hint, Message: fmt.Sprintf(format, args...)}}
}

// found describes a token in messages.
func found(t lexer.Token) string {
	switch {
	case t.EOF(), t.Type == tokEOL:
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
		r, _ := utf8.DecodeRuneInString(t.Value)
		hint := "remove it"
		switch r {
		case '#', '%', '"':
			hint = "comments start with //"
		case '−', '–':
			hint = "write the minus sign as -"
		case '×', '·':
			hint = "write multiplication as *"
		case '&', '|', '!':
			hint = "there are no logical operators"
		}
		return fail(BadCharacter, tokenSpan(t), hint, "the character %q is not part of the language", r)
	}
	if (t.Type == tokEOL || t.EOF()) && len(p.open) > 0 {
		o := p.open[len(p.open)-1]
		return fail(UnclosedBracket, tokenSpan(o), "", "this `%s` is not closed", o.Value)
	}
	return fail(UnexpectedToken, tokenSpan(t), hint, "expected %s, found %s", want, found(t))
}

// enter counts one level of nesting; every recursive cycle of the parser goes
// through it.
func (p *parser) enter() error {
	p.depth++
	if p.depth > maxDepth {
		return fail(TooDeep, tokenSpan(p.peek()), "name parts of it with `let`", "the expression nests deeper than %d levels", maxDepth)
	}
	return nil
}

func (p *parser) expect(op, hint string) (lexer.Token, error) {
	if !p.isOp(op) {
		return lexer.Token{}, p.unexpected(fmt.Sprintf("`%s`", op), hint)
	}
	t := p.next()
	switch op {
	case "(", "[", "{":
		p.open = append(p.open, t)
	case ")", "]", "}":
		if n := len(p.open); n > 0 {
			p.open = p.open[:n-1]
		}
	}
	return t, nil
}

func (p *parser) end() error {
	t := p.peek()
	if t.EOF() {
		return nil
	}
	if t.Type != tokEOL {
		hint := ""
		switch {
		case t.Type == tokIdent || t.Type == tokNumber:
			hint = "a product is written with *"
		case t.Value == "=":
			hint = "a value is named by `let NAME = …`"
		case t.Value == "==" || t.Value == "<" || t.Value == ">" || t.Value == "<=" || t.Value == ">=" || t.Value == "?":
			return fail(NotYet, tokenSpan(t), "", "comparisons and conditional expressions are not in this version of the language")
		}
		return p.unexpected("the end of the statement", hint)
	}
	p.next()
	return nil
}

func (p *parser) ident(what string) (Ident, error) {
	t := p.peek()
	if t.Type != tokIdent {
		return Ident{}, p.unexpected(what, "")
	}
	if isKeyword(t.Value) {
		return Ident{}, fail(Reserved, tokenSpan(t), "choose another name", "`%s` is a keyword of the language and cannot be a name", t.Value)
	}
	p.next()
	return Ident{t.Value, tokenSpan(t)}, nil
}

func (p *parser) idents(what string) ([]Ident, error) {
	var out []Ident
	for {
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

// notYet are statements of the language that later versions bring.
var notYet = map[string]string{
	"block":    "Gibbs blocks",
	"ode":      "differential equations",
	"func":     "function definitions",
	"generate": "generated quantities",
}

func (p *parser) statement() error {
	t := p.peek()
	if t.Type == tokIdent {
		if what, ok := notYet[t.Value]; ok {
			p.skipBraces()
			return fail(NotYet, tokenSpan(t), "", "%s (`%s`) are not in this version of the language", what, t.Value)
		}
		switch t.Value {
		case "model":
			p.next()
			id, err := p.ident("the model's name")
			if err != nil {
				return err
			}
			p.s.model = &id
			return nil
		case "data":
			p.next()
			return p.data()
		case "const":
			p.next()
			return p.constant()
		case "param":
			p.next()
			return p.param()
		case "let":
			p.next()
			return p.let()
		case "density":
			p.next()
			e, err := p.expr()
			if err != nil {
				return err
			}
			p.s.stmt = &DensityStmt{At: tokenSpan(t), Value: e}
			return nil
		case "metric":
			p.next()
			return p.metric(tokenSpan(t))
		}
	}
	return p.sample()
}

// skipBraces passes over a `{ … }` body, so that its lines are not read as
// statements.
func (p *parser) skipBraces() {
	for t := p.peek(); !t.EOF() && t.Type != tokEOL && t.Value != "{"; t = p.peek() {
		p.next()
	}
	if !p.isOp("{") {
		return
	}
	depth := 0
	for t := p.peek(); !t.EOF(); t = p.peek() {
		p.next()
		if t.Value == "{" {
			depth++
		}
		if t.Value == "}" {
			if depth--; depth == 0 {
				return
			}
		}
	}
}

func (p *parser) typeExpr() (TypeExpr, error) {
	t := p.peek()
	if t.Type != tokIdent {
		return TypeExpr{}, p.unexpected("a type (int, real or cov)", "a declaration reads `data x, y real[n]`")
	}
	switch t.Value {
	case "int", "real", "cov":
		p.next()
	default:
		hint := "the types are int, real and cov; a declaration reads `data x, y real[n]`"
		if s := suggest(t.Value, []string{"int", "real", "cov"}); s != "" {
			hint = fmt.Sprintf("did you mean `%s`?", s)
		}
		switch t.Value {
		case "vector", "matrix":
			hint = "a vector is real[n], a matrix real[n, k]"
		case "float", "double", "float64":
			hint = "did you mean `real`?"
		case "simplex", "ordered", "corr_cholesky", "cov_matrix":
			return TypeExpr{}, fail(NotYet, tokenSpan(t), "", "the type `%s` is not in this version of the language", t.Value)
		}
		return TypeExpr{}, fail(UnknownType, tokenSpan(t), hint, "there is no type `%s`", t.Value)
	}
	te := TypeExpr{Base: t.Value, At: tokenSpan(t)}
	if p.isOp("[") {
		if _, err := p.expect("[", ""); err != nil {
			return te, err
		}
		for {
			e, err := p.expr()
			if err != nil {
				return te, err
			}
			te.Sizes = append(te.Sizes, e)
			if !p.isOp(",") {
				break
			}
			p.next()
		}
		if _, err := p.expect("]", ""); err != nil {
			return te, err
		}
	}
	var err error
	te.Bound, err = p.bound()
	return te, err
}

func (p *parser) bound() (BoundExpr, error) {
	t := p.peek()
	b := BoundExpr{At: tokenSpan(t)}
	var err error
	switch {
	case p.isOp(">"), p.isOp(">="), p.isOp("<"), p.isOp("<="):
		b.Op = p.next().Value
		e, err := p.expr()
		if err != nil {
			return b, err
		}
		if b.Op[0] == '>' {
			b.Lo = e
		} else {
			b.Hi = e
		}
		return b, nil
	case p.isWord("in"):
		p.next()
		if p.isOp("{") {
			b.Op = "set"
			if _, err = p.expect("{", ""); err != nil {
				return b, err
			}
			for {
				e, err := p.expr()
				if err != nil {
					return b, err
				}
				b.Set = append(b.Set, e)
				if !p.isOp(",") {
					break
				}
				p.next()
			}
			_, err = p.expect("}", "")
			return b, err
		}
		b.Op = "in"
		if _, err = p.expect("(", "an interval reads `in (a, b)`, a set `in {0, 1}`"); err != nil {
			return b, err
		}
		if b.Lo, err = p.expr(); err != nil {
			return b, err
		}
		if _, err = p.expect(",", "an interval reads `in (a, b)`"); err != nil {
			return b, err
		}
		if b.Hi, err = p.expr(); err != nil {
			return b, err
		}
		_, err = p.expect(")", "")
		return b, err
	}
	return b, nil
}

func (p *parser) data() error {
	names, err := p.idents("a name")
	if err != nil {
		return err
	}
	p.s.names = names
	te, err := p.typeExpr()
	if err != nil {
		return err
	}
	d := &DataStmt{Names: names, Type: te}
	if p.isOp("=") {
		p.next()
		if d.Default, err = p.expr(); err != nil {
			return err
		}
	}
	p.s.stmt = d
	return nil
}

func (p *parser) constant() error {
	name, err := p.ident("a name")
	if err != nil {
		return err
	}
	p.s.names = []Ident{name}
	if _, err = p.expect("=", "a constant reads `const k = 10`"); err != nil {
		return err
	}
	v, err := p.expr()
	if err != nil {
		return err
	}
	p.s.stmt = &ConstStmt{Name: name, Value: v}
	return nil
}

func (p *parser) param() error {
	names, err := p.idents("a name")
	if err != nil {
		return err
	}
	p.s.names = names
	te, err := p.typeExpr()
	if err != nil {
		return err
	}
	if p.isOp("=") {
		return fail(UnexpectedToken, tokenSpan(p.peek()), "start values are given with --init", "a parameter has no default")
	}
	p.s.stmt = &ParamStmt{Names: names, Type: te}
	return nil
}

func (p *parser) let() error {
	name, err := p.ident("a name")
	if err != nil {
		return err
	}
	p.s.names = []Ident{name}
	l := &LetStmt{Name: name}
	if p.isOp("[") {
		if l.Indices, err = p.indexDecls("[", "]"); err != nil {
			return err
		}
	}
	if _, err = p.expect("=", "a definition reads `let a = …` or `let a[i in n] = …`"); err != nil {
		return err
	}
	if l.Value, err = p.expr(); err != nil {
		return err
	}
	p.s.stmt = l
	return nil
}

// indexDecls reads `(i in n, j in 2..k)`.
func (p *parser) indexDecls(open, shut string) ([]IndexDecl, error) {
	if _, err := p.expect(open, ""); err != nil {
		return nil, err
	}
	var out []IndexDecl
	for {
		d, err := p.indexDecl()
		if err != nil {
			return nil, err
		}
		out = append(out, d)
		if !p.isOp(",") {
			break
		}
		p.next()
	}
	_, err := p.expect(shut, "")
	return out, err
}

func (p *parser) indexDecl() (IndexDecl, error) {
	id, err := p.ident("an index name")
	if err != nil {
		return IndexDecl{}, err
	}
	if !p.isWord("in") {
		return IndexDecl{}, p.unexpected("`in`", "an index reads `i in n` or `i in 2..n`")
	}
	p.next()
	d := IndexDecl{Name: id.Name, At: id.At}
	if d.Hi, err = p.expr(); err != nil {
		return d, err
	}
	if p.isOp("..") {
		p.next()
		d.Lo = d.Hi
		d.Hi, err = p.expr()
	}
	return d, err
}

func (p *parser) metric(at Span) error {
	m := &MetricStmt{At: at}
	// `metric[i in k, j in k] = …`, `metric[x[i], v] = …` and the matrix
	// `metric [a, b ; c, d]` all start with a bracket. The first two are
	// told apart from the third by what follows the matching bracket.
	if p.isOp("[") && p.assignedAfterBracket() {
		if p.peekAt(2).Value == "in" && p.peekAt(2).Type == tokIdent {
			var err error
			if m.Indices, err = p.indexDecls("[", "]"); err != nil {
				return err
			}
		} else {
			if _, err := p.expect("[", ""); err != nil {
				return err
			}
			for {
				e, err := p.expr()
				if err != nil {
					return err
				}
				m.Blocks = append(m.Blocks, e)
				if !p.isOp(",") {
					break
				}
				p.next()
			}
			if _, err := p.expect("]", ""); err != nil {
				return err
			}
		}
		if _, err := p.expect("=", ""); err != nil {
			return err
		}
	}
	var err error
	if m.Value, err = p.expr(); err != nil {
		return err
	}
	p.s.stmt = m
	return nil
}

// peekAt returns the n-th token ahead (0 is the next) without moving.
func (p *parser) peekAt(n int) lexer.Token {
	cp := p.lex.MakeCheckpoint()
	defer p.lex.LoadCheckpoint(cp)
	for ; n > 0 && !p.lex.Peek().EOF(); n-- {
		p.lex.Next()
	}
	return *p.lex.Peek()
}

// assignedAfterBracket reports whether `=` follows the bracket that opens here.
func (p *parser) assignedAfterBracket() bool {
	cp := p.lex.MakeCheckpoint()
	defer p.lex.LoadCheckpoint(cp)
	depth := 0
	for {
		t := *p.lex.Peek()
		if t.EOF() || t.Type == tokEOL {
			return false
		}
		p.lex.Next()
		if t.Type != tokOp {
			continue
		}
		switch t.Value {
		case "(", "[":
			depth++
		case ")", "]":
			if depth--; depth == 0 {
				return p.isOp("=")
			}
		}
	}
}

func (p *parser) sample() error {
	first := p.peek()
	if first.Type == tokBad {
		return p.unexpected("a statement", "")
	}
	// A line that is no statement at all is most often a misspelt keyword.
	if first.Type == tokIdent {
		if n := p.peekAt(1); n.Type == tokIdent || n.Type == tokEOL || n.EOF() || n.Value == "=" {
			hint := "a line starts with data, const, param, let, density or metric, or reads `y ~ normal(mu, sigma)`"
			if n.Value == "=" {
				hint = fmt.Sprintf("did you mean `let %s = …`?", first.Value)
			} else if s := suggest(first.Value, keywords); s != "" {
				hint = fmt.Sprintf("did you mean `%s`?", s)
			}
			return fail(UnknownStatement, tokenSpan(first), hint, "`%s` does not start a statement", first.Value)
		}
	}
	st := &SampleStmt{}
	for {
		e, err := p.expr()
		if err != nil {
			return err
		}
		st.Left = append(st.Left, e)
		if !p.isOp(",") {
			break
		}
		p.next()
	}
	if !p.isOp("~") {
		return p.unexpected("`~`", "a line starts with a keyword, or reads `y ~ normal(mu, sigma)`")
	}
	st.At = tokenSpan(p.next())
	t := p.peek()
	if t.Type != tokIdent || isKeyword(t.Value) {
		return p.unexpected("a distribution", "such as `y ~ normal(mu, sigma)`")
	}
	p.next()
	st.Dist, st.Name = t.Value, tokenSpan(t)
	var err error
	if st.Args, err = p.args(); err != nil {
		return err
	}
	if p.isWord("for") {
		p.next()
		d, err := p.indexDecl()
		if err != nil {
			return err
		}
		st.For = &d
	}
	p.s.stmt = st
	return nil
}

func (p *parser) args() ([]Arg, error) {
	if _, err := p.expect("(", ""); err != nil {
		return nil, err
	}
	var out []Arg
	if !p.isOp(")") {
		for {
			var a Arg
			if t := p.peek(); t.Type == tokIdent && p.peekAt(1).Value == "=" {
				a.Name, a.At = t.Value, tokenSpan(t)
				p.next()
				p.next()
			}
			var err error
			if a.Expr, err = p.expr(); err != nil {
				return nil, err
			}
			out = append(out, a)
			if !p.isOp(",") {
				break
			}
			p.next()
		}
	}
	_, err := p.expect(")", "")
	return out, err
}

// Binding powers of the binary operators; a unary minus binds like a product
// and less than a power, so −x^2 is −(x^2).
const (
	bindSum     = 1
	bindProduct = 2
	bindPower   = 4
)

func binding(op string) int {
	switch op {
	case "+", "-":
		return bindSum
	case "*", "/", ".*", "./":
		return bindProduct
	case "^", ".^":
		return bindPower
	}
	return 0
}

func (p *parser) expr() (Expr, error) { return p.binary(bindSum) }

// binary parses operators of at least the given binding power.
func (p *parser) binary(least int) (Expr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	x, err := p.unary()
	if err != nil {
		return nil, err
	}
	for {
		t := p.peek()
		if t.Type != tokOp {
			return x, nil
		}
		power := binding(t.Value)
		if power == 0 || power < least {
			return x, nil
		}
		p.next()
		above := power + 1
		if power == bindPower {
			above = power // right-associative
		}
		y, err := p.binary(above)
		if err != nil {
			return nil, err
		}
		p.s.nodes++
		x = &BinaryExpr{node: node{span: x.Span()}, Op: t.Value, At: tokenSpan(t), X: x, Y: y}
	}
}

func (p *parser) unary() (Expr, error) {
	t := p.peek()
	if t.Type == tokOp && (t.Value == "-" || t.Value == "+") {
		if err := p.enter(); err != nil {
			return nil, err
		}
		defer func() { p.depth-- }()
		p.next()
		x, err := p.binary(bindProduct + 1)
		if err != nil {
			return nil, err
		}
		p.s.nodes++
		if t.Value == "+" {
			return x, nil
		}
		return &UnaryExpr{node: node{span: tokenSpan(t)}, Op: "-", X: x}, nil
	}
	return p.postfix()
}

func (p *parser) postfix() (Expr, error) {
	x, err := p.primary()
	if err != nil {
		return nil, err
	}
	for {
		switch {
		case p.isOp("["):
			if _, err := p.expect("[", ""); err != nil {
				return nil, err
			}
			ix := &IndexExpr{node: node{span: x.Span()}, Base: x}
			for {
				e, err := p.expr()
				if err != nil {
					return nil, err
				}
				if p.isOp("..") {
					return nil, fail(NotYet, tokenSpan(p.peek()), "use an index: `x[t] … for t in 2..T`", "slices are not in this version of the language")
				}
				ix.Args = append(ix.Args, e)
				if !p.isOp(",") {
					break
				}
				p.next()
			}
			if _, err := p.expect("]", ""); err != nil {
				return nil, err
			}
			p.s.nodes++
			x = ix
		case p.isOp("'"):
			p.next()
			p.s.nodes++
			x = &UnaryExpr{node: node{span: x.Span()}, Op: "'", X: x}
			p.depth++ // a chain of postfix operators nests too
			if p.depth > maxDepth {
				return nil, fail(TooDeep, x.Span(), "", "the expression nests deeper than %d levels", maxDepth)
			}
		default:
			return x, nil
		}
	}
}

func (p *parser) primary() (Expr, error) {
	t := p.peek()
	p.s.nodes++
	switch {
	case t.Type == tokNumber:
		p.next()
		v, err := strconv.ParseFloat(t.Value, 64)
		if err != nil {
			return nil, fail(BadNumber, tokenSpan(t), "", "the number %s does not fit a double", t.Value)
		}
		return &Number{node: node{span: tokenSpan(t)}, Value: v, Text: t.Value}, nil
	case t.Type == tokIdent && t.Value == "sum" && p.peekAt(1).Value == "(" && p.peekAt(3).Value == "in":
		p.next()
		s := &SumExpr{node: node{span: tokenSpan(t)}}
		var err error
		if s.Indices, err = p.indexDecls("(", ")"); err != nil {
			return nil, err
		}
		// The body is the product that follows.
		if s.Body, err = p.binary(bindProduct); err != nil {
			return nil, err
		}
		return s, nil
	case t.Type == tokIdent && isKeyword(t.Value):
		return nil, p.unexpected("an expression", "")
	case t.Type == tokIdent:
		p.next()
		if p.isOp("(") {
			args, err := p.args()
			if err != nil {
				return nil, err
			}
			return &CallExpr{node: node{span: tokenSpan(t)}, Func: t.Value, At: tokenSpan(t), Args: args}, nil
		}
		return &Name{node: node{span: tokenSpan(t)}, Name: t.Value}, nil
	case p.isOp("("):
		if _, err := p.expect("(", ""); err != nil {
			return nil, err
		}
		e, err := p.expr()
		if err != nil {
			return nil, err
		}
		_, err = p.expect(")", "")
		return e, err
	case p.isOp("["):
		return p.matrix()
	}
	return nil, p.unexpected("an expression", "")
}

func (p *parser) matrix() (Expr, error) {
	open, err := p.expect("[", "")
	if err != nil {
		return nil, err
	}
	m := &MatrixExpr{node: node{span: tokenSpan(open)}}
	row := []Expr{}
	for {
		e, err := p.expr()
		if err != nil {
			return nil, err
		}
		row = append(row, e)
		switch {
		case p.isOp(","):
			p.next()
			continue
		case p.isOp(";"):
			p.next()
			m.Rows = append(m.Rows, row)
			row = nil
			continue
		}
		break
	}
	m.Rows = append(m.Rows, row)
	if _, err := p.expect("]", "rows of a matrix end at `;`"); err != nil {
		return nil, err
	}
	for _, r := range m.Rows[1:] {
		if len(r) != len(m.Rows[0]) {
			return nil, fail(RaggedMatrix, r[0].Span(), "", "this row has %d entries, the first has %d", len(r), len(m.Rows[0]))
		}
	}
	return m, nil
}
