package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

// What is missing after a round is submitted again, and nothing else, in either form
// of squeue's JSON.
func TestMissingOnly(t *testing.T) {
	for _, form := range []string{"plain", "objects"} {
		t.Run(form, func(t *testing.T) {
			b := newBench(t, map[int]int{1: 1, 4: 2}).fake()
			b.tell(form, "")
			b.write(filepath.Join(b.dir, "results", "3"), "from before")
			a := b.array(6)
			var states []State
			a.Observe = func(s State) { states = append(states, s) }
			b.expect(a, "sbatch 0-2,4-5 first 0; sbatch 1,4 first 0; sbatch 4 first 0", "0; 1; 1; 2; 4; 4; 4; 5")
			for i, want := range []State{
				{Tasks: 6, Done: 1, Jobs: []int{1}, Pending: 5, Attempt: 1},
				{Tasks: 6, Done: 4, Jobs: []int{1}, Running: 5, Attempt: 1},
				{Tasks: 6, Done: 4, Jobs: []int{1}, Running: 5, Attempt: 1},
				{Tasks: 6, Done: 4, Attempt: 1},
				{Tasks: 6, Done: 4, Jobs: []int{2}, Pending: 2, Attempt: 2},
			} {
				if form == "plain" && i == 2 { // Slurm 22 does not say that a job is being cleared away
					want.Jobs, want.Running = nil, 0
				}
				if form == "plain" && i > 2 {
					break
				}
				if !reflect.DeepEqual(states[i], want) {
					t.Errorf("look %d: %+v\nwant     %+v", i, states[i], want)
				}
			}
			if s := states[len(states)-1]; s.Done != 6 {
				t.Errorf("last look: %+v", s)
			}
		})
	}
}

// A round submits the tasks of its own Run, though another one in the directory has written its script.
func TestOtherScript(t *testing.T) {
	b := newBench(t, map[int]int{0: 1}).fake()
	a := b.array(1)
	missing, other := a.Missing, false
	a.Missing = func() ([]int, error) {
		if !other && b.ran() == "0" { // the first round has run
			other = true
			b.write(filepath.Join(a.Dir, "slurm", "job.sh"), "#!/bin/sh\nexit 0\n")
		}
		return missing()
	}
	b.expect(a, "sbatch 0 first 0; sbatch 0 first 0", "0; 0")
}

// When nothing is missing there is nothing to wait for, whoever did it.
func TestDoneElsewhere(t *testing.T) {
	b := newBench(t, nil).fake()
	b.tell("held", "Priority")
	a := b.array(1)
	looks := 0
	a.Observe = func(State) {
		if looks++; looks > 2 {
			t.Fatal("it still looks at the queue")
		}
		b.write(filepath.Join(b.dir, "results", "0"), "")
	}
	b.expect(a, "sbatch 0 first 0", "")
}

// Files of another machine may be seen late: that is no reason to do them again.
func TestLate(t *testing.T) {
	b := newBench(t, nil).fake()
	a := b.array(2)
	a.Grace = time.Minute
	stale := 3
	ended := false
	a.Observe = func(s State) { ended = len(s.Jobs) == 0 }
	a.Missing = func() ([]int, error) {
		if ended {
			stale--
		}
		switch {
		case stale == 2:
			return nil, errors.New("stale file handle")
		case stale > 0:
			return []int{0, 1}, nil
		}
		return b.missing(2)
	}
	b.expect(a, "sbatch 0-1 first 0", "0; 1")
}

// Indices stay below the limit of Slurm, whatever the numbers of the tasks are, and
// arrays that would run more than AtOnce tasks take turns.
func TestBlocks(t *testing.T) {
	for _, c := range []struct {
		atOnce int
		calls  string
		widest int
	}{
		{0, "sbatch 5,999 first 0; sbatch 0-1 first 1000; sbatch 999 first 2000", 3},
		{1, "sbatch 5,999%1 first 0; sbatch 0-1%1 first 1000; sbatch 999%1 first 2000", 1},
		{4, "sbatch 5,999%4 first 0; sbatch 0-1%4 first 1000; sbatch 999%4 first 2000", 2},
	} {
		b := newBench(t, nil).fake()
		a := b.array(3000)
		a.AtOnce = c.atOnce
		a.Missing = func() (missing []int, err error) {
			for _, n := range []int{5, 999, 1000, 1001, 2999} {
				if _, err := os.Stat(filepath.Join(b.dir, "results", strconv.Itoa(n))); err != nil {
					missing = append(missing, n)
				}
			}
			return missing, nil
		}
		widest := 0
		a.Observe = func(s State) { widest = max(widest, len(s.Jobs)) }
		b.expect(a, c.calls, "1000; 1001; 2999; 5; 999")
		if widest != c.widest {
			t.Errorf("AtOnce %d: %d arrays at a time, want %d", c.atOnce, widest, c.widest)
		}
	}
}

// An array that sbatch refuses while others are in the queue is tried again after
// them: sites limit how many tasks may wait. One that it refuses by itself is an
// error.
func TestLimit(t *testing.T) {
	b := newBench(t, nil).fake()
	b.tell("limit", "2")
	a := b.array(1003)
	a.Attempts = 1
	fill := func(first, after int) {
		for n := first; n < after; n++ {
			b.write(filepath.Join(b.dir, "results", strconv.Itoa(n)), "")
		}
	}
	fill(2, 1001)
	trouble := ""
	a.Observe = func(s State) { trouble = max(trouble, s.Trouble) }
	b.expect(a, "sbatch 0-1 first 0; sbatch 1-2 first 1000", "0; 1; 1001; 1002")
	if want := "sbatch: sbatch: error: QOSMaxSubmitJobPerUserLimit"; trouble != want {
		t.Errorf("%q", trouble)
	}
	b.tell("limit", "1")
	for _, n := range []string{"0", "1"} {
		if err := os.Remove(filepath.Join(b.dir, "results", n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := Run(context.Background(), a); err == nil || !strings.Contains(err.Error(), "QOSMaxSubmitJobPerUserLimit\nits options were ") {
		t.Errorf("%v", err)
	}
}

// squeue may fail for a while. Slurm 22.05 then prints an empty queue with exit code
// 0, which does not mean that the jobs have ended.
func TestHiccups(t *testing.T) {
	for _, says := range []string{"slurm_load_jobs error: Unable to contact slurm controller", "empty"} {
		b := newBench(t, nil).fake()
		b.tell("broken", "squeue 3 "+says+"\n")
		a := b.array(2)
		var troubles []string
		a.Observe = func(s State) { troubles = append(troubles, s.Trouble) }
		b.expect(a, "sbatch 0-1 first 0", "0; 1")
		want := "squeue: " + says
		if says == "empty" {
			want = "squeue: Unspecified error Failed while looking for jobs"
		}
		if len(troubles) < 4 || troubles[0] != want || troubles[2] != want || troubles[3] != "" {
			t.Errorf("%q", troubles)
		}
	}
}

// When squeue is silent for good, Run ends with an error and leaves the jobs; the next
// Run takes them over.
func TestAdoption(t *testing.T) {
	begin := func(t *testing.T) (*bench, *Array) {
		b := newBench(t, nil).fake()
		b.write(filepath.Join(b.dir, "results", "2"), "")
		a := b.array(4)
		b.tell("broken", "squeue 1000 no controller\n")
		err := Run(context.Background(), a)
		if err == nil || !strings.Contains(err.Error(), "squeue has failed 12 times in a row: no controller\nthe jobs go on") {
			t.Fatalf("%v", err)
		}
		b.tell("broken", "squeue 2 no controller\n")
		return b, a
	}
	const calls = "sbatch 0-1,3 first 0"
	t.Run("what is in the queue is waited for", func(t *testing.T) {
		b, a := begin(t)
		if err := os.Remove(filepath.Join(b.dir, "results", "2")); err != nil { // nobody has been sent to do it
			t.Fatal(err)
		}
		b.expect(a, calls+"; sbatch 2 first 0", "0; 1; 2; 3")
		b.expect(a, calls+"; sbatch 2 first 0", "0; 1; 2; 3") // nothing is missing: nothing is done
	})
	t.Run("it may have left the queue", func(t *testing.T) {
		b, a := begin(t)
		b.tell("queue", "[]")
		b.expect(a, calls+"; "+calls, "0; 1; 3")
	})
	t.Run("what was submitted with other options is cancelled", func(t *testing.T) {
		b, a := begin(t)
		a.Options = []string{"--partition=long"}
		b.expect(a, calls+"; scancel 1; "+calls, "0; 1; 3")
	})
	t.Run("a job of something else with the same id is let alone", func(t *testing.T) {
		b, a := begin(t)
		text := b.lines(filepath.Join(b.slurm, "queue"), false)
		b.tell("queue", strings.ReplaceAll(text, "slurm/job.sh", "elsewhere/job.sh"))
		a.Options = []string{"--partition=long"}
		b.expect(a, calls+"; "+calls, "0; 1; 3")
	})
}

// Whoever cancels the context cancels the jobs. Until then the state says why nothing
// moves.
func TestCancel(t *testing.T) {
	b := newBench(t, nil).fake()
	b.tell("held", "PartitionConfig")
	a := b.array(3)
	ctx, cancel := context.WithCancel(context.Background())
	var last State
	a.Observe = func(s State) { last = s; cancel() }
	if err := Run(ctx, a); err != context.Canceled {
		t.Errorf("%v", err)
	}
	if want := (State{Tasks: 3, Jobs: []int{1}, Pending: 3, Attempt: 1, Reason: "PartitionConfig"}); !reflect.DeepEqual(last, want) {
		t.Errorf("%+v", last)
	}
	if got := b.calls(); got != "sbatch 0-2 first 0; scancel 1" {
		t.Error(got)
	}
	if err := Run(ctx, a); err != context.Canceled { // from the beginning
		t.Errorf("%v", err)
	}
	if got := b.calls(); got != "sbatch 0-2 first 0; scancel 1" {
		t.Error(got)
	}

	b.tell("broken", "scancel 1 Access denied\n")
	ctx, cancel = context.WithCancel(context.Background())
	a.Observe = func(State) { cancel() }
	err := Run(ctx, a)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "the jobs are still in the queue: Access denied\ncancel them with `scancel 2`") {
		t.Errorf("%v", err)
	}
}

// A job that is being submitted when the context ends is not lost.
func TestCancelWhileSubmitting(t *testing.T) {
	b := newBench(t, nil).fake()
	b.tell("slow", "")
	ctx, cancel := context.WithCancel(context.Background())
	started := filepath.Join(b.slurm, "started")
	go func() {
		for {
			if _, err := os.Stat(started); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		cancel()
		os.Remove(started)
	}()
	if err := Run(ctx, b.array(3)); err != context.Canceled {
		t.Errorf("%v", err)
	}
	if got := b.calls(); got != "sbatch 0-2 first 0; scancel 1" {
		t.Error(got)
	}
}

// A task that always fails is submitted Attempts times; the others get their results.
func TestForGood(t *testing.T) {
	b := newBench(t, map[int]int{2: 99, 3: 99}).fake()
	a := b.array(5)
	a.Attempts = 2
	err := Run(context.Background(), a)
	var incomplete *IncompleteError
	if !errors.As(err, &incomplete) || !reflect.DeepEqual(incomplete.Tasks, []int{2, 3}) || incomplete.Attempts != 2 {
		t.Fatalf("%v", err)
	}
	if got := b.calls(); got != "sbatch 0-4 first 0; sbatch 2-3 first 0" {
		t.Error(got)
	}
	want := fmt.Sprintf("2 of 5 tasks have no complete result after 2 submissions: 2-3\nthe last lines of %s:\n  task 2 is about to die\n", filepath.Join(b.dir, "slurm", "2_2.log"))
	if !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), "\nwhen the cause is gone, run the same command again: results that are there are kept") {
		t.Errorf("%v\nwant\n%s", err, want)
	}
	if left, _ := a.Missing(); !reflect.DeepEqual(left, []int{2, 3}) {
		t.Errorf("missing: %v", left)
	}
}

func TestRemedy(t *testing.T) {
	for line, want := range map[string]string{
		"slurmstepd: error: *** JOB 9 ON n1 CANCELLED AT 2025-01-01T00:00:00 DUE TO TIME LIMIT ***":    "--time",
		"slurmstepd: error: Detected 1 oom_kill event in StepId=9.batch. Some of the step tasks …":     "--mem",
		"/var/spool/slurmd/job00009/slurm_script: 8: exec: /shared/worker: not found":                  "--partition",
		"slurmstepd: error: couldn't chdir to `/shared': No such file or directory: going to /tmp ins": "--partition",
		"there is no room in the zoo": "when the cause is gone",
	} {
		e := &IncompleteError{Tasks: []int{0}, Of: 1, Attempts: 1, Lines: []string{line, "bye"}}
		if !strings.Contains(e.Error(), want) {
			t.Errorf("%s: %v", line, e)
		}
	}
}

func TestNoLog(t *testing.T) {
	e := &IncompleteError{Tasks: []int{0}, Of: 1, Attempts: 1, Log: "slurm/1_0.log"}
	if !strings.Contains(e.Error(), "\nslurm/1_0.log is missing or empty: ") {
		t.Error(e)
	}
}

// What is wrong before a job is in the queue.
func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*bench, *Array)
		want string
	}{
		{"no Slurm", func(b *bench, a *Array) { b.t.Setenv("PATH", b.dir) }, "there is no sbatch on the PATH: run hamc where jobs are submitted, on a login node"},
		{"two words", func(b *bench, a *Array) { a.Options = []string{"-p", "short"} }, `"-p" is no option of sbatch as hamc takes them: write --name=value`},
		{"array", func(b *bench, a *Array) { a.Options = []string{"--arr=1-9"} }, "--arr=1-9 cannot be given to sbatch: hamc numbers the tasks itself"},
		{"cluster", func(b *bench, a *Array) { b.t.Setenv("SLURM_CLUSTERS", "other") }, "SLURM_CLUSTERS=other is in the environment"},
		{"refused", func(b *bench, a *Array) {
			a.Options = []string{"--partition=none"}
			b.tell("broken", "sbatch 1 sbatch: error: invalid partition specified: none\n")
		}, "sbatch: sbatch: error: invalid partition specified: none\nits options were --parsable --job-name=test "},
		{"files", func(b *bench, a *Array) { a.Missing = func() ([]int, error) { return nil, errors.New("no plan") } }, "no plan"},
		{"numbers", func(b *bench, a *Array) { a.Missing = func() ([]int, error) { return []int{1, 2}, nil } }, "task 2 is said to be missing, and there are 2, numbered from 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, nil).fake()
			a := b.array(2)
			c.set(b, a)
			if err := Run(context.Background(), a); err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%v\nwant %s", err, c.want)
			}
			if calls := b.calls(); calls != "" {
				t.Errorf("calls: %s", calls)
			}
		})
	}
}

func TestCompact(t *testing.T) {
	for _, c := range []struct {
		list    string
		numbers []int
	}{
		{"0", []int{0}},
		{"0-1", []int{0, 1}},
		{"0-4,7", []int{0, 1, 2, 3, 4, 7}},
		{"3,5,7-9,999", []int{3, 5, 7, 8, 9, 999}},
	} {
		if got := compact(c.numbers); got != c.list {
			t.Errorf("%v: %s", c.numbers, got)
		}
		if got, err := expand(c.list); err != nil || !reflect.DeepEqual(got, c.numbers) {
			t.Errorf("%s: %v, %v", c.list, got, err)
		}
	}
	if got, err := expand("4-10:2,12%2"); err != nil || !reflect.DeepEqual(got, []int{4, 6, 8, 10, 12}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"", "1-", "a", "1,...", "3:0", "-1", "0-99999999999"} {
		if got, err := expand(bad); err == nil {
			t.Errorf("%q: %v", bad, got)
		}
	}
}

// Queues as Slurm prints them: of 22.05, recorded; of 23.11 and later, whose numbers
// are objects and whose states are lists.
func TestParseQueue(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []part
	}{
		{"22.05", `{"errors": [], "jobs": [
			{"array_job_id": 1, "array_task_id": 0, "array_task_string": "", "command": "\/tmp\/j.sh 1000", "job_state": "COMPLETED", "state_reason": "None"},
			{"array_job_id": 1, "array_task_id": 1, "array_task_string": "", "command": "\/tmp\/j.sh 1000", "job_state": "RUNNING", "state_reason": "None"},
			{"array_job_id": 1, "array_task_id": null, "array_task_string": "4-8:2%2", "command": "\/tmp\/j.sh 1000", "job_state": "PENDING", "state_reason": "JobArrayTaskLimit"},
			{"array_job_id": 0, "array_task_id": null, "array_task_string": "", "command": "", "job_state": "RUNNING", "state_reason": "None"}]}`,
			[]part{
				{job: 1, indices: []int{1}, running: true, reason: "None", command: "/tmp/j.sh 1000"},
				{job: 1, indices: []int{4, 6, 8}, reason: "JobArrayTaskLimit", command: "/tmp/j.sh 1000"},
			}},
		{"23.11", `{"errors": [], "warnings": [], "jobs": [
			{"array_job_id": {"set": true, "infinite": false, "number": 7}, "array_task_id": {"set": false, "infinite": false, "number": 0}, "array_task_string": "3-4", "job_state": ["PENDING"], "state_reason": "Resources"},
			{"array_job_id": {"set": true, "infinite": false, "number": 7}, "array_task_id": {"set": true, "infinite": false, "number": 0}, "array_task_string": "", "job_state": ["FAILED", "COMPLETING"], "state_reason": "NonZeroExitCode"},
			{"array_job_id": {"set": true, "infinite": false, "number": 7}, "array_task_id": {"set": true, "infinite": false, "number": 1}, "job_state": ["TIMEOUT"], "state_reason": "TimeLimit"},
			{"array_job_id": {"set": true, "infinite": false, "number": 7}, "array_task_id": {"set": true, "infinite": false, "number": 2}, "job_state": ["A_NEW_STATE"], "state_reason": ""},
			{"array_job_id": {"set": true, "infinite": false, "number": 0}, "array_task_id": {"set": false, "infinite": false, "number": 0}, "array_task_string": "", "job_state": ["RUNNING"]}]}`,
			[]part{
				{job: 7, indices: []int{3, 4}, reason: "Resources"},
				{job: 7, indices: []int{0}, running: true, reason: "NonZeroExitCode"},
				{job: 7, indices: []int{2}},
			}},
		{"empty", `{"errors": [], "jobs": []}`, nil},
	} {
		got, err := parseQueue([]byte(c.text))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v\nwant %+v", c.name, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "CLUSTER: x\n{}", "{}", `{"jobs": [{"array_job_id": "x"}]}`, `{"jobs": [], "errors": [{"error": "Unspecified error"}]}`} {
		if got, err := parseQueue([]byte(bad)); err == nil {
			t.Errorf("%s: %v", bad, got)
		}
	}
}

// The script says what it is and how to use it by hand.
func TestScript(t *testing.T) {
	r := &run{Array: Array{Name: "grid", Dir: "/shared/a b", Command: []string{"/shared/worker", "task", "it's"}, Options: []string{"--comment=x\ny"}}, dir: "/shared/a b/slurm"}
	const want = `#!/bin/sh
# One task of grid, as an element of a job array of Slurm: that with the number $1
# plus the element's index. Written and submitted by hamc. A task leaves results alone that
# are there, so any of them can be run again, for instance the first with
#   sbatch --parsable --job-name=grid '--chdir=/shared/a b' '--output=/shared/a b/slurm/%A_%a.log' '--comment=x y' --array=0 '/shared/a b/slurm/job.sh' 0
set -eu
exec /shared/worker task 'it'\''s' "$(($1 + SLURM_ARRAY_TASK_ID))"
`
	if got := r.scriptText(); got != want {
		t.Errorf("%s", got)
	}
}
