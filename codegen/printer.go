package codegen

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/golang"
	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/codegen/pass"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Paths of the packages that emitted code imports.
const (
	module         = "github.com/hamc-dev/hamc"
	runtimePath    = module + "/runtime"
	kernelPath     = module + "/runtime/kernel"
	linalgPath     = module + "/runtime/linalg"
	systemPath     = module + "/runtime/system"
	specialPath    = module + "/runtime/special"
	elementaryPath = module + "/runtime/elementary"
	checkPath      = module + "/runtime/validate"
	dataPath       = module + "/runtime/datafile"
	odePath        = module + "/runtime/ode"
	transformPath  = module + "/runtime/transform"
	randomPath     = module + "/runtime/random"
)

// printer prints parts of one method of the type.
type printer struct {
	*golang.Printer
	g *generator
	i *loop.Var // of the caller's loop
}

func (g *generator) newPrinter() *printer {
	return &printer{g: g, Printer: &golang.Printer{
		Name: g.mark,
		Path: packagePath,
		Fit:  g.fitCode,
		Kept: func(name string) bool { return g.fitNamed(name).kept },
	}}
}

// packagePath is the path of a package that the loop program names.
func packagePath(pkg string) string {
	switch pkg {
	case "math":
		return pkg
	case "runtime":
		return runtimePath
	}
	return runtimePath + "/" + pkg
}

// extent prints a symbolic size.
func (p *printer) extent(x dsl.Extent) *jen.Statement { return p.Int(p.g.extent(x)) }

// value prints an expression that needs no statements.
func (p *printer) value(e *expr.Expr) *jen.Statement { return p.element(e, nil) }

// number prints what a loop of the caller counts elements in.
func (p *printer) number() *jen.Statement {
	if p.i == nil {
		p.i = &loop.Var{Name: "i", Int: true}
		p.Own(p.i)
	}
	return p.Var(p.i)
}

// element is value at an index, if there is one, which is number.
func (p *printer) element(e *expr.Expr, indices []*expr.Index) *jen.Statement {
	var none []loop.Stmt
	l := p.g.lower(&none)
	for _, i := range indices {
		p.number()
		l.vars[i] = p.i
	}
	let := &loop.Let{V: &loop.Var{}, E: l.expr(e)}
	pass.Replace([]loop.Stmt{let}, pass.Whole(p.g.prog.Gone))
	x := p.Expr(let.E)
	if len(none) > 0 {
		panic(fmt.Sprintf("codegen: no place for the statements of %s", expr.Format(e)))
	}
	return x
}

// prologue declares what the parts that p has printed read.
func (g *generator) prologue(p *printer) []jen.Code {
	sizes, decls := g.head(p)
	return append(sizes, decls...)
}

// head is prologue, with the sizes apart from the rest.
func (g *generator) head(p *printer) (sizes, decls []jen.Code) {
	sizes, decls = p.Head()
	for _, v := range p.Used() {
		if t, ok := g.tensorOf[v]; ok && v.Home == loop.Field && !slices.Contains(g.between, v) {
			g.fields[t] = true
		}
	}
	return sizes, decls
}

func plus(e *jen.Statement, n int) *jen.Statement {
	switch {
	case n > 0:
		return e.Op("+").Lit(n)
	case n < 0:
		return e.Op("-").Lit(-n)
	}
	return e
}

// number prints a constant.
func number(v float64) *jen.Statement { return golang.Number(v) }
