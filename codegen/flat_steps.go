package codegen

import (
	"fmt"
	"slices"
	"sync"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc"
	"github.com/hamc-dev/hamc/codegen/loop"
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

// flatStages makes the stages of one step.
type flatStages struct {
	*generator
	q, pm   unroll.Vector // the coordinates and the momentum, at which everything is evaluated
	start   unroll.Vector // those of the start of the step
	adj     []*loop.Var   // A, det G and 1/det G where the metric was evaluated last
	det     *loop.Var
	inv     *loop.Var
	force   []*loop.Var // F + r T where the force was completed last
	kept    kept
	started bool // the force at the start has been completed
	scopes  map[*loop.Block]*flatScope
}

// kept are the quantities that the generalized leapfrog needs of a position.
type kept struct {
	adj   []*loop.Var
	inv   *loop.Var
	force []*loop.Var
}

func (k kept) all() []*loop.Var { return slices.Concat(k.adj, []*loop.Var{k.inv}, k.force) }

// flatScope is what a block of the step knows.
type flatScope struct {
	of     map[*loop.Var]*loop.Var // what stands for variables of the program: definitions, coordinates
	square *loop.Var               // 1/det²
}

func (g *generator) newFlatStages() *flatStages {
	return &flatStages{generator: g, q: locals(g.fl.q), pm: locals(g.fl.p), scopes: map[*loop.Block]*flatScope{}}
}

// locals are variables of a function for tensors.
func locals(ts []*expr.Tensor) unroll.Vector {
	var out unroll.Vector
	for _, t := range ts {
		out = append(out, &loop.Var{Name: t.Name})
	}
	return out
}

// numbered are variables of a function with numbers behind a name.
func numbered(prefix string, n int) unroll.Vector {
	var out unroll.Vector
	for i := range n {
		out = append(out, &loop.Var{Name: fmt.Sprint(prefix, i+1)})
	}
	return out
}

// newScope knows the coordinates and the momentum.
func (s *flatStages) newScope() *flatScope {
	sc := &flatScope{of: map[*loop.Var]*loop.Var{}}
	for i := range s.fl.q {
		sc.of[s.variable(s.fl.q[i])] = s.q[i]
		sc.of[s.variable(s.fl.p[i])] = s.pm[i]
	}
	return sc
}

// scope returns what the block of a call knows.
func (s *flatStages) scope(c *unroll.Call) *flatScope {
	if s.scopes[c.Scope] == nil {
		s.scopes[c.Scope] = s.newScope()
	}
	return s.scopes[c.Scope]
}

// values makes statements that compute expressions into variables: the program's definitions that they need and that the scope does not know
// come first.
func (s *flatStages) values(sc *flatScope, vars []*loop.Var, es []*expr.Expr) []loop.Stmt {
	var outs []symbolic.Output
	for _, e := range es {
		outs = append(outs, symbolic.Output{E: e})
	}
	need := s.closure(outs)
	var body []loop.Stmt
	l := s.lower(&body)
	for _, def := range s.d.Prog.Defs {
		v := s.variable(def.Tensor)
		if need[def] && sc.of[v] == nil && late(def) {
			sc.of[v] = &loop.Var{Name: v.Name}
			l.definition(def)
		}
	}
	for n, e := range es {
		l.emit(&loop.Let{V: vars[n], E: s.lateLast(l.expr(e))})
	}
	rename := loop.Mapper(func(e *loop.Expr) *loop.Expr {
		if own := sc.of[e.Var]; e.Op == loop.Scalar && own != nil {
			return loop.Value(own)
		}
		return e
	})
	for _, st := range body {
		let := st.(*loop.Let)
		let.E = rename(let.E)
		if own := sc.of[let.V]; own != nil {
			let.V = own
		}
	}
	return body
}

// times is a product, and add a sum, of numbers.
func times(args ...*loop.Expr) *loop.Expr {
	e := &loop.Expr{Op: loop.Mul, Val: 1}
	for _, a := range args {
		e.K, e.Args = append(e.K, 1), append(e.Args, a)
	}
	return e
}

func add(args ...*loop.Expr) *loop.Expr {
	e := &loop.Expr{Op: loop.Add}
	for _, a := range args {
		e.K, e.Args = append(e.K, 1), append(e.Args, a)
	}
	return e
}

// minus is x − y.
func minus(x, y *loop.Expr) *loop.Expr {
	return &loop.Expr{Op: loop.Add, K: []float64{1, -1}, Args: []*loop.Expr{x, y}}
}

// double is 2xyz.
func double(args ...*loop.Expr) *loop.Expr {
	e := times(args...)
	e.Val = 2
	return e
}

func root(x *loop.Expr) *loop.Expr {
	return &loop.Expr{Op: loop.Call, Func: "math.Sqrt", Args: []*loop.Expr{x}}
}

// reciprocal is 1/x.
func reciprocal(x *loop.Expr) *loop.Expr {
	return &loop.Expr{Op: loop.Mul, Val: 1, K: []float64{-1}, Args: []*loop.Expr{x}}
}

// assigned sets variables.
func assigned(vars []*loop.Var, of func(i int) *loop.Expr) []loop.Stmt {
	var out []loop.Stmt
	for i, v := range vars {
		out = append(out, &loop.Set{V: v, E: of(i)})
	}
	return out
}

// zeros declares variables.
func zeros(vars ...*loop.Var) []loop.Stmt {
	var out []loop.Stmt
	for _, v := range vars {
		out = append(out, &loop.Zero{V: v})
	}
	return out
}

// old is an array of the caller that the function reads and sets.
func (g *generator) old(name string) *loop.Var {
	return &loop.Var{Name: name, Home: loop.Param, Old: true, Shape: []*loop.Int{g.extent(g.dim)}}
}

// implicitStep makes a step of the runtime a function of the program, with stages in the place of calls. Its solves iterate on
// the fields x with the images y.
func (g *generator) implicitStep(method, name string, q, p unroll.Vector, o *unroll.Options) *loop.Func {
	o.Arguments = []any{unroll.Object{}, unroll.Object{}, unroll.Slice{Array: g.old("q"), Elements: q}, unroll.Slice{Array: g.old("p"), Elements: p},
		&loop.Var{Name: "eps", Home: loop.Param}, unroll.Object{Name: "solver"}}
	o.Fields["mix"] = unroll.Object{Name: "model.mix"}
	o.Fields["Tolerance"] = &loop.Var{Name: "sv.Tolerance", Home: loop.Param}
	o.Fields["Iterations"] = &loop.Var{Name: "r.Iterations", Home: loop.Param, Int: true}
	o.Fields["Status"] = &loop.Var{Name: "r.Status", Home: loop.Param, Status: true}
	o.Values["Largest"], o.Values["within"] = largest, within
	f := stepSource().Function(name, o)
	f.Name = method
	loop.Each(f.Body, func(st loop.Stmt) { // ints that are no variables of loops
		if c, ok := st.(*loop.Invoke); ok && c.Declares {
			for _, v := range c.Results {
				g.marks[v] = g.names.fresh(v.Name)
			}
		}
		if z, ok := st.(*loop.Zero); ok {
			g.marks[z.V] = g.names.fresh(z.V.Name)
		}
	})
	return f
}

// stepMethod prints a step that is a function of the program.
func (g *generator) stepMethod(method, text string) jen.Code {
	return doc(text, g.method(method).Params(floats("q", "p"), id("eps").Float64(), id("sv").Op("*").Add(rt("Solver"))).
		Params(id("r").Add(rt("StepResult"))).Block(g.body(method, id("r"))...))
}

// step makes a step of a flat model; more are the variables that it needs beside the iterates.
func (s *flatStages) step(method, name string, x, y, more unroll.Vector, fields map[string]any) *loop.Func {
	m := s.dim.Offset
	q, p := numbered("q", m), numbered("p", m)
	s.start = slices.Concat(q, p)
	fields["x"], fields["y"], fields["z"] = x, y, s.start
	f := s.implicitStep(method, name, q, p, &unroll.Options{
		Fields: fields,
		Moves:  s.moves,
		Stages: map[string]unroll.Stage{
			"flow": s.flow, "Complete": s.complete, "kick": s.kick, "drift": s.drift, "RootDiagonal": s.rootDiagonal,
			"Solve": func(*unroll.Call) []loop.Stmt { return nil }, // drift does it
		},
		Values: map[string]func(unroll.Vector, ...*loop.Expr) any{
			"Form": func(d unroll.Vector, _ ...*loop.Expr) any { return s.positionSquare(d, s.adj, s.det) },
			"Quad": func(d unroll.Vector, _ ...*loop.Expr) any { return s.changeOfMomenta(d) },
		},
	})
	f.Body = append(zeros(slices.Concat(x, y, more)...), f.Body...)
	return f
}

func (g *generator) functionIMb() *loop.Func {
	s := g.newFlatStages()
	root := numbered("root", g.dim.Offset)
	return s.step("StepIMb", "IMb", slices.Concat(s.q, s.pm), numbered("y", 2*g.dim.Offset), root, map[string]any{"root": root})
}

func (g *generator) flatIMb() jen.Code {
	return g.stepMethod("StepIMb", "StepIMb advances (q, p) by one step of the implicit midpoint rule solved for the\nmidpoint z̄ = z + ½ε f(z̄), IM(b) of Brofos & Lederman (2021); z' = 2z̄ − z.\nWith A = adj G, r = 1/det G and u = A p, v = r u and ∂H/∂q = F + r (T − r R(u)).")
}

func (g *generator) functionGLFb() *loop.Func {
	s := g.newFlatStages()
	if g.dim.Offset > 1 {
		s.kept.adj = numbered("a", len(g.fl.adj))
	}
	s.kept.inv, s.kept.force = &loop.Var{Name: "r"}, numbered("w", g.dim.Offset)
	return s.step("StepGLFb", "GLFb", slices.Concat(s.pm, s.q), numbered("y", g.dim.Offset), nil, map[string]any{})
}

func (g *generator) flatGLFb() jen.Code {
	return g.stepMethod("StepGLFb", "StepGLFb advances (q, p) by one step of the generalized leapfrog with cached\nquantities, GLF(b) of Brofos & Lederman (2021). With A = adj G, r = 1/det G and\nu = A p, v = r u and ∂H/∂q = F + r T − r² R(u).")
}

// moves: the first iteration of GLF(b) settles the component of the momentum whose force is free of it.
func (s *flatStages) moves(v unroll.Vector) []int {
	if s.fl.poly != nil && slices.Equal(v, s.pm) {
		return []int{s.fl.active}
	}
	return nil
}

// flow makes (q, p) + h (v, −∂H/∂q), with v and the force at the iterate.
func (s *flatStages) flow(c *unroll.Call) []loop.Stmt {
	fl, m := s.fl, s.dim.Offset
	y, h := c.Target(1), c.Number(3)
	qh, ph, q0, p0 := y[:m], y[m:], s.start[:m], s.start[m:]
	fN, tN, rN := numbered("f", m), numbered("t", m), numbered("s", m)
	by := s.newScaler(h.Var)
	var vars []*loop.Var
	var es []*expr.Expr
	add := func(v *loop.Var, e *expr.Expr) { vars, es = append(vars, v), append(es, by.times(e)) }
	for k := range m {
		add(fN[k], fl.f[k])
		if !isZero(fl.t[k]) {
			add(tN[k], fl.t[k])
		}
		if !isZero(fl.r[k]) {
			add(rN[k], fl.r[k])
		}
	}
	sc := s.newScope()
	code := s.values(sc, by.vars, by.coefficients)
	code = append(code, s.position(sc, c.Fail)...)
	code = append(code, s.flatU(sc, s.adj, s.pm, nil)...)
	code = append(code, s.values(sc, vars, es)...)
	// Products with h come first, so that little is left after the division.
	inv, square := loop.Value(s.inv), &loop.Var{Name: "rr"}
	if fl.quadratic() {
		code = append(code, &loop.Let{V: square, E: times(inv, inv)})
	}
	for k := range m {
		u := loop.Value(sc.of[s.variable(fl.u[k])])
		code = append(code, &loop.Set{V: qh[k], E: plusTerms(q0[k], term{1, times(times(h, u), inv)})})
		terms := []term{{-1, loop.Value(fN[k])}}
		if !isZero(fl.t[k]) {
			terms = append(terms, term{-1, times(loop.Value(tN[k]), inv)})
		}
		if !isZero(fl.r[k]) {
			terms = append(terms, term{1, times(loop.Value(rN[k]), loop.Value(square))})
		}
		code = append(code, &loop.Set{V: ph[k], E: plusTerms(p0[k], terms...)})
	}
	return code
}

// term is a term of a sum with its sign.
type term struct {
	k float64
	e *loop.Expr
}

// plusTerms is x plus terms.
func plusTerms(x *loop.Var, terms ...term) *loop.Expr {
	e := add(loop.Value(x))
	for _, t := range terms {
		e.K, e.Args = append(e.K, t.k), append(e.Args, t.e)
	}
	return e
}

// position computes adjugate, determinant and reciprocal at the coordinates.
func (s *flatStages) position(sc *flatScope, fail func(*loop.Var) []loop.Stmt) []loop.Stmt {
	f := s.fl
	s.det, s.adj = &loop.Var{Name: "det"}, nil
	vars, es := []*loop.Var{s.det}, []*expr.Expr{f.det}
	if s.dim.Offset > 1 { // the adjugate of a number is 1
		s.adj = numbered("adj", len(f.adj))
		// The division waits for det: squares in it that A has too stay in registers if they come first there.
		vars, es = append(vars, s.adj...), append(es, f.adj...)
	}
	code := s.values(sc, vars, es)
	var last *loop.Var
	if s.minor() != nil {
		last = s.adj[len(s.adj)-1]
	}
	return append(code, definite(s.det, last, fail), s.inverse(sc))
}

// inverse computes 1/det.
func (s *flatStages) inverse(sc *flatScope) loop.Stmt {
	s.inv = &loop.Var{Name: s.fl.inv.Name}
	sc.of[s.variable(s.fl.inv)] = s.inv
	return &loop.Let{V: s.inv, E: reciprocal(loop.Value(s.det))}
}

// rootDiagonal makes √G_ii: with two coordinates the diagonal of A has that of G in the other order.
func (s *flatStages) rootDiagonal(c *unroll.Call) []loop.Stmt {
	of := []*loop.Var{s.det}
	if s.dim.Offset > 1 {
		of = []*loop.Var{s.adj[2], s.adj[0]}
	}
	return assigned(c.Target(0), func(i int) *loop.Expr { return root(loop.Value(of[i])) })
}

// complete finds what the generalized leapfrog needs of a position: at the start of a step what the last one left, if
// it is of that position. A call of a method would take a tenth of the time of a small step there.
func (s *flatStages) complete(c *unroll.Call) []loop.Stmt {
	s.adj, s.inv, s.force = s.kept.adj, s.kept.inv, s.kept.force
	at, st, all := c.Vector(0), &loop.Var{Name: "st", Status: true}, s.kept.all()
	c.Result(0, unroll.Object{})
	c.Result(1, st)
	call := &loop.Invoke{Func: "model.quantities", Results: append(all, st)}
	for _, x := range at {
		call.Args = append(call.Args, loop.Arg{E: loop.Value(x)})
	}
	if s.started {
		return []loop.Stmt{&loop.Zero{V: st}, call}
	}
	s.started = true
	m := len(at)
	hit := []loop.Condition{{Op: loop.Holds, V: s.seenKnown()}}
	for i, x := range at {
		hit = append(hit, loop.Condition{Op: loop.Same, X: s.seen(i), Y: loop.Value(x)})
	}
	return append(zeros(append(all, st)...), &loop.Branch{
		Tests: hit,
		Then:  assigned(all, func(k int) *loop.Expr { return s.seen(m + k) }),
		Else:  []loop.Stmt{call},
	})
}

// state is a variable of the work space.
func (g *generator) state(name string, shape ...*loop.Int) *loop.Var {
	key := "state " + name
	v, ok := g.params[key]
	if !ok {
		v = &loop.Var{Name: name, Home: loop.State, Shape: shape}
		g.params[key], g.marks[v] = v, name
	}
	return v
}

// seenArray is what is remembered of a position, and seenKnown whether anything is.
func (g *generator) seenArray() *loop.Var { return g.state("seen", loop.Const(g.fl.remembered())) }

func (g *generator) seenKnown() *loop.Var {
	v := g.state("seenKnown")
	v.Truth = true
	return v
}

// seen is an element of what is remembered.
func (g *generator) seen(i int) *loop.Expr { return loop.Element(g.seenArray(), loop.Const(i)) }

// remembered is the number of numbers that are remembered: the position, A, 1/det and the force.
func (f *flatCode) remembered() int {
	n := 2*len(f.q) + 1
	if len(f.q) > 1 {
		n += len(f.adj)
	}
	return n
}

// quantitiesFunction is the function that computes it, and remembers it. Both ends of a step call it, so that a step that
// finds its start remembered and one that does not see the same bits.
func (g *generator) quantitiesFunction() *loop.Func {
	s, fl, m := g.newFlatStages(), g.fl, g.dim.Offset
	f := &loop.Func{Name: "quantities"}
	for i, v := range s.q {
		own := *v
		own.Home = loop.Param
		s.q[i], g.marks[&own] = &own, g.names.tensor(fl.q[i])
	}
	f.Args = s.q
	f.Gives = append(slices.Repeat([]string{"number"}, fl.remembered()-m), "status")
	sc := s.newScope()
	f.Body = s.position(sc, func(st *loop.Var) []loop.Stmt {
		none := &loop.Return{Status: &loop.Content{From: st}}
		for range len(f.Gives) - 1 {
			none.Values = append(none.Values, loop.Number(0))
		}
		return []loop.Stmt{none}
	})
	fN, tN := numbered("f", m), numbered("t", m)
	var vars []*loop.Var
	var es []*expr.Expr
	for k := range m {
		vars, es = append(vars, fN[k]), append(es, fl.f[k])
		if !isZero(fl.t[k]) {
			vars, es = append(vars, tN[k]), append(es, fl.t[k])
		}
	}
	f.Body = append(f.Body, s.values(sc, vars, es)...)
	k := kept{s.adj, s.inv, numbered("w", m)}
	for n, v := range k.force {
		force := loop.Value(fN[n])
		if !isZero(fl.t[n]) {
			force = add(force, times(loop.Value(s.inv), loop.Value(tN[n])))
		}
		f.Body = append(f.Body, &loop.Let{V: v, E: force})
	}
	whole := &loop.Return{Status: &loop.Content{Word: "OK"}}
	for i, v := range slices.Concat(s.q, k.all()) {
		f.Body = append(f.Body, &loop.Set{V: g.seenArray(), At: []*loop.Int{loop.Const(i)}, E: loop.Value(v)})
		if i >= m {
			whole.Values = append(whole.Values, loop.Value(v))
		}
	}
	f.Body = append(f.Body, &loop.Assign{V: g.seenKnown(), Value: loop.Content{Word: "true"}}, whole)
	return f
}

// quantitiesMethod prints it.
func (g *generator) quantitiesMethod() jen.Code {
	f := g.prog.Func("quantities")
	var names []jen.Code
	for _, v := range f.Args {
		names = append(names, id(g.mark(v)))
	}
	results := append(slices.Repeat([]jen.Code{jen.Float64()}, len(f.Gives)-1), rt("Status"))
	return doc("quantities returns what the generalized leapfrog needs of a position: A = adj G,\nr = 1/det G and F + r T, the force without its momentum part, and remembers it.",
		g.method("quantities").Params(jen.List(names...).Float64()).Params(results...).Block(g.body("quantities")...))
}

// kick makes p − h ∂H/∂q at a momentum, at the position that is complete.
func (s *flatStages) kick(c *unroll.Call) []loop.Stmt {
	if c.Again {
		return s.kickAgain(c)
	}
	fl, sc := s.fl, s.scope(c)
	sc.of[s.variable(fl.inv)] = s.inv
	y, p0, h := c.Target(1), c.Vector(4), c.Number(6)
	var code []loop.Stmt
	if fl.quadratic() {
		inv := loop.Value(s.inv)
		sc.square = &loop.Var{Name: "rr"}
		code = append(code, &loop.Let{V: sc.square, E: times(inv, inv)})
	}
	code = append(code, s.flatU(sc, s.adj, c.Vector(3), fl.r)...)
	rN := numbered("s", len(y))
	var vars []*loop.Var
	var es []*expr.Expr
	for k := range y {
		if !isZero(fl.r[k]) {
			vars, es = append(vars, rN[k]), append(es, fl.r[k])
		}
	}
	code = append(code, s.values(sc, vars, es)...)
	for k := range y {
		force := loop.Value(s.force[k])
		if !isZero(fl.r[k]) {
			force = minus(force, times(loop.Value(sc.square), loop.Value(rN[k])))
		}
		code = append(code, &loop.Set{V: y[k], E: minus(loop.Value(p0[k]), times(h, force))})
	}
	return code
}

// kickAgain makes the kick of the one component of the momentum that is not settled, as a quadratic in itself:
//
//	p − h (w − r²(c₀ + c₁ x + c₂ x²)) = e₀ + e₁ x + e₂ x²
func (s *flatStages) kickAgain(c *unroll.Call) []loop.Stmt {
	k, sc := s.fl.active, s.scope(c)
	co, e, h := numbered("co", 3), numbered("e", 3), c.Number(6)
	square, x := loop.Value(sc.square), loop.Value(c.Vector(3)[0])
	code := s.values(sc, co, s.fl.poly)
	of := []*loop.Expr{
		minus(loop.Value(c.Vector(4)[k]), times(h, minus(loop.Value(s.force[k]), times(square, loop.Value(co[0]))))),
		times(h, square, loop.Value(co[1])),
		times(h, square, loop.Value(co[2])),
	}
	for n, v := range e {
		code = append(code, &loop.Let{V: v, E: of[n]})
	}
	return append(code, &loop.Set{V: c.Target(1)[0], E: add(loop.Value(e[0]), times(x, add(loop.Value(e[1]), times(loop.Value(e[2]), x))))})
}

// drift makes q + h (G(q)⁻¹ + G(x)⁻¹)p. Here h·u is a polynomial in the coordinates x, with coefficients that
// are known before the solve.
func (s *flatStages) drift(c *unroll.Call) []loop.Stmt {
	m, sc := s.dim.Offset, s.newScope()
	y, q0, p0, h := c.Target(1), c.Vector(3), c.Vector(4), c.Number(5)
	v0 := numbered("v", m)
	code := s.flatU(sc, s.adj, p0, nil)
	for i, v := range v0 {
		u := loop.Value(sc.of[s.variable(s.fl.u[i])])
		code = append(code, &loop.Let{V: v, E: add(loop.Value(q0[i]), times(h, u, loop.Value(s.inv)))})
	}
	sc = s.newScope()
	sc.of[s.variable(s.fl.h)] = h.Var
	coefficients, es, moves := s.polynomials()
	code = append(code, s.values(sc, coefficients, es)...)

	sc = s.newScope() // of the iterate
	mv := numbered("m", m)
	s.det = &loop.Var{Name: "det"}
	vars, es := append([]*loop.Var{s.det}, mv...), append([]*expr.Expr{s.fl.det}, moves...)
	var last *loop.Var
	if e := s.minor(); e != nil {
		last = &loop.Var{Name: "minor"}
		vars, es = append(vars, last), append(es, e)
	}
	// A, for the norm of the change.
	s.adj = make([]*loop.Var, len(s.fl.adj))
	if m > 1 {
		s.adj = numbered("adj", len(s.fl.adj))
		for i, e := range s.fl.adj {
			if i != 1 || s.crossed() { // a 0 on the diagonal is multiplied, and told by the pivots
				vars, es = append(vars, s.adj[i]), append(es, e)
			}
		}
	}
	code = append(code, s.values(sc, vars, es)...)
	code = append(code, definite(s.det, last, c.Fail), s.inverse(sc))
	for i := range m {
		code = append(code, &loop.Set{V: y[i], E: add(loop.Value(v0[i]), times(loop.Value(mv[i]), loop.Value(s.inv)))})
	}
	return code
}

// polynomials returns h·u in variables for its coefficients.
func (s *flatStages) polynomials() (vars []*loop.Var, coefficients, moves []*expr.Expr) {
	c := s.d.C
	for _, terms := range s.fl.move {
		move := c.Number(0)
		for _, t := range terms {
			k := c.NewTensor(expr.Tensor{Name: "hc", Kind: expr.LocalTensor, Stage: expr.StageMomentum})
			vars, coefficients = append(vars, s.variable(k)), append(coefficients, t.Coefficient)
			move = c.Add(move, c.Mul(c.Ref(k), t.Of))
		}
		moves = append(moves, move)
	}
	return vars, coefficients, moves
}

// changeOfMomenta is ΔpᵀG⁻¹Δp, of all components or of those that move.
func (s *flatStages) changeOfMomenta(d unroll.Vector) *loop.Expr {
	if len(d) < s.dim.Offset {
		return form(d, times(loop.Value(s.adj[2*s.fl.active]), loop.Value(s.inv)))
	}
	return s.momentumSquare(d, s.adj, s.inv)
}

// magnitude is |x|.
func magnitude(x *loop.Var) *loop.Expr {
	return &loop.Expr{Op: loop.Call, Func: "math.Abs", Args: []*loop.Expr{loop.Value(x)}}
}

// largest is max|d_i|.
func largest(d unroll.Vector, _ ...*loop.Expr) any {
	most := &loop.Expr{Op: loop.Call, Func: "max"}
	for _, x := range d {
		most.Args = append(most.Args, magnitude(x))
	}
	if len(d) == 1 {
		return most.Args[0]
	}
	return most
}

// within compares max|d_i| with a limit.
func within(d unroll.Vector, limit ...*loop.Expr) any {
	var out []loop.Condition
	for _, x := range d {
		out = append(out, loop.Condition{Op: loop.AtMost, X: magnitude(x), Y: limit[0]})
	}
	return out
}

// form is Σ_ij M_ij d_i d_j of a symmetric matrix of order one or two, of its lower triangle; an entry may be nil, for 0.
func form(d []*loop.Var, lower ...*loop.Expr) *loop.Expr {
	x := loop.Value(d[0])
	if len(d) == 1 {
		return times(lower[0], x, x)
	}
	y := loop.Value(d[1])
	s := add(times(lower[0], x, x))
	if lower[1] != nil {
		s = add(times(lower[0], x, x), double(lower[1], x, y))
	}
	s.K, s.Args = append(s.K, 1), append(s.Args, times(lower[2], y, y))
	return s
}

// beside is the entry of A beside the diagonal, or nil where it is 0.
func (g *generator) beside(adj []*loop.Var) *loop.Expr {
	if g.crossed() {
		return loop.Value(adj[1])
	}
	return nil
}

// positionSquare is ΔqᵀGΔq of the adjugate A: with two coordinates G₁₁ = A₂₂, G₂₁ = −A₂₁ and G₂₂ = A₁₁.
func (g *generator) positionSquare(d, adj []*loop.Var, det *loop.Var) *loop.Expr {
	if len(d) == 1 {
		return form(d, loop.Value(det))
	}
	s := form(d, loop.Value(adj[2]), g.beside(adj), loop.Value(adj[0]))
	if g.crossed() {
		s.K[1] = -1
	}
	return s
}

// momentumSquare is ΔpᵀG⁻¹Δp = ΔpᵀAΔp/D.
func (g *generator) momentumSquare(d, adj []*loop.Var, inv *loop.Var) *loop.Expr {
	if len(d) == 1 {
		return form(d, loop.Value(inv))
	}
	return times(form(d, loop.Value(adj[0]), g.beside(adj), loop.Value(adj[2])), loop.Value(inv))
}

// flatU computes u = A p of a momentum: all of it, or only the
// components that the given expressions read.
func (s *flatStages) flatU(sc *flatScope, adj, p []*loop.Var, readBy []*expr.Expr) []loop.Stmt {
	var out []loop.Stmt
	for i, t := range s.fl.u {
		read := readBy == nil
		for _, e := range readBy {
			read = read || s.reads(e, t)
		}
		if !read {
			continue
		}
		u := &loop.Var{Name: t.Name}
		sc.of[s.variable(t)] = u
		e := loop.Value(p[0])
		if len(s.fl.u) > 1 {
			e = add(times(loop.Value(adj[i]), loop.Value(p[0])), times(loop.Value(adj[i+1]), loop.Value(p[1])))
		}
		out = append(out, &loop.Let{V: u, E: e})
	}
	return out
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
