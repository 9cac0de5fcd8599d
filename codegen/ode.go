package codegen

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Models with differential equations. The density, its gradient and the metric
// of one position come from one integration with first-order sensitivities, and
// what needs the metric's derivative too from one with second-order ones. Which
// order a quantity comes from depends on nothing but the method: the two
// integrations take different steps, and the last digits of a result may not
// depend on what was computed before.
const (
	orderDensity   = 1 // of the density, its gradient, the energy, the metric
	orderForce     = 2 // of ∂H/∂q
	orderCurvature = 3 // of the second derivatives of H
)

// equation is what the emitted code has of one solution.
type equation struct {
	sol              *expr.Solution
	memo, out, input string    // fields
	given            string    // a field: the components that scalings give; "" of none
	solve            string    // a method
	rhs, scale       [4]string // methods, by order; no scale where nothing is given
	shared           phase     // where there is a solution for each value of an index: what these have in common, and the inputs of all
	inputs           phase     // the inputs and what the right side holds of them alone
	at               *loop.Var // that value, counted from 0
	bodies           [4]phase  // the right side by order
	fill             [4]phase  // what scalings give of an order
}

// families say how the operators whose values are families of arrays are emitted, by their names. A part is an array of the work space.
var families = map[string]struct {
	part func(g *generator, v *loop.Var, t *expr.Tensor) // makes v the variable of a part
}{
	expr.SolutionName: {part: (*generator).component},
}

// component makes v a component of the solution of a differential equation, over the times.
func (g *generator) component(v *loop.Var, t *expr.Tensor) {
	for _, e := range g.odes {
		if &e.sol.Family == t.Part.Of {
			n := g.solutions(e.sol)
			v.Home, v.Of = loop.View, g.fieldVar(e.out)
			if t.Part.Given != nil {
				v.Of = g.fieldVar(e.given)
			}
			v.From, v.To = loop.Const(t.Part.Row).Times(n), loop.Const(t.Part.Row+1).Times(n)
			return
		}
	}
	panic("codegen: a component of no solution")
}

// solutions is the number of elements of a component.
func (g *generator) solutions(sol *expr.Solution) *loop.Int {
	n := g.extent(sol.NumTimes())
	if sol.Outer != nil {
		n = n.Times(g.extent(sol.Outer.Range.Hi))
	}
	return n
}

// odeGiven is the array of the components that scalings give, over the times, while it is filled.
func (g *generator) odeGiven(lay layout) *loop.Var {
	key := lay.array + " of " + lay.of.given
	if g.params[key] == nil {
		_, given := lay.of.sol.Split(lay.of.sol.Order)
		g.params[key] = &loop.Var{Name: lay.array, Home: loop.Param, Shape: []*loop.Int{loop.Const(len(given)), g.extent(lay.of.sol.NumTimes())}}
	}
	return g.params[key]
}

// hasODE reports whether the model solves differential equations.
func (g *generator) hasODE() bool { return len(g.odes) > 0 }

// orders are those of the sensitivities that the type integrates.
func (g *generator) orders() []int { return g.dynamics.orders(g.d) }

// buildODEs makes the phases of the differential equations. The definitions
// have been derived.
func (g *generator) buildODEs() {
	c := g.d.C
	for _, sol := range g.d.Solves {
		name := sol.Decl.ObjectName()
		e := &equation{sol: sol, solve: g.names.fresh("solve_" + name), memo: g.names.fresh(name + "_memo"), out: g.names.fresh(name + "_out"), input: g.names.fresh(name + "_inputs")}
		for i, t := range sol.States {
			if sol.Parts[i].Given == nil {
				g.inner[t] = sol.Parts[i].Row
			}
		}
		if sol.Outer != nil {
			e.at = &loop.Var{Name: "at", Home: loop.Param, Int: true}
		}
		if sol.Scales() {
			e.given = g.names.fresh(name + "_given")
		}
		var all []symbolic.Output
		for i, u := range sol.Inputs {
			o := symbolic.Output{Row: -1, Col: -1, Dir: -1, E: c.Ref(u.Symbol)}
			all = append(all, o)
			e.inputs.targets = append(e.inputs.targets, target{out: o, dst: g.outputTensor(layout{kind: "element", array: "u", row: i})})
		}
		for _, k := range g.orders() {
			e.rhs[k] = g.names.fresh(fmt.Sprintf("%s_rhs%d", name, k))
			var outs []symbolic.Output
			integrated, given := sol.Split(k)
			if len(given) > 0 {
				e.scale[k] = g.names.fresh(fmt.Sprintf("%s_scale%d", name, k))
			}
			for _, p := range integrated {
				o := symbolic.Output{Row: -1, Col: -1, Dir: -1, E: sol.Rhs[p.Pos]}
				outs = append(outs, o)
				e.bodies[k].targets = append(e.bodies[k].targets, target{out: o, dst: g.outputTensor(layout{kind: "element", array: "dy", row: p.Row})})
			}
			for _, p := range integrated {
				all = append(all, symbolic.Output{E: sol.Init[p.Pos]})
			}
			for _, p := range given {
				o := symbolic.Output{Row: -1, Col: -1, Dir: -1, Indices: []*expr.Index{sol.Index}, E: p.Given}
				all = append(all, o)
				if p.Order() == k {
					e.fill[k].targets = append(e.fill[k].targets, target{out: o, dst: g.outputTensor(layout{kind: "times", array: "given", row: p.Row, of: e})})
				}
			}
			all = append(all, outs...)
			need := g.closure(outs)
			for _, def := range g.d.Prog.Defs {
				if need[def] && def.Inner() {
					e.bodies[k].defs = append(e.bodies[k].defs, def)
				}
			}
		}
		all = append(all, symbolic.Output{E: sol.From})
		need, own := g.closure(all), map[*expr.Def]*expr.Family{}
		for _, def := range g.d.Prog.Defs {
			if !need[def] || def.Inner() || def.Stage() != expr.StagePosition {
				continue
			}
			if sol.Outer != nil && def.OwnOf(own) == nil {
				e.shared.defs = append(e.shared.defs, def)
			} else {
				e.inputs.defs = append(e.inputs.defs, def)
			}
		}
		g.odes = append(g.odes, e)
		g.odeOutputs = append(g.odeOutputs, all)
	}
}

// part names a function of the loop program that belongs to the equation.
func (e *equation) part(what string, order int) string {
	name := "ode_" + e.sol.Decl.ObjectName() + "_" + what
	if order > 0 {
		name += strconv.Itoa(order)
	}
	return name
}

// buildEquations lowers what the equations compute.
func (g *generator) buildEquations() {
	for _, e := range g.odes {
		inputs := &loop.Func{Name: e.part("inputs", 0)}
		keep := &loop.Func{Name: e.part("keep", 0), After: inputs}
		l := g.lower(&inputs.Body)
		if e.at != nil {
			inputs.After = g.function(e.part("shared", 0), &e.shared)
			l.vars[e.sol.Outer] = e.at
		}
		for _, d := range e.inputs.defs {
			l.definition(d)
		}
		for _, t := range e.inputs.targets {
			l.target(t)
		}
		g.lower(&keep.Body).keep(&e.inputs)
		g.prog.Funcs = append(g.prog.Funcs, inputs, keep)
		last := 0
		for _, k := range g.orders() {
			var start phase
			integrated, given := e.sol.Split(k)
			for _, p := range integrated[last:] {
				o := symbolic.Output{Row: -1, Col: -1, Dir: -1, E: e.sol.Init[p.Pos]}
				if o.E.IsNum(0) {
					continue // which y0 is before
				}
				start.targets = append(start.targets, target{out: o, dst: g.outputTensor(layout{kind: "element", array: "y0", row: p.Row})})
			}
			last = len(integrated)
			g.function(e.part("start", k), &start).After = inputs
			if len(given) > 0 {
				g.function(e.part("given", k), &e.fill[k])
			}
			g.function(e.part("rhs", k), &e.bodies[k])
		}
	}
}

// odeFields declares the work space of the solutions.
func (g *generator) odeFields(st *jen.Group) {
	for _, e := range g.odes {
		memo := st.Id(e.memo).Index(jen.Lit(len(g.orders())))
		if e.at != nil {
			memo.Index().Op("*").Qual(odePath, "Memo").Comment(fmt.Sprintf("solutions %s by order of their sensitivities", e.sol.Decl.ObjectName()))
			st.Id(e.out).Index().Float64().Comment("those of them that are read, by component")
		} else {
			memo.Op("*").Qual(odePath, "Memo").Comment(fmt.Sprintf("solution %s by order of its sensitivities", e.sol.Decl.ObjectName()))
			st.Id(e.out).Index().Float64().Comment("the one of them that is read")
		}
		if e.given != "" {
			st.Id(e.given).Index().Float64().Comment("its components that scalings give")
		}
		if len(e.sol.Inputs) > 0 {
			st.Id(e.input).Index().Float64()
		}
	}
	if g.hasODE() {
		st.Id("solved").Add(rt("Status")).Comment("how the solution that was asked for last came out")
	}
}

// allocateODEs makes the work space of the solutions.
func (g *generator) allocateODEs() []jen.Code {
	if !g.hasODE() {
		return nil
	}
	lines := []jen.Code{sdot("makeMemos").Call()}
	for _, e := range g.odes {
		if n := len(e.sol.Inputs); n > 0 {
			lines = append(lines, sdot(e.input).Op("=").Make(jen.Index().Float64(), jen.Lit(n)))
		}
	}
	return lines
}

// memos make what solves the equations, with the tolerances of the model.
func (g *generator) memos() []jen.Code {
	p := g.newPrinter()
	var lines []jen.Code
	for _, e := range g.odes {
		for i, k := range g.orders() {
			integrated, given := e.sol.Split(k)
			memo := sdot(e.memo).Index(jen.Lit(i))
			args := []jen.Code{jen.Lit(len(integrated)), p.extent(e.sol.NumTimes()), jen.Lit(len(e.sol.Inputs)), sdot(e.rhs[k]), sdot("tolerance")}
			if e.at != nil {
				lines = append(lines, memo.Clone().Op("=").Qual(odePath, "NewMemos").Call(append([]jen.Code{p.extent(e.sol.Outer.Range.Hi)}, args...)...))
				continue
			}
			lines = append(lines, memo.Clone().Op("=").Qual(odePath, "NewMemo").Call(args...))
			if len(given) > 0 {
				lines = append(lines, memo.Clone().Dot("Given").Op("=").Make(jen.Index().Float64(), jen.Lit(len(given)).Op("*").Add(p.extent(e.sol.NumTimes()))))
			}
		}
		if e.at != nil {
			integrated, _ := e.sol.Split(g.orders()[len(g.orders())-1])
			lines = append(lines, sdot(e.out).Op("=").Make(jen.Index().Float64(), jen.Lit(len(integrated)).Op("*").Add(p.extent(e.sol.Outer.Range.Hi)).Op("*").Add(p.extent(e.sol.NumTimes()))))
		}
	}
	return append(g.prologue(p), lines...)
}

// odeMethods are those that solve the differential equations.
func (g *generator) odeMethods() []jen.Code {
	if !g.hasODE() {
		return nil
	}
	var out []jen.Code
	body := g.touchSolution()
	for n, e := range g.odes {
		// One that fails leaves its solution NaN, and the others are there too for what reads all of them.
		solve := jen.Id("s").Dot(e.solve).Call(id("q"), id("order"))
		if n == 0 {
			body = append(body, sdot("solved").Op("=").Add(solve))
		} else {
			body = append(body, jen.If(id("status").Op(":=").Add(solve), sdot("solved").Op("==").Add(okay())).Block(sdot("solved").Op("=").Id("status")))
		}
		out = append(out, doc(fmt.Sprintf("%s makes the solution %s, with sensitivities up to an order, that of the\nposition q.", e.solve, e.sol.Decl.ObjectName()),
			g.method(e.solve).Params(floats("q"), id("order").Int()).Add(rt("Status")).Block(g.solveBody(e)...)))
		for _, k := range g.orders() {
			out = append(out, doc(g.rhsDoc(e, k),
				g.method(e.rhs[k]).Params(floats("dy", "y"), g.timeParam(e).Float64(), id("_").Add(fvec())).Block(g.rhsBody(e, k)...)))
			if e.scale[k] != "" {
				out = append(out, doc(fmt.Sprintf("%s writes the sensitivities of order %d of the solution %s that scalings give.", e.scale[k], k, e.sol.Decl.ObjectName()),
					g.method(e.scale[k]).Params(floats("given")).Block(g.body(e.part("given", k))...)))
			}
		}
	}
	body = append(body, jen.Return(sdot("solved")))
	head := doc("solve makes the solutions of the differential equations those of the position q,\nwith sensitivities up to an order, unless they are already.",
		g.method("solve").Params(floats("q"), id("order").Int()).Add(rt("Status")).Block(body...))
	forget, call := g.dynamics.forget()
	if call != nil {
		forget = append(forget, call)
	}
	set := doc("SetODE sets the tolerances with which differential equations are solved.",
		g.method("SetODE").Params(id("opt").Qual(odePath, "Options")).Block(slices.Concat(
			[]jen.Code{sdot("tolerance").Op("=").Id("opt"), sdot("makeMemos").Call()}, forget, g.setBlocks())...))
	memos := doc("makeMemos makes what solves the differential equations, with the tolerances as they are.",
		g.method("makeMemos").Params().Block(g.memos()...))
	status := doc("SolveStatus tells how the solution that was asked for last came out.",
		g.method("SolveStatus").Params().Add(rt("Status")).Block(jen.Return(jen.Id("s").Dot("solved"))))
	return append([]jen.Code{set, memos, status, head}, out...)
}

// touchSolution emits the call that forgets the factor of another position, where
// an integration writes work space that the factor's phases read.
func (g *generator) touchSolution() []jen.Code {
	for _, e := range g.odes {
		for _, def := range e.inputs.defs {
			if g.ofFactor[def.Tensor] {
				return g.dynamics.touch()
			}
		}
	}
	return nil
}

// setBlocks emits that the blocks of a joint density have its tolerances.
func (g *generator) setBlocks() []jen.Code {
	var out []jen.Code
	for _, b := range g.blocks {
		if b.hasODE() {
			out = append(out, jen.Id("s").Dot(b.fieldName).Dot("SetODE").Call(jen.Id("opt")))
		}
	}
	return out
}

// timeParam is the parameter of a right side that holds the time.
func (g *generator) timeParam(e *equation) *jen.Statement {
	if e.sol.Time == nil {
		return jen.Id("_")
	}
	return jen.Id(g.names.tensor(e.sol.Time))
}

// rhsDoc states the equations.
func (g *generator) rhsDoc(e *equation, order int) string {
	text := fmt.Sprintf("%s is the right side of the differential equation of %s", e.rhs[order], e.sol.Decl.ObjectName())
	if order > 0 {
		text += fmt.Sprintf(" and its\nsensitivities up to order %d", order)
	}
	text += ".\n"
	for i := range e.sol.Size(0) {
		text += fmt.Sprintf("\n\t%s' = %s", e.sol.States[i].Name, expr.Format(e.sol.Rhs[i]))
	}
	return text
}

// rhsBody prints a right side.
func (g *generator) rhsBody(e *equation, order int) []jen.Code {
	integrated, _ := e.sol.Split(order)
	n := jen.Lit(len(integrated))
	p := g.newPrinter()
	code := p.part(e.part("rhs", order))
	return slices.Concat([]jen.Code{jen.List(id("y"), id("dy")).Op("=").List(id("y").Index(jen.Empty(), n), id("dy").Index(jen.Empty(), n))}, g.prologue(p), code)
}

// solveBody prints the integration of one equation: the inputs first and, if they
// are new, what depends on them, the initial values and the integration.
func (g *generator) solveBody(e *equation) []jen.Code {
	if e.at != nil {
		return g.solveEach(e)
	}
	sol := e.sol
	p := g.newPrinter()
	stmts := p.part(e.part("inputs", 0))
	from := p.value(sol.From)
	var starts [4][]jen.Code
	for _, k := range g.orders() {
		starts[k] = p.part(e.part("start", k))
	}
	keep := p.part(e.part("keep", 0))
	times := p.Var(g.variable(sol.Times))
	code := g.prologue(p)
	if len(sol.Inputs) > 0 {
		code = append(code, id("u").Op(":=").Id("s").Dot(e.input))
	}
	code = append(code, stmts...)
	u := jen.Code(jen.Nil())
	if len(sol.Inputs) > 0 {
		u = id("u")
	}
	memo := id("m")
	code = append(code,
		memo.Clone().Op(":=").Id("s").Dot(e.memo).Index(id("order").Op("-").Lit(orderDensity)),
		jen.If(jen.Op("!").Add(memo.Clone()).Dot("Known").Call(u)).BlockFunc(func(b *jen.Group) {
			for _, k := range keep {
				b.Add(k)
			}
			g.start(b, sol, starts)
			b.Id("m").Dot("Solve").Call(jen.Float64().Call(from), times)
			if e.given == "" {
				return
			}
			b.Add(sdot(e.out).Op("=").Id("m").Dot("Out"))
			for _, k := range g.orders() {
				call := sdot(e.scale[k]).Call(id("m").Dot("Given"))
				if k == orderDensity {
					b.Add(call)
				} else {
					b.If(id("order").Op(">=").Lit(k)).Block(call)
				}
			}
		}),
		jen.Id("s").Dot(e.out).Op("=").Id("m").Dot("Out"),
		jen.Return(system("ODEStatus").Call(memo.Clone().Dot("Status"))))
	if e.given != "" {
		code = slices.Insert(code, len(code)-1, jen.Code(sdot(e.given).Op("=").Id("m").Dot("Given")))
	}
	return code
}

// start prints the initial values of an integration.
func (g *generator) start(b *jen.Group, sol *expr.Solution, starts [4][]jen.Code) {
	b.Id("y0").Op(":=").Id("m").Dot("Start")
	if slices.ContainsFunc(sol.Init, func(e *expr.Expr) bool { return e.IsNum(0) }) {
		b.Clear(jen.Id("y0"))
	}
	for _, k := range g.orders() {
		if k == orderDensity {
			for _, c := range starts[k] {
				b.Add(c)
			}
			continue
		}
		if len(starts[k]) > 0 {
			b.If(id("order").Op(">=").Lit(k)).Block(starts[k]...)
		}
	}
}

// solveEach prints the integrations of one equation for each value of an index: what they have in common first, and then one after the other, each
// as solveBody does.
func (g *generator) solveEach(e *equation) []jen.Code {
	sol := e.sol
	p := g.newPrinter()
	shared, inputs := p.part(e.part("shared", 0)), p.part(e.part("inputs", 0))
	from := p.value(sol.From)
	var starts [4][]jen.Code
	for _, k := range g.orders() {
		starts[k] = p.part(e.part("start", k))
	}
	keep := p.part(e.part("keep", 0))
	times := p.Var(g.variable(sol.Times))
	outer := p.extent(sol.Outer.Range.Hi)
	at := id(g.mark(e.at))
	if len(sol.Times.Shape) > 1 {
		n := p.extent(sol.NumTimes())
		times = times.Clone().Index(at.Clone().Op("*").Add(n.Clone()), jen.Empty()).Index(jen.Empty(), n.Clone())
	}
	code := g.prologue(p)
	u := jen.Code(jen.Nil())
	if len(sol.Inputs) > 0 {
		code = append(code, id("u").Op(":=").Id("s").Dot(e.input))
		u = id("u")
	}
	code = append(code, shared...)
	code = append(code, id("status").Op(":=").Add(okay()),
		jen.For(at.Clone().Op(":=").Range().Add(outer.Clone())).BlockFunc(func(b *jen.Group) {
			for _, c := range inputs {
				b.Add(c)
			}
			b.Id("m").Op(":=").Id("s").Dot(e.memo).Index(id("order").Op("-").Lit(orderDensity)).Index(at.Clone())
			b.If(jen.Op("!").Id("m").Dot("Known").Call(u)).BlockFunc(func(b *jen.Group) {
				for _, k := range keep {
					b.Add(k)
				}
				g.start(b, sol, starts)
				b.Id("m").Dot("Solve").Call(jen.Float64().Call(from), times)
			})
			b.Id("m").Dot("Spread").Call(sdot(e.out), at.Clone(), outer.Clone())
			b.If(id("status").Op("==").Add(okay())).Block(id("status").Op("=").Add(system("ODEStatus")).Call(jen.Id("m").Dot("Status")))
		}),
		jen.Return(id("status")))
	return code
}

// solveAt emits the solution at q of a given order, whose failure shows in what
// is computed from it.
func (g *generator) solveAt(order int) []jen.Code {
	if !g.hasODE() {
		return nil
	}
	return []jen.Code{jen.Id("s").Dot("solve").Call(jen.Id("q"), jen.Lit(order))}
}
