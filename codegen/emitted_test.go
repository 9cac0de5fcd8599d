package codegen_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/codegen"
	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/differential/probe"
	"github.com/hamc-dev/hamc/internal/golden"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/interpret"
)

// The models of testdata/models.txt are small, and have together what lowering and emission tell apart: each kind of statement, storages of
// metrics and how they change, flat steps, a differential equation. Behind a line of dashes stand their data, behind another one names of functions
// of the loop program.

// smallModel is one of them.
type smallModel struct {
	name    string
	derived *symbolic.Derived
	data    string
	funcs   []string
}

// loadSmall reads a model and its data.
func loadSmall(t *testing.T, text string) *smallModel {
	t.Helper()
	text, data, _ := strings.Cut(text, "\n---\n")
	data, funcs, _ := strings.Cut(data, "\n---")
	d := derived(t, "m.ham", text)
	return &smallModel{d.Model.Name, d, data, strings.Fields(funcs)}
}

// derived is the model of a text.
func derived(t *testing.T, file, text string) *symbolic.Derived {
	t.Helper()
	m, ds := dsl.Load(file, text, dsl.Options{})
	if m == nil {
		t.Fatal(ds)
	}
	d, list := symbolic.Derive(m)
	if d == nil {
		t.Fatal(list)
	}
	return d
}

// derivedFrom is the model of a file.
func derivedFrom(t *testing.T, file string) *symbolic.Derived {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return derived(t, file, string(text))
}

// smallModels are all of them.
func smallModels(t *testing.T) []*smallModel {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "models.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var out []*smallModel
	for _, c := range strings.Split("\n"+string(text), "\n== ")[1:] {
		_, rest, _ := strings.Cut(c, "\n")
		in, _, _ := strings.Cut(rest, "-->")
		out = append(out, loadSmall(t, in))
	}
	return out
}

// TestLower: the functions that a case names, as they are lowered.
func TestLower(t *testing.T) {
	golden.Run(t, filepath.Join("testdata", "models.txt"), func(t *testing.T, in string) string {
		m := loadSmall(t, in)
		text := ""
		_, err := codegen.Generate(m.derived, codegen.Options{Package: m.name, AfterPass: func(pass string, p *loop.Program) {
			for _, name := range m.funcs {
				if f := p.Func(name); f != nil && pass == "lower" {
					text += f.Format() + "\n"
				}
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		return text
	})
}

// TestKindsOfLoopPrograms: together, the programs of the models have all kinds of statements and expressions when they are lowered.
func TestKindsOfLoopPrograms(t *testing.T) {
	stmts, ops := map[string]bool{}, map[loop.Op]bool{}
	for _, m := range smallModels(t) {
		_, err := codegen.Generate(m.derived, codegen.Options{Package: m.name, AfterPass: func(pass string, p *loop.Program) {
			if pass != "lower" {
				return
			}
			for _, f := range p.Funcs {
				loop.Each(f.Body, func(st loop.Stmt) {
					stmts[fmt.Sprintf("%T", st)] = true
					e := loop.Number(0)
					switch st := st.(type) {
					case *loop.Let:
						e = st.E
					case *loop.Set:
						e = st.E
					}
					loop.Nodes(e, func(e *loop.Expr) { ops[e.Op] = true })
				})
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, st := range []loop.Stmt{&loop.For{}, &loop.If{}, &loop.Let{}, &loop.Set{}, &loop.Clear{}, &loop.Keep{}, &loop.Kernel{}, &loop.Fit{}, &loop.FitPart{}} {
		if name := fmt.Sprintf("%T", st); !stmts[name] {
			t.Errorf("no model has a %s", name)
		}
	}
	for op := loop.Num; op <= loop.Draw; op++ {
		if !ops[op] {
			t.Errorf("no model has an expression of kind %d", op)
		}
	}
}

// emitted builds the packages of models in one program, which evaluates all there is to evaluate of each, and returns what it prints: a
// probe.Report of each.
func emitted(t *testing.T, models []*smallModel) io.Reader {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	overlay := map[string]string{} // the packages are in the module, but not on its disk
	put := func(name string, text []byte) {
		path := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		overlay[filepath.Join(root, "codegen", "internal", "emitted", filepath.FromSlash(name))] = path
	}
	var imports, calls bytes.Buffer
	for _, m := range models {
		code, err := codegen.Generate(m.derived, codegen.Options{Package: m.name})
		if err != nil {
			t.Fatal(err)
		}
		put(m.name+"/model.go", code)
		fmt.Fprintf(&imports, "\t%q\n", "github.com/hamc-dev/hamc/codegen/internal/emitted/"+m.name)
		fmt.Fprintf(&calls, "\treport(load(%q, %s.ReadData, %s.New))\n", m.data, m.name, m.name)
	}
	put("main.go", []byte(`package main

import (
	"encoding/json"
	"io"
	"os"
	"strings"

	"github.com/hamc-dev/hamc/internal/differential/probe"
	"github.com/hamc-dev/hamc/runtime"
`+imports.String()+`)

func load[D any, M runtime.Posterior](text string, read func(io.Reader, string) (D, error), create func(D) (M, error)) (runtime.Posterior, error) {
	d, err := read(strings.NewReader(text), "data")
	if err != nil {
		return nil, err
	}
	return create(d)
}

func report(m runtime.Posterior, err error) {
	r := probe.Report{}
	if err != nil {
		r.Error = err.Error()
	} else {
		r = probe.Run(m, false)
	}
	json.NewEncoder(os.Stdout).Encode(r)
}

func main() {
`+calls.String()+`}
`))
	replace, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, replace, 0o666); err != nil {
		t.Fatal(err)
	}
	var out, messages bytes.Buffer
	run := exec.Command("go", "run", "-overlay", list, "-ldflags=-s -w", "github.com/hamc-dev/hamc/codegen/internal/emitted")
	run.Dir, run.Stdout, run.Stderr = root, &out, &messages
	if err := run.Run(); err != nil {
		t.Fatalf("%v\n%s", err, messages.String())
	}
	return &out
}

// TestEmitted: the emitted packages, built once in a program that evaluates all there is to evaluate of a model, say the same as the evaluator:
// densities, gradients, metrics and their derivatives, momenta, energies, all steps.
func TestEmitted(t *testing.T) {
	models := smallModels(t)
	reports := json.NewDecoder(emitted(t, models))
	for _, m := range models {
		t.Run(m.name, func(t *testing.T) {
			var got probe.Report
			if err := reports.Decode(&got); err != nil {
				t.Fatal(err)
			}
			im, err := interpret.New(m.derived, strings.NewReader(m.data), "data")
			if err != nil {
				t.Fatal(err)
			}
			want := probe.Run(im, false)
			if got.Error != "" || want.Error != "" {
				t.Fatalf("emitted: %q, evaluated: %q", got.Error, want.Error)
			}
			sameReports(t, &got, &want)
		})
	}
}

// sameReports compares what two sides say, relative to the largest number of each record: to what solves to probe.Solver's tolerance, and
// differential equations to probe.Tolerance, leave.
func sameReports(t *testing.T, got, want *probe.Report) {
	t.Helper()
	if len(got.Records) != len(want.Records) || got.Info != want.Info {
		t.Fatalf("%d records of %s, want %d of %s", len(got.Records), got.Info, len(want.Records), want.Info)
	}
	for n, w := range want.Records {
		g := got.Records[n]
		what := fmt.Sprintf("point %d: %s", w.Point, w.Quantity)
		// Of a constant metric the emitted GLF(b) is the leapfrog, without solves.
		solved := g.Iterations == w.Iterations || strings.Contains(want.Info, `"Constant":true`)
		if g.Quantity != w.Quantity || g.Status != w.Status || len(g.Values) != len(w.Values) || !solved {
			t.Errorf("%s: %s %s of %d numbers after %d iterations, want %s of %d after %d", what, g.Quantity, g.Status, len(g.Values), g.Iterations, w.Status, len(w.Values), w.Iterations)
			continue
		}
		size := 0.0
		for _, x := range w.Values {
			if x-x == 0 {
				size = max(size, math.Abs(float64(x)))
			}
		}
		for k, x := range w.Values {
			y := g.Values[k]
			if x == y || x != x && y != y {
				continue
			}
			if d := math.Abs(float64(x - y)); !(d <= 1e-9*size) {
				t.Errorf("%s: entry %d is %v, want %v", what, k, y, x)
				break
			}
		}
	}
}
