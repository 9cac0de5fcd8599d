package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hamc-dev/hamc/codegen"
)

func newDiff(e *env) *cobra.Command {
	var g generateFlags
	cmd := &cobra.Command{
		Use:   "diff MODEL.ham...",
		Short: "Compare generated code on disk with what would be generated; exit 1 if stale",
		Long: `diff compares generated code with what hamc would generate now: in generated/MODEL/MODEL.go, in
MODEL_ham.go beside the model and in the working directory, as go generate leaves it, or, without
these, in the files there that say that they were generated from the model. Package, prefix and constants
are those of the file unless flags say otherwise.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return exactly(1, "MODEL.ham")(cmd, args)
			}
			return nil
		},
		ValidArgsFunction: completeModels,
		RunE: func(cmd *cobra.Command, args []string) error {
			if g.output != "" && len(args) > 1 {
				return usage{errors.New("--output is for one model")}
			}
			var failed error
			for _, path := range args {
				if err := e.diff(cmd, path, &g); err != nil {
					if len(args) == 1 || !errors.Is(err, errReported) {
						return err
					}
					failed = err
				}
			}
			return failed
		},
	}
	g.register(cmd)
	completeFlags(cmd)
	return cmd
}

// diff compares the code of one model.
func (e *env) diff(cmd *cobra.Command, model string, g *generateFlags) error {
	if g.output == stdoutName {
		return usage{errors.New("--output -: diff needs the file to compare with")}
	}
	files := []string{g.output}
	if g.output == "" {
		files = generatedFrom(model)
	}
	if len(files) == 0 || !isFile(files[0]) {
		m, err := e.load(model, g.consts, g.curved)
		if err != nil {
			return err
		}
		t, err := g.place(m)
		if err != nil {
			return err
		}
		return problem{fmt.Errorf("%s: there is no such file; `hamc %s` writes it", t.path, model)}
	}
	stale := false
	for _, file := range files {
		old, err := os.ReadFile(file)
		if err != nil {
			return problem{err}
		}
		own := g.asIn(cmd, old)
		own.output = file
		m, err := e.load(model, own.consts, own.curved)
		if err != nil {
			return err
		}
		t, err := own.place(m)
		if err != nil {
			return err
		}
		if err := t.generate(); err != nil {
			return err
		}
		if bytes.Equal(old, t.code) {
			continue
		}
		stale = true
		if _, err := fmt.Fprint(e.stdout, lineDiff(file, string(old), string(t.code))); err != nil {
			return problem{err}
		}
	}
	if stale {
		return errReported
	}
	return nil
}

// asIn returns the flags with what a generated file says of itself where none was given.
func (g *generateFlags) asIn(cmd *cobra.Command, code []byte) *generateFlags {
	own := *g
	h, ok := codegen.ReadHeader(code)
	if !ok {
		return &own
	}
	if !cmd.Flags().Changed("const") {
		own.consts = h.Consts
	}
	if !cmd.Flags().Changed("curvature") {
		own.curved = h.Curved
	}
	if !cmd.Flags().Changed("prefix") {
		own.prefix = h.Prefix
	}
	if own.pkg == "" && os.Getenv("GOPACKAGE") == "" {
		if f, err := parser.ParseFile(token.NewFileSet(), "", code, parser.PackageClauseOnly); err == nil {
			own.pkg = f.Name.Name
		}
	}
	return &own
}

// generatedFrom lists the files that hold code generated from a model: those that have the names which
// hamc gives them or, if there are none, those beside the model and in the working directory that
// say so.
func generatedFrom(model string) []string {
	base := filepath.Base(model)
	name := strings.TrimSuffix(base, filepath.Ext(base))
	dir := packageName(name)
	var files []string
	for _, file := range []string{filepath.Join("generated", dir, sourceName(dir)), besideName(name), filepath.Join(filepath.Dir(model), besideName(name))} {
		if isFile(file) && !slices.ContainsFunc(files, func(o string) bool { return sameFile(o, file) }) {
			files = append(files, file)
		}
	}
	if len(files) > 0 {
		return files
	}
	for _, dir := range []string{".", filepath.Dir(model)} {
		list, _ := os.ReadDir(dir)
		for _, entry := range list {
			file := filepath.Join(dir, entry.Name())
			if filepath.Ext(file) != ".go" || slices.ContainsFunc(files, func(o string) bool { return sameFile(o, file) }) {
				continue
			}
			code, err := os.ReadFile(file)
			if err != nil {
				continue
			}
			if h, ok := codegen.ReadHeader(code); ok && h.IsSource(base) {
				files = append(files, file)
			}
		}
	}
	return files
}

// sameFile reports whether two paths lead to one file.
func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
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
