package model

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Transports. A latent vector x whose prior is normal given the other parameters θ has coordinates z in its place, by a map
// that is affine in z,
//
//	x = c(θ) + L(θ)⁻ᵀz,   G = L Lᵀ = Q + Σ Aᵀ w A,   c = G⁻¹r,   r = Q m + Σ Aᵀ(w (η̂ − o) + s),
//
// with Q and Q m the precision of what is normal in x and its gradient at x = 0, exact for every θ; and of each other
// term that sees x by one linear predictor η = A x + o(θ) the expected information w and the score s about η at η̂, the
// predictor at a point of reference that is frozen while a chain draws. The posterior of z given θ is then near N(0, I) for
// every θ, and whatever w, s and η̂ are, the density
//
//	l(θ, z) = log p(θ, x, y) − Σ log L_ii
//
// is that of the model. A prior of another shape counts as the normal one that stands for it: the
// neck of a funnel has the width of the scale, whatever the shape. Of a vector of positive numbers or of proportions x are the logarithms or the logits.
// See Kleppe (2019), arXiv:1806.02068, for maps of this kind that are made by hand.
//
// Several latent vectors are one Gaussian with a precision of blocks. It is factorised by elimination, vector after vector,
// as long as the block of the vector is diagonal: what is left of the others is their Schur complement. The last may be
// banded. With DenseMaps any block may be dense, and is eliminated by its Cholesky factor. Vectors are determined in the other order, each given those that were eliminated after it.

// Maps are the maps that latent vectors may have.
type Maps uint8

// The kinds of maps.
const (
	BandedMaps Maps = iota // where elements are determined one after the other
	DenseMaps              // others too
	NoMaps
)

// Transport is the map of one latent vector.
type Transport struct {
	Param *Param

	// Diagonals is the number of those of G at and below the main one, 0 where it is dense.
	Diagonals int

	// Predicted are the terms that the reference stands for.
	Predicted []*PosteriorTerm

	// Index and Whitened are the coordinate z[Index] of a latent vector whose values stand in the place of its coordinates; the
	// vectors that were determined before it have theirs.
	Index    *expr.Index
	Whitened *expr.Expr
}

// Describe says what the map is made of.
func (t *Transport) Describe() string {
	text := fmt.Sprintf("banded, with %d diagonals below the main one,", t.Diagonals-1)
	if t.Diagonals <= 2 {
		text = []string{"dense", "diagonal", "tridiagonal"}[t.Diagonals]
	}
	if len(t.Predicted) > 0 {
		text += ", with the expected information of data at a reference"
	}
	return text
}

// latentsOf are the parameters of a model that may be latent vectors, by what their declarations say.
func latentsOf(m *dsl.Model, block *dsl.Block) []*dsl.Param {
	if block == nil || len(m.Blocks) > 1 || len(block.Metric) != 1 || block.Metric[0].Kind != dsl.MetricAuto {
		return nil
	}
	recursive := map[*dsl.Param]bool{} // of which no predictor is linear
	for _, l := range m.Lets {
		if l.Recursion != nil && l.Recursion.Circle != nil {
			maps.Copy(recursive, l.Params())
		}
	}
	var out []*dsl.Param
	for _, q := range m.Params {
		if len(q.Type.Shape) == 1 && TransformOf(q).Carries && !recursive[q] && !q.BoundByParams() {
			out = append(out, q)
		}
	}
	return out
}

// latent is a latent vector while its map is looked for.
type latent struct {
	b    *Param
	i, j *expr.Index // of its elements
}

// values are the elements, as a tensor that derivatives are taken by.
func (v *latent) values() *expr.Tensor { return v.b.values }

// transports finds the maps of as many of the latent vectors as have one, and returns these vectors. If that is all of them, it makes
// the maps, with their Jacobian.
func (p *Posterior) transports(candidates []*dsl.Param) (kept []*dsl.Param) {
	var all, chosen []*latent
	for _, b := range p.Params {
		if slices.Contains(candidates, b.Decl) {
			x := b.Decl.Type.Shape[0]
			all = append(all, &latent{b: b, i: p.C.NewIndex("i", expr.UpTo(x)), j: p.C.NewIndex("j", expr.UpTo(x))})
		}
	}
	p.reference()
	var steps, single []*step
	var used []*PosteriorTerm // that the joint map knows of
	for _, v := range all {
		alone, own := p.eliminated([]*latent{v})
		if p.Maps == DenseMaps && alone == nil {
			continue // a regression with a prior of known scale, of which a dense map would be the same nearly everywhere
		}
		more := append(chosen[:len(chosen):len(chosen)], v)
		if together, of := p.eliminated(more); together != nil && holds(of, used) && holds(of, own) {
			chosen, steps, used = more, together, of
		} else if alone != nil && !p.above(v, all) {
			single = append(single, alone...)
		}
	}
	// The others, of which each has a map of its own, are determined before, the last first. Those that are determined after one are
	// unknown to it: their shifts, or altogether.
	later := slices.Clone(chosen)
	for n, s := range single {
		if !p.shifted(s, later, single[n+1:]) {
			s.freeze(p, later)
		}
		later = append(later, s.v)
	}
	steps = append(steps, single...)
	// A map that is the same everywhere brings nothing apart.
	steps = slices.DeleteFunc(steps, func(s *step) bool {
		if s.bands == nil {
			return false // it is of a prior with a scale
		}
		return s.r.Stage() < expr.StagePosition && !slices.ContainsFunc(s.bands, func(d expr.Value) bool { return d.At(expr.Sub{Index: s.v.i}).Stage() >= expr.StagePosition })
	})
	for _, v := range all {
		if slices.ContainsFunc(steps, func(s *step) bool { return s.v == v }) {
			kept = append(kept, v.b.Decl)
		}
	}
	if len(kept) < len(all) {
		return kept
	}
	p.MapJacobian = p.C.Number(0)
	for n := len(steps) - 1; n >= 0; n-- {
		p.MapJacobian = p.C.Add(p.MapJacobian, p.transport(steps[n]))
	}
	return kept
}

// holds reports whether all terms of a list are among others.
func holds(all, list []*PosteriorTerm) bool {
	return !slices.ContainsFunc(list, func(t *PosteriorTerm) bool { return !slices.Contains(all, t) })
}

// above reports whether the prior of another latent vector depends on v. With that at the reference, v would be as narrow as this
// prior, which the posterior is not.
func (p *Posterior) above(v *latent, latents []*latent) bool {
	others := slices.DeleteFunc(slices.Clone(latents), func(w *latent) bool { return w == v })
	return slices.ContainsFunc(p.Terms, func(t *PosteriorTerm) bool {
		return t.Term.Dist != nil && !t.Term.Dist.Whole() && mentionsAny(t.Left.At(), others) && mentionsAny(t.L, []*latent{v})
	})
}

// transport makes the map of a step, and returns its part of the log density. The vectors that are determined before have
// theirs.
func (p *Posterior) transport(s *step) (logJacobian *expr.Expr) {
	c, b, i := p.C, s.v.b, s.v.i
	n := b.Decl.Type.Shape[0]
	z := expr.Value{Shape: []dsl.Extent{n}, Elem: func(at ...expr.Sub) *expr.Expr { return c.Ref(b.Coord, at...) }}
	at := expr.Sub{Index: i}
	t := &Transport{Param: b, Diagonals: len(s.bands), Predicted: s.predicted, Index: i}
	moved := func(u expr.Value) expr.Value { // by z
		return expr.Value{Shape: u.Shape, Elem: func(at ...expr.Sub) *expr.Expr { return c.Add(u.At(at...), z.At(at...)) }}
	}
	var value *expr.Expr
	switch len(s.bands) {
	case 0:
		if a, rest := p.split(s); a != nil {
			value, t.Whitened, logJacobian = p.spectral(s, a, rest, z)
			break
		}
		lower := c.Apply(expr.OperatorOf("cholesky"), s.dense)
		u := c.Apply(expr.OperatorOf("solve_lower"), lower, p.vector(s.v, s.r))
		value = c.Apply(expr.OperatorOf("solve_upper"), lower, moved(u)).At(at)
		j := c.NewIndex("j", expr.UpTo(n))
		t.Whitened = c.Sub(c.Sum(j, c.Mul(lower.At(expr.Sub{Index: j}, at), z.At(expr.Sub{Index: j}))), u.At(at))
		logJacobian = c.Neg(c.Sum(i, c.Call("log", lower.At(at, at))))
	case 1:
		variance := c.Atom(c.Pow(c.Atom(s.bands[0].At(at)), -1))
		scale := c.Atom(c.Pow(variance, 0.5)) // L⁻¹: each of these powers has a derivative of a few operations
		u := c.Mul(scale, c.Atom(s.r))
		value = c.Mul(scale, c.Add(u, z.At(at)))
		t.Whitened = c.Sub(c.Div(z.At(at), scale), u)
		logJacobian = c.Scale(0.5, c.Sum(i, c.Call("log", variance)))
		if s.shift != nil {
			value, t.Whitened = s.shift.moved(c, i, value, t.Whitened, c.Div(z.At(at), scale), scale)
			logJacobian = c.Sub(logJacobian, c.Scale(0.5, c.Call("log", s.shift.phi)))
		}
	default:
		f := c.BandFactor(s.bands)
		u := f.SolveLower(p.vector(s.v, s.r))
		value = f.SolveUpper(moved(u)).At(at)
		t.Whitened = c.Sub(f.MulTransposed(z, i), u.At(at))
		logJacobian = c.Scale(-0.5, f.LogDet())
	}
	body, formal := c.Close(value)
	b.values.Kind, b.values.Atom = expr.SharedTensor, true
	b.values.Def = &expr.Def{Tensor: b.values, Indices: formal, Body: body}
	p.Transports = append(p.Transports, t)
	return logJacobian
}

// split writes a dense precision as a I + W, where a alone depends on the position: it is the precision of a prior whose only parameter is its
// scale, beside what data say at the reference. It is nil for other precisions.
func (p *Posterior) split(s *step) (a *expr.Expr, rest expr.Value) {
	c, i, j := p.C, s.v.i, s.v.j
	full, diagonal := c.SplitDelta(s.dense.At(expr.Sub{Index: i}, expr.Sub{Index: j}), i, j)
	if full.Stage() >= expr.StagePosition {
		return nil, rest
	}
	terms, ks := []*expr.Expr{diagonal}, []float64{1}
	if diagonal.Op == expr.Add {
		terms, ks = diagonal.Args, diagonal.K
		full = c.Add(full, c.Scale(diagonal.Val, c.Delta(expr.Sub{Index: i}, expr.Sub{Index: j})))
	}
	total := c.Number(0)
	for n, t := range terms {
		t = c.Scale(ks[n], t)
		switch {
		case t.Stage() < expr.StagePosition:
			full = c.Add(full, c.Mul(t, c.Delta(expr.Sub{Index: i}, expr.Sub{Index: j})))
		case t.HasFree(i) || t.HasFree(j):
			return nil, rest
		default:
			total = c.Add(total, t)
		}
	}
	if total.Stage() < expr.StagePosition {
		return nil, rest
	}
	return total, expr.Value{Shape: s.dense.Shape, Elem: func(at ...expr.Sub) *expr.Expr { return c.SubstAll(full, []*expr.Index{i, j}, at) }}
}

// spectral is the map of a precision A = a I + W, with W = QΛQᵀ at the reference and d = Λ + a:
//
//	x = A⁻¹r + A^{-½}z = Q(Qᵀr/d + Qᵀz/√d)
//
// and z likewise of x, in whose place the coordinates stand. It takes products of matrices and vectors, where a factor would take n³ operations each time.
// The root is the symmetric one, so that neither signs nor the choice of vectors of equal values matter.
func (p *Posterior) spectral(s *step, a *expr.Expr, rest, z expr.Value) (value, whitened, logJacobian *expr.Expr) {
	c, i := p.C, s.v.i
	at := expr.Sub{Index: i}
	k := c.NewIndex("k", i.Range)
	to := expr.Sub{Index: k}
	values := c.Apply(expr.OperatorOf("eigenvalues"), rest)
	q := c.Apply(expr.OperatorOf("eigenvectors"), rest).At(at, to)
	variance := c.Atom(c.Pow(c.Atom(c.Add(values.At(to), c.Atom(a))), -1))
	root := c.Atom(c.Pow(variance, 0.5))
	turned := func(e *expr.Expr) *expr.Expr { return c.Atom(c.Sum(i, c.Mul(q, e))) }
	back := func(e *expr.Expr) *expr.Expr { return c.Sum(k, c.Mul(q, c.Atom(e))) }
	u, v := turned(c.Atom(s.r)), turned(z.At(at))
	value = back(c.Add(c.Mul(variance, u), c.Mul(root, v)))
	whitened = back(c.Sub(c.Div(v, root), c.Mul(root, u)))
	return value, whitened, c.Scale(0.5, c.Sum(k, c.Call("log", variance)))
}
