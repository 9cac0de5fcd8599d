// Package golang prints loop programs as Go, by way of jennifer. It decides nothing: what is
// computed where, and what is stored, the program says.
package golang

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/loop"
)

// Printer prints parts of one method, whose receiver is s. It collects what they read from the
// model, for the declarations at the head.
type Printer struct {
	Name    func(*loop.Var) string // of a variable in the emitted code
	Path    func(pkg string) string
	Fit     func(name string) *jen.Statement // the variable or the field of a fit
	Kept    func(name string) bool           // of a fit: it is a field
	Cuts    bool                             // Head may cut parameters to their lengths: they are those of a method
	Returns []jen.Code                       // what a Return returns
	Times   func(*loop.Var) int              // how often a variable is read; nil where no statement decides where to go on

	used     []*loop.Var
	fields   []*loop.Var        // of the model, that are read as such
	known    map[*loop.Var]bool // those of used
	declared map[*loop.Var]bool // by the statements printed so far
	read     map[*loop.Var]bool // loop variables
	walked   map[*loop.Var]bool // arrays of which loops read or set elements
}

// use notes that a variable is read, and returns its name.
func (p *Printer) use(v *loop.Var) *jen.Statement {
	if p.known == nil {
		p.known, p.declared, p.read = map[*loop.Var]bool{}, map[*loop.Var]bool{}, map[*loop.Var]bool{}
		p.walked = map[*loop.Var]bool{}
	}
	if v.Home == loop.State {
		return jen.Id("s").Dot(p.Name(v))
	}
	if v.Int && v.Home == loop.Local {
		p.read[v] = true
	}
	if !p.known[v] && !p.declared[v] {
		p.known[v] = true
		if v.Home == loop.View {
			p.use(v.Of)
		}
		p.used = append(p.used, v)
	}
	return jen.Id(p.Name(v))
}

// declare notes that a statement declares a variable, and returns its name.
func (p *Printer) declare(v *loop.Var) *jen.Statement {
	name := p.use(v)
	if !p.declared[v] {
		p.declared[v] = true
		for n, u := range p.used {
			if u == v && p.known[v] {
				p.used = append(p.used[:n], p.used[n+1:]...)
				break
			}
		}
	}
	return name
}

// Var prints a variable that is read.
func (p *Printer) Var(v *loop.Var) *jen.Statement { return p.use(v) }

// Own notes that the caller declares a variable.
func (p *Printer) Own(v *loop.Var) { p.declare(v) }

// field prints a variable of the model as such.
func (p *Printer) field(v *loop.Var) *jen.Statement {
	p.fields = append(p.fields, v)
	return jen.Id("s").Dot(p.Name(v))
}

// Used are the variables of the model that the parts read or set.
func (p *Printer) Used() []*loop.Var { return append(p.used[:len(p.used):len(p.used)], p.fields...) }

// Head declares what the parts read: sizes, and then the rest. Arrays whose elements loops look at are cut to
// the length that the loops know, so that Go's compiler need not check each subscript.
func (p *Printer) Head() (sizes, decls []jen.Code) {
	var lines, cuts []declaration
	for n := 0; n < len(p.used); n++ { // bounds of parts add sizes
		v := p.used[n]
		name := jen.Id(p.Name(v))
		switch {
		case v.Home == loop.View && v.Scalar():
			lines = append(lines, declaration{name, p.whole(v.Of).Index(p.Int(v.From))})
		case v.Home == loop.View && v.From.IsConst(0):
			lines = append(lines, declaration{name, p.whole(v.Of).Index(jen.Empty(), p.Int(v.To))})
		case v.Home == loop.View && p.walked[v] && len(v.Shape) == 1 && v.To.Op != loop.IntConst:
			lines = append(lines, declaration{name, p.whole(v.Of).Index(p.Int(v.From), jen.Empty()).Index(jen.Empty(), p.Int(v.Shape[0]))})
		case v.Home == loop.View:
			lines = append(lines, declaration{name, p.whole(v.Of).Index(p.Int(v.From), p.Int(v.To))})
		case v.Home == loop.Field && p.onlyInParts(v):
		case v.Home == loop.Field && v.Matrix:
			lines = append(lines, declaration{name, jen.Op("&").Id("s").Dot(p.Name(v))})
		case v.Home == loop.Field && p.cut(v) != nil:
			lines = append(lines, declaration{name, jen.Id("s").Dot(p.Name(v)).Index(jen.Empty(), p.cut(v))})
		case v.Home == loop.Field:
			lines = append(lines, declaration{name, jen.Id("s").Dot(p.Name(v))})
		}
	}
	for n := 0; n < len(p.used); n++ {
		if v := p.used[n]; p.Cuts && v.Home == loop.Param && p.cut(v) != nil {
			name := jen.Id(p.Name(v))
			cuts = append(cuts, declaration{name, jen.Add(name).Index(jen.Empty(), p.cut(v))})
		}
	}
	decls = append(declare("=", cuts), declare(":=", lines)...)
	for _, v := range p.used {
		if v.Home == loop.Size {
			sizes = append(sizes, jen.Id(p.Name(v)).Op(":=").Id("s").Dot(p.Name(v)))
		}
	}
	return sizes, decls
}

// cut is the length to which the head cuts an array that loops walk through, or nil. Arrays whose elements are all
// named stay as they are: without the checks between them, straight-line code is one block that is too large for
// Go's allocator of registers (the implicit midpoint rule of blood_groups took 1.15 times as long).
func (p *Printer) cut(v *loop.Var) *jen.Statement {
	if !p.walked[v] {
		return nil
	}
	all := 1
	for _, x := range v.Shape {
		switch {
		case x.Op == loop.IntVar && x.Var.Unsized:
			return nil
		case x.Op == loop.IntConst:
			all *= x.N
		default:
			all = 0
		}
	}
	switch {
	case all > 0:
		return jen.Lit(all)
	case len(v.Shape) == 1:
		return p.Int(v.Shape[0])
	}
	return nil
}

// declaration is a variable with its value, or a field.
type declaration struct{ name, value jen.Code }

// More than maxLines declarations in a row stand perLine on a line.
const (
	maxLines = 8
	perLine  = 6
)

// declare prints declarations.
func declare(op string, list []declaration) []jen.Code {
	width := 1
	if len(list) > maxLines {
		width = perLine
	}
	var out []jen.Code
	for some := range slices.Chunk(list, width) {
		var names, values []jen.Code
		for _, d := range some {
			names, values = append(names, d.name), append(values, d.value)
		}
		out = append(out, jen.List(names...).Op(op).List(values...))
	}
	return out
}

// whole is the array that a part belongs to.
func (p *Printer) whole(v *loop.Var) *jen.Statement {
	if v.Home == loop.Field {
		return jen.Id("s").Dot(p.Name(v))
	}
	return jen.Id(p.Name(v))
}

// onlyInParts reports whether a field is read by its parts alone.
func (p *Printer) onlyInParts(v *loop.Var) bool {
	for _, u := range p.used {
		if u.Home == loop.View && u.Of == v {
			return true
		}
	}
	return false
}

// Int prints an int.
func (p *Printer) Int(i *loop.Int) *jen.Statement { return p.int(i, 0) }

// Factor prints an int that is multiplied.
func (p *Printer) Factor(i *loop.Int) *jen.Statement { return p.int(i, 2) }

func (p *Printer) int(i *loop.Int, prec int) *jen.Statement {
	var s *jen.Statement
	own := 2
	switch i.Op {
	case loop.IntConst:
		return jen.Lit(i.N)
	case loop.IntVar:
		return p.use(i.Var)
	case loop.IntElem:
		return p.element(i.Var, i.Args)
	case loop.IntAdd:
		own = 0
		if j := i.Args[1]; j.Op == loop.IntConst && j.N < 0 {
			s = p.int(i.Args[0], 0).Op("-").Lit(-j.N)
		} else {
			s = p.int(i.Args[0], 0).Op("+").Add(p.int(j, 1))
		}
	case loop.IntMul:
		own = 1
		s = p.int(i.Args[0], 1).Op("*").Add(p.int(i.Args[1], 2))
	case loop.IntMin:
		return jen.Min(p.int(i.Args[0], 0), p.int(i.Args[1], 0))
	case loop.IntMax:
		return jen.Max(p.int(i.Args[0], 0), p.int(i.Args[1], 0))
	}
	if own < prec {
		return jen.Parens(s)
	}
	return s
}

// element prints an element of an array, which is row-major.
func (p *Printer) element(v *loop.Var, at []*loop.Int) *jen.Statement {
	name := p.use(v)
	if v.Matrix {
		name = name.Dot("RowMajor")
	}
	i := at[0]
	for n := 1; n < len(at); n++ {
		i = i.Times(v.Shape[n]).Add(at[n])
	}
	p.walked[v] = p.walked[v] || i.Op != loop.IntConst
	return name.Index(p.Int(i))
}

// Precedences of Go's binary operators, as far as they matter here.
const (
	precSum = iota + 1
	precProduct
	precUnary
)

// Number prints a constant.
func Number(v float64) *jen.Statement {
	switch {
	case math.IsNaN(v):
		return jen.Qual("math", "NaN").Call()
	case math.IsInf(v, 0):
		return jen.Qual("math", "Inf").Call(jen.Lit(int(math.Copysign(1, v))))
	case v == math.Trunc(v) && math.Abs(v) < 1e6:
		return jen.Lit(int(v))
	}
	return jen.Lit(v)
}

// Expr prints an expression.
func (p *Printer) Expr(e *loop.Expr) *jen.Statement {
	s, _ := p.expr(e)
	return s
}

// expr prints an expression and returns its precedence.
func (p *Printer) expr(e *loop.Expr) (*jen.Statement, int) {
	switch e.Op {
	case loop.Num:
		if e.Val < 0 {
			return Number(e.Val), precProduct
		}
		return Number(e.Val), precUnary
	case loop.Scalar:
		return p.use(e.Var), precUnary
	case loop.Elem:
		return p.element(e.Var, e.At), precUnary
	case loop.Add:
		return p.sum(e), precSum
	case loop.Mul:
		return p.rounded(p.product(e, e.Val))
	case loop.Call:
		return p.call(e.Func).Call(p.exprs(e.Args)...), precUnary
	case loop.Float:
		return jen.Float64().Call(p.Int(e.At[0])), precUnary
	case loop.Test:
		at := make([]jen.Code, len(e.At))
		for n, i := range e.At {
			at[n] = p.Int(i)
		}
		return p.call(e.Func).Call(at...), precUnary
	case loop.Draw:
		call := p.call(e.Func).Call(append([]jen.Code{jen.Id("rng")}, p.exprs(e.Args)...)...)
		if len(e.Ends) == 0 {
			return call, precUnary
		}
		ends := p.exprs(e.Ends)
		return jen.Qual(p.Path("random"), "Within").Call(ends[0], ends[1], jen.Func().Params().Float64().Block(jen.Return(call))), precUnary
	}
	panic(fmt.Sprintf("golang: no way to print an expression of kind %d", e.Op))
}

// rounded prints a product as a value of its own. Go may fuse x*y + z into one operation with one
// rounding, where the processor has it, across statements too; a conversion forbids it, so that every
// processor computes the same bits.
func (p *Printer) rounded(s *jen.Statement, multiplies bool) (*jen.Statement, int) {
	if multiplies {
		return Rounded(s), precUnary
	}
	return s, precProduct
}

// Rounded prints a product that no addition is fused with.
func Rounded(product jen.Code) *jen.Statement { return jen.Float64().Call(product) }

// call prints the name of a function.
func (p *Printer) call(name string) *jen.Statement {
	pkg, f, qualified := strings.Cut(name, ".")
	if !qualified { // of Go
		return jen.Id(name)
	}
	return jen.Qual(p.Path(pkg), f)
}

func (p *Printer) exprs(list []*loop.Expr) []jen.Code {
	out := make([]jen.Code, len(list))
	for n, e := range list {
		out[n] = p.Expr(e)
	}
	return out
}

// operand prints e so that it may stand next to an operator of a precedence.
func (p *Printer) operand(e *loop.Expr, prec int) *jen.Statement {
	s, q := p.expr(e)
	if q < prec {
		return jen.Parens(s)
	}
	return s
}

// factor prints e as a factor: a product that is multiplied is not rounded apart.
func (p *Printer) factor(e *loop.Expr) *jen.Statement {
	if e.Op == loop.Mul {
		s, _ := p.product(e, e.Val)
		return jen.Parens(s)
	}
	return p.operand(e, precUnary)
}

func (p *Printer) sum(e *loop.Expr) *jen.Statement {
	var s *jen.Statement
	for n, a := range e.Args {
		k := e.K[n]
		neg := k < 0
		k = math.Abs(k)
		var x *jen.Statement
		switch {
		case k == 1:
			x = p.operand(a, precProduct)
		case a.Op == loop.Mul:
			x, _ = p.rounded(p.product(a, k*a.Val))
		default:
			x = Rounded(Number(k).Op("*").Add(p.factor(a)))
		}
		switch {
		case n == 0 && neg:
			s = jen.Op("-").Add(x)
		case n == 0:
			s = x
		case neg:
			s = s.Op("-").Add(x)
		default:
			s = s.Op("+").Add(x)
		}
	}
	return s
}

// product prints a product with a coefficient, first what is multiplied, then what divides, and tells
// whether its last operation is a multiplication.
func (p *Printer) product(e *loop.Expr, val float64) (s *jen.Statement, multiplies bool) {
	var num, den []*jen.Statement
	for n, a := range e.Args {
		k := e.K[n]
		list := &num
		if k < 0 {
			list, k = &den, -k
		}
		switch {
		case k == math.Trunc(k) && k <= 4:
			for ; k > 0; k-- {
				*list = append(*list, p.factor(a))
			}
		case 2*k == math.Trunc(2*k) && k <= 4: // a root costs a tenth of a power
			for ; k > 1; k-- {
				*list = append(*list, p.factor(a))
			}
			*list = append(*list, jen.Qual("math", "Sqrt").Call(p.Expr(a)))
		default:
			*list = append(*list, p.call("elementary.Pow").Call(p.Expr(a), Number(k)))
		}
	}
	switch {
	case val == -1 && len(num) > 0:
		s = jen.Op("-").Add(num[0])
		num = num[1:]
	case val != 1 || len(num) == 0:
		s = Number(val)
	default:
		s = num[0]
		num = num[1:]
	}
	for _, f := range num {
		s = s.Op("*").Add(f)
	}
	switch {
	case len(den) == 1:
		s = s.Op("/").Add(den[0])
	case len(den) > 1:
		d := den[0]
		for _, f := range den[1:] {
			d = d.Op("*").Add(f)
		}
		s = s.Op("/").Parens(d)
	}
	return s, len(num) > 0 && len(den) == 0
}
