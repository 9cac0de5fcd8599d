package model

import (
	"slices"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Measures. What a term says of latent vectors may be known by no formula: it is computed by a recursion or a differential equation that reads them, or an
// observation sees many elements each in its own way. Information and score are then measured, by differences of the log density of these terms, when a reference
// is set: at each index those of the elements of all such vectors of one length, −∂²L/∂x∂xᵀ = R Rᵀ where that is positive and nothing elsewhere, and ∂L/∂x, which follows numbers θ that the terms are
// made of by ∂²L/∂x∂θ. They are arrays that the map is made of as of a reference.

// Measure is that of vectors of one length.
type Measure struct {
	Vectors []MeasuredVector
	Root    [][]*expr.Tensor // the column l of R from the diagonal down: Root[l][k-l] is R_kl
	Score   []*expr.Tensor
	Numbers []MeasuredNumber
	Slope   [][]*expr.Tensor // of the score of each vector by each number

	of    []*latent
	terms []*PosteriorTerm
}

// MeasuredVector is a vector by its place. Among the coordinates of the parameter, which is Of such vectors, element i of vector N is number
// i Of + N where Across, and else N n + i, counted from 0.
type MeasuredVector struct {
	Param  *Param
	N, Of  int
	Across bool
}

// MeasuredNumber is a parameter that is a number, or an element of a few, counted from 0.
type MeasuredNumber struct {
	Param   *Param
	Element int
}

// mostNumbers bounds those that a score follows: each takes two evaluations of the terms for each element.
const mostNumbers = 16

// coordinatesOf are the plain coordinate of a number, and that of the reference.
func (p *Posterior) coordinatesOf(x MeasuredNumber) (coordinate, reference *expr.Expr) {
	b, at := x.Param, []expr.Sub(nil)
	if !b.Scalar() {
		at = []expr.Sub{{At: dsl.Fixed(x.Element + 1)}}
	}
	coordinate = p.C.Ref(b.Coord, at...)
	if b.Latent() {
		coordinate = p.C.Ref(b.plain[0], at...)
	}
	return coordinate, p.C.Ref(p.Reference[slices.Index(p.Params, b)].Coord, at...)
}

// numbersOf are those that terms depend on: none where they are too many.
func (p *Posterior) numbersOf(terms []*PosteriorTerm) (out []MeasuredNumber) {
	for _, b := range p.Params {
		size := b.Size()
		if !size.IsConst() || len(b.Coord.Shape) > 1 || size.Offset > MostVectors || b.Latent() && !b.Scalar() {
			continue
		}
		for k := range size.Offset {
			x := MeasuredNumber{b, k}
			coordinate, _ := p.coordinatesOf(x)
			if slices.ContainsFunc(terms, func(t *PosteriorTerm) bool { return expr.Mentions(t.L, coordinate.Tensor) }) {
				out = append(out, x)
			}
		}
	}
	if len(out) > mostNumbers {
		return nil
	}
	return out
}

// measurable reports whether what a term says of the elements of each vector that it is of can be measured: their priors move, so that there is something to know.
func (p *Posterior) measurable(latents []*latent, t *PosteriorTerm) bool {
	return !slices.ContainsFunc(latents, func(v *latent) bool {
		return mentionsAny(t.L, []*latent{v}) && (v.level() || p.fixed([]*latent{v}, true))
	})
}

// measuresOf groups the vectors of which a Gaussian knows terms by measures.
func (p *Posterior) measuresOf(m *gaussian) {
	for _, v := range m.v {
		terms := m.unknown[v]
		if len(terms) == 0 {
			continue
		}
		at := slices.IndexFunc(m.measures, func(x *Measure) bool {
			w := x.of[0]
			return len(x.of) < MostVectors && slices.EqualFunc(w.is, v.is, func(i, j *expr.Index) bool { return i.Range == j.Range })
		})
		if at < 0 {
			at = len(m.measures)
			m.measures = append(m.measures, &Measure{})
		}
		x := m.measures[at]
		x.of = append(x.of, v)
		for _, t := range terms {
			if !slices.Contains(x.terms, t) {
				x.terms = append(x.terms, t)
			}
		}
	}
	for n, x := range m.measures {
		m.measures[n] = p.interned(x)
	}
}

// interned is a measure with its arrays, the same for each Gaussian of these vectors.
func (p *Posterior) interned(x *Measure) *Measure {
	for _, o := range p.measures {
		if slices.Equal(o.of, x.of) && slices.Equal(o.terms, x.terms) {
			return o
		}
	}
	given := func(v *latent, what string) *expr.Tensor {
		t := v.plain()
		return p.C.NewTensor(expr.Tensor{Name: t.Name + what, Kind: expr.GivenTensor, Shape: t.Shape, Stage: expr.StageGiven, Row: t.Row})
	}
	for l, v := range x.of {
		b := v.b
		x.Vectors = append(x.Vectors, MeasuredVector{Param: b, N: v.n, Of: len(b.plain), Across: b.across && !b.undivided()})
		column := []*expr.Tensor{given(v, "_root")}
		for _, w := range x.of[l+1:] {
			column = append(column, given(v, "_root_"+w.plain().Name))
		}
		x.Root, x.Score = append(x.Root, column), append(x.Score, given(v, "_score"))
	}
	x.Numbers = p.numbersOf(x.terms)
	for _, v := range x.of {
		var slopes []*expr.Tensor
		for _, n := range x.Numbers {
			slopes = append(slopes, given(v, "_by_"+n.Param.Decl.ObjectName()))
		}
		x.Slope = append(x.Slope, slopes)
	}
	p.measures = append(p.measures, x)
	return x
}

// predictors are those that say as much: Rᵀx, of information 1, and x, of which the score is known.
func (x *Measure) predictors(p *Posterior) (out []*predictor) {
	c := p.C
	var is []*expr.Index
	for _, i := range x.of[0].is {
		is = append(is, c.NewIndex(i.Name, i.Range))
	}
	at := expr.SubsOf(is)
	for l, column := range x.Root {
		eta := c.Number(0)
		for k, r := range column {
			eta = c.Add(eta, c.Mul(c.Ref(r, at...), c.Ref(x.of[l+k].plain(), at...)))
		}
		score := c.Ref(x.Score[l], at...)
		for j, n := range x.Numbers {
			coordinate, reference := p.coordinatesOf(n)
			score = c.Add(score, c.Mul(c.Ref(x.Slope[l][j], at...), c.Sub(coordinate, reference)))
		}
		out = append(out, &predictor{indices: is, eta: eta, weight: c.Number(1), score: c.Number(0)},
			&predictor{indices: is, eta: c.Ref(x.of[l].plain(), at...), weight: c.Number(0), score: score})
	}
	return out
}

// recursive reports whether an expression reads latent vectors by way of a recursion.
func recursive(e *expr.Expr, latents []*latent) bool {
	return expr.Search(e, expr.StageConst, func(r *expr.Expr) bool {
		return r.Op == expr.Ref && r.Tensor.Kind == expr.RecursionTensor && slices.ContainsFunc(r.Tensor.Def.Bodies(), func(b *expr.Expr) bool { return mentionsAny(b, latents) })
	})
}

// takeMeasures keeps the measures of vectors that have maps, and the terms that are measured.
func (p *Posterior) takeMeasures(steps []*step) {
	var terms []*PosteriorTerm
	for _, s := range steps {
		for _, x := range s.measures {
			if !slices.Contains(x.of, s.v) || slices.Contains(p.Measures, x) {
				continue
			}
			p.Measures = append(p.Measures, x)
			for _, t := range x.terms {
				if !slices.Contains(terms, t) {
					terms = append(terms, t)
				}
			}
		}
	}
	if len(terms) == 0 {
		return
	}
	p.Unseen = p.C.Number(0)
	for _, t := range terms {
		p.Unseen = p.C.Add(p.Unseen, t.L)
	}
}

// Length is the number of elements of each vector.
func (x *Measure) Length() dsl.Extent { return expr.ExtentOf(x.Score[0].Shape) }

// Tensors are the arrays of a measure.
func (x *Measure) Tensors() (out []*expr.Tensor) {
	for l, column := range x.Root {
		out = append(append(append(out, column...), x.Score[l]), x.Slope[l]...)
	}
	return out
}
