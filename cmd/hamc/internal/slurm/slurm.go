// Package slurm runs numbered tasks as job arrays of Slurm, through its commands
// sbatch, squeue and scancel, until the files say that no result is missing.
//
// A round submits what is missing, waits until it has left the queue, and looks at
// the files. What tasks a round leaves without results, by a crash, a time limit or
// a lost node, the next one submits again. Exit codes, Slurm's accounting and its
// requeueing have no say: not every site has them, and a result is either there or
// not.
package slurm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Array is a set of tasks to run as job arrays until nothing is missing. A task may
// run more than once, even at the same time: it must skip results that are there,
// and write others so that nobody sees half of one, under a temporary name that no
// other machine chooses too.
type Array struct {
	Name     string                // of the jobs
	Dir      string                // that all machines see: script, list of jobs and logs go to its directory slurm
	Command  []string              // of one task, whose number is appended; it runs in Dir, so its paths are absolute
	Tasks    int                   // numbered from 0
	Missing  func() ([]int, error) // tasks whose results are not complete, by the files
	Options  []string              // of sbatch, each --name or --name=value; they win over those of this package
	AtOnce   int                   // tasks that may run at once; 0 for no limit
	Poll     time.Duration         // between looks at the queue; 0 for 10 s
	Grace    time.Duration         // for files of other machines to be seen here after their jobs have ended; 0 for 10 s
	Attempts int                   // submissions of a task before giving up; 0 for 3
	Observe  func(State)           // called after every look, if not nil
}

// State is how far an array is.
type State struct {
	Tasks   int    // of the array
	Done    int    // tasks with complete results
	Jobs    []int  // arrays in the queue, by job id
	Pending int    // tasks in the queue that Slurm has not started
	Running int    // tasks that it has
	Attempt int    // submissions, at most, of a task; 0 while all arrays are of an earlier Run
	Reason  string // Slurm's word for why tasks are pending, for instance Resources or PartitionConfig; "" for none
	Trouble string // what sbatch or squeue complains of; "" while they work
}

// IncompleteError says which tasks were submitted as often as they may be and have
// no complete results.
type IncompleteError struct {
	Tasks    []int
	Of       int      // tasks of the array
	Attempts int      // of each
	Log      string   // of the last attempt of one of them
	Lines    []string // the last ones of it; none if it is not there or empty
}

func (e *IncompleteError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d tasks have no complete result after %d submissions: %s\n", len(e.Tasks), e.Of, e.Attempts, compact(e.Tasks))
	if len(e.Lines) == 0 {
		fmt.Fprintf(&b, "%s is missing or empty: the task was not started, or its machine does not see this directory\n", e.Log)
	} else {
		fmt.Fprintf(&b, "the last lines of %s:\n", e.Log)
		for _, line := range e.Lines {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	b.WriteString(remedy(e.Lines))
	return b.String()
}

// remedies are what Slurm writes into the log of a task that it ends, and what
// helps.
var remedies = []struct{ text, remedy string }{
	{"DUE TO TIME LIMIT", "give a task more time with --time, or put less into it"},
	{"oom_kill", "give a task more memory with --mem"},
	{"oom-kill", "give a task more memory with --mem"},
	{"memory limit", "give a task more memory with --mem"},
	{"couldn't chdir", "every machine of the partition must see the program and this directory; --partition chooses others"},
	{"slurm_script: ", "every machine of the partition must see the program and this directory; --partition chooses others"},
}

func remedy(lines []string) string {
	const again = "run the same command again: results that are there are kept"
	for _, r := range remedies {
		for _, line := range lines {
			if strings.Contains(line, r.text) {
				return r.remedy + "; then " + again
			}
		}
	}
	return "when the cause is gone, " + again
}

// Run runs the tasks that are missing and returns when none is.
//
// Arrays of an earlier Run in the same directory that are still in the queue, because
// it was killed, are waited for like its own, and only what they leave out is
// submitted: they may have waited for days, and what runs need not run twice. But if
// the command or the options have changed since, they are cancelled.
//
// When ctx is done, Run cancels its arrays and returns ctx.Err(), with the error of
// scancel if that fails. Other errors leave arrays in the queue as they are, for a
// later Run: those of Missing, of the file system, of sbatch for the first array of
// a round, and of squeue when it has failed for long. Tasks that fail for good are
// an *IncompleteError.
func Run(ctx context.Context, a *Array) error {
	r := &run{Array: *a, attempts: make([]int, a.Tasks), log: make([]string, a.Tasks)}
	r.Poll = orElse(r.Poll, 10*time.Second)
	r.Grace = orElse(r.Grace, 10*time.Second)
	r.Attempts = orElse(r.Attempts, 3)
	missing, err := r.missing()
	if err != nil || len(missing) == 0 {
		return err
	}
	for _, name := range []string{"sbatch", "squeue", "scancel"} {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf("there is no %s on the PATH: run hamc where jobs are submitted, on a login node of the cluster (some need `module load slurm`)", name)
		}
	}
	if err := checkOptions(a.Options); err != nil {
		return err
	}
	dir, err := filepath.Abs(a.Dir)
	if err != nil {
		return err
	}
	r.Dir, r.dir = dir, filepath.Join(dir, "slurm")
	if err := os.MkdirAll(r.dir, 0o777); err != nil {
		return err
	}
	err = r.rounds(ctx)
	if ctx.Err() != nil {
		err = ctx.Err()
		if e := r.cancel(ctx); e != nil {
			err = errors.Join(err, e)
		}
	}
	return err
}

func orElse[T int | time.Duration](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}

// run is the state of Run.
type run struct {
	Array
	dir      string        // of what this package writes
	attempts []int         // submissions of each task
	log      []string      // of its last one; "" if this Run knows of none
	active   []array       // what may be in the queue
	failures int           // of squeue, one after the other
	took     time.Duration // of squeue, the last time
	state    State
}

// array is one submission. The task of an index is first plus the index: indices
// must stay below Slurm's MaxArraySize, the numbers of tasks need not.
type array struct{ id, first int }

func (r *run) logOf(a array, index int) string {
	return filepath.Join(r.dir, fmt.Sprintf("%d_%d.log", a.id, index))
}

// rounds submits, waits and looks, until nothing is missing or nothing is left to
// try.
func (r *run) rounds(ctx context.Context) error {
	// away are the tasks that were seen in the queue or sent there in this round.
	away := map[int]bool{}
	if err := r.adopt(ctx, away); err != nil {
		return err
	}
	for ctx.Err() == nil {
		missing, err := r.settle(ctx, away)
		if err != nil || len(missing) == 0 {
			return err
		}
		if err := r.submit(ctx, missing, away); err != nil {
			return err
		}
		if len(r.active) == 0 {
			return r.incomplete(missing)
		}
		if err := r.wait(ctx); err != nil {
			return err
		}
		if len(r.active) == 0 {
			if err := r.note(); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// settle returns what is missing. If arrays have left the queue it gives their files
// time to be seen, and empties away: an NFS client may believe for some seconds that
// a file does not exist.
func (r *run) settle(ctx context.Context, away map[int]bool) ([]int, error) {
	for end := time.Now().Add(r.Grace); ; {
		missing, err := r.missing()
		late := err != nil
		for _, task := range missing {
			late = late || away[task]
		}
		if len(r.active) > 0 {
			return missing, err
		}
		if !late || !time.Now().Before(end) {
			clear(away)
			return missing, err
		}
		if err := sleep(ctx, min(r.Grace, r.Poll, time.Second)); err != nil {
			return nil, err
		}
	}
}

// missing calls Missing, and keeps count of what is done.
func (r *run) missing() ([]int, error) {
	missing, err := r.Missing()
	if err != nil {
		return nil, err
	}
	for _, task := range missing {
		if task < 0 || task >= r.Tasks {
			return nil, fmt.Errorf("task %d is said to be missing, and there are %d, numbered from 0", task, r.Tasks)
		}
	}
	r.state.Tasks, r.state.Done = r.Tasks, r.Tasks-len(missing)
	return missing, nil
}

// wait returns when the arrays have left the queue, or when nothing is missing:
// then there is nothing to wait for.
func (r *run) wait(ctx context.Context) error {
	for {
		if _, err := r.look(ctx); err != nil {
			return err
		}
		_, _ = r.missing() // for the count only; settle sees an error that lasts
		r.observe()
		if len(r.active) == 0 || r.state.Done == r.Tasks {
			return nil
		}
		if err := r.pause(ctx); err != nil {
			return err
		}
	}
}

// pause waits before the next look: longer while squeue fails, and so long that
// squeue is at work for at most a tenth of the time. Slurm 22.05 lists the jobs of
// all users, which may be many.
func (r *run) pause(ctx context.Context) error {
	return sleep(ctx, max(r.Poll<<min(r.failures, 5), 9*r.took))
}

func (r *run) observe() {
	if r.Observe == nil {
		return
	}
	r.state.Jobs, r.state.Attempt = nil, 0
	for _, a := range r.active {
		r.state.Jobs = append(r.state.Jobs, a.id)
	}
	for _, n := range r.attempts {
		r.state.Attempt = max(r.state.Attempt, n)
	}
	r.Observe(r.state)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// incomplete is the error of tasks that are not tried again. It shows the first log
// that says something.
func (r *run) incomplete(missing []int) error {
	e := &IncompleteError{Tasks: missing, Of: r.Tasks, Attempts: r.Attempts, Log: r.log[missing[0]]}
	for _, task := range missing {
		if lines := lastLines(r.log[task]); len(lines) > 0 {
			e.Log, e.Lines = r.log[task], lines
			break
		}
	}
	return e
}

// lastLines returns up to ten of the last lines of a file, none if it cannot be
// read.
func lastLines(path string) []string {
	const bytes, count = 4096, 10
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	if _, err := f.Seek(-bytes, io.SeekEnd); err != nil {
		_, err = f.Seek(0, io.SeekStart) // it is shorter
		if err != nil {
			return nil
		}
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return nil
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimRight(line, "\r\n "); line != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-count):]
}
