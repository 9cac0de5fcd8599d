package golang_test

import (
	"bytes"
	"flag"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/golang"
	"github.com/hamc-dev/hamc/codegen/loop"
)

var update = flag.Bool("update", false, "write what is printed to testdata")

// TestPrint: the programs in testdata/print.txt are printed as the Go that stands behind them.
func TestPrint(t *testing.T) {
	file := filepath.Join("testdata", "print.txt")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cases := strings.Split("\n"+string(text), "\n== ")[1:]
	if len(cases) == 0 {
		t.Fatalf("%s holds no cases", file)
	}
	for _, c := range cases {
		title, rest, _ := strings.Cut(c, "\n")
		in, want, _ := strings.Cut(rest, "-->")
		p, err := loop.Parse(in)
		if err == nil {
			err = loop.Verify(p)
		}
		if err != nil {
			t.Fatalf("%s: %v", title, err)
		}
		got := printed(t, p.Funcs[0])
		if strings.TrimSpace(got) != strings.TrimSpace(want) && !*update {
			t.Errorf("%s: printed as\n%s\nwhere this is expected:\n%s", title, got, want)
		}
		out.WriteString("== " + title + "\n" + strings.TrimLeft(in, "\n") + "-->\n" + got + "\n")
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.TrimRight(out.String(), "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// printed is a function as Go.
func printed(t *testing.T, f *loop.Func) string {
	p := &golang.Printer{
		Name: func(v *loop.Var) string { return v.Name },
		Path: func(pkg string) string { return pkg },
		Fit:  func(name string) *jen.Statement { return jen.Id(name) },
		Kept: func(string) bool { return false },
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
