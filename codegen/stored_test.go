package codegen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

// TestStored: the banana keeps at most eight numbers that it computes of its data. Those that are products or sums of
// them are computed where they are read.
func TestStored(t *testing.T) {
	for _, name := range []string{"banana", "banana_explicit"} {
		file, err := parser.ParseFile(token.NewFileSet(), "../generated/"+name+"/"+name+".go", nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		numbers := map[string]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			f, ok := n.(*ast.FuncDecl)
			if !ok || f.Name.Name != "summarise" {
				return true
			}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.ASSIGN {
					for _, x := range a.Lhs {
						if x, ok := x.(*ast.SelectorExpr); ok {
							numbers[x.Sel.Name] = true
						}
					}
				}
				return true
			})
			return false
		})
		if len(numbers) == 0 || len(numbers) > 8 {
			t.Errorf("%s keeps %d numbers: %v", name, len(numbers), numbers)
		}
	}
}
