package dsl_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/ebnf"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
)

// recogniser reads a text by the grammar that is printed, and by nothing else: alternatives in
// their order, repetitions as often as they go.
type recogniser struct {
	grammar map[string]*ebnf.Expression
	tokens  []lexer.Token
	known   map[place]int // where a production ends that starts there
}

type place struct {
	name string
	at   int
}

// fails is where something ends that the text does not have.
const fails = -1

func newRecogniser(t *testing.T) *recogniser {
	t.Helper()
	tree, err := ebnf.ParseString(dsl.Grammar())
	if err != nil {
		t.Fatalf("%v\n%s", err, dsl.Grammar())
	}
	r := &recogniser{grammar: map[string]*ebnf.Expression{}}
	for _, p := range tree.Productions {
		if r.grammar[p.Production] != nil {
			t.Errorf("there are two productions %s", p.Production)
		}
		r.grammar[p.Production] = p.Expression
	}
	return r
}

// accepts reports whether a text is a File of the grammar.
func (r *recogniser) accepts(text string) bool {
	r.tokens = slices.DeleteFunc(slices.Clone(dsl.Tokens(text)), func(t lexer.Token) bool { return dsl.IsTrivia(t.Type) })
	r.known = map[place]int{}
	return r.production("File", 0) == len(r.tokens)
}

// token returns where a token ends that starts there, if it is what is asked for.
func (r *recogniser) token(at int, fits func(lexer.Token) bool) int {
	if at < len(r.tokens) && fits(r.tokens[at]) {
		return at + 1
	}
	return fails
}

func (r *recogniser) production(name string, at int) int {
	if name == "Ident" {
		return r.token(at, dsl.IsName)
	}
	key := place{name, at}
	end, ok := r.known[key]
	if !ok {
		if r.grammar[name] == nil {
			panic("the grammar has no production " + name)
		}
		end = r.expression(r.grammar[name], at)
		r.known[key] = end
	}
	return end
}

func (r *recogniser) expression(e *ebnf.Expression, at int) int {
	for _, s := range e.Alternatives {
		if end := r.sequence(s, at); end != fails {
			return end
		}
	}
	return fails
}

func (r *recogniser) sequence(s *ebnf.Sequence, at int) int {
	for _, t := range s.Terms {
		if at = r.repeated(t, at); at == fails {
			return fails
		}
	}
	return at
}

func (r *recogniser) repeated(t *ebnf.Term, at int) int {
	end := r.term(t, at)
	switch t.Repetition {
	case "?", "*":
		if end == fails {
			return at
		}
	}
	if t.Repetition == "*" || t.Repetition == "+" {
		for next := end; next != fails; next = r.term(t, end) {
			end = next
		}
	}
	return end
}

func (r *recogniser) term(t *ebnf.Term, at int) int {
	end := fails
	switch {
	case t.Name != "":
		end = r.production(t.Name, at)
	case t.Literal != "":
		end = r.token(at, func(x lexer.Token) bool { return strconv.Quote(x.Value) == t.Literal })
	case t.Token != "":
		kind := dsl.Symbols[strings.ToUpper(t.Token[:1])+t.Token[1:]]
		end = r.token(at, func(x lexer.Token) bool { return x.Type == kind })
	default:
		end = r.expression(t.Group.Expr, at)
		switch {
		case t.Group.Lookahead == ebnf.LookaheadAssertionPositive && end != fails,
			t.Group.Lookahead == ebnf.LookaheadAssertionNegative && end == fails:
			return at
		case t.Group.Lookahead != ebnf.LookaheadAssertionNone:
			return fails
		}
	}
	if t.Negation {
		if end != fails || at == len(r.tokens) {
			return fails
		}
		return at + 1
	}
	return end
}

// arrow finds what is no comparison with a negative number, but an assignment of other languages: a grammar sees no blanks.
var arrow = regexp.MustCompile(`(?m)^[^/\n]*<-`)

// TestGrammar holds the grammar that is printed against the parser: both accept the same texts,
// of the corpora, and of those with words put in and taken out.
func TestGrammar(t *testing.T) {
	r := newRecogniser(t)
	// What a grammar does not say: limits, lengths of rows, and which functions take a `|`.
	beyond := map[dsl.Code]bool{dsl.TooLarge: true, dsl.TooDeep: true, dsl.BadNumber: true, dsl.RaggedMatrix: true}
	check := func(name, text string) bool {
		file, ds := dsl.Parse(name, text)
		if !utf8.ValidString(text) || arrow.MatchString(text) {
			return false
		}
		for _, d := range ds.List {
			if beyond[d.Code] || strings.HasSuffix(d.Message, "'|' is not part of the language here") {
				return false
			}
		}
		good := !slices.ContainsFunc(file.Statements, func(s *dsl.Statement) bool { return !s.Sound() })
		if got := r.accepts(text); got != good {
			t.Errorf("%s: the grammar accepts it: %v, the parser: %v\n%s%s", name, got, good, ds, numbered(text))
		}
		return good
	}
	for call, good := range map[string]bool{"(x | 0, 1)": true, "(x | 0)": true, "(x | 0 | 1)": false, "(x, 0 | 1)": false, "(| 1)": false} {
		if r.accepts("density normal_lpdf"+call+"\n") != good {
			t.Errorf("the grammar accepts %s: %v", call, !good)
		}
	}
	accepted, refused := 0, 0
	var models [][]string
	for _, s := range campaign.Sample(t, texts(t), 3) {
		if len(s.text) > 5000 {
			continue
		}
		if check(s.name, s.text) {
			accepted++
		} else {
			refused++
		}
		models = append(models, pieces.FindAllString(s.text, -1))
	}
	rng := rand.New(rand.NewPCG(8, 13))
	for range campaign.Cases(t, 600, 3000) {
		if check("a mutation", mutation(rng, models)) {
			accepted++
		} else {
			refused++
		}
		if t.Failed() {
			break
		}
	}
	if least := campaign.Cases(t, 200, 1000); accepted < least || refused < least {
		t.Errorf("%d texts were accepted and %d refused", accepted, refused)
	}
}
