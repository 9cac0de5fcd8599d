package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hamc-dev/hamc/internal/campaign"
)

// update rewrites the sections that scripts compare outputs with:
//
//	go test ./cmd/hamc -run TestScripts -update
var update = flag.Bool("update", false, "rewrite the expected outputs in testdata/script")

// TestScripts runs testdata/script/*.txt, each in an empty directory. A script is
// a list of commands, then files as in txtar:
//
//	# a comment
//	hamc ARG…              must exit with 0; ! hamc must not; weak hamc must exit with 1, because
//	                       its draws, few as they are, are not to be trusted
//	exit N                 the exit code of the last hamc
//	stdin FILE             standard input of the next hamc
//	stdout REGEXP          must match in the last output; ! stdout must not
//	stderr REGEXP
//	cmp FILE FILE          equal files; stdout and stderr are the last outputs
//	exists PATH…           ! exists for what must not be there
//	env NAME=VALUE         $WORK is the script's directory, $EXAMPLES the examples
//	cp FILE FILE, mkdir DIR, rm PATH, cd DIR, symlink OLD NEW
//	age FILE               makes a file look old; fresh and stale test for that
//	-- NAME --             the rest is the file NAME, up to the next such line
//
// Arguments are separated by spaces; single quotes keep them together.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/script/*.txt")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for name := range lengthy {
		if !slices.Contains(scripts, "testdata/script/"+name+".txt") {
			t.Errorf("there is no script %s", name)
		}
	}
	for _, path := range scripts {
		if lengthy[strings.TrimSuffix(filepath.Base(path), ".txt")] != "" && !campaign.Long(t) {
			continue
		}
		path, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) { runScript(t, path) })
	}
}

// lengthy says which scripts are run in a long campaign only, as they sample or compile much, and what holds hamc to
// them otherwise.
var lengthy = map[string]string{
	"newton":   "the runtime's tests have the method, those of settings its name",
	"verdict":  "the rules of warnings are tested one by one in warnings_test.go",
	"failures": "the runtime's tests have records of failures, those of the evaluator who is to blame",
	"audit":    "the driver's tests have audits",
	"grid":     "grid_process_test.go and the tests of package experiment run grids",
}

type section struct{ name, text string }

// script is the state of a running script.
type script struct {
	t              *testing.T
	work, stdin    string
	code           int
	stdout, stderr string
	files          []section
	changed        bool // a section was updated
}

func runScript(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	commands, files := parseScript(string(text))
	s := &script{t: t, work: t.TempDir(), files: files}
	t.Setenv("WORK", s.work)
	t.Setenv("GOPACKAGE", "")
	t.Chdir(s.work)
	for _, f := range files {
		s.must(os.MkdirAll(filepath.Dir(f.name), 0o777))
		s.must(os.WriteFile(f.name, []byte(f.text), 0o666))
	}
	for i, line := range strings.Split(commands, "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if err := s.command(words(line)); err != nil {
			t.Fatalf("%s:%d: %s: %v\nexit %d\nstdout:\n%s\nstderr:\n%s", path, i+1, line, err, s.code, s.stdout, s.stderr)
		}
	}
	if s.changed {
		var b strings.Builder
		b.WriteString(commands)
		for _, f := range s.files {
			fmt.Fprintf(&b, "-- %s --\n%s", f.name, f.text)
		}
		s.must(os.WriteFile(path, []byte(b.String()), 0o666))
	}
}

// parseScript splits a script into its commands and its files.
func parseScript(text string) (commands string, files []section) {
	for line := range strings.SplitAfterSeq(text, "\n") {
		name, marked := strings.CutPrefix(strings.TrimSpace(line), "-- ")
		if name, end := strings.CutSuffix(name, " --"); marked && end {
			files = append(files, section{name: name})
		} else if len(files) == 0 {
			commands += line
		} else {
			files[len(files)-1].text += line
		}
	}
	return commands, files
}

// words splits a command at spaces outside quotes.
func words(line string) []string {
	var out []string
	for i, quoted := range strings.Split(line, "'") {
		if i%2 == 1 {
			out = append(out, quoted)
		} else {
			out = append(out, strings.Fields(quoted)...)
		}
	}
	return out
}

func (s *script) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *script) command(w []string) error {
	not, weak := w[0] == "!", w[0] == "weak"
	if not || weak {
		w = w[1:]
	}
	name, args := w[0], w[1:]
	for i, a := range args {
		if name != "stdout" && name != "stderr" {
			args[i] = os.Expand(a, os.Getenv)
		}
	}
	switch {
	case name == "hamc":
		return s.hamc(args, not, weak)
	case name == "exists":
		for _, a := range args {
			if _, err := os.Lstat(a); (err == nil) == not {
				return fmt.Errorf("%s: %v", a, err)
			}
		}
	case (name == "stdout" || name == "stderr") && len(args) == 1:
		text := s.stdout
		if name == "stderr" {
			text = s.stderr
		}
		re, err := regexp.Compile("(?m)" + args[0])
		if err != nil {
			return err
		}
		if re.MatchString(text) == not {
			return fmt.Errorf("match %v", !not)
		}
	case not || weak:
		return fmt.Errorf("unknown command ! %s", name)
	case name == "exit" && len(args) == 1:
		if strconv.Itoa(s.code) != args[0] {
			return fmt.Errorf("exit code %d", s.code)
		}
	case name == "stdin" && len(args) == 1:
		b, err := os.ReadFile(args[0])
		s.stdin = string(b)
		return err
	case name == "env" && len(args) == 1:
		k, v, _ := strings.Cut(args[0], "=")
		s.t.Setenv(k, v)
	case name == "cd" && len(args) == 1:
		s.t.Chdir(args[0])
	case name == "mkdir" && len(args) == 1:
		return os.MkdirAll(args[0], 0o777)
	case name == "rm" && len(args) == 1:
		return os.RemoveAll(args[0])
	case name == "cp" && len(args) == 2:
		b, err := os.ReadFile(args[0])
		s.must(err)
		return os.WriteFile(args[1], b, 0o666)
	case name == "symlink" && len(args) == 2:
		return os.Symlink(args[0], args[1])
	case name == "age" && len(args) == 1:
		return os.Chtimes(args[0], longAgo, longAgo)
	case (name == "stale" || name == "fresh") && len(args) == 1:
		fi, err := os.Stat(args[0])
		if err == nil && fi.ModTime().Equal(longAgo) != (name == "stale") {
			err = fmt.Errorf("modified %v", fi.ModTime())
		}
		return err
	case name == "cmp" && len(args) == 2:
		return s.compare(args[0], args[1])
	default:
		return fmt.Errorf("unknown command %s with %d arguments", name, len(args))
	}
	return nil
}

// hamc runs a command, which is to fail, to end with a verdict against its draws, or neither.
func (s *script) hamc(args []string, fails, weak bool) error {
	var stdout, stderr bytes.Buffer
	s.code = run(context.Background(), args, strings.NewReader(s.stdin), &stdout, &stderr)
	s.stdout, s.stderr, s.stdin = stdout.String(), stderr.String(), ""
	if weak {
		if s.code != exitProblem || !verdicts.MatchString(s.stderr) {
			return fmt.Errorf("exit code %d", s.code)
		}
		s.stderr = verdicts.ReplaceAllString(s.stderr, "")
	} else if (s.code == 0) == fails {
		return fmt.Errorf("exit code %d", s.code)
	}
	return nil
}

var longAgo = time.Unix(1e9, 0)

// read returns a file or an output of the last command, in which the script's
// directory is written $WORK and the version of Go is GO.
func (s *script) read(name string) (string, error) {
	switch name {
	case "stdout":
		return strings.ReplaceAll(s.stdout, s.work, "$WORK"), nil
	case "stderr":
		return strings.ReplaceAll(s.stderr, s.work, "$WORK"), nil
	}
	b, err := os.ReadFile(name)
	return string(b), err
}

func (s *script) compare(a, b string) error {
	got, err := s.read(a)
	if err != nil {
		return err
	}
	want, err := s.read(b)
	if err != nil {
		return err
	}
	if got == want {
		return nil
	}
	if *update {
		for i := range s.files {
			if s.files[i].name == b {
				s.files[i].text, s.changed = got, true
				return nil
			}
		}
	}
	return fmt.Errorf("they differ:\n%s", lineDiff(b, want, got))
}
