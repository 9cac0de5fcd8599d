package codegen

import (
	"slices"

	"github.com/dave/jennifer/jen"
)

// variableMetric is that of a metric that changes with the position: the work space remembers the factor of
// one position, and what the force has there without the momentum.
type variableMetric struct{ metric }

func (variableMetric) drops(g *generator) { g.storage.drops(g.d) }

func (variableMetric) fields(g *generator, st *jen.Group) {
	g.factorFields(st)
	st.Id("w").Index().Float64().Comment("weights of the contraction")
	st.Id("at").Index().Float64()
	st.Id("known").Bool().Comment("the factor is that of the position at")
	st.Id("full").Bool().Comment("force0 too is that of the position at")
	st.Id("force0").Index().Float64().Comment("−∂L/∂q + ½⟨G⁻¹, ∂G/∂q⟩")
	stepFields(st)
}

func (k variableMetric) allocate(g *generator, p *printer) []jen.Code {
	m := g.dimCode(p)
	out := g.storage.construct(g, p, m)
	out = append(out, makeArrays(g.storage.length(g, p), "b", "w")...)
	out = append(out, makeArrays(m, "at")...)
	out = append(append(out, k.forget()...), makeArrays(m, "force0")...)
	return append(out, allocateSteps(m)...)
}

// forget emits that nothing is known of a position.
func (variableMetric) forget() []jen.Code {
	return []jen.Code{sdot("known").Op("=").False(), sdot("full").Op("=").False()}
}

func (k variableMetric) given() []jen.Code { return append(k.forget(), jen.Return(okay())) }

func (variableMetric) evaluate(g *generator, at string, order int) *jen.Statement {
	if g.hasODE() {
		return sdot("evaluate").Call(id(at), jen.Lit(order))
	}
	return sdot("evaluate").Call(id(at))
}

func (variableMetric) touch() []jen.Code { return []jen.Code{sdot("touch").Call(id("q"))} }

func (k variableMetric) methods(g *generator, b bodies) []jen.Code {
	t := g.storage.terms()
	out := []jen.Code{
		g.matrixMethod(b),
		doc("force writes −∂L/∂q + ½⟨"+t.weight+", ∂"+t.matrix+"/∂q⟩ to f, for the weight w; the matrix was\nevaluated at q.",
			g.method("force").Params(floats("f", "q", "w")).Block(b["force"]...)),
		g.pairingMethod(b),
	}
	out = append(out, g.storage.velocityMethods(g, b)...)
	out = append(out, g.derivativeMethods(b)...)
	out = append(out, k.evaluateMethod(g))
	if g.touchSolution() != nil || slices.ContainsFunc(g.lookingPhases(), func(ph *phase) bool { return g.touch(ph) != nil }) {
		out = append(out, k.touchMethod(g))
	}
	call := k.evaluate(g, "q", orderDensity)
	out = append(out, g.energy(call))
	out = append(out, g.momentumMethods(func(results ...jen.Code) []jen.Code {
		return []jen.Code{notOK(call, jen.Return(append(results, id("st"))...))}
	})...)
	out = append(out, g.stepIMb(),
		g.stepMethod("StepGLFb", "StepGLFb advances (q, p) by one step of the generalized leapfrog with cached\nquantities, GLF(b) of Brofos & Lederman (2021).",
			jen.Return(sdot("steps").Dot("GLFb").Call(g.asStages(), id("q"), id("p"), id("eps"), id("sv")))),
		g.noLeapfrog())
	return append(out, k.stages(g)...)
}

// evaluateMethod makes the matrix and its factor those of q.
func (k variableMetric) evaluateMethod(g *generator) jen.Code {
	known := sdot("known").Op("&&").Add(rt("Same")).Call(sdot("at"), id("q"))
	params := []jen.Code{id("q").Add(fvec())}
	var solve, keep []jen.Code
	if g.hasODE() {
		// The solutions come first: the matrix reads those of the order
		// asked for, and who needs its derivatives reads them next. Of a
		// solution that fails, it is not finite.
		params = append(params, id("order").Int())
		solve = []jen.Code{notOK(sdot("solve").Call(id("q"), id("order")),
			jen.Add(lines(k.forget()...)), sdot("matrix").Call(sdot("b"), id("q")), jen.Return(id("st")))}
		known = sdot("known").Op("&&").Add(sdot("order")).Op("==").Id("order").Op("&&").Add(rt("Same")).Call(sdot("at"), id("q"))
		keep = []jen.Code{sdot("order").Op("=").Id("order")}
	}
	body := append(solve,
		jen.If(known).Block(jen.Return(okay())),
		jen.Add(lines(k.forget()...)),
		sdot("matrix").Call(sdot("b"), id("q")),
		id("st").Op(":=").Add(rt("FactorStatus")).Call(sdot("factor").Dot("Factor").Call(sdot("b"))),
		jen.If(id("st").Op("==").Add(okay())).Block(append(keep,
			jen.Copy(sdot("at"), id("q")),
			sdot("known").Op("=").True())...),
		jen.Return(id("st")))
	return doc("evaluate makes the matrix and its factor those of position q, unless they are\nalready.",
		g.method("evaluate").Params(params...).Add(rt("Status")).Block(body...))
}

func (k variableMetric) touchMethod(g *generator) jen.Code {
	return doc("touch forgets the factor unless it is that of q: the caller overwrites work space\nthat belongs to it.",
		g.method("touch").Params(id("q").Add(fvec())).Block(
			jen.If(sdot("known").Op("&&").Op("!").Add(rt("Same")).Call(sdot("at"), id("q"))).Block(k.forget()...)))
}

// stages emits the type with the methods of runtime.Stages.
func (k variableMetric) stages(g *generator) []jen.Code {
	s, status := g.storage, rt("Status")
	field := append([]jen.Code{
		notOK(k.evaluate(g, "q", orderForce), jen.Return(id("st"))),
		sdot("factor").Dot("Solve").Call(id("v"), id("p")),
	}, s.weighForce()...)
	out := append([]jen.Code{g.stagesType("Stages"),
		g.stage(fieldText, "Field", []jen.Code{floats("v", "f", "q", "p")}, status,
			append(field, sdot("force").Call(id("f"), id("q"), sdot("w")), jen.Return(okay()))...)},
		g.formStages()...)

	var solve []jen.Code
	if g.hasODE() {
		solve = []jen.Code{notOK(sdot("solve").Call(id("q"), jen.Lit(orderForce)), jen.Return(jen.Nil(), id("st")))}
	}
	complete := []jen.Code{
		jen.If(sdot("full").Op("&&").Add(rt("Same")).Call(sdot("at"), id("q"))).Block(append(solve, jen.Return(sdot("force0"), okay()))...),
		notOK(k.evaluate(g, "q", orderForce), jen.Return(jen.Nil(), id("st"))),
		s.weighInverse(),
		sdot("force").Call(sdot("force0"), id("q"), sdot("w")),
	}
	if len(g.ph.prepare.defs) > 0 {
		complete = append(complete, sdot("prepare").Call(id("q")))
	}
	complete = append(complete, sdot("full").Op("=").True(), jen.Return(sdot("force0"), okay()))
	return append(out,
		g.stage("Complete computes what ∂H/∂q has without the momentum, −∂L/∂q + ½⟨G⁻¹, ∂G/∂q⟩.", "Complete",
			[]jen.Code{id("q").Add(fvec())}, jen.Params(fvec(), status), complete...),
		g.stage("MomentumForce writes ½⟨v vᵀ, ∂G/∂q⟩ with v = G⁻¹p to f; q is complete.", "MomentumForce",
			[]jen.Code{floats("f", "q", "p")}, jen.Null(), append([]jen.Code{sdot("factor").Dot("Solve").Call(sdot("v"), id("p"))}, s.momentumForce()...)...),
		g.stage("Evaluate makes the factor that of G(q).", "Evaluate", []jen.Code{id("q").Add(fvec())}, status, jen.Return(k.evaluate(g, "q", orderDensity))),
		g.stageOfFields("Solve writes v = G⁻¹p.", "Solve", []jen.Code{floats("v", "p")}, jen.Null(), sdot("factor").Dot("Solve").Call(id("v"), id("p"))))
}
