package symbolic

import (
	"slices"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/model"
)

// maxCandidate is the largest number of coordinates of a model that has a Riemannian candidate: its steps take the cube of it in
// operations, several times over, and where there are more coordinates an adapted Euclidean metric has never lost to it.
const maxCandidate = 10

// maxCandidateWork is the most that the derivation of a Riemannian candidate may ask for, of expr.MaxWork: a model is emitted in 200 ms.
const maxCandidateWork = 400_000

// candidate derives a model that leaves its metric to hamc with the Fisher metric, for the sampler to choose between that and a Euclidean one
// that it adapts; nil where the Euclidean one cannot lose. What can bend a posterior so that no constant metric fits it is a
// distribution of data with an argument that is not linear in the coordinates. The metric is a candidate only if its sign is
// proved, and without differential equations, whose second derivatives cost more than they save.
func candidate(r *Derived, curved bool) *Derived {
	if r == nil || r.Block == nil || slices.ContainsFunc(r.Params, func(b *model.Param) bool { return len(b.Decl.Type.Shape) > 1 || b.Decl.BoundByParams() }) || len(r.Transports) > 0 || len(r.Families) > 0 || !leaves(r.Block) || !r.small() || !expr.Growing(func(by expr.Grain) bool { return bends(model.ElaborateBy(r.Model, r.Block, false, by)) }) {
		return nil
	}
	block := *r.Block
	block.Metric = []*dsl.MetricTerm{{At: r.Block.Metric[0].At, Kind: dsl.MetricFisher, Chosen: true}}
	m := *r.Model
	m.Blocks = []*dsl.Block{&block}
	var used model.Spent
	c, list := derive(&m, &block, curved, model.BandedMaps, &used)
	if len(list) > 0 {
		return nil
	}
	return c
}

// isCandidate reports whether the metric of a block is one that hamc may choose.
func isCandidate(b *dsl.Block) bool { return len(b.Metric) == 1 && b.Metric[0].Chosen }

// leaves reports whether a block leaves its metric to hamc.
func leaves(b *dsl.Block) bool { return len(b.Metric) == 1 && b.Metric[0].Kind == dsl.MetricAuto }

// small reports whether the coordinates are few, whatever the data.
func (r *Derived) small() bool {
	n := 0
	for _, b := range r.Params {
		size := b.Length()
		if !b.Scalar() && !size.IsConst() {
			return false
		}
		if n++; !b.Scalar() {
			n += size.Offset - 1
		}
	}
	return n <= maxCandidate
}

// bends reports whether an argument of a distribution of data is not linear in the coordinates, but for arguments of one scalar
// coordinate, as scales are. It adds to the context of p.
func bends(p *model.Posterior) bool {
	for _, t := range p.Terms {
		if d := t.Term.Dist; d == nil || d.Whole() || isOfCoordinates(p, t.Left) {
			continue
		}
		for _, a := range t.Args {
			if len(a.Shape) == 0 && isCurved(p, a.At()) {
				return true
			}
		}
	}
	return false
}

// isOfCoordinates reports whether the left side of a distribution depends on a coordinate.
func isOfCoordinates(p *model.Posterior, v expr.Value) bool {
	subs := make([]expr.Sub, len(v.Shape))
	for n := range subs {
		subs[n] = expr.Sub{Index: p.C.NewIndex("i", expr.UpTo(v.Shape[n]))}
	}
	return expr.DependsOnCoords(v.At(subs...))
}

// isCurved reports whether an argument depends on two coordinates or more, and not linearly.
func isCurved(p *model.Posterior, e *expr.Expr) bool {
	of := expr.Coordinates(e)
	scalars := 0
	for t := range of {
		scalars += 1 + len(t.Shape)
	}
	if scalars < 2 {
		return false
	}
	for _, row := range p.Params {
		if !of[row.Coord] {
			continue
		}
		_, a := row.Index(p.C, "j")
		slope := p.C.Diff(e, row.Coord, a...)
		for _, col := range p.Params {
			if !of[col.Coord] {
				continue
			}
			if _, b := col.Index(p.C, "l"); !p.C.Diff(slope, col.Coord, b...).IsNum(0) {
				return true
			}
		}
	}
	return false
}
