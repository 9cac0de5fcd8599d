package codegen_test

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hamc-dev/hamc/codegen"
)

// TestGeneratedColumns: no line of documentation of the generated samplers ends beyond 120 columns, users' comments and comments behind
// code included.
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
		columns(t, name, string(text))
	}
}

// columns reports lines of a Go file that end in a comment beyond column 120.
func columns(t *testing.T, name, text string) {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text, "\n")
	for _, group := range f.Comments {
		for _, c := range group.List {
			n := set.Position(c.Pos()).Line
			if w := utf8.RuneCountInString(strings.ReplaceAll(lines[n-1], "\t", "    ")); w > 120 {
				t.Errorf("%s:%d: %d columns", name, n, w)
			}
		}
	}
}

// TestLongComments: comments behind fields of long names stand above them where they end beyond 120 columns, and those of users
// are broken before that, inside a type too.
func TestLongComments(t *testing.T) {
	long := strings.Repeat("long_", 7)
	words := strings.TrimSpace(strings.Repeat("word ", 60))
	code, err := codegen.Generate(derived(t, "m.ham", fmt.Sprintf(`model m

data n int
// %[2]s
data %[1]sx real[n] > 0
data y real[n]

param %[1]sa real // %[2]s
param s real > 0

let %[1]smu[i in n] = exp(%[1]sx[i]) + log(%[1]sx[i]) + 2*sqrt(%[1]sx[i])
y ~ normal(%[1]sa*%[1]smu, s)
s ~ exponential(1)
%[1]sa ~ normal(0, 1)

metric fisher

generate {
  %[1]sr = exp(s) // %[2]s
}
`, long, words)), codegen.Options{Package: "m"})
	if err != nil {
		t.Fatal(err)
	}
	columns(t, "m.go", string(code))
	if above := regexp.MustCompile(`\n\t// long_\w+mu\[i\] = .*\n\tlong\w+Mu \[\]float64\n`); !above.Match(code) {
		t.Error("the formula of a field with a long name does not stand above it")
	}
}

// TestLotkaVolterra: the largest of the generated samplers stays as small as it has become, at most 2,000 lines, of which 46 compute what
// leads several products once, and 100 the sensitivities that scalings give.
func TestLotkaVolterra(t *testing.T) {
	const lines = 2000
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
