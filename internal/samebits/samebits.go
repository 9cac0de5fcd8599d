// Package samebits finds the operations of Go code whose result depends on the
// machine: products that the compiler may fuse with an addition, and functions
// of package math, and of what is made of it, that differ between architectures.
//
// Go rounds x*y before it adds z only if a conversion or a store that the
// compiler cannot see through stands between; float64(x*y) + z does.
package samebits

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// A Finding is an operation whose bits depend on the machine.
type Finding struct {
	Pos     token.Position
	Message string

	// Start and End are the offsets of the operation in its file.
	Start, End int
}

// String returns the finding as a line.
func (f Finding) String() string { return fmt.Sprintf("%s: %s", f.Pos, f.Message) }

// exact lists the functions of math with the same bits on every machine: those
// that IEEE 754 defines, and those that only move bits.
var exact = map[string]bool{
	"Abs": true, "Ceil": true, "Copysign": true, "Float32bits": true, "Float32frombits": true, "Float64bits": true,
	"Float64frombits": true, "Floor": true, "FMA": true, "Frexp": true, "Inf": true, "IsInf": true, "IsNaN": true,
	"Ldexp": true, "Max": true, "Min": true, "Mod": true, "Modf": true, "NaN": true, "Nextafter": true, "Round": true,
	"RoundToEven": true, "Signbit": true, "Sqrt": true, "Trunc": true,
}

// unfused lists the exact functions that are an instruction of their own: a product
// that is their argument is rounded.
var unfused = map[string]bool{"Sqrt": true, "Floor": true, "Ceil": true, "Trunc": true, "RoundToEven": true}

// differs reports whether a function of the standard library depends on the machine: many of math,
// and those of math/rand that call them.
func differs(path, name string) bool {
	switch path {
	case "math":
		return !exact[name]
	case "math/rand", "math/rand/v2":
		return name == "NormFloat64" || name == "ExpFloat64" || name == "NewZipf"
	}
	return path == "math/cmplx"
}

// pkg is what go list says of a package.
type pkg struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool
}

// Packages returns the findings in the packages that the patterns name, in the order
// of the go command. Tests are not read.
func Packages(patterns ...string) ([]Finding, error) {
	list, err := load(patterns)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, p := range list {
		exports[p.ImportPath] = p.Export
	}
	set := token.NewFileSet()
	imports := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	var out []Finding
	for _, p := range list {
		if p.DepOnly {
			continue
		}
		found, err := check(set, imports, p)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// load asks the go command for packages and their dependencies.
func load(patterns []string) ([]pkg, error) {
	args := append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,DepOnly", "--"}, patterns...)
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		if e := (*exec.ExitError)(nil); errors.As(err, &e) {
			return nil, fmt.Errorf("go list: %w\n%s", err, e.Stderr)
		}
		return nil, fmt.Errorf("go list: %w", err)
	}
	var list []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); err == io.EOF {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		list = append(list, p)
	}
}

// check returns the findings in a package.
func check(set *token.FileSet, imports types.Importer, p pkg) ([]Finding, error) {
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	info := types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: imports}
	if _, err := conf.Check(p.ImportPath, set, files, &info); err != nil {
		return nil, err
	}
	w := walker{set: set, info: &info}
	for _, f := range files {
		w.walk(f)
	}
	return w.found, nil
}

// A walker gathers the findings of a package.
type walker struct {
	set   *token.FileSet
	info  *types.Info
	stack []ast.Node // the nodes around the one that is looked at
	found []Finding
}

func (w *walker) walk(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			w.stack = w.stack[:len(w.stack)-1]
			return true
		}
		w.look(n)
		w.stack = append(w.stack, n)
		return true
	})
}

func (w *walker) report(n ast.Node, format string, args ...any) {
	start, end := w.set.Position(n.Pos()), w.set.Position(n.End())
	w.found = append(w.found, Finding{start, fmt.Sprintf(format, args...), start.Offset, end.Offset})
}

// look reports n if its bits depend on the machine.
func (w *walker) look(n ast.Node) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if w.product(n.Op, n, n.Y) && !w.rounded(n) {
			w.report(n, "a product that may be fused")
		}
	case *ast.AssignStmt:
		if n.Tok == token.MUL_ASSIGN && w.product(token.MUL, n.Lhs[0], n.Rhs[0]) ||
			n.Tok == token.QUO_ASSIGN && w.product(token.QUO, n.Lhs[0], n.Rhs[0]) {
			w.report(n, "a product that may be fused, as an assignment")
		}
	case *ast.SelectorExpr:
		if f, ok := w.info.Uses[n.Sel].(*types.Func); ok && f.Pkg() != nil && differs(f.Pkg().Path(), f.Name()) {
			w.report(n, "%s.%s differs between machines", f.Pkg().Path(), f.Name())
		}
	}
}

// product reports whether an operation of the type of e is a product of floating-point
// numbers to the compiler: x*y, or x/2, which it computes as x*0.5.
func (w *walker) product(op token.Token, e, right ast.Expr) bool {
	t := w.info.Types[e]
	if t.Value != nil || t.Type == nil {
		return false
	}
	b, ok := t.Type.Underlying().(*types.Basic)
	if !ok || b.Info()&(types.IsFloat|types.IsComplex) == 0 {
		return false
	}
	return op == token.MUL || op == token.QUO && powerOfTwo(w.info.Types[right].Value)
}

// powerOfTwo reports whether v is ±2ᵏ.
func powerOfTwo(v constant.Value) bool {
	if v == nil {
		return false
	}
	f, _ := constant.Float64Val(constant.ToFloat(v))
	return f != 0 && isPower(f)
}

// rounded reports whether what surrounds the product e, which is not on the stack yet,
// rounds it or does not add.
func (w *walker) rounded(e ast.Expr) bool {
	if b, ok := w.info.Types[e].Type.Underlying().(*types.Basic); ok && b.Info()&types.IsComplex != 0 {
		return false // a complex product has sums in it
	}
	for _, n := range slices.Backward(w.stack) {
		switch n := n.(type) {
		case *ast.ParenExpr:
			continue
		case *ast.BinaryExpr:
			switch n.Op {
			case token.MUL, token.QUO:
				return !w.doubles(n)
			case token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ:
				return true
			}
			return false
		case *ast.CallExpr:
			return w.roundedBy(n)
		default:
			return false
		}
	}
	return false
}

// doubles reports whether an operation is a product with 2, which the compiler makes a sum.
func (w *walker) doubles(n *ast.BinaryExpr) bool {
	is := func(e ast.Expr, c float64) bool {
		v := w.info.Types[e].Value
		if v == nil {
			return false
		}
		f, _ := constant.Float64Val(constant.ToFloat(v))
		return f == c
	}
	if n.Op == token.QUO {
		return is(n.Y, 0.5)
	}
	return is(n.X, 2) || is(n.Y, 2)
}

// roundedBy reports whether a call rounds its argument: a conversion, or a function
// that is an instruction.
func (w *walker) roundedBy(call *ast.CallExpr) bool {
	if w.info.Types[call.Fun].IsType() {
		return true
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := w.info.Uses[s.Sel].(*types.Func)
	return ok && f.Pkg() != nil && f.Pkg().Path() == "math" && unfused[f.Name()]
}

// isPower reports whether f is ±2ᵏ.
func isPower(f float64) bool {
	m, _ := math.Frexp(math.Abs(f))
	return m == 0.5
}
