package experiment

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hamc-dev/hamc/runtime/grid"
)

// Missing returns the indices of the cells of a plan that have no result in a directory, one of
// each that have the same. An error is about a result that cannot be read.
func Missing(dir string, p *grid.Plan) ([]int, error) {
	var out []int
	seen := map[string]bool{}
	for i := range p.Cells {
		c := &p.Cells[i]
		id := p.ID(c)
		if seen[id] {
			continue
		}
		seen[id] = true
		_, err := p.ReadResult(dir, c)
		if errors.Is(err, fs.ErrNotExist) {
			out = append(out, i)
		} else if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// RunLocal runs cells of the plan of a directory on this machine, so many at a time, each in one of as
// many processes. It tells of each that is done, one at a time, in the order in which they come to an
// end. When ctx is done the processes are killed, and it returns the error of ctx: results that are
// there stay, and are whole.
func RunLocal(ctx context.Context, worker, dir string, p *grid.Plan, cells []int, workers int, tell func(grid.Event)) error {
	digest := p.Digest()
	queue := make(chan int)
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer close(queue)
		for _, c := range cells {
			select {
			case queue <- c:
			case <-running.Done():
				return
			}
		}
	}()
	var lock sync.Mutex
	one := func(e grid.Event) {
		lock.Lock()
		defer lock.Unlock()
		tell(e)
	}
	errs := make([]error, max(1, min(workers, len(cells))))
	var pool sync.WaitGroup
	for i := range errs {
		pool.Go(func() {
			if errs[i] = serve(running, worker, dir, digest, queue, one); errs[i] != nil {
				cancel() // a worker that does not start will not start again
			}
		})
	}
	pool.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	errs = slices.DeleteFunc(errs, func(err error) bool { return errors.Is(err, context.Canceled) }) // by the one that failed
	return errors.Join(errs...)
}

// answer reads what a worker has to say, in a line of its output, into x, and tells whether there is
// any. Extensions may print what they like: lines of their own, and the beginning of the worker's.
func answer(line []byte, x any) bool {
	i := bytes.LastIndex(line, []byte(`{"cell":`))
	return i >= 0 && json.Unmarshal(line[i:], x) == nil
}

// serve runs the cells of a queue in one process, or in the next one if that dies of a cell.
func serve(ctx context.Context, worker, dir, digest string, queue <-chan int, tell func(grid.Event)) error {
	for {
		again, err := process(ctx, worker, dir, digest, queue, tell)
		if err != nil || !again {
			return err
		}
	}
}

// bySignal reports whether a process ended by a signal that others may have got too.
func bySignal(p *os.ProcessState) bool {
	s, ok := p.Sys().(syscall.WaitStatus)
	return ok && s.Signaled() && s.Signal() != syscall.SIGKILL
}

// process is serve until the process ends. It returns true if it died of a cell.
func process(ctx context.Context, worker, dir, digest string, queue <-chan int, tell func(grid.Event)) (died bool, err error) {
	cmd := exec.CommandContext(ctx, worker, "plan", digest, "cells", dir)
	var said lastWords
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		return false, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return false, err
	}
	if err := cmd.Start(); err != nil {
		return false, err
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for c := range queue {
		fmt.Fprintln(in, c) // if nobody reads it, nobody answers either
		var e grid.Event
		answered := false
		for !answered && lines.Scan() {
			answered = answer(lines.Bytes(), &e) && (e.Cell == c || e.Cell == grid.NoCell)
		}
		if answered && e.Cell != grid.NoCell {
			tell(e)
			continue
		}
		in.Close()             // a worker that went on would wait for the next cell, and we for its end
		_ = cmd.Process.Kill() // one that writes a line without end; most have ended
		err := cmd.Wait()
		if bySignal(cmd.ProcessState) {
			// A terminal signals all processes of a job: then ctx is done at any moment.
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if answered {
			return false, errors.New(e.Error) // as the next worker would say
		}
		why := "the worker ended"
		if err != nil {
			why = "the worker ended: " + err.Error()
		}
		if text := strings.TrimSpace(said.String()); text != "" {
			why += ": " + text
		}
		tell(grid.Event{Cell: c, Error: why})
		return true, nil
	}
	in.Close()
	_, _ = io.Copy(io.Discard, out)
	err = cmd.Wait()
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil {
		return false, fmt.Errorf("a worker of the grid: %w: %s", err, strings.TrimSpace(said.String()))
	}
	return false, nil
}

// lastWords keeps the end of what a program says: what tells why it ended, however much it has said
// before.
type lastWords struct{ text []byte }

// maxLastWords is how many bytes of it are kept.
const maxLastWords = 4096

func (l *lastWords) Write(p []byte) (int, error) {
	l.text = append(l.text, p[max(0, len(p)-maxLastWords):]...)
	if n := len(l.text) - maxLastWords; n > 0 {
		l.text = append(l.text[:0], l.text[n:]...)
	}
	return len(p), nil
}

func (l *lastWords) String() string { return string(l.text) }
