package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hamc-dev/hamc/codegen"
)

// clash reports the first name that generated code would declare, or import, and another file of its
// package declares: Go compiles no such package.
func clash(targets []*target) error {
	own := make([]*declared, len(targets))
	for i, t := range targets {
		own[i] = declarations(t.path, t.code)
		for _, o := range own[:i] {
			if name := own[i].meets(o); name != "" {
				return problem{fmt.Errorf("%s and %s would both declare %s: generate one with another --prefix", o.file, t.path, name)}
			}
		}
	}
	for _, o := range siblings(targets) {
		for i, d := range own {
			name := d.meets(o)
			if name == "" {
				continue
			}
			where := fmt.Sprintf("%s:%d", o.file, o.names[name])
			switch {
			case d.imports[name]:
				return problem{fmt.Errorf("%s declares %s, and generated code imports a package of that name: rename it", where, name)}
			case o.source != "":
				return problem{fmt.Errorf("%s, generated from %s, declares %s as %s would: if both models are needed, give each a --prefix or generate them in one command, else remove the file",
					where, o.source, name, d.file)}
			case targets[i].prefix == "":
				return problem{fmt.Errorf("%s declares %s, as %s would: --prefix %s makes that %s", where, name, d.file,
					codegen.PrefixOf(targets[i].model.name()), prefixed(name, codegen.PrefixOf(targets[i].model.name())))}
			}
			return problem{fmt.Errorf("%s declares %s, as %s would: choose another --prefix", where, name, d.file)}
		}
	}
	return nil
}

// prefixed is what a prefix makes of one of the names of generated code.
func prefixed(name, prefix string) string {
	for _, verb := range []string{"New", "Read"} {
		if rest, ok := strings.CutPrefix(name, verb); ok {
			return verb + prefix + rest
		}
	}
	return prefix + strings.ToUpper(name[:1]) + name[1:]
}

// declared is what a file declares and imports.
type declared struct {
	file    string
	source  string         // the model that it was generated from
	names   map[string]int // with their lines
	imports map[string]bool
}

// meets returns the first name that the file, which is generated, declares or imports and
// another declares.
func (d *declared) meets(o *declared) string {
	for _, name := range slices.Sorted(maps.Keys(o.names)) {
		if d.names[name] > 0 || d.imports[name] {
			return name
		}
	}
	return ""
}

// declarations reads what a file declares, as far as it can be read.
func declarations(file string, code []byte) *declared {
	set := token.NewFileSet()
	f, _ := parser.ParseFile(set, file, code, parser.SkipObjectResolution)
	d := &declared{file: file, names: map[string]int{}, imports: map[string]bool{}}
	if h, ok := codegen.ReadHeader(code); ok {
		d.source = h.Source
	}
	if f == nil {
		return d
	}
	add := func(id *ast.Ident) {
		if id.Name != "_" && id.Name != "init" {
			d.names[id.Name] = set.Position(id.Pos()).Line
		}
	}
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil {
				add(decl.Name)
			}
		case *ast.GenDecl:
			for _, s := range decl.Specs {
				switch s := s.(type) {
				case *ast.ImportSpec:
					d.imports[importedName(s)] = true
				case *ast.TypeSpec:
					add(s.Name)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						add(id)
					}
				}
			}
		}
	}
	return d
}

// importedName is the name that generated code has for a package.
func importedName(s *ast.ImportSpec) string {
	if s.Name != nil {
		return s.Name.Name
	}
	p, _ := strconv.Unquote(s.Path.Value)
	if dir, last := path.Split(p); len(last) > 1 && last[0] == 'v' && last[1] >= '0' && last[1] <= '9' {
		p = path.Clean(dir)
	}
	return path.Base(p)
}

// siblings reads the other files of the package that targets are written to, as far as this platform
// compiles them.
func siblings(targets []*target) (list []*declared) {
	dir := filepath.Dir(targets[0].path)
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		file := filepath.Join(dir, entry.Name())
		if filepath.Ext(file) != ".go" || slices.ContainsFunc(targets, func(t *target) bool { return filepath.Clean(t.path) == file || sameFile(t.path, file) }) {
			continue
		}
		if ok, err := build.Default.MatchFile(dir, entry.Name()); err != nil || !ok {
			continue
		}
		code, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, code, parser.PackageClauseOnly)
		if err != nil || f.Name.Name != targets[0].pkg {
			continue
		}
		list = append(list, declarations(file, code))
	}
	return list
}
