package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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
// predictor at a point of reference that is frozen while a chain draws; or, where the density falls off from a mode whatever the data, the information that was observed there. The posterior of z given θ is then near N(0, I) for
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
	TurnedMaps             // others too, those that are turned to their axes before those that are factorised
	FrozenMaps             // others too, with precisions of what is observed at the reference
	SparseMaps             // as BandedMaps, and where elements are coupled in pairs that data tell, as neighbours on a map are
	ApartMaps              // as BandedMaps, and where elements have scales of their own, each given the others
	SmallMaps              // as BandedMaps, but that nothing looks into what is observed as a vector, with a covariance
	NoMaps
)

// dense reports whether blocks may be dense.
func (m Maps) dense() bool { return m == DenseMaps || m == TurnedMaps || m == FrozenMaps }

// banded reports whether no block may be anything but banded.
func (m Maps) banded() bool { return !m.dense() && m != SparseMaps }

// Transport is the map of one latent vector.
type Transport struct {
	Param *Param

	// Diagonals is the number of those of G at and below the main one, 0 where it is dense or sparse.
	Diagonals int

	// Sparse says that its elements beside the diagonal stand at places that data tell.
	Sparse bool

	// Beside are the names of the vectors that it is interleaved with, and First that the first of them, in the order of transports, is: the coordinates of all
	// are those where the values of all stand in their place.
	Beside []string
	First  bool

	// Predicted are the terms that the reference stands for.
	Predicted []*PosteriorTerm

	// Indices and Whitened are the coordinate z[Indices] of a latent vector whose values stand in the place of its coordinates; the
	// vectors that were determined before it have theirs.
	Indices  []*expr.Index
	Subs     []expr.Sub // of the coordinate in the parameter
	Whitened *expr.Expr
	Plain    *expr.Expr // and its plain coordinate
}

// PlainName is what the plain coordinates are, to people.
func (t *Transport) PlainName() string {
	if len(t.Param.innovations) > 0 {
		return t.Param.PlainName()
	}
	_, label := t.Param.carried.plain(t.part(t.Param.Decl.ObjectName()))
	return label
}

// Name is that of the coordinates in their place.
func (t *Transport) Name() string { return t.part(t.Param.Coord.Name) }

// part names the vector, of an array with the name of all.
func (t *Transport) part(of string) string {
	switch {
	case t.Param.undivided():
		return of
	case t.Param.across:
		return of + "[:, " + t.Subs[1].At.String() + "]"
	}
	return of + "[" + t.Subs[0].At.String() + ", :]"
}

// Describe says what the map is made of.
func (t *Transport) Describe() string {
	text := fmt.Sprintf("banded, with %d diagonals below the main one", t.Diagonals-1)
	if t.Diagonals <= 2 {
		text = []string{"dense", "diagonal", "tridiagonal"}[t.Diagonals]
	}
	if t.Sparse {
		text = "sparse, with elements where data have pairs of them"
	}
	if t.Param.Scalar() {
		text = "a number, that where the chain is not known"
	}
	if len(t.Beside) > 0 {
		text += ", interleaved with " + strings.Join(t.Beside, " and ")
	}
	if len(t.Predicted) > 0 {
		text += ", with the information of data at a reference"
	}
	return text
}

// latentsOf are the parameters of a model that may be latent vectors, and those that may be levels of theirs, by what their declarations say.
func latentsOf(m *dsl.Model, block *dsl.Block) (vectors, numbers []*dsl.Param) {
	if block == nil || len(m.Blocks) > 1 || len(block.Metric) != 1 || block.Metric[0].Kind != dsl.MetricAuto {
		return nil, nil
	}
	for _, q := range m.Params {
		switch {
		case !TransformOf(q).Carries:
		case len(q.Type.Shape) > 0:
			vectors = append(vectors, q)
		case !q.BoundByParams():
			numbers = append(numbers, q)
		}
	}
	return vectors, numbers
}

// latent is a latent vector while its map is looked for.
type latent struct {
	b      *Param
	n      int           // which of those of the parameter it is
	is, js []*expr.Index // of its elements, and of others: several where it is an array of vectors, of which each is as if alone
	i, j   *expr.Index   // those of them that are along a vector
	open   bool          // its first elements have no prior, and others go on from them

	standard *standard // nil where it has no such prior
}

// plain are the elements.
func (v *latent) plain() *expr.Tensor { return v.b.plain[v.n] }

// values are what the map is one of, as a tensor that derivatives are taken by: the elements, or what they are made of.
func (v *latent) values() *expr.Tensor {
	if v.standard != nil {
		return v.standard.u[v.n]
	}
	return v.plain()
}

// size is the number of elements of a vector.
func (v *latent) size() dsl.Extent { return v.i.Range.Hi }

// along says which dimension of an array the vectors are along.
func (v *latent) along(d int) { v.i, v.j = v.is[d], v.js[d] }

// subs are the subscripts of element at of a vector.
func (v *latent) subs(at expr.Sub) []expr.Sub {
	out := expr.SubsOf(v.is)
	for d, i := range v.is {
		if i == v.i {
			out[d] = at
		}
	}
	return out
}

// others are the indices of the other dimensions.
func (v *latent) others() []*expr.Index {
	return slices.DeleteFunc(slices.Clone(v.is), func(i *expr.Index) bool { return i == v.i })
}

// transports finds the maps of as many of the latent vectors as have one, and returns these vectors. If that is all of them, it makes
// the maps, with their Jacobian.
func (p *Posterior) transports(candidates []*dsl.Param) (kept []*dsl.Param) {
	if !p.restatePriors() {
		return candidates
	}
	defer p.asSampled()()
	all := p.latentsAmong(candidates)
	numbers := slices.DeleteFunc(slices.Clone(all), func(v *latent) bool { return !v.level() })
	all = slices.DeleteFunc(all, (*latent).level)
	p.reference()
	for _, unit := range p.units(all) {
		p.standardise(unit)
	}
	var chosen []*latent
	var steps []*step
	var single [][]*latent
	var used []*PosteriorTerm // that the joint map knows of
	units := p.ordered(p.units(all))
	steered := p.steering(units)
	for len(units) > 0 {
		unit := units[0]
		units = units[1:]
		if p.scales(unit, all) || p.few(unit) || steered[unit[0]] {
			continue
		}
		alone, own := p.eliminated(unit)
		if alone == nil && len(unit) > 1 && unit[0].standard == nil {
			for _, v := range unit { // walks that data couple, each with a map of its own
				units = append(units, []*latent{v})
			}
			continue
		}
		if alone == nil && own == nil || steady(alone) {
			continue // a term of it that is not Gaussian in it is not so in it and others either
		}
		if !p.Maps.banded() && alone == nil {
			continue // a regression with a prior of known scale, of which a dense map would be the same nearly everywhere
		}
		more := p.unfilled(slices.Concat(chosen, unit))
		if !slices.Contains(more, unit[0]) {
			continue
		}
		if left := more[:len(more)-len(unit)]; len(left) < len(chosen) {
			chosen = left
			steps, used = p.eliminated(chosen)
		}
		together, of := p.eliminated(more)
		if together != nil && holds(of, used) && (alone == nil || holds(of, own)) && (p.Maps != TurnedMaps || alone == nil || p.turned(together) || !p.turned(slices.Concat(steps, alone))) {
			chosen, steps, used = more, together, of
		} else if alone != nil && !p.located(unit, all) {
			single = append(single, unit)
		}
	}
	p.Apart = len(single)
	steps = append(steps, p.apartFrom(chosen, single)...)
	// A map that is the same everywhere brings nothing apart.
	moving := map[*Param]bool{}
	for _, s := range steps {
		moving[s.v.b] = moving[s.v.b] || s.moves()
	}
	steps = slices.DeleteFunc(steps, func(s *step) bool { return !moving[s.v.b] })
	if len(numbers) > 0 && len(chosen) == len(steps) {
		if more := p.levelsOf(chosen, steps, numbers); more != nil {
			steps = more
		}
	}
	for _, q := range candidates {
		if !slices.ContainsFunc(slices.Concat(all, numbers), func(v *latent) bool {
			return v.b.Decl == q && !slices.ContainsFunc(steps, func(s *step) bool { return s.v == v })
		}) {
			kept = append(kept, q)
		}
	}
	if len(kept) < len(candidates) {
		return kept
	}
	p.takeMeasures(steps)
	p.makeMaps(steps, p.units(all))
	return kept
}

// asSampled makes terms of the density what they are as `~` statements, which maps are made of, until the function that it returns is called.
func (p *Posterior) asSampled() (restore func()) {
	was := map[*PosteriorTerm]*dsl.Term{}
	for _, t := range p.Terms {
		if t.sampled != nil {
			was[t], t.Term = t.Term, t.sampled
		}
	}
	return func() {
		for t, as := range was {
			t.Term = as
		}
	}
}

// makeMaps makes the maps of steps, and their Jacobian with those of the standard priors of units.
func (p *Posterior) makeMaps(steps []*step, units [][]*latent) {
	p.MapJacobian = p.C.Number(0)
	if p.chainJacobian != nil {
		p.MapJacobian = p.C.Neg(p.chainJacobian)
	}
	for n := len(steps) - 1; n >= 0; n-- {
		p.MapJacobian = p.C.Add(p.MapJacobian, p.transport(steps[n], steps[:n]))
	}
	for _, unit := range units {
		if s := unit[0].standard; s != nil {
			p.MapJacobian = p.C.Add(p.MapJacobian, s.logDet(p.C))
		}
	}
}

// apartFrom are the steps of units of which each has a map of its own. They are determined before the chosen vectors, the last first. Those that are
// determined after one are unknown to it: their shifts, or altogether.
func (p *Posterior) apartFrom(chosen []*latent, units [][]*latent) (steps []*step) {
	later := slices.Clone(chosen)
	for n, unit := range units {
		own, _ := p.eliminatedBefore(unit, later)
		if !p.shifted(own, later, slices.Concat(units[n+1:]...)) {
			for _, s := range own {
				s.freeze(p, later)
			}
		}
		for _, s := range own {
			later = append(later, s.v)
		}
		steps = append(steps, own...)
	}
	return steps
}

// turned reports whether steps are of precisions that are turned to their axes where they are dense: others take n³ operations for each gradient.
func (p *Posterior) turned(steps []*step) bool {
	return !slices.ContainsFunc(steps, func(s *step) bool {
		if s.bands != nil {
			return false
		}
		a, _, _ := p.split(s)
		return a == nil
	})
}

// unfilled are the vectors of units but those whose prior is the same everywhere and whose precision is dense behind the others, and not alone: as that of the difficulties of the items of a
// test where the abilities are eliminated. An adapted metric knows as much of them as a map, which would take n³ operations for each gradient.
func (p *Posterior) unfilled(vectors []*latent) (rest []*latent) {
	together, _ := p.eliminated(vectors)
	for _, unit := range p.units(vectors) {
		dense := func(s *step) bool { return s.v == unit[0] && s.bands == nil }
		if unit[0].standard == nil && slices.ContainsFunc(together, dense) && p.fixed(unit, false) {
			if alone, _ := p.eliminated(unit); alone != nil && !slices.ContainsFunc(alone, dense) {
				continue
			}
		}
		rest = append(rest, unit...)
	}
	return rest
}

// latentsAmong are the latent vectors that parameters may be.
func (p *Posterior) latentsAmong(candidates []*dsl.Param) (out []*latent) {
	for _, b := range p.Params {
		if !slices.Contains(candidates, b.Decl) {
			continue
		}
		number, shape, _ := p.vectors(b.Decl)
		for n := range number {
			v := &latent{b: b, n: n}
			for _, x := range shape {
				v.is, v.js = append(v.is, p.C.NewIndex("i", expr.UpTo(x))), append(v.js, p.C.NewIndex("j", expr.UpTo(x)))
			}
			if len(shape) > 0 {
				v.along(0)
			}
			out = append(out, v)
		}
	}
	return out
}

// holds reports whether all terms of a list are among others.
func holds(all, list []*PosteriorTerm) bool {
	return !slices.ContainsFunc(list, func(t *PosteriorTerm) bool { return !slices.Contains(all, t) })
}

// units are latent vectors that have a map together or none: those of a parameter.
func (p *Posterior) units(latents []*latent) (out [][]*latent) {
	for n, v := range latents {
		if n > 0 && latents[n-1].b == v.b {
			out[len(out)-1] = append(out[len(out)-1], v)
			continue
		}
		out = append(out, []*latent{v})
	}
	return out
}

// ordered are units in an order in which chains that lead others stand before them, as far as there is one: the slope of a trend is taken before its
// level, whatever the order of their declarations. Scales of others stand behind them: with a place among the first, their values would be unknown to what they scale.
func (p *Posterior) ordered(units [][]*latent) (out [][]*latent) {
	behind := map[*latent]map[*latent]bool{} // which others have to stand before a unit
	for _, unit := range units {
		behind[unit[0]] = map[*latent]bool{}
		for _, o := range units {
			if o[0] != unit[0] {
				behind[unit[0]][o[0]] = p.leads(o, unit) || p.scaledBy(o, unit)
			}
		}
	}
	left := slices.Clone(units)
	for len(left) > 0 {
		n := slices.IndexFunc(left, func(unit []*latent) bool {
			return !slices.ContainsFunc(left, func(o []*latent) bool { return behind[unit[0]][o[0]] })
		})
		n = max(n, 0)
		out = append(out, left[n])
		left = slices.Delete(left, n, n+1)
	}
	return out
}

// mostFew is how many numbers are few. Six effects of sex with a map of their own, behind those of dams and nests, to which they were at their reference, moved against these where the level did:
// R-hat was 1.09 and 1.12 in two seeds, and at most 1.01 without that map.
const mostFew = 16

// few reports whether a unit is a few numbers whose prior is the same everywhere, as the means of the columns of effects: an adapted metric knows as
// much of them as a map, and what depends on them keeps a map that does not move with theirs.
func (p *Posterior) few(unit []*latent) bool {
	size := unit[0].b.Length()
	return size.IsConst() && size.Offset <= mostFew && p.fixed(unit, false)
}

// steering are the first vectors of units that have no map, for the sake of longer ones that follow them: with a prior that is the same everywhere, the precision of the map of
// another vector depends on them, as that of factor scores on loadings and on the scales of what is measured. A joint map would have it at their
// reference, and where they are far from it the longer vector would be as narrow as they say, and its map would not know. Of themselves an adapted metric knows as much as a map.
// Units are compared where the sizes of both are at hand; where these would decide, and are not, Unsized says so.
func (p *Posterior) steering(units [][]*latent) map[*latent]bool {
	out := map[*latent]bool{}
	count := map[*latent]int{}
	for _, unit := range units {
		if n, ok := p.Model.Count(unit[0].b.Length()); ok {
			count[unit[0]] = n
		}
	}
	longest := slices.Clone(units)
	slices.SortStableFunc(longest, func(a, b []*latent) int { return cmp.Compare(count[b[0]], count[a[0]]) })
	for n, unit := range longest {
		if unit[0].standard != nil || !p.fixed(unit, false) {
			continue
		}
		if count[unit[0]] == 0 {
			p.Unsized = p.Unsized || slices.ContainsFunc(longest, func(o []*latent) bool { return o[0] != unit[0] && p.seenWith(o, unit) && p.steers(unit, o) })
			continue
		}
		out[unit[0]] = slices.ContainsFunc(longest[:n], func(o []*latent) bool {
			return count[unit[0]] < count[o[0]] && !out[o[0]] && p.seenWith(o, unit) && p.steers(unit, o)
		})
	}
	return out
}

// seenWith reports whether a term has elements of both units.
func (p *Posterior) seenWith(unit, other []*latent) bool {
	return slices.ContainsFunc(p.Terms, func(t *PosteriorTerm) bool { return mentionsAny(t.L, unit) && mentionsAny(t.L, other) })
}

// steers reports whether the precision of the map of a unit alone depends on another.
func (p *Posterior) steers(other, unit []*latent) bool {
	steps, _ := p.eliminated(unit)
	return slices.ContainsFunc(steps, func(s *step) bool {
		at := expr.Sub{Index: s.v.i}
		if s.bands == nil {
			return s.dense.Elem != nil && mentionsAny(s.dense.At(at, expr.Sub{Index: s.v.j}), other)
		}
		return slices.ContainsFunc(s.bands, func(d expr.Value) bool { return mentionsAny(d.At(at), other) })
	})
}

// fixed reports whether the prior of a unit is the same everywhere; a term that has some of it on its left side and is no prior counts
// as an observation, or as a prior that moves.
func (p *Posterior) fixed(unit []*latent, observed bool) bool {
	return !slices.ContainsFunc(p.Terms, func(t *PosteriorTerm) bool {
		if t.Term.Dist == nil || !p.leftMentions(t, unit) {
			return false
		}
		s := p.normalPrior(t, unit)
		if s == nil {
			return !observed
		}
		return s.scaled || slices.ContainsFunc(s.each, func(e *standIn) bool { return e.center.Stage() >= expr.StagePosition })
	})
}

// leads reports whether a unit is a chain that the location of the prior of another depends on, and its scale does not.
func (p *Posterior) leads(chain, unit []*latent) bool {
	if location, scale := p.above(chain, unit); !location || scale {
		return false
	}
	steps, _ := p.eliminated(chain)
	return slices.ContainsFunc(steps, func(s *step) bool { return len(s.bands) > 1 })
}

// located reports whether the location of the prior of any other of all vectors depends on those of a unit.
func (p *Posterior) located(unit, all []*latent) bool {
	location, _ := p.above(unit, slices.DeleteFunc(slices.Clone(all), func(w *latent) bool { return slices.Contains(unit, w) }))
	return location
}

// scaledBy reports whether the scale of the prior of a unit depends on another.
func (p *Posterior) scaledBy(unit, by []*latent) bool {
	_, scale := p.above(by, unit)
	return scale
}

// above reports whether the location of the prior of one of others depends on the vectors of a unit, or is not known, and whether its scale does. With the
// others at the reference, a unit above them would be as narrow as their prior about it, which the posterior is not.
func (p *Posterior) above(unit, others []*latent) (location, scale bool) {
	for _, t := range p.Terms {
		if t.Term.Dist == nil || !p.leftMentions(t, others) {
			continue
		}
		if x := t.standard; x != nil {
			location = location || slices.ContainsFunc(x.vectors, func(v *latent) bool { return mentionsAny(x.mean(v.n, expr.Sub{Index: v.i}), unit) })
			scale = scale || mentionsAny(x.scale(p.C), unit)
			continue
		}
		if !mentionsAny(t.L, unit) {
			continue
		}
		if t.Term.Dist.Whole() {
			s := p.normalPrior(t, others)
			located := s == nil || slices.ContainsFunc(s.each, func(e *standIn) bool { return mentionsAny(e.center, unit) })
			location, scale = location || located, scale || !located
			continue
		}
		parts := p.apart(t)
		for _, x := range parts {
			if len(parts) > 1 && (!p.leftMentions(x, others) || !slices.ContainsFunc(append(x.Args, x.Left), func(v expr.Value) bool { return mentionsAny(v.At(), unit) })) {
				continue
			}
			s := p.nearNormal(x, others)
			if s == nil && seesData(x.Left.At()) {
				continue // an observation that is counted from the values of others, as the time since a start, and no prior of them
			}
			located := s == nil || mentionsAny(s.center, unit) || mentionsAny(s.u, unit)
			location, scale = location || located, scale || !located || s != nil && mentionsAny(s.precision, unit)
		}
	}
	return location, scale
}

// seesData reports whether an expression has values of data in it, other than subscripts.
func seesData(e *expr.Expr) bool {
	if e.Op == expr.Ref {
		return e.Tensor.Kind == expr.DataTensor
	}
	return slices.ContainsFunc(e.Args, seesData)
}

// leftMentions reports whether the left side of a term depends on a latent vector, as it is written.
func (p *Posterior) leftMentions(t *PosteriorTerm, latents []*latent) bool {
	if s := t.standard; s != nil {
		return slices.ContainsFunc(s.vectors, func(v *latent) bool { return slices.Contains(latents, v) })
	}
	_, at := expr.IndicesOver(p.C, "i", t.Left.Shape)
	return mentionsAny(t.Left.At(at...), latents)
}

// steady reports whether steps are of maps that are the same everywhere, as is what joint maps would know of their vectors beside others: data are seen with those at the reference.
func steady(steps []*step) bool {
	return len(steps) > 0 && !slices.ContainsFunc(steps, func(s *step) bool { return !s.steady || s.moves() })
}

// moves reports whether the map of a step depends on the other parameters.
func (s *step) moves() bool {
	if s.bands == nil || s.v.standard != nil && s.v.standard.moves {
		return true // a dense one is of a prior with a scale
	}
	return s.r.Stage() >= expr.StagePosition || slices.ContainsFunc(s.bands, func(d expr.Value) bool { return d.At(expr.Sub{Index: s.v.i}).Stage() >= expr.StagePosition })
}

// inPlace is element v.i of what the map of a vector is one of, where the plain coordinates of this vector, and of those of others that are determined
// later, stand in the place of coordinates.
func (p *Posterior) inPlace(v *latent, later []*step) *expr.Expr {
	c := p.C
	stands := func(w *latent) bool {
		return w == v || slices.ContainsFunc(later, func(s *step) bool { return s.v == w })
	}
	coordinate := func(w *latent, at ...expr.Sub) *expr.Expr { return c.Ref(w.b.Coord, w.b.Part(w.n, at...)...) }
	if v.standard == nil {
		return coordinate(v, expr.SubsOf(v.is)...)
	}
	u := v.standard.back(p, v.n, func(n int, at expr.Sub) *expr.Expr {
		w := v.standard.vectors[n]
		if !stands(w) {
			return c.Ref(w.plain(), w.subs(at)...)
		}
		return coordinate(w, w.subs(at)...)
	})
	return c.Substituted(u, func(r *expr.Expr) *expr.Expr {
		for _, s := range later {
			if r.Tensor == s.v.plain() {
				return coordinate(s.v, r.Subs...)
			}
		}
		return r
	})
}

// transport makes the map of a step, and returns its part of the log density. The vectors that are determined before have
// theirs; later are the steps of others.
func (p *Posterior) transport(s *step, later []*step) (logJacobian *expr.Expr) {
	c, b, i := p.C, s.v.b, s.v.i
	values := s.v.values()
	all, at := expr.SubsOf(s.v.is), expr.Sub{Index: i}
	z := p.vector(s.v, c.Ref(b.Coord, b.Part(s.v.n, all...)...))
	t := &Transport{Param: b, First: s.together == nil || !s.together.defined, Diagonals: len(s.bands), Sparse: s.sparse != nil, Predicted: s.predicted, Indices: s.v.is, Subs: b.Part(s.v.n, all...), Plain: c.Ref(s.v.plain(), all...)}
	own := p.vector(s.v, p.inPlace(s.v, later)) // as z, what the map is one of
	var value *expr.Expr
	switch {
	case s.together != nil:
		value, t.Whitened, logJacobian = s.together.mapOf(p, s, later)
		for _, o := range s.together.steps {
			if o != s {
				t.Beside = append(t.Beside, (&Transport{Param: o.v.b, Subs: o.v.b.Part(o.v.n, expr.SubsOf(o.v.is)...)}).part(o.v.b.Decl.ObjectName()))
			}
		}
	case s.sparse != nil:
		f := s.sparse.factor(c, s.v)
		u := f.SolveLower(p.vector(s.v, s.r)).At(at)
		bump := s.bump(c, func(ones *expr.Expr) *expr.Expr { return f.SolveLower(p.vector(s.v, ones)).At(at) }, nil)
		value = f.SolveUpper(p.vector(s.v, bump.moved(c, u, z.At(at)))).At(at)
		t.Whitened = bump.white(c, u, f.MulTransposed(own).At(at))
		logJacobian = c.Add(c.Scale(-0.5, f.LogDet()), bump.logJacobian(c))
	case len(s.bands) == 0:
		if a, k, rest := p.split(s); a != nil {
			value, t.Whitened, logJacobian = p.spectral(s, a, k, rest, z, own)
			break
		}
		lower := c.Apply(expr.OperatorOf("cholesky"), s.dense)
		u := c.Apply(expr.OperatorOf("solve_lower"), lower, p.vector(s.v, s.r))
		value = c.Apply(expr.OperatorOf("solve_upper"), lower, p.vector(s.v, c.Add(u.At(at), z.At(at)))).At(at)
		j := c.NewIndex("j", expr.UpTo(s.v.size()))
		t.Whitened = c.Sub(c.Sum(j, c.Mul(lower.At(expr.Sub{Index: j}, at), own.At(expr.Sub{Index: j}))), u.At(at))
		logJacobian = c.Neg(c.SumAll(s.v.is, c.Call("log", lower.At(at, at))))
	case len(s.bands) == 1:
		variance := c.Atom(c.Pow(c.Atom(s.bands[0].At(at)), -1))
		scale := c.Atom(c.Pow(variance, 0.5)) // L⁻¹: each of these powers has a derivative of a few operations
		u := c.Mul(scale, c.Atom(s.r))
		bump := s.bump(c, func(ones *expr.Expr) *expr.Expr { return c.Mul(scale, ones) }, c.Pow(scale, -1))
		value = c.Mul(scale, bump.moved(c, u, z.At(at)))
		t.Whitened = bump.white(c, u, c.Div(own.At(at), scale))
		logJacobian = c.Add(c.Scale(0.5, c.SumAll(s.v.is, c.Call("log", variance))), bump.logJacobian(c))
	default:
		f := c.BandFactor(s.bands)
		u := s.solved
		if u == nil {
			u = f.SolveLower(p.vector(s.v, s.r)).At(at)
		}
		bump := s.bump(c, func(ones *expr.Expr) *expr.Expr { return f.SolveLower(p.vector(s.v, ones)).At(at) }, nil)
		value = f.SolveUpper(p.vector(s.v, bump.moved(c, u, z.At(at)))).At(at)
		t.Whitened = bump.white(c, u, f.MulTransposed(0, []expr.Value{own}, i))
		logJacobian = c.Add(c.Scale(-0.5, c.SumAll(s.v.others(), f.LogDet())), bump.logJacobian(c))
	}
	body, formal := c.CloseAs(value, s.v.is)
	values.Kind, values.Atom = expr.SharedTensor, true
	values.Def = &expr.Def{Tensor: values, Indices: formal, Body: body}
	s.v.plain().Atom = true
	p.Transports = append(p.Transports, t)
	return logJacobian
}

// split writes a dense precision as a I + k W, where a and k alone depend on the position: it is the precision of a prior whose only parameter is its
// scale, beside what data say at the reference. It is nil for other precisions.
func (p *Posterior) split(s *step) (a, k *expr.Expr, rest expr.Value) {
	c, i, j := p.C, s.v.i, s.v.j
	full, diagonal := c.SplitDelta(s.dense.At(expr.Sub{Index: i}, expr.Sub{Index: j}), i, j)
	k = c.Number(1)
	if full.Stage() >= expr.StagePosition {
		if k, full = scaledAlike(c, full, i, j); full.Stage() >= expr.StagePosition {
			return nil, nil, rest
		}
	}
	terms, ks := []*expr.Expr{diagonal}, []float64{1}
	if diagonal.Op == expr.Add {
		terms, ks = slices.Concat(diagonal.Args, []*expr.Expr{c.Number(diagonal.Val)}), slices.Concat(diagonal.K, []float64{1})
	}
	total := c.Number(0)
	for n, t := range terms {
		t = c.Scale(ks[n], t)
		switch {
		case t.Stage() < expr.StagePosition && k.IsNum(1):
			full = c.Add(full, c.Mul(t, c.Delta(expr.Sub{Index: i}, expr.Sub{Index: j})))
		case t.HasFree(i) || t.HasFree(j):
			own, known := scaledAlike(c, t, i, j)
			if own != k || known.Stage() >= expr.StagePosition {
				return nil, nil, rest
			}
			full = c.Add(full, c.Mul(known, c.Delta(expr.Sub{Index: i}, expr.Sub{Index: j})))
		default:
			total = c.Add(total, t)
		}
	}
	if total.Stage() < expr.StagePosition && k.IsNum(1) {
		return nil, nil, rest
	}
	return total, k, expr.Value{Shape: s.dense.Shape, Elem: func(at ...expr.Sub) *expr.Expr { return c.SubstAll(full, []*expr.Index{i, j}, at) }}
}

// scaledAlike is scaledBy of a sum too, where all terms have the same multiple; else that is 1.
func scaledAlike(c *expr.Context, e *expr.Expr, i, j *expr.Index) (k, rest *expr.Expr) {
	if e.Op != expr.Add || e.Val != 0 {
		return scaledBy(c, e, i, j)
	}
	rest = c.Number(0)
	for n, t := range e.Args {
		own, known := scaledBy(c, t, i, j)
		if n > 0 && own != k {
			return c.Number(1), e
		}
		k, rest = own, c.Add(rest, c.Scale(e.K[n], known))
	}
	return k, rest
}

// scaledBy splits a product into what depends on the position, a number, and the rest, the elements of a matrix.
func scaledBy(c *expr.Context, e *expr.Expr, i, j *expr.Index) (k, rest *expr.Expr) {
	k, rest = c.Number(1), e
	if e.Op == expr.Mul {
		rest = c.Number(e.Val)
		for n, f := range e.Args {
			if f = c.Pow(f, e.K[n]); f.Stage() < expr.StagePosition || f.HasFree(i) || f.HasFree(j) {
				rest = c.Mul(rest, f)
			} else {
				k = c.Mul(k, f)
			}
		}
	}
	return k, rest
}

// spectral is the map of a precision A = a I + k W, with W = QΛQᵀ at the reference and d = kΛ + a:
//
//	x = A⁻¹r + A^{-½}z = Q(Qᵀr/d + Qᵀz/√d)
//
// and z likewise of x, in whose place the coordinates stand. It takes products of matrices and vectors, where a factor would take n³ operations each time.
// The root is the symmetric one, so that neither signs nor the choice of vectors of equal values matter.
func (p *Posterior) spectral(s *step, a, k *expr.Expr, rest, z, own expr.Value) (value, whitened, logJacobian *expr.Expr) {
	c, i := p.C, s.v.i
	at := expr.Sub{Index: i}
	l := c.NewIndex("k", i.Range)
	to := expr.Sub{Index: l}
	values := c.Apply(expr.OperatorOf("eigenvalues"), rest)
	q := c.Apply(expr.OperatorOf("eigenvectors"), rest).At(at, to)
	variance := c.Atom(c.Pow(c.Atom(c.Add(c.Mul(k, values.At(to)), c.Atom(a))), -1))
	root := c.Atom(c.Pow(variance, 0.5))
	turned := func(e *expr.Expr) *expr.Expr { return c.Atom(c.Sum(i, c.Mul(q, e))) }
	back := func(e *expr.Expr) *expr.Expr { return c.Sum(l, c.Mul(q, c.Atom(e))) }
	u, v := turned(c.Atom(s.r)), turned(z.At(at))
	x := turned(own.At(at))
	value = back(c.Add(c.Mul(variance, u), c.Mul(root, v)))
	whitened = back(c.Sub(c.Div(x, root), c.Mul(root, u)))
	return value, whitened, c.Scale(0.5, c.SumAll(append(s.v.others(), l), c.Call("log", variance)))
}
