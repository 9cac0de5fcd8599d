package codegen

import (
	"slices"

	"github.com/dave/jennifer/jen"
)

// What the integrators' steps of models whose matrices live in arrays are made of, see
// runtime.Stages; the steps are the runtime's. Flat models have steps of their own (flat.go).

// interfaceMethods are the rest of runtime.Model.
func (g *generator) interfaceMethods(jacobian []jen.Code) []jen.Code {
	var out []jen.Code
	add := func(doc string, c jen.Code) { out = append(out, comment(doc).Line().Add(c)) }
	id := jen.Id
	s := func(name string) *jen.Statement { return jen.Id("s").Dot(name) }
	bad := func(dst string) jen.Code {
		return jen.For(jen.Id("i").Op(":=").Range().Id(dst)).Block(jen.Id(dst).Index(jen.Id("i")).Op("=").Qual("math", "NaN").Call())
	}
	// Metric
	var body []jen.Code
	switch {
	case g.softAbs():
		body = []jen.Code{
			jen.If(g.evaluateCall("q", orderDensity).Op("!=").Add(rt("OK"))).Block(bad("dst"), jen.Return()),
			s("factor").Dot("Metric").Call(id("dst")),
		}
	case g.byParts() && g.constant():
		body = []jen.Code{s("factor").Dot("Dense").Call(id("dst"), s("b"))}
	case g.byParts():
		body = []jen.Code{g.evaluateCall("q", orderDensity), s("factor").Dot("Dense").Call(id("dst"), s("b"))}
	case g.diagonal():
		body = []jen.Code{
			g.evaluateCall("q", orderDensity),
			jen.Clear(id("dst")),
			jen.For(jen.List(id("i"), id("d")).Op(":=").Range().Add(s("b"))).Block(id("dst").Index(id("i").Op("*").Parens(jen.Len(id("q")).Op("+").Lit(1))).Op("=").Id("d")),
		}
	case g.constant():
		body = []jen.Code{jen.Copy(id("dst"), s("b"))}
	default:
		body = []jen.Code{g.evaluateCall("q", orderDensity), jen.Copy(id("dst"), s("b"))}
	}
	add("Metric writes G(q) to dst, row-major.", g.method("Metric").Params(floats("dst", "q")).Block(body...))

	// Contract
	switch {
	case g.constant():
		body = []jen.Code{jen.Clear(id("dst"))}
	case g.softAbs():
		body = []jen.Code{
			jen.If(g.evaluateCall("q", orderForce).Op("!=").Add(rt("OK"))).Block(bad("dst"), jen.Return()),
			s("factor").Dot("Weights").Call(s("w"), id("w")),
			s("pairing").Call(id("dst"), id("q"), s("w")),
		}
	case g.byParts():
		body = []jen.Code{
			g.evaluateCall("q", orderForce),
			s("factor").Dot("Pack").Call(s("w"), id("w")),
			s("pairing").Call(id("dst"), id("q"), s("w")),
		}
	case g.diagonal():
		body = []jen.Code{
			g.evaluateCall("q", orderForce),
			jen.For(id("i").Op(":=").Range().Add(s("w"))).Block(s("w").Index(id("i")).Op("=").Id("w").Index(id("i").Op("*").Parens(jen.Len(id("q")).Op("+").Lit(1)))),
			s("pairing").Call(id("dst"), id("q"), s("w")),
		}
	default:
		body = []jen.Code{g.evaluateCall("q", orderForce), s("pairing").Call(id("dst"), id("q"), id("w"))}
	}
	add("Contract writes ⟨W, ∂G/∂q⟩ to dst, for a symmetric W given row-major.", g.method("Contract").Params(floats("dst", "q", "w")).Block(body...))

	// MetricJacobian
	switch {
	case g.constant():
		body = []jen.Code{jen.Clear(id("dst"))}
	case g.softAbs():
		body = []jen.Code{
			jen.If(g.evaluateCall("q", orderForce).Op("!=").Add(rt("OK"))).Block(bad("dst"), jen.Return()),
			s("cube").Call(id("dst"), id("q")),
			jen.Comment("∂G/∂q_k is the image of ∂H/∂q_k under the derivative of SoftAbs."),
			id("m").Op(":=").Len(id("q")),
			id("slice").Op(":=").Make(jen.Index().Float64(), id("m").Op("*").Id("m")),
			jen.For(id("k").Op(":=").Range().Id("m")).Block(
				jen.For(id("i").Op(":=").Range().Id("slice")).Block(id("slice").Index(id("i")).Op("=").Id("dst").Index(id("i").Op("*").Id("m").Op("+").Id("k"))),
				s("factor").Dot("Weights").Call(s("w"), id("slice")),
				jen.For(id("i").Op(":=").Range().Id("slice")).Block(id("dst").Index(id("i").Op("*").Id("m").Op("+").Id("k")).Op("=").Add(s("w")).Index(id("i"))),
			),
		}
		cube := append([]jen.Code{jen.Clear(id("dst"))}, jacobian...)
		if g.d.ByColumns {
			cube = byColumns(s("pairing"))
		}
		add("cube writes ∂H_ij/∂q_k to dst[(i·m+j)·m+k]; the matrix was evaluated at q.",
			g.method("cube").Params(floats("dst", "q")).Block(cube...))
	case g.d.ByColumns:
		body = byColumns(s("Contract"))
	default:
		body = append([]jen.Code{g.evaluateCall("q", orderForce), jen.Clear(id("dst"))}, jacobian...)
	}
	add("MetricJacobian writes ∂G_ij/∂q_k to dst[(i·m+j)·m+k]. It serves tests; sampling\nnever forms this tensor.", g.method("MetricJacobian").Params(floats("dst", "q")).Block(body...))
	return out
}

// byColumns emits the derivatives of a matrix, of each pair of entries by a contraction
// with a weight that holds nothing else.
func byColumns(contract *jen.Statement) []jen.Code {
	at := func(i, j string) *jen.Statement { return id(i).Op("*").Id("m").Op("+").Id(j) }
	row := func(i, j string) *jen.Statement {
		return id("dst").Index(jen.Parens(at(i, j)).Op("*").Id("m"), jen.Empty())
	}
	return []jen.Code{
		id("m").Op(":=").Len(id("q")),
		jen.List(id("w"), id("f")).Op(":=").List(jen.Make(fvec(), id("m").Op("*").Id("m")), jen.Make(fvec(), id("m"))),
		jen.For(id("i").Op(":=").Range().Id("m")).Block(jen.For(id("j").Op(":=").Range().Add(id("i")).Op("+").Lit(1)).Block(
			jen.Clear(id("w")),
			id("w").Index(at("i", "j")).Op("+=").Lit(0.5),
			id("w").Index(at("j", "i")).Op("+=").Lit(0.5),
			contract.Call(id("f"), id("q"), id("w")),
			jen.Copy(row("i", "j"), id("f")),
			jen.Copy(row("j", "i"), id("f")),
		)),
	}
}

// evaluateCall emits the evaluation of the matrix and its factor at a position,
// with the solutions of differential equations up to an order.
func (g *generator) evaluateCall(at string, order int) *jen.Statement {
	switch {
	case g.constant():
		return jen.Null() // done once and for all
	case g.flat():
		return sdot("matrix").Call(sdot("b"), jen.Id(at)) // of no use to the steps, and not remembered
	}
	if g.hasODE() {
		return jen.Id("s").Dot("evaluate").Call(jen.Id(at), jen.Lit(order))
	}
	return jen.Id("s").Dot("evaluate").Call(jen.Id(at))
}

// systemMethods are those of runtime.System.
func (g *generator) systemMethods() []jen.Code {
	var out []jen.Code
	add := func(code jen.Code) { out = append(out, code) }
	sel := func(constant, variable func() jen.Code) jen.Code {
		if g.constant() {
			return constant()
		}
		return variable()
	}
	if g.flat() {
		return g.flatMethods()
	}
	add(sel(g.factorConstant, g.evaluate))
	if !g.constant() && (g.touchSolution() != nil || slices.ContainsFunc(g.lookingPhases(), func(ph *phase) bool { return g.touch(ph) != nil })) {
		add(g.touchMethod())
	}
	add(g.energy())
	add(g.whiten())
	add(g.length())
	add(g.drawMomentum())
	add(g.stepIMb())
	add(g.stepGLFb())
	add(g.stepLeapfrog())
	return append(out, g.stageMethods()...)
}

// lines puts statements on lines of their own where one is expected.
func lines(list ...jen.Code) *jen.Statement {
	s := jen.Null()
	for i, c := range list {
		if i > 0 {
			s = s.Line()
		}
		s = s.Add(c)
	}
	return s
}

func doc(text string, c jen.Code) jen.Code { return comment(text).Line().Add(c) }

var (
	id    = jen.Id
	sdot  = func(name string) *jen.Statement { return jen.Id("s").Dot(name) }
	fvec  = func() *jen.Statement { return jen.Index().Float64() }
	okay  = func() *jen.Statement { return rt("OK") }
	notOK = func(call *jen.Statement, then ...jen.Code) jen.Code {
		return jen.If(jen.Id("st").Op(":=").Add(call), jen.Id("st").Op("!=").Add(okay())).Block(then...)
	}
	failed = func(iterations jen.Code) jen.Code {
		return jen.Return(rt("StepResult").Values(jen.Dict{jen.Id("Status"): jen.Id("st"), jen.Id("Iterations"): iterations}))
	}
	failedAtOnce = func() jen.Code {
		return jen.Return(rt("StepResult").Values(jen.Dict{jen.Id("Status"): jen.Id("st")}))
	}
)

// factorConstant factorises a constant metric.
func (g *generator) factorConstant() jen.Code {
	return doc("factorise evaluates the metric, which is constant, and its Cholesky factor.",
		g.method("factorise").Params().Add(rt("Status")).Block(
			sdot("matrix").Call(sdot("b"), jen.Nil()),
			jen.Return(rt("FactorStatus").Call(sdot("factor").Dot("Factor").Call(sdot("b")))),
		))
}

// evaluate makes the matrix and its factor those of q.
func (g *generator) evaluate() jen.Code {
	known := sdot("known").Op("&&").Add(rt("Same")).Call(sdot("at"), id("q"))
	params := []jen.Code{id("q").Add(fvec())}
	var solve, keep []jen.Code
	if g.hasODE() {
		// The solutions come first: the matrix reads those of the order
		// asked for, and who needs its derivatives reads them next. Of a
		// solution that fails, it is not finite.
		params = append(params, id("order").Int())
		solve = []jen.Code{notOK(sdot("solve").Call(id("q"), id("order")),
			jen.Add(lines(g.forget()...)), sdot("matrix").Call(sdot("b"), id("q")), jen.Return(id("st")))}
		known = sdot("known").Op("&&").Add(sdot("order")).Op("==").Id("order").Op("&&").Add(rt("Same")).Call(sdot("at"), id("q"))
		keep = []jen.Code{sdot("order").Op("=").Id("order")}
	}
	body := append(solve,
		jen.If(known).Block(jen.Return(okay())),
		jen.Add(lines(g.forget()...)),
		sdot("matrix").Call(sdot("b"), id("q")),
		id("st").Op(":=").Add(rt("FactorStatus")).Call(sdot("factor").Dot("Factor").Call(sdot("b"))),
		jen.If(id("st").Op("==").Add(okay())).Block(append(keep,
			jen.Copy(sdot("at"), id("q")),
			sdot("known").Op("=").True())...),
		jen.Return(id("st")))
	return doc("evaluate makes the matrix and its factor those of position q, unless they are\nalready.",
		g.method("evaluate").Params(params...).Add(rt("Status")).Block(body...))
}

func (g *generator) touchMethod() jen.Code {
	return doc("touch forgets the factor unless it is that of q: the caller overwrites work space\nthat belongs to it.",
		g.method("touch").Params(id("q").Add(fvec())).Block(
			jen.If(sdot("known").Op("&&").Op("!").Add(rt("Same")).Call(sdot("at"), id("q"))).Block(g.forget()...)))
}

// weightsForce emits s.w ← the weight of G⁻¹ − v vᵀ.
func (g *generator) weightsForce() []jen.Code {
	switch {
	case g.softAbs():
		return []jen.Code{sdot("factor").Dot("WeightsForce").Call(sdot("w"), id("v"))}
	case g.diagonal():
		return []jen.Code{
			sdot("factor").Dot("Inverse").Call(sdot("w")),
			jen.For(jen.List(id("i"), id("x")).Op(":=").Range().Add(id("v"))).Block(sdot("w").Index(id("i")).Op("-=").Id("x").Op("*").Id("x")),
		}
	}
	if g.byParts() {
		return []jen.Code{sdot("factor").Dot("Inverse").Call(sdot("w")), sdot("factor").Dot("SubtractSquare").Call(sdot("w"), id("v"))}
	}
	return []jen.Code{sdot("factor").Dot("Inverse").Call(sdot("w")), rt("SubtractSquare").Call(sdot("w"), id("v"))}
}

func (g *generator) energy() jen.Code {
	inf := func() *jen.Statement { return jen.Qual("math", "Inf").Call(jen.Lit(1)) }
	var body []jen.Code
	if g.hasODE() {
		body = append(body, jen.If(id("st").Op("=").Add(sdot("solve").Call(id("q"), jen.Lit(orderDensity))), id("st").Op("!=").Add(okay())).Block(
			jen.Return(inf(), jen.Qual("math", "NaN").Call(), id("st"))))
	}
	body = append(body,
		id("l").Op("=").Add(sdot("LogDensity")).Call(id("q")),
		jen.If(id("l").Op("-").Id("l").Op("!=").Lit(0)).Block(jen.Return(inf(), id("l"), rt("NonFinite"))),
	)
	quad := sdot("factor").Dot("Quad").Call(id("p"))
	logDet := sdot("factor").Dot("LogDet").Call()
	if !g.constant() {
		evaluate := g.evaluateCall("q", orderDensity)
		if g.flat() {
			evaluate, quad, logDet = g.frameCall(), id("quad"), jen.Qual("math", "Log").Call(frameField("det"))
		}
		body = append(body, jen.If(id("st").Op("=").Add(evaluate), id("st").Op("!=").Add(okay())).Block(jen.Return(inf(), id("l"), id("st"))))
	}
	if g.flat() {
		body = append(body, g.flatQuad()...)
	}
	body = append(body,
		id("h").Op("=").Op("-").Id("l").Op("+").Lit(0.5).Op("*").Parens(logDet.Op("+").Add(quad)),
		jen.If(id("h").Op("-").Id("h").Op("!=").Lit(0)).Block(jen.Return(inf(), id("l"), rt("NonFinite"))),
		jen.Return(id("h"), id("l"), okay()))
	return doc("Energy returns H(q, p) = −L + ½ log det G + ½ pᵀG⁻¹p and L(q).",
		g.method("Energy").Params(floats("q", "p")).Params(jen.List(id("h"), id("l")).Float64(), id("st").Add(rt("Status"))).Block(body...))
}

func (g *generator) whiten() jen.Code {
	var body []jen.Code
	if !g.constant() {
		body = append(body, notOK(g.evaluateCall("q", orderDensity), jen.Return(id("st"))))
	}
	body = append(body, sdot("factor").Dot("Whiten").Call(id("z"), id("p")), jen.Return(okay()))
	return g.whitenMethod(body...)
}

func (g *generator) whitenMethod(body ...jen.Code) jen.Code {
	return doc("Whiten writes the components z of p in an orthonormal frame of the metric.",
		g.method("Whiten").Params(floats("z", "q", "p")).Add(rt("Status")).Block(body...))
}

// withMatrix emits a call of the factor that reads the matrix too where it is packed.
func (g *generator) withMatrix(method string, args ...jen.Code) *jen.Statement {
	if g.byParts() {
		args = append(args, sdot("b"))
	}
	return sdot("factor").Dot(method).Call(args...)
}

func (g *generator) length() jen.Code {
	var body []jen.Code
	if !g.constant() {
		body = append(body, notOK(g.evaluateCall("q", orderDensity), jen.Return(jen.Qual("math", "NaN").Call(), id("st"))))
	}
	return g.lengthMethod(append(body,
		id("sum").Op(":=").Lit(0.0),
		jen.If(id("dq").Op("!=").Nil()).Block(id("sum").Op("+=").Add(g.withMatrix("Form", id("dq")))),
		jen.If(id("dp").Op("!=").Nil()).Block(id("sum").Op("+=").Add(sdot("factor").Dot("Quad").Call(id("dp")))),
		jen.Return(sqrt(id("sum")), okay()))...)
}

func (g *generator) lengthMethod(body ...jen.Code) jen.Code {
	return doc("Length returns √(dqᵀG dq + dpᵀG⁻¹dp), the length of a difference in the metric at q;\neither part may be nil.",
		g.method("Length").Params(floats("q", "dq", "dp")).Params(jen.Float64(), rt("Status")).Block(body...))
}

func (g *generator) drawMomentum() jen.Code {
	var body []jen.Code
	if !g.constant() {
		body = append(body, notOK(g.evaluateCall("q", orderDensity), jen.Return(id("st"))))
	}
	call := "MulL"
	if g.softAbs() {
		call = "MulSqrt"
	}
	body = append(body, sdot("factor").Dot(call).Call(id("p"), id("p")), jen.Return(okay()))
	return g.drawMomentumMethod(body...)
}

func (g *generator) drawMomentumMethod(body ...jen.Code) jen.Code {
	return doc("DrawMomentum replaces the standard normal variates in p by a draw from N(0, G(q)).",
		g.method("DrawMomentum").Params(floats("p", "q")).Add(rt("Status")).Block(body...))
}

func (g *generator) stepMethod(name, text string, body ...jen.Code) jen.Code {
	return doc(text, g.method(name).Params(floats("q", "p"), id("eps").Float64(), id("sv").Op("*").Add(rt("Solver"))).Add(rt("StepResult")).Block(body...))
}

func each(over string, body ...jen.Code) jen.Code {
	return jen.For(id("i").Op(":=").Range().Id(over)).Block(body...)
}

// locals declares slices of the work space, and p, with the length of q, so that
// loops over q need not look at theirs.
func locals(names ...string) *jen.Statement {
	values := make([]jen.Code, len(names))
	ids := make([]jen.Code, len(names))
	for i, n := range names {
		x := sdot(n)
		if n == "p" {
			x = id(n)
		}
		ids[i], values[i] = id(n), x.Index(jen.Empty(), id("n"))
	}
	return jen.Id("n").Op(":=").Len(id("q")).Line().List(ids...).Op(":=").List(values...)
}

func at(name string) *jen.Statement { return id(name).Index(id("i")) }

func (g *generator) stepIMb() jen.Code {
	return g.stepMethod("StepIMb", "StepIMb advances (q, p) by one step of the implicit midpoint rule solved for the\nmidpoint z̄ = z + ½ε f(z̄), IM(b) of Brofos & Lederman (2021); z' = 2z̄ − z.",
		jen.Return(sdot("steps").Dot("IMb").Call(g.asStages(), id("q"), id("p"), id("eps"), id("sv"))))
}

// asStages emits the model as its stages.
func (g *generator) asStages() *jen.Statement {
	return jen.Parens(jen.Op("*").Id(g.stages)).Call(id("s"))
}

// stageMethods emits the type with the methods of runtime.Stages.
func (g *generator) stageMethods() []jen.Code {
	var out []jen.Code
	method := func(receiver, text, name string, params []jen.Code, result jen.Code, body []jen.Code) {
		out = append(out, doc(text, jen.Func().Params(id(receiver).Op("*").Id(g.stages)).Id(name).Params(params...).Add(result).Block(body...)))
	}
	// add is for what calls methods of the model, read for what reads its fields alone.
	add := func(text, name string, params []jen.Code, result jen.Code, body ...jen.Code) {
		model := id("s").Op(":=").Parens(jen.Op("*").Id(g.typ)).Call(id("m"))
		method("m", text, name, params, result, append([]jen.Code{model}, body...))
	}
	read := func(text, name string, params []jen.Code, result jen.Code, body ...jen.Code) {
		method("s", text, name, params, result, body)
	}
	number, status := jen.Float64(), rt("Status")
	interfaceName := "Stages"
	if g.constant() {
		interfaceName = "Field"
	}
	out = append(out, doc(g.stages+" is the model as its steps see it, a runtime."+interfaceName+".", jen.Type().Id(g.stages).Id(g.typ)))

	text := "Field writes ∂H/∂p = G⁻¹p to v and ∂H/∂q = −∂L/∂q + ½⟨G⁻¹ − v vᵀ, ∂G/∂q⟩ to f."
	if g.constant() {
		add(text, "Field", []jen.Code{floats("v", "f", "q", "p")}, status,
			sdot("factor").Dot("Solve").Call(id("v"), id("p")),
			sdot("slope").Call(id("f"), id("q")),
			jen.For(id("i").Op(":=").Range().Id("f")).Block(id("f").Index(id("i")).Op("=").Op("-").Id("f").Index(id("i"))),
			jen.Return(okay()))
	} else {
		body := append([]jen.Code{
			notOK(g.evaluateCall("q", orderForce), jen.Return(id("st"))),
			sdot("factor").Dot("Solve").Call(id("v"), id("p")),
		}, g.weightsForce()...)
		add(text, "Field", []jen.Code{floats("v", "f", "q", "p")}, status, append(body, sdot("force").Call(id("f"), id("q"), id("s").Dot("w")), jen.Return(okay()))...)
	}
	read("Form returns dqᵀG dq.", "Form", []jen.Code{floats("dq")}, number, jen.Return(g.withMatrix("Form", id("dq"))))
	read("Quad returns dpᵀG⁻¹dp.", "Quad", []jen.Code{floats("dp")}, number, jen.Return(sdot("factor").Dot("Quad").Call(id("dp"))))
	read("RootDiagonal writes √G_ii to root.", "RootDiagonal", []jen.Code{floats("root")}, jen.Null(), g.withMatrix("RootDiagonal", id("root")))
	if g.constant() {
		return out
	}

	weights := jen.Code(sdot("factor").Dot("Inverse").Call(sdot("w")))
	if g.softAbs() {
		weights = sdot("factor").Dot("WeightsInverse").Call(sdot("w"))
	}
	var solve []jen.Code
	if g.hasODE() {
		solve = []jen.Code{notOK(sdot("solve").Call(id("q"), jen.Lit(orderForce)), jen.Return(jen.Nil(), id("st")))}
	}
	complete := []jen.Code{
		jen.If(sdot("full").Op("&&").Add(rt("Same")).Call(sdot("at"), id("q"))).Block(append(solve, jen.Return(sdot("force0"), okay()))...),
		notOK(g.evaluateCall("q", orderForce), jen.Return(jen.Nil(), id("st"))),
		weights,
		sdot("force").Call(sdot("force0"), id("q"), sdot("w")),
	}
	if len(g.ph.prepare.defs) > 0 && !g.softAbs() {
		complete = append(complete, sdot("prepare").Call(id("q")))
	}
	complete = append(complete, sdot("full").Op("=").True(), jen.Return(sdot("force0"), okay()))
	add("Complete computes what ∂H/∂q has without the momentum, −∂L/∂q + ½⟨G⁻¹, ∂G/∂q⟩.", "Complete", []jen.Code{id("q").Add(fvec())}, jen.Params(fvec(), status), complete...)

	force := []jen.Code{sdot("factor").Dot("Solve").Call(sdot("v"), id("p"))}
	if g.softAbs() {
		force = append(force, sdot("factor").Dot("WeightsVelocity").Call(sdot("w"), sdot("v")),
			sdot("pairing").Call(id("f"), id("q"), sdot("w")),
			jen.For(id("i").Op(":=").Range().Id("f")).Block(id("f").Index(id("i")).Op("*=").Lit(0.5)))
	} else {
		force = append(force, sdot("rank1").Call(id("f"), id("q"), sdot("v")))
	}
	add("MomentumForce writes ½⟨v vᵀ, ∂G/∂q⟩ with v = G⁻¹p to f; q is complete.", "MomentumForce", []jen.Code{floats("f", "q", "p")}, jen.Null(), force...)
	add("Evaluate makes the factor that of G(q).", "Evaluate", []jen.Code{id("q").Add(fvec())}, status, jen.Return(g.evaluateCall("q", orderDensity)))
	read("Solve writes v = G⁻¹p.", "Solve", []jen.Code{floats("v", "p")}, jen.Null(), sdot("factor").Dot("Solve").Call(id("v"), id("p")))
	return out
}

func (g *generator) stepLeapfrog() jen.Code {
	sig := func(body ...jen.Code) jen.Code {
		return doc("StepLeapfrog advances (q, p) by one explicit leapfrog step; the metric must be\nconstant, and any other is an error that the runtime reports before sampling.",
			g.method("StepLeapfrog").Params(floats("q", "p"), id("eps").Float64()).Add(rt("StepResult")).Block(body...))
	}
	if !g.constant() {
		return sig(jen.Return(rt("StepResult").Values(jen.Dict{id("Status"): rt("NotConstant")})))
	}
	grad := at("grad")
	var solve []jen.Code
	if g.hasODE() {
		solve = []jen.Code{notOK(sdot("solve").Call(id("q"), jen.Lit(orderDensity)), failedAtOnce())}
	}
	return sig(
		jen.Add(locals("p", "grad", "v", "at")),
		jen.Comment("The gradient at the end of a step is that at the start of the next."),
		jen.If(jen.Op("!").Add(sdot("known")).Op("||").Op("!").Add(rt("Same")).Call(id("at"), id("q"))).Block(sdot("slope").Call(id("grad"), id("q"))),
		sdot("known").Op("=").False(),
		each("p", at("p").Op("+=").Lit(0.5).Op("*").Id("eps").Op("*").Add(grad)),
		sdot("factor").Dot("Solve").Call(id("v"), id("p")),
		each("q",
			at("q").Op("+=").Id("eps").Op("*").Add(at("v")),
			at("at").Op("=").Add(at("q"))),
		jen.Add(lines(solve...)),
		sdot("slope").Call(id("grad"), id("q")),
		id("d").Op(":=").Lit(0.0),
		each("p", at("p").Op("+=").Lit(0.5).Op("*").Id("eps").Op("*").Add(grad),
			id("d").Op("+=").Add(at("p")).Op("-").Add(at("p"))),
		jen.If(id("d").Op("!=").Lit(0)).Block(jen.Return(rt("StepResult").Values(jen.Dict{id("Status"): rt("NonFinite")}))),
		sdot("known").Op("=").True(),
		jen.Return(rt("StepResult").Values()),
	)
}

func (g *generator) stepGLFb() jen.Code {
	if g.constant() {
		return g.stepMethod("StepGLFb", "StepGLFb advances (q, p) by one step of the generalized leapfrog. The metric is\nconstant, so it is the leapfrog.",
			jen.Return(sdot("StepLeapfrog").Call(id("q"), id("p"), id("eps"))))
	}
	return g.stepMethod("StepGLFb", "StepGLFb advances (q, p) by one step of the generalized leapfrog with cached\nquantities, GLF(b) of Brofos & Lederman (2021).",
		jen.Return(sdot("steps").Dot("GLFb").Call(g.asStages(), id("q"), id("p"), id("eps"), id("sv"))))
}
