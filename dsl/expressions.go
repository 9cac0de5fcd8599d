package dsl

import (
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// Expressions are read by precedence climbing, which gives better messages than
// alternatives would and does not backtrack.

// readExpr reads an expression for the grammar.
func readExpr(lex *lexer.PeekingLexer) (Expr, error) { return (&parser{lex: lex}).expr() }

// Parse implements participle.Parseable.
func (d *IndexDecl) Parse(lex *lexer.PeekingLexer) (err error) {
	*d, err = (&parser{lex: lex}).indexDecl()
	return err
}

// Parse implements participle.Parseable.
func (x *Place) Parse(lex *lexer.PeekingLexer) (err error) {
	p := &parser{lex: lex}
	if t := p.peek(); isName(t) && p.peekAt(1).Value == "in" {
		d, err := p.indexDecl()
		x.Decl = &d
		return err
	}
	x.At, err = p.expr()
	return err
}

// Parse implements participle.Parseable.
func (a *Arg) Parse(lex *lexer.PeekingLexer) (err error) {
	*a, err = (&parser{lex: lex}).arg()
	return err
}

// Parse implements participle.Parseable.
func (id *Ident) Parse(lex *lexer.PeekingLexer) error {
	t := lex.Peek()
	if !isName(*t) {
		return participle.NextMatch
	}
	start := lex.RawCursor()
	lex.Next()
	*id = Ident{t.Value, tokenSpan(*t), lex.Range(start, lex.RawCursor())}
	return nil
}

// isName reports whether a token may be a declared name.
func isName(t lexer.Token) bool {
	return t.Type == tokIdent && !isKeyword(t.Value) && !strings.HasSuffix(t.Value, "__")
}

// Parse implements participle.Parseable.
func (e *MetricEntry) Parse(lex *lexer.PeekingLexer) error {
	p := &parser{lex: lex}
	if !p.isOp("[") || !p.assignedAfterBracket() {
		return participle.NextMatch
	}
	start := lex.RawCursor()
	p.next()
	for {
		side, err := p.expr()
		if err != nil {
			return err
		}
		e.Sides = append(e.Sides, side)
		if !p.isOp(",") {
			break
		}
		p.next()
	}
	err := p.expect("]", "")
	e.tokens = p.since(start)
	return err
}

// assignedAfterBracket reports whether `=` follows the bracket that opens here.
func (p *parser) assignedAfterBracket() bool {
	cp := p.lex.MakeCheckpoint()
	defer p.lex.LoadCheckpoint(cp)
	depth := 0
	for {
		t := *p.lex.Peek()
		if ends(t) {
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

// indexDecls reads `(i in n, j in 2..k)`.
func (p *parser) indexDecls() ([]IndexDecl, error) {
	p.next()
	var out []IndexDecl
	for {
		d, err := p.indexDecl()
		if err != nil {
			return nil, err
		}
		out = append(out, d)
		if !p.isOp(",") {
			return out, p.expect(")", "")
		}
		p.next()
	}
}

func (p *parser) indexDecl() (IndexDecl, error) {
	start := p.lex.RawCursor()
	id, err := p.ident("an index name", "an index reads `i in n` or `i in 2..n`")
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
	d.tokens = p.since(start)
	return d, err
}

// args reads `(a, b, c = d)`; hint is for what does not end as it should. With
// bar set, a `|` may stand behind the first argument, and *bar becomes its place.
func (p *parser) args(hint string, bar *Span) ([]Arg, error) {
	p.next()
	var out []Arg
	if p.isOp(")") {
		p.next()
		return nil, nil
	}
	for {
		a, err := p.arg()
		if err != nil {
			return nil, err
		}
		out = append(out, a)
		if bar != nil && len(out) == 1 && p.isOp("|") {
			*bar = tokenSpan(p.next())
			continue
		}
		if !p.isOp(",") {
			return out, p.expect(")", hint)
		}
		p.next()
	}
}

func (p *parser) arg() (a Arg, err error) {
	start := p.lex.RawCursor()
	if t := p.peek(); t.Type == tokIdent && p.peekAt(1).Value == "=" {
		a.Name, a.At = t.Value, tokenSpan(t)
		p.next()
		p.next()
	}
	a.Expr, err = p.expr()
	a.tokens = p.since(start)
	return a, err
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

// enter counts one level of nesting; every recursive cycle of the parser goes
// through it.
func (p *parser) enter() error {
	p.depth++
	if p.depth > maxDepth {
		return fail(TooDeep, tokenSpan(p.peek()), "name parts of it with `let`", "the expression nests deeper than %d levels", maxDepth)
	}
	return nil
}

// node makes what all expressions have, of one that ends here.
func (p *parser) node(at Span, start lexer.RawCursor) node {
	return node{span: p.spanFrom(at), tokens: p.since(start)}
}

func (p *parser) expr() (Expr, error) { return p.logical(0) }

// logicalWords are the logical operators of two operands, the loosest first.
var logicalWords = []string{"or", "and"}

// logical reads logical operators from one on, comparisons, and what binds tighter.
func (p *parser) logical(from int) (Expr, error) {
	if from == len(logicalWords) {
		return p.negated()
	}
	start := p.lex.RawCursor()
	x, err := p.logical(from + 1)
	for err == nil && p.isWord(logicalWords[from]) {
		t := p.next()
		var y Expr
		if y, err = p.logical(from + 1); err == nil {
			x = &BinaryExpr{node: p.node(x.Span(), start), Op: t.Value, At: tokenSpan(t), X: x, Y: y}
		}
	}
	return x, err
}

// negated reads `not x`, or a comparison.
func (p *parser) negated() (Expr, error) {
	start, t := p.lex.RawCursor(), p.peek()
	if !p.isWord("not") {
		return p.comparison()
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	p.next()
	x, err := p.negated()
	if err != nil {
		return nil, err
	}
	return &UnaryExpr{node: p.node(tokenSpan(t), start), Op: "not", X: x}, nil
}

// comparison reads `x < y`, or a sum.
func (p *parser) comparison() (Expr, error) {
	start := p.lex.RawCursor()
	x, err := p.binary(bindSum)
	if err != nil || !p.compares() {
		return x, err
	}
	t := p.next()
	y, err := p.binary(bindSum)
	if err != nil {
		return nil, err
	}
	if p.compares() {
		return nil, fail(UnexpectedToken, tokenSpan(p.peek()), "write `a < b and b < c`", "a comparison has two sides")
	}
	return &BinaryExpr{node: p.node(x.Span(), start), Op: t.Value, At: tokenSpan(t), X: x, Y: y}, nil
}

// compares reports whether a comparison stands here. The `<-` of other languages is none.
func (p *parser) compares() bool {
	t := p.peek()
	if t.Type != tokOp {
		return false
	}
	switch t.Value {
	case "==", "!=", "<=", ">", ">=":
		return true
	case "<":
		n := p.peekAt(1)
		return !(n.Value == "-" && n.Pos.Line == t.Pos.Line && n.Pos.Column == t.Pos.Column+1)
	}
	return false
}

// conditional reads `if c then x else y`.
func (p *parser) conditional() (Expr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	start := p.lex.RawCursor()
	e := &IfExpr{}
	word := p.next()
	var err error
	for _, part := range []struct {
		to   *Expr
		word string
	}{{&e.Cond, "then"}, {&e.Then, "else"}, {&e.Else, ""}} {
		if *part.to, err = p.expr(); err != nil {
			return nil, err
		}
		if part.word == "" {
			break
		}
		if !p.isWord(part.word) {
			hint := "a conditional reads `if c then a else b`"
			switch w := p.peek().Value; {
			case part.word == "else" && (w == "elif" || w == "elseif"):
				hint = "write `else if`"
			case w == "=" && part.word == "else":
				hint = "its parts are values: `let s = if c then a else b`"
			case w == "=":
				hint = "what is equal is compared by `==`"
			case ends(p.peek()) && part.word == "else":
				hint = "a conditional reads `if c then a else b`, and has a value in each case: write `else 0` for none"
			}
			return nil, p.unexpected("`"+part.word+"`", hint)
		}
		p.next()
	}
	e.node = p.node(tokenSpan(word), start)
	return e, nil
}

// binary parses operators of at least the given binding power.
func (p *parser) binary(least int) (Expr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	start := p.lex.RawCursor()
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
		x = &BinaryExpr{node: p.node(x.Span(), start), Op: t.Value, At: tokenSpan(t), X: x, Y: y}
	}
}

func (p *parser) unary() (Expr, error) {
	t := p.peek()
	if t.Type != tokOp || t.Value != "-" && t.Value != "+" {
		return p.postfix()
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	start := p.lex.RawCursor()
	p.next()
	x, err := p.binary(bindProduct + 1)
	if err != nil || t.Value == "+" {
		return x, err
	}
	return &UnaryExpr{node: p.node(tokenSpan(t), start), Op: "-", X: x}, nil
}

func (p *parser) postfix() (Expr, error) {
	start := p.lex.RawCursor()
	x, err := p.primary()
	if err != nil {
		return nil, err
	}
	for n := p.depth; ; {
		switch {
		case p.isOp("["):
			args, err := p.subscripts()
			if err != nil {
				return nil, err
			}
			x = &IndexExpr{node: p.node(x.Span(), start), Base: x, Args: args}
		case p.isOp(".") && p.peekAt(1).Type == tokIdent && p.back(0).Type == tokIdent:
			p.next()
			t := p.next()
			x = &FieldExpr{node: p.node(x.Span(), start), Base: x, Field: t.Value, At: tokenSpan(t)}
		case p.isOp("'"):
			p.next()
			x = &UnaryExpr{node: p.node(x.Span(), start), Op: "'", X: x}
		default:
			return x, nil
		}
		// A chain of postfix operators nests too.
		if n++; n > maxDepth {
			return nil, fail(TooDeep, x.Span(), "", "the expression nests deeper than %d levels", maxDepth)
		}
	}
}

// subscripts reads `[i, j]`.
func (p *parser) subscripts() ([]Expr, error) {
	p.next()
	var out []Expr
	for {
		e, err := p.subscript()
		if err != nil {
			return nil, err
		}
		if p.isWord("in") {
			return nil, p.unexpected("`]`", "")
		}
		out = append(out, e)
		if !p.isOp(",") {
			return out, p.expect("]", "")
		}
		p.next()
	}
}

// subscript reads `i`, `lo..hi` or `:`.
func (p *parser) subscript() (Expr, error) {
	start, t := p.lex.RawCursor(), p.peek()
	if p.isOp(":") {
		p.next()
		return &SliceExpr{node: p.node(tokenSpan(t), start)}, nil
	}
	if p.isOp(",") || p.isOp("]") && p.back(0).Value == "," {
		return nil, fail(UnexpectedToken, tokenSpan(t), "all positions are `:`, as in X[:, 1]", "expected a subscript, found %s", found(t))
	}
	e, err := p.expr()
	if err != nil || !p.isOp("..") && !p.isOp(":") {
		return e, err
	}
	if p.isOp(":") {
		return nil, fail(UnexpectedToken, tokenSpan(p.peek()), "a range reads `lo..hi`, as in x[2..n]", "expected `]`, found `:`")
	}
	p.next()
	s := &SliceExpr{Lo: e}
	if s.Hi, err = p.expr(); err != nil {
		return nil, err
	}
	s.node = p.node(e.Span(), start)
	return s, nil
}

func (p *parser) primary() (Expr, error) {
	t, start := p.peek(), p.lex.RawCursor()
	switch {
	case t.Type == tokNumber:
		p.next()
		v, err := strconv.ParseFloat(t.Value, 64)
		if err != nil {
			return nil, fail(BadNumber, tokenSpan(t), "", "the number %s does not fit a double", t.Value)
		}
		return &Number{node: p.node(tokenSpan(t), start), Value: v, Text: t.Value}, nil
	case t.Type == tokIdent && reductionOf(t.Value) != nil && p.peekAt(1).Value == "(" && p.peekAt(3).Value == "in":
		return p.sum()
	case t.Type == tokIdent && t.Value == "solve" && p.solves():
		return p.solve()
	case t.Type == tokIdent && t.Value == "if":
		return p.conditional()
	case t.Type == tokIdent && isKeyword(t.Value):
		return nil, ofKeyword(p.unexpected("an expression", ""), t)
	case t.Type == tokIdent:
		p.next()
		if p.isOp("(") {
			return p.call(t, start)
		}
		return &Name{node: p.node(tokenSpan(t), start), Name: t.Value}, nil
	case p.isOp("("):
		p.next()
		e, err := p.expr()
		if err != nil {
			return nil, err
		}
		return e, p.expect(")", "")
	case p.isOp("["):
		return p.matrix()
	}
	return nil, p.unexpected("an expression", "")
}

// call reads `(a, b, c = d)` behind the name of a function.
func (p *parser) call(name lexer.Token, start lexer.RawCursor) (Expr, error) {
	call := &CallExpr{Func: name.Value, At: tokenSpan(name)}
	var bar *Span
	if takesBar(name.Value) {
		bar = &call.Bar
	}
	var err error
	if call.Args, err = p.args("", bar); err != nil {
		return nil, err
	}
	call.node = p.node(call.At, start)
	return call, nil
}

// sum reads `sum(i in n) body`, or another reduction; the body is the product that follows.
func (p *parser) sum() (Expr, error) {
	start := p.lex.RawCursor()
	word := p.next()
	s := &SumExpr{Func: word.Value}
	var err error
	if s.Indices, err = p.indexDecls(); err != nil {
		return nil, err
	}
	if s.Body, err = p.binary(bindProduct); err != nil {
		return nil, err
	}
	s.node = p.node(tokenSpan(word), start)
	return s, nil
}

// matrix reads `[a, b ; c, d]`.
func (p *parser) matrix() (Expr, error) {
	start := p.lex.RawCursor()
	open := p.next()
	m := &MatrixExpr{Rows: [][]Expr{nil}}
	for {
		e, err := p.expr()
		if err != nil {
			return nil, err
		}
		last := &m.Rows[len(m.Rows)-1]
		*last = append(*last, e)
		if p.isOp(";") {
			m.Rows = append(m.Rows, nil)
		} else if !p.isOp(",") {
			break
		}
		p.next()
	}
	if err := p.expect("]", "the entries of a row are separated by commas, its end is a `;`"); err != nil {
		return nil, err
	}
	m.node = p.node(tokenSpan(open), start)
	for _, r := range m.Rows[1:] {
		if len(r) != len(m.Rows[0]) {
			return nil, fail(RaggedMatrix, r[0].Span(), "", "this row has length %d, the first has length %d", len(r), len(m.Rows[0]))
		}
	}
	return m, nil
}

// solveForm is the form of a solution, as the hints of its errors show it.
const solveForm = "a solution reads `let s = solve f(v = v0, r = r0) from t0 at t`"

// solves reports whether the word `solve` starts a solution here; it is a name
// everywhere else.
func (p *parser) solves() bool {
	n := p.peekAt(1)
	return n.Value == "(" || n.Type == tokIdent && (n.Value != "at" || p.peekAt(2).Value == "(")
}

// solve reads `solve f(v = -1, r = 1) from t0 at t`.
func (p *parser) solve() (Expr, error) {
	start := p.lex.RawCursor()
	word := p.next()
	form := solveForm
	if p.isOp("(") {
		form = "of a square matrix A it is solve_general(A, b), of a symmetric positive definite one solve_spd(A, b), of a triangular one solve_lower(L, b), and the inverse is inverse_general(A) or inverse(A); " + solveForm
	}
	name, err := p.ident("the name of an `ode`", form)
	if err != nil {
		return nil, err
	}
	s := &SolveExpr{Ode: name.Name, At: name.At}
	if !p.isOp("(") {
		return nil, p.unexpected("`(`", solveForm)
	}
	if s.Args, err = p.args("values have names and are separated by commas, as in `solve f(v = v0, r = r0)`", nil); err != nil {
		return nil, err
	}
	if s.From, err = p.part("from"); err != nil {
		return nil, err
	}
	if s.Times, err = p.part("at"); err != nil {
		return nil, err
	}
	if p.isOp("..") {
		return nil, fail(BadSolve, s.Times.Span(), timesHint, "the times of a solution are a vector of data, not a range")
	}
	if isNameLike(p.peek()) {
		return nil, p.unexpected("the end of the solution", solveForm)
	}
	s.node = p.node(tokenSpan(word), start)
	return s, nil
}

// part reads a word and the expression behind it, `from t0` or `at t`.
func (p *parser) part(word string) (Expr, error) {
	if p.isWord(word) {
		p.next()
		return p.expr()
	}
	if p.peek().Type == tokEnd && p.peekAt(1).Value == word {
		// The next line goes on where this one should.
		err := p.unexpected("`"+word+"`", "a line goes on after an operator, a comma or in brackets; break it inside those of `solve f(…)`")
		p.next()
		p.skipLine()
		return nil, err
	}
	return nil, p.unexpected("`"+word+"`", solveForm)
}

// timesHint says how the times of a solution are given.
const timesHint = "declare them as `data t real[n]`"

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
