package dsl

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// A model may take functions from files beside it. Its text and theirs go through hamc as one text, a bundle: that of the model and behind
// it, for each file, a line with its name, as in Go's txtar, and its text. So what is kept of a model, in a run's manifest or as a checksum, is all of it.

// Import is a file that a model imports.
type Import struct {
	Name string // as `functions.ham`: it stands in the folder of the model
	Text string
}

// importLine is the line before the text of an imported file in a bundle. No statement has such a line.
var importLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^-- ([A-Za-z_][A-Za-z0-9_]*\.ham) --\n`) })

// Bundle puts the texts of imported files behind the model's. Unbundle takes them apart.
func Bundle(text string, files []Import) string {
	var b strings.Builder
	b.WriteString(text)
	for _, f := range files {
		if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "-- %s --\n%s", f.Name, f.Text)
	}
	return b.String()
}

// Unbundle returns the model's text in a bundle, and the imported files behind it.
func Unbundle(bundle string) (text string, files []Import) {
	at := importLine().FindAllStringSubmatchIndex(bundle, -1)
	if at == nil {
		return bundle, nil
	}
	for n, m := range at {
		end := len(bundle)
		if n+1 < len(at) {
			end = at[n+1][0]
		}
		files = append(files, Import{bundle[m[2]:m[3]], bundle[m[1]:end]})
	}
	return bundle[:at[0][0]], files
}

// WithImports returns the text of a model with those of the files that it imports, directly or through others, each once. read returns the text of the file of a
// name, and false if there is none: the checker tells of that.
func WithImports(text string, read func(name string) (text string, ok bool)) string {
	if strings.Contains(text, "-- ") && importLine().MatchString(text) {
		return text // it is a bundle
	}
	var files []Import
	seen := map[string]bool{}
	var from func(text string)
	from = func(text string) {
		for _, name := range imported(text) {
			if seen[name] {
				continue
			}
			seen[name] = true
			if t, ok := read(name); ok {
				files = append(files, Import{name, t})
				from(t)
			}
		}
	}
	from(text)
	return Bundle(text, files)
}

// imported are the names of the files that a text imports itself.
func imported(text string) []string {
	if !strings.Contains(text, "import") {
		return nil // most do not
	}
	file := readFile("", text, &Diagnostics{})
	var out []string
	for _, s := range file.Stmts {
		if s, ok := s.(*ImportStmt); ok {
			out = append(out, s.file())
		}
	}
	return out
}

// file is the name of the file that is imported.
func (s *ImportStmt) file() string { return s.Name.Name + ".ham" }

// HoldsFunctions reports whether a text is one that could be imported: there are functions in it and nothing else.
func HoldsFunctions(text string) bool {
	own, _ := Unbundle(text)
	return readFile("", own, &Diagnostics{}).holdsFunctions()
}

// CheckFunctions checks a file that HoldsFunctions, with those that it imports behind its text.
func CheckFunctions(name, text string) *Diagnostics {
	ds := NewDiagnostics(name, text)
	file := readFile("", ds.Text, ds)
	if !ds.has(TooLarge) {
		newChecker(file, &Model{}, ds, Options{}).functions(file)
	}
	ds.sort()
	return ds
}

// NewDiagnostics returns no diagnostics of a model in a file, of which bundle is the text.
func NewDiagnostics(file, bundle string) *Diagnostics {
	ds := &Diagnostics{File: file}
	ds.Text, ds.imports = Unbundle(bundle)
	return ds
}

// Place returns the path of the file that a position is in, and its text.
func (ds *Diagnostics) Place(at Pos) (path, text string) {
	for _, f := range ds.imports {
		if f.Name == at.File {
			return filepath.Join(filepath.Dir(ds.File), f.Name), f.Text
		}
	}
	return ds.File, ds.Text
}

// firstSpan is the extent of the first token of a statement.
func firstSpan(s Stmt) Span { return (&Syntax{Tokens: s.Source()}).At() }

// importer reads the files that a model imports.
type importer struct {
	*checker
	open  []string        // files whose imports are being read
	read  map[string]bool // files that were
	parts int             // of the expressions of all of them
}

// imports defines the functions of the imported files, those of a file before what imports it.
func (c *checker) imports(f *File) {
	(&importer{checker: c, read: map[string]bool{}}).from(f)
}

// from reads the imports of a file.
func (m *importer) from(f *File) {
	for _, s := range f.Stmts {
		if s, ok := s.(*ImportStmt); ok {
			m.file(s)
		}
	}
}

// file reads an imported file.
func (m *importer) file(s *ImportStmt) {
	name := s.file()
	for _, open := range m.open {
		if open == name {
			m.err(BadImport, s.Name.At, "put what both need into a third file", "%s imports itself%s", name, through(m.open, name))
			return
		}
	}
	if m.read[name] {
		return
	}
	m.read[name] = true
	text, ok := m.importedText(name)
	if !ok {
		m.err(BadImport, s.Name.At, "a file of functions stands in the folder of the model, and is imported by its name without the ending",
			"there is no file %s beside the model", name)
		m.lostFuncs = true
		return
	}
	file := readFile(name, text, m.ds)
	if m.parts += countExprs(file); m.parts > maxNodes {
		m.err(TooLarge, s.Name.At, "import what the model calls", "the expressions of the imported files have more than %d parts", maxNodes)
		m.lostFuncs = true
		return
	}
	if file.Name.Name != "" {
		m.err(BadImport, s.Name.At, "put its functions into a file of their own, which both import", "%s is a model, and a file that is imported holds functions alone", name)
		m.lostFuncs = true
		return
	}
	m.open = append(m.open, name)
	m.from(file)
	m.open = m.open[:len(m.open)-1]
	for _, id := range file.Lost {
		m.poisoned[id.Name] = true
	}
	m.lostFuncs = m.lostFuncs || file.lostFuncs
	spoiled := false // that is said once
	for _, s := range file.Stmts {
		switch s := s.(type) {
		case *FuncStmt:
			m.laterFuncs[s.Name.Name] = s.Name.At
		case *ImportStmt:
		default:
			if !spoiled {
				m.err(BadImport, firstSpan(s), "put it into the model", "a file that is imported holds functions alone")
			}
			spoiled = true
		}
	}
	for _, s := range file.Stmts {
		if s, ok := s.(*FuncStmt); ok {
			m.define(s, map[string]Object{})
		}
	}
}

// through says which files lie between a file and itself.
func through(open []string, name string) string {
	for len(open) > 0 && open[0] != name {
		open = open[1:]
	}
	if len(open) < 2 {
		return ""
	}
	return " through " + strings.Join(open[1:], ", ")
}

// importedText is the text of an imported file of the bundle.
func (c *checker) importedText(name string) (string, bool) {
	for _, f := range c.ds.imports {
		if f.Name == name {
			return f.Text, true
		}
	}
	return "", false
}
