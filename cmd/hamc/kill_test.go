package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A run that is killed without warning, at any moment and many times, and resumed, comes
// to the same files as one that is not: byte for byte, but for the file of wall-clock
// figures.
func TestKilledRunsResume(t *testing.T) {
	kills := 25
	if testing.Short() {
		kills = 5
	}
	dir := t.TempDir()
	run := func(args ...string) *process {
		return start(t, dir, nil, append([]string{"run", "--quiet"}, args...)...)
	}
	settings := []string{example("banana.ham"), "--chains", "3", "--warmup", "500", "--draws", "40000", "--audit", "200"}
	whole := run(append(settings, "--output-dir", "whole")...)
	if code := whole.wait(); code != 0 {
		t.Fatalf("exit code %d\n%s", code, whole.stderr.String())
	}
	written := func(name string) (n int64) {
		for _, c := range []string{"chain_1.csv", "chain_2.csv", "chain_3.csv"} {
			n += size(filepath.Join(dir, name, c))
		}
		return n
	}
	total := written("whole")

	rng := rand.New(rand.NewPCG(1, 2))
	p := run(append(settings, "--output-dir", "parts")...)
	killed, ended := 0, false
	for range kills {
		// Some kills hit the start, the others when more draws are written.
		aim := written("parts")
		if rng.IntN(3) > 0 {
			aim += rng.Int64N(total / 6)
		}
		late := time.Now().Add(time.Duration(rng.IntN(200)) * time.Millisecond)
		for !ended && (time.Now().Before(late) || written("parts") < aim) {
			select {
			case <-p.ended:
				ended = true
			case <-time.After(time.Millisecond):
			}
		}
		if ended {
			if code := p.cmd.ProcessState.ExitCode(); code != 0 {
				t.Fatalf("exit code %d\n%s", code, p.stderr.String())
			}
			break
		}
		syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		p.wait()
		p.orphans()
		killed++
		if _, err := os.Stat(filepath.Join(dir, "parts", "run.json")); err != nil {
			p = run(append(settings, "--output-dir", "parts", "--overwrite")...) // it had not begun
		} else {
			p = run("--resume", "parts")
		}
	}
	if !ended {
		if code := p.wait(); code != 0 {
			t.Fatalf("exit code %d\n%s", code, p.stderr.String())
		}
	}
	t.Logf("%d kills", killed)
	if killed < 3 {
		t.Errorf("only %d kills", killed)
	}

	files, err := os.ReadDir(filepath.Join(dir, "whole"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 8 {
		t.Errorf("%d files", len(files))
	}
	for _, f := range files {
		if f.Name() == "time.json" {
			continue
		}
		want, err := os.ReadFile(filepath.Join(dir, "whole", f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(dir, "parts", f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s differs: %d bytes, and %d without kills", f.Name(), len(got), len(want))
		}
	}
}
