package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/experiment"
	"github.com/hamc-dev/hamc/paper"
)

// rerun runs a part of an experiment of the paper at quick scale, with results in a directory, beside the
// given published tables.
func rerun(t *testing.T, name, dir string, ref *experiment.Reference, only ...string) *experiment.Outcome {
	t.Helper()
	var stderr bytes.Buffer
	e := &env{stdout: io.Discard, stderr: &stderr}
	f := &gridFlags{scale: "quick", executor: "local", progress: "none", quiet: true, workers: 2, only: only}
	for i := range paper.Experiments {
		if x := &paper.Experiments[i]; x.Name == name {
			o, err := e.paperExperiment(context.Background(), x, dir, ref, f)
			if err != nil {
				t.Fatalf("%v\n%s", err, stderr.String())
			}
			return o
		}
	}
	t.Fatalf("there is no experiment %s", name)
	return nil
}

// tallyOf returns the tally of the comparisons with the rows of a table that have one of some integrators
// and one of some numbers of steps.
func tallyOf(o *experiment.Outcome, ref *experiment.Reference, table string, integrators []string, steps ...float64) experiment.Tally {
	var in []experiment.Comparison
	for _, c := range o.Compared {
		if c.Table != table {
			continue
		}
		for _, t := range ref.Tables {
			if t.Label != table {
				continue
			}
			for _, k := range integrators {
				for _, n := range steps {
					if t.Rows[c.Row]["integrator"] == k && t.Rows[c.Row]["steps"] == n {
						in = append(in, c)
					}
				}
			}
		}
	}
	return experiment.Count(in)
}

// What the paper prints of the banana is met by a rerun of the rows that take the least time, and is
// not if the rows of two integrators are exchanged.
func TestPaperBanana(t *testing.T) {
	const table = "tab:banana-ess"
	ref, err := paperReference()
	if err != nil {
		t.Fatal(err)
	}
	which := []string{"imb", "glfb"}
	only := []string{"cells=fixed", "integrator=imb,glfb", "steps=5,10"}
	o := rerun(t, "banana", t.TempDir(), ref, only...)
	// Acceptance, mean and least effective sample size of four rows.
	if got, want := tallyOf(o, ref, table, which, 5, 10), (experiment.Tally{Agree: 12}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := o.Tally; got.Agree != 12 || got.Explained+got.Unexplained > 0 {
		t.Errorf("of all rows %+v", got)
	}

	for i := range ref.Tables {
		if ref.Tables[i].Label != table {
			continue
		}
		for _, row := range ref.Tables[i].Rows {
			switch row["integrator"] {
			case "imb":
				row["integrator"] = "glfb"
			case "glfb":
				row["integrator"] = "imb"
			}
		}
	}
	o = rerun(t, "banana", t.TempDir(), ref, only...)
	for _, c := range o.Compared {
		if c.Measured && c.Measure == "accept_prob" && c.Agrees {
			t.Errorf("exchanged: acceptance %v is met by %v", c.Theirs, c.Ours)
		}
	}
	// Some of the effective sample sizes of so short chains are within the errors of either.
	if got := tallyOf(o, ref, table, which, 5, 10); got.Unexplained < 8 || got.Unmeasured > 0 {
		t.Errorf("exchanged: %+v", got)
	}
}

// For a quadratic Hamiltonian the paper finds that the implicit midpoint leaves an energy error of some
// 10⁻¹⁰ at every step size, and the leapfrog, of which the generalized one is the same here, much more.
func TestPaperGaussian(t *testing.T) {
	ref, err := paperReference()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if o := rerun(t, "gaussian", dir, ref, "cells=energy"); o.Tally != (experiment.Tally{}) {
		t.Errorf("%+v: the paper has no table of it", o.Tally)
	}
	text, err := os.ReadFile(filepath.Join(dir, experiment.ResultsName))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := func(line []string, name string) string { return line[slices.Index(lines[0], name)] }
	medians := map[string]float64{} // by integrator and step size
	for _, line := range lines[1:] {
		if column(line, "problem") != "" || column(line, "draws") != "2500" || column(line, "energy_error_n") != "2500" {
			t.Errorf("%v", line)
		}
		x, err := strconv.ParseFloat(column(line, "energy_error_median"), 64)
		if err != nil {
			t.Error(err)
		}
		medians[column(line, "integrator")+" "+column(line, "step_size")] = x
	}
	if len(medians) != 12 {
		t.Errorf("medians %v", medians)
	}
	for _, eps := range []string{"0.01", "0.1", "1"} {
		for _, k := range []string{"ima", "imb"} {
			if x := medians[k+" "+eps]; !(x > 0 && x < 1e-9) {
				t.Errorf("%s, step size %s: %g", k, eps, x)
			}
		}
		// Medians of 2500 errors that are spread over a decade or two.
		a, b := medians["leapfrog "+eps], medians["glfb "+eps]
		if !(a > 1e-7 && a/b < 1.2 && b/a < 1.2) {
			t.Errorf("step size %s: %g of the leapfrog, %g of the generalized", eps, a, b)
		}
	}
}

// What the files of the experiments say of the published tables is there: a note on a table or a column
// that nobody knows would never be shown.
func TestPaperNames(t *testing.T) {
	tables, err := paper.Tables()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]map[string]any{}
	for _, x := range tables {
		if len(x.Rows) == 0 || rows[x.Label] != nil {
			t.Errorf("table %s: no rows, or two of the name", x.Label)
		}
		rows[x.Label] = x.Rows
	}
	values := func(v any) []any {
		if l, ok := v.([]any); ok || v == nil {
			return l
		}
		return []any{v}
	}
	used := map[string]bool{}
	for _, x := range paper.Experiments {
		text, err := paper.ReadFile(x.File)
		if err != nil {
			t.Fatal(err)
		}
		spec, err := experiment.ParseSpec(text, x.File)
		if err != nil {
			t.Fatal(err)
		}
		own := map[string]bool{}
		for _, g := range spec.Groups {
			if g.Table != "" && (rows[g.Table] == nil || used[g.Table]) {
				t.Errorf("%s: cells %s: there is no table %s, or other cells have it", x.File, g.Name, g.Table)
			}
			used[g.Table], own[g.Table] = true, true
		}
		for i, n := range spec.Notes {
			labels := values(n.Table)
			for _, label := range labels {
				if name, ok := label.(string); !ok || !own[name] {
					t.Errorf("%s: note %d: there is no table %v in the grid", x.File, i+1, label)
				}
			}
			// The note is on at least one value.
			on := 0
			for name, list := range rows {
				if !own[name] || len(labels) > 0 && !slices.Contains(labels, any(name)) {
					continue
				}
				for _, row := range list {
					matches := true
					for column, v := range n.Where {
						matches = matches && slices.ContainsFunc(values(v), func(v any) bool { return fmt.Sprint(v) == fmt.Sprint(row[column]) })
					}
					for _, column := range values(n.Column) {
						name, ok := column.(string)
						matches = matches && ok && row[name] != nil
					}
					if matches {
						on++
					}
				}
			}
			if on == 0 || strings.TrimSpace(n.Text) == "" || n.Scale != "" && n.Scale != "paper" && n.Scale != "quick" {
				t.Errorf("%s: note %d is on %d rows, at the scale %q, and says %q", x.File, i+1, on, n.Scale, n.Text)
			}
		}
	}
	for name := range rows {
		if !used[name] {
			t.Errorf("no cells are of table %s", name)
		}
	}
}
