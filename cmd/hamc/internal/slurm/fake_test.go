package slurm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The tests' binary is Slurm when it is called by the name of one of its commands.
// The state of that Slurm is in the directory FAKE_SLURM:
//
//	queue     its jobs, as JSON
//	calls     a line for every sbatch and scancel
//	broken    commands that fail, a line each: name, how many times, what they say
//	limit     how many tasks may be in the queue, for sbatch
//	slow      if it is there, sbatch writes started, and goes on when that is gone
//	held      if it is there, jobs wait, for the reason in it
//	plain     if it is there, squeue prints JSON as Slurm 22 does
//
// Every squeue is a step: jobs wait, then their script is run and squeue says that
// they run, then that they have ended, and then nothing.
func TestMain(m *testing.M) {
	switch name := filepath.Base(os.Args[0]); name {
	case "sbatch", "squeue", "scancel":
		if err := fake(name, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

type fakeJob struct {
	ID      int
	Indices []int
	Output  string
	Args    []string // the script and its arguments
	Step    int
}

// fake does what a command of Slurm does.
func fake(name string, args []string) error {
	dir := os.Getenv("FAKE_SLURM")
	switch said, err := fakeBreak(dir, name); {
	case err != nil:
		return err
	case said == "empty": // Slurm 22.05 without its controller, with exit code 0
		fmt.Println(`{"errors": [{"description": "Failed while looking for jobs", "error_number": -1, "error": "Unspecified error", "source": "slurm_load_jobs"}], "jobs": []}`)
		return nil
	case said != "":
		return errors.New(said)
	}
	var jobs []fakeJob
	if text, err := os.ReadFile(filepath.Join(dir, "queue")); err == nil {
		if err := json.Unmarshal(text, &jobs); err != nil {
			return err
		}
	}
	call := ""
	switch name {
	case "sbatch":
		job, array, err := fakeSbatch(dir, args, jobs)
		if err != nil {
			return err
		}
		call = array + " first " + job.Args[1]
		jobs = append(jobs, job)
		fmt.Printf("welcome to the cluster\n%d\n", job.ID)
	case "squeue":
		if err := fakeSqueue(dir, jobs); err != nil {
			return err
		}
		jobs = slices.DeleteFunc(jobs, func(j fakeJob) bool { return j.Step > 3 })
	case "scancel":
		call = "scancel " + strings.Join(args, " ")
		jobs = slices.DeleteFunc(jobs, func(j fakeJob) bool { return slices.Contains(args, strconv.Itoa(j.ID)) })
	}
	if call != "" {
		f, err := os.OpenFile(filepath.Join(dir, "calls"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			return err
		}
		fmt.Fprintln(f, call)
		if err := f.Close(); err != nil {
			return err
		}
	}
	text, err := json.Marshal(jobs)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "queue"), text, 0o666)
}

// fakeBreak returns what a command says that is to fail, and counts that.
func fakeBreak(dir, name string) (said string, err error) {
	broken, err := os.ReadFile(filepath.Join(dir, "broken"))
	if err != nil {
		return "", nil // none is
	}
	var left strings.Builder
	for line := range strings.Lines(string(broken)) {
		word := strings.SplitN(strings.TrimSpace(line), " ", 3)
		times, err := strconv.Atoi(word[1])
		if err != nil {
			return "", err
		}
		if word[0] == name && times > 0 && said == "" {
			times--
			said = word[2]
		}
		fmt.Fprintf(&left, "%s %d %s\n", word[0], times, word[2])
	}
	return said, os.WriteFile(filepath.Join(dir, "broken"), []byte(left.String()), 0o666)
}

// fakeSbatch makes a job of the arguments of sbatch, behind those in the queue, and returns it with what the call is known by.
func fakeSbatch(dir string, args []string, jobs []fakeJob) (job fakeJob, call string, err error) {
	job.ID = 1
	started := filepath.Join(dir, "started")
	if _, err := os.Stat(filepath.Join(dir, "slow")); err == nil {
		for err = os.WriteFile(started, nil, 0o666); err == nil; time.Sleep(time.Millisecond) {
			_, err = os.Stat(started)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "last")); err == nil {
		job.ID, _ = strconv.Atoi(string(text))
		job.ID++
	}
	if err := os.WriteFile(filepath.Join(dir, "last"), []byte(strconv.Itoa(job.ID)), 0o666); err != nil {
		return job, "", err
	}
	for len(args) > 0 && strings.HasPrefix(args[0], "--") {
		option, value, _ := strings.Cut(args[0], "=")
		args = args[1:]
		switch option {
		case "--array":
			if job.Indices, err = expand(value); err != nil {
				return job, "", err
			}
			call = "sbatch " + value
		case "--output":
			job.Output = value
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "limit")); err == nil {
		limit, _ := strconv.Atoi(string(text))
		for _, j := range append(jobs, job) {
			limit -= len(j.Indices)
		}
		if limit < 0 {
			return job, "", fmt.Errorf("sbatch: error: QOSMaxSubmitJobPerUserLimit")
		}
	}
	job.Args = args
	return job, call, nil
}

func fakeSqueue(dir string, jobs []fakeJob) error {
	held, err := os.ReadFile(filepath.Join(dir, "held"))
	waits := err == nil
	_, err = os.Stat(filepath.Join(dir, "plain"))
	plain := err == nil
	num := func(n int) any {
		switch {
		case !plain:
			return map[string]any{"set": n >= 0, "infinite": false, "number": max(n, 0)}
		case n < 0:
			return nil
		}
		return n
	}
	state := func(s ...string) any {
		if plain {
			return s[0]
		}
		return s
	}
	list := []any{map[string]any{"job_id": 900, "array_job_id": num(0), "array_task_id": num(-1), "array_task_string": "", "job_state": state("RUNNING"), "command": "/elsewhere/run.sh"}}
	for k := range jobs {
		j := &jobs[k]
		entry := func(index int, indices, reason string, s any) {
			list = append(list, map[string]any{
				"array_job_id": num(j.ID), "array_task_id": num(index), "array_task_string": indices,
				"job_state": s, "state_reason": reason, "command": strings.Join(j.Args, " "),
			})
		}
		switch {
		case waits || j.Step == 0:
			reason := strings.TrimSpace(string(held))
			if reason == "" {
				reason = "None"
			}
			entry(-1, compact(j.Indices)+"%3", reason, state("PENDING"))
		case j.Step == 1:
			for _, i := range j.Indices {
				log, err := os.Create(strings.NewReplacer("%%", "%", "%A", strconv.Itoa(j.ID), "%a", strconv.Itoa(i)).Replace(j.Output))
				if err != nil {
					return err
				}
				cmd := exec.Command("sh", j.Args...)
				cmd.Env = append(os.Environ(), fmt.Sprintf("SLURM_ARRAY_TASK_ID=%d", i))
				cmd.Stdout, cmd.Stderr = log, log
				_ = cmd.Run() // that a task fails is not squeue's business
				log.Close()
				entry(i, "", "None", state("RUNNING"))
			}
		case j.Step == 2:
			for _, i := range j.Indices {
				entry(i, "", "None", state("COMPLETED", "COMPLETING"))
			}
		case j.Step == 3:
			for _, i := range j.Indices {
				entry(i, "", "NonZeroExitCode", state([]string{"COMPLETED", "FAILED", "OUT_OF_MEMORY"}[i%3]))
			}
		}
		if !waits {
			j.Step++
		}
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"errors": []any{}, "jobs": list})
}

// bench is a directory of tasks that are to be run, and a Slurm to do it.
type bench struct {
	t     *testing.T
	dir   string // shared
	slurm string // state of the fake Slurm; "" for the real one
}

// task is the program of a task: it does nothing if there is a result, and fails as
// many times as a file says.
const task = `#!/bin/sh
set -eu
echo "$2" >>"$1/ran"
[ ! -e "$1/results/$2" ] || exit 0
if read -r left 2>/dev/null <"$1/fail/$2" && [ "$left" -gt 0 ]; then
	echo $((left - 1)) >"$1/fail/$2"
	echo "task $2 is about to die"
	kill -9 $$
fi
echo "result $2" >"$1/results/.$2.$$"
mv "$1/results/.$2.$$" "$1/results/$2"
`

// newBench makes one where the named tasks fail as many times.
func newBench(t *testing.T, fails map[int]int) *bench {
	t.Helper()
	b := &bench{t: t, dir: filepath.Join(t.TempDir(), "it's 100%a here")} // a name that needs quoting
	for _, d := range []string{"results", "fail"} {
		if err := os.MkdirAll(filepath.Join(b.dir, d), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	b.write(filepath.Join(b.dir, "task.sh"), task)
	for n, times := range fails {
		b.write(filepath.Join(b.dir, "fail", strconv.Itoa(n)), fmt.Sprintln(times))
	}
	return b
}

// fake gives it a Slurm of its own.
func (b *bench) fake() *bench {
	b.t.Helper()
	b.slurm = b.t.TempDir()
	bin := b.t.TempDir()
	self, err := os.Executable()
	if err != nil {
		b.t.Fatal(err)
	}
	for _, name := range []string{"sbatch", "squeue", "scancel"} {
		if err := os.Symlink(self, filepath.Join(bin, name)); err != nil {
			b.t.Fatal(err)
		}
	}
	b.t.Setenv("FAKE_SLURM", b.slurm)
	b.t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return b
}

func (b *bench) write(path, text string) {
	b.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
		b.t.Fatal(err)
	}
}

// tell writes a file that the fake Slurm reads.
func (b *bench) tell(name, text string) { b.t.Helper(); b.write(filepath.Join(b.slurm, name), text) }

func (b *bench) missing(tasks int) ([]int, error) {
	var missing []int
	for n := range tasks {
		if _, err := os.Stat(filepath.Join(b.dir, "results", strconv.Itoa(n))); err != nil {
			missing = append(missing, n)
		}
	}
	return missing, nil
}

func (b *bench) array(tasks int) *Array {
	return &Array{
		Name: "test", Dir: b.dir, Command: []string{"sh", filepath.Join(b.dir, "task.sh"), b.dir}, Tasks: tasks,
		Missing: func() ([]int, error) { return b.missing(tasks) },
		Poll:    time.Millisecond, Grace: time.Millisecond,
	}
}

// lines returns those of a file, sorted if the order is that of chance.
func (b *bench) lines(path string, sorted bool) string {
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		b.t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if sorted {
		slices.Sort(lines)
	}
	return strings.Join(lines, "; ")
}

func (b *bench) calls() string { return b.lines(filepath.Join(b.slurm, "calls"), false) }
func (b *bench) ran() string   { return b.lines(filepath.Join(b.dir, "ran"), true) }

// expect runs an array and compares what came of it.
func (b *bench) expect(a *Array, calls, ran string) {
	b.t.Helper()
	if err := Run(context.Background(), a); err != nil {
		b.t.Fatal(err)
	}
	if missing, _ := a.Missing(); len(missing) > 0 {
		b.t.Errorf("missing: %v", missing)
	}
	if got := b.calls(); got != calls {
		b.t.Errorf("calls: %s\nwant   %s", got, calls)
	}
	if got := b.ran(); ran != "" && got != ran {
		b.t.Errorf("ran:  %s\nwant  %s", got, ran)
	}
}
