package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/golang"
	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// definite is the test that G is positive definite: its determinant and,
// unless its form proves it, a diagonal entry of the adjugate are positive. Where they
// are not, refuse says what to do with the status.
func definite(det, last *loop.Var, refuse func(status *loop.Var) []loop.Stmt) loop.Stmt {
	st := &loop.Var{Name: "st", Status: true}
	call := &loop.Invoke{Func: "system.PivotStatus", Results: []*loop.Var{st}, Declares: true}
	test := &loop.Branch{}
	for _, v := range []*loop.Var{det, last} {
		if v != nil {
			test.Tests = append(test.Tests, loop.Condition{Op: loop.Above, X: loop.Value(v), Y: loop.Number(0)})
			call.Args = append(call.Args, loop.Arg{E: loop.Value(v)})
		}
	}
	test.Else = append([]loop.Stmt{call}, refuse(st)...)
	return test
}

// minor returns the diagonal entry of the adjugate that must be positive, or
// nil where its form proves it.
func (g *generator) minor() *expr.Expr {
	if g.dim.Offset == 1 || g.d.C.Sign(g.fl.minorForm) == expr.Positive {
		return nil
	}
	return g.fl.adj[len(g.fl.adj)-1]
}

// The methods beside the steps read a frame of the metric. With two coordinates, a = G₁₁
// and b = G₂₁, the last row of A is (−b, a), and
//
//	G = L Lᵀ,  L = ⎛  √a      0   ⎞,  z = L⁻¹p = (p₁/√a, u₂/√(a D)),  pᵀG⁻¹p = |z|².
//	               ⎝ b/√a  √D/√a ⎠
//
// They share it: entries of the metric may be costly, and one position is asked for its
// energy and its frame in turn.

// frameField prints an entry of the frame: det, and with two coordinates off and diag, the last
// row of A.
func frameField(name string) *jen.Statement { return sdot("frame").Dot(name) }

// crossed reports whether A has an entry beside the diagonal.
func (g *generator) crossed() bool { return g.dim.Offset > 1 && !isZero(g.fl.adj[1]) }

// frameEntries lists the entries of the frame.
func (g *generator) frameEntries() (fields []string, es []*expr.Expr) {
	adj := g.fl.adj
	if g.crossed() {
		fields, es = append(fields, "off"), append(es, adj[1])
	}
	if g.dim.Offset > 1 {
		fields, es = append(fields, "diag"), append(es, adj[2])
	}
	return append(fields, "det"), append(es, g.fl.det)
}

// frameSpace declares the frame.
func (g *generator) frameSpace() jen.Code {
	fields, _ := g.frameEntries()
	text := "det G"
	if len(fields) > 1 {
		text = "the last row of adj G, and det G,"
	}
	return id("frame").Struct(
		id("known").Bool(),
		id("at").Index(jen.Lit(g.dim.Offset)).Float64(),
		idList(fields).Float64().Comment(text+" at position at"))
}

// frameState is an entry of the frame in the program.
func (g *generator) frameState(name string, shape ...*loop.Int) *loop.Var {
	return g.state("frame."+name, shape...)
}

// frameFunction is the function that evaluates the frame.
func (g *generator) frameFunction() *loop.Func {
	q, at, known := g.vectorVar("q"), g.frameState("at", g.extent(g.dim)), g.frameState("known")
	known.Truth = true
	content := func(word string) *loop.Content { return &loop.Content{Word: word} }
	hit := &loop.Branch{Tests: []loop.Condition{{Op: loop.Holds, V: known}}, Then: []loop.Stmt{&loop.Return{Status: content("OK")}}}
	for i := range g.dim.Offset {
		hit.Tests = append(hit.Tests, loop.Condition{Op: loop.Same, X: loop.Element(at, loop.Const(i)), Y: loop.Element(q, loop.Const(i))})
	}
	f := &loop.Func{Name: "evaluate", Gives: []string{"status"}, Body: []loop.Stmt{hit, &loop.Assign{V: known, Value: *content("false")}}}
	fields, es := g.frameEntries()
	var vars []*loop.Var
	for _, name := range fields {
		vars = append(vars, &loop.Var{Name: name})
	}
	n := len(vars)
	var last *loop.Var
	if g.minor() != nil {
		last = vars[n-2]
	}
	s := &flatStages{generator: g}
	f.Body = append(f.Body, s.values(&flatScope{of: map[*loop.Var]*loop.Var{}}, vars, es)...)
	f.Body = append(f.Body, definite(vars[n-1], last, func(st *loop.Var) []loop.Stmt {
		return []loop.Stmt{&loop.Return{Status: &loop.Content{From: st}}}
	}))
	for i, name := range fields {
		f.Body = append(f.Body, &loop.Set{V: g.frameState(name), E: loop.Value(vars[i])})
	}
	for i := range g.dim.Offset {
		f.Body = append(f.Body, &loop.Set{V: at, At: []*loop.Int{loop.Const(i)}, E: loop.Element(q, loop.Const(i))})
	}
	f.Body = append(f.Body, &loop.Assign{V: known, Value: *content("true")}, &loop.Return{Status: content("OK")})
	return f
}

// evaluateMethod prints it.
func (g *generator) evaluateMethod() jen.Code {
	return doc("evaluate makes the frame of the metric that of position q, unless it is already.",
		g.method("evaluate").Params(id("q").Add(fvec())).Add(rt("Status")).Block(g.body("evaluate")...))
}

// second prints u₂ at the momentum p.
func (g *generator) second() *jen.Statement {
	u := prod(frameField("diag"), id("p").Index(jen.Lit(1)))
	if g.crossed() {
		u = prod(frameField("off"), id("p").Index(jen.Lit(0))).Op("+").Add(u)
	}
	return u
}

// prod prints a product that no addition is fused with.
func prod(factors ...jen.Code) *jen.Statement {
	s := jen.Add(factors[0])
	for _, f := range factors[1:] {
		s = s.Op("*").Add(f)
	}
	return golang.Rounded(s)
}

func sqrt(x *jen.Statement) *jen.Statement { return jen.Qual("math", "Sqrt").Call(x) }

// flatQuad prints pᵀG⁻¹p as quad.
func (g *generator) flatQuad() []jen.Code {
	square := func() *jen.Statement {
		return prod(id("p").Index(jen.Lit(0)), id("p").Index(jen.Lit(0)))
	}
	if g.dim.Offset == 1 {
		return []jen.Code{id("quad").Op(":=").Add(square()).Op("/").Add(frameField("det"))}
	}
	return []jen.Code{
		id("u").Op(":=").Add(g.second()),
		id("quad").Op(":=").Parens(square().Op("+").Id("u").Op("*").Id("u").Op("/").Add(frameField("det"))).Op("/").Add(frameField("diag")),
	}
}

// flatEnergy prints Energy.
func (g *generator) flatEnergy() jen.Code {
	inf := func() *jen.Statement { return jen.Qual("math", "Inf").Call(jen.Lit(1)) }
	logDet := jen.Qual(elementaryPath, "Log").Call(frameField("det"))
	body := append([]jen.Code{
		id("l").Op("=").Add(sdot("LogDensity")).Call(id("q")),
		jen.If(id("l").Op("-").Id("l").Op("!=").Lit(0)).Block(jen.Return(inf(), id("l"), rt("NonFinite"))),
		jen.If(id("st").Op("=").Add(g.frameCall()), id("st").Op("!=").Add(okay())).Block(jen.Return(inf(), id("l"), id("st"))),
	}, g.flatQuad()...)
	body = append(body,
		id("h").Op("=").Op("-").Id("l").Op("+").Add(prod(jen.Lit(0.5), jen.Parens(logDet.Op("+").Id("quad")))),
		jen.If(id("h").Op("-").Id("h").Op("!=").Lit(0)).Block(jen.Return(inf(), id("l"), rt("NonFinite"))),
		jen.Return(id("h"), id("l"), okay()))
	return doc("Energy returns H(q, p) = −L + ½ log det G + ½ pᵀG⁻¹p and L(q).",
		g.method("Energy").Params(floats("q", "p")).Params(jen.List(id("h"), id("l")).Float64(), id("st").Add(rt("Status"))).Block(body...))
}

func (g *generator) flatWhiten() jen.Code {
	p1 := func() *jen.Statement { return id("p").Index(jen.Lit(0)) }
	code := []jen.Code{notOK(g.frameCall(), jen.Return(id("st")))}
	if g.dim.Offset == 1 {
		code = append(code, elements("z", 1).Op("=").Add(p1()).Op("/").Add(sqrt(frameField("det"))))
	} else {
		code = append(code,
			jen.List(id("r"), id("u")).Op(":=").List(jen.Lit(1).Op("/").Add(sqrt(frameField("diag"))), g.second()),
			elements("z", 2).Op("=").List(prod(id("r"), p1()), id("r").Op("*").Id("u").Op("/").Add(sqrt(frameField("det")))))
	}
	return doc("Whiten writes the components z of p in an orthonormal frame of the metric.",
		g.method("Whiten").Params(floats("z", "q", "p")).Add(rt("Status")).Block(append(code, jen.Return(okay()))...))
}

func (g *generator) flatLength() jen.Code {
	det, diag := func() *jen.Statement { return frameField("det") }, func() *jen.Statement { return frameField("diag") }
	entry := func(v string, i int) *jen.Statement { return id(v).Index(jen.Lit(i)) }
	square := func(x *jen.Statement) *jen.Statement { return prod(x, x) }
	var q, p []jen.Code
	if g.dim.Offset == 1 {
		q = []jen.Code{id("sum").Op("+=").Add(prod(det(), entry("dq", 0), entry("dq", 0)))}
		p = []jen.Code{id("sum").Op("+=").Add(square(entry("dp", 0))).Op("/").Add(det())}
	} else {
		// z = Lᵀdq, and L⁻¹dp as in Energy.
		u, z := prod(diag(), entry("dp", 1)), prod(diag(), entry("dq", 0))
		if g.crossed() {
			u = prod(frameField("off"), entry("dp", 0)).Op("+").Add(u)
			z = z.Op("-").Add(prod(frameField("off"), entry("dq", 1)))
		}
		q = []jen.Code{id("z").Op(":=").Add(z),
			id("sum").Op("+=").Parens(prod(id("z"), id("z")).Op("+").Add(prod(det(), entry("dq", 1), entry("dq", 1)))).Op("/").Add(diag())}
		p = []jen.Code{id("u").Op(":=").Add(u),
			id("sum").Op("+=").Parens(square(entry("dp", 0)).Op("+").Id("u").Op("*").Id("u").Op("/").Add(det())).Op("/").Add(diag())}
	}
	return doc("Length returns √(dqᵀG dq + dpᵀG⁻¹dp), the length of a difference in the metric at q;\neither part may be nil.",
		g.method("Length").Params(floats("q", "dq", "dp")).Params(jen.Float64(), rt("Status")).Block(
			notOK(g.frameCall(), jen.Return(jen.Qual("math", "NaN").Call(), id("st"))),
			id("sum").Op(":=").Lit(0.0),
			jen.If(id("dq").Op("!=").Nil()).Block(q...),
			jen.If(id("dp").Op("!=").Nil()).Block(p...),
			jen.Return(sqrt(id("sum")), okay())))
}

func (g *generator) flatDrawMomentum() jen.Code {
	p1 := func() *jen.Statement { return id("p").Index(jen.Lit(0)) }
	code := []jen.Code{notOK(g.frameCall(), jen.Return(id("st")))}
	if g.dim.Offset == 1 {
		code = append(code, p1().Op("=").Add(prod(p1(), sqrt(frameField("det")))))
	} else {
		x := prod(sqrt(frameField("det")), id("p").Index(jen.Lit(1)))
		if g.crossed() {
			x = jen.Parens(x.Op("-").Add(prod(frameField("off"), p1())))
		}
		code = append(code,
			id("root").Op(":=").Add(sqrt(frameField("diag"))),
			elements("p", 2).Op("=").List(prod(id("root"), p1()), x.Op("/").Id("root")))
	}
	return doc("DrawMomentum replaces the standard normal variates in p by a draw from N(0, G(q)).",
		g.method("DrawMomentum").Params(floats("p", "q")).Add(rt("Status")).Block(append(code, jen.Return(okay()))...))
}

// frameCall prints the evaluation of the frame.
func (g *generator) frameCall() *jen.Statement { return sdot("evaluate").Call(id("q")) }

// noLeapfrog is the leapfrog of a metric that is not constant.
func (g *generator) noLeapfrog() jen.Code {
	return doc("StepLeapfrog advances (q, p) by one explicit leapfrog step; the metric must be\nconstant, and any other is an error that the runtime reports before sampling.",
		g.method("StepLeapfrog").Params(floats("q", "p"), id("eps").Float64()).Add(rt("StepResult")).Block(
			jen.Return(rt("StepResult").Values(jen.Dict{id("Status"): rt("NotConstant")}))))
}
