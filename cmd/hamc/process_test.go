//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hamc-dev/hamc/runtime/draws"
)

// These tests run hamc as a process, for what cannot be tried inside one:
// signals, other environments, other users.

// process is a hamc that runs, in a process group of its own.
type process struct {
	t              *testing.T
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	ended          chan error
}

// patience is how long a process may take to do what it must, on a machine however busy:
// what takes longer hangs.
const patience = 5 * time.Minute

// start runs hamc in a directory; settings of env replace those of the tests.
func start(t *testing.T, dir string, env []string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(hamcBinary, args...), ended: make(chan error, 1)}
	p.cmd.Dir = dir
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.ended <- p.cmd.Wait() }()
	t.Cleanup(func() { syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) })
	return p
}

// wait waits for the end and returns the exit code.
func (p *process) wait() int {
	p.t.Helper()
	select {
	case err := <-p.ended:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			p.t.Fatal(err)
		}
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		p.t.Fatal("hamc does not end")
	}
	return -1
}

// drawn waits for the end of a run and returns the exit code, exitFine too where the run is fine but
// for the verdict on its draws.
func (p *process) drawn() int {
	p.t.Helper()
	if code := p.wait(); code != exitProblem || !verdicts.MatchString(p.stderr.String()) {
		return code
	}
	text := verdicts.ReplaceAllString(p.stderr.String(), "")
	p.stderr.Reset()
	p.stderr.WriteString(text)
	return exitFine
}

// until waits for a condition while the process runs.
func (p *process) until(what string, condition func() bool) {
	p.t.Helper()
	for end := time.Now().Add(patience); !condition(); time.Sleep(5 * time.Millisecond) {
		select {
		case err := <-p.ended:
			p.t.Fatalf("hamc ended before %s: %v\n%s%s", what, err, p.stdout.String(), p.stderr.String())
		default:
		}
		if time.Now().After(end) {
			p.t.Fatalf("no %s", what)
		}
	}
}

// size returns the size of a file, 0 if there is none.
func size(path string) int64 {
	fi, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return fi.Size()
}

// header is more than the header of a chain's file has, and less than it has
// once draws have been written to it.
const header = 1500

func example(name string) string { return filepath.Join(os.Getenv("EXAMPLES"), name) }

// A run that a signal ends has written what it drew, sums it up, and exits with
// 128 and the signal's number.
func TestInterrupt(t *testing.T) {
	for _, c := range []struct {
		name   string
		signal syscall.Signal
		group  bool // the terminal signals all processes of a job
		args   []string
		code   int
	}{
		{"SIGINT", syscall.SIGINT, false, nil, 130},
		{"SIGINT to the group", syscall.SIGINT, true, nil, 130},
		{"SIGTERM", syscall.SIGTERM, false, nil, 143},
		{"SIGINT to the evaluator", syscall.SIGINT, false, []string{"--evaluate"}, 130},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			// One worker: the second chain never begins.
			p := start(t, dir, nil, append([]string{"run", example("gaussian.ham"), "--draws", "1000000000", "--warmup", "50", "--chains", "2", "--workers", "1"}, c.args...)...)
			first := filepath.Join(dir, "gaussian-draws", "1", "chain_1.csv")
			p.until("draws", func() bool { return size(first) > header })
			pid := p.cmd.Process.Pid
			if c.group {
				pid = -pid
			}
			if err := syscall.Kill(pid, c.signal); err != nil {
				t.Fatal(err)
			}
			if code := p.wait(); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			file, err := draws.Open(first)
			if err != nil {
				t.Fatal(err)
			}
			if file.Complete || len(file.Values[0]) == 0 {
				t.Errorf("complete %v, %d draws", file.Complete, len(file.Values[0]))
			}
			for _, want := range []string{
				"\nq.1 ", "left out: chain 2, with 0 draws\n", fmt.Sprintf("\n1 chain of %d draws in ", len(file.Values[0])),
				"\ninterrupted: the draws up to here are kept; to go on: hamc run --resume gaussian-draws/1\n", "\ndraws in gaussian-draws/1\n",
			} {
				if !strings.Contains(p.stdout.String(), want) {
					t.Errorf("no %q in\n%s", want, p.stdout.String())
				}
			}
			if e := p.stderr.String(); !strings.HasSuffix(e, "\nhamc: interrupted\n") || strings.Contains(e, "bug") {
				t.Errorf("standard error:\n%s", e)
			}
			p.orphans()
		})
	}
}

// orphans fails the test if the process has left any behind.
func (p *process) orphans() {
	p.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if err := syscall.Kill(-p.cmd.Process.Pid, 0); errors.Is(err, syscall.ESRCH) {
			return
		}
		if time.Now().After(end) {
			p.t.Fatal("a process is left")
		}
	}
}

// Before the first draw there is nothing to sum up.
func TestInterruptInWarmup(t *testing.T) {
	for _, kind := range []string{"--evaluate", "--evaluate=false"} {
		dir := t.TempDir()
		p := start(t, dir, nil, "run", example("gaussian.ham"), "--warmup", "1000000000", "--chains", "2", kind)
		p.until("files", func() bool { return size(filepath.Join(dir, "gaussian-draws", "1", "chain_2.csv")) > 0 })
		syscall.Kill(p.cmd.Process.Pid, syscall.SIGINT)
		if code := p.wait(); code != 130 {
			t.Errorf("%s: exit code %d", kind, code)
		}
		if !strings.HasSuffix(p.stderr.String(), "interrupted before the first draw; to go on: hamc run --resume gaussian-draws/1\nhamc: interrupted\n") || p.stdout.Len() > 0 {
			t.Errorf("%s: %s%s", kind, p.stdout.String(), p.stderr.String())
		}
	}
}

// One signal ends a trajectory that would take for ever.
func TestInterruptInTrajectory(t *testing.T) {
	for _, kind := range []string{"--evaluate", "--evaluate=false"} {
		dir := t.TempDir()
		p := start(t, dir, nil, "run", example("gaussian.ham"), "--chains", "1", "--step-size", "1e-12", "--steps", "1000000000000", "--warmup", "0", kind)
		p.until("files", func() bool { return size(filepath.Join(dir, "gaussian-draws", "1", "chain_1.csv")) > 0 })
		syscall.Kill(p.cmd.Process.Pid, syscall.SIGINT)
		if code := p.wait(); code != 130 {
			t.Errorf("%s: exit code %d", kind, code)
		}
		p.orphans()
	}
}

// The second signal does not wait for a sampler that does not answer.
func TestSecondInterrupt(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, nil, "run", example("gaussian.ham"), "--chains", "1", "--step-size", "1e-12", "--steps", "1000000000000", "--warmup", "0")
	p.until("files", func() bool { return size(filepath.Join(dir, "gaussian-draws", "1", "chain_1.csv")) > 0 })
	list, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", p.cmd.Process.Pid, p.cmd.Process.Pid))
	children := strings.Fields(string(list))
	for task, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", p.cmd.Process.Pid)); len(children) == 0 && len(task) > 0; task = task[1:] {
		list, err = os.ReadFile(task[0])
		children = strings.Fields(string(list))
	}
	if err != nil || len(children) == 0 {
		t.Fatalf("the sampler is not found: %v", err)
	}
	child, err := strconv.Atoi(children[0])
	if err != nil {
		t.Fatal(err)
	}
	syscall.Kill(child, syscall.SIGSTOP)
	syscall.Kill(p.cmd.Process.Pid, syscall.SIGINT)
	time.Sleep(300 * time.Millisecond) // two signals at once would be one
	select {
	case err := <-p.ended:
		t.Fatalf("the first signal ended it: %v", err)
	default:
	}
	// Where the first had not been taken from the system by then, the second was one with it, and a
	// third is the second.
	quit := make(chan struct{})
	go func() {
		for {
			syscall.Kill(p.cmd.Process.Pid, syscall.SIGINT)
			select {
			case <-quit:
				return
			case <-time.After(300 * time.Millisecond):
			}
		}
	}()
	code := p.wait()
	close(quit)
	if code != 130 {
		t.Errorf("exit code %d", code)
	}
	p.orphans()
}

// A command other than run ends at once.
func TestInterruptElsewhere(t *testing.T) {
	p := start(t, t.TempDir(), nil, "verify", example("logistic.ham"), "--points", "1000000")
	time.Sleep(50 * time.Millisecond)
	syscall.Kill(p.cmd.Process.Pid, syscall.SIGINT)
	p.wait()
	if s, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || s.Signal() != syscall.SIGINT {
		t.Errorf("ended with %v", p.cmd.ProcessState)
	}
}

// A compiled sampler needs neither network nor modules nor a certain directory.
func TestOffline(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module broken\n\ngo 99.0\n\nrequire example.com/nowhere v1.2.3\n", "go.work": "nonsense"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p := start(t, dir, []string{
		"GOPROXY=off", "GOFLAGS=-mod=mod", "GOSUMDB=off", "GOMODCACHE=" + filepath.Join(dir, "modules"), "GOPATH=" + filepath.Join(dir, "gopath"),
		"GOOS=plan9", "GOARCH=386", "GO111MODULE=off", "GOWORK=" + filepath.Join(dir, "go.work"),
		"XDG_CACHE_HOME=" + filepath.Join(dir, "cache"), "HOME=" + filepath.Join(dir, "home"),
		"http_proxy=http://127.0.0.1:9", "https_proxy=http://127.0.0.1:9",
	}, "run", example("gaussian.ham"), "--chains", "1", "--draws", "5", "--warmup", "5")
	if code := p.drawn(); code != exitFine {
		t.Fatalf("exit code %d\n%s", code, p.stderr.String())
	}
	if e := p.stderr.String(); !strings.Contains(e, "\nbuilt    in ") {
		t.Errorf("not built:\n%s", e)
	}
	if _, err := os.Stat(filepath.Join(dir, "modules")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("modules were fetched: %v", err)
	}
}

// Without a Go toolchain, or with one too old, the evaluator samples.
func TestNoToolchain(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old")
	if err := os.Mkdir(old, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(old, "go"), []byte("#!/bin/sh\necho go1.21.3\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "empty"): "no Go toolchain: there is no `go` command on the PATH; sampling with the evaluator, which is much slower\n",
		old:                         "/go is go1.21.3, and samplers need go1.26; sampling with the evaluator",
	} {
		for _, quiet := range []string{"--quiet", "--quiet=false"} {
			p := start(t, dir, []string{"PATH=" + path}, "run", example("gaussian.ham"), "--chains", "2", "--draws", "10", "--warmup", "10", quiet)
			if code := p.drawn(); code != exitFine {
				t.Fatalf("exit code %d\n%s", code, p.stderr.String())
			}
			if !strings.Contains(p.stderr.String(), want) || !strings.Contains(p.stdout.String(), "\n2 chains of 10 draws in ") {
				t.Errorf("%s%s", p.stdout.String(), p.stderr.String())
			}
			if lines := strings.Count(p.stderr.String(), "\n"); quiet == "--quiet" && lines != 1 {
				t.Errorf("%d lines:\n%s", lines, p.stderr.String())
			}
		}
	}
}

// Where the address space is limited, hamc says how much it needs, in one line.
func TestAddressSpace(t *testing.T) {
	dir := t.TempDir()
	big := filepath.Join(dir, "big.json")
	if err := os.WriteFile(big, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, 1<<30); err != nil { // without taking space
		t.Fatal(err)
	}
	for _, c := range []struct {
		limit string // in kB
		args  []string
		code  int
		want  string
	}{
		{"1400000", []string{"check", example("banana.ham")}, exitProblem, "hamc: `ulimit -v` allows 1.43 GB of address space, and hamc needs 1.5 GB: raise it with `ulimit -v 1464844`\n"},
		{"3000000", []string{"check", example("banana.ham")}, exitFine, ""},
		{"3000000", []string{"run", example("gaussian.ham"), "--quiet", "--output-dir", filepath.Join(dir, "g")}, exitFine, ""},
		{"3000000", []string{"run", example("banana.ham"), "--data", big, "--quiet"}, exitProblem, "hamc: " + big + ": data of 1.07 GB as text may need 10.1 GB of address space, and `ulimit -v` allows 3.07 GB: raise it with `ulimit -v 9853452`\n"},
	} {
		cmd := exec.Command("sh", append([]string{"-c", "ulimit -v " + c.limit + `; exec "$@"`, "sh", hamcBinary}, c.args...)...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		err := cmd.Run()
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != c.code || stderr.String() != c.want {
			t.Errorf("%s %v: %v\n%s", c.limit, c.args, err, stderr.String())
		}
	}
}

// Without a cache directory samplers are built in a temporary one, which goes.
func TestNoCacheDirectory(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	tmp := filepath.Join(dir, "tmp")
	if err := os.Mkdir(tmp, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, env := range [][]string{{"HOME=", "XDG_CACHE_HOME="}, {"XDG_CACHE_HOME=" + file}} {
		p := start(t, dir, append(env, "TMPDIR="+tmp), "run", example("gaussian.ham"), "--chains", "1", "--draws", "5", "--warmup", "5")
		if code := p.drawn(); code != exitFine {
			t.Fatalf("%v: exit code %d\n%s", env, code, p.stderr.String())
		}
		if !strings.Contains(p.stderr.String(), "\nbuilt    in ") {
			t.Errorf("%v: not built:\n%s", env, p.stderr.String())
		}
		if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
			t.Errorf("%v: left in the temporary directory: %v, %v", env, left, err)
		}
	}
}

// Files that may not be read and directories that may not be written are
// mistakes with a place. Root may do anything, so the tests become nobody.
func TestPermissions(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode fs.FileMode) {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
	}
	model := "model m\ndata s real > 0\nparam x real\nx ~ normal(0, s)\nmetric fisher\n"
	write("model.ham", model, 0o644)
	write("model.data.json", `{"s": 1}`, 0o644)
	write("secret.ham", model, 0)
	write("secret.json", `{"s": 1}`, 0)
	write("locked/old.go", "// Code generated by hamc 0.1 from model.ham (sha256 1b6fa8f1036e). DO NOT EDIT.\n\npackage old\n", 0o444)
	binary := filepath.Join(dir, "hamc")
	text, err := os.ReadFile(hamcBinary)
	if err != nil {
		t.Fatal(err)
	}
	write("hamc", string(text), 0o755)
	if err := errors.Join(os.Chmod(filepath.Join(dir, "locked"), 0o555), os.Chmod(dir, 0o555)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		os.Chmod(dir, 0o777)
		os.Chmod(filepath.Join(dir, "locked"), 0o777)
	})
	attr := &syscall.SysProcAttr{}
	if os.Geteuid() == 0 {
		attr.Credential = &syscall.Credential{Uid: 65534, Gid: 65534}
		for d := filepath.Dir(dir); d != filepath.Dir(d); d = filepath.Dir(d) { // nobody must find the way
			if fi, err := os.Stat(d); err == nil && fi.Mode().Perm()&0o005 != 0o005 {
				if !strings.HasPrefix(d, os.TempDir()) {
					t.Fatalf("%s: nobody may not pass", d)
				}
				if err := os.Chmod(d, fi.Mode().Perm()|0o005); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"secret.ham: no permission to read it", []string{"check", "secret.ham"}},
		{"secret.json: no permission to read it", []string{"verify", "model.ham", "--data", "secret.json"}},
		{"secret.json: no permission to read it", []string{"log-prob", "model.ham", "--at", "secret.json"}},
		{"secret.json: no permission to read it", []string{"run", "model.ham", "--init", "secret.json"}},
		{"permission denied", []string{"model.ham"}},
		{"permission denied", []string{"model.ham", "-o", "locked/new.go"}},
		{"permission denied", []string{"model.ham", "-o", "locked/old.go"}},
		{"permission denied", []string{"run", "model.ham", "--evaluate"}},
		{"permission denied", []string{"run", "model.ham", "--evaluate", "--output-dir", "locked"}},
	} {
		cmd := exec.Command(binary, c.args...)
		cmd.Dir, cmd.SysProcAttr = dir, attr
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != exitProblem || !strings.Contains(stderr.String(), c.want) || stdout.Len() > 0 {
			t.Errorf("hamc %v: %v, %s%s", c.args, err, stdout.String(), stderr.String())
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "locked", "old.go")); err != nil || string(text) != "// Code generated by hamc 0.1 from model.ham (sha256 1b6fa8f1036e). DO NOT EDIT.\n\npackage old\n" {
		t.Errorf("old.go: %q, %v", text, err)
	}
	for _, d := range []string{dir, filepath.Join(dir, "locked")} {
		entries, err := os.ReadDir(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".") || strings.Contains(e.Name(), "draws") || strings.HasPrefix(e.Name(), "chain") {
				t.Errorf("left: %s", e.Name())
			}
		}
	}
}
