package loop

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/internal/golden"
)

// TestRules: the programs of testdata/rules.txt are refused for one rule each, and those that are like them but for the mistake are not. Every
// rule has its program: no message of Verify is without one.
func TestRules(t *testing.T) {
	said := ""
	golden.Run(t, filepath.Join("testdata", "rules.txt"), func(t *testing.T, in string) string {
		p, err := Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if err := Verify(p); err != nil {
			said += err.Error() + "\n"
			return err.Error()
		}
		return "no rule is broken"
	})
	for _, x := range unsaid {
		err := Verify(&Program{Funcs: []*Func{{Name: "f", Body: x}}})
		if err == nil {
			t.Errorf("no rule is broken by %s", (&Func{Name: "f", Body: x}).Format())
			continue
		}
		said += err.Error() + "\n"
	}
	for _, format := range messages(t) {
		quoted := regexp.QuoteMeta(format)
		for _, verb := range []string{"%s", "%d", "%w"} {
			quoted = strings.ReplaceAll(quoted, verb, ".+")
		}
		if !regexp.MustCompile(quoted).MatchString(said) {
			t.Errorf("no program in testdata/rules.txt is refused with %q", format)
		}
	}
}

// unsaid are bodies that break rules which the text form has no way to break, but a pass could.
var unsaid = func() [][]Stmt {
	x, field := &Var{Name: "x"}, &Var{Name: "y", Home: View}
	return [][]Stmt{
		{&Let{x, Number(1)}, &Let{x, Number(2)}},
		{&For{V: x, From: Const(0), To: Const(2)}},
		{&While{V: x, From: Const(0)}},
		{&Let{x, &Expr{Op: Add, K: []float64{1}}}},
		{&Let{x, Value(field)}},
		{&Let{&Var{Name: "a", Shape: []*Int{Const(1)}}, Number(1)}},
	}
}()

// messages are the formats of all messages of Verify.
func messages(t *testing.T) []string {
	var out []string
	files, _ := filepath.Glob("*.go")
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || name == "parse.go" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			text, isText := call.Args[0].(*ast.BasicLit)
			if ok && isText && (f.Sel.Name == "fail" || f.Sel.Name == "Errorf") {
				format, _ := strconv.Unquote(text.Value)
				out = append(out, format)
			}
			return true
		})
	}
	if len(out) < 30 {
		t.Fatalf("%d messages of Verify are found", len(out))
	}
	return out
}

// TestKernels: each row of the table is a function of the runtime, with as many parameters as it has arguments and sizes, the result and, of
// random numbers, their generator.
func TestKernels(t *testing.T) {
	params := map[string]int{}
	for _, pkg := range []string{"kernel", "linalg", "random"} {
		files, err := filepath.Glob(filepath.Join("../../runtime", pkg, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal("no source of the runtime", err)
		}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
					params[pkg+"."+f.Name.Name] = f.Type.Params.NumFields()
				}
			}
		}
	}
	for _, x := range kernelTable {
		row := kernelRows[x.name]
		want := len(row.args) + len(row.told)
		if row.result.word != "number" {
			want++
		}
		if strings.HasPrefix(x.name, "random.") {
			want++
		}
		if x.name == NewMatrix { // the sizes and the rows
			want = 3
		}
		if got, ok := params[x.name]; !ok || got != want {
			t.Errorf("%s has %d parameters in the runtime, and %d here", x.name, got, want)
		}
	}
}

// TestParseErrors: a text that is no program is an error, never a panic, and the place is told.
func TestParseErrors(t *testing.T) {
	good := "func f(out[n], a)\n\tfor i in 0 : n {\n\t\tif i >= 1 and i < n {\n\t\t\tout[i] = -2*a^-0.5*(a + 1) - math.Exp(a)\n\t\t}\n\t}\n\tend\n"
	if _, err := Parse(good); err != nil {
		t.Fatal(err)
	}
	for n := range good {
		if _, err := Parse(good[:n]); err == nil && n > 0 && n < len(good)-2 {
			t.Errorf("no error in %q", good[:n])
		}
	}
}
