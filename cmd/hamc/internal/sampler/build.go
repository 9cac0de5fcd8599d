// Package sampler builds the program that samples one model, from generated
// code and the runtime's source that the hamc binary carries.
package sampler

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"sort"
	"strings"
	"syscall"

	"github.com/hamc-dev/hamc"
)

// minGo is the oldest Go release that the runtime and generated code build
// with.
const minGo = "go1.26"

// A ToolchainError says why there is no Go toolchain to build with.
type ToolchainError struct{ Reason string }

func (e *ToolchainError) Error() string { return "no Go toolchain: " + e.Reason }

// A BuildError is the failure of the go command on generated code: a bug of the
// compiler, or no space left on the disk.
type BuildError struct {
	Err    error  // of the go command
	Output string // what it said
}

func (e *BuildError) Error() string {
	return fmt.Sprintf("the sampler does not build: %v\n%s", e.Err, e.Output)
}

// Unwrap returns the error of the go command.
func (e *BuildError) Unwrap() error { return e.Err }

// A Binary is the program that samples one model.
type Binary struct {
	Path   string
	Cached bool   // it had been built before
	ID     string // two binaries with one ID make the same draws

	// Runtime identifies what the binary is built of and with, but for the program itself.
	Runtime string

	temporary string // directory to remove; "" if it is kept in the cache
}

// Remove removes a binary that is not kept in the cache.
func (b *Binary) Remove() {
	if b.temporary != "" {
		os.RemoveAll(b.temporary)
	}
}

const mainSource = `// Command sampler draws from one model.
package main

import (
	"io"

	"%s/model"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/driver"
)

func main() {
	driver.Main(func(r io.Reader, name string) (runtime.Posterior, error) {
		d, err := model.ReadData(r, name)
		if err != nil {
			return nil, err
		}
		return model.New(d)
	})
}
`

// Build builds the sampler of a generated package named model, or finds it
// built before, as BuildProgram does.
func Build(ctx context.Context, code []byte) (*Binary, error) {
	return BuildProgram(ctx, &Program{
		Files: []File{{"model/model.go", code}},
		Main:  func(path string) string { return fmt.Sprintf(mainSource, path) },
	})
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

// BuildProgram builds a program, or finds it built before. Programs are kept in the user's
// cache directory (os.UserCacheDir) under hamc; without one that can be written they are built in a
// temporary directory, which Remove removes.
//
// The errors are a *ToolchainError, a *BuildError, that of the context, and those
// of the file system.
func BuildProgram(ctx context.Context, p *Program) (*Binary, error) {
	tool, err := findGo(ctx)
	if err != nil {
		return nil, err
	}
	files, sum, err := runtimeFiles()
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	with := fmt.Sprintf("%s %s %s\n", tool.version, goruntime.GOOS, goruntime.GOARCH)
	for _, name := range []string{"GOAMD64", "GOARM64", "GOEXPERIMENT"} { // change the code that Go makes
		with += fmt.Sprintf("%s=%s\n", name, os.Getenv(name))
	}
	fmt.Fprint(h, with)
	fmt.Fprintf(h, "%s\n", p.Main("models"))
	for _, f := range p.Files {
		fmt.Fprintf(h, "%s %d\n", f.Name, len(f.Text))
		h.Write(f.Text)
	}
	w := workshop{
		module:  sum[:16],
		key:     "m" + hex.EncodeToString(h.Sum(nil))[:20],
		files:   files,
		program: p,
		tool:    tool,
	}
	of := sum + "\n" + with
	if base, err := os.UserCacheDir(); err == nil {
		w.root = filepath.Join(base, "hamc", w.module)
		if _, err := os.Stat(w.binary()); err == nil {
			return &Binary{Path: w.binary(), Cached: true, ID: w.id(), Runtime: of}, nil
		}
		err := w.write()
		if err == nil {
			err = w.build(ctx)
		}
		if err == nil {
			return &Binary{Path: w.binary(), ID: w.id(), Runtime: of}, nil
		}
		if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) && !errors.Is(err, syscall.ENOTDIR) {
			return nil, err
		}
	}
	// A name that others can guess is no place for a program to run.
	tmp, err := os.MkdirTemp("", "hamc-")
	if err != nil {
		return nil, err
	}
	w.root = filepath.Join(tmp, w.module)
	w.cache = filepath.Join(tmp, "gocache")
	b := &Binary{Path: w.binary(), ID: w.id(), Runtime: of, temporary: tmp}
	if err = w.write(); err == nil {
		err = w.build(ctx)
	}
	if err != nil {
		b.Remove()
		return nil, err
	}
	return b, nil
}

// toolchain is a go command.
type toolchain struct{ path, version string }

// findGo returns the go command on the PATH, if it is recent enough.
func findGo(ctx context.Context) (toolchain, error) {
	path, err := exec.LookPath("go")
	if err != nil {
		return toolchain{}, &ToolchainError{"there is no `go` command on the PATH"}
	}
	cmd := exec.CommandContext(ctx, path, "env", "GOVERSION")
	cmd.Dir = os.TempDir() // no go.mod of the user's has a say
	cmd.Env = environment()
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return toolchain{}, ctx.Err()
	}
	v := strings.TrimSpace(string(out))
	switch {
	case err != nil:
		return toolchain{}, &ToolchainError{fmt.Sprintf("`%s env` fails: %v", path, err)}
	case version.IsValid(v) && version.Compare(v, minGo) < 0:
		return toolchain{}, &ToolchainError{fmt.Sprintf("%s is %s, and samplers need %s", path, v, minGo)}
	}
	return toolchain{path, v}, nil
}

// environment is that of the go command: the user's, without what would make it
// look for modules, workspaces or other machines.
func environment() []string {
	return append(os.Environ(),
		"GOENV=off", "GOWORK=off", "GOFLAGS=", "GO111MODULE=on", "GOPROXY=off", "GOTOOLCHAIN=local",
		"CGO_ENABLED=0", "GOOS="+goruntime.GOOS, "GOARCH="+goruntime.GOARCH)
}

// workshop is a directory with the runtime's source and a package main for each
// model.
type workshop struct {
	root, module, key string
	cache             string // the go command's cache; "" for its own choice
	files             []file
	program           *Program
	tool              toolchain
}

func (w *workshop) dir() string { return filepath.Join(w.root, "models", w.key) }

// id tells programs apart by all that goes into them.
func (w *workshop) id() string { return w.module + "-" + w.key }

func (w *workshop) binary() string {
	name := "sampler"
	if goruntime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(w.dir(), name)
}

// write writes all source files.
func (w *workshop) write() error {
	for _, f := range w.files {
		if err := writeFile(filepath.Join(w.root, filepath.FromSlash(f.name)), f.text); err != nil {
			return err
		}
	}
	own := []file{
		{filepath.Join(w.root, "go.mod"), []byte("module github.com/hamc-dev/hamc\n\ngo " + strings.TrimPrefix(minGo, "go") + "\n")},
		{filepath.Join(w.dir(), "main.go"), []byte(w.program.Main("github.com/hamc-dev/hamc/models/" + w.key))},
	}
	for _, f := range w.program.Files {
		own = append(own, file{filepath.Join(w.dir(), filepath.FromSlash(f.Name)), f.Text})
	}
	for _, f := range own {
		if err := writeFile(f.name, f.text); err != nil {
			return err
		}
	}
	return nil
}

// build runs the go command.
func (w *workshop) build(ctx context.Context) error {
	// Another hamc may build the same model: the last rename wins, with the
	// same program.
	tmp := fmt.Sprintf("%s.%d", w.binary(), os.Getpid())
	defer os.Remove(tmp)
	cmd := exec.CommandContext(ctx, w.tool.path, "build", "-trimpath", "-ldflags=-s -w", "-o", tmp, "./models/"+w.key)
	cmd.Dir = w.root
	cmd.Env = environment()
	if w.cache != "" && os.Getenv("GOCACHE") == "" {
		cmd.Env = append(cmd.Env, "GOCACHE="+w.cache)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &BuildError{err, out.String()}
	}
	return os.Rename(tmp, w.binary())
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
	return files, hex.EncodeToString(h.Sum(nil)), err
}

// writeFile writes a file atomically, and not at all if it is there already
// with that text.
func writeFile(path string, text []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, text) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return WriteAtomic(path, text)
}

// WriteAtomic writes a file under a temporary name and renames it, so that a
// reader sees the old text or the new, never half of one.
func WriteAtomic(path string, text []byte) error {
	name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d", filepath.Base(path), os.Getpid()))
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(name, path)
	}
	if err != nil {
		os.Remove(name)
	}
	return err
}
