package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// block is how many tasks the indices of one array stand for. They stay below
// Slurm's MaxArraySize, which is 1001 unless a site has chosen another.
const block = 1000

// reserved are the options of sbatch that Run cannot do with.
var reserved = []struct{ name, why string }{
	{"--array", "hamc numbers the tasks itself"},
	{"--clusters", "hamc watches one queue; log in to that cluster"},
	{"--output", "hamc reads the logs, which are in the directory slurm"},
	{"--wait", "hamc waits itself"},
	{"--wrap", "hamc writes the script itself"},
}

// checkOptions returns an error if options of sbatch are not what Array says, or are
// reserved.
func checkOptions(options []string) error {
	for _, o := range options {
		name, _, _ := strings.Cut(o, "=")
		if !strings.HasPrefix(name, "--") || name == "--" {
			return fmt.Errorf("%q is no option of sbatch as hamc takes them: write --name=value, for instance --partition=short", o)
		}
		for _, r := range reserved {
			if strings.HasPrefix(r.name, name) { // sbatch takes abbreviations
				return fmt.Errorf("%s cannot be given to sbatch: %s", o, r.why)
			}
		}
	}
	for _, name := range []string{"SBATCH_CLUSTERS", "SLURM_CLUSTERS"} {
		if v := os.Getenv(name); v != "" {
			return fmt.Errorf("%s=%s is in the environment: hamc watches one queue; unset it, and log in to that cluster", name, v)
		}
	}
	return nil
}

func (r *run) script() string { return filepath.Join(r.dir, "job.sh") }

// arguments are those of sbatch, without the indices, the script and its argument.
func (r *run) arguments() []string {
	args := []string{
		"--parsable",
		"--job-name=" + r.Name,
		"--chdir=" + r.Dir,
		"--output=" + filepath.Join(strings.ReplaceAll(r.dir, "%", "%%"), "%A_%a.log"),
	}
	return append(args, r.Options...)
}

// scriptText is the text of the script. Its comment has all options, so that it is
// another text whenever other jobs would come of it.
func (r *run) scriptText() string {
	words := append([]string{"sbatch"}, r.arguments()...)
	words = append(words, "--array=0", r.script(), "0")
	return fmt.Sprintf(`#!/bin/sh
# One task of %s, as an element of a job array of Slurm: that with the number $1
# plus the element's index. Written and submitted by hamc. A task leaves results alone that
# are there, so any of them can be run again, for instance the first with
#   %s
set -eu
exec %s "$(($1 + SLURM_ARRAY_TASK_ID))"
`, strings.ReplaceAll(r.Name, "\n", " "), strings.ReplaceAll(quote(words), "\n", " "), quote(r.Command))
}

// quote writes words for a shell.
func quote(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if w != "" && strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+:,./%@") == "" {
			b.WriteString(w)
		} else {
			b.WriteString("'" + strings.ReplaceAll(w, "'", `'\''`) + "'")
		}
	}
	return b.String()
}

// submit submits the tasks that are missing, not away, and may be tried once more,
// in arrays of up to block. An array that has to wait, because AtOnce or sbatch allows no
// more of them at once, is left to the next round.
func (r *run) submit(ctx context.Context, missing []int, away map[int]bool) error {
	var todo []int
	for _, task := range missing {
		if !away[task] && r.attempts[task] < r.Attempts {
			todo = append(todo, task)
		}
	}
	room := r.AtOnce - len(away)
	for len(todo) > 0 && ctx.Err() == nil {
		first := todo[0] / block * block
		var indices []int
		for _, task := range todo {
			if task < first+block {
				indices = append(indices, task-first)
			}
		}
		todo = todo[len(indices):]
		if r.AtOnce > 0 && len(r.active) > 0 && room < min(len(indices), r.AtOnce) {
			return nil
		}
		room -= len(indices)
		id, err := r.sbatch(ctx, first, indices)
		if err != nil {
			r.state.Trouble = fmt.Sprintf("sbatch: %v", err)
			if len(r.active) > 0 && ctx.Err() == nil {
				return nil
			}
			return fmt.Errorf("sbatch: %w\nits options were %s; `sinfo` shows the partitions, and `sbatch --test-only` tries options", err, quote(r.arguments()))
		}
		r.state.Trouble = ""
		a := array{id, first}
		r.active = append(r.active, a)
		for _, i := range indices {
			away[first+i] = true
			r.attempts[first+i]++
			r.log[first+i] = r.logOf(a, i)
		}
		if err := r.note(); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// sbatch submits one array and returns its id.
func (r *run) sbatch(ctx context.Context, first int, indices []int) (int, error) {
	list := compact(indices)
	if r.AtOnce > 0 {
		list = fmt.Sprintf("%s%%%d", list, r.AtOnce)
	}
	// Another Run in this directory may have put its own there, with other tasks.
	if err := write(r.script(), r.scriptText(), 0o777); err != nil {
		return 0, err
	}
	args := append(r.arguments(), "--array="+list, r.script(), strconv.Itoa(first))
	// Killed between submitting and saying so, sbatch would leave an array that nobody
	// knows of: it may finish.
	c, stop := unhurried(ctx)
	defer stop()
	cmd := exec.CommandContext(c, "sbatch", args...)
	detach(cmd)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return 0, said(err, stderr.String())
	}
	// Wrappers of some sites print something before.
	text := strings.TrimSpace(stdout.String())
	text, _, _ = strings.Cut(text[strings.LastIndexByte(text, '\n')+1:], ";")
	id, err := strconv.Atoi(text)
	if err != nil || id <= 0 {
		return 0, fmt.Errorf("it printed no job id but %q; if `squeue` shows the job, cancel it with `scancel`", stdout.String()+stderr.String())
	}
	return id, nil
}

// unhurried returns a context that ends half a minute after ctx.
func unhurried(ctx context.Context) (context.Context, func()) {
	c, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		defer cancel()
		_ = sleep(c, 30*time.Second)
	})
	return c, func() {
		stop()
		cancel()
	}
}

// cancel cancels the arrays in the queue, also if ctx is done.
func (r *run) cancel(ctx context.Context) error {
	if len(r.active) == 0 {
		return nil
	}
	var ids []string
	for _, a := range r.active {
		ids = append(ids, strconv.Itoa(a.id))
	}
	c, stop := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer stop()
	cmd := exec.CommandContext(c, "scancel", ids...)
	detach(cmd)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the jobs are still in the queue: %w\ncancel them with `scancel %s`", said(err, stderr.String()), strings.Join(ids, " "))
	}
	return nil
}

// adopt takes over what is left in the queue of an earlier Run, marks its tasks as
// away, and writes the script. Arrays of another script are cancelled.
func (r *run) adopt(ctx context.Context, away map[int]bool) error {
	script, err := os.ReadFile(r.script())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	noted, err := os.ReadFile(r.jobs())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for line := range strings.Lines(string(noted)) {
		var a array
		if n, _ := fmt.Sscanf(line, "%d %d\n", &a.id, &a.first); n == 2 {
			r.active = append(r.active, a)
		}
	}
	if len(r.active) > 0 {
		if err := r.adoptNoted(ctx, string(script) == r.scriptText(), away); err != nil {
			r.active = nil // until squeue has been heard they may be the jobs of something else: not to be cancelled
			return err
		}
	}
	return write(r.script(), r.scriptText(), 0o777)
}

// adoptNoted is adopt for the arrays that were noted down, which are in r.active.
func (r *run) adoptNoted(ctx context.Context, same bool, away map[int]bool) error {
	parts, err := r.look(ctx)
	for err == nil && r.failures > 0 {
		r.observe()
		if err = r.pause(ctx); err == nil {
			parts, err = r.look(ctx)
		}
	}
	if err != nil {
		return err
	}
	// Ids begin anew where Slurm is set up anew: a job of another script is none of ours.
	r.active = slices.DeleteFunc(r.active, func(a array) bool {
		return slices.ContainsFunc(parts, func(p part) bool {
			return p.job == a.id && p.command != "" && !strings.Contains(p.command, r.script())
		})
	})
	if !same {
		if err := r.cancel(ctx); err != nil {
			return fmt.Errorf("an earlier run left jobs with other options: %w", err)
		}
		r.active = nil
	}
	for _, a := range r.active {
		for _, p := range parts {
			for _, i := range p.indices {
				if task := a.first + i; p.job == a.id && task < r.Tasks {
					away[task] = true
					r.log[task] = r.logOf(a, i)
				}
			}
		}
	}
	return r.note()
}

func (r *run) jobs() string { return filepath.Join(r.dir, "jobs") }

// note writes down what is in the queue, for a Run after this one has been killed.
func (r *run) note() error {
	var b strings.Builder
	b.WriteString("# Job arrays of hamc that may be in the queue: job id, task of index 0.\n")
	for _, a := range r.active {
		fmt.Fprintf(&b, "%d %d\n", a.id, a.first)
	}
	return write(r.jobs(), b.String(), 0o666)
}

// write writes a file so that nobody sees half of it.
func write(path, text string, mode os.FileMode) error {
	tmp := path + ".tmp"
	err := os.WriteFile(tmp, []byte(text), mode)
	if err == nil {
		err = os.Rename(tmp, path)
	}
	return err
}
