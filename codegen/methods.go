package codegen

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic"
)

// methods prints the methods of the model, in the order of the file.
func (g *generator) methods() []jen.Code {
	var out []jen.Code
	add := func(doc string, c jen.Code) {
		out = append(out, comment(doc).Line().Add(c))
	}
	if len(g.ph.data.defs) > 0 {
		add("summarise computes what depends on the data alone, once.",
			g.method("summarise").Params().Block(g.summarise()...))
	}
	// Results that the other methods build on come first, so that their
	// bodies decide which arrays the work space holds.
	var givenBody []jen.Code
	if g.conditional() {
		givenBody = g.body("prepareGiven")
	}
	var metricBody []jen.Code
	if !g.joint() {
		metricBody = g.metricBody()
	}
	logDensity := g.densityBody("LogDensity", &g.ph.logDensity)
	gradient := g.densityBody("Gradient", &g.ph.gradient)
	var slope []jen.Code
	if g.constant() && !g.joint() {
		slope = append(g.solveAt(orderDensity), g.body("slope")...)
	}
	var force, prepare, rank1, contract, jacobian, curvature []jen.Code
	if !g.constant() {
		if !g.flat() {
			force = g.body("force")
		}
		contract = g.body("pairing")
		jacobian = g.body("cube")
		curvature = g.body("curvature")
		if !g.softAbs() && !g.flat() {
			prepare = g.body("prepare")
			rank1 = g.body("rank1")
		}
	}
	odes := g.odeMethods()
	generated := g.generateMethods()
	priors := g.priorMethods()
	transforms := g.transforms()
	// What the bodies above read is what Given has to set.
	var given jen.Code
	if g.conditional() {
		given = g.givenMethod(givenBody)
	}
	add("describe makes the description of the model.", g.method("describe").Params().Op("*").Add(rt("Info")).Block(g.describe()))
	add("allocate makes the work space of one chain.", g.method("allocate").Params().BlockFunc(g.allocate))
	if g.joint() {
		add("Clone returns a model on the same data with work space of its own.",
			g.method("Clone").Params().Add(rt("Gibbs")).BlockFunc(func(b *jen.Group) {
				b.Id("c").Op(":=").Op("*").Id("s")
				b.Id("c").Dot("allocate").Call()
				for _, u := range g.blocks {
					f := u.fieldName
					b.Id("c").Dot(f).Op("=").Id("s").Dot(f).Dot("clone").Call()
				}
				b.Return(jen.Op("&").Id("c"))
			}))
		add("Blocks returns the conditional densities that are sampled in turn.",
			g.method("Blocks").Params().Index().Add(rt("Conditional")).Block(jen.Return(jen.Index().Add(rt("Conditional")).ValuesFunc(func(v *jen.Group) {
				for _, u := range g.blocks {
					v.Id("s").Dot(u.fieldName)
				}
			}))))
	} else {
		clone := func() []jen.Code {
			return []jen.Code{
				jen.Id("c").Op(":=").Op("*").Id("s"),
				jen.Id("c").Dot("allocate").Call(),
				g.cloneFactor(),
				jen.Return(jen.Op("&").Id("c")),
			}
		}
		if g.conditional() {
			add("clone returns a block on the same data with work space of its own: Given comes\nbefore anything else.",
				g.method("clone").Params().Op("*").Id(g.typ).Block(clone()...))
			add("Clone is clone for the runtime.", g.method("Clone").Params().Add(rt("Model")).Block(jen.Return(jen.Id("s").Dot("clone").Call())))
		} else {
			add("Clone returns a model on the same data with work space of its own.",
				g.method("Clone").Params().Add(rt("Model")).Block(clone()...))
		}
	}
	add("Info describes the model; the caller does not modify it.",
		g.method("Info").Params().Op("*").Add(rt("Info")).Block(jen.Return(jen.Id("s").Dot("info"))))
	out = append(out, transforms...)
	add("LogDensity returns L(q), the Jacobian terms of the transforms included.",
		g.method("LogDensity").Params(jen.Id("q").Index().Float64()).Float64().Block(logDensity...))
	out = append(out, odes...)
	add("Gradient writes ∂L/∂q to grad and returns L(q).\n"+g.formulas("∂L/∂", g.d.Gradient),
		g.method("Gradient").Params(floats("grad", "q")).Float64().Block(gradient...))
	out = append(out, generated...)
	out = append(out, priors...)
	if g.joint() {
		return out
	}
	if g.constant() {
		add("slope writes ∂L/∂q to grad, without the density itself.",
			g.method("slope").Params(floats("grad", "q")).Block(slope...))
	}
	what := "the metric G(q)"
	if g.softAbs() {
		what = "the Hessian of L at q, whose SoftAbs map is the metric,"
	}
	layout := "row-major"
	switch {
	case g.byParts():
		layout = "packed as linalg.Structured does"
	case g.diagonal():
		layout = "diagonal only"
	}
	add(fmt.Sprintf("matrix writes %s to b, %s.\n%s", what, layout, g.matrixFormulas()),
		g.method("matrix").Params(floats("b", "q")).Block(metricBody...))
	if !g.constant() {
		weight := "W"
		if g.softAbs() {
			weight = "M"
		}
		b := "G"
		if g.softAbs() {
			b = "H"
		}
		if !g.flat() {
			add(fmt.Sprintf("force writes −∂L/∂q + ½⟨%s, ∂%s/∂q⟩ to f, for the weight w; the matrix was\nevaluated at q.", weight, b),
				g.method("force").Params(floats("f", "q", "w")).Block(force...))
		}
		add(fmt.Sprintf("pairing writes ⟨%s, ∂%s/∂q⟩ to dst, for the weight w; the matrix was evaluated at q.", weight, b),
			g.method("pairing").Params(floats("dst", "q", "w")).Block(contract...))
		if !g.softAbs() && !g.flat() {
			if len(g.ph.prepare.defs) > 0 {
				add("prepare computes what rank1 needs of the position alone.",
					g.method("prepare").Params(floats("q")).Block(prepare...))
			}
			add("rank1 writes ½⟨v vᵀ, ∂G/∂q⟩ to f: the part of ∂H/∂q that changes with the momentum.",
				g.method("rank1").Params(floats("f", "q", "v")).Block(rank1...))
		}
	}
	out = append(out, g.interfaceMethods(jacobian)...)
	if g.d.Curved {
		out = append(out, g.curvatureMethods(curvature)...)
	}
	out = append(out, g.systemMethods()...)
	if given != nil {
		out = append(out, given)
	}
	return out
}

// formulas lists results as comment lines.
func (g *generator) formulas(prefix string, outs []symbolic.Output) string {
	s := ""
	for _, o := range outs {
		name := g.d.Params[o.Row].Decl.ObjectName()
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
			subs = append(subs, symbolic.Sub{Index: i})
		}
	}
	if o.Banded {
		subs = append(subs, symbolic.Sub{Index: o.Indices[0], Offset: -o.Offset})
	}
	side := func(n int) string {
		name := g.d.Params[n].Decl.ObjectName()
		if !g.d.Params[n].Scalar() {
			name += "[" + subs[0].String() + "]"
			subs = subs[1:]
		}
		return name
	}
	row := side(o.Row)
	return row + ", " + side(o.Col)
}

// summarise is the data stage. Its arrays are made here: clones share them.
func (g *generator) summarise() []jen.Code {
	p := g.newPrinter()
	code := p.part("summarise")
	var made []jen.Code
	for _, v := range g.arrays("summarise") {
		made = append(made, jen.Id("s").Dot(g.mark(v)).Op("=").Make(jen.Index().Float64(), p.Int(length(v))))
	}
	sizes, decls := g.head(p)
	return slices.Concat(sizes, made, decls, code)
}

func (g *generator) dimCode(p *printer) *jen.Statement { return p.extent(g.dim) }

// structureName is the runtime's name of a metric's structure.
func structureName(m *symbolic.Metric) string {
	if m == nil {
		return ""
	}
	return map[string]string{"dense": "Dense", "diagonal": "Diagonal", "banded": "Banded", "arrow": "Arrow",
		"bordered band": "BorderedBand", "block-diagonal": "BlockDiagonal"}[m.Kind()]
}

// describe prints the Info literal.
func (g *generator) describe() jen.Code {
	structure := structureName(g.d.Metric)
	sizeOf := func(x dsl.Extent) *jen.Statement {
		if x.Name == "" {
			return jen.Lit(x.Offset)
		}
		return plus(jen.Id("s").Dot(g.size(x.Name)), x.Offset)
	}
	params := jen.Index().Add(rt("Param")).ValuesFunc(func(v *jen.Group) {
		for _, b := range g.d.Params {
			fields := jen.Dict{jen.Id("Name"): jen.Lit(b.Decl.ObjectName())}
			if !b.Scalar() {
				fields[jen.Id("Shape")] = jen.Index().Int().Values(sizeOf(b.Size()))
			}
			v.Line().Values(fields)
		}
		v.Line()
	})
	name := g.d.Model.Name
	if g.conditional() {
		name = g.d.Block.ObjectName()
	}
	info := jen.Dict{
		jen.Id("Name"):   jen.Lit(name),
		jen.Id("Params"): params,
	}
	if !g.joint() {
		metric := jen.Dict{
			jen.Id("Constant"):  jen.Lit(g.constant()),
			jen.Id("Structure"): rt(structure),
		}
		if g.d.Metric.Identity {
			metric[jen.Id("Identity")] = jen.True()
		}
		info[jen.Id("Metric")] = rt("MetricInfo").Values(metric)
	}
	return jen.Return(jen.Op("&").Add(rt("Info")).Values(info))
}

// spaceFields declares the work space.
func (g *generator) spaceFields(st *jen.Group) {
	if g.joint() {
		return
	}
	kind := "Cholesky"
	switch {
	case g.byParts():
		kind = "Structured"
	case g.shaft():
		kind = "SoftAbsArrow"
	case g.softAbs():
		kind = "SoftAbs"
	case g.diagonal():
		kind = "DiagonalFactor"
	}
	if g.flat() {
		st.Id("b").Index().Float64().Comment("the matrix")
		st.Add(g.frameSpace())
	} else {
		st.Id("factor").Op("*").Qual(linalgPath, kind).Comment("the metric's factor at position at")
		st.Id("b").Index().Float64().Comment("the matrix at position at")
	}
	if !g.constant() {
		if !g.flat() || g.diagonal() {
			st.Id("w").Index().Float64().Comment("weights of the contraction")
		}
		if !g.flat() {
			st.Id("at").Index().Float64()
			st.Id("known").Bool().Comment("the factor is that of the position at")
			st.Id("full").Bool().Comment("force0 too is that of the position at")
			st.Id("force0").Index().Float64().Comment("−∂L/∂q + ½⟨G⁻¹, ∂G/∂q⟩")
		}
	}
	if g.fl != nil {
		n := 2*g.dim.Offset + 1
		if g.dim.Offset > 1 {
			n += len(g.fl.adj)
		}
		st.Id("seen").Index(jen.Lit(n)).Float64().Comment("GLF(b): position, adj G, 1/det G and force0 after the last step")
		st.Id("seenKnown").Bool()
	}
	if g.constant() {
		st.Id("grad").Index().Float64().Comment("∂L/∂q at position at, if known")
		st.Id("at").Index().Float64()
		st.Id("known").Bool()
	}
	if !g.flat() {
		st.Id("v").Index().Float64().Comment("∂H/∂p")
		st.Id("steps").Add(rt("Steps"))
	}
}

// allocate makes the arrays of the work space.
func (g *generator) allocate(b *jen.Group) {
	p := g.newPrinter()
	var m, size *jen.Statement
	if !g.joint() {
		m, size = g.dimCode(p), jen.Add(p.extentFactor(g.dim)).Op("*").Add(p.extentFactor(g.dim))
	}
	var lines []jen.Code
	switch {
	case g.joint(), g.flat() && !g.diagonal():
	case g.flat():
		size = jen.Add(m)
	case g.byParts():
		lines = append(lines, jen.Id("s").Dot("factor").Op("=").Add(linalg("NewStructured")).Call(m, g.partsLiteral(p)))
		for _, f := range g.sizes {
			if f.part > 0 {
				lines = append(lines, jen.Id("s").Dot(f.name).Op("=").Id("s").Dot("factor").Dot("Start").Call(jen.Lit(f.part)))
			}
		}
		size = jen.Id("s").Dot("factor").Dot("Len").Call()
	case g.softAbs():
		alpha := p.value(g.d.Alpha.E)
		if g.shaft() {
			head := jen.Lit(0)
			if g.d.Params[1].Scalar() {
				head = p.extent(g.offset(1))
			}
			lines = append(lines, jen.Id("s").Dot("factor").Op("=").Add(linalg("NewSoftAbsArrow")).Call(m, head, jen.Float64().Call(alpha)))
		} else {
			lines = append(lines, jen.Id("s").Dot("factor").Op("=").Add(linalg("NewSoftAbs")).Call(m, jen.Float64().Call(alpha)))
		}
		if !g.d.Shift.E.IsNum(0) {
			shift := p.value(g.d.Shift.E)
			lines = append(lines, jen.Id("s").Dot("factor").Dot("Shift").Op("=").Add(shift))
		}
	case g.diagonal():
		lines = append(lines, jen.Id("s").Dot("factor").Op("=").Add(linalg("NewDiagonalFactor")).Call(m))
		size = jen.Add(m)
	default:
		lines = append(lines, jen.Id("s").Dot("factor").Op("=").Add(linalg("NewCholesky")).Call(m))
	}
	arrays := func(n *jen.Statement, names ...string) {
		for _, x := range names {
			lines = append(lines, jen.Id("s").Dot(x).Op("=").Make(jen.Index().Float64(), n))
		}
	}
	if !g.joint() {
		arrays(size, "b")
	}
	if !g.constant() {
		if !g.flat() || g.diagonal() {
			arrays(size, "w")
		}
		if !g.flat() {
			arrays(m, "at")
		}
		lines = append(lines, g.forget()...)
	}
	if !g.flat() && !g.joint() {
		if g.constant() {
			arrays(m, "grad", "at")
			lines = append(lines, jen.Id("s").Dot("known").Op("=").False())
		} else {
			arrays(m, "force0")
		}
		arrays(m, "v")
		lines = append(lines, jen.Id("s").Dot("steps").Op("=").Add(rt("NewSteps")).Call(m))
	}
	if g.fl != nil {
		lines = append(lines, jen.Id("s").Dot("seenKnown").Op("=").False())
	}
	lines = append(lines, g.allocateODEs(p)...)
	lines = append(lines, g.allocateFits()...)
	for _, def := range g.d.Prog.Defs {
		if g.fields[def.Tensor] && def.Stage() > symbolic.StageData && len(def.Indices) > 0 {
			lines = append(lines, jen.Id("s").Dot(g.names.tensor(def.Tensor)).Op("=").Make(jen.Index().Float64(), p.Int(g.count(def.Tensor))))
		}
	}
	for _, q := range g.d.Given {
		if g.fields[q.Coord] && !q.Scalar() {
			lines = append(lines, jen.Id("s").Dot(g.names.tensor(q.Coord)).Op("=").Make(jen.Index().Float64(), p.extent(q.Size())))
		}
	}
	for _, d := range g.prologue(p) {
		b.Add(d)
	}
	for _, l := range lines {
		b.Add(l)
	}
}

// forget emits that nothing is known of a position.
func (g *generator) forget() []jen.Code {
	if g.flat() {
		return []jen.Code{frameField("known").Op("=").False()}
	}
	return []jen.Code{jen.Id("s").Dot("known").Op("=").False(), jen.Id("s").Dot("full").Op("=").False()}
}

// cloneFactor factorises a constant metric again in the clone's own space.
func (g *generator) cloneFactor() jen.Code {
	if g.constant() && !g.conditional() {
		return jen.Id("c").Dot("factorise").Call()
	}
	return jen.Null()
}

// transforms prints Constrain, Unconstrain and Params.
func (g *generator) transforms() []jen.Code {
	var out []jen.Code
	add := func(doc string, c jen.Code) { out = append(out, comment(doc).Line().Add(c)) }
	add("Constrain writes the parameters on their own scale to dst, in declaration order.",
		g.method("Constrain").Params(floats("dst", "q")).Block(append(g.touch(&g.ph.value), g.body("Constrain")...)...))
	p := g.newPrinter()
	var lines []jen.Code
	for n, b := range g.d.Params {
		conv := func(pos func() *jen.Statement) []jen.Code {
			x := func() *jen.Statement { return jen.Id("values").Index(pos()) }
			q := func() *jen.Statement { return jen.Id("q").Index(pos()) }
			bound := func(e *symbolic.Expr) *jen.Statement { return jen.Float64().Call(p.value(e)) }
			fail := func(ok *jen.Statement, want string) jen.Code {
				what, args := "parameter "+b.Decl.ObjectName()+" is %v", []jen.Code{x()}
				if !b.Scalar() {
					what = "element %d of parameter " + b.Decl.ObjectName() + " is %v"
					args = []jen.Code{pos().Op("-").Parens(p.extent(g.offset(n))).Op("+").Lit(1), x()}
					if g.offset(n) == dsl.Fixed(0) {
						args[0] = pos().Op("+").Lit(1)
					}
				}
				return jen.If(jen.Op("!").Parens(ok)).Block(jen.Return(jen.Qual("fmt", "Errorf").Call(
					append([]jen.Code{jen.Lit(g.d.Model.Name + ": " + what + ", but must be " + want)}, args...)...)))
			}
			switch b.Transform {
			case symbolic.LowerBound:
				return []jen.Code{fail(x().Op(">").Add(bound(b.Lo)).Op("&&").Add(x()).Op("-").Add(x()).Op("==").Lit(0), finiteDoc(&b.Decl.Support)),
					q().Op("=").Qual("math", "Log").Call(x().Op("-").Add(bound(b.Lo)))}
			case symbolic.UpperBound:
				return []jen.Code{fail(x().Op("<").Add(bound(b.Hi)).Op("&&").Add(x()).Op("-").Add(x()).Op("==").Lit(0), finiteDoc(&b.Decl.Support)),
					q().Op("=").Qual("math", "Log").Call(bound(b.Hi).Op("-").Add(x()))}
			case symbolic.Interval:
				return []jen.Code{fail(x().Op(">").Add(bound(b.Lo)).Op("&&").Add(x()).Op("<").Add(bound(b.Hi)), supportDoc(&b.Decl.Support)),
					q().Op("=").Qual(specialPath, "Logit").Call(jen.Parens(x().Op("-").Add(bound(b.Lo))).Op("/").Parens(bound(b.Hi).Op("-").Add(bound(b.Lo))))}
			}
			return []jen.Code{fail(x().Op("-").Add(x()).Op("==").Lit(0), "finite"), q().Op("=").Add(x())}
		}
		if b.Scalar() {
			lines = append(lines, conv(func() *jen.Statement { return p.extent(g.offset(n)) })...)
			continue
		}
		end := g.addOffset(g.offset(n), b.Size())
		lines = append(lines, jen.For(jen.Id("i").Op(":=").Add(p.extent(g.offset(n))), jen.Id("i").Op("<").Add(p.extent(end)), jen.Id("i").Op("++")).
			Block(conv(func() *jen.Statement { return jen.Id("i") })...))
	}
	lines = append(g.prologue(p), lines...)
	lines = append(lines, jen.Return(jen.Nil()))
	add("Unconstrain is the inverse of Constrain; its error names the first parameter\noutside its support.",
		g.method("Unconstrain").Params(floats("q", "values")).Error().Block(lines...))

	if g.conditional() {
		return out
	}
	p = g.newPrinter()
	var fields []jen.Code
	for n, b := range g.d.Params {
		name := g.field(b.Decl.ObjectName())
		if b.Scalar() {
			fields = append(fields, jen.Id(name).Op(":").Id("values").Index(p.extent(g.offset(n))))
		} else {
			end := g.addOffset(g.offset(n), b.Size())
			fields = append(fields, jen.Id(name).Op(":").Id("values").Index(p.extent(g.offset(n)), p.extent(end)))
		}
	}
	lines = append(g.prologue(p), jen.Return(jen.Id(g.declared("", "Params")).Values(fields...)))
	add("ParamsOf names the values of a draw, which are on the parameters' own scale.\nVectors share the memory of values.",
		g.method("ParamsOf").Params(floats("values")).Id(g.declared("", "Params")).Block(lines...))
	add("Params returns the parameters at the unconstrained point q.", g.method("Params").Params(floats("q")).Id(g.declared("", "Params")).Block(
		jen.Id("values").Op(":=").Make(jen.Index().Float64(), jen.Len(jen.Id("q"))),
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

// finiteDoc is supportDoc for a one-sided bound.
func finiteDoc(s *dsl.Support) string { return supportDoc(s) + " and finite" }

// densityBody is that of LogDensity or Gradient.
func (g *generator) densityBody(name string, ph *phase) []jen.Code {
	return slices.Concat(g.touch(ph), g.solveAt(orderDensity), []jen.Code{jen.Var().Id("res").Float64()}, g.body(name), []jen.Code{jen.Return(jen.Id("res"))})
}

// lookingPhases are those of methods that begin with touch: they look at a position that the
// factor may not be of.
func (g *generator) lookingPhases() []*phase {
	return []*phase{&g.ph.logDensity, &g.ph.gradient, &g.ph.value, &g.ph.generate}
}

// touch emits the call that forgets the factor of another position, where a
// phase writes work space that the factor's phases read.
func (g *generator) touch(ph *phase) []jen.Code {
	if g.constant() || g.flat() {
		return nil
	}
	for _, def := range ph.defs {
		if g.cross[def.Tensor] {
			return []jen.Code{jen.Id("s").Dot("touch").Call(jen.Id("q"))}
		}
	}
	return nil
}

func (g *generator) metricBody() []jen.Code {
	body := g.body("matrix")
	// Structural zeros are written once per call.
	if g.byParts() && !g.covered() || !g.byParts() && !g.diagonal() && g.hasZeros() {
		body = append([]jen.Code{jen.Clear(jen.Id("b"))}, body...)
	}
	return body
}

func (g *generator) hasZeros() bool {
	n := len(g.d.Params)
	if len(g.d.Matrix) < n*(n+1)/2 {
		return true
	}
	for _, o := range g.d.Matrix {
		if o.Subs != nil {
			return true
		}
		if o.Row == o.Col && !g.d.Params[o.Row].Scalar() {
			if full, _ := g.d.C.SplitDelta(o.E, o.Indices[0], o.Indices[1]); full.IsNum(0) {
				return true
			}
		}
	}
	return false
}
