//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime/grid"
)

// gateVariable names the file that the integrator gated waits for.
const gateVariable = "HAMC_TEST_GATE"

// gated is an extension with an integrator that does not begin before a file is there, so that a test
// knows what a worker is about, and is then the implicit midpoint. To measure how long it takes it
// does not wait.
const gated = `package gated

import (
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/grid"
)

var Extension = grid.Extension{Integrators: []grid.Integrator{{Name: "gated", Solves: 1, New: func(s *runtime.GenericSystem) (runtime.StepFunc, error) {
	for name := os.Getenv("` + gateVariable + `"); name != "" && !slices.Contains(os.Args, "probe"); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(name); err == nil {
			break
		}
		_ = os.WriteFile(name+"."+strconv.Itoa(os.Getpid()), nil, 0o666) // who waits
	}
	return runtime.Stepper(s, runtime.IMb, runtime.FixedPoint)
}}}}
`

// gatedGrid has four cells of imb, then four that wait.
const gatedGrid = `title = "Gated"
seed = 7
with = ["gated.go"]
replicates = 2
draws = 40
checks = 4
audit = 10

[[model]]
file = "m.ham"

[[cells]]
name = "free"
integrator = ["imb", "glfb"]
step_size = 0.3
steps = 3

[[cells]]
name = "held"
integrator = "gated"
step_size = 0.3
steps = [3, 4]
`

const gridModel = "model m\nparam x real\nparam y real\nx ~ normal(0, 1)\ny ~ normal(x, exp(x/2))\nmetric fisher(prior = expected)\n"

// gridBench is a directory with a grid.
type gridBench struct {
	t        *testing.T
	dir      string
	gate     string
	whole    string // directory of results of a run that nothing disturbed
	progress []cellEvent
}

func newGridBench(t *testing.T, text string) *gridBench {
	t.Helper()
	b := &gridBench{t: t, dir: t.TempDir(), whole: "whole"}
	b.gate = filepath.Join(b.dir, "gate")
	b.write("g.toml", text)
	b.write("m.ham", gridModel)
	b.write("gated.go", gated)
	b.run(0, "--output-dir", b.whole)
	return b
}

func (b *gridBench) write(name, text string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o666); err != nil {
		b.t.Fatal(err)
	}
}

func (b *gridBench) read(name ...string) string {
	b.t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{b.dir}, name...)...))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// start starts the grid with the gate closed.
func (b *gridBench) start(args ...string) *process {
	b.t.Helper()
	names, _ := filepath.Glob(b.gate + ".*")
	for _, name := range names {
		if err := os.Remove(name); err != nil {
			b.t.Fatal(err)
		}
	}
	return start(b.t, b.dir, []string{gateVariable + "=" + b.gate}, append([]string{"grid", "g.toml"}, args...)...)
}

func (b *gridBench) open() { b.write("gate", "") }

// waiting counts the workers that have come to the gate since the grid was started.
func (b *gridBench) waiting() int {
	b.t.Helper()
	names, err := filepath.Glob(b.gate + ".*")
	if err != nil {
		b.t.Fatal(err)
	}
	return len(names)
}

// run runs the grid with the gate open, notes its events, and returns what it said.
func (b *gridBench) run(code int, args ...string) (stdout, stderr string) {
	b.t.Helper()
	p := start(b.t, b.dir, []string{gateVariable + "="}, append([]string{"grid", "g.toml", "--progress", "json"}, args...)...)
	if got := p.wait(); got != code {
		b.t.Fatalf("exit code %d, want %d\n%s%s", got, code, p.stdout.String(), p.stderr.String())
	}
	b.progress = nil
	for line := range strings.Lines(p.stderr.String()) {
		var e cellEvent
		if json.Unmarshal([]byte(line), &e) == nil {
			b.progress = append(b.progress, e)
		}
	}
	return p.stdout.String(), p.stderr.String()
}

// results returns when the results of cells in a directory were written, by name.
func (b *gridBench) results(dir string) map[string]time.Time {
	b.t.Helper()
	names, err := filepath.Glob(filepath.Join(b.dir, dir, "cells", "*.json"))
	if err != nil {
		b.t.Fatal(err)
	}
	out := map[string]time.Time{}
	for _, name := range names {
		fi, err := os.Stat(name)
		if err != nil {
			b.t.Fatal(err)
		}
		out[filepath.Base(name)] = fi.ModTime()
	}
	return out
}

// kept fails the test if one of the results of before is gone or was written again.
func (b *gridBench) kept(dir string, before map[string]time.Time) {
	b.t.Helper()
	now := b.results(dir)
	for name, at := range before {
		if !now[name].Equal(at) {
			b.t.Errorf("%s was written again", name)
		}
	}
}

// sameTables fails the test if the tables of two directories differ in more than times.
func sameTables(t *testing.T, whole, parts string) {
	t.Helper()
	for _, name := range []string{"results.csv", "iterations.csv", "energy.csv"} {
		want, err := os.ReadFile(filepath.Join(whole, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(parts, name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(want), "\n") < 2 {
			t.Errorf("%s: no rows", name)
		}
		if string(got) != string(want) {
			t.Errorf("%s differs:\n%s", name, lineDiff(name, string(want), string(got)))
		}
	}
}

func (b *gridBench) same(dir string) {
	b.t.Helper()
	sameTables(b.t, filepath.Join(b.dir, b.whole), filepath.Join(b.dir, dir))
}

// cells returns the cells of the events of the last run, of which none may have failed.
func (b *gridBench) cells() map[int]bool {
	out := map[int]bool{}
	for _, e := range b.progress {
		if e.Event != "cell" || e.Error != "" || e.Problem != "" || out[e.Cell] {
			b.t.Errorf("event %+v", e)
		}
		out[e.Cell] = true
	}
	return out
}

// workers returns the processes that a hamc has started.
func (p *process) workers() []int {
	var out []int
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		// PID (NAME) STATE PARENT …
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if fields[1] == strconv.Itoa(p.cmd.Process.Pid) && fields[0] != "Z" {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			if err == nil {
				out = append(out, pid)
			}
		}
	}
	return out
}

// A hamc that is killed, with its workers or without, leaves the results that are there, and the same
// command runs the others only; in the end the tables are those of a grid that was not disturbed.
func TestGridKilled(t *testing.T) {
	b := newGridBench(t, gatedGrid)
	for _, c := range campaign.Sample(t, []struct {
		name  string
		group bool
	}{{"with its workers", true}, {"alone", false}}, 2) {
		t.Run(c.name, func(t *testing.T) {
			b.t = t
			dir := filepath.Base(t.Name())
			p := b.start("--output-dir", dir, "--workers", "2", "--quiet")
			p.until("the results of free cells, and both workers at the gate", func() bool { return len(b.results(dir)) == 4 && b.waiting() == 2 })
			before := b.results(dir)
			pid := p.cmd.Process.Pid
			if c.group {
				pid = -pid
			}
			syscall.Kill(pid, syscall.SIGKILL)
			p.wait()
			left := 4
			if !c.group { // two workers were at a cell, which they finish, and nothing more
				b.open()
				left = 2
			}
			p.orphans()
			if n := len(b.results(dir)); n != 8-left {
				t.Fatalf("%d results", n)
			}
			if size(filepath.Join(b.dir, dir, "results.csv")) > 0 {
				t.Error("there is a results.csv")
			}
			b.run(0, "--output-dir", dir)
			if got := b.cells(); len(got) != left || got[0] || got[1] || got[2] || got[3] {
				t.Errorf("ran %v", got)
			}
			b.kept(dir, before)
			b.same(dir)
		})
	}
}

// A worker that is killed costs the cell that it was at; the others come to their end, and the same
// command runs that one.
func TestGridWorkerKilled(t *testing.T) {
	b := newGridBench(t, gatedGrid)
	p := b.start("--output-dir", "parts", "--workers", "1")
	p.until("the results of free cells, and the worker at the gate", func() bool { return len(b.results("parts")) == 4 && b.waiting() == 1 })
	workers := p.workers()
	if len(workers) != 1 {
		t.Fatalf("workers %v", workers)
	}
	syscall.Kill(workers[0], syscall.SIGKILL)
	b.open()
	if code := p.wait(); code != exitProblem {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"\ncell 4 has no result: the worker ended: signal: killed\n", "hamc: 1 cell of 8 have no result, for the reasons above; the same command tries them again\n"} {
		if !strings.Contains(p.stderr.String(), want) {
			t.Errorf("no %q in\n%s", want, p.stderr.String())
		}
	}
	before := b.results("parts")
	if n := strings.Count(b.read("parts", "results.csv"), "\n"); len(before) != 7 || n != 8 {
		t.Errorf("%d results, %d lines in results.csv", len(before), n)
	}
	b.run(0, "--output-dir", "parts")
	if got := b.cells(); len(got) != 1 || !got[4] {
		t.Errorf("ran %v", got)
	}
	b.kept("parts", before)
	b.same("parts")
}

// A worker that begins after another run has changed the grid of the directory runs nothing: its model is
// another one, and results would stand under the other's names.
func TestGridChangedMeanwhile(t *testing.T) {
	b := newGridBench(t, gatedGrid)
	p := b.start("--output-dir", "parts", "--workers", "1", "--quiet")
	p.until("the results of free cells", func() bool { return len(b.results("parts")) == 4 })
	plan, err := grid.ReadPlan(filepath.Join(b.dir, "parts"))
	if err != nil {
		t.Fatal(err)
	}
	plan.Models[0].Digest = "of another model"
	if err := plan.Write(filepath.Join(b.dir, "parts")); err != nil {
		t.Fatal(err)
	}
	for _, worker := range p.workers() {
		syscall.Kill(worker, syscall.SIGKILL) // the next one reads the plan
	}
	b.open()
	if code := p.wait(); code != exitProblem || !strings.Contains(p.stderr.String(), "hamc: parts: the grid of this directory has been changed since this run began") {
		t.Errorf("exit code %d\n%s", code, p.stderr.String())
	}
	if n := len(b.results("parts")); n != 4 {
		t.Errorf("%d results", n)
	}
	b.run(0, "--output-dir", "parts")
	b.same("parts")
}

// Signals end a grid with 128 and their number, leave no process, and the same command goes on.
func TestGridInterrupted(t *testing.T) {
	b := newGridBench(t, gatedGrid)
	for _, c := range []struct {
		name   string
		signal syscall.Signal
		group  bool // the terminal signals all processes of a job, in any order
		code   int
	}{{"SIGINT", syscall.SIGINT, false, 130}, {"SIGINT to the group", syscall.SIGINT, true, 130}, {"SIGTERM", syscall.SIGTERM, false, 143}} {
		t.Run(c.name, func(t *testing.T) {
			b.t = t
			dir := strings.ReplaceAll(filepath.Base(t.Name()), " ", "-")
			p := b.start("--output-dir", dir, "--workers", "2")
			p.until("the results of free cells, and both workers at the gate", func() bool { return len(b.results(dir)) == 4 && b.waiting() == 2 })
			before := b.results(dir)
			if c.group {
				for _, worker := range p.workers() {
					syscall.Kill(worker, c.signal)
				}
				p.until("the end of the workers", func() bool { return len(p.workers()) == 0 })
				time.Sleep(50 * time.Millisecond) // for hamc to see it
			}
			syscall.Kill(p.cmd.Process.Pid, c.signal)
			if code := p.wait(); code != c.code {
				t.Errorf("exit code %d", code)
			}
			p.orphans()
			if e := p.stderr.String(); !strings.HasSuffix(e, "\nstopped with 4 of 8 cells done; the same command goes on from there\nhamc: interrupted\n") {
				t.Errorf("standard error:\n%s", e)
			}
			b.run(0, "--output-dir", dir)
			if got := b.cells(); len(got) != 4 || got[0] || got[1] || got[2] || got[3] {
				t.Errorf("ran %v", got)
			}
			b.kept(dir, before)
			b.same(dir)
		})
	}
}

// The number of workers changes nothing but times.
func TestGridWorkers(t *testing.T) {
	b := newGridBench(t, gatedGrid)
	for _, n := range []string{"1", "2", "5"} {
		b.run(0, "--output-dir", n, "--workers", n)
		if got := b.cells(); len(got) != 8 {
			t.Errorf("%s workers: ran %v", n, got)
		}
		b.same(n)
	}
}

// More values in a list make new cells, of which those there were have their numbers still.
func TestGridGrows(t *testing.T) {
	b := newGridBench(t, gatedGrid)
	rows := func(dir string) map[string][]string {
		out := map[string][]string{}
		for line := range strings.Lines(b.read(dir, "results.csv")) {
			cell, rest, _ := strings.Cut(line, ",")
			fields := strings.Split(rest, ",")
			key := strings.Join(fields[:14], ",")
			if out[key] != nil {
				t.Errorf("cell %s: there is another with %s", cell, key)
			}
			out[key] = fields
		}
		return out
	}
	before, old := b.results("whole"), rows("whole")
	b.write("g.toml", strings.ReplaceAll(strings.Replace(gatedGrid, "replicates = 2", "replicates = 3", 1), "[3, 4]", "[2, 3, 4]"))
	b.run(0, "--output-dir", "whole")
	// Of free the third replicates; of held two and the whole of two steps.
	if got := b.cells(); len(got) != 7 {
		t.Errorf("ran %v", got)
	}
	b.kept("whole", before)
	grown := rows("whole")
	if len(old) != 1+8 || len(grown) != 1+15 {
		t.Errorf("%d rows, then %d", len(old), len(grown))
	}
	for key, fields := range old {
		if strings.Join(grown[key], ",") != strings.Join(fields, ",") {
			t.Errorf("%s\nwas %v\nis  %v", key, fields, grown[key])
		}
	}
	// Fewer again: nothing is run, and the tables are as at first.
	b.write("g.toml", gatedGrid)
	b.run(0, "--output-dir", "again")
	b.run(0, "--output-dir", "whole")
	if len(b.progress) > 0 {
		t.Errorf("ran %v", b.progress)
	}
	b.same("again")
}

// wrongVariable names what the integrator of TestGridBadExtensions does wrong.
const wrongVariable = "HAMC_TEST_WRONG"

// What extensions do wrong is told with the cells it concerns, and the others come to their end. One
// extension does it all, as a variable of the environment says, so that one worker is built.
func TestGridBadExtensions(t *testing.T) {
	b := newGridBench(t, strings.Replace(gatedGrid, "steps = 3", "steps = [3, 5]", 1))
	extension := func(bodies string) string {
		return `package p

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/grid"
)

var _, _, _, _ = fmt.Print, os.Exit, strings.Repeat, sync.OnceFunc

var Extension = grid.Extension{Integrators: []grid.Integrator{{Name: "mine", Solves: 1, New: func(s *runtime.GenericSystem) (runtime.StepFunc, error) {
	midpoint, err := runtime.Stepper(s, runtime.IMb, runtime.FixedPoint)
	return func(q, p []float64, eps float64, sol *runtime.Solver) runtime.StepResult {
		switch os.Getenv("` + wrongVariable + `") {
` + bodies + `		}
		return midpoint(q, p, eps, sol)
	}, err
}}}}
`
	}
	cases := []struct {
		name, body     string
		code           int
		stdout, stderr []string
		results        int // of 12 cells without it and 4 with it
	}{
		{"panics", `if q[0] > 0.5 { panic("too far") }`, 1, []string{"16 cells of Gated in panics: "},
			[]string{"hamc: 4 cells could not be run, see the column problem of panics/results.csv; the first is cell 4 (free, m, mine, step size 0.3, 3 steps, replicate 1): panic: too far\n", "/wrong.go:19\n"}, 16},
		{"exits", `os.Exit(3)`, 1, []string{"12 cells of Gated in exits: "}, []string{`"error":"the worker ended: exit status 3"`, "hamc: 4 cells of 16 have no result, for the reasons above; the same command tries them again\n"}, 12},
		{"ends", `os.Exit(0)`, 1, nil, []string{`"error":"the worker ended"`, "4 cells of 16 have no result"}, 12},
		{"fatal", `var m sync.Mutex; m.Unlock()`, 1, nil, []string{`"error":"the worker ended: exit status 2: fatal error: sync: unlock of unlocked mutex`, "4 cells of 16 have no result"}, 12},
		{"prints", `fmt.Println("hello"); fmt.Print("{")`, 0, []string{"16 cells of Gated in prints: "}, nil, 16},
		{"babbles", `fmt.Print(strings.Repeat("x", 1<<14))`, 0, []string{"16 cells of Gated in babbles: "}, nil, 16},
	}
	var bodies strings.Builder
	for _, c := range cases {
		fmt.Fprintf(&bodies, "\t\tcase %q: %s\n", c.name, c.body)
	}
	b.write("wrong.go", extension(bodies.String()))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b.t = t
			t.Setenv(wrongVariable, c.name)
			stdout, stderr := b.run(c.code, "--output-dir", c.name, "--with", "wrong.go", "--workers", "2")
			for _, want := range c.stdout {
				if !strings.Contains(stdout, want) {
					t.Errorf("no %q in\n%s", want, stdout)
				}
			}
			for _, want := range c.stderr {
				if !strings.Contains(stderr, want) {
					t.Errorf("no %q in\n%s", want, stderr)
				}
			}
			wrong := 0
			for _, e := range b.progress {
				if e.Error+e.Problem != "" {
					wrong++
					if e.Cell/2 != 2 && e.Cell/2 != 5 {
						t.Errorf("event %+v", e)
					}
				}
			}
			if bad := c.code * 4; len(b.progress) != 16 || wrong != bad {
				t.Errorf("%d events, %d of them of a problem", len(b.progress), wrong)
			}
			if n := len(b.results(c.name)); n != c.results {
				t.Errorf("%d results", n)
			}
		})
	}
}

// Without a cache directory workers are built in a temporary one, which goes whatever becomes of the grid. A
// short campaign has a grid that is run, and one that cannot be.
func TestGridNoCacheDirectory(t *testing.T) {
	b := &gridBench{t: t, dir: t.TempDir()}
	b.write("g.toml", gatedGrid)
	b.write("m.ham", gridModel)
	b.write("gated.go", gated)
	b.write("taken", "")
	tmp := filepath.Join(b.dir, "tmp")
	if err := os.Mkdir(tmp, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range campaign.Sample(t, []struct {
		code int
		args []string
	}{{0, nil}, {0, []string{"--dry-run"}}, {2, []string{"--only", "steps=77"}}, {1, []string{"--output-dir", "taken"}}}, 3) {
		p := start(t, b.dir, []string{"HOME=", "XDG_CACHE_HOME=", "TMPDIR=" + tmp}, append([]string{"grid", "g.toml"}, c.args...)...)
		if code := p.wait(); code != c.code || !strings.Contains(p.stderr.String(), "\nbuilt    in ") {
			t.Errorf("%v: exit code %d\n%s", c.args, code, p.stderr.String())
		}
		if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
			t.Errorf("%v: left in the temporary directory: %v, %v", c.args, left, err)
		}
	}
}
