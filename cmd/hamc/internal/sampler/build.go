// Package sampler builds the program that samples one model, from generated
// code and the runtime's source that the hamc binary carries.
package sampler

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"sort"
	"strings"
	"sync"
	"syscall"
	"text/template"
	"time"

	"github.com/hamc-dev/hamc"
)

// A BuildError is the failure of the go command on generated code.
type BuildError struct {
	Err    error  // of the go command
	Output string // what it said

	// Code is set where it finds fault with the code, a bug of the compiler or of an extension, and not
	// with the machine: space, memory, permissions, settings.
	Code bool
}

func (e *BuildError) Error() string {
	if why := OutOfMemory(e.Output, e.Err); why != "" && !e.Code {
		return "the sampler is not built: " + why
	}
	return fmt.Sprintf("the sampler does not build: %v\n%s", e.Err, firstLines(e.Output, 12))
}

// Unwrap returns the error of the go command.
func (e *BuildError) Unwrap() error { return e.Err }

// A Binary is the program that samples one model.
type Binary struct {
	Path   string
	Cached bool   // it had been built before
	Note   string // on what was wrong with the cache; "" for nothing
	ID     string // two binaries with one ID make the same draws

	// Runtime identifies what the binary is built of and with, but for the program itself.
	Runtime string

	temporary string   // directory to remove; "" if it is kept in the cache
	use       *os.File // keeps it in the cache; nil for one that is not there
}

// Remove removes a binary that is not kept in the cache, and lets the cache remove one that is.
func (b *Binary) Remove() {
	if b.use != nil {
		b.use.Close()
	}
	if b.temporary != "" {
		os.RemoveAll(b.temporary)
	}
}

//go:embed sampler.go.tmpl
var mainText string

var mainProgram = sync.OnceValue(func() *template.Template { return template.Must(template.New("sampler").Parse(mainText)) })

// Source is the source of a package main, made of a template.
func Source(t *template.Template, fields any) string {
	var b strings.Builder
	if err := t.Execute(&b, fields); err != nil {
		panic(err) // a field that the template names is not there
	}
	return b.String()
}

// Build builds the sampler of a generated package named model, or finds it
// built before, as BuildProgram does. If the ID of the sampler is known, see Recall, the code is asked for only where the cache
// does not have it; "" stands for one that is not known. An error of code is returned as it is.
func Build(ctx context.Context, known string, code func() ([]byte, error)) (*Binary, error) {
	note := ""
	if known != "" {
		b, damaged, err := existing(ctx, known)
		if b != nil || err != nil {
			return b, err
		}
		note = damaged
	}
	text, err := code()
	if err != nil {
		return nil, err
	}
	b, err := BuildProgram(ctx, &Program{
		Files: []File{{"model/model.go", text}},
		Main:  func(path string) string { return Source(mainProgram(), struct{ Path string }{path}) },
	})
	if err == nil && b.Note == "" {
		b.Note = note
	}
	return b, err
}

// existing returns the sampler with an ID if it is in the cache and starts; the note is on one that was found to be damaged. The
// Runtime of what it returns is not known. The error is that of the context.
func existing(ctx context.Context, id string) (b *Binary, note string, err error) {
	c, err := OpenCache()
	if err != nil {
		return nil, "", nil
	}
	b, note, err = c.started(ctx, id)
	if b != nil {
		b.ID, b.Note = id, note
	}
	if err != nil {
		err = ctx.Err() // what else keeps it from starting, BuildProgram sees to
	}
	return b, note, err
}

// A Program is what is built against the runtime's source.
type Program struct {
	Files []File // by names with slashes, below the directory of package main

	// Main returns the source of package main, which has the given import path.
	Main func(path string) string
}

// A File is a source file.
type File struct {
	Name string
	Text []byte
}

// BuildProgram builds a program, or finds it built before. Programs are kept in the cache, see
// OpenCache; where that cannot be, or programs cannot be started from there, they are built in a
// temporary directory, which Remove removes, and Note says why. What BuildProgram returns starts, as
// far as the system is concerned: it has been started, with the argument "ready".
//
// The errors are a *ToolchainError, a *BuildError, that of the context, and those
// of the file system.
func BuildProgram(ctx context.Context, p *Program) (*Binary, error) {
	c, noCache := OpenCache()
	damaged := ""
	// What is in the cache needs no go command, but for the version that it was built with.
	if tool, ok := quickGo(); ok && noCache == nil {
		w, of, err := newWorkshop(p, tool)
		if err != nil {
			return nil, err
		}
		var b *Binary
		if b, damaged, _ = c.started(ctx, w.id()); b != nil { // why it does not start is told below
			b.ID, b.Runtime, b.Note = w.id(), of, damaged
			return b, nil
		}
	}
	tool, err := findGo(ctx)
	if err != nil {
		return nil, err
	}
	w, of, err := newWorkshop(p, tool)
	if err != nil {
		return nil, err
	}
	finish := func(b *Binary, note string) (*Binary, error) {
		b.ID, b.Runtime, b.Note = w.id(), of, cmp.Or(note, damaged)
		return b, nil
	}
	var b *Binary
	note := ""
	if err = noCache; err == nil {
		b, note, err = w.cached(ctx, c)
	}
	if err == nil {
		return finish(b, note)
	}
	var failed *BuildError
	if ctx.Err() != nil || errors.As(err, &failed) && !failed.noSpace() {
		return nil, err
	}
	b, again := w.temporary(ctx)
	if again != nil {
		if ctx.Err() != nil || errors.As(again, &failed) && !failed.noSpace() {
			return nil, again
		}
		return nil, fmt.Errorf("no sampler can be built and started: in the cache, %w; in the temporary directory, %w; XDG_CACHE_HOME and TMPDIR choose others", err, again)
	}
	return finish(b, fmt.Sprintf("samplers are not kept, but built for each run: %v", err))
}

// newWorkshop returns the workshop of a program, which has no directory yet, and what programs of it are
// built of and with.
func newWorkshop(p *Program, tool toolchain) (*workshop, string, error) {
	files, sum, err := runtimeFiles()
	if err != nil {
		return nil, "", err
	}
	h := sha256.New()
	with := tool.settings()
	fmt.Fprint(h, with)
	fmt.Fprintf(h, "%s\n", p.Main("models"))
	for _, f := range p.Files {
		fmt.Fprintf(h, "%s %d\n", f.Name, len(f.Text))
		h.Write(f.Text)
	}
	return &workshop{
		module:  sum[:16],
		key:     "m" + hex.EncodeToString(h.Sum(nil))[:20],
		files:   files,
		program: p,
		tool:    tool,
	}, sum + "\n" + with, nil
}

// workshop builds a program in a directory of its own, which holds the runtime's source too.
type workshop struct {
	module, key string
	files       []file
	program     *Program
	tool        toolchain
}

// id tells programs apart by all that goes into them.
func (w *workshop) id() string { return w.module + "-" + w.key }

// cached finds the program in the cache, or builds it into it. The note is on one that was found to be
// damaged.
func (w *workshop) cached(ctx context.Context, c *Cache) (b *Binary, note string, err error) {
	b, note, err = c.started(ctx, w.id())
	if b != nil || err != nil {
		return b, note, err // it is what was built, so building it again is no help
	}
	dir, err := c.buildDirectory()
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	program, err := w.build(ctx, dir)
	if err != nil {
		return nil, "", err
	}
	if b, err = c.keep(w.id(), program); err != nil {
		return nil, "", err
	}
	if err := ready(ctx, b.Path); err != nil {
		os.Remove(b.Path) // the next run would find it, and take it for one that starts
		b.Remove()
		return nil, "", err
	}
	c.Prune()
	return b, note, nil
}

// started returns the sampler with an ID, nil if there is none that is whole. It is an error if it does not start. The note
// is on one that was found to be damaged.
func (c *Cache) started(ctx context.Context, id string) (b *Binary, note string, err error) {
	b, damaged := c.find(id)
	if damaged {
		note = "a sampler in the cache was damaged, and is built again"
	}
	if b == nil {
		return nil, note, nil
	}
	// It was started when it was built.
	if !executable(b.Path) {
		if err := ready(ctx, b.Path); err != nil {
			b.Remove()
			return nil, "", err
		}
	}
	b.Cached = true
	return b, note, nil
}

// temporary builds the program in a temporary directory.
func (w *workshop) temporary(ctx context.Context) (*Binary, error) {
	// A name that others can guess is no place for a program to run.
	tmp, err := os.MkdirTemp("", "hamc-")
	if err != nil {
		return nil, err
	}
	b := &Binary{temporary: tmp}
	if b.Path, err = w.build(ctx, tmp); err == nil {
		err = ready(ctx, b.Path)
	}
	if err != nil {
		b.Remove()
		return nil, err
	}
	return b, nil
}

// ready starts a program to see whether the system can: whether it is a program for this machine, and
// whether its file system lets programs run. What the program itself says is another's to judge.
func ready(ctx context.Context, path string) error {
	err := exec.CommandContext(ctx, path, "ready").Run()
	for n := 0; n < 50 && errors.Is(err, syscall.ETXTBSY); n++ {
		// Another goroutine has started a process while the file was open to be written, which has it
		// open until it is another program.
		time.Sleep(10 * time.Millisecond)
		err = exec.CommandContext(ctx, path, "ready").Run()
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &exit):
		return nil
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the system starts no program from %s, which may be mounted noexec: %w", filepath.Dir(path), err)
	}
	return err
}

// build builds the program below a directory and returns its path.
func (w *workshop) build(ctx context.Context, root string) (string, error) {
	// No model shares a directory with another: what one build leaves behind, or damage does, is no
	// other's.
	own := "models/" + w.key
	files := append([]file{
		{"go.mod", []byte("module github.com/hamc-dev/hamc\n\ngo " + strings.TrimPrefix(minGo, "go") + "\n")},
		{own + "/main.go", []byte(w.program.Main("github.com/hamc-dev/hamc/" + own))},
	}, w.files...)
	for _, f := range w.program.Files {
		files = append(files, file{own + "/" + f.Name, f.Text})
	}
	for _, f := range files {
		path := filepath.Join(root, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, f.text, 0o600); err != nil {
			return "", err
		}
	}
	program := filepath.Join(root, "sampler")
	if goruntime.GOOS == "windows" {
		program += ".exe"
	}
	err := w.tool.build(ctx, root, program, "./"+own, "")
	var failed *BuildError
	if errors.As(err, &failed) && !failed.Code {
		// The cache of the go command may be what is wrong: off, full, not to be written.
		err = w.tool.build(ctx, root, program, "./"+own, filepath.Join(root, "gocache"))
	}
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(program); err != nil {
		return "", &BuildError{Err: errors.New("it succeeds, and there is no program"), Output: fmt.Sprintf("%s is not the go command that it seems to be", w.tool.path)}
	}
	return program, nil
}

type file struct {
	name string
	text []byte
}

// EvaluatorID is Binary.ID of a hamc that samples with its evaluator.
func EvaluatorID() (string, error) {
	_, sum, err := runtimeFiles()
	return strings.Join([]string{"evaluator", sum[:16], goruntime.Version(), goruntime.GOARCH}, "-"), err
}

// runtimeFiles returns the runtime's source without its tests, and its hash.
func runtimeFiles() ([]file, string, error) {
	files, err := runtimeSource()
	return files.list, files.sum, err
}

// sourceFiles are files and their hash.
type sourceFiles struct {
	list []file
	sum  string
}

var runtimeSource = sync.OnceValues(func() (sourceFiles, error) {
	var files []file
	err := fs.WalkDir(hamc.RuntimeSource, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(hamc.RuntimeSource, path)
		files = append(files, file{path, text})
		return err
	})
	sort.Slice(files, func(i, j int) bool { return files[i].name < files[j].name })
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%s\n%d\n", f.name, len(f.text))
		h.Write(f.text)
	}
	return sourceFiles{files, hex.EncodeToString(h.Sum(nil))}, err
})
