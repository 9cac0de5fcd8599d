package dsl

import (
	"fmt"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// Heads of functions as Stan writes them, `real f_lpdf(vector y, real mu, real s) {`, and as log densities are called, `func f_lpdf(y | mu, s) = …`.

// argumentTypes are types of arguments in Stan, and how they are declared here.
var argumentTypes = map[string]string{"real": "real", "int": "int", "vector": "real[n]", "row_vector": "real[n]", "matrix": "real[n, k]", "complex": ""}

// foreignHead is the head of a function with a type before its name, as it is written here; "" of another text.
func foreignHead(toks []lexer.Token) string {
	open := -1
	for n, t := range toks {
		if t.Value == "(" {
			open = n
			break
		}
	}
	end := shut(toks, open)
	if open < 2 || end < 0 || toks[open-1].Type != tokIdent {
		return ""
	}
	var args []string
	start := open + 1
	depth := 0
	for n := start; n <= end; n++ {
		switch t := toks[n].Value; {
		case t == "[" || t == "(":
			depth++
		case depth > 0 && (t == "]" || t == ")"):
			depth--
		case depth == 0 && (t == "," || t == "|" || n == end):
			if n > start {
				arg := foreignArgument(toks[start:n])
				if arg == "" {
					return ""
				}
				args = append(args, arg)
			}
			start = n + 1
		}
	}
	return "func " + toks[open-1].Value + "(" + strings.Join(sharedTypes(args), ", ") + ")"
}

// foreignArgument is an argument with its type before its name, `array[] real x`, as it is declared here; "" of another text.
func foreignArgument(toks []lexer.Token) string {
	data := ""
	if value(toks, 0) == "data" {
		data, toks = "data ", toks[1:]
	}
	name := value(toks, len(toks)-1)
	if len(toks) < 2 || toks[len(toks)-1].Type != tokIdent {
		return ""
	}
	dims, base := 0, ""
	for _, t := range toks[:len(toks)-1] {
		switch {
		case t.Value == "[" || t.Value == ",":
			dims++
		case argumentTypes[t.Value] != "":
			base = argumentTypes[t.Value]
		}
	}
	if base == "" || dims > 2 {
		return ""
	}
	if dims > 0 {
		own, _, _ := strings.Cut(base, "[")
		sizes := []string{"n", "k", "m", "l"}
		base = own + "[" + strings.Join(sizes[:dims+strings.Count(argumentTypes[baseWord(toks)], ",")+strings.Count(argumentTypes[baseWord(toks)], "[")], ", ") + "]"
	}
	return data + name + " " + base
}

// baseWord is the word of the type of an argument.
func baseWord(toks []lexer.Token) string {
	for _, t := range toks {
		if argumentTypes[t.Value] != "" {
			return t.Value
		}
	}
	return ""
}

// sharedTypes are arguments of which those of one type that follow one another have it once.
func sharedTypes(args []string) (out []string) {
	for n, a := range args {
		name, typ, _ := strings.Cut(a, " ")
		if n+1 < len(args) && name != "data" {
			next, also, _ := strings.Cut(args[n+1], " ")
			if next != "data" && also == typ {
				out = append(out, name)
				continue
			}
		}
		out = append(out, a)
	}
	return out
}

// barHint is the hint on a `|` among the arguments of a function that is declared; "" elsewhere.
func (p *parser) barHint() string {
	line := withoutTrivia(append(p.line(), p.rest()...))
	if value(line, 0) != "func" || value(line, 2) != "(" || shut(line, 2) < 0 {
		return ""
	}
	inside := line[3:shut(line, 2)]
	var text []string
	typed := false
	for _, t := range inside {
		typed = typed || isType(t.Value)
		if t.Value == "|" {
			t.Value = ","
		}
		text = append(text, t.Value)
	}
	args := strings.ReplaceAll(strings.ReplaceAll(strings.Join(text, " "), " ,", ","), " [ ", "[")
	args = strings.ReplaceAll(args, " ]", "]")
	if !typed {
		args += " real"
	}
	return fmt.Sprintf("a declaration has commas, and a call the bar: write `func %s(%s) = …`, and then `%[1]s(y | …)` or `y ~ %[3]s(…)`", line[1].Value, args, strings.TrimSuffix(strings.TrimSuffix(line[1].Value, "_lpdf"), "_lpmf"))
}
