package codegen

import (
	"fmt"
	"math"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// The function that makes a type of its data: it checks them, copies them, and computes what is computed once.

// datum is a field of the data.
func (g *generator) datum(name string) *jen.Statement { return id("d").Dot(g.field(name)) }

// constructor emits New.
func (g *generator) constructor() {
	g.out.Add(comment(g.role.constructorText(g)))
	g.out.Func().Id(g.role.constructor(g)).Params(jen.Id("d").Id(g.declared("", "Data"))).Params(jen.Op("*").Id(g.typ), jen.Error()).BlockFunc(func(b *jen.Group) {
		g.role.checks(g, b)
		g.setSizes(b)
		g.copyData(b)
		b.Id("s").Dot("info").Op("=").Id("s").Dot("describe").Call()
		if g.summarises() {
			b.Id("s").Dot("summarise").Call()
		}
		g.checkPositions(b)
		g.checkBounds(b)
		g.checkFactors(b)
		b.Id("s").Dot("allocate").Call()
		for _, u := range g.blocks {
			b.List(jen.Id(u.fieldName), jen.Err()).Op(":=").Id(u.role.constructor(u)).Call(jen.Id("d"))
			b.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err()))
			b.Id("s").Dot(u.fieldName).Op("=").Id(u.fieldName)
		}
		if call := g.role.factorise(g, "s"); call != nil {
			b.If(jen.Id("st").Op(":=").Add(call), jen.Id("st").Op("!=").Add(rt("OK"))).Block(
				jen.Return(jen.Nil(), jen.Qual("fmt", "Errorf").Call(jen.Lit(g.d.Model.Name+": the metric, which is constant, has no Cholesky factor: %v"), jen.Id("st"))))
		}
		if g.anchored() {
			b.Id("s").Dot("SetReference").Call(sdot("reference"))
		}
		b.Return(jen.Id("s"), jen.Nil())
	})
}

// setSizes emits the value s with its sizes.
func (g *generator) setSizes(b *jen.Group) {
	b.Id("s").Op(":=").Op("&").Id(g.typ).Values(jen.DictFunc(func(d jen.Dict) {
		for _, s := range g.sizes {
			if s.isData() {
				d[jen.Id(s.name)] = g.datum(s.key)
			}
		}
	}))
	for _, f := range g.sizes {
		if f.sum == nil && f.product == nil {
			continue
		}
		op := "+"
		if f.product != nil {
			op = "*"
		}
		var total *jen.Statement
		for _, x := range append(f.sum[:len(f.sum):len(f.sum)], f.product...) {
			term := jen.Lit(x.Offset)
			if x.Name != "" {
				term = plus(jen.Id("s").Dot(g.size(x.Name)), x.Offset)
			}
			if op == "*" && x.Name != "" && x.Offset != 0 {
				term = jen.Parens(term)
			}
			if total == nil {
				total = term
			} else {
				total = total.Op(op).Add(term)
			}
		}
		if f.halved {
			total = total.Op("/").Lit(2)
		}
		b.Id("s").Dot(f.name).Op("=").Add(total)
	}
}

// copyData emits copies of the data that methods read.
func (g *generator) copyData(b *jen.Group) {
	p := g.newPrinter()
	var lines []jen.Code
	for n, d := range g.d.Model.Data {
		t := g.d.Data[n]
		if g.isSize(t) || !g.fields[t] {
			continue
		}
		src, dst := g.datum(d.ObjectName()), jen.Id("s").Dot(g.names.tensor(t))
		switch {
		case len(d.Type.Shape) == 0:
			lines = append(lines, dst.Op("=").Add(src))
		case g.matrices[t]:
			x := jen.Append(jen.Index().Float64().Call(jen.Nil()), src.Op("..."))
			if d.Type.Base == dsl.Int {
				x = jen.Qual(checkPath, "Floats").Call(g.datum(d.ObjectName()))
			}
			lines = append(lines, dst.Op("=").Qual(kernelPath, "NewMatrix").Call(p.extent(d.Type.Shape[0]), p.extent(d.Type.Shape[1]), x))
		case d.Type.Base == dsl.Int:
			lines = append(lines, dst.Op("=").Qual(checkPath, "Floats").Call(src))
		default:
			lines = append(lines, dst.Op("=").Append(jen.Index().Float64().Call(jen.Nil()), src.Op("...")))
		}
	}
	for _, t := range g.d.Tensors(expr.PositionsOf) {
		if g.fields[t] && t.Source != nil {
			lines = append(lines, jen.Id("s").Dot(g.names.tensor(t)).Op("=").Qual(checkPath, "Positions").Call(g.datum(t.Source.Name)))
		}
	}
	for _, d := range append(g.prologue(p), lines...) {
		b.Add(d)
	}
}

// missing prints the number that stands for an end of a parameter that has none.
func missing(v float64) jen.Code {
	if math.IsInf(v, 0) {
		return jen.Qual("math", "Inf").Call(jen.Lit(int(math.Copysign(1, v))))
	}
	return jen.Lit(int(v))
}

// checkBounds emits the check of the bounds that are functions of data.
func (g *generator) checkBounds(b *jen.Group) {
	if len(g.d.Given) > 0 {
		return // the joint density has them
	}
	p := g.newPrinter()
	var lines []jen.Code
	for n, x := range g.d.Params {
		if g.d.Ends[n] == nil || x.Decl.BoundByParams() {
			continue
		}
		lo, hi := g.endsOf(p, n, x)
		args := []jen.Code{jen.Lit(g.d.Model.Name), jen.Lit(x.Decl.ObjectName()), jen.Lit(-1)}
		for _, v := range x.Transform.Missing() {
			args = append(args, missing(v))
		}
		if !x.Scalar() {
			args[2] = p.number()
		}
		if lo != nil {
			args[3] = lo()
		}
		if hi != nil {
			args[4] = hi()
		}
		check := jen.If(jen.Err().Op(":=").Qual(checkPath, x.Transform.Check()).Call(args...), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err()))
		if !x.Scalar() {
			check = jen.For(p.number().Op(":=").Range().Add(p.extent(x.Size()))).Block(check)
		}
		lines = append(lines, check)
	}
	if len(lines) > 0 {
		b.Block(append(g.prologue(p), lines...)...)
	}
}

// checkPositions emits the check that the positions that are computed of the data exist.
func (g *generator) checkPositions(b *jen.Group) {
	p := g.newPrinter()
	var lines []jen.Code
	for _, x := range g.d.Prog.Positions {
		if !g.fields[x.Tensor] {
			continue
		}
		args := []jen.Code{jen.Lit(g.d.Model.Name), jen.Lit(x.Tensor.Label), jen.Id("s").Dot(g.names.tensor(x.Numbers)), jen.Id("s").Dot(g.names.tensor(x.Last)).Index(jen.Lit(0))}
		for _, i := range x.Tensor.Def.Indices {
			args = append(args, p.extent(i.Range.Lo), p.extent(i.Range.Hi))
		}
		lines = append(lines, jen.If(jen.Err().Op(":=").Qual(checkPath, "Selects").Call(args...), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())))
	}
	// Sizes that the copying of the data has named are named again.
	if prologue := g.prologue(p); len(prologue) > 0 {
		lines = []jen.Code{jen.Block(append(prologue, lines...)...)}
	}
	for _, c := range lines {
		b.Add(c)
	}
}

// checkFactors emits the check that the matrices of data that are factorised are positive definite.
func (g *generator) checkFactors(b *jen.Group) {
	for _, def := range g.d.Prog.Defs {
		if def.Tensor.Kind != expr.FactorOf || def.Stage() > expr.StageData || !g.fields[def.Tensor] {
			continue
		}
		factor := jen.Id("s").Dot(g.names.tensor(def.Tensor))
		refused := func(factor *jen.Statement) jen.Code {
			return jen.If(jen.Op("!").Add(factor).Dot("Definite").Call()).Block(
				jen.Return(jen.Nil(), jen.Qual("fmt", "Errorf").Call(jen.Lit(fmt.Sprintf("%s: the matrix %s is not positive definite", g.d.Model.Name, shortened(expr.FormatArgument(def.Body, 0)))))))
		}
		if len(def.Outer()) > 0 {
			b.For(jen.List(jen.Id("_"), jen.Id("factor")).Op(":=").Range().Add(factor)).Block(refused(jen.Id("factor")))
			continue
		}
		b.Add(refused(factor))
	}
}

// checks emits the validation of the data.
func (g *generator) checks(b *jen.Group) {
	m := g.d.Model
	if len(m.Data) == 0 {
		return // all sizes are numbers
	}
	for _, d := range m.Data {
		if d.Formula != nil {
			b.Add(g.datum(d.ObjectName())).Op("=").Add(g.whole(d.Formula))
		}
	}
	b.Id("check").Op(":=").Qual(checkPath, "New").Call(jen.Lit(m.Name))
	for _, dm := range m.Demands() {
		g.demand(b.Id("check"), dm)
	}
	units := g.blocks
	if len(units) == 0 {
		units = []*generator{g}
	}
	for _, u := range units {
		for _, params := range u.d.Whole(u.d.Metric) {
			u.checkDimension(b, params)
		}
	}
	b.If(jen.Err().Op(":=").Id("check").Dot("Err").Call(), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err()))
}

// whole prints the value of a size that is computed of the data d.
func (g *generator) whole(w *dsl.Whole) *jen.Statement {
	var number func(w *dsl.Whole) *jen.Statement
	number = func(w *dsl.Whole) *jen.Statement {
		switch {
		case w.Op == "" && w.Data == nil:
			return jen.Float64().Call(jen.Lit(w.N))
		case w.Op == "":
			return jen.Float64().Call(g.datum(w.Data.ObjectName()))
		case w.Op == "count":
			return jen.Qual(checkPath, "Count").Call(g.datum(w.Data.ObjectName()), jen.Lit(w.Test.Op), jen.Lit(w.Test.To))
		case w.Data != nil:
			return jen.Qual(checkPath, map[string]string{"max": "Max", "min": "Min", "sum": "Sum"}[w.Op]).Call(g.datum(w.Data.ObjectName()))
		}
		// Each value is rounded: no machine fuses a product with a sum.
		return jen.Float64().Call(number(w.Args[0]).Op(w.Op).Add(number(w.Args[1])))
	}
	return jen.Qual(checkPath, "Whole").Call(number(w))
}

// dataExtent prints a size in terms of the data.
func (g *generator) dataExtent(e dsl.Extent) *jen.Statement {
	switch {
	case e.Factors() != nil:
		var out *jen.Statement
		for _, f := range e.Factors() {
			if x := g.dataExtent(f); out == nil {
				out = x
			} else {
				out = out.Op("*").Add(x)
			}
		}
		if e.Halved() {
			out = jen.Parens(out.Op("/").Lit(2))
		}
		return out
	case e.Name == "":
		return jen.Lit(e.Offset)
	case e.Offset != 0:
		return jen.Parens(plus(g.datum(e.Name), e.Offset))
	}
	return g.datum(e.Name)
}

// checkDimension emits the check that a matrix over some parameters fits into memory, unless its size is known.
func (g *generator) checkDimension(b *jen.Group, params []int) {
	var dim *jen.Statement
	known := true
	for _, n := range params {
		x := g.d.Params[n].Size()
		known = known && x.IsConst()
		if e := g.dataExtent(x); dim == nil {
			dim = e
		} else {
			dim = dim.Op("+").Add(e)
		}
	}
	if !known {
		b.Id("check").Dot("Dimension").Call(dim)
	}
}

// demand emits what one demand on the data asks of a check.
func (g *generator) demand(check *jen.Statement, dm dsl.Demand) {
	bound := func(e dsl.Expr, inf int) *jen.Statement {
		if e == nil {
			return jen.Qual("math", "Inf").Call(jen.Lit(inf))
		}
		return g.dataExpr(e)
	}
	if dm.Kind == dsl.DemandOrder {
		check.Dot("Order").Call(jen.Lit(dm.Param.ObjectName()), bound(dm.Lo, -1), bound(dm.Hi, 1))
		return
	}
	d := dm.Data
	name, field := jen.Lit(d.ObjectName()), func() *jen.Statement { return g.datum(d.ObjectName()) }
	slice := func(d *dsl.Data) *jen.Statement {
		f := g.datum(d.ObjectName())
		if d.Type.IsScalar() {
			return jen.Index().Int().Values(f)
		}
		return f
	}
	switch dm.Kind {
	case dsl.DemandTimes:
		if shape := d.Type.Shape; len(shape) > 1 {
			check.Dot("RowsOfTimes").Call(name, field(), g.dataExtent(shape[1]), bound(dm.Lo, 0))
			break
		}
		check.Dot("Times").Call(name, field(), bound(dm.Lo, 0))
	case dsl.DemandSize:
		check.Dot("Size").Call(name, field(), jen.Lit(dm.Least))
	case dsl.DemandLength:
		shape := d.Type.Shape
		if len(shape) == 1 {
			check.Dot("Length").Call(name, jen.Len(field()), g.dataExtent(shape[0]), jen.Lit(shape[0].String()))
			break
		}
		check.Dot("Array").CallFunc(func(c *jen.Group) {
			c.Add(name)
			c.Add(jen.Len(field()))
			c.Lit(dsl.Times(shape))
			for _, x := range shape {
				c.Add(g.dataExtent(x))
			}
		})
	case dsl.DemandSet:
		check.Dot("OneOf").CallFunc(func(c *jen.Group) {
			c.Add(name)
			c.Add(slice(d))
			for _, v := range dm.Set {
				c.Lit(v)
			}
		})
	case dsl.DemandSimplex:
		shape := d.Type.Shape
		check.Dot("Simplex").Call(name, field(), g.dataExtent(shape[len(shape)-1]))
	case dsl.DemandCovariance:
		shape := d.Type.Shape
		check.Dot("Covariance").Call(name, field(), g.dataExtent(shape[len(shape)-1]))
	case dsl.DemandSymmetric:
		shape := d.Type.Shape
		check.Dot("Symmetric").Call(name, field(), g.dataExtent(shape[len(shape)-1]))
	case dsl.DemandUpTo:
		check.Dot("UpTo").Call(name, slice(d), jen.Lit(dm.Limit.ObjectName()), slice(dm.Limit))
	case dsl.DemandBounds:
		f, value := "Reals", field()
		switch {
		case d.Type.IsScalar() && d.Type.Base == dsl.Int:
			f, value = "Real", jen.Float64().Call(field())
		case d.Type.IsScalar():
			f = "Real"
		case d.Type.Base == dsl.Int:
			f = "Ints"
		}
		check.Dot(f).Call(name, value, bound(dm.Lo, -1), bound(dm.Hi, 1), jen.Lit(dm.LoOpen), jen.Lit(dm.HiOpen))
	}
}

// dataExpr prints a bound: an expression of scalar data, in terms of d.
func (g *generator) dataExpr(e dsl.Expr) *jen.Statement {
	switch e := e.(type) {
	case *dsl.Number:
		return number(e.Value)
	case *dsl.Name:
		switch o := e.Obj.(type) {
		case *dsl.Const:
			return number(o.Value)
		case *dsl.Size:
			return jen.Float64().Call(g.dataExtent(o.Extent))
		case *dsl.Data:
			if o.Type.Base == dsl.Int {
				return jen.Float64().Call(jen.Id("d").Dot(g.field(o.ObjectName())))
			}
			return jen.Id("d").Dot(g.field(o.ObjectName()))
		}
	case *dsl.UnaryExpr:
		return jen.Parens(jen.Op("-").Add(g.dataExpr(e.X)))
	case *dsl.BinaryExpr:
		if strings.Contains("+-*/", e.Op) {
			return jen.Parens(g.dataExpr(e.X).Op(e.Op).Add(g.dataExpr(e.Y)))
		}
	}
	panic(fmt.Sprintf("codegen: no way to print the bound %T", e))
}
