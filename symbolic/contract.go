package symbolic

import (
	"slices"

	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/model"
)

// What steps ask of the derivatives of the metric is ⟨W, ∂B/∂q⟩, with a weight W of their own. There are several orders in which that can be
// computed, and each client has the cheapest by the cost model. A reverse sweep over ⟨W, B⟩ takes a few times the operations of B, for
// each weight; the derivatives of the entries of B take more of them, but the weight is not in them: where several weights follow at one position, as in the
// momentum part of GLF(b), they are formed once: the sweep goes over all data for each weight, or over all times of a differential equation.

// client is one that asks for a contraction.
type client struct {
	root    *expr.Expr // the scalar of which it is the gradient, lowered
	weights int        // that follow at one position, about
	weight  weighting  // of the metric, where the root is half of ⟨W, B⟩ and no more
}

// weighting is the weight of an entry.
type weighting func(e *model.Entry) *expr.Expr

// contract derives what steps take of the derivatives of the metric, and returns ⟨W, B⟩.
func (r *Derived) contract() *expr.Expr {
	c := r.C
	symbols := func(e *model.Entry) *expr.Expr {
		return c.Ref(r.Weights[e.Row][e.Col], slices.Concat(e.At, e.To)...)
	}
	squares := func(e *model.Entry) *expr.Expr {
		return c.Mul(c.Ref(r.Velocities[e.Row], e.At...), c.Ref(r.Velocities[e.Col], e.To...))
	}
	entry := func(e *expr.Expr, _ []*expr.Index) *expr.Expr { return e }
	paired, squared := r.pairing(symbols, entry), r.pairing(squares, entry)
	wB := r.Prog.Lower(paired, nil)
	r.Contract = r.cheapest(client{root: wB, weights: 1})
	if wB.IsNum(0) { // the metric is constant
		for _, o := range r.Gradient {
			o.E = c.Neg(o.E)
			r.Force = append(r.Force, o)
		}
	} else {
		r.Force = r.cheapest(client{root: c.Linear(0, []float64{-1, 0.5}, []*expr.Expr{r.LogDensity.E, wB}), weights: 1})
	}
	r.Rank1 = r.cheapest(client{root: c.Scale(0.5, r.Prog.Lower(squared, nil)), weights: momentumIterations, weight: squares})
	return wB
}

// momentumIterations is how often a step of GLF(b) is taken to compute its momentum part at one position.
const momentumIterations = 6

// maxEntries is the largest number of derivatives of entries of the metric that are formed to see whether they
// cost less than a sweep.
const maxEntries = 64

// orders are the orders of a contraction. Each is nil where it is not one, or has too many formulas to be tried.
var orders = []struct {
	name   string
	derive func(r *Derived, x client) []Output
}{
	{"a sweep", func(r *Derived, x client) []Output { return r.gradient(x.root) }},
	{"the derivatives of the entries", func(r *Derived, x client) []Output {
		// With vectors whose size data decide they may be many more than the nominal sizes say.
		sized := func(b *model.Param) bool { return !b.Scalar() && !b.Length().IsConst() }
		if x.weight == nil || r.Large || len(r.Matrix)*len(r.Params) > maxEntries || slices.ContainsFunc(r.Params, sized) {
			return nil
		}
		return r.byEntries(x.weight)
	}},
}

// clearly is how much less an order has to cost to be taken instead of the first: one that forms many sums in one loop has more of them than a
// processor has registers, and takes up to twice the time that its operations say.
const clearly = 0.5

// cheapest derives what a client asks for in the order that costs least, the first one if none costs clearly less.
func (r *Derived) cheapest(x client) (best []Output) {
	known := r.needed(nil, r.Matrix, r.Force)
	least := 0.0
	for _, o := range orders {
		out := o.derive(r, x)
		if out == nil {
			continue
		}
		if cost := r.contractionCost(known, out, x.weights); best == nil || cost < clearly*least {
			best, least = out, cost
		}
	}
	return best
}

// contractionCost counts the operations of a contraction at nominal sizes, once at a position and for each weight there.
func (r *Derived) contractionCost(known map[*expr.Def]bool, outs []Output, weights int) float64 {
	once, again, seen := expr.NewCost(), expr.NewCost(), map[*expr.Expr]bool{}
	for _, o := range outs {
		again.AddOf(o.E, o.Indices, seen)
	}
	need := r.needed(known, outs)
	for _, d := range r.Prog.Defs {
		if !need[d] {
			continue
		}
		of := once
		if d.Stage() == expr.StageMomentum {
			of = again
		}
		if d.Plain() {
			of.AddOf(d.Body, d.Indices, seen)
		} else {
			of.Add(d.Cost())
		}
	}
	return r.C.At(once.Weighted(callWork)) + float64(weights)*r.C.At(again.Weighted(callWork))
}

// byEntries returns ½⟨W, ∂B/∂q⟩ from the derivatives of the entries.
func (r *Derived) byEntries(weight weighting) []Output {
	c := r.C
	var out []Output
	for n, dir := range r.Params {
		k, s := dir.Index(c, "k")
		e := r.pairing(weight, func(e *expr.Expr, at []*expr.Index) *expr.Expr {
			idx := append(slices.Clone(at), expr.IndexList(k)...)
			return r.Prog.Lower(c.Diff(e, dir.Coord, s...), idx)
		})
		out = append(out, r.lowered(Output{Row: n, Col: -1, Dir: -1, Indices: expr.IndexList(k), E: c.Scale(0.5, e)})...)
	}
	return out
}

// pairing returns Σ over the full matrix of weight · B, or of what is made of the entries of B at the indices that they carry, from what
// the storage keeps: no other entry has a weight.
func (r *Derived) pairing(weight weighting, of func(e *expr.Expr, at []*expr.Index) *expr.Expr) *expr.Expr {
	c := r.C
	total := c.Number(0)
	for n := range r.kept {
		x := &r.kept[n]
		if x.E.Stage() < expr.StagePosition {
			continue // what is constant has no derivative
		}
		e := c.Times(weight(x), of(x.E, x.Indices))
		for _, i := range slices.Backward(x.Indices) {
			e = c.Sum(i, e)
		}
		if x.Mirrored {
			e = c.Scale(2, e)
		}
		total = c.Add(total, e)
	}
	return total
}

// gradient returns the gradient of a lowered scalar, block by block, by a reverse sweep.
func (r *Derived) gradient(root *expr.Expr) []Output {
	at := make([][]expr.Sub, len(r.Params))
	indices := make([][]*expr.Index, len(r.Params))
	for n, b := range r.Params {
		indices[n], at[n] = b.Indices(r.C, "k")
	}
	var out []Output
	for n, e := range r.Prog.Adjoint(root, at) {
		ctx := indices[n]
		out = append(out, r.lowered(Output{Row: n, Col: -1, Dir: -1, Indices: ctx, E: e})...)
	}
	return out
}

// needed returns the definitions of the position and the momentum that results need, but for those that are known.
func (r *Derived) needed(known map[*expr.Def]bool, lists ...[]Output) map[*expr.Def]bool {
	need := map[*expr.Def]bool{}
	var walk func(e *expr.Expr)
	walk = func(e *expr.Expr) {
		expr.Refs(e, func(x *expr.Expr) {
			if d := x.Tensor.Def; d != nil && d.Stage() > expr.StageGiven && !need[d] && !known[d] {
				need[d] = true
				walk(d.Body)
			}
		})
	}
	for _, list := range lists {
		for _, o := range list {
			walk(o.E)
		}
	}
	return need
}

// Newton's method for the generalized leapfrog asks for K = ∂(G v)/∂q at fixed v, the transposed derivative of the metric. The Jacobian of the metric
// gives it, with m³ more operations, as many as a correction has in any case, and is there for other reasons; two more orders are tried beside it. A metric
// whose Jacobian goes by columns, a contraction for each pair of coordinates, has K by rows, a contraction for each coordinate, and no code of its own.

// corrections is how often Newton's method asks for K at one position, about: of the four corrections of the momentum all, of the position each at its own.
const corrections = 2

// leastTried is the work, in nodes, that an order may take in any case.
const leastTried = 10_000

// maxNewton is the number of coordinates above which no step is solved by Newton's method (runtime.MaxNewton).
const maxNewton = 100

// products are the orders of K beside that of the Jacobian. Each is nil where it has too many formulas to be tried.
var products = []struct {
	name   string
	derive func(r *Derived) []Output
}{
	{"the adjoint sweep of ½vᵀGv, and its derivatives by v", func(r *Derived) (out []Output) {
		if len(r.Rank1)*len(r.Params) > maxEntries {
			return nil
		}
		for d := range r.needed(nil, r.Rank1) {
			if d.Recursion != nil && d.Stage() == expr.StageMomentum {
				return nil // a sweep through a recursion is one, which nothing differentiates again
			}
		}
		// They are those of G v by q.
		for _, o := range r.Rank1 {
			for n, row := range r.Params {
				v := r.Velocities[n]
				i, at := row.Index(r.C, "i")
				swept := r.Prog.raiseBy(o.E, func(t *expr.Tensor) bool { return t == v })
				x := Output{Row: n, Col: -1, Dir: o.Row, Indices: append(expr.IndexList(i), o.Indices...), E: r.C.Diff(swept, v, at...)}
				if o.Subs != nil {
					x.Subs = append(slices.Clone(at), o.Subs...)
				}
				x.E = r.Prog.Lower(x.E, x.Indices)
				out = append(out, x)
			}
		}
		return out
	}},
	{"the derivatives of G v", func(r *Derived) (out []Output) {
		c := r.C
		if len(r.Matrix)*len(r.Params) > maxEntries {
			return nil
		}
		for n, row := range r.Params {
			i, at := row.Index(c, "i")
			e := r.rowTimes(n, at)
			for d, dir := range r.Params {
				k, s := dir.Index(c, "k")
				out = append(out, r.lowered(Output{Row: n, Col: -1, Dir: d, Indices: expr.IndexList(i, k), E: c.Diff(e, dir.Coord, s...)})...)
			}
		}
		return out
	}},
}

// rowTimes is an element of B v: of a parameter, at its subscripts.
func (r *Derived) rowTimes(n int, at []expr.Sub) *expr.Expr {
	c := r.C
	total := c.Number(0)
	element := func(e *expr.Expr, i, j *expr.Index, v *expr.Tensor) {
		if i != nil {
			e = c.Subst(e, i, at[0])
		}
		total = c.Add(total, c.SumOver(j, c.Times(c.Ref(v, expr.SubsOf(expr.IndexList(j))...), e)))
	}
	for _, b := range r.Metric.Blocks {
		if b.Row == n {
			element(b.E, b.A, b.B, r.Velocities[b.Col])
		}
		if b.Col == n && b.Row != n {
			element(b.E, b.B, b.A, r.Velocities[b.Row])
		}
	}
	return total
}

// product derives K in the order that costs least, if that is clearly less than by the Jacobian of the metric. It comes last: nothing else changes by what
// is tried.
func (r *Derived) product() {
	// A metric that is stored by its structure is one of long vectors, which Newton's method is not for.
	if r.Metric == nil || r.Metric.Constant || r.Metric.Storage.NonLinear || r.Metric.Storage.Long || r.ByColumns {
		return
	}
	m := 0.0
	for _, b := range r.Params {
		m += r.C.Nominal(expr.UpTo(b.Size()))
	}
	if m > maxNewton {
		return
	}
	known := r.needed(nil, r.Matrix)
	least := clearly * r.contractionCost(known, r.Jacobian, 1)
	for _, o := range products {
		out := r.tried(o.derive)
		if out == nil {
			continue
		}
		if cost := r.contractionCost(known, out, corrections); cost < least {
			r.Product, least = out, cost
		}
	}
}

// tried derives K in an order. What that takes is none of the model's limits, and no more than half of what all else has taken: it is nil beyond.
func (r *Derived) tried(derive func(r *Derived) []Output) (out []Output) {
	c := r.C
	defer func(was expr.Budget, sharing, apart bool) {
		c.Budget, c.Sharing, c.Apart = was, sharing, apart
		switch x := recover(); x.(type) {
		case nil:
		case expr.TooLarge, expr.Outgrown:
			out = nil
		default:
			panic(x)
		}
	}(c.Budget, c.Sharing, c.Apart)
	c.Budget.Limited, c.Budget.Work, c.Budget.MaxWork = true, 0, max(leastTried, c.Budget.Work/(2*c.Budget.Allowance))
	return slices.DeleteFunc(derive(r), func(o Output) bool { return o.E.IsNum(0) })
}
