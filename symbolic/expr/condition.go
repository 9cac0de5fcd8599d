package expr

import (
	"slices"

	"github.com/hamc-dev/hamc/dsl"
)

// Conditions are numbers, 1 where they hold and 0 elsewhere. What a condition does not choose has no weight, in derivatives neither, whatever it is.

// condition is a comparison or a logical operator: 1 where it holds, and 0 elsewhere; nil if op is neither.
func (c *Context) condition(op string) func(a, b *Expr) *Expr {
	switch op {
	case "<":
		return func(a, b *Expr) *Expr { return c.Call("less", a, b) }
	case ">":
		return func(a, b *Expr) *Expr { return c.Call("less", b, a) }
	case "<=":
		return func(a, b *Expr) *Expr { return c.Call("less_equal", a, b) }
	case ">=":
		return func(a, b *Expr) *Expr { return c.Call("less_equal", b, a) }
	case "==":
		return func(a, b *Expr) *Expr { return c.Call("equal", a, b) }
	case "!=":
		return func(a, b *Expr) *Expr { return c.Call("zero", c.Call("equal", a, b)) }
	case "and":
		return func(a, b *Expr) *Expr { return c.Call("both", a, b) }
	case "or":
		return func(a, b *Expr) *Expr { return c.Call("zero", c.Call("both", c.Call("zero", a), c.Call("zero", b))) }
	}
	return nil
}

// conditional is if c then x else y, element by element.
func (el *Elaborator) conditional(e *dsl.IfExpr) Value {
	if cond := el.Expr(e.Cond); len(e.Type().Shape) == 0 {
		g := cond.At()
		x := el.Where(conjuncts(g), func() *Expr { return el.Expr(e.Then).At() })
		y := el.Where(conjuncts(el.C.Call("zero", g)), func() *Expr { return el.Expr(e.Else).At() })
		return Scalar(el.C.Call("select", g, x, y))
	}
	cond, x, y := el.Expr(e.Cond), el.Expr(e.Then), el.Expr(e.Else)
	return el.mapped(e.Type().Shape, func(subs []Sub) *Expr {
		g := Pick(cond, subs)
		then := el.Where(conjuncts(g), func() *Expr { return Pick(x, subs) })
		return el.C.Call("select", g, then, el.Where(conjuncts(el.C.Call("zero", g)), func() *Expr { return Pick(y, subs) }))
	})
}

// logical is x and y, or x or y: y is read where x holds, or does not.
func (el *Elaborator) logical(e *dsl.BinaryExpr) Value {
	c, of := el.C, el.C.condition(e.Op)
	where := func(x *Expr, y func() *Expr) *Expr {
		g := x
		if e.Op == "or" {
			g = c.Call("zero", x)
		}
		return of(x, el.Where(conjuncts(g), y))
	}
	x := el.Expr(e.X)
	if len(e.Type().Shape) == 0 {
		return Scalar(where(x.At(), func() *Expr { return el.Expr(e.Y).At() }))
	}
	y := el.Expr(e.Y)
	return el.mapped(e.Type().Shape, func(subs []Sub) *Expr {
		return where(Pick(x, subs), func() *Expr { return Pick(y, subs) })
	})
}

// conjuncts are conditions that hold together where g holds: each may tell of other positions.
func conjuncts(g *Expr) []*Expr {
	switch {
	case isCall(g, "both"):
		return append(conjuncts(g.Args[0]), conjuncts(g.Args[1])...)
	case isCall(g, "zero") && isCall(g.Args[0], "zero"): // neither of two does not hold
		return conjuncts(g.Args[0].Args[0])
	}
	return []*Expr{g}
}

// chosen is y where a condition holds and z elsewhere, with deltas and indicators outside, so that they end sums.
func (c *Context) chosen(cond, y, z *Expr) *Expr {
	var places []*Expr
	parts := map[*Expr]*[2]*Expr{}
	for k, e := range []*Expr{y, z} {
		if e.IsNum(0) {
			continue
		}
		for _, x := range c.byPlaces(e) {
			if parts[x.place] == nil {
				parts[x.place] = &[2]*Expr{c.nought(), c.nought()}
				places = append(places, x.place)
			}
			parts[x.place][k] = c.Add(parts[x.place][k], x.rest)
		}
	}
	terms := make([]*Expr, len(places))
	for n, p := range places {
		terms[n] = c.Mul(p, c.Call("select", cond, parts[p][0], parts[p][1]))
	}
	return c.Add(terms...)
}

// underCondition moves the factors of a product that may be infinite below a factor that is 0 where a condition chooses it: nil if there are none. What is not
// chosen has no weight, whatever it is.
func (c *Context) underCondition(val float64, ks []float64, es []*Expr) *Expr {
	at := slices.IndexFunc(es, chooses)
	if at < 0 {
		// Products that are kept apart, and what a sum multiplies, are looked into.
		n := slices.IndexFunc(es, isChosen)
		if n < 0 {
			return c.underDefined(val, ks, es)
		}
		if ks[n] != 1 {
			return nil
		}
		m := c.opened(es[n])
		switch {
		case m.Op == Add:
			return c.termsUnderCondition(val, ks, es, n, m)
		case m.Op == Mul:
			ks, es, val = slices.Concat(ks[:n], ks[n+1:], m.K), slices.Concat(es[:n], es[n+1:], m.Args), val*m.Val
		default:
			ks, es = slices.Concat(ks[:n], ks[n+1:], []float64{1}), slices.Concat(es[:n], es[n+1:], []*Expr{m})
		}
		if at = slices.IndexFunc(es, chooses); at < 0 {
			return nil
		}
	}
	if ks[at] != 1 || !risky(ks, es, at) {
		return nil
	}
	s := es[at]
	outside, inside := []*Expr{}, []*Expr{}
	for n, e := range es {
		switch {
		case n == at:
		case e.Op == Delta || e.Op == Inside || e.Op == Before:
			outside = append(outside, e)
		default:
			inside = append(inside, c.Pow(e, ks[n]))
		}
	}
	rest := c.Scale(val, c.Mul(inside...))
	branches := []*Expr{s.Args[1], s.Args[2]}
	for n, b := range branches {
		if !b.IsNum(0) {
			branches[n] = c.Mul(b, rest)
		}
	}
	return c.Mul(append(outside, c.chosen(s.Args[0], branches[0], branches[1]))...)
}

// underDefined is underCondition for a definition of a program that is 0 where a condition chooses it: it stays, and what may be infinite comes below the condition.
func (c *Context) underDefined(val float64, ks []float64, es []*Expr) *Expr {
	for n, e := range es {
		if e.Op != Ref || e.Tensor.Kind != DefTensor || ks[n] <= 0 || !risky(ks, es, n) {
			continue
		}
		cond, where := c.conditionOf(e, riskDepth)
		if cond == nil {
			continue
		}
		var outside, inside []*Expr
		var k []float64
		for m, x := range es {
			if x.Op == Delta || x.Op == Inside || x.Op == Before {
				outside = append(outside, x)
			} else {
				inside, k = append(inside, x), append(k, ks[m])
			}
		}
		branches := [2]*Expr{c.nought(), c.nought()}
		branches[where] = c.product(val, k, inside) // as it is: it is below its condition
		if slices.ContainsFunc(inside, func(x *Expr) bool { return x.placed }) {
			return c.Mul(append(outside, c.chosen(cond, branches[0], branches[1]))...)
		}
		return c.Mul(append(outside, c.Call("select", cond, branches[0], branches[1]))...)
	}
	return nil
}

// conditionOf is a condition that has to hold, or, where the second value is 1, not to hold, lest e be 0, as far as its definition tells; nil where there is none.
func (c *Context) conditionOf(e *Expr, depth int) (cond *Expr, where int) {
	if depth == 0 {
		return nil, 0
	}
	switch e.Op {
	case Call:
		if chooses(e) {
			if e.Args[1].IsNum(0) {
				where = 1
			}
			return e.Args[0], where
		}
	case Mul:
		for n, f := range e.Args {
			if cond, where = c.conditionOf(f, depth-1); cond != nil && e.K[n] > 0 {
				return cond, where
			}
		}
	case Sum: // as it is: a condition that its index is in is none, and need not be opened
		if cond, where = c.conditionOf(e.Args[0], depth-1); cond != nil && !cond.HasFree(e.Index) {
			return cond, where
		}
	case Ref:
		d := e.Tensor.Def
		if d == nil || d.Body == nil || d.Recursion != nil || d.Scatter != nil || d.Fit != nil || len(d.Indices) != len(e.Subs) {
			return nil, 0
		}
		if cond, where = c.conditionOf(d.Body, depth-1); cond != nil {
			return c.SubstAll(cond, d.Indices, e.Subs), where
		}
	}
	return nil, 0
}

// termsUnderCondition is underCondition for a sum, the factor at, of terms each of which a condition chooses.
func (c *Context) termsUnderCondition(val float64, ks []float64, es []*Expr, at int, sum *Expr) *Expr {
	if !risky(ks, es, at) {
		return nil
	}
	terms := make([]*Expr, len(sum.Args))
	for k, t := range sum.Args {
		terms[k] = c.Product(val*sum.K[k], slices.Concat(ks[:at], ks[at+1:], []float64{1}), slices.Concat(es[:at], es[at+1:], []*Expr{t}))
	}
	return c.Add(terms...)
}

// risky reports whether a factor other than the one at a place may be infinite.
func risky(ks []float64, es []*Expr, at int) bool {
	for n, e := range es {
		if n != at && (ks[n] < 0 || mayExplode(e, riskDepth) || branchesExplode(e, riskDepth)) {
			return true
		}
	}
	return false
}

// branchesExplode reports whether a factor is a conditional, by itself or by its definition, that may be infinite where it is chosen: another condition may not choose it.
func branchesExplode(e *Expr, depth int) bool {
	if d := e.Tensor; e.Op == Ref && d.Def != nil && d.Def.Recursion == nil && d.Def.Body != nil {
		e = d.Def.Body
	}
	if depth == 0 || e.Op != Call || e.Func.Name != "select" {
		return false
	}
	return slices.ContainsFunc(e.Args[1:], func(b *Expr) bool { return mayExplode(b, depth-1) || branchesExplode(b, depth-1) })
}

// chooses reports whether a factor is 0 where a condition chooses it.
func chooses(e *Expr) bool {
	return e.Op == Call && e.Func.Name == "select" && e.Args[1].IsNum(0) != e.Args[2].IsNum(0)
}

// isChosen reports whether a factor is 0 where a condition chooses it: by itself, by a factor of it, by all of its terms, or, the same for all that is summed, by
// a factor of that; or is so by its definition.
func isChosen(e *Expr) bool {
	if e.Op == Ref && e.Tensor.Kind == SharedTensor && e.Tensor.Def.Body != nil {
		e = e.Tensor.Def.Body
	}
	switch e.Op {
	case Mul:
		return factorOf(e, nil) >= 0
	case Add:
		return e.Val == 0 && !slices.ContainsFunc(e.Args, func(t *Expr) bool { return !chooses(t) && (t.Op != Mul || factorOf(t, nil) < 0) })
	case Sum:
		b := e.Args[0]
		return b.Op == Mul && factorOf(b, e.Index) >= 0 || chooses(b) && !b.Args[0].HasFree(e.Index)
	}
	return chooses(e)
}

// factorOf is the place of the factor of a product that is 0 where a condition without an index chooses it; −1 if there is none.
func factorOf(m *Expr, i *Index) int {
	at := slices.IndexFunc(m.Args, func(f *Expr) bool { return chooses(f) && (i == nil || !f.Args[0].HasFree(i)) })
	if at >= 0 && m.K[at] != 1 {
		return -1
	}
	return at
}

// opened is a chosen factor as a product with what chooses it as a factor, or as a sum of chosen terms.
func (c *Context) opened(e *Expr) *Expr {
	if e.Op == Ref {
		e = c.SubstAll(e.Tensor.Def.Body, e.Tensor.Def.Indices, e.Subs)
	}
	if e.Op != Sum {
		return e
	}
	i, m := c.Open(e)
	if chooses(m) { // the one factor
		m = &Expr{Op: Mul, Val: 1, K: []float64{1}, Args: []*Expr{m}}
	}
	if m.Op != Mul || factorOf(m, i) < 0 {
		return e
	}
	at, args := factorOf(m, i), slices.Clone(m.Args)
	s, holds := args[at], []*Expr{c.Number(1), c.Number(0)}
	if args[at] = s.Args[1]; s.Args[1].IsNum(0) {
		args[at], holds[0], holds[1] = s.Args[2], holds[1], holds[0]
	}
	return c.Intern(Expr{Op: Mul, Val: 1, K: []float64{1, 1}, Args: []*Expr{c.Call("select", s.Args[0], holds[0], holds[1]), c.Sum(i, c.Product(m.Val, m.K, args))}})
}

// riskDepth is how deep mayExplode looks: deeper than a log density of the table is.
const riskDepth = 12

// mayExplode reports whether a factor may be infinite, or no number, at finite arguments, as far as a look at its operands and at what is defined
// for them tells. What stands under a condition of its own is not looked at.
func mayExplode(e *Expr, depth int) bool {
	switch {
	case depth == 0:
		return false
	case e.Op == Call && e.Func.Name == "select":
		return false
	case e.Op == Call:
		return mayBeInfinite[e.Func.Name] || slices.ContainsFunc(e.Args, func(a *Expr) bool { return mayExplode(a, depth-1) })
	case e.Op == Ref && e.Tensor.Def != nil && e.Tensor.Def.Recursion == nil && e.Tensor.Def.Body != nil:
		return mayExplode(e.Tensor.Def.Body, depth-1)
	case e.Op == Add || e.Op == Mul:
		for n, a := range e.Args {
			if e.Op == Mul && e.K[n] < 0 || mayExplode(a, depth-1) {
				return true
			}
		}
	}
	return false
}

// mayBeInfinite are functions with infinite values at finite arguments.
var mayBeInfinite = map[string]bool{
	"log": true, "log_total": true, "log1p": true, "log1m_exp": true, "log_Phi": true, "log_Phi_interval": true, "inv_Phi": true, "pow": true, "pow_or_0": true, "log_or_0": true, "lmultiply": true, "lmultiply_1p": true, "share": true, "inv_total": true,
	"lgamma": true, "digamma": true, "trigamma": true, "tetragamma": true, "lbeta": true, "stirling_rest": true, "stirling_slope": true, "stirling_curvature": true,
	"log_gamma_p": true, "log_gamma_p_slope": true, "log_gamma_q": true, "log_gamma_q_slope": true, "log_gamma_density": true,
	"log_inc_beta_logit": true, "log_inc_beta_logit_slope1": true, "log_inc_beta_logit_slope2": true, "log_beta_density_logit": true,
	"log_student_cdf": true, "log_student_cdf_slope": true, "log_first_passage": true, "log_first_passage_slope1": true, "log_first_passage_slope2": true,
	"log_first_passage_curvature11": true, "log_first_passage_curvature12": true, "log_first_passage_curvature22": true,
}

// leastChosen is the cost from which a function is taken of both values that a condition chooses from.
const leastChosen = 15

// chosenValue is a function of what a condition on data chooses from values that depend on fewer indices: the values of the function are computed for these alone,
//
//	f(if c[t] then x else y) = if c[t] then f(x) else f(y).
//
// It is nil where that is not so.
func (c *Context) chosenValue(f *Func, args []*Expr) *Expr {
	if len(args) != 1 || f.Cost < leastChosen || !choosesOf(args[0]) {
		return nil
	}
	s := args[0]
	for _, i := range s.free {
		if !s.Args[1].HasFree(i) && !s.Args[2].HasFree(i) {
			return c.Call("select", s.Args[0], c.Call(f.Name, s.Args[1]), c.Call(f.Name, s.Args[2]))
		}
	}
	return nil
}

// leastShared is the cost from which a function is taken once of what a condition chooses, and not of both values: that of those that are series.
const leastShared = 100

// choosingArguments is a choice between two expressions with a term that is the same function, which is taken once, of what the condition chooses,
//
//	if c then a f(x) + y else a f(x') + y' = a f(if c then x else x') + (if c then y else y').
//
// It is nil where there is no such function that costs as much as a series, or where one of them is computed for fewer indices than the choice.
func (c *Context) choosingArguments(cond, y, z *Expr) *Expr {
	if isCall(y, "bounded") && isCall(z, "bounded") && y.Args[1] == z.Args[1] {
		if e := c.choosingArguments(cond, y.Args[0], z.Args[0]); e != nil {
			return c.Bounded(e, y.Args[1])
		}
		return nil
	}
	valueY, ks, ys := c.termsOf(y)
	if !slices.ContainsFunc(ys, costly) {
		return nil // as most choices
	}
	valueZ, ms, zs := c.termsOf(z)
	for n, f := range ys {
		m := slices.IndexFunc(zs, func(g *Expr) bool { return c.shares(cond, f, g) })
		if m < 0 || ks[n] != ms[m] {
			continue
		}
		args := make([]*Expr, len(f.Args))
		for k := range args {
			args[k] = c.Call("select", cond, f.Args[k], zs[m].Args[k])
		}
		y := c.Linear(valueY, without(ks, n), without(ys, n))
		z := c.Linear(valueZ, without(ms, m), without(zs, m))
		return c.Add(c.Scale(ks[n], c.Call(f.Func.Name, args...)), c.Call("select", cond, y, z))
	}
	return nil
}

// shares reports whether two calls are of one function that costs as much as a series, and both are made for each value of the indices of a condition.
func (c *Context) shares(cond, f, g *Expr) bool {
	if !costly(f) || !costly(g) || f.Func != g.Func || min(f.stage, g.stage) < StagePosition {
		return false
	}
	return !slices.ContainsFunc(cond.free, func(i *Index) bool { return !f.HasFree(i) || !g.HasFree(i) })
}

// termsOf are those of a sum, with their factors, and its constant; those of shared definitions among them that hold a costly function.
func (c *Context) termsOf(e *Expr) (value float64, ks []float64, es []*Expr) {
	var collect func(k float64, e *Expr)
	collect = func(k float64, e *Expr) {
		if e.Op == Ref && e.Tensor.Kind == SharedTensor {
			if d := e.Tensor.Def; costly(d.Body) || d.Body.Op == Add && slices.ContainsFunc(d.Body.Args, costly) {
				e = c.SubstAll(d.Body, d.Indices, e.Subs)
			}
		}
		switch e.Op {
		case Num:
			value += k * e.Val
		case Add:
			value += k * e.Val
			for n, a := range e.Args {
				collect(k*e.K[n], a)
			}
		default:
			ks, es = append(ks, k), append(es, e)
		}
	}
	collect(1, e)
	return value, ks, es
}

// costly reports whether e is a call of a function that costs as much as a series.
func costly(e *Expr) bool { return e.Op == Call && e.Func.Cost >= leastShared }

// isCall reports whether e is a call of a function.
func isCall(e *Expr, name string) bool { return e.Op == Call && e.Func.Name == name }

// choosesOf reports whether e is what a condition on data chooses of values that depend on the position.
func choosesOf(e *Expr) bool {
	return e.Op == Call && e.Func.Name == "select" && e.stage >= StagePosition && e.Args[0].stage < StagePosition
}

// sumOfChosen is Σ_i of a product with what a condition on data chooses of values that do not depend on i, with sums of data that are computed once,
//
//	Σ_i w_i (if c_i then x else y) = x Σ_i w_i [c_i] + y Σ_i w_i (1 − [c_i]),
//
// where w is data and the values are finite. It is nil where that is not so.
func (c *Context) sumOfChosen(i *Index, val float64, k []float64, factors []*Expr) *Expr {
	for n, s := range factors {
		if k[n] != 1 || !choosesOf(s) || !s.Args[0].HasFree(i) || s.Args[1].HasFree(i) || s.Args[2].HasFree(i) ||
			mayExplode(s.Args[1], riskDepth) || mayExplode(s.Args[2], riskDepth) {
			continue
		}
		d := split(i, without(k, n), without(factors, n))
		if slices.ContainsFunc(d.e, func(e *Expr) bool { return e.stage >= StagePosition }) {
			continue
		}
		weight := c.Product(1, d.k, d.e)
		holds := c.Sum(i, c.Mul(weight, c.Call("select", s.Args[0], c.Number(1), c.Number(0))))
		fails := c.Sum(i, c.Mul(weight, c.Call("select", s.Args[0], c.Number(0), c.Number(1))))
		if !c.Storable(holds.free) || !c.Storable(fails.free) {
			continue
		}
		return c.Mul(c.Product(val, d.freeK, d.free), c.Add(c.Mul(s.Args[1], holds), c.Mul(s.Args[2], fails)))
	}
	return nil
}
