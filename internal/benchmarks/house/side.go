package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// modulePath is that of the repository, in all revisions.
const modulePath = "github.com/hamc-dev/hamc"

// overlaid is where in a checkout the packages are that an overlay adds. Nothing is written there.
const overlaid = "internal/house_overlay"

// probeSource is the program that times, as it is built in both checkouts.
//
//go:embed probe/main.go
var probeSource []byte

// A Side is one of the two checkouts that are compared.
type Side struct {
	Name string // old or new
	Root string // the checkout
	Work string // directory of what is made: hamc, emitted code, draws

	overlay map[string]string // files that a build sees in the checkout, and where they are
	plain   *plainer          // nil where the side's code stays as it is
	remove  func() error      // nil where the checkout is the user's
}

// openSide takes a checkout for what it is, and makes a temporary work tree of a revision.
func openSide(ctx context.Context, name, at, home, work string) (*Side, error) {
	s := &Side{Name: name, Work: filepath.Join(work, name), overlay: map[string]string{}}
	if err := os.MkdirAll(s.Work, 0o777); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
		root, err := filepath.Abs(at)
		s.Root = root
		return s, err
	}
	s.Root = filepath.Join(work, name+"-checkout")
	if _, err := output(ctx, home, "git", "worktree", "add", "--detach", s.Root, at); err != nil {
		return nil, fmt.Errorf("%s is neither a checkout nor a revision: %w", at, err)
	}
	s.remove = func() error {
		// Also after an interrupt, which has ended ctx.
		_, err := output(context.WithoutCancel(ctx), home, "git", "worktree", "remove", "--force", s.Root)
		return err
	}
	return s, nil
}

// Close removes a temporary work tree.
func (s *Side) Close() error {
	if s.remove == nil {
		return nil
	}
	return s.remove()
}

// hamc is the path of the compiler that the side builds.
func (s *Side) hamc() string { return filepath.Join(s.Work, "hamc") }

// emitted is the path of the code that it makes of a model.
func (s *Side) emitted(model string) string {
	return filepath.Join(s.Work, "emitted", model, model+".go")
}

// buildCompiler builds the side's hamc, or takes that of another side which is the same checkout.
func (s *Side) buildCompiler(ctx context.Context, other *Side) error {
	if other != nil && other.Root == s.Root {
		return os.Link(other.hamc(), s.hamc())
	}
	_, err := output(ctx, s.Root, "go", "build", "-o", s.hamc(), "./cmd/hamc")
	return err
}

// emit lets the side's hamc make code of an example, and returns the processor time that it takes.
func (s *Side) emit(ctx context.Context, e example) (time.Duration, error) {
	path := s.emitted(e.Name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return 0, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, s.hamc(), "-o", path, "--pkg", e.Name, e.Path)
	cmd.Dir = s.Root
	if said, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s hamc on %s: %w\n%s", s.Name, e.Name, err, said)
	}
	s.overlay[filepath.Join(s.Root, overlaid, e.Name, e.Name+".go")] = path
	if s.plain != nil {
		text, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		plain, _, err := s.plain.strip(map[string][]byte{path: text})
		if err != nil {
			return 0, err
		}
		if err := os.WriteFile(path, plain[path], 0o666); err != nil {
			return 0, err
		}
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// addProbe adds the program that times the models.
func (s *Side) addProbe(models []string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\nimport (\n\t\"io\"\n\n\trt %q\n", modulePath+"/runtime")
	for i, m := range models {
		fmt.Fprintf(&b, "\tm%d %q\n", i, modulePath+"/"+overlaid+"/"+m)
	}
	b.WriteString(")\n\nfunc init() {\n")
	for i, m := range models {
		fmt.Fprintf(&b, "\tmodels = append(models, model{%q, func(r io.Reader, name string) (rt.Posterior, error) {\n", m)
		fmt.Fprintf(&b, "\t\td, err := m%d.ReadData(r, name)\n\t\tif err != nil {\n\t\t\treturn nil, err\n\t\t}\n\t\treturn m%d.New(d)\n\t}})\n", i, i)
	}
	b.WriteString("}\n")
	for name, text := range map[string][]byte{"main.go": probeSource, "models.go": []byte(b.String())} {
		path := filepath.Join(s.Work, "probe-"+name)
		if err := os.WriteFile(path, text, 0o666); err != nil {
			return err
		}
		s.overlay[filepath.Join(s.Root, overlaid, "probe", name)] = path
	}
	return nil
}

// build builds a package of the overlay: an object file, or a program.
func (s *Side) build(ctx context.Context, pkg, path string) error {
	text, err := json.Marshal(map[string]any{"Replace": s.overlay})
	if err != nil {
		return err
	}
	overlay := filepath.Join(s.Work, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o666); err != nil {
		return err
	}
	_, err = output(ctx, s.Root, "go", "build", "-overlay", overlay, "-o", path, "./"+overlaid+"/"+pkg)
	return err
}

// output runs a command and returns what it prints. An error holds what it says.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, exit.Stderr)
		}
		return "", err
	}
	return string(out), nil
}
