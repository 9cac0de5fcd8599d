package dsl_test

import (
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
)

// TestAnalyzeBroken checks what is known of texts in which something is wrong: all of the rest.
func TestAnalyzeBroken(t *testing.T) {
	const good = `model m
data n int
data x, y real[n] > 0
const k = 3
param a real
param b real[k] in (0, 1)
let mu[i in n] = a + x[i]
y ~ normal(mu, 1)
a ~ normal(0, 1)
block first(a) metric fisher
block second(b) metric identity
generate {
  r = a^2
  z[i in n] = normal_rng(mu[i], 1)
}
`
	whole := symbolsOf(dsl.Analyze("m.ham", good, dsl.Options{}))
	if len(whole) != 15 {
		t.Fatalf("the model has the symbols %v", whole)
	}
	for _, c := range []struct {
		name, old, new string // of one place of the text
		lost           string // the symbols that are not known then
		untyped        string // those of which only the name is
	}{
		{"a bracket that is open", "a ~ normal(0, 1)", "a ~ normal(0, 1", "", ""},
		{"half a term", "y ~ normal(mu, 1)", "y ~ ", "", ""},
		{"no distribution", "y ~ normal(mu, 1)", "y ~ norml(mu, 1)", "", ""},
		{"a line of another language", "const k = 3", "const k = 3\nwhile True {", "", ""},
		{"half a declaration", "param a real", "param a re", "param a real", "let mu real[n]|quantity r real|quantity z real[n]"},
		{"half a definition", "let mu[i in n] = a + x[i]", "let mu[i in n] = a +", "let mu real[n]", "quantity z real[n]"},
		{"a wrong shape", "let mu[i in n] = a + x[i]", "let mu[i in n] = a + x", "", ""},
		{"a name that is not declared", "let mu[i in n] = a + x[i]", "let mu[i in n] = a + w", "", "let mu real[n]|quantity z real[n]"},
		{"half a line in braces", "  r = a^2\n", "  r = a^\n", "quantity r real|quantity z real[n]", ""},
		{"an open brace", "}\n", "", "quantity r real|quantity z real[n]", ""},
		{"half a block", "block second(b) metric identity", "block second(b) metric", "block second", ""},
		{"a character", "data x, y", "data x, $y", "data x real[n]|data y real[n]", "let mu real[n]|quantity z real[n]"},
		{"a comment", "model m", "model m /* no */", "", ""},
		{"no model", "model m\n", "", "ModelStmt", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(good, c.old, c.new, 1)
			if text == good {
				t.Fatal("nothing is wrong")
			}
			a := dsl.Analyze("m.ham", text, dsl.Options{})
			if m, _ := dsl.Load("m.ham", text, dsl.Options{}); m != nil || !a.Diagnostics.HasErrors() {
				t.Error("Load returns a model")
			}
			lost := map[string]bool{}
			for _, s := range strings.Split(c.lost, "|") {
				lost[s] = true
			}
			untyped := map[string]bool{}
			for _, s := range strings.Split(c.untyped, "|") {
				untyped[s] = true
			}
			got := map[string]bool{}
			for _, s := range symbolsOf(a) {
				got[s] = true
			}
			for _, s := range whole {
				if untyped[s] {
					s = s[:strings.LastIndex(s, " ")] + " invalid"
				}
				if got[s] == lost[s] {
					t.Errorf("`%s`: known %v, lost %v\n%s", s, got[s], lost[s], a.Diagnostics)
				}
			}
			if got := join(a.File.Tokens); got != text {
				t.Errorf("the tokens are %q", got)
			}
		})
	}
}

// symbolsOf lists what a model declares, each with its type.
func symbolsOf(a *dsl.Analysis) []string {
	var out []string
	m := a.Model
	for _, d := range m.Data {
		out = append(out, "data "+d.ObjectName()+" "+d.Type.String())
	}
	for _, k := range m.Consts {
		out = append(out, "const "+k.ObjectName())
	}
	for _, p := range m.Params {
		out = append(out, "param "+p.ObjectName()+" "+p.Type.String())
	}
	for _, l := range m.Lets {
		out = append(out, "let "+l.ObjectName()+" "+l.Type.String())
	}
	for _, b := range m.Blocks {
		out = append(out, "block "+b.ObjectName())
	}
	for _, q := range m.Quantities {
		out = append(out, "quantity "+q.ObjectName()+" "+q.Type.String())
	}
	// The tree has the statements, also those that did not parse.
	for _, s := range a.File.Statements {
		switch s.Stmt.(type) {
		case *dsl.SampleStmt, *dsl.DensityStmt, *dsl.GenerateStmt, *dsl.ModelStmt:
			out = append(out, strings.TrimPrefix(reflect.TypeOf(s.Stmt).String(), "*dsl."))
		}
	}
	return out
}

// TestAnalyzePartial checks that a statement that did not parse stands in the tree as far as it did, and that the names it
// was to declare are known to be lost.
func TestAnalyzePartial(t *testing.T) {
	a := dsl.Analyze("m.ham", "model m\ndata n, y real[n // sizes\nlet z[i in n] = exp(\n", dsl.Options{})
	if len(a.File.Statements) != 3 || len(a.File.Stmts) != 0 {
		t.Fatalf("%d statements, %d whole ones", len(a.File.Statements), len(a.File.Stmts))
	}
	d, ok := a.File.Statements[1].Stmt.(*dsl.DataStmt)
	if !ok || !a.File.Statements[1].Broken || len(d.Names) != 2 || d.Names[1].Name != "y" || d.Type.Base != "real" || len(d.Type.Sizes) != 1 {
		t.Errorf("the declaration is %+v", d)
	}
	if got := join(a.File.Statements[1].Tokens); got != "\ndata n, y real[n // sizes" {
		t.Errorf("its tokens are %q", got)
	}
	l, ok := a.File.Statements[2].Stmt.(*dsl.LetStmt)
	if !ok || l.Name.Name != "z" || len(l.Places) != 1 || l.Value != nil {
		t.Errorf("the definition is %+v", l)
	}
	var lost []string
	for _, id := range a.File.Lost {
		lost = append(lost, id.Name)
	}
	if got := strings.Join(lost, " "); got != "n y z" {
		t.Errorf("the names %q are lost", got)
	}
}

// TestAnalyzeMutations checks that every text has an answer: a tree and a model, whatever its errors.
func TestAnalyzeMutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 13))
	var models [][]string
	for _, s := range corpus(t, "good") {
		models = append(models, pieces.FindAllString(s.text, -1))
	}
	partial := 0
	for range 1000 {
		text := mutation(rng, models)
		a := dsl.Analyze("m.ham", text, dsl.Options{})
		if a.File == nil || a.Model == nil || a.Diagnostics == nil {
			t.Fatalf("%+v of\n%s", a, numbered(text))
		}
		if a.Diagnostics.HasErrors() && len(a.Model.Params)+len(a.Model.Data) > 0 {
			partial++
		}
	}
	if partial < 300 {
		t.Errorf("%d texts with errors have a model", partial)
	}
}

// TestPrefixes checks texts that are being written, up to any word: the messages speak of the
// language, not of the types of its parser, and there is a tree. A short campaign takes one word in ten,
// in another place of each model; TestAnalyzeMutations cuts texts too.
func TestPrefixes(t *testing.T) {
	every := campaign.Cases(t, 20, 5)
	inside := regexp.MustCompile("`(?:[A-Z][a-z]*(?:Stmt|Expr|Line|Decl|Entry)|Ident|Arg|Equation|End|)`|unexpected token|sub-expression")
	n := 0
	for k, s := range corpus(t, "good") {
		words := pieces.FindAllString(s.text, -1)
		above, whole := "", symbolsOf(dsl.Analyze("m.ham", "", dsl.Options{}))
		for i := k % every; i < len(words); i += every {
			text := strings.Join(words[:i], "")
			a := dsl.Analyze("m.ham", text, dsl.Options{})
			n++
			for _, d := range a.Diagnostics.List {
				if m := inside.FindString(d.Message + d.Hint); m != "" {
					t.Errorf("%q in %q, hint %q, of\n%s", m, d.Message, d.Hint, numbered(text))
				}
			}
			if join(a.File.Tokens) != text {
				t.Errorf("the tree has lost a part of %q", text)
			}
			// What stands above the line that is being written is known.
			if now := text[:strings.LastIndex(text, "\n")+1]; now != above {
				above, whole = now, symbolsOf(dsl.Analyze("m.ham", now, dsl.Options{}))
			}
			if len(symbolsOf(a)) < len(whole)-1 {
				t.Errorf("%d symbols of\n%s%d of what is above its last line", len(symbolsOf(a)), numbered(text), len(whole))
			}
		}
	}
	if n < campaign.Cases(t, 750, 3000) {
		t.Errorf("%d texts", n)
	}
}
