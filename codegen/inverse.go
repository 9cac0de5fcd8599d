package codegen

import (
	"cmp"
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/golang"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/model"
)

// What Unconstrain does with a parameter: the inverse of its transform, as the table has it.

// inverse prints the part of one parameter.
func (g *generator) inverse(p *printer, n int, b *model.Param) []jen.Code {
	from, to := g.values.start(n), g.values.end(n)
	if whole := b.Transform.Whole; whole != "" {
		own := []jen.Code{jen.Id("q").Index(p.extent(g.coords.start(n)), p.extent(g.coords.end(n))), jen.Id("values").Index(p.extent(from), p.extent(to))}
		call := jen.Qual(transformPath, whole).Call(own...)
		if last := len(b.Coord.Shape) - 1; last > 0 {
			call = jen.Qual(transformPath, "Rows").Call(append([]jen.Code{jen.Qual(transformPath, whole), p.extent(dsl.ProductOf(b.Coord.Shape[:last]))}, own...)...)
		}
		return []jen.Code{jen.If(jen.Err().Op(":=").Add(call), jen.Err().Op("!=").Nil()).Block(
			jen.Return(jen.Qual("fmt", "Errorf").Call(jen.Lit(g.d.Model.Name+": parameter "+b.Decl.ObjectName()+"%w"), jen.Err())))}
	}
	if b.Scalar() {
		return g.inverseAt(p, n, b, func() *jen.Statement { return p.extent(from) }, func() *jen.Statement { return p.extent(g.coords.start(n)) })
	}
	if from == g.coords.start(n) && g.d.Ends[n] == nil {
		i := func() *jen.Statement { return jen.Id("i") }
		return []jen.Code{jen.For(jen.Id("i").Op(":=").Add(p.extent(from)), jen.Id("i").Op("<").Add(p.extent(to)), jen.Id("i").Op("++")).
			Block(g.inverseAt(p, n, b, i, i)...)}
	}
	// Values and coordinates start in different places, or bounds do.
	after := func(start dsl.Extent) func() *jen.Statement {
		return func() *jen.Statement {
			if start == dsl.Fixed(0) {
				return p.number()
			}
			return p.extent(start).Op("+").Add(p.number())
		}
	}
	return []jen.Code{jen.For(p.number().Op(":=").Range().Add(p.extent(b.Size()))).
		Block(g.inverseAt(p, n, b, after(from), after(g.coords.start(n)))...)}
}

// endsOf prints the bounds of an element of a parameter, nil for none: where they are functions of data, of that whose number is p.number().
func (g *generator) endsOf(p *printer, n int, b *model.Param) (lo, hi func() *jen.Statement) {
	end := func(x *expr.Expr, indices []*expr.Index) func() *jen.Statement {
		if x == nil {
			return nil
		}
		return func() *jen.Statement { return jen.Float64().Call(p.element(x, indices)) }
	}
	if e := g.d.Ends[n]; e != nil {
		return end(e.Lo, e.Indices), end(e.Hi, e.Indices)
	}
	return end(cmp.Or(b.LoOfValues, b.Lo), nil), end(cmp.Or(b.HiOfValues, b.Hi), nil)
}

// inverseAt prints the part of one element: the check of its value, and its coordinate.
func (g *generator) inverseAt(p *printer, n int, b *model.Param, value, coordinate func() *jen.Statement) []jen.Code {
	lo, hi := g.endsOf(p, n, b)
	x := func() *jen.Statement { return jen.Id("values").Index(value()) }
	names := map[string]func() *jen.Statement{"x": x}
	var within *jen.Statement // the condition
	and := func(s *jen.Statement) {
		if within == nil {
			within = s
		} else {
			within.Op("&&").Add(s)
		}
	}
	if lo != nil {
		if names["lo"] = lo; !b.Transform.Affine {
			and(x().Op(">").Add(lo()))
		}
	}
	if hi != nil {
		if names["hi"] = hi; !b.Transform.Affine {
			and(x().Op("<").Add(hi()))
		}
	}
	want := supportDoc(&b.Decl.Support)
	switch {
	case within == nil:
		and(x().Op("-").Add(x()).Op("==").Lit(0))
		want = "finite"
	case lo == nil || hi == nil:
		and(x().Op("-").Add(x()).Op("==").Lit(0))
		want += " and finite"
	}
	what, args := "parameter "+b.Decl.ObjectName()+" is %v", []jen.Code{x()}
	if !b.Scalar() {
		what = "element %d of parameter " + b.Decl.ObjectName() + " is %v"
		number := value().Op("-").Parens(p.extent(g.values.start(n))).Op("+").Lit(1)
		switch {
		case g.values.start(n) != g.coords.start(n) || g.d.Ends[n] != nil:
			number = p.number().Op("+").Lit(1)
		case g.values.start(n) == dsl.Fixed(0):
			number = jen.Id("i").Op("+").Lit(1)
		}
		args = []jen.Code{number, x()}
	}
	fail := jen.If(jen.Op("!").Parens(within)).Block(jen.Return(jen.Qual("fmt", "Errorf").Call(
		append([]jen.Code{jen.Lit(g.d.Model.Name + ": " + what + ", but must be " + want)}, args...)...)))
	formula, err := dsl.ParseFormula(b.Transform.Inverse)
	if err != nil {
		panic(fmt.Sprintf("codegen: the inverse of the transform %s: %v", b.Transform.Name, err))
	}
	return []jen.Code{fail, jen.Id("q").Index(coordinate()).Op("=").Add(inverseFormula(formula, names))}
}

// inverseFunctions are the functions that inverses are made of.
var inverseFunctions = map[string][2]string{"log": {elementaryPath, "Log"}, "logit": {specialPath, "Logit"}}

// enclosed prints a difference in parentheses.
func enclosed(e dsl.Expr, printed *jen.Statement) *jen.Statement {
	if _, ok := e.(*dsl.BinaryExpr); ok {
		return jen.Parens(printed)
	}
	return jen.Add(printed)
}

// inverseFormula prints the formula of an inverse. Differences stand in parentheses below a quotient only. What has no name is missing.
func inverseFormula(e dsl.Expr, names map[string]func() *jen.Statement) *jen.Statement {
	switch e := e.(type) {
	case *dsl.Name:
		if names[e.Name] == nil {
			return nil
		}
		return names[e.Name]()
	case *dsl.CallExpr:
		f := inverseFunctions[e.Func]
		return jen.Qual(f[0], f[1]).Call(inverseFormula(e.Args[0].Expr, names))
	case *dsl.BinaryExpr:
		x, y := inverseFormula(e.X, names), inverseFormula(e.Y, names)
		if y == nil {
			return x
		}
		switch e.Op {
		case "-":
			return x.Op("-").Add(y)
		case "/":
			return golang.Rounded(enclosed(e.X, x).Op("/").Add(enclosed(e.Y, y)))
		}
	}
	panic(fmt.Sprintf("codegen: no way to print the inverse %T", e))
}
