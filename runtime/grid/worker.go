package grid

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	goruntime "runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// worker runs cells of one plan.
type worker struct {
	program *Program
	dir     string
	plan    *Plan
}

// Event is a line of JSON that a worker writes when it is done with a cell.
type Event struct {
	Cell    int     `json:"cell"`              // its index, or NoCell
	Seconds float64 `json:"seconds,omitempty"` // that it took
	Problem string  `json:"problem,omitempty"` // Result.Problem
	Error   string  `json:"error,omitempty"`   // why there is no result
}

// Main is the main program of a worker. Its arguments are one of
//
//	describe              write the Description of the program
//	cells DIR             run the cells of DIR whose indices come on standard input, one to a
//	                      line, and write an Event for each
//	task DIR FILE N       run the cells that line N of FILE, from 0, lists, but those that have a
//	                      result
//	probe DIR SECONDS     run the beginning of each cell that comes on standard input, for about
//	                      so long, and write the Probe of each
//
// In front of these, `plan DIGEST` says what plan the worker was built for, by Plan.Digest: who changes
// a grid and runs it again replaces the plan in its directory, and results by a worker of the old one
// would stand under the names of the new.
//
// It exits with 0 if all went well, with 1 after an error, on standard error, and with 2 if the
// arguments are none of these.
func Main(p *Program) {
	goruntime.GOMAXPROCS(1) // a worker is one of many
	out := os.Stdout
	os.Stdout = os.Stderr // what an extension prints is for people
	os.Exit(p.serve(os.Args[1:], os.Stdin, out, os.Stderr))
}

// serve is Main on given arguments and streams. It returns the exit code.
func (p *Program) serve(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var err error
	digest := ""
	if len(args) > 2 && args[0] == "plan" {
		digest, args = args[1], args[2:]
	}
	switch {
	case len(args) == 1 && args[0] == "describe":
		var d *Description
		if d, err = p.Describe(); err == nil {
			err = json.NewEncoder(stdout).Encode(d)
		}
	case len(args) == 2 && args[0] == "cells":
		err = p.cells(args[1], digest, stdin, stdout)
	case len(args) == 4 && args[0] == "task":
		err = p.task(args[1], digest, args[2], args[3], stdout)
	case len(args) == 3 && args[0] == "probe":
		err = p.probe(args[1], digest, args[2], stdin, stdout)
	default:
		fmt.Fprintln(stderr, "this program runs the cells of a grid for hamc; see `hamc grid --help`")
		return 2
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

// NoCell is the Cell of the Event of a worker that runs none, since its directory holds another plan than
// it was built for.
const NoCell = -1

var errOtherPlan = errors.New("the grid of this directory has been changed since this run began, by another run: let one end before the other begins, or give each an --output-dir")

// open reads the plan of a directory, which must have a digest if that is given.
func (p *Program) open(dir, digest string) (*worker, error) {
	plan, err := ReadPlan(dir)
	if err != nil {
		return nil, err
	}
	if digest != "" && plan.Digest() != digest {
		return nil, fmt.Errorf("%s: %w", dir, errOtherPlan)
	}
	return &worker{program: p, dir: dir, plan: plan}, nil
}

// cells runs the cells whose indices come in.
func (p *Program) cells(dir, digest string, stdin io.Reader, stdout io.Writer) error {
	out := json.NewEncoder(stdout)
	w, err := p.open(dir, digest)
	if errors.Is(err, errOtherPlan) {
		return errors.Join(err, out.Encode(Event{Cell: NoCell, Error: err.Error()}))
	}
	if err != nil {
		return err
	}
	return w.each(stdin, func(c *Cell) error { return out.Encode(w.finish(c)) })
}

// each calls f with the cells whose indices come in, one to a line.
func (w *worker) each(stdin io.Reader, f func(*Cell) error) error {
	lines := bufio.NewScanner(stdin)
	for lines.Scan() {
		c, err := w.cell(lines.Text())
		if err == nil {
			err = f(c)
		}
		if err != nil {
			return err
		}
	}
	return lines.Err()
}

// cell returns the cell of an index in decimals.
func (w *worker) cell(text string) (*Cell, error) {
	i, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || i < 0 || i >= len(w.plan.Cells) {
		return nil, fmt.Errorf("there is no cell %q: the plan has %d", text, len(w.plan.Cells))
	}
	return &w.plan.Cells[i], nil
}

// finish runs a cell and writes its result.
func (w *worker) finish(c *Cell) Event {
	began := time.Now()
	e := Event{Cell: c.Index}
	r, err := w.guarded(c)
	if err == nil {
		e.Problem = r.Problem
		err = w.plan.writeResult(w.dir, c, r)
	}
	if err != nil {
		e.Error = err.Error()
	}
	e.Seconds = time.Since(began).Seconds()
	return e
}

// guarded is run, with a panic as a problem of the cell: what users add to a worker may have them.
func (w *worker) guarded(c *Cell) (r *Result, err error) {
	defer func() {
		if x := recover(); x != nil {
			r = w.plan.unmeasured(c)
			r.Problem = fmt.Sprintf("panic: %v\n%s", x, panicPlace(debug.Stack()))
		}
	}()
	return w.run(c)
}

// panicPlace returns the lines of a stack that tell what panicked, without the arguments, whose
// addresses differ from run to run.
func panicPlace(stack []byte) string {
	_, rest, ok := strings.Cut(string(stack), "panic(")
	if !ok {
		return ""
	}
	lines := strings.Split(rest, "\n")
	if len(lines) < 4 {
		return ""
	}
	function, place := strings.TrimSpace(lines[2]), strings.TrimSpace(lines[3])
	if at := strings.LastIndexByte(function, '('); at > 0 {
		function = function[:at]
	}
	place, _, _ = strings.Cut(place, " +0x")
	return function + "\n" + place
}

// task runs the cells of one line of a file that have no result yet.
func (p *Program) task(dir, digest, list, number string, stdout io.Writer) error {
	w, err := p.open(dir, digest)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n >= len(lines) {
		return fmt.Errorf("%s: there is no task %q: the file has %d", list, number, len(lines))
	}
	out := json.NewEncoder(stdout)
	var failed error
	for _, field := range strings.Fields(lines[n]) {
		c, err := w.cell(field)
		if err != nil {
			return err
		}
		if _, err := w.plan.ReadResult(dir, c); err == nil {
			continue
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		e := w.finish(c)
		if e.Error != "" {
			failed = fmt.Errorf("cell %d: %s", c.Index, e.Error)
		}
		if err := out.Encode(e); err != nil {
			return err
		}
	}
	return failed
}

// Probe tells how long a cell is likely to take.
type Probe struct {
	Cell    int     `json:"cell"`
	Seconds float64 `json:"seconds"`
}

// probe estimates the cost of cells from short ones.
func (p *Program) probe(dir, digest, seconds string, stdin io.Reader, stdout io.Writer) error {
	w, err := p.open(dir, digest)
	if err != nil {
		return err
	}
	limit, err := strconv.ParseFloat(seconds, 64)
	if err != nil {
		return fmt.Errorf("probe for %q seconds: expected a number", seconds)
	}
	out := json.NewEncoder(stdout)
	return w.each(stdin, func(c *Cell) error { return out.Encode(Probe{c.Index, w.estimate(c, limit)}) })
}

// estimate extrapolates the time of a cell from ever longer beginnings of it, until one takes the
// limit.
func (w *worker) estimate(c *Cell, limit float64) float64 {
	whole := c.Draws + c.Warmup
	short := *c
	for n := 4; ; n *= 4 {
		short.Warmup, short.Draws = 0, min(n, whole)
		share := float64(short.Draws) / float64(whole)
		short.Checks = min(c.Checks, max(1, int(share*float64(c.Checks))))
		short.Audit = int(share * float64(c.Audit))
		began := time.Now()
		if r, err := w.guarded(&short); err != nil || r.Problem != "" {
			return 0 // the cell itself will say so
		}
		took := time.Since(began).Seconds()
		if took >= limit || n >= whole {
			return took / share
		}
	}
}
