package dsl

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// semicolon is a statement without the `;` that ends it; nil if none does.
func (f *foreignText) semicolon() []lexer.Token {
	n := len(f.toks) - 1
	if n < 1 || f.toks[n].Value != ";" {
		return nil
	}
	return f.toks[:n]
}

// stanTerm reads `target += normal_lpdf(y | a, s);`.
func (f *foreignText) stanTerm() []string {
	toks := f.toks
	if n := len(toks) - 1; n > 0 && toks[n].Value == ";" {
		toks = toks[:n]
	}
	if value(toks, 0) != "target" || value(toks, 1) != "+" || value(toks, 2) != "=" || len(toks) < 4 {
		return nil
	}
	toks = toks[3:]
	if name, args, ok := isCall(toks); ok && len(args) > 0 {
		for _, suffix := range []string{"_lpdf", "_lpmf", "_lupdf", "_lupmf"} {
			dist, is := strings.CutSuffix(name, suffix)
			first := split(args[0], "|")
			if !is || LookupDistribution(dist) == nil || len(first) == 0 || len(first) > 2 {
				continue
			}
			rest := args[1:]
			if len(first) == 2 {
				rest = append([][]lexer.Token{first[1]}, rest...)
			}
			if form, ok := foreignCall(dist, rest); ok {
				return []string{expression(first[0]) + " ~ " + form}
			}
		}
	}
	return []string{"density " + expression(toks)}
}

// stanSample reads `tau ~ cauchy(0, 5) T[0, ];`, and JAGS's `tau ~ dnorm(0, 1) T(0, )`.
func (f *foreignText) stanSample() []string {
	toks := f.semicolon()
	if toks == nil {
		toks = f.toks
	}
	sides := split(toks, "~")
	if len(sides) != 2 || len(sides[0]) == 0 || len(sides[1]) < 3 {
		return nil
	}
	right := sides[1]
	if right[1].Value == "." && !modules[right[0].Value] { // car.normal is no normal
		return nil
	}
	var ends [][]lexer.Token
	last := shut(right, 1)
	if last < 0 {
		return nil
	}
	if rest := right[last+1:]; value(rest, 0) == "T" && len(rest) > 2 && shut(rest, 1) == len(rest)-1 {
		ends = split(rest[2:len(rest)-1], ",")
	} else if len(rest) > 0 {
		return nil
	} else if f.semicolon() == nil && !positionsOfBUGS(toks) {
		return nil
	}
	name, args, ok := isCall(right[:last+1])
	if !ok {
		return nil
	}
	form, ok := foreignCall(name, args)
	if !ok {
		form = expression(right[:last+1])
	}
	for len(ends) < 2 {
		ends = append(ends, nil)
	}
	interval := between(expression(ends[0]), expression(ends[1]))
	if d := LookupDistribution(strings.TrimSpace(strings.SplitN(form, "(", 2)[0])); d != nil && d.Support.Discrete() {
		interval = upTo(expression(ends[0]), expression(ends[1]))
	}
	return []string{strings.TrimSpace(expression(sides[0]) + " ~ " + form + " " + interval)}
}

// positionsOfBUGS reports whether tokens have subscripts of BUGS: x[], X[i,], x[1:k].
func positionsOfBUGS(toks []lexer.Token) bool {
	for n, t := range toks {
		if t.Value == "[" && strings.Contains("],", value(toks, n+1)) || t.Value == "," && value(toks, n+1) == "]" || t.Value == ":" {
			return true
		}
	}
	return false
}

// stanTypes are the types of Stan that take sizes, and what they are here.
var stanTypes = map[string]string{"vector": "real", "row_vector": "real", "matrix": "real", "simplex": "simplex", "ordered": "ordered", "positive_ordered": "positive_ordered",
	"unit_vector": "unit_vector", "sum_to_zero_vector": "sum_to_zero", "corr_matrix": "corr", "cov_matrix": "cov", "cholesky_factor_corr": "corr_cholesky",
	"cholesky_factor_cov": "cov_cholesky", "real": "real", "int": "int"}

// stanDeclaration reads `real<lower=0> s;`, `array[n] int<lower=0, upper=1> d;` and their kind.
func (f *foreignText) stanDeclaration() []string {
	toks := f.semicolon()
	var sizes []string
	take := func() bool { // sizes in brackets
		if value(toks, 0) != "[" {
			return true
		}
		last := shut(toks, 0)
		if last < 0 {
			return false
		}
		for _, s := range split(toks[1:last], ",") {
			sizes = append(sizes, expression(s))
		}
		toks = toks[last+1:]
		return true
	}
	if value(toks, 0) == "array" {
		if toks = toks[1:]; !take() {
			return nil
		}
	}
	base, ok := stanTypes[value(toks, 0)]
	if !ok {
		return nil
	}
	word := toks[0].Value
	toks = toks[1:]
	outer := sizes
	sizes = nil
	bound, whole, moved, ok := stanBound(&toks, base)
	if !ok || !take() || len(toks) == 0 || toks[0].Type != tokIdent || isKeyword(toks[0].Value) {
		return nil
	}
	sizes = append(outer, sizes...)
	name := toks[0].Value
	toks = toks[1:]
	if value(toks, 0) == "=" { // a definition
		return []string{"let " + name + " = " + expression(toks[1:])}
	}
	names := name
	for value(toks, 0) == "," && len(toks) > 1 {
		names += ", " + toks[1].Value
		toks = toks[2:]
	}
	element := sizes
	sizes = nil
	if !take() || len(toks) > 0 { // the old form, `real x[n]`, where the sizes of an array stand behind its name
		return nil
	}
	sizes = append(sizes, element...)
	typ := base
	if len(sizes) > 0 {
		typ += "[" + strings.Join(sizes, ", ") + "]"
	}
	if word == "int" && len(sizes) == 0 && bound == " >= 1" {
		bound = ""
	}
	switch {
	case base == "int" && whole:
		return []string{"data " + names + " " + typ + bound}
	case (base == "int" || base == "cov" || base == "real") && !moved:
	default:
		return []string{"param " + names + " " + typ + bound}
	}
	if base == "int" {
		return []string{"data " + names + " " + typ + bound}
	}
	return []string{"data " + names + " " + typ + bound, "param " + names + " " + typ + bound}
}

// stanBound reads `<lower=0, upper=1>`; it is whole where a set of whole numbers is meant, and moved where it is the coordinates that have an offset or a multiplier.
func stanBound(toks *[]lexer.Token, base string) (bound string, whole, moved, ok bool) {
	if value(*toks, 0) != "<" {
		return "", false, false, true
	}
	last := slices.IndexFunc(*toks, func(t lexer.Token) bool { return t.Value == ">" })
	if last < 0 {
		return "", false, false, false
	}
	var lower, upper string
	for _, part := range split((*toks)[1:last], ",") {
		switch value(part, 0) {
		case "lower":
			lower = expression(part[min(2, len(part)):])
		case "upper":
			upper = expression(part[min(2, len(part)):])
		case "offset", "multiplier":
			moved = true
		default:
			return "", false, false, false
		}
	}
	*toks = (*toks)[last+1:]
	switch {
	case base == "int" && lower == "0" && upper == "1":
		return " in {0, 1}", true, false, true
	case base == "int" && upTo(lower, upper) != "":
		return " " + upTo(lower, upper), true, false, true
	case between(lower, upper) == "":
		return "", false, moved, moved || lower != "" || upper != ""
	}
	return " " + between(lower, upper), false, false, !moved
}

// coordinates reads `param q real[n] <offset=mu, multiplier=tau>`, of those who have the declaration already.
func (f *foreignText) coordinates() []string {
	at := slices.IndexFunc(f.toks, func(t lexer.Token) bool { return t.Value == "offset" || t.Value == "multiplier" })
	if value(f.toks, 0) != "param" || at < 4 || value(f.toks, at+1) != "=" {
		return nil
	}
	head := f.toks[:at]
	if head[at-1].Value == "<" {
		head = head[:at-1]
	}
	return []string{expression(head)}
}

// coordinatesHint says what an offset and a multiplier are here: they change coordinates and no density.
func (f *foreignText) coordinatesHint(lines []string) string {
	var how string
	for n, t := range f.toks {
		if (t.Value == "offset" || t.Value == "multiplier") && value(f.toks, n+1) == "=" && strings.HasPrefix(lines[0], "param ") {
			rest := f.toks[n+2:]
			if end := slices.IndexFunc(rest, func(t lexer.Token) bool { return t.Value == ">" }); end >= 0 {
				rest = rest[:end]
			}
			if parts := split(rest, ","); len(parts) > 0 {
				how += " " + t.Value + " " + expression(parts[0])
			}
		}
	}
	if how == "" {
		return ""
	}
	return ": hamc finds coordinates itself; `" + lines[0] + how + "` keeps Stan's, of the same density"
}

// stanValue reads `mu = a + b*x;`.
func (f *foreignText) stanValue() []string {
	toks := f.semicolon()
	if len(toks) < 3 || toks[0].Type != tokIdent || isKeyword(toks[0].Value) || toks[1].Value != "=" {
		return nil
	}
	return []string{"let " + toks[0].Value + " = " + expression(toks[2:])}
}
