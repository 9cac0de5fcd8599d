package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// hamcBinary is a program that is the command itself, for tests that need a process: the one
// that runs the tests. To link another takes seconds.
var hamcBinary string

// sharedCache is the cache of all tests that do not ask for another.
var sharedCache string

// asCommand is the environment variable with which the program of the tests is the command.
const asCommand = "HAMC_TEST_AS_COMMAND"

// TestMain gives all tests one cache of samplers that is empty at first, and a
// hamc binary. The cache of the go command stays the user's.
func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	fatal := func(err error) int {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	dir, err := os.MkdirTemp("", "hamc-test-")
	if err != nil {
		return fatal(err)
	}
	defer os.RemoveAll(dir)
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		return fatal(err)
	}
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return fatal(fmt.Errorf("go env GOCACHE: %w", err))
	}
	if hamcBinary, err = os.Executable(); err != nil {
		return fatal(err)
	}
	sharedCache = filepath.Join(dir, "cache")
	for k, v := range map[string]string{
		"GOCACHE":        strings.TrimSpace(string(cache)),
		"HOME":           filepath.Join(dir, "home"),
		"XDG_CACHE_HOME": sharedCache,
		"EXAMPLES":       examples,
		asCommand:        "1",
	} {
		if err := os.Setenv(k, v); err != nil {
			return fatal(err)
		}
	}
	return m.Run()
}

// output of one hamc command in this process.
type result struct {
	code           int
	stdout, stderr string
}

func hamc(args ...string) result {
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), args, strings.NewReader(""), &stdout, &stderr)
	return result{code, stdout.String(), stderr.String()}
}

// verdicts are the errors of commands whose draws are few.
var verdicts = regexp.MustCompile(`(?m)^hamc: (a warning speaks|\d+ warnings speak) against these draws: .*\n`)

// fine runs a command that must succeed, but for the verdict on its draws.
func fine(t *testing.T, args ...string) result {
	t.Helper()
	r := hamc(args...)
	if r.code == exitProblem && verdicts.MatchString(r.stderr) {
		r.code, r.stderr = exitFine, verdicts.ReplaceAllString(r.stderr, "")
	}
	if r.code != exitFine {
		t.Fatalf("hamc %s: exit code %d\n%s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
	return r
}

// A panic is a bug: it is reported as one, with its place.
func TestPanicIsReported(t *testing.T) {
	var stderr bytes.Buffer
	examples := os.Getenv("EXAMPLES")
	// Standard input is a reader that panics.
	code := run(context.Background(), []string{"log-prob", filepath.Join(examples, "banana.ham"), "--at", "-"}, broken{}, &bytes.Buffer{}, &stderr)
	if code != exitInternal {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"internal error: out of order", "broken.Read", "main_test.go:", "bug of hamc"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("no %q in %q", want, stderr.String())
		}
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { panic("out of order") }

// An output that cannot be written is an error, not silence.
func TestWriteErrors(t *testing.T) {
	model := filepath.Join(os.Getenv("EXAMPLES"), "gaussian.ham")
	for _, args := range [][]string{
		{model, "-o", "-"}, {"explain", model}, {"verify", model, "--points", "1"},
	} {
		var stderr bytes.Buffer
		code := run(context.Background(), args, strings.NewReader(""), full{}, &stderr)
		if code != exitProblem || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("%v: exit code %d, %q", args, code, stderr.String())
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, fmt.Errorf("no space left") }
