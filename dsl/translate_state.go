package dsl

import (
	"fmt"
	"slices"

	"github.com/alecthomas/participle/v2/lexer"
)

// States that a program changes element by element, as models of learning have them: Q[a[t]] += r*(y[t] - Q[a[t]]), alone or in a loop over t. Here a state has a position for each time.

// changedState is what to write in the place of such a line; "" of another text.
func changedState(toks []lexer.Token) string {
	toks = withoutSemicolon(toks)
	if value(toks, 0) == "let" {
		toks = toks[1:]
	}
	along, upto := "", "T"
	lines := [][]lexer.Token{toks}
	if value(toks, 0) == "for" && value(toks, 1) == "(" && value(toks, 3) == "in" {
		head := shut(toks, 1)
		if head < 0 {
			return ""
		}
		along = value(toks, 2)
		if colon := slices.IndexFunc(toks[:head], func(t lexer.Token) bool { return t.Value == ":" }); colon > 0 {
			upto = expression(toks[colon+1 : head])
		}
		body := toks[head+1:]
		if value(body, 0) == "{" && shut(body, 0) == len(body)-1 {
			body = body[1 : len(body)-1]
		}
		lines = divided(body)
	}
	for _, line := range lines {
		a := assigned(withoutSemicolon(line))
		if a == nil || a.link != "" || a.op == "<-" || !(a.recursive() || a.op == "+=") {
			continue
		}
		if text := a.state(along, upto); text != "" {
			return "a state that changes has a position for each time: `let " + a.name + "[1, k in K] = 0`, and behind it `" + text + "`"
		}
	}
	return ""
}

// state is the part of a definition that changes what is assigned, at the index along; "" where no data name it.
func (a *assignment) state(along, upto string) string {
	for _, index := range a.indices {
		if last := len(index) - 2; last > 1 && value(index, 1) == "[" && value(index, last+1) == "]" && index[last].Type == tokIdent && (along == "" || index[last].Value == along) {
			along = index[last].Value
			break
		}
	}
	named := slices.ContainsFunc(a.indices, func(index []lexer.Token) bool { return value(index, 1) == "[" })
	if along == "" || !named || upto == along {
		return ""
	}
	placed := slices.ContainsFunc(a.indices, func(index []lexer.Token) bool { return value(index, 0) == along })
	var places string
	for n, index := range a.indices {
		if n > 0 {
			places += ", "
		}
		places += expression(index)
	}
	right := slices.Clone(a.right)
	if cut := slices.IndexFunc(right, func(t lexer.Token) bool { return t.Value == "for" }); cut > 0 {
		right = right[:cut]
	}
	before := places
	if placed { // its position is that of the time already
		if read := a.reads(right); read != "" {
			before = read
		}
	} else {
		before, places = along+", "+places, along+"+1, "+places
		for n := len(right) - 1; n > 0; n-- {
			if right[n].Value == "[" && right[n-1].Value == a.name {
				comma := lexer.Token{Type: tokOp, Value: ",", Pos: right[n].Pos}
				comma.Pos.Offset -= 1 // a blank before what follows
				right = slices.Insert(right, n+1, lexer.Token{Type: tokIdent, Value: along, Pos: right[n].Pos}, comma)
			}
		}
	}
	value := expression(right)
	if a.op == "+=" {
		value = fmt.Sprintf("%s[%s] + %s", a.name, before, value)
	}
	return fmt.Sprintf("let %s[%s] = %s for %s in 1..%s-1", a.name, places, value, along, upto)
}

// reads are the places of the first element of its own that an assignment reads; "" where it reads none.
func (a *assignment) reads(right []lexer.Token) string {
	for n := 0; n+1 < len(right); n++ {
		if right[n].Value == a.name && right[n+1].Value == "[" {
			if end := shut(right, n+1); end > 0 {
				return expression(right[n+2 : end])
			}
		}
	}
	return ""
}
