package codegen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/codegen/unroll"
)

// smallConstantMetric is that of a constant metric of one or two coordinates. Calls and slices take most of the time
// of an implicit midpoint step of so few, so that it is unrolled, over the factor of the storage; the gradient is a call. All other
// methods are those of the system.
type smallConstantMetric struct{ constantMetric }

// smallFactor makes what a step asks of a factor, with the operations of package linalg in their order: draws are the same bits.
type smallFactor struct {
	load       []loop.Stmt                        // declares what the rest reads
	solve      func(v, p []*loop.Var) []loop.Stmt // declares v = G⁻¹p
	form, quad func(d []*loop.Var) *loop.Expr     // dᵀG d and dᵀG⁻¹d
	root       []*loop.Expr                       // √G_ii
}

// smallConstant reports whether a constant metric gets an unrolled step.
func (g *generator) smallConstant() bool {
	if m := g.d.Metric; !m.Constant || len(g.d.Solves) > 0 || !g.dim.IsConst() || g.dim.Offset > maxFlat {
		return false
	}
	return storageOf(g.d.Metric).small() != nil
}

func (smallConstantMetric) fields(g *generator, st *jen.Group) {
	st.Id("store").Op("*").Add(system(g.storage.system())).Comment("of the metric, which is s.Constant's too")
	st.Id("mix").Add(rt("Accelerator"))
}

func (smallConstantMetric) allocate(g *generator, p *printer) []jen.Code {
	return append(g.makeSystem(p, true), sdot("mix").Op("=").Add(rt("Accelerator")).Values())
}

func (smallConstantMetric) derive(g *generator) {
	g.prog.Steps = append(g.prog.Steps, g.constantIMb)
}

func (k smallConstantMetric) methods(g *generator, b bodies) []jen.Code {
	return append(k.constantMetric.methods(g, b),
		g.stepMethod("StepIMb", "StepIMb advances (q, p) by one step of the implicit midpoint rule solved for the\nmidpoint z̄ = z + ½ε f(z̄), IM(b) of Brofos & Lederman (2021); z' = 2z̄ − z."))
}

// constantIMb makes the step of the implicit midpoint rule.
func (g *generator) constantIMb() *loop.Func {
	m := g.dim.Offset
	f := g.storage.small()(g, m)
	q, p, root := numbered("q", m), numbered("p", m), numbered("root", m)
	x, y := numbered("x", 2*m), numbered("y", 2*m)
	array := func(name string) *loop.Var { return &loop.Var{Name: name, Shape: []*loop.Int{loop.Const(m)}} }
	at, grad := array("at"), array("grad")
	flow := func(c *unroll.Call) []loop.Stmt {
		y, x, h := c.Target(1), c.Vector(2), c.Number(3)
		v := numbered("v", m)
		var code []loop.Stmt
		for i := range m {
			code = append(code, &loop.Set{V: at, At: []*loop.Int{loop.Const(i)}, E: loop.Value(x[i])})
		}
		code = append(code, &loop.Invoke{Func: "model.slope", Args: []loop.Arg{{V: grad}, {V: at}}})
		code = append(code, f.solve(v, x[m:])...)
		for i := range m {
			code = append(code, &loop.Set{V: y[i], E: add(loop.Value(q[i]), times(h, loop.Value(v[i])))})
		}
		for i := range m {
			code = append(code, &loop.Set{V: y[m+i], E: add(loop.Value(p[i]), times(h, loop.Element(grad, loop.Const(i))))})
		}
		return code
	}
	step := g.implicitStep("StepIMb", "IMb", q, p, &unroll.Options{
		Fields: map[string]any{"x": x, "y": y, "z": slices.Concat(q, p), "root": root},
		Stages: map[string]unroll.Stage{"flow": flow, "RootDiagonal": func(c *unroll.Call) []loop.Stmt {
			return assigned(c.Target(0), func(i int) *loop.Expr { return f.root[i] })
		}},
		Values: map[string]func(unroll.Vector, ...*loop.Expr) any{
			"Form": func(d unroll.Vector, _ ...*loop.Expr) any { return f.form(d) },
			"Quad": func(d unroll.Vector, _ ...*loop.Expr) any { return f.quad(d) },
		},
	})
	step.Body = slices.Concat(f.load, zeros(slices.Concat(x, y, root)...), []loop.Stmt{&loop.Table{V: at}, &loop.Table{V: grad}}, step.Body)
	return step
}
