package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/symbolic"
)

// flatMetric is that of models of one or two scalar parameters, which have steps in straight-line code (flat_steps.go):
// instead of a factor they have a frame, and the storage says where entries of the matrix are.
type flatMetric struct{ metric }

// drops: the steps have forms of their own of the force.
func (flatMetric) drops(g *generator) { g.d.Rank1, g.d.Force = nil, nil }

func (flatMetric) derive(g *generator) { g.buildFlat() }

func (flatMetric) others(g *generator) []symbolic.Output { return g.fl.outputs() }

func (flatMetric) system() string { return "Derivatives" }

func (flatMetric) fields(g *generator, st *jen.Group) {
	st.Add(g.frameSpace())
	st.Id("seen").Index(jen.Lit(g.fl.remembered())).Float64().Comment("GLF(b): position, adj G, 1/det G and force0 after the last step")
	st.Id("seenKnown").Bool()
	st.Id("mix").Add(rt("Accelerator"))
}

func (flatMetric) stages(g *generator) []stage { return g.derivativeStages() }

func (flatMetric) allocate(g *generator, p *printer) []jen.Code {
	return append(g.makeSystem(p, false),
		frameField("known").Op("=").False(), sdot("seenKnown").Op("=").False(), sdot("mix").Op("=").Add(rt("Accelerator")).Values())
}

func (flatMetric) forget() ([]jen.Code, *jen.Statement) {
	return []jen.Code{sdot("seenKnown").Op("=").False(), frameField("known").Op("=").False()}, nil
}

func (flatMetric) methods(g *generator, b bodies) []jen.Code {
	return append(g.stageMethods(b, sdot("Derivatives")), g.flatMethods()...)
}
