package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/build"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/sampler"
	"github.com/hamc-dev/hamc/codegen"
)

// generateFlags are those of `hamc MODEL.ham` and `hamc diff`.
type generateFlags struct {
	output string
	pkg    string
	consts []string
	curved bool
}

func (g *generateFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&g.output, "output", "o", "", "`FILE` to write (- for standard output); default generated/MODEL/MODEL.go, or MODEL_ham.go under go generate")
	cmd.Flags().StringVar(&g.pkg, "pkg", "", "`NAME` of the package; default the file's name, or $GOPACKAGE under go generate")
	cmd.Flags().BoolVar(&g.curved, "curvature", false, "emit the second derivatives that Newton's method (Solver.Method) needs for the implicit midpoint")
	constFlag(cmd, &g.consts)
}

// stdoutName as an output file stands for standard output.
const stdoutName = "-"

// place returns the package name and the path of a model's generated code.
func (g *generateFlags) place(m *model) (pkg, path string, err error) {
	under := os.Getenv("GOPACKAGE")
	switch {
	case g.pkg != "":
		pkg = g.pkg
	case under != "":
		pkg = under
	default:
		pkg = packageName(m.name())
	}
	if !token.IsIdentifier(pkg) || pkg == "_" {
		if g.pkg == "" {
			return "", "", usage{fmt.Errorf("$GOPACKAGE is %q: that is no package name", pkg)}
		}
		return "", "", usage{fmt.Errorf("--pkg %s: that is no package name", pkg)}
	}
	switch {
	case g.output != "":
		path = g.output
	case under != "":
		path = m.name() + "_ham.go"
	default:
		dir := packageName(m.name())
		path = filepath.Join("generated", dir, sourceName(dir))
	}
	if path == stdoutName {
		return pkg, path, nil
	}
	if fi, err := os.Stat(path); err == nil {
		if fi.IsDir() {
			return "", "", usage{fmt.Errorf("--output %s: that is a directory; name a file in it, such as %s", path, filepath.Join(path, sourceName(packageName(m.name()))))}
		}
		if source, err := os.Stat(m.path); err == nil && os.SameFile(fi, source) {
			return "", "", usage{fmt.Errorf("--output %s: that is the model itself", path)}
		}
	}
	return pkg, path, nil
}

// packageName makes a package name of a file name.
func packageName(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case r >= 'a' && r <= 'z', r == '_', r >= '0' && r <= '9':
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	name := b.String()
	// The go command passes over directories that start with an underscore.
	if !token.IsIdentifier(name) || name[0] == '_' || name == "main" {
		return "model_" + name
	}
	return name
}

// sourceName returns the file name for a package that the go command compiles
// everywhere: it leaves out two_arm.go on other processors, and x_test.go.
func sourceName(pkg string) string {
	context := build.Default
	context.GOOS, context.GOARCH = "none", "none"
	context.OpenFile = func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("package " + pkg + "\n")), nil
	}
	name := pkg + ".go"
	if ok, err := context.MatchFile(".", name); err != nil || !ok || strings.HasSuffix(pkg, "_test") {
		return pkg + "_ham.go"
	}
	return name
}

func (m *model) generate(pkg string) ([]byte, error) {
	code, err := codegen.Generate(m.d, codegen.Options{Package: pkg, Source: filepath.Base(m.path), Text: m.text, Consts: m.consts})
	if err != nil {
		return nil, internal{err}
	}
	return code, nil
}

func (e *env) generate(model string, g *generateFlags) error {
	m, err := e.load(model, g.consts, g.curved)
	if err != nil {
		return err
	}
	pkg, path, err := g.place(m)
	if err != nil {
		return err
	}
	code, err := m.generate(pkg)
	if err != nil {
		return err
	}
	if path == stdoutName {
		_, err := e.stdout.Write(code)
		return wrap(err)
	}
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, code) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return problem{err}
	}
	if err := sampler.WriteAtomic(path, code); err != nil {
		return problem{err}
	}
	if os.Getenv("GOPACKAGE") == "" {
		fmt.Fprintf(e.stderr, "wrote %s\n", path)
	}
	return nil
}

func newExplain(e *env) *cobra.Command {
	var consts []string
	cmd := &cobra.Command{
		Use:   "explain MODEL.ham",
		Short: "Show derived formulas, stages, the metric's structure and operation counts",
		Args:  exactly(1, "MODEL.ham"),

		ValidArgsFunction: completeModel,
		RunE: func(_ *cobra.Command, args []string) error {
			m, err := e.load(args[0], consts, false)
			if err != nil {
				return err
			}
			text, err := codegen.Explain(m.d)
			if err != nil {
				return internal{err}
			}
			_, err = fmt.Fprint(e.stdout, text)
			return wrap(err)
		},
	}
	constFlag(cmd, &consts)
	completeFlags(cmd)
	return cmd
}

func newDiff(e *env) *cobra.Command {
	var g generateFlags
	cmd := &cobra.Command{
		Use:   "diff MODEL.ham",
		Short: "Compare generated code on disk with what would be generated; exit 1 if stale",
		Args:  exactly(1, "MODEL.ham"),

		ValidArgsFunction: completeModel,
		RunE: func(_ *cobra.Command, args []string) error {
			m, err := e.load(args[0], g.consts, g.curved)
			if err != nil {
				return err
			}
			pkg, path, err := g.place(m)
			if err != nil {
				return err
			}
			code, err := m.generate(pkg)
			if err != nil {
				return err
			}
			if path == stdoutName {
				return usage{errors.New("--output -: diff needs the file to compare with")}
			}
			old, err := os.ReadFile(path)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return problem{fmt.Errorf("%s: there is no such file; `hamc %s` writes it", path, args[0])}
			case err != nil:
				return problem{err}
			case bytes.Equal(old, code):
				return nil
			}
			if _, err := fmt.Fprint(e.stdout, lineDiff(path, string(old), string(code))); err != nil {
				return problem{err}
			}
			return errReported
		},
	}
	g.register(cmd)
	completeFlags(cmd)
	return cmd
}

// lineDiff lists the changed region of two texts, line by line, with the lines
// that they share at both ends left out.
func lineDiff(path, old, new string) string {
	a, b := strings.SplitAfter(old, "\n"), strings.SplitAfter(new, "\n")
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s (generated now)\n@@ -%d,%d +%d,%d @@\n", path, path, head+1, len(a)-head-tail, head+1, len(b)-head-tail)
	for _, l := range a[head : len(a)-tail] {
		out.WriteString("-" + strings.TrimSuffix(l, "\n") + "\n")
	}
	for _, l := range b[head : len(b)-tail] {
		out.WriteString("+" + strings.TrimSuffix(l, "\n") + "\n")
	}
	return out.String()
}
