package experiment

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync"
	"text/template"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/sampler"
	"github.com/hamc-dev/hamc/runtime/files"
	"github.com/hamc-dev/hamc/runtime/grid"
)

// ReadExtension checks that a Go file may be an extension: a package of its own, not main. That it
// compiles is the compiler's to say.
func ReadExtension(name string, text []byte) (Extension, error) {
	f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.PackageClauseOnly)
	if err != nil {
		return Extension{}, err
	}
	if f.Name.Name == "main" {
		return Extension{}, fmt.Errorf("%s: an extension is a package that is not called main, with `var Extension = grid.Extension{…}`", name)
	}
	base := filepath.Base(name)
	// The go command would leave the file out, and say that there is none.
	here := build.Default
	here.GOOS, here.GOARCH, here.CgoEnabled = goruntime.GOOS, goruntime.GOARCH, false // as sampler.BuildProgram
	here.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	switch built, err := here.MatchFile("", base); {
	case err != nil:
		return Extension{}, fmt.Errorf("%s: %w", name, err)
	case strings.HasSuffix(base, "_test.go"):
		return Extension{}, fmt.Errorf("%s: that is the name of a test: rename the file", name)
	case !built:
		return Extension{}, fmt.Errorf("%s: its name or its //go:build line keep it out of programs for this system: change that", name)
	}
	return Extension{Name: base, Text: text}, nil
}

// A CompileError says that an extension does not compile.
type CompileError struct{ Output string }

func (e *CompileError) Error() string { return strings.TrimRight(e.Output, "\n") }

// Build builds the worker of a grid. Errors are those of sampler.BuildProgram, but a *CompileError
// where the fault is in an extension.
func (src *Source) Build(ctx context.Context) (*sampler.Binary, error) {
	p := &sampler.Program{Main: src.main}
	for _, m := range src.Models {
		p.Files = append(p.Files, sampler.File{Name: m.Package + "/model.go", Text: m.Code})
	}
	for i, x := range src.With {
		p.Files = append(p.Files, sampler.File{Name: fmt.Sprintf("with%d/%s", i, x.Name), Text: x.Text})
	}
	bin, err := sampler.BuildProgram(ctx, p)
	var failed *sampler.BuildError
	if errors.As(err, &failed) && len(src.With) > 0 {
		var lines []string
		for _, line := range strings.Split(failed.Output, "\n") {
			for i, x := range src.With {
				if _, rest, ok := strings.Cut(line, fmt.Sprintf("with%d/%s:", i, x.Name)); ok {
					lines = append(lines, x.Name+":"+rest)
				} else if _, rest, ok := strings.Cut(line, fmt.Sprintf(": undefined: with%d.Extension", i)); ok && rest == "" {
					lines = append(lines, x.Name+": there is no `var Extension = grid.Extension{…}`")
				} else if strings.Contains(line, fmt.Sprintf("with%d.Extension", i)) {
					lines = append(lines, x.Name+": Extension has another type than grid.Extension: "+strings.TrimSpace(line))
				}
			}
		}
		if len(lines) > 0 {
			return nil, &CompileError{strings.Join(lines, "\n")}
		}
	}
	return bin, err
}

//go:embed worker.go.tmpl
var mainText string

var mainProgram = sync.OnceValue(func() *template.Template { return template.Must(template.New("worker").Parse(mainText)) })

// main returns the source of the worker's package main, which has the given import path.
func (src *Source) main(path string) string {
	return sampler.Source(mainProgram(), struct {
		Path string
		*Source
	}{path, src})
}

// Describe asks a worker for what its extensions hold.
func Describe(ctx context.Context, worker string) (*grid.Description, error) {
	var errs bytes.Buffer
	cmd := exec.CommandContext(ctx, worker, "describe")
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("the worker of the grid does not start: %w\n%s", err, errs.String())
	}
	// What extensions print when they are initialised comes before it.
	d := &grid.Description{}
	if i := bytes.LastIndex(out, []byte(`{"integrators":`)); i >= 0 {
		err = json.Unmarshal(out[i:], d)
	} else {
		err = errors.New("no description")
	}
	if err != nil {
		return nil, fmt.Errorf("the worker of the grid does not say what it holds: %w\n%s", err, out)
	}
	return d, nil
}

// Lay writes all that workers need to a directory: the plan, the data, and, if it is not to run on
// this machine alone, the worker.
func (src *Source) Lay(dir string, p *grid.Plan, worker string) error {
	for _, sub := range []string{grid.CellsName, grid.DataName} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
			return err
		}
	}
	for name, text := range src.Data { // in any order: to files of their own
		if err := replace(filepath.Join(dir, grid.DataName, dataName(name, text)), text, 0o666); err != nil {
			return err
		}
	}
	// The plan before the worker: tasks of an earlier grid that are started between the two find
	// that it is not theirs.
	if err := p.Write(dir); err != nil {
		return err
	}
	if worker == "" {
		return nil
	}
	text, err := os.ReadFile(worker)
	if err != nil {
		return err
	}
	return replace(filepath.Join(dir, grid.WorkerName), text, 0o777)
}

// replace writes a file in one step, unless it is there with that text.
func replace(path string, text []byte, mode fs.FileMode) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, text) {
		return nil
	}
	if err := files.Replace(path, text); err != nil {
		return err
	}
	if mode&0o111 != 0 {
		return os.Chmod(path, 0o755)
	}
	return nil
}

// Labels notes how the integrators of extensions are called on pages.
func (src *Source) Labels(d *grid.Description) {
	src.labels = map[string]string{}
	for _, x := range d.Integrators {
		src.labels[x.Name] = x.Label
	}
}

// label returns how an integrator is called on pages.
func (src *Source) label(name string) string {
	if l, ok := src.labels[name]; ok {
		return l
	}
	return grid.Label(name)
}
