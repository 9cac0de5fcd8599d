package codegen

import (
	"github.com/dave/jennifer/jen"
)

// curvatureMethods emit runtime.Curved, from the body that writes the second derivatives
// of −L + ½⟨W, B⟩.
func (g *generator) curvatureMethods(body []jen.Code) []jen.Code {
	clearing := jen.Clear(id("dst"))
	text := "Curvature writes ∂²(−L + ½⟨W, G⟩)/∂q_k∂q_l at fixed W to dst[k·m+l], for a symmetric W\ngiven row-major: what Newton's method needs beyond Hamilton's equations."
	method := func(body ...jen.Code) jen.Code {
		return doc(text, g.method("Curvature").Params(floats("dst", "q", "w")).Block(body...))
	}
	var weigh []jen.Code
	switch {
	case g.constant():
		return nil
	case g.softAbs():
		inner := doc("curvature writes ∂²(−L + ½⟨M, H⟩)/∂q_k∂q_l at fixed M to dst, for the weight w; the\nmatrix was evaluated at q.",
			g.method("curvature").Params(floats("dst", "q", "w")).Block(append([]jen.Code{clearing}, body...)...))
		return []jen.Code{inner, method(
			jen.If(g.evaluateCall("q", orderCurvature).Op("!=").Add(okay())).Block(
				jen.For(id("i").Op(":=").Range().Id("dst")).Block(id("dst").Index(id("i")).Op("=").Qual("math", "NaN").Call()),
				jen.Return()),
			sdot("factor").Dot("Weights").Call(sdot("w"), id("w")),
			sdot("curvature").Call(id("dst"), id("q"), sdot("w")),
			jen.Comment("SoftAbs is not linear in H: its second derivative joins."),
			id("slice").Op(":=").Add(sdot("factor")).Dot("Cube").Call(),
			sdot("cube").Call(id("slice"), id("q")),
			sdot("factor").Dot("AddCurvature").Call(id("dst"), id("slice"), id("w")),
		)}
	case g.byParts():
		weigh = []jen.Code{sdot("factor").Dot("Pack").Call(sdot("w"), id("w")), id("w").Op("=").Add(sdot("w"))}
	case g.diagonal():
		weigh = []jen.Code{
			jen.For(id("i").Op(":=").Range().Add(sdot("w"))).Block(sdot("w").Index(id("i")).Op("=").Id("w").Index(id("i").Op("*").Parens(jen.Len(id("q")).Op("+").Lit(1)))),
			id("w").Op("=").Add(sdot("w"))}
	}
	weigh = append(weigh, clearing)
	return []jen.Code{method(append(append([]jen.Code{g.evaluateCall("q", orderCurvature)}, weigh...), body...)...)}
}
