package codegen

import (
	"github.com/dave/jennifer/jen"
)

// variableMetric is that of a metric that changes with the position.
type variableMetric struct{ metric }

// drops: v vᵀ goes through a map that is not linear like any other weight.
func (variableMetric) drops(g *generator) {
	if g.d.Metric.Storage.NonLinear {
		g.d.Rank1 = nil
	}
}

func (variableMetric) system() string { return "Varying" }

func (variableMetric) stages(g *generator) []stage {
	t := g.storage.terms()
	out := append(append(g.densityStages(), g.derivativeStages()...),
		stage{"Force", "force", "force writes −∂L/∂q + ½⟨" + t.weight + ", ∂" + t.matrix + "/∂q⟩ to f, for the weight w; the matrix was\nevaluated at q.", []string{"f", "q", "w"}})
	return append(out, g.momentumStages()...)
}

func (variableMetric) forget() ([]jen.Code, *jen.Statement) {
	return []jen.Code{system("Forget").Call(sdot("Varying"))}, nil
}

func (variableMetric) touch() []jen.Code {
	return []jen.Code{system("Touch").Call(sdot("Varying"), id("q"))}
}

func (variableMetric) methods(g *generator, b bodies) []jen.Code {
	return g.stageMethods(b, jen.Op("&").Add(sdot("Derivatives")))
}
