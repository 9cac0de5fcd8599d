package samebits

import (
	"os"
	"strings"
	"testing"
)

// held are the packages in which nothing may depend on the machine.
var held = []string{"github.com/hamc-dev/hamc/runtime/...", "github.com/hamc-dev/hamc/generated/...", "github.com/hamc-dev/hamc/internal/handwritten"}

// TestPackages checks that nothing in them does, by their text.
func TestPackages(t *testing.T) {
	found, err := Packages(held...)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Error(f)
	}
}

// TestFindings checks what is found in testdata/operations, line by line: a line that
// ends in "want" holds an operation whose bits depend on the machine.
func TestFindings(t *testing.T) {
	found, err := Packages("./testdata/operations")
	if err != nil {
		t.Fatal(err)
	}
	got := map[int]bool{}
	for _, f := range found {
		got[f.Pos.Line] = true
	}
	text, err := os.ReadFile("testdata/operations/operations.go")
	if err != nil {
		t.Fatal(err)
	}
	wanted := 0
	for i, line := range strings.Split(string(text), "\n") {
		want := strings.HasSuffix(line, "// want")
		if want {
			wanted++
		}
		if got[i+1] != want {
			t.Errorf("line %d: found %v, want %v: %s", i+1, got[i+1], want, line)
		}
	}
	if wanted == 0 {
		t.Error("no line wants a finding")
	}
}
