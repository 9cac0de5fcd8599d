package slurm

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// real skips a test where there is no Slurm to try.
func real(t *testing.T) {
	t.Helper()
	if os.Getenv("HAMC_SLURM") != "1" {
		t.Skip("it needs a Slurm: .ci/slurm/run starts one and runs this test")
	}
}

// submissions returns the tasks of every array, in the order of submission, by the
// names of their logs.
func (b *bench) submissions() [][]string {
	logs, err := filepath.Glob(filepath.Join(b.dir, "slurm", "*_*.log"))
	if err != nil {
		b.t.Fatal(err)
	}
	var arrays [][]string
	last := ""
	for _, log := range logs { // sorted; ids have as many digits here
		id, task, _ := strings.Cut(strings.TrimSuffix(filepath.Base(log), ".log"), "_")
		if id != last {
			arrays, last = append(arrays, nil), id
		}
		arrays[len(arrays)-1] = append(arrays[len(arrays)-1], task)
	}
	return arrays
}

// One of six tasks kills itself the first time: it alone is submitted again.
func TestRealArray(t *testing.T) {
	real(t)
	b := newBench(t, map[int]int{4: 1})
	a := b.array(6)
	a.Poll, a.AtOnce, a.Options = 200*time.Millisecond, 3, []string{"--time=2"}
	var seen []State
	a.Observe = func(s State) { seen = append(seen, s) }
	if err := Run(context.Background(), a); err != nil {
		t.Fatal(err)
	}
	if missing, _ := a.Missing(); len(missing) > 0 {
		t.Errorf("missing: %v", missing)
	}
	if got, want := b.ran(), "0; 1; 2; 3; 4; 4; 5"; got != want {
		t.Errorf("ran:  %s\nwant  %s", got, want)
	}
	if got, want := b.submissions(), [][]string{{"0", "1", "2", "3", "4", "5"}, {"4"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("submitted: %v, want %v", got, want)
	}
	first := seen[0]
	if first.Tasks != 6 || len(first.Jobs) != 1 || first.Attempt != 1 || first.Pending+first.Running == 0 {
		t.Errorf("first look: %+v", first)
	}
	if last := seen[len(seen)-1]; last.Attempt != 2 || last.Trouble != "" {
		t.Errorf("last look: %+v", last)
	}
}

// Jobs that cannot start say why; the next Run finds them in the queue; and when the
// context ends they are gone.
func TestRealHeld(t *testing.T) {
	real(t)
	b := newBench(t, nil)
	a := b.array(1005)
	a.Poll, a.Options = 200*time.Millisecond, []string{"--hold"}
	held := func(want []int) {
		t.Helper()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		var last State
		a.Observe = func(s State) {
			if last = s; s.Reason != "" {
				cancel()
			}
		}
		if err := Run(ctx, a); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if last.Reason != "JobHeldUser" || last.Pending != 1005 || want != nil && !reflect.DeepEqual(last.Jobs, want) {
			t.Errorf("%+v, want jobs %v", last, want)
		}
	}
	// The first Run is killed, as far as Slurm can tell: it cannot cancel.
	stop := failingScancel(t)
	ctx, cancel := context.WithCancel(context.Background())
	var jobs []int
	a.Observe = func(s State) { jobs = s.Jobs; cancel() }
	if err := Run(ctx, a); err == nil || !strings.Contains(err.Error(), "the jobs are still in the queue: not today\n") {
		t.Fatal(err)
	}
	stop()
	if len(jobs) != 2 {
		t.Fatalf("jobs %v", jobs)
	}
	held(jobs)
	var out bytes.Buffer
	cmd := exec.Command("squeue", "--noheader", "--me", "--name=test")
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil || out.Len() > 0 {
		t.Errorf("left: %s, %v", out.String(), err)
	}
	held(nil)
}

// failingScancel puts a scancel that fails on the PATH, until the function that it
// returns is called.
func failingScancel(t *testing.T) func() {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "scancel")
	if err := os.WriteFile(name, []byte("#!/bin/sh\necho not today >&2\nexit 1\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return func() {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
}
