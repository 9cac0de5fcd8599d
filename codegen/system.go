package codegen

import (
	"github.com/dave/jennifer/jen"
)

// The methods of runtime.System that all dynamics have, but for their bodies, and shorthands of
// jennifer. The integrators' steps are the runtime's (runtime/steps.go); flat models have these unrolled (flat_steps.go).

// byColumns emits the derivatives of a matrix, of each pair of entries by a contraction
// with a weight that holds nothing else.
func byColumns(contract *jen.Statement) []jen.Code {
	at := func(i, j string) *jen.Statement { return id(i).Op("*").Id("m").Op("+").Id(j) }
	row := func(i, j string) *jen.Statement {
		return id("dst").Index(jen.Parens(at(i, j)).Op("*").Id("m"), jen.Empty())
	}
	return []jen.Code{
		id("m").Op(":=").Len(id("q")),
		jen.List(id("w"), id("f")).Op(":=").List(jen.Make(fvec(), id("m").Op("*").Id("m")), jen.Make(fvec(), id("m"))),
		jen.For(id("i").Op(":=").Range().Id("m")).Block(jen.For(id("j").Op(":=").Range().Add(id("i")).Op("+").Lit(1)).Block(
			jen.Clear(id("w")),
			id("w").Index(at("i", "j")).Op("+=").Lit(0.5),
			id("w").Index(at("j", "i")).Op("+=").Lit(0.5),
			contract.Call(id("f"), id("q"), id("w")),
			jen.Copy(row("i", "j"), id("f")),
			jen.Copy(row("j", "i"), id("f")),
		)),
	}
}

// lines puts statements on lines of their own where one is expected.
func lines(list ...jen.Code) *jen.Statement {
	s := jen.Null()
	for i, c := range list {
		if i > 0 {
			s = s.Line()
		}
		s = s.Add(c)
	}
	return s
}

func doc(text string, c jen.Code) jen.Code { return comment(text).Line().Add(c) }

var (
	id    = jen.Id
	sdot  = func(name string) *jen.Statement { return jen.Id("s").Dot(name) }
	fvec  = func() *jen.Statement { return jen.Index().Float64() }
	okay  = func() *jen.Statement { return rt("OK") }
	notOK = func(call *jen.Statement, then ...jen.Code) jen.Code {
		return jen.If(jen.Id("st").Op(":=").Add(call), jen.Id("st").Op("!=").Add(okay())).Block(then...)
	}
	failedAtOnce = func() jen.Code {
		return jen.Return(rt("StepResult").Values(jen.Dict{jen.Id("Status"): jen.Id("st")}))
	}
)

// energy emits that of models with a factor, with the call that makes it that of q, if it is not that of all
// positions.
func (g *generator) energy(evaluate *jen.Statement) jen.Code {
	return g.energyMethod(evaluate, nil, sdot("factor").Dot("Quad").Call(id("p")), sdot("factor").Dot("LogDet").Call())
}

// energyMethod emits Energy, from pᵀG⁻¹p, what computes it, and log det G.
func (g *generator) energyMethod(evaluate *jen.Statement, prepare []jen.Code, quad, logDet *jen.Statement) jen.Code {
	inf := func() *jen.Statement { return jen.Qual("math", "Inf").Call(jen.Lit(1)) }
	var body []jen.Code
	if g.hasODE() {
		body = append(body, jen.If(id("st").Op("=").Add(sdot("solve").Call(id("q"), jen.Lit(orderDensity))), id("st").Op("!=").Add(okay())).Block(
			jen.Return(inf(), jen.Qual("math", "NaN").Call(), id("st"))))
	}
	body = append(body,
		id("l").Op("=").Add(sdot("LogDensity")).Call(id("q")),
		jen.If(id("l").Op("-").Id("l").Op("!=").Lit(0)).Block(jen.Return(inf(), id("l"), rt("NonFinite"))),
	)
	if evaluate != nil {
		body = append(body, jen.If(id("st").Op("=").Add(evaluate), id("st").Op("!=").Add(okay())).Block(jen.Return(inf(), id("l"), id("st"))))
	}
	body = append(body, prepare...)
	body = append(body,
		id("h").Op("=").Op("-").Id("l").Op("+").Add(prod(jen.Lit(0.5), jen.Parens(logDet.Op("+").Add(quad)))),
		jen.If(id("h").Op("-").Id("h").Op("!=").Lit(0)).Block(jen.Return(inf(), id("l"), rt("NonFinite"))),
		jen.Return(id("h"), id("l"), okay()))
	return doc("Energy returns H(q, p) = −L + ½ log det G + ½ pᵀG⁻¹p and L(q).",
		g.method("Energy").Params(floats("q", "p")).Params(jen.List(id("h"), id("l")).Float64(), id("st").Add(rt("Status"))).Block(body...))
}

// momentumMethods are those that map momenta by the factor; ready makes it that of q, or returns the results of
// a failure with its status.
func (g *generator) momentumMethods(ready func(results ...jen.Code) []jen.Code) []jen.Code {
	factor := func() *jen.Statement { return sdot("factor") }
	return []jen.Code{
		g.whitenMethod(append(ready(), factor().Dot("Whiten").Call(id("z"), id("p")), jen.Return(okay()))...),
		g.lengthMethod(append(ready(jen.Qual("math", "NaN").Call()),
			id("sum").Op(":=").Lit(0.0),
			jen.If(id("dq").Op("!=").Nil()).Block(id("sum").Op("+=").Add(g.storage.withMatrix("Form", id("dq")))),
			jen.If(id("dp").Op("!=").Nil()).Block(id("sum").Op("+=").Add(factor().Dot("Quad").Call(id("dp")))),
			jen.Return(sqrt(id("sum")), okay()))...),
		g.drawMomentumMethod(append(ready(), factor().Dot(g.storage.root()).Call(id("p"), id("p")), jen.Return(okay()))...),
	}
}

func (g *generator) whitenMethod(body ...jen.Code) jen.Code {
	return doc("Whiten writes the components z of p in an orthonormal frame of the metric.",
		g.method("Whiten").Params(floats("z", "q", "p")).Add(rt("Status")).Block(body...))
}

func (g *generator) lengthMethod(body ...jen.Code) jen.Code {
	return doc("Length returns √(dqᵀG dq + dpᵀG⁻¹dp), the length of a difference in the metric at q;\neither part may be nil.",
		g.method("Length").Params(floats("q", "dq", "dp")).Params(jen.Float64(), rt("Status")).Block(body...))
}

func (g *generator) drawMomentumMethod(body ...jen.Code) jen.Code {
	return doc("DrawMomentum replaces the standard normal variates in p by a draw from N(0, G(q)).",
		g.method("DrawMomentum").Params(floats("p", "q")).Add(rt("Status")).Block(body...))
}

func (g *generator) stepMethod(name, text string, body ...jen.Code) jen.Code {
	return doc(text, g.method(name).Params(floats("q", "p"), id("eps").Float64(), id("sv").Op("*").Add(rt("Solver"))).Add(rt("StepResult")).Block(body...))
}

func each(over string, body ...jen.Code) jen.Code {
	return jen.For(id("i").Op(":=").Range().Id(over)).Block(body...)
}

// locals declares slices of the work space, and p, with the length of q, so that
// loops over q need not look at theirs.
func locals(names ...string) *jen.Statement {
	values := make([]jen.Code, len(names))
	ids := make([]jen.Code, len(names))
	for i, n := range names {
		x := sdot(n)
		if n == "p" {
			x = id(n)
		}
		ids[i], values[i] = id(n), x.Index(jen.Empty(), id("n"))
	}
	return jen.Id("n").Op(":=").Len(id("q")).Line().List(ids...).Op(":=").List(values...)
}

func at(name string) *jen.Statement { return id(name).Index(id("i")) }

func (g *generator) stepIMb() jen.Code {
	return g.stepMethod("StepIMb", "StepIMb advances (q, p) by one step of the implicit midpoint rule solved for the\nmidpoint z̄ = z + ½ε f(z̄), IM(b) of Brofos & Lederman (2021); z' = 2z̄ − z.",
		jen.Return(sdot("steps").Dot("IMb").Call(g.asStages(), id("q"), id("p"), id("eps"), id("sv"))))
}

// asStages emits the model as its stages.
func (g *generator) asStages() *jen.Statement {
	return jen.Parens(jen.Op("*").Id(g.stages)).Call(id("s"))
}

// fieldText describes the method of runtime.Field.
const fieldText = "Field writes ∂H/∂p = G⁻¹p to v and ∂H/∂q = −∂L/∂q + ½⟨G⁻¹ − v vᵀ, ∂G/∂q⟩ to f."

// stagesType declares the type of the stages.
func (g *generator) stagesType(implements string) jen.Code {
	return doc(g.stages+" is the model as its steps see it, a runtime."+implements+".", jen.Type().Id(g.stages).Id(g.typ))
}

// stage emits a method of the stages that calls methods of the model.
func (g *generator) stage(text, name string, params []jen.Code, result jen.Code, body ...jen.Code) jen.Code {
	model := id("s").Op(":=").Parens(jen.Op("*").Id(g.typ)).Call(id("m"))
	return g.stageMethod("m", text, name, params, result, append([]jen.Code{model}, body...))
}

// stageOfFields emits one that reads fields of the model alone.
func (g *generator) stageOfFields(text, name string, params []jen.Code, result jen.Code, body ...jen.Code) jen.Code {
	return g.stageMethod("s", text, name, params, result, body)
}

func (g *generator) stageMethod(receiver, text, name string, params []jen.Code, result jen.Code, body []jen.Code) jen.Code {
	return doc(text, jen.Func().Params(id(receiver).Op("*").Id(g.stages)).Id(name).Params(params...).Add(result).Block(body...))
}

// formStages are the stages that measure differences.
func (g *generator) formStages() []jen.Code {
	number := jen.Float64()
	return []jen.Code{
		g.stageOfFields("Form returns dqᵀG dq.", "Form", []jen.Code{floats("dq")}, number, jen.Return(g.storage.withMatrix("Form", id("dq")))),
		g.stageOfFields("Quad returns dpᵀG⁻¹dp.", "Quad", []jen.Code{floats("dp")}, number, jen.Return(sdot("factor").Dot("Quad").Call(id("dp")))),
		g.stageOfFields("RootDiagonal writes √G_ii to root.", "RootDiagonal", []jen.Code{floats("root")}, jen.Null(), g.storage.withMatrix("RootDiagonal", id("root"))),
	}
}

func (g *generator) leapfrogMethod(body ...jen.Code) jen.Code {
	return doc("StepLeapfrog advances (q, p) by one explicit leapfrog step; the metric must be\nconstant, and any other is an error that the runtime reports before sampling.",
		g.method("StepLeapfrog").Params(floats("q", "p"), id("eps").Float64()).Add(rt("StepResult")).Block(body...))
}

// noLeapfrog is the leapfrog of models whose metric is not constant.
func (g *generator) noLeapfrog() jen.Code {
	return g.leapfrogMethod(jen.Return(rt("StepResult").Values(jen.Dict{id("Status"): rt("NotConstant")})))
}

// curvatureMethod is that of runtime.Curved.
func (g *generator) curvatureMethod(body ...jen.Code) jen.Code {
	return doc("Curvature writes ∂²(−L + ½⟨W, G⟩)/∂q_k∂q_l at fixed W to dst[k·m+l], for a symmetric W\ngiven row-major: what Newton's method needs beyond Hamilton's equations.",
		g.method("Curvature").Params(floats("dst", "q", "w")).Block(body...))
}
