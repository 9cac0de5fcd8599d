package dsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// What is no statement at all: a misspelt keyword, or a habit from another language.

// grouped reports braces around statements.
func (r *reading) grouped(t lexer.Token) error {
	if n := r.peekAt(1); n.Value == "(" && r.peekAt(2).Value == "{" || t.Value != "ode" && t.Value != "generate" && t.Value != "func" && n.Value == "{" || n.Type == tokIdent && n.Value != "in" && r.peekAt(2).Value == "{" && !isKeyword(t.Value) {
		r.param = true
		r.skipBraces()
		hint := "a statement has a line of its own and no braces: `data n int`, `param x real`, `y ~ normal(x, 1)`"
		if t.Value == "generated" {
			hint = generateForm
		}
		return fail(UnexpectedToken, tokenSpan(t), hint, "statements are not grouped in blocks")
	}
	return nil
}

const continuesHint = "a line goes on after and before an operator, and in brackets: what it goes on from stands above it"

// unknownStatement reports a line that is no statement at all: most often a
// misspelt keyword, or a habit from another language.
func (r *reading) unknownStatement() error {
	first, n := r.peek(), r.peekAt(1)
	switch first.Type {
	case tokBad:
		r.poisonLine()
		return r.unexpected("a statement", "")
	case tokOp:
		switch first.Value {
		case "(", "[", "-", "+":
			return nil
		}
		r.param = true
		r.poisonLine()
		hint := ""
		if continues(first) {
			hint = continuesHint
		}
		return r.unexpected("a statement", hint)
	case tokIdent:
	default:
		return nil
	}
	hint := "a line starts with data, const, param, let, density or metric, or reads `y ~ normal(mu, sigma)`"
	bare := n.Type == tokIdent || ends(n)
	switch w := first.Value; {
	case n.Type == tokIdent && r.peekAt(2).Value == "(" && (isType(w) || LookupForeign(ForeignType, w) != nil):
		hint = "a function reads `func f(x, y real[n], k int) = …`"
		if head := foreignHead(withoutTrivia(r.rest())); head != "" {
			hint = "write `" + head + " {`, and in it lines `let a = …` and `return …`"
			r.names = append(r.names, Ident{Name: n.Value, At: tokenSpan(n)})
		}
	case isType(w), (w == "vector" || w == "row_vector" || w == "matrix" || w == "array" || w == "simplex") && !r.hasTilde():
		hint = "the type follows the name, as in `data y real[n]` or `param x real > 0`"
	case w == "else" || w == "then":
		hint = "a conditional reads `if c then a else b`"
	case w == "for":
		hint = "`for` ends a `~` statement: `x[t] ~ normal(x[t-1], 1) for t in 2..T`"
		if looped := r.loopedLet(); looped != "" {
			hint = looped
		} else if of := r.behindColon(); of == "let" {
			hint = "the range of a definition stands in its brackets, `let w[k in 2..K] = …`, or, where it reads itself, behind it: `let w[k] = … for k in 2..K`"
		} else if of == "density" {
			hint = "a density of a range is a sum: `density sum(i in n) …`"
		}
	case isKeyword(w) && LookupForeign(ForeignStatement, w) == nil:
	case LookupForeign(ForeignStatement, w) != nil && (!r.hasTilde() || n.Type == tokIdent) && (bare || n.Value == "+" || n.Value == "-" || n.Value == "=" && w == "target" || n.Value == ":" || n.Value == "(" && LookupFunction(w) == nil):
		hint = LookupForeign(ForeignStatement, w).Hint()
		if isType(n.Value) || n.Type == tokIdent && isType(r.peekAt(2).Value) { // a declaration
			if s := suggest(w, []string{"data", "param"}); s != "" {
				hint = fmt.Sprintf("did you mean `%s`?", s)
			}
		}
	case n.Value == "=" && modules[r.peekAt(2).Value] && r.peekAt(3).Value == ".":
		hint = twoLines(w)
	case n.Value == "=" && r.peekAt(3).Value == "(" && LookupFunction(r.peekAt(2).Value) == nil && LookupForeign(ForeignFunction, r.peekAt(2).Value) == nil && (LookupDistribution(r.peekAt(2).Value) != nil || LookupForeign(ForeignDistribution, r.peekAt(2).Value) != nil):
		hint = fmt.Sprintf("a distribution follows `~`: `%s ~ %s(…)`; a parameter is declared above, `param %s real`", w, r.peekAt(2).Value, w)
	case n.Value == "=":
		r.names = append(r.names, Ident{Name: w, At: tokenSpan(first)})
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
	r.param = true
	r.poisonLine()
	r.skipBraces()
	return fail(UnknownStatement, tokenSpan(first), hint, "`%s` does not start a statement", first.Value)
}

// loopedLet is the hint on a definition that stands behind `for t in 2..n`: the range belongs behind it, if it reads itself, and in its brackets otherwise. It is "" where there is no definition.
func (r *reading) loopedLet() string {
	toks := withoutTrivia(r.rest())
	at := slices.IndexFunc(toks, func(t lexer.Token) bool { return t.Value == "let" })
	if at < 4 {
		return ""
	}
	head, let := toks[1:at], withoutSemicolon(toks[at:])
	if n := len(head) - 1; head[n].Value == ":" {
		head = head[:n]
	}
	if n := len(head) - 1; head[0].Value == "(" && shut(head, 0) == n {
		head = head[1:n]
	}
	a := assigned(let[1:])
	if a == nil || len(head) < 3 {
		return ""
	}
	hint, line := "`for` ends a definition too", expression(let)+" for "+expression(head)
	if !a.recursive() {
		var places []string
		for _, place := range a.indices {
			if len(place) == 1 && place[0].Value == head[0].Value {
				place = head
			}
			places = append(places, expression(place))
		}
		hint, line = "the range of a definition stands in its brackets", "let "+a.name+"["+strings.Join(places, ", ")+"] = "+a.written()
	}
	if !parses(line) {
		return ""
	}
	return hint + ": write `" + line + "`"
}

// statementWords are the keywords that start a statement of this version.
var statementWords = []string{"model", "data", "const", "param", "let", "density", "metric", "block", "func", "ode", "generate"}

// poisonLine takes every name up to the end of the statement for declared,
// without moving: the statement is no good, and says nothing about them.
func (r *reading) poisonLine() {
	cp := r.lex.MakeCheckpoint()
	defer r.lex.LoadCheckpoint(cp)
	for t := r.peek(); !ends(t); t = r.peek() {
		if t.Type == tokIdent && !isKeyword(t.Value) {
			r.names = append(r.names, Ident{Name: t.Value, At: tokenSpan(t)})
		}
		r.lex.Next()
	}
}

// skipBraces passes over a `{ … }` body, so that its lines are not read as
// statements; names in it count as declared. A body that is not closed ends
// with its first line.
func (r *reading) skipBraces() {
	for t := r.peek(); !ends(t) && t.Value != "{"; t = r.peek() {
		r.next()
	}
	if !r.isOp("{") {
		return
	}
	start := r.lex.MakeCheckpoint()
	depth, size := 0, 0
	for size < maxBody && (size == 0 || depth > 0) {
		t := r.lex.Next()
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
	r.lex.LoadCheckpoint(start)
	if depth > 0 {
		return
	}
	for ; size > 0; size-- {
		if t := r.next(); t.Type == tokIdent && !isKeyword(t.Value) {
			r.names = append(r.names, Ident{Name: t.Value, At: tokenSpan(t)})
		}
	}
}
