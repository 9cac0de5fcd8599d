package dsl_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
)

// go test ./dsl -run TestGolden -update rewrites the golden files; read the
// difference before committing it.
var update = flag.Bool("update", false, "rewrite the golden files of TestGolden")

// TestGolden compares the full text of messages, as a user sees it, with the
// .golden file next to each model of testdata/golden.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.ham")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d models, %v", len(files), err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			_, ds := dsl.Load(filepath.Base(f), string(text), dsl.Options{})
			if len(ds.List) == 0 {
				t.Fatal("a golden model has diagnostics")
			}
			got := ds.String()
			if got != ds.Error() {
				t.Error("Error and String differ")
			}
			golden := strings.TrimSuffix(f, ".ham") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("the messages changed (see -update)\ngot:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// TestManyMessages checks that String prints the first messages and counts the
// rest.
func TestManyMessages(t *testing.T) {
	_, ds := dsl.Load("many.ham", preamble+lines(60, "density unknown%d"), dsl.Options{})
	if len(ds.List) != 60 {
		t.Fatalf("%d diagnostics", len(ds.List))
	}
	text := ds.String()
	if n := strings.Count(text, "error[H201]"); n != 50 {
		t.Errorf("%d messages are printed, want 50", n)
	}
	if !strings.HasSuffix(text, "many.ham: and 10 more messages\n") {
		t.Errorf("the rest is not counted: …%s", text[max(0, len(text)-80):])
	}
}
