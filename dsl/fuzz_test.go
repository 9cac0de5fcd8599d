package dsl_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hamc-dev/hamc/dsl"
)

// FuzzLoad checks what holds for every text: no panic, an answer in time, a
// model exactly if there is no error, messages that point into the text, and
// the same answer twice.
//
//	go test ./dsl -run NONE -fuzz FuzzLoad -fuzztime 1m
func FuzzLoad(f *testing.F) {
	for _, dir := range []string{"bad", "good"} {
		for _, s := range corpus(f, dir) {
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
	for _, h := range hard {
		if len(h.text) < 50_000 {
			f.Add(h.text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		start := time.Now()
		m, ds := dsl.Load("fuzz.ham", text, dsl.Options{})
		out := ds.String()
		// Far above what any text needs, so that a busy machine is no
		// failure.
		if d := time.Since(start); len(text) < 100_000 && d > 10*time.Second {
			t.Errorf("%d bytes took %v", len(text), d)
		}
		if (m == nil) != ds.HasErrors() {
			t.Errorf("model %v, errors %v", m != nil, ds.HasErrors())
		}
		if utf8.ValidString(text) && !utf8.ValidString(out) {
			t.Errorf("the messages are not UTF-8: %q", out)
		}
		lines := strings.Split(text, "\n")
		inside := func(what string, s dsl.Span) {
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
	})
}
