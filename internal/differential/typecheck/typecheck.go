// Package typecheck has Go's type checker look at generated code: what it accepts compiles, but for
// what the linker finds.
package typecheck

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// imports imports what generated code imports from the export data that the go
// command keeps in its cache.
var imports = sync.OnceValues(func() (types.Importer, error) {
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", "github.com/hamc-dev/hamc/runtime/...").Output()
	if err != nil {
		said := ""
		if e := (*exec.ExitError)(nil); errors.As(err, &e) {
			said = string(e.Stderr)
		}
		return nil, fmt.Errorf("go list: %w\n%s", err, said)
	}
	files := map[string]string{}
	for _, line := range strings.Split(string(out), "\n") {
		path, file, _ := strings.Cut(line, "\t")
		files[path] = file
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(files[path])
	}), nil
})

// Ready prepares what Check needs: the export data of the runtime, which the go command compiles.
// The working directory is in a module that has the runtime.
func Ready() error {
	_, err := imports()
	return err
}

// Check returns the first errors of the type checker, which finds unused
// variables too, in the files of one package.
func Check(files ...[]byte) error {
	from, err := imports()
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	var parsed []*ast.File
	for i, code := range files {
		file, err := parser.ParseFile(set, fmt.Sprintf("file%d.go", i), code, 0)
		if err != nil {
			return err
		}
		parsed = append(parsed, file)
	}
	var messages []string
	conf := types.Config{Importer: from, Error: func(err error) { messages = append(messages, err.Error()) }}
	conf.Check("generated", set, parsed, nil)
	if len(messages) == 0 {
		return nil
	}
	return fmt.Errorf("the generated code does not compile:\n%s", strings.Join(messages[:min(len(messages), 10)], "\n"))
}
