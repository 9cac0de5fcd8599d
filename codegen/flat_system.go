package codegen

import (
	"github.com/dave/jennifer/jen"
)

// The methods of runtime.System that flat models have of their own, but for their bodies. All others have those of package
// runtime/system.

// energyMethod emits Energy, from pᵀG⁻¹p, what computes it, and log det G.
func (g *generator) energyMethod(evaluate *jen.Statement, prepare []jen.Code, quad, logDet *jen.Statement) jen.Code {
	inf := func() *jen.Statement { return jen.Qual("math", "Inf").Call(jen.Lit(1)) }
	var body []jen.Code
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

// noLeapfrog is the leapfrog of a metric that is not constant.
func (g *generator) noLeapfrog() jen.Code {
	return doc("StepLeapfrog advances (q, p) by one explicit leapfrog step; the metric must be\nconstant, and any other is an error that the runtime reports before sampling.",
		g.method("StepLeapfrog").Params(floats("q", "p"), id("eps").Float64()).Add(rt("StepResult")).Block(
			jen.Return(rt("StepResult").Values(jen.Dict{id("Status"): rt("NotConstant")}))))
}
