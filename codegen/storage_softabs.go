package codegen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/symbolic"
)

// softAbsStorage keeps the whole Hessian, of which the metric is the SoftAbs map: the factor is its
// spectral decomposition. The map is not linear, so that weights of the metric become
// weights of the Hessian, and the metric may not exist where the Hessian does.
type softAbsStorage struct{ denseStorage }

// arrowStorage is softAbsStorage of a Hessian that is a multiple of the identity but for one row and column.
type arrowStorage struct{ softAbsStorage }

func (softAbsStorage) factor() string { return "SoftAbs" }
func (arrowStorage) factor() string   { return "SoftAbsArrow" }

func (softAbsStorage) construct(g *generator, p *printer, m *jen.Statement) []jen.Code {
	alpha := p.value(g.d.Alpha.E)
	made := sdot("factor").Op("=").Add(linalg("NewSoftAbs")).Call(m, jen.Float64().Call(alpha))
	return append([]jen.Code{made}, shiftFactor(g, p)...)
}

func (arrowStorage) construct(g *generator, p *printer, m *jen.Statement) []jen.Code {
	alpha := p.value(g.d.Alpha.E)
	head := jen.Lit(0)
	if g.d.Params[1].Scalar() {
		head = p.extent(g.offset(1))
	}
	made := sdot("factor").Op("=").Add(linalg("NewSoftAbsArrow")).Call(m, head, jen.Float64().Call(alpha))
	return append([]jen.Code{made}, shiftFactor(g, p)...)
}

// shiftFactor sets the multiple of the identity that the metric has beside SoftAbs.
func shiftFactor(g *generator, p *printer) []jen.Code {
	if g.d.Shift.E.IsNum(0) {
		return nil
	}
	return []jen.Code{sdot("factor").Dot("Shift").Op("=").Add(p.value(g.d.Shift.E))}
}

func (softAbsStorage) settings(d *symbolic.Derived) []symbolic.Output {
	return []symbolic.Output{d.Alpha, d.Shift}
}

func (softAbsStorage) root() string { return "MulSqrt" }

// evaluated writes NaN where there is no metric.
func (softAbsStorage) evaluated(call *jen.Statement) []jen.Code {
	return []jen.Code{jen.If(call.Op("!=").Add(okay())).Block(
		jen.For(id("i").Op(":=").Range().Id("dst")).Block(id("dst").Index(id("i")).Op("=").Qual("math", "NaN").Call()),
		jen.Return())}
}

func (softAbsStorage) metric() []jen.Code {
	return []jen.Code{sdot("factor").Dot("Metric").Call(id("dst"))}
}

func (softAbsStorage) weigh() (code []jen.Code, w *jen.Statement) {
	return []jen.Code{sdot("factor").Dot("Weights").Call(sdot("w"), id("w"))}, sdot("w")
}

func (softAbsStorage) weighForce() []jen.Code {
	return []jen.Code{sdot("factor").Dot("WeightsForce").Call(sdot("w"), id("v"))}
}

func (softAbsStorage) weighInverse() jen.Code {
	return sdot("factor").Dot("WeightsInverse").Call(sdot("w"))
}

// drops: v vᵀ goes through the map like any other weight.
func (softAbsStorage) drops(d *symbolic.Derived) { d.Rank1 = nil }

func (softAbsStorage) velocityMethods(*generator, bodies) []jen.Code { return nil }

func (softAbsStorage) momentumForce() []jen.Code {
	return []jen.Code{
		sdot("factor").Dot("WeightsVelocity").Call(sdot("w"), sdot("v")),
		sdot("pairing").Call(id("f"), id("q"), sdot("w")),
		jen.For(id("i").Op(":=").Range().Id("f")).Block(id("f").Index(id("i")).Op("=").Add(prod(jen.Lit(0.5), id("f").Index(id("i"))))),
	}
}

func (s softAbsStorage) jacobian(g *generator, b bodies) (before, body []jen.Code) {
	cube := append([]jen.Code{jen.Clear(id("dst"))}, b["cube"]...)
	if g.d.ByColumns {
		cube = byColumns(sdot("pairing"))
	}
	before = []jen.Code{doc("cube writes ∂H_ij/∂q_k to dst[(i·m+j)·m+k]; the matrix was evaluated at q.",
		g.method("cube").Params(floats("dst", "q")).Block(cube...))}
	at := func() *jen.Statement { return id("dst").Index(id("i").Op("*").Id("m").Op("+").Id("k")) }
	over := func(body jen.Code) jen.Code { return jen.For(id("i").Op(":=").Range().Id("slice")).Block(body) }
	return before, append(s.evaluated(g.dynamics.evaluate(g, "q", orderForce)),
		sdot("cube").Call(id("dst"), id("q")),
		jen.Comment("∂G/∂q_k is the image of ∂H/∂q_k under the derivative of SoftAbs."),
		id("m").Op(":=").Len(id("q")),
		id("slice").Op(":=").Make(jen.Index().Float64(), id("m").Op("*").Id("m")),
		jen.For(id("k").Op(":=").Range().Id("m")).Block(
			over(id("slice").Index(id("i")).Op("=").Add(at())),
			sdot("factor").Dot("Weights").Call(sdot("w"), id("slice")),
			over(at().Op("=").Add(sdot("w")).Index(id("i"))),
		))
}

func (s softAbsStorage) curvature(g *generator, b bodies) []jen.Code {
	inner := doc("curvature writes ∂²(−L + ½⟨M, H⟩)/∂q_k∂q_l at fixed M to dst, for the weight w; the\nmatrix was evaluated at q.",
		g.method("curvature").Params(floats("dst", "q", "w")).Block(append([]jen.Code{jen.Clear(id("dst"))}, b["curvature"]...)...))
	weighed, w := s.weigh()
	body := append(s.evaluated(g.dynamics.evaluate(g, "q", orderCurvature)), weighed...)
	return []jen.Code{inner, g.curvatureMethod(append(body,
		sdot("curvature").Call(id("dst"), id("q"), w),
		jen.Comment("SoftAbs is not linear in H: its second derivative joins."),
		id("slice").Op(":=").Add(sdot("factor")).Dot("Cube").Call(),
		sdot("cube").Call(id("slice"), id("q")),
		sdot("factor").Dot("AddCurvature").Call(id("dst"), id("slice"), id("w")),
	)...)}
}

func (softAbsStorage) terms() terms {
	return terms{matrix: "H", weight: "M", force: "½⟨M, ∂H⟩", what: "the Hessian of L at q, whose SoftAbs map is the metric,", layout: "row-major"}
}

func (softAbsStorage) about(g *generator) string {
	met, shift := g.d.Metric, ""
	if !met.Shift.IsNum(0) {
		shift = " + " + symbolic.Format(met.Shift) + "·I"
	}
	return fmt.Sprintf("G = SoftAbs(H, α = %s)%s of the Hessian H of L", symbolic.Format(met.Alpha), shift)
}

func (arrowStorage) note() string {
	return "H is a multiple of the identity but for one row and column: its eigenvectors have a closed form."
}
