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

// TestLotkaVolterra: the largest of the generated samplers stays as small as it has become, at most 2,030 lines, of which 46 compute what
// leads several products once, and 100 the sensitivities that scalings give.
func TestLotkaVolterra(t *testing.T) {
	const lines = 2030
	text, err := os.ReadFile("../generated/lotka_volterra/lotka_volterra.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("\n")); n > lines {
		t.Errorf("%d lines, at most %d", n, lines)
	}
}

// TestMachineCode: no function of a generated sampler has above 16 kB of machine code.
func TestMachineCode(t *testing.T) {
	const most = 16_000
	list := exec.Command("go", "list", "-export", "-f", "{{if .Export}}{{.Name}} {{.Export}}{{end}}", "../generated/...")
	list.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "GOAMD64=v1", "CGO_ENABLED=0")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	packages, methods := 0, 0
	for line := range strings.Lines(string(out)) {
		name, archive, _ := strings.Cut(strings.TrimSpace(line), " ")
		symbols, err := exec.Command("go", "tool", "nm", "-size", archive).Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		packages++
		for line := range strings.Lines(string(symbols)) {
			f := strings.Fields(line) // address, size, kind, name, which may have blanks
			if len(f) < 4 || f[2] != "T" && f[2] != "t" {
				continue
			}
			size, err := strconv.Atoi(f[1])
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(f[3], ".(*Model).") {
				methods++
			}
			if size > most {
				t.Errorf("%s of %s has %d bytes of machine code, at most %d", f[3], name, size, most)
			}
		}
	}
	if packages < 19 || methods < 20*packages {
		t.Errorf("%d packages and %d methods are found; what go list or go tool nm prints looks otherwise", packages, methods)
	}
}
