package dsl_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
)

// TestBundle checks that the files of a bundle come out of it as they went in, but for a line end that the model lacks.
func TestBundle(t *testing.T) {
	files := []dsl.Import{{Name: "a.ham", Text: "func f(x real) = x\n"}, {Name: "b_2.ham", Text: ""}, {Name: "c.ham", Text: "// the last\nfunc g(x real) = x"}}
	for _, text := range []string{"", "model m", "model m\n\nimport a\n", "model m\n-- a.txt --\n--a.ham--\n -- a.ham --\n"} {
		got, imports := dsl.Unbundle(dsl.Bundle(text, files))
		want := text
		if want != "" && !strings.HasSuffix(want, "\n") {
			want += "\n"
		}
		if got != want || !slices.Equal(imports, files) {
			t.Errorf("%q comes out as %q and %v", text, got, imports)
		}
		if got, imports := dsl.Unbundle(dsl.Bundle(text, nil)); got != text || imports != nil {
			t.Errorf("%q alone comes out as %q and %v", text, got, imports)
		}
	}
}

// folder is a folder of files, in an archive as Bundle makes it.
func folder(archive string) func(name string) (string, bool) {
	_, files := dsl.Unbundle(archive)
	return func(name string) (string, bool) {
		i := slices.IndexFunc(files, func(f dsl.Import) bool { return f.Name == name })
		if i < 0 {
			return "", false
		}
		return files[i].Text, true
	}
}

// TestImports checks what is said of models that import files, with the places.
func TestImports(t *testing.T) {
	const head = "model m\nimport a\nparam x real\n"
	for _, c := range []struct {
		name, text, files string
		want              []string // file:line:column code, and the places of notes
		says              string   // in the messages
	}{
		{"good", head + "x ~ normal(f(0.5), 1)\n", "-- a.ham --\nfunc f(y real) = y^2\n", nil, ""},
		{"anywhere", "model m\nparam x real\nx ~ normal(f(0.5), 1)\nimport a\n", "-- a.ham --\nfunc f(y real) = y^2", nil, ""},
		{"a name like others", "model m\nparam import real\nimport ~ normal(0, 1)\n", "", nil, ""},
		{"twice, through two", head + "import b\nimport a\nx ~ normal(f(g(1)), 1)\n",
			"-- a.ham --\nimport c\nfunc f(y real) = h(y)\n-- b.ham --\nimport c\nfunc g(y real) = h(y)\n-- c.ham --\nfunc h(y real) = y\n", nil, ""},
		{"what is not used", head + "x ~ normal(0, 1)\n", "-- a.ham --\nfunc f(y real) = y\n", nil, ""},
		{"no file", head + "import b\nx ~ nothing(f(1), b(2))\n", "-- a.ham --\nfunc f(y real) = y\n", []string{"m.ham:4:8 H210"}, "no file b.ham beside the model"},
		{"itself", head + "x ~ normal(f(1), 1)\n", "-- a.ham --\nimport a\nfunc f(y real) = y\n", []string{"a.ham:1:8 H210"}, "a.ham imports itself\n"},
		{"itself through others", head + "x ~ normal(f(1), 1)\n", "-- a.ham --\nimport b\nfunc f(y real) = y\n-- b.ham --\nimport c\n-- c.ham --\nimport a\n",
			[]string{"c.ham:1:8 H210"}, "a.ham imports itself through b.ham, c.ham"},
		{"a model", head + "x ~ normal(f(1), 1)\n", "-- a.ham --\nmodel a\nparam y real\n", []string{"m.ham:2:8 H210"}, "a.ham is a model"},
		{"more than functions", head + "x ~ normal(f(1), 1)\n", "-- a.ham --\nfunc f(y real) = y\n// Not here.\ndata n int\nconst k = 2\n", []string{"a.ham:3:1 H210"}, ""},
		{"a mistake in a body", head + "x ~ normal(f(1), 1)\n", "-- a.ham --\n\nfunc f(y real) = y + z\n", []string{"a.ham:2:22 H201"}, "    2 | func f(y real) = y + z\n"},
		{"the model's consts", head + "const k = 2\nx ~ normal(f(1), k)\n", "-- a.ham --\nfunc f(y real) = k*y\n", []string{"a.ham:1:18 H201"}, ""},
		{"a syntax error", head + "x ~ normal(f(1), 1)\n", "-- a.ham --\nfunc f(y real)\n", []string{"a.ham:1:15 H102"}, "    1 | func f(y real)\n"},
		{"a wrong call", head + "x ~ normal(f(1, 2), 1)\n", "-- a.ham --\nfunc f(y real) = y\n", []string{"m.ham:4:12 H306 a.ham:1:6"}, "    1 | func f(y real) = y\n"},
		{"a wrong body at a call", head + "x ~ normal(f(x), 1)\n", "-- a.ham --\nfunc f(y real) = max(f2(y))\nfunc f2(y real) = y\n", []string{"a.ham:1:22 H208 a.ham:2:6"}, ""},
		{"a name twice", head + "func f(y real) = y\nx ~ normal(f(1), 1)\n", "-- a.ham --\nfunc f(y real) = y\n", []string{"m.ham:4:6 H202 a.ham:1:6"}, "note: first declared here"},
		{"an argument that is not used", head + "x ~ normal(f(1, 2), 1)\n", "-- a.ham --\nfunc f(y, z real) = y\n", []string{"a.ham:1:11 W201"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			bundle := dsl.WithImports(c.text, folder(c.files))
			_, ds := dsl.Load("m.ham", bundle, dsl.Options{})
			var got []string
			place := func(s dsl.Span) string {
				path, _ := ds.Place(s.Pos)
				return fmt.Sprintf("%s:%d:%d", path, s.Pos.Line, s.Pos.Col)
			}
			for _, d := range ds.List {
				line := place(d.Span) + " " + string(d.Code)
				for _, n := range d.Notes {
					line += " " + place(n.Span)
				}
				got = append(got, line)
			}
			if !slices.Equal(got, c.want) || !strings.Contains(ds.String(), c.says) {
				t.Errorf("got %q, want %q and %q in\n%s", got, c.want, c.says, ds)
			}
			if again := dsl.WithImports(bundle, folder("")); again != bundle {
				t.Errorf("a bundle becomes another:\n%s", again)
			}
		})
	}
}

// TestFileOfFunctions checks which texts are files of functions, and what is said of them.
func TestFileOfFunctions(t *testing.T) {
	for text, holds := range map[string]bool{"": false, "// nothing": false, "model m\nfunc f(x real) = x": false, "func f(x real) = x\ndata n int": false,
		"func f(x real) = x": true, "import a": true, "// model\nfunc model_of(x real) = x\nimport b\n": true} {
		if dsl.HoldsFunctions(text) != holds {
			t.Errorf("%q: %v", text, !holds)
		}
	}
	text := "import b\nfunc f(x real) = g(x) + h(x)\n"
	bundle := dsl.WithImports(text, folder("-- b.ham --\nfunc g(x real) = y\n"))
	ds := dsl.CheckFunctions("lib/f.ham", bundle)
	if got := ds.String(); strings.Count(got, "error[") != 2 || !strings.Contains(got, "lib/f.ham:2:25: error[H203]") || !strings.Contains(got, "lib/b.ham:1:18: error[H201]") {
		t.Errorf("%s", got)
	}
	if _, ds := dsl.Load("f.ham", text, dsl.Options{}); !strings.Contains(ds.String(), "is read where a model has `import` with its name") {
		t.Errorf("as a model:\n%s", ds)
	}
}
