package codegen_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestGeneratedColumns: no line of documentation of the generated samplers is above 120 columns, users' comments included.
func TestGeneratedColumns(t *testing.T) {
	files, err := filepath.Glob("../generated/*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("nothing is generated: %v", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(text), "\n") {
			if !strings.HasPrefix(strings.TrimSpace(line), "//") {
				continue
			}
			if w := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")); w > 120 {
				t.Errorf("%s:%d: %d columns", name, n+1, w)
			}
		}
	}
}

// TestLotkaVolterra: the largest of the generated samplers stays as small as it has become: at most 2,050 lines, of which 46 compute what
// leads several products once, and no
// function above 16 kB of machine code.
func TestLotkaVolterra(t *testing.T) {
	const lines, code = 2000, 16_000
	text, err := os.ReadFile("../generated/lotka_volterra/lotka_volterra.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("\n")); n > lines {
		t.Errorf("%d lines, at most %d", n, lines)
	}
	archive := filepath.Join(t.TempDir(), "lotka_volterra.a")
	build := exec.Command("go", "build", "-o", archive, "../generated/lotka_volterra")
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "GOAMD64=v1", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	symbols, err := exec.Command("go", "tool", "nm", "-size", archive).Output()
	if err != nil {
		t.Fatal(err)
	}
	methods := 0
	for line := range strings.Lines(string(symbols)) {
		f := strings.Fields(line) // address, size, kind, name
		if len(f) != 4 || f[2] != "T" || !strings.Contains(f[3], ".(*Model).") {
			continue
		}
		size, err := strconv.Atoi(f[1])
		if err != nil {
			t.Fatal(err)
		}
		if methods++; size > code {
			t.Errorf("%s has %d bytes of machine code, at most %d", f[3], size, code)
		}
	}
	if methods < 20 {
		t.Errorf("%d methods are found; what go tool nm prints looks otherwise", methods)
	}
}
