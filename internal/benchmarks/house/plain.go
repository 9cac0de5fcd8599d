package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Every product that is added to something is written float64(a*b) + c, so that no compiler makes one rounding of two. What that
// costs, -plain tells: the old side's code does without, that of the runtime below it too.

// A plainer takes the conversions away that round products.
type plainer struct {
	set  *token.FileSet
	from types.Importer
}

// newPlainer returns one for packages of a checkout and what imports its runtime.
func newPlainer(ctx context.Context, root string) (*plainer, error) {
	out, err := output(ctx, root, "go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", "./runtime/...")
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for line := range strings.Lines(out) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		exports[path] = file
	}
	p := &plainer{set: token.NewFileSet()}
	p.from = importer.ForCompiler(p.set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	return p, nil
}

// strip returns the files of a package without the conversions, and their number.
func (p *plainer) strip(files map[string][]byte) (map[string][]byte, int, error) {
	var parsed []*ast.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := parser.ParseFile(p.set, name, files[name], parser.SkipObjectResolution)
		if err != nil {
			return nil, 0, err
		}
		parsed = append(parsed, f)
	}
	info := types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if _, err := (&types.Config{Importer: p.from}).Check("plain", p.set, parsed, &info); err != nil {
		return nil, 0, err
	}
	out, n := map[string][]byte{}, 0
	for _, f := range parsed {
		name := p.set.Position(f.FileStart).Filename
		text, rest := []byte(nil), 0
		ast.Inspect(f, func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok && rounds(&info, call) {
				from, to := p.set.Position(call.Pos()).Offset, p.set.Position(call.Lparen).Offset
				text, rest = append(text, files[name][rest:from]...), to
				n++
			}
			return true
		})
		out[name] = append(text, files[name][rest:]...)
	}
	return out, n, nil
}

// rounds reports whether a call is a conversion to float64 of a product of such numbers, which is not known before the program runs.
func rounds(info *types.Info, call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.Ident)
	if !ok || f.Name != "float64" || !info.Types[f].IsType() || len(call.Args) != 1 {
		return false
	}
	product, ok := ast.Unparen(call.Args[0]).(*ast.BinaryExpr)
	if !ok || product.Op != token.MUL {
		return false
	}
	v := info.Types[product]
	return v.Value == nil && types.Identical(v.Type, types.Typ[types.Float64])
}

// doWithoutRoundings has builds of the side see a runtime without them; what it emits from now on is without them too.
func (s *Side) doWithoutRoundings(ctx context.Context) (err error) {
	if s.plain, err = newPlainer(ctx, s.Root); err != nil {
		return err
	}
	all := 0
	err = filepath.WalkDir(filepath.Join(s.Root, "runtime"), func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil || d.Name() == "testdata" {
			return filepath.SkipDir
		}
		pkg, err := build.ImportDir(dir, 0)
		if err != nil {
			if _, none := err.(*build.NoGoError); none {
				return nil
			}
			return err
		}
		files := map[string][]byte{}
		for _, name := range pkg.GoFiles {
			path := filepath.Join(dir, name)
			if files[path], err = os.ReadFile(path); err != nil {
				return err
			}
		}
		plain, n, err := s.plain.strip(files)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		all += n
		for path, text := range plain {
			rel, err := filepath.Rel(s.Root, path)
			if err != nil {
				return err
			}
			to := filepath.Join(s.Work, "plain", rel)
			if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
				return err
			}
			if err := os.WriteFile(to, text, 0o666); err != nil {
				return err
			}
			s.overlay[path] = to
		}
		return nil
	})
	if err == nil && all < 100 {
		err = fmt.Errorf("the runtime of %s rounds %d products: it is one of before they were rounded", s.Root, all)
	}
	return err
}
