package grid

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/files"
	"github.com/hamc-dev/hamc/runtime/random"
)

// TestReproducible: a result is the same, byte for byte but for its times, whenever and by whatever
// command it is made, at whatever place in a plan, and with whatever other cells.
func TestReproducible(t *testing.T) {
	x := paperSettings("glfb")
	x.RandomSteps = true
	alone := planOf(7, x)
	want := timeless(t, result(t, bananas(), alone, 0))
	if again := timeless(t, result(t, bananas(), alone, 0)); again != want {
		t.Errorf("run once more:\n%s\n%s", again, want)
	}

	among := planOf(7, paperSettings("imb"), paperSettings("ima"), x)
	among.Title, among.Cells[2].Group = "another", "h"
	among.Models = slices.Insert(among.Models, 0, Model{Name: "other", Code: "m_other"})
	for i := range among.Cells {
		among.Cells[i].Model = 1
	}
	for _, command := range []string{"cells", "task", "cells of another process"} {
		dir := lay(t, among)
		var code int
		var errs string
		switch command {
		case "cells":
			code, _, errs = served(bananas(), "0\n1\n2\n", "cells", dir)
		case "cells of another process": // in another order
			code, _, errs = served(bananas(), "2\n0\n", "cells", dir)
		case "task":
			list := dir + "/tasks"
			if err := files.Replace(list, []byte("1\n0 2\n")); err != nil {
				t.Fatal(err)
			}
			code, _, errs = served(bananas(), "", "task", dir, list, "1")
		}
		if code != 0 {
			t.Fatalf("%s: code %d: %s", command, code, errs)
		}
		r, err := among.ReadResult(dir, &among.Cells[2])
		if err != nil {
			t.Fatal(err)
		}
		if got := timeless(t, r); got != want {
			t.Errorf("%s:\n%s\n%s", command, got, want)
		}
	}
}

// TestReplicates: replicates differ in their data and in their chains, and the cells of one replicate
// share its data whatever else differs; another seed of the plan means other data.
func TestReplicates(t *testing.T) {
	var seen []string // data, in the order in which cells load them
	program := bananas()
	program.Models["m_banana"] = func(in io.Reader, name string) (runtime.Posterior, error) {
		text, err := io.ReadAll(in)
		if err != nil {
			return nil, err
		}
		seen = append(seen, string(text))
		return loadBanana(bytes.NewReader(text), name)
	}
	var all []Settings
	for _, k := range BuiltinNames()[:4] {
		x := paperSettings(k)
		y := x
		y.Code, y.Steps = Generic, 2
		all = append(all, x, y)
	}
	p := planOf(3, all...)
	n := len(p.Cells)
	for i := range n {
		c := p.Cells[i]
		c.Index, c.Replicate = n+i, 2
		p.Cells = append(p.Cells, c)
	}
	var results []string
	for i := range p.Cells {
		r := result(t, program, p, i)
		r.ID = ""
		results = append(results, timeless(t, r))
	}
	for i := range n {
		if seen[i] != seen[0] || seen[n+i] != seen[n] {
			t.Errorf("cell %d has other data than the first of its replicate", i)
		}
		if results[i] == results[n+i] {
			t.Errorf("cell %d: both replicates have the result %s", i, results[i])
		}
	}
	if seen[0] == seen[n] {
		t.Error("both replicates have the same data")
	}
	other := planOf(4, all[0])
	result(t, program, other, 0)
	if seen[len(seen)-1] == seen[0] {
		t.Error("plans with other seeds have the same data")
	}
}

// TestFiles: files of data are for the replicates in turn.
func TestFiles(t *testing.T) {
	var names []string
	program := bananas()
	program.Models["m_banana"] = func(in io.Reader, name string) (runtime.Posterior, error) {
		names = append(names, name)
		return loadBanana(in, name)
	}
	p := planOf(1, paperSettings("imb"))
	m := &p.Models[0]
	m.Simulate, m.Start, m.Init = "", StartGiven, Point{"t1": {0}, "t2": {1}}
	m.Data = []string{DataName + "/a.json", DataName + "/b.json"}
	for i := 1; i < 5; i++ {
		c := p.Cells[0]
		c.Index, c.Replicate = i, i+1
		p.Cells = append(p.Cells, c)
	}
	dir := lay(t, p)
	for i, name := range m.Data {
		if err := files.Replace(dir+"/"+name, []byte(fmt.Sprintf(`{"n": 2, "y": [%d, 1]}`, i))); err != nil {
			t.Fatal(err)
		}
	}
	if code, out, errs := served(program, "0\n1\n2\n3\n4\n", "cells", dir); code != 0 || strings.Contains(out, "problem") {
		t.Fatalf("code %d: %s%s", code, out, errs)
	}
	if want := []string{m.Data[0], m.Data[1], m.Data[0], m.Data[1], m.Data[0]}; !slices.Equal(names, want) {
		t.Errorf("the replicates read %q, not %q", names, want)
	}
}

// trace is an integrator that notes where each step begins.
func trace(q *[][]float64) Extension {
	return Extension{Integrators: []Integrator{{Name: "trace", Solves: 1, New: func(s *runtime.GenericSystem) (runtime.StepFunc, error) {
		return func(at, p []float64, eps float64, sol *runtime.Solver) runtime.StepResult {
			*q = append(*q, slices.Concat(at, p))
			return s.StepIMb(at, p, eps, sol)
		}, nil
	}}}}
}

// TestChain: the chain does not depend on how much of it is kept and measured, so that a longer run
// repeats a shorter one.
func TestChain(t *testing.T) {
	visited := func(l Length) [][]float64 {
		var q [][]float64
		p := planOf(5, paperSettings("trace"))
		p.Cells[0].Length = l
		result(t, bananas(trace(&q)), p, 0)
		return q
	}
	// What is measured comes after the chain.
	steps := func(l Length) int { return (l.Warmup + l.Draws) * 5 }
	long, brief := short, Length{Draws: 20, Warmup: short.Warmup, Eta: 1e-4}
	a, b := visited(long), visited(brief)
	if len(a) < steps(long) || len(b) != steps(brief) {
		t.Fatalf("%d and %d steps, expected at least %d and exactly %d", len(a), len(b), steps(long), steps(brief))
	}
	for i := range b {
		if !slices.Equal(a[i], b[i]) {
			t.Fatalf("step %d begins at %v in the longer run, and at %v in the shorter", i, a[i], b[i])
		}
	}
	brief.Warmup = 0
	if c := visited(brief); slices.Equal(c[steps(brief)-1], b[steps(brief)-1]) {
		t.Error("the warm-up makes no difference")
	}
}

// TestFresh: with fresh starts each transition begins at a draw of its own, the same for the number
// of the draw.
func TestFresh(t *testing.T) {
	var drawn [][]float64
	at := func(rng *rand.Rand) Point {
		x := []float64{rng.NormFloat64(), rng.NormFloat64()}
		drawn = append(drawn, x)
		return Point{"t1": x[:1], "t2": x[1:]}
	}
	exact := simulated
	exact.Name, exact.Draw = "exact", at
	var q [][]float64
	p := planOf(5, paperSettings("trace"))
	p.Models[0].Simulate = "exact"
	c := &p.Cells[0]
	c.Length = Length{Draws: 10, Fresh: true, Eta: 1e-5}
	r := result(t, bananas(Extension{Simulators: []Simulator{exact}}, trace(&q)), p, 0)
	if len(drawn) != 10 || len(q) != 50 {
		t.Fatalf("%d draws and %d steps", len(drawn), len(q))
	}
	stream := random.New(r.Seed, 0)
	for i, x := range slices.Clone(drawn) {
		if !slices.Equal(q[5*i][:2], x) {
			t.Errorf("transition %d begins at %v, and its draw is %v", i, q[5*i][:2], x)
		}
		stream.Seek(phaseDraw, uint64(i))
		if y := at(rand.New(stream)); x[0] != y["t1"][0] || x[1] != y["t2"][0] {
			t.Errorf("draw %d is %v, and of its own random numbers %v", i, x, y)
		}
	}
	if len(r.ESS) != 0 || r.ESSMean == r.ESSMean {
		t.Errorf("trajectories that are no chain have effective sample sizes: %v", r.ESS)
	}

	p.Models[0].Simulate = simulated.Name
	w := &worker{program: bananas(), plan: p}
	p.Cells[0].Integrator = "imb"
	if r, err := w.run(c); err != nil || !strings.Contains(r.Problem, "fresh starts") {
		t.Errorf("a simulator that does not draw: %v, %+v", err, r)
	}
}
