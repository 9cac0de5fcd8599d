package symbolic

import (
	"github.com/hamc-dev/hamc/dsl"
)

// Output is a lowered result: one expression at each value of its indices.
type Output struct {
	Row, Col, Dir int // parameter blocks; −1 where there is none
	Indices       []*Index
	E             *Expr
}

// Derived is everything the compiler knows of a model, as one indexed program
// with several results. With B the matrix of Metric (G itself, or the Hessian
// that SoftAbs maps to G), W a symmetric weight and v a velocity:
type Derived struct {
	*Posterior
	Metric *Metric
	Prog   *Program

	LogDensity Output   // L
	Gradient   []Output // ∂L/∂q, per block
	Matrix     []Output // B, per block pair with Row ≥ Col, structural zeros left out
	Force      []Output // −∂L/∂q + ½⟨W, ∂B/∂q⟩
	Contract   []Output // ⟨W, ∂B/∂q⟩
	Rank1      []Output // ½⟨v vᵀ, ∂B/∂q⟩
	Jacobian   []Output // ∂B/∂q, per block triple
	Value      []Output // the parameters on their own scale
	Alpha      Output   // of SoftAbs
	Shift      Output   // of SoftAbs

	Weights    [][]*Tensor // W by blocks, Row ≥ Col
	Velocities []*Tensor
}

// Derive elaborates a checked model and derives all that sampling needs. The
// result is nil if the diagnostics hold an error.
func Derive(m *dsl.Model) (*Derived, []dsl.Diagnostic) {
	p := Elaborate(m)
	d := &Diagnosed{}
	c := p.C
	p.L = c.Fold(p.L)
	metric := p.metric(d)
	if d.errors() {
		return nil, d.List
	}
	prog := newProgram(p)
	r := &Derived{Posterior: p, Metric: metric, Prog: prog}
	none := -1

	l := prog.Lower(p.L, nil)
	r.LogDensity = Output{none, none, none, nil, l}
	r.Gradient = r.sweep(l)

	for n, b := range p.Blocks {
		i, s := b.index(c, "i")
		r.Value = append(r.Value, Output{n, none, none, indexList(i), prog.Lower(b.Value(s...), indexList(i))})
	}
	for _, b := range metric.Blocks {
		idx := indexList(b.A, b.B)
		r.Matrix = append(r.Matrix, Output{b.Row, b.Col, none, idx, prog.Lower(b.E, idx)})
	}
	if metric.SoftAbs {
		r.Alpha = Output{none, none, none, nil, metric.Alpha}
		r.Shift = Output{none, none, none, nil, metric.Shift}
	}

	// The weights are symbols: ⟨W, B⟩ is a scalar whose gradient, with W
	// held fixed, is the contraction.
	for n, b := range p.Blocks {
		v := c.NewTensor(Tensor{Name: "v_" + b.Coord.Name, Kind: VelocityTensor, Shape: b.Coord.Shape, Stage: StageMomentum, Row: n})
		r.Velocities = append(r.Velocities, v)
		var row []*Tensor
		for q := 0; q <= n; q++ {
			shape := append(append([]dsl.Extent{}, b.Coord.Shape...), p.Blocks[q].Coord.Shape...)
			row = append(row, c.NewTensor(Tensor{Name: "w_" + b.Coord.Name + "_" + p.Blocks[q].Coord.Name, Kind: WeightTensor,
				Shape: shape, Stage: StageMomentum, Row: n, Col: q, Symmetric: n == q && len(shape) == 2}))
		}
		r.Weights = append(r.Weights, row)
	}
	weighted := r.pairing(func(b BlockExpr) *Expr {
		return c.Ref(r.Weights[b.Row][b.Col], subsOf(indexList(b.A, b.B))...)
	})
	squared := r.pairing(func(b BlockExpr) *Expr {
		return c.Mul(c.Ref(r.Velocities[b.Row], subsOf(indexList(b.A))...), c.Ref(r.Velocities[b.Col], subsOf(indexList(b.B))...))
	})
	wB := prog.Lower(weighted, nil)
	r.Contract = r.sweep(wB)
	r.Force = r.sweep(c.Linear(0, []float64{-1, 0.5}, []*Expr{l, wB}))
	r.Rank1 = r.sweep(c.Scale(0.5, prog.Lower(squared, nil)))

	for _, b := range metric.Blocks {
		for n, dir := range p.Blocks {
			k, s := dir.index(c, "r")
			e := c.Diff(b.E, dir.Coord, s...)
			if e.IsNum(0) {
				continue
			}
			idx := indexList(b.A, b.B, k)
			r.Jacobian = append(r.Jacobian, Output{b.Row, b.Col, n, idx, prog.Lower(e, idx)})
		}
	}
	r.checkDifferentiable(d)
	if d.errors() {
		return nil, d.List
	}
	return r, d.List
}

func indexList(is ...*Index) []*Index {
	var out []*Index
	for _, i := range is {
		if i != nil {
			out = append(out, i)
		}
	}
	return out
}

// pairing returns Σ over the full matrix of weight · B, from its lower blocks.
func (r *Derived) pairing(weight func(BlockExpr) *Expr) *Expr {
	c := r.C
	total := c.Number(0)
	for _, b := range r.Metric.Blocks {
		if b.E.Stage() < StagePosition {
			continue // constant blocks have no derivative
		}
		e := c.times(weight(b), b.E)
		e = c.sumOver(b.A, c.sumOver(b.B, e))
		if b.Row != b.Col {
			e = c.Scale(2, e)
		}
		total = c.Add(total, e)
	}
	return total
}

// sweep returns the gradient of a lowered scalar, block by block.
func (r *Derived) sweep(root *Expr) []Output {
	at := make([][]Sub, len(r.Blocks))
	indices := make([]*Index, len(r.Blocks))
	for n, b := range r.Blocks {
		indices[n], at[n] = b.index(r.C, "k")
	}
	var out []Output
	for n, e := range r.Prog.Adjoint(root, at) {
		ctx := indexList(indices[n])
		out = append(out, Output{n, -1, -1, ctx, r.Prog.Lower(e, ctx)})
	}
	return out
}

// checkDifferentiable reports results that need a derivative the tables lack.
func (r *Derived) checkDifferentiable(d *Diagnosed) {
	bad := false
	for _, def := range r.Prog.Defs {
		Refs(def.Body, func(x *Expr) { bad = bad || x.Tensor.Kind == wildTensor })
	}
	for _, list := range [][]Output{r.Gradient, r.Matrix, r.Force, r.Contract, r.Rank1, r.Jacobian} {
		for _, o := range list {
			Refs(o.E, func(x *Expr) { bad = bad || x.Tensor.Kind == wildTensor })
		}
	}
	if bad {
		at := dsl.Span{Pos: dsl.Pos{Line: 1, Col: 1}, Len: 1}
		if len(r.Model.Metric) > 0 {
			at = r.Model.Metric[0].At
		}
		d.add(dsl.Error, dsl.NotDifferentiable, at, "use `metric fisher` or `metric identity`, or write the function in other terms",
			"the derivatives that this metric needs go beyond those of a function of the model (lgamma has three)")
	}
}
