package main

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Size is how large the code is that a compiler makes of a model.
type Size struct {
	Lines        int     `json:"lines"`         // of Go
	Fields       int     `json:"fields"`        // unexported ones of its structs: what is stored
	Code         int     `json:"code"`          // bytes of machine code in the object file of the package
	Largest      int     `json:"largest"`       // of that, the largest function
	LargestName  string  `json:"largest_name"`  // its name
	Milliseconds float64 `json:"generation_ms"` // processor time of hamc, the median of several
}

// sizes measures the code of all examples on both sides. An example that the old compiler cannot compile has no
// old size.
func sizes(ctx context.Context, old, now *Side, examples []example, times int) ([]Pair[Size], error) {
	var rows []Pair[Size]
	for _, e := range examples {
		took := map[*Side][]time.Duration{}
		row := Pair[Size]{Model: e.Name}
		for i := range 2 * times { // in the order old, new, new, old
			s := old
			if i%4 == 1 || i%4 == 2 {
				s = now
			}
			if s == old && row.OldError != "" {
				continue
			}
			t, err := s.emit(ctx, e)
			switch {
			case err != nil && s == old:
				row.OldError = err.Error()
			case err != nil:
				return nil, err
			}
			took[s] = append(took[s], t)
		}
		for _, s := range []*Side{old, now} {
			if s == old && row.OldError != "" {
				continue
			}
			size, err := s.measure(ctx, e.Name)
			if err != nil {
				return nil, err
			}
			slices.Sort(took[s])
			size.Milliseconds = float64(took[s][len(took[s])/2].Microseconds()) / 1000
			if s == old {
				row.Old = size
			} else {
				row.New = size
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// measure returns the size of emitted code, without the time that it took.
func (s *Side) measure(ctx context.Context, model string) (*Size, error) {
	text, err := os.ReadFile(s.emitted(model))
	if err != nil {
		return nil, err
	}
	size := &Size{Lines: bytes.Count(text, []byte("\n"))}
	if size.Fields, err = storedFields(string(text)); err != nil {
		return nil, err
	}
	object := filepath.Join(s.Work, model+".a")
	if err := s.build(ctx, model, object); err != nil {
		return nil, err
	}
	symbols, err := output(ctx, s.Root, "go", "tool", "nm", "-size", "-sort", "size", object)
	if err != nil {
		return nil, err
	}
	size.Code, size.Largest, size.LargestName, err = machineCode(symbols)
	size.LargestName = strings.TrimPrefix(size.LargestName, modulePath+"/"+overlaid+"/"+model+".")
	return size, err
}

// machineCode adds up the functions in what `go tool nm -size` prints: lines of address, size, kind and name, of which
// the address may be absent and the name may have blanks. Of functions of one size the name that sorts first counts as the largest.
func machineCode(symbols string) (total, largest int, name string, err error) {
	for line := range strings.Lines(symbols) {
		words := strings.Fields(line)
		kind := slices.IndexFunc(words, func(w string) bool { return len(w) == 1 && (w[0] < '0' || w[0] > '9') })
		if kind < 0 {
			return 0, 0, "", fmt.Errorf("not a line of nm: %q", line)
		}
		if words[kind] != "T" && words[kind] != "t" {
			continue
		}
		if kind == 0 || kind+1 == len(words) {
			return 0, 0, "", fmt.Errorf("no size or name: %q", line)
		}
		n, err := strconv.Atoi(words[kind-1])
		if err != nil {
			return 0, 0, "", err
		}
		total += n
		if s := strings.Join(words[kind+1:], " "); n > largest || n == largest && s < name {
			largest, name = n, s
		}
	}
	return total, largest, name, nil
}

// storedFields counts the unexported fields of the structs of a Go file, those of structs within structs too: what a
// model stores, its work space and what it knows of its data, but neither Data nor Params.
func storedFields(text string) (int, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		ast.Inspect(decl, func(node ast.Node) bool {
			if f, ok := node.(*ast.StructType); ok {
				for _, field := range f.Fields.List {
					for _, name := range field.Names {
						if !name.IsExported() {
							n++
						}
					}
				}
			}
			return true
		})
	}
	return n, nil
}
