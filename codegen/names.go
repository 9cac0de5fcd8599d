package codegen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Names of the emitted code.
//
// What is named after something of the model, and every variable that is numbered, has no
// name while the code is printed: it stands there as a mark, an identifier that neither
// the language nor this package can write. When the file is complete, its syntax tree
// says where each mark stands, and which names of the code's own are known there. Only then
// marks get names: the first of their wishes that nothing has whose scope meets
// theirs. So no list of the code's own names is kept, and none can be out of date.

// A namer hands out the marks of one file.
type namer struct {
	wishes []wish
}

// wish is what a mark would like to be called.
type wish struct {
	unit int      // the type of the file that it belongs to
	list []string // in order; after the last one numbers join
}

// names gives marks to the things of one type of the file.
type names struct {
	file *namer
	unit int
	of   map[*expr.Tensor]string
}

// newNames starts another type of the file.
func (n *namer) newNames(unit int) *names {
	return &names{file: n, unit: unit, of: map[*expr.Tensor]string{}}
}

// The letter ǂ makes an identifier of Go, and none of the language.
const markFormat = "ǂ%06dǂ"

var marks = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("ǂ[0-9]{6}ǂ") })

// fresh returns the mark of a name near the wanted one.
func (n *names) fresh(want string) string { return n.oneOf(camel(want)) }

// oneOf returns the mark of a name that is one of the wanted ones, which are identifiers, or
// near the first.
func (n *names) oneOf(want ...string) string {
	n.file.wishes = append(n.file.wishes, wish{n.unit, want})
	return fmt.Sprintf(markFormat, len(n.file.wishes)-1)
}

// wanted returns what a mark would best be called. Names that are made of other names are made of it.
func (n *names) wanted(mark string) string {
	i, err := strconv.Atoi(strings.Trim(mark, "ǂ"))
	if err != nil || !marks().MatchString(mark) {
		return mark
	}
	return n.file.wishes[i].candidate(0)
}

// tensor returns the mark of a tensor.
func (n *names) tensor(t *expr.Tensor) string {
	if s, ok := n.of[t]; ok {
		return s
	}
	switch t.Kind {
	case expr.CoordTensor:
		// A parameter that is called like one of the code's own variables.
		n.of[t] = n.oneOf(camel(t.Name), camel(t.Name+"_par"))
	case expr.PositionsOf:
		name := t.Name + "_at"
		if t.Source == nil {
			name = t.Name // it is computed
		}
		n.of[t] = n.fresh(name)
	default:
		n.of[t] = n.fresh(t.Name)
	}
	return n.of[t]
}

// candidate returns wish number k, counted from 0.
func (w *wish) candidate(k int) string {
	if k < len(w.list) {
		return w.list[k]
	}
	k += 2 - len(w.list)
	want := w.list[min(1, len(w.list)-1)]
	if len(w.list) > 2 {
		want = w.list[0]
	}
	if c := want[len(want)-1]; c >= '0' && c <= '9' {
		return want + letters(k) // t1, t1b, t1c
	}
	return want + strconv.Itoa(k)
}

// letters counts 2, 3, … as b, c, …, z, zb, zc, ….
func letters(k int) string {
	s := ""
	for ; k > 26; k -= 25 {
		s += "z"
	}
	return s + string(rune('a'+k-1))
}

// fieldNames gives the data, and apart from them the parameters and the generated
// quantities, exported field names: SigmaY for sigma_y, with a number where two would be equal.
func (g *generator) fieldNames() {
	g.fieldOf = map[string]string{}
	computed := map[string]bool{}
	for _, d := range g.d.Model.Data {
		computed[d.ObjectName()] = d.Formula != nil
	}
	group := func(list []string) {
		taken := map[string]bool{}
		for _, name := range list {
			want := exported(name)
			if computed[name] {
				want = camel(name) // New sets it
			}
			f := want
			for k := 2; taken[f]; k++ {
				f = want + strconv.Itoa(k)
			}
			taken[f] = true
			g.fieldOf[name] = f
		}
	}
	var data, params, quantities []string
	for _, q := range g.d.Quantities {
		quantities = append(quantities, q.Decl.ObjectName())
	}
	for _, d := range g.d.Model.Data {
		data = append(data, d.ObjectName())
	}
	for _, b := range g.d.Params {
		params = append(params, b.Decl.ObjectName())
	}
	group(data)
	group(params)
	group(quantities)
}

// field returns the field of a datum, parameter or generated quantity.
func (g *generator) field(name string) string { return g.fieldOf[name] }

// camel turns sigma_y into sigmaY.
func camel(s string) string {
	parts := strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	out := ""
	for _, p := range parts {
		if p == "" {
			continue
		}
		if out == "" {
			out = strings.ToLower(p[:1]) + p[1:]
			continue
		}
		out += strings.ToUpper(p[:1]) + p[1:]
	}
	if out == "" || out[0] >= '0' && out[0] <= '9' {
		out = "x" + out
	}
	return out
}

// exported turns sigma_y into SigmaY.
func exported(s string) string {
	c := camel(s)
	return strings.ToUpper(c[:1]) + c[1:]
}

// lower makes the first letter of an identifier a small one.
func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// resolve puts names in the place of the marks in a file of Go.
func (n *namer) resolve(src []byte) ([]byte, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	uses := readUses(file)
	called := make([]string, len(n.wishes))
	for i := range n.wishes {
		if id := fmt.Sprintf(markFormat, i); uses.has(id) {
			called[i] = uses.call(id, &n.wishes[i])
		}
	}
	return marks().ReplaceAllFunc(src, func(id []byte) []byte {
		i, _ := strconv.Atoi(strings.Trim(string(id), "ǂ"))
		if called[i] == "" { // in comments alone
			return []byte(n.wishes[i].candidate(0))
		}
		return []byte(called[i])
	}), nil
}

// uses are the places where identifiers stand in a file.
type uses struct {
	file    map[string]bool           // names that are known in all of the file
	fields  map[string]bool           // names of fields and methods
	places  map[string]map[int]*scope // of other identifiers, by declaration of the file: the smallest scope that holds them all
	known   map[place]knowledge       // names, and where they are known
	members map[int]map[string]bool   // by type: names that fields and methods have been given
	decls   int                       // the declarations that have been read
	refused map[refusal]int           // how many of the first wishes of a list are known at a scope
}

// place is a name in a scope. Scopes belong to one declaration.
type place struct {
	name string
	in   *scope
}

// knowledge is what is known of a name in a scope.
type knowledge uint8

const (
	here  knowledge = 1 << iota // the scope is one in which it is known
	below                       // the scope holds such a one, or is one
)

// refusal is a list of wishes, by its first and last, at a scope.
type refusal struct {
	unit        int
	first, last string
	count       int
	in          *scope // nil for the members of the type
}

// scope is a part of a function in which a name may be declared.
type scope struct {
	parent *scope
	depth  int
}

// readUses finds where the identifiers of a file stand.
func readUses(file *ast.File) *uses {
	u := &uses{file: map[string]bool{}, fields: map[string]bool{}, places: map[string]map[int]*scope{},
		known: map[place]knowledge{}, members: map[int]map[string]bool{}, refused: map[refusal]int{}}
	for _, name := range types.Universe.Names() {
		u.file[name] = true
	}
	for _, d := range file.Decls {
		u.decls++
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				u.file[d.Name.Name] = true
			} else {
				u.fields[d.Name.Name] = true
			}
			in := &scope{}
			if d.Recv != nil {
				u.read(d.Recv, in)
			}
			u.read(d.Type, in)
			u.read(d.Body, in)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.ImportSpec:
					u.file[importName(s)] = true
				case *ast.TypeSpec:
					u.file[s.Name.Name] = true
				}
			}
			u.read(d, &scope{})
		}
	}
	// Marks are not known yet: they are what is to be named.
	for name, places := range u.places {
		if marks().MatchString(name) {
			continue
		}
		for _, s := range places {
			u.know(name, s)
		}
	}
	return u
}

// importName is the name that a file has for a package: the last part of the path, but
// for a version.
func importName(s *ast.ImportSpec) string {
	if s.Name != nil {
		return s.Name.Name
	}
	path, _ := strconv.Unquote(s.Path.Value)
	parts := strings.Split(path, "/")
	if last := parts[len(parts)-1]; len(parts) > 1 && len(last) > 1 && last[0] == 'v' && last[1] >= '0' && last[1] <= '9' {
		parts = parts[:len(parts)-1]
	}
	return parts[len(parts)-1]
}

// read notes the identifiers of a part of the tree, which stands in a scope.
func (u *uses) read(n ast.Node, in *scope) {
	ast.Inspect(n, func(x ast.Node) bool {
		switch x := x.(type) {
		case nil:
			return false
		case *ast.BlockStmt, *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.CaseClause, *ast.FuncLit:
			if x != n {
				u.read(x, &scope{in, in.depth + 1})
				return false
			}
		case *ast.SelectorExpr:
			u.read(x.X, in)
			u.fields[x.Sel.Name] = true
			return false
		case *ast.StructType:
			for _, f := range x.Fields.List {
				for _, name := range f.Names {
					u.fields[name.Name] = true
				}
				if t, ok := f.Type.(*ast.Ident); ok && f.Names == nil {
					u.fields[t.Name] = true
				}
				u.read(f.Type, in)
			}
			return false
		case *ast.KeyValueExpr:
			if key, ok := x.Key.(*ast.Ident); ok {
				u.fields[key.Name] = true
			}
		case *ast.Ident:
			u.note(x.Name, in)
		}
		return true
	})
}

// note adds a place of an identifier.
func (u *uses) note(name string, at *scope) {
	if u.places[name] == nil {
		u.places[name] = map[int]*scope{}
	}
	if old, ok := u.places[name][u.decls]; ok {
		at = around(old, at)
	}
	u.places[name][u.decls] = at
}

// know notes that a name is known in a scope.
func (u *uses) know(name string, in *scope) {
	u.known[place{name, in}] |= here
	for ; in != nil && u.known[place{name, in}]&below == 0; in = in.parent {
		u.known[place{name, in}] |= below
	}
}

// meets reports whether a name is known in a scope that holds, or is held by, another.
func (u *uses) meets(name string, in *scope) bool {
	if u.known[place{name, in}]&below != 0 {
		return true
	}
	for ; in != nil; in = in.parent {
		if u.known[place{name, in}]&here != 0 {
			return true
		}
	}
	return false
}

// around returns the smallest scope that holds two.
func around(a, b *scope) *scope {
	for a != b {
		if a.depth >= b.depth {
			a = a.parent
		} else {
			b = b.parent
		}
	}
	return a
}

// has reports whether an identifier occurs.
func (u *uses) has(id string) bool { return u.fields[id] || u.places[id] != nil }

// call chooses the name of a mark, and notes that it is taken.
func (u *uses) call(id string, w *wish) string {
	// Names are never given back: what a mark with these wishes was refused at a scope, the next one
	// is refused there too.
	at := refusal{w.unit, w.list[0], w.list[len(w.list)-1], len(w.list), nil}
	from := 0
	for _, s := range u.places[id] {
		at.in = s
		from = max(from, u.refused[at])
	}
	if u.fields[id] { // members of the type have these names, and keep them
		at.in = nil
		k := u.refused[at]
		for u.members[w.unit][w.candidate(k)] {
			k++
		}
		u.refused[at] = k
		from = max(from, k)
	}
	for k := from; ; k++ {
		name := w.candidate(k)
		if !u.free(id, w.unit, name) {
			continue
		}
		if u.fields[id] {
			if u.members[w.unit] == nil {
				u.members[w.unit] = map[string]bool{}
			}
			u.members[w.unit][name] = true
		}
		for _, s := range u.places[id] {
			u.know(name, s)
		}
		if at.in != nil && len(u.places[id]) == 1 {
			u.refused[at] = k + 1
		}
		return name
	}
}

// free reports whether a mark may have a name: nothing has it that is known in all of the
// file, that is a field or a method, if the mark is one, or that is known in a scope which holds, or
// is held by, the mark's.
func (u *uses) free(id string, unit int, name string) bool {
	if token.IsKeyword(name) || u.file[name] || u.fields[id] && (u.fields[name] || u.members[unit][name]) {
		return false
	}
	for _, s := range u.places[id] {
		if u.meets(name, s) {
			return false
		}
	}
	return true
}
