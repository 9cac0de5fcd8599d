package dsl

import (
	"slices"

	"github.com/alecthomas/participle/v2/lexer"
)

// Sums over some of the values of an index, as other languages have them: sum(i in n where g[i] == k), sum(x[i] for i in n if g[i] == k). A condition in
// the body says the same here.

// reductionsByHand are the words for sums and their like in front of a bracket, with what is added where a condition does not hold.
var reductionsByHand = map[string]string{"sum": "0", "log_sum_exp": "log(0)", "max": "log(0)", "min": "-log(0)"}

// filteredHint is what stands in the place of a sum whose condition, or whose range behind its body, stands at the next token; "" where there is none.
func (p *parser) filteredHint() string {
	word := p.peek()
	open := p.open()
	if len(open) == 0 {
		if word.Value == "where" && p.afterValue() && !p.afterDistribution() {
			return "a condition stands in the body: `sum(i in n) (if g[i] == k then x[i] else 0)`"
		}
		return ""
	}
	bracket := open[len(open)-1]
	name := p.calledAt(bracket)
	other, ok := reductionsByHand[name]
	if !ok {
		return ""
	}
	line := withoutTrivia(slices.Concat(p.line(), p.rest()))
	at := slices.IndexFunc(line, func(t lexer.Token) bool { return t.Pos.Offset == bracket.Pos.Offset })
	here := slices.IndexFunc(line, func(t lexer.Token) bool { return t.Pos.Offset == word.Pos.Offset })
	last := shut(line, at)
	if at < 0 || here <= at+1 || last <= here {
		return ""
	}
	inside, behind := line[at+1:here], line[here+1:last]
	if word.Value == "for" {
		ranges, condition := behind, []lexer.Token(nil)
		if n := slices.IndexFunc(behind, func(t lexer.Token) bool { return t.Value == "if" || t.Value == "where" }); n >= 0 {
			ranges, condition = behind[:n], behind[n+1:]
		}
		if !isRanges(ranges) {
			return ""
		}
		return "write `" + name + "(" + expression(ranges) + ") " + filtered(inside, condition, other) + "`"
	}
	if !isRanges(inside) || len(behind) == 0 {
		return ""
	}
	body := factors(line[last+1:])
	if len(body) == 0 {
		return ""
	}
	return "write `" + name + "(" + expression(inside) + ") " + filtered(body, behind, other) + "`"
}

// filtered is the body of a sum under a condition.
func filtered(body, condition []lexer.Token, other string) string {
	text := expression(body)
	if len(condition) == 0 {
		if len(factors(body)) < len(body) {
			return "(" + text + ")"
		}
		return text
	}
	return "(if " + expression(condition) + " then " + text + " else " + other + ")"
}

// isRanges reports whether tokens begin as an index with its range does.
func isRanges(toks []lexer.Token) bool {
	return len(toks) > 2 && toks[0].Type == tokIdent && toks[1].Value == "in"
}

// factors are the tokens of a product, which ends before a sum, a comma or a closing bracket.
func factors(toks []lexer.Token) []lexer.Token {
	depth := 0
	for n, t := range toks {
		switch t.Value {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		if depth < 0 || depth == 0 && n > 0 && (t.Value == "+" || t.Value == "-" || t.Value == "," || t.Value == "~" || t.Value == "for") {
			return toks[:n]
		}
	}
	return toks
}
