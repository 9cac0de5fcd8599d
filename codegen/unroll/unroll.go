// Package unroll prints functions of the runtime with their vectors taken apart: where it is known how many elements
// a slice has, each is a variable of its own, loops over it are written out, and functions that are handed over or
// called are put in their place. So an integrator's step is straight-line code for models of one or two parameters,
// and still written once, in Go, where everybody else runs it.
//
// It knows as much of Go as the steps need, and panics at anything else, with the place in the source:
//
//   - Slices are made of one another by slicing, and never change their length. Loops over them range over
//     their indices. An assignment of a slice makes a name stand for another slice; copy copies elements.
//   - Numbers that lengths determine are known, and so are conditions on them, and whether a function is nil.
//   - A function that is called is one of a Stage or a Value, which the caller prints, or a function or a method of the
//     source, which is put in the place of a statement, or of an expression if it has nothing but a return. Its
//     parameters stand for the arguments, so it assigns to none that the caller goes on with.
//   - Fields and parameters of other types are printed as they stand.
package unroll

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"

	"github.com/dave/jennifer/jen"
)

// A Vector is a slice whose elements are variables of the printed code.
type Vector []string

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

// Options are what is printed for what the source does not say.
type Options struct {
	// Fresh returns a name near the wanted one that nothing else has.
	Fresh func(want string) string

	// Arguments are the function's parameters in the printed code, in order: a Vector is read from the slice of its
	// parameter's name and written back, a string is a name, and nil an object that has Fields and Stages.
	Arguments []any

	// Fields are the fields of objects: a Vector, or what is printed for one.
	Fields map[string]any

	// Stages print statements in the place of calls, by the name of the function or method.
	Stages map[string]Stage

	// Values print expressions in the place of calls with a vector for first argument.
	Values map[string]func(v Vector, rest ...*jen.Statement) *jen.Statement

	// Writes are the functions and methods, of those that are printed as calls, that write to their slices.
	Writes map[string]bool

	// Package prints a name of the source's package.
	Package func(name string) *jen.Statement

	// Moves returns the elements of a vector that a loop which changes it changes after its first turn, or nil for all.
	// That turn is then printed apart, and the others know the rest of the vector no longer.
	Moves func(v Vector) []int
}

// A Stage prints the statements of a call.
type Stage func(c *Call) []jen.Code

// Call is a call of a Stage.
type Call struct {
	// Results are the names that the results are given, which are not declared yet.
	Results []string

	// Fail returns the statements for a status that is not OK, of a function that returns a status.
	Fail func(status *jen.Statement) []jen.Code

	// Scope stands for the block in which what is printed, and what is hoisted, declares names.
	Scope *Scope

	// Again tells that a loop's first turn, printed before, has made this call already.
	Again bool

	p    *printer
	f    *frame
	args []ast.Expr
}

// Scope is a block of the printed code.
type Scope struct {
	loops []*loop // that the block is in now, without those around the block
}

// loop collects what is computed before a loop.
type loop struct{ before []jen.Code }

// Vector returns argument i, which is one.
func (c *Call) Vector(i int) Vector {
	v, ok := c.p.value(c.f, c.args[i]).(Vector)
	if !ok {
		c.p.fail(c.args[i], "no vector")
	}
	return v
}

// Target returns argument i, a vector that the call changes.
func (c *Call) Target(i int) Vector {
	v := c.Vector(i)
	c.p.change(v)
	return v
}

// Code prints argument i.
func (c *Call) Code(i int) *jen.Statement { return c.p.expr(c.f, c.args[i]) }

// Name returns the name of argument i, which is a variable.
func (c *Call) Name(i int) string {
	v, ok := c.p.value(c.f, c.args[i]).(variable)
	if !ok {
		c.p.fail(c.args[i], "no variable")
	}
	return string(v)
}

// Looped reports whether the call is in a loop of its Scope.
func (c *Call) Looped() bool { return len(c.Scope.loops) > 0 }

// Hoist puts statements before the loop that the call is in, or where it is if it is in none.
func (c *Call) Hoist(code ...jen.Code) []jen.Code {
	if !c.Looped() {
		return code
	}
	l := c.Scope.loops[len(c.Scope.loops)-1]
	l.before = append(l.before, code...)
	return nil
}

// Function prints the body of a function of the source.
func (s *Source) Function(name string, o *Options) []jen.Code {
	p := &printer{Source: s, o: o}
	d := s.funcs[name]
	f := &frame{known: map[string]any{}, top: true, scope: &Scope{}}
	var out []jen.Code
	params := fieldNames(d.Type.Params)
	if d.Recv != nil {
		params = append(fieldNames(d.Recv), params...)
	}
	if len(params) != len(o.Arguments) {
		p.fail(d, "not as many arguments as parameters")
	}
	var store []jen.Code
	for i, a := range o.Arguments {
		switch a := a.(type) {
		case nil:
			f.known[params[i]] = object{}
		case string:
			f.known[params[i]] = variable(a)
		case Vector:
			f.known[params[i]] = a
			out = append(out, names(a).Op(":=").Add(elements(params[i], len(a))))
			store = append(store, elements(params[i], len(a)).Op("=").Add(names(a)))
		}
	}
	for _, n := range fieldNames(d.Type.Results) {
		f.known[n] = variable(n)
	}
	f.leave = func(results []ast.Expr, in *frame) []jen.Code {
		values := make([]jen.Code, len(results))
		for i, r := range results {
			values[i] = p.expr(in, r)
		}
		var code []jen.Code
		if p.changed {
			code = append(code, store...)
		}
		return append(code, jen.Return(values...))
	}
	p.own = map[string]bool{}
	for _, a := range o.Arguments {
		if v, ok := a.(Vector); ok {
			for _, x := range v {
				p.own[x] = true
			}
		}
	}
	return append(out, p.block(f, d.Body.List)...)
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

// printer prints one function.
type printer struct {
	*Source
	o       *Options
	own     map[string]bool // variables that are read from the function's slices
	changed bool            // one of them has been written
}

// fail stops at something that is not known.
func (p *printer) fail(at ast.Node, format string, args ...any) {
	panic(fmt.Sprintf("unroll: %s: %s", p.set.Position(at.Pos()), fmt.Sprintf(format, args...)))
}

// names prints a list of variables.
func names(v Vector) *jen.Statement {
	return jen.ListFunc(func(l *jen.Group) {
		for _, n := range v {
			l.Id(n)
		}
	})
}

// elements prints the elements of a slice or an array.
func elements(array string, n int) *jen.Statement {
	return jen.ListFunc(func(l *jen.Group) {
		for i := range n {
			l.Id(array).Index(jen.Lit(i))
		}
	})
}
