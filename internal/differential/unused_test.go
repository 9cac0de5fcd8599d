package differential

import (
	"go/ast"
	"go/parser"
	"go/token"
	"sort"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestUnused checks that generated code declares no field that nothing reads and
// no unexported method that nothing calls: what go vet does not look for, and a
// reader stumbles over.
func TestUnused(t *testing.T) {
	for _, s := range compiled(t) {
		names, err := unused(s.code)
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		if len(names) > 0 {
			t.Errorf("%s: never used: %s", s.name, strings.Join(names, ", "))
		}
	}
}

// unused returns the fields and unexported methods of a file that are declared,
// and perhaps assigned to, but never used.
func unused(code []byte) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "model.go", code, 0)
	if err != nil {
		return nil, err
	}
	declared := map[string]bool{}
	written := map[ast.Node]bool{} // selectors that are assigned to
	read := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			for _, f := range n.Fields.List {
				for _, name := range f.Names {
					declared[name.Name] = true
				}
			}
		case *ast.FuncDecl:
			if n.Recv != nil {
				declared[n.Name.Name] = true
			}
		case *ast.AssignStmt:
			if n.Tok == token.ASSIGN {
				for _, l := range n.Lhs {
					written[l] = true
				}
			}
		case *ast.SelectorExpr:
			if !written[n] {
				read[n.Sel.Name] = true
			}
		}
		return true
	})
	var out []string
	for name := range declared {
		if r, _ := utf8.DecodeRuneInString(name); !unicode.IsUpper(r) && !read[name] {
			out = append(out, name)
		}
	}
	sort.Strings(out)
	return out, nil
}
