package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/symbolic"
)

// constantMetric is that of a metric that is free of the position: it is factorised once, and the
// gradient is the one force there is.
type constantMetric struct{ metric }

func (constantMetric) adjective() string                           { return "constant and " }
func (constantMetric) drops(g *generator)                          { dropDerivatives(g.d) }
func (constantMetric) slope(d *symbolic.Derived) []symbolic.Output { return d.Gradient }
func (constantMetric) orders(*symbolic.Derived) []int              { return []int{orderDensity} }

func (constantMetric) system() string { return "Constant" }

func (constantMetric) allocate(g *generator, p *printer) []jen.Code {
	return g.makeSystem(p, true, append(g.densityStages(), [2]string{"Matrix", "matrix"}, [2]string{"Slope", "slope"}))
}

func (constantMetric) factorise(model string) *jen.Statement {
	return system("Factorise").Call(id(model).Dot("Constant"))
}

func (k constantMetric) given() []jen.Code { return []jen.Code{jen.Return(k.factorise("s"))} }

func (constantMetric) note(g *generator) string {
	return "The metric is constant: the leapfrog applies, and its factor is computed " + g.role.once() + "."
}

func (constantMetric) methods(g *generator, b bodies) []jen.Code {
	b["slope"] = append(g.solveAt(orderDensity), b["slope"]...)
	return append(g.divided(b, "slope", "slope writes ∂L/∂q to grad, without the density itself.", "grad", "q"), g.matrixMethod(b)...)
}
