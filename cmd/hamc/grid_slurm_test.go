//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// newSlurmBench is newGridBench where there is a Slurm.
func newSlurmBench(t *testing.T) *gridBench {
	t.Helper()
	if os.Getenv("HAMC_SLURM") != "1" {
		t.Skip("it needs a Slurm: .ci/slurm/run starts one and runs this test")
	}
	return newGridBench(t, gatedGrid)
}

// slurm starts the grid through Slurm with the gate closed. Tasks of so many seconds have one cell
// each, or all of them.
func (b *gridBench) slurm(dir, taskSeconds string, args ...string) *process {
	b.t.Helper()
	return b.start(append([]string{"--output-dir", dir, "--executor", "slurm", "--poll", "500ms", "--task-seconds", taskSeconds}, args...)...)
}

// Costs of cells against which those of tasks are very small, or very large.
const (
	oneCell  = "0.000001"
	allCells = "600"
)

// queue returns the words of every line that squeue has on one state, a line for each element.
func queue(t *testing.T, state string) [][]string {
	t.Helper()
	out, err := exec.Command("squeue", "--noheader", "--me", "--array", "--states="+state, "--format=%i %j").Output()
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]string
	for line := range strings.Lines(string(out)) {
		lines = append(lines, strings.Fields(line))
	}
	return lines
}

// tasks returns the lines of the file of tasks in a directory of results.
func (b *gridBench) tasks(dir string) []string {
	b.t.Helper()
	names, err := filepath.Glob(filepath.Join(b.dir, dir, "tasks-*.txt"))
	if err != nil || len(names) != 1 {
		b.t.Fatalf("files of tasks: %v, %v", names, err)
	}
	text, err := os.ReadFile(names[0])
	if err != nil {
		b.t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// workersIn returns the workers that run tasks of a directory of results.
func (b *gridBench) workersIn(dir string) []int {
	var out []int
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	program := filepath.Join(b.dir, dir, "worker")
	for _, name := range lines {
		text, err := os.ReadFile(name)
		if err == nil && bytes.HasPrefix(text, []byte(program+"\x00")) && bytes.Contains(text, []byte("\x00task\x00")) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			if err == nil {
				out = append(out, pid)
			}
		}
	}
	return out
}

// idle waits until nothing is in the queue.
func (b *gridBench) idle() {
	b.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		left := queue(b.t, "running,pending")
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("left in the queue: %v", left)
		}
	}
}

// ends waits for the end of a grid that must succeed, with nothing left in the queue and the tables of
// the local executor.
func (b *gridBench) ends(p *process, dir string) {
	b.t.Helper()
	if code := p.wait(); code != 0 {
		b.t.Fatalf("exit code %d\n%s%s", code, p.stdout.String(), p.stderr.String())
	}
	b.idle()
	b.same(dir)
}

// Tasks of one cell, of which one is cancelled by hand: it is submitted again, and the tables are those
// of the local executor.
func TestSlurmGridCancelledTask(t *testing.T) {
	b := newSlurmBench(t)
	p := b.slurm("parts", oneCell, "--at-once", "8")
	p.until("the results of free cells", func() bool { return len(b.results("parts")) == 4 })
	if got := b.tasks("parts"); strings.Join(got, ";") != "0;1;2;3;4;5;6;7" {
		t.Errorf("tasks %v", got)
	}
	before := b.results("parts")
	var running [][]string
	p.until("tasks that run, each with its worker: one that has ended may be in the queue still", func() bool {
		running = queue(t, "running")
		return len(running) > 1 && len(running) == len(b.workersIn("parts"))
	})
	if running[0][1] != "hamc-parts" {
		t.Fatalf("running: %v", running)
	}
	if out, err := exec.Command("scancel", running[0][0]).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p.until("the end of the task", func() bool {
		for _, x := range queue(t, "running") {
			if x[0] == running[0][0] {
				return false
			}
		}
		return true
	})
	b.open()
	b.ends(p, "parts")
	b.kept("parts", before)
	_, element, _ := strings.Cut(running[0][0], "_")
	logs, err := filepath.Glob(filepath.Join(b.dir, "parts", "slurm", "*_*.log"))
	if err != nil {
		t.Fatal(err)
	}
	again := 0
	for _, log := range logs {
		if strings.HasSuffix(log, "_"+element+".log") {
			again++
		}
	}
	if again != 2 || len(logs) != 9 {
		t.Errorf("task %s ran %d times; logs %v", element, again, logs)
	}
}

// One task of all cells, whose worker is killed: what it has done is kept.
func TestSlurmGridKilledWorker(t *testing.T) {
	b := newSlurmBench(t)
	p := b.slurm("parts", allCells)
	p.until("the results of free cells", func() bool { return len(b.results("parts")) == 4 })
	if got := b.tasks("parts"); strings.Join(got, ";") != "0 1 2 3 4 5 6 7" {
		t.Errorf("tasks %v", got)
	}
	before := b.results("parts")
	workers := b.workersIn("parts")
	if len(workers) != 1 {
		t.Fatalf("workers %v", workers)
	}
	syscall.Kill(workers[0], syscall.SIGKILL)
	b.open()
	b.ends(p, "parts")
	b.kept("parts", before)
}

// A hamc that is killed leaves its tasks to Slurm; the next one waits for them. One that is interrupted
// cancels them.
func TestSlurmGridStopped(t *testing.T) {
	b := newSlurmBench(t)
	p := b.slurm("parts", oneCell, "--at-once", "8")
	p.until("the results of free cells", func() bool { return len(b.results("parts")) == 4 })
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	p.wait()
	before, jobs := b.results("parts"), queue(t, "running,pending")
	if len(jobs) == 0 {
		t.Error("no job is left")
	}

	script := filepath.Join(b.dir, "parts", "slurm", "job.sh")
	if err := os.Chtimes(script, longAgo, longAgo); err != nil {
		t.Fatal(err)
	}
	p = b.slurm("parts", oneCell, "--at-once", "8")
	p.until("a look at the queue", func() bool { // after which it knows that they are its jobs, and writes the script
		fi, err := os.Stat(script)
		return err == nil && !fi.ModTime().Equal(longAgo)
	})
	syscall.Kill(p.cmd.Process.Pid, syscall.SIGINT)
	if code := p.wait(); code != 130 || !strings.Contains(p.stderr.String(), "the same command goes on from there\n") {
		t.Errorf("exit code %d\n%s", code, p.stderr.String())
	}
	b.idle()

	p = b.slurm("parts", oneCell, "--at-once", "8")
	p.until("tasks that run", func() bool { return len(b.workersIn("parts")) > 0 })
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	p.wait()
	b.open()
	b.ends(b.slurm("parts", oneCell, "--at-once", "8"), "parts")
	b.kept("parts", before)
}
