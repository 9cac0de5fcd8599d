package symbolic

import (
	"slices"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/model"
)

// The work of a gradient with dense maps may be as many times that of one without, or as many operations. What these maps
// have to be worth is a posterior that is not sampled without them: a horseshoe takes a hundredth of the draws.
const (
	mostTimes = 10
	mostWork  = 40000
)

// Uncarried reports whether a model that leaves its metric to hamc has vectors without a map, for which Derive may find a dense one where
// the sizes of the data are known.
func (r *Derived) Uncarried() bool {
	return r.Block != nil && len(r.Model.Blocks) == 1 && leaves(r.Block) && len(r.Solves) == 0 &&
		slices.ContainsFunc(r.Params, func(b *model.Param) bool { return !b.Latent() && len(b.Decl.Type.Shape) == 1 })
}

// dense derives a model with dense precisions of latent vectors, which regressions with a prior of unknown scale have; nil where no more vectors
// have maps with them, where they cost too much for the sizes at hand, and where these are not known.
func dense(r *Derived, curved bool) *Derived {
	if r == nil || r.Model.Sizes == nil || !r.Uncarried() {
		return nil
	}
	var used model.Spent
	d, list := derive(r.Model, r.Block, curved, model.DenseMaps, &used)
	if d == nil || len(list) > 0 || len(d.Transports) <= len(r.Transports) {
		return nil
	}
	if work := operations(d.Work(), r.Model); work > mostWork && work > mostTimes*operations(r.Work(), r.Model) {
		return nil
	}
	return d
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
