package codegen

import (
	"github.com/dave/jennifer/jen"
)

// variableMetric is that of a metric that changes with the position.
type variableMetric struct{ metric }

func (variableMetric) drops(g *generator) { g.storage.drops(g.d) }

func (variableMetric) system() string { return "Varying" }

func (k variableMetric) allocate(g *generator, p *printer) []jen.Code {
	stages := append(append(g.densityStages(), g.derivativeStages()...), [2]string{"Force", "force"})
	if g.storage.linear() {
		stages = append(stages, [2]string{"Rank1", "rank1"})
	}
	if k.prepares(g) {
		stages = append(stages, [2]string{"Prepare", "prepare"})
	}
	return g.makeSystem(p, true, stages)
}

// prepares reports whether rank1 needs anything of the position alone.
func (variableMetric) prepares(g *generator) bool {
	return g.storage.linear() && len(g.ph.prepare.defs) > 0
}

func (variableMetric) given() []jen.Code {
	return []jen.Code{system("Forget").Call(sdot("Varying")), jen.Return(okay())}
}

func (variableMetric) touch() []jen.Code {
	return []jen.Code{system("Touch").Call(sdot("Varying"), id("q"))}
}

func (k variableMetric) methods(g *generator, b bodies) []jen.Code {
	t := g.storage.terms()
	out := append(g.derivativeMethods(b, jen.Op("&").Add(sdot("Derivatives"))),
		g.divided(b, "force", "force writes −∂L/∂q + ½⟨"+t.weight+", ∂"+t.matrix+"/∂q⟩ to f, for the weight w; the matrix was\nevaluated at q.", "f", "q", "w")...)
	if k.prepares(g) {
		out = append(out, g.divided(b, "prepare", "prepare computes what rank1 needs of the position alone.", "q")...)
	}
	if g.storage.linear() {
		out = append(out, g.divided(b, "rank1", "rank1 writes ½⟨v vᵀ, ∂G/∂q⟩ to f: the part of ∂H/∂q that changes with the momentum.", "f", "q", "v")...)
	}
	return out
}
