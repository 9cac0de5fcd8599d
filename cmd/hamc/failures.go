package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/driver"
	"github.com/hamc-dev/hamc/runtime/ode"
	"github.com/hamc-dev/hamc/symbolic/interpret"
)

// chainFailure is a failure of a chain, whose number counts from 1.
type chainFailure struct {
	chain int
	runtime.Failure
}

// readFailures reads the failures that the run in dir has kept, of a posterior of m
// coordinates. There are none if the model never failed.
func readFailures(dir string, m int) ([]chainFailure, error) {
	var out []chainFailure
	path := filepath.Join(dir, driver.FailuresName)
	// A manifest that is damaged may ask for more columns than there is memory.
	if fi, err := os.Stat(path); err == nil && int64(m) > fi.Size() {
		return nil, problem{fmt.Errorf("%s: this is not a file of failures of %d coordinates, which %s tells of", path, m, driver.ManifestName)}
	}
	columns := driver.FailureColumns(m)
	err := readRows(path, "failures", columns, func(row []string) error {
		whole := func(k, least, limit int) (int, error) {
			n, err := strconv.Atoi(row[k])
			if err != nil || n < least || n >= limit {
				return 0, fmt.Errorf("column %s: %q is not one", columns[k], row[k])
			}
			return n, nil
		}
		const most = 1 << 31
		f := chainFailure{Failure: runtime.Failure{Block: row[2]}}
		var st int
		var ran int
		var err1, err2, err3, err4 error
		f.chain, err1 = whole(0, 1, most)
		f.Draw, err2 = whole(1, 1, most)
		st, err3 = whole(3, 1, int(runtime.NumStatus))
		ran, err4 = whole(4, 0, 2)
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			return err
		}
		f.Status, f.Runaway = runtime.Status(st), ran == 1
		known := true
		for k := 5; k < len(row); k++ {
			x, err := strconv.ParseFloat(row[k], 64)
			if err != nil {
				return fmt.Errorf("column %s: %q is not a number", columns[k], row[k])
			}
			known = known && x-x == 0
			f.Q = append(f.Q, x)
		}
		if !known {
			f.Q = nil
		}
		out = append(out, f)
		return nil
	})
	return out, err
}

// mostPoints is how many failures of a block with a status are looked into: the evaluator is
// slow.
const mostPoints = 8

// inquest says which statements of a model are to blame for the failures of a run.
type inquest struct {
	failures []chainFailure
	model    *model              // of the run; nil where it cannot be evaluated
	im       interpret.Posterior // on the data of the run
	notes    []string            // on what has become of the model and the data
}

// newInquest opens the model of the run in dir, if there are failures to look into.
func newInquest(dir string, man *driver.Manifest) (*inquest, error) {
	q := &inquest{}
	if man == nil {
		return q, nil // draws of another program
	}
	in := runtime.Info{Params: man.Params}
	var err error
	if q.failures, err = readFailures(dir, in.Dim()); err != nil || len(q.failures) == 0 {
		return q, err
	}
	q.open(man)
	return q, nil
}

// open makes the model as it was in the run, whose text the manifest has. A model or
// data set that is no longer what it was is noted.
func (q *inquest) open(man *driver.Manifest) {
	was := &man.Origin
	note := func(format string, args ...any) { q.notes = append(q.notes, fmt.Sprintf(format, args...)) }
	unknown := "so the statements to blame are not known"
	if was.Model == "" || was.Source == "" {
		note("the run was not made by `hamc run`, %s", unknown)
		return
	}
	switch text, err := readModel(was.Model); {
	case err != nil:
		note("%v: lines are those that the model had in the run", err)
	case checksum([]byte(text)) != was.ModelSum:
		note("%s: the model has changed since: lines are those that it had in the run", shownPath(was.Model))
	}
	text := "{}"
	if was.Data != "" {
		var err error
		if text, err = readText(was.Data); err != nil {
			note("%v, %s", err, unknown)
			return
		}
		if checksum([]byte(text)) != was.DataSum {
			note("%s: the data has changed since the run, %s", shownPath(was.Data), unknown)
			return
		}
	}
	consts, err := parseConsts(was.Consts)
	if err == nil {
		if q.model, _ = derive(was.Model, was.Source, consts, false); q.model == nil {
			err = errors.New("this version of hamc does not accept it")
		}
	}
	if err == nil {
		q.im, err = interpret.New(q.model.d, strings.NewReader(text), was.Data)
	}
	if err != nil {
		q.model = nil
		note("%s: the model of the run cannot be evaluated (%v), %s", shownPath(was.Model), err, unknown)
		return
	}
	// Compiled code has the tolerances of the run; the evaluator's own are tighter.
	if s, ok := q.im.(solvesODE); ok && (!was.Evaluate || man.Options.ODE != (ode.Options{})) {
		s.SetODE(man.Options.ODE)
	}
}

// write writes the statements to blame for the failures of a block with a status.
func (q *inquest) write(w io.Writer, block string, st runtime.Status, width int) {
	var own []*chainFailure
	kept, ran, unknown := 0, 0, 0
	for i := range q.failures {
		f := &q.failures[i]
		if f.Block != block || f.Status != st {
			continue
		}
		kept++
		switch {
		case f.Runaway:
			ran++
		case f.Q == nil:
			unknown++
		default:
			own = append(own, f)
		}
	}
	say := func(format string, args ...any) { wrapText(w, "  ", fmt.Sprintf(format, args...), width) }
	if ran > 0 {
		say("%d of %d that the run kept ran away: their steps came to positions or momenta far from all others. No statement is to blame; a smaller step size helps.", ran, kept)
	}
	if unknown > 0 {
		say("Of %d of %d that the run kept the position is not known.", unknown, kept)
	}
	if q.model == nil || len(own) == 0 {
		return
	}
	slices.SortStableFunc(own, func(a, b *chainFailure) int { return a.Draw - b.Draw })
	own = own[:min(len(own), mostPoints)]
	var points [][]float64
	for _, f := range own {
		points = append(points, f.Q)
	}
	list, innocent := culprits(q.im, points, block)
	say("To blame at %s where the model failed:", plural(len(points), "position"))
	for i := range list {
		c := &list[i]
		f := own[c.first]
		c.write(w, q.model, fmt.Sprintf("%d of %d, first in chain %d at draw %d", c.times, len(points), f.chain, f.Draw))
	}
	if innocent > 0 {
		say("At %d of them no statement is to blame alone: each is finite, and the metric positive definite up to rounding.", innocent)
	}
}

// named reports whether diagnose names statements for the run in dir, as far as its manifest tells.
func named(dir string, man *driver.Manifest) bool {
	if man == nil {
		return false
	}
	in := runtime.Info{Params: man.Params}
	list, err := readFailures(dir, in.Dim())
	return err == nil && slices.ContainsFunc(list, func(f chainFailure) bool { return f.Q != nil && !f.Runaway })
}
