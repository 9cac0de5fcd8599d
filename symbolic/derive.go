// Package symbolic turns a checked model into an indexed program: definitions with stages, and the results that
// sampling needs in terms of them. Expressions are those of symbolic/expr, the density and the metric those of
// symbolic/model.
//
// derive.go puts all of it together. program.go holds definitions, lower.go decides what becomes one, scatter.go
// lowers sums by data, reorder.go orders nested sums, adjoint.go is the reverse sweep, contract.go what steps take of the derivatives of the metric, arrays.go values that are
// computed as wholes, draws.go random ones, entries.go the entries of a matrix, names.go invents names,
// emission.go counts what emission takes, work.go what a gradient does, fitted.go and candidate.go what is chosen by that. evaluate.go evaluates a program: the oracle that tests compare with.
package symbolic

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/model"
)

// Output is a lowered result: one expression at each value of its indices.
type Output struct {
	Row, Col, Dir int // parameters; −1 where there is none
	Indices       []*expr.Index
	E             *expr.Expr

	// Subs are the subscripts of the vector parameters among Row, Col and
	// Dir, if some are fixed positions; nil stands for Indices.
	Subs []expr.Sub

	// Banded marks the entries (i, i − Offset) of a banded block of a
	// matrix, with i the one index.
	Banded bool
	Offset int

	// Made are references to what is computed with E whether or not E reads it: the draws of a generated quantity.
	Made []*expr.Expr
}

// Needs returns what has to be computed for o: its value, and what is made with it.
func (o *Output) Needs() []*expr.Expr { return append([]*expr.Expr{o.E}, o.Made...) }

// Derived is everything the compiler knows of a model, as one indexed program
// with several results. With B the matrix of Metric (G itself, or the Hessian
// that SoftAbs maps to G), W a symmetric weight and v a velocity:
//
// Of a model of several blocks there is one Derived for the joint density,
// which has no metric and no results beyond the gradient and the values, and
// one for each block, given the other blocks' parameters.
type Derived struct {
	*model.Posterior
	Metric *model.Metric // nil of a joint density of several blocks
	Prog   *Program

	Conditionals []*Derived // of a joint density, by block

	LogDensity  Output       // L
	Gradient    []Output     // ∂L/∂q, per block
	Matrix      []Output     // B, per block pair with Row ≥ Col, structural zeros left out
	Force       []Output     // −∂L/∂q + ½⟨W, ∂B/∂q⟩
	Contract    []Output     // ⟨W, ∂B/∂q⟩
	Rank1       []Output     // ½⟨v vᵀ, ∂B/∂q⟩
	Jacobian    []Output     // ∂B/∂q, per block triple; none where ByColumns is set
	Product     []Output     // ∂(B v)_Row/∂q_Dir, per block pair; none where the Jacobian, or contractions, are the way to it
	Value       []Output     // the parameters on their own scale
	Ends        map[int]*End // of the parameters whose bounds are functions of data, by their numbers
	LogJacobian []Output     // log |∂x/∂z| of the maps of latent vectors: one number, or none
	Unseen      []Output     // the log density of terms that maps measure: one number, or none
	Whitened    []Output     // the coordinates of latent vectors, by Posterior.Transports, where plain ones stand in their place
	Pushed      []Output     // the plain coordinates of latent vectors likewise
	Chained     [][]Output   // plain coordinates that chains are, by Posterior.Chains, where their innovations stand in their place
	Settings    []Output     // of the map, if the metric is one of B
	Generated   []Output     // Posterior.Quantities
	Prior       []Output     // Posterior.Priors

	// ByColumns says that the Jacobian has too many formulas: ∂B_ij/∂q is then
	// ⟨W, ∂B/∂q⟩ with a weight of that one pair.
	ByColumns bool

	// Large says that parts of the density or the metric became shared definitions.
	Large bool

	// IterationWork counts the operations of one iteration of an implicit step, about, in terms of the sizes; 0 where the metric is constant.
	IterationWork expr.Poly

	Curved    bool     // Curvature was asked for
	Curvature []Output // ∂²(−L + ½⟨W, B⟩)/∂q², per block pair with Row ≥ Col; none where B is constant

	Weights    [][]*expr.Tensor // W by blocks, Row ≥ Col
	Velocities []*expr.Tensor

	kept    []model.Entry // by the storage of the metric
	made    made          // what the context held when all was derived
	emitted atomic.Bool   // emission has added to the context
}

// made counts what a context and a program hold.
type made struct{ nodes, indices, tensors, defs int }

func (r *Derived) count() made {
	nodes, indices, tensors := r.C.Count()
	return made{nodes, indices, tensors, len(r.Prog.Defs)}
}

// ForEmission returns what Derive makes of the model, for one that adds definitions and nodes to it: the order
// of a sum's terms follows their age, so that a context in which nothing has been done since makes
// every emission alike. That is r's own for the first to ask, if nothing was added to it before, and
// another one else. What r lists is left as it is.
func (r *Derived) ForEmission() (*Derived, error) {
	if r.take() && r.untouched() {
		return r.copied(), nil
	}
	again, list := deriveAll(r.Model, r.Curved)
	if again == nil {
		return nil, fmt.Errorf("the model no longer derives: %s", list[0].Message)
	}
	if r.Model.Sizes != nil {
		again = again.Fit(r.Model.Sizes, r.Model.Values)
	}
	return again, nil
}

// untouched reports whether nothing was added since r was derived.
func (r *Derived) untouched() bool {
	for _, d := range r.Conditionals {
		if !d.untouched() {
			return false
		}
	}
	return r.count() == r.made
}

// take reports whether it is the first to ask.
func (r *Derived) take() bool { return r.emitted.CompareAndSwap(false, true) }

// copied is r with lists of its own.
func (r *Derived) copied() *Derived {
	prog := *r.Prog
	out := &Derived{Posterior: r.Posterior, Metric: r.Metric, Prog: &prog, LogDensity: r.LogDensity, Gradient: r.Gradient, Matrix: r.Matrix, Force: r.Force,
		Contract: r.Contract, Rank1: r.Rank1, Jacobian: r.Jacobian, Product: r.Product, Value: r.Value, Ends: r.Ends, LogJacobian: r.LogJacobian, Unseen: r.Unseen, Whitened: r.Whitened, Pushed: r.Pushed, Chained: r.Chained, Settings: r.Settings, Generated: r.Generated, Prior: r.Prior,
		ByColumns: r.ByColumns, IterationWork: r.IterationWork, Large: r.Large, Curved: r.Curved, Curvature: r.Curvature, Weights: r.Weights, Velocities: r.Velocities}
	for _, d := range r.Conditionals {
		out.Conditionals = append(out.Conditionals, d.copied())
	}
	return out
}

// Derive elaborates a checked model and derives all that sampling needs. The
// result is nil if the diagnostics hold an error.
func Derive(m *dsl.Model) (*Derived, []dsl.Diagnostic) { return deriveAll(m, false) }

// Check returns the diagnostics of Derive. It derives less: neither a metric that hamc may choose has any, nor the maps of latent vectors.
func Check(m *dsl.Model) []dsl.Diagnostic {
	_, list := deriveOwn(m, false, model.NoMaps)
	return list
}

// DeriveCurved is Derive of a model that Derive accepts, with Curvature, which may need
// derivatives that are not known.
func DeriveCurved(m *dsl.Model) (*Derived, []dsl.Diagnostic) { return deriveAll(m, true) }

func deriveAll(m *dsl.Model, curved bool) (*Derived, []dsl.Diagnostic) {
	r, list := deriveOwn(m, curved, model.BandedMaps)
	if len(m.Blocks) == 1 {
		if c := candidate(r, curved); c != nil {
			return c, list
		}
	}
	return r, list
}

// deriveOwn derives a model with the metric that it has, and these maps of latent vectors.
func deriveOwn(m *dsl.Model, curved bool, maps model.Maps) (*Derived, []dsl.Diagnostic) {
	var used model.Spent
	if m.Declared {
		maps = model.NoMaps
	}
	if len(m.Blocks) == 1 {
		r, list := derive(m, m.Blocks[0], curved, maps, &used)
		if r == nil && maps != model.NoMaps && leaves(m.Blocks[0]) && tooLarge(list) {
			// What the maps of latent vectors take of the limits is hamc's choice, not the model's.
			for _, less := range []model.Maps{model.SmallMaps, model.NoMaps} {
				if less == model.SmallMaps && !used.Joint {
					continue
				}
				if smaller, again := derive(m, m.Blocks[0], curved, less, &model.Spent{}); smaller != nil {
					return smaller, again
				}
			}
		}
		return r, list
	}
	joint, list := derive(m, nil, curved, maps, &used)
	all := joint
	for _, b := range m.Blocks {
		if tooLarge(list) {
			// The others share the limits, which may have ended before a statement was looked at.
			if last := &list[len(list)-1]; all != nil && last.Span.Pos == (dsl.Pos{Line: 1, Col: 1}) {
				last.Span = all.Largest()
			}
			break
		}
		d, more := derive(m, b, curved, maps, &used)
		list = append(list, more...)
		if d == nil {
			joint = nil
		} else if joint != nil {
			joint.Conditionals = append(joint.Conditionals, d)
		}
	}
	return joint, list
}

// tooLarge reports whether a message says that a model is beyond the limits.
func tooLarge(list []dsl.Diagnostic) bool {
	return slices.ContainsFunc(list, func(d dsl.Diagnostic) bool { return d.Code == dsl.TooLarge })
}

// derive derives the density of one block, or the joint one, with these maps of latent vectors. What it takes of the limits is added to used.
func derive(m *dsl.Model, block *dsl.Block, curved bool, with model.Maps, used *model.Spent) (*Derived, []dsl.Diagnostic) {
	d := &model.Diagnosed{}
	r := expr.Growing(func(by expr.Grain) *Derived {
		d.List = nil
		return deriveBy(m, block, curved, with, by, d, used)
	})
	return r, d.List
}

// deriveBy derives with one grain.
func deriveBy(m *dsl.Model, block *dsl.Block, curved bool, with model.Maps, by expr.Grain, d *model.Diagnosed, used *model.Spent) (result *Derived) {
	p := &model.Posterior{Limited: true, Maps: with, Spent: *used}
	if block != nil && isCandidate(block) {
		p.Most = maxCandidateWork
	}
	defer func() {
		if p.C != nil {
			used.Work, used.Joint = p.C.Budget.Work, used.Joint || p.Joint
			if result != nil {
				used.Emission = p.Emission
			}
			p.C.Sharing, p.C.Budget.Limited = false, false
		}
		switch r := recover(); r.(type) {
		case nil:
		case expr.TooLarge:
			if by == expr.Coarse {
				panic(expr.Outgrown{}) // the fine grain may do
			}
			d.Refuse(p)
			result = nil
		default:
			panic(r)
		}
	}()
	p.Elaborate(m, block, curved, by)
	c := p.C
	p.L = c.Fold(p.L)
	var metric *model.Metric
	if block != nil {
		metric = p.DeriveMetric(d)
	}
	p.CheckClaims(d)
	if d.Errors() || metric != nil && isCandidate(block) && (metric.Constant || len(d.List) > 0) {
		return nil
	}
	r := &Derived{Posterior: p, Metric: metric, Prog: newProgram(p), Curved: curved, Large: by == expr.Fine}
	r.density()
	if metric != nil {
		r.geometry()
	}
	r.checkDifferentiable(d)
	if d.Errors() {
		return nil
	}
	r.generate()
	r.product()
	r.IterationWork = r.iterationWork()
	r.made = r.count()
	r.spendEmission()
	return r
}

// density lowers the log density, its gradient, and the parameters on their own scale.
func (r *Derived) density() {
	r.Prog.lowerFamilies()
	r.L = r.C.JoinBinary(r.L)
	r.LogDensity = scalarOutput(r.Prog.Lower(r.Prog.withColumns(r.L), nil))
	r.Gradient = r.gradient(r.LogDensity.E)
	for n, b := range r.Params {
		indices, s := b.ValueIndices(r.C, "i")
		r.Value = append(r.Value, Output{Row: n, Col: -1, Dir: -1, Indices: indices, E: r.Prog.Lower(b.Reported(r.C, s...), indices)})
	}
	r.Ends = map[int]*End{}
	for n, b := range r.Params {
		if b.Decl.BoundByFunctions() {
			r.Ends[n] = r.end(b)
		}
	}
	if r.MapJacobian != nil {
		r.LogJacobian = []Output{scalarOutput(r.Prog.Lower(r.MapJacobian, nil))}
	}
	if len(r.Measures) > 0 {
		r.Unseen = []Output{scalarOutput(r.Prog.Lower(r.Posterior.Unseen, nil))}
	}
	for _, t := range r.Transports {
		ctx := t.Indices
		o := Output{Row: slices.Index(r.Params, t.Param), Col: -1, Dir: -1, Indices: ctx}
		if len(t.Param.Decl.Type.Shape) > 1 {
			o.Subs = t.Subs
		}
		o.E = r.Prog.Lower(t.Whitened, ctx)
		r.Whitened = append(r.Whitened, o)
		o.E = r.Prog.Lower(t.Plain, ctx)
		r.Pushed = append(r.Pushed, o)
	}
	for _, group := range r.Posterior.Chains() {
		var own []Output
		for _, x := range group {
			own = append(own, Output{Row: slices.Index(r.Params, x.Param), Col: -1, Dir: -1, Indices: x.Indices, E: r.Prog.Lower(x.Plain, x.Indices)})
		}
		r.Chained = append(r.Chained, own)
	}
}

// An End is what bounds the elements of a parameter where that is no arithmetic on scalars: the numbers of data, at indices over its values.
type End struct {
	Indices []*expr.Index
	Lo, Hi  *expr.Expr // nil where there is none
}

// end lowers the bounds of a parameter.
func (r *Derived) end(b *model.Param) *End {
	indices, s := b.ValueIndices(r.C, "i")
	e := &End{Indices: indices}
	lo, hi := b.Bounds(s)
	if b.Decl.BoundByParams() {
		lo, hi = b.LoOfValues, b.HiOfValues
	}
	if lo != nil {
		e.Lo = r.Prog.Lower(lo, indices)
	}
	if hi != nil {
		e.Hi = r.Prog.Lower(hi, indices)
	}
	return e
}

// EndOutputs are the bounds that are functions of data.
func (r *Derived) EndOutputs() (out []Output) {
	for n := range r.Params {
		e := r.Ends[n]
		if e == nil {
			continue
		}
		for _, x := range []*expr.Expr{e.Lo, e.Hi} {
			if x != nil {
				out = append(out, Output{Row: n, Col: -1, Dir: -1, Indices: e.Indices, E: x})
			}
		}
	}
	return out
}

// Anchored reports whether the maps of latent vectors depend on a reference.
func (r *Derived) Anchored() bool {
	found, seen := false, map[*expr.Def]bool{}
	var walk func(e *expr.Expr)
	walk = func(e *expr.Expr) {
		expr.Refs(e, func(x *expr.Expr) {
			found = found || x.Tensor.Kind == expr.GivenTensor
			if d := x.Tensor.Def; d != nil && !seen[d] {
				seen[d] = true
				walk(d.Body)
			}
		})
	}
	for _, o := range r.Whitened {
		walk(o.E)
	}
	return found
}

// scalarOutput is a result of one number.
func scalarOutput(e *expr.Expr) Output { return Output{Row: -1, Col: -1, Dir: -1, E: e} }

// geometry lowers the matrix, and derives what steps take of its derivatives.
func (r *Derived) geometry() {
	c, prog := r.C, r.Prog
	r.kept = r.Entries(r.Metric)
	for _, e := range r.kept {
		r.Matrix = append(r.Matrix, r.entry(e)...)
	}
	for _, e := range r.Metric.Settings {
		r.Settings = append(r.Settings, scalarOutput(e))
	}
	r.nameWeights()
	wB := r.contract()

	if r.ByColumns = r.Large || len(r.Families) > 0 || len(r.Metric.Blocks)*len(r.Params) > maxTriples || r.FixedSize() > maxCube; !r.ByColumns {
		r.jacobian()
	}
	if r.Curved && !r.Metric.Constant {
		// Of ⟨W, B⟩ the sums over W that lowering has found stay as they are.
		r.curvature(c.Linear(0, []float64{-1, 0.5}, []*expr.Expr{r.L, prog.raise(wB)}))
	}
}

// nameWeights makes the weights and velocities, which are symbols: ⟨W, B⟩ is a scalar whose gradient, with W held
// fixed, is the contraction.
func (r *Derived) nameWeights() {
	for n, b := range r.Params {
		v := r.C.NewTensor(expr.Tensor{Name: "v_" + b.Coord.Name, Kind: expr.VelocityTensor, Shape: b.Coord.Shape, Stage: expr.StageMomentum, Row: n})
		r.Velocities = append(r.Velocities, v)
		var row []*expr.Tensor
		for q := 0; q <= n; q++ {
			shape := append(append([]dsl.Extent{}, b.Coord.Shape...), r.Params[q].Coord.Shape...)
			row = append(row, r.C.NewTensor(expr.Tensor{Name: "w_" + b.Coord.Name + "_" + r.Params[q].Coord.Name, Kind: expr.WeightTensor,
				Shape: shape, Stage: expr.StageMomentum, Row: n, Col: q, Symmetric: n == q && len(shape) == 2}))
		}
		r.Weights = append(r.Weights, row)
	}
}

// maxTriples is the largest number of block triples for which the Jacobian of a metric
// has formulas of its own.
const maxTriples = 512

// maxCube is the largest number of coordinates, of those that are counted when a model is
// compiled, whose triples an int counts: formulas for the Jacobian hold such positions.
const maxCube = 1 << 20

// jacobian derives ∂B/∂q.
func (r *Derived) jacobian() {
	for _, b := range r.Metric.Blocks {
		for n, dir := range r.Params {
			k, s := dir.Index(r.C, "r")
			e := r.C.Diff(b.E, dir.Coord, s...)
			if e.IsNum(0) {
				continue
			}
			idx := expr.IndexList(b.A, b.B, k)
			r.Jacobian = append(r.Jacobian, r.lowered(Output{Row: b.Row, Col: b.Col, Dir: n, Indices: idx, E: e})...)
		}
	}
}

// curvature derives the second derivatives of e = −L + ½⟨W, B⟩.
func (r *Derived) curvature(e *expr.Expr) {
	c := r.C
	for n, b := range r.Params {
		i, at := b.Index(c, "j")
		first := c.Diff(e, b.Coord, at...)
		for m := 0; m <= n; m++ {
			j, to := r.Params[m].Index(c, "l")
			if second := c.Diff(first, r.Params[m].Coord, to...); !second.IsNum(0) {
				r.Curvature = append(r.Curvature, r.lowered(Output{Row: n, Col: m, Dir: -1, Indices: expr.IndexList(i, j), E: second})...)
			}
		}
	}
}

// generate lowers the generated quantities and the draws from the prior, after everything
// that sampling needs.
func (r *Derived) generate() {
	// Nothing of this is differentiated: only what is very large is shared.
	defer func(sharing bool, by expr.Grain) { r.C.Sharing, r.C.Grain = sharing, by }(r.C.Sharing, r.C.Grain)
	r.C.Sharing, r.C.Grain = true, expr.Undifferentiated
	for n, q := range r.Quantities {
		if q.Circle != nil && (n == 0 || r.Quantities[n-1].Circle != q.Circle) {
			end := n + 1
			for end < len(r.Quantities) && r.Quantities[end].Circle == q.Circle {
				end++
			}
			r.Prog.lowerCircle(r.Quantities[n:end])
		}
		r.Generated = append(r.Generated, r.Prog.lowerQuantity(q))
	}
	if len(r.Given) > 0 {
		return
	}
	r.FindPriors()
	for _, x := range r.Priors {
		r.Prior = append(r.Prior, r.Prog.lowerPrior(x))
	}
}

// Mirrored reports whether o is an entry below the diagonal of a block of a
// parameter with itself, whose mirror image is no result of its own.
func (o *Output) Mirrored() bool {
	return o.Row == o.Col && len(o.Subs) >= 2 && o.Subs[0].IsFixed() && o.Subs[0] != o.Subs[1]
}

// maxSpread is the largest size of a vector parameter whose elements get results
// of their own where the density singles some of them out.
const maxSpread = 8

// spread gives a result over small vectors, some of whose elements the density
// names by their positions, one result for each element: at a position all but
// few of the terms are zero. Entries of a symmetric block are given once, at or
// below the diagonal.
func (r *Derived) spread(o Output) []Output {
	c := r.C
	// Of a block of a matrix with itself both indices are spread, or none.
	symmetric := o.Row == o.Col && len(o.Indices) >= 2
	both := symmetric && (namesPosition(o.E, o.Indices[0]) || namesPosition(o.E, o.Indices[1]))
	var rec func(o Output, subs []expr.Sub, n int) []Output
	rec = func(o Output, subs []expr.Sub, n int) []Output {
		if n == len(subs) {
			if o.E.IsNum(0) && o.Col >= 0 {
				return nil // a structural zero of a matrix
			}
			return []Output{o}
		}
		i := subs[n].Index
		if i == nil || !i.Range.Hi.IsConst() || i.Range.Hi.Offset > maxSpread || !(both && n < 2 || !(symmetric && n < 2) && namesPosition(o.E, i)) {
			return rec(o, subs, n+1)
		}
		var out []Output
		for at := i.Range.Lo.Offset; at <= i.Range.Hi.Offset; at++ {
			x := o
			x.E = c.Subst(o.E, i, expr.Sub{At: dsl.Fixed(at)})
			own := append([]expr.Sub{}, subs...)
			own[n] = expr.Sub{At: dsl.Fixed(at)}
			x.Subs, x.Indices = own, nil
			for _, s := range own {
				if s.Index != nil {
					x.Indices = append(x.Indices, s.Index)
				}
			}
			if n == 1 && symmetric && own[0].Index == nil && at > own[0].At.Offset {
				continue // the mirror image
			}
			out = append(out, rec(x, own, n+1)...)
		}
		return out
	}
	return rec(o, expr.SubsOf(o.Indices), 0)
}

// namesPosition reports whether e holds a delta of an index and a fixed position.
func namesPosition(e *expr.Expr, i *expr.Index) bool {
	seen := map[*expr.Expr]bool{}
	var walk func(e *expr.Expr) bool
	walk = func(e *expr.Expr) bool {
		if !e.Placed() || !e.HasFree(i) || seen[e] {
			return false
		}
		seen[e] = true
		if e.Op == expr.Delta {
			return e.Subs[0].Index == i && e.Subs[1].IsFixed()
		}
		return slices.ContainsFunc(e.Args, walk)
	}
	return walk(e)
}

// lowered spreads a result and lowers what comes of it.
func (r *Derived) lowered(o Output) []Output {
	out := r.spread(o)
	for n := range out {
		out[n].E = r.Prog.Lower(out[n].E, out[n].Indices)
	}
	return out
}

// checkDifferentiable reports results that need a derivative that is not known: of
// a function, or of a family, as of a solution beyond the orders that are integrated.
func (r *Derived) checkDifferentiable(d *model.Diagnosed) {
	function := false
	var families []*expr.Family
	look := func(e *expr.Expr) {
		expr.Refs(e, func(x *expr.Expr) {
			switch t := x.Tensor; {
			case t.Kind != expr.WildTensor:
			case t.Lacks == nil:
				function = true
			case !slices.Contains(families, t.Lacks):
				families = append(families, t.Lacks)
			}
		})
	}
	for _, def := range r.Prog.Defs {
		look(def.Body)
	}
	for _, list := range [][]Output{r.Gradient, r.Matrix, r.Force, r.Contract, r.Rank1, r.Jacobian, r.Curvature} {
		for _, o := range list {
			look(o.E)
		}
	}
	at := dsl.Span{Pos: dsl.Pos{Line: 1, Col: 1}, Len: 1}
	if r.Block != nil {
		at = r.Block.Metric[0].At
	}
	if r.Curved && (function || len(families) > 0) {
		d.Add(dsl.Error, dsl.NotDifferentiable, at, "choose another solver, or the integrator glfb, whose equations need first derivatives of the metric only",
			"the second derivatives that Newton's method needs of this metric go beyond those that are known")
		return
	}
	if function {
		d.Add(dsl.Error, dsl.NotDifferentiable, at, "use `metric fisher` or `metric identity`, or write the function in other terms",
			"the derivatives that this metric needs go beyond those of a function of the model (lgamma has three, incomplete gamma and beta functions have one in their shapes, as in lcdf and truncation, and kronecker_solve and kronecker_log_det have one)")
	}
	for _, f := range families {
		what, advice := f.Operator.Joint.Unknown(f)
		d.Add(dsl.Error, dsl.NotDifferentiable, at, advice, "%s", what)
	}
}
