package codegen

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Generated quantities: the type Quantities, and the methods Generated, Generate,
// QuantitiesOf and QuantityDraws.

// generates reports whether the type has generated quantities.
func (g *generator) generates() bool { return len(g.d.Quantities) > 0 }

// layoutQuantities finds where each quantity starts among the values of all.
func (g *generator) layoutQuantities() {
	g.placeOf = map[*expr.Tensor]dsl.Extent{}
	at := dsl.Fixed(0)
	for _, q := range g.d.Quantities {
		g.placeOf[q.Tensor] = at
		at = g.addExtents(at, g.elements(q.Tensor), "after", q.Decl.ObjectName())
	}
}

// elements is the number of elements of an array; a product of names becomes a
// size of its own.
func (g *generator) elements(t *expr.Tensor) dsl.Extent {
	size := 1
	for n, x := range t.Shape {
		if !x.IsConst() {
			if len(t.Shape) == 1 {
				return x
			}
			key := derivedKey("len", t.Name)
			if _, ok := g.sizeOf[key]; !ok {
				g.addSize(key, "len"+exported(t.Name))
				g.sizes[len(g.sizes)-1].product = t.Shape
			}
			return dsl.Extent{Name: key}
		}
		size *= t.Shape[n].Offset
	}
	return dsl.Fixed(size)
}

// quantityRange prints the bounds of an array of quantities among all values.
func (g *generator) quantityRange(p *printer, t *expr.Tensor) []jen.Code {
	at := g.placeOf[t]
	end := g.addExtents(at, g.elements(t), "after", t.Name)
	if at == dsl.Fixed(0) {
		return []jen.Code{jen.Empty(), p.extent(end)}
	}
	return []jen.Code{p.extent(at), p.extent(end)}
}

// quantitiesType declares Quantities.
func (g *generator) quantitiesType() {
	if !g.generates() {
		return
	}
	name := g.declared("", "Quantities")
	g.out.Add(comment(name + " holds the generated quantities of a draw."))
	g.out.Type().Id(name).StructFunc(func(st *jen.Group) {
		for _, q := range g.d.Quantities {
			if q.Decl.Doc != "" {
				st.Add(fieldComment(q.Decl.Doc))
			}
			t := q.Decl.Type
			whole := ""
			if t.Base == dsl.Int {
				whole = "whole numbers"
				if t.IsScalar() {
					whole = "a whole number"
				}
			}
			t.Base = dsl.Real
			st.Id(g.field(q.Decl.ObjectName())).Add(goType(t)).Comment(joinDoc(q.Decl.ObjectName(), shapeDoc(t), whole))
		}
	})
}

// groupNames are the runtime's names of the groups of quantities.
var groupNames = map[dsl.Group]string{
	dsl.GroupPosterior: "GroupPosterior", dsl.GroupLikelihood: "GroupLogLikelihood", dsl.GroupPredictive: "GroupPosteriorPredictive",
}

// generateMethods prints the methods of the generated quantities.
func (g *generator) generateMethods() []jen.Code {
	if !g.generates() {
		return nil
	}
	p := g.newPrinter()
	list := jen.Index().Add(rt("Quantity")).ValuesFunc(func(v *jen.Group) {
		for _, q := range g.d.Quantities {
			param := jen.Dict{id("Name"): jen.Lit(q.Decl.ObjectName())}
			if len(q.Tensor.Shape) > 0 {
				param[id("Shape")] = jen.Index().Int().ValuesFunc(func(v *jen.Group) {
					for _, x := range q.Tensor.Shape {
						v.Add(p.extent(x))
					}
				})
			}
			fields := jen.Dict{id("Param"): rt("Param").Values(param), id("Group"): rt(groupNames[q.Decl.Group])}
			if q.Decl.Type.Base == dsl.Int {
				fields[id("Whole")] = jen.True()
			}
			v.Line().Values(fields)
		}
		v.Line()
	})
	generated := doc("Generated describes the generated quantities.",
		g.method("Generated").Params().Index().Add(rt("Quantity")).Block(append(g.prologue(p), jen.Return(list))...))

	body := g.touch(&g.ph.generate)
	if slices.ContainsFunc(g.ph.generate.defs, func(d *expr.Def) bool { return expr.ReadsPart(d.Body) }) {
		body = append(g.solveAt(orderDensity), body...)
	}
	body = append(body, g.body("Generate")...)
	text := "Generate writes the generated quantities of the draw at q to out, in the order of\nQuantities, with the next random numbers of rng.\n"
	for _, q := range g.d.Quantities {
		def := q.Tensor.Def
		text += fmt.Sprintf("\n\t%s%s = %s", q.Tensor.Name, indexNames(def.Indices), expr.Format(def.Body))
	}
	generate := doc(text, g.method("Generate").Params(floats("out", "q"), id("rng").Op("*").Qual("math/rand/v2", "Rand")).Block(body...))

	p = g.newPrinter()
	var fields []jen.Code
	for _, q := range g.d.Quantities {
		f := id(g.field(q.Decl.ObjectName())).Op(":").Id("values")
		if len(q.Tensor.Shape) == 0 {
			fields = append(fields, f.Index(p.extent(g.placeOf[q.Tensor])))
			continue
		}
		fields = append(fields, f.Index(g.quantityRange(p, q.Tensor)...))
	}
	of := doc("QuantitiesOf names the values that Generate wrote. Arrays share the memory of\nvalues.",
		g.method("QuantitiesOf").Params(floats("values")).Id(g.declared("", "Quantities")).Block(append(g.prologue(p), jen.Return(id(g.declared("", "Quantities")).Values(fields...)))...))
	return []jen.Code{generated, generate, of, g.typedDraws("QuantityDraws", "Quantities", "QuantitiesOf", "the generated quantities")}
}

// indexNames prints the indices of a definition.
func indexNames(indices []*expr.Index) string {
	s := ""
	for n, i := range indices {
		if n > 0 {
			s += ","
		}
		s += i.Name
	}
	if s == "" {
		return ""
	}
	return "[" + s + "]"
}
