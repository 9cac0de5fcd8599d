package golang_test

import (
	"bytes"
	"go/format"
	"path/filepath"
	"testing"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/golang"
	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/internal/golden"
)

// TestPrint: the programs in testdata/print.txt are printed as the Go that stands behind them.
func TestPrint(t *testing.T) {
	golden.Run(t, filepath.Join("testdata", "print.txt"), func(t *testing.T, in string) string {
		p, err := loop.Parse(in)
		if err == nil {
			err = loop.Verify(p)
		}
		if err != nil {
			t.Fatal(err)
		}
		return printed(t, p.Funcs[0])
	})
}

// printed is a function as Go.
func printed(t *testing.T, f *loop.Func) string {
	p := &golang.Printer{
		Name: func(v *loop.Var) string { return v.Name },
		Path: func(pkg string) string { return pkg },
		Fit:  func(name string) *jen.Statement { return jen.Id(name) },
		Kept: func(string) bool { return false },
		Cuts: true,
	}
	if reads := loop.EffectsOf(f.Body...).Reads; loop.Decides(f.Body) {
		p.Times = func(v *loop.Var) int { return len(reads[v]) }
	}
	body := p.Stmts(f.Body)
	sizes, decls := p.Head()
	var b bytes.Buffer
	code := jen.Func().Id(f.Name).Params().Block(append(append(sizes, decls...), body...)...)
	if err := code.Render(&b); err != nil {
		t.Fatal(err)
	}
	src, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}
