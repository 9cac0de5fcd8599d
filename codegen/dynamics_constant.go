package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/symbolic"
)

// constantMetric is that of a metric that is free of the position: it is factorised once, and the
// gradient is the one force there is.
type constantMetric struct{ metric }

func (constantMetric) drops(g *generator)                          { dropDerivatives(g.d) }
func (constantMetric) slope(d *symbolic.Derived) []symbolic.Output { return d.Gradient }
func (constantMetric) orders(*symbolic.Derived) []int              { return []int{orderDensity} }

func (constantMetric) system() string { return "Constant" }

func (constantMetric) stages(g *generator) []stage {
	return append(g.densityStages(), g.matrixStage(), stage{"Slope", "slope", "slope writes ∂L/∂q to grad, without the density itself.", []string{"grad", "q"}})
}

func (constantMetric) factorise(model string) *jen.Statement {
	return system("Factorise").Call(id(model).Dot("Constant"))
}

func (k constantMetric) forget() ([]jen.Code, *jen.Statement) { return nil, k.factorise("s") }

func (constantMetric) note(g *generator) string {
	return "The metric is constant: the leapfrog applies, and its factor is computed " + g.role.once() + "."
}

func (constantMetric) methods(g *generator, b bodies) []jen.Code {
	b["slope"] = append(g.solveAt(orderDensity), b["slope"]...)
	return g.stageMethods(b, nil)
}
