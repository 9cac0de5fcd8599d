package codegen

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// methods prints the methods of the model, in the order of the file.
func (g *generator) methods() []jen.Code {
	var out []jen.Code
	add := func(text string, c jen.Code) { out = append(out, doc(text, c)) }
	if g.summarises() {
		add("summarise computes what depends on the data alone, once.",
			g.method("summarise").Params().Block(g.summarise()...))
	}
	// Results that the other methods build on come first, so that their
	// bodies decide which arrays the work space holds.
	b := bodies{"prepareGiven": g.body("prepareGiven"), "matrix": g.body("matrix")}
	logDensity := g.densityBody("LogDensity", &g.ph.logDensity)
	gradient := g.densityBody("Gradient", &g.ph.gradient)
	for _, name := range []string{"slope", "force", "pairing", "cube", "product", "curvature", "prepare", "rank1"} {
		b[name] = g.body(name)
	}
	for _, f := range g.prog.Funcs {
		if f.Continues != nil {
			b[f.Name] = g.body(f.Name)
		}
	}
	odes := g.odeMethods()
	generated := g.generateMethods()
	priors := g.priorMethods()
	transforms := g.transforms()
	transports := g.transportMethods(b["prepareGiven"])
	// What the bodies above read is what Given has to set.
	given := g.role.given(g, b["prepareGiven"])
	add("describe makes the description of the model.", g.method("describe").Params().Op("*").Add(rt("Info")).Block(g.describe()))
	add("allocate makes the work space of one chain.", g.method("allocate").Params().BlockFunc(g.allocate))
	out = append(out, g.role.cloning(g)...)
	add("Info describes the model; the caller does not modify it.",
		g.method("Info").Params().Op("*").Add(rt("Info")).Block(jen.Return(sdot("info"))))
	out = append(out, transforms...)
	add("LogDensity returns L(q), the Jacobian terms of the transforms included.",
		g.method("LogDensity").Params(jen.Id("q").Index().Float64()).Float64().Block(logDensity...))
	out = append(out, odes...)
	add("Gradient writes ∂L/∂q to grad and returns L(q).\n"+g.formulas("∂L/∂", g.d.Gradient),
		g.method("Gradient").Params(floats("grad", "q")).Float64().Block(gradient...))
	return slices.Concat(out, transports, generated, priors, g.dynamics.methods(g, b), given)
}

// formulas lists results as comment lines.
func (g *generator) formulas(prefix string, outs []symbolic.Output) string {
	s := ""
	for _, o := range outs {
		name := g.d.Params[o.Row].Coord.Name
		name += subscripts(o)
		s += fmt.Sprintf("\n\t%s%s = %s", prefix, name, g.format(o.E))
	}
	return s
}

func (g *generator) matrixFormulas() string {
	s := ""
	for _, o := range g.d.Matrix {
		s += fmt.Sprintf("\n\t%s: %s", g.entryName(o), g.format(o.E))
	}
	return s
}

// subscripts prints those of a result over one parameter.
func subscripts(o symbolic.Output) string {
	switch {
	case o.Subs != nil:
		return "[" + o.Subs[0].String() + "]"
	case len(o.Indices) > 0:
		return "[" + o.Indices[0].Name + "]"
	}
	return ""
}

// entryName names the entry of the matrix that a result is.
func (g *generator) entryName(o symbolic.Output) string {
	subs := o.Subs
	if subs == nil {
		for _, i := range o.Indices {
			subs = append(subs, expr.Sub{Index: i})
		}
	}
	if o.Banded {
		subs = append(subs, expr.Sub{Index: o.Indices[0], Offset: -o.Offset})
	}
	side := func(n int) string {
		name := g.d.Params[n].Coord.Name
		if !g.d.Params[n].Scalar() {
			name += "[" + subs[0].String() + "]"
			subs = subs[1:]
		}
		return name
	}
	row := side(o.Row)
	if o.Col < 0 {
		return row
	}
	return row + ", " + side(o.Col)
}

// summarises reports whether anything is computed of the data alone.
func (g *generator) summarises() bool {
	f := g.prog.Func("summarise")
	return f != nil && len(f.Body) > 0
}

// summarise is the data stage. Its arrays are made here: clones share them.
func (g *generator) summarise() []jen.Code {
	p := g.newPrinter()
	code := p.part("summarise")
	var made []jen.Code
	for _, v := range g.arrays("summarise") {
		field := jen.Id("s").Dot(g.mark(v))
		if v.Matrix { // it gets its other layout when it is filled
			field = field.Dot("RowMajor")
		}
		made = append(made, field.Op("=").Add(p.made(v)))
	}
	sizes, decls := g.head(p)
	return slices.Concat(sizes, made, decls, code)
}

// made prints a new array, or a factor, or an array of these.
func (p *printer) made(v *loop.Var) *jen.Statement {
	if v.Factor {
		if outer := v.Shape[:len(v.Shape)-2]; len(outer) > 0 {
			return linalg("NewCholeskys").Call(p.Int(length(&loop.Var{Shape: outer})), p.Int(v.Shape[len(outer)]))
		}
		return linalg("NewCholesky").Call(p.Int(v.Shape[0]))
	}
	if v.Int {
		return jen.Make(jen.Index().Int(), p.Int(length(v)))
	}
	return jen.Make(jen.Index().Float64(), p.Int(length(v)))
}

func (g *generator) dimCode(p *printer) *jen.Statement { return p.extent(g.dim) }

// describe prints the Info literal.
func (g *generator) describe() jen.Code {
	sizeOf := func(x dsl.Extent) *jen.Statement {
		if x.Name == "" {
			return jen.Lit(x.Offset)
		}
		return plus(jen.Id("s").Dot(g.size(x.Name)), x.Offset)
	}
	shapeOf := func(shape []dsl.Extent) *jen.Statement {
		return jen.Index().Int().ValuesFunc(func(v *jen.Group) {
			for _, x := range shape {
				v.Add(sizeOf(x))
			}
		})
	}
	params := jen.Index().Add(rt("Param")).ValuesFunc(func(v *jen.Group) {
		for _, b := range g.d.Params {
			fields := jen.Dict{jen.Id("Name"): jen.Lit(b.Decl.ObjectName())}
			if !b.Scalar() {
				fields[jen.Id("Shape")] = shapeOf(b.Decl.Type.Shape)
			}
			if b.Latent() {
				fields[jen.Id("Latent")] = jen.True()
			}
			if ends := b.Transform.Ends; ends != "" {
				fields[jen.Id("Ends")] = rt(string(ends))
			}
			if constants := b.Transform.Constants; constants != "" {
				fields[jen.Id("Constants")] = rt(string(constants))
			}
			if b.Length() != b.Size() {
				fields[jen.Id("Coordinates")] = shapeOf(b.Coord.Shape)
			}
			v.Line().Values(fields)
		}
		v.Line()
	})
	info := jen.Dict{
		jen.Id("Name"):   jen.Lit(g.role.name(g)),
		jen.Id("Params"): params,
	}
	g.dynamics.describe(g, info)
	info[jen.Id("Work")] = g.work(g.d.Work())
	if g.d.Model.ManyModes() {
		info[jen.Id("ManyModes")] = jen.True()
	}
	if m := g.d.Metric; m != nil && !m.Constant {
		info[jen.Id("IterationWork")] = g.work(g.d.IterationWork)
	}
	return jen.Return(jen.Op("&").Add(rt("Info")).Values(info))
}

// work prints a number of operations, from the sizes.
func (g *generator) work(of expr.Poly) jen.Code {
	var out *jen.Statement
	factors, sizes := of.Terms()
	for n, k := range factors {
		term := jen.Lit(k)
		for _, name := range sizes[n] {
			term = term.Op("*").Id("s").Dot(g.size(name))
		}
		if out == nil {
			out = term
		} else {
			out = out.Op("+").Add(term)
		}
	}
	if out == nil {
		return jen.Lit(0)
	}
	return out
}

// allocate makes the arrays of the work space.
func (g *generator) allocate(b *jen.Group) {
	p := g.newPrinter()
	lines := g.dynamics.allocate(g, p)
	lines = append(lines, g.allocateODEs()...)
	lines = append(lines, g.allocateFits()...)
	for _, def := range g.d.Prog.Defs {
		if g.fields[def.Tensor] && def.Stage() > expr.StageData && len(def.Indices) > 0 {
			lines = append(lines, jen.Id("s").Dot(g.names.tensor(def.Tensor)).Op("=").Add(p.made(g.variable(def.Tensor))))
		}
	}
	lines = append(lines, g.allocateTransports(p)...)
	for _, q := range slices.Concat(g.d.Given, g.d.Reference) {
		if g.fields[q.Coord] && !q.Scalar() {
			lines = append(lines, jen.Id("s").Dot(g.names.tensor(q.Coord)).Op("=").Make(jen.Index().Float64(), p.extent(q.Size())))
		}
	}
	for _, t := range g.measures() {
		lines = append(lines, sdot(g.names.tensor(t)).Op("=").Make(jen.Index().Float64(), p.extent(dsl.ProductOf(t.Shape))))
	}
	if len(g.d.Measures) > 0 {
		lines = append(lines, g.newMeasures(p))
	}
	for _, d := range g.prologue(p) {
		b.Add(d)
	}
	for _, l := range lines {
		b.Add(l)
	}
}

// transforms prints Constrain and Unconstrain, and the methods that name parameters.
func (g *generator) transforms() []jen.Code {
	var out []jen.Code
	add := func(doc string, c jen.Code) { out = append(out, comment(doc).Line().Add(c)) }
	add("Constrain writes the parameters on their own scale to dst, in declaration order.",
		g.method("Constrain").Params(floats("dst", "q")).Block(append(g.touch(&g.ph.value), g.body("Constrain")...)...))
	p := g.newPrinter()
	var lines []jen.Code
	for n, b := range g.d.Params {
		lines = append(lines, g.inverse(p, n, b)...)
	}
	lines = append(append(g.prologue(p), append(lines, g.chains(p)...)...), jen.Return(jen.Nil()))
	name, inverse := "Unconstrain", "Unconstrain is the inverse of Constrain; its error names the first parameter\noutside its support."
	if g.transported() {
		add(inverse, g.method(name).Params(floats("q", "values")).Error().Block(
			jen.If(jen.Err().Op(":=").Add(sdot("Plain").Call(jen.Id("q"), jen.Id("values"))), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())),
			sdot("Pull").Call(jen.Id("q")),
			jen.Return(jen.Nil())))
		name, inverse = "Plain", "Plain is Unconstrain, but for that it writes plain coordinates."
	}
	add(inverse, g.method(name).Params(floats("q", "values")).Error().Block(lines...))
	if m := g.d.Metric; m != nil && m.Auto {
		add("Settle says what metric the model is sampled with, in Info: the Fisher information, or one\nthat warm-up adapts.",
			g.method("Settle").Params(jen.Id("metric").Add(rt("MetricInfo"))).Block(
				jen.Id("info").Op(":=").Op("*").Id("s").Dot("info"),
				jen.Id("info").Dot("Metric").Op("=").Id("metric"),
				jen.Id("s").Dot("info").Op("=").Op("&").Id("info")))
	}

	return append(out, g.role.named(g)...)
}

// paramsMethods print ParamsOf, Params and ParamDraws.
func (g *generator) paramsMethods() []jen.Code {
	var out []jen.Code
	add := func(doc string, c jen.Code) { out = append(out, comment(doc).Line().Add(c)) }
	p := g.newPrinter()
	var fields []jen.Code
	for n, b := range g.d.Params {
		name := g.field(b.Decl.ObjectName())
		if b.Scalar() {
			fields = append(fields, jen.Id(name).Op(":").Id("values").Index(p.extent(g.values.start(n))))
		} else {
			fields = append(fields, jen.Id(name).Op(":").Id("values").Index(p.extent(g.values.start(n)), p.extent(g.values.end(n))))
		}
	}
	lines := append(g.prologue(p), jen.Return(jen.Id(g.declared("", "Params")).Values(fields...)))
	add("ParamsOf names the values of a draw, which are on the parameters' own scale.\nVectors share the memory of values.",
		g.method("ParamsOf").Params(floats("values")).Id(g.declared("", "Params")).Block(lines...))
	count := jen.Len(jen.Id("q"))
	if g.values.all() != g.dim {
		count = jen.Id("s").Dot("info").Dot("Size").Call()
	}
	add("Params returns the parameters at the unconstrained point q.", g.method("Params").Params(floats("q")).Id(g.declared("", "Params")).Block(
		jen.Id("values").Op(":=").Make(jen.Index().Float64(), count),
		jen.Id("s").Dot("Constrain").Call(jen.Id("values"), jen.Id("q")),
		jen.Return(jen.Id("s").Dot("ParamsOf").Call(jen.Id("values")))))
	out = append(out, g.typedDraws("ParamDraws", "Params", "ParamsOf", "the parameters"))
	return out
}

// typedDraws is the method that returns the draws of a result as values of a type.
func (g *generator) typedDraws(name, of, from, what string) jen.Code {
	return doc(name+" returns "+what+" of the draws of r, a result of this model:\n[c][i] is draw i of chain c, chains as r.Aligned.",
		g.method(name).Params(jen.Id("r").Op("*").Add(rt("Result"))).Params(jen.Index().Index().Id(g.declared("", of)), jen.Error()).Block(
			jen.Return(rt(name).Call(jen.Id("r"), jen.Id("s"), jen.Id("s").Dot(from)))))
}

// densityBody is that of LogDensity or Gradient.
func (g *generator) densityBody(name string, ph *phase) []jen.Code {
	return slices.Concat(g.touch(ph), g.solveAt(orderDensity), []jen.Code{jen.Var().Id("res").Float64()}, g.body(name), []jen.Code{jen.Return(jen.Id("res"))})
}

// touch emits the call that forgets the factor of another position, where a
// phase writes work space that the factor's phases read.
func (g *generator) touch(ph *phase) []jen.Code {
	for _, def := range ph.defs {
		if g.cross[def.Tensor] {
			return g.dynamics.touch()
		}
	}
	return nil
}
