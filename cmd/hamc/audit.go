package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/report"
	"github.com/hamc-dev/hamc/cmd/hamc/internal/terminal"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
	"github.com/hamc-dev/hamc/runtime/driver"
)

// readAudits reads the audits of the run in dir. There are none if it was not audited.
func readAudits(dir string) ([]runtime.Audit, error) {
	var out []runtime.Audit
	err := readRows(filepath.Join(dir, driver.AuditName), "audits", driver.AuditColumns[:], func(row []string) error {
		a, err := parseAudit(row)
		out = append(out, a)
		return err
	})
	return out, err
}

// readRows reads a file of rows below a line of columns; what says what they are. There are none
// if there is no such file.
func readRows(path, what string, columns []string, take func(row []string) error) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return problem{err}
	}
	defer f.Close()
	in := csv.NewReader(f)
	in.FieldsPerRecord = len(columns)
	head, err := in.Read()
	if err != nil || !slices.Equal(head, columns) {
		return problem{fmt.Errorf("%s: this is not a file of %s of this version of hamc", path, what)}
	}
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return problem{fmt.Errorf("%s: %w", path, err)}
		}
		if err := take(row); err != nil {
			line, _ := in.FieldPos(0)
			return problem{fmt.Errorf("%s:%d: %w", path, line, err)}
		}
	}
}

// parseAudit reads a row of the file of audits.
func parseAudit(row []string) (a runtime.Audit, err error) {
	number := func(k int) float64 {
		v, e := strconv.ParseFloat(row[k], 64)
		if e != nil && err == nil {
			err = fmt.Errorf("column %s: %q is not a number", driver.AuditColumns[k], row[k])
		}
		return v
	}
	violation := func(reversibility, failure int) runtime.Violation {
		v := runtime.Violation{Reversibility: number(reversibility), Volume: number(reversibility + 1)}
		if st := number(failure); st >= 0 && st < float64(runtime.NumStatus) {
			v.Failure = runtime.Status(st)
		} else if err == nil {
			err = fmt.Errorf("column %s: there is no status %s", driver.AuditColumns[failure], row[failure])
		}
		return v
	}
	a = runtime.Audit{Draw: int(number(1)), Block: row[2], Steps: int(number(6))}
	a.Step, a.Trajectory = violation(3, 5), violation(7, 9)
	return a, err
}

// auditPoints are the audited trajectories, for the report.
func auditPoints(audits []runtime.Audit) []report.AuditPoint {
	var out []report.AuditPoint
	for i := range audits {
		v := &audits[i].Trajectory
		out = append(out, report.AuditPoint{Reversibility: v.Reversibility, Volume: v.Volume})
	}
	return out
}

// writeAudits writes the median and the 90th percentile of each violation of a block's own audits.
func writeAudits(w io.Writer, own []runtime.Audit, width int) error {
	steps := 0.0
	for i := range own {
		steps += float64(own[i].Steps)
	}
	if len(own) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\naudit of %s: a step, and a trajectory of %.1f steps on average\n", plural(len(own), "draw"), steps/float64(len(own)))
	t := terminal.NewTable("violation of")
	t.Column("median", terminal.Significant(2))
	t.Column("90%", terminal.Significant(2))
	t.Column("failed", terminal.Fixed(0))
	for _, row := range []struct {
		name string
		of   func(a *runtime.Audit) (float64, runtime.Status)
	}{
		{"reversibility, step", func(a *runtime.Audit) (float64, runtime.Status) { return a.Step.Reversibility, a.Step.Failure }},
		{"reversibility, trajectory", func(a *runtime.Audit) (float64, runtime.Status) {
			return a.Trajectory.Reversibility, a.Trajectory.Failure
		}},
		{"volume, step", func(a *runtime.Audit) (float64, runtime.Status) { return a.Step.Volume, a.Step.Failure }},
		{"volume, trajectory", func(a *runtime.Audit) (float64, runtime.Status) { return a.Trajectory.Volume, a.Trajectory.Failure }},
	} {
		var values []float64
		failed := 0
		for i := range own {
			switch v, st := row.of(&own[i]); {
			case !math.IsNaN(v):
				values = append(values, v)
			case st != runtime.OK:
				failed++
			}
		}
		if len(values)+failed == 0 {
			continue // the volume, of many coordinates
		}
		median, high := math.NaN(), math.NaN()
		if len(values) > 0 {
			median, high = diagnostics.Quantile([][]float64{values}, 0.5), diagnostics.Quantile([][]float64{values}, 0.9)
		}
		t.Row(row.name, median, high, float64(failed))
	}
	return t.Write(w, width)
}
