package dsl

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// Limits of what is read. They keep every later pass within seconds.
const (
	maxBytes = 1 << 20 // of a file
	maxDepth = 200     // nesting of expressions
	maxNodes = 50_000  // of the syntax tree
	maxBody  = 1_000   // tokens in the braces of a statement that is skipped
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
	param bool    // the statement declares parameters, or may want to
	block bool    // it is a `block`, or may want to be
	ode   bool    // it is an `ode` whose name is not known
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
	for _, at := range blockComments(text) {
		ds.add(Diagnostic{Code: BadCharacter, Span: at, Message: "comments in `/* */` are not part of the language",
			Hint: "a comment starts with // and ends with its line"})
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
		for _, d := range s.diags {
			ds.add(d)
		}
		nodes += s.nodes
		if len(s.diags) > 0 {
			for _, id := range s.names {
				file.poisoned = append(file.poisoned, id.Name)
			}
			file.lostParams = file.lostParams || s.param
			file.lostBlocks = file.lostBlocks || s.block
			file.lostOdes = file.lostOdes || s.ode
		}
		switch {
		case s.model != nil && file.Name.Name != "":
			ds.add(Diagnostic{Code: UnexpectedToken, Span: s.at, Message: "a second `model` line",
				Hint:  "a file holds one model, named on its first line",
				Notes: []Note{{file.Name.At, "the model has its name here"}}})
		case s.model != nil:
			file.Name = *s.model
			file.Doc = docComment(source, s.at.Pos.Line)
			if i > 0 && len(tree.Statements[0].diags) == 0 {
				ds.add(Diagnostic{Code: MissingModel, Span: s.at, Message: "the `model` line is not the first statement",
					Hint: "move it to the top"})
			}
		case s.stmt != nil:
			setDoc(s.stmt, source, s.at.Pos.Line)
			file.Stmts = append(file.Stmts, s.stmt)
		}
	}
	if file.Name.Name == "" && (len(tree.Statements) == 0 || len(tree.Statements[0].diags) == 0) {
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
		doc = append(doc, strings.TrimSpace(strings.TrimLeft(s, "/")))
	}
	slices.Reverse(doc)
	if len(doc) == 0 && line-1 < len(source) {
		if _, after, ok := strings.Cut(source[line-1], "//"); ok {
			doc = append(doc, strings.TrimSpace(after))
		}
	}
	return strings.Map(printable, strings.Join(doc, "\n"))
}

// printable drops what a comment of the generated code cannot hold.
func printable(r rune) rune {
	if r != '\n' && r != '\t' && (r < 0x20 || r == 0x7f || r == 0xfeff) {
		return -1
	}
	return r
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
	case *BlockStmt:
		s.Doc = docComment(source, line)
	case *OdeStmt:
		s.Doc = docComment(source, line)
	case *GenerateStmt:
		for i := range s.Quantities {
			q := &s.Quantities[i]
			q.Doc = docComment(source, q.Name.At.Pos.Line)
		}
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
		p.skipBraces()
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
	prev  lexer.Token   // the last token taken

	module bool // the last component was one of a module of another language, as in np.exp
}

func (p *parser) peek() lexer.Token { return *p.lex.Peek() }
func (p *parser) next() lexer.Token { p.prev = *p.lex.Next(); return p.prev }

// spanFrom extends a span to the last token taken, if that is on its line.
func (p *parser) spanFrom(s Span) Span {
	if end := tokenSpan(p.prev); end.Pos.Line == s.Pos.Line {
		s.Len = max(s.Len, end.Pos.Col+end.Len-s.Pos.Col)
	}
	return s
}

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
		hint := characterHint(r)
		switch {
		case r == '%' && p.afterValue():
			hint = "there is no remainder; prepare such data in the data file"
		case r == '@' && !p.afterValue():
			hint = "a statement starts with its keyword"
		}
		return fail(BadCharacter, tokenSpan(t), hint, "the character %q is not part of the language", r)
	}
	if (t.Type == tokEOL || t.EOF()) && len(p.open) > 0 {
		return p.unclosed()
	}
	// Next to the token before it, t shows what was meant.
	adjoins := p.prev.Pos.Line == t.Pos.Line && p.prev.Pos.Column+utf8.RuneCountInString(p.prev.Value) == t.Pos.Column
	switch t.Value {
	case "|":
		return fail(BadCharacter, tokenSpan(t), "there are no logical operators; `|` stands in calls of log densities, as in `normal_lpdf(y | mu, sigma)`",
			"the character %q is not part of the language here", '|')
	case "==", "!=", "<", "<=", ">", ">=", "?":
		if n := p.peekAt(1); t.Value == "<" && n.Value == "-" && n.Pos.Column == t.Pos.Column+1 {
			hint = "a value is named by `let NAME = …`"
			break
		}
		return fail(NotYet, tokenSpan(t), "for a condition on data, give a datum d that is 0 or 1 and write d*a + (1 - d)*b", "comparisons and conditional expressions are not in this version of the language")
	case ".":
		switch word := p.peekAt(1).Type == tokIdent; {
		case adjoins && p.prev.Type == tokNumber:
			hint = fmt.Sprintf("write %s.0", p.prev.Value)
		case p.prev.Type == tokIdent && word:
			hint = "a name is made of letters, digits and _"
		case word:
			hint = "only solutions of differential equations have components: s.v, and s.v[i] for its elements"
		case p.prev.Type == tokIdent:
			hint = "a component of a solution reads s.v"
		}
	case "*":
		if adjoins && p.prev.Value == "*" {
			hint = "a power is written with ^"
		}
	case "(":
		// A name before it was a component: of others it is a call.
		if adjoins && p.prev.Type == tokIdent {
			if name := p.prev.Value; p.module || LookupFunction(name) != nil {
				hint = fmt.Sprintf("functions have no prefix: write %s(…)", name)
			}
			hint = cmp.Or(hint, "an element of a component reads s.v[i]")
		}
	case "]":
		if n := len(p.open); want != "an expression" || n == 0 || p.open[n-1].Value != "[" {
			break
		}
		hint = cmp.Or(hint, "an array as a whole has no brackets, and an element all its indices, as in x[i, j]")
	case "{":
		if want != "an expression" {
			break
		}
		hint = cmp.Or(hint, "a matrix reads [a, b ; c, d]; a vector is defined by its elements, let v[i in n] = …")
	case "..":
		hint = cmp.Or(hint, "a sum over an index reads sum(i in 1..n) …")
	case ":":
		switch {
		case p.peekAt(1).Value == "=":
			hint = "a value is named by `let NAME = …`"
		case p.prev.Type == tokIdent && startsStatement(p.prev.Value):
			hint = "statements are not grouped: each has a line of its own, as in `data n int`"
		default:
			hint = cmp.Or(hint, "a range reads 1..n")
		}
	case ";":
		hint = cmp.Or(hint, "a statement ends with its line; `;` ends the rows of a matrix")
	case "in":
		hint = "an index is declared by sum(i in n), let a[i in n] = … or … for i in n"
	case "for":
		hint = "`for` ends a `~` statement; a sum reads sum(i in n) …"
	default:
		if t.Type == tokNumber && t.Value[0] == '.' && adjoins && p.prev.Type == tokIdent {
			hint = "a component of a solution reads s.v, an element of it s.v[i]"
		}
		switch {
		case hint != "":
		case adjoins && p.prev.Type == tokNumber && t.Type == tokIdent && t.Value[0] == '_':
			hint = "numbers have no _ between their digits"
		case adjoins && p.prev.Type == tokNumber && (t.Value == "f" || t.Value == "L" || t.Value == "F" || t.Value == "l" || t.Value == "d"):
			hint = "numbers have no suffix"
		case (t.Type == tokIdent && !isKeyword(t.Value) || t.Type == tokNumber) && p.afterValue():
			hint = "a product is written with *"
		}
	}
	if t.Type == tokIdent && startsStatement(t.Value) && (t.Value != "metric" || hint == "") {
		hint = "a statement has lines of its own"
	}
	return fail(UnexpectedToken, tokenSpan(t), hint, "expected %s, found %s", want, found(t))
}

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
	case '&', '!':
		return "there are no logical operators"
	case '@':
		return "the product of matrices is *"
	}
	if unicode.IsLetter(r) {
		return "names are made of a–z, A–Z, 0–9 and _"
	}
	return "remove it"
}

// afterValue reports whether the last token taken ends a value.
func (p *parser) afterValue() bool {
	switch t := p.prev; t.Type {
	case tokNumber:
		return true
	case tokIdent:
		return !isKeyword(t.Value)
	case tokOp:
		return t.Value == ")" || t.Value == "]" || t.Value == "'"
	}
	return false
}

// unclosed reports the innermost open bracket.
func (p *parser) unclosed() error {
	o := p.open[len(p.open)-1]
	shut := map[string]string{"(": ")", "[": "]", "{": "}"}[o.Value]
	return fail(UnclosedBracket, tokenSpan(o), fmt.Sprintf("add the missing `%s`", shut), "this `%s` is not closed", o.Value)
}

// lacksBracket reports whether the rest of the statement closes fewer brackets
// than are open.
func (p *parser) lacksBracket() bool {
	cp := p.lex.MakeCheckpoint()
	defer p.lex.LoadCheckpoint(cp)
	depth := len(p.open)
	for t := p.lex.Peek(); depth > 0 && !t.EOF() && t.Type != tokEOL; t = p.lex.Peek() {
		switch t.Value {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		p.lex.Next()
	}
	return depth > 0
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
		shuts := op == ")" || op == "]" || op == "}"
		if t := p.peek(); shuts && (t.Type != tokBad && p.lacksBracket() || t.Value == "}") {
			return lexer.Token{}, p.unclosed()
		}
		err := p.unexpected(fmt.Sprintf("`%s`", op), hint)
		if se := (*syntaxError)(nil); shuts && errors.As(err, &se) && se.d.Code == UnexpectedToken {
			o := p.open[len(p.open)-1]
			se.d.Notes = []Note{{tokenSpan(o), fmt.Sprintf("this `%s` is open", o.Value)}}
		}
		return lexer.Token{}, err
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
		p.poisonLine()
		switch p.s.stmt.(type) {
		case *DataStmt, *ParamStmt:
			if t.Value != ";" {
				hint = "a bound reads `real > 0`, `real < 1` or `real in (0, 1)`"
			}
		}
		switch t.Value {
		case "=":
			hint = "a value is named by `let NAME = …`"
		case ")", "]", "}":
			return fail(UnexpectedToken, tokenSpan(t), "remove it", "this `%s` closes nothing", t.Value)
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
		hint := "choose another name"
		if isType(t.Value) && what == "a name" {
			hint = "the type follows the name, as in `data n int`"
			p.poisonLine()
		}
		return Ident{}, fail(Reserved, tokenSpan(t), hint, "`%s` is a keyword of the language and cannot be a name", t.Value)
	}
	if strings.HasSuffix(t.Value, "__") {
		return Ident{}, fail(Reserved, tokenSpan(t), "choose another name", "`%s`: names that end in `__` are those of the sampler's columns", t.Value)
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
		p.s.names = append(p.s.names, id)
		if !p.isOp(",") {
			return out, nil
		}
		p.next()
	}
}

// isType reports whether a word is a type.
func isType(s string) bool { return s == "int" || s == "real" || s == "cov" }

// poisonLine takes every name up to the end of the statement for declared,
// without moving: the statement is no good, and says nothing about them.
func (p *parser) poisonLine() {
	cp := p.lex.MakeCheckpoint()
	defer p.lex.LoadCheckpoint(cp)
	for t := p.peek(); !t.EOF() && t.Type != tokEOL; t = p.peek() {
		if t.Type == tokIdent && !isKeyword(t.Value) {
			p.s.names = append(p.s.names, Ident{t.Value, tokenSpan(t)})
		}
		p.lex.Next()
	}
}

// notYet are statements of the language that later versions bring.
var notYet = map[string]string{
	"func": "function definitions",
}

func (p *parser) statement() error {
	t := p.peek()
	if t.Type == tokIdent {
		if what, ok := notYet[t.Value]; ok {
			if n := p.peekAt(1); n.Type == tokIdent {
				p.s.names = append(p.s.names, Ident{n.Value, tokenSpan(n)})
			}
			p.skipBraces()
			return fail(NotYet, tokenSpan(t), "", "%s (`%s`) are not in this version of the language", what, t.Value)
		}
		if n := p.peekAt(1); t.Value != "ode" && t.Value != "generate" && n.Value == "{" || n.Type == tokIdent && n.Value != "in" && p.peekAt(2).Value == "{" && !isKeyword(t.Value) {
			p.s.param = true
			p.skipBraces()
			hint := "a statement has a line of its own and no braces: `data n int`, `param x real`, `y ~ normal(x, 1)`"
			if t.Value == "generated" {
				hint = generateForm
			}
			return fail(UnexpectedToken, tokenSpan(t), hint, "statements are not grouped in blocks")
		}
		switch t.Value {
		case "model":
			p.next()
			id, err := p.ident("the model's name")
			if err != nil {
				return err
			}
			p.s.model = &id
			if n := p.peek(); n.Type != tokEOL && n.Type != tokBad {
				return p.unexpected("the end of the line", "a name is made of letters, digits and _")
			}
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
			if p.isOp("=") {
				return p.unexpected("an expression", "write `density …` without =")
			}
			e, err := p.expr()
			if err != nil {
				return err
			}
			p.s.stmt = &DensityStmt{At: tokenSpan(t), Value: e}
			return nil
		case "metric":
			p.next()
			m, err := p.metric(tokenSpan(t))
			if err == nil {
				p.s.stmt = m
			}
			return err
		case "block":
			p.next()
			return p.block(tokenSpan(t))
		case "ode":
			p.next()
			return p.ode()
		case "generate":
			p.next()
			return p.generate(tokenSpan(t))
		}
	}
	return p.sample()
}

// skipBraces passes over a `{ … }` body, so that its lines are not read as
// statements; names in it count as declared. A body that is not closed ends
// with its first line.
func (p *parser) skipBraces() {
	for t := p.peek(); !t.EOF() && t.Type != tokEOL && t.Value != "{"; t = p.peek() {
		p.next()
	}
	if !p.isOp("{") {
		return
	}
	start := p.lex.MakeCheckpoint()
	depth, size := 0, 0
	for size < maxBody && (size == 0 || depth > 0) {
		t := p.lex.Next()
		if t.EOF() {
			break
		}
		size++
		switch t.Value {
		case "{":
			depth++
		case "}":
			depth--
		}
	}
	p.lex.LoadCheckpoint(start)
	if depth > 0 {
		return
	}
	for ; size > 0; size-- {
		if t := p.next(); t.Type == tokIdent && !isKeyword(t.Value) {
			p.s.names = append(p.s.names, Ident{t.Value, tokenSpan(t)})
		}
	}
}

func (p *parser) typeExpr() (TypeExpr, error) {
	t := p.peek()
	if t.Type == tokOp && binding(t.Value) == 0 && t.Value != "." {
		return TypeExpr{}, fail(UnexpectedToken, tokenSpan(t), "a declaration reads `data x, y real[n]` or `param s real > 0`", "expected a type (int, real or cov), found %s", found(t))
	}
	if t.Type != tokIdent {
		return TypeExpr{}, p.unexpected("a type (int, real or cov)", "a declaration reads `data x, y real[n]` or `param s real > 0`")
	}
	switch t.Value {
	case "int", "real", "cov":
		p.next()
	default:
		if n := p.peekAt(1); isType(n.Value) || n.Value == "," {
			p.poisonLine()
			return TypeExpr{}, fail(UnexpectedToken, tokenSpan(t), "names are separated by commas: `data x, y real[n]`", "expected `,` or a type, found %s", found(t))
		}
		hint := "the types are int, real and cov; a declaration reads `data x, y real[n]`"
		if s := suggest(t.Value, []string{"int", "real", "cov"}); s != "" {
			hint = fmt.Sprintf("did you mean `%s`?", s)
		}
		if f := LookupForeign(ForeignType, t.Value); f != nil {
			hint = f.Hint()
		}
		switch t.Value {
		case "simplex", "ordered", "positive_ordered", "unit_vector", "corr_matrix", "cholesky_factor_corr", "cholesky_factor_cov", "corr_cholesky":
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
		if p.isOp("[") {
			return te, p.unexpected("a bound or the end of the statement", "a matrix is real[n, k]")
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
		if n := p.peekAt(1); n.Type == tokIdent && p.peekAt(2).Value == "=" {
			return b, fail(UnexpectedToken, tokenSpan(n), "a bound reads `real > 0`, `real < 1` or `real in (0, 1)`", "a bound has no name")
		}
		b.Op = p.next().Value
		e, err := p.expr()
		if err != nil {
			return b, err
		}
		switch n := p.peek(); n.Value {
		case ">", ">=", "<", "<=":
			return b, fail(UnexpectedToken, tokenSpan(n), "two bounds are written `in (a, b)`", "expected the end of the bound, found %s", found(n))
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
		if t := p.peek(); t.Type == tokIdent || t.Type == tokNumber || p.isOp("-") {
			b.Op = "range"
			if b.Lo, err = p.expr(); err != nil {
				return b, err
			}
			if _, err = p.expect("..", "the whole numbers from 1 to n are `in 1..n`, an interval is `in (a, b)`, a set `in {0, 1}`"); err != nil {
				return b, err
			}
			b.Hi, err = p.expr()
			return b, err
		}
		b.Op = "in"
		if _, err = p.expect("(", "an interval reads `in (a, b)`, a set `in {0, 1}`, whole numbers from 1 to n `in 1..n`"); err != nil {
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
	p.s.param = true
	names, err := p.idents("a name")
	if err != nil {
		return err
	}
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

func (p *parser) metric(at Span) (*MetricStmt, error) {
	m := &MetricStmt{At: at}
	// `metric[i in k, j in k] = …`, `metric[x[i], v] = …` and the matrix
	// `metric [a, b ; c, d]` all start with a bracket. The first two are
	// told apart from the third by `in` and by what follows the matching
	// bracket.
	if p.isOp("=") || p.peek().Type == tokEOL {
		return nil, p.unexpected("a metric", "such as `metric fisher` or `metric softabs(alpha = 1e6)`")
	}
	if indexed := p.peekAt(2).Value == "in"; p.isOp("[") && (indexed || p.assignedAfterBracket()) {
		if indexed {
			var err error
			if m.Indices, err = p.indexDecls("[", "]"); err != nil {
				return nil, err
			}
		} else {
			if _, err := p.expect("[", ""); err != nil {
				return nil, err
			}
			for {
				e, err := p.expr()
				if err != nil {
					return nil, err
				}
				m.Blocks = append(m.Blocks, e)
				if !p.isOp(",") {
					break
				}
				p.next()
			}
			if _, err := p.expect("]", ""); err != nil {
				return nil, err
			}
		}
		if _, err := p.expect("=", ""); err != nil {
			return nil, err
		}
	}
	var err error
	if m.Value, err = p.expr(); err != nil {
		return nil, err
	}
	return m, nil
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
	if err := p.unknownStatement(); err != nil {
		return err
	}
	first := p.peek()
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
		p.poisonLine()
		hint := "a line starts with a keyword, or reads `y ~ normal(mu, sigma)`"
		if p.isOp("=") && p.prev.Value == "'" {
			hint = "an equation `v' = …` stands in the braces of an `ode`"
		} else if p.isOp("=") {
			hint = "a value is named by `let NAME = …`"
		} else if first.Value == "-" || first.Value == "+" {
			hint = continuesHint
		}
		return p.unexpected("`~`", hint)
	}
	st.At = tokenSpan(p.next())
	t := p.peek()
	if t.Type != tokIdent || isKeyword(t.Value) {
		return p.unexpected("a distribution", "such as `y ~ normal(mu, sigma)`")
	}
	p.next()
	st.Dist, st.Name = t.Value, tokenSpan(t)
	var err error
	if st.Args, err = p.args("", nil); err != nil {
		return err
	}
	if p.isWord("for") {
		p.next()
		d, err := p.indexDecl()
		if err != nil {
			return err
		}
		st.For = &d
		if p.isOp(",") {
			return fail(NotYet, tokenSpan(p.peek()), "", "several indices in a `for` clause are not in this version of the language")
		}
	}
	if p.isWord("T") && p.peekAt(1).Value == "[" {
		return fail(NotYet, tokenSpan(p.peek()), "the bounds of a parameter truncate its prior: declare `param s real > 0` or `real in (a, b)`", "truncated distributions are not in this version of the language")
	}
	p.s.stmt = st
	return nil
}

const continuesHint = "a statement goes on after an operator, a comma or in brackets: end the line above with the operator"

// unknownStatement reports a line that is no statement at all: most often a
// misspelt keyword, or a habit from another language.
func (p *parser) unknownStatement() error {
	first, n := p.peek(), p.peekAt(1)
	switch first.Type {
	case tokBad:
		p.poisonLine()
		return p.unexpected("a statement", "")
	case tokOp:
		switch first.Value {
		case "(", "[", "-", "+":
			return nil
		}
		p.s.param = true
		p.poisonLine()
		hint := ""
		if continues(first) {
			hint = continuesHint
		}
		return p.unexpected("a statement", hint)
	case tokIdent:
	default:
		return nil
	}
	hint := "a line starts with data, const, param, let, density or metric, or reads `y ~ normal(mu, sigma)`"
	bare := n.Type == tokIdent || n.Type == tokEOL || n.EOF()
	switch w := first.Value; {
	case isType(w), (w == "vector" || w == "row_vector" || w == "matrix" || w == "array" || w == "simplex") && !p.hasTilde():
		hint = "the type follows the name, as in `data y real[n]` or `param x real > 0`"
	case w == "for":
		hint = "`for` ends a `~` statement: `x[t] ~ normal(x[t-1], 1) for t in 2..T`"
	case isKeyword(w):
	case LookupForeign(ForeignStatement, w) != nil && !p.hasTilde() && (bare || n.Value == "+" || n.Value == "=" && w == "target" || n.Value == ":" || n.Value == "(" && LookupFunction(w) == nil):
		hint = LookupForeign(ForeignStatement, w).Hint()
		if isType(n.Value) || n.Type == tokIdent && isType(p.peekAt(2).Value) { // a declaration
			if s := suggest(w, []string{"data", "param"}); s != "" {
				hint = fmt.Sprintf("did you mean `%s`?", s)
			}
		}
	case n.Value == "=":
		p.s.names = append(p.s.names, Ident{w, tokenSpan(first)})
		return fail(UnknownStatement, tokenSpan(first), fmt.Sprintf("did you mean `let %s = …`?", w), "`%s` does not start a statement", w)
	case bare && isType(n.Value):
		if s := suggest(w, []string{"data", "param"}); s != "" {
			hint = fmt.Sprintf("did you mean `%s`?", s)
		} else {
			hint = fmt.Sprintf("did you mean `data %s …` or `param %s …`?", w, w)
		}
	case bare:
		if s := suggest(w, statementWords); s != "" {
			hint = fmt.Sprintf("did you mean `%s`?", s)
		}
	default:
		return nil
	}
	p.s.param = true
	p.poisonLine()
	p.skipBraces()
	return fail(UnknownStatement, tokenSpan(first), hint, "`%s` does not start a statement", first.Value)
}

// statementWords are the keywords that start a statement of this version.
var statementWords = []string{"model", "data", "const", "param", "let", "density", "metric", "block", "ode", "generate"}

// args reads `(a, b, c = d)`; hint is for what does not end as it should. With
// bar set, a `|` may stand behind the first argument, and *bar becomes its place.
func (p *parser) args(hint string, bar *Span) ([]Arg, error) {
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
			if bar != nil && len(out) == 1 && p.isOp("|") {
				*bar = tokenSpan(p.next())
				continue
			}
			if !p.isOp(",") {
				break
			}
			p.next()
		}
	}
	_, err := p.expect(")", hint)
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
		x = &BinaryExpr{node: node{span: p.spanFrom(x.Span())}, Op: t.Value, At: tokenSpan(t), X: x, Y: y}
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
		return &UnaryExpr{node: node{span: p.spanFrom(tokenSpan(t))}, Op: "-", X: x}, nil
	}
	return p.postfix()
}

func (p *parser) postfix() (Expr, error) {
	x, err := p.primary()
	if err != nil {
		return nil, err
	}
	for n := p.depth; ; {
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
				if p.isWord("in") {
					return nil, p.unexpected("`]`", "")
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
			ix.span = p.spanFrom(ix.span)
			x = ix
		case p.isOp(".") && p.peekAt(1).Type == tokIdent && p.prev.Type == tokIdent:
			p.module = modules[p.prev.Value]
			p.next()
			t := p.next()
			p.s.nodes++
			x = &FieldExpr{node: node{span: p.spanFrom(x.Span())}, Base: x, Field: t.Value, At: tokenSpan(t)}
		case p.isOp("'"):
			p.next()
			p.s.nodes++
			x = &UnaryExpr{node: node{span: p.spanFrom(x.Span())}, Op: "'", X: x}
		default:
			return x, nil
		}
		// A chain of postfix operators nests too.
		if n++; n > maxDepth {
			return nil, fail(TooDeep, x.Span(), "", "the expression nests deeper than %d levels", maxDepth)
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
		s.span = p.spanFrom(s.span)
		return s, nil
	case t.Type == tokIdent && t.Value == "solve" && p.solves():
		return p.solve()
	case t.Type == tokIdent && isKeyword(t.Value):
		return nil, p.unexpected("an expression", "")
	case t.Type == tokIdent:
		p.next()
		if p.isOp("(") {
			call := &CallExpr{Func: t.Value, At: tokenSpan(t)}
			var bar *Span
			if takesBar(t.Value) {
				bar = &call.Bar
			}
			var err error
			if call.Args, err = p.args("", bar); err != nil {
				return nil, err
			}
			call.span = p.spanFrom(tokenSpan(t))
			return call, nil
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

// solves reports whether the word `solve` starts a solution here; it is a name
// everywhere else.
func (p *parser) solves() bool {
	n := p.peekAt(1)
	return n.Value == "(" || n.Type == tokIdent && (n.Value != "at" || p.peekAt(2).Value == "(")
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
	if _, err := p.expect("]", "the entries of a row are separated by commas, its end is a `;`"); err != nil {
		return nil, err
	}
	m.span = p.spanFrom(m.span)
	for _, r := range m.Rows[1:] {
		if len(r) != len(m.Rows[0]) {
			return nil, fail(RaggedMatrix, r[0].Span(), "", "this row has length %d, the first has length %d", len(r), len(m.Rows[0]))
		}
	}
	return m, nil
}
