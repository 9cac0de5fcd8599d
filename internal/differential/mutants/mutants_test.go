package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/internal/differential/typecheck"
)

const root = "../../.."

func TestMain(m *testing.M) {
	if os.Getenv(asWorker) != "" {
		rehearse = drill
		if err := work(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Texts that a worker of the tests takes as orders.
const (
	spin  = "// for ever"
	swell = "// without bound"
	sink  = "// ever deeper"
)

// drill does what they say.
func drill(text string) {
	switch {
	case strings.Contains(text, spin):
		for n := 1; n != 0; n += 2 { // never 0
		}
	case strings.Contains(text, swell):
		for all := [][]byte{}; ; {
			all = append(all, make([]byte, 1<<26)) // not written to: pages cost time where a machine is virtual
		}
	case strings.Contains(text, sink):
		debug.SetMaxStack(1 << 22) // the usual limit of 1 GB takes long to reach, and many attempts at shrinking reach it
		fmt.Fprint(os.Stderr, deeper(1))
	}
}

// deeper does not come back: a stack is full before n is 0.
func deeper(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + deeper(n+1) + n
}

// TestSample is a short run of the program.
func TestSample(t *testing.T) {
	var out bytes.Buffer
	causes, err := run(&options{out: &out, root: root, seed: 1, n: campaign.Cases(t, 15, 100)})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", out.String())
	for _, c := range causes {
		t.Errorf("%s, of %d mutants; the first is seed %d:\n%s\n%s", c.signature, len(c.seeds), c.seeds[0], c.first.Text, c.fault.Detail)
	}
}

// TestMutants: the same seed gives the same mutant, every mutation happens, and few mutants are what they descend from.
func TestMutants(t *testing.T) {
	origins, err := corpus(root)
	if err != nil {
		t.Fatal(err)
	}
	anything := func(string) bool { return true }
	happened := map[string]int{}
	same := 0
	for seed := range uint64(1000) {
		m := mutantOf(origins, seed, anything)
		if again := mutantOf(origins, seed, anything); again.Text != m.Text {
			t.Fatalf("seed %d: two mutants", seed)
		}
		for _, name := range m.Mutations {
			happened[name]++
		}
		if len(m.Mutations) == 0 {
			same++
		}
		if m.Unknown != "" && strings.Count(m.Text, m.Unknown) != 1 {
			t.Errorf("seed %d: %s stands in %d places", seed, m.Unknown, strings.Count(m.Text, m.Unknown))
		}
	}
	for _, x := range mutations {
		if happened[x.name] < 10 {
			t.Errorf("%q happens %d times", x.name, happened[x.name])
		}
	}
	if same > 10 {
		t.Errorf("%d mutants have no mutation", same)
	}
}

// TestOrigins: models that nobody has mutated have no faults, are evaluated, and are as
// many as there are.
func TestOrigins(t *testing.T) {
	origins, err := corpus(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(origins) < 550 {
		t.Errorf("%d models", len(origins))
	}
	for _, o := range origins {
		if strings.Join(o.tokens, "") != o.text {
			t.Errorf("%s: the tokens are another text", o.name)
		}
	}
	step := campaign.Cases(t, 60, 10)
	became := map[string]int{}
	for i := 0; i < len(origins); i += step {
		r := compile(&mutant{Text: origins[i].text})
		became[r.Outcome]++
		for _, f := range r.Faults {
			t.Errorf("%s: %s\n%s", origins[i].name, f.signature(), f.Detail)
		}
	}
	if became[evaluated]*step < 7*len(origins)/10 {
		t.Errorf("few are evaluated: %v", became)
	}
}

// TestFaultsAreSeen: what the program looks for, it finds where it is.
func TestFaultsAreSeen(t *testing.T) {
	const model = "model m\ndata n int\ndata y real[n]\nparam x real\ny ~ normal(x, 1)\nx ~ normal(0, 1)\nmetric fisher\n"
	kindsOf := func(r result) (out string) {
		for _, f := range r.Faults {
			out += f.Kind + ";"
		}
		return out
	}
	if r := compile(&mutant{Text: model}); r.Outcome != evaluated || len(r.Faults) > 0 {
		t.Errorf("%+v", r)
	}
	if r := compile(&mutant{Text: model, Unknown: "zq1"}); kindsOf(r) != unresolved+";" {
		t.Errorf("a name that nothing declares: %s", kindsOf(r))
	}
	if r := compile(&mutant{Text: model, Unknown: "x"}); kindsOf(r) != "" {
		t.Errorf("a name that is declared: %s", kindsOf(r))
	}
	c := compilation{result: &result{}}
	good := dsl.Diagnostic{Code: dsl.NoDensity, Message: "m", Span: dsl.Span{Pos: dsl.Pos{Line: 1, Col: 1}, Len: 1}}
	c.diagnostics(model, []dsl.Diagnostic{good})
	if kindsOf(*c.result) != "" {
		t.Error("a diagnostic that is fine")
	}
	for _, spoil := range []func(d *dsl.Diagnostic){
		func(d *dsl.Diagnostic) { d.Code = "H999" }, func(d *dsl.Diagnostic) { d.Message = "" }, func(d *dsl.Diagnostic) { d.Span = dsl.Span{} },
		func(d *dsl.Diagnostic) { d.Span.Pos.Line = 100 }, func(d *dsl.Diagnostic) { d.Severity = dsl.Warning }, func(d *dsl.Diagnostic) { d.Notes = []dsl.Note{{}} },
	} {
		d := good
		spoil(&d)
		c := compilation{result: &result{}}
		if c.diagnostics(model, []dsl.Diagnostic{d}); kindsOf(*c.result) != diagnostic+";" {
			t.Errorf("%+v is taken", d)
		}
	}
	if err := typecheck.Check([]byte("package p\nfunc f() { x := 1 }\n")); err == nil {
		t.Error("an unused variable is taken")
	}
}

// unbounded are limits that no drill comes to.
var unbounded = limits{Seconds: 1e6, Bytes: 1 << 40, Wall: 1000 * time.Hour}

// TestLimits: a worker that takes too much time or memory, or overflows its stack, is told
// from one that does not, and another one goes on. Each drill has the one limit that it must
// come to, for on a busy machine it may come to another one before.
func TestLimits(t *testing.T) {
	bounded := func(set func(*limits)) limits {
		l := unbounded
		set(&l)
		return l
	}
	c := &crew{root: root}
	defer c.stop()
	for _, x := range []struct {
		text, kind string
		limits     limits
	}{
		{spin, timeout, bounded(func(l *limits) { l.Seconds = 0.1 })},
		{spin, timeout, bounded(func(l *limits) { l.Wall = 100 * time.Millisecond })},
		{swell, memory, bounded(func(l *limits) { l.Bytes = usual.Bytes })},
		{sink, died, unbounded},
		{"model m", "", unbounded},
	} {
		c.limits = x.limits
		r, err := c.compile(&mutant{Text: x.text})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range r.Faults {
			got += f.Kind
		}
		if got != x.kind {
			t.Errorf("%q within %+v gives %q", x.text, x.limits, got)
		}
	}
}

// TestShrink: of a mutant what has the fault is left.
func TestShrink(t *testing.T) {
	c := &crew{root: root, limits: unbounded}
	defer c.stop()
	m := mutant{Text: "model m\n// more\nparam x real\n" + sink + "\ndensity x\n"}
	r, err := c.compile(&m)
	if err != nil || len(r.Faults) != 1 {
		t.Fatal(r.Faults, err)
	}
	text, err := shrink(c, m, &r.Faults[0])
	if err != nil || text != sink {
		t.Errorf("%q is left: %v", text, err)
	}
}

// mended are models whose code Go refused, each of a cause of its own.
var mended = map[string]string{
	"a 0 on the diagonal of a metric of two scalars": "data lo, hi real in (-1, 1)\nparam a real\nparam u real in (lo, hi)\nu ~ uniform(lo, hi)\nmetric fisher\n",
	"a metric that only seems to change":             "param a, b real\na ~ normal(0, 1)\nb ~ normal(a, 1)\nmetric [1 ^ a^2, 0.5 ; 0.5, 2]\n",
	"a definition that is named after a local":       "data u real\nparam c1, w1 real\nc1 ~ cauchy(w1^2 + u, 1)\nw1 ~ normal(0, 1)\nmetric fisher + identity\n",
}

func TestMended(t *testing.T) {
	for name, text := range mended {
		for _, f := range compile(&mutant{Text: "model m\n" + text}).Faults {
			t.Errorf("%s: %s", name, f.Detail)
		}
	}
}
