// Package unroll makes loop programs of functions of the runtime, with their vectors taken apart: where it is known how many elements
// a slice has, each is a variable of its own, loops over it are written out, and functions that are handed over or
// called are put in their place. So an integrator's step is straight-line code for models of one or two parameters,
// and still written once, in Go, where everybody else runs it.
//
// It knows as much of Go as the steps need, and panics at anything else, with the place in the source:
//
//   - Slices are made of one another by slicing, and never change their length. Loops over them range over
//     their indices. An assignment of a slice makes a name stand for another slice; copy copies elements.
//   - Numbers that lengths determine are known, and so are conditions on them, and whether a function is nil.
//   - A function that is called is one of a Stage or a Value, which the caller makes, a row of the table of calls of package loop, or a function or
//     a method of the source, which is put in the place of a statement, or of an expression if it has nothing but a return. Its
//     parameters stand for the arguments, so it assigns to none that the caller goes on with.
//   - Products are rounded before they are added, as the source says too.
package unroll

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"

	"github.com/hamc-dev/hamc/codegen/loop"
)

// A Vector is a slice whose elements are variables of the program.
type Vector []*loop.Var

// An Object is a value of the source that has fields and methods: Name stands before a method in the table of calls.
type Object struct{ Name string }

// Source is the functions of some files of one package.
type Source struct {
	set      *token.FileSet
	funcs    map[string]*ast.FuncDecl // by name; methods too, which have names of their own
	comments ast.CommentMap
}

// Parse reads files of Go, which have names for messages.
func Parse(files map[string][]byte, order ...string) (*Source, error) {
	s := &Source{set: token.NewFileSet(), funcs: map[string]*ast.FuncDecl{}, comments: ast.CommentMap{}}
	for _, name := range order {
		f, err := parser.ParseFile(s.set, name, files[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				s.funcs[d.Name.Name] = d
			}
		}
		for n, c := range ast.NewCommentMap(s.set, f, f.Comments) {
			s.comments[n] = c
		}
	}
	return s, nil
}

// Options are what stands for what the source does not say.
type Options struct {
	// Arguments are what the function's parameters stand for, in order: a Slice, a *loop.Var or an Object.
	Arguments []any

	// Result is what the function's result stands for, if it has a name.
	Result Object

	// Fields are the fields of objects: a Vector, a *loop.Var or an Object.
	Fields map[string]any

	// Stages make statements in the place of calls, by the name of the function or method.
	Stages map[string]Stage

	// Values make a number (*loop.Expr) or conditions ([]loop.Condition) in the place of calls, with a vector for first argument and the
	// numbers behind it.
	Values map[string]func(v Vector, rest ...*loop.Expr) any

	// Moves returns the elements of a vector that a loop which changes it changes after its first turn, or nil for all.
	// That turn then stands apart, and the others know the rest of the vector no longer.
	Moves func(v Vector) []int
}

// A Slice is an argument: an array whose elements are read when the function starts, into variables, and written back before it ends.
type Slice struct {
	Array    *loop.Var
	Elements Vector
}

// A Stage makes the statements of a call.
type Stage func(c *Call) []loop.Stmt

// Call is a call of a Stage.
type Call struct {
	// Fail returns the statements for a status that is not OK, of a function that returns a status.
	Fail func(status *loop.Var) []loop.Stmt

	// Again tells that a loop's first turn, which stands before, has made this call already.
	Again bool

	// Scope stands for the function of the source that the call stands in, where it is put in the place of a call with several results; nil outside.
	Scope *loop.Block

	l     *lifter
	f     *frame
	args  []ast.Expr
	names []string // of the results
}

// Vector returns argument i, which is one.
func (c *Call) Vector(i int) Vector {
	v, ok := c.l.value(c.f, c.args[i]).(Vector)
	if !ok {
		c.l.fail(c.args[i], "no vector")
	}
	return v
}

// Target returns argument i, a vector that the call changes.
func (c *Call) Target(i int) Vector {
	v := c.Vector(i)
	c.l.change(v)
	return v
}

// Number returns argument i, a number.
func (c *Call) Number(i int) *loop.Expr { return c.l.number(c.f, c.args[i]) }

// Result lets the name of result i stand for a variable or an object.
func (c *Call) Result(i int, v any) { c.f.known[c.names[i]] = v }

// Function makes a function of the source one of a program.
func (s *Source) Function(name string, o *Options) *loop.Func {
	l := &lifter{Source: s, o: o, own: map[*loop.Var]bool{}}
	d := s.funcs[name]
	f := &frame{known: map[string]any{}, top: true}
	params := fieldNames(d.Type.Params)
	if d.Recv != nil {
		params = append(fieldNames(d.Recv), params...)
	}
	if len(params) != len(o.Arguments) {
		l.fail(d, "not as many arguments as parameters")
	}
	out := &loop.Func{}
	var store []loop.Stmt
	for i, a := range o.Arguments {
		slice, ok := a.(Slice)
		if !ok {
			f.known[params[i]] = a
			continue
		}
		f.known[params[i]] = slice.Elements
		for n, v := range slice.Elements {
			l.own[v] = true
			at := loop.Const(n)
			out.Body = append(out.Body, &loop.Let{V: v, E: loop.Element(slice.Array, at)})
			store = append(store, &loop.Set{V: slice.Array, At: []*loop.Int{at}, E: loop.Value(v)})
		}
	}
	for _, n := range fieldNames(d.Type.Results) {
		f.known[n] = o.Result
	}
	f.leave = func([]ast.Expr, *frame) []loop.Stmt {
		if !l.changed {
			return []loop.Stmt{&loop.Return{}}
		}
		var code []loop.Stmt
		for _, st := range store {
			own := *st.(*loop.Set)
			code = append(code, &own)
		}
		return append(code, &loop.Return{})
	}
	out.Body = append(out.Body, l.block(f, d.Body.List)...)
	return out
}

// fieldNames lists the names of parameters or results.
func fieldNames(l *ast.FieldList) (out []string) {
	if l == nil {
		return nil
	}
	for _, f := range l.List {
		for _, n := range f.Names {
			out = append(out, n.Name)
		}
	}
	return out
}

// lifter makes one function.
type lifter struct {
	*Source
	o       *Options
	own     map[*loop.Var]bool // variables that are read from the function's slices
	changed bool               // one of them has been set
	blocks  int                // how many functions have been put in the place of calls
}

// fail stops at something that is not known.
func (l *lifter) fail(at ast.Node, format string, args ...any) {
	panic(fmt.Sprintf("unroll: %s: %s", l.set.Position(at.Pos()), fmt.Sprintf(format, args...)))
}

// change notes that variables are set.
func (l *lifter) change(v Vector) {
	for _, x := range v {
		l.changed = l.changed || l.own[x]
	}
}
