package dsl

import (
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// Assignments of BUGS, Stan and Python, and loops over them and over what has a distribution.

// maxLooped is the number of lines that a hint shows in the place of a loop.
const maxLooped = 8

// assignment is `mu[i] <- a + b*x[i]`, with `=` or `+=` in the place of the arrow, or a link around the left side.
type assignment struct {
	link, name string
	indices    [][]lexer.Token
	op         string // "<-", "=" or "+="
	right      []lexer.Token
}

// assigned reads an assignment; nil of what is none.
func assigned(toks []lexer.Token) *assignment {
	if value(toks, 0) == "let" && value(toks, 2) == "(" { // the link of one who knows the keyword
		toks = toks[1:]
	}
	a := &assignment{}
	left := toks
	if inner := value(toks, 1) == "(" && linkInverses[value(toks, 0)] != ""; inner {
		last := shut(toks, 1)
		if last < 0 {
			return nil
		}
		a.link, left, toks = toks[0].Value, toks[2:last], toks[last+1:]
	}
	if len(left) == 0 || left[0].Type != tokIdent || isKeyword(left[0].Value) {
		return nil
	}
	a.name = left[0].Value
	end := 1
	if value(left, 1) == "[" {
		last := shut(left, 1)
		if last < 0 {
			return nil
		}
		a.indices, end = split(left[2:last], ","), last+1
	}
	if a.link == "" {
		toks = toks[end:]
	} else if end != len(left) {
		return nil
	}
	switch {
	case value(toks, 0) == "<" && value(toks, 1) == "-":
		a.op, a.right = "<-", toks[2:]
	case value(toks, 0) == "+" && value(toks, 1) == "=":
		a.op, a.right = "+=", toks[2:]
	case value(toks, 0) == "=":
		a.op, a.right = "=", toks[1:]
	}
	if a.op == "" || len(a.right) == 0 || value(a.right, 0) == "=" {
		return nil
	}
	return a
}

// written is the right side, under the inverse of the link that stands on the left.
func (a *assignment) written() string {
	if inverse := linkInverses[a.link]; inverse != "" {
		return strings.Replace(inverse, "…", expression(a.right), 1)
	}
	return expression(a.right)
}

// recursive reports whether the right side reads what is assigned.
func (a *assignment) recursive() bool {
	return slices.ContainsFunc(a.right, func(t lexer.Token) bool { return t.Type == tokIdent && t.Value == a.name })
}

// plainIndices are the indices where each is a name of its own; false where one is not.
func (a *assignment) plainIndices() (names []string, ok bool) {
	for _, index := range a.indices {
		if len(index) != 1 || index[0].Type != tokIdent || isKeyword(index[0].Value) || slices.Contains(names, index[0].Value) {
			return nil, false
		}
		names = append(names, index[0].Value)
	}
	return names, true
}

// withoutSemicolon are the tokens of a statement.
func withoutSemicolon(toks []lexer.Token) []lexer.Token {
	if n := len(toks) - 1; n > 0 && toks[n].Value == ";" {
		return toks[:n]
	}
	return toks
}

// arrow reads `mu <- a + b*x` and `mu[i] <- a + b*x[i]`, and `logit(p[i]) <- a + b*x[i]`, where `=` may stand for the arrow.
func (f *foreignText) arrow() []string {
	a := assigned(withoutSemicolon(f.toks))
	if a == nil || a.op != "<-" && (a.op != "=" || a.link == "") {
		return nil
	}
	names, ok := a.plainIndices()
	if !ok || len(names) > 2 {
		return nil
	}
	left := a.name
	if len(names) > 0 {
		ranges := []string{"n", "k"}
		for i, name := range names {
			names[i] = name + " in " + ranges[i]
		}
		left += "[" + strings.Join(names, ", ") + "]"
	}
	return []string{"let " + left + " = " + a.written()}
}

// loop is what is written in the place of a loop.
type loop struct {
	indices []string          // of the loops around
	ranges  map[string]string // of the indices: 1..n, or n
	lines   []string
	defined map[string]int      // left sides of definitions, and their lines
	summed  map[string][]string // what is added up, and the indices of the sum
	writes  map[string]int      // how often a name is assigned to
}

// loops reads `for (i in 1:n) y[i] ~ dnorm(mu, tau)`, and a loop over statements in braces, which may be loops.
func (f *foreignText) loops() []string {
	if value(f.toks, 0) != "for" || value(f.toks, 1) != "(" {
		return nil
	}
	l := &loop{ranges: map[string]string{}, defined: map[string]int{}, summed: map[string][]string{}, writes: map[string]int{}}
	if !l.statement(f.toks) || len(l.lines) > maxLooped {
		return nil
	}
	return l.ordered()
}

// ordered are the lines with each definition before what reads it: that of JAGS may stand anywhere.
func (l *loop) ordered() (out []string) {
	defines := map[string][]int{}
	for n, line := range l.lines {
		if rest, ok := strings.CutPrefix(line, "let "); ok {
			name := read(rest).toks[0].Value
			defines[name] = append(defines[name], n)
		}
	}
	taken := make([]bool, len(l.lines))
	var take func(n int)
	take = func(n int) {
		if taken[n] {
			return
		}
		taken[n] = true
		for _, t := range read(l.lines[n]).toks {
			for _, m := range defines[t.Value] {
				take(m)
			}
		}
		out = append(out, l.lines[n])
	}
	for n := range l.lines {
		take(n)
	}
	return out
}

// over are the ranges of some indices: i in n, j in 2..k.
func (l *loop) over(indices []string) string {
	var out []string
	for _, index := range indices {
		out = append(out, index+" in "+l.ranges[index])
	}
	return strings.Join(out, ", ")
}

// head reads `for (i in 1:n)`, and returns its body and the names of the indices with the new one.
func (l *loop) head(toks []lexer.Token) (body []lexer.Token, indices []string) {
	last := -1
	if value(toks, 1) == "(" && value(toks, 3) == "in" && toks[2].Type == tokIdent {
		last = shut(toks, 1)
	}
	if last < 0 || last+1 >= len(toks) || slices.Contains(l.indices, toks[2].Value) {
		return nil, nil
	}
	ends := split(toks[4:last], ":")
	if len(ends) != 2 || len(ends[0]) == 0 || len(ends[1]) == 0 {
		return nil, nil
	}
	index, least, greatest := toks[2].Value, expression(ends[0]), expression(ends[1])
	l.ranges[index] = least + ".." + greatest
	if least == "1" && isPlain(greatest) {
		l.ranges[index] = greatest
	}
	return toks[last+1:], append(slices.Clone(l.indices), index)
}

// statement writes a statement of a loop; false of what it cannot say.
func (l *loop) statement(toks []lexer.Token) bool {
	toks = withoutSemicolon(toks)
	switch value(toks, 0) {
	case "{":
		if shut(toks, 0) != len(toks)-1 {
			return false
		}
		for _, s := range divided(toks[1 : len(toks)-1]) {
			if !l.statement(s) {
				return false
			}
		}
		return true
	case "for":
		body, indices := l.head(toks)
		if body == nil {
			return false
		}
		around, before := l.indices, maps.Clone(l.writes)
		l.indices = indices
		ok := l.statement(body) && !l.readsPart(body, indices[len(indices)-1], before)
		l.indices = around
		return ok
	case "if":
		text, ok := chosen(toks)
		if ok && text != "" {
			l.lines = append(l.lines, "density sum("+l.over(l.indices)+") ("+text+")")
		}
		return ok && text != ""
	}
	a := assigned(toks)
	return l.term(toks) || l.grouped(a) || l.assign(a)
}

// chosen writes the terms of the log density that a condition chooses, `if (c[i] == 1) y[i] ~ normal(a, s); else target += …;`, as one; false where a part is no such term.
func chosen(toks []lexer.Token) (string, bool) {
	toks = withoutSemicolon(toks)
	if value(toks, 0) == "{" && shut(toks, 0) == len(toks)-1 {
		parts := divided(toks[1 : len(toks)-1])
		if len(parts) != 1 {
			return "", false
		}
		return chosen(parts[0])
	}
	if value(toks, 0) != "if" {
		return logTerm(toks)
	}
	last := -1
	if value(toks, 1) == "(" {
		last = shut(toks, 1)
	}
	if last < 0 || last+1 >= len(toks) {
		return "", false
	}
	then, otherwise := toks[last+1:], []lexer.Token(nil)
	depth := 0
	for n, t := range then {
		switch t.Value {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		case "else":
			if depth == 0 && otherwise == nil {
				then, otherwise = then[:n], then[n+1:]
			}
		}
	}
	if len(then) == 0 || value(then, 0) == "if" {
		return "", false
	}
	yes, ok := chosen(then)
	no := "0"
	if ok && otherwise != nil {
		no, ok = chosen(otherwise)
	}
	return "if " + expression(toks[2:last]) + " then " + yes + " else " + no, ok
}

// logTerm writes a statement that adds to the log density as an expression.
func logTerm(toks []lexer.Token) (string, bool) {
	inner := &foreignText{append(slices.Clone(toks), lexer.Token{Type: tokOp, Value: ";"})}
	lines := inner.stanTerm()
	if lines == nil {
		lines = inner.stanSample()
	}
	if lines == nil {
		return "", false
	}
	if term, ok := strings.CutPrefix(lines[0], "density "); ok {
		return term, true
	}
	left, form, _ := strings.Cut(lines[0], " ~ ")
	name, list, _ := strings.Cut(strings.TrimSuffix(form, ")"), "(")
	d := LookupDistribution(name)
	if _, _, whole := isCall(read(form).toks); d == nil || !whole { // it is truncated
		return "", false
	}
	bar := ""
	if list != "" {
		bar = " | "
	}
	return d.LogDensityName() + "(" + left + bar + list + ")", true
}

// term writes what has a distribution, or adds to the log density.
func (l *loop) term(toks []lexer.Token) bool {
	inner := &foreignText{append(slices.Clone(toks), lexer.Token{Type: tokOp, Value: ";"})}
	lines := inner.stanTerm()
	if lines == nil {
		lines = inner.stanSample()
	}
	if lines == nil {
		return false
	}
	if term, ok := strings.CutPrefix(lines[0], "density "); ok {
		l.lines = append(l.lines, "density sum("+l.over(l.indices)+") ("+term+")")
	} else {
		l.lines = append(l.lines, lines[0]+" for "+l.over(l.indices))
	}
	return true
}

// assign writes a definition of elements, by themselves or by those before them, or a sum.
func (l *loop) assign(a *assignment) bool {
	if a == nil {
		return false
	}
	names, ok := a.plainIndices()
	if !ok || slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(l.indices, name) }) {
		return false
	}
	left := "let " + a.name
	if len(names) > 0 {
		left += "[" + l.over(names) + "]"
	}
	if a.op == "+=" {
		return l.accumulate(a, left, names)
	}
	if len(names) != len(l.indices) {
		return false
	}
	if _, twice := l.defined[left]; twice {
		return false // it changes its value
	}
	l.defined[left] = len(l.lines)
	l.writes[a.name]++
	if a.recursive() {
		var elements []string
		for _, index := range a.indices {
			elements = append(elements, expression(index))
		}
		l.lines = append(l.lines, "let "+a.name+"["+strings.Join(elements, ", ")+"] = "+a.written()+" for "+l.over(names))
		return true
	}
	l.lines = append(l.lines, left+" = "+a.written())
	return true
}

// accumulate writes `mm[i] += x[i, j]` as the sum over the indices that are not on the left, of which there is one at least.
func (l *loop) accumulate(a *assignment, left string, names []string) bool {
	rest := slices.DeleteFunc(slices.Clone(l.indices), func(index string) bool { return slices.Contains(names, index) })
	if len(rest) == 0 || a.recursive() || a.link != "" {
		return false
	}
	l.writes[a.name]++
	l.summed[a.name] = rest
	sum := "sum(" + l.over(rest) + ") (" + a.written() + ")"
	at, begun := l.defined[left]
	if !begun {
		l.defined[left] = len(l.lines)
		l.lines = append(l.lines, left+" = "+sum)
		return true
	}
	if first := strings.TrimPrefix(l.lines[at], left+" = "); first != "0" && first != "0.0" {
		sum = first + " + " + sum
	}
	l.lines[at] = left + " = " + sum
	return true
}

// readsPart reports whether the body of a loop reads what it adds up, before the sum is complete.
func (l *loop) readsPart(body []lexer.Token, index string, before map[string]int) bool {
	for name, over := range l.summed {
		named := 0
		for _, t := range body {
			if t.Value == name {
				named++
			}
		}
		if slices.Contains(over, index) && named > l.writes[name]-before[name] {
			return true
		}
	}
	return false
}

// grouped writes `mm[g[i]] += x[i]` as the sums over the members of groups.
func (l *loop) grouped(a *assignment) bool {
	if a == nil || a.op != "+=" || len(a.indices) != 1 || a.recursive() || a.link != "" {
		return false
	}
	index := a.indices[0]
	if len(index) != 4 || value(index, 1) != "[" || value(index, 3) != "]" || len(l.indices) != 1 || index[2].Value != l.indices[0] {
		return false
	}
	group := "j"
	if group == l.indices[0] {
		group = "h"
	}
	l.writes[a.name]++
	l.summed[a.name] = l.indices
	l.lines = append(l.lines, "let "+a.name+"["+group+" in k] = sum("+l.over(l.indices)+") (if "+expression(index)+" == "+group+" then "+a.written()+" else 0)")
	return true
}

// startHint says what a sum in the place of `+=` leaves out, where it does not show where that starts.
func (f *foreignText) startHint() string {
	for n := 1; n+1 < len(f.toks); n++ {
		if f.toks[n].Value == "+" && f.toks[n+1].Value == "=" && f.toks[n-1].Value != "target" {
			return "; what it is before the loop, if that is not 0, is a term of the definition too"
		}
	}
	return ""
}

// addedHint is the hint on a line that adds to a name: the indices of the right side that the left side has not are those of the sum.
func (f *foreignText) addedHint() string {
	toks := withoutSemicolon(f.toks)
	if value(toks, 0) == "let" {
		toks = toks[1:]
	}
	const form = "a name has one definition, which holds the whole sum, as in `let total = sum(i in n) x[i]`: it does not change its value"
	if state := changedState(f.toks); state != "" {
		return state
	}
	a := assigned(toks)
	if value(toks, 0) == "for" && f.startHint() != "" {
		return form
	} else if a == nil || a.op != "+=" {
		return ""
	}
	l := &loop{ranges: map[string]string{}, defined: map[string]int{}, summed: map[string][]string{}, writes: map[string]int{}}
	for n := range a.right {
		name := a.right[n].Value
		if alone := value(a.right, n-1) == "[" || value(a.right, n-1) == ","; alone && a.right[n].Type == tokIdent && strings.Contains("],", value(a.right, n+1)) && l.ranges[name] == "" {
			l.ranges[name] = []string{"n", "k"}[min(1, len(l.indices))]
			l.indices = append(l.indices, name)
		}
	}
	if l.grouped(a) || l.assign(a) {
		if slices.ContainsFunc(l.lines, func(line string) bool { return !parses(line) }) {
			return ""
		}
		return "a name has one definition, which holds the whole sum: write `" + l.lines[0] + "`" + f.startHint()
	}
	return form
}

// divided are the statements of a body in braces: they end with semicolons, or with lines, as those of JAGS do.
func divided(toks []lexer.Token) (out [][]lexer.Token) {
	depth, start := 0, 0
	for n, t := range toks {
		switch t.Value {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		next := value(toks, n+1)
		ended := n+1 == len(toks) || t.Value == ";" && next != "else" || toks[n+1].Pos.Line > t.Pos.Line && !(t.Type == tokOp && !strings.Contains(")]}", t.Value)) && !strings.Contains("{+-*/~=<", next)
		ended = ended || t.Value == "}" && next != ";" && next != "else"
		if depth > 0 || !ended || t.Value == "else" || next == "else" || t.Value == ")" && headOnly(toks[start:n+1]) {
			continue
		}
		if t.Value != ";" || n > start {
			out = append(out, toks[start:n+1])
		}
		start = n + 1
	}
	return out
}

// headOnly reports whether tokens are the head of a loop or a condition, whose body is on the next line.
func headOnly(toks []lexer.Token) bool {
	return (value(toks, 0) == "for" || value(toks, 0) == "if") && value(toks, 1) == "(" && shut(toks, 1) == len(toks)-1
}
