package codegen

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/golang"
	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/codegen/pass"
	"github.com/hamc-dev/hamc/symbolic"
)

// Models of one or two scalar parameters get steps in straight-line code over
// scalar locals: at that size an array costs more than the arithmetic.
//
// With A the adjugate of G, D = det G, u = A p and r = 1/D, the velocity is
// v = r u and the force
//
//	∂H/∂q = −∂L/∂q + ½⟨G⁻¹ − v vᵀ, ∂G⟩ = F + r (T − r R(u)),
//	T = ½⟨A, ∂G⟩,  R(u) = ½⟨u uᵀ, ∂G⟩,
//
// so that everything but two multiplications and additions is ready before the
// one division is.

// maxFlat is the largest dimension with flat steps.
const maxFlat = 2

// flatCode holds the expressions of the flat steps, lowered.
type flatCode struct {
	q   []*symbolic.Tensor // coordinates
	p   []*symbolic.Tensor // momentum, at which u is taken
	u   []*symbolic.Tensor // A p
	inv *symbolic.Tensor   // 1/D
	adj []*symbolic.Expr   // lower triangle of A
	det *symbolic.Expr
	// minorForm is the last diagonal entry of A before lowering.
	minorForm *symbolic.Expr
	f, t      []*symbolic.Expr // F, T
	r         []*symbolic.Expr // R of u
	// move holds h·u as a polynomial in the coordinates, whose
	// coefficients, of h, the data and the momentum, are known before the
	// position iterates.
	h    *symbolic.Tensor
	move [][]symbolic.Monomial
	// poly holds, for the one component of the momentum that iterates,
	// the coefficients of R as a polynomial in it; nil if several iterate.
	active int
	poly   []*symbolic.Expr
}

// flat reports whether the model, with a metric that is not constant, gets flat steps.
func (g *generator) flat() bool {
	if g.d.Metric.SoftAbs || len(g.d.Solves) > 0 || !g.dim.IsConst() || g.dim.Offset > maxFlat || g.d.Large {
		return false
	}
	for _, b := range g.d.Params {
		if !b.Scalar() {
			return false
		}
	}
	for _, l := range [][]symbolic.Output{g.d.Matrix, g.d.Gradient, g.d.Contract, g.d.Rank1} {
		for def := range g.closure(l) {
			if def.Stage() > symbolic.StageGiven && (len(def.Indices) > 0 || hasSum(def.Body)) {
				return false
			}
		}
	}
	return true
}

func hasSum(e *symbolic.Expr) bool {
	if e.Op == symbolic.Sum {
		return true
	}
	for _, a := range e.Args {
		if hasSum(a) {
			return true
		}
	}
	return false
}

// buildFlat derives the expressions of the flat steps.
func (g *generator) buildFlat() {
	d, c := g.d, g.d.C
	m := g.dim.Offset
	f := &flatCode{active: -1}
	local := func(name string, stage symbolic.Stage) *symbolic.Tensor {
		return c.NewTensor(symbolic.Tensor{Name: name, Kind: symbolic.LocalTensor, Stage: stage})
	}
	lower := func(e *symbolic.Expr) *symbolic.Expr { return d.Prog.Lower(d.Prog.Cheaper(e), nil) }
	for _, b := range d.Params {
		f.q = append(f.q, b.Coord)
		f.p = append(f.p, local("p_"+b.Coord.Name, symbolic.StageMomentum))
		f.u = append(f.u, local("u_"+b.Coord.Name, symbolic.StageMomentum))
	}
	f.inv = local("rdet", symbolic.StagePosition)
	entry := func(i, j int) *symbolic.Expr {
		for _, o := range d.Metric.Blocks {
			if o.Row == i && o.Col == j {
				return o.E
			}
		}
		return c.Number(0)
	}
	var adj [][]*symbolic.Expr
	if m == 1 {
		adj = [][]*symbolic.Expr{{c.Number(1)}}
		f.det = lower(entry(0, 0))
	} else {
		a, b, e := entry(0, 0), entry(1, 0), entry(1, 1)
		adj = [][]*symbolic.Expr{{e}, {c.Neg(b), a}}
		f.minorForm = a
		f.det = lower(c.Sub(c.Mul(a, e), c.Pow(b, 2)))
	}
	for i := range adj {
		for j := range adj[i] {
			f.adj = append(f.adj, lower(adj[i][j]))
		}
	}
	at := func(i, j int) *symbolic.Expr {
		if i < j {
			i, j = j, i
		}
		return adj[i][j]
	}
	f.h = local("h", symbolic.StageMomentum)
	g.names.of[f.h] = "h"
	free := func(e *symbolic.Expr) bool {
		for _, q := range f.q {
			if symbolic.Mentions(e, q) {
				return false
			}
		}
		return true
	}
	for i := range m {
		hu := c.Number(0)
		for j := range m {
			hu = c.Add(hu, c.Mul(c.Ref(f.h), at(i, j), c.Ref(f.p[j])))
		}
		terms := c.Monomials(c.Expand(hu), free)
		for n := range terms {
			terms[n].Coefficient = d.Prog.Lower(terms[n].Coefficient, nil)
			terms[n].Of = d.Prog.Lower(terms[n].Of, nil)
		}
		f.move = append(f.move, terms)
	}
	// Unlowered forms of the contraction, with the weights replaced.
	half := func(weight func(i, j int) *symbolic.Expr, k int) *symbolic.Expr {
		e := c.Number(0)
		for _, b := range d.Metric.Blocks {
			dg := c.Diff(b.E, d.Params[k].Coord)
			scale := 0.5
			if b.Row != b.Col {
				scale = 1
			}
			e = c.Add(e, c.Mul(c.Number(scale), weight(b.Row, b.Col), dg))
		}
		return e
	}
	grad := func(k int) *symbolic.Expr { return c.Neg(c.Diff(d.L, d.Params[k].Coord)) }
	var active []int
	for k := range m {
		// Not multiplied out: the log density is centred on the data's means,
		// and stays so.
		f.f = append(f.f, d.Prog.Lower(grad(k), nil))
		f.t = append(f.t, lower(half(at, k)))
		r := half(func(i, j int) *symbolic.Expr { return c.Mul(c.Ref(f.u[i]), c.Ref(f.u[j])) }, k)
		f.r = append(f.r, lower(r))
		if !r.IsNum(0) {
			active = append(active, k)
		}
	}
	if len(active) == 1 && m == 2 {
		f.active = active[0]
		f.poly = g.polynomial(f, half, at, active[0])
	}
	g.fl = f
}

// quadratic reports whether any force depends on the momentum. It may not even where the metric seems to
// depend on the position, as 1^x does.
func (f *flatCode) quadratic() bool {
	return slices.ContainsFunc(f.r, func(e *symbolic.Expr) bool { return !isZero(e) })
}

// polynomial expands R, as a function of the one momentum component x that
// iterates, into coefficients of 1, x and x²: all of them are known before the
// iteration.
func (g *generator) polynomial(f *flatCode, half func(func(i, j int) *symbolic.Expr, int) *symbolic.Expr, adj func(i, j int) *symbolic.Expr, active int) []*symbolic.Expr {
	c := g.d.C
	other := 1 - active
	lower := func(e *symbolic.Expr) *symbolic.Expr { return g.d.Prog.Lower(g.d.Prog.Cheaper(e), nil) }
	// u_i = A_ia x + A_io y.
	a := func(i int) *symbolic.Expr { return adj(i, active) }
	b := func(i int) *symbolic.Expr { return c.Mul(adj(i, other), c.Ref(f.p[other])) }
	return []*symbolic.Expr{
		lower(half(func(i, j int) *symbolic.Expr { return c.Mul(b(i), b(j)) }, active)),
		lower(half(func(i, j int) *symbolic.Expr { return c.Add(c.Mul(a(i), b(j)), c.Mul(b(i), a(j))) }, active)),
		lower(half(func(i, j int) *symbolic.Expr { return c.Mul(a(i), a(j)) }, active)),
	}
}

// outputs lists all expressions of the flat steps, for the phases.
func (f *flatCode) outputs() []symbolic.Output {
	var out []symbolic.Output
	lists := [][]*symbolic.Expr{f.adj, {f.det}, f.f, f.t, f.r, f.poly}
	for _, terms := range f.move {
		for _, t := range terms {
			lists = append(lists, []*symbolic.Expr{t.Coefficient, t.Of})
		}
	}
	for _, l := range lists {
		for _, e := range l {
			out = append(out, symbolic.Output{Row: -1, Col: -1, Dir: -1, E: e})
		}
	}
	return out
}

// block prints definitions of scalars: first the program's definitions that
// the expressions need and that are not in done, then what they share, then
// each expression under its name.
func (g *generator) block(p *printer, done map[*symbolic.Def]bool, names []string, es []*symbolic.Expr) []jen.Code {
	var outs []symbolic.Output
	for _, e := range es {
		outs = append(outs, symbolic.Output{E: e})
	}
	need := g.closure(outs)
	f := &loop.Func{}
	l := g.lower(&f.Body)
	for _, def := range g.d.Prog.Defs {
		if need[def] && !done[def] && def.Stage() > symbolic.StageGiven {
			done[def] = true
			l.definition(def)
		}
	}
	for n, e := range es {
		v := &loop.Var{Name: g.names.wanted(names[n])}
		g.marks[v] = names[n]
		l.emit(&loop.Let{V: v, E: l.expr(e)})
	}
	pass.Replace(f.Body, g.prog.Gone)
	pass.Share(f)
	return p.Stmts(f.Body)
}

func (g *generator) numbered(prefix string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = g.names.fresh(fmt.Sprintf("%s%d", prefix, i+1))
	}
	return out
}

func (g *generator) tensorNames(ts []*symbolic.Tensor) []string {
	out := make([]string, len(ts))
	for i, t := range ts {
		out[i] = g.names.tensor(t)
	}
	return out
}

func idList(names []string) *jen.Statement {
	ids := make([]jen.Code, len(names))
	for i, n := range names {
		ids[i] = id(n)
	}
	return jen.List(ids...)
}

func elements(array string, n int) *jen.Statement {
	ids := make([]jen.Code, n)
	for i := range ids {
		ids[i] = id(array).Index(jen.Lit(i))
	}
	return jen.List(ids...)
}

func assign(names []string, op string, f func(i int) jen.Code) jen.Code {
	vs := make([]jen.Code, len(names))
	for i := range vs {
		vs[i] = f(i)
	}
	return idList(names).Op(op).List(vs...)
}

// change is the difference of two iterates, and a quadratic form: the square of its length in the metric.
type change struct {
	d      []string // names of the differences
	square *jen.Statement
}

// differ prints the differences new − old.
func (g *generator) differ(new, old []string) ([]string, jen.Code) {
	d := g.numbered("d", len(new))
	return d, assign(d, ":=", func(i int) jen.Code { return id(new[i]).Op("-").Id(old[i]) })
}

// form prints Σ_ij M_ij d_i d_j of a symmetric matrix of order one or two, of its lower triangle; an entry may be nil, for 0.
func form(d []string, lower ...*jen.Statement) *jen.Statement {
	s := prod(lower[0], id(d[0]), id(d[0]))
	if len(d) == 1 {
		return s
	}
	if lower[1] != nil {
		s = s.Op("+").Add(prod(jen.Lit(2), lower[1], id(d[0]), id(d[1])))
	}
	return s.Op("+").Add(prod(lower[2], id(d[1]), id(d[1])))
}

// beside prints the entry of A beside the diagonal, or nil where it is 0.
func (g *generator) beside(adj []string) *jen.Statement {
	if g.crossed() {
		return id(adj[1])
	}
	return nil
}

// positionSquare prints ΔqᵀGΔq of the adjugate A: with two coordinates G₁₁ = A₂₂, G₂₁ = −A₂₁ and G₂₂ = A₁₁.
func (g *generator) positionSquare(d, adj []string, det jen.Code) *jen.Statement {
	if len(d) == 1 {
		return form(d, jen.Add(det))
	}
	s := prod(id(adj[2]), id(d[0]), id(d[0]))
	if g.crossed() {
		s = s.Op("-").Add(prod(jen.Lit(2), id(adj[1]), id(d[0]), id(d[1])))
	}
	return s.Op("+").Add(prod(id(adj[0]), id(d[1]), id(d[1])))
}

// momentumSquare prints ΔpᵀG⁻¹Δp = ΔpᵀAΔp/D.
func (g *generator) momentumSquare(d, adj []string, inv string) *jen.Statement {
	if len(d) == 1 {
		return form(d, id(inv))
	}
	return prod(jen.Parens(form(d, id(adj[0]), g.beside(adj), id(adj[2]))), id(inv))
}

// measure prints the definition of converged: whether the norm of a change is at most δ.
func (c change) measure() jen.Code {
	inMetric := jen.Add(c.square).Op("<=").Id("tol").Op("*").Id("tol")
	plain := jen.Null()
	for i, d := range c.d {
		if i > 0 {
			plain = plain.Op("&&")
		}
		plain = plain.Qual("math", "Abs").Call(id(d)).Op("<=").Id("tol")
	}
	return lines(
		id("converged").Op(":=").Add(inMetric),
		jen.If(id("sv").Dot("Norm").Op("==").Add(rt("MaxNorm"))).Block(id("converged").Op("=").Add(plain)))
}

// residual prints the norm of the change as d. A solve that is looked at may be on its way to infinity, where
// squares overflow first: then the largest change stands for it.
func (c change) residual() jen.Code {
	all := make([]jen.Code, len(c.d))
	for i, d := range c.d {
		all[i] = jen.Qual("math", "Abs").Call(id(d))
	}
	largest := all[0]
	if len(all) > 1 {
		largest = jen.Max(all...)
	}
	return lines(
		id("d").Op(":=").Add(sqrt(jen.Add(c.square))),
		jen.If(id("sv").Dot("Norm").Op("==").Add(rt("MaxNorm"))).Block(id("d").Op("=").Add(largest)))
}

// definite prints the test that G is positive definite: its determinant and,
// unless its form proves it, a diagonal entry of the adjugate are positive. Where they
// are not, it returns what refuse makes of the status.
func definite(det, last string, refuse func(status jen.Code) jen.Code) jen.Code {
	cond := id(det).Op(">").Lit(0)
	args := []jen.Code{id(det)}
	if last != "" {
		cond = cond.Op("&&").Id(last).Op(">").Lit(0)
		args = append(args, id(last))
	}
	return jen.If(jen.Op("!").Parens(cond)).Block(refuse(rt("PivotStatus").Call(args...)))
}

// definiteStep is definite of a step, after a number of iterations.
func definiteStep(det, last string, count jen.Code) jen.Code {
	return definite(det, last, func(status jen.Code) jen.Code {
		return jen.Return(rt("StepResult").Values(jen.Dict{id("Status"): status, id("Iterations"): count}))
	})
}

// minor returns the diagonal entry of the adjugate that must be positive, or
// nil where its form proves it.
func (g *generator) minor() *symbolic.Expr {
	if g.dim.Offset == 1 || g.d.C.Sign(g.fl.minorForm) == symbolic.Positive {
		return nil
	}
	return g.fl.adj[len(g.fl.adj)-1]
}

// look prints the closer look at a solve that has not converged.
func look(c change, count jen.Code) jen.Code {
	return jen.If(id("iter").Op(">=").Id("check")).Block(
		c.residual(),
		jen.Var().Id("st").Add(rt("Status")),
		jen.If(jen.List(id("check"), id("st")).Op("=").Id("sv").Dot("Check").Call(id("iter"), id("d"), id("last")), id("st").Op("!=").Add(okay())).Block(failed(count)),
		id("last").Op("=").Id("d"),
	)
}

// flatMethods prints the flat steps with Energy, Whiten and DrawMomentum.
func (g *generator) flatMethods() []jen.Code {
	return []jen.Code{g.flatEvaluate(), g.flatEnergy(), g.flatWhiten(), g.flatLength(), g.flatDrawMomentum(), g.flatIMb(), g.flatAt(), g.flatGLFb(), g.noLeapfrog()}
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
func (g *generator) frameEntries() (fields []string, es []*symbolic.Expr) {
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

// flatEvaluate prints the method that evaluates the frame.
func (g *generator) flatEvaluate() jen.Code {
	p := g.newPrinter()
	fields, es := g.frameEntries()
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = g.names.fresh(f)
	}
	n := len(names)
	last := ""
	if g.minor() != nil {
		last = names[n-2]
	}
	code := g.block(p, map[*symbolic.Def]bool{}, names, es)
	code = append(code, definite(names[n-1], last, func(status jen.Code) jen.Code { return jen.Return(status) }))
	at := func() *jen.Statement {
		return jen.ListFunc(func(l *jen.Group) {
			for i := range g.dim.Offset {
				l.Add(frameField("at")).Index(jen.Lit(i))
			}
		})
	}
	hit := frameField("known")
	for i := range g.dim.Offset {
		hit = hit.Op("&&").Add(frameField("at")).Index(jen.Lit(i)).Op("==").Id("q").Index(jen.Lit(i))
	}
	code = append(g.flatPrologue(p, true), code...)
	code = append([]jen.Code{jen.If(hit).Block(jen.Return(okay())), frameField("known").Op("=").False()}, code...)
	code = append(code,
		jen.ListFunc(func(l *jen.Group) {
			for _, f := range fields {
				l.Add(frameField(f))
			}
		}).Op("=").Add(idList(names)),
		at().Op("=").Add(elements("q", g.dim.Offset)),
		frameField("known").Op("=").True(),
		jen.Return(okay()))
	return doc("evaluate makes the frame of the metric that of position q, unless it is already.",
		g.method("evaluate").Params(id("q").Add(fvec())).Add(rt("Status")).Block(code...))
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
	return g.whitenMethod(append(code, jen.Return(okay()))...)
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
	return g.lengthMethod(
		notOK(g.frameCall(), jen.Return(jen.Qual("math", "NaN").Call(), id("st"))),
		id("sum").Op(":=").Lit(0.0),
		jen.If(id("dq").Op("!=").Nil()).Block(q...),
		jen.If(id("dp").Op("!=").Nil()).Block(p...),
		jen.Return(sqrt(id("sum")), okay()))
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
	return g.drawMomentumMethod(append(code, jen.Return(okay()))...)
}

// frameCall prints the evaluation of the frame.
func (g *generator) frameCall() *jen.Statement { return sdot("evaluate").Call(id("q")) }

// flatPosition prints adjugate, determinant and reciprocal at the coordinates.
func (g *generator) flatPosition(p *printer, done map[*symbolic.Def]bool, count jen.Code) (code []jen.Code, adj []string, det string) {
	f := g.fl
	det = g.names.fresh("det")
	if g.dim.Offset == 1 {
		code = g.block(p, done, []string{det}, []*symbolic.Expr{f.det}) // the adjugate is 1
	} else {
		adj = g.numbered("adj", len(f.adj))
		code = g.block(p, done, append(append([]string{}, adj...), det), append(append([]*symbolic.Expr{}, f.adj...), f.det))
	}
	last := ""
	if g.minor() != nil {
		last = adj[len(adj)-1]
	}
	code = append(code, definiteStep(det, last, count),
		id(g.names.tensor(f.inv)).Op(":=").Lit(1).Op("/").Id(det))
	return code, adj, det
}

// flatU prints u = A p from the names of A and p: all of it, or only the
// components that the given expressions read.
func (g *generator) flatU(adj []string, p []string, readBy []*symbolic.Expr) []jen.Code {
	u := g.tensorNames(g.fl.u)
	mul := func(a, b string) *jen.Statement { return prod(id(a), id(b)) }
	all := []jen.Code{}
	for i := range u {
		read := readBy == nil
		for _, e := range readBy {
			read = read || g.reads(e, g.fl.u[i])
		}
		switch {
		case !read:
		case len(u) == 1:
			all = append(all, id(u[0]).Op(":=").Id(p[0]))
		default:
			all = append(all, id(u[i]).Op(":=").Add(mul(adj[i], p[0])).Op("+").Add(mul(adj[i+1], p[1])))
		}
	}
	return all
}

// reads reports whether an expression reads a tensor, through definitions too.
func (g *generator) reads(e *symbolic.Expr, t *symbolic.Tensor) bool {
	if symbolic.Mentions(e, t) {
		return true
	}
	for def := range g.closure([]symbolic.Output{{E: e}}) {
		if symbolic.Mentions(def.Body, t) {
			return true
		}
	}
	return false
}

func isZero(e *symbolic.Expr) bool { return e.IsNum(0) }

func (g *generator) flatIMb() jen.Code {
	fl := g.fl
	m := g.dim.Offset
	p := g.newPrinter()
	q := g.tensorNames(fl.q)
	pm := g.tensorNames(fl.p)
	q0, p0 := g.numbered("q", m), g.numbered("p", m)
	a, b := g.numbered("qn", m), g.numbered("pn", m)
	done := map[*symbolic.Def]bool{}
	loop, adj, det := g.flatPosition(p, done, id("iter"))
	loop = append(loop, g.flatU(adj, pm, nil)...)
	fN, tN, rN := g.numbered("f", m), g.numbered("t", m), g.numbered("s", m)
	var names []string
	var es []*symbolic.Expr
	for k := range m {
		names, es = append(names, fN[k]), append(es, fl.f[k])
		if !isZero(fl.t[k]) {
			names, es = append(names, tN[k]), append(es, fl.t[k])
		}
		if !isZero(fl.r[k]) {
			names, es = append(names, rN[k]), append(es, fl.r[k])
		}
	}
	loop = append(loop, g.block(p, done, names, es)...)
	u := g.tensorNames(fl.u)
	inv := g.names.tensor(fl.inv)
	// Products with h come first, so that little is left after the division.
	square := g.names.fresh("rr")
	if fl.quadratic() {
		loop = append(loop, id(square).Op(":=").Add(prod(id(inv), id(inv))))
	}
	for k := range m {
		loop = append(loop, id(a[k]).Op(":=").Id(q0[k]).Op("+").Add(prod(jen.Parens(id("h").Op("*").Id(u[k])), id(inv))))
		x := id(p0[k]).Op("-").Add(prod(id("h"), id(fN[k])))
		if !isZero(fl.t[k]) {
			x = x.Op("-").Add(prod(jen.Parens(id("h").Op("*").Id(tN[k])), id(inv)))
		}
		if !isZero(fl.r[k]) {
			x = x.Op("+").Add(prod(jen.Parens(id("h").Op("*").Id(rN[k])), id(square)))
		}
		loop = append(loop, id(b[k]).Op(":=").Add(x))
	}
	all, old := append(append([]string{}, a...), b...), append(append([]string{}, q...), pm...)
	d, differences := g.differ(all, old)
	c := change{d, g.positionSquare(d[:m], adj, id(det)).Op("+").Add(g.momentumSquare(d[m:], adj, inv))}
	loop = append(loop,
		differences,
		c.measure(),
		jen.If(id("converged").Op("&&").Id("iter").Op(">").Lit(0)).Block(
			assign(q, "=", func(i int) jen.Code { return id(a[i]) }),
			assign(pm, "=", func(i int) jen.Code { return id(b[i]) }),
			id("iterations").Op("=").Id("iter"), jen.Break()),
		look(c, id("iter")),
		idList(old).Op("=").Add(idList(all)),
	)
	var body []jen.Code
	body = append(body,
		jen.List(id("h"), id("tol")).Op(":=").List(prod(jen.Lit(0.5), id("eps")), id("sv").Dot("Tolerance")),
		idList(q0).Op(":=").Add(elements("q", m)), idList(p0).Op(":=").Add(elements("p", m)),
		jen.Comment("Iteration 0 is the explicit half step that predicts the midpoint."),
		idList(q).Op(":=").Add(idList(q0)), idList(pm).Op(":=").Add(idList(p0)),
		jen.List(id("check"), id("last"), id("iterations")).Op(":=").List(id("sv").Dot("FirstCheck").Call(), jen.Qual("math", "Inf").Call(jen.Lit(1)), jen.Lit(0)),
		jen.For(id("iter").Op(":=").Lit(0), jen.Empty(), id("iter").Op("++")).Block(loop...),
		elements("q", m).Op("=").ListFunc(func(l *jen.Group) {
			for k := range m {
				l.Add(prod(jen.Lit(2), id(q[k]))).Op("-").Id(q0[k])
			}
		}),
		elements("p", m).Op("=").ListFunc(func(l *jen.Group) {
			for k := range m {
				l.Add(prod(jen.Lit(2), id(pm[k]))).Op("-").Id(p0[k])
			}
		}),
		jen.Return(rt("StepResult").Values(jen.Dict{id("Iterations"): id("iterations")})),
	)
	body = append(g.flatPrologue(p, false), body...)
	return g.stepMethod("StepIMb", "StepIMb advances (q, p) by one step of the implicit midpoint rule solved for the\nmidpoint z̄ = z + ½ε f(z̄), IM(b) of Brofos & Lederman (2021); z' = 2z̄ − z.\nWith A = adj G, r = 1/det G and u = A p, v = r u and ∂H/∂q = F + r (T − r R(u)).", body...)
}

// flatPrologue declares the data that a flat body reads and, unless they are variables of
// its own, the coordinates.
func (g *generator) flatPrologue(p *printer, coordinates bool) []jen.Code {
	for _, v := range slices.Clone(p.Used()) {
		t := g.tensorOf[v]
		if t != nil && (t.Kind == symbolic.CoordTensor && !coordinates || t.Kind == symbolic.DefTensor && t.Stage > symbolic.StageGiven) {
			p.Own(v)
		}
	}
	return g.prologue(p)
}

func (g *generator) flatGLFb() jen.Code {
	fl := g.fl
	m := g.dim.Offset
	p := g.newPrinter()
	q, pm := g.tensorNames(fl.q), g.tensorNames(fl.p)
	q0, p0 := g.numbered("q", m), g.numbered("p", m)
	u := g.tensorNames(fl.u)
	inv := g.names.tensor(fl.inv)
	h := func(k int, p0k string, force *jen.Statement) *jen.Statement {
		if isZero(fl.r[k]) {
			return id(p0k).Op("-").Add(prod(id("h"), force))
		}
		return id(p0k).Op("-").Add(prod(id("h"), jen.Parens(force)))
	}

	// The momentum part r² R(u) of the force at the iterate.
	part := func(done map[*symbolic.Def]bool) (code []jen.Code, rN []string) {
		rN = g.numbered("s", m)
		var names []string
		var es []*symbolic.Expr
		for k := range m {
			if !isZero(fl.r[k]) {
				names, es = append(names, rN[k]), append(es, fl.r[k])
			}
		}
		return g.block(p, done, names, es), rN
	}
	minus := func(force0 string, k int, rN []string, square string) *jen.Statement {
		if isZero(fl.r[k]) {
			return id(force0)
		}
		return id(force0).Op("-").Add(prod(id(square), id(rN[k])))
	}

	// The quantities of a step's last position serve the next step.
	adj, force0, r := g.flatQuantities()
	kept := append(append(append([]string{}, adj...), r), force0...)
	seen := func(n int) *jen.Statement { return sdot("seen").Index(jen.Lit(n)) }
	hit := sdot("seenKnown")
	for i := range m {
		hit = hit.Op("&&").Add(seen(i)).Op("==").Id(q0[i])
	}
	load := idList(kept).Op("=").ListFunc(func(l *jen.Group) {
		for i := range kept {
			l.Add(seen(m + i))
		}
	})
	at := func(names []string) []jen.Code {
		return []jen.Code{
			jen.Var().Id("st").Add(rt("Status")),
			jen.If(idList(append(append([]string{}, names...), "st")).Op("=").Id("s").Dot("quantities").CallFunc(func(l *jen.Group) {
				for _, n := range q {
					l.Id(n)
				}
			}), id("st").Op("!=").Add(okay())),
		}
	}
	call := at(kept)
	start := []jen.Code{jen.Var().Add(idList(kept)).Float64(),
		jen.If(hit).Block(load).Else().Block(call[0], call[1].(*jen.Statement).Block(failedAtOnce()))}
	done := map[*symbolic.Def]bool{}
	square := g.names.fresh("rr")
	b := g.numbered("pn", m)
	var loop []jen.Code
	var before []jen.Code
	if fl.poly != nil {
		// One component iterates; the first iteration settles the others.
		k := fl.active
		before = append(before, jen.Comment("The first iteration settles the component whose force is free of the momentum;"), jen.Comment("the other one iterates on a quadratic in itself."))
		before = append(before, g.flatU(adj, pm, fl.r)...)
		r1, rN := part(done)
		before = append(before, r1...)
		x1 := g.numbered("pn", m)
		for i := range m {
			before = append(before, id(x1[i]).Op(":=").Add(h(i, p0[i], minus(force0[i], i, rN, square))))
		}
		d, differences := g.differ(x1, pm)
		first := change{d, g.momentumSquare(d, adj, r)}
		before = append(before,
			differences,
			first.measure(),
			jen.If(id("converged")).Block(id("solved").Op("=").True()).
				Else().If(id("check").Op("==").Lit(1)).Block(
				first.residual(),
				jen.List(id("_"), id("st")).Op(":=").Id("sv").Dot("Check").Call(jen.Lit(1), id("d"), id("last")),
				failed(jen.Lit(1))),
			idList(pm).Op("=").Add(idList(x1)))
		coef := g.numbered("co", 3)
		before = append(before, g.block(p, done, coef, fl.poly)...)
		// p' = p − h(w − rr(c0 + c1 x + c2 x²)) = e0 + e1 x + e2 x²
		e := g.numbered("e", 3)
		before = append(before,
			id(e[0]).Op(":=").Id(p0[k]).Op("-").Add(prod(id("h"), jen.Parens(id(force0[k]).Op("-").Add(prod(id(square), id(coef[0])))))),
			id(e[1]).Op(":=").Add(prod(id("h"), id(square), id(coef[1]))),
			id(e[2]).Op(":=").Add(prod(id("h"), id(square), id(coef[2]))))
		loop = append(loop, id(b[k]).Op(":=").Id(e[0]).Op("+").Add(prod(id(pm[k]), jen.Parens(id(e[1]).Op("+").Add(prod(id(e[2]), id(pm[k])))))))
		d, differences = g.differ(b[k:k+1], pm[k:k+1])
		c := change{d, form(d, jen.Parens(id(adj[2*k]).Op("*").Id(r)))}
		loop = append(loop,
			differences,
			c.measure(),
			jen.If(id("converged")).Block(id(pm[k]).Op("=").Id(b[k]), id("iterations").Op("=").Id("iter"), jen.Break()),
			look(c, id("iter")),
			id(pm[k]).Op("=").Id(b[k]))
	} else {
		// What R needs of the position alone comes before the loop.
		for _, e := range fl.r {
			symbolic.Refs(e, func(r *symbolic.Expr) {
				if d := r.Tensor.Def; d != nil && d.Stage() == symbolic.StagePosition {
					before = append(before, g.defsOf(p, done, r)...)
				}
			})
		}
		loop = append(loop, g.flatU(adj, pm, fl.r)...)
		r1, rN := part(done)
		loop = append(loop, r1...)
		for i := range m {
			loop = append(loop, id(b[i]).Op(":=").Add(h(i, p0[i], minus(force0[i], i, rN, square))))
		}
		d, differences := g.differ(b, pm)
		c := change{d, g.momentumSquare(d, adj, r)}
		loop = append(loop,
			differences,
			c.measure(),
			jen.If(id("converged")).Block(idList(pm).Op("=").Add(idList(b)), id("iterations").Op("=").Id("iter"), jen.Break()),
			look(c, id("iter")),
			idList(pm).Op("=").Add(idList(b)))
	}

	var body []jen.Code
	body = append(body,
		jen.List(id("h"), id("tol")).Op(":=").List(prod(jen.Lit(0.5), id("eps")), id("sv").Dot("Tolerance")),
		idList(q0).Op(":=").Add(elements("q", m)), idList(p0).Op(":=").Add(elements("p", m)),
		idList(q).Op(":=").Add(idList(q0)), idList(pm).Op(":=").Add(idList(p0)))
	body = append(body, start...)
	if fl.quadratic() {
		body = append(body, id(square).Op(":=").Add(prod(id(r), id(r))))
	}
	body = append(body,
		jen.Comment("Momentum: p̄ = p − ½ε ∂H/∂q(q, p̄), with all that depends on q fixed."),
		jen.List(id("check"), id("last"), id("iterations")).Op(":=").List(id("sv").Dot("FirstCheck").Call(), jen.Qual("math", "Inf").Call(jen.Lit(1)), jen.Lit(0)))
	first := 1
	if fl.poly != nil {
		body = append(body, id("solved").Op(":=").False())
		first = 2
	}
	body = append(body, before...)
	loopCode := jen.For(id("iter").Op(":=").Lit(first), jen.Empty(), id("iter").Op("++")).Block(loop...)
	if fl.poly != nil {
		body = append(body, jen.If(id("solved")).Block(id("iterations").Op("=").Lit(1)).Else().Block(loopCode))
	} else {
		body = append(body, loopCode)
	}

	// Position.
	v0 := g.numbered("v", m)
	body = append(body,
		jen.Comment("Position: q' = q + ½ε (G(q)⁻¹ + G(q')⁻¹) p̄."),
		jen.Var().Add(idList(v0)).Float64(),
		jen.BlockFunc(func(bl *jen.Group) {
			for _, c := range g.flatU(adj, pm, nil) {
				bl.Add(c)
			}
			bl.Add(assign(v0, "=", func(i int) jen.Code { return id(q0[i]).Op("+").Add(prod(id("h"), id(u[i]), id(r))) }))
		}))
	{
		// h·u is a polynomial in the coordinates with coefficients that
		// are fixed here.
		var names []string
		var coefs []*symbolic.Expr
		moves := make([]*symbolic.Expr, m)
		for i := range m {
			moves[i] = g.d.C.Number(0)
			for _, t := range fl.move[i] {
				k := g.d.C.NewTensor(symbolic.Tensor{Name: "hc", Kind: symbolic.LocalTensor, Stage: symbolic.StageMomentum})
				names, coefs = append(names, g.names.tensor(k)), append(coefs, t.Coefficient)
				moves[i] = g.d.C.Add(moves[i], g.d.C.Mul(g.d.C.Ref(k), t.Of))
			}
		}
		body = append(body, g.block(p, maps.Clone(done), names, coefs)...)
		det := g.names.fresh("det")
		mv := g.numbered("m", m)
		es, ns := append([]*symbolic.Expr{fl.det}, moves...), append([]string{det}, mv...)
		last := ""
		if e := g.minor(); e != nil {
			last = g.names.fresh("minor")
			es, ns = append(es, e), append(ns, last)
		}
		// A, for the norm of the change.
		here := make([]string, len(fl.adj))
		if m > 1 {
			here = g.numbered("adj", len(fl.adj))
			for i, e := range fl.adj {
				if i != 1 || g.crossed() { // a 0 on the diagonal is multiplied, and told by the pivots
					es, ns = append(es, e), append(ns, here[i])
				}
			}
		}
		loop := g.block(p, map[*symbolic.Def]bool{}, ns, es)
		loop = append(loop, definiteStep(det, last, id("iterations").Op("+").Id("iter")), id(inv).Op(":=").Lit(1).Op("/").Id(det))
		a := g.numbered("qn", m)
		for i := range m {
			loop = append(loop, id(a[i]).Op(":=").Id(v0[i]).Op("+").Add(prod(id(mv[i]), id(inv))))
		}
		d, differences := g.differ(a, q)
		c := change{d, g.positionSquare(d, here, id(det))}
		loop = append(loop,
			differences,
			c.measure(),
			jen.If(id("converged")).Block(idList(q).Op("=").Add(idList(a)), id("iterations").Op("+=").Id("iter"), jen.Break()),
			look(c, id("iterations").Op("+").Id("iter")),
			idList(q).Op("=").Add(idList(a)))
		body = append(body,
			jen.List(id("check"), id("last")).Op("=").List(id("sv").Dot("FirstCheck").Call(), jen.Qual("math", "Inf").Call(jen.Lit(1))),
			jen.For(id("iter").Op(":=").Lit(1), jen.Empty(), id("iter").Op("++")).Block(loop...))
	}
	// Momentum again, explicitly.
	body = append(body, jen.Comment("Momentum again, explicitly."), jen.BlockFunc(func(bl *jen.Group) {
		call := at(kept)
		bl.Add(call[0])
		bl.Add(call[1].(*jen.Statement).Block(failed(id("iterations"))))
		done := map[*symbolic.Def]bool{}
		for _, c := range g.flatU(adj, pm, fl.r) {
			bl.Add(c)
		}
		r1, rN := part(done)
		for _, c := range r1 {
			bl.Add(c)
		}
		inner := append(append([]string{}, q...), kept...)
		bl.Add(sdot("seenKnown").Op("=").True())
		bl.Add(jen.ListFunc(func(l *jen.Group) {
			for i := range inner {
				l.Add(seen(i))
			}
		}).Op("=").Add(idList(inner)))
		bl.Add(elements("q", m).Op("=").Add(idList(q)))
		bl.Add(elements("p", m).Op("=").ListFunc(func(l *jen.Group) {
			for k := range m {
				if isZero(fl.r[k]) {
					l.Id(pm[k]).Op("-").Add(prod(id("h"), id(force0[k])))
				} else {
					l.Id(pm[k]).Op("-").Add(prod(id("h"), jen.Parens(id(force0[k]).Op("-").Add(prod(id(r), id(r), id(rN[k]))))))
				}
			}
		}))
	}))
	body = append(body,
		jen.If(id("z").Op(":=").Add(sumOf("p", m)), id("z").Op("-").Id("z").Op("!=").Lit(0)).Block(
			jen.Return(rt("StepResult").Values(jen.Dict{id("Status"): rt("NonFinite"), id("Iterations"): id("iterations")}))),
		jen.Return(rt("StepResult").Values(jen.Dict{id("Iterations"): id("iterations")})))
	body = append(g.flatPrologue(p, false), body...)
	return g.stepMethod("StepGLFb", "StepGLFb advances (q, p) by one step of the generalized leapfrog with cached\nquantities, GLF(b) of Brofos & Lederman (2021). With A = adj G, r = 1/det G and\nu = A p, v = r u and ∂H/∂q = F + r T − r² R(u).", body...)
}

// sumOf prints the sum of an array's elements.
func sumOf(array string, n int) *jen.Statement {
	s := id(array).Index(jen.Lit(0))
	for i := 1; i < n; i++ {
		s = s.Op("+").Id(array).Index(jen.Lit(i))
	}
	return s
}

// flatQuantities names what flatAt returns.
func (g *generator) flatQuantities() (adj, force0 []string, r string) {
	if g.dim.Offset > 1 {
		adj = g.numbered("a", len(g.fl.adj))
	}
	return adj, g.numbered("w", g.dim.Offset), g.names.fresh("r")
}

// flatAt prints the method that computes what the generalized leapfrog needs
// of a position. Both ends of a step call it, so that a step that finds its
// start remembered and one that does not see the same bits.
func (g *generator) flatAt() jen.Code {
	fl := g.fl
	m := g.dim.Offset
	p := g.newPrinter()
	inv := g.names.tensor(fl.inv)
	done := map[*symbolic.Def]bool{}
	var adj []string
	det := g.names.fresh("det")
	names, es := []string{det}, []*symbolic.Expr{fl.det}
	if m > 1 {
		adj = g.numbered("adj", len(fl.adj))
		names, es = append(append([]string{}, adj...), det), append(append([]*symbolic.Expr{}, fl.adj...), fl.det)
	}
	code := g.block(p, done, names, es)
	last := ""
	if g.minor() != nil {
		last = adj[len(adj)-1]
	}
	code = append(code,
		definite(det, last, func(status jen.Code) jen.Code {
			return jen.ReturnFunc(func(l *jen.Group) {
				for range len(adj) + 1 + m {
					l.Lit(0)
				}
				l.Add(status)
			})
		}),
		id(inv).Op(":=").Lit(1).Op("/").Id(det))
	fN, tN := g.numbered("f", m), g.numbered("t", m)
	names, es = nil, nil
	for k := range m {
		names, es = append(names, fN[k]), append(es, fl.f[k])
		if !isZero(fl.t[k]) {
			names, es = append(names, tN[k]), append(es, fl.t[k])
		}
	}
	code = append(code, g.block(p, done, names, es)...)
	code = append(code, jen.ReturnFunc(func(l *jen.Group) {
		for _, a := range adj {
			l.Id(a)
		}
		l.Id(inv)
		for k := range m {
			if isZero(fl.t[k]) {
				l.Id(fN[k])
			} else {
				l.Id(fN[k]).Op("+").Add(prod(id(inv), id(tN[k])))
			}
		}
		l.Add(okay())
	}))
	code = append(g.flatPrologue(p, false), code...)
	results := make([]jen.Code, 0, len(adj)+m+2)
	for range len(adj) + 1 + m {
		results = append(results, jen.Float64())
	}
	return doc("quantities returns what the generalized leapfrog needs of a position: A = adj G,\nr = 1/det G and F + r T, the force without its momentum part.",
		g.method("quantities").Params(idList(g.tensorNames(fl.q)).Float64()).Params(append(results, rt("Status"))...).Block(code...))
}

// defsOf prints the definitions that one expression needs.
func (g *generator) defsOf(p *printer, done map[*symbolic.Def]bool, e *symbolic.Expr) []jen.Code {
	f := &loop.Func{}
	l := g.lower(&f.Body)
	need := g.closure([]symbolic.Output{{E: e}})
	for _, def := range g.d.Prog.Defs {
		if need[def] && !done[def] && def.Stage() > symbolic.StageGiven {
			done[def] = true
			l.definition(def)
		}
	}
	pass.Replace(f.Body, g.prog.Gone)
	return p.Stmts(f.Body)
}
