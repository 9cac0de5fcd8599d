package dsl_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
)

// TestExamples checks every example without a message.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../examples/*.ham")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		m, ds := dsl.Load(filepath.Base(f), string(text), dsl.Options{})
		if len(ds.List) > 0 {
			t.Errorf("%s", ds)
		}
		if m == nil {
			t.Errorf("%s: no model", f)
		}
	}
}
