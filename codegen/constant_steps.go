package codegen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/unroll"
)

// smallConstantMetric is that of a constant metric of one or two coordinates. Calls and slices take most of the time
// of an implicit midpoint step of so few, so that it is unrolled, over the factor of the storage; the gradient is a call. All other
// methods are those of the system.
type smallConstantMetric struct{ constantMetric }

// smallStorage is a storage whose factor, of one or two coordinates, fits into variables.
type smallStorage interface {
	storage

	// kind is its type in package system.
	kind() string
	// small returns the factor of m coordinates, which s.store holds.
	small(g *generator, m int) *smallFactor
}

// smallFactor prints what a step asks of a factor, with the operations of package linalg in their order: draws are the same bits.
type smallFactor struct {
	load       []jen.Code                      // declares what the rest reads
	solve      func(v, p []string) []jen.Code  // declares v = G⁻¹p
	form, quad func(d []string) *jen.Statement // dᵀG d and dᵀG⁻¹d
	root       []jen.Code                      // √G_ii
}

// smallConstant reports whether a constant metric gets an unrolled step.
func (g *generator) smallConstant() bool {
	if m := g.d.Metric; !m.Constant || len(g.d.Solves) > 0 || !g.dim.IsConst() || g.dim.Offset > maxFlat {
		return false
	}
	_, ok := storageOf(g.d.Metric).(smallStorage)
	return ok
}

func (smallConstantMetric) fields(g *generator, st *jen.Group) {
	st.Id("store").Op("*").Add(system(g.storage.(smallStorage).kind())).Comment("of the metric, which is s.Constant's too")
	st.Id("mix").Add(rt("Accelerator"))
}

func (smallConstantMetric) allocate(g *generator, p *printer) []jen.Code {
	return append(g.makeSystem(p, true), sdot("mix").Op("=").Add(rt("Accelerator")).Values())
}

func (k smallConstantMetric) methods(g *generator, b bodies) []jen.Code {
	return append(k.constantMetric.methods(g, b), g.constantIMb())
}

// constantIMb prints the step of the implicit midpoint rule.
func (g *generator) constantIMb() jen.Code {
	m := g.dim.Offset
	f := g.storage.(smallStorage).small(g, m)
	q, p, root := g.numbered("q", m), g.numbered("p", m), g.numbered("root", m)
	x, y := g.numbered("x", 2*m), g.numbered("y", 2*m)
	at, grad := g.names.fresh("at"), g.names.fresh("grad")
	flow := func(c *unroll.Call) []jen.Code {
		y, x, h := c.Target(1), c.Vector(2), c.Code(3)
		v := g.numbered("v", m)
		code := []jen.Code{
			elements(at, m).Op("=").Add(idList(x[:m])),
			sdot("slope").Call(id(grad).Index(jen.Op(":")), id(at).Index(jen.Op(":"))),
		}
		code = append(code, f.solve(v, x[m:])...)
		for i := range m {
			code = append(code, id(y[i]).Op("=").Id(q[i]).Op("+").Add(prod(h, id(v[i]))))
		}
		for i := range m {
			code = append(code, id(y[m+i]).Op("=").Id(p[i]).Op("+").Add(prod(h, id(grad).Index(jen.Lit(i)))))
		}
		return code
	}
	o := &unroll.Options{
		Fresh:     g.names.fresh,
		Arguments: []any{nil, nil, unroll.Vector(q), unroll.Vector(p), "eps", "sv"},
		Fields: map[string]any{
			"x": unroll.Vector(x), "y": unroll.Vector(y), "z": unroll.Vector(slices.Concat(q, p)), "root": unroll.Vector(root), "mix": sdot("mix"),
		},
		Writes:  map[string]bool{"Next": true},
		Package: rt,
		Stages: map[string]unroll.Stage{"flow": flow, "RootDiagonal": func(c *unroll.Call) []jen.Code {
			return []jen.Code{idList(c.Target(0)).Op("=").List(f.root...)}
		}},
		Values: map[string]func(unroll.Vector, ...*jen.Statement) *jen.Statement{
			"Form":    func(d unroll.Vector, _ ...*jen.Statement) *jen.Statement { return f.form(d) },
			"Quad":    func(d unroll.Vector, _ ...*jen.Statement) *jen.Statement { return f.quad(d) },
			"Largest": largest,
			"within":  within,
		},
	}
	code := stepSource().Function("IMb", o)
	head := append(slices.Clone(f.load),
		jen.Var().Add(idList(slices.Concat(x, y, root))).Float64(),
		jen.Var().List(id(at), id(grad)).Index(jen.Lit(m)).Float64())
	return doc("StepIMb advances (q, p) by one step of the implicit midpoint rule solved for the\nmidpoint z̄ = z + ½ε f(z̄), IM(b) of Brofos & Lederman (2021); z' = 2z̄ − z.",
		g.method("StepIMb").Params(floats("q", "p"), id("eps").Float64(), id("sv").Op("*").Add(rt("Solver"))).
			Params(id("r").Add(rt("StepResult"))).Block(append(head, code...)...))
}
