package codegen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Draws from the prior: the methods Priors and DrawPrior, of models where a
// parameter has one.

// namePriors gives a parameter's value in a draw from the prior the name of the
// parameter: its coordinates, which have that name elsewhere, are unknown there.
func (g *generator) namePriors() {
	for _, t := range g.d.Tensors(expr.PriorTensor) {
		g.names.of[t] = g.names.tensor(g.d.Params[t.Row].Coord)
	}
}

// priorMethods prints the methods of draws from the prior.
func (g *generator) priorMethods() []jen.Code {
	if len(g.d.Priors) == 0 {
		return nil
	}
	names := jen.Index().String().ValuesFunc(func(v *jen.Group) {
		for _, x := range g.d.Priors {
			v.Lit(x.Param.Decl.ObjectName())
		}
	})
	priors := doc("Priors names the parameters that DrawPrior draws, in that order.",
		g.method("Priors").Params().Index().String().Block(jen.Return(names)))
	body := g.body("DrawPrior")
	text := "DrawPrior draws parameters, on their own scale, from their prior to values, given\nthe other parameters there, with the next random numbers of rng.\n"
	for _, o := range g.d.Prior {
		def := o.E.Tensor.Def
		text += fmt.Sprintf("\n\t%s%s = %s", def.Tensor.Name, indexNames(def.Indices), expr.Format(def.Body))
	}
	draw := doc(text, g.method("DrawPrior").Params(floats("values"), id("rng").Op("*").Qual("math/rand/v2", "Rand")).Block(body...))
	return []jen.Code{priors, draw}
}
