package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/symbolic"
)

// constantMetric is that of a metric that is free of the position: it is factorised once, and the
// work space keeps the gradient, as the one force there is.
type constantMetric struct{ metric }

func (constantMetric) adjective() string                           { return "constant and " }
func (constantMetric) drops(g *generator)                          { dropDerivatives(g.d) }
func (constantMetric) slope(d *symbolic.Derived) []symbolic.Output { return d.Gradient }
func (constantMetric) orders(*symbolic.Derived) []int              { return []int{orderDensity} }

func (constantMetric) fields(g *generator, st *jen.Group) {
	g.factorFields(st)
	st.Id("grad").Index().Float64().Comment("∂L/∂q at position at, if known")
	st.Id("at").Index().Float64()
	st.Id("known").Bool()
	stepFields(st)
}

func (constantMetric) allocate(g *generator, p *printer) []jen.Code {
	m := g.dimCode(p)
	out := g.storage.construct(g, p, m)
	out = append(out, makeArrays(g.storage.length(g, p), "b")...)
	out = append(out, makeArrays(m, "grad", "at")...)
	return append(append(out, sdot("known").Op("=").False()), allocateSteps(m)...)
}

// evaluate: it was done once and for all.
func (constantMetric) evaluate(*generator, string, int) *jen.Statement { return jen.Null() }

func (constantMetric) factorise(model string) *jen.Statement {
	return id(model).Dot("factorise").Call()
}

func (k constantMetric) given() []jen.Code {
	return []jen.Code{sdot("known").Op("=").False(), jen.Return(k.factorise("s"))}
}

func (constantMetric) note(g *generator) string {
	return "The metric is constant: the leapfrog applies, and its factor is computed " + g.role.once() + "."
}

func (constantMetric) methods(g *generator, b bodies) []jen.Code {
	out := []jen.Code{
		doc("slope writes ∂L/∂q to grad, without the density itself.",
			g.method("slope").Params(floats("grad", "q")).Block(append(g.solveAt(orderDensity), b["slope"]...)...)),
		g.matrixMethod(b),
		g.metricMethod(),
		g.contractMethod(jen.Clear(id("dst"))),
		g.jacobianMethod(jen.Clear(id("dst"))),
		doc("factorise evaluates the metric, which is constant, and its Cholesky factor.",
			g.method("factorise").Params().Add(rt("Status")).Block(
				sdot("matrix").Call(sdot("b"), jen.Nil()),
				jen.Return(rt("FactorStatus").Call(sdot("factor").Dot("Factor").Call(sdot("b")))),
			)),
		g.energy(nil),
	}
	out = append(out, g.momentumMethods(func(...jen.Code) []jen.Code { return nil })...)
	return append(append(out, g.stepIMb(),
		g.stepMethod("StepGLFb", "StepGLFb advances (q, p) by one step of the generalized leapfrog. The metric is\nconstant, so it is the leapfrog.",
			jen.Return(sdot("StepLeapfrog").Call(id("q"), id("p"), id("eps")))),
		g.stepLeapfrog()),
		g.fieldMethods()...)
}

// fieldMethods emit the type with the methods of runtime.Field.
func (g *generator) fieldMethods() []jen.Code {
	return append([]jen.Code{g.stagesType("Field"),
		g.stage(fieldText, "Field", []jen.Code{floats("v", "f", "q", "p")}, rt("Status"),
			sdot("factor").Dot("Solve").Call(id("v"), id("p")),
			sdot("slope").Call(id("f"), id("q")),
			each("f", at("f").Op("=").Op("-").Add(at("f"))),
			jen.Return(okay()))},
		g.formStages()...)
}

func (g *generator) stepLeapfrog() jen.Code {
	grad := at("grad")
	var solve []jen.Code
	if g.hasODE() {
		solve = []jen.Code{notOK(sdot("solve").Call(id("q"), jen.Lit(orderDensity)), failedAtOnce())}
	}
	return g.leapfrogMethod(
		jen.Add(locals("p", "grad", "v", "at")),
		jen.Comment("The gradient at the end of a step is that at the start of the next."),
		jen.If(jen.Op("!").Add(sdot("known")).Op("||").Op("!").Add(rt("Same")).Call(id("at"), id("q"))).Block(sdot("slope").Call(id("grad"), id("q"))),
		sdot("known").Op("=").False(),
		each("p", at("p").Op("+=").Add(prod(jen.Lit(0.5), id("eps"), grad))),
		sdot("factor").Dot("Solve").Call(id("v"), id("p")),
		each("q",
			at("q").Op("+=").Add(prod(id("eps"), at("v"))),
			at("at").Op("=").Add(at("q"))),
		jen.Add(lines(solve...)),
		sdot("slope").Call(id("grad"), id("q")),
		id("d").Op(":=").Lit(0.0),
		each("p", at("p").Op("+=").Add(prod(jen.Lit(0.5), id("eps"), grad)),
			id("d").Op("+=").Add(at("p")).Op("-").Add(at("p"))),
		jen.If(id("d").Op("!=").Lit(0)).Block(jen.Return(rt("StepResult").Values(jen.Dict{id("Status"): rt("NonFinite")}))),
		sdot("known").Op("=").True(),
		jen.Return(rt("StepResult").Values()),
	)
}
