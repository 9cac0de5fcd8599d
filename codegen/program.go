package codegen

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/codegen/pass"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// target is a result that a phase writes: an output of the program with the
// tensor that stands for its destination.
type target struct {
	out  symbolic.Output
	dst  *expr.Tensor
	pair bool // a symmetric matrix block: compute the lower half, mirror
}

// phase is one emitted function body: the definitions that it computes and the
// targets that it writes.
type phase struct {
	defs    []*expr.Def
	targets []target
}

// build lowers the phases, and runs the passes over the program that they make.
func (g *generator) build() {
	density := func() target {
		return target{out: g.d.LogDensity, dst: g.outputTensor(layout{kind: "scalar", array: "res"})}
	}
	g.ph.logDensity.targets = []target{density()}
	for _, o := range g.d.LogJacobian {
		g.ph.logJacobian.targets = []target{{out: o, dst: g.outputTensor(layout{kind: "scalar", array: "res"})}}
	}
	for _, o := range g.d.Unseen {
		g.ph.unseen.targets = []target{{out: o, dst: g.outputTensor(layout{kind: "scalar", array: "res"})}}
	}
	g.ph.gradient.targets = append([]target{density()}, g.ph.gradient.targets...)
	for _, x := range []struct {
		name string
		ph   *phase
	}{
		{"summarise", &g.ph.data},
		{"prepareGiven", &g.ph.given},
		{"LogDensity", &g.ph.logDensity},
		{"Gradient", &g.ph.gradient},
		{"slope", &g.ph.slope},
		{"Generate", &g.ph.generate},
		{"DrawPrior", &g.ph.prior},
		{"Constrain", &g.ph.value},
		{"LogJacobian", &g.ph.logJacobian},
		{"unseen", &g.ph.unseen},
		{"push", &g.ph.plain},
		{"matrix", &g.ph.metric},
		{"force", &g.ph.force},
		{"pairing", &g.ph.contract},
		{"prepare", &g.ph.prepare},
		{"rank1", &g.ph.rank1},
		{"cube", &g.ph.jacobian},
		{"product", &g.ph.product},
		{"curvature", &g.ph.curvature},
	} {
		if len(x.ph.defs)+len(x.ph.targets) > 0 {
			g.function(x.name, x.ph).Divisible = slices.Contains(divisible, x.name)
		}
	}
	for n := range g.ph.whitened {
		g.function(g.whitening(n), &g.ph.whitened[n])
	}
	for n := range g.ph.chained {
		g.function(g.chaining(n), &g.ph.chained[n])
	}
	g.prog.Largest = g.opt.Largest
	g.buildEquations()
	pass.Run(g.prog, g.opt.AfterPass)
	if err := loop.Verify(g.prog); err != nil { // a pass that does not keep what is computed: better no code than that
		panic(fmt.Errorf("the program that the passes made breaks a rule: %w", err))
	}
	for _, f := range g.prog.Funcs {
		for _, v := range f.Free() {
			if t, ok := g.tensorOf[v]; ok && v.Matrix {
				g.matrices[t] = true
			}
		}
		loop.Each(f.Body, func(st loop.Stmt) {
			k, ok := st.(*loop.Keep)
			switch {
			case !ok:
			case k.For != loop.Parts:
				g.fields[g.tensorOf[k.V]] = true
			case !slices.Contains(g.between, k.V):
				g.between = append(g.between, k.V)
			}
		})
	}
}

// divisible are the functions of the program that stages with parameters and without results are.
var divisible = []string{"slope", "matrix", "force", "pairing", "prepare", "rank1", "cube", "product", "curvature"}

// body prints a function of the program: declarations of what it reads, then its statements. A step returns what its method names so.
func (g *generator) body(name string, returns ...jen.Code) []jen.Code {
	p := g.newPrinter()
	p.Cuts, p.Returns = true, returns
	code := p.part(name)
	return append(g.prologue(p), code...)
}

// part prints the statements of a function of the program.
func (p *printer) part(name string) []jen.Code {
	f := p.g.prog.Func(name)
	if f == nil {
		return nil
	}
	if loop.Decides(f.Body) {
		reads := loop.EffectsOf(f.Body...).Reads
		p.Times = func(v *loop.Var) int { return len(reads[v]) }
	}
	return p.Stmts(f.Body)
}

// arrays are those of the model that a function sets.
func (g *generator) arrays(name string) []*loop.Var {
	f := g.prog.Func(name)
	if f == nil {
		return nil
	}
	writes := loop.WritesOf(f.Body...)
	var out []*loop.Var
	for _, v := range f.Free() {
		if writes[v] && v.Home == loop.Field && !v.Scalar() {
			out = append(out, v)
		}
	}
	return out
}

// format is the text of an expression of the program, in terms of what is kept.
func (g *generator) format(e *expr.Expr) string {
	if len(g.prog.Gone) == 0 {
		return expr.Format(e)
	}
	c := g.d.C
	gone := pass.Whole(g.prog.Gone)
	return expr.Format(c.Replace(e, func(r *expr.Expr) *expr.Expr {
		x := gone[g.vars[r.Tensor]]
		if x == nil {
			return r
		}
		return g.calculus(x)
	}))
}

// calculus is an expression of the program over numbers that are kept, as one of the calculus.
func (g *generator) calculus(x *loop.Expr) *expr.Expr {
	c := g.d.C
	switch x.Op {
	case loop.Num:
		return c.Number(x.Val)
	case loop.Add:
		sum := c.Number(0)
		for n, a := range x.Args {
			sum = c.Add(sum, c.Scale(x.K[n], g.calculus(a)))
		}
		return sum
	case loop.Mul:
		product := c.Number(x.Val)
		for n, a := range x.Args {
			product = c.Mul(product, c.Pow(g.calculus(a), x.K[n]))
		}
		return product
	case loop.Float:
		for _, t := range g.d.Data {
			if g.isSize(t) && g.sizeVars[t.Name] == x.At[0].Var {
				return c.Ref(t)
			}
		}
		panic("codegen: a size that is no datum")
	}
	return c.Ref(g.tensorOf[x.Var])
}
