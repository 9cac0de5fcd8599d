package grid

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
)

// events reads what a worker writes.
func events(t *testing.T, text string) []Event {
	t.Helper()
	var out []Event
	in := json.NewDecoder(strings.NewReader(text))
	for in.More() {
		var e Event
		if err := in.Decode(&e); err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

// entries lists a directory.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestDescribe(t *testing.T) {
	program := bananas(
		Extension{
			Integrators: []Integrator{{Name: "one", New: noStep}, {Name: "two", Label: "Two", New: noStep}},
			Simulators:  []Simulator{{Name: "one", Simulate: simulated.Simulate, Draw: func(*rand.Rand) Point { return nil }}},
		},
		Extension{Corrections: []Correction{{Name: "one", Add: func([]float64) float64 { return 0 }}}},
	)
	code, out, errs := served(program, "", "describe")
	want := `{"integrators":[{"extension":1,"name":"one","label":"one"},{"extension":1,"name":"two","label":"Two"}],` +
		`"simulators":[{"extension":0,"name":"ridge"},{"extension":1,"name":"one","draws":true}],` +
		`"corrections":[{"extension":2,"name":"one"}]}` + "\n"
	if code != 0 || out != want || errs != "" {
		t.Errorf("code %d, %s\n%s\nexpected\n%s", code, errs, out, want)
	}
	for _, x := range []struct {
		message string
		ext     Extension
	}{
		{"two integrators called imb", Extension{Integrators: []Integrator{{Name: "imb", New: noStep}}}},
		{"two integrators called a", Extension{Integrators: []Integrator{{Name: "a", New: noStep}, {Name: "a", New: noStep}}}},
		{"two simulators called ridge", Extension{Simulators: []Simulator{simulated}}},
		{"something without a name among its integrators", Extension{Integrators: []Integrator{{New: noStep}}}},
		{"the integrator a has no function", Extension{Integrators: []Integrator{{Name: "a"}}}},
		{"the simulator a has no function", Extension{Simulators: []Simulator{{Name: "a"}}}},
		{"the correction a has no function", Extension{Corrections: []Correction{{Name: "a"}}}},
	} {
		code, out, errs := served(bananas(x.ext), "", "describe")
		if code != 1 || out != "" || !strings.Contains(errs, x.message) {
			t.Errorf("%s: code %d, %q, %q", x.message, code, out, errs)
		}
	}
}

func noStep(*runtime.GenericSystem) (runtime.StepFunc, error) {
	return nil, errors.New("there is none")
}

func TestUsage(t *testing.T) {
	dir := lay(t, planOf(1, paperSettings("imb")))
	for _, args := range [][]string{nil, {"x"}, {"describe", dir}, {"cells"}, {"cells", dir, dir}, {"task", dir, "0"}, {"probe", dir}} {
		if code, out, errs := served(bananas(), "", args...); code != 2 || out != "" || !strings.Contains(errs, "hamc grid --help") {
			t.Errorf("%q: code %d, %q, %q", args, code, out, errs)
		}
	}
}

// TestCells: a worker writes an event and a file for each index that comes in, in that order, and
// stops at one that is none.
func TestCells(t *testing.T) {
	p := planOf(1, paperSettings("imb"), paperSettings("ima"), paperSettings("glfa"))
	for _, x := range []struct {
		stdin   string
		cells   []int
		code    int
		message string
	}{
		{"", nil, 0, ""},
		{"2\n0\n", []int{2, 0}, 0, ""},
		{" 1 \n1", []int{1, 1}, 0, ""}, // what is there is made again: it is the same
		{"0\n3\n1\n", []int{0}, 1, `there is no cell "3": the plan has 3`},
		{"-1\n", nil, 1, `there is no cell "-1"`},
		{"a\n", nil, 1, `there is no cell "a"`},
		{"\n", nil, 1, `there is no cell ""`},
	} {
		dir := lay(t, p)
		code, out, errs := served(bananas(), x.stdin, "cells", dir)
		if code != x.code || !strings.Contains(errs, x.message) || (errs == "") != (x.code == 0) {
			t.Errorf("%q: code %d, %q", x.stdin, code, errs)
		}
		list := events(t, out)
		files := map[string]bool{}
		for i, e := range list {
			if i >= len(x.cells) || e.Cell != x.cells[i] || e.Problem != "" || e.Error != "" || !(e.Seconds > 0) {
				t.Errorf("%q: event %+v", x.stdin, e)
			}
			files[filepath.Base(p.ResultPath(dir, &p.Cells[e.Cell]))] = true
		}
		if len(list) != len(x.cells) {
			t.Errorf("%q: %d events", x.stdin, len(list))
		}
		// Nothing else is left there, such as half a file.
		if got := entries(t, filepath.Join(dir, CellsName)); len(got) != len(files) {
			t.Errorf("%q: files %q, of %v", x.stdin, got, files)
		}
	}
}

// TestPlans: a worker that finds no plan, or a damaged one, says so.
func TestPlans(t *testing.T) {
	good := planOf(1, paperSettings("imb"))
	text, err := json.Marshal(good)
	if err != nil {
		t.Fatal(err)
	}
	replaced := func(old, new string) string {
		out := strings.Replace(string(text), old, new, 1)
		if out == string(text) {
			t.Fatalf("the plan has no %s", old)
		}
		return out
	}
	for _, x := range []struct{ plan, message string }{
		{"", "is this the directory of a grid?"}, // no file
		{"{", "damaged, or of another version"},
		{"[]", "damaged, or of another version"},
		{replaced(`"seed":1`, `"sead":1`), "damaged, or of another version"},
		{replaced(`"seed":1`, `"seed":-1`), "damaged, or of another version"},
		{replaced(`"solver":"fixed-point"`, `"solver":"x"`), `unknown solver "x"`},
		{replaced(`"format":1`, `"format":2`), "format 2 of a grid; this version of hamc has format 1"},
		{replaced(`"index":0`, `"index":1`), "damaged: cell 0"},
		{replaced(`"model":0`, `"model":1`), "damaged: cell 0"},
		{replaced(`"model":0`, `"model":-1`), "damaged: cell 0"},
		{replaced(`"replicate":1`, `"replicate":0`), "damaged: cell 0"},
		{replaced(`"draws":60`, `"draws":-60`), "damaged: cell 0"},
	} {
		dir := t.TempDir()
		if x.plan != "" {
			if err := os.WriteFile(filepath.Join(dir, PlanName), []byte(x.plan), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for _, args := range [][]string{{"cells", dir}, {"task", dir, filepath.Join(dir, "tasks"), "0"}, {"probe", dir, "1"}} {
			code, out, errs := served(bananas(), "0\n", args...)
			if code != 1 || out != "" || !strings.Contains(errs, x.message) || !strings.Contains(errs, dir) {
				t.Errorf("%s: %s: code %d, %q, %q", x.plan, args[0], code, out, errs)
			}
		}
	}
	// What is written is read back.
	dir := lay(t, good)
	back, err := ReadPlan(dir)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(back); err != nil || string(again) != string(text) {
		t.Errorf("%v: the plan is read as\n%s\nand was\n%s", err, again, text)
	}
}

// TestTask: a task runs the cells of its line that have no result, and leaves the others as they are.
func TestTask(t *testing.T) {
	p := planOf(1, paperSettings("imb"), paperSettings("ima"), paperSettings("glfa"))
	dir := lay(t, p)
	list := filepath.Join(dir, "tasks")
	if err := os.WriteFile(list, []byte("0 2\n1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := served(bananas(), "", "task", dir, list, "0"); code != 0 || len(events(t, out)) != 2 {
		t.Fatalf("code %d, %s, %s", code, out, errs)
	}
	before, err := os.ReadFile(p.ResultPath(dir, &p.Cells[0]))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(p.ResultPath(dir, &p.Cells[2])); err != nil {
		t.Fatal(err)
	}
	code, out, errs := served(bananas(), "", "task", dir, list, "0")
	if done := events(t, out); code != 0 || len(done) != 1 || done[0].Cell != 2 {
		t.Errorf("with a result missing: code %d, %s, %s", code, out, errs)
	}
	if after, err := os.ReadFile(p.ResultPath(dir, &p.Cells[0])); err != nil || string(after) != string(before) {
		t.Errorf("%v: the result that was there is another one", err)
	}
	if _, err := p.ReadResult(dir, &p.Cells[1]); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the cell of another task has a result: %v", err)
	}
	for _, x := range []struct{ number, message string }{
		{"2", `there is no task "2": the file has 2`}, {"-1", `there is no task "-1"`}, {"x", `there is no task "x"`},
	} {
		if code, out, errs := served(bananas(), "", "task", dir, list, x.number); code != 1 || out != "" || !strings.Contains(errs, x.message) {
			t.Errorf("task %s: code %d, %q, %q", x.number, code, out, errs)
		}
	}
	if code, _, errs := served(bananas(), "", "task", dir, list+"x", "0"); code != 1 || !strings.Contains(errs, "tasksx") {
		t.Errorf("without a list: code %d, %q", code, errs)
	}
	if err := os.WriteFile(list, []byte("7\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := served(bananas(), "", "task", dir, list, "0"); code != 1 || !strings.Contains(errs, `there is no cell "7"`) {
		t.Errorf("with a cell that is none: code %d, %q", code, errs)
	}
}

// TestDamagedResult: a result that cannot be read, or is of another cell, is not taken for one.
func TestDamagedResult(t *testing.T) {
	p := planOf(1, paperSettings("imb"), paperSettings("ima"))
	dir := lay(t, p)
	list := filepath.Join(dir, "tasks")
	if err := os.WriteFile(list, []byte("0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	path := p.ResultPath(dir, &p.Cells[0])
	for _, x := range []struct{ text, message string }{
		{`{"id": "`, "the file is damaged; remove it"},
		{``, "the file is damaged; remove it"},
		{`{"id": "` + p.ID(&p.Cells[1]) + `"}`, "the file is of another cell"},
	} {
		if err := os.WriteFile(path, []byte(x.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := p.ReadResult(dir, &p.Cells[0]); err == nil || !strings.Contains(err.Error(), x.message) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", x.text, err)
		}
		if code, out, errs := served(bananas(), "", "task", dir, list, "0"); code != 1 || out != "" || !strings.Contains(errs, x.message) {
			t.Errorf("%s: code %d, %q, %q", x.text, code, out, errs)
		}
	}
}

// failingBananas has integrators and simulators that fail in every way.
func failingBananas() *Program {
	failing := func(name string, f func() (runtime.StepFunc, error)) Integrator {
		return Integrator{Name: name, Solves: 1, New: func(*runtime.GenericSystem) (runtime.StepFunc, error) { return f() }}
	}
	step := func(f func(q []float64)) func() (runtime.StepFunc, error) {
		return func() (runtime.StepFunc, error) {
			return func(q, p []float64, _ float64, _ *runtime.Solver) runtime.StepResult {
				f(q)
				return runtime.StepResult{}
			}, nil
		}
	}
	return bananas(Extension{Integrators: []Integrator{
		failing("refuses", func() (runtime.StepFunc, error) { return nil, errors.New("not for bananas") }),
		failing("panics", step(func([]float64) { panic("a mistake of mine") })),
		failing("overruns", step(func(q []float64) { q[len(q)]++ })),
		failing("derefers", step(func([]float64) { var p *Plan; p.Seed++ })),
		failing("early", func() (runtime.StepFunc, error) { panic(fmt.Errorf("wrapped %d", 1)) }),
	}, Simulators: []Simulator{
		{Name: "fails", Simulate: func(*rand.Rand) (map[string]any, Point, error) { return nil, nil, errors.New("no data today") }},
		{Name: "wrong", Simulate: func(*rand.Rand) (map[string]any, Point, error) { return map[string]any{"n": "x"}, nil, nil }},
		{Name: "nowhere", Simulate: func(rng *rand.Rand) (map[string]any, Point, error) {
			d, _, err := simulated.Simulate(rng)
			return d, nil, err
		}},
	}})
}

// TestProblems: what cannot be run has a result that says why, without a number; the worker goes on
// with the next cell. What panics does not take the worker with it.
func TestProblems(t *testing.T) {
	program := failingBananas()
	for _, x := range []struct {
		name, message string
		of            func(*Plan, *Cell)
	}{
		{"an integrator that does not apply", "integrator refuses: not for bananas", func(_ *Plan, c *Cell) { c.Integrator = "refuses" }},
		{"a panic", "panic: a mistake of mine", func(_ *Plan, c *Cell) { c.Integrator = "panics" }},
		{"an index out of range", "index out of range", func(_ *Plan, c *Cell) { c.Integrator = "overruns" }},
		{"a nil pointer", "nil pointer dereference", func(_ *Plan, c *Cell) { c.Integrator = "derefers" }},
		{"a panic in New", "panic: wrapped 1", func(_ *Plan, c *Cell) { c.Integrator = "early" }},
		{"an integrator that there is not", "no integrator none", func(_ *Plan, c *Cell) { c.Integrator = "none" }},
		{"a leapfrog", "the leapfrog needs a metric", func(_ *Plan, c *Cell) { c.Integrator = "leapfrog" }},
		{"an effective sample size of nothing", "ess names t3, which is no parameter", func(p *Plan, _ *Cell) { p.Models[0].ESS = []string{"t1", "t3"} }},
		{"a simulator that fails", "no data today", func(p *Plan, _ *Cell) { p.Models[0].Simulate = "fails" }},
		{"data that are wrong", "data of the simulator wrong", func(p *Plan, _ *Cell) { p.Models[0].Simulate = "wrong" }},
		{"a simulator without a start", "no point to start at", func(p *Plan, _ *Cell) { p.Models[0].Simulate = "nowhere" }},
		{"a simulator that there is not", "no simulator none", func(p *Plan, _ *Cell) { p.Models[0].Simulate = "none" }},
		{"a model that there is not", "no model m_none", func(p *Plan, _ *Cell) { p.Models[0].Code = "m_none" }},
		{"a correction that there is not", "no correction none", func(p *Plan, _ *Cell) { p.Models[0].Correction = "none" }},
		{"a block that there is not", "block", func(p *Plan, _ *Cell) { p.Models[0].Block = "none" }},
		{"a start that there is not", `no start "x"`, func(p *Plan, _ *Cell) { p.Models[0].Start = "x" }},
		{"a start with a parameter missing", "0 values of t2", func(p *Plan, _ *Cell) {
			p.Models[0].Start, p.Models[0].Init = StartGiven, Point{"t1": {0}, "t3": {0}}
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			p := planOf(1, paperSettings("imb"), paperSettings("imb"))
			p.Models = append(p.Models, p.Models[0])
			p.Cells[1].Model = 1
			x.of(p, &p.Cells[0])
			dir := lay(t, p)
			code, out, errs := served(program, "0\n1\n", "cells", dir)
			list := events(t, out)
			if code != 0 || len(list) != 2 || list[0].Error != "" || !strings.Contains(list[0].Problem, x.message) || list[1].Problem != "" || list[1].Error != "" {
				t.Fatalf("code %d, %s, %s", code, out, errs)
			}
			r, err := p.ReadResult(dir, &p.Cells[0])
			if err != nil || r.Problem != list[0].Problem || r.Seed != p.CellSeed(&p.Cells[0]) {
				t.Fatalf("%v: %+v", err, r)
			}
			// A number that was not measured must not pass for 0.
			for name, v := range map[string]Number{"accept_stat": r.AcceptStat, "ess_mean": r.ESSMean, "ess_min": r.ESSMin, "energy": r.Energy.Median, "symmetry": r.Symmetry.Median, "volume": r.Volume.Median} {
				if v == v {
					t.Errorf("%s = %v", name, v)
				}
			}
			// The same again, byte for byte.
			first := timeless(t, r)
			if code, out, errs := served(program, "0\n", "cells", dir); code != 0 {
				t.Fatalf("code %d, %s, %s", code, out, errs)
			}
			if r, err = p.ReadResult(dir, &p.Cells[0]); err != nil || timeless(t, r) != first {
				t.Errorf("%v: run again, the result is\n%s\nand was\n%s", err, timeless(t, r), first)
			}
			if strings.HasPrefix(r.Problem, "panic") && (!strings.Contains(r.Problem, "worker_test.go:") || strings.Contains(r.Problem, "0x")) {
				t.Errorf("where it panicked is not in %q, or an address is", r.Problem)
			}
		})
	}
}

// TestNoData: a file of data that is gone is an error of the worker, not a result of the cell: it
// may be back the next time.
func TestNoData(t *testing.T) {
	p := planOf(1, paperSettings("imb"))
	m := &p.Models[0]
	m.Data, m.Simulate, m.Start, m.Init = []string{DataName + "/gone.json"}, "", StartMode, Point{"t1": {0}, "t2": {1}}
	dir := lay(t, p)
	list := filepath.Join(dir, "tasks")
	if err := os.WriteFile(list, []byte("0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	code, out, _ := served(bananas(), "0\n", "cells", dir)
	if e := events(t, out); code != 0 || len(e) != 1 || !strings.Contains(e[0].Error, "gone.json") || e[0].Problem != "" {
		t.Errorf("code %d, %s", code, out)
	}
	if code, _, errs := served(bananas(), "", "task", dir, list, "0"); code != 1 || !strings.Contains(errs, "cell 0") || !strings.Contains(errs, "gone.json") {
		t.Errorf("task: code %d, %s", code, errs)
	}
	if left := entries(t, filepath.Join(dir, CellsName)); len(left) != 0 {
		t.Errorf("it left %q", left)
	}
	if err := os.WriteFile(filepath.Join(dir, m.Data[0]), []byte(`{"n": 2, "y": [1, 2]}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := served(bananas(), "", "task", dir, list, "0"); code != 0 || events(t, out)[0].Problem != "" {
		t.Errorf("with the file: code %d, %s, %s", code, out, errs)
	}
}

// TestProbe: a probe tells for each cell that comes in how long it takes, and leaves nothing.
func TestProbe(t *testing.T) {
	long := paperSettings("imb")
	p := planOf(1, paperSettings("imb"), long, paperSettings("none"))
	p.Cells[1].Draws = 1_000_000
	dir := lay(t, p)
	code, out, errs := served(bananas(), "1\n0\n2\n", "probe", dir, "0.001")
	var probes []Probe
	in := json.NewDecoder(strings.NewReader(out))
	for in.More() {
		var x Probe
		if err := in.Decode(&x); err != nil {
			t.Fatal(err)
		}
		probes = append(probes, x)
	}
	if code != 0 || len(probes) != 3 || probes[0].Cell != 1 || probes[1].Cell != 0 || probes[2].Cell != 2 {
		t.Fatalf("code %d, %s, %s", code, out, errs)
	}
	// A million transitions take longer than sixty, on any machine; what cannot run takes no time.
	if !(probes[0].Seconds > probes[1].Seconds && probes[1].Seconds > 0) || probes[2].Seconds != 0 {
		t.Errorf("probes %+v", probes)
	}
	if left := entries(t, filepath.Join(dir, CellsName)); len(left) != 0 {
		t.Errorf("it left %q", left)
	}
	if code, out, errs := served(bananas(), "0\n", "probe", dir, "x"); code != 1 || out != "" || !strings.Contains(errs, `probe for "x" seconds`) {
		t.Errorf("code %d, %q, %q", code, out, errs)
	}
	if code, _, errs := served(bananas(), "9\n", "probe", dir, "1"); code != 1 || !strings.Contains(errs, `there is no cell "9"`) {
		t.Errorf("code %d, %q", code, errs)
	}
}

// TestOtherPlan: a worker that is told what plan it was built for runs no cell of another, which would
// leave results of its code under the names of the other's.
func TestOtherPlan(t *testing.T) {
	was := planOf(1, paperSettings("imb"), paperSettings("ima"))
	for _, x := range []struct {
		name   string
		change func(*Plan)
		same   bool
	}{
		{"nothing", func(*Plan) {}, true},
		{"title", func(p *Plan) { p.Title = "other" }, true},
		{"code of the model", func(p *Plan) { p.Models[0].Digest = "e" }, false},
		{"seed", func(p *Plan) { p.Seed++ }, false},
		{"settings", func(p *Plan) { p.Cells[1].Steps++ }, false},
		{"cells", func(p *Plan) { p.Cells = p.Cells[:1] }, false},
		{"integrator", func(p *Plan) { p.Cells[0].Digest = "f" }, false},
	} {
		p := planOf(1, paperSettings("imb"), paperSettings("ima"))
		x.change(p)
		dir := lay(t, p)
		list := filepath.Join(t.TempDir(), "tasks")
		if err := os.WriteFile(list, []byte("0\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"cells", dir}, {"task", dir, list, "0"}, {"probe", dir, "0.001"}} {
			code, out, errs := served(bananas(), "0\n", append([]string{"plan", was.Digest()}, args...)...)
			if x.same && (code != 0 || errs != "") {
				t.Errorf("%s, %s: code %d, %s", x.name, args[0], code, errs)
			}
			said := strings.Contains(errs, "has been changed since this run began")
			if args[0] == "cells" { // what hamc reads
				told := events(t, out)
				said = said && len(told) == 1 && told[0].Cell == NoCell && told[0].Error == strings.TrimSpace(errs)
			}
			if !x.same && (code != 1 || !said) {
				t.Errorf("%s, %s: code %d, %q, %q", x.name, args[0], code, out, errs)
			}
		}
		if n := len(entries(t, filepath.Join(dir, CellsName))); (n > 0) != x.same {
			t.Errorf("%s: %d results", x.name, n)
		}
	}
}
