package symbolic

import (
	"slices"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/model"
)

// The work of a gradient with dense maps may be as many times that of one without, or as many operations. What these maps
// have to be worth is a posterior that is not sampled without them. Where no cheaper ones are found, and none that take each element given the others, they may take more, and so many that a run takes half a
// minute: walks along three dimensions whose sums are held take 25 times what the gradient does.
var limitsOfWork = []struct{ times, operations float64 }{{10, 40000}, {20, 40000}, {20, 2e6}}

// Uncarried reports whether a model that leaves its metric to hamc has vectors without a map, for which Fit may find a dense one.
func (r *Derived) Uncarried() bool {
	return !r.Model.Declared && r.Block != nil && len(r.Model.Blocks) == 1 && leaves(r.Block) && len(r.Families) == 0 &&
		slices.ContainsFunc(r.Params, func(b *model.Param) bool {
			return !b.Latent() && b.Transform.Carries && len(b.Decl.Type.Shape) > 0 && slices.ContainsFunc(b.Decl.Type.Shape, many)
		})
}

// many reports whether a size is more than a few, or may be. Of a few numbers an adapted metric knows as much as a map.
func many(x dsl.Extent) bool { return !x.IsConst() || x.Offset > model.MostVectors }

// Fit derives a model that leaves its metric to hamc for the data at hand, their sizes and the numbers that they hold, by name, nil where these are not known: with dense precisions of latent vectors,
// which regressions with a prior of unknown scale have, or sparse ones, of vectors whose elements data couple in pairs. It is r where no more vectors have maps with them, or these cost too much. Where sizes decide which of several vectors have maps, r is derived anew for them before.
func (r *Derived) Fit(sizes map[string]int, values map[string][]float64) *Derived {
	m := *r.Model
	m.Sizes, m.Values = sizes, values
	if r.Unsized {
		if d, list := derive(&m, r.Block, r.Curved, r.Maps, &model.Spent{}); d != nil && len(list) == 0 {
			r = d
		}
	}
	if !r.Uncarried() {
		return r
	}
	kinds := []model.Maps{model.DenseMaps, model.TurnedMaps, model.FrozenMaps}
	if r.Paired() {
		kinds = append([]model.Maps{model.SparseMaps}, kinds...)
	}
	found := map[model.Maps]*Derived{}
	for _, limit := range limitsOfWork {
		for _, maps := range kinds {
			d, known := found[maps]
			if !known {
				var used model.Spent
				var list []dsl.Diagnostic
				if d, list = derive(&m, r.Block, r.Curved, maps, &used); d == nil || len(list) > 0 || d.carried() <= r.carried() {
					d = nil
				}
				found[maps] = d
			}
			if d == nil {
				if maps == model.SparseMaps {
					continue
				}
				break // nor do the others find more
			}
			if work := operations(d.Work(), &m); work <= limit.operations || work <= limit.times*operations(r.Work(), &m) {
				return d
			}
		}
		if limit == limitsOfWork[0] {
			if d, list := derive(&m, r.Block, r.Curved, model.ApartMaps, &model.Spent{}); d != nil && len(list) == 0 && d.EachGiven && d.carried() > r.carried() {
				return d
			}
		}
	}
	return r
}

// carried is the number of parameters with maps, but for levels, which dense ones do not have.
func (r *Derived) carried() (n int) {
	for _, b := range r.Params {
		if b.Latent() && !b.Scalar() {
			n++
		}
	}
	return n
}

// Small returns the sizes in data that the columns, or else the rows, of matrices without a map have, where these are few enough to be latent vectors.
func (r *Derived) Small(sizes map[string]int) (names []string) {
	for _, b := range r.Params {
		shape := b.Decl.Type.Shape
		if b.Latent() || !b.Transform.Carries || len(shape) != 2 {
			continue
		}
		for _, x := range []dsl.Extent{shape[1], shape[0]} {
			n, datum := sizes[x.Name]
			if n += x.Offset; n < 1 || n > model.MostVectors {
				continue
			}
			if datum && !slices.Contains(names, x.Name) {
				names = append(names, x.Name)
			}
			break
		}
	}
	return names
}

// operations is a number of them for the sizes at hand.
func operations(of expr.Poly, m *dsl.Model) float64 {
	total := 0.0
	factors, sizes := of.Terms()
	for n, k := range factors {
		v := float64(k)
		for _, name := range sizes[n] {
			v *= float64(m.Sizes[name])
		}
		total += v
	}
	return total
}
