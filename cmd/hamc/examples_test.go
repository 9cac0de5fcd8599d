package main

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/draws"
)

// exampleModels lists the models in examples.
func exampleModels(t *testing.T) []string {
	t.Helper()
	models, err := filepath.Glob(filepath.Join(os.Getenv("EXAMPLES"), "*.ham"))
	if err != nil || len(models) < 6 {
		t.Fatalf("examples: %q, %v", models, err)
	}
	return models
}

// The generated code in the repository is what hamc generates now, by the
// directives that regenerate it, and there is one for each example.
func TestGeneratedIsFresh(t *testing.T) {
	t.Chdir("../../generated")
	text, err := os.ReadFile("generate.go")
	if err != nil {
		t.Fatal(err)
	}
	generated := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		args, ok := strings.CutPrefix(strings.TrimSpace(line), "//go:generate go run ../cmd/hamc ")
		if !ok {
			continue
		}
		words := strings.Fields(args)
		if r := hamc(append([]string{"diff"}, words...)...); r.code != exitFine {
			t.Errorf("hamc diff %s: exit code %d; run go generate ./generated\n%s%s", args, r.code, head(r.stdout), r.stderr)
		}
		generated[filepath.Base(words[len(words)-1])] = true
	}
	models := exampleModels(t)
	for _, m := range models {
		if !generated[filepath.Base(m)] {
			t.Errorf("no directive generates %s", m)
		}
	}
	if r := hamc("diff", "../examples/downstream/schools.ham", "-o", "../examples/downstream/schools_ham.go", "--pkg", "main"); r.code != exitFine {
		t.Errorf("hamc diff schools.ham: exit code %d; run go generate in examples/downstream\n%s%s", r.code, head(r.stdout), r.stderr)
	}
	if len(generated) != len(models) {
		t.Errorf("%d directives for %d examples", len(generated), len(models))
	}
}

// head returns the first lines of a long text.
func head(text string) string {
	lines := strings.SplitAfterN(text, "\n", 11)
	return strings.Join(lines[:min(len(lines), 10)], "")
}

// What is generated is formatted, and does not depend on where and how often. TestGeneratedIsFresh
// compiles every example; here, a short campaign takes one in three.
func TestGenerateIsDeterministic(t *testing.T) {
	for _, m := range campaign.Sample(t, exampleModels(t), 3) {
		first := fine(t, m, "-o", "-").stdout
		t.Chdir(t.TempDir())
		fine(t, m, "-o", "x.go", "--pkg", packageName(strings.TrimSuffix(filepath.Base(m), ".ham")))
		second, err := os.ReadFile("x.go")
		if err != nil {
			t.Fatal(err)
		}
		if first != string(second) {
			t.Errorf("%s: two outputs", m)
		}
		if formatted, err := format.Source(second); err != nil || !bytes.Equal(formatted, second) {
			t.Errorf("%s: the output is not formatted by gofmt: %v", m, err)
		}
		if dir := filepath.Dir(m); bytes.Contains(second, []byte(dir)) {
			t.Errorf("%s: the output names %s", m, dir)
		}
	}
}

// Every example samples, compiled, with what stands beside it, in a short campaign one in five and a
// few draws: tests of package conformance sample the generated models of all.
func TestRunExamples(t *testing.T) {
	t.Chdir(t.TempDir())
	n := campaign.Cases(t, 5, 40)
	for _, m := range campaign.Sample(t, exampleModels(t), 7) {
		name := strings.TrimSuffix(filepath.Base(m), ".ham")
		t.Run(name, func(t *testing.T) {
			r := fine(t, "run", m, "--chains", "2", "--warmup", strconv.Itoa(n), "--draws", strconv.Itoa(n), "--steps", "3")
			if !strings.Contains(r.stderr, "\nbuilt    in ") || strings.Contains(r.stderr, "evaluator") {
				t.Errorf("not built:\n%s", r.stderr)
			}
			if !strings.Contains(r.stdout, fmt.Sprintf("\n2 chains of %d draws in ", n)) {
				t.Errorf("summary:\n%s", r.stdout)
			}
			for _, file := range []string{"chain_1.csv", "chain_2.csv"} {
				c, err := draws.Open(filepath.Join(name+"-draws", "1", file))
				if err != nil {
					t.Fatal(err)
				}
				if !c.Complete || len(c.Values[0]) != n || len(c.Columns) <= runtime.NumStats {
					t.Errorf("%s: complete %v, %d draws, columns %v", file, c.Complete, len(c.Values[0]), c.Columns)
				}
			}
		})
	}
}
