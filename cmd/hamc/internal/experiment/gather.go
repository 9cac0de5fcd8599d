package experiment

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io/fs"
	"math"
	"path/filepath"
	"strconv"

	"github.com/hamc-dev/hamc/runtime/files"
	"github.com/hamc-dev/hamc/runtime/grid"
)

// The tables in the directory of a grid.
const (
	ResultsName    = "results.csv"    // a row for each cell
	TimesName      = "timings.csv"    // what differs from one run of a cell to the next
	IterationsName = "iterations.csv" // frequencies of iterations, by cell
	EnergyName     = "energy.csv"     // frequencies of energy errors, by cell
)

// Row is a cell with its result.
type Row struct {
	Model  *grid.Model
	Cell   *grid.Cell
	Result *grid.Result
}

// Gather reads the results of a plan from its directory, in the order of the cells, those without one
// left out.
func Gather(dir string, p *grid.Plan) ([]Row, error) {
	var out []Row
	for i := range p.Cells {
		c := &p.Cells[i]
		r, err := p.ReadResult(dir, c)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, Row{&p.Models[c.Model], c, r})
	}
	return out, nil
}

// column is one column of results.csv.
type column struct {
	name  string
	value func(*Row) string
}

// columns returns the columns of results.csv: what a cell is, then what was measured.
func columns() []column {
	out := []column{
		{"cell", func(r *Row) string { return strconv.Itoa(r.Cell.Index) }},
		{"cells", func(r *Row) string { return r.Cell.Group }},
		{"model", func(r *Row) string { return r.Model.Name }},
	}
	for i := range settings {
		out = append(out, column{settings[i].name, func(r *Row) string { return settings[i].get(&r.Cell.Settings) }})
	}
	count := func(name string, f func(*Row) int) {
		out = append(out, column{name, func(r *Row) string {
			if r.Result.Problem != "" {
				return ""
			}
			return strconv.Itoa(f(r))
		}})
	}
	value := func(name string, f func(*grid.Result) float64) {
		out = append(out, column{name, func(r *Row) string {
			x := f(r.Result)
			if x-x != 0 || r.Result.Problem != "" {
				return ""
			}
			return number(x)
		}})
	}
	out = append(out,
		column{"replicate", func(r *Row) string { return strconv.Itoa(r.Cell.Replicate) }},
		column{"warmup", func(r *Row) string { return strconv.Itoa(r.Cell.Warmup) }},
		column{"draws", func(r *Row) string { return strconv.Itoa(r.Cell.Draws) }},
		column{"fresh", func(r *Row) string { return strconv.FormatBool(r.Cell.Fresh) }},
		column{"seed", func(r *Row) string { return strconv.FormatUint(r.Result.Seed, 10) }},
		column{"problem", func(r *Row) string { return r.Result.Problem }},
	)
	value("accept_prob", AcceptProb)
	value("accept_stat", func(r *grid.Result) float64 { return float64(r.AcceptStat) })
	count("divergent", func(r *Row) int { return r.Result.Divergent })
	count("refused_irreversible", func(r *Row) int { return r.Result.Irreversible })
	count("failed", func(r *Row) int { return Failed(r.Result) })
	value("ess_mean", func(r *grid.Result) float64 { return float64(r.ESSMean) })
	value("ess_min", func(r *grid.Result) float64 { return float64(r.ESSMin) })
	for _, s := range []struct {
		name string
		of   func(*grid.Result) *grid.Spread
	}{
		{"symmetry_error", func(r *grid.Result) *grid.Spread { return &r.Symmetry }},
		{"volume_error", func(r *grid.Result) *grid.Spread { return &r.Volume }},
		{"energy_error", func(r *grid.Result) *grid.Spread { return &r.Energy }},
	} {
		count(s.name+"_n", func(r *Row) int { return s.of(r.Result).N })
		value(s.name+"_p10", func(r *grid.Result) float64 { return float64(s.of(r).P10) })
		value(s.name+"_median", func(r *grid.Result) float64 { return float64(s.of(r).Median) })
		value(s.name+"_p90", func(r *grid.Result) float64 { return float64(s.of(r).P90) })
	}
	count("integration_steps", func(r *Row) int { return r.Result.Steps })
	count("failed_steps", func(r *Row) int { return r.Result.FailedSteps })
	count("iterations", func(r *Row) int { return r.Result.Iterations })
	count("failed_iterations", func(r *Row) int { return r.Result.FailedIters })
	count("audited", func(r *Row) int { return r.Result.Audited })
	count("irreversible", func(r *Row) int { return r.Result.Unreturned })
	return out
}

// AcceptProb returns the share of proposals that were accepted.
func AcceptProb(r *grid.Result) float64 {
	if r.Transitions == 0 {
		return math.NaN()
	}
	return float64(r.Accepted) / float64(r.Transitions)
}

// Failed returns the number of transitions that a failure ended.
func Failed(r *grid.Result) int {
	n := 0
	for _, f := range r.Failures {
		n += f.Count
	}
	return n
}

// WriteTables writes the tables of a grid to its directory.
func WriteTables(dir string, rows []Row) error {
	all := columns()
	head := make([]string, len(all))
	for i := range all {
		head[i] = all[i].name
	}
	results := [][]string{head}
	times := [][]string{{"cell", "seconds", "cpu_seconds", "whole_seconds", "host"}}
	iterations := [][]string{{"cell", "iterations", "steps"}}
	energy := [][]string{{"cell", "log10_energy_error", "trajectories"}}
	for i := range rows {
		r := &rows[i]
		line := make([]string, len(all))
		for k := range all {
			line[k] = all[k].value(r)
		}
		results = append(results, line)
		cell := strconv.Itoa(r.Cell.Index)
		if r.Result.Problem != "" {
			continue
		}
		t := &r.Result.Times
		times = append(times, []string{cell, number(t.Seconds), number(t.CPU), number(t.Whole), t.Host})
		for _, b := range r.Result.IterBins {
			iterations = append(iterations, []string{cell, strconv.Itoa(b.Value), strconv.Itoa(b.Count)})
		}
		for _, b := range r.Result.EnergyBins {
			energy = append(energy, []string{cell, number(grid.EnergyBinEdge(b.Value)), strconv.Itoa(b.Count)})
		}
	}
	for _, t := range []struct {
		name  string
		lines [][]string
	}{{ResultsName, results}, {TimesName, times}, {IterationsName, iterations}, {EnergyName, energy}} {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		if err := w.WriteAll(t.lines); err != nil {
			return err
		}
		if err := files.Replace(filepath.Join(dir, t.name), b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
