package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/build"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hamc-dev/hamc/codegen"
	"github.com/hamc-dev/hamc/codegen/pass"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/runtime/files"
	"github.com/hamc-dev/hamc/symbolic"
)

// generateFlags are those of `hamc MODEL.ham…` and `hamc diff`.
type generateFlags struct {
	output string
	pkg    string
	prefix string
	consts []string
	curved bool
}

func (g *generateFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&g.output, "output", "o", "", "`FILE` to write (- for standard output), a directory for several models; default generated/MODEL/MODEL.go, or MODEL_ham.go under go generate")
	cmd.Flags().StringVar(&g.pkg, "pkg", "", "`NAME` of the package; default the file's name, or $GOPACKAGE under go generate")
	cmd.Flags().StringVar(&g.prefix, "prefix", "", "`NAME` before those that the code declares, as in LinData, NewLin; default none, and that of each file for several models")
	cmd.Flags().BoolVar(&g.curved, "curvature", false, "emit the second derivatives that Newton's method (Solver.Method) needs for the implicit midpoint")
	constFlag(cmd, &g.consts)
}

// stdoutName as an output file stands for standard output.
const stdoutName = "-"

// target is one file of generated code.
type target struct {
	model             *model
	pkg, path, prefix string
	code              []byte
}

// packageOf returns the name of the package that the flags and go generate ask for, or the default.
func (g *generateFlags) packageOf(def string) (string, error) {
	under := os.Getenv("GOPACKAGE")
	for _, x := range []struct{ name, from string }{{g.pkg, "--pkg " + g.pkg}, {under, fmt.Sprintf("$GOPACKAGE is %q", under)}} {
		if x.name == "" {
			continue
		}
		if !token.IsIdentifier(x.name) || x.name == "_" {
			return "", usage{fmt.Errorf("%s: that is no package name", x.from)}
		}
		return x.name, nil
	}
	return def, nil
}

// place returns where the code of a model alone goes.
func (g *generateFlags) place(m *model) (*target, error) {
	t := &target{model: m, prefix: g.prefix}
	if t.prefix != "" && (!token.IsIdentifier(t.prefix) || !token.IsExported(t.prefix)) {
		return nil, usage{fmt.Errorf("--prefix %s: the names would not be exported; write it like %s", t.prefix, codegen.PrefixOf(t.prefix))}
	}
	dir := packageName(m.name())
	var err error
	if t.pkg, err = g.packageOf(dir); err != nil {
		return nil, err
	}
	switch {
	case g.output != "":
		t.path = g.output
	case os.Getenv("GOPACKAGE") != "":
		t.path = besideName(m.name())
	default:
		t.path = filepath.Join("generated", dir, sourceName(dir))
	}
	if t.path == stdoutName {
		return t, nil
	}
	if fi, err := os.Stat(t.path); err == nil {
		if fi.IsDir() {
			return nil, usage{fmt.Errorf("--output %s: that is a directory; name a file in it, such as %s", t.path, filepath.Join(t.path, sourceName(dir)))}
		}
		if source, err := os.Stat(m.path); err == nil && os.SameFile(fi, source) {
			return nil, usage{fmt.Errorf("--output %s: that is the model itself", t.path)}
		}
	}
	return t, nil
}

// placeAll returns where the code of several models goes: into one package, with prefixes.
func (g *generateFlags) placeAll(models []*model) ([]*target, error) {
	if g.prefix != "" {
		return nil, usage{errors.New("--prefix is for one model; of several, each has that of its file's name")}
	}
	pkg, err := g.packageOf("")
	if err != nil {
		return nil, err
	}
	dir := g.output
	switch {
	case pkg == "":
		return nil, usage{errors.New("several models make one package: name it with --pkg NAME")}
	case dir == stdoutName:
		return nil, usage{errors.New("--output -: several models make several files; name a directory")}
	case dir == "" && os.Getenv("GOPACKAGE") == "":
		dir = filepath.Join("generated", pkg)
	}
	if fi, err := os.Stat(dir); err == nil && !fi.IsDir() {
		return nil, usage{fmt.Errorf("--output %s: that is a file; several models need a directory", dir)}
	}
	var all []*target
	for _, m := range models {
		t := &target{model: m, pkg: pkg, prefix: codegen.PrefixOf(m.name()), path: filepath.Join(dir, besideName(m.name()))}
		for _, o := range all {
			if o.prefix == t.prefix {
				return nil, usage{fmt.Errorf("%s and %s would both have the prefix %s: rename one, or generate them apart with --prefix", o.model.shown(), m.shown(), t.prefix)}
			}
		}
		all = append(all, t)
	}
	return all, nil
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
	// The go command passes over directories that start with an underscore and over testdata, lets few
	// import what is in others, and takes a package called documentation for none.
	switch name {
	case "main", "internal", "vendor", "testdata", "documentation":
		return "model_" + name
	}
	if !token.IsIdentifier(name) || name[0] == '_' {
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

// besideName is the name of a file of generated code beside others of its package. The go command
// passes over names that start with an underscore or a dot.
func besideName(model string) string {
	if strings.HasPrefix(model, "_") || strings.HasPrefix(model, ".") || strings.HasPrefix(model, "-") {
		model = "model" + model
	}
	return model + "_ham.go"
}

// generate returns the model's code as a package.
func (m *model) generate(pkg string) ([]byte, error) { return m.generatePrefixed(pkg, "") }

func (m *model) generatePrefixed(pkg, prefix string) ([]byte, error) {
	code, err := codegen.Generate(m.d, codegen.Options{Package: pkg, Prefix: prefix, Source: filepath.Base(m.path), Text: m.text, Consts: m.consts})
	if err != nil {
		return nil, internal{err}
	}
	return code, nil
}

// generate sets the code.
func (t *target) generate() (err error) {
	t.code, err = t.model.generatePrefixed(t.pkg, t.prefix)
	return err
}

// generate writes the code of models. It writes all files or, where a model has errors, none.
func (e *env) generate(paths []string, g *generateFlags) error {
	var models []*model
	var failed error
	for _, path := range paths {
		m, err := e.load(path, g.consts, g.curved)
		switch {
		case err == nil:
			models = append(models, m)
		case len(paths) == 1 || !errors.Is(err, errReported):
			return err
		default:
			failed = err
		}
	}
	if failed != nil {
		return failed
	}
	targets, err := g.targets(models)
	if err != nil {
		return err
	}
	for _, t := range targets {
		if err := t.generate(); err != nil {
			return err
		}
	}
	if targets[0].path == stdoutName {
		_, err := e.stdout.Write(targets[0].code)
		return wrap(err)
	}
	for _, t := range targets {
		if err := t.mayReplace(g.output != ""); err != nil {
			return err
		}
	}
	// Elsewhere, a file of a name that was asked for need not be compiled with those beside it.
	if os.Getenv("GOPACKAGE") != "" || len(targets) > 1 {
		if err := clash(targets); err != nil {
			return err
		}
	}
	for _, t := range targets {
		if err := e.write(t); err != nil {
			return err
		}
	}
	return nil
}

// targets returns where the code of models goes.
func (g *generateFlags) targets(models []*model) ([]*target, error) {
	if len(models) > 1 {
		return g.placeAll(models)
	}
	t, err := g.place(models[0])
	return []*target{t}, err
}

// mayReplace reports whether what stands at the path is hamc's to replace: code that it has
// generated and, unless the path was asked for, from a model of the same name.
func (t *target) mayReplace(asked bool) error {
	old, err := os.ReadFile(t.path)
	if err != nil {
		return nil // the attempt to write tells why
	}
	h, ok := codegen.ReadHeader(old)
	switch {
	case !ok && len(bytes.TrimSpace(old)) > 0:
		return problem{fmt.Errorf("%s: hamc has not written this file, and leaves it; name another with --output, or remove it", t.path)}
	case ok && !asked && !h.IsSource(filepath.Base(t.model.path)):
		return problem{fmt.Errorf("%s was generated from %s; name another file with --output, or remove it", t.path, h.Source)}
	}
	return nil
}

// write writes the code, unless it is there already.
func (e *env) write(t *target) error {
	if old, err := os.ReadFile(t.path); err == nil && bytes.Equal(old, t.code) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(t.path), 0o777); err != nil {
		return problem{err}
	}
	if err := files.Replace(t.path, t.code); err != nil {
		return problem{err}
	}
	if os.Getenv("GOPACKAGE") == "" {
		fmt.Fprintf(e.stderr, "wrote %s\n", t.path)
	}
	return nil
}

// looksLikeCode tells the code of a message from the path of a model.
var looksLikeCode = regexp.MustCompile(`^[HhWwEe][0-9]+$`)

// explainCode prints what the catalogue of messages holds for a code.
func (e *env) explainCode(code string) error {
	entry := dsl.LookupCode(code)
	if entry == nil {
		return usage{fmt.Errorf("no message has the code %s", code)}
	}
	_, err := fmt.Fprintf(e.stdout, "%s: %s.\n\n  wrong  %s\n  right  %s\n", entry.Code, entry.Rule, entry.Example, entry.Right)
	return wrap(err)
}

func newExplain(e *env) *cobra.Command {
	var consts []string
	var after string
	cmd := &cobra.Command{
		Use:   "explain MODEL.ham | CODE",
		Short: "Show derived formulas, stages, the metric's structure and operation counts, or what a message's code means",
		Args:  exactly(1, "MODEL.ham, or the code of a message such as H319"),

		ValidArgsFunction: completeModel,
		RunE: func(_ *cobra.Command, args []string) error {
			if after != "" && !slices.Contains(pass.Names(), after) {
				return usage{fmt.Errorf("--pass is %s; it must be one of %s", after, strings.Join(pass.Names(), ", "))}
			}
			if looksLikeCode.MatchString(args[0]) {
				return e.explainCode(args[0])
			}
			m, err := e.load(args[0], consts, false)
			if err != nil {
				return err
			}
			explain := codegen.Explain
			if after != "" {
				explain = func(d *symbolic.Derived) (string, error) { return codegen.ExplainPass(d, after) }
			}
			text, err := explain(m.d)
			if err != nil {
				return internal{err}
			}
			_, err = fmt.Fprint(e.stdout, text)
			return wrap(err)
		},
	}
	constFlag(cmd, &consts)
	cmd.Flags().StringVar(&after, "pass", "", "show the loop program after pass `NAME` instead; lower is the program as it is before the first: "+strings.Join(pass.Names(), ", "))
	completeFlags(cmd)
	return cmd
}
