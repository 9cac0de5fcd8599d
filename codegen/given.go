package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/model"
)

// What a block of a model of several blocks has beyond a model of one: the
// parameters of the other blocks, which are a stage of their own.

// markGiven flags the coordinates of other blocks that the type has to keep.
func (g *generator) markGiven(all map[*expr.Def]bool, lists [][]symbolic.Output) {
	mark := func(e *expr.Expr) {
		expr.Refs(e, func(r *expr.Expr) {
			if r.Tensor.Kind == expr.GivenTensor {
				g.fields[r.Tensor] = true
			}
		})
	}
	for _, def := range g.d.Prog.Defs {
		if all[def] {
			mark(def.Body)
		}
	}
	for _, l := range lists {
		for _, o := range l {
			mark(o.E)
		}
	}
}

// givenMethod emits Given; prepare computes what depends on the other blocks'
// parameters alone.
func (g *generator) givenMethod(prepare []jen.Code) jen.Code {
	p := g.newPrinter()
	set := g.setGiven(p, g.d.Given)
	var body []jen.Code
	body = append(body, g.prologue(p)...)
	body = append(body, set...)
	body = append(body, g.callPrepareGiven()...)
	for _, e := range g.odes {
		body = append(body, jen.For(jen.List(jen.Id("_"), jen.Id("m")).Op(":=").Range().Id("s").Dot(e.memo)).Block(jen.Id("m").Dot("Forget").Call()))
	}
	forget, call := g.dynamics.forget()
	if call == nil {
		call = okay()
	}
	body = append(append(body, forget...), jen.Return(call))
	code := doc("Given sets the parameters of the other blocks from the coordinates q of all\nparameters, in the order of their declarations, and computes what depends on\nthem alone.",
		g.method("Given").Params(floats("q")).Add(rt("Status")).Block(body...))
	return jen.Add(code, g.prepareGivenMethod(prepare))
}

// callPrepareGiven calls the method below, if there is one.
func (g *generator) callPrepareGiven() []jen.Code {
	if len(g.ph.given.defs) == 0 {
		return nil
	}
	return []jen.Code{sdot("prepareGiven").Call()}
}

// prepareGivenMethod computes what depends on what is given, if there is anything.
func (g *generator) prepareGivenMethod(prepare []jen.Code) jen.Code {
	if len(g.ph.given.defs) == 0 {
		return jen.Null()
	}
	return jen.Line().Line().Add(doc("prepareGiven computes what depends on the data and "+g.role.gives()+".", g.method("prepareGiven").Params().Block(prepare...)))
}

// setGiven copies coordinates of some parameters out of those of all, where the type keeps them.
func (g *generator) setGiven(p *printer, params []*model.Param) []jen.Code {
	at := dsl.Fixed(0)
	var set []jen.Code
	left := 0 // to be copied
	for _, b := range params {
		if g.fields[b.Coord] {
			left++
		}
	}
	for _, q := range g.d.Model.Params {
		if left == 0 {
			break // no position behind is read
		}
		end := g.addExtents(at, dsl.ProductOf(q.Coordinates()), "through", q.ObjectName())
		for _, b := range params {
			if b.Decl != q || !g.fields[b.Coord] {
				continue
			}
			left--
			field := jen.Id("s").Dot(g.names.tensor(b.Coord))
			if b.Scalar() {
				set = append(set, field.Op("=").Id("q").Index(p.extent(at)))
			} else {
				set = append(set, jen.Copy(field, jen.Id("q").Index(p.extent(at), p.extent(end))))
			}
		}
		at = end
	}
	return set
}

// givenFields declares the coordinates that setGiven sets.
func (g *generator) givenFields(st *jen.Group, params []*model.Param, what string) {
	for _, q := range params {
		if !g.fields[q.Coord] {
			continue
		}
		ty := jen.Float64()
		if !q.Scalar() {
			ty = jen.Index().Float64()
		}
		st.Id(g.names.tensor(q.Coord)).Add(ty).Comment(what)
	}
}
