package codegen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/expr"
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
	q   []*expr.Tensor // coordinates
	p   []*expr.Tensor // momentum, at which u is taken
	u   []*expr.Tensor // A p
	inv *expr.Tensor   // 1/D
	adj []*expr.Expr   // lower triangle of A
	det *expr.Expr
	// minorForm is the last diagonal entry of A before lowering.
	minorForm *expr.Expr
	f, t      []*expr.Expr // F, T
	r         []*expr.Expr // R of u
	// move holds h·u as a polynomial in the coordinates, whose
	// coefficients, of h, the data and the momentum, are known before the
	// position iterates.
	h    *expr.Tensor
	move [][]expr.Monomial
	// poly holds, for the one component of the momentum that iterates,
	// the coefficients of R as a polynomial in it; nil if several iterate.
	active int
	poly   []*expr.Expr
}

// flat reports whether the model, with a metric that is not constant, gets flat steps.
func (g *generator) flat() bool {
	if g.d.Metric.Storage.NonLinear || len(g.d.Solves) > 0 || !g.dim.IsConst() || g.dim.Offset > maxFlat || g.d.Large {
		return false
	}
	for _, b := range g.d.Params {
		if !b.Scalar() {
			return false
		}
	}
	for _, l := range [][]symbolic.Output{g.d.Matrix, g.d.Gradient, g.d.Contract, g.d.Rank1} {
		for def := range g.closure(l) {
			if def.Stage() > expr.StageGiven && (len(def.Indices) > 0 || hasSum(def.Body)) {
				return false
			}
		}
	}
	return true
}

func hasSum(e *expr.Expr) bool {
	if e.Op == expr.Sum || e.Op == expr.Largest {
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
	f := &flatCode{active: -1}
	for _, b := range g.d.Params {
		f.q = append(f.q, b.Coord)
		f.p = append(f.p, g.flatLocal("p_"+b.Coord.Name, expr.StageMomentum))
		f.u = append(f.u, g.flatLocal("u_"+b.Coord.Name, expr.StageMomentum))
	}
	f.inv = g.flatLocal("rdet", expr.StagePosition)
	f.h = g.flatLocal("h", expr.StageMomentum)
	adj := g.flatAdjugate(f)
	at := func(i, j int) *expr.Expr { return adj[max(i, j)][min(i, j)] }
	g.flatMoves(f, at)
	g.flatForces(f, at)
	g.fl = f
	g.prog.Steps = append(g.prog.Steps, g.frameFunction, g.functionIMb, g.quantitiesFunction, g.functionGLFb)
}

func (g *generator) flatLocal(name string, stage expr.Stage) *expr.Tensor {
	return g.d.C.NewTensor(expr.Tensor{Name: name, Kind: expr.LocalTensor, Stage: stage})
}

// flatLower makes an expression one of the program, in the form of fewer operations.
func (g *generator) flatLower(e *expr.Expr) *expr.Expr {
	return g.d.Prog.Lower(g.d.Prog.Cheaper(e), nil)
}

// flatAdjugate derives A and D, and returns the lower triangle of A before lowering.
func (g *generator) flatAdjugate(f *flatCode) [][]*expr.Expr {
	c := g.d.C
	entry := func(i, j int) *expr.Expr {
		for _, o := range g.d.Metric.Blocks {
			if o.Row == i && o.Col == j {
				return o.E
			}
		}
		return c.Number(0)
	}
	var adj [][]*expr.Expr
	if g.dim.Offset == 1 {
		adj = [][]*expr.Expr{{c.Number(1)}}
		f.det = g.flatLower(entry(0, 0))
	} else {
		a, b, e := entry(0, 0), entry(1, 0), entry(1, 1)
		adj = [][]*expr.Expr{{e}, {c.Neg(b), a}}
		f.minorForm = a
		f.det = g.flatLower(c.Sub(c.Mul(a, e), c.Pow(b, 2)))
	}
	for i := range adj {
		for j := range adj[i] {
			f.adj = append(f.adj, g.flatLower(adj[i][j]))
		}
	}
	return adj
}

// flatMoves derives h·u as a polynomial in the coordinates.
func (g *generator) flatMoves(f *flatCode, at func(i, j int) *expr.Expr) {
	c := g.d.C
	free := func(e *expr.Expr) bool {
		return !slices.ContainsFunc(f.q, func(q *expr.Tensor) bool { return expr.Mentions(e, q) })
	}
	for i := range f.q {
		hu := c.Number(0)
		for j := range f.q {
			hu = c.Add(hu, c.Mul(c.Ref(f.h), at(i, j), c.Ref(f.p[j])))
		}
		terms := c.Monomials(c.Expand(hu), free)
		for n := range terms {
			terms[n].Coefficient = g.d.Prog.Lower(terms[n].Coefficient, nil)
			terms[n].Of = g.d.Prog.Lower(terms[n].Of, nil)
		}
		f.move = append(f.move, terms)
	}
}

// flatForces derives F, T and R.
func (g *generator) flatForces(f *flatCode, at func(i, j int) *expr.Expr) {
	d, c := g.d, g.d.C
	// Unlowered forms of the contraction, with the weights replaced.
	half := func(weight func(i, j int) *expr.Expr, k int) *expr.Expr {
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
	var active []int
	for k := range f.q {
		// Not multiplied out: the log density is centred on the data's means,
		// and stays so.
		f.f = append(f.f, d.Prog.Lower(c.Neg(c.Diff(d.L, d.Params[k].Coord)), nil))
		f.t = append(f.t, g.flatLower(half(at, k)))
		r := half(func(i, j int) *expr.Expr { return c.Mul(c.Ref(f.u[i]), c.Ref(f.u[j])) }, k)
		f.r = append(f.r, g.flatLower(r))
		if !r.IsNum(0) {
			active = append(active, k)
		}
	}
	if len(active) == 1 && len(f.q) == 2 {
		f.active = active[0]
		f.poly = g.polynomial(f, half, at, active[0])
	}
}

// quadratic reports whether any force depends on the momentum. It may not even where the metric seems to
// depend on the position, as 1^x does.
func (f *flatCode) quadratic() bool {
	return slices.ContainsFunc(f.r, func(e *expr.Expr) bool { return !isZero(e) })
}

// polynomial expands R, as a function of the one momentum component x that
// iterates, into coefficients of 1, x and x²: all of them are known before the
// iteration.
func (g *generator) polynomial(f *flatCode, half func(func(i, j int) *expr.Expr, int) *expr.Expr, adj func(i, j int) *expr.Expr, active int) []*expr.Expr {
	c := g.d.C
	other := 1 - active
	lower := g.flatLower
	// u_i = A_ia x + A_io y.
	a := func(i int) *expr.Expr { return adj(i, active) }
	b := func(i int) *expr.Expr { return c.Mul(adj(i, other), c.Ref(f.p[other])) }
	return []*expr.Expr{
		lower(half(func(i, j int) *expr.Expr { return c.Mul(b(i), b(j)) }, active)),
		lower(half(func(i, j int) *expr.Expr { return c.Add(c.Mul(a(i), b(j)), c.Mul(b(i), a(j))) }, active)),
		lower(half(func(i, j int) *expr.Expr { return c.Mul(a(i), a(j)) }, active)),
	}
}

// outputs lists all expressions of the flat steps, for the phases.
func (f *flatCode) outputs() []symbolic.Output {
	var out []symbolic.Output
	lists := [][]*expr.Expr{f.adj, {f.det}, f.f, f.t, f.r, f.poly}
	for _, terms := range f.move {
		for _, t := range terms {
			lists = append(lists, []*expr.Expr{t.Coefficient, t.Of})
		}
	}
	for _, l := range lists {
		for _, e := range l {
			out = append(out, symbolic.Output{Row: -1, Col: -1, Dir: -1, E: e})
		}
	}
	return out
}

// lateLast multiplies by u last, which is known last.
func (g *generator) lateLast(e *loop.Expr) *loop.Expr {
	late := func(a *loop.Expr) bool {
		return a.Op == loop.Scalar && slices.Contains(g.fl.u, g.tensorOf[a.Var])
	}
	return loop.Map(e, func(x *loop.Expr) *loop.Expr {
		if x.Op != loop.Mul {
			return x
		}
		own := *x
		own.K, own.Args = nil, nil
		for _, last := range []bool{false, true} {
			for n, a := range x.Args {
				if late(a) == last {
					own.K, own.Args = append(own.K, x.K[n]), append(own.Args, a)
				}
			}
		}
		return &own
	})
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

// flatMethods prints the flat steps with Energy, Whiten and DrawMomentum.
func (g *generator) flatMethods() []jen.Code {
	return []jen.Code{g.evaluateMethod(), g.flatEnergy(), g.flatWhiten(), g.flatLength(), g.flatDrawMomentum(), g.flatIMb(), g.quantitiesMethod(), g.flatGLFb(), g.noLeapfrog()}
}
