package dsl

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// Statements that a condition chooses, and distributions that one chooses, are terms of the log density:
//
//	if d[i] == 1 then y[i] ~ normal(a, s) else y[i] ~ normal(b, s) for i in n
//	y[i] ~ (if d[i] == 1 then normal(a, s) else normal(b, s)) for i in n

// choice reads them.
func (f *foreignText) choice() []string {
	toks := withoutSemicolon(f.toks)
	var left []lexer.Token
	if sides := split(toks, "~"); value(toks, 0) != "if" {
		if len(sides) != 2 || len(sides[0]) == 0 {
			return nil
		}
		left, toks = sides[0], sides[1]
		if last := -1; value(toks, 0) == "(" && value(toks, 1) == "if" {
			if last = shut(toks, 0); last < 0 {
				return nil
			}
			toks = slices.Concat(toks[1:last], toks[last+1:])
		}
	}
	if value(toks, 0) != "if" {
		return nil
	}
	toks = toks[1:]
	ranges := ""
	if parts := split(toks, "for"); len(parts) == 2 && isRanges(parts[1]) {
		toks, ranges = parts[0], expression(parts[1])
	}
	text, ok := choiceText(left, toks)
	if !ok {
		return nil
	}
	if at := slices.IndexFunc(f.toks, func(t lexer.Token) bool { return t.Value == "~" }); ranges == "" && at > 3 && f.toks[at-1].Value == "]" && f.toks[at-3].Value == "[" && f.toks[at-2].Type == tokIdent {
		ranges = f.toks[at-2].Value + " in n"
	}
	if ranges == "" {
		return []string{"density " + text}
	}
	return []string{"density sum(" + ranges + ") (" + text + ")"}
}

// choiceText is a conditional whose parts are terms, of what stands behind its `if`. Its parts are distributions of what is on the left, or statements where that is nil.
func choiceText(left, toks []lexer.Token) (string, bool) {
	var condition, rest []lexer.Token
	if parts := split(toks, "then"); len(parts) > 1 {
		condition, rest = parts[0], toks[len(parts[0])+1:]
	} else if last := shut(toks, 0); value(toks, 0) == "(" && last > 0 {
		condition, rest = toks[1:last], toks[last+1:]
	}
	parts := split(rest, "else")
	if len(condition) == 0 || len(parts) == 0 {
		return "", false
	}
	yes, ok := termText(left, parts[0])
	no := "0"
	if ok && len(parts) > 1 {
		if other := rest[len(parts[0])+1:]; value(other, 0) == "if" {
			no, ok = choiceText(left, other[1:])
		} else {
			no, ok = termText(left, other)
		}
	}
	return "if " + expression(condition) + " then " + yes + " else " + no, ok
}

// termText is the log density of a distribution of what is on the left, or of a statement y ~ D(…) where that is nil.
func termText(left, toks []lexer.Token) (string, bool) {
	if left == nil {
		sides := split(toks, "~")
		if len(sides) != 2 || len(sides[0]) == 0 {
			return "", false
		}
		left, toks = sides[0], sides[1]
	}
	_, args, ok := isCall(toks)
	if !ok {
		return "", false
	}
	form, ok := foreignCall(toks[0].Value, args)
	if !ok {
		return "", false
	}
	name, list, _ := strings.Cut(strings.TrimSuffix(form, ")"), "(")
	bar := ""
	if list != "" {
		bar = " | "
	}
	return LookupDistribution(name).LogDensityName() + "(" + expression(left) + bar + list + ")", true
}
