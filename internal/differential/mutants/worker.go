package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hamc-dev/hamc/internal/differential/typecheck"
	"github.com/hamc-dev/hamc/internal/processor"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// What one mutant may take, but for its stack.
type limits struct {
	Seconds float64 // of processor time
	Bytes   uint64  // of memory
	Wall    time.Duration
}

// usual are the limits of mutants. The wall is for a process that sleeps.
var usual = limits{Seconds: 2, Bytes: 1 << 30, Wall: 60 * time.Second}

// usualCompilations of pacemaker took 2 s where the limit was set. On a machine that is slower, or shared,
// a mutant has the time of as many: the limit is for compilers that do too much.
const (
	usualCompilations = 65
	pacemaker         = "examples/rats.ham"
)

// paceOf is the processor time that a compilation of pacemaker takes, the least of several: the first makes tables.
func paceOf(root string) (float64, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(pacemaker)))
	if err != nil {
		return 0, err
	}
	least := math.Inf(1)
	for range 4 {
		began := processor.Time()
		r := compile(&mutant{Text: string(text)})
		if least = min(least, processor.Time()-began); len(r.Faults) > 0 || r.Outcome == refused {
			return 0, fmt.Errorf("%s: %s, %v", pacemaker, r.Outcome, r.Faults)
		}
	}
	return least, nil
}

const maxStack = 64 << 20

// asWorker is the environment variable that makes a process a worker.
const asWorker = "HAMC_MUTANTS_WORKER"

// An order is the seed of a mutant, or its text.
type order struct {
	Root   string // directory of the repository
	Mutant mutant
	Limits limits
}

// work makes and compiles the mutants that it is ordered to, a line each, and writes a line for each
// result. It ends with the first that takes too much.
func work() error {
	if err := typecheck.Ready(); err != nil {
		return err
	}
	debug.SetMaxStack(maxStack)
	in := bufio.NewReader(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	var origins []origin
	var start atomic.Pointer[began]
	go watch(&start, func(m *mutant, kind, detail string) {
		out.Encode(result{Mutant: *m, Outcome: lost, Faults: []fault{{kind, at().String(), detail}}})
		os.Exit(0)
	})
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return nil
		}
		var o order
		if err := json.Unmarshal(line, &o); err != nil {
			return err
		}
		debug.SetMemoryLimit(int64(o.Limits.Bytes / 8 * 7)) // garbage does not count
		m := o.Mutant
		limited := func(m *mutant, do func()) {
			now.Store(int32(loading))
			most := o.Limits
			if curved(m.Text) {
				most.Seconds *= expr.CurvedAllowance
			}
			b := &began{m, most, processor.Time(), time.Now()}
			start.Store(b)
			if do(); !start.CompareAndSwap(b, nil) {
				select {} // it took too much, which is being told
			}
		}
		if m.Text == "" && m.Origin == "" {
			if origins == nil {
				if origins, err = corpus(o.Root); err != nil {
					return err
				}
			}
			m = mutantOf(origins, m.Seed, func(text string) (ok bool) {
				limited(&mutant{Seed: m.Seed, Text: text}, func() { ok = accepted(text) })
				return ok
			})
		}
		runtime.GC() // what the last one left is not this one's
		var r result
		limited(&m, func() { r = compile(&m) })
		if err := out.Encode(r); err != nil {
			return err
		}
	}
}

// began says when a mutant began.
type began struct {
	mutant  *mutant
	limits  limits
	seconds float64 // of processor time
	wall    time.Time
}

// watch looks every few milliseconds at what a mutant has taken.
func watch(start *atomic.Pointer[began], exceeded func(m *mutant, kind, detail string)) {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for {
		time.Sleep(20 * time.Millisecond)
		b := start.Load()
		if b == nil {
			continue
		}
		metrics.Read(sample)
		kind := ""
		switch {
		case sample[0].Value.Uint64()-sample[1].Value.Uint64() > b.limits.Bytes:
			kind = memory
		case processor.Time()-b.seconds > b.limits.Seconds || time.Since(b.wall) > b.limits.Wall:
			kind = timeout
		default:
			continue
		}
		stack := make([]byte, 1<<20)
		stack = stack[:runtime.Stack(stack, true)]
		if start.CompareAndSwap(b, nil) {
			exceeded(b.mutant, kind, "in "+at().String()+"\n"+string(stack))
		}
	}
}

// A crew is one worker after another.
type crew struct {
	root   string
	limits limits
	cmd    *exec.Cmd
	in     *json.Encoder
	stdin  interface{ Close() error }
	out    *bufio.Reader
	stderr *strings.Builder
}

// measure sets the limit of processor time for the machine as it is now.
func (c *crew) measure() error {
	pace, err := paceOf(c.root)
	c.limits.Seconds = max(usual.Seconds, usualCompilations*pace)
	return err
}

// start starts a worker.
func (c *crew) start() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c.cmd = exec.Command(self)
	c.cmd.Env = append(os.Environ(), asWorker+"=1")
	c.stderr = &strings.Builder{}
	c.cmd.Stderr = c.stderr
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	c.stdin, c.in, c.out = in, json.NewEncoder(in), bufio.NewReader(out)
	return c.cmd.Start()
}

// stop ends the worker.
func (c *crew) stop() {
	if c.cmd != nil {
		c.stdin.Close()
		c.cmd.Wait()
		c.cmd = nil
	}
}

// compile has a worker compile a mutant, which it makes of its seed if there is no more of it.
func (c *crew) compile(m *mutant) (r result, err error) {
	if c.cmd == nil {
		if err := c.start(); err != nil {
			return r, err
		}
	}
	r = result{Mutant: *m, Outcome: lost}
	err = c.in.Encode(order{c.root, *m, c.limits})
	if err == nil {
		var line []byte
		if line, err = c.out.ReadBytes('\n'); err == nil {
			err = json.Unmarshal(line, &r)
		}
	}
	if err != nil { // the worker is gone
		c.stop()
		said := c.stderr.String()
		if !strings.Contains(said, "goroutine ") {
			return r, fmt.Errorf("a worker ends: %w\n%s", err, said)
		}
		first, _, _ := strings.Cut(strings.TrimPrefix(said, "runtime: "), "\n")
		r.Faults = []fault{{died, "", first + culprit([]byte(said)) + "\n" + said[:min(len(said), 1<<14)]}}
		return r, nil
	}
	if r.timedOut() || len(r.Faults) == 1 && r.Faults[0].Kind == memory {
		c.stop()
	}
	return r, nil
}

var digits = regexp.MustCompile(`0x[0-9a-f]+|\d+|zq\d*`)

// signature tells faults of different causes apart, by their kind, stage and first line.
func (f *fault) signature() string {
	first, _, _ := strings.Cut(f.Detail, "\n")
	if f.Kind == illTyped {
		lines := strings.Split(f.Detail, "\n")
		first = lines[min(1, len(lines)-1)]
	}
	return f.Kind + " in " + f.Stage + ": " + digits.ReplaceAllString(first, "#")
}
