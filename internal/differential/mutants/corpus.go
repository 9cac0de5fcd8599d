package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// An origin is a model that mutants descend from.
type origin struct {
	name   string // file, and the model's name or number there
	text   string
	tokens []string
}

// unmutated stands in a model that takes about as long itself as a mutant may, or does with the options or the metric of some: whether one of its
// mutants is in time is chance.
const unmutated = ": no mutants"

// corpus returns the models of the repository in a directory: files of examples, of the
// paper's experiments and of the tests, correct models of the front end's tests, and those of the documentation.
func corpus(root string) ([]origin, error) {
	var all []origin
	add := func(name, text string) {
		all = append(all, origin{name: name, text: text, tokens: tokens(text)})
	}
	for _, dir := range []string{"examples/*.ham", "examples/*/*.ham", "paper/*.ham", "internal/differential/testdata/models/*.ham", "internal/benchmarks/*/*.ham",
		"internal/benchmarks/*/*/*.ham", "dsl/testdata/good/*.txt", "README.md", "docs/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir)))
		if err != nil || len(files) == 0 {
			return nil, fmt.Errorf("no models in %s: %v", filepath.Join(root, dir), err)
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			name, text := strings.TrimPrefix(filepath.ToSlash(file), filepath.ToSlash(root)+"/"), strings.ReplaceAll(string(b), "\r\n", "\n")
			switch filepath.Ext(file) {
			case ".ham":
				if !strings.Contains(text, unmutated) {
					add(name, text)
				}
			case ".txt":
				heads := head.FindAllStringSubmatch(text, -1)
				for i, part := range head.Split(text, -1)[1:] {
					add(name+"/"+heads[i][1], part)
				}
			case ".md":
				for i, part := range fenced(text) {
					add(fmt.Sprintf("%s/%d", name, i+1), part)
				}
			}
		}
	}
	return all, nil
}

var (
	head  = regexp.MustCompile(`(?m)^-- (\S+).* --\n`)
	fence = regexp.MustCompile("(?ms)^```ham[^\n]*\n(.*?)^```")
	named = regexp.MustCompile(`(?m)^model `)
)

// fenced returns the models of a page. A block without a line `model` continues the first one.
func fenced(page string) []string {
	var out []string
	first := ""
	for _, m := range fence.FindAllStringSubmatch(page, -1) {
		switch {
		case !named.MatchString(m[1]):
			out = append(out, first+m[1])
		case first == "":
			first = m[1]
			fallthrough
		default:
			out = append(out, m[1])
		}
	}
	return out
}

// token is the lexer's idea of a token, with blanks, comments and line ends as tokens of their own.
var token = regexp.MustCompile(`//[^\n]*|(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?|[A-Za-z_]\w*|\.\.|\.[*/^]|[<>=!]=|[ \t]+|\n|[\s\S]`)

// tokens splits a text; joined they are the text.
func tokens(text string) []string { return token.FindAllString(text, -1) }

// A kind of token.
type kind int

// The kinds.
const (
	blank kind = iota // and comments
	line              // end
	number
	word
	name // a word that is no keyword
	operator
)

// keywords of the language, and the words that are known in some place of it.
var keywords = strings.Fields("model data const param let density metric block ode func generate for in int real cov over solve from at fisher identity hessian softabs")

func kindOf(s string) kind {
	switch c := s[0]; {
	case c == '\n':
		return line
	case c == ' ' || c == '\t' || strings.HasPrefix(s, "//"):
		return blank
	case c >= '0' && c <= '9' || c == '.' && len(s) > 1 && s[1] >= '0' && s[1] <= '9':
		return number
	case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		if slices.Contains(keywords, s) {
			return word
		}
		return name
	}
	return operator
}
