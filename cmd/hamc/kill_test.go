//go:build unix

package main

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hamc-dev/hamc/internal/campaign"
)

// A run that is killed without warning, at any moment and many times, and resumed, comes
// to the same files as one that is not: byte for byte, but for the file of wall-clock
// figures.
func TestKilledRunsResume(t *testing.T) {
	kills := campaign.Cases(t, 3, 25)
	dir := t.TempDir()
	run := func(args ...string) *process {
		return start(t, dir, nil, append([]string{"run", "--quiet"}, args...)...)
	}
	settings := []string{example("banana.ham"), "--chains", "3", "--warmup", "500", "--draws", strconv.Itoa(campaign.Cases(t, 10_000, 40_000)), "--audit", strconv.Itoa(campaign.Cases(t, 50, 200))}
	whole := run(append(settings, "--output-dir", "whole")...)
	if code := whole.drawn(); code != 0 {
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
		// Some kills hit the start, after a time that is short beside that of the run; the others come when
		// more draws are written, however long that takes.
		aim, late := written("parts"), time.Now()
		if rng.IntN(3) > 0 {
			aim += rng.Int64N(total / int64(kills+2))
		} else {
			late = late.Add(time.Duration(rng.IntN(20)) * time.Millisecond)
		}
		for !ended && (time.Now().Before(late) || written("parts") < aim) {
			select {
			case <-p.ended:
				ended = true
			case <-time.After(time.Millisecond):
			}
		}
		if ended {
			if code := p.cmd.ProcessState.ExitCode(); code != 0 && !verdicts.MatchString(p.stderr.String()) {
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
		if code := p.drawn(); code != 0 {
			t.Fatalf("exit code %d\n%s", code, p.stderr.String())
		}
	}
	t.Logf("%d kills", killed)
	if killed < 3 {
		t.Errorf("only %d kills", killed)
	}

	sameRuns(t, 11, filepath.Join(dir, "whole"), filepath.Join(dir, "parts")) // with audits and failures
}

// sameRuns fails the test where two directories of draws differ in more than wall-clock
// figures, or the first has less than that many files.
func sameRuns(t *testing.T, least int, whole, parts string) {
	t.Helper()
	files, err := os.ReadDir(whole)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < least {
		t.Errorf("%d files, expected %d", len(files), least)
	}
	for _, f := range files {
		if f.Name() == "time.json" {
			continue
		}
		want, err := os.ReadFile(filepath.Join(whole, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(parts, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s differs: %d bytes, and %d without a break", f.Name(), len(got), len(want))
		}
	}
}

// A disk that is full ends a run with an error, keeps what is on it, and the run goes on
// once there is space: here a limit on the size of files stands for the disk.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	settings := []string{"run", "--quiet", example("banana.ham"), "--chains", "2", "--warmup", "200", "--draws", strconv.Itoa(campaign.Cases(t, 8000, 20_000))}
	whole := start(t, dir, nil, append(settings, "--output-dir", "whole")...)
	if code := whole.drawn(); code != 0 {
		t.Fatalf("exit code %d\n%s", code, whole.stderr.String())
	}
	var stderr bytes.Buffer
	cmd := exec.Command("sh", append([]string{"-c", `ulimit -f 900; exec "$@"`, "sh", hamcBinary}, append(settings, "--output-dir", "parts")...)...)
	cmd.Dir, cmd.Stderr = dir, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Fatalf("on the full disk: %v\n%s", err, stderr.String())
	}
	for _, want := range []string{".csv: file too large", "the draws up to here are kept", "`hamc run --resume parts`"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("no %q in\n%s", want, stderr.String())
		}
	}
	p := start(t, dir, nil, "run", "--quiet", "--resume", "parts")
	if code := p.drawn(); code != 0 {
		t.Fatalf("resumed: exit code %d\n%s", code, p.stderr.String())
	}
	sameRuns(t, 7, filepath.Join(dir, "whole"), filepath.Join(dir, "parts"))
}

// What has changed since a run began is told apart, and nothing of the run is touched.
func TestResumeErrors(t *testing.T) {
	dir := t.TempDir()
	model := "model m\ndata s real > 0\nparam x real\nx ~ normal(0, s)\nmetric fisher\n"
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("m.ham", model)
	write("m.data.json", `{"s": 1}`)
	run := func(args ...string) (int, string) {
		p := start(t, dir, nil, append([]string{"run", "--quiet", "--evaluate"}, args...)...)
		code := p.drawn()
		return code, p.stderr.String()
	}
	resume := func(args ...string) (int, string) {
		p := start(t, dir, nil, append([]string{"run", "--quiet"}, args...)...)
		code := p.drawn()
		return code, p.stderr.String()
	}
	if code, text := run("m.ham", "--chains", "1", "--warmup", "50", "--draws", "50", "--output-dir", "r"); code != 0 {
		t.Fatalf("exit code %d\n%s", code, text)
	}
	before, err := os.ReadFile(filepath.Join(dir, "r", "chain_1.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		do   func()
		args []string
		code int
		want string
	}{
		{"a setting", nil, []string{"--resume", "r", "--seed", "2", "--chains", "3"}, 2, "--chains, --seed: a run that is resumed keeps its settings"},
		{"no directory", nil, []string{"--resume", "nowhere"}, 1, "nowhere: there is no such directory"},
		{"another model", func() { write("m.ham", model+"\n") }, []string{"--resume", "r", "--draws", "60"}, 1, "m.ham: the model has changed since the run in r began"},
		{"other data", func() { write("m.ham", model); write("m.data.json", `{"s": 2}`) }, []string{"--resume", "r", "--draws", "60"}, 1, "m.data.json: the data has changed"},
		{"no data", func() { os.Remove(filepath.Join(dir, "m.data.json")) }, []string{"--resume", "r", "--draws", "60"}, 1, "m.data.json: there is no such file"},
		{"fewer draws", func() { write("m.data.json", `{"s": 1}`) }, []string{"--resume", "r", "--draws", "10"}, 1, "chain 1 has 50 draws already"},
		{"moved", func() {
			os.Rename(filepath.Join(dir, "m.ham"), filepath.Join(dir, "n.ham"))
		}, []string{"n.ham", "--resume", "r", "--data", "m.data.json"}, 0, ""},
	} {
		if c.do != nil {
			c.do()
		}
		code, text := resume(c.args...)
		if code != c.code || !strings.Contains(text, c.want) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s", c.name, code, c.code, c.want, text)
		}
		after, err := os.ReadFile(filepath.Join(dir, "r", "chain_1.csv"))
		if err != nil || string(after) != string(before) {
			t.Errorf("%s: the draws have changed (%v)", c.name, err)
		}
	}
}
