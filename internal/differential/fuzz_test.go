package differential

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/codegen"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/internal/differential/typecheck"
	"github.com/hamc-dev/hamc/internal/processor"
	"github.com/hamc-dev/hamc/symbolic"
)

// maxFuzzed bounds the texts that are compiled: what a person writes. Of a
// longer text the front end's limits are tested in package dsl.
const maxFuzzed = 4096

// maxCompile, in seconds of processor time, is far above what a text of that length
// needs; the report of a slow input says how slow.
const maxCompile = 20.0

// FuzzGenerate checks what holds for every text: parsing, checking, deriving
// and generating neither panic nor take long, and the code of an accepted model
// is formatted, marked as generated, the same twice, and free of type errors.
//
//	go test ./internal/differential -run NONE -fuzz FuzzGenerate -fuzztime 10m
func FuzzGenerate(f *testing.F) {
	// As plain tests the models of the corpus have been compiled elsewhere.
	if flag.Lookup("test.fuzz").Value.String() != "" {
		for _, s := range read(f) {
			f.Add(s.text)
		}
	}
	for _, text := range campaign.Sample(f, goodModels(f), 5) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if err := compileText(text); err != nil {
			t.Error(err)
		}
	})
}

// FuzzRandomModel is FuzzGenerate for models that an author makes up, all of
// which are correct, and compares them with the naive evaluation as well.
//
//	go test ./internal/differential -run NONE -fuzz FuzzRandomModel -fuzztime 10m
func FuzzRandomModel(f *testing.F) {
	for seed := range uint64(campaign.Cases(f, 4, 20)) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		s := randomModel("random", seed)
		if err := compileText(s.text); err != nil {
			t.Fatalf("%v\n%s", err, s.text)
		}
		var err error
		if s.derived, err = derive("random.ham", s.text, nil, nil, nil); err != nil {
			t.Fatalf("an author's model is refused: %v", err)
		}
		im, err := s.interpreted()
		if err != nil {
			t.Fatal(err)
		}
		opinion(t, im, s)
		if t.Failed() {
			t.Log(s.text)
		}
	})
}

// goodModels returns the models of the front end's corpus of correct ones.
func goodModels(f testing.TB) []string {
	files, err := filepath.Glob("../../dsl/testdata/good/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatalf("no corpus of package dsl: %v", err)
	}
	head := regexp.MustCompile(`(?m)^-- .* --\n`)
	var out []string
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		out = append(out, head.Split(string(text), -1)[1:]...)
	}
	return out
}

// compileText compiles a text, if it is a model, and checks the code.
func compileText(text string) error {
	if len(text) > maxFuzzed {
		return nil
	}
	defer processor.Watch(3*maxCompile, func() { panic(fmt.Sprintf("no end of\n%s", text)) })()
	start := processor.Time()
	m, _ := dsl.Load("fuzz.ham", text, dsl.Options{})
	if m == nil {
		return nil
	}
	d, _ := symbolic.Derive(m)
	derived := processor.Time() - start
	if d == nil {
		return nil
	}
	opt := codegen.Options{Package: "fuzz", Source: "fuzz.ham", Text: text}
	code, err := codegen.Generate(d, opt)
	if err != nil {
		return err
	}
	if all := processor.Time() - start; all > maxCompile {
		return fmt.Errorf("%d bytes took %.1f s to derive and %.1f s to generate, %d bytes of code", len(text), derived, all-derived, len(code))
	}
	if d, _ = symbolic.Derive(m); d == nil {
		return fmt.Errorf("a second derivation fails")
	}
	if again, err := codegen.Generate(d, opt); err != nil || !bytes.Equal(code, again) {
		return fmt.Errorf("two runs differ: %v%s", err, difference(code, again))
	}
	if first, _, _ := strings.Cut(string(code), "\n"); !firstLine.MatchString(first) {
		return fmt.Errorf("the first line is %q", first)
	}
	if formatted, err := format.Source(code); err != nil || !bytes.Equal(formatted, code) {
		return fmt.Errorf("not as gofmt has it: %v%s", err, difference(code, formatted))
	}
	return typecheck.Check(code)
}
