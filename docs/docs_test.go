// Package docs_test holds the documentation to what the project does: it runs
// the commands, checks the models, rebuilds the tables and follows the links of
// README.md, CONTRIBUTING.md, docs/*.md and examples/README.md.
//
// What the test makes of a fenced block depends on its first words:
//
//	sh           Each line is run, in a copy of the repository with hamc on the
//	             PATH, and must succeed, but for the verdict of hamc run and hamc
//	             summary on draws that are few. A line that ends in "# not run: reason"
//	             is left out; only commands that notRun lists may be. Those that
//	             slow lists are run in a long campaign only, see internal/campaign.
//	             A line "cd DIR" holds for the rest of the block.
//	console      After "$ ", a command that is run likewise; below it, what the
//	             command prints, to the last digit, since draws are the same on
//	             every machine. Times are not compared, blanks neither, and a
//	             line "…" stands for any lines.
//	ham          A model, which must have no errors. Without a line "model …" it
//	             continues the first model of its page.
//	ham FILE     The same, under that name, and a file for the commands of the
//	             page. If it has errors, the next block holds all its messages.
//	json FILE    A file for the commands of the page.
//	go           A part of the file that the comment "<!-- from FILE -->" above
//	             the block names.
//	go FILE      A file for the commands of the page.
//	stan, python What the next block, a model, says in another language, on the
//	             pages of those; compared by another program.
//	bugs         Likewise, of BUGS, and not compared.
//
// Tables between "<!-- table: NAME -->" and "<!-- end -->" are made from the
// code: go test ./docs -run TestTables -update writes them.
package docs_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hamc-dev/hamc/codegen/pass"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/export"
	"github.com/hamc-dev/hamc/symbolic"
)

var update = flag.Bool("update", false, "rewrite the tables that TestTables checks")

// root is the root of the repository.
const root = ".."

// documents lists the pages, relative to the root.
func documents(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages in docs: %v", err)
	}
	out := []string{"README.md", "CONTRIBUTING.md", "examples/README.md"}
	for _, p := range pages {
		out = append(out, "docs/"+filepath.Base(p))
	}
	return out
}

// read returns the text of a file of the repository.
func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A block is a fenced block of a page.
type block struct {
	page    string
	line    int    // of its first line of content
	section string // the heading of second level above it
	kind    string
	file    string // the second word of its info string
	from    string // what a comment "<!-- from FILE -->" above it names
	lines   []string
}

func (b *block) text() string { return strings.Join(b.lines, "\n") + "\n" }

func (b *block) place() string { return fmt.Sprintf("%s:%d", b.page, b.line) }

var fromComment = regexp.MustCompile(`^<!-- from (\S+) -->$`)

// blocks returns the fenced blocks of a page.
func blocks(t *testing.T, page string) []*block {
	t.Helper()
	var out []*block
	var open *block
	from, section := "", ""
	for i, line := range strings.Split(read(t, page), "\n") {
		info, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && open == nil:
			words := append(strings.Fields(info), "", "")
			if words[0] == "" {
				t.Errorf("%s:%d: a block without a word that says what it is", page, i+1)
			}
			open = &block{page: page, line: i + 2, section: section, kind: words[0], file: words[1], from: from}
		case fence:
			out = append(out, open)
			open = nil
		case open != nil:
			open.lines = append(open.lines, line)
		case strings.HasPrefix(line, "## "):
			section = line[3:]
		}
		from = ""
		if m := fromComment.FindStringSubmatch(line); m != nil {
			from = m[1]
		}
	}
	if open != nil {
		t.Fatalf("%s: the block is not closed", open.place())
	}
	return out
}

// notRun says which commands may go without being run here: those that would
// run this test in turn, and those that need another machine or program.
var notRun = []string{"go test ./...", campaign.Variable + "=long go test ", "./.ci/run", "go get ", "git ", "python3 ", "hamc paper all --scale paper --executor slurm "}

// slow says which commands take long and are run in a long campaign only, and what holds them to
// the pages otherwise. In their place another is run where the next ones need what they write.
var slow = []struct{ command, instead, otherwise string }{
	{"hamc run examples/volatility.ham ", "", "conformance samples it"},
	{"hamc run examples/fitzhugh_nagumo.ham ", "", "cmd/hamc runs another equation for a few draws"},
	{"hamc paper banana --with ", "", "a page runs it on fewer cells"},
	{"go generate ./generated ", "", "cmd/hamc compares what is generated with what is there"},
	{"go vet ./dsl ", "", "the go command is not what is tested"},
	{"go test ./runtime/linalg ", "", "the package runs these tests"},
	{"go test -run '^$' -bench . ", "", "the package compiles its benchmarks"},
	{"go test ./runtime/datafile -run '^$' -fuzz ", "", "the package runs the seeds"},
	{"go run ./internal/differential/mutants ", "", "the package runs the program"},
	{"go build ./cmd/hamc ", "", "the command is installed for the others"},
	// The go command links all of hamc; on another page it does so.
	{"go run ./cmd/hamc run examples/banana.ham ", "hamc run examples/banana.ham", "a page runs another model so"},
	{"go run ./cmd/hamc grid ", "hamc grid", "a page runs a model so"},
	// The go command compiles all of hamc for a tool of another module.
	{"go generate ", "grep -h '^//go:generate go tool ' *.go | sed 's/.* go tool //' | GOPACKAGE=main sh -e", ".ci/run does it in examples/downstream"},
	{"go tool hamc diff line.ham ", "GOPACKAGE=main hamc diff line.ham", ".ci/run runs the tool in examples/downstream"},
}

// briefly returns what is run of a command in a short campaign, "" for nothing.
func briefly(command string) string {
	for _, s := range slow {
		if rest, ok := strings.CutPrefix(command+" ", s.command); ok {
			if s.instead == "" {
				return ""
			}
			return strings.TrimSpace(s.instead + " " + rest)
		}
	}
	return command
}

// TestSlow: the commands that are left out of short campaigns stand on the pages.
func TestSlow(t *testing.T) {
	var commands []string
	for _, page := range documents(t) {
		for _, b := range blocks(t, page) {
			for _, line := range b.lines {
				if b.kind == "sh" || b.kind == "console" {
					commands = append(commands, strings.TrimPrefix(line, "$ ")+" ")
				}
			}
		}
	}
	for _, s := range slow {
		if !slices.ContainsFunc(commands, func(c string) bool { return strings.HasPrefix(c, s.command) }) {
			t.Errorf("no page has a command %q", s.command)
		}
	}
}

var notRunMark = regexp.MustCompile(`\s+# not run: (.+)$`)

// A workshop is a copy of the repository in which commands are run.
type workshop struct {
	dir   string
	ctx   context.Context // ends before go test does, so that no command outlives it
	long  bool            // all commands are run
	env   []string
	entry map[string]bool // what the copy's top directory held at first
	at    string          // where commands are run, relative to dir
}

// newWorkshop copies the repository and installs hamc.
func newWorkshop(t *testing.T) *workshop {
	t.Helper()
	tmp := t.TempDir()
	ctx := t.Context()
	if end, ok := t.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-5*time.Second))
		t.Cleanup(cancel)
	}
	w := &workshop{dir: filepath.Join(tmp, "hamc"), ctx: ctx, long: campaign.Long(t), entry: map[string]bool{}}
	if err := copyTree(w.dir, root, w.long); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		w.entry[e.Name()] = true
	}
	// The home directory is our own, so that samplers are built and nothing
	// is left behind; the go command keeps its caches and settings. Without the names of
	// directories in what it compiles, it finds in its cache what it compiled for another copy.
	bin := filepath.Join(tmp, "bin")
	w.env = append(os.Environ(), "HOME="+tmp, "XDG_CACHE_HOME="+filepath.Join(tmp, "cache"), "GOBIN="+bin, "GOFLAGS=-trimpath",
		campaign.Variable+"=", // the tests among the commands are as a reader has them
		"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOENV"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatalf("go env %s: %v", name, err)
		}
		w.env = append(w.env, name+"="+strings.TrimSpace(string(out)))
	}
	if out, err := w.run("go install ./cmd/hamc"); err != nil {
		t.Fatalf("go install ./cmd/hamc: %v\n%s", err, out)
	}
	return w
}

// copyTree copies a directory, without git's data, draws and files that vanish
// meanwhile; if it is not for a long campaign, without the models of differential tests, which are a third of all files.
func copyTree(dst, src string, long bool) error {
	corpora := filepath.Join("internal", "differential", "testdata")
	return filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(src, path)
		if err != nil {
			return err
		}
		to := filepath.Join(dst, rel)
		switch {
		case d.IsDir() && (d.Name() == ".git" || rel == corpora && !long || strings.HasSuffix(d.Name(), "-draws")):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(to, 0o777)
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		return os.WriteFile(to, text, fi.Mode().Perm())
	})
}

// verdict is the error of a command whose draws are few, which is no fault of the pages.
var verdict = regexp.MustCompile(`(?m)^hamc: (a warning speaks|\d+ warnings speak) against these draws: .*\n`)

// run runs a command line and returns what it prints: standard output after
// standard error.
func (w *workshop) run(line string) (string, error) {
	cmd := exec.CommandContext(w.ctx, "sh", "-c", line)
	cmd.Dir = filepath.Join(w.dir, w.at)
	cmd.Env = w.env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	said := stderr.String()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 && verdict.MatchString(said) {
		said, err = verdict.ReplaceAllString(said, ""), nil
	}
	return said + stdout.String(), err
}

// clean removes what the commands of a page have left in the top directory.
func (w *workshop) clean(t *testing.T) {
	t.Helper()
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !w.entry[e.Name()] {
			if err := os.RemoveAll(filepath.Join(w.dir, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestCommands runs the commands of every page, in the order of its text. It
// needs a POSIX shell.
func TestCommands(t *testing.T) {
	w := newWorkshop(t)
	for _, page := range documents(t) {
		t.Run(page, func(t *testing.T) {
			defer w.clean(t)
			for _, b := range blocks(t, page) {
				switch {
				case b.file != "":
					if err := os.WriteFile(filepath.Join(w.dir, b.file), []byte(b.text()), 0o666); err != nil {
						t.Fatal(err)
					}
				case b.kind == "sh":
					w.commands(t, b)
				case b.kind == "console":
					w.transcript(t, b)
				}
			}
		})
	}
	t.Run("flags", w.flags)
}

// commands runs the lines of a block.
func (w *workshop) commands(t *testing.T, b *block) {
	defer func() { w.at = "" }()
	for i, line := range b.lines {
		at := fmt.Sprintf("%s:%d", b.page, b.line+i)
		if dir, ok := strings.CutPrefix(line, "cd "); ok && !strings.ContainsAny(dir, " &;|") {
			w.at = filepath.Join(w.at, dir)
			continue
		}
		if m := notRunMark.FindStringIndex(line); m != nil {
			command := line[:m[0]]
			if !slices.ContainsFunc(notRun, func(p string) bool { return strings.HasPrefix(command+" ", p) }) {
				t.Errorf("%s: %s: this command may not be left out", at, command)
			}
			continue
		}
		if !w.long {
			if line = briefly(line); line == "" {
				continue
			}
		}
		began := time.Now()
		if out, err := w.run(line); err != nil {
			t.Errorf("%s: %s: %v\n%s", at, line, err, out)
		}
		t.Logf("%5.1f s  %s", time.Since(began).Seconds(), line)
	}
}

// transcript runs the command of a block and compares what it prints.
func (w *workshop) transcript(t *testing.T, b *block) {
	command, ok := strings.CutPrefix(b.lines[0], "$ ")
	if !ok {
		t.Fatalf("%s: a console block starts with `$ command`", b.place())
	}
	line := command
	if !w.long {
		if line = briefly(command); line == "" {
			return
		}
	}
	began := time.Now()
	out, err := w.run(line)
	if err != nil {
		t.Fatalf("%s: %s: %v\n%s", b.place(), command, err, out)
	}
	t.Logf("%5.1f s  %s", time.Since(began).Seconds(), line)
	if !sameLines(shapes(b.lines[1:]), shapes(strings.Split(strings.TrimRight(out, "\n"), "\n"))) {
		t.Errorf("%s: %s prints something else:\n%s", b.place(), command, out)
	}
}

var (
	durations = regexp.MustCompile(`[\d.]+ ?(ms|s)\b`)
	blanks    = regexp.MustCompile(`\s+`)
)

// shapes replaces what differs between two runs of one command.
func shapes(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		l = durations.ReplaceAllString(l, "# s")
		out[i] = strings.TrimSpace(blanks.ReplaceAllString(l, " "))
	}
	return out
}

// sameLines compares lines; a line "…" of want stands for any number of them.
func sameLines(want, got []string) bool {
	if len(want) == 0 {
		return len(got) == 0
	}
	if want[0] == "…" {
		for n := range len(got) + 1 {
			if sameLines(want[1:], got[n:]) {
				return true
			}
		}
		return false
	}
	return len(got) > 0 && got[0] == want[0] && sameLines(want[1:], got[1:])
}

var (
	codeSpan  = regexp.MustCompile("`[^`\n]+`")
	flagName  = regexp.MustCompile(`(?:^|\s|` + "`" + `)(--[a-z][a-z-]*)`)
	goFlagUse = regexp.MustCompile(`^` + "`?" + `(go|git|python3) `)
)

// flags checks that every --flag in a code span of a page exists.
func (w *workshop) flags(t *testing.T) {
	known := ""
	for _, c := range []string{"", "check", "explain", "diff", "verify", "log-prob", "trajectory", "run", "summary", "diagnose", "report", "export", "grid", "paper"} {
		out, err := w.run("hamc " + c + " --help")
		if err != nil {
			t.Fatalf("hamc %s --help: %v\n%s", c, err, out)
		}
		known += out
	}
	for _, page := range documents(t) {
		for i, line := range strings.Split(read(t, page), "\n") {
			for _, span := range codeSpan.FindAllString(line, -1) {
				if goFlagUse.MatchString(span) {
					continue
				}
				for _, m := range flagName.FindAllStringSubmatch(span, -1) {
					if !regexp.MustCompile(regexp.QuoteMeta(m[1]) + `\b[^-]`).MatchString(known) {
						t.Errorf("%s:%d: no command of hamc has the flag %s", page, i+1, m[1])
					}
				}
			}
		}
	}
}

// fileOf returns the texts of the files that the blocks of a page are.
func fileOf(all []*block) func(name string) (string, bool) {
	return func(name string) (string, bool) {
		i := slices.IndexFunc(all, func(b *block) bool { return b.file == name })
		if i < 0 {
			return "", false
		}
		return all[i].text(), true
	}
}

// TestModels checks every model of the pages and derives them, one in three in a short campaign.
func TestModels(t *testing.T) {
	sound := 0
	for _, page := range documents(t) {
		all := blocks(t, page)
		first := ""
		for i, b := range all {
			if b.kind != "ham" {
				continue
			}
			text := b.text()
			whole := regexp.MustCompile(`(?m)^model `).MatchString(text)
			switch {
			case whole && first == "":
				first = text
			case !whole && first == "":
				t.Fatalf("%s: there is no model above that this could continue", b.place())
			case !whole:
				text = first + text
			}
			name := b.file
			if name == "" {
				name = b.place()
			}
			if dsl.HoldsFunctions(b.text()) {
				if ds := dsl.CheckFunctions(name, b.text()); b.file == "" || ds.HasErrors() {
					t.Errorf("%s: the functions have no file, or errors:\n%s", b.place(), ds)
				}
				continue
			}
			m, ds := dsl.Load(name, dsl.WithImports(text, fileOf(all)), dsl.Options{})
			if m == nil {
				if b.file == "" || i+1 == len(all) || all[i+1].kind != "text" {
					t.Errorf("%s: the model has errors:\n%s", b.place(), ds)
				} else if want := all[i+1].text(); ds.String() != want {
					t.Errorf("%s: the messages are\n%s", all[i+1].place(), ds)
				}
				continue
			}
			if sound++; sound%campaign.Cases(t, 3, 1) == 0 {
				if d, list := symbolic.Derive(m); d == nil {
					t.Errorf("%s: the model has errors: %+v", b.place(), list)
				}
			}
		}
	}
}

// TestPairs: on the pages from other languages each of their blocks has a model below it, and the table of the comparison, which
// another program made, is of the text as it stands. The tables are made as internal/posteriordb/README.md says.
func TestPairs(t *testing.T) {
	for _, page := range []struct{ name, kind, table string }{
		{"docs/stan.md", "stan", "internal/posteriordb/guide.tsv"},
		{"docs/pymc.md", "python", "internal/posteriordb/guide_pymc.tsv"},
	} {
		compared := map[string]string{} // by the name of a program
		for _, line := range strings.Split(strings.TrimSpace(read(t, page.table)), "\n")[1:] {
			columns := strings.Split(line, "\t")
			compared[columns[0]] = columns[2]
		}
		type program struct{ theirs, ours string }
		var head *program
		found := map[string]*program{}
		all := blocks(t, page.name)
		for i, b := range all {
			if b.kind != page.kind {
				continue
			}
			if i+1 == len(all) || all[i+1].kind != "ham" {
				t.Errorf("%s: no block ham is next", b.place())
				continue
			}
			theirs, ours := b.text(), all[i+1].text()
			name := b.section
			if m := regexp.MustCompile(`(?m)^model (\w+)$`).FindStringSubmatch(ours); m != nil {
				name = m[1]
			}
			switch {
			case head == nil:
				head = &program{theirs, ours}
				continue
			case found[name] == nil && name == b.section:
				found[name] = &program{head.theirs, head.ours}
			case found[name] == nil:
				found[name] = &program{}
			}
			found[name].theirs += theirs
			found[name].ours += ours
		}
		if len(found) < 5 || len(found) != len(compared) {
			t.Errorf("%s has %d programs, %s has %d", page.name, len(found), page.table, len(compared))
		}
		for name, p := range found {
			if d := fmt.Sprintf("%x", sha256.Sum256([]byte(p.theirs+p.ours)))[:12]; d != compared[name] {
				t.Errorf("%s: %s: the text is %s, and %s compared %s: compare it again", page.name, name, d, page.table, compared[name])
			}
		}
	}
}

// TestBugs: on the page from BUGS each of its blocks has a model below it.
func TestBugs(t *testing.T) {
	all, found := blocks(t, "docs/bugs.md"), 0
	for i, b := range all {
		if b.kind != "bugs" {
			continue
		}
		if found++; i+1 == len(all) || all[i+1].kind != "ham" {
			t.Errorf("%s: no block ham is next", b.place())
		}
	}
	if found < 20 {
		t.Errorf("the page has %d blocks of BUGS", found)
	}
}

// TestQuotes checks that Go code on the pages stands in the file it comes from.
func TestQuotes(t *testing.T) {
	for _, page := range documents(t) {
		for _, b := range blocks(t, page) {
			if b.kind != "go" || b.file != "" {
				continue
			}
			if b.from == "" {
				t.Errorf("%s: Go code without `<!-- from FILE -->`", b.place())
				continue
			}
			if !strings.Contains(read(t, b.from), b.text()) {
				t.Errorf("%s: this is not in %s", b.place(), b.from)
			}
		}
	}
}

var tableMark = regexp.MustCompile(`(?s)<!-- table: ([a-z]+) -->\n(.*?)<!-- end -->`)

// TestTables rebuilds the tables that repeat what the code says.
func TestTables(t *testing.T) {
	made := map[string]func() [][]string{
		"elementwise":   func() [][]string { return functions(dsl.Elementwise) },
		"structural":    func() [][]string { return functions(dsl.Structural) },
		"distributions": distributions,
		"codes":         codes,
		"statuses":      statuses,
		"columns":       columns,
		"blockcolumns":  blockColumns,
		"arviz":         arvizNames,
		"passes":        passes,
	}
	seen := map[string]bool{}
	for _, page := range documents(t) {
		text := read(t, page)
		fresh := tableMark.ReplaceAllStringFunc(text, func(old string) string {
			name := tableMark.FindStringSubmatch(old)[1]
			rows, ok := made[name]
			if !ok {
				t.Errorf("%s: there is no table %s", page, name)
				return old
			}
			seen[name] = true
			return fmt.Sprintf("<!-- table: %s -->\n%s<!-- end -->", name, table(rows()))
		})
		if fresh == text {
			continue
		}
		if *update {
			if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(page)), []byte(fresh), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		t.Errorf("%s: a table differs from the code; run `go test ./docs -run TestTables -update` and read the difference", page)
	}
	for name := range made {
		if !seen[name] {
			t.Errorf("no page has the table %s", name)
		}
	}
}

var grammarMark = regexp.MustCompile("(?s)<!-- grammar -->\n```ebnf\n(.*?)```\n<!-- end -->")

// TestGrammar compares the grammar on the page of the language with that of the parser.
func TestGrammar(t *testing.T) {
	const page = "docs/language.md"
	text := read(t, page)
	at := grammarMark.FindStringSubmatchIndex(text)
	if at == nil {
		t.Fatalf("%s has no grammar", page)
	}
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(dsl.Grammar()), "\n") {
		b.WriteString(fill(line, 120) + "\n")
	}
	if text[at[2]:at[3]] == b.String() {
		return
	}
	if !*update {
		t.Errorf("%s: the grammar differs from the parser's; run `go test ./docs -run TestGrammar -update` and read the difference", page)
		return
	}
	fresh := text[:at[2]] + b.String() + text[at[3]:]
	if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(page)), []byte(fresh), 0o666); err != nil {
		t.Fatal(err)
	}
}

// fill breaks a line at blanks, with an indent for the further lines.
func fill(line string, width int) string {
	var b strings.Builder
	n := 0
	for i, word := range strings.Split(line, " ") {
		switch {
		case i == 0:
		case n+1+len(word) > width:
			b.WriteString("\n    ")
			n = 4
		default:
			b.WriteString(" ")
			n++
		}
		b.WriteString(word)
		n += len(word)
	}
	return b.String()
}

// table renders rows, the first of which is the heading.
func table(rows [][]string) string {
	var b strings.Builder
	for i, r := range rows {
		for _, cell := range r {
			b.WriteString("| " + strings.ReplaceAll(cell, "|", `\|`) + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(r)) + "|\n")
		}
	}
	return b.String()
}

// passes is the table of the passes, in the order in which they run.
func passes() [][]string {
	rows := [][]string{{"pass", "what it does"}}
	for _, p := range pass.All {
		rows = append(rows, []string{"`" + p.Name + "`", p.Text})
	}
	return rows
}

// functions is the table of the functions of one kind.
func functions(kind dsl.FunctionKind) [][]string {
	rows := [][]string{{"function", "value"}}
	for _, f := range dsl.Functions {
		if f.Kind == kind {
			args := []string{"x", "y", "z", "w"}[:f.Arity]
			if f.Name == "delta" {
				args = []string{"i", "j"}
			}
			rows = append(rows, []string{"`" + f.Name + "(" + strings.Join(args, ", ") + ")`", f.Doc})
		}
	}
	for _, f := range dsl.Library {
		doc := f.Doc
		if f.Data {
			doc += "; of data"
		}
		if kind == dsl.Structural {
			rows = append(rows, []string{"`" + f.Name + "(" + f.Arguments() + ")`", doc})
		}
	}
	return rows
}

// distributions is the table of the distributions.
func distributions() [][]string {
	rows := [][]string{{"distribution", "y in", "arguments", "log density", "information", "joint"}}
	for _, d := range dsl.Distributions {
		var names, domains, info []string
		for i, a := range d.Args {
			names = append(names, a.Name)
			if a.Domain != dsl.RealLine {
				domains = append(domains, fmt.Sprintf("`%s` in %s", a.Name, a.Domain))
			}
			if d.Informs(i) {
				info = append(info, "`"+a.Name+"`")
			}
		}
		joint := "no"
		switch {
		case d.Support.Discrete():
			joint = "–" // a parameter is never on the left
		case d.Joint != nil:
			joint = "yes"
		}
		none := func(list []string) string {
			if len(list) == 0 {
				return "–"
			}
			return strings.Join(list, ", ")
		}
		rows = append(rows, []string{
			"`" + d.Name + "(" + strings.Join(names, ", ") + ")`", d.Where(), none(domains),
			"`" + d.Formula() + "`", none(info), joint,
		})
	}
	return rows
}

// codes is the catalogue of messages.
func codes() [][]string {
	rows := [][]string{{"code", "rule", "what breaks it", "what is right"}}
	for _, e := range dsl.Catalogue {
		rows = append(rows, []string{string(e.Code), e.Rule, "`" + e.Example + "`", "`" + e.Right + "`"})
	}
	return rows
}

// statusMeaning explains the statuses on the page.
var statusMeaning = map[runtime.Status]string{
	runtime.OK:                  "nothing failed",
	runtime.IterationLimit:      "a fixed-point solve used up `--max-iterations`",
	runtime.Stalled:             "a fixed-point solve was given up, because it did not converge fast enough",
	runtime.NotPositiveDefinite: "the metric has no Cholesky factor",
	runtime.NonFinite:           "a NaN or an infinity",
	runtime.NotConstant:         "the leapfrog was asked to step a metric that depends on the position",
	runtime.ODEStepLimit:        "a differential equation needs more than `--ode-max-steps` steps: it is stiff, or the tolerances are too small",
	runtime.ODEStepTooSmall:     "the step of a differential equation vanished, at a singularity or because it is stiff",
	runtime.ODENonFinite:        "the solution of a differential equation left the finite numbers",
}

// statuses is the table of the statuses of a step.
func statuses() [][]string {
	rows := [][]string{{"`failure__`", "name", "meaning"}}
	for s := range runtime.NumStatus {
		rows = append(rows, []string{fmt.Sprint(uint8(s)), "`" + s.String() + "`", statusMeaning[s]})
	}
	return rows
}

// columnMeaning explains the columns on the page.
var columnMeaning = map[string]string{
	"lp__":                "log density of the draw on the unconstrained scale, log-Jacobians included",
	"accept_stat__":       "acceptance probability of the proposal, 0 where it failed or was refused; of a dynamic trajectory the mean over its states",
	"stepsize__":          "step size ε",
	"treedepth__":         "depth of the tree of a dynamic trajectory: the number of its doublings; 0 of a static one",
	"n_leapfrog__":        "integrator steps taken, of whichever integrator",
	"divergent__":         "1 if the energy of the proposal, or of a state of a dynamic trajectory, was more than 1000 above that of the start",
	"energy__":            "H of the draw, with the momentum that led there",
	"solver_iterations__": "fixed-point iterations of the transition, those of a check of reversibility included",
	"failure__":           "status of the transition, see below",
	"irreversible__":      "1 if the proposal was refused, or the trajectory ended, because the way back did not return",
}

// columns is the table of the statistics in a file of draws.
func columns() [][]string {
	rows := [][]string{{"column", "meaning"}}
	for _, name := range runtime.StatNames {
		rows = append(rows, []string{"`" + name + "`", columnMeaning[name]})
	}
	return rows
}

// arvizNames is the table of the statistics in an export.
func arvizNames() [][]string {
	rows := [][]string{{"column", "in exports", "type"}}
	for _, column := range runtime.StatNames {
		name, dtype := export.Statistic(column)
		rows = append(rows, []string{"`" + column + "`", "`" + name + "`", dtype})
	}
	return rows
}

// blockColumnMeaning explains the columns of a block where they are more than
// those of the whole for one block.
var blockColumnMeaning = map[string]string{
	"energy__":  "H of the block after its update; `inf` where the others left it without a metric",
	"failure__": "status of the update, see below",
}

// blockColumns is the table of the statistics of a block called scale.
func blockColumns() [][]string {
	rows := [][]string{{"column", "meaning"}}
	for _, name := range runtime.BlockStatNames {
		meaning, ok := blockColumnMeaning[name]
		if !ok {
			meaning = columnMeaning[name]
		}
		rows = append(rows, []string{"`scale_" + name + "`", meaning})
	}
	return rows
}

// TestLongFunctions: no function has more than 80 lines, but for those whose comment says what they are (a sentence "Its lines are"),
// and none that is shorter says so. That holds for tests too; generated code is free.
func TestLongFunctions(t *testing.T) {
	const most = 80
	functions := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != root):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go"):
			return nil
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil || ast.IsGenerated(f) {
			return err
		}
		for _, x := range f.Decls {
			fn, ok := x.(*ast.FuncDecl)
			if !ok {
				continue
			}
			functions++
			lines := set.Position(fn.End()).Line - set.Position(fn.Pos()).Line + 1
			switch why := strings.Contains(fn.Doc.Text(), "Its lines are "); {
			case lines > most && !why:
				t.Errorf("%s: %s has %d lines, and no comment on why", path, fn.Name.Name, lines)
			case lines <= most && why:
				t.Errorf("%s: %s has %d lines, and a comment on why it is long: remove that", path, fn.Name.Name, lines)
			}
		}
		return nil
	})
	if err != nil || functions < 1000 {
		t.Errorf("%d functions: %v", functions, err)
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`^#+ (.*)$`)
	image   = regexp.MustCompile(`(?:src|srcset)="([^"]+)"`)
)

// anchors returns the names that GitHub gives to the headings of a page.
func anchors(text string) map[string]bool {
	out := map[string]bool{}
	fenced := false
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		m := heading.FindStringSubmatch(line)
		if fenced || m == nil {
			continue
		}
		var slug strings.Builder
		for _, r := range strings.ToLower(m[1]) {
			switch {
			case r == ' ':
				slug.WriteByte('-')
			case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_', r > 127:
				slug.WriteRune(r)
			}
		}
		out[slug.String()] = true
	}
	return out
}

// place matches a file or folder of the repository in a code span: NAME stands for any.
var place = regexp.MustCompile("`((?:dsl|symbolic|codegen|runtime|internal|paper|cmd)/[^` ]+)`")

// TestPlaces: the files and folders that the pages on the code name are there.
func TestPlaces(t *testing.T) {
	found := 0
	for _, page := range []string{"docs/architecture.md", "CONTRIBUTING.md"} {
		for _, m := range place.FindAllStringSubmatch(read(t, page), -1) {
			names := []string{m[1]}
			if head, rest, ok := strings.Cut(m[1], "{"); ok { // {a,b}
				list, tail, _ := strings.Cut(rest, "}")
				names = nil
				for _, x := range strings.Split(list, ",") {
					names = append(names, head+x+tail)
				}
			}
			for _, name := range names {
				files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(strings.ReplaceAll(name, "NAME", "*"))))
				if err != nil || len(files) == 0 {
					t.Errorf("%s: there is no %s", page, name)
				}
				found++
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d places were found", found)
	}
}

// TestLinks follows the relative links of every page.
func TestLinks(t *testing.T) {
	for _, page := range documents(t) {
		text := read(t, page)
		fenced := false
		for i, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
			if fenced {
				continue
			}
			line = codeSpan.ReplaceAllString(line, "")
			for _, m := range append(link.FindAllStringSubmatch(line, -1), image.FindAllStringSubmatch(line, -1)...) {
				target := m[1]
				if strings.Contains(target, "://") {
					continue
				}
				path, anchor, _ := strings.Cut(target, "#")
				to := page
				if path != "" {
					to = filepath.ToSlash(filepath.Join(filepath.Dir(page), path))
				}
				if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(to))); err != nil {
					t.Errorf("%s:%d: %s leads nowhere", page, i+1, target)
					continue
				}
				if anchor != "" && !anchors(read(t, to))[anchor] {
					t.Errorf("%s:%d: %s has no heading #%s", page, i+1, to, anchor)
				}
			}
		}
	}
}
