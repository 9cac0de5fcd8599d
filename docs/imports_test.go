package docs_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// imports says what the packages of some directories may import: packages of the module, or those below one that ends in
// a slash. "." is the source of the runtime, as data. Modules of others are free but for runtime.
var imports = []struct {
	dir  string
	from []string
}{
	{"dsl", nil},
	{"symbolic/expr", []string{"dsl", "runtime/special", "runtime/elementary", "runtime/linalg"}},
	{"symbolic/internal/naive", []string{"dsl", "symbolic/expr"}},
	{"symbolic/model", []string{"dsl", "symbolic/expr"}},
	{"symbolic", []string{"dsl", "symbolic/expr", "symbolic/model", "runtime/elementary"}},
	{"symbolic/interpret", []string{"dsl", "symbolic", "symbolic/expr", "symbolic/model", "runtime", "runtime/"}},
	{"codegen/loop", nil},
	{"codegen/pass", []string{"codegen/loop"}},
	{"codegen/golang", []string{"codegen/loop"}},
	{"codegen/unroll", []string{"codegen/loop"}},
	{"codegen", []string{"dsl", "symbolic", "symbolic/expr", "symbolic/model", "codegen/loop", "codegen/pass", "codegen/golang", "codegen/unroll", "."}},

	{"runtime/kernel", nil},
	{"runtime/elementary", []string{"runtime/kernel"}},
	{"runtime/elementary/tables", nil},
	{"runtime/special", []string{"runtime/elementary", "runtime/kernel"}},
	{"runtime/linalg", []string{"runtime/elementary", "runtime/kernel"}},
	{"runtime/ode", []string{"runtime/kernel"}},
	{"runtime/random", []string{"runtime/elementary", "runtime/linalg"}},
	{"runtime/transform", []string{"runtime/elementary"}},
	{"runtime/validate", []string{"runtime/linalg", "runtime/transform"}},
	{"runtime/datafile", []string{"runtime/validate"}},
	{"runtime", []string{"runtime/elementary", "runtime/linalg", "runtime/ode", "runtime/random"}},
	{"runtime/system", []string{"runtime", "runtime/linalg", "runtime/ode"}},
	{"runtime/files", nil},
	{"runtime/draws", nil},
	{"runtime/export", []string{"runtime/draws"}},
	{"runtime/diagnostics", []string{"runtime/elementary", "runtime/kernel", "runtime/special"}},
	{"runtime/driver", []string{"runtime", "runtime/diagnostics", "runtime/draws", "runtime/files", "runtime/linalg"}},
	{"runtime/grid", []string{"runtime", "runtime/diagnostics", "runtime/elementary", "runtime/files", "runtime/linalg", "runtime/ode", "runtime/random"}},
}

// TestImports checks the first invariant of docs/architecture.md: imports point
// one way. A row lists what its package imports and no more, and each package below runtime has one.
func TestImports(t *testing.T) {
	rows := map[string]bool{}
	for _, row := range imports {
		rows[row.dir] = true
		used := map[string]bool{}
		for file, paths := range importsOf(t, row.dir) {
			for _, path := range paths {
				own, ours := strings.CutPrefix(path+"/", module)
				own = strings.TrimSuffix(own, "/")
				if ours && own == "" {
					own = "."
				}
				fine := !ours && (!strings.HasPrefix(row.dir, "runtime") || !strings.Contains(path, "."))
				for _, from := range row.from {
					if ours && (own == from || strings.HasSuffix(from, "/") && strings.HasPrefix(own, from)) {
						fine, used[from] = true, true
					}
				}
				if !fine {
					t.Errorf("%s imports %s", file, path)
				}
			}
		}
		for _, from := range row.from {
			if !used[from] {
				t.Errorf("%s does not import %s, which its row allows", row.dir, from)
			}
		}
	}
	for _, dir := range packagesBelow(t, "runtime") {
		if !rows[dir] {
			t.Errorf("%s has no row that says what it may import", dir)
		}
	}
}

// module is the path of this module, with a slash.
const module = "github.com/hamc-dev/hamc/"

// importsOf returns what the files of a package import, without those of its tests.
func importsOf(t *testing.T, dir string) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.go"))
	if err != nil || len(files) == 0 {
		t.Errorf("%s holds no Go files: %v", dir, err)
	}
	out := map[string][]string{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			out[file] = append(out[file], strings.Trim(spec.Path.Value, `"`))
		}
	}
	return out
}

// packagesBelow returns the directory and those below it that hold Go files, without testdata and other modules.
func packagesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil || d.Name() == "testdata" {
			return filepath.SkipDir
		}
		files, err := filepath.Glob(filepath.Join(path, "*.go"))
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if len(files) > 0 {
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
