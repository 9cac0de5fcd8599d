package experiment

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime/grid"
)

// written writes results of cells to a directory as workers do.
func written(t *testing.T, p *grid.Plan, rows []Row) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, grid.CellsName), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		text, err := json.Marshal(r.Result)
		if err == nil {
			err = os.WriteFile(p.ResultPath(dir, r.Cell), text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// readTable reads a table by column.
func readTable(t *testing.T, path string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for i, name := range lines[0] {
		if out[name] != nil {
			t.Errorf("%s: two columns %s", path, name)
		}
		out[name] = []string{}
		for _, line := range lines[1:] {
			out[name] = append(out[name], line[i])
		}
	}
	return out
}

// tablesOf writes the tables of a directory three times, each time the same.
func tablesOf(t *testing.T, dir string, p *grid.Plan) {
	t.Helper()
	var first map[string]string
	for range 3 {
		rows, err := Gather(dir, p)
		if err != nil {
			t.Fatal(err)
		}
		if err := WriteTables(dir, rows); err != nil {
			t.Fatal(err)
		}
		texts := map[string]string{}
		for _, name := range []string{ResultsName, TimesName, IterationsName, EnergyName} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			texts[name] = string(text)
		}
		for name, text := range first {
			if texts[name] != text {
				t.Errorf("%s is not the same", name)
			}
		}
		first = texts
	}
}

// Tables come of results alone, the same each time, and read as what was written.
func TestTables(t *testing.T) {
	p := mustPlan(t, publishedGrid, "")
	const problem = "panic: \"no\", a; b\n\tline two,\r\n<b>"
	made := resultsOf(p, func(c *grid.Cell, r *grid.Result) {
		switch c.Index {
		case 1:
			r.Problem = problem
		case 2:
			r.ESSMean, r.Symmetry = grid.Number(math.NaN()), grid.Spread{P10: grid.Number(math.NaN()), Median: grid.Number(math.NaN()), P90: grid.Number(math.NaN())}
		case 3:
			r.Failures = []grid.FailureCount{{Status: "a", Count: 2}, {Status: "b", Count: 5}}
			r.IterBins = nil
		}
	})
	made = slices.DeleteFunc(made, func(r Row) bool { return r.Cell.Index == 4 }) // not there yet
	dir := written(t, p, made)
	tablesOf(t, dir, p)
	results := readTable(t, filepath.Join(dir, ResultsName))
	if got, want := strings.Join(results["cell"], " "), "0 1 2 3 5 6 7 8 9"; got != want {
		t.Errorf("cells %s", got)
	}
	// A reader of CSV makes \n of \r\n, as RFC 4180 has it of lines.
	if got := results["problem"]; got[0] != "" || got[1] != strings.ReplaceAll(problem, "\r\n", "\n") {
		t.Errorf("problems %q", got)
	}
	for name, column := range results {
		first := slices.Index([]string{"cell", "cells", "model", "replicate", "warmup", "draws", "fresh", "seed", "problem"}, name) >= 0 || settingNamed(name) != nil
		if empty := column[1] == ""; empty == first {
			t.Errorf("%s of a problem is %q", name, column[1])
		}
	}
	for i, row := range made {
		if results["seed"][i] != strconv.FormatUint(p.CellSeed(row.Cell), 10) || results["steps"][i] != strconv.Itoa(row.Cell.Steps) || results["model"][i] != "m" {
			t.Errorf("row %d", i)
		}
	}
	for _, x := range []struct {
		column string
		row    int
		want   string
	}{
		{"accept_prob", 0, "0.5"}, {"ess_mean", 0, "50"}, {"ess_mean", 2, ""}, {"ess_min", 2, "25"}, {"symmetry_error_median", 2, ""}, {"symmetry_error_n", 2, "0"},
		{"volume_error_median", 2, "2e-08"}, {"failed", 0, "0"}, {"failed", 3, "7"}, {"audited", 0, "100"}, {"irreversible", 0, "0"}, {"iterations", 0, "800"},
		{"cells", 8, "other"}, {"integrator", 2, "glfb"}, {"replicate", 1, "2"}, {"draws", 0, "100"}, {"fresh", 0, "false"}, {"tolerance", 0, "1e-06"},
	} {
		if got := results[x.column][x.row]; got != x.want {
			t.Errorf("%s of row %d is %q, want %q", x.column, x.row, got, x.want)
		}
	}
	if got := readTable(t, filepath.Join(dir, TimesName)); len(got["cell"]) != 8 || got["cpu_seconds"][0] != "0.5" || got["host"][0] != "here" {
		t.Errorf("times %v", got)
	}
	if got := readTable(t, filepath.Join(dir, IterationsName)); len(got["cell"]) != 2*7 || got["iterations"][1] != "5" || got["steps"][1] != "100" {
		t.Errorf("iterations %v", got)
	}
	if got := readTable(t, filepath.Join(dir, EnergyName)); len(got["cell"]) != 8 || got["log10_energy_error"][0] != "-2" || got["trajectories"][0] != "100" {
		t.Errorf("energy %v", got)
	}
}

// Results that are missing are found, one of each that have the same; those that cannot be read are told,
// with what to do; those of another grid are left alone.
func TestMissing(t *testing.T) {
	const text = aModel + "[[cells]]\nname = \"a\"\nstep_size = 1\nsteps = [1, 2]\n[[cells]]\nname = \"b\"\nstep_size = 1\nsteps = [2, 3]\n"
	p := mustPlan(t, text, "")
	rows := resultsOf(p, nil)
	missing := func(dir string) []int {
		t.Helper()
		out, err := Missing(dir, p)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if got := missing(filepath.Join(t.TempDir(), "none")); !slices.Equal(got, []int{0, 1, 3}) { // 2 is 1
		t.Errorf("missing %v", got)
	}
	dir := written(t, p, rows[:2])
	old := mustPlan(t, strings.ReplaceAll(text, "step_size = 1", "step_size = 2"), "")
	for _, r := range resultsOf(old, nil) {
		if err := os.WriteFile(old.ResultPath(dir, r.Cell), []byte("{}"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got := missing(dir); !slices.Equal(got, []int{3}) {
		t.Errorf("missing %v", got)
	}
	if got, err := Gather(dir, p); err != nil || len(got) != 3 || got[2].Cell.Group != "b" || got[2].Result.Seed != rows[1].Result.Seed {
		t.Errorf("%v, %v", got, err)
	}
	tasks := &Tasks{Cells: [][]int{{0}, {1, 2}, {3}}}
	for _, c := range []struct {
		have []int
		want []int
	}{{nil, []int{0, 1, 2}}, {[]int{0}, []int{1, 2}}, {[]int{1}, []int{0, 2}}, {[]int{2}, []int{0, 2}}, {[]int{0, 2, 3}, nil}, {[]int{3}, []int{0, 1}}} {
		var have []Row
		for _, i := range c.have {
			have = append(have, rows[i])
		}
		if got, err := tasks.Incomplete(written(t, p, have), p); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("with %v: incomplete %v, %v", c.have, got, err)
		}
	}

	path := p.ResultPath(dir, &p.Cells[0])
	for _, c := range []struct{ text, want string }{
		{"", "the file is damaged; remove it to have the cell run again"},
		{"{\"id\": ", "the file is damaged; remove it to have the cell run again"},
		{"[]", "the file is damaged; remove it to have the cell run again"},
		{"{\"id\": \"other\"}", "the file is of another cell, other; remove it to have the cell run again"},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, f := range []func() error{
			func() error { _, err := Missing(dir, p); return err },
			func() error { _, err := Gather(dir, p); return err },
			func() error { _, err := tasks.Incomplete(dir, p); return err },
		} {
			if err := f(); err == nil || !strings.HasPrefix(err.Error(), path+": "+c.want) {
				t.Errorf("%q: %v", c.text, err)
			}
		}
	}
}
