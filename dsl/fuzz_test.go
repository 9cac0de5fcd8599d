package dsl_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/internal/processor"
)

// FuzzLoad checks what holds for every text: no panic, an answer in time, a
// model exactly if there is no error, messages that point into the text,
// the same answer twice, and a tree that keeps every character.
//
//	go test ./dsl -run NONE -fuzz FuzzLoad -fuzztime 1m
func FuzzLoad(f *testing.F) {
	// Of texts that other tests load too, TestBad, TestGood and TestLossless, a short campaign has a sample.
	for _, dir := range []string{"bad", "good"} {
		for _, s := range campaign.Sample(f, corpus(f, dir), 6) {
			f.Add(s.text)
		}
	}
	examples, err := filepath.Glob("../examples/*.ham")
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range examples {
		text, err := os.ReadFile(e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, h := range campaign.Sample(f, hard, 8) {
		if len(h.text) < 50_000 {
			f.Add(h.text)
		}
	}
	f.Add(dsl.Bundle("model m\nimport a\nparam x real\nx ~ normal(f(x), 1)\n", []dsl.Import{{Name: "a.ham", Text: "import b\nfunc f(x real) = g(x) + y\n"}, {Name: "b.ham", Text: "import a\nfunc g(x real) = x"}}))
	f.Fuzz(answers)
}

// answers checks what FuzzLoad says of one text.
func answers(t *testing.T, text string) {
	start := processor.Time()
	m, ds := dsl.Load("fuzz.ham", text, dsl.Options{})
	out := ds.String()
	// Far above what any text needs.
	if d := processor.Time() - start; len(text) < 100_000 && d > 10 {
		t.Errorf("%d bytes took %.1f s", len(text), d)
	}
	if (m == nil) != ds.HasErrors() {
		t.Errorf("model %v, errors %v", m != nil, ds.HasErrors())
	}
	if utf8.ValidString(text) && !utf8.ValidString(out) {
		t.Errorf("the messages are not UTF-8: %q", out)
	}
	if m != nil {
		wellFormed(t, m)
	}
	inside := func(what string, s dsl.Span) {
		_, text := ds.Place(s.Pos)
		lines := strings.Split(text, "\n")
		// The end of a line counts as a place.
		if s.Pos.Line < 1 || s.Pos.Line > len(lines) || s.Pos.Col < 1 || s.Len < 1 ||
			s.Pos.Col > utf8.RuneCountInString(lines[s.Pos.Line-1])+1 {
			t.Errorf("%s points at %v, outside the text", what, s)
		}
	}
	known := map[dsl.Code]bool{}
	for _, e := range dsl.Catalogue {
		known[e.Code] = true
	}
	for _, d := range ds.List {
		if d.Message == "" || !known[d.Code] || (d.Severity == dsl.Warning) != (d.Code[0] == 'W') {
			t.Errorf("malformed diagnostic %+v", d)
		}
		inside(d.Message, d.Span)
		for _, n := range d.Notes {
			inside(n.Message, n.Span)
		}
	}
	if _, again := dsl.Load("fuzz.ham", text, dsl.Options{}); again.String() != out {
		t.Errorf("two runs differ:\n%s\n%s", out, again)
	}
	lossless(t, text)
}

// wellFormed checks what later passes take for granted in a model: its names
// are resolved, its expressions have types, its blocks share out the parameters.
func wellFormed(t *testing.T, m *dsl.Model) {
	if len(m.Params) == 0 || len(m.Terms) == 0 || len(m.Blocks) == 0 {
		t.Errorf("%d parameters, %d terms, %d blocks", len(m.Params), len(m.Terms), len(m.Blocks))
	}
	m.Demands()
	c := &formed{t: t, seen: map[dsl.Expr]bool{}}
	c.definitions(m)
	for _, s := range m.Solves {
		if s.Times == nil || len(s.Times.Type.Shape) != 1 && (s.Index == nil || len(s.Times.Type.Shape) != 2) {
			c.t.Errorf("the times of %s are %v", s.ObjectName(), s.Times)
		}
		c.required("a start", []dsl.Expr{s.From}, 1)
		c.required("initial values", s.Init, len(s.Ode.States))
		c.required("arguments", s.Args, len(s.Ode.Args))
		c.required("right sides", s.Ode.Rhs, len(s.Ode.States))
	}
	for _, x := range m.Terms {
		c.all(x.Left, x.Value)
		c.all(x.Args...)
	}
	c.blocks(m)
}

// formed is what wellFormed has seen of a model.
type formed struct {
	t      *testing.T
	seen   map[dsl.Expr]bool
	bodies int // of functions around what is visited
}

// all checks expressions, of which some may be nil.
func (c *formed) all(list ...dsl.Expr) {
	for _, e := range list {
		c.visit(e)
	}
}

// visit checks an expression. Optional parts are nil; an interface that holds a nil pointer is not.
func (c *formed) visit(e dsl.Expr) {
	if e == nil || c.seen[e] {
		return
	}
	c.seen[e] = true
	if e.Type().Base == dsl.Invalid {
		c.t.Errorf("%v: an expression without a type (%T)", e.Span(), e)
	}
	switch e := e.(type) {
	case *dsl.Name:
		if e.Obj == nil {
			c.t.Errorf("the name %s is not resolved", e.Name)
		}
	case *dsl.IndexExpr:
		if len(e.Subscripts) != len(e.Args) && e.Args != nil {
			c.t.Errorf("%d subscripts of %d", len(e.Subscripts), len(e.Args))
		}
		c.visit(e.Base)
	case *dsl.CallExpr:
		c.call(e)
	case *dsl.UnaryExpr:
		c.visit(e.X)
	case *dsl.BinaryExpr:
		c.all(e.X, e.Y)
	case *dsl.IfExpr:
		c.all(e.Cond, e.Then, e.Else)
	case *dsl.SumExpr:
		if e.Terms != nil { // the body is not checked
			c.visit(e.Terms)
			break
		}
		c.visit(e.Body)
	case *dsl.MatrixExpr:
		for _, row := range e.Rows {
			c.all(row...)
		}
	case *dsl.FieldExpr:
		if e.Solve == nil || e.State < 0 || e.State >= len(e.Solve.Ode.States) || e.Solve.Ode.States[e.State].ObjectName() != e.Field {
			c.t.Errorf("the component %s is not resolved", e.Field)
		}
	case *dsl.SolveExpr:
		c.t.Error("a solution in an expression")
	}
}

// call checks a call: of a function or a density, which are known, or of one that is inlined.
func (c *formed) call(e *dsl.CallExpr) {
	if e.Inlined != nil {
		c.bodies++
		for _, l := range e.Inlined.Lets {
			c.visit(l.Value)
		}
		c.visit(e.Inlined.Value)
		c.bodies--
		return
	}
	if e.Fn == nil && e.Density == nil && e.Draws == nil {
		c.t.Errorf("the function %s is not resolved", e.Func)
	}
	if e.Func == "delta" {
		fixed := 0 // of one of two the position may be; in the body of a function of both
		for _, s := range e.Subscripts {
			if s.Index == nil && s.Gather == nil {
				fixed++
			}
		}
		if len(e.Subscripts) != 2 || fixed > 1 && c.bodies == 0 {
			c.t.Errorf("the subscripts of delta are %v", e.Subscripts)
		}
		return
	}
	for _, a := range e.Args {
		c.visit(a.Expr)
	}
}

// required checks expressions of which none may be nil.
func (c *formed) required(what string, list []dsl.Expr, n int) {
	if len(list) != n || slices.Contains(list, nil) {
		c.t.Errorf("%s: %v, want %d", what, list, n)
	}
	c.all(list...)
}

// definitions checks the definitions of a model, and its quantities.
func (c *formed) definitions(m *dsl.Model) {
	definitions := slices.Clone(m.Lets)
	for _, q := range m.Quantities {
		definitions = append(definitions, &q.Let)
	}
	for _, l := range definitions {
		c.required(l.ObjectName(), l.Values(), len(l.Values()))
		if r := l.Recursion; r != nil {
			for n, m := range dsl.ToFront(r, l.Type.Shape)[1:] {
				for _, s := range r.Starts {
					if len(s.Indices) != len(l.Type.Shape)-1 || s.Indices[n].Range.Hi != m {
						c.t.Errorf("a part of %s has the indices %v", l.ObjectName(), s.Indices)
					}
				}
			}
			if circle := r.Circle; circle != nil && !slices.Contains(circle.Members, l) {
				c.t.Errorf("%s is none of its circle", l.ObjectName())
			}
		}
	}
}

// blocks checks that the blocks of a model share out its parameters, and their metrics.
func (c *formed) blocks(m *dsl.Model) {
	held := map[*dsl.Param]int{}
	for _, b := range m.Blocks {
		for _, p := range b.Params {
			held[p]++
		}
		if len(b.Metric) == 0 {
			c.t.Errorf("the block %q has no metric", b.ObjectName())
		}
		for _, x := range b.Metric {
			c.all(x.Scale, x.Value, x.Alpha)
			c.all(x.Args...)
			if x.Matrix != nil {
				c.visit(x.Matrix)
			}
			for _, e := range x.Blocks {
				if !b.Holds(e.Row) || !b.Holds(e.Col) {
					c.t.Errorf("an entry of %s and %s in the block %q", e.Row.ObjectName(), e.Col.ObjectName(), b.ObjectName())
				}
				c.required("an entry", []dsl.Expr{e.Value}, 1)
			}
		}
	}
	for _, p := range m.Params {
		if held[p] != 1 {
			c.t.Errorf("the parameter %s is in %d blocks", p.ObjectName(), held[p])
		}
	}
}

// words are pieces of models: the alphabet of FuzzWords and TestMutations.
var words = append([]string{"|", "normal_lpdf(y | x, 1)"}, strings.Split("model m|data|const|param|let|density|metric|block|ode|func|generate|for|in|int|real|cov|over|solve|from|at|sum|delta|normal_rng(|generate {\n|z = |"+
	"fisher|identity|hessian|softabs|diag|inverse|normal|gamma|inv_chi_square|scaled_inv_chi_square|exp|dot|size|"+
	"x|y|v|r|k|t|s|f|n|i|j|T|S|0|1|2|0.5|1e9|alpha|prior|expected|"+
	"(|)|[|]|{|}|,|;|:|.|..|=|~|'|+|-|*|/|^|.*|<|>|//|#|\n|\n|\n|\r\n|  |\t|"+
	"s.v|s.v[i]|v' = |v' = -v*x\n|f(v = 1|f(v, r; k)|over t {\n|}\n|metric[x[i], x[j]] = |delta(i, j+1)|for i in n|"+
	"\nmodel m\ndata n int\ndata t, y real[n]\nparam x real\n|\node f(v) {\n|\nlet s = solve f(v = x) from 0 at t\n|\nblock a(x) metric |\ny ~ normal(s.v, 1)\n|x ~ normal(0, 1)\n", "|")...)

// FuzzWords is FuzzLoad of texts made of whole words, one for each byte: what
// bytes alone seldom spell.
func FuzzWords(f *testing.F) {
	all := make([]byte, len(words))
	for i := range all {
		all[i] = byte(i)
	}
	f.Add(all)
	f.Add(all[len(all)-7:]) // a model
	f.Add(all[len(all)-17:])
	f.Fuzz(func(t *testing.T, spelled []byte) {
		answers(t, spell(spelled))
	})
}

// spell joins words, with blanks at bytes of the upper half.
func spell(spelled []byte) string {
	var b strings.Builder
	for _, c := range spelled[:min(len(spelled), 500)] {
		if c >= 128 {
			b.WriteByte(' ')
		}
		b.WriteString(words[int(c&127)%len(words)])
	}
	return b.String()
}

// pieces are the words of a text, the blanks and the comments between them.
var pieces = regexp.MustCompile(`//[^\n]*|[A-Za-z_]\w*|[0-9.]+|[ \t]+|.|\n`)

// mutation is a model with words taken out, put in, repeated and exchanged.
func mutation(rng *rand.Rand, models [][]string) string {
	m := slices.Clone(models[rng.IntN(len(models))])
	if len(m) == 0 {
		return ""
	}
	for range 1 + rng.IntN(3) {
		i, j := rng.IntN(len(m)), rng.IntN(len(m))
		switch rng.IntN(5) {
		case 0:
			m[i] = ""
		case 1:
			m[i] += words[rng.IntN(len(words))]
		case 2:
			m[i], m[j] = m[j], m[i]
		case 3:
			m[i] = m[j]
		case 4:
			m = m[:i+1] // the rest was not typed yet
		}
	}
	return strings.Join(m, "")
}

// TestMutations checks what FuzzLoad says of mutations of the models of the corpora.
func TestMutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	var models [][]string
	for _, dir := range []string{"bad", "good"} {
		for _, s := range corpus(t, dir) {
			models = append(models, pieces.FindAllString(s.text, -1))
		}
	}
	for range campaign.Cases(t, 2000, 4000) {
		text := mutation(rng, models)
		if answers(t, text); t.Failed() {
			t.Fatalf("the text:\n%s", numbered(text))
		}
	}
}
