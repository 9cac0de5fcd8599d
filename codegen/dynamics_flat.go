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

// weights declares or makes weights, where those of an argument cannot be used as they are.
func (flatMetric) weights(g *generator, emit func()) {
	if code, _ := g.storage.weigh(); len(code) > 0 {
		emit()
	}
}

func (k flatMetric) fields(g *generator, st *jen.Group) {
	st.Id("b").Index().Float64().Comment("the matrix")
	st.Add(g.frameSpace())
	k.weights(g, func() { st.Id("w").Index().Float64().Comment("weights of the contraction") })
	n := 2*g.dim.Offset + 1
	if g.dim.Offset > 1 {
		n += len(g.fl.adj)
	}
	st.Id("seen").Index(jen.Lit(n)).Float64().Comment("GLF(b): position, adj G, 1/det G and force0 after the last step")
	st.Id("seenKnown").Bool()
	st.Id("mix").Add(rt("Accelerator"))
}

func (k flatMetric) allocate(g *generator, p *printer) []jen.Code {
	size := g.storage.length(g, p)
	out := makeArrays(size, "b")
	k.weights(g, func() { out = append(out, makeArrays(size, "w")...) })
	return append(out, frameField("known").Op("=").False(), sdot("seenKnown").Op("=").False(), sdot("mix").Op("=").Add(rt("Accelerator")).Values())
}

// evaluate makes the matrix, which is of no use to the steps and not remembered.
func (flatMetric) evaluate(_ *generator, at string, _ int) *jen.Statement {
	return sdot("matrix").Call(sdot("b"), id(at))
}

func (flatMetric) given() []jen.Code {
	return []jen.Code{sdot("seenKnown").Op("=").False(), frameField("known").Op("=").False(), jen.Return(okay())}
}

func (flatMetric) methods(g *generator, b bodies) []jen.Code {
	out := append([]jen.Code{g.matrixMethod(b), g.pairingMethod(b)}, g.derivativeMethods(b)...)
	return append(out, g.flatMethods()...)
}

func (g *generator) flatEnergy() jen.Code {
	return g.energyMethod(g.frameCall(), g.flatQuad(), id("quad"), jen.Qual(elementaryPath, "Log").Call(frameField("det")))
}
