package codegen

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc"
	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/codegen/pass"
	"github.com/hamc-dev/hamc/codegen/unroll"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// The flat steps are those of the runtime, unrolled. What stands here is their stages: what a model of one or two
// parameters has in the place of calls of runtime.Stages and of the functions that put these together.

// stepSource is where the runtime's steps are written.
var stepSource = sync.OnceValue(func() *unroll.Source {
	order := []string{"runtime/steps.go", "runtime/fixedpoint.go"}
	files := map[string][]byte{}
	for _, name := range order {
		text, err := hamc.RuntimeSource.ReadFile(name)
		if err != nil {
			panic(err) // it is part of the program
		}
		files[name] = text
	}
	source, err := unroll.Parse(files, order...)
	if err != nil {
		panic(err)
	}
	return source
})

// flatStages prints the stages of one step.
type flatStages struct {
	*generator
	p       *printer
	q, pm   []string // the coordinates and the momentum, at which everything is evaluated
	start   []string // those of the start of the step
	adj     []string // A, det G and 1/det G where the metric was evaluated last
	det     string
	inv     string
	force   []string // F + r T where the force was completed last
	kept    kept
	started bool // the force at the start has been completed
	scopes  map[*unroll.Scope]*flatScope
}

// kept names the quantities that the generalized leapfrog needs of a position.
type kept struct {
	adj   []string
	inv   string
	force []string
}

func (k kept) all() []string { return slices.Concat(k.adj, []string{k.inv}, k.force) }

// flatScope is what a block of the step knows.
type flatScope struct {
	done   map[*expr.Def]bool
	square string // 1/det² or ""
}

func (g *generator) newFlatStages() *flatStages {
	return &flatStages{generator: g, p: g.newPrinter(), q: g.tensorNames(g.fl.q), pm: g.tensorNames(g.fl.p), scopes: map[*unroll.Scope]*flatScope{}}
}

// scope returns what a block knows.
func (s *flatStages) scope(c *unroll.Call) *flatScope {
	if s.scopes[c.Scope] == nil {
		s.scopes[c.Scope] = &flatScope{done: map[*expr.Def]bool{}}
	}
	return s.scopes[c.Scope]
}

// step prints a step of the runtime as a method. Its solves iterate on the variables x with the images y; more
// are those that it needs beside.
func (s *flatStages) step(method, name, text string, x, y, more []string, fields map[string]any) jen.Code {
	m := s.dim.Offset
	q, p := s.numbered("q", m), s.numbered("p", m)
	s.start = slices.Concat(q, p)
	fields["x"], fields["y"], fields["z"] = unroll.Vector(x), unroll.Vector(y), unroll.Vector(s.start)
	o := &unroll.Options{
		Fresh:     s.names.fresh,
		Arguments: []any{nil, nil, unroll.Vector(q), unroll.Vector(p), "eps", "sv"},
		Fields:    fields,
		Writes:    map[string]bool{"Next": true},
		Package:   rt,
		Moves:     s.moves,
		Stages: map[string]unroll.Stage{
			"flow": s.flow, "Complete": s.complete, "kick": s.kick, "drift": s.drift, "RootDiagonal": s.rootDiagonal,
			"Solve": func(*unroll.Call) []jen.Code { return nil }, // drift does it
		},
		Values: map[string]func(unroll.Vector, ...*jen.Statement) *jen.Statement{
			"Form": func(d unroll.Vector, _ ...*jen.Statement) *jen.Statement {
				return s.positionSquare(d, s.adj, id(s.det))
			},
			"Quad":    func(d unroll.Vector, _ ...*jen.Statement) *jen.Statement { return s.changeOfMomenta(d) },
			"Largest": largest,
			"within":  within,
		},
	}
	code := stepSource().Function(name, o)
	body := append(s.flatPrologue(s.p, false), jen.Var().Add(idList(slices.Concat(x, y, more))).Float64())
	return doc(text, s.method(method).Params(floats("q", "p"), id("eps").Float64(), id("sv").Op("*").Add(rt("Solver"))).
		Params(id("r").Add(rt("StepResult"))).Block(append(body, code...)...))
}

func (g *generator) flatIMb() jen.Code {
	s := g.newFlatStages()
	root := g.numbered("root", g.dim.Offset)
	return s.step("StepIMb", "IMb", "StepIMb advances (q, p) by one step of the implicit midpoint rule solved for the\nmidpoint z̄ = z + ½ε f(z̄), IM(b) of Brofos & Lederman (2021); z' = 2z̄ − z.\nWith A = adj G, r = 1/det G and u = A p, v = r u and ∂H/∂q = F + r (T − r R(u)).",
		slices.Concat(s.q, s.pm), g.numbered("y", 2*g.dim.Offset), root, map[string]any{"mix": sdot("mix"), "root": unroll.Vector(root)})
}

func (g *generator) flatGLFb() jen.Code {
	s := g.newFlatStages()
	if g.dim.Offset > 1 {
		s.kept.adj = g.numbered("a", len(g.fl.adj))
	}
	s.kept.inv, s.kept.force = g.names.fresh("r"), g.numbered("w", g.dim.Offset)
	return s.step("StepGLFb", "GLFb", "StepGLFb advances (q, p) by one step of the generalized leapfrog with cached\nquantities, GLF(b) of Brofos & Lederman (2021). With A = adj G, r = 1/det G and\nu = A p, v = r u and ∂H/∂q = F + r T − r² R(u).",
		slices.Concat(s.pm, s.q), g.numbered("y", g.dim.Offset), nil, map[string]any{})
}

// moves: the first iteration of GLF(b) settles the component of the momentum whose force is free of it.
func (s *flatStages) moves(v unroll.Vector) []int {
	if s.fl.poly != nil && slices.Equal(v, s.pm) {
		return []int{s.fl.active}
	}
	return nil
}

// flow prints (q, p) + h (v, −∂H/∂q), with v and the force at the iterate.
func (s *flatStages) flow(c *unroll.Call) []jen.Code {
	fl, m := s.fl, s.dim.Offset
	y := c.Target(1)
	qh, ph, q0, p0 := y[:m], y[m:], s.start[:m], s.start[m:]
	fN, tN, rN := s.numbered("f", m), s.numbered("t", m), s.numbered("s", m)
	var names []string
	var es []*expr.Expr
	by := s.newScaler(c.Name(3))
	add := func(name string, e *expr.Expr) { names, es = append(names, name), append(es, by.times(e)) }
	for k := range m {
		add(fN[k], fl.f[k])
		if !isZero(fl.t[k]) {
			add(tN[k], fl.t[k])
		}
		if !isZero(fl.r[k]) {
			add(rN[k], fl.r[k])
		}
	}
	c.Hoist(s.block(s.p, map[*expr.Def]bool{}, by.names, by.coefficients)...)
	known := s.fromMemory(by.names)
	done := map[*expr.Def]bool{}
	code := append(s.position(done, c.Fail), s.flatU(s.adj, s.pm, nil)...)
	code = append(code, s.block(s.p, done, names, es)...)
	c.Hoist(known()...)
	u := s.tensorNames(fl.u)
	// Products with h come first, so that little is left after the division.
	square := s.names.fresh("rr")
	if fl.quadratic() {
		code = append(code, id(square).Op(":=").Add(prod(id(s.inv), id(s.inv))))
	}
	for k := range m {
		code = append(code, id(qh[k]).Op("=").Id(q0[k]).Op("+").Add(prod(jen.Parens(c.Code(3).Op("*").Id(u[k])), id(s.inv))))
		x := id(p0[k]).Op("-").Id(fN[k])
		if !isZero(fl.t[k]) {
			x = x.Op("-").Add(prod(id(tN[k]), id(s.inv)))
		}
		if !isZero(fl.r[k]) {
			x = x.Op("+").Add(prod(id(rN[k]), id(square)))
		}
		code = append(code, id(ph[k]).Op("=").Add(x))
	}
	return code
}

// fromMemory lets what is printed until the function that it returns is called read what is known before a solve, coefficients and
// data, from an array, which that function declares. Go's compiler keeps an array in memory, where its elements are operands
// like any other. As variables there are more of them than registers: those of the iterates would be stored and loaded to make room
// (the implicit midpoint rule of the banana took 1.13 times as long).
func (s *flatStages) fromMemory(coefficients []string) (declare func() []jen.Code) {
	array := s.names.fresh("known")
	var names []string
	s.p.Name = func(v *loop.Var) string {
		name, t := s.mark(v), s.tensorOf[v]
		data := t != nil && v.Scalar() && !v.Int && (s.prog.Gone[v] != nil || v.Home == loop.Field && t.Stage <= expr.StageGiven)
		if !data && !slices.Contains(coefficients, name) {
			return name
		}
		n := slices.Index(names, name)
		if n < 0 {
			n, names = len(names), append(names, name)
		}
		return fmt.Sprintf("%s[%d]", array, n)
	}
	return func() []jen.Code {
		s.p.Name = s.mark
		if len(names) == 0 {
			return nil
		}
		return []jen.Code{id(array).Op(":=").Index(jen.Lit(len(names))).Float64().Values(idList(names))}
	}
}

// position prints adjugate, determinant and reciprocal at the coordinates.
func (s *flatStages) position(done map[*expr.Def]bool, fail func(*jen.Statement) []jen.Code) []jen.Code {
	f := s.fl
	s.det, s.inv, s.adj = s.names.fresh("det"), s.names.tensor(f.inv), nil
	names, es := []string{s.det}, []*expr.Expr{f.det}
	if s.dim.Offset > 1 { // the adjugate of a number is 1
		s.adj = s.numbered("adj", len(f.adj))
		// The division waits for det: squares in it that A has too stay in registers if they come first there.
		names, es = append(names, s.adj...), append(es, f.adj...)
	}
	code := s.block(s.p, done, names, es)
	last := ""
	if s.minor() != nil {
		last = s.adj[len(s.adj)-1]
	}
	return append(code, definite(s.det, last, fail), id(s.inv).Op(":=").Lit(1).Op("/").Id(s.det))
}

// rootDiagonal prints √G_ii: with two coordinates the diagonal of A has that of G in the other order.
func (s *flatStages) rootDiagonal(c *unroll.Call) []jen.Code {
	root := c.Target(0)
	if len(root) == 1 {
		return []jen.Code{id(root[0]).Op("=").Add(sqrt(id(s.det)))}
	}
	return []jen.Code{idList(root).Op("=").List(sqrt(id(s.adj[2])), sqrt(id(s.adj[0])))}
}

// complete prints what the generalized leapfrog needs of a position: at the start of a step what the last one left, if
// it is of that position. A call of a method would take a tenth of the time of a small step there.
func (s *flatStages) complete(c *unroll.Call) []jen.Code {
	s.adj, s.inv, s.force = s.kept.adj, s.kept.inv, s.kept.force
	at, st := c.Vector(0), c.Results[1]
	compute := func(op string) *jen.Statement {
		return idList(append(s.kept.all(), st)).Op(op).Add(sdot("quantities")).Call(idList(at))
	}
	if s.started {
		return []jen.Code{compute(":=")}
	}
	s.started = true
	m := len(at)
	hit := sdot("seenKnown")
	for i, x := range at {
		hit = hit.Op("&&").Add(sdot("seen").Index(jen.Lit(i))).Op("==").Id(x)
	}
	return []jen.Code{
		jen.Var().Add(idList(s.kept.all())).Float64(),
		jen.Var().Id(st).Add(rt("Status")),
		jen.If(hit).Block(idList(s.kept.all()).Op("=").Add(seen(m, m+len(s.kept.all())))).Else().Block(compute("=")),
	}
}

// seen prints elements of what is remembered, from one to before another.
func seen(from, to int) *jen.Statement {
	return jen.ListFunc(func(l *jen.Group) {
		for i := from; i < to; i++ {
			l.Add(sdot("seen").Index(jen.Lit(i)))
		}
	})
}

// quantitiesMethod prints the method that computes it, and remembers it. Both ends of a step call it, so that a step that
// finds its start remembered and one that does not see the same bits.
func (g *generator) quantitiesMethod() jen.Code {
	s, fl, m := g.newFlatStages(), g.fl, g.dim.Offset
	done := map[*expr.Def]bool{}
	results := 1 + m
	if m > 1 {
		results += len(fl.adj)
	}
	code := s.position(done, func(status *jen.Statement) []jen.Code {
		return []jen.Code{jen.ReturnFunc(func(l *jen.Group) {
			for range results {
				l.Lit(0)
			}
			l.Add(status)
		})}
	})
	fN, tN := g.numbered("f", m), g.numbered("t", m)
	var names []string
	var es []*expr.Expr
	for k := range m {
		names, es = append(names, fN[k]), append(es, fl.f[k])
		if !isZero(fl.t[k]) {
			names, es = append(names, tN[k]), append(es, fl.t[k])
		}
	}
	code = append(code, g.block(s.p, done, names, es)...)
	k := kept{s.adj, s.inv, g.numbered("w", m)}
	code = append(code, assign(k.force, ":=", func(k int) jen.Code {
		if isZero(fl.t[k]) {
			return id(fN[k])
		}
		return id(fN[k]).Op("+").Add(prod(id(s.inv), id(tN[k])))
	}))
	inner := slices.Concat(s.q, k.all())
	code = append(code,
		seen(0, len(inner)).Op("=").Add(idList(inner)),
		sdot("seenKnown").Op("=").True(),
		jen.Return(idList(k.all()), okay()))
	code = append(g.flatPrologue(s.p, false), code...)
	types := slices.Repeat([]jen.Code{jen.Float64()}, results)
	return doc("quantities returns what the generalized leapfrog needs of a position: A = adj G,\nr = 1/det G and F + r T, the force without its momentum part, and remembers it.",
		g.method("quantities").Params(idList(s.q).Float64()).Params(append(types, rt("Status"))...).Block(code...))
}

// kick prints p − h ∂H/∂q at a momentum, at the position that is complete.
func (s *flatStages) kick(c *unroll.Call) []jen.Code {
	if c.Again {
		return s.kickAgain(c)
	}
	fl, known := s.fl, s.scope(c)
	y, p0 := c.Target(1), c.Vector(4)
	var code []jen.Code
	if fl.quadratic() {
		known.square = s.names.fresh("rr")
		code = append(code, c.Hoist(id(known.square).Op(":=").Add(prod(id(s.inv), id(s.inv))))...)
	}
	done := known.done
	if c.Looped() {
		// What R needs of the position alone comes before the loop.
		for _, e := range fl.r {
			expr.Refs(e, func(r *expr.Expr) {
				if d := r.Tensor.Def; d != nil && d.Stage() == expr.StagePosition {
					c.Hoist(s.defsOf(s.p, done, r)...)
				}
			})
		}
		done = maps.Clone(done)
	}
	code = append(code, s.flatU(s.adj, c.Vector(3), fl.r)...)
	rN := s.numbered("s", len(y))
	var names []string
	var es []*expr.Expr
	for k := range y {
		if !isZero(fl.r[k]) {
			names, es = append(names, rN[k]), append(es, fl.r[k])
		}
	}
	code = append(code, s.block(s.p, done, names, es)...)
	for k := range y {
		force := id(s.force[k])
		if !isZero(fl.r[k]) {
			force = jen.Parens(force.Op("-").Add(prod(id(known.square), id(rN[k]))))
		}
		code = append(code, id(y[k]).Op("=").Id(p0[k]).Op("-").Add(prod(c.Code(6), force)))
	}
	return code
}

// kickAgain prints the kick of the one component of the momentum that is not settled, as a quadratic in itself:
//
//	p − h (w − r²(c₀ + c₁ x + c₂ x²)) = e₀ + e₁ x + e₂ x²
func (s *flatStages) kickAgain(c *unroll.Call) []jen.Code {
	k, known := s.fl.active, s.scope(c)
	co, e := s.numbered("co", 3), s.numbered("e", 3)
	h := func() *jen.Statement { return c.Code(6) }
	c.Hoist(jen.Comment("The other component is settled, and this one iterates on a quadratic in itself."))
	c.Hoist(s.block(s.p, known.done, co, s.fl.poly)...)
	c.Hoist(
		id(e[0]).Op(":=").Id(c.Vector(4)[k]).Op("-").Add(prod(h(), jen.Parens(id(s.force[k]).Op("-").Add(prod(id(known.square), id(co[0])))))),
		id(e[1]).Op(":=").Add(prod(h(), id(known.square), id(co[1]))),
		id(e[2]).Op(":=").Add(prod(h(), id(known.square), id(co[2]))))
	x := c.Vector(3)[0]
	return []jen.Code{id(c.Target(1)[0]).Op("=").Id(e[0]).Op("+").Add(prod(id(x), jen.Parens(id(e[1]).Op("+").Add(prod(id(e[2]), id(x))))))}
}

// drift prints q + h (G(q)⁻¹ + G(x)⁻¹)p. Here h·u is a polynomial in the coordinates x, with coefficients that
// are known before the solve.
func (s *flatStages) drift(c *unroll.Call) []jen.Code {
	m := s.dim.Offset
	y, q0, p0 := c.Target(1), c.Vector(3), c.Vector(4)
	h := func() *jen.Statement { return c.Code(5) }
	v0, u := s.numbered("v", m), s.tensorNames(s.fl.u)
	code := append(s.flatU(s.adj, p0, nil), assign(v0, "=", func(i int) jen.Code { return id(q0[i]).Op("+").Add(prod(h(), id(u[i]), id(s.inv))) }))
	c.Hoist(jen.Var().Add(idList(v0)).Float64(), jen.Block(code...))
	names, coefficients, moves := s.polynomials()
	s.names.of[s.fl.h] = c.Name(5)
	c.Hoist(s.block(s.p, s.scope(c).done, names, coefficients)...)

	known := s.fromMemory(names)
	s.det, s.inv = s.names.fresh("det"), s.names.tensor(s.fl.inv)
	mv := s.numbered("m", m)
	es, ns := append([]*expr.Expr{s.fl.det}, moves...), append([]string{s.det}, mv...)
	last := ""
	if e := s.minor(); e != nil {
		last = s.names.fresh("minor")
		es, ns = append(es, e), append(ns, last)
	}
	// A, for the norm of the change.
	s.adj = make([]string, len(s.fl.adj))
	if m > 1 {
		s.adj = s.numbered("adj", len(s.fl.adj))
		for i, e := range s.fl.adj {
			if i != 1 || s.crossed() { // a 0 on the diagonal is multiplied, and told by the pivots
				es, ns = append(es, e), append(ns, s.adj[i])
			}
		}
	}
	code = s.block(s.p, map[*expr.Def]bool{}, ns, es)
	c.Hoist(known()...)
	code = append(code, definite(s.det, last, c.Fail), id(s.inv).Op(":=").Lit(1).Op("/").Id(s.det))
	for i := range m {
		code = append(code, id(y[i]).Op("=").Id(v0[i]).Op("+").Add(prod(id(mv[i]), id(s.inv))))
	}
	return code
}

// polynomials returns h·u in names for its coefficients.
func (s *flatStages) polynomials() (names []string, coefficients, moves []*expr.Expr) {
	c := s.d.C
	for _, terms := range s.fl.move {
		move := c.Number(0)
		for _, t := range terms {
			k := c.NewTensor(expr.Tensor{Name: "hc", Kind: expr.LocalTensor, Stage: expr.StageMomentum})
			names, coefficients = append(names, s.names.tensor(k)), append(coefficients, t.Coefficient)
			move = c.Add(move, c.Mul(c.Ref(k), t.Of))
		}
		moves = append(moves, move)
	}
	return names, coefficients, moves
}

// changeOfMomenta prints ΔpᵀG⁻¹Δp, of all components or of those that move.
func (s *flatStages) changeOfMomenta(d unroll.Vector) *jen.Statement {
	if len(d) < s.dim.Offset {
		return form(d, jen.Parens(id(s.adj[2*s.fl.active]).Op("*").Id(s.inv)))
	}
	return s.momentumSquare(d, s.adj, s.inv)
}

// largest prints max|d_i|.
func largest(d unroll.Vector, _ ...*jen.Statement) *jen.Statement {
	all := make([]jen.Code, len(d))
	for i, x := range d {
		all[i] = jen.Qual("math", "Abs").Call(id(x))
	}
	if len(all) == 1 {
		return jen.Add(all[0])
	}
	return jen.Max(all...)
}

// within prints the comparison of max|d_i| with a limit.
func within(d unroll.Vector, limit ...*jen.Statement) *jen.Statement {
	s := jen.Null()
	for i, x := range d {
		if i > 0 {
			s = s.Op("&&")
		}
		s = s.Qual("math", "Abs").Call(id(x)).Op("<=").Add(limit[0])
	}
	return s
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

// flatU prints u = A p from the names of A and p: all of it, or only the
// components that the given expressions read.
func (g *generator) flatU(adj []string, p []string, readBy []*expr.Expr) []jen.Code {
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
func (g *generator) reads(e *expr.Expr, t *expr.Tensor) bool {
	if expr.Mentions(e, t) {
		return true
	}
	for def := range g.closure([]symbolic.Output{{E: e}}) {
		if expr.Mentions(def.Body, t) {
			return true
		}
	}
	return false
}

func isZero(e *expr.Expr) bool { return e.IsNum(0) }

// defsOf prints the definitions that one expression needs.
func (g *generator) defsOf(p *printer, done map[*expr.Def]bool, e *expr.Expr) []jen.Code {
	f := &loop.Func{}
	l := g.lower(&f.Body)
	need := g.closure([]symbolic.Output{{E: e}})
	for _, def := range g.d.Prog.Defs {
		if need[def] && !done[def] && def.Stage() > expr.StageGiven {
			done[def] = true
			l.definition(def)
		}
	}
	pass.ReplaceSigns(f.Body, g.prog.Gone)
	return p.Stmts(f.Body)
}
