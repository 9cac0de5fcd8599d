package dsl

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// Limits of what is read. They keep every later pass within seconds.
const (
	maxBytes = 1 << 20 // of a file
	maxDepth = 200     // nesting of expressions
	maxNodes = 50_000  // of the syntax tree
	maxBody  = 1_000   // tokens in the braces of a statement that is skipped
)

// Parse reads a file. It returns the syntax tree of what it could read and the
// diagnostics of the rest. The tokens of the tree are all of the text.
func Parse(name, text string) (*File, *Diagnostics) {
	ds := &Diagnostics{File: name, Text: text}
	file := ds.parse()
	ds.sort()
	return file, ds
}

// parse reads the file of the model.
func (ds *Diagnostics) parse() *File {
	file := readFile("", ds.Text, ds)
	if ds.has(TooLarge) {
		return file
	}
	top := Span{Pos{Line: 1, Col: 1}, 1}
	hint := "add a first line such as `model banana`"
	if file.holdsFunctions() {
		hint = "a file of functions alone is read where a model has `import` with its name"
	}
	if file.Name.Name == "" && (len(file.Statements) == 0 && len(ds.List) == 0 || len(file.Statements) > 0 && file.Statements[0].sound) {
		ds.add(Diagnostic{Code: MissingModel, Span: top, Message: "the file does not start with `model NAME`",
			Hint: hint})
	}
	if n := countExprs(file); n > maxNodes {
		ds.add(Diagnostic{Code: TooLarge, Span: top,
			Message: fmt.Sprintf("the model's expressions have %d parts; a model may have %d", n, maxNodes),
			Hint:    "use an index for what repeats"})
	}
	return file
}

// holdsFunctions reports whether the file could be imported.
func (f *File) holdsFunctions() bool {
	return len(f.Stmts) > 0 && f.Name.Name == "" && !slices.ContainsFunc(f.Stmts, func(s Stmt) bool {
		switch s.(type) {
		case *FuncStmt, *ImportStmt:
			return false
		}
		return true
	})
}

// readFile reads the statements of a file, of which the name is "" where it is the model's.
func readFile(name, text string, ds *Diagnostics) *File {
	file := &File{}
	top := Span{Pos{File: name, Line: 1, Col: 1}, 1}
	whole := []lexer.Token{{Type: tokBad, Value: text, Pos: lexer.Position{Filename: name, Line: 1, Column: 1}}}
	if len(text) > maxBytes {
		ds.add(Diagnostic{Code: TooLarge, Span: top,
			Message: fmt.Sprintf("the file has %d bytes; a model may have %d", len(text), maxBytes),
			Hint:    "put numbers into a data file and use an index for what repeats"})
		file.Tokens = whole
		return file
	}
	if !utf8.ValidString(text) {
		ds.add(Diagnostic{Code: BadCharacter, Span: top, Message: "the file is not UTF-8 text",
			Hint: "save it as UTF-8"})
		file.Tokens = whole
		return file
	}
	lex, err := tokens(name, text)
	if err != nil {
		// The rules have a token for every character.
		ds.add(Diagnostic{Code: UnexpectedToken, Span: top, Message: err.Error()})
		file.Tokens = whole
		return file
	}
	lines := strings.Split(text, "\n")
	for lex.Peek().Type != lexer.EOF {
		file.read(lex, ds, lines)
	}
	ds.refused()
	_, end := lex.PeekAny(lexer.Token.EOF)
	file.Tokens = lex.Range(0, end)
	for _, t := range file.Tokens {
		if t.Type == tokBlock {
			t.Value, _, _ = strings.Cut(t.Value, "\n")
			ds.add(Diagnostic{Code: BadCharacter, Span: tokenSpan(t), Message: "comments in `/* */` are not part of the language",
				Hint: "a comment starts with // and ends with its line"})
		}
	}
	return file
}

// refused drops what is said of a keyword in the place of a name where its declaration is refused, which says all of it.
func (ds *Diagnostics) refused() {
	declared := map[string]bool{}
	for _, d := range ds.List {
		if d.Code == Reserved && strings.HasPrefix(d.Hint, "choose another name") {
			declared[d.keyword] = true
		}
	}
	ds.List = slices.DeleteFunc(ds.List, func(d Diagnostic) bool { return d.Code != Reserved && d.keyword != "" && declared[d.keyword] })
}

// tokens divides a text into tokens, which the parser sees without the trivia.
func tokens(name, text string) (*lexer.PeekingLexer, error) {
	lex, err := lines{}.LexString(name, text)
	if err != nil {
		return nil, err
	}
	return lexer.Upgrade(lex, tokComment, tokBlock, tokNewline, tokSpace)
}

// countExprs counts the operators and operands of a file.
func countExprs(file *File) int {
	n := 0
	Walk(file, func(x Node) bool {
		if _, ok := x.(Expr); ok {
			n++
		}
		return true
	})
	return n
}

// positionIn is a position of the file among those of a text that starts at another.
func positionIn(start lexer.Position, at Pos) lexer.Position {
	line, column := at.Line-start.Line+1, at.Col
	if line == 1 {
		column -= start.Column - 1
	}
	return lexer.Position{Line: line, Column: column}
}

// read reads one statement and its line end.
func (f *File) read(lex *lexer.PeekingLexer, ds *Diagnostics, lines []string) {
	r := &reading{parser: parser{lex: lex}, start: lex.RawCursor()}
	start, first := lex.RawCursor(), lex.Peek()
	left := r.isLeftSide()
	stmt := r.statement()
	if len(r.diags) > 0 {
		if left {
			r.diags[0].keyword = first.Value
		}
		if text := textOf(r.since(start)); len(text) <= maxTranslated {
			if hint := foreignHint(text, positionIn(first.Pos, r.diags[0].Span.Pos)); hint != "" {
				r.diags[0].Hint = hint
				if a := assigned(read(text).toks); a != nil { // what was to be defined is no further mistake
					r.names = append(r.names, Ident{Name: a.name, At: tokenSpan(*first)})
				}
			}
		}
		f.Lost = append(f.Lost, r.names...)
		f.lostParams = f.lostParams || r.param
		f.lostBlocks = f.lostBlocks || r.block
		f.lostOdes = f.lostOdes || r.ode
		f.lostFuncs = f.lostFuncs || r.importing()
	}
	s := &Statement{Stmt: stmt, Broken: r.broken, sound: len(r.diags) == 0}
	s.Pos, s.EndPos, s.Tokens = first.Pos, lex.RawPeek().Pos, r.since(start)
	f.Statements = append(f.Statements, s)
	for _, d := range r.diags {
		if d.Code == BadCharacter && d.Hint == letterHint && slices.ContainsFunc(ds.List, func(o Diagnostic) bool { return o.Message == d.Message }) {
			continue // of a letter in a name, one message for all of its places
		}
		ds.add(d)
	}
	at := tokenSpan(*first)
	if stmt != nil {
		setDoc(stmt, lines, at.Pos.Line)
	}
	m, ok := stmt.(*ModelStmt)
	if !ok {
		if !s.Broken {
			f.Stmts = append(f.Stmts, stmt)
		}
		return
	}
	if m.Name.Name == "" {
		return
	}
	if f.Name.Name != "" {
		ds.add(Diagnostic{Code: UnexpectedToken, Span: at, Message: "a second `model` line",
			Hint:  "a file holds one model, named on its first line",
			Notes: []Note{{f.Name.At, "the model has its name here"}}})
		return
	}
	f.Name = m.Name
	f.Doc = docComment(lines, at.Pos.Line)
	if len(f.Statements) > 1 && f.Statements[0].sound {
		ds.add(Diagnostic{Code: MissingModel, Span: at, Message: "the `model` line is not the first statement",
			Hint: "move it to the top"})
	}
}

// isLeftSide reports whether a keyword starts the statement as the left side of a term: `block ~ normal(0, 1)`, `block[i] ~ normal(0, 1)`.
func (r *reading) isLeftSide() bool {
	n := r.peekAt(1).Value
	return isKeyword(r.peek().Value) && (n == "~" || (n == "[" || n == ",") && r.hasTilde())
}

// textOf is the text of tokens without comments.
func textOf(toks []lexer.Token) string {
	var b strings.Builder
	for _, t := range toks {
		if t.Type != tokComment && t.Type != tokBlock {
			b.WriteString(t.Value)
		}
	}
	return strings.TrimSpace(b.String())
}

// reading is a statement that is being read.
type reading struct {
	parser
	diags  []Diagnostic
	broken bool
	names  []Ident // declared here, known even if the rest does not parse
	param  bool    // the statement declares parameters, or may want to
	block  bool    // it is a `block`, or may want to be
	ode    bool    // it is an `ode` whose name is not known
	start  lexer.RawCursor
}

// importing reports whether the statement was to import something, here or as other languages have it.
func (r *reading) importing() bool {
	return slices.ContainsFunc(r.since(r.start), func(t lexer.Token) bool {
		return t.Type == tokIdent && slices.Contains([]string{importWord, "include", "from", "using", "library", "require"}, t.Value)
	})
}

// report keeps what the functions of the parser return.
func (r *reading) report(err error) {
	if se := (*syntaxError)(nil); errors.As(err, &se) {
		r.diags = append(r.diags, se.d)
	}
}

// statement reads a statement and the end of its line, or as much of it as there is: then it
// reports the error and passes over the rest.
func (r *reading) statement() Stmt {
	first := r.peek()
	stmt, err := r.parse(first)
	if err == nil {
		err = r.end(stmt)
	}
	if err != nil {
		r.broken = true
		r.report(err)
		r.skipBraces()
		r.skipToEnd()
	}
	if r.peek().Type == tokEnd {
		r.next()
	}
	return stmt
}

// parse reads a statement by its production.
func (r *reading) parse(first lexer.Token) (Stmt, error) {
	keyword := ""
	if first.Type == tokIdent {
		if err := r.grouped(first); err != nil {
			return nil, err
		}
		keyword = first.Value
	}
	read := productions()[keyword]
	if n := r.peekAt(1).Type; keyword == importWord && n != tokIdent && n != tokBad {
		read = nil // a name like others
	}
	if read == nil {
		keyword, read = "", productions()[""]
	}
	if keyword == "" {
		if err := r.unknownStatement(); err != nil {
			return nil, err
		}
	}
	start := r.lex.MakeCheckpoint()
	stmt, err := read(r.lex)
	r.names = declared(stmt)
	switch s := stmt.(type) {
	case *ParamStmt:
		r.param = true
	case *BlockStmt:
		r.block = true
	case *OdeStmt:
		if err != nil && r.inBraces(start) {
			return s, r.equations(s)
		} else if err != nil {
			err = r.explain(keyword, err)
			r.ode = s.Name.Name == ""
			r.leaveEquations()
			return s, err
		}
	case *FuncStmt:
		if err != nil {
			err = r.explain(keyword, err)
			r.leaveBody(start)
			return s, err
		}
	case *GenerateStmt:
		if err != nil && r.inBraces(start) {
			return s, r.quantities(s)
		}
	}
	if err != nil {
		err = r.explain(keyword, err)
	}
	return stmt, err
}

// declared are the names that a statement declares, as far as it was read.
func declared(s Stmt) []Ident {
	var out []Ident
	switch s := s.(type) {
	case *DataStmt:
		return s.Names
	case *ParamStmt:
		return s.Names
	case *ConstStmt:
		out = []Ident{s.Name}
	case *LetStmt:
		out = []Ident{s.Name}
	case *FuncStmt:
		out = []Ident{s.Name}
	case *OdeStmt:
		out = []Ident{s.Name}
	}
	if len(out) > 0 && out[0].Name == "" {
		return nil
	}
	return out
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

// setDoc gives a statement its documentation.
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
	case *FuncStmt:
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
