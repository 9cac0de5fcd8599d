package main

import (
	"bytes"
	"fmt"
	"go/token"
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
}

func (g *generateFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&g.output, "output", "o", "", "`FILE` to write (- for standard output); default generated/MODEL/MODEL.go, or MODEL_ham.go under go generate")
	cmd.Flags().StringVar(&g.pkg, "pkg", "", "`NAME` of the package; default the model's name, or $GOPACKAGE under go generate")
	constFlag(cmd, &g.consts)
}

// place returns the package name and the path of a model's generated code.
func (g *generateFlags) place(m *model) (pkg, path string, err error) {
	pkg = g.pkg
	under := os.Getenv("GOPACKAGE")
	if pkg == "" {
		pkg = under
	}
	if pkg == "" {
		pkg = packageName(m.name())
	}
	if !token.IsIdentifier(pkg) {
		return "", "", fmt.Errorf("--pkg %s: that is no package name", pkg)
	}
	switch {
	case g.output != "":
		path = g.output
	case under != "":
		path = m.name() + "_ham.go"
	default:
		path = filepath.Join("generated", m.name(), m.name()+".go")
	}
	return pkg, path, nil
}

// packageName makes a package name of a file name.
func packageName(s string) string {
	var b strings.Builder
	for i, r := range strings.ToLower(s) {
		switch {
		case r >= 'a' && r <= 'z', r == '_', r >= '0' && r <= '9' && i > 0:
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	if token.IsKeyword(b.String()) || b.Len() == 0 {
		return "model_" + b.String()
	}
	return b.String()
}

func (m *model) generate(pkg string) ([]byte, error) {
	code, err := codegen.Generate(m.d, codegen.Options{Package: pkg, Source: filepath.Base(m.path), Text: m.text, Consts: m.consts})
	if err != nil {
		return nil, internal{err}
	}
	return code, nil
}

func (e *env) generate(args []string, g *generateFlags) error {
	if len(args) > 1 {
		return fmt.Errorf("one model at a time: %s", strings.Join(args, " "))
	}
	if !strings.HasSuffix(args[0], ".ham") {
		return fmt.Errorf("%q is neither a command nor a .ham file", args[0])
	}
	m, err := e.load(args[0], g.consts)
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
	if path == "-" {
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

func newCheck(e *env) *cobra.Command {
	var consts []string
	cmd := &cobra.Command{
		Use:   "check MODEL.ham...",
		Short: "Report every error and warning of models",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			var first error
			for _, a := range args {
				if _, err := e.load(a, consts); err != nil && first == nil {
					first = err
				}
			}
			return first
		},
	}
	constFlag(cmd, &consts)
	return cmd
}

func newExplain(e *env) *cobra.Command {
	var consts []string
	cmd := &cobra.Command{
		Use:   "explain MODEL.ham",
		Short: "Show derived formulas, stages, the metric's structure and operation counts",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			m, err := e.load(args[0], consts)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(e.stdout, codegen.Explain(m.d))
			return wrap(err)
		},
	}
	constFlag(cmd, &consts)
	return cmd
}

func newDiff(e *env) *cobra.Command {
	var g generateFlags
	cmd := &cobra.Command{
		Use:   "diff MODEL.ham",
		Short: "Compare generated code on disk with what would be generated; exit 1 if stale",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			m, err := e.load(args[0], g.consts)
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
			old, err := readText(path)
			if err != nil {
				return err
			}
			if old == string(code) {
				return nil
			}
			fmt.Fprint(e.stdout, lineDiff(path, old, string(code)))
			return errReported
		},
	}
	g.register(cmd)
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
